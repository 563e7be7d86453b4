"""The command sample."""

from __future__ import annotations

import json
from pathlib import Path

from commands import names, run_here

import grammar_store as gs
from grammar_store.planted import read_planted, read_truth, sample_bitext


def test_sampled_bitext_builds(tmp_path: Path) -> None:
    folder = tmp_path / "sampled"
    done = run_here("sample", "verbs", "--sentences", 200, "--seed", 4, "--output", folder).quiet()
    assert names(folder) == {"source", "target", "alignment", "truth.tsv"}
    pairs = sample_bitext(read_planted("verbs"), 200, seed=4)
    assert (folder / "source").read_text().splitlines() == [pair.source for pair in pairs]
    truth = read_truth(folder / "truth.tsv")
    assert done.lines[-2].split() == ["phrase", "pairs", "with", "a", "label", str(len(truth))]
    store = tmp_path / "x.duckdb"
    bitext = [folder / name for name in ("source", "target", "alignment")]
    run_here("build", *bitext, "--store", store).quiet()
    with gs.open(store, read_only=True) as opened:
        for text, label in truth.items():
            assert opened[text].count >= label.total


def test_own_grammar_and_json(tmp_path: Path) -> None:
    grammar = tmp_path / "mine.txt"
    grammar.write_text("S -> das [N,1] ||| the [N,1]\nN -> Haus ||| house\nN -> Tor ||| gate\n")
    done = run_here("sample", grammar, "--sentences", 20, "-o", tmp_path / "out", "--json").quiet()
    assert json.loads(done.stdout) == {
        "folder": str(tmp_path / "out"),
        "sentence_pairs": 20,
        "labels": 1,
        "phrase_pairs_with_a_label": 2,
        "ambiguous": 0,
    }


def test_refusals(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert "which has agreement, order, verbs" in run_here("sample", "nothing", "-o", out).error
    grammar = tmp_path / "mine.txt"
    grammar.write_text("S -> das [N,1] ||| the [N,1]\n")
    assert (
        run_here("sample", grammar, "-o", out).error == f"{grammar}:1: N has no rule: give it one"
    )
    assert "not -1" in run_here("sample", "order", "--sentences", -1, "-o", out).error
    assert "is a file" in run_here("sample", "order", "-o", grammar).error
    assert names(tmp_path) == {"mine.txt"}
