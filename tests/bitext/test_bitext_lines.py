"""Lines of plain and compressed files, and what can be wrong with them."""

from __future__ import annotations

import errno
import gzip
import hashlib
import lzma
import os
import random
import threading
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar_store.bitext import lines as lines_module
from grammar_store.bitext.lines import MAX_LINE_BYTES, Lines
from grammar_store.errors import InputError


def zstd(data: bytes) -> bytes:
    """One frame without the length of the content, as a stream is written."""
    buffer = pa.BufferOutputStream()
    with pa.CompressedOutputStream(buffer, "zstd") as stream:
        stream.write(data)
    return buffer.getvalue().to_pybytes()


COMPRESS = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstd}
NAMES = {".gz": "gzip", ".xz": "xz", ".zst": "zstd"}
SKIPPED_FRAME = b"\x50\x2a\x4d\x18\x04\x00\x00\x00skip"


@pytest.fixture(params=COMPRESS)
def suffix(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=NAMES)
def compressed_suffix(request: pytest.FixtureRequest) -> str:
    return request.param


def read(path: Path) -> list[bytes]:
    with Lines(path) as lines:
        return list(lines)


def problem(path: Path) -> InputError:
    with pytest.raises(InputError) as raised:
        read(path)
    return raised.value


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"\n", [b""]),
        (b"\n\n", [b"", b""]),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\nb", [b"a", b"b"]),
        (b"a\n\nb\n", [b"a", b"", b"b"]),
        (b"a\r\nb\rc\n", [b"a\r", b"b\rc"]),
        ("a\u2028b\x0bc\x0cd\x1ce\x85f\n".encode(), ["a\u2028b\x0bc\x0cd\x1ce\x85f".encode()]),
    ],
)
def test_only_newlines_end_lines(
    tmp_path: Path, suffix: str, content: bytes, expected: list[bytes]
) -> None:
    path = tmp_path / f"text{suffix}"
    path.write_bytes(COMPRESS[suffix](content))
    with Lines(path) as lines:
        assert list(lines) == expected
        assert lines.number == len(expected)
        assert lines.fingerprint == hashlib.sha256(content).hexdigest()


@settings(deadline=None)
@given(
    lines=st.lists(st.binary(max_size=9).map(lambda line: line.replace(b"\n", b"")), max_size=20),
    ended=st.booleans(),
    block=st.integers(1, 9),
    suffix=st.sampled_from(list(COMPRESS)),
)
def test_lines_come_back_whatever_the_blocks(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[bytes],
    ended: bool,
    block: int,
    suffix: str,
) -> None:
    content = b"".join(line + b"\n" for line in lines)
    if lines and lines[-1] and not ended:
        content = content[:-1]
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    # Compressed also where the name does not say so: random bytes may look compressed.
    path.write_bytes(COMPRESS[suffix or ".gz"](content))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines_module, "_BLOCK_BYTES", block)
        assert read(path) == lines


