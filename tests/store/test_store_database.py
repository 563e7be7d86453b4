from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from sql_cases.hand_made import make_store
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from grammar_store.errors import StoreError, StoreLockedError
from grammar_store.store import database as module
from grammar_store.store.database import Database, driver, new_store
from grammar_store.store.schema import HEAD


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_store(tmp_path / "g.duckdb")


def glue_rows(path: Path) -> list[tuple[int, int]]:
    with Database(path, read_only=True) as database:
        return database.cursor().execute("FROM glue ORDER BY ALL").fetchall()


GLUE = [(3, 1), (5, 1)]


def test_open_tells_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no such store: .*missing.*grammar-store build"):
        Database(tmp_path / "missing.duckdb")
    with pytest.raises(StoreError, match="is a folder, not a grammar store"):
        Database(tmp_path)
    for content in (b"", b"x", b"das Haus\n" * 5000):
        foreign = tmp_path / "foreign.duckdb"
        foreign.write_bytes(content)
        for read_only in (True, False):
            with pytest.raises(StoreError, match="is not a grammar store: it is not even a DuckDB"):
                Database(foreign, read_only=read_only)
        assert foreign.read_bytes() == content
    assert not list(tmp_path.glob("*.lock"))
    other = tmp_path / "other.duckdb"
    with duckdb.connect(str(other)) as connection:
        connection.execute("CREATE TABLE build (i INTEGER)")
    with pytest.raises(StoreError, match="is a DuckDB file, but not a grammar store"):
        Database(other)


