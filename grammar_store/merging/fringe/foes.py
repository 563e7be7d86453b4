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

Few rare ones are above a rare one. So foes are brought up to date when somebody asks. Edges and
foes are only added: it is enough to follow new edges, and all of them again if the left-hand side
has new foes. Where all who lead through a context are foes already, nothing can be added. When a
class is keen no more, all begin again. So they do from time to time: many were looked for when
there were few edges, and to have them all at once is quicker than to meet them one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grammar_store.equivalence.decide import LOUD
from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.edges import TIME, Edges, has_all_numbers
from grammar_store.merging.fringe.rows import (
    FREE,
    USED,
    Rows,
    clear_bit,
    has_bit,
    has_room,
    new_rows,
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

FEW = 16
"""After meeting so many foes one by one it is looked for others."""

_GROWN, _LONG = 1.1, 1 << 16
"""When there are so many times as many edges, and so many more, all foes are looked for again."""

# Rows for those that have no other foes than these.
_KEEN_ONES, _NOBODY = 0, 1

# A clock, which goes on with every row that is looked at; when a class became keen; how many edges
# there were when all foes were forgotten, and how many more there must be until that is done again.
CLOCK, NEW_KEEN, FORGOTTEN, PATIENCE = 0, 1, 2, 3


class Foes(NamedTuple):
    """See above."""

    at: NDArray[np.int64]
    #: by non-terminal: whether it is a hapax, whether its foes are kept, and whether they are all
    is_hapax: NDArray[np.bool_]
    is_rare: NDArray[np.bool_]
    sure: NDArray[np.bool_]
    #: by non-terminal: how many edges there were when its foes were brought up to date, and on the
    #: clock: when its foes were last looked for, and when the last of them was found
    updated: NDArray[np.int64]
    looked: NDArray[np.int64]
    found: NDArray[np.int64]
    #: by non-terminal: how many foes it has met since they were looked for
    met: NDArray[np.int32]
    #: by entry: how many edges were followed
    followed: NDArray[np.int32]
    rows: Rows
    stack: NDArray[np.int64]
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
    room = 2 + min(int(is_rare.sum()), _MEMORY // (8 * words))
    foes = Foes(
        np.array([0, 0, 0, _LONG]),
        is_hapax,
        is_rare,
        np.zeros(size, np.bool_),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int32),
        np.zeros(len(world.initial.c), np.int32),
        new_rows(size, room, words),
        np.zeros((size, 2), np.int64),
        np.zeros(len(world.context_count), np.bool_),
    )
    forget_foes(edges, foes)
    return foes


@njit(cache=True, nogil=True)
def forget_foes(edges: Edges, foes: Foes) -> None:
    """Forget all foes but the keen ones."""
    rows = foes.rows
    for x in range(len(rows.of)):
        rows.of[x] = _KEEN_ONES if foes.is_hapax[x] else _NOBODY
    rows.used[USED], rows.used[FREE] = _NOBODY, 0
    foes.at[FORGOTTEN] = edges.used[TIME]
    foes.updated[:] = NEVER
    foes.looked[:] = 0
    foes.found[:] = 0


@inner
def is_keen(foes: Foes, number: int) -> bool:
    """Whether the red class of a number is keen."""
    return has_bit(foes.rows.bits, wide(_KEEN_ONES), number)


@inner
def set_keen(edges: Edges, foes: Foes, number: int) -> None:
    """Make a red class a foe of all hapaxes."""
    rows = foes.rows
    foes.at[CLOCK] += 1
    foes.at[NEW_KEEN] = foes.at[CLOCK]
    edges.used[TIME] += 1  # what was up to date is so no more
    set_bit(rows.bits, wide(_KEEN_ONES), number)
    for row in range(_NOBODY + 1, rows.used[USED] + 1):
        if foes.is_hapax[rows.note[row]]:  # of free ones it does not matter
            set_bit(rows.bits, wide(row), number)


@inner
def set_blunt(edges: Edges, foes: Foes, number: int) -> None:
    """Let a red class be keen no more."""
    clear_bit(foes.rows.bits, wide(_KEEN_ONES), number)
    forget_foes(edges, foes)


@inner
def are_outdated(edges: Edges, foes: Foes) -> bool:
    """Whether so many edges are new that it is better to look for all foes again."""
    return edges.used[TIME] > _GROWN * foes.at[FORGOTTEN] + foes.at[PATIENCE]


@inner
def is_foe(edges: Edges, foes: Foes, red: int, x: int) -> bool:
    """Whether a non-terminal is known to fail against a red class."""
    return has_bit(foes.rows.bits, wide(foes.rows.of[x]), wide(edges.number[red]))


@inner
def knows_all_foes(world: World, edges: Edges, foes: Foes, x: int) -> bool:
    """Whether a non-terminal fails against its foes alone, brought up to date."""
    return foes.sure[x] and has_all_numbers(edges) and update_foes(world, edges, foes, x)


@inner
def update_foes(world: World, edges: Edges, foes: Foes, x: int) -> bool:
    """Bring the foes of a non-terminal up to date; False if they are not kept."""
    if not foes.is_rare[x]:
        return False
    if foes.updated[x] == edges.used[TIME]:
        return True
    return _look_from_above(world, edges, foes, x, edges.used[TIME])


@inner
def look_for_foes(world: World, edges: Edges, foes: Foes, x: int) -> bool:
    """Find the foes of a non-terminal that follow from what is known above; False if not kept.

    Above it is looked for foes only where that was never done.
    """
    if not foes.is_rare[x]:
        return False
    if foes.looked[x]:
        return _look(world, edges, foes, x)
    return _look_from_above(world, edges, foes, x, wide(NEVER + 1))


@inner
def _look_from_above(world: World, edges: Edges, foes: Foes, x: int, now: int) -> bool:
    """Look for foes of a non-terminal after all above that were last updated before a time."""
    initial = world.initial
    foes.stack[0, 0], foes.stack[0, 1], height = x, initial.starts[x], 1
    while height:
        y = wide(foes.stack[height - 1, 0])
        above = _outdated_above(world, edges, foes, height - 1, now)
        if above:
            foes.stack[height, 0], foes.stack[height, 1] = above, initial.starts[above]
            height += 1
        elif _look(world, edges, foes, y):
            foes.updated[y] = now
            height -= 1
        else:
            return False
    return True


@inner
def _outdated_above(world: World, edges: Edges, foes: Foes, level: int, now: int) -> int:
    """The next left-hand side that must come first, of whom is at a level of the stack."""
    initial = world.initial
    x, start = foes.stack[level, 0], foes.stack[level, 1]
    for entry in range(start, initial.starts[x + 1]):
        above = wide(initial.lhs[entry])
        if (
            edges.length[initial.context[entry]]
            and foes.is_rare[above]
            and foes.updated[above] < now
        ):
            foes.stack[level, 1] = entry + 1
            return above
    return 0


@inner
def _look(world: World, edges: Edges, foes: Foes, x: int) -> bool:
    """Find the foes that follow from those of all above; False if there is no room."""
    initial, rows = world.initial, foes.rows
    before, found = foes.looked[x], False
    foes.at[CLOCK] += 1
    for entry in range(initial.starts[x], initial.starts[x + 1]):
        context = wide(initial.context[entry])
        count = wide(edges.length[context])
        if count == 0:
            continue
        above = wide(initial.lhs[entry])
        row = wide(rows.of[above])
        if row == _NOBODY:
            continue
        last_found = foes.found[above]
        if foes.is_hapax[above]:
            last_found = max(last_found, foes.at[NEW_KEEN])
        start = wide(0 if before <= last_found else foes.followed[entry])
        if start == count:
            continue
        if rows.of[x] <= _NOBODY and not has_room(rows):
            return False
        if not _all_are_foes(edges, foes, x, context):
            first = edges.starts[context]
            for at in range(first + start, first + count):
                if has_bit(rows.bits, row, wide(edges.edge[at].end)) and not has_bit(
                    rows.bits, wide(rows.of[x]), wide(edges.edge[at].start)
                ):
                    _add_foe(foes, x, wide(edges.edge[at].start))
                    found = True
        foes.followed[entry] = count
    foes.looked[x], foes.met[x] = foes.at[CLOCK], 0
    if found:
        foes.found[x] = foes.at[CLOCK]
    return True


@inner
def _all_are_foes(edges: Edges, foes: Foes, x: int, context: int) -> bool:
    """Whether all who lead through a hub are foes already."""
    full, row = wide(edges.full[context]), wide(foes.rows.of[x])
    if full == 0:
        return False
    for word in range(edges.bits.shape[1]):
        if edges.bits[full, word] & ~foes.rows.bits[row, word]:
            return False
    return True


@inner
def _add_foe(foes: Foes, x: int, number: int) -> None:
    """Note a foe, for which there must be room."""
    rows = foes.rows
    row = wide(rows.of[x])
    if row <= _NOBODY:
        base, row = row, take_row(rows, x)
        rows.note[row] = x
        for word in range(rows.bits.shape[1]):
            rows.bits[row, word] = rows.bits[base, word]
    set_bit(rows.bits, row, number)


@inner
def add_foes(foes: Foes, x: int, bits: NDArray[np.uint64]) -> None:
    """Add all known foes of a non-terminal to the first of some rows."""
    row = wide(foes.rows.of[x])
    for word in range(bits.shape[1]):
        bits[0, word] |= foes.rows.bits[row, word]


@inner
def note_foe(edges: Edges, foes: Foes, red: int, x: int) -> None:
    """Note that a rare non-terminal fails against a red class, if there is room."""
    number = wide(edges.number[red])
    if foes.rows.of[x] > _NOBODY or has_room(foes.rows):
        _add_foe(foes, x, number)
        foes.at[CLOCK] += 1
        foes.found[x] = foes.at[CLOCK]


@inner
def release_foes(foes: Foes, x: int) -> None:
    """Forget the foes of a non-terminal that is decided."""
    rows = foes.rows
    row = wide(rows.of[x])
    if row > _NOBODY:
        rows.note[row], rows.used[FREE] = rows.used[FREE], row
    rows.of[x] = _NOBODY
