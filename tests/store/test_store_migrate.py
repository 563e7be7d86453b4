from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from sql_cases.hand_made import make_store, rows_of

from grammar_store.errors import StoreError, StoreLockedError
from grammar_store.resources import folder
from grammar_store.store import migrate as module
from grammar_store.store.check import check
from grammar_store.store.database import Database, driver
from grammar_store.store.migrate import back_up, configuration, migrate, upgrade
from grammar_store.store.schema import HEAD, REVISIONS, catalogue_of, expected_catalogue


def make_old_store(path: Path, revision: str = "0001") -> Path:
    """Table 1 of the paper in a store of an older revision, made by the migrations up to it."""
    from alembic import command

    duckdb.connect(str(path)).close()
    with Database(path, any_revision=True) as database, database.transaction() as connection:
        config = configuration()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        driver(connection).execute(rows_of("table1"))
    return path


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(query).fetchall()


def test_the_revisions_are_those_of_the_migrations() -> None:
    from alembic.script import ScriptDirectory

    script = ScriptDirectory.from_config(configuration())
    found = [revision.revision for revision in script.walk_revisions()]
    assert tuple(reversed(found)) == REVISIONS
    assert script.get_current_head() == HEAD


def test_opening_and_upgrading_a_store_of_today_needs_no_alembic(tmp_path: Path) -> None:
    path = make_store(tmp_path / "g.duckdb")
    code = (
        "import sys\n"
        "from grammar_store.store.database import Database\n"
        "from grammar_store.store.migrate import upgrade\n"
        f"upgrade({str(path)!r}); Database({str(path)!r}).close()\n"
        "sys.exit('alembic' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], env=environment(), check=False)
    assert run.returncode == 0


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(module.__file__).parents[2])}


def test_a_migrated_store_equals_a_fresh_one(tmp_path: Path) -> None:
    path = tmp_path / "empty.duckdb"
    duckdb.connect(str(path)).close()
    with Database(path, any_revision=True) as database:
        migrate(database)
    with Database(path, read_only=True) as database:
        migrated = catalogue_of(database.cursor())
        assert migrated == expected_catalogue()
    kinds = {kind for kind, _, _ in migrated}
    assert kinds == {"column", "constraint", "view", "macro"}


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE rule ADD COLUMN more INTEGER",
        "ALTER TABLE rule ALTER COLUMN gaps TYPE INTEGER",
        "ALTER TABLE rule ALTER COLUMN gaps DROP NOT NULL",
        "ALTER TABLE rule ALTER COLUMN gaps SET DEFAULT 1",
        "CREATE INDEX by_lhs ON rule (lhs_id)",
        "CREATE OR REPLACE TABLE glue (nonterminal_id INTEGER NOT NULL, count BIGINT NOT NULL)",
        "CREATE OR REPLACE MACRO rules_of(y) AS TABLE SELECT * FROM rule_text WHERE lhs_id = y",
        "DROP VIEW hiero_rule",
    ],
)
def test_the_comparison_of_catalogues_sees_a_difference(tmp_path: Path, change: str) -> None:
    path = make_store(tmp_path / "g.duckdb")
    with duckdb.connect(str(path)) as connection:
        assert catalogue_of(connection) == expected_catalogue()
        connection.execute(change)
        assert catalogue_of(connection) != expected_catalogue()


