"""Where the smaller red classes lead to, each in a hash table of its own.

Everything that a class of few edges leads to stands close together, so that thousands of rare
non-terminals can be held against it one after another. A class with many edges has no table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.extraction.hashing import mix
from grammar_store.merging.fringe.compiling import inner, wide

_SMALLEST, _LARGEST = 32, 1 << 13
"""How many places a table has to begin with, and at most; half of them are taken."""

_NONE = -1


class Ahead(NamedTuple):
    """See above."""

    #: how many places are in use, of all tables that there are or were
    used: NDArray[np.int64]
    #: by number of a class: where its table begins (see `_NONE`), its places, how many are taken
    start: NDArray[np.int64]
    places: NDArray[np.int32]
    taken: NDArray[np.int32]
    #: by place: a context, and the number of a class that it leads to
    context: NDArray[np.int32]
    over: NDArray[np.uint16]


def new_ahead(numbers: int, edges: int) -> Ahead:
    """Nothing yet, with room for classes of so many numbers and so many edges in all.

    Memory that is not used costs nothing.
    """
    # A table has at most four places for each edge, or the fewest there can be; it was made of
    # others of half as many places, a quarter, and so on.
    room = min(2 * _LARGEST * numbers, 8 * edges + 2 * _SMALLEST * min(numbers, edges))
    return Ahead(
        np.zeros(1, np.int64),
        np.zeros(numbers, np.int64),
        np.zeros(numbers, np.int32),
        np.zeros(numbers, np.int32),
        np.zeros(room, np.int32),
        np.zeros(room, np.uint16),
    )


@inner
def add_ahead(ahead: Ahead, number: int, context: int, over: int) -> None:
    """Note that a class leads through a context to another one."""
    if ahead.start[number] == _NONE:
        return
    if 2 * ahead.taken[number] >= ahead.places[number]:
        _make_room(ahead, number)
        if ahead.start[number] == _NONE:
            return
    _put(ahead, number, context, over)


@inner
def _put(ahead: Ahead, number: int, context: int, over: int) -> None:
    start, mask = ahead.start[number], ahead.places[number] - 1
    place = first_place(context, mask)
    while ahead.context[start + place]:
        place = (place + 1) & mask
    ahead.context[start + place], ahead.over[start + place] = context, over
    ahead.taken[number] += 1


@inner
def _make_room(ahead: Ahead, number: int) -> None:
    """Move the table of a class to one of twice the places, or drop it if it is too large."""
    start, places = ahead.start[number], wide(ahead.places[number])
    if places == _LARGEST:
        ahead.start[number] = _NONE
        return
    ahead.start[number], ahead.places[number] = ahead.used[0], max(_SMALLEST, 2 * places)
    ahead.used[0] += ahead.places[number]
    ahead.taken[number] = 0
    for place in range(start, start + places):
        if ahead.context[place]:
            _put(ahead, number, wide(ahead.context[place]), wide(ahead.over[place]))


@inner
def has_table(ahead: Ahead, number: int) -> bool:
    """Whether it is known here where a class leads to."""
    return ahead.start[number] != _NONE and ahead.taken[number] > 0


@inner
def first_place(context: int, mask: int) -> int:
    """Where to look for a context, on to the first place that is free."""
    return wide(mix(np.uint64(context)) & np.uint64(mask))
