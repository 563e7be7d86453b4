"""Blue-Fringe on the command line: merge --method blue-fringe, and sweep."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import run_here

import grammar_store as gs


@pytest.fixture
def store(sample: Path, tmp_path: Path) -> Path:
    return shutil.copyfile(sample, tmp_path / "sample.duckdb")


RUN = ("--method", "blue-fringe", "--session", "fringe", "--leaves", "blue", "--alpha", 0.2)


def test_run_in_parts(store: Path) -> None:
    first = json.loads(run_here("merge", store, *RUN, "--steps", 30, "--json").quiet().stdout)
    assert (first["session"], first["last_step"], first["steps"]) == ("fringe", 30, 30)
    assert first["finished"] is False
    assert first["merges"] + first["promotions"] == 30
    assert first["red"] + first["blue"] + first["white"] == first["classes_left"]
    second = json.loads(run_here("merge", store, *RUN, "--json").quiet().stdout)
    assert second["finished"] is True
    assert second["last_step"] == 30 + second["steps"]
    assert second["tests_saved"] > 0
    listed = second["classes"]
    assert listed[0]["count"] >= listed[-1]["count"]
    with gs.open(store) as opened:
        parts = list(opened.session("fringe"))
        whole = opened.session("whole", method="blue-fringe", leaves="blue", alpha=0.2)
        whole.run()
        assert parts == list(whole)
        assert second["classes_left"] == whole.at().class_count
    words = run_here("merge", store, *RUN).quiet().stdout
    assert "finished" in words
    assert "tests saved" in words


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--alpha", 0), "alpha"),
        (("--alpha", 2), "alpha"),
        (("--alpha", "much"), "not a valid float"),
        (("--score", "best"), "evidence"),
        (("--ties", "first"), "random"),
        (("--leaves", "green"), "blue"),
        (("--fisher-below", -1), "fisher_below"),
        (("--classes", -1), "classes"),
        (("--clusters", 2), "no parameter 'clusters'"),
        (("--steps", "few"), "not a valid integer"),
    ],
)
def test_wrong_options_are_refused(sample: Path, options: tuple[object, ...], message: str) -> None:
    run = ("merge", sample, "--method", "blue-fringe", "--session", "wrong", *options)
    assert message in run_here(*run).error
    with gs.open(sample, read_only=True) as opened:
        assert "wrong" not in set(opened.sessions()["name"])


def test_other_parameters_than_before_are_refused(store: Path) -> None:
    run_here("merge", store, *RUN, "--steps", 1).quiet()
    assert "has parameters" in run_here("merge", store, *RUN[:-1], 0.1).error


def test_sweep(store: Path) -> None:
    given = ("--alpha", 0.5, "--alpha", 0.01, "--leaves", "blue", "--prefix", "s ")
    done = run_here("sweep", store, "--method", "blue-fringe", *given, "--json").quiet()
    rows = json.loads(done.stdout)
    assert [row["alpha"] for row in rows] == [0.5, 0.01]
    with gs.open(store, read_only=True) as opened:
        for row in rows:
            session = opened.existing_session(row["session"])
            assert row["final non-terminals"] == session.at().class_count
    table = run_here("sweep", store, "--method", "blue-fringe", *given).quiet().lines
    assert table[0].split()[:2] == ["session", "alpha"]
    assert len(table) >= 3
    refused = ("sweep", store, "--method", "blue-fringe", "--top", 5)
    assert "for k-medoids" in run_here(*refused).error
    assert "alpha" in run_here("sweep", store, "--method", "blue-fringe", "--alpha", 0).error
