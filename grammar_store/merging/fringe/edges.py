"""Which red class leads through which context to which red class.

A class leads through a context to all left-hand sides of its rules with that context. Red classes
have numbers here, so that sets of them are rows of bits. The set of all that lead through one
context to one class, a *way*, is kept once somebody asks for it.
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
"""Only so many red classes have a number: an edge is two numbers of 16 bits."""

_EDGES = 14
_OVER = np.uint32(_MOST - 1)

# Counters.
NUMBERS, CHUNKS, WAYS = 0, 1, 2


class Edges(NamedTuple):
    """See above; 0 stands for no number, no edge, no chunk and no way."""

    used: NDArray[np.int64]
    #: by non-terminal
    number: NDArray[np.int32]
    #: by context: the first edge, and a chunk of more
    first: NDArray[np.uint32]
    more: NDArray[np.int32]
    #: the next chunk, how many edges are in this one, and these
    chunk: NDArray[np.uint32]
    #: a hash table of ways by context and class, the row of each, and the rows
    way: NDArray[np.uint64]
    row: NDArray[np.int32]
    bits: NDArray[np.uint64]


def new_edges(size: int, contexts: int, chunks: int, ways: int, words: int) -> Edges:
    """No edges, with room for some."""
    places = 1 << (2 * ways).bit_length()
    return Edges(
        np.zeros(3, np.int64),
        np.zeros(size, np.int32),
        np.zeros(contexts, np.uint32),
        np.zeros(contexts, np.int32),
        np.zeros((chunks + 1, _EDGES + 2), np.uint32),
        np.zeros(places, np.uint64),
        np.zeros(places, np.int32),
        np.zeros((ways + 1, words), np.uint64),
    )


def more_edges(edges: Edges, chunks: int) -> Edges:
    """The same edges, with room for so many more chunks, and more ways and numbers if need be."""
    words, ways = edges.bits.shape[1], len(edges.bits) - 1
    if not has_numbers(edges):
        words *= 2
    if not has_ways(edges):
        ways *= 2
    room, used = len(edges.chunk) - 1, int(edges.used[CHUNKS])
    if room - used < chunks:
        room = used + used // 2 + chunks
    larger = new_edges(1, 1, room, ways, words)
    larger.chunk[: len(edges.chunk)] = edges.chunk
    _fill(edges, larger)
    return edges._replace(
        chunk=larger.chunk,
        way=larger.way,
        row=larger.row,
        bits=larger_bits(edges.bits, ways + 1, words),
    )


@njit(cache=True, nogil=True)
def _fill(edges: Edges, larger: Edges) -> None:
    for place in range(len(edges.way)):
        if edges.way[place]:
            other = _place(larger, edges.way[place])
            larger.way[other], larger.row[other] = edges.way[place], edges.row[place]


@njit(cache=True, nogil=True)
def has_numbers(edges: Edges) -> bool:
    """Whether there is a number for one more red class, or there are as many as can be."""
    return edges.used[NUMBERS] + 1 < min(64 * edges.bits.shape[1], _MOST) or (
        edges.used[NUMBERS] + 1 == _MOST
    )


@njit(cache=True, nogil=True)
def has_ways(edges: Edges) -> bool:
    """Whether there is room for one more way."""
    return edges.used[WAYS] + 1 < len(edges.bits)


@inner
def give_number(edges: Edges, red: int) -> None:
    """Give a new red class a number, while there are any."""
    if edges.used[NUMBERS] + 1 < _MOST:
        edges.used[NUMBERS] += 1
        edges.number[red] = edges.used[NUMBERS]


@inner
def add_edge(edges: Edges, context: int, red: int, other: int) -> None:
    """Note that a red class leads through a context to another one."""
    number, over = np.uint32(edges.number[red]), np.uint32(edges.number[other])
    if number == 0 or over == 0:
        return
    edge = (number << np.uint32(16)) | over
    if edges.first[context] == 0:
        edges.first[context] = edge
    else:
        chunk = wide(edges.more[context])
        if chunk == 0 or edges.chunk[chunk, 1] == _EDGES:
            edges.used[CHUNKS] += 1
            edges.chunk[edges.used[CHUNKS], 0] = chunk
            chunk = wide(edges.used[CHUNKS])
            edges.more[context] = chunk
        edges.chunk[chunk, 2 + edges.chunk[chunk, 1]] = edge
        edges.chunk[chunk, 1] += np.uint32(1)
    way = wide(edges.row[_place(edges, _key(context, other))])
    if way:
        set_bit(edges.bits, way, wide(number))


@inner
def find_way(edges: Edges, context: int, other: int) -> int:
    """The row of all that lead through a context to a red class, made if need be."""
    place = _place(edges, _key(context, other))
    if edges.way[place] == 0:
        edges.used[WAYS] += 1
        edges.way[place], edges.row[place] = _key(context, other), edges.used[WAYS]
        over = wide(edges.number[other])
        if over and edges.first[context]:
            way = wide(edges.row[place])
            _add_to_way(edges, way, over, edges.first[context])
            chunk = wide(edges.more[context])
            while chunk:
                for at in range(2, 2 + wide(edges.chunk[chunk, 1])):
                    _add_to_way(edges, way, over, edges.chunk[chunk, at])
                chunk = wide(edges.chunk[chunk, 0])
    return wide(edges.row[place])


@inner
def _add_to_way(edges: Edges, way: int, over: int, edge: np.uint32) -> None:
    if edge_to(edge) == over:
        set_bit(edges.bits, way, edge_from(edge))


@inner
def edge_from(edge: np.uint32) -> int:
    """The number of the class that leads to another."""
    return wide(edge >> np.uint32(16))


@inner
def edge_to(edge: np.uint32) -> int:
    """The number of the class that it leads to."""
    return wide(edge & _OVER)


@inner
def _key(context: int, other: int) -> np.uint64:
    return (np.uint64(context) << np.uint64(32)) | np.uint64(other)


@inner
def _place(edges: Edges, key: np.uint64) -> int:
    mask = np.uint64(len(edges.way) - 1)
    place = mix(key) & mask
    while edges.way[place] != 0 and edges.way[place] != key:
        place = (place + np.uint64(1)) & mask
    return wide(place)
