"""The text of rules, written by kernels straight into Arrow strings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from grammar_store.extraction.parallel import run_ranges
from grammar_store.translation.layout import (
    Instances,
    Room,
    Scene,
    gap_index,
    lay_out,
    new_room,
    point_ends,
    word_or_label,
)

_SPACE, _COMMA, _OPEN, _CLOSE, _DASH, _ZERO = (ord(letter) for letter in " ,[]-0")

#: What is to be written of a rule.
SOURCE_TEXT, TARGET_TEXT, POINTS = range(3)


class Letters(NamedTuple):
    """Many texts one after another, and where each starts."""

    letters: NDArray[np.uint8]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Letters:
        encoded = [text.encode() for text in texts]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        letters = np.frombuffer(b"".join(encoded) or b"\0", np.uint8)
        return cls(letters, np.concatenate([[0], np.cumsum(lengths)]))


class Alphabet(NamedTuple):
    """The texts of the words of both sides, and of the labels."""

    source: Letters
    target: Letters
    labels: Letters


def rule_text(
    what: int, scene: Scene, instances: Instances, alphabet: Alphabet, threads: int
) -> pa.Array:
    """One side of each rule, or its points, as an Arrow array of strings."""
    rows = len(instances.occurrence)
    weights = np.ones(rows, np.int64)
    sizes = np.zeros(rows, np.int64)
    nowhere = np.empty(0, np.uint8)
    run_ranges(
        _write, weights, what, scene, instances, alphabet, nowhere, sizes, threads=threads
    )  # fmt: skip
    ends = np.concatenate([[0], np.cumsum(sizes)])
    letters = np.empty(max(int(ends[-1]), 1), np.uint8)
    run_ranges(
        _write, weights, what, scene, instances, alphabet, letters, ends, threads=threads
    )  # fmt: skip
    return pa.LargeStringArray.from_buffers(rows, pa.py_buffer(ends), pa.py_buffer(letters))


@njit(cache=True, nogil=True)
def _write(
    start: int,
    stop: int,
    what: int,
    scene: Scene,
    instances: Instances,
    alphabet: Alphabet,
    letters: NDArray[np.uint8],
    places: NDArray[np.int64],
) -> None:
    """Write rules at `places`; with no room for letters, measure them there."""
    write = len(letters) > 0
    room: Room = new_room(scene, instances)
    words = alphabet.target if what == TARGET_TEXT else alphabet.source
    symbols = room.target if what == TARGET_TEXT else room.source
    for row in range(start, stop):
        source_size, target_size, points = lay_out(scene, instances, row, room)
        at = places[row] if write else 0
        if what == POINTS:
            for place in range(points):
                if place:
                    at = _write_letter(letters, at, _SPACE)
                source, target = point_ends(room.points[place])
                at = _write_number(letters, at, source)
                at = _write_letter(letters, at, _DASH)
                at = _write_number(letters, at, target)
        else:
            for place in range(target_size if what == TARGET_TEXT else source_size):
                if place:
                    at = _write_letter(letters, at, _SPACE)
                number, gap = word_or_label(symbols[place]), gap_index(symbols[place])
                if gap == 0:
                    at = _write_text(letters, at, words, number)
                else:
                    at = _write_letter(letters, at, _OPEN)
                    at = _write_text(letters, at, alphabet.labels, number)
                    at = _write_letter(letters, at, _COMMA)
                    at = _write_letter(letters, at, _ZERO + gap)
                    at = _write_letter(letters, at, _CLOSE)
        if not write:
            places[row] = at


@njit(cache=True, nogil=True)
def _write_letter(letters: NDArray[np.uint8], at: int, letter: int) -> int:
    if len(letters) > 0:
        letters[at] = letter
    return at + 1


@njit(cache=True, nogil=True)
def _write_text(letters: NDArray[np.uint8], at: int, texts: Letters, number: int) -> int:
    start, end = texts.starts[number], texts.starts[number + 1]
    if len(letters) > 0:
        for letter in range(start, end):
            letters[at + letter - start] = texts.letters[letter]
    return at + end - start


@njit(cache=True, nogil=True)
def _write_number(letters: NDArray[np.uint8], at: int, number: int) -> int:
    digits, power = 1, 10
    while power <= number:
        power *= 10
        digits += 1
    if len(letters) > 0:
        for digit in range(digits):
            letters[at + digits - 1 - digit] = _ZERO + number % 10
            number //= 10
    return at + digits
