"""Contexts: which rules share one, and how much each weighs.

Two slots have the same context if the text around the hole is the same on both sides and
the other gaps are the same. With one gap that is four segment numbers, so a key of twice 64
bits is exact; with more gaps the parts are folded into a fingerprint of 128 bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grammar_store.extraction.expansion import unpack
from grammar_store.extraction.hashing import fold
from grammar_store.extraction.numbering import Numbering
from grammar_store.extraction.parallel import run_each
from grammar_store.extraction.segments import Segments, segment
from grammar_store.extraction.text import Phrases, next_gap

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
    uses: NDArray[np.int64]


class ContextTable:
    """Numbers contexts by first use and adds up their weights, chunk after chunk."""

    def __init__(self, threads: int, expected: int = 0) -> None:
        self._numbering = Numbering(threads, expected)
        self._threads = threads
        size = max(expected, 1024)
        self._weights = ContextWeights(
            np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size, np.int64)
        )

    def __len__(self) -> int:
        return len(self._numbering)

    def add(
        self,
        low: NDArray[np.uint64],
        high: NDArray[np.uint64],
        counts: NDArray[np.float64],
        filler_counts: NDArray[np.int64],
    ) -> NDArray[np.int32]:
        """Number the contexts of some slots (from 0) and add the weights of their rules."""
        numbers = self._numbering.number(low, high)
        if len(self) > len(self._weights.uses):
            size = max(len(self), 2 * len(self._weights.uses))
            self._weights = ContextWeights._make(_resized(old, size) for old in self._weights)
        run_each(
            lambda part: _add_weights(
                part, self._threads, numbers, counts, filler_counts, self._weights
            ),
            [(part,) for part in range(self._threads)],
            self._threads,
        )
        return numbers

    def weights(self) -> ContextWeights:
        """The weights of all contexts, by number."""
        return ContextWeights._make(array[: len(self)] for array in self._weights)


def _resized(old: NDArray[Any], size: int) -> NDArray[Any]:
    new = np.zeros(size, old.dtype)
    new[: len(old)] = old
    return new


@njit(cache=True, nogil=True)
def _add_weights(
    part: int,
    parts: int,
    numbers: NDArray[np.int32],
    counts: NDArray[np.float64],
    filler_counts: NDArray[np.int64],
    weights: ContextWeights,
) -> None:
    """Add up in the order of the slots: a sum of floats must not depend on the threads."""
    for slot in range(len(numbers)):
        context = numbers[slot]
        if context % parts == part:
            proportion = counts[slot] / filler_counts[slot]
            weights.energy[context] += counts[slot] * proportion
            weights.peak[context] = max(weights.peak[context], proportion)
            weights.mass[context] += counts[slot]
            weights.uses[context] += 1


@njit(cache=True, nogil=True)
def context_keys(
    start: int,
    stop: int,
    phrases: Phrases,
    source: Segments,
    target: Segments,
    low: NDArray[np.uint64],
    high: NDArray[np.uint64],
) -> None:
    """Keys of the contexts of slots [start, stop): each phrase with one gap as the hole."""
    shift, width = np.uint64(32), source.max_length
    for row in range(start, stop):
        if phrases.gaps.shape[1] == 1 or phrases.gaps[row, 1] == 0:
            sentence = phrases.sentence[row]
            gap, gap_end, t_gap, t_gap_end = unpack(phrases.gaps[row, 0])
            at, cells = source.cell_starts[sentence], source.cells
            begin, end = np.int64(phrases.source_start[row]), np.int64(phrases.source_end[row])
            before = segment(cells, at, begin, begin + gap, width)
            low[row] = (before << shift) | segment(cells, at, begin + gap_end, end, width)
            at, cells = target.cell_starts[sentence], target.cells
            begin, end = np.int64(phrases.target_start[row]), np.int64(phrases.target_end[row])
            before = segment(cells, at, begin, begin + t_gap, width)
            high[row] = (before << shift) | segment(cells, at, begin + t_gap_end, end, width)
        else:
            low[row] = _folded(row, phrases, source, target, _SALTS[0])
            high[row] = _folded(row, phrases, source, target, _SALTS[1])


@njit(cache=True, nogil=True)
def _folded(
    row: int, phrases: Phrases, source: Segments, target: Segments, salt: np.uint64
) -> np.uint64:
    """Fold segments and gaps of both sides, from left to right, into one number."""
    sentence = phrases.sentence[row]
    state = salt
    for is_target in (False, True):
        segments = target if is_target else source
        if is_target:
            begin, end = np.int64(phrases.target_start[row]), np.int64(phrases.target_end[row])
        else:
            begin, end = np.int64(phrases.source_start[row]), np.int64(phrases.source_end[row])
        position = 0
        while True:
            gap, gap_start, gap_end = next_gap(phrases.gaps, row, position, end - begin, is_target)
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
            if gap == phrases.hole[row]:
                state = fold(state, np.uint64(_HOLE), salt)
            else:
                filler = np.uint64(phrases.fillers[row, gap])
                state = fold(state, (filler << np.uint64(8)) + np.uint64(2 + gap), salt)
            position = gap_end
    return state
