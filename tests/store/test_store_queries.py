"""SQL from elsewhere can read the store and do nothing else."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from sql_cases.hand_made import make_store

from grammar_store.store.database import Database

REFUSED = [
    "COPY rule TO '{folder}/out.csv'",
    "COPY (SELECT 1) TO '{folder}/out.parquet' (FORMAT parquet)",
    "EXPORT DATABASE '{folder}/out'",
    "SELECT * FROM read_csv('{folder}/in.csv')",
    "SELECT * FROM '{folder}/in.csv'",
    "SELECT * FROM read_text('{folder}/in.csv')",
    "SELECT * FROM read_blob('{folder}/in.csv')",
    "SELECT * FROM glob('{folder}/*')",
    "ATTACH '{folder}/other.duckdb' AS other",
    "ATTACH ':memory:' AS other",
    "SET threads = 1",
    "SET memory_limit = '1GB'",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET threads",
    "PRAGMA threads = 1",
    "PRAGMA enable_profiling",
    "CALL enable_logging()",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '{folder}/in.csv'",
    "INSERT INTO glue VALUES (1, 1)",
    "DELETE FROM glue",
    "CREATE TABLE mine (i INTEGER)",
    "CREATE OR REPLACE VIEW rule_text AS SELECT 1",
    "SELECT * FROM secret",
]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text("a,b\n1,2\n")
    duckdb.connect(str(tmp_path / "other.duckdb")).close()
    return make_store(tmp_path / "g.duckdb")


@pytest.mark.parametrize("statement", REFUSED)
def test_refused(store: Path, statement: str) -> None:
    secret = [1]
    before = sorted(store.parent.iterdir())
    with Database.for_queries(store) as database, pytest.raises(duckdb.Error):
        database.cursor().execute(statement.format(folder=store.parent)).fetchall()
    assert sorted(store.parent.iterdir()) == before
    assert secret


@pytest.mark.parametrize("statement", [s for s in REFUSED if "COPY" in s or "read_" in s])
def test_reading_alone_would_not_refuse_it(store: Path, statement: str) -> None:
    """So that the test above tests the hardening."""
    with Database(store, read_only=True) as database:
        database.cursor().execute(statement.format(folder=store.parent)).fetchall()


def test_allowed(store: Path) -> None:
    with Database.for_queries(store) as database:
        cursor = database.cursor()
        assert cursor.execute("SELECT count(*) FROM rule_text").fetchall() == [(18,)]
        assert len(cursor.execute("FROM shared_contexts(7, 1)").fetchall()) == 1
        assert cursor.execute("SELECT options ->> 'counting' FROM build").fetchall() == [("type",)]


def test_large_queries_still_spill(store: Path) -> None:
    with Database.for_queries(store, memory_limit="64MB") as database:
        rows = "SELECT DISTINCT hash(range) AS a, hash(range + 1) AS b FROM range(3_000_000)"
        found = database.cursor().execute(f"SELECT count(*) FROM ({rows})").fetchall()
    assert found == [(3_000_000,)]