@pytest.mark.parametrize(
    ("revision", "message"),
    [("0001", "made by an older grammar_store"), ("9999", r"made by a newer .*revision 9999")],
)
def test_open_refuses_other_revisions(path: Path, revision: str, message: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = $r", {"r": revision})
    with pytest.raises(StoreError, match=message):
        Database(path)
    with Database(path, any_revision=True) as database:
        assert database.revision == revision


def test_sqlalchemy_and_arrow_share_a_transaction(path: Path) -> None:
    with Database(path) as database, database.transaction() as connection:
        connection.execute(text("INSERT INTO glue VALUES (:x, :n)"), {"x": 1, "n": 7})
        database.insert("glue", pa.table({"count": [8], "nonterminal_id": [2]}))
        driver(connection).execute("INSERT INTO glue VALUES (4, 9)")
        # together inside, and nothing of it outside
        inside = connection.execute(text("SELECT count(*) FROM glue")).scalar()
        assert inside == 5
        assert database.cursor().execute("SELECT count(*) FROM glue").fetchall() == [(2,)]
    assert glue_rows(path) == sorted([*GLUE, (1, 7), (2, 8), (4, 9)])


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_any_error_undoes_everything(path: Path, error: type[BaseException]) -> None:
    def fail(database: Database) -> None:
        with database.transaction() as connection:
            connection.execute(text("INSERT INTO glue VALUES (1, 7)"))
            database.insert("glue", pa.table({"nonterminal_id": [2], "count": [8]}))
            raise error

    with Database(path) as database:
        with pytest.raises(error):
            fail(database)
        # and the next transaction works
        with database.transaction() as connection:
            connection.execute(text("INSERT INTO glue VALUES (4, 9)"))
    assert glue_rows(path) == [(3, 1), (4, 9), (5, 1)]


def test_an_error_passed_over_is_not_committed_as_success(path: Path) -> None:
    def pass_over(database: Database) -> None:
        with database.transaction() as connection:
            connection.execute(text("INSERT INTO glue VALUES (1, 7)"))
            with pytest.raises(DBAPIError):
                connection.execute(text("SELECT * FROM no_such_table"))

    with Database(path) as database:
        with pytest.raises(StoreError, match="its error was passed over: nothing was written"):
            pass_over(database)
        assert database.cursor().execute("FROM glue ORDER BY ALL").fetchall() == GLUE


@pytest.mark.parametrize("end", ["COMMIT", "ROLLBACK"])
def test_an_end_in_between_is_noticed(path: Path, end: str) -> None:
    def end_it(database: Database) -> None:
        with database.transaction() as connection:
            driver(connection).execute("INSERT INTO glue VALUES (1, 7)")
            driver(connection).execute(end)

    with (
        Database(path) as database,
        pytest.raises(StoreError, match="ended by a statement of its own"),
    ):
        end_it(database)


def test_transactions_do_not_nest(path: Path) -> None:
    with Database(path) as database:
        with database.transaction() as connection:
            connection.execute(text("INSERT INTO glue VALUES (1, 7)"))
            with pytest.raises(StoreError, match="they do not nest"), database.transaction():
                pass
        assert (1, 7) in database.cursor().execute("FROM glue").fetchall()


def test_one_transaction_at_a_time_over_all_threads(path: Path) -> None:
    with Database(path) as database, database.transaction():
        refused: list[StoreError] = []

        def other() -> None:
            try:
                with database.transaction():
                    pass
            except StoreError as error:
                refused.append(error)

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert len(refused) == 1


def test_insert_goes_by_column_name_and_checks_it(path: Path) -> None:
    with Database(path) as database:
        database.insert(
            "glue", pa.table({"count": pa.array([8], pa.int32()), "nonterminal_id": [2]})
        )
        for columns in ({"count": [1]}, {"count": [1], "nonterminal_id": [1], "more": [1]}):
            with pytest.raises(StoreError, match="table glue has columns nonterminal_id, count"):
                database.insert("glue", pa.table(columns))
        with pytest.raises(duckdb.ConversionException):
            database.insert("glue", pa.table({"count": ["x"], "nonterminal_id": [2]}))
        with pytest.raises(duckdb.ConstraintException):
            database.insert("glue", pa.table({"count": [0], "nonterminal_id": [2]}))
    assert glue_rows(path) == [(2, 8), *GLUE]


def test_insert_does_not_take_python_variables_for_tables(path: Path) -> None:
    frame = pa.table({"i": [1]})
    with Database(path, read_only=True) as database, pytest.raises(duckdb.CatalogException):
        database.cursor().execute("SELECT * FROM frame")
    assert frame.num_rows == 1


def test_execute_file_binds_its_parameters(path: Path) -> None:
    with Database(path) as database:
        found = database.execute_file("fingerprint", table_name="glue")
        assert found.column("row_count").to_pylist() == [2]
        with database.transaction() as connection:
            connection.execute(text("INSERT INTO glue VALUES (1, 7)"))
            inside = database.execute_file("fingerprint", table_name="glue")
            assert inside.column("row_count").to_pylist() == [3]
        assert database.execute_file("views/rule_text").num_rows == 0


@pytest.mark.parametrize("size", [1, 2, 100])
def test_stream_file_gives_all_rows_as_they_are_stored(
    path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BATCH", size)
    with Database(path) as database:
        with database.cursor() as cursor:
            expected = cursor.sql("SELECT rule_id, lhs_id, count FROM rule WHERE gaps > 0")
            stored = expected.fetchall()
        assert len(stored) > 2
        with database.transaction() as connection:
            connection.execute(text("INSERT INTO rule VALUES (0, 1, 1, 1)"))
            with database.stream_file("queries/rules_with_gaps") as (rows, batches):
                parts = [batch.to_pylist() for batch in batches]
    assert rows == len(stored) + 1
    assert max(map(len, parts)) <= size
    found = [tuple(row.values()) for part in parts for row in part]
    assert found == [*stored, (0, 1, 1.0)]


def test_a_read_only_store_is_not_written(path: Path) -> None:
    before = path.read_bytes()
    with Database(path, read_only=True) as database:
        with pytest.raises(StoreError, match="for reading only"), database.transaction():
            pass
        with pytest.raises(StoreError, match="for reading only"):
            database.insert("glue", pa.table({"nonterminal_id": [2], "count": [8]}))
        with pytest.raises(duckdb.InvalidInputException):
            database.cursor().execute("DELETE FROM glue")
    assert path.read_bytes() == before


def test_after_closing(path: Path) -> None:
    database = Database(path)
    cursor = database.cursor()
    database.close()
    database.close()
    with pytest.raises(duckdb.ConnectionException):
        cursor.execute("SELECT 1")
    with pytest.raises(StoreError, match="is closed"):
        database.cursor()
    # nothing is left of it: another way of opening works at once
    Database(path, read_only=True, threads=1).close()


def test_a_writer_and_a_reader_in_one_process(path: Path) -> None:
    with Database(path), pytest.raises(StoreLockedError, match="in use by this process"):
        Database(path, read_only=True)


def test_settings(path: Path, tmp_path: Path) -> None:
    query = "SELECT current_setting('threads'), current_setting('temp_directory')"
    with Database(path, read_only=True, threads=1) as database:
        assert database.cursor().execute(query).fetchall() == [(1, f"{path}.tmp")]
    with Database(
        path, read_only=True, memory_limit="64MB", temp_directory=tmp_path / "spill"
    ) as database:
        cursor = database.cursor()
        limit = cursor.execute("SELECT current_setting('memory_limit')").fetchall()
        assert limit == [("61.0 MiB",)]
        # more than fits: it goes to the disk, and nothing stays there
        rows = "SELECT DISTINCT hash(range) AS a, hash(range + 1) AS b FROM range(3_000_000)"
        assert cursor.execute(f"SELECT count(*) FROM ({rows})").fetchall() == [(3_000_000,)]
        assert list((tmp_path / "spill").iterdir())
    assert not (tmp_path / "spill").exists()


def test_a_link_finds_the_write_ahead_log(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "elsewhere" / "link.duckdb"
    link.parent.mkdir()
    link.symlink_to(path)
    run_killed(f"""
        database = Database({str(link)!r})
        database.insert("glue", pa.table({{"nonterminal_id": [1], "count": [7]}}))
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    assert Path(f"{path}.wal").exists()
    assert (1, 7) in glue_rows(path)


def run_killed(code: str) -> None:
    import textwrap

    root = Path(module.__file__).parents[2]
    head = (
        "import os, signal\nimport pyarrow as pa\n"
        "from grammar_store.store.database import Database, new_store\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL


def test_new_store_appears_when_complete(tmp_path: Path) -> None:
    path = tmp_path / "new.duckdb"
    with new_store(path) as database:
        database.insert("glue", pa.table({"nonterminal_id": [1], "count": [7]}))
        assert not path.exists()
    assert glue_rows(path) == [(1, 7)]
    assert [file.name for file in tmp_path.iterdir()] == ["new.duckdb"]
    with Database(path) as database:
        assert database.revision == HEAD


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failed_build_leaves_what_was_there(path: Path, error: type[BaseException]) -> None:
    def fail() -> None:
        with new_store(path, replace=lambda old: None) as database:
            database.insert("glue", pa.table({"nonterminal_id": [1], "count": [7]}))
            raise error

    before = path.read_bytes()
    with pytest.raises(error):
        fail()
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_killed_build_leaves_what_was_there(path: Path) -> None:
    before = path.read_bytes()
    run_killed(f"""
        with new_store({str(path)!r}, replace=lambda old: None) as database:
            database.insert("glue", pa.table({{"nonterminal_id": [1], "count": [7]}}))
            os.kill(os.getpid(), signal.SIGKILL)
    """)
    assert path.read_bytes() == before
    with new_store(path, replace=lambda old: None):
        pass
    assert glue_rows(path) == []
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_store_with_a_write_ahead_log_is_replaced_whole(path: Path) -> None:
    """The log of the older file beside the new one would make that unreadable."""
    run_killed(f"""
        database = Database({str(path)!r})
        database.insert("glue", pa.table({{"nonterminal_id": [1], "count": [7]}}))
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    assert Path(f"{path}.wal").exists()
    with new_store(path, replace=lambda old: None) as database:
        database.insert("glue", pa.table({"nonterminal_id": [2], "count": [2]}))
    assert glue_rows(path) == [(2, 2)]


def test_new_store_replaces_nothing_unasked_and_only_stores(path: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="exists already"), new_store(path):
        pass
    text_file = tmp_path / "corpus.txt"
    text_file.write_text("das Haus\n")
    with (
        pytest.raises(StoreError, match="not a grammar store"),
        new_store(text_file, replace=lambda old: None),
    ):
        pass
    assert text_file.read_text() == "das Haus\n"
    other = tmp_path / "other.duckdb"
    duckdb.connect(str(other)).close()
    with (
        pytest.raises(StoreError, match="not a grammar store"),
        new_store(other, replace=lambda old: None),
    ):
        pass


def test_new_store_waits_for_nobody(path: Path) -> None:
    with Database(path), pytest.raises(StoreLockedError), new_store(path, replace=lambda old: None):
        pass


def test_readers_keep_the_older_store_while_it_is_replaced(path: Path) -> None:
    with Database(path, read_only=True) as reader:
        with new_store(path, replace=lambda old: None):
            pass
        assert reader.cursor().execute("FROM glue ORDER BY ALL").fetchall() == GLUE
    assert glue_rows(path) == []