def test_an_older_store_is_upgraded_with_its_rows(tmp_path: Path) -> None:
    path = make_old_store(tmp_path / "it's old.duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.execute('CREATE TABLE "my ""notes" AS SELECT \'kept\' AS note')
    copy = upgrade(path)
    assert copy == tmp_path / "it's old.duckdb.backup-0001"
    assert {file.name for file in tmp_path.iterdir()} == {path.name, copy.name}
    with Database(path, read_only=True) as database:
        assert check(database) == []
        assert catalogue_of(database.cursor()) - expected_catalogue() == {
            ("column", 'my "notes.note', "1 VARCHAR NULL")
        }
    fresh = make_store(tmp_path / "fresh.duckdb")
    for table in (
        "bitext",
        "nonterminal",
        "occurrence",
        "glue",
        "context",
        "rule",
        "slot",
        "build",
    ):
        query = f"SELECT * FROM {table} ORDER BY ALL"
        assert rows(path, query) == rows(fresh, query) == rows(copy, query)
    assert rows(path, 'SELECT note FROM "my ""notes"') == [("kept",)]
    assert rows(copy, "FROM alembic_version") == [("0001",)]
    assert upgrade(path) is None


def test_rows_still_in_the_write_ahead_log_are_in_the_copy(tmp_path: Path) -> None:
    path = make_old_store(tmp_path / "g.duckdb")
    code = (
        f"import duckdb, os; c = duckdb.connect({str(path)!r});"
        "c.execute('INSERT INTO glue VALUES (1, 7)'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert Path(f"{path}.wal").exists()
    copy = upgrade(path)
    assert copy is not None
    assert (1, 7) in rows(copy, "FROM glue")
    assert (1, 7) in rows(path, "FROM glue")


def test_a_newer_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = make_store(tmp_path / "g.duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0977'")
    before = path.read_bytes()
    with pytest.raises(
        StoreError, match=r"newer grammar_store \(revision 0977\): upgrade the package"
    ):
        upgrade(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE mine (i INTEGER)")
    with pytest.raises(StoreError, match="not a grammar store"):
        upgrade(path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_store_in_use_is_not_upgraded(tmp_path: Path) -> None:
    path = make_old_store(tmp_path / "g.duckdb")
    with Database(path, any_revision=True), pytest.raises(StoreLockedError):
        upgrade(path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_failing_migration_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_old_store(tmp_path / "g.duckdb")
    broken = tmp_path / "migrations"
    shutil.copytree(folder("migrations"), broken, ignore=shutil.ignore_patterns("__pycache__"))
    (broken / "versions" / "0003_broken.py").write_text(
        "from alembic import op\n"
        "revision = '0003'\n"
        "down_revision = '0002'\n"
        "def upgrade():\n"
        "    op.execute('DELETE FROM glue')\n"
        "    op.execute('ALTER TABLE rule ADD COLUMN more INTEGER')\n"
        "    raise RuntimeError('the migration is broken')\n"
    )
    monkeypatch.setattr(module, "folder", lambda name: broken)
    with duckdb.connect(str(path), read_only=True) as connection:
        before = catalogue_of(connection)
    with pytest.raises(RuntimeError, match="the migration is broken"):
        upgrade(path)
    with duckdb.connect(str(path), read_only=True) as connection:
        assert catalogue_of(connection) == before
    assert rows(path, "FROM alembic_version") == [("0001",)]
    assert rows(path, "FROM glue ORDER BY ALL") == [(3, 1), (5, 1)]
    monkeypatch.undo()
    upgrade(path)
    assert rows(path, "FROM alembic_version") == [(HEAD,)]


def test_a_copy_that_differs_stops_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_old_store(tmp_path / "g.duckdb")
    sql = module.sql

    def lossy(name: str) -> str:
        # the copy loses a row between being made and being compared
        return "DELETE FROM duplicate.glue WHERE nonterminal_id = 3; " + sql(name)

    monkeypatch.setattr(
        module, "sql", lambda name: lossy(name) if name == "user_tables" else sql(name)
    )
    with pytest.raises((StoreError, duckdb.Error)):
        upgrade(path)
    monkeypatch.undo()
    assert rows(path, "FROM alembic_version") == [("0001",)]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "loss",
    [
        "DELETE FROM duplicate.glue WHERE nonterminal_id = 3",
        "UPDATE duplicate.glue SET count = 2 WHERE nonterminal_id = 3",
        "INSERT INTO duplicate.glue VALUES (9, 9)",
        "DROP TABLE duplicate.slot",
    ],
)
def test_a_copy_is_compared_row_by_row(tmp_path: Path, loss: str) -> None:
    path = make_store(tmp_path / "g.duckdb")
    with duckdb.connect() as connection:
        connection.execute("ATTACH $path AS original (READ_ONLY)", {"path": str(path)})
        connection.execute("ATTACH $path AS duplicate", {"path": str(tmp_path / "copy.duckdb")})
        connection.execute("COPY FROM DATABASE original TO duplicate")
        module._require_equal(connection)
        connection.execute(loss)
        with pytest.raises(StoreError, match="copy"):
            module._require_equal(connection)


def test_back_up_makes_a_store(tmp_path: Path) -> None:
    path = make_store(tmp_path / "g.duckdb")
    copy = tmp_path / "copy.duckdb"
    back_up(path, copy)
    with Database(copy) as database:
        assert check(database) == []
        database.insert("glue", pa.table({"nonterminal_id": [1], "count": [7]}))
    with pytest.raises(StoreError, match="cannot copy"):
        back_up(path, tmp_path / "no" / "copy.duckdb")


@pytest.mark.long
def test_killed_at_any_moment_it_is_the_old_store_or_the_new(tmp_path: Path) -> None:
    chance = random.Random(5)
    old = make_old_store(tmp_path / "old.duckdb")
    with duckdb.connect(str(old)) as connection:
        connection.execute("INSERT INTO glue SELECT range + 100, 1 FROM range(300_000)")
    expected = rows(old, "SELECT count(*), sum(nonterminal_id) FROM glue")
    code = "import sys; from grammar_store.store.migrate import upgrade; upgrade(sys.argv[1])"
    seen = set()
    for number in range(60):
        path = tmp_path / f"{number}.duckdb"
        shutil.copy(old, path)
        process = subprocess.Popen([sys.executable, "-c", code, str(path)], env=environment())
        time.sleep(chance.uniform(0.1, 4.0))
        process.kill()
        process.wait()
        ((revision,),) = rows(path, "FROM alembic_version")
        seen.add(revision)
        assert rows(path, "SELECT count(*), sum(nonterminal_id) FROM glue") == expected
        upgrade(path)
        assert rows(path, "FROM alembic_version") == [(HEAD,)]
        assert rows(path, "SELECT count(*), sum(nonterminal_id) FROM glue") == expected
        with Database(path, read_only=True) as database:
            assert expected_catalogue() <= catalogue_of(database.cursor())
    assert seen == {"0001", HEAD}
