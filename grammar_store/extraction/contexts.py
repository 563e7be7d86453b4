"""Contexts: which rules share one, and how much each weighs.

Two slots have the same context if the text around the hole is the same on both sides and
the other gaps are the same. With one gap that is four segment numbers, so a key of twice 64
bits is exact; with more gaps the parts are folded into a fingerprint of 128 bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.extraction.expansion import RuleRows
from grammar_store.extraction.hashing import fold
from grammar_store.extraction.numbering import Keys, Numbering
from grammar_store.extraction.parallel import run_each
from grammar_store.extraction.phrases import Occurrences
from grammar_store.extraction.segments import Segments, segment
from grammar_store.extraction.spans import unpack
from grammar_store.extraction.text import next_gap

_SALTS = (np.uint64(0x2545F4914F6CDD1D), np.uint64(0xD6E8FEB86659FD93))
_HOLE = 1


class ContextWeights(NamedTuple):
    """What is known of each context after all rules were seen."""

    #: sum of c(r)² / C(filler) over its slots
    energy: NDArray[np.float64]
    #: sum of c(r) over its slots
    mass: NDArray[np.float64]
    #: greatest proportion c(r) / C(filler) of its slots
    peak: NDArray[np.float64]
    #: number of its slots
    uses: NDArray[np.float64]


class SlotRows(NamedTuple):
    """Some slots, a row each: the key of the context, c(r) and C(filler)."""

    keys: Keys
    counts: NDArray[np.float64]
    filler_counts: NDArray[np.float64]

    @classmethod
    def room(cls, size: int) -> SlotRows:
        return cls(np.empty((size, 2), np.uint64), np.empty(size), np.empty(size))


class ContextTable:
    """Numbers contexts by first use and adds up their weights, chunk after chunk."""

    def __init__(self, threads: int, expected: int = 0) -> None:
        self._numbering = Numbering(threads, expected)
        self._threads = threads
        # A row for each context, as they are needed together.
        self._weights = np.zeros((max(expected, 1024), len(ContextWeights._fields)))

    def __len__(self) -> int:
        return len(self._numbering)

    def add(self, slots: SlotRows) -> NDArray[np.int32]:
        """Number the contexts of some slots (from 0) and add the weights of their rules."""
        numbers = self._numbering.number(slots.keys)
        if len(self) > len(self._weights):
            more = np.zeros((max(len(self), 2 * len(self._weights)), self._weights.shape[1]))
            more[: len(self._weights)] = self._weights
            self._weights = more
        run_each(
            lambda part: _add_weights(part, self._threads, numbers, slots, self._weights),
            [(part,) for part in range(self._threads)],
            self._threads,
        )
        return numbers

    def weights(self) -> ContextWeights:
        """The weights of all contexts, by number."""
        return ContextWeights(*self._weights[: len(self)].T)


@kernel
def _add_weights(
    part: int,
    parts: int,
    numbers: NDArray[np.int32],
    slots: SlotRows,
    weights: NDArray[np.float64],
) -> None:
    """Add up in the order of the slots: a sum of floats must not depend on the threads."""
    counts, filler_counts = slots.counts, slots.filler_counts
    for slot in range(len(numbers)):
        context = numbers[slot]
        if context % parts == part:
            proportion = counts[slot] / filler_counts[slot]
            weights[context, 0] += counts[slot] * proportion
            weights[context, 1] += counts[slot]
            weights[context, 2] = max(weights[context, 2], proportion)
            weights[context, 3] += 1


@kernel
def describe_slots(
    start: int,
    stop: int,
    rows: RuleRows,
    slot_starts: NDArray[np.int64],
    example: NDArray[np.int64],
    occurrences: Occurrences,
    source: Segments,
    target: Segments,
    counts: NDArray[np.int64],
    slots: SlotRows,
) -> None:
    """Fill in the slots of rules [start, stop), of which each has its first at `slot_starts`.

    The words of a non-terminal, of which there are `counts`, are those at its `example`.
    """
    # By names of their own: taking an array out of a tuple costs as much as reading from it.
    lhs, gaps, fillers, gap_count = rows.lhs, rows.gaps, rows.fillers, rows.gap_count
    sentence_of, spans = occurrences.sentence, occurrences.span
    source_cells, source_starts = source.cells, source.cell_starts
    target_cells, target_starts = target.cells, target.cell_starts
    shift, width = np.uint64(32), source.max_length
    for row in range(start, stop):
        if gap_count[row] == 0:
            continue
        sentence, span = sentence_of[example[lhs[row]]], spans[example[lhs[row]]]
        for hole in range(gap_count[row]):
            slot = slot_starts[row] + hole
            slots.counts[slot] = rows.counts[row]
            slots.filler_counts[slot] = counts[fillers[row, hole]]
            if gap_count[row] == 1:
                begin, end, target_begin, target_end = unpack(span)
                gap, gap_end, target_gap, target_gap_end = unpack(gaps[row, 0])
                at = source_starts[sentence]
                before = segment(source_cells, at, begin, begin + gap, width)
                after = segment(source_cells, at, begin + gap_end, end, width)
                slots.keys[slot, 0] = (before << shift) | after
                at, begin, end = target_starts[sentence], target_begin, target_end
                before = segment(target_cells, at, begin, begin + target_gap, width)
                after = segment(target_cells, at, begin + target_gap_end, end, width)
                slots.keys[slot, 1] = (before << shift) | after
            else:
                for half in range(2):
                    slots.keys[slot, half] = _folded(
                        row, hole, gaps, fillers, sentence, span, source, target, _SALTS[half]
                    )


@kernel
def _folded(
    row: int,
    hole: int,
    gaps: NDArray[np.uint64],
    fillers: NDArray[np.int32],
    sentence: int,
    span: np.uint64,
    source: Segments,
    target: Segments,
    salt: np.uint64,
) -> np.uint64:
    """Fold segments and gaps of both sides, from left to right, into one number."""
    start, source_end, target_start, target_end = unpack(span)
    state = salt
    for is_target in (False, True):
        segments = target if is_target else source
        begin, end = (target_start, target_end) if is_target else (start, source_end)
        position = 0
        while True:
            gap, gap_start, gap_end = next_gap(gaps, row, position, end - begin, is_target)
            words = segment(
                segments.cells,
                segments.cell_starts[sentence],
                begin + position,
                begin + gap_start,
                segments.max_length,
            )
            state = fold(state, words, salt)
            if gap < 0:
                break
            if gap == hole:
                state = fold(state, np.uint64(_HOLE), salt)
            else:
                filler = np.uint64(fillers[row, gap])
                state = fold(state, (filler << np.uint64(8)) + np.uint64(2 + gap), salt)
            position = gap_end
    return state
