"""Files that appear only when they are complete, plain or compressed, written as a stream."""

from __future__ import annotations

import os
import shutil
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

import numpy as np
import pyarrow as pa

from grammar_store.errors import GrammarStoreError

_GZIP_LEVEL = 4
_GZIP_FRAME = 31  # a gzip header and trailer around the data, as zlib calls it
_WAITING = 4  # blocks that may wait for compression: so much memory, and no more


class ByteSink(Protocol):
    """What bytes can be written to."""

    def write(self, data: bytes, /) -> object:
        """Take all bytes."""


@contextmanager
def new_file(path: str | Path) -> Iterator[ByteSink]:
    r"""A file to write, in place of an older one only when the block ends well.

    Until then it has another name in the same folder. A name that ends in ``.gz`` is compressed,
    always to the same bytes, by a thread of its own. A device or a pipe is written to directly.

    Raises
    ------
    GrammarStoreError
        The file cannot be written; what was there before is unchanged.

    Examples
    --------
    >>> import gzip, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rules.gz"
    >>> with new_file(path) as file:
    ...     _ = file.write(b"das ||| the\n")
    >>> gzip.decompress(path.read_bytes())
    b'das ||| the\n'
    """
    path = Path(path)
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as opened, _compressed(opened, path) as sink:
                yield sink
            return
        real = path.resolve()  # a link stays a link
        unfinished = real.with_name(f".{real.name}.unfinished")
        try:
            with unfinished.open("wb") as opened:
                with _compressed(opened, path) as sink:
                    yield sink
                opened.flush()
                os.fsync(opened.fileno())
            unfinished.replace(real)
            sync_folder(real.parent)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as problem:
        raise cannot_write(path, problem) from problem


@contextmanager
def compressed_file(path: Path) -> Iterator[ByteSink]:
    """A file to write in a folder that is not there yet for others, compressed if named so."""
    with path.open("wb") as opened:
        with _compressed(opened, path) as sink:
            yield sink
        opened.flush()
        os.fsync(opened.fileno())


@contextmanager
def new_folder(path: str | Path) -> Iterator[Path]:
    """A folder to fill, which appears under its name only when the block ends well."""
    path = Path(path)
    try:
        real = path.resolve()
        if real.exists() and (not real.is_dir() or any(real.iterdir())):
            raise GrammarStoreError(f"{path} exists already: choose another name, or remove it")
        unfinished = real.with_name(f".{real.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        try:
            unfinished.mkdir(parents=True)
            yield unfinished
            sync_folder(unfinished)
            unfinished.replace(real)
            sync_folder(real.parent)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    except OSError as problem:
        raise cannot_write(path, problem) from problem


def cannot_write(path: Path, problem: OSError) -> GrammarStoreError:
    """The error of a file that cannot be written."""
    said = problem.strerror or str(problem)
    return GrammarStoreError(f"cannot write {path}: {said}: make room or choose another place")


def sync_folder(folder: Path) -> None:
    """Have the system write the names of a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_lines(sink: ByteSink, batches: Iterable[pa.RecordBatch], column: str = "line") -> int:
    """Write a column of texts, one after another, as the bytes that Arrow has of them.

    Returns
    -------
    int
        How many there were.
    """
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        sink.write(text_bytes(batch.column(column)))
    return rows


def text_bytes(texts: pa.Array) -> bytes:
    """All texts of an array as one.

    Examples
    --------
    >>> text_bytes(pa.array(["das", " ", "Haus"]).slice(1))
    b' Haus'
    """
    if not len(texts):
        return b""
    _, offsets, data = texts.buffers()
    wide = pa.types.is_large_string(texts.type)
    places = np.frombuffer(offsets, np.int64 if wide else np.int32)
    first, last = places[texts.offset], places[texts.offset + len(texts)]
    return bytes(data[first:last]) if last > first else b""


@contextmanager
def _compressed(opened: IO[bytes], path: Path) -> Iterator[ByteSink]:
    if path.suffix.lower() != ".gz":
        yield opened
        return
    with ThreadPoolExecutor(1) as pool:
        behind = _GzipBehind(opened, pool)
        yield behind
        behind.finish()


class _GzipBehind:
    """Compresses and writes in another thread, a few blocks behind.

    Neither a name nor a time is inside: the same rules make the same file.
    """

    def __init__(self, opened: IO[bytes], pool: ThreadPoolExecutor) -> None:
        self._opened = opened
        self._pool = pool
        self._deflate = zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, _GZIP_FRAME)
        self._waiting: deque[Future[None]] = deque()

    def write(self, data: bytes, /) -> None:
        while len(self._waiting) >= _WAITING:
            self._waiting.popleft().result()
        self._waiting.append(self._pool.submit(self._write, data))

    def _write(self, data: bytes) -> None:
        self._opened.write(self._deflate.compress(data))

    def finish(self) -> None:
        for future in self._waiting:
            future.result()
        self._opened.write(self._deflate.flush())
