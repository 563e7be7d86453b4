"""One DuckDB file, opened for one writer or for many readers."""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import duckdb

from grammar_store.errors import StoreError, StoreLockedError
from grammar_store.resources import sql
from grammar_store.store.lock import WriterLock, holder
from grammar_store.store.names import is_text
from grammar_store.store.schema import HEAD, REVISIONS, create_schema, revision_of

if TYPE_CHECKING:
    import pyarrow as pa
    from sqlalchemy import Connection, Engine

# A name that is no table must be an error, not some Python variable that happens to have it.
_SETTINGS: dict[str, Any] = {"python_enable_replacements": False}

# What else SQL from elsewhere may not do: a read-only connection alone still lets it write
# files, read any file, load code and change these settings.
_HARDENED: dict[str, Any] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "lock_configuration": True,
}

_BATCH = 1 << 17
"""Rows of a batch of a result that is not needed as a whole."""

_HELD_LOCK = re.compile(r"Conflicting lock is held in (?P<program>.*?) \(PID (?P<process>\d+)\)")


class Database:
    """A store's file with its connections.

    Parameters
    ----------
    path
        The file, which must be a grammar store of today's revision.
    read_only
        Open for reading; any number of processes can, while none writes.
    memory_limit
        Such as ``"2GB"``: what does not fit is written to `temp_directory`. DuckDB's own default
        is most of the machine's memory.
    threads
        How many cores to use; all by default.
    temp_directory
        Where to; by default ``FILE.tmp``, beside the store.
    hardened
        Allow nothing but reading this file: for SQL from elsewhere. See `for_queries`.
    any_revision
        Accept an older or newer schema: for migrations.
    lock
        The writer's lock of this store, if the caller holds it already, and keeps it.

    Raises
    ------
    StoreLockedError
        Another process has it open; the message names it.
    StoreError
        There is no such file, or it is not a grammar store of today's revision.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "grammar.duckdb"
    >>> with new_store(path) as database, database.transaction() as connection:
    ...     _ = connection.exec_driver_sql("INSERT INTO glue VALUES (1, 2)")
    >>> with Database(path, read_only=True) as database:
    ...     database.cursor().execute("SELECT count FROM glue").fetchall()
    [(2,)]
    """

    def __init__(
        self,
        path: str | Path,
        read_only: bool = False,
        *,
        memory_limit: str | None = None,
        threads: int | None = None,
        temp_directory: str | Path | None = None,
        hardened: bool = False,
        any_revision: bool = False,
        lock: WriterLock | None = None,
    ) -> None:
        self.path = Path(path)
        self.read_only = read_only
        _require_file(self.path)
        settings: dict[str, Any] = dict(_SETTINGS)
        settings["temp_directory"] = str(temp_directory or _beside(self.path, ".tmp"))
        if memory_limit is not None:
            settings["memory_limit"] = memory_limit
        if threads is not None:
            settings["threads"] = threads
        if hardened:
            settings.update(_HARDENED)
        with ExitStack() as opened:
            if not read_only and lock is None:
                opened.enter_context(WriterLock(self.path))
            self._root = connect(self.path, read_only, settings)
            opened.callback(self._root.close)
            try:
                self.revision = revision_of(self._root)
            except duckdb.Error as problem:
                raise _explain(self.path, problem) from problem
            if not any_revision:
                _require_head(self.path, self.revision)
            self._opened = opened.pop_all()
        self._writing = threading.Lock()
        self._transaction: Connection | None = None

    @classmethod
    def for_queries(cls, path: str | Path, memory_limit: str | None = None) -> Database:
        """Open a store for SQL from elsewhere, which can read this file and do nothing else.

        Neither files nor networks, other databases, extensions, settings nor the variables of
        the Python program are in its reach.
        """
        return cls(path, read_only=True, memory_limit=memory_limit, hardened=True)

    @cached_property
    def engine(self) -> Engine:
        """The SQLAlchemy engine; its connections are cursors of one DuckDB connection."""
        from duckdb_sqlalchemy import ConnectionWrapper
        from sqlalchemy import create_engine
        from sqlalchemy.pool import NullPool

        # The dialect's wrapper is what keeps the statements of a SQLAlchemy connection together:
        # over a bare DuckDB cursor each would run, and commit, on another cursor of its own.
        return create_engine(
            "duckdb://",
            creator=lambda: ConnectionWrapper(self.cursor()),
            poolclass=NullPool,
        )

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own for queries; it sees what is committed.

        Take one per thread. Read a result to its end: half read, it blocks checkpoints, and a
        commit empties it.
        """
        try:
            return self._root.cursor()
        except duckdb.ConnectionException as problem:
            raise StoreError(f"{self.path} is closed: open it again") from problem

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """All or nothing: commit at the end of the block, undo everything on any error.

        `insert` and `execute_file` take part in it, and so does DuckDB's own interface, by
        `driver`. Transactions do not nest, and there is one at a time.

        Raises
        ------
        StoreError
            One is open already; the store is read-only; or the commit failed, and then the
            message tells what is in the store.
        """
        if self.read_only:
            raise StoreError(f"{self.path} is open for reading only: open it for writing")
        if not self._writing.acquire(blocking=False):
            raise StoreError(
                f"a transaction is open on {self.path} already: finish it first, they do not nest"
            )
        try:
            with explained(self.path), self.engine.connect() as connection:
                connection.begin()
                number = _transaction_number(connection)
                self._transaction = connection
                try:
                    yield connection
                    self._require_sound(connection, number)
                except BaseException:
                    connection.rollback()
                    raise
                self._commit(connection)
        finally:
            self._transaction = None
            self._writing.release()

    def _require_sound(self, connection: Connection, number: int) -> None:
        """Refuse to commit after an error that was passed over, or after the transaction's end.

        After an error DuckDB has given the transaction up and refuses every statement, except that
        COMMIT reports success and keeps nothing. It also reports success where there is no
        transaction any more.
        """
        try:
            same = _transaction_number(connection) == number
        except duckdb.TransactionException as problem:
            raise StoreError(
                f"a statement failed in this transaction on {self.path} and its error was passed"
                f" over: nothing was written ({_first_line(problem)})"
            ) from problem
        if not same:
            raise StoreError(
                f"a transaction on {self.path} was ended by a statement of its own: look what was"
                " written, and leave COMMIT and ROLLBACK to the end of the block"
            )

    def _commit(self, connection: Connection) -> None:
        from sqlalchemy.exc import DBAPIError

        try:
            connection.commit()
        except (DBAPIError, duckdb.Error) as problem:
            cause = _first_line(getattr(problem, "orig", None) or problem)
            if "COMMIT succeeded" in cause:
                raise StoreError(
                    f"everything is written to {self.path}, but it could not be tidied up"
                    f" afterwards: make room on the disk and open it again ({cause})"
                ) from problem
            raise StoreError(
                f"the end of a transaction on {self.path} failed: open it again and look whether"
                f" the change is there before repeating it ({cause})"
            ) from problem

    @contextmanager
    def _statement(self) -> Iterator[Any]:
        """The driver of the open transaction, else a cursor of its own."""
        if self._transaction is not None:
            yield driver(self._transaction)
        else:
            with self.cursor() as cursor:
                yield cursor

    def insert(self, table: str, rows: pa.Table) -> None:
        """Append rows to a table, column by column name.

        Parameters
        ----------
        table
            The table's name.
        rows
            All of its columns, in any order; types are converted where nothing is lost.
        """
        with ExitStack() as stack:
            if self._transaction is None:
                stack.enter_context(self.transaction())
            connection = stack.enter_context(self._statement())
            columns = connection.table(table).columns
            if set(columns) != set(rows.column_names):
                raise StoreError(
                    f"table {table} has columns {', '.join(columns)},"
                    f" not {', '.join(rows.column_names)}"
                )
            connection.from_arrow(rows.select(columns)).insert_into(table)

    def execute_file(self, name: str, **parameters: Any) -> pa.Table:
        """Run a SQL file of ``schema`` and return its whole result.

        Parameters
        ----------
        name
            Its path there, without the ending.
        **parameters
            The values of its ``$name`` parameters.
        """
        import pyarrow as pa

        with self._statement() as connection:
            result = connection.sql(sql(name), params=parameters or None)
            return pa.table({}) if result is None else result.to_arrow_table()

    @contextmanager
    def stream_file(self, name: str) -> Iterator[tuple[int, pa.RecordBatchReader]]:
        """Run a SQL file of ``schema`` whose result should not be in memory as a whole.

        Gives how many rows there are, and the rows batch by batch: in the order of the tables if
        the file asks for no other. Keep no batch longer than the next one is asked for.

        Parameters
        ----------
        name
            Its path there, without the ending.
        """
        with self._statement() as connection:
            result = connection.sql(sql(name))
            yield len(result), result.to_arrow_reader(_BATCH)

    def checkpoint(self) -> None:
        """Bring everything committed from the write-ahead log into the file."""
        with explained(self.path), self.cursor() as cursor:
            cursor.execute("CHECKPOINT")

    def close(self) -> None:
        """Close all connections and let others write. Nothing happens the second time."""
        self._opened.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def driver(connection: Connection) -> Any:
    """DuckDB's own interface to a SQLAlchemy connection, in the same transaction: for Arrow."""
    return connection.connection.driver_connection


