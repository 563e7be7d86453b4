"""What the tests of sessions share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sessions.stores import small_store

import grammar_store as gs
from grammar_store.facade import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store of its own for each test: seventeen non-terminals, X1 and X2 of count 3."""
    with gs.open(small_store(tmp_path / "store.duckdb")) as store:
        yield store
