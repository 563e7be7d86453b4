"""From phrase pairs to non-terminals: one per distinct text, numbered as the store wants them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from grammar_store.bitext.corpus import Corpus, Side
from grammar_store.compiling import kernel
from grammar_store.extraction.expansion import Variants
from grammar_store.extraction.hashing import fold
from grammar_store.extraction.numbering import Numbering
from grammar_store.extraction.options import ExtractionOptions
from grammar_store.extraction.parallel import run_each, run_ranges
from grammar_store.extraction.phrases import (
    Occurrences,
    Sentences,
    count_phrase_pairs,
    fill_phrase_pairs,
    prepare_sentences,
)
from grammar_store.extraction.segments import (
    UNLIMITED,
    Segments,
    cell_starts,
    number_segments,
    segment,
)
from grammar_store.extraction.spans import unpack
from grammar_store.extraction.text import NO_HOLE, Phrases, SideText, side_text

_SALTS = (np.uint64(0x9FB21C651E98DF25), np.uint64(0xA0761D6478BD642F))


class Nonterminals(NamedTuple):
    """All non-terminals of a corpus, by id (from 0 here, from 1 in the store)."""

    #: occurrences of the phrase pair, and sentence pairs with at least one
    counts: NDArray[np.int64]
    sentences: NDArray[np.int64]
    source: pa.Array
    target: pa.Array
    #: the first occurrence of each, whose words stand for all
    example: NDArray[np.int64]


class PhraseTable(NamedTuple):
    """Everything that is known of phrase pairs before rules are looked at."""

    sentences: Sentences
    skipped: dict[int, str]
    source_segments: Segments
    target_segments: Segments
    occurrences: Occurrences
    #: the non-terminal of each occurrence
    nonterminal_of: NDArray[np.int32]
    nonterminals: Nonterminals
    variants: Variants


def make_phrase_table(
    corpus: Corpus, options: ExtractionOptions, source: SideText, target: SideText, threads: int
) -> PhraseTable:
    """Find all phrase pairs of a corpus and number them."""
    sentences = prepare_sentences(corpus)
    counts, skipped = _count(corpus, sentences, options, threads)
    max_length = options.max_length or UNLIMITED
    source_segments, target_segments = run_each(
        lambda side: _segments(side, counts, max_length),
        [(corpus.source,), (corpus.target,)],
        min(threads, 2),
    )
    occurrences = _fill(corpus, sentences, counts, options, threads)
    keys = np.empty((len(occurrences.sentence), 2), np.uint64)
    weights = np.ones(len(keys), np.int64)
    run_ranges(
        _pair_keys, weights, occurrences, source_segments, target_segments, keys, threads=threads
    )
    numbering = Numbering(threads)
    provisional = numbering.number(keys)
    nonterminals, renumber = _in_order(
        provisional, len(numbering), occurrences, source, target, threads
    )
    nonterminal_of = renumber[provisional]
    variants = _variants(sentences, occurrences, nonterminal_of, len(numbering), threads)
    return PhraseTable(
        sentences,
        skipped,
        source_segments,
        target_segments,
        occurrences,
        nonterminal_of,
        nonterminals,
        variants,
    )


def _count(
    corpus: Corpus, sentences: Sentences, options: ExtractionOptions, threads: int
) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Phrase pairs of each sentence, 0 for those that are skipped, and the reasons why."""
    counts = np.zeros(len(corpus), np.int64)
    run_ranges(
        count_phrase_pairs,
        np.diff(corpus.source.starts),
        sentences,
        options.max_words or UNLIMITED,
        options.max_length or UNLIMITED,
        options.tight,
        options.max_phrase_pairs,
        counts,
        threads=threads,
    )
    skipped = dict.fromkeys(
        np.flatnonzero(counts < 0).tolist(), f"more than {options.max_words} words"
    )
    skipped |= dict.fromkeys(
        np.flatnonzero(counts > options.max_phrase_pairs).tolist(),
        f"more than {options.max_phrase_pairs} phrase pairs",
    )
    counts[list(skipped)] = 0
    return counts, dict(sorted(skipped.items()))


def _segments(side: Side, counts: NDArray[np.int64], max_length: int) -> Segments:
    lengths = np.where(counts > 0, np.diff(side.starts), 0)
    starts = cell_starts(lengths, max_length)
    return Segments(
        number_segments(side.tokens, side.starts, starts, max_length), starts, max_length
    )


def _fill(
    corpus: Corpus,
    sentences: Sentences,
    counts: NDArray[np.int64],
    options: ExtractionOptions,
    threads: int,
) -> Occurrences:
    starts = np.concatenate([[0], np.cumsum(counts)])
    total = int(starts[-1])
    words = int(corpus.source.starts[-1])
    occurrences = Occurrences(
        np.empty(total, np.int32),
        np.empty(total, np.uint64),
        np.full(words + 1, total, np.int64),
    )
    run_ranges(
        fill_phrase_pairs,
        counts,
        sentences,
        options.max_length or UNLIMITED,
        options.tight,
        starts,
        occurrences,
        threads=threads,
    )
    return occurrences


