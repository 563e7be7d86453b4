"""The rules of a non-terminal: its phrase pair with 1..max_gaps inner phrase pairs taken out.

Occurrences of a phrase pair with the same inner links license the same rules, so that only
one occurrence of each *variant* (distinct inner links) is expanded. Within a non-terminal a
rule is told by where its gaps are: a gap is its span relative to the phrase pair, in one
integer, and missing gaps are 0, so that sorting the rows puts the lexical rule first and a
rule before those that add a gap to it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.extraction.options import ExtractionOptions
from grammar_store.extraction.phrases import Occurrences, Sentences
from grammar_store.extraction.segments import UNLIMITED
from grammar_store.extraction.spans import pack, unpack

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


class RuleRows(NamedTuple):
    """Rules of many non-terminals, a row each; unused gaps are 0 and their fillers -1."""

    lhs: NDArray[np.int32]
    gap_count: NDArray[np.uint8]
    counts: NDArray[np.float64]
    gaps: NDArray[np.uint64]
    fillers: NDArray[np.int32]

    def slot_starts(self) -> NDArray[np.int64]:
        """Where the slots of each rule begin among those of all, and where the last ones end."""
        return np.concatenate([[0], np.cumsum(self.gap_count, dtype=np.int64)])


class Rules(NamedTuple):
    """Room for the rules of one non-terminal, one row each; it grows as needed."""

    gaps: NDArray[np.uint64]
    fillers: NDArray[np.int32]
    counts: NDArray[np.float64]


@kernel
def new_rules(max_gaps: int, size: int) -> Rules:
    """Room for rules with up to `max_gaps` gaps."""
    return Rules(
        np.empty((size, max_gaps), np.uint64),
        np.empty((size, max_gaps), np.int32),
        np.empty(size, np.float64),
    )


@kernel
def _grown(rules: Rules) -> Rules:
    size = len(rules.counts)
    more = new_rules(rules.gaps.shape[1], 2 * size)
    more.gaps[:size] = rules.gaps
    more.fillers[:size] = rules.fillers
    more.counts[:size] = rules.counts
    return more


@kernel
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


@kernel
def _expand_occurrence(lhs: int, source: RuleSource, rules: Rules, found: int) -> tuple[int, Rules]:
    """Add the rules that one occurrence licenses, in order."""
    limits, max_gaps = source.limits, source.limits.max_gaps
    start, end, _, _ = unpack(source.occurrences.span[lhs])
    if end - start <= limits.max_source_symbols:
        if found == len(rules.counts):
            rules = _grown(rules)
        for place in range(max_gaps):
            rules.gaps[found, place], rules.fillers[found, place] = 0, -1
        found += 1
    if max_gaps == 0:
        return found, rules
    if max_gaps == 1:
        return _add_single_gaps(lhs, source, rules, found)
    return _add_gap_sets(lhs, source, rules, found)


@kernel
def _add_single_gaps(lhs: int, source: RuleSource, rules: Rules, found: int) -> tuple[int, Rules]:
    """Add the rules with one gap: what `_add_gap_sets` does, for the most frequent case."""
    limits = source.limits
    # By names of their own: taking an array out of a tuple costs as much as reading from it.
    spans, row_starts = source.occurrences.span, source.occurrences.row_starts
    links_before, nonterminal_of = source.sentences.source_links, source.nonterminal_of
    base = source.sentences.source_starts[source.occurrences.sentence[lhs]]
    start, end, target_start, target_end = unpack(spans[lhs])
    origin = pack(start, start, target_start, target_start)
    while found + row_starts[base + end] - row_starts[base + start] > len(rules.counts):
        rules = _grown(rules)
    gaps, fillers = rules.gaps, rules.fillers
    inside = links_before[base + end] - links_before[base + start]
    for word in range(start, end):
        for gap in range(row_starts[base + word], row_starts[base + word + 1]):
            _, gap_end, gap_target_start, gap_target_end = unpack(spans[gap])
            if gap_end > end:
                break  # later ones from this word are longer still
            words = end - start - (gap_end - word)
            targets = target_end - target_start - (gap_target_end - gap_target_start)
            links = inside - (links_before[base + gap_end] - links_before[base + word])
            if (
                gap_target_start >= target_start
                and gap_target_end <= target_end
                and gap_end - word >= limits.min_gap_length
                and words + 1 <= limits.max_source_symbols
                and _has_words(words, targets, links, limits.lexical)
            ):
                gaps[found, 0] = spans[gap] - origin
                fillers[found, 0] = nonterminal_of[gap]
                found += 1
    return found, rules


@kernel
def _add_gap_sets(lhs: int, source: RuleSource, rules: Rules, found: int) -> tuple[int, Rules]:
    """Add the rules with one or more gaps."""
    limits, max_gaps = source.limits, source.limits.max_gaps
    spans, row_starts = source.occurrences.span, source.occurrences.row_starts
    links_before, nonterminal_of = source.sentences.source_links, source.nonterminal_of
    base = source.sentences.source_starts[source.occurrences.sentence[lhs]]
    start, end, target_start, target_end = unpack(spans[lhs])
    origin = pack(start, start, target_start, target_start)
    gaps, fillers = rules.gaps, rules.fillers

    # A depth-first walk over sets of gaps in source order: chosen[d] is the gap at depth d,
    # words, targets and links at d count what stands outside the gaps before depth d.
    chosen = np.empty(max_gaps, np.int64)
    words = np.empty(max_gaps + 1, np.int64)
    targets = np.empty(max_gaps + 1, np.int64)
    links = np.empty(max_gaps + 1, np.int64)
    words[0], targets[0] = end - start, target_end - target_start
    links[0] = links_before[base + end] - links_before[base + start]
    stop = row_starts[base + end]
    depth = 0
    gap = row_starts[base + start]
    while True:
        if gap >= stop:
            depth -= 1
            if depth < 0:
                break
            gap = chosen[depth] + 1
            continue
        gap_start, gap_end, gap_target_start, gap_target_end = unpack(spans[gap])
        if gap_end > end:  # later ones from this word are longer still
            gap = row_starts[base + gap_start + 1]
            continue
        words[depth + 1] = words[depth] - (gap_end - gap_start)
        targets[depth + 1] = targets[depth] - (gap_target_end - gap_target_start)
        links[depth + 1] = links[depth] - (
            links_before[base + gap_end] - links_before[base + gap_start]
        )
        fits = (
            gap_target_start >= target_start
            and gap_target_end <= target_end
            and gap_end - gap_start >= limits.min_gap_length
            and _has_words(words[depth + 1], targets[depth + 1], links[depth + 1], limits.lexical)
        )
        for place in range(depth):
            _, _, other_start, other_end = unpack(spans[chosen[place]])
            fits = fits and (gap_target_end <= other_start or gap_target_start >= other_end)
        if not fits:
            gap += 1
            continue
        chosen[depth] = gap
        if words[depth + 1] + depth + 1 <= limits.max_source_symbols:
            if found == len(rules.counts):
                rules = _grown(rules)
                gaps, fillers = rules.gaps, rules.fillers
            for place in range(max_gaps):
                if place <= depth:
                    gaps[found, place] = spans[chosen[place]] - origin
                    fillers[found, place] = nonterminal_of[chosen[place]]
                else:
                    gaps[found, place], fillers[found, place] = 0, -1
            found += 1
        next_start = gap_end + limits.gap_distance
        if depth + 1 < max_gaps and next_start < end:
            depth += 1
            gap = row_starts[base + next_start]
        else:
            gap += 1
    return found, rules


@kernel
def _has_words(words: int, targets: int, links: int, lexical: int) -> bool:
    if lexical == EITHER:
        return words > 0 or targets > 0
    if lexical == SOURCE:
        return words > 0
    if lexical == BOTH:
        return words > 0 and targets > 0
    return links > 0


@kernel
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
