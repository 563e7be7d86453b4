from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from sql_cases.hand_made import make_store

from grammar_store import resources
from grammar_store.store.schema import create_schema

FRACTIONS_NOT_FINITE = ["'infinity'", "'-infinity'", "'nan'", "0", "-1", "NULL"]


@pytest.mark.parametrize("number", FRACTIONS_NOT_FINITE)
def test_tables_refuse_numbers_that_are_none(number: str) -> None:
    with duckdb.connect() as connection:
        create_schema(connection)
        for statement in (
            f"INSERT INTO rule VALUES (1, 1, {number}, 0)",
            f"INSERT INTO context VALUES (1, '[_]', '[_]', {number})",
        ):
            with pytest.raises(duckdb.ConstraintException):
                connection.execute(statement)


def test_no_table_has_an_index() -> None:
    with duckdb.connect() as connection:
        create_schema(connection)
        kinds = connection.execute("SELECT DISTINCT constraint_type FROM duckdb_constraints()")
        assert {kind for (kind,) in kinds.fetchall()} == {"NOT NULL", "CHECK"}
        assert connection.execute("SELECT count(*) FROM duckdb_indexes()").fetchall() == [(0,)]


def test_a_store_answers_under_any_name(tmp_path: Path) -> None:
    """From a bare DuckDB client, after renaming, and attached."""
    path = make_store(tmp_path / "g.duckdb")
    path = path.rename(tmp_path / "another name.duckdb")
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("SELECT count(*) FROM hiero_rule").fetchall() == [(14,)]
        assert len(connection.execute("FROM rules_of(5)").fetchall()) == 6
    with duckdb.connect() as connection:
        connection.execute("ATTACH $path AS mine (READ_ONLY)", {"path": str(path)})
        assert connection.execute("SELECT count(*) FROM mine.hiero_rule").fetchall() == [(14,)]
        connection.execute("USE mine")
        assert len(connection.execute("FROM rules_of(5)").fetchall()) == 6
        assert len(connection.execute("FROM shared_contexts(7, 1)").fetchall()) == 1


def test_resources_are_found_in_a_wheel_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "grammar_store"
    (package / "schema" / "tables").mkdir(parents=True)
    monkeypatch.setattr(resources, "_PACKAGE", package)
    resources.folder.cache_clear()
    try:
        assert resources.folder("schema") == package / "schema"
        with pytest.raises(FileNotFoundError, match="reinstall"):
            resources.folder("migrations")
    finally:
        resources.folder.cache_clear()
