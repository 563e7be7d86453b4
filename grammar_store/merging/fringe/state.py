"""Who is red, blue and white, and what each blue non-terminal is known to fit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.edges import Edges
from grammar_store.merging.fringe.foes import Foes
from grammar_store.merging.fringe.queues import Queues, enqueue, leave
from grammar_store.merging.fringe.world import World

WHITE, BLUE, RED, MERGED = 0, 1, 2, 3

# What a blue non-terminal fits: not known, a red one that fills nothing, one whose test leads to no
# other red one, the same to be tried again, one with rules that are watched, a red one to be tried
# again after every step, none.
UNKNOWN, FREE, QUIET, LOOSE, WATCHED, BUSY, ALONE = 0, 1, 2, 3, 4, 5, 6

# Counters.
REDS, BLUES, WHITES, CLASSES = 0, 1, 2, 3
CHANGED, DOUBTED, BUSY_ONES, ALONE_ONES, MODEST_ONES = 4, 5, 6, 7, 8
DULLEST, WORK, TESTS, THROUGH, OVER = 9, 10, 11, 12, 13
KEEN_AHEAD, KEEN_TOLD, MET, FAILED = 14, 15, 16, 17
# Of the pool: whether there is one, how long the line is, how many arrived since, how many of the
# greatest red classes, at least, are open, how many at the front of the line are gone, and the
# least rank of those that arrived.
POOLING, LINE, ARRIVED, FRONT, GONE, FIRST_ARRIVED = 18, 19, 20, 21, 22, 23
# Whether all that are keen and not decided have numbers, and how many can have them.
KEEN_NUMBERED, KEEN_MOST, COUNTERS = 24, 25, 26

SOME = 192
"""How many pairs are looked at when a rare non-terminal meets a red class."""

FEW = 24
"""How many if it is a hapax: bringing its foes up to date takes less time than many pairs."""

MODEST = 32
"""How many red classes that fill few contexts are kept at hand."""


class State(NamedTuple):
    """See `NONTERMINAL`; 0 stands for none."""

    counters: NDArray[np.int64]
    of: NDArray[np.void]
    #: by non-terminal, apart from the rest as they are asked for most often: its colour, and
    #: whether it can be made to fail from above
    colour: NDArray[np.int8]
    exposed: NDArray[np.bool_]
    #: red ones by falling count, and the number of each
    order: NDArray[np.int32]
    number_at: NDArray[np.int32]
    #: red ones in pairs, the best first, and those that have changed since (see `turns`)
    tournament: NDArray[np.int32]
    changed: NDArray[np.int32]
    #: those that wait together, by rank, and those that came later (see `pool`)
    line: NDArray[np.int32]
    arrived: NDArray[np.int32]
    #: stacks: blue ones to find a fit for, busy ones, those that fit none
    doubted: NDArray[np.int32]
    busy: NDArray[np.int32]
    alone: NDArray[np.int32]
    #: red ones that filled few contexts when they became red
    modest: NDArray[np.int32]
    #: by non-terminal: which of the rules that it fills, of those with a shared context, led to the
    #: last failure
    hint: NDArray[np.int32]
    #: by context: the least sharpness of its left-hand sides
    dull: NDArray[np.float64]
    #: pairs that were seen to lead to a failure: see `SEEN`
    seen: NDArray[np.void]
    #: pairs that must not merge
    cannot: NDArray[np.int32]
    #: by context: how many rules have a left-hand side that is not decided
    undecided_in: NDArray[np.int32]
    #: pairs that a meeting leads to
    meeting: NDArray[np.int32]
    #: between red ones
    edges: Edges
    foes: Foes


NONTERMINAL = np.dtype(
    [
        # C of the class that it leads
        ("count", np.float64),
        # of red ones: `sharpness`, and the limit that `dull` was last told
        ("sharp", np.float64),
        ("sharp_told", np.float64),
        ("leader", np.int32),
        # how many of its rules have a filler that is not decided
        ("undecided", np.int32),
        # of red ones: the last member; of members: the one before
        ("last_member", np.int32),
        ("earlier_member", np.int32),
        # of red ones: where they are in the order of counts, and in the tournament
        ("position", np.int32),
        ("seat", np.int32),
        # the greatest red one that a blue one waits for, 0 if it waits in the pool alone
        ("claim", np.int32),
        # of red ones: the place in the line of whom it asks next
        ("asks", np.int32),
        # what a blue one fits, and which; all that share a quiet one, as a list
        ("witness", np.int32),
        ("first_quiet", np.int32),
        ("next_quiet", np.int32),
        ("earlier_quiet", np.int32),
        ("fit", np.int8),
        ("is_changed", np.bool_),
        ("is_doubted", np.bool_),
        # of red ones: whether it asks those in the pool; of blue ones: whether it is there
        ("is_open", np.bool_),
        ("in_pool", np.bool_),
        # whether it is told of new edges that its foes may follow from
        ("is_told", np.bool_),
    ],
    align=True,
)

# A class and a single non-terminal, as a key, and the comparison that fails. The place of a pair is
# its hash, cut off, so that some are forgotten.
SEEN = np.dtype(
    [("key", np.uint64), ("context", np.int32), ("k", np.int32), ("m", np.int32)], align=True
)


@inner
def comes_before(world: World, state: State, a: int, b: int) -> bool:
    """Whether red class a is greater than b, or the first of equals."""
    if state.of[a].count != state.of[b].count:
        return state.of[a].count > state.of[b].count
    return world.of[a].place < world.of[b].place


@inner
def insert_red(world: World, state: State, red: int) -> None:
    """Put a new red class in the order of counts."""
    low, high = 0, state.counters[REDS]
    while low < high:
        middle = (low + high) // 2
        if comes_before(world, state, state.order[middle], red):
            low = middle + 1
        else:
            high = middle
    for at in range(state.counters[REDS], low, -1):
        put_at(state, wide(state.order[at - 1]), at)
    put_at(state, red, low)
    state.of[red].seat = state.counters[REDS]
    state.counters[REDS] += 1


@inner
def put_at(state: State, red: int, position: int) -> None:
    """Put a red class where it belongs in the order of counts."""
    state.order[position], state.number_at[position] = red, state.edges.number[red]
    state.of[red].position = position
    if not state.of[red].is_open:
        state.counters[FRONT] = min(state.counters[FRONT], position)


@inner
def claim(state: State, queues: Queues, blue: int, red: int) -> None:
    """Let a blue non-terminal wait for a red one."""
    state.of[blue].claim = red
    enqueue(queues, red, blue)
    note_change(state, red)


@inner
def waive(state: State, queues: Queues, blue: int) -> None:
    """Let a blue non-terminal wait for no red one by itself."""
    red = wide(state.of[blue].claim)
    if red:
        state.of[blue].claim = 0
        leave(queues, red, blue)
        note_change(state, red)


@inner
def note_change(state: State, red: int) -> None:
    """Note that the count of a red class has changed, or who waits for it."""
    if not state.of[red].is_changed:
        state.of[red].is_changed = True
        state.changed[state.counters[CHANGED]] = red
        state.counters[CHANGED] += 1


@inner
def doubt(state: State, blue: int) -> None:
    """Have it found out again what a blue non-terminal fits."""
    if state.colour[blue] == BLUE and not state.of[blue].is_doubted:
        state.of[blue].is_doubted = True
        state.doubted[state.counters[DOUBTED]] = blue
        state.counters[DOUBTED] += 1


@inner
def doubt_quiet(state: State, red: int) -> None:
    """Doubt all that rests on a red class, which has changed."""
    blue = wide(state.of[red].first_quiet)
    state.of[red].first_quiet = 0
    while blue:
        state.of[blue].fit = LOOSE
        doubt(state, blue)
        blue = wide(state.of[blue].next_quiet)


@inner
def rest_on(state: State, red: int, blue: int) -> None:
    """Let it be found out again what a blue non-terminal fits when a red class changes."""
    after = wide(state.of[red].first_quiet)
    state.of[blue].fit, state.of[blue].witness = QUIET, red
    state.of[blue].next_quiet, state.of[blue].earlier_quiet = after, 0
    state.of[after].earlier_quiet, state.of[red].first_quiet = blue, blue


@inner
def rest_no_more(state: State, blue: int) -> None:
    """Take a quiet one off the list of those that rest on its witness."""
    after, before = wide(state.of[blue].next_quiet), wide(state.of[blue].earlier_quiet)
    state.of[after].earlier_quiet = before
    if before:
        state.of[before].next_quiet = after
    else:
        state.of[state.of[blue].witness].first_quiet = after


@inner
def may_merge(state: State, red: int, blue: int) -> bool:
    """Whether no constraint keeps the two apart."""
    for pair in range(len(state.cannot)):
        a, b = state.of[state.cannot[pair, 0]].leader, state.of[state.cannot[pair, 1]].leader
        if (a == red and b == blue) or (a == blue and b == red):
            return False
    return True
