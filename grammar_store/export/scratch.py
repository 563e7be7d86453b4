"""A database in memory, with the macros of exports, for work that touches no store."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import duckdb

from grammar_store.resources import header, sql, sql_names

_FOLDER = "export/macros"

MEMORY_LIMIT = "1GB"
"""What DuckDB may use before it spills to disk."""


@contextmanager
def scratch(
    beside: str | Path, memory_limit: str = MEMORY_LIMIT, threads: int | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to an empty database; what does not fit in memory is spilled.

    Parameters
    ----------
    beside
        The file that is being written: what is spilled goes to its folder.
    memory_limit, threads
        What DuckDB may use.
    """
    real = Path(beside).resolve()
    spill = real.with_name(f".{real.name}.spill")
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory_limit,
        "temp_directory": str(spill),
        "preserve_insertion_order": False,
        "python_enable_replacements": False,
    }
    if threads is not None:
        config["threads"] = threads
    shutil.rmtree(spill, ignore_errors=True)  # of one that was killed
    try:
        with duckdb.connect(config=config) as connection:
            add_macros(connection)
            yield connection
    finally:
        shutil.rmtree(spill, ignore_errors=True)


def add_macros(connection: duckdb.DuckDBPyConnection) -> None:
    """Give a connection the macros of exports; they end with it, and a store keeps none."""
    if sys.stdout.isatty():
        # It would write there. Notebooks show none, and some cannot even switch it off.
        connection.execute("SET enable_progress_bar = false")
    for name in _in_order():
        connection.execute(sql(name))


@cache
def _in_order() -> tuple[str, ...]:
    """The files of all macros, each after those that its header needs."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for name in sql_names(_FOLDER):
        needs = [
            f"{_FOLDER}/{each}"
            for line in header(sql(name)).splitlines()
            if line.startswith("Needs: ")
            for each in line.removeprefix("Needs: ").split(", ")
        ]
        sorter.add(name, *needs)
    return tuple(sorter.static_order())