def _transaction_number(connection: Connection) -> int:
    ((number,),) = driver(connection).execute("SELECT txid_current()").fetchall()
    return int(number)


@contextmanager
def new_store(
    path: str | Path,
    *,
    replace: Callable[[Database], None] | None = None,
    memory_limit: str | None = None,
    threads: int | None = None,
    temp_directory: str | Path | None = None,
) -> Iterator[Database]:
    """An empty store to fill, which appears under its name only when the block ends well.

    Until then it is ``FILE.building``; an error, or the death of the process, leaves at
    `path` what was there before.

    Parameters
    ----------
    path
        The file to make.
    replace
        Called with an older store that is there: raises if that may not be replaced. By
        default none may be there.
    memory_limit, threads, temp_directory
        As in `Database`.
    """
    path = Path(path)
    with WriterLock(path), ExitStack() as held:
        if path.exists() or path.is_symlink():
            if replace is None:
                raise StoreError(f"{path} exists already: choose another name, or replace it")
            # Nothing but a store may be replaced by one. It stays open, for reading, until it is
            # replaced: a client that knows nothing of our lock could write to it in vain.
            old = held.enter_context(Database(path, read_only=True, any_revision=True))
            _require_store(path, old.revision)
            replace(old)
        scratch = _beside(path, ".building")
        remove_store(scratch)
        try:
            _create_file(scratch)
            with Database(
                scratch, memory_limit=memory_limit, threads=threads, temp_directory=temp_directory
            ) as database:
                yield database
                database.checkpoint()
            if _beside(path, ".wal").exists():
                held.close()  # to be opened for writing once more
            publish(scratch, path)
        finally:
            remove_store(scratch)


