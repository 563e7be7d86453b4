"""Bad input: one line that says what and where, exit code 2, and the old store as it was."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from commands import digest, names, run, run_here, write_bitext
from malformed import malformed_inputs, mutated_inputs

import grammar_store as gs


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store alone in a folder."""
    (tmp_path / "bitext").mkdir()
    (tmp_path / "store").mkdir()
    path = tmp_path / "store" / "old.duckdb"
    run_here("build", *write_bitext(tmp_path / "bitext"), "--store", path).quiet()
    return path


def state_of(store: Path) -> tuple[set[str], str]:
    """What is in the folder of a store, and a hash of the store."""
    return names(store.parent), digest(store)


@pytest.mark.parametrize("part", ["most", pytest.param("rest", marks=pytest.mark.long)])
def test_malformed_inputs_change_nothing(store: Path, tmp_path: Path, part: str) -> None:
    before = state_of(store)
    cases = list(malformed_inputs(tmp_path / "inputs"))
    most = cases[::5] + cases[1::5] + cases[2::5]
    assert len(most) >= 200
    for case in most if part == "most" else cases[3::5] + cases[4::5]:
        message = run_here("build", *case.arguments, "--store", store).error
        assert re.search(case.expect, message), (case.name, message)
        assert state_of(store) == before, case.name


def test_malformed_inputs_make_no_store(tmp_path: Path) -> None:
    for case in list(malformed_inputs(tmp_path / "inputs"))[::15]:
        store = tmp_path / "store" / "new.duckdb"
        store.parent.mkdir(exist_ok=True)
        assert re.search(case.expect, run_here("build", *case.arguments, "--store", store).error)
        assert names(store.parent) == set(), case.name


def test_malformed_inputs_given_to_the_real_program(store: Path, tmp_path: Path) -> None:
    before = state_of(store)
    cases = list(malformed_inputs(tmp_path / "inputs"))
    for case in cases[5 :: len(cases) // 10]:
        message = run("build", *case.arguments, "--store", store, cwd=tmp_path).error
        assert re.search(case.expect, message), (case.name, message)
        assert state_of(store) == before, case.name


def test_damaged_inputs_build_or_change_nothing(store: Path, tmp_path: Path) -> None:
    refused = 0
    for case in mutated_inputs(tmp_path / "inputs", seed=20, number=60):
        before = state_of(store)
        outcome = run_here("build", *case.arguments, "--store", store)
        if outcome.code == 0:
            assert names(store.parent) == {store.name}, case.name
            continue
        refused += 1
        assert outcome.error, case.name
        assert state_of(store) == before, case.name
    assert 18 < refused < 60  # the damage neither always nor never matters
    run_here("check", store).quiet()


def test_a_hostile_pair_does_not_hurt(tmp_path: Path) -> None:
    """One link in 200 x 200 words has 100 million phrase pairs; 100 x 100 still 6 million."""
    for name, words in (("long", 200), ("sparse", 100)):
        source = tmp_path / f"{name}.txt"
        hostile = " ".join(["a"] * words)
        source.write_text(
            f"{hostile} ||| {hostile} ||| {words // 2}-{words // 2}\na b ||| c d ||| 0-0 1-1\n"
        )
        path = tmp_path / f"{name}.duckdb"
        outcome = run_here("build", source, "--store", path)
        assert outcome.code == 0
        assert "1 sentence pair(s) skipped" in outcome.stderr
        with gs.open(path, read_only=True) as opened:
            assert opened.sql("SELECT sentence_id FROM skipped_sentence").fetchall() == [(1,)]
            assert len(opened) == 3
            assert opened.check() == []


def test_a_pipe_is_no_store(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.duckdb"
    os.mkfifo(pipe)
    expect = "pipe.duckdb is a device or a pipe, not a grammar store"
    assert expect in run("info", pipe, cwd=tmp_path).error
    bitext = write_bitext(tmp_path)
    assert expect in run("build", *bitext, "--store", pipe, cwd=tmp_path).error
    assert pipe.is_fifo()


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"f\xfcr")
    folder.mkdir()
    bitext = write_bitext(tmp_path)
    message = run("build", *bitext, "--store", folder / "x.duckdb", cwd=tmp_path).error
    assert "is not UTF-8 text: choose another for the store" in message
    assert names(folder) == set()
