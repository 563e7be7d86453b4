"""Phrase pairs: all occurrences of spans that are closed under the links.

The plain definition is `reference.phrase_pairs`; here a source span [s, e) is closed if its
links, which all fall between the first and last target word that it links to, are as many
as the links of the target words between these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.bitext.corpus import Corpus
from grammar_store.compiling import kernel
from grammar_store.extraction.spans import pack

NO_TARGET = 1 << 30


class Sentences(NamedTuple):
    """A corpus as the kernels want it. Link counts run over all sentences."""

    source_starts: NDArray[np.int64]
    target_starts: NDArray[np.int64]
    links: NDArray[np.int32]
    link_starts: NDArray[np.int64]
    #: links of all source (target) words before this one
    source_links: NDArray[np.int64]
    target_links: NDArray[np.int64]
    #: first and last target word that a source word links to
    first_target: NDArray[np.int32]
    last_target: NDArray[np.int32]


class Occurrences(NamedTuple):
    """Phrase pairs in their sentences, by sentence, then spans; ends are exclusive."""

    sentence: NDArray[np.int32]
    #: where in the sentence (see `spans`)
    span: NDArray[np.uint64]
    #: for every source word (over all sentences): the first occurrence that starts there
    row_starts: NDArray[np.int64]


def prepare_sentences(corpus: Corpus) -> Sentences:
    """Count links before each word and find the reach of each source word."""
    words = int(corpus.source.starts[-1])
    per_sentence = np.diff(corpus.link_starts)
    source_at = np.repeat(corpus.source.starts[:-1], per_sentence) + corpus.links[:, 0]
    target_at = np.repeat(corpus.target.starts[:-1], per_sentence) + corpus.links[:, 1]
    first = np.full(words, NO_TARGET, np.int32)
    last = np.full(words, -1, np.int32)
    _reach(source_at, corpus.links, first, last)
    return Sentences(
        corpus.source.starts,
        corpus.target.starts,
        corpus.links,
        corpus.link_starts,
        _running_count(source_at, words),
        _running_count(target_at, int(corpus.target.starts[-1])),
        first,
        last,
    )


def _running_count(positions: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.bincount(positions, minlength=length))]).astype(
        np.int64
    )


@kernel
def _reach(
    source_at: NDArray[np.int64],
    links: NDArray[np.int32],
    first: NDArray[np.int32],
    last: NDArray[np.int32],
) -> None:
    for link in range(len(source_at)):
        word = source_at[link]
        first[word] = min(first[word], links[link, 1])
        last[word] = max(last[word], links[link, 1])


@kernel
def count_phrase_pairs(
    start: int,
    stop: int,
    sentences: Sentences,
    max_words: int,
    max_length: int,
    tight: bool,
    cap: int,
    counts: NDArray[np.int64],
) -> None:
    """Count the phrase pairs of sentences [start, stop), giving up on one beyond `cap`.

    A sentence of more than `max_words` words counts -1.
    """
    nothing = np.empty(0, np.uint64)
    for sentence in range(start, stop):
        source_words = sentences.source_starts[sentence + 1] - sentences.source_starts[sentence]
        target_words = sentences.target_starts[sentence + 1] - sentences.target_starts[sentence]
        if max(source_words, target_words) > max_words:
            counts[sentence] = -1
        else:
            counts[sentence] = _phrase_pairs(
                sentence, sentences, max_length, tight, cap,
                nothing, np.empty(0, np.int64), 0,
            )  # fmt: skip


@kernel
def fill_phrase_pairs(
    start: int,
    stop: int,
    sentences: Sentences,
    max_length: int,
    tight: bool,
    occurrence_starts: NDArray[np.int64],
    occurrences: Occurrences,
) -> None:
    """Write down the phrase pairs of sentences [start, stop), each at its given place."""
    for sentence in range(start, stop):
        first, end = occurrence_starts[sentence], occurrence_starts[sentence + 1]
        base, words_end = sentences.source_starts[sentence], sentences.source_starts[sentence + 1]
        occurrences.row_starts[base:words_end] = first
        if end > first:
            occurrences.sentence[first:end] = sentence
            _phrase_pairs(
                sentence, sentences, max_length, tight, end - first,
                occurrences.span, occurrences.row_starts, first,
            )  # fmt: skip


@kernel
def _phrase_pairs(
    sentence: int,
    sentences: Sentences,
    max_length: int,
    tight: bool,
    cap: int,
    span: NDArray[np.uint64],
    row_starts: NDArray[np.int64],
    first: int,
) -> int:
    """Enumerate the phrase pairs of a sentence in order of their spans; count them only if
    there is no place to write to. Stops as soon as there are more than `cap`.
    """
    write = len(span) > 0
    base = sentences.source_starts[sentence]
    words = sentences.source_starts[sentence + 1] - base
    target_base = sentences.target_starts[sentence]
    target_words = sentences.target_starts[sentence + 1] - target_base
    linked = sentences.target_links[target_base : target_base + target_words + 1]
    found = 0
    for start in range(words):
        if write:
            row_starts[base + start] = first + found
        if tight and sentences.last_target[base + start] < 0:
            continue
        low, high = NO_TARGET, -1
        for end in range(start + 1, min(words, start + max_length) + 1):
            word = base + end - 1
            low = min(low, sentences.first_target[word])
            high = max(high, sentences.last_target[word])
            if high < 0:
                continue
            if high - low >= max_length:
                break
            if tight and sentences.last_target[word] < 0:
                continue
            inside = sentences.source_links[base + end] - sentences.source_links[base + start]
            if inside != linked[high + 1] - linked[low]:
                continue
            # Unaligned target words at the edges belong to the span in every combination.
            lowest, highest = low, high
            if not tight:
                while lowest > 0 and linked[lowest] == linked[lowest - 1]:
                    lowest -= 1
                while highest < target_words - 1 and linked[highest + 2] == linked[highest + 1]:
                    highest += 1
            for left in range(max(lowest, high - max_length + 1), low + 1):
                for right in range(high + 1, min(highest + 1, left + max_length) + 1):
                    if found == cap:
                        return found + 1
                    if write:
                        span[first + found] = pack(start, end, left, right)
                    found += 1
    return found
