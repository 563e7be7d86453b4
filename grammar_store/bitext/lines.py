"""The lines of a file, plain or compressed, as bytes, read once and fingerprinted on the way."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from grammar_store.bitext.compression import (
    DECOMPRESSION_ERRORS,
    MAGIC_BYTES,
    find_compression,
)
from grammar_store.errors import InputError

MAX_LINE_BYTES = 16 * 2**20
"""A longer line is an error: a few compressed bytes could otherwise fill the memory."""

_BLOCK_BYTES = 2**18


class Lines:
    r"""The lines of a file, split at ``\n`` only, without the ``\n``.

    A last line without ``\n`` counts; a ``\n`` at the very end makes no further line. The
    compression (gzip, xz, zstd) is told by the first bytes of the file.

    Parameters
    ----------
    path
        The file; opened at once, so use it as a context manager.

    Attributes
    ----------
    path
        The file as it was given.
    number
        The line given last, counted from 1; 0 before the first. After the end of the
        file, this is the number of lines.

    Raises
    ------
    InputError
        The file cannot be opened or read, its compressed data are cut off or damaged, or
        a line has more than 16 MiB.

    Examples
    --------
    >>> import gzip, tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".gz") as file:
    ...     _ = file.write(gzip.compress(b"das Haus\nein Haus\n"))
    ...     file.flush()
    ...     with Lines(file.name) as lines:
    ...         list(lines), lines.number, lines.fingerprint[:8]
    ([b'das Haus', b'ein Haus'], 2, '4d0e25a6')
    """

    def __init__(self, path: Path | str) -> None:
        self.path = path
        self.number = 0
        self._digest = hashlib.sha256()
        try:
            # Closed by close(): the file must outlive this call.
            self._file = open(path, "rb")  # noqa: SIM115
        except (OSError, ValueError) as problem:
            raise InputError(f"cannot be read: {_reason(problem)}", path) from problem

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the number and the fingerprint stay."""
        self._file.close()

    def __iter__(self) -> Iterator[bytes]:
        begun: list[bytes] = []  # pieces of a line whose end has not been read yet
        size = 0
        for block in self._blocks():
            *lines, rest = block.split(b"\n")
            if lines:
                self._check_size(size + len(lines[0]))
                lines[0] = b"".join([*begun, lines[0]])
                begun, size = [], 0
                for line in lines:
                    self.number += 1
                    yield line
            begun.append(rest)
            size += len(rest)
            self._check_size(size)
        if size:
            self.number += 1
            yield b"".join(begun)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the uncompressed content, once all lines have been read."""
        return self._digest.hexdigest()

    def error(self, message: str) -> InputError:
        """An error at the line given last."""
        return InputError(message, self.path, self.number or None)

    def _blocks(self) -> Iterator[bytes]:
        compression = None
        try:
            head = self._file.peek(MAGIC_BYTES)
            compression = find_compression(head, Path(self.path).suffix.lower())
            stream = compression.open(self._file) if compression else self._file
            # read1 hands out what precedes a damage, so that the error names its line
            # (for zstd only the first line of the block: it reads whole blocks).
            while block := stream.read1(_BLOCK_BYTES):
                self._digest.update(block)
                yield block
        except InputError as problem:
            raise self.error(problem.message) from problem
        except DECOMPRESSION_ERRORS as problem:
            what = "cannot be read"
            # What the operating system reports has a number, damaged data have none.
            if compression and getattr(problem, "errno", None) is None:
                what = f"the {compression.name} data are cut off or damaged"
            message = f"{what}: {_reason(problem)}"
            raise InputError(message, self.path, self.number + 1) from problem

    def _check_size(self, size: int) -> None:
        if size > MAX_LINE_BYTES:
            raise InputError(
                f"the line is longer than {MAX_LINE_BYTES} bytes: a text has one sentence per line",
                self.path,
                self.number + 1,
            )


def _reason(problem: BaseException) -> str:
    text = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
    return str(text).splitlines()[0]
