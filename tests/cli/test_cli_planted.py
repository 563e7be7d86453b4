"""The commands sample and score."""

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


def scored_session(folder: Path) -> tuple[Path, Path]:
    """A store of a planted grammar, and its truth; in its session, two labels are mixed."""
    grammar = folder / "mine.txt"
    grammar.write_text(
        "S -> das [N,1] ||| the [N,1]\nS -> er [V,1] ||| he [V,1]\n"
        "N -> Haus ||| house ||| 5\nN -> Tor ||| gate\n"
        "V -> ruht ||| rests ||| 3\nV -> geht ||| goes\n"
    )
    run_here("sample", grammar, "--sentences", 100, "-o", folder / "out").quiet()
    bitext = [folder / "out" / name for name in ("source", "target", "alignment")]
    store = folder / "x.duckdb"
    run_here("build", *bitext, "--store", store).quiet()
    for pair in (("Haus ||| house", "Tor ||| gate"), ("Haus ||| house", "ruht ||| rests")):
        run_here("merge", store, *pair, "--session", "mixed").quiet()
    return store, folder / "out" / "truth.tsv"


def test_score_of_a_session(tmp_path: Path) -> None:
    """One class of two nouns and a verb, and a verb alone: of three pairs joined one is alike."""
    store, truth = scored_session(tmp_path)
    asked = ("score", store, "--session", "mixed", "--truth", truth)
    found = json.loads(run_here(*asked, "--json").quiet().stdout)
    # Expected joined and alike: 3 joined x 2 alike / 6 pairs = 1; the mean of 3 and 2 is 2.5.
    assert found["adjusted_rand"] == (1 - 1) / (2.5 - 1)
    assert (found["precision"], found["recall"]) == (1 / 3, 1 / 2)
    assert (found["phrase_pairs"], found["not_in_the_store"]) == (4, 0)
    assert (found["classes"], found["labels"]) == (2, 2)
    with gs.open(store, read_only=True) as opened:
        leader = opened.existing_session("mixed").leader("Tor ||| gate")
        in_python = opened.existing_session("mixed").score(truth)
        early = opened.existing_session("mixed").score(read_truth(truth), step=1)
    assert found["wrong_merges"] == [
        {
            "in_class": f"X{leader}",
            "first_label": "N",
            "second_label": "V",
            "pairs": 2,
            "first_example": "Haus ||| house",
            "second_example": "ruht ||| rests",
        }
    ]
    assert in_python.precision == 1 / 3
    assert (early.precision, early.recall, early.wrong_merges) == (1, 0.5, ())
    before = json.loads(run_here(*asked, "--at", 1, "--json").quiet().stdout)
    assert (before["precision"], before["wrong_merges"]) == (1, [])
    words = run_here(*asked).quiet().stdout
    assert "adjusted Rand" in words
    assert "Haus ||| house" in words


def test_score_leaves_out_what_is_ambiguous(tmp_path: Path) -> None:
    store, truth = scored_session(tmp_path)
    lines = truth.read_text().splitlines()
    doubtful = [line.replace("\tV\t", "\tV\t1\t") for line in lines]
    # Where the label was V, the total is now the old count, and the label was given once.
    rows = ["\t".join(line.split("\t")[:5]) for line in doubtful]
    truth.write_text("\n".join(rows) + "\n")
    asked = ("score", store, "--session", "mixed", "--truth", truth, "--json")
    assert json.loads(run_here(*asked).quiet().stdout)["phrase_pairs"] == 4
    sure = json.loads(run_here(*asked, "--certain", 0.9).quiet().stdout)
    assert (sure["phrase_pairs"], sure["precision"], sure["recall"]) == (2, 1, 1)


def test_score_refuses(tmp_path: Path) -> None:
    store, truth = scored_session(tmp_path)
    asked = ("score", store, "--session", "mixed", "--truth")
    other = ("score", store, "--session", "other", "--truth", truth)
    assert "no session 'other'" in run_here(*other).error
    assert "nothing.tsv" in run_here(*asked, tmp_path / "nothing.tsv").error
    wrong = tmp_path / "wrong.tsv"
    wrong.write_text("Haus\thouse\tN\n")
    assert f"{wrong}:1: the first line must be" in run_here(*asked, wrong).error
    assert "--certain" in run_here(*asked, truth, "--certain", 2).error
    assert "no step 9" in run_here(*asked, truth, "--at", 9).error
