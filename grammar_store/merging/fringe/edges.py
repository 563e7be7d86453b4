"""Which red class leads through which context to which red class.

A class leads through a context to all left-hand sides of its rules with that context. Red classes
have numbers here, so that sets of them are rows of bits. All edges through one context to one class
are a *way*: a list, and once somebody asks for it, a row of those that lead there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grammar_store.extraction.hashing import mix
from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.rows import larger_bits, set_bit

_MOST = 1 << 16
"""Only so many red classes have a number."""

# Counters. TIME is also the index of the last edge.
NUMBERS, TIME, WAYS, ROWS = 0, 1, 2, 3


class Edges(NamedTuple):
    """See above; 0 stands for no number, no edge and no row."""

    used: NDArray[np.int64]
    #: by non-terminal
    number: NDArray[np.int32]
    #: by context: see `_CONTEXT`
    of: NDArray[np.void]
    edge: NDArray[np.void]
    #: a hash table of ways, and their rows
    way: NDArray[np.void]
    bits: NDArray[np.uint64]


# From whom and to whom it leads, by number; the next older edge of the context and of the way.
_EDGE = np.dtype(
    [("start", np.uint16), ("end", np.uint16), ("older", np.int32), ("older_on_way", np.int32)]
)
_CONTEXT = np.dtype(
    [
        # where edges lead to, as bits that several classes share, and if there are many, as a row
        ("ends", np.uint64),
        ("row", np.int32),
        ("newest", np.int32),
    ]
)
_WAY = np.dtype([("key", np.uint64), ("newest", np.int32), ("row", np.int32)])


def new_edges(size: int, contexts: int, room: int, rows: int, words: int) -> Edges:
    """No edges, with room for some."""
    return Edges(
        np.zeros(4, np.int64),
        np.zeros(size, np.int32),
        np.zeros(contexts, _CONTEXT),
        np.zeros(room + 1, _EDGE),
        np.zeros(1 << (2 * room).bit_length(), _WAY),
        np.zeros((rows + 1, words), np.uint64),
    )


def more_edges(edges: Edges, room: int) -> Edges:
    """The same edges, with room for so many more, and for more rows and numbers if need be."""
    words, rows = edges.bits.shape[1], len(edges.bits)
    if not has_numbers(edges):
        words *= 2
    if not _has_rows(edges):
        rows *= 2
    bits = edges.bits
    if (rows, words) != bits.shape:
        bits = larger_bits(bits, rows, words)
    if has_room(edges, room):
        return edges._replace(bits=bits)
    time = int(edges.used[TIME])
    larger = new_edges(1, 1, time + time // 2 + room, 0, 1)
    larger.edge[: len(edges.edge)] = edges.edge
    _copy_ways(edges, larger)
    return edges._replace(edge=larger.edge, way=larger.way, bits=bits)


@njit(cache=True, nogil=True)
def _copy_ways(edges: Edges, larger: Edges) -> None:
    for place in range(len(edges.way)):
        if edges.way[place].key:
            other = _place(larger, edges.way[place].key)
            larger.way[other].key = edges.way[place].key
            larger.way[other].newest = edges.way[place].newest
            larger.way[other].row = edges.way[place].row


@njit(cache=True, nogil=True)
def has_room(edges: Edges, room: int) -> bool:
    """Whether there is room for so many more edges."""
    return edges.used[TIME] + room < len(edges.edge) and (
        2 * (edges.used[WAYS] + room) < len(edges.way)
    )


@njit(cache=True, nogil=True)
def has_numbers(edges: Edges) -> bool:
    """Whether there is a number for one more red class, or there are as many as can be."""
    return edges.used[NUMBERS] + 1 < min(64 * edges.bits.shape[1], _MOST) or (
        edges.used[NUMBERS] + 1 == _MOST
    )


@inner
def has_all_numbers(edges: Edges) -> bool:
    """Whether every red class has a number."""
    return edges.used[NUMBERS] + 1 < _MOST


@njit(cache=True, nogil=True)
def _has_rows(edges: Edges) -> bool:
    return edges.used[ROWS] + 1 < len(edges.bits)


@inner
def has_room_for_all(edges: Edges, room: int) -> bool:
    """Whether there is room for so many edges, a number and a row."""
    return has_room(edges, room) and has_numbers(edges) and _has_rows(edges)


@inner
def give_number(edges: Edges, red: int) -> None:
    """Give a new red class a number, while there are any."""
    if has_all_numbers(edges):
        edges.used[NUMBERS] += 1
        edges.number[red] = edges.used[NUMBERS]


@inner
def add_edge(edges: Edges, context: int, red: int, other: int) -> None:
    """Note that a red class leads through a context to another one."""
    number, over = wide(edges.number[red]), wide(edges.number[other])
    if number == 0 or over == 0:
        return
    edges.used[TIME] += 1
    new, place = wide(edges.used[TIME]), take_way(edges, context, over)
    edges.edge[new].start, edges.edge[new].end = number, over
    edges.edge[new].older, edges.of[context].newest = edges.of[context].newest, new
    edges.of[context].ends |= _end(over)
    if edges.of[context].row:
        set_bit(edges.bits, wide(edges.of[context].row), over)
    edges.edge[new].older_on_way, edges.way[place].newest = edges.way[place].newest, new
    if edges.way[place].row:
        set_bit(edges.bits, wide(edges.way[place].row), number)


@inner
def find_way(edges: Edges, context: int, over: int) -> int:
    """The place of the way through a context to the class of a number; -1 if there is none."""
    if not edges.of[context].ends & _end(over):
        return -1
    place = _place(edges, _key(context, over))
    return place if edges.way[place].key else -1


@inner
def row_of_way(edges: Edges, place: int) -> int:
    """The row of all that lead there, made if need be; 0 if there is no room for one."""
    if edges.way[place].row == 0 and _has_rows(edges):
        edges.used[ROWS] += 1
        edges.way[place].row = edges.used[ROWS]
        edge = wide(edges.way[place].newest)
        while edge:
            set_bit(edges.bits, wide(edges.way[place].row), wide(edges.edge[edge].start))
            edge = wide(edges.edge[edge].older_on_way)
    return wide(edges.way[place].row)


@inner
def row_of_ends(edges: Edges, context: int) -> int:
    """The row of all that edges through a context lead to; 0 if there is no room for one."""
    if edges.of[context].row == 0 and _has_rows(edges):
        edges.used[ROWS] += 1
        edges.of[context].row = edges.used[ROWS]
        edge = wide(edges.of[context].newest)
        while edge:
            set_bit(edges.bits, wide(edges.of[context].row), wide(edges.edge[edge].end))
            edge = wide(edges.edge[edge].older)
    return wide(edges.of[context].row)


@inner
def take_way(edges: Edges, context: int, over: int) -> int:
    """The place of a way, also if nobody leads there."""
    key = _key(context, over)
    place = _place(edges, key)
    if edges.way[place].key == 0:
        edges.way[place].key = key
        edges.used[WAYS] += 1
    return place


@inner
def _end(over: int) -> np.uint64:
    return np.uint64(1) << np.uint64(over & 63)


@inner
def _key(context: int, over: int) -> np.uint64:
    return (np.uint64(context) << np.uint64(32)) | np.uint64(over)


@inner
def _place(edges: Edges, key: np.uint64) -> int:
    mask = np.uint64(len(edges.way) - 1)
    place = mix(key) & mask
    while edges.way[place].key != 0 and edges.way[place].key != key:
        place = (place + np.uint64(1)) & mask
    return wide(place)
