"""Foes that many share.

A non-terminal that fills a context in a rule of z fails against all who lead through that context
to a foe of z. Thousands of rare ones have most of their foes in this way, through two or three
contexts that many fill. So non-terminals are in *camps*. All in a camp have these foes:

    foes(camp) = foes(its parent) ∪ {R : R leads through t to Q, Q in foes(the camp above)}.

A camp has its foes by an edge the moment that the edge is there, and by a foe of the camp above the
moment that one has it: they are never looked for again. Camps whose foes are got through the same
context stand in blocks of 64, and each block has its foes by number as well: who of a block do not
have one yet is seen at once, and most have most.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grammar_store.extraction.hashing import mix
from grammar_store.merging.fringe.compiling import allocating, inner, wide
from grammar_store.merging.fringe.edges import Edges, last_edge
from grammar_store.merging.fringe.rows import count_bits, has_bit, larger_bits, set_bit

HAPAXES, NOBODY = 0, 1
"""The first camps: the foes of hapaxes are the keen ones, others have none to begin with."""

_MOST = 1 << 17
"""How many camps there can be."""

_FEW = 32
"""From this part of so many on those that nobody needs are dissolved now and then."""

# How many camps there are, a clock that goes on when something is noted, how many camps there must
# be until those that nobody needs are dissolved, and how many blocks there are.
CAMPS, CLOCK, LIMIT, BLOCKS = 0, 1, 2, 3


class Camps(NamedTuple):
    """See above. A camp is a child of its parent; 0 ends all lists."""

    used: NDArray[np.int64]
    #: by non-terminal
    of: NDArray[np.int32]
    camp: NDArray[np.void]
    #: a hash table of camps by parent, context and camp above
    places: NDArray[np.int32]
    bits: NDArray[np.uint64]
    #: by row of a hub: the last block of camps whose foes are got through it
    last_block: NDArray[np.int32]
    block: NDArray[np.void]
    #: by block and number of a foe: who has it
    having: NDArray[np.uint64]


_CAMP = np.dtype(
    [
        # when it last got a foe
        ("found", np.int64),
        ("parent", np.int32),
        ("context", np.int32),
        ("above", np.int32),
        # lists: its children, those that are below it
        ("first_child", np.int32),
        ("next_child", np.int32),
        ("first_below", np.int32),
        ("next_below", np.int32),
        # the row of its hub, and where it stands
        ("hub", np.int32),
        ("block", np.int32),
        ("place", np.int32),
    ],
    align=True,
)
# The camps of a block, how many there are, and the block before of the same context.
_BLOCK = np.dtype([("length", np.int32), ("earlier", np.int32), ("camp", np.int32, 64)])


def new_camps(size: int, hubs: int, words: int) -> Camps:
    """The first camps, without members."""
    blocks = 1 + hubs + _MOST // 64
    return Camps(
        np.array([0, 0, _MOST // _FEW, 0]),
        np.zeros(size, np.int32),
        np.zeros(_MOST, _CAMP),
        np.zeros(1 << (2 * _MOST).bit_length(), np.int32),
        np.zeros((_MOST, words), np.uint64),
        np.zeros(1 + hubs, np.int32),
        np.zeros(blocks, _BLOCK),
        np.zeros((blocks, 64 * words), np.uint64),
    )


def wider_camps(camps: Camps, words: int) -> Camps:
    """The same camps with room for as many foes as there are bits in so many words."""
    if words == camps.bits.shape[1]:
        return camps
    used = int(camps.used[CAMPS])
    return camps._replace(
        bits=larger_bits(camps.bits[:used], len(camps.camp), words),
        having=larger_bits(camps.having[: camps.used[BLOCKS] + 1], len(camps.having), 64 * words),
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
            _enter(camps, wide(new[camp]))
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
    _enter(camps, camp)


@inner
def _link(edges: Edges, camps: Camps, camp: int, parent: int, context: int, above: int) -> None:
    """Put a camp where it will be found."""
    camps.places[_place(camps, parent, context, above)] = camp
    new, old, higher = camps.camp[camp], camps.camp[parent], camps.camp[above]
    new.parent, new.context, new.above = parent, context, above
    new.first_child = new.first_below = 0
    new.next_child, old.first_child = old.first_child, camp
    new.next_below, higher.first_below = higher.first_below, camp
    new.hub = hub = edges.full[context]
    block = camps.last_block[hub]
    if block == 0 or camps.block[block].length == 64:
        camps.used[BLOCKS] += 1
        camps.block[camps.used[BLOCKS]].earlier, camps.block[camps.used[BLOCKS]].length = block, 0
        camps.last_block[hub] = block = np.int32(camps.used[BLOCKS])
    new.block, new.place = block, camps.block[block].length
    camps.block[block].camp[new.place] = camp
    camps.block[block].length += 1


@inner
def _enter(camps: Camps, camp: int) -> None:
    """Have a camp that is new in its block among those that have its foes."""
    block, one = camps.camp[camp].block, np.uint64(1) << np.uint64(camps.camp[camp].place)
    for word in range(camps.bits.shape[1]):
        left = camps.bits[camp, word]
        while left:
            camps.having[block, 64 * word + _lowest(left)] |= one
            left &= left - np.uint64(1)


@inner
def _lowest(word: np.uint64) -> int:
    """The place of the lowest bit that is set."""
    return count_bits(~word & (word - np.uint64(1)))


@inner
def _unlink_all(camps: Camps) -> None:
    for hub in range(len(camps.last_block)):
        camps.last_block[hub] = 0
    for block in range(camps.used[BLOCKS] + 1):
        camps.having[block, :] = np.uint64(0)
    camps.used[BLOCKS] = 0
    for place in range(len(camps.places)):
        camps.places[place] = 0
    for camp in range(NOBODY + 1):
        camps.camp[camp].first_child = camps.camp[camp].first_below = 0


@inner
def follow(edges: Edges, camps: Camps, context: int, number: int, over: int) -> None:
    """Tell the camps that the red class of a number leads through a context to another."""
    block = wide(camps.last_block[edges.full[context]])  # of 0 there is none
    while block:
        all_of_them = ~np.uint64(0) >> np.uint64(64 - camps.block[block].length)
        left = all_of_them & ~camps.having[block, number]
        while left:
            camp = wide(camps.block[block].camp[_lowest(left)])
            if has_bit(camps.bits, wide(camps.camp[camp].above), over):
                add_to_camp(edges, camps, camp, number)
            left &= left - np.uint64(1)
        block = wide(camps.block[block].earlier)


@inner
def add_to_camp(edges: Edges, camps: Camps, camp: int, number: int) -> None:
    """Note a foe of a camp, and all that follow from it."""
    if _add(camps, camp, number):
        camps.used[CLOCK] += 1
        camps.camp[camp].found = camps.used[CLOCK]
        if camps.camp[camp].first_child or camps.camp[camp].first_below:
            _spread(edges, camps, camp, number)


@inner
def _add(camps: Camps, camp: int, number: int) -> bool:
    """Note a foe of a camp; False if it is one already."""
    if has_bit(camps.bits, camp, number):
        return False
    set_bit(camps.bits, camp, number)
    camps.having[camps.camp[camp].block, number] |= np.uint64(1) << np.uint64(
        camps.camp[camp].place
    )
    return True


@allocating
def _spread(edges: Edges, camps: Camps, camp: int, number: int) -> None:
    """Note all that follow from a foe of a camp."""
    waiting = [(camp, number)]
    while len(waiting) > 0:
        camp, number = waiting.pop()
        camps.camp[camp].found = camps.used[CLOCK]
        child = wide(camps.camp[camp].first_child)
        while child:
            if _add(camps, child, number):
                waiting.append((child, number))
            child = wide(camps.camp[child].next_child)
        below = wide(camps.camp[camp].first_below)
        while below:
            at = wide(0)
            if has_bit(edges.bits, wide(camps.camp[below].hub) + 1, number):
                at = last_edge(edges, wide(camps.camp[below].context), number)
            while at:
                start = wide(edges.edge[at - 1].start)
                if _add(camps, below, start):
                    waiting.append((below, start))
                at = wide(edges.edge[at - 1].earlier)
            below = wide(camps.camp[below].next_below)
