"""The rules of a grammar that sentences can use, all together or sentence by sentence.

A rule can be used in a sentence if the words of its source side stand there in its order, those
between two gaps next to each other, and at least one word is left for each gap.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.bitext.lines import Lines
from grammar_store.bitext.text import decode, split_tokens
from grammar_store.errors import InputError
from grammar_store.export.rules import TranslationGrammar, escape_word, parse_gap

_ROWS = 4096  # a rule of common words can be used in all sentences: so many pairs at once

_Segment = tuple[int, str, int]  # gaps before it, its words, how many words
_Places = dict[int, list[int]]  # sentence -> starts


def read_sentences(path: str | Path) -> list[list[str]]:
    """The sentences of a text file, plain or compressed, as lists of tokens."""
    sentences = []
    with Lines(path) as lines:
        for line in lines:
            try:
                sentences.append(split_tokens(decode(line.removesuffix(b"\r"))))
            except InputError as problem:
                raise lines.error(problem.message) from problem
    return sentences


class Matcher:
    """Finds the sentences that a rule can be used in.

    Parameters
    ----------
    sentences
        The tokens of each sentence.

    Examples
    --------
    >>> matcher = Matcher([["das", "neue", "Haus"], ["ein", "Haus"]])
    >>> matcher.sentences_of("Haus"), matcher.sentences_of("das [X,1] Haus")
    ([0, 1], [0])
    >>> matcher.sentences_of("das [X,1] neue"), matcher.sentences_of("[X,1] Haus")
    ([], [0, 1])
    """

    def __init__(self, sentences: Iterable[Sequence[str]]) -> None:
        self._sentences = [[escape_word(token) for token in tokens] for tokens in sentences]
        self._places: dict[str, _Places] = {}
        self._longest = 0
        self._words = {word for words in self._sentences for word in words}

    def sentences_of(self, source: str) -> list[int]:
        """The numbers, from 0, of the sentences that can use a rule with this source side."""
        segments, trailing = self._segments(source)
        if segments is None:
            return []
        if not segments:
            return [n for n, words in enumerate(self._sentences) if len(words) >= trailing]
        self._index_up_to(max(length for _, _, length in segments))
        places = [self._places.get(text) for _, text, _ in segments]
        if any(found is None for found in places):
            return []
        if len(segments) == 1 and not trailing and not segments[0][0]:
            return sorted(places[0] or ())
        common = set.intersection(*(set(found or ()) for found in places))
        return sorted(n for n in common if self._fits(n, segments, trailing))

    def _segments(self, source: str) -> tuple[list[_Segment] | None, int]:
        """The runs of words, each with the gaps before it, and the gaps at the end; or None."""
        segments: list[_Segment] = []
        gaps = 0
        run: list[str] = []
        known = self._words
        for symbol in source.split(" "):
            if symbol[:1] == "[" and parse_gap(symbol):
                if run:
                    segments.append((gaps, " ".join(run), len(run)))
                    gaps, run = 0, []
                gaps += 1
            elif symbol in known:
                run.append(symbol)
            else:
                return None, 0
        if run:
            segments.append((gaps, " ".join(run), len(run)))
            gaps = 0
        return segments, gaps

    def _fits(self, number: int, segments: list[_Segment], trailing: int) -> bool:
        # The first place for each run leaves the most for what follows.
        end = 0
        for gaps, text, length in segments:
            starts = self._places[text][number]
            start = next((start for start in starts if start >= end + gaps), None)
            # Between two runs there is a gap; before the first, words that the rule leaves out.
            if start is None:
                return False
            end = start + length
        return len(self._sentences[number]) - end >= trailing

    def _index_up_to(self, length: int) -> None:
        """Note the places of all runs of words up to a length."""
        for size in range(self._longest + 1, length + 1):
            for number, words in enumerate(self._sentences):
                for start in range(len(words) - size + 1):
                    places = self._places.setdefault(" ".join(words[start : start + size]), {})
                    places.setdefault(number, []).append(start)
        self._longest = max(self._longest, length)


def filtered(grammar: TranslationGrammar, matcher: Matcher) -> TranslationGrammar:
    """The same grammar with only the rules that some sentence can use."""

    def rules() -> pa.RecordBatchReader:
        reader = grammar.rules()
        return pa.RecordBatchReader.from_batches(reader.schema, _usable(reader, matcher))

    return dataclasses.replace(
        grammar, rules=rules, signature=f"{grammar.signature}|filtered" if grammar.signature else ""
    )


def _usable(reader: pa.RecordBatchReader, matcher: Matcher) -> Iterator[pa.RecordBatch]:
    for batch in reader:
        found, codes = _found(batch, matcher)
        kept = np.array([bool(sentences) for sentences in found], bool)[codes]
        if kept.any():
            yield batch.filter(pa.array(kept))


def used_in(
    reader: pa.RecordBatchReader, matcher: Matcher
) -> Iterator[tuple[pa.RecordBatch, pa.Array, pa.Array]]:
    """The usable rules batch by batch, with pairs of a row of the batch and a sentence."""
    for whole in reader:
        for start in range(0, whole.num_rows, _ROWS):
            batch = whole.slice(start, _ROWS)
            found, codes = _found(batch, matcher)
            times = np.array([len(sentences) for sentences in found], np.int64)[codes]
            kept = times > 0
            if kept.any():
                rows = np.repeat(np.arange(kept.sum()), times[kept])
                sentences = np.concatenate([found[code] for code in codes[kept]])
                yield (
                    batch.filter(pa.array(kept)),
                    pa.array(rows, pa.int64()),
                    pa.array(sentences, pa.int64()),
                )


def _found(
    batch: pa.RecordBatch, matcher: Matcher
) -> tuple[list[list[int]], NDArray[np.integer[Any]]]:
    """The sentences of each distinct source side, and which of them each rule has."""
    coded = batch.column("source").dictionary_encode()
    found = [matcher.sentences_of(text) for text in coded.dictionary.to_pylist()]
    return found, coded.indices.to_numpy(zero_copy_only=False)
