"""Macros on words and symbols."""

from __future__ import annotations

import duckdb
import pytest

from grammar_store.bitext.corpus import escape_symbol
from grammar_store.resources import sql


@pytest.mark.parametrize(
    ("words", "symbols"),
    [
        ("[_]", r"[\_]"),
        (r"a [\_] b", r"a [\\_] b"),
        ("[X12,1] [X1,22]x", r"[\X12,1] [\X1,22]x"),
        ("[X,1] [X1] [X1,] _ []", "[X,1] [X1] [X1,] _ []"),
    ],
)
def test_escape_symbols_does_as_the_reader(words: str, symbols: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(sql("macros/escape_symbols"))
        found = connection.execute("SELECT escape_symbols($words)", {"words": words}).fetchall()
    assert found == [(symbols,)]
    assert " ".join(map(escape_symbol, words.split(" "))) == symbols


def test_words_of_splits_at_spaces_only() -> None:
    with duckdb.connect() as connection:
        connection.execute(sql("macros/words_of"))
        text = "  a\tb  c d\u3000e "
        found = connection.execute("SELECT words_of($text)", {"text": text}).fetchall()
    assert found == [(["a\tb", "c", "d\u3000e"],)]
