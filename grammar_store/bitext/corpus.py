"""A word-aligned bitext as arrays of symbol ids and links."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grammar_store.bitext.links import parse_links, unpack_links
from grammar_store.bitext.text import split_tokens
from grammar_store.errors import InputError

_GAP_LOOKALIKE = re.compile(r"\[(?=\\*(?:_|X[0-9]+,[0-9]+)\])")
_ESCAPED_LOOKALIKE = re.compile(r"\[\\(?=\\*(?:_|X[0-9]+,[0-9]+)\])")


def escape_symbol(token: str) -> str:
    r"""A token as a grammar symbol: one that looks like a hole or a gap gets a backslash.

    The hole of a context is written ``[_]`` and a gap ``[X12,1]``. What looks like one of
    them in a corpus, with any number of backslashes after the bracket, gets one more: so
    no text of a grammar is ambiguous, and `unescape_symbol` gives the token back.

    Examples
    --------
    >>> print(escape_symbol("[_]"), escape_symbol(r"[\X12,1]"), escape_symbol("[X]"))
    [\_] [\\X12,1] [X]
    """
    return _GAP_LOOKALIKE.sub(r"[\\", token)


def unescape_symbol(symbol: str) -> str:
    r"""The token of the corpus that a grammar symbol stands for.

    Examples
    --------
    >>> unescape_symbol(r"[\_]")
    '[_]'
    """
    return _ESCAPED_LOOKALIKE.sub("[", symbol)


@dataclass(frozen=True)
class Side:
    """One language of a corpus.

    Attributes
    ----------
    symbols
        The text of each symbol id, escaped (see `escape_symbol`). A symbol is a word or,
        where classes are given, the class of a word. Ids are in order of first appearance.
    tokens
        The symbol ids of all sentences, one after another.
    starts
        Where each sentence starts in `tokens`, and where the last one ends.
    """

    symbols: list[str]
    tokens: NDArray[np.int32]
    starts: NDArray[np.int64]


@dataclass(frozen=True)
class Corpus:
    """A word-aligned bitext.

    Attributes
    ----------
    source, target
        The two sides.
    links
        One row (source position, target position) per link, positions counted from 0 in
        the sentence; distinct and sorted within a sentence.
    link_starts
        Where the links of each sentence pair start in `links`, and where the last ones end.

    Examples
    --------
    >>> corpus = Corpus.from_text([("das Haus", "the house", "1-1 0-0"), ("Haus", "house", "0-0")])
    >>> len(corpus), corpus.source.symbols, corpus.source.tokens.tolist()
    (2, ['das', 'Haus'], [0, 1, 1])
    >>> corpus.source.starts.tolist(), corpus.links.tolist(), corpus.link_starts.tolist()
    ([0, 2, 3], [[0, 0], [1, 1], [0, 0]], [0, 2, 3])
    """

    source: Side
    target: Side
    links: NDArray[np.int32]
    link_starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.link_starts) - 1

    @classmethod
    def from_text(cls, sentences: Iterable[tuple[str, str, str]]) -> Corpus:
        """The corpus of sentence pairs at hand: source, target and links (``"0-0 1-1"``).

        Raises
        ------
        InputError
            A link is malformed or out of range; the line is the number of the pair.
        """
        builder = CorpusBuilder()
        for number, (source, target, alignment) in enumerate(sentences, start=1):
            try:
                source_tokens, target_tokens = split_tokens(source), split_tokens(target)
                links = parse_links(alignment, len(source_tokens), len(target_tokens))
            except InputError as problem:
                raise InputError(problem.message, "sentence pair", number) from None
            builder.add(source_tokens, target_tokens, links)
        return builder.build()


class _SymbolIds(dict[str, int]):
    def __missing__(self, token: str) -> int:
        self[token] = symbol = len(self)
        return symbol


class _SideBuilder:
    def __init__(self) -> None:
        self._ids = _SymbolIds()
        self._tokens = array("i")
        self._starts = array("q", [0])

    def add(self, tokens: Iterable[str]) -> None:
        ids = self._ids
        self._tokens.extend([ids[token] for token in tokens])
        self._starts.append(len(self._tokens))

    def build(self) -> Side:
        return Side(
            symbols=[escape_symbol(token) for token in self._ids],
            tokens=np.asarray(self._tokens, dtype=np.int32),
            starts=np.asarray(self._starts, dtype=np.int64),
        )


class CorpusBuilder:
    """Grows a corpus, sentence pair by sentence pair.

    Examples
    --------
    >>> builder = CorpusBuilder()
    >>> builder.add(["Haus"], ["house"], parse_links("0-0", 1, 1))
    >>> len(builder.build())
    1
    """

    def __init__(self) -> None:
        self._source = _SideBuilder()
        self._target = _SideBuilder()
        self._links = array("q")
        self._link_starts = array("q", [0])

    def add(self, source: Iterable[str], target: Iterable[str], links: Iterable[int]) -> None:
        """Append a sentence pair: the symbols of both sides and the packed links."""
        self._source.add(source)
        self._target.add(target)
        self._links.extend(links)
        self._link_starts.append(len(self._links))

    def build(self) -> Corpus:
        """The corpus. It shares the builder's memory: nothing can be added afterwards."""
        return Corpus(
            source=self._source.build(),
            target=self._target.build(),
            links=unpack_links(self._links),
            link_starts=np.asarray(self._link_starts, dtype=np.int64),
        )
