"""The pages that the tests of reports look at, made once for each module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from report.hostile import hostile_page
from report.samples import sample_with_sessions, write_pages

import grammar_store as gs
from grammar_store.facade import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path = tmp_path_factory.mktemp("report") / "sample.duckdb"
    with gs.open(sample_with_sessions(path)) as store:
        yield store


@pytest.fixture(scope="module")
def pages(store: Store, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_pages(store, tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_page(tmp_path_factory.mktemp("hostile"))