def test_the_number_is_that_of_the_line_at_hand(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\nc")
    with Lines(path) as lines:
        assert lines.number == 0
        assert [(lines.number, line) for line in lines] == [(1, b"a"), (2, b"b"), (3, b"c")]
        assert str(lines.error("oops")) == f"{path}:3: oops"


def test_compression_is_told_by_content(tmp_path: Path, compressed_suffix: str) -> None:
    content = b"das Haus\n" * 1000
    for name in ("text", "text.txt", "text.GZ", "text.xz", "text.zst"):
        path = tmp_path / name
        path.write_bytes(COMPRESS[compressed_suffix](content))
        assert read(path) == [b"das Haus"] * 1000


def test_concatenated_files_are_read_to_the_end(tmp_path: Path, compressed_suffix: str) -> None:
    compress = COMPRESS[compressed_suffix]
    path = tmp_path / f"text{compressed_suffix}"
    path.write_bytes(compress(b"a\nb") + compress(b"") + compress(b"c\nd\n"))
    assert read(path) == [b"a", b"bc", b"d"]


@pytest.mark.parametrize("block", [1, 3, 2**18])
def test_padding_of_xz_and_gzip_and_skipped_frames_of_zstd(
    tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines_module, "_BLOCK_BYTES", block)
    for suffix, padding in ((".xz", bytes(8)), (".gz", bytes(8)), (".zst", SKIPPED_FRAME)):
        one = COMPRESS[suffix](b"a\n")
        path = tmp_path / f"text{suffix}"
        path.write_bytes(one + padding + one + padding)
        assert read(path) == [b"a", b"a"]
    path = tmp_path / "text.zst"
    path.write_bytes(SKIPPED_FRAME + zstd(b"a\n"))
    assert read(path) == [b"a"]


def test_the_start_of_a_skipped_frame_is_text_where_the_name_says_so(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"P*M\x18\n")
    assert read(path) == [b"P*M\x18"]


def test_truncation_is_noticed_at_every_byte(tmp_path: Path, compressed_suffix: str) -> None:
    chance = random.Random(1)
    text = b"".join(b"%d\n" % chance.getrandbits(60) for _ in range(20))
    data = COMPRESS[compressed_suffix](text)
    path = tmp_path / f"text{compressed_suffix}"
    for length in range(len(data)):
        path.write_bytes(data[:length])
        assert problem(path).path == str(path)


def test_truncation_is_noticed_in_long_files(tmp_path: Path, compressed_suffix: str) -> None:
    chance = random.Random(2)
    text = b"".join(b"%d\n" % chance.getrandbits(300) for _ in range(10_000))
    data = COMPRESS[compressed_suffix](text)
    path = tmp_path / f"text{compressed_suffix}"
    for share in (0.3, 0.6, 0.9):
        path.write_bytes(data[: int(share * len(data))])
        error = problem(path)
        assert error.message.startswith(
            f"the {NAMES[compressed_suffix]} data are cut off or damaged: "
        )
        assert error.line is not None
        # zstd tells no more than the block, the others the line.
        assert (share - 0.35) * 10_000 < error.line < (share + 0.05) * 10_000


@pytest.mark.parametrize("following", [b"x", b"what follows", b"\x1f\x8b", b"\xfd7zXZ\0"])
def test_foreign_bytes_after_the_data_are_noticed(
    tmp_path: Path, compressed_suffix: str, following: bytes
) -> None:
    path = tmp_path / f"text{compressed_suffix}"
    path.write_bytes(COMPRESS[compressed_suffix](b"a\nb\n") + following)
    assert "cut off or damaged" in problem(path).message


@pytest.mark.parametrize("content", [b"", b"\x1f", b"text\n", b"\xfd7zX", b"\x28\xb5\x2f", b"BZh9"])
def test_a_name_that_promises_other_data(
    tmp_path: Path, compressed_suffix: str, content: bytes
) -> None:
    path = tmp_path / f"text{compressed_suffix}"
    path.write_bytes(content)
    assert str(problem(path)) == (
        f"{path}: is named {compressed_suffix} but does not begin as {NAMES[compressed_suffix]} "
        "data do: it is cut off, damaged or not compressed"
    )


def test_a_line_has_a_greatest_length(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines_module, "_BLOCK_BYTES", 2**20)
    longest = b"a" * MAX_LINE_BYTES
    path = tmp_path / f"text{suffix}"
    for content, line in (
        (b"b\n" + longest + b"\nb\n", None),
        (b"b\n" + longest + b"a\nb\n", 2),
        (longest + b"a", 1),
    ):
        path.write_bytes(content if not suffix else _quick(suffix, content))
        if line is None:
            assert read(path) == [b"b", longest, b"b"]
        else:
            assert str(problem(path)) == (
                f"{path}:{line}: the line is longer than 16777216 bytes: "
                "a text has one sentence per line"
            )


def _quick(suffix: str, content: bytes) -> bytes:
    if suffix == ".gz":
        return gzip.compress(content, compresslevel=1)
    return lzma.compress(content, preset=0) if suffix == ".xz" else zstd(content)


def test_an_endless_line_is_not_read_to_its_end() -> None:
    assert problem(Path("/dev/zero")).line == 1


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for path, number in (
        (tmp_path / "missing", errno.ENOENT),
        (tmp_path, errno.EISDIR),
        (tmp_path / "loop", errno.ELOOP),
        (tmp_path / "file" / "below", errno.ENOTDIR),
        (tmp_path / ("x" * 300), errno.ENAMETOOLONG),
    ):
        assert str(problem(path)) == f"{path}: cannot be read: {os.strerror(number)}"


def test_a_name_that_no_file_can_have() -> None:
    assert problem(Path("a\0b")).message == "cannot be read: embedded null byte"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\n")
    path.chmod(0)
    assert str(problem(path)) == f"{path}: cannot be read: {os.strerror(errno.EACCES)}"


def test_a_pipe_can_be_read(tmp_path: Path, suffix: str) -> None:
    content = b"das Haus\n" * 50_000
    path = tmp_path / f"pipe{suffix}"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=[COMPRESS[suffix](content)])
    writer.start()
    try:
        assert len(read(path)) == 50_000
    finally:
        writer.join()
