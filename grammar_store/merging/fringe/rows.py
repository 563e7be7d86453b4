"""Sets of red classes as rows of bits, one for each non-terminal that needs one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.merging.fringe.compiling import inner, wide

# Counters.
USED, FREE = 0, 1


class Rows(NamedTuple):
    """Row 0 stands for none. A red class has a bit by its number; 0 stands for one without."""

    used: NDArray[np.int64]
    #: by non-terminal: its row
    of: NDArray[np.int32]
    bits: NDArray[np.uint64]
    #: by row: of free ones the next, else whatever its owner notes
    note: NDArray[np.int64]


def new_rows(size: int, room: int, words: int) -> Rows:
    """No rows, with room for some of so many words."""
    return Rows(
        np.zeros(2, np.int64),
        np.zeros(size, np.int32),
        np.zeros((room + 1, words), np.uint64),
        np.zeros(room + 1, np.int64),
    )


def more_rows(rows: Rows, words: int) -> Rows:
    """The same rows, with room for more if there is none, and of at least so many words."""
    return wider_rows(rows, words, len(rows.note) * (1 if has_room(rows) else 2))


def wider_rows(rows: Rows, words: int, room: int = 0) -> Rows:
    """The same rows of at least so many words, with at least so much room."""
    room = max(room, len(rows.note))
    if room == len(rows.note) and words <= rows.bits.shape[1]:
        return rows
    note = np.zeros(room, np.int64)
    note[: len(rows.note)] = rows.note
    used = int(rows.used[USED]) + 1
    return rows._replace(bits=larger_bits(rows.bits[:used], room, words), note=note)


def larger_bits(bits: NDArray[Any], room: int, words: int) -> NDArray[Any]:
    """The same bits among more."""
    larger = np.zeros((room, max(words, bits.shape[1])), bits.dtype)
    larger[: len(bits), : bits.shape[1]] = bits
    return larger


@kernel
def has_room(rows: Rows) -> bool:
    """Whether there is room for one more row."""
    return rows.used[FREE] > 0 or rows.used[USED] + 1 < len(rows.note)


@inner
def has_bit(bits: NDArray[np.uint64], row: int, number: int) -> bool:
    """Whether the red class of a number is in a row."""
    place = np.uint64(number)  # without a sign it needs no look at whether it counts from the end
    word = bits[np.uint64(row), place >> np.uint64(6)]
    return (word >> (place & np.uint64(63))) & np.uint64(1) != 0


@inner
def set_bit(bits: NDArray[np.uint64], row: int, number: int) -> None:
    """Put the red class of a number, if it has one, into a row."""
    if number:
        bits[row, number >> 6] |= np.uint64(1) << np.uint64(number & 63)


@inner
def clear_bit(bits: NDArray[np.uint64], row: int, number: int) -> None:
    """Take the red class of a number out of a row."""
    bits[row, number >> 6] &= ~(np.uint64(1) << np.uint64(number & 63))


@inner
def take_row(rows: Rows, x: int) -> int:
    """Give a non-terminal a row, for which there must be room; what is in it is left over."""
    row = wide(rows.used[FREE])
    if row:
        rows.used[FREE] = rows.note[row]
    else:
        rows.used[USED] += 1
        row = wide(rows.used[USED])
    rows.of[x] = row
    return row


@inner
def release_row(rows: Rows, x: int) -> None:
    """Take the row of a non-terminal back, if it has one."""
    row = wide(rows.of[x])
    if row:
        rows.note[row], rows.used[FREE] = rows.used[FREE], row
        rows.of[x] = 0
