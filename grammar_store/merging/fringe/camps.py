"""Foes that many share.

A non-terminal that fills a context in a rule of z fails against all who lead through that context
to a foe of z. Thousands of rare ones have most of their foes in this way, through two or three
contexts that many fill. So non-terminals are in *camps*. All in a camp have these foes:

    foes(camp) = foes(its parent) ∪ {R : R leads through t to Q, Q in foes(the camp above)}.

A camp has its foes by an edge the moment that the edge is there, and by a foe of the camp above the
moment that one has it: they are never looked for again. Camps whose foes are got through the same
context stand in blocks of 32, so that it is seen at once who of a block do not have a foe yet: most
have most. Who has a foe is kept by foe, as what follows from one edge is mostly about two of them;
rows of all foes of a camp are brought up to date when somebody needs one (`settle`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grammar_store.extraction.hashing import mix
from grammar_store.merging.fringe.compiling import allocating, inner, wide
from grammar_store.merging.fringe.edges import Edges, last_edge
from grammar_store.merging.fringe.rows import clear_bit, has_bit, larger_bits, lowest, set_bit

HAPAXES, NOBODY = 0, 1
"""The first camps: the foes of hapaxes are the keen ones, others have none to begin with."""

_MOST = 1 << 17
"""How many camps there can be."""

_FEW = 32
"""From this part of so many on those that nobody needs are dissolved now and then."""

BLOCK = 32
"""How many camps stand in a block."""

_NEW = 1 << 12
"""How many foes are put into the rows at once, at most."""

# How many camps there are, a clock that goes on when something is noted, how many camps there must
# be until those that nobody needs are dissolved, how many blocks there are, and how many foes are
# not yet in the rows.
CAMPS, CLOCK, LIMIT, BLOCKS, NEW = 0, 1, 2, 3, 4


class Camps(NamedTuple):
    """See above. A camp is a child of its parent; 0 ends all lists.

    A camp is the number of its block, times 32, and its place there. The first camps are in block
    0, which belongs to no context.
    """

    used: NDArray[np.int64]
    #: by non-terminal
    of: NDArray[np.int32]
    #: all but the first camps, oldest first
    made: NDArray[np.int32]
    #: by camp: where its foes come from, when it last got one, and a row of all of them
    camp: NDArray[np.void]
    above: NDArray[np.int32]
    found: NDArray[np.int64]
    bits: NDArray[np.uint64]
    #: what is not yet in these rows: a camp, and the number of a foe
    new: NDArray[np.int32]
    #: a hash table of camps by parent, context and camp above
    places: NDArray[np.int32]
    #: by row of a hub: the last block of camps whose foes are got through it
    last_block: NDArray[np.int32]
    block: NDArray[np.void]
    #: by number of a foe and block: who has it
    having: NDArray[np.uint32]


_CAMP = np.dtype(
    [
        ("parent", np.int32),
        ("context", np.int32),
        # the row of its hub
        ("hub", np.int32),
        # lists: its children, those that are below it
        ("first_child", np.int32),
        ("next_child", np.int32),
        ("first_below", np.int32),
        ("next_below", np.int32),
    ]
)
# Which places of a block are taken, by how many camps, by which of them others get foes; and the
# block before of the same context.
_BLOCKS = np.dtype(
    [("taken", np.uint32), ("length", np.int32), ("giving", np.uint32), ("earlier", np.int32)]
)


def new_camps(size: int, hubs: int, words: int) -> Camps:
    """The first camps, without members."""
    blocks = 1 + min(hubs, _MOST) + _MOST // BLOCK
    room = blocks * BLOCK
    return Camps(
        np.array([0, 0, _MOST // _FEW, 0, 0]),
        np.zeros(size, np.int32),
        np.zeros(_MOST, np.int32),
        np.zeros(room, _CAMP),
        np.zeros(room, np.int32),
        np.zeros(room, np.int64),
        np.zeros((room, words), np.uint64),
        np.zeros((_NEW, 2), np.int32),
        np.zeros(1 << (2 * _MOST).bit_length(), np.int32),
        np.zeros(1 + hubs, np.int32),
        np.zeros(blocks, _BLOCKS),
        np.zeros((64 * words, blocks), np.uint32),
    )


def wider_camps(camps: Camps, words: int) -> Camps:
    """The same camps with room for as many foes as there are bits in so many words."""
    if words == camps.bits.shape[1]:
        return camps
    settle(camps)
    used = BLOCK * (int(camps.used[BLOCKS]) + 1)
    return camps._replace(
        bits=larger_bits(camps.bits[:used], len(camps.bits), words),
        having=larger_bits(camps.having, 64 * words, len(camps.block)),
    )


@njit(cache=True, nogil=True)
def break_up(camps: Camps, is_hapax: NDArray[np.bool_]) -> None:
    """Leave nothing but the first camps."""
    for x in range(len(camps.of)):
        camps.of[x] = HAPAXES if is_hapax[x] else NOBODY
    settle(camps)
    _unlink_all(camps)
    camps.used[LIMIT] = len(camps.made) // _FEW
    camps.used[CLOCK] += 1
    camps.found[HAPAXES] = camps.found[NOBODY] = camps.used[CLOCK]


@allocating
def dissolve(edges: Edges, camps: Camps) -> bool:
    """Dissolve all camps that nobody needs any more; False if too many are left."""
    settle(camps)
    needed = np.zeros(BLOCK * (camps.used[BLOCKS] + 1), np.bool_)
    for x in range(len(camps.of)):
        needed[camps.of[x]] = True
    for at in range(camps.used[CAMPS] - 1, -1, -1):  # those come later that get foes from others
        camp = camps.made[at]
        if needed[camp]:
            needed[camps.camp[camp].parent] = needed[camps.above[camp]] = True
    kept = np.array([camp for camp in camps.made[: camps.used[CAMPS]] if needed[camp]], np.int32)
    old, above = camps.camp[kept], camps.above[kept]
    found, bits = camps.found[kept], camps.bits[kept]
    _unlink_all(camps)
    new = np.zeros(len(needed), np.int32)
    new[NOBODY] = NOBODY
    for at in range(len(kept)):
        parent, context = wide(new[old[at].parent]), wide(old[at].context)
        camp = _add_camp(edges, camps, parent, context, wide(new[above[at]]))
        new[kept[at]] = camp
        camps.found[camp], camps.bits[camp] = found[at], bits[at]
        _enter(camps, camp)
    for x in range(len(camps.of)):
        camps.of[x] = new[camps.of[x]]
    camps.used[LIMIT] = max(camps.used[CAMPS] * 3 // 2, len(camps.made) // _FEW)
    return camps.used[LIMIT] < len(camps.made)


@inner
def are_many(camps: Camps) -> bool:
    """Whether it is time to dissolve camps."""
    return camps.used[CAMPS] >= camps.used[LIMIT]


@inner
def has_room_for_camps(camps: Camps) -> bool:
    """Whether there can be one more camp."""
    return camps.used[CAMPS] < len(camps.made)


@inner
def shares(camps: Camps, x: int, context: int, above: int) -> bool:
    """Whether a non-terminal has the foes that it gets through a context from a camp."""
    camp = wide(camps.of[x])
    while camp > NOBODY:
        if camps.camp[camp].context == context and camps.above[camp] == above:
            return True
        camp = wide(camps.camp[camp].parent)
    return False


@inner
def join(edges: Edges, camps: Camps, x: int, context: int, above: int) -> None:
    """Let a non-terminal get foes through a hub from a camp, for which there must be room."""
    parent = wide(camps.of[x])
    camp = wide(camps.places[_place(camps, parent, context, above)])
    if camp == 0:
        camp = _found_camp(edges, camps, parent, context, above)
    camps.of[x] = camp


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
            and camps.above[camp] == above
        ):
            return wide(place)
        place = (place + np.uint64(1)) & mask


@inner
def _found_camp(edges: Edges, camps: Camps, parent: int, context: int, above: int) -> int:
    settle(camps)
    camp = _add_camp(edges, camps, parent, context, above)
    camps.used[CLOCK] += 1
    camps.found[camp] = camps.used[CLOCK]
    for word in range(camps.bits.shape[1]):
        camps.bits[camp, word] = camps.bits[parent, word]
    start = edges.starts[context]
    for at in range(start, start + edges.length[context]):
        if has_bit(camps.bits, above, wide(edges.edge[at].end)):
            set_bit(camps.bits, camp, wide(edges.edge[at].start))
    _enter(camps, camp)
    return camp


@inner
def _add_camp(edges: Edges, camps: Camps, parent: int, context: int, above: int) -> int:
    """Put a new camp where it will be found."""
    hub = wide(edges.full[context])
    block = wide(camps.last_block[hub])
    if block == 0 or camps.block[block].length == BLOCK:
        camps.used[BLOCKS] += 1
        earlier, block = block, wide(camps.used[BLOCKS])
        camps.block[block].earlier, camps.block[block].length = earlier, 0
        camps.block[block].taken = camps.block[block].giving = 0
        camps.last_block[hub] = block
    camp = BLOCK * block + wide(camps.block[block].length)
    camps.block[block].length += 1
    camps.block[block].taken |= _one(camp)
    camps.places[_place(camps, parent, context, above)] = camp
    camps.made[camps.used[CAMPS]] = camp
    camps.used[CAMPS] += 1
    camps.above[camp] = above
    new, old, higher = camps.camp[camp], camps.camp[parent], camps.camp[above]
    new.parent, new.context, new.hub = parent, context, hub
    new.first_child = new.first_below = 0
    new.next_child, old.first_child = old.first_child, camp
    new.next_below, higher.first_below = higher.first_below, camp
    camps.block[parent // BLOCK].giving |= _one(parent)
    camps.block[above // BLOCK].giving |= _one(above)
    return camp


@inner
def _one(camp: int) -> np.uint32:
    """The bit of a camp in its block."""
    return np.uint32(1) << np.uint32(camp % BLOCK)


@inner
def _enter(camps: Camps, camp: int) -> None:
    """Have a new camp among those that have its foes."""
    block, one = camp // BLOCK, _one(camp)
    for word in range(camps.bits.shape[1]):
        left = camps.bits[camp, word]
        while left:
            camps.having[64 * word + lowest(left), block] |= one
            left &= left - np.uint64(1)


@inner
def _unlink_all(camps: Camps) -> None:
    """Leave the first camps, with their foes."""
    for hub in range(len(camps.last_block)):
        camps.last_block[hub] = 0
    for number in range(len(camps.having)):
        for block in range(1, camps.used[BLOCKS] + 1):
            camps.having[number, block] = np.uint32(0)
    for place in range(len(camps.places)):
        camps.places[place] = 0
    camps.used[CAMPS] = camps.used[BLOCKS] = 0
    camps.block[0].giving = np.uint32(0)
    for camp in range(NOBODY + 1):
        camps.camp[camp].first_child = camps.camp[camp].first_below = 0


@inner
def has_foe(camps: Camps, camp: int, number: int) -> bool:
    """Whether a red class is a foe of a camp."""
    return camps.having[number, camp // BLOCK] & _one(camp) != 0


@inner
def follow(edges: Edges, camps: Camps, context: int, number: int, over: int) -> None:
    """Tell the camps that the red class of a number leads through a context to another."""
    block = wide(camps.last_block[edges.full[context]])  # of 0 there is none
    while block:
        left = np.uint64(camps.block[block].taken & ~camps.having[number, block])
        while left:
            camp = BLOCK * block + lowest(left)
            if has_foe(camps, wide(camps.above[camp]), over):
                add_to_camp(edges, camps, camp, number)
            left &= left - np.uint64(1)
        block = wide(camps.block[block].earlier)


@inner
def add_to_camp(edges: Edges, camps: Camps, camp: int, number: int) -> None:
    """Note a foe of a camp, and all that follow from it."""
    camps.used[CLOCK] += 1
    if _add(camps, camp, number):
        _spread(edges, camps, camp, number)


@inner
def remove_keen(camps: Camps, number: int) -> None:
    """Let a red class be no foe of the first camp any more; all others must be broken up."""
    settle(camps)
    clear_bit(camps.bits, wide(HAPAXES), number)
    camps.having[number, 0] = np.uint32(0)


@njit(cache=True, nogil=True)
def settle(camps: Camps) -> None:
    """Have all foes of all camps in their rows."""
    for new in range(camps.used[NEW]):
        set_bit(camps.bits, wide(camps.new[new, 0]), wide(camps.new[new, 1]))
    camps.used[NEW] = 0


@inner
def _add(camps: Camps, camp: int, number: int) -> bool:
    """Note a foe of a camp; whether something may follow from it."""
    block, one = camp // BLOCK, _one(camp)
    if camps.having[number, block] & one:
        return False
    camps.having[number, block] |= one
    new = camps.used[NEW]
    camps.new[new, 0], camps.new[new, 1] = camp, number
    camps.used[NEW] = new + 1
    if new + 1 == len(camps.new):
        settle(camps)
    camps.found[camp] = camps.used[CLOCK]
    return camps.block[block].giving & one != 0


@allocating
def _spread(edges: Edges, camps: Camps, camp: int, number: int) -> None:
    """Note all that follow from a foe of a camp."""
    waiting = [(camp, number)]
    while len(waiting) > 0:
        camp, number = waiting.pop()
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
