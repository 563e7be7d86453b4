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
foes are only added: it is enough to follow new edges, and old ones to new foes. When a class is
keen no more, all begin again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grammar_store.equivalence.decide import LOUD
from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe.compiling import allocating, inner, wide
from grammar_store.merging.fringe.edges import (
    TIME,
    Edges,
    find_way,
    has_all_numbers,
    row_of_ends,
    row_of_way,
)
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
_LOG, _FEW, _SHORT = 64, 64, 16
_LABORIOUS = 20_000
"""After following all of many edges so often, all foes are found anew, which is quicker."""

# Rows for those that have no other foes than these.
_KEEN_ONES, _NOBODY = 0, 1


class Foes(NamedTuple):
    """See above. Times are those of edges."""

    #: how often all of many edges were followed
    laborious: NDArray[np.int64]
    #: by non-terminal: whether it is a hapax, whether its foes are kept, and whether they are all
    is_hapax: NDArray[np.bool_]
    is_rare: NDArray[np.bool_]
    sure: NDArray[np.bool_]
    #: when they were brought up to date; 0 for never
    updated: NDArray[np.int64]
    rows: Rows
    #: of each row the last foes that were added, with times, around and around, and how many
    log: NDArray[np.void]
    logged: NDArray[np.int64]
    stack: NDArray[np.int64]
    #: by context: whether a left-hand side that is not decided is, or leads to, a keen one
    keen_ahead: NDArray[np.bool_]


_LOGGED = np.dtype([("time", np.int32), ("number", np.int32)])