@kernel
def _pair_keys(
    start: int,
    stop: int,
    occurrences: Occurrences,
    source: Segments,
    target: Segments,
    keys: NDArray[np.uint64],
) -> None:
    """The two segment numbers of occurrences [start, stop)."""
    width = source.max_length
    sentences, spans = occurrences.sentence, occurrences.span
    source_cells, source_starts = source.cells, source.cell_starts
    target_cells, target_starts = target.cells, target.cell_starts
    for i in range(start, stop):
        begin, end, target_begin, target_end = unpack(spans[i])
        keys[i, 0] = segment(source_cells, source_starts[sentences[i]], begin, end, width)
        begin, end = target_begin, target_end
        keys[i, 1] = segment(target_cells, target_starts[sentences[i]], begin, end, width)


def phrases_at(occurrences: Occurrences, places: NDArray[np.int64]) -> Phrases:
    """The phrase pairs at these occurrences, whole, for `text.side_text`."""
    return Phrases(
        occurrences.sentence[places],
        occurrences.span[places],
        np.empty((len(places), 0), np.uint64),
        np.empty((len(places), 0), np.int32),
        np.full(len(places), NO_HOLE, np.uint8),
    )


def _in_order(
    provisional: NDArray[np.int32],
    total: int,
    occurrences: Occurrences,
    source: SideText,
    target: SideText,
    threads: int,
) -> tuple[Nonterminals, NDArray[np.int32]]:
    """Number by descending count, then text; give the new number of each provisional one."""
    count = np.zeros(total, np.int64)
    sentences = np.zeros(total, np.int64)
    example = np.empty(total, np.int64)
    _tally(provisional, occurrences.sentence, count, sentences, example)
    phrases = phrases_at(occurrences, example)
    table = pa.table(
        {
            "count": count,
            "source": side_text(source, phrases, threads),
            "target": side_text(target, phrases, threads),
        }
    )
    order = pc.sort_indices(
        table, [("count", "descending"), ("source", "ascending"), ("target", "ascending")]
    )
    table = table.take(order)
    permutation = order.to_numpy().astype(np.int64)
    renumber = np.empty(total, np.int32)
    renumber[permutation] = np.arange(total, dtype=np.int32)
    return (
        Nonterminals(
            count[permutation],
            sentences[permutation],
            table["source"].combine_chunks(),
            table["target"].combine_chunks(),
            example[permutation],
        ),
        renumber,
    )


@kernel
def _tally(
    numbers: NDArray[np.int32],
    sentence: NDArray[np.int32],
    count: NDArray[np.int64],
    sentences: NDArray[np.int64],
    example: NDArray[np.int64],
) -> None:
    """Count occurrences and sentences (which come in order) and note the first occurrence."""
    last = np.full(len(count), -1, np.int32)
    for i in range(len(numbers)):
        number = numbers[i]
        if count[number] == 0:
            example[number] = i
        count[number] += 1
        if last[number] != sentence[i]:
            last[number] = sentence[i]
            sentences[number] += 1


def _variants(
    sentences: Sentences,
    occurrences: Occurrences,
    nonterminal_of: NDArray[np.int32],
    total: int,
    threads: int,
) -> Variants:
    """Group the occurrences of each non-terminal by their inner links."""
    size = len(nonterminal_of)
    keys = np.empty((size, 2), np.uint64)
    run_ranges(
        _variant_keys, np.ones(size, np.int64), sentences, occurrences, nonterminal_of, keys,
        threads=threads,
    )  # fmt: skip
    numbering = Numbering(threads)
    variant_of = numbering.number(keys)
    weight = np.bincount(variant_of, minlength=len(numbering))
    first = np.empty(len(numbering), np.int64)
    first[variant_of[::-1]] = np.arange(size - 1, -1, -1)
    owner = nonterminal_of[first]
    order = np.argsort(owner, kind="stable")
    return Variants(
        np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=total))]),
        first[order],
        weight[order],
    )


@kernel
def _variant_keys(
    start: int,
    stop: int,
    sentences: Sentences,
    occurrences: Occurrences,
    nonterminal_of: NDArray[np.int32],
    keys: NDArray[np.uint64],
) -> None:
    """Fold the non-terminal and the inner links, relative to the spans, of each occurrence."""
    source_starts, links_before, links = (
        sentences.source_starts, sentences.source_links, sentences.links,
    )  # fmt: skip
    sentence_of, spans = occurrences.sentence, occurrences.span
    for i in range(start, stop):
        base = source_starts[sentence_of[i]]
        source_start, source_end, target_start, _ = unpack(spans[i])
        first_key = fold(_SALTS[0], np.uint64(nonterminal_of[i]), _SALTS[0])
        second_key = fold(_SALTS[1], np.uint64(nonterminal_of[i]), _SALTS[1])
        # Links are sorted by source word, so those of a source span stand side by side.
        for link in range(links_before[base + source_start], links_before[base + source_end]):
            inner = (np.uint64(links[link, 0] - source_start) << np.uint64(32)) | (
                np.uint64(links[link, 1] - target_start)
            )
            first_key = fold(first_key, inner, _SALTS[0])
            second_key = fold(second_key, inner, _SALTS[1])
        keys[i, 0], keys[i, 1] = first_key, second_key
