"""What all tests share."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

import grammar_store as gs

# The helpers of the tests (strategies, oracles, commands) are plain modules beside them.
sys.path.insert(0, str(Path(__file__).parent))

# A shell lets what it starts in the background ignore Ctrl-C, and so would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def table1(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the two sentence pairs of the paper's Table 1, which no test changes."""
    from commands import run_here, write_bitext

    folder = tmp_path_factory.mktemp("table1")
    store = folder / "table1.duckdb"
    run_here("build", *write_bitext(folder), "--store", store).quiet()
    return store


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the built-in sample, which no test changes."""
    from commands import run_here

    store = tmp_path_factory.mktemp("sample") / "sample.duckdb"
    run_here("build", *gs.sample_files(), "--store", store).quiet()
    return store
