"""The store of the built-in sample, and what is left of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from commands import ENVIRONMENT, names

import grammar_store as gs

MAKES_ONE = """
import os, tempfile
import grammar_store as gs
tempfile.tempdir = os.getcwd()
assert gs.sample_store().info()["sentences"] == 360
print(os.listdir())
"""


def test_a_sample_store_goes_with_its_program(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MAKES_ONE], cwd=tmp_path, env=ENVIRONMENT,
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert "grammar_store_" in done.stdout
    assert names(tmp_path) == set()


def test_a_sample_store_that_was_given_a_path_stays(tmp_path: Path) -> None:
    with gs.sample_store(tmp_path / "x.duckdb") as store:
        assert store.info()["sentences"] == 360
    assert names(tmp_path) == {"x.duckdb"}
