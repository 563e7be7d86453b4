"""Stores that many tests look at and none changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import run_here, write_bitext

import grammar_store as gs


@pytest.fixture(scope="session")
def table1(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the two sentence pairs of the paper's Table 1."""
    folder = tmp_path_factory.mktemp("table1")
    store = folder / "table1.duckdb"
    run_here("build", *write_bitext(folder), "--store", store).quiet()
    return store


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the built-in sample."""
    store = tmp_path_factory.mktemp("sample") / "sample.duckdb"
    run_here("build", *gs.sample_files(), "--store", store).quiet()
    return store
