"""The corpus as arrays, the links, and the escaping of symbols."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grammar_store.bitext import Corpus, escape_symbol, unescape_symbol
from grammar_store.bitext.links import links_text, parse_links, unpack_links
from grammar_store.errors import InputError

# Pieces of which gaps, holes and what nearly looks like them are made.
BRACKETS = st.lists(
    st.sampled_from(["[", "]", "\\", "_", "X", "1", "12", ",", "[_]", "[X3,1]", "[\\_]", "é", "٣"])
).map("".join)


@pytest.mark.parametrize(
    ("token", "symbol"),
    [
        ("Haus", "Haus"),
        ("[_]", r"[\_]"),
        (r"[\_]", r"[\\_]"),
        ("[X1,1]", r"[\X1,1]"),
        ("[X123,45]", r"[\X123,45]"),
        (r"[\\X1,1]", r"[\\\X1,1]"),
        ("a[_]b[X1,2]c", r"a[\_]b[\X1,2]c"),
        ("[[_]]", r"[[\_]]"),
        *[(token, token) for token in ("[X]", "[X1]", "[X,1]", "[x1,1]", "[__]", "[X٣,1]", "_")],
        *[(token, token) for token in ("[", "\\", r"\[_", r"_]", r"[\X1]", "[X1,]", "[X1,1,1]")],
    ],
)
def test_escaping(token: str, symbol: str) -> None:
    assert escape_symbol(token) == symbol
    assert unescape_symbol(symbol) == token


@settings(deadline=None)
@given(token=BRACKETS | st.text())
def test_unescaping_undoes_escaping(token: str) -> None:
    assert unescape_symbol(escape_symbol(token)) == token


@settings(deadline=None)
@given(token=BRACKETS)
def test_no_escaped_token_holds_a_hole_or_a_gap(token: str) -> None:
    assert re.search(r"\[(_|X[0-9]+,[0-9]+)\]", escape_symbol(token)) is None


@settings(deadline=None)
@given(token=BRACKETS)
def test_escaping_undoes_unescaping_of_symbols(token: str) -> None:
    symbol = escape_symbol(token)
    assert escape_symbol(unescape_symbol(symbol)) == symbol


def test_the_arrays_of_a_small_corpus() -> None:
    corpus = Corpus.from_text(
        [
            ("das [_] Haus", "the house", "2-1 0-0 2-1"),
            ("", "", ""),
            ("  Haus   das ", "the", ""),
        ]
    )
    assert len(corpus) == 3
    assert corpus.source.symbols == ["das", r"[\_]", "Haus"]
    assert corpus.source.tokens.tolist() == [0, 1, 2, 2, 0]
    assert corpus.source.starts.tolist() == [0, 3, 3, 5]
    assert corpus.target.symbols == ["the", "house"]
    assert corpus.target.tokens.tolist() == [0, 1, 0]
    assert corpus.target.starts.tolist() == [0, 2, 2, 3]
    assert corpus.links.tolist() == [[0, 0], [2, 1]]
    assert corpus.link_starts.tolist() == [0, 2, 2, 2]


@pytest.mark.parametrize("sentences", [[], [("a", "b", "0-0")]])
def test_the_types_of_the_arrays(sentences: list[tuple[str, str, str]]) -> None:
    corpus = Corpus.from_text(sentences)
    for side in (corpus.source, corpus.target):
        assert (side.tokens.dtype, side.starts.dtype) == (np.int32, np.int64)
    assert (corpus.links.dtype, corpus.link_starts.dtype) == (np.int32, np.int64)
    assert corpus.links.shape == (len(sentences), 2)
    # Kernels compiled for ordinary arrays must accept them.
    for array in (corpus.source.tokens, corpus.source.starts, corpus.links, corpus.link_starts):
        assert array.flags.c_contiguous
        assert array.flags.writeable
    assert len(corpus) == len(sentences)


def test_from_text_numbers_the_pairs_in_errors() -> None:
    with pytest.raises(InputError) as raised:
        Corpus.from_text([("a", "b", "0-0"), ("a", "b", "0-1")])
    assert str(raised.value) == (
        "sentence pair:2: link 0-1 points outside the sentences: the source has 1 words and "
        "the target 1, and positions count from 0"
    )


@settings(deadline=None)
@given(links=st.lists(st.tuples(st.integers(0, 59_999), st.integers(0, 59_999))))
@example(links=[(59_999, 59_999), (0, 59_999), (59_999, 0), (0, 0)])
def test_links_are_distinct_and_sorted(links: list[tuple[int, int]]) -> None:
    text = "  ".join(f"{i:05}-{j}" for i, j in links)
    packed = parse_links(text, 60_000, 60_000)
    expected = sorted(set(links))
    assert [tuple(row) for row in unpack_links(packed).tolist()] == expected
    assert links_text(packed) == " ".join(f"{i}-{j}" for i, j in expected)


@settings(deadline=None)
@given(
    links=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4))),
    source=st.integers(0, 4),
    target=st.integers(0, 4),
)
def test_links_stay_inside_the_sentences(
    links: list[tuple[int, int]], source: int, target: int
) -> None:
    text = " ".join(f"{i}-{j}" for i, j in links)
    outside = sorted((i, j) for i, j in links if not (i < source and j < target))
    if not outside:
        assert len(parse_links(text, source, target)) == len(set(links))
        return
    with pytest.raises(InputError, match=f"^link {outside[0][0]}-{outside[0][1]} points outside"):
        parse_links(text, source, target)


@settings(deadline=None)
@given(link=st.text(st.sampled_from("019-+_ab\t\r\u00a0٣²"), min_size=1, max_size=7))
def test_only_digits_with_a_hyphen_are_a_link(link: str) -> None:
    digits, hyphen, more = link.partition("-")
    valid = hyphen and all(
        1 <= len(part) <= 5 and set(part) <= set("0123456789") for part in (digits, more)
    )
    if valid:
        assert links_text(parse_links(link, 10**5, 10**5)) == f"{int(digits)}-{int(more)}"
        return
    with pytest.raises(InputError) as raised:
        parse_links(link, 10**5, 10**5)
    assert raised.value.message.startswith(f"link {link!r} is not of the form i-j")
    assert link.endswith("\r") == ("carriage return" in raised.value.message)
