"""Foes that many share.

A non-terminal that fills a context in a rule of z fails against all who lead through that context
to a foe of z. Thousands of rare ones have most of their foes in this way, through two or three
contexts that many fill. So non-terminals are in *camps*. All in a camp have these foes:

    foes(camp) = foes(its parent) ∪ {R : R leads through t to Q, Q in foes(the camp above)}.

A camp has its foes by an edge the moment that the edge is there, and by a foe of the camp above the
moment that one has it: they are never looked for again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grammar_store.extraction.hashing import mix
from grammar_store.merging.fringe.compiling import allocating, inner, wide
from grammar_store.merging.fringe.edges import Edges, last_edge
from grammar_store.merging.fringe.rows import has_bit, larger_bits, set_bit

HAPAXES, NOBODY = 0, 1
"""The first camps: the foes of hapaxes are the keen ones, others have none to begin with."""

_MOST = 1 << 17
"""How many camps there can be."""

_FEW = 32
"""From this part of so many on those that nobody needs are dissolved now and then."""

# How many camps there are, a clock that goes on when something is noted, and how many camps there
# must be until those that nobody needs are dissolved.
CAMPS, CLOCK, LIMIT = 0, 1, 2


class Camps(NamedTuple):
    """See above. A camp is a child of its parent; 0 ends all lists."""

    used: NDArray[np.int64]
    #: by non-terminal
    of: NDArray[np.int32]
    camp: NDArray[np.void]
    #: by row of a hub: the first camp whose foes are got through it
    first_through: NDArray[np.int32]
    #: a hash table of camps by parent, context and camp above
    places: NDArray[np.int32]
    bits: NDArray[np.uint64]
    #: by row of a hub: foes that all of these camps have
    common: NDArray[np.uint64]


_CAMP = np.dtype(
    [
        # when it last got a foe
        ("found", np.int64),
        ("parent", np.int32),
        ("context", np.int32),
        ("above", np.int32),
        # lists: its children, those that are below it, those of one context
        ("first_child", np.int32),
        ("next_child", np.int32),
        ("first_below", np.int32),
        ("next_below", np.int32),
        ("next_through", np.int32),
    ],
    align=True,
)


def new_camps(size: int, hubs: int, words: int) -> Camps:
    """The first camps, without members."""
    return Camps(
        np.array([0, 0, _MOST // _FEW]),
        np.zeros(size, np.int32),
        np.zeros(_MOST, _CAMP),
        np.zeros(1 + hubs, np.int32),
        np.zeros(1 << (2 * _MOST).bit_length(), np.int32),
        np.zeros((_MOST, words), np.uint64),
        np.zeros((1 + hubs, words), np.uint64),
    )


def wider_camps(camps: Camps, words: int) -> Camps:
    """The same camps with room for as many foes as there are bits in so many words."""
    if words == camps.bits.shape[1]:
        return camps
    used = int(camps.used[CAMPS])
    return camps._replace(
        bits=larger_bits(camps.bits[:used], len(camps.camp), words),
        common=larger_bits(camps.common, len(camps.common), words),
    )


@njit(cache=True, nogil=True)
def break_up(camps: Camps, is_hapax: NDArray[np.bool_]) -> None:
    """Leave nothing but the first camps."""
    for x in range(len(camps.of)):
        camps.of[x] = HAPAXES if is_hapax[x] else NOBODY
    camps.used[CAMPS], camps.used[LIMIT] = NOBODY + 1, len(camps.camp) // _FEW
    camps.used[CLOCK] += 1
    for camp in range(NOBODY + 1):
        camps.camp[camp].found = camps.used[CLOCK]
    _unlink_all(camps)


@allocating
def dissolve(edges: Edges, camps: Camps) -> bool:
    """Dissolve all camps that nobody needs any more; False if too many are left."""
    used = camps.used[CAMPS]
    needed = np.zeros(used, np.bool_)
    needed[: NOBODY + 1] = True
    for x in range(len(camps.of)):
        needed[camps.of[x]] = True
    for camp in range(used - 1, NOBODY, -1):  # a camp comes after those that it gets its foes from
        if needed[camp]:
            needed[camps.camp[camp].parent] = needed[camps.camp[camp].above] = True
    new = np.cumsum(needed).astype(np.int32) - np.int32(1)
    _unlink_all(camps)
    for camp in range(NOBODY + 1, used):
        if needed[camp]:
            parent, above = new[camps.camp[camp].parent], new[camps.camp[camp].above]
            context = wide(camps.camp[camp].context)
            camps.camp[new[camp]].found = camps.camp[camp].found
            camps.bits[new[camp]] = camps.bits[camp]
            _link(edges, camps, wide(new[camp]), wide(parent), context, wide(above))
    for x in range(len(camps.of)):
        camps.of[x] = new[camps.of[x]]
    camps.used[CAMPS] = new[-1] + 1
    camps.used[LIMIT] = max(camps.used[CAMPS] * 3 // 2, len(camps.camp) // _FEW)
    return camps.used[LIMIT] < len(camps.camp)


@inner
def are_many(camps: Camps) -> bool:
    """Whether it is time to dissolve camps."""
    return camps.used[CAMPS] >= camps.used[LIMIT]


@inner
def has_room_for_camps(camps: Camps) -> bool:
    """Whether there can be one more camp."""
    return camps.used[CAMPS] < len(camps.camp)


@inner
def shares(camps: Camps, x: int, context: int, above: int) -> bool:
    """Whether a non-terminal has the foes that it gets through a context from a camp."""
    camp = wide(camps.of[x])
    while camp > NOBODY:
        if camps.camp[camp].context == context and camps.camp[camp].above == above:
            return True
        camp = wide(camps.camp[camp].parent)
    return False


@inner
def join(edges: Edges, camps: Camps, x: int, context: int, above: int) -> None:
    """Let a non-terminal get foes through a hub from a camp, for which there must be room."""
    parent = wide(camps.of[x])
    place = _place(camps, parent, context, above)
    if camps.places[place] == 0:
        _found_camp(edges, camps, parent, context, above)
    camps.of[x] = camps.places[place]


@inner
def _place(camps: Camps, parent: int, context: int, above: int) -> int:
    mask = np.uint64(len(camps.places) - 1)
    key = mix((np.uint64(parent) << np.uint64(32)) | np.uint64(above)) ^ np.uint64(context)
    place = mix(key) & mask
    while True:
        camp = camps.places[place]
        if camp == 0 or (
            camps.camp[camp].parent == parent
            and camps.camp[camp].context == context
            and camps.camp[camp].above == above
        ):
            return wide(place)
        place = (place + np.uint64(1)) & mask


@inner
def _found_camp(edges: Edges, camps: Camps, parent: int, context: int, above: int) -> None:
    camp = wide(camps.used[CAMPS])
    camps.used[CAMPS] += 1
    _link(edges, camps, camp, parent, context, above)
    camps.used[CLOCK] += 1
    camps.camp[camp].found = camps.used[CLOCK]
    for word in range(camps.bits.shape[1]):
        camps.bits[camp, word] = camps.bits[parent, word]
    start = edges.starts[context]
    for at in range(start, start + edges.length[context]):
        if has_bit(camps.bits, above, wide(edges.edge[at].end)):
            set_bit(camps.bits, camp, wide(edges.edge[at].start))
    for word in range(camps.bits.shape[1]):
        camps.common[edges.full[context], word] &= camps.bits[camp, word]


@inner
def _link(edges: Edges, camps: Camps, camp: int, parent: int, context: int, above: int) -> None:
    """Put a camp where it will be found."""
    camps.places[_place(camps, parent, context, above)] = camp
    hub = edges.full[context]
    new, old, higher = camps.camp[camp], camps.camp[parent], camps.camp[above]
    new.parent, new.context, new.above = parent, context, above
    new.first_child = new.first_below = 0
    new.next_child, old.first_child = old.first_child, camp
    new.next_below, higher.first_below = higher.first_below, camp
    new.next_through, camps.first_through[hub] = camps.first_through[hub], camp


@inner
def _unlink_all(camps: Camps) -> None:
    for hub in range(len(camps.first_through)):
        camps.first_through[hub] = 0
    for place in range(len(camps.places)):
        camps.places[place] = 0
    for camp in range(NOBODY + 1):
        camps.camp[camp].first_child = camps.camp[camp].first_below = 0


@inner
def follow(edges: Edges, camps: Camps, context: int, number: int, over: int) -> None:
    """Tell the camps that the red class of a number leads through a context to another."""
    hub = wide(edges.full[context])
    camp = wide(camps.first_through[hub])  # of 0 there is none
    if camp == 0 or has_bit(camps.common, hub, number):
        return
    all_have_it = True
    while camp:
        if has_bit(camps.bits, wide(camps.camp[camp].above), over):
            add_to_camp(edges, camps, camp, number)
        all_have_it &= has_bit(camps.bits, camp, number)
        camp = wide(camps.camp[camp].next_through)
    if all_have_it:
        set_bit(camps.common, hub, number)


@inner
def add_to_camp(edges: Edges, camps: Camps, camp: int, number: int) -> None:
    """Note a foe of a camp, and all that follow from it."""
    if not has_bit(camps.bits, camp, number):
        _spread(edges, camps, camp, number)


@allocating
def _spread(edges: Edges, camps: Camps, camp: int, number: int) -> None:
    set_bit(camps.bits, camp, number)
    waiting = [(camp, number)]
    camps.used[CLOCK] += 1
    while len(waiting) > 0:
        camp, number = waiting.pop()
        camps.camp[camp].found = camps.used[CLOCK]
        child = wide(camps.camp[camp].first_child)
        while child:
            if not has_bit(camps.bits, child, number):
                set_bit(camps.bits, child, number)
                waiting.append((child, number))
            child = wide(camps.camp[child].next_child)
        below = wide(camps.camp[camp].first_below)
        while below:
            at = last_edge(edges, wide(camps.camp[below].context), number)
            while at:
                start = wide(edges.edge[at - 1].start)
                if not has_bit(camps.bits, below, start):
                    set_bit(camps.bits, below, start)
                    waiting.append((below, start))
                at = wide(edges.edge[at - 1].earlier)
            below = wide(camps.camp[below].next_below)
