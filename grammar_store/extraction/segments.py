"""Every segment of words gets a number, so that equal text means equal number.

A phrase pair is then two numbers and the context of a rule with one gap is four (the text
before and after the hole on either side): identity is exact and costs no comparison of
text. The numbers come from a trie that is kept as a hash table from (number of the segment
without its last word, last word) to the number of the segment.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.extraction.hashing import mix

UNLIMITED = 1 << 30


class Segments(NamedTuple):
    """The number of each segment of each sentence of one side; 0 is the empty segment."""

    cells: NDArray[np.int32]
    cell_starts: NDArray[np.int64]
    max_length: int


def cell_starts(lengths: NDArray[np.int64], max_length: int) -> NDArray[np.int64]:
    """Where the segments of each sentence begin, for sentences of these lengths."""
    short = np.minimum(lengths, max_length)
    return np.concatenate([[0], np.cumsum(short * (short + 1) // 2 + (lengths - short) * short)])


@kernel
def cell(start: int, end: int, max_length: int) -> int:
    """The place of segment [start, end) among those of its sentence: by end, then length."""
    last = end - 1
    full = min(last, max_length)
    return full * (full + 1) // 2 + (last - full) * max_length + (last - start)


@kernel
def segment(
    cells: NDArray[np.int32], first_cell: int, start: int, end: int, max_length: int
) -> np.uint64:
    """The number of segment [start, end) of the sentence whose cells begin at `first_cell`."""
    if start == end:
        return np.uint64(0)
    return np.uint64(cells[first_cell + cell(start, end, max_length)])


@kernel
def number_segments(
    tokens: NDArray[np.int32],
    starts: NDArray[np.int64],
    cell_starts: NDArray[np.int64],
    max_length: int,
) -> NDArray[np.int32]:
    """Number the segments of all sentences that have cells, by first appearance from 1."""
    cells = np.empty(cell_starts[-1], np.int32)
    table = np.zeros(1 << 16, np.int32)
    keys = np.empty(1 << 15, np.uint64)
    count = 0
    for sentence in range(len(starts) - 1):
        first_cell = cell_starts[sentence]
        if cell_starts[sentence + 1] == first_cell:
            continue
        base = starts[sentence]
        words = starts[sentence + 1] - base
        for start in range(words):
            number = np.int32(0)
            for end in range(start + 1, min(words, start + max_length) + 1):
                key = (np.uint64(number) << np.uint64(32)) | np.uint64(tokens[base + end - 1])
                mask = np.uint64(len(table) - 1)
                place = mix(key) & mask
                number = table[place]
                while number != 0 and keys[number] != key:
                    place = (place + np.uint64(1)) & mask
                    number = table[place]
                if number == 0:
                    count += 1
                    number = np.int32(count)
                    table[place] = number
                    keys[number] = key
                    if count + 1 == len(keys):
                        keys, table = _grown(keys, count)
                cells[first_cell + cell(start, end, max_length)] = number
    return cells


@kernel
def _grown(keys: NDArray[np.uint64], count: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    more_keys = np.empty(2 * len(keys), np.uint64)
    more_keys[: len(keys)] = keys
    table = np.zeros(4 * len(keys), np.int32)
    mask = np.uint64(len(table) - 1)
    for number in range(1, count + 1):
        place = mix(keys[number]) & mask
        while table[place] != 0:
            place = (place + np.uint64(1)) & mask
        table[place] = number
    return more_keys, table
