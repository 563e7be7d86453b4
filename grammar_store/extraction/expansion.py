"""The rules of a non-terminal: its phrase pair with 1..max_gaps inner phrase pairs taken out.

Occurrences of a phrase pair with the same inner links license the same rules, so that only
one occurrence of each *variant* (distinct inner links) is expanded. Within a non-terminal a
rule is told by where its gaps are: a gap is packed into one integer, its four relative
span ends in 16 bits each, and missing gaps are 0, so that sorting the packed rows puts the
lexical rule first and a rule before those that add a gap to it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grammar_store.extraction.options import ExtractionOptions
from grammar_store.extraction.phrases import Occurrences, Sentences
from grammar_store.extraction.segments import UNLIMITED

EITHER, SOURCE, BOTH, ALIGNED = range(4)
_LEXICAL = {"either": EITHER, "source": SOURCE, "both": BOTH, "aligned": ALIGNED}


class Limits(NamedTuple):
    """Options as plain numbers for the kernels."""

    max_gaps: int
    max_source_symbols: int
    min_gap_length: int
    gap_distance: int
    lexical: int
    per_occurrence: bool

    @classmethod
    def of(cls, options: ExtractionOptions) -> Limits:
        return cls(
            options.max_gaps,
            options.max_source_symbols or UNLIMITED,
            options.min_gap_length,
            0 if options.adjacent_gaps else 1,
            _LEXICAL[options.lexical],
            options.counting == "occurrence",
        )


class Variants(NamedTuple):
    """The variants of each non-terminal: one occurrence each, and how often it is seen.

    Those of non-terminal x (from 0) are at ``starts[x]:starts[x + 1]``.
    """

    starts: NDArray[np.int64]
    occurrence: NDArray[np.int64]
    weight: NDArray[np.int64]


class RuleSource(NamedTuple):
    """All that the rules of a non-terminal follow from."""

    sentences: Sentences
    occurrences: Occurrences
    #: the non-terminal of each occurrence
    nonterminal_of: NDArray[np.int32]
    variants: Variants
    limits: Limits


class Rules(NamedTuple):
    """Room for the rules of one non-terminal, one row each; it grows as needed."""

    gaps: NDArray[np.uint64]
    fillers: NDArray[np.int32]
    counts: NDArray[np.float64]


@njit(cache=True, nogil=True)
def pack(start: int, end: int, target_start: int, target_end: int) -> np.uint64:
    """One integer for the span ends of a gap."""
    return (
        (np.uint64(start) << np.uint64(48))
        | (np.uint64(end) << np.uint64(32))
        | (np.uint64(target_start) << np.uint64(16))
        | np.uint64(target_end)
    )


@njit(cache=True, nogil=True)
def unpack(gap: np.uint64) -> tuple[np.int64, np.int64, np.int64, np.int64]:
    """The span ends of a packed gap."""
    low = np.uint64(0xFFFF)
    return (
        np.int64(gap >> np.uint64(48)),
        np.int64((gap >> np.uint64(32)) & low),
        np.int64((gap >> np.uint64(16)) & low),
        np.int64(gap & low),
    )


@njit(cache=True, nogil=True)
def new_rules(max_gaps: int, size: int) -> Rules:
    """Room for rules with up to `max_gaps` gaps."""
    return Rules(
        np.empty((size, max_gaps), np.uint64),
        np.empty((size, max_gaps), np.int32),
        np.empty(size, np.float64),
    )


@njit(cache=True, nogil=True)
def _grown(rules: Rules) -> Rules:
    size = len(rules.counts)
    more = new_rules(rules.gaps.shape[1], 2 * size)
    more.gaps[:size] = rules.gaps
    more.fillers[:size] = rules.fillers
    more.counts[:size] = rules.counts
    return more


@njit(cache=True, nogil=True)
def expand(lhs: int, source: RuleSource, rules: Rules) -> tuple[int, Rules]:
    """Write the rules of a non-terminal into `rules`; give their number and the room.

    Counts are those of counting per occurrence, in the order of the variants; counting per
    type needs only the number of rules.
    """
    variants = source.variants
    found = 0
    first, end = variants.starts[lhs], variants.starts[lhs + 1]
    for variant in range(first, end):
        before = found
        found, rules = _expand_occurrence(variants.occurrence[variant], source, rules, found)
        for rule in range(before, found):
            rules.counts[rule] = variants.weight[variant] / (found - before)
    if end - first > 1:
        found = _join_equal(rules, found)
    return found, rules


@njit(cache=True, nogil=True)
def _expand_occurrence(lhs: int, source: RuleSource, rules: Rules, found: int) -> tuple[int, Rules]:
    sentences, occurrences, limits = source.sentences, source.occurrences, source.limits
    sentence = occurrences.sentence[lhs]
    base = sentences.source_starts[sentence]
    start = np.int64(occurrences.source_start[lhs])
    end = np.int64(occurrences.source_end[lhs])
    target_start = np.int64(occurrences.target_start[lhs])
    target_end = np.int64(occurrences.target_end[lhs])
    max_gaps = limits.max_gaps

    if end - start <= limits.max_source_symbols:
        if found == len(rules.counts):
            rules = _grown(rules)
        rules.gaps[found] = 0
        rules.fillers[found] = -1
        found += 1
    if max_gaps == 0:
        return found, rules

    # A depth-first walk over sets of gaps in source order: chosen[d] is the gap at depth d,
    # words, targets and links at d count what stands outside the gaps before depth d.
    chosen = np.empty(max_gaps, np.int64)
    words = np.empty(max_gaps + 1, np.int64)
    targets = np.empty(max_gaps + 1, np.int64)
    links = np.empty(max_gaps + 1, np.int64)
    words[0], targets[0] = end - start, target_end - target_start
    links[0] = sentences.source_links[base + end] - sentences.source_links[base + start]
    stop = occurrences.row_starts[base + end]
    depth = 0
    gap = occurrences.row_starts[base + start]
    while True:
        if gap >= stop:
            depth -= 1
            if depth < 0:
                break
            gap = chosen[depth] + 1
            continue
        gap_start = np.int64(occurrences.source_start[gap])
        gap_end = np.int64(occurrences.source_end[gap])
        if gap_end > end:  # later ones from this word are longer still
            gap = occurrences.row_starts[base + gap_start + 1]
            continue
        gap_target_start = np.int64(occurrences.target_start[gap])
        gap_target_end = np.int64(occurrences.target_end[gap])
        words[depth + 1] = words[depth] - (gap_end - gap_start)
        targets[depth + 1] = targets[depth] - (gap_target_end - gap_target_start)
        links[depth + 1] = links[depth] - (
            sentences.source_links[base + gap_end] - sentences.source_links[base + gap_start]
        )
        fits = (
            gap_target_start >= target_start
            and gap_target_end <= target_end
            and gap_end - gap_start >= limits.min_gap_length
            and _has_words(words[depth + 1], targets[depth + 1], links[depth + 1], limits.lexical)
        )
        for other in range(depth):
            fits = fits and (
                gap_target_end <= np.int64(occurrences.target_start[chosen[other]])
                or gap_target_start >= np.int64(occurrences.target_end[chosen[other]])
            )
        if not fits:
            gap += 1
            continue
        chosen[depth] = gap
        if words[depth + 1] + depth + 1 <= limits.max_source_symbols:
            if found == len(rules.counts):
                rules = _grown(rules)
            for place in range(max_gaps):
                if place <= depth:
                    inner = chosen[place]
                    rules.gaps[found, place] = pack(
                        np.int64(occurrences.source_start[inner]) - start,
                        np.int64(occurrences.source_end[inner]) - start,
                        np.int64(occurrences.target_start[inner]) - target_start,
                        np.int64(occurrences.target_end[inner]) - target_start,
                    )
                    rules.fillers[found, place] = source.nonterminal_of[inner]
                else:
                    rules.gaps[found, place] = 0
                    rules.fillers[found, place] = -1
            found += 1
        next_start = gap_end + limits.gap_distance
        if depth + 1 < max_gaps and next_start < end:
            depth += 1
            gap = occurrences.row_starts[base + next_start]
        else:
            gap += 1
    return found, rules


@njit(cache=True, nogil=True)
def _has_words(words: int, targets: int, links: int, lexical: int) -> bool:
    if lexical == EITHER:
        return words > 0 or targets > 0
    if lexical == SOURCE:
        return words > 0
    if lexical == BOTH:
        return words > 0 and targets > 0
    return links > 0


@njit(cache=True, nogil=True)
def _join_equal(rules: Rules, found: int) -> int:
    """Sort the rows by their gaps and make one of equal ones, adding up their counts."""
    order = np.arange(found)
    for column in range(rules.gaps.shape[1] - 1, -1, -1):
        order = order[np.argsort(rules.gaps[:found, column][order], kind="mergesort")]
    gaps, fillers, counts = (
        rules.gaps[:found][order],
        rules.fillers[:found][order],
        rules.counts[:found][order],
    )
    kept = 0
    for rule in range(found):
        same = kept > 0
        for column in range(gaps.shape[1]):
            same = same and gaps[rule, column] == rules.gaps[kept - 1, column]
        if same:
            rules.counts[kept - 1] += counts[rule]
        else:
            rules.gaps[kept] = gaps[rule]
            rules.fillers[kept] = fillers[rule]
            rules.counts[kept] = counts[rule]
            kept += 1
    return kept
