"""Compressed streams: which compression a file has, and reading it to its very end."""

from __future__ import annotations

import gzip
import lzma
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Protocol

import pyarrow as pa

from grammar_store.errors import InputError

MAGIC_BYTES = 6
"""How many of the first bytes of a file tell its compression."""

DECOMPRESSION_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError, pa.ArrowException)
"""What reading cut off or damaged data raises."""

# `xz -9` needs 65 MiB; a hostile header may ask for gigabytes.
_XZ_MEMORY = 2**29


class ByteStream(Protocol):
    """What `Compression.open` gives."""

    def read1(self, size: int, /) -> bytes:
        """Some bytes, at most `size`; none at the end."""

    def close(self) -> None:
        """Release what the stream holds."""


@dataclass(frozen=True)
class Compression:
    """A way to compress files.

    Attributes
    ----------
    name, suffix
        What it is called, and how names of such files end.
    magic
        The first bytes of such files. None is valid UTF-8, so no text is mistaken for one.
    open
        Makes a stream of the uncompressed bytes out of a file.
    """

    name: str
    suffix: str
    magic: bytes
    open: Callable[[BinaryIO], ByteStream]


class _XzStream:
    """A xz file as a stream.

    ``lzma.LZMAFile`` ignores whatever follows the first stream of a file and is not the
    start of another: with a damage there, the rest of the text would be lost silently.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decompressor = self._new_decompressor()
        self._input = b""

    def read1(self, size: int, /) -> bytes:
        while True:
            if self._decompressor.eof:
                # The next stream, after padding with zero bytes, if there is one.
                following = self._input.lstrip(b"\0") or self._file.read(size)
                if not following:
                    return b""
                self._input = following.lstrip(b"\0")
                if not self._input:
                    continue
                self._decompressor = self._new_decompressor()
            elif self._decompressor.needs_input and not self._input:
                self._input = self._file.read(size)
                if not self._input:
                    raise EOFError("the data end before their end mark")
            output = self._decompressor.decompress(self._input, max_length=size)
            self._input = self._decompressor.unused_data
            if output:
                return output

    def close(self) -> None:
        self._file.close()

    @staticmethod
    def _new_decompressor() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)


def _open_gzip(file: BinaryIO) -> ByteStream:
    return gzip.GzipFile(fileobj=file, mode="rb")


def _open_zstd(file: BinaryIO) -> ByteStream:
    stream: ByteStream = pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd")
    return stream


_ZSTD = Compression("zstd", ".zst", b"\x28\xb5\x2f\xfd", _open_zstd)
COMPRESSIONS = (
    Compression("gzip", ".gz", b"\x1f\x8b", _open_gzip),
    Compression("xz", ".xz", b"\xfd7zXZ\0", _XzStream),
    _ZSTD,
)
# A zstd file may begin with a frame to be skipped. These bytes could be text: the name decides.
_ZSTD_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")


def find_compression(head: bytes, suffix: str) -> Compression | None:
    r"""The compression of a file, told by its first bytes.

    Raises
    ------
    InputError
        Without a place: the name says that the file is compressed, the bytes that it is not.

    Examples
    --------
    >>> find_compression(b"\x1f\x8b\x08\x00", ".txt").name
    'gzip'
    >>> find_compression(b"das Haus", ".txt")
    """
    for compression in COMPRESSIONS:
        if head.startswith(compression.magic):
            return compression
    if suffix == _ZSTD.suffix and _ZSTD_SKIPPABLE.match(head):
        return _ZSTD
    for compression in COMPRESSIONS:
        if suffix == compression.suffix:
            raise InputError(
                f"is named {suffix} but does not begin as {compression.name} data do: "
                f"it is cut off, damaged or not compressed"
            )
    return None
