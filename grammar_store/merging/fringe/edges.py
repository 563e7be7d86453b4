"""Which red class leads through which context to which red class.

A class leads through a context to all left-hand sides of its rules with that context. Red classes
have numbers here, so that sets of them are rows of bits. The edges of a context stand side by side,
oldest first: it is known how many a context can have, so there is room for all of them from the
start. All edges through one context to one class are a *way*; in a context of very many rules each
edge knows the one before it on its way, and a table tells the last one of each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.extraction.hashing import mix
from grammar_store.merging.fringe.ahead import Ahead, add_ahead, new_ahead
from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.rows import larger_bits, set_bit

_MOST = 1 << 16
"""Only so many red classes have a number."""

_HUB = 64
"""A context with so many rules has a row of all classes that lead through it, and another one of
all that they lead to."""

_LARGE = 256
"""A context with so many rules has a table of its ways."""

# Counters. TIME is how many edges there are in all, FRESH of how many somebody must still be told.
NUMBERS, TIME, ROWS, WAYS, FRESH = 0, 1, 2, 3, 4


class Edges(NamedTuple):
    """See above; 0 stands for no number and no row."""

    used: NDArray[np.int64]
    #: by non-terminal
    number: NDArray[np.int32]
    #: by context: where its edges begin, how many there are, and the first row of a hub
    starts: NDArray[np.int64]
    length: NDArray[np.int32]
    full: NDArray[np.int32]
    #: from whom and to whom, and where the edge before is, plus 1
    edge: NDArray[np.void]
    #: by context: its table of ways, 0 if it has none; by table and number of the class that a way
    #: leads to: where its last edge is, plus 1
    table: NDArray[np.int32]
    last: NDArray[np.int32]
    #: a hash table of the ways that somebody asked for, with their rows
    way: NDArray[np.void]
    bits: NDArray[np.uint64]
    ahead: Ahead
    #: by context: nodes of those who are told of its new edges; and where there are new ones
    told: NDArray[np.int32]
    fresh: NDArray[np.int32]


_EDGE = np.dtype([("start", np.uint16), ("end", np.uint16), ("earlier", np.int32)])
_WAY = np.dtype([("key", np.uint64), ("row", np.int64)])


def new_edges(size: int, most: NDArray[np.int64], ways: int, words: int) -> Edges:
    """No edges, with room for so `most` edges in each context, and for so many ways."""
    is_hub, is_large = most >= _HUB, most >= _LARGE
    starts = np.concatenate([[0], np.cumsum(most)])
    hubs = int(is_hub.sum())
    return Edges(
        np.array([0, 0, 2 * hubs, 0, 0]),
        np.zeros(size, np.int32),
        starts,
        np.zeros(len(is_hub), np.int32),
        np.where(is_hub, 2 * np.cumsum(is_hub) - 1, 0).astype(np.int32),
        np.zeros(int(starts[-1]), _EDGE),
        np.where(is_large, np.cumsum(is_large), 0).astype(np.int32),
        np.zeros((1 + int(is_large.sum()), 64 * words), np.int32),
        _new_ways(ways),
        np.zeros((1 + 2 * hubs + ways, words), np.uint64),
        new_ahead(_MOST, int(starts[-1])),
        np.zeros(len(is_hub), np.int32),
        np.zeros(int(starts[-1]) + _MOST, np.int32),
    )


def more_edges(edges: Edges) -> Edges:
    """The same edges, with room for numbers, rows and ways if need be."""
    words, rows, used = edges.bits.shape[1], len(edges.bits), int(edges.used[ROWS]) + 1
    if not has_numbers(edges):
        words += words // 4 + 1
    if not _has_rows(edges):
        rows *= 2
    if (rows, words) != edges.bits.shape:
        edges = edges._replace(
            bits=larger_bits(edges.bits[:used], rows, words),
            last=larger_bits(edges.last, len(edges.last), 64 * words),
        )
    if not _has_ways(edges):
        larger = edges._replace(way=_new_ways(len(edges.way)))
        _copy_ways(edges, larger)
        edges = larger
    return edges


def _new_ways(room: int) -> NDArray[np.void]:
    return np.zeros(1 << (2 * room).bit_length(), _WAY)


@kernel
def _copy_ways(edges: Edges, larger: Edges) -> None:
    for place in range(len(edges.way)):
        if edges.way[place].key:
            other = _place(larger, edges.way[place].key)
            larger.way[other].key = edges.way[place].key
            larger.way[other].row = edges.way[place].row


@kernel
def has_numbers(edges: Edges) -> bool:
    """Whether there is a number for one more red class, or there are as many as can be."""
    return edges.used[NUMBERS] + 1 < min(64 * edges.bits.shape[1], _MOST) or (
        edges.used[NUMBERS] + 1 == _MOST
    )


@inner
def has_numbers_for(edges: Edges, more: int) -> bool:
    """Whether there are numbers for so many more classes."""
    return edges.used[NUMBERS] + more + 1 < min(64 * edges.bits.shape[1], _MOST)


@inner
def has_all_numbers(edges: Edges) -> bool:
    """Whether every red class has a number."""
    return edges.used[NUMBERS] + 1 < _MOST


@kernel
def _has_rows(edges: Edges) -> bool:
    return edges.used[ROWS] + 1 < len(edges.bits)


@kernel
def _has_ways(edges: Edges) -> bool:
    return 2 * (edges.used[WAYS] + 1) < len(edges.way)


@inner
def has_room_for_all(edges: Edges) -> bool:
    """Whether there is room for one more number, row and way."""
    return has_numbers(edges) and _has_rows(edges) and _has_ways(edges)


@inner
def give_number(edges: Edges, red: int) -> None:
    """Give a new red class a number, unless it has one, while there are any."""
    if edges.number[red] == 0 and has_all_numbers(edges):
        edges.used[NUMBERS] += 1
        edges.number[red] = edges.used[NUMBERS]


@inner
def add_edge(edges: Edges, context: int, number: int, over: int) -> None:
    """Note that the red class of a number leads through a context to another one."""
    new = edges.starts[context] + edges.length[context]
    edges.edge[new].start, edges.edge[new].end = number, over
    edges.length[context] += 1
    note_news(edges, context)
    add_ahead(edges.ahead, number, context, over)
    if edges.full[context]:
        set_bit(edges.bits, wide(edges.full[context]), number)
        set_bit(edges.bits, wide(edges.full[context]) + 1, over)
    table = wide(edges.table[context])
    if table:
        edges.edge[new].earlier, edges.last[table, over] = edges.last[table, over], new + 1
    row = wide(edges.way[_place(edges, _key(context, over))].row)
    if row:
        set_bit(edges.bits, row, number)


@inner
def note_news(edges: Edges, context: int) -> None:
    """Note that what follows from the edges of a context may not be up to date."""
    edges.used[TIME] += 1
    if edges.told[context]:
        edges.fresh[edges.used[FRESH]] = context
        edges.used[FRESH] += 1


@inner
def row_of_way(edges: Edges, context: int, over: int) -> int:
    """The row of all that lead through a context to the class of a number."""
    key = _key(context, over)
    place = _place(edges, key)
    if edges.way[place].key == 0:
        edges.used[WAYS] += 1
        edges.used[ROWS] += 1
        edges.way[place].key, edges.way[place].row = key, edges.used[ROWS]
        start = edges.starts[context]
        for at in range(start, start + edges.length[context]):
            if edges.edge[at].end == over:
                set_bit(edges.bits, wide(edges.used[ROWS]), wide(edges.edge[at].start))
    return wide(edges.way[place].row)


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