def new_foes(world: World, level: Level, words: int) -> Foes:
    """No foes yet."""
    size, top = len(world.of), world.risk.bounds.top
    # Where Hoeffding's test is used on hapaxes there are none in this sense.
    fisher = level.fisher_below > 1.0
    is_hapax = (top[:, 0] == 1.0) & (world.risk.loud <= LOUD) & fisher
    is_rare = (world.initial.counts <= RARE) & fisher
    # Memory that is not used costs nothing.
    room = 2 + min(int(is_rare.sum()), _MEMORY // (8 * words))
    foes = Foes(
        np.zeros(1, np.int64),
        is_hapax,
        is_rare,
        np.zeros(size, np.bool_),
        np.zeros(size, np.int64),
        new_rows(size, room, words),
        np.zeros((room + 1, _LOG), _LOGGED),
        np.zeros(room + 1, np.int64),
        np.zeros((size, 2), np.int64),
        np.zeros(len(world.context_count), np.bool_),
    )
    forget_foes(foes)
    return foes


@njit(cache=True, nogil=True)
def forget_foes(foes: Foes) -> None:
    """Forget all foes but the keen ones."""
    rows = foes.rows
    for x in range(len(rows.of)):
        rows.of[x] = _KEEN_ONES if foes.is_hapax[x] else _NOBODY
    rows.used[USED], rows.used[FREE] = _NOBODY, 0
    foes.updated[:] = 0
    foes.laborious[0] = _LABORIOUS


@inner
def is_keen(foes: Foes, number: int) -> bool:
    """Whether the red class of a number is keen."""
    return has_bit(foes.rows.bits, wide(_KEEN_ONES), number)


@inner
def set_keen(edges: Edges, foes: Foes, number: int) -> None:
    """Make a red class a foe of all hapaxes."""
    rows = foes.rows
    # Later than all that was brought up to date.
    edges.used[TIME] += 1
    _add_to_row(foes, wide(_KEEN_ONES), number, wide(edges.used[TIME] + 1))
    for row in range(_NOBODY + 1, rows.used[USED] + 1):
        if foes.is_hapax[rows.note[row]]:  # of free ones it does not matter
            set_bit(rows.bits, wide(row), number)


@inner
def set_blunt(foes: Foes, number: int) -> None:
    """Let a red class be keen no more."""
    clear_bit(foes.rows.bits, wide(_KEEN_ONES), number)
    forget_foes(foes)


@inner
def _add_to_row(foes: Foes, row: int, number: int, time: int) -> None:
    set_bit(foes.rows.bits, row, number)
    at = foes.logged[row] % _LOG
    foes.log[row, at].time, foes.log[row, at].number = time, number
    foes.logged[row] += 1


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
    now = edges.used[TIME] + 1
    if foes.updated[x] == now:
        return True
    initial = world.initial
    foes.stack[0, 0], foes.stack[0, 1], height = x, initial.starts[x], 1
    while height:
        y = wide(foes.stack[height - 1, 0])
        above = _outdated_above(world, edges, foes, height - 1, now)
        if above:
            foes.stack[height, 0], foes.stack[height, 1] = above, initial.starts[above]
            height += 1
        elif _update(world, edges, foes, y, now):
            height -= 1
        else:
            return False
    return True


@inner
def should_find_all_foes(foes: Foes) -> bool:
    """Whether it is better to find all foes anew than to go on one by one."""
    return foes.laborious[0] >= _LABORIOUS


@allocating
def find_all_foes(world: World, edges: Edges, foes: Foes, undecided: NDArray[np.bool_]) -> None:
    """Find the foes of all rare non-terminals that are not decided, from above.

    All at once, with edges side by side, this takes far less than one by one.
    """
    forget_foes(foes)
    initial, rows, now = world.initial, foes.rows, edges.used[TIME] + 1
    starts = np.empty(len(edges.of) + 1, np.int64)
    ends = np.empty((edges.used[TIME] + 1, 2), np.uint16)
    count = 0
    for context in range(len(edges.of)):
        starts[context] = count
        edge = edges.of[context].newest
        while edge:
            ends[count, 0], ends[count, 1] = edges.edge[edge].start, edges.edge[edge].end
            count += 1
            edge = edges.edge[edge].older
    starts[-1] = count
    for x in world.upwards[::-1]:
        if not has_room(rows):
            break  # what is below would lack foes, and not know it
        if not foes.is_rare[x] or not undecided[x]:
            continue
        for entry in range(initial.starts[x], initial.starts[x + 1]):
            context, row = initial.context[entry], wide(rows.of[initial.lhs[entry]])
            if row == _NOBODY:
                continue
            for at in range(starts[context], starts[context + 1]):
                if has_bit(rows.bits, row, wide(ends[at, 1])):
                    _add_foe(foes, wide(x), wide(ends[at, 0]), now)
        foes.updated[x] = now
        if rows.of[x] > _NOBODY:
            foes.logged[rows.of[x]] = 0  # nobody has yet to be told
    foes.logged[_KEEN_ONES] = 0
    foes.laborious[0] = 0


@inner
def _outdated_above(world: World, edges: Edges, foes: Foes, level: int, now: int) -> int:
    """The next left-hand side that must come first, of whom is at a level of the stack."""
    initial = world.initial
    x, start = foes.stack[level, 0], foes.stack[level, 1]
    for entry in range(start, initial.starts[x + 1]):
        above = wide(initial.lhs[entry])
        if (
            foes.is_rare[above]
            and foes.updated[above] < now
            and edges.of[initial.context[entry]].newest
        ):
            foes.stack[level, 1] = entry + 1
            return above
    return 0


@inner
def _update(world: World, edges: Edges, foes: Foes, x: int, now: int) -> bool:
    """Bring foes up to date, after all above; False if there is no room."""
    initial, before = world.initial, foes.updated[x]
    for entry in range(initial.starts[x], initial.starts[x + 1]):
        context, above = wide(initial.context[entry]), wide(initial.lhs[entry])
        edge = wide(edges.of[context].newest)
        if edge == 0 or foes.rows.of[above] == _NOBODY:
            continue
        if foes.rows.of[x] <= _NOBODY and not has_room(foes.rows):
            return False
        if before == 0:
            _follow_all(edges, foes, x, context, above, now)
            continue
        while edge >= before:
            _follow(edges, foes, x, above, edge, now)
            edge = wide(edges.edge[edge].older)
        if not _follow_new(edges, foes, x, context, wide(foes.rows.of[above]), before, now) or (
            foes.is_hapax[above]
            and foes.rows.of[above] != _KEEN_ONES
            and not _follow_new(edges, foes, x, context, wide(_KEEN_ONES), before, now)
        ):
            _follow_all(edges, foes, x, context, above, now)
    foes.updated[x] = now
    return True


@inner
def _follow(edges: Edges, foes: Foes, x: int, above: int, edge: int, now: int) -> None:
    """Make a class a foe if its edge leads to a foe of the left-hand side."""
    if has_bit(foes.rows.bits, wide(foes.rows.of[above]), wide(edges.edge[edge].end)):
        _add_foe(foes, x, wide(edges.edge[edge].start), now)


@inner
def _follow_all(edges: Edges, foes: Foes, x: int, context: int, above: int, now: int) -> None:
    """Follow all edges through a context, by edges if they are few, else by foes."""
    edge, left = wide(edges.of[context].newest), _FEW
    while edge and left:
        _follow(edges, foes, x, above, edge, now)
        edge, left = wide(edges.edge[edge].older), left - 1
    if edge == 0:
        return
    foes.laborious[0] += 1
    row, ends = wide(foes.rows.of[above]), row_of_ends(edges, context)
    for word in range(foes.rows.bits.shape[1]):
        bits, number = foes.rows.bits[row, word], wide(64 * word)
        if ends:
            bits &= edges.bits[ends, word]
        while bits:
            if bits & np.uint64(1):
                _follow_way(edges, foes, x, context, number, now)
            bits >>= np.uint64(1)
            number += 1


@inner
def _follow_new(
    edges: Edges, foes: Foes, x: int, context: int, row: int, before: int, now: int
) -> bool:
    """Follow the edges to foes of a row that are new; False if these are no more known."""
    logged = foes.logged[row]
    for at in range(logged - 1, max(logged - _LOG, 0) - 1, -1):
        if foes.log[row, at % _LOG].time <= before:
            return True
        _follow_way(edges, foes, x, context, wide(foes.log[row, at % _LOG].number), now)
    return logged <= _LOG


@inner
def _follow_way(edges: Edges, foes: Foes, x: int, context: int, over: int, now: int) -> None:
    """Make all foes that lead through a context to the class of a number."""
    way = find_way(edges, context, over)
    if way < 0:
        return
    if edges.way[way].row == 0:
        edge, left = wide(edges.way[way].newest), _SHORT
        while edge and left:
            _add_foe(foes, x, wide(edges.edge[edge].start), now)
            edge, left = wide(edges.edge[edge].older_on_way), left - 1
        if edge == 0:
            return
    row = row_of_way(edges, way)
    if row == 0:
        edge = wide(edges.way[way].newest)
        while edge:
            _add_foe(foes, x, wide(edges.edge[edge].start), now)
            edge = wide(edges.edge[edge].older_on_way)
        return
    for word in range(edges.bits.shape[1]):
        bits = edges.bits[row, word] & ~foes.rows.bits[foes.rows.of[x], word]
        number = wide(64 * word)
        while bits:
            if bits & np.uint64(1):
                _add_foe(foes, x, number, now)
            bits >>= np.uint64(1)
            number += 1


@inner
def _add_foe(foes: Foes, x: int, number: int, now: int) -> None:
    rows = foes.rows
    row = wide(rows.of[x])
    if has_bit(rows.bits, row, number):
        return
    if row <= _NOBODY:
        base, row = row, take_row(rows, x)
        rows.note[row], foes.logged[row] = x, 0
        for word in range(rows.bits.shape[1]):
            rows.bits[row, word] = rows.bits[base, word]
    _add_to_row(foes, row, number, now)


@inner
def release_foes(foes: Foes, x: int) -> None:
    """Forget the foes of a non-terminal that is decided."""
    rows = foes.rows
    row = wide(rows.of[x])
    if row > _NOBODY:
        rows.note[row], rows.used[FREE] = rows.used[FREE], row
    rows.of[x] = _NOBODY
