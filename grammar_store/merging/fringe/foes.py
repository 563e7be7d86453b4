"""Red classes that rare non-terminals are known to fail against, without a test.

A non-terminal fails against every class that leads through the context of one of its rules to a
class that the left-hand side of that rule fails against. So failures go on from above to below:
those that are known in this way are the *foes* of a non-terminal,

    foes(x) = own(x) ∪ {R : R leads through t to Q, x fills t in a rule of z, Q in foes(z)}.

Most non-terminals were seen once, as was everything above them, and none of their counts is above
1/2: *hapaxes*. In Fisher's test such a count is rounded to 0. So a hapax differs from the *keen*
classes, those that even a sample of 1 without any count differs from, and from no other. These are
its own foes; others have none of their own here. So the foes of a hapax are all that it fails
against, but for left-hand sides that are not decided and could be keen, or lead to a keen one. A
hapax that may meet one is not `sure`.

Foes that are met are shared where many can have them for the same reason (`camps`), and stay up to
date by themselves. Whoever needs all foes of a non-terminal has them looked for: few rare ones are
above a rare one. Edges and foes are only added: it is enough to follow new edges, and all of them
again if these lead to more foes of the left-hand side than before. Where all who lead through a
context are foes already, nothing can be added. When a class is keen no more, all begin again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grammar_store.equivalence.decide import LOUD
from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe.camps import (
    CLOCK,
    HAPAXES,
    NOBODY,
    Camps,
    add_to_camp,
    are_many,
    break_up,
    dissolve,
    follow,
    has_foe,
    has_room_for_camps,
    join,
    new_camps,
    remove_keen,
    settle,
    shares,
)
from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.edges import TIME, Edges, add_edge, has_all_numbers
from grammar_store.merging.fringe.reds import Reds, find
from grammar_store.merging.fringe.rows import (
    FREE,
    USED,
    Rows,
    count_bits,
    has_bit,
    has_room,
    lowest,
    new_rows,
    release_row,
    set_bit,
    take_row,
)
from grammar_store.merging.fringe.world import World

KEEN = 1.0
"""Whoever is at most this sharp may be keen."""

RARE = 8.0
_MEMORY = 1 << 30

NEVER = -2
"""When foes were updated that were never looked for; -1 if they were, but not of all above."""

_ABOVE, _HERE = 0, 1

_SEARCH = 32
"""To search for the edges of one class takes as long as to look at so many."""


class Foes(NamedTuple):
    """See above."""

    #: by non-terminal: whether it is a hapax, whether its foes are kept, and whether they are all
    is_hapax: NDArray[np.bool_]
    is_rare: NDArray[np.bool_]
    sure: NDArray[np.bool_]
    #: by non-terminal: how many edges there were when its foes were brought up to date, and on the
    #: clock: when its foes were last looked for, and when the last of them was found
    updated: NDArray[np.int64]
    looked: NDArray[np.int64]
    found: NDArray[np.int64]
    #: by shared context of each filler: how many edges were followed, and of a hub how many foes
    #: of what is above they led to
    followed: NDArray[np.int32]
    ends: NDArray[np.int32]
    #: foes that are shared, others that were met, and all that were looked for
    camps: Camps
    own: Rows
    rows: Rows
    stack: NDArray[np.int64]
    #: all foes of the two that are looked at
    gathered: NDArray[np.uint64]
    #: by context: whether a left-hand side that is not decided is, or leads to, a keen one
    keen_ahead: NDArray[np.bool_]


def new_foes(world: World, edges: Edges, level: Level, words: int) -> Foes:
    """No foes yet."""
    size, top = len(world.of), world.risk.bounds.top
    # Where Hoeffding's test is used on hapaxes there are none in this sense.
    fisher = level.fisher_below > 1.0
    is_hapax = (top[:, 0] == 1.0) & (world.risk.loud <= LOUD) & fisher
    is_rare = (world.initial.counts <= RARE) & fisher
    # Memory that is not used costs nothing.
    room = min(int(is_rare.sum()), _MEMORY // (8 * words))
    foes = Foes(
        is_hapax,
        is_rare,
        np.zeros(size, np.bool_),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(len(world.shared), np.int32),
        np.zeros(len(world.shared), np.int32),
        new_camps(size, int(edges.full.max(initial=0)), words),
        new_rows(size, room, words),
        new_rows(size, room, words),
        np.zeros((size, 2), np.int64),
        np.zeros((2, words), np.uint64),
        np.zeros(len(world.context_count), np.bool_),
    )
    forget_foes(foes)
    return foes


@njit(cache=True, nogil=True)
def forget_foes(foes: Foes) -> None:
    """Forget all foes but the keen ones."""
    break_up(foes.camps, foes.is_hapax)
    for rows in (foes.own, foes.rows):
        rows.of[:] = 0
        rows.used[USED] = rows.used[FREE] = 0
    foes.updated[:] = NEVER
    foes.looked[:] = 0
    foes.found[:] = 0
    foes.followed[:] = 0
    foes.ends[:] = -1


@inner
def is_keen(foes: Foes, number: int) -> bool:
    """Whether the red class of a number is keen."""
    return has_foe(foes.camps, wide(HAPAXES), number)


@inner
def set_keen(edges: Edges, foes: Foes, number: int) -> None:
    """Make a red class a foe of all hapaxes."""
    edges.used[TIME] += 1  # what was up to date is so no more
    add_to_camp(edges, foes.camps, wide(HAPAXES), number)


@inner
def set_blunt(foes: Foes, number: int) -> None:
    """Let a red class be keen no more."""
    remove_keen(foes.camps, number)
    forget_foes(foes)


@inner
def lead(edges: Edges, foes: Foes, context: int, red: int, other: int) -> None:
    """Note that a red class leads through a context to another one."""
    number, over = wide(edges.number[red]), wide(edges.number[other])
    if number and over:
        add_edge(edges, context, number, over)
        follow(edges, foes.camps, context, number, over)


@inner
def tidy(edges: Edges, foes: Foes) -> None:
    """Dissolve camps if there are many."""
    if are_many(foes.camps) and not dissolve(edges, foes.camps):
        forget_foes(foes)


@inner
def is_foe(edges: Edges, foes: Foes, red: int, x: int) -> bool:
    """Whether a non-terminal is known to fail against a red class."""
    return _is_foe(foes, wide(edges.number[red]), x)


@inner
def was_met(edges: Edges, foes: Foes, red: int, x: int) -> bool:
    """Whether a non-terminal is known to fail against a red class by meetings alone."""
    return _was_met(foes, wide(edges.number[red]), x)


@inner
def _was_met(foes: Foes, number: int, x: int) -> bool:
    return has_foe(foes.camps, wide(foes.camps.of[x]), number) or has_bit(
        foes.own.bits, wide(foes.own.of[x]), number
    )


@inner
def _is_foe(foes: Foes, number: int, x: int) -> bool:
    return _was_met(foes, number, x) or has_bit(foes.rows.bits, wide(foes.rows.of[x]), number)


@inner
def may_know_all_foes(edges: Edges, foes: Foes, x: int) -> bool:
    """Whether a non-terminal fails against its foes alone, once they are brought up to date."""
    return foes.sure[x] and has_all_numbers(edges)


@inner
def update_foes(world: World, reds: Reds, edges: Edges, foes: Foes, x: int) -> bool:
    """Bring the foes of a non-terminal up to date; False if they are not kept."""
    if not foes.is_rare[x]:
        return False
    if foes.updated[x] == edges.used[TIME]:
        return True
    return _look_from_above(world, reds, edges, foes, x, edges.used[TIME])


@inner
def look_for_foes(world: World, reds: Reds, edges: Edges, foes: Foes, x: int) -> None:
    """Find the foes of a rare non-terminal that follow from what is known above.

    Above it is looked for foes only where that was never done.
    """
    if foes.looked[x]:
        _look(world, reds, edges, foes, x, True)
    elif foes.is_rare[x]:
        _look_from_above(world, reds, edges, foes, x, wide(NEVER + 1))


@inner
def _look_from_above(world: World, reds: Reds, edges: Edges, foes: Foes, x: int, now: int) -> bool:
    """Look for foes of a non-terminal after all above that were last updated before a time."""
    starts = world.shared_starts
    foes.stack[0, 0], foes.stack[0, 1], height = x, starts[x], 1
    while height:
        y = wide(foes.stack[height - 1, 0])
        above = _outdated_above(world, edges, foes, height - 1, now)
        if above:
            foes.stack[height, 0], foes.stack[height, 1] = above, starts[above]
            height += 1
        elif _look(world, reds, edges, foes, y, False):
            foes.updated[y] = now
            height -= 1
        else:
            return False
    return True


@inner
def _outdated_above(world: World, edges: Edges, foes: Foes, level: int, now: int) -> int:
    """The next left-hand side that must come first, of whom is at a level of the stack."""
    x, start = foes.stack[level, 0], foes.stack[level, 1]
    for entry in range(start, world.shared_starts[x + 1]):
        above = wide(world.shared[entry].lhs)
        if (
            edges.length[world.shared[entry].context]
            and foes.is_rare[above]
            and foes.updated[above] < now
        ):
            foes.stack[level, 1] = entry + 1
            return above
    return 0


@inner
def _look(world: World, reds: Reds, edges: Edges, foes: Foes, x: int, joining: bool) -> bool:
    """Find the foes that follow from those of all above; False if there is no room.

    Whoever is `joining` joins a camp, where there is one, and will have more foes by itself.
    """
    rows, camps = foes.rows, foes.camps
    before, gathered = foes.looked[x], False
    camps.used[CLOCK] += 1
    for entry in range(world.shared_starts[x], world.shared_starts[x + 1]):
        context = wide(world.shared[entry].context)
        count = wide(edges.length[context])
        if count == 0:
            continue
        above = wide(world.shared[entry].lhs)
        camp, others = wide(camps.of[above]), rows.of[above] > 0 or foes.own.of[above] > 0
        if camp == NOBODY and not others:
            continue
        last_found = max(foes.found[above], camps.found[camp])
        start = wide(foes.followed[entry])
        if before > last_found and start == count:
            continue
        if not has_room(rows) or not has_room(foes.own):
            return False
        if not gathered:
            _gather(foes, x, wide(_HERE))
            gathered = True
        left = _how_many_are_left(edges, foes, context, count)
        if left and (others or not shares(camps, x, context, camp)):
            _gather(foes, above, wide(_ABOVE))
            if before <= last_found and _has_new(edges, foes, entry, context):
                start = wide(0)
            if left * _SEARCH < count - start:
                _look_at_those_left(reds, edges, foes, x, context, above, joining)
            else:
                _look_at_edges(edges, foes, x, context, above, start, joining)
        foes.followed[entry] = count
    foes.looked[x] = camps.used[CLOCK]
    camps.used[CLOCK] += 1
    return True


@inner
def _look_at_edges(
    edges: Edges, foes: Foes, x: int, context: int, above: int, start: int, joining: bool
) -> None:
    """See for the edges of a context, from one on, whether they lead to a foe of what is above."""
    first, gathered = edges.starts[context], foes.gathered
    for at in range(first + start, first + edges.length[context]):
        number, over = wide(edges.edge[at].start), wide(edges.edge[at].end)
        if not has_bit(gathered, wide(_HERE), number) and has_bit(gathered, wide(_ABOVE), over):
            _note(edges, foes, number, x, context, over, above, joining)


@inner
def _look_at_those_left(
    reds: Reds, edges: Edges, foes: Foes, x: int, context: int, above: int, joining: bool
) -> None:
    """See for all who lead through a hub and are no foes yet whether they lead to one above."""
    full, gathered = wide(edges.full[context]), foes.gathered
    for word in range(edges.bits.shape[1]):
        left = edges.bits[full, word] & ~gathered[_HERE, word]
        while left:
            number = 64 * word + lowest(left)
            over = _foe_ahead(reds, edges, foes, number, context)
            if over:
                _note(edges, foes, number, x, context, over, above, joining)
            left &= (left - np.uint64(1)) & ~gathered[_HERE, word]


@inner
def _foe_ahead(reds: Reds, edges: Edges, foes: Foes, number: int, context: int) -> int:
    """The number of a foe above that a class leads to through a context, 0 if there is none."""
    entry = find(reds, wide(edges.red[number]), context)
    red, node = wide(reds.entry[entry].red), wide(reds.entry[entry].more_reds)
    while red:
        over = wide(edges.number[red])
        if has_bit(foes.gathered, wide(_ABOVE), over):
            return over
        red = wide(reds.node[node].x) if node else wide(0)
        node = wide(reds.node[node].next) if node else wide(0)
    return wide(0)


@inner
def _note(
    edges: Edges, foes: Foes, number: int, x: int, context: int, over: int, above: int,
    joining: bool,
) -> None:  # fmt: skip
    """Note a foe that was found, and have it among those that are gathered."""
    if joining:
        note_foe(edges, foes, number, x, context, over, above)
        _gather(foes, x, wide(_HERE))
    else:
        _add_foe(foes.rows, number, x)
        set_bit(foes.gathered, wide(_HERE), number)
        foes.found[x] = foes.camps.used[CLOCK]


@inner
def _has_new(edges: Edges, foes: Foes, entry: int, context: int) -> bool:
    """Whether those who lead through a context lead to more foes of what is above than before."""
    ends = wide(edges.full[context]) + 1
    if ends == 1:
        return True
    count = 0
    for word in range(edges.bits.shape[1]):
        count += count_bits(edges.bits[ends, word] & foes.gathered[_ABOVE, word])
    if count == foes.ends[entry]:
        return False
    foes.ends[entry] = count
    return True


@inner
def _how_many_are_left(edges: Edges, foes: Foes, context: int, edges_there: int) -> int:
    """How many who lead through a context, at most, are no foes yet."""
    full, left = wide(edges.full[context]), 0
    if full == 0:
        return edges_there
    for word in range(edges.bits.shape[1]):
        left += count_bits(edges.bits[full, word] & ~foes.gathered[_HERE, word])
    return left


@inner
def _gather(foes: Foes, x: int, place: int) -> None:
    """Have all known foes of a non-terminal in one row."""
    for word in range(foes.gathered.shape[1]):
        foes.gathered[place, word] = np.uint64(0)
    add_foes(foes, x, foes.gathered, place)


@inner
def add_foes(foes: Foes, x: int, bits: NDArray[np.uint64], place: int) -> None:
    """Add all known foes of a non-terminal to one of some rows."""
    settle(foes.camps)
    row, own, camp = wide(foes.rows.of[x]), wide(foes.own.of[x]), wide(foes.camps.of[x])
    for word in range(bits.shape[1]):
        bits[place, word] |= (
            foes.rows.bits[row, word] | foes.own.bits[own, word] | foes.camps.bits[camp, word]
        )


@inner
def note_foe(
    edges: Edges, foes: Foes, number: int, x: int, context: int, over: int, above: int
) -> None:
    """Note that a rare non-terminal fails against a red class, if there is room.

    The class leads through a context to another, which is a foe above.
    """
    camps, own = foes.camps, foes.own
    camp = wide(camps.of[above])
    if edges.full[context] and has_foe(camps, camp, over) and has_room_for_camps(camps):
        join(edges, camps, x, context, camp)
    elif own.of[x] or has_room(own):
        _add_foe(own, number, x)
    camps.used[CLOCK] += 1
    foes.found[x] = camps.used[CLOCK]


@inner
def _add_foe(rows: Rows, number: int, x: int) -> None:
    """Note a foe that is not shared, for which there must be room."""
    if rows.of[x] == 0:
        row = take_row(rows, x)
        for word in range(rows.bits.shape[1]):
            rows.bits[row, word] = np.uint64(0)
    set_bit(rows.bits, wide(rows.of[x]), number)


@inner
def release_foes(foes: Foes, x: int) -> None:
    """Forget the foes of a non-terminal that is decided."""
    foes.camps.of[x] = NOBODY
    release_row(foes.own, x)
    release_row(foes.rows, x)
