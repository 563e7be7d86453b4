"""The commands export and import, as people run them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from commands import names, run_here

import grammar_store as gs
from grammar_store.export.reading import read_rules


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "x.duckdb"
    with gs.sample_store(path) as opened:
        opened.session("two", method="k-medoids", top=50, clusters=2, restarts=1).run()
    return path


def test_a_session_for_moses(store: Path, tmp_path: Path) -> None:
    test = tmp_path / "test"
    test.write_text("das Haus ist neu\nein Kind\n")
    out = run_here(
        *("export", store, "--format", "moses", "--session", "two", "-o", tmp_path / "rules.gz"),
        *("--filter", test, "--per-sentence", tmp_path / "sentences", "--json"),
    ).quiet()
    report = json.loads(out.stdout)
    lines = gzip.decompress((tmp_path / "rules.gz").read_bytes()).decode().splitlines()
    assert report["rows"] == len(lines) > 10
    assert lines == sorted(lines, key=str.encode)
    rules = read_rules(tmp_path / "rules.gz", "moses").rules().read_all()
    assert set(rules["lhs"].to_pylist()) == {"X1", "X2"}
    assert names(tmp_path) == {
        *("test", "rules.gz", "rules.gz.signature.json", "rules.glue", "rules.unknown-lhs"),
        *("rules.moses.ini", "sentences"),
    }
    sentences = [
        gzip.decompress((tmp_path / "sentences" / f"grammar.{n}.gz").read_bytes()).decode()
        for n in range(2)
    ]
    assert report["sentence_rows"] == sum(text.count("\n") for text in sentences)
    assert {line for text in sentences for line in text.splitlines()} == set(lines)
    words = {"ein", "Kind"}
    for line in sentences[1].splitlines():
        source = line.partition(" [X] ||| ")[0]
        assert {word for word in source.split() if word[0] != "["} <= words


def test_out_and_in_again(store: Path, tmp_path: Path) -> None:
    rules, imported = tmp_path / "rules", tmp_path / "x.duckdb"
    run_here(
        *("export", store, "--format", "joshua", "--session", "two", "--grammar", "stored"),
        *("-o", rules, "--no-companions", "--features", "p(e|f) penalty", "--digits", 6),
    ).quiet()
    assert names(tmp_path) == {"rules", "rules.signature.json"}
    first = rules.read_text().splitlines()[0]
    assert first.count("=") == 2
    out = run_here("import", rules, "--format", "joshua", "--store", imported).quiet()
    assert any(line.split() == ["labels", "2"] for line in out.lines)
    run_here("check", imported).quiet()
    run_here("merge", imported, "[X1] ||| [X1]", "[X2] ||| [X2]", "--session", "one").quiet()
    out = run_here(
        *("export", imported, "--format", "csv", "--grammar", "stored", "--session", "one"),
        *("-o", tmp_path / "out.csv"),
    ).quiet()
    lhs = {line.split(",")[0] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]}
    assert lhs == {'"X1"'}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "moses"], "name a file to write to"),
        (["--format", "moses", "-o", "{out}", "--session", "none"], "no session 'none'"),
        (["--format", "moses", "-o", "{out}", "--filter", "{out}/no"], "cannot be read"),
        (["--format", "moses", "-o", "{out}", "--features", "x"], "no feature 'x'"),
        (["--format", "csv", "-o", "{out}", "--at", "1"], "name the session"),
        (["--format", "csv", "-o", "{out}", "--table", "no"], "no table or view 'no'"),
        (["--format", "csv", "-o", "{out}/no/x", "--table", "rule"], "cannot write {out}/no/x: "),
        (["--format", "dot", "-o", "{out}", "--center", "no"], "names no non-terminal"),
        (["--format", "moses", "-o", "{out}", "--per-sentence", "d"], "need the test set"),
    ],
)
def test_what_is_refused(store: Path, tmp_path: Path, arguments: list[str], said: str) -> None:
    out = tmp_path / "out"
    given = [argument.format(out=out) for argument in arguments]
    message = run_here("export", store, *given).error
    assert said.format(out=out) in message
    assert names(tmp_path) == set()


def test_imports_that_are_refused(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("das ||| the\n")
    arguments = ["--format", "moses", "--store", tmp_path / "x.duckdb"]
    message = run_here("import", tmp_path / "rules", *arguments).error
    assert message.startswith(f"{tmp_path / 'rules'}:1: 'das ||| the' has not the fields")
    message = run_here("import", tmp_path / "none", *arguments).error
    assert "cannot be read" in message
    assert names(tmp_path) == {"rules"}
