"""The stores written down by hand in the folders beside this file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from grammar_store.store.database import new_store
from grammar_store.store.schema import create_schema

FOLDER = Path(__file__).parent


def rows_of(name: str) -> str:
    """The SQL that fills an empty store."""
    return (FOLDER / name / "input.sql").read_text(encoding="utf-8")


def in_memory(name: str) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    create_schema(connection)
    connection.execute(rows_of(name))
    return connection


@cache
def _content(name: str) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "made.duckdb"
        with new_store(path) as database, database.cursor() as cursor:
            cursor.execute(rows_of(name))
        return path.read_bytes()


def make_store(path: Path, name: str = "table1") -> Path:
    """A store on disk; made once and copied."""
    path.write_bytes(_content(name))
    return path
