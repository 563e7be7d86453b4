"""One writer at a time: a lock beside the store.

DuckDB locks its file too, but POSIX drops that lock as soon as the process that holds it opens and
closes the same file in any other way, such as to hash or copy it: then a second writer gets in and
rows vanish. So writers hold a lock of their own, on ``FILE.lock``. The system frees it when the
process ends, however it ends; a file left behind locks nothing.
"""

from __future__ import annotations

import fcntl
import os
import shlex
import sys
import time
from pathlib import Path
from types import TracebackType

from grammar_store.errors import StoreError, StoreLockedError

_LONGEST_COMMAND = 200
_LOOKS, _SECONDS_BETWEEN_LOOKS = 20, 0.01


class WriterLock:
    """The right to write to a store, held until `release` or the end of the process.

    Parameters
    ----------
    path
        The store's file, which need not exist yet.

    Raises
    ------
    StoreLockedError
        Another holds it; the message names its process and command.
    StoreError
        There is no such folder, or it cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "grammar.duckdb"
    >>> with WriterLock(path):
    ...     WriterLock(path)
    Traceback (most recent call last):
    ...
    grammar_store.errors.StoreLockedError: ...grammar.duckdb is being written by process ...
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        # Beside the real file: a symbolic link is not a second store.
        real = self.path.resolve()
        self._file = real.with_name(real.name + ".lock")
        self._descriptor: int | None = self._acquire()
        try:
            self._sign(self._descriptor)
        except BaseException:
            self.release()
            raise

    def _acquire(self) -> int:
        while True:
            try:
                descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            except OSError as problem:
                raise StoreError(f"cannot write beside {self.path}: {problem.strerror}") from None
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if self._is_current(descriptor):
                    return descriptor
            except BlockingIOError:
                holder = describe_holder(descriptor)
                os.close(descriptor)
                raise StoreLockedError(
                    f"{self.path} is being written by {holder}: wait until it is done, or stop it"
                ) from None
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)

    def _is_current(self, descriptor: int) -> bool:
        """Whether the file locked is still the one found there: its last holder removes it."""
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self._file))
        except FileNotFoundError:
            return False

    @staticmethod
    def _sign(descriptor: int) -> None:
        command = " ".join(shlex.join(sys.orig_argv).split())
        if len(command) > _LONGEST_COMMAND:
            command = command[:_LONGEST_COMMAND] + "..."
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n{command}\n".encode(errors="replace"), 0)

    def release(self) -> None:
        """Let the next one write. Nothing happens the second time."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        try:
            # While it is still held: nobody else's lock can be removed by mistake.
            self._file.unlink(missing_ok=True)
        finally:
            os.close(descriptor)

    def __enter__(self) -> WriterLock:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def holder(path: str | Path) -> str:
    """Who writes to a store, in words, as far as its lock tells.

    Examples
    --------
    >>> holder("no/such/grammar.duckdb")
    'another process'
    """
    real = Path(path).resolve()
    try:
        descriptor = os.open(real.with_name(real.name + ".lock"), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return "another process"
    try:
        return describe_holder(descriptor)
    finally:
        os.close(descriptor)


def describe_holder(descriptor: int) -> str:
    """The process and command written in an open lock file, in words."""
    for _ in range(_LOOKS):
        text = os.pread(descriptor, 5 * _LONGEST_COMMAND, 0).decode(errors="replace")
        process, _newline, command = text.strip().partition("\n")
        if process:
            return f"process {process} ({command})"
        time.sleep(_SECONDS_BETWEEN_LOOKS)  # it may just have got the lock, and is about to sign
    return "another process"
