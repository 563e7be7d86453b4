"""The text of rules, written by kernels straight into Arrow strings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.compiling import kernel
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


class Columns(NamedTuple):
    """Something of the three texts of rules: both sides, and the points between them."""

    source: NDArray[Any]
    target: NDArray[Any]
    points: NDArray[Any]


def rule_texts(
    scene: Scene, instances: Instances, alphabet: Alphabet, threads: int
) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Both sides of each rule, and its points, as Arrow arrays of strings."""
    rows = len(instances.occurrence)
    weights = np.ones(rows, np.int64)
    sizes = Columns(*(np.zeros(rows, np.int64) for _ in Columns._fields))
    nowhere = Columns(*(np.empty(0, np.uint8) for _ in Columns._fields))
    run_ranges(_write, weights, scene, instances, alphabet, nowhere, sizes, threads=threads)
    ends = Columns(*(np.concatenate([[0], np.cumsum(size)]) for size in sizes))
    letters = Columns(*(np.empty(max(int(end[-1]), 1), np.uint8) for end in ends))
    run_ranges(_write, weights, scene, instances, alphabet, letters, ends, threads=threads)
    source, target, points = (
        pa.LargeStringArray.from_buffers(rows, pa.py_buffer(end), pa.py_buffer(text))
        for end, text in zip(ends, letters, strict=True)
    )
    return source, target, points


@kernel
def _write(
    start: int,
    stop: int,
    scene: Scene,
    instances: Instances,
    alphabet: Alphabet,
    letters: Columns,
    places: Columns,
) -> None:
    """Write rules at `places`; with no room for letters, measure them there."""
    measure = len(letters.source) == 0
    room: Room = new_room(scene, instances)
    labels = alphabet.labels
    for row in range(start, stop):
        source_size, target_size, points = lay_out(scene, instances, row, room)
        first, second, third = 0, 0, 0
        if not measure:
            first, second, third = places.source[row], places.target[row], places.points[row]
        first = _write_side(
            letters.source, first, room.source[:source_size], alphabet.source, labels
        )
        second = _write_side(
            letters.target, second, room.target[:target_size], alphabet.target, labels
        )
        third = _write_points(letters.points, third, room.points[:points])
        if measure:
            places.source[row], places.target[row], places.points[row] = first, second, third


@kernel
def _write_side(
    letters: NDArray[np.uint8], at: int, symbols: NDArray[np.int64], words: Letters, labels: Letters
) -> int:
    """Write symbols with spaces between them; the place after them."""
    for place in range(len(symbols)):
        if place:
            at = _write_letter(letters, at, _SPACE)
        number, gap = word_or_label(symbols[place]), gap_index(symbols[place])
        if gap == 0:
            at = _write_text(letters, at, words, number)
        else:
            at = _write_letter(letters, at, _OPEN)
            at = _write_text(letters, at, labels, number)
            at = _write_letter(letters, at, _COMMA)
            at = _write_letter(letters, at, _ZERO + gap)
            at = _write_letter(letters, at, _CLOSE)
    return at


@kernel
def _write_points(letters: NDArray[np.uint8], at: int, points: NDArray[np.int64]) -> int:
    for place in range(len(points)):
        if place:
            at = _write_letter(letters, at, _SPACE)
        source, target = point_ends(points[place])
        at = _write_number(letters, at, source)
        at = _write_letter(letters, at, _DASH)
        at = _write_number(letters, at, target)
    return at


@kernel
def _write_letter(letters: NDArray[np.uint8], at: int, letter: int) -> int:
    if len(letters) > 0:
        letters[at] = letter
    return at + 1


@kernel
def _write_text(letters: NDArray[np.uint8], at: int, texts: Letters, number: int) -> int:
    start, end = texts.starts[number], texts.starts[number + 1]
    if len(letters) > 0:
        for letter in range(start, end):
            letters[at + letter - start] = texts.letters[letter]
    return at + end - start


@kernel
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
