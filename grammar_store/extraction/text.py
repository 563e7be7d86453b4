"""The text of phrase pairs and contexts, written by kernels straight into Arrow strings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.bitext.corpus import Side
from grammar_store.compiling import kernel
from grammar_store.extraction.parallel import run_ranges
from grammar_store.extraction.spans import unpack

_SPACE, _COMMA, _OPEN, _CLOSE, _HOLE, _X, _ZERO = (ord(letter) for letter in " ,[]_X0")

NO_HOLE = 255


class SideText(NamedTuple):
    """The text of one side, a space after every token, and where each token starts in it."""

    letters: NDArray[np.uint8]
    token_starts: NDArray[np.int64]
    sentence_starts: NDArray[np.int64]
    is_target: bool

    @classmethod
    def of(cls, side: Side, is_target: bool) -> SideText:
        words = [symbol.encode() + b" " for symbol in side.symbols]
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        starts = np.concatenate([[0], np.cumsum(lengths[side.tokens])])
        letters = b"".join(map(words.__getitem__, side.tokens.tolist()))
        return cls(np.frombuffer(letters, np.uint8), starts, side.starts, is_target)


class Phrases(NamedTuple):
    """What to write, a row each: a span of a sentence, its gaps and which of them is the hole.

    Spans and gaps are as in `spans`, gaps relative to the phrase, 0 for no gap.
    """

    sentence: NDArray[np.int32]
    span: NDArray[np.uint64]
    gaps: NDArray[np.uint64]
    fillers: NDArray[np.int32]
    hole: NDArray[np.uint8]


def side_text(side: SideText, phrases: Phrases, threads: int) -> pa.Array:
    """The text of one side of each phrase, as an Arrow array of strings."""
    rows = len(phrases.sentence)
    sizes = np.zeros(rows, np.int64)
    weights = np.ones(rows, np.int64)
    nowhere = np.empty(0, np.uint8)
    run_ranges(_write_rows, weights, side, phrases, nowhere, sizes, threads=threads)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    letters = np.empty(max(int(ends[-1]), 1), np.uint8)
    run_ranges(_write_rows, weights, side, phrases, letters, ends, threads=threads)
    return pa.LargeStringArray.from_buffers(rows, pa.py_buffer(ends), pa.py_buffer(letters))


@kernel
def _write_rows(
    first_row: int,
    stop: int,
    side: SideText,
    phrases: Phrases,
    letters: NDArray[np.uint8],
    places: NDArray[np.int64],
) -> None:
    """Write rows at `places`; with no room for letters, measure them there."""
    write = len(letters) > 0
    text, token_starts, sentence_starts = side.letters, side.token_starts, side.sentence_starts
    sentences, spans, gaps = phrases.sentence, phrases.span, phrases.gaps
    fillers, holes, is_target = phrases.fillers, phrases.hole, side.is_target
    for row in range(first_row, stop):
        at = places[row] if write else 0
        start, end, target_start, target_end = unpack(spans[row])
        if is_target:
            start, end = target_start, target_end
        words = end - start
        first = sentence_starts[sentences[row]] + start
        position = 0
        while True:
            gap, gap_start, gap_end = next_gap(gaps, row, position, words, is_target)
            if position < gap_start:
                # Up to the space before the gap, or the end of the phrase.
                low, high = token_starts[first + position], token_starts[first + gap_start]
                size = high - low if gap >= 0 else high - low - 1
                if write:
                    for letter in range(size):
                        letters[at + letter] = text[low + letter]
                at += size
            if gap < 0:
                break
            if gap == holes[row]:
                at = _write_hole(letters, at)
            else:
                at = _write_gap(letters, at, fillers[row, gap] + 1, gap + 1)
            position = gap_end
            if position == words:
                break
            if write:
                letters[at] = _SPACE
            at += 1
        if not write:
            places[row] = at


@kernel
def next_gap(
    gaps: NDArray[np.uint64], row: int, position: int, words: int, is_target: bool
) -> tuple[int, int, int]:
    """The first gap of a row from a position on: its number, start and end.

    Where there is none: -1 and twice the number of words.
    """
    found, found_start, found_end = -1, words, words
    for gap in range(gaps.shape[1]):
        if gaps[row, gap] == 0:
            break
        start, end, target_start, target_end = unpack(gaps[row, gap])
        if is_target:
            start, end = target_start, target_end
        if position <= start < found_start:
            found, found_start, found_end = gap, start, end
    return found, found_start, found_end


@kernel
def _write_hole(letters: NDArray[np.uint8], at: int) -> int:
    if len(letters) > 0:
        letters[at] = _OPEN
        letters[at + 1] = _HOLE
        letters[at + 2] = _CLOSE
    return at + 3


@kernel
def _write_gap(letters: NDArray[np.uint8], at: int, nonterminal: int, index: int) -> int:
    """Write a gap such as ``[X12,1]``."""
    digits = 1
    power = 10
    while power <= nonterminal:
        power *= 10
        digits += 1
    if len(letters) > 0:
        letters[at] = _OPEN
        letters[at + 1] = _X
        rest = nonterminal
        for digit in range(digits):
            letters[at + 1 + digits - digit] = _ZERO + rest % 10
            rest //= 10
        letters[at + 2 + digits] = _COMMA
        letters[at + 3 + digits] = _ZERO + index
        letters[at + 4 + digits] = _CLOSE
    return at + digits + 5
