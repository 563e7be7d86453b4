"""Class files as mkcls writes them."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar_store.bitext.classes import read_classes
from grammar_store.errors import InputError

TOKENS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\n\0\t \r"), min_size=1, max_size=5
)


def message(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        read_classes(path)
    return str(raised.value)


def test_words_and_classes(tmp_path: Path) -> None:
    path = tmp_path / "classes"
    content = "$\t3\nHaus\t2\nTür\t2\n\u00a0\u2028\t10\n[_]\t[X1,1]".encode()
    path.write_bytes(content)
    found = read_classes(path)
    assert found.classes == {
        "$": "3",
        "Haus": "2",
        "Tür": "2",
        "\u00a0\u2028": "10",
        "[_]": "[X1,1]",
    }
    assert found.path == path
    assert found.fingerprint == hashlib.sha256(content).hexdigest()


def test_compressed_classes_have_the_same_fingerprint(tmp_path: Path) -> None:
    plain, compressed = tmp_path / "classes", tmp_path / "classes.gz"
    plain.write_bytes(b"a\t2\n")
    compressed.write_bytes(gzip.compress(b"a\t2\n"))
    assert read_classes(plain).classes == read_classes(compressed).classes
    assert read_classes(plain).fingerprint == read_classes(compressed).fingerprint


@settings(deadline=None)
@given(classes=st.dictionaries(TOKENS, TOKENS, min_size=1))
def test_any_classes_come_back(
    tmp_path_factory: pytest.TempPathFactory, classes: dict[str, str]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.classes"
    path.write_bytes("".join(f"{word}\t{name}\n" for word, name in classes.items()).encode())
    assert read_classes(path).classes == classes


def test_the_same_line_twice_is_no_contradiction(tmp_path: Path) -> None:
    path = tmp_path / "classes"
    path.write_bytes(b"a\t2\nb\t2\na\t2\n")
    assert read_classes(path).classes == {"a": "2", "b": "2"}


@pytest.mark.parametrize(
    "line", ["", "a", "a 2", "a\t", "\t2", "\t", "a\t2\t3", "a b\t2", "a\t2 3", "a\t 2", "a\t2 "]
)
def test_a_line_of_another_form(tmp_path: Path, line: str) -> None:
    path = tmp_path / "classes"
    assert message(path, b"b\t3\n" + line.encode() + b"\nc\t2\n") == (
        f"{path}:2: {line!r} is not of the form word TAB class"
    )


def test_two_classes_for_a_word(tmp_path: Path) -> None:
    path = tmp_path / "classes"
    assert message(path, b"a\t2\nb\t2\na\t3\n") == (
        f"{path}:3: word 'a' has class '3' here and '2' above"
    )


def test_carriage_returns(tmp_path: Path) -> None:
    path = tmp_path / "classes"
    assert message(path, b"a\t2\r\nb\t2\r\n") == (
        f"{path}:1: the line ends with a carriage return: convert the file to Unix line ends"
    )


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "classes"
    assert message(path, b"") == (
        f"{path}: the file is empty: it must give the class of every word"
    )


def test_what_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "classes"
    assert message(path, b"a\t2\nt\xfcr\t2\n") == (
        f"{path}:2: invalid UTF-8 at byte 2 of the line (0xfc): convert the file to UTF-8"
    )
    assert message(path, b"a\t2\nb\t\0\n") == (
        f"{path}:2: NUL at byte 3 of the line: this is not text"
    )