def publish(scratch: Path, path: Path) -> None:
    """Give a closed database file its final name, for good, in place of an older one."""
    path = path.resolve()
    log = _beside(path, ".wal")
    if log.exists():
        # Left by a writer that was killed. It belongs to the older file: beside the new one it
        # would make that unreadable, and removing it first would lose rows of the older one.
        connect(path, False, _SETTINGS).close()
    if _beside(scratch, ".wal").exists():
        raise StoreError(f"{scratch} could not be completed: is the disk full?")
    _sync(scratch)
    scratch.replace(path)
    _sync(path.parent)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Say in the user's words what the system refused: room on the disk or in memory, and so on."""
    from sqlalchemy.exc import DBAPIError

    try:
        yield
    except (duckdb.Error, DBAPIError) as problem:
        cause = getattr(problem, "orig", None) or problem
        if isinstance(cause, (duckdb.IOException, duckdb.OutOfMemoryException)):
            raise StoreError(f"cannot write {path}: {_first_line(cause)}") from problem
        raise


def connect(path: Path, read_only: bool, settings: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB file, or say in the user's words why not.

    By its real name, because the write-ahead log is looked for beside the name given.
    """
    real = str(path.resolve())
    if not is_text(real):
        raise StoreError(f"the name {real!r} is not UTF-8 text: choose another for the store")
    try:
        return duckdb.connect(real, read_only=read_only, config=settings)
    except duckdb.Error as problem:
        raise _explain(path, problem) from problem


def _explain(path: Path, problem: duckdb.Error) -> StoreError:
    text = str(problem)
    held = _HELD_LOCK.search(text)
    if held:
        by = f"process {held['process']} ({held['program']})"
        writer = holder(path)
        if writer.startswith(f"process {held['process']} "):
            by = writer
        return StoreLockedError(
            f"{path} is in use by {by}: wait until it is done, or close it there"
        )
    if "different configuration" in text:
        return StoreLockedError(
            f"{path} is in use by this process ({os.getpid()}) in another way: close it first"
        )
    if "not a valid DuckDB database file" in text:
        return StoreError(f"{path} is not a grammar store: it is not even a DuckDB file")
    if "Corrupt" in text:
        return StoreError(f"{path} is damaged, restore a copy of it: {_first_line(problem)}")
    return StoreError(f"cannot open {path}: {_first_line(problem)}")


def _require_file(path: Path) -> None:
    if path.is_dir():
        raise StoreError(f"{path} is a folder, not a grammar store: name a file")
    if not path.exists():
        raise StoreError(f"no such store: {path} (make one with `grammar-store build`)")
    if not path.is_file():
        raise StoreError(f"{path} is a device or a pipe, not a grammar store: name a file")


def _require_store(path: Path, revision: str | None) -> None:
    if revision is None:
        raise StoreError(f"{path} is a DuckDB file, but not a grammar store: choose another")


def _require_head(path: Path, revision: str | None) -> None:
    _require_store(path, revision)
    if revision not in REVISIONS:
        raise StoreError(
            f"{path} was made by a newer grammar_store (revision {revision}): upgrade the package"
        )
    if revision != HEAD:
        raise StoreError(
            f"{path} was made by an older grammar_store (revision {revision}, now {HEAD}):"
            " open it once for writing, which upgrades it"
        )


def _create_file(path: Path) -> None:
    with explained(path), connect(path, False, _SETTINGS) as connection:
        connection.begin()
        create_schema(connection)
        connection.commit()


def _beside(path: Path, ending: str) -> Path:
    real = path.resolve()
    return real.with_name(real.name + ending)


def remove_store(path: Path) -> None:
    """Remove a file that nobody has open, with what DuckDB keeps beside it."""
    path.unlink(missing_ok=True)
    _beside(path, ".wal").unlink(missing_ok=True)
    shutil.rmtree(_beside(path, ".tmp"), ignore_errors=True)


def _sync(path: Path) -> None:
    """Have the system write a closed file, or the names in a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _first_line(problem: BaseException) -> str:
    return str(problem).partition("\n")[0]
