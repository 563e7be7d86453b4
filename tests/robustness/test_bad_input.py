"""Bad input: one line that says what and where, exit code 2, and the old store as it was."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from malformed import MalformedInput, malformed_inputs, mutated_inputs

import grammar_store as gs
from grammar_store.cli import main


def build(arguments: list[str], store: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run `grammar-store build` in this process: exit code and what it wrote to stderr."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as exit_:
        main(["build", *arguments, "--store", str(store)])
    code = exit_.value.code
    return (code if isinstance(code, int) else 0), capsys.readouterr().err


def state_of(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    gs.sample_store(folder / "old.duckdb").close()
    return folder / "old.duckdb"


def test_malformed_inputs_change_nothing(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = state_of(store.parent)
    cases: list[MalformedInput] = list(malformed_inputs(tmp_path / "inputs"))
    assert len(cases) >= 200
    for case in cases:
        code, said = build(case.arguments, store, capsys)
        assert code == 2, case.name
        assert re.fullmatch(r"error: [^\n]+\n", said), (case.name, said)
        assert re.search(case.expect, said), (case.name, said)
    assert state_of(store.parent) == before


def test_damaged_inputs_build_or_change_nothing(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = 0
    for case in mutated_inputs(tmp_path / "inputs", seed=20, number=60):
        before = state_of(store.parent)
        code, said = build(case.arguments, store, capsys)
        if code == 2:
            refused += 1
            assert re.fullmatch(r"error: [^\n]+\n", said), (case.name, said)
            assert state_of(store.parent) == before, case.name
        else:
            assert code == 0, (case.name, said)
    assert refused > 10


def test_a_hostile_pair_does_not_hurt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One link in 200 x 200 words has 100 million phrase pairs; 100 x 100 still 6 million."""
    for name, words in (("long", 200), ("sparse", 100)):
        source = tmp_path / f"{name}.txt"
        hostile = " ".join(["a"] * words)
        source.write_text(
            f"{hostile} ||| {hostile} ||| {words // 2}-{words // 2}\na b ||| c d ||| 0-0 1-1\n"
        )
        path = tmp_path / f"{name}.duckdb"
        code, said = build([str(source)], path, capsys)
        assert code == 0
        assert "1 sentence pair(s) skipped" in said
        with gs.open(path, read_only=True) as opened:
            assert opened.sql("SELECT sentence_id FROM skipped_sentence").fetchall() == [(1,)]
            assert len(opened) == 3
            assert opened.check() == []
