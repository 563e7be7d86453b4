"""Bringing older stores to the schema of today.

An interruption at any point leaves the older store or the new one: first a copy is made and
verified, then all migrations run in one transaction.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from grammar_store.errors import StoreError
from grammar_store.resources import folder, sql
from grammar_store.store.database import Database, driver, publish, remove_store
from grammar_store.store.lock import WriterLock
from grammar_store.store.schema import HEAD, REVISIONS, create_views

if TYPE_CHECKING:
    from alembic.config import Config


def open_for_writing(path: str | Path) -> Database:
    """Open a store that may be older, and bring it to the schema of today.

    A store of today is opened once, with the writer's lock: of two processes that try at the same
    time, one gets it.

    Examples
    --------
    >>> import tempfile
    >>> from grammar_store.store.database import new_store
    >>> path = Path(tempfile.mkdtemp()) / "grammar.duckdb"
    >>> with new_store(path):
    ...     pass
    >>> with open_for_writing(path) as database:
    ...     database.revision == HEAD
    True
    """
    database = Database(path, any_revision=True)
    if database.revision == HEAD:
        return database
    database.close()
    upgrade(path)
    return Database(path)


def upgrade(path: str | Path) -> Path | None:
    """Bring a store to the schema of today, if it is older.

    Parameters
    ----------
    path
        The store's file.

    Returns
    -------
    Path | None
        The copy made before, ``FILE.backup-<revision>``; None if there was nothing to do.

    Raises
    ------
    StoreLockedError
        Another process has the store open.
    StoreError
        It is not a store, a newer grammar_store made it, or there is no room for the copy.

    Examples
    --------
    >>> import tempfile
    >>> from grammar_store.store.database import new_store
    >>> path = Path(tempfile.mkdtemp()) / "grammar.duckdb"
    >>> with new_store(path):
    ...     pass
    >>> upgrade(path) is None
    True
    """
    path = Path(path)
    # The lock comes first: a look without it would keep out another process that has it.
    with WriterLock(path) as lock:
        with Database(path, read_only=True, any_revision=True) as old:
            revision = old.revision
        if revision is None or revision == HEAD or revision not in REVISIONS:
            # A store of today has nothing to do; opening any other one says what is wrong.
            Database(path, read_only=True).close()
            return None
        copy = path.with_name(f"{path.name}.backup-{revision}")
        back_up(path, copy)
        with Database(path, any_revision=True, lock=lock) as database:
            migrate(database)
            database.checkpoint()
        Database(path, lock=lock).close()
    return copy


def migrate(database: Database) -> None:
    """Run all migrations that a database lacks, and make its views anew, all or nothing."""
    from alembic import command

    with database.transaction() as connection:
        config = configuration()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        create_views(driver(connection))


def configuration() -> Config:
    """Alembic's settings; there is no ``alembic.ini``.

    A new migration is begun with ``alembic.command.revision(configuration(), "what changes",
    rev_id="0003")``.
    """
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(folder("migrations")).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def back_up(path: str | Path, copy: str | Path) -> None:
    """Copy a store that nobody writes to, and compare the copy with it, table by table.

    The copy appears under its name only when it is complete and equal.

    Raises
    ------
    StoreError
        The copy could not be made, or differs.
    """
    path, copy = Path(path), Path(copy)
    scratch = copy.with_name(copy.name + ".part")
    remove_store(scratch)
    try:
        # By DuckDB, never file by file: it knows what is still in the write-ahead log.
        with duckdb.connect() as connection:
            connection.execute(
                "ATTACH $path AS original (READ_ONLY)", {"path": str(path.resolve())}
            )
            connection.execute("ATTACH $path AS duplicate", {"path": str(scratch.resolve())})
            connection.execute("COPY FROM DATABASE original TO duplicate")
            _require_equal(connection)
            connection.execute("DETACH duplicate")
        publish(scratch, copy)
    except duckdb.Error as problem:
        raise StoreError(f"cannot copy {path} to {copy}: {problem}".partition("\n")[0]) from problem
    finally:
        remove_store(scratch)


def _require_equal(connection: duckdb.DuckDBPyConnection) -> None:
    names = {
        database: connection.execute(sql("user_tables"), {"database": database}).fetchall()
        for database in ("original", "duplicate")
    }
    if names["original"] != names["duplicate"]:
        raise StoreError("the copy has not all tables of the store: nothing was changed")
    for (name,) in names["original"]:
        prints = [
            connection.execute(sql("fingerprint"), {"table_name": f"{database}.{name}"}).fetchall()
            for database in ("original", "duplicate")
        ]
        if prints[0] != prints[1]:
            raise StoreError(
                f"table {name} of the copy differs from the store: nothing was changed"
            )
