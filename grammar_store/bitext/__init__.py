"""From text files to a corpus of symbol ids and links: what every later step starts from."""

from __future__ import annotations

from grammar_store.bitext.corpus import Corpus, Side, escape_symbol, unescape_symbol
from grammar_store.bitext.reader import BITEXT_SCHEMA, BitextFiles, ReadReport, read_bitext

__all__ = [
    "BITEXT_SCHEMA",
    "BitextFiles",
    "Corpus",
    "ReadReport",
    "Side",
    "escape_symbol",
    "read_bitext",
    "unescape_symbol",
]
