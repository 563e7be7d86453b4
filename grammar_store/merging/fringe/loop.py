"""The loop of Blue-Fringe (docs/definitions.md, D10), compiled.

Of all pairs of a red class and a blue non-terminal only these are tested: each blue one with the
greatest red class that it is not known to fail against, when it is its turn; and with some red
class that it surely fits, so that nobody who fits none is overlooked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe.changes import merge, promote
from grammar_store.merging.fringe.compiling import inner, refer, wide
from grammar_store.merging.fringe.edges import has_room_for_all
from grammar_store.merging.fringe.exposure import expose_all
from grammar_store.merging.fringe.meetings import FAILS_YET, FITS, UNSURE, meet
from grammar_store.merging.fringe.pool import head, send_on
from grammar_store.merging.fringe.queues import Queues
from grammar_store.merging.fringe.records import (
    USED,
    Records,
    known_to_fail,
    record,
    set_failing,
)
from grammar_store.merging.fringe.reds import ENTRIES, NODES, Reds, find
from grammar_store.merging.fringe.rows import has_room
from grammar_store.merging.fringe.state import (
    ALONE_ONES,
    BLUE,
    BLUES,
    CLASSES,
    DOUBTED,
    FAILED,
    KEEN_AHEAD,
    KEEN_TOLD,
    OVER,
    REDS,
    WORK,
    State,
    may_merge,
    waive,
)
from grammar_store.merging.fringe.turns import best_pair
from grammar_store.merging.fringe.verdicts import (
    ANY,
    GREATEST,
    count_in,
)
from grammar_store.merging.fringe.walk import CERTAIN, GUESSING, failure
from grammar_store.merging.fringe.witnesses import doubt_busy, find_fit, try_new_red
from grammar_store.merging.fringe.world import World
from grammar_store.statistics import dissimilarity_one

DONE, FULL, NO_ROOM, LOST = 0, 1, 2, 3
"""Why the loop came to a stop: nothing is blue, enough steps, the tables are full, a defect."""

_GRAIN = 2.0**30


class Made(NamedTuple):
    """Steps: a promotion displaces 0. The deciding comparison is one of `first` and `second`."""

    displaced: NDArray[np.int32]
    leader: NDArray[np.int32]
    context: NDArray[np.int32]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    depth: NDArray[np.int32]
    #: whether another merge made the two the same
    forced: NDArray[np.bool_]
    #: c1, C1, c2, C2
    counts: NDArray[np.float64]


def new_made(steps: int) -> Made:
    """Room for so many steps."""
    columns = [np.zeros(steps, np.int32) for _ in range(6)]
    return Made._make([*columns, np.zeros(steps, np.bool_), np.zeros((steps, 4))])


@kernel
def advance(
    world: World, reds: Reds, state: State, queues: Queues, records: Records, level: Level,
    score: int, classes: int, made: Made, start: int,
) -> tuple[int, int, float]:  # fmt: skip
    """Make steps until there is no more room for them.

    The greatest `score` is merged first, while there are more than so many `classes`; steps are
    written to `made` from `start` on.

    Returns
    -------
    reason, steps, pairs
        Why it stopped, how many steps are written, and how many pairs of red and blue there
        were when each of them was made: the tests of a run that tests all.
    """
    return _advance(
        refer(world), refer(reds), refer(state), refer(queues), refer(records), refer(level), score,
        classes, refer(made), start,
    )  # fmt: skip


@inner
def _advance(
    world: World, reds: Reds, state: State, queues: Queues, records: Records, level: Level,
    score: int, classes: int, made: Made, start: int,
) -> tuple[int, int, float]:  # fmt: skip
    steps, pairs = start, 0.0
    while True:
        if not _has_room(reds, state, records, 1 << 16):
            return NO_ROOM, steps, pairs
        if (
            state.counters[WORK] > len(world.initial.c)
            or 2 * state.counters[KEEN_AHEAD] < state.counters[KEEN_TOLD]
        ):
            expose_all(world, state)
            state.counters[WORK] = 0
        while state.counters[DOUBTED]:
            if not _has_room(reds, state, records, 1 << 16):
                return NO_ROOM, steps, pairs
            state.counters[DOUBTED] -= 1
            blue = wide(state.doubted[state.counters[DOUBTED]])
            state.of[blue].is_doubted = False
            if state.colour[blue] == BLUE:
                find_fit(world, reds, state, level, blue)
        if steps == len(made.leader) or state.counters[CLASSES] <= classes:
            return FULL, steps, pairs
        if state.counters[BLUES] == 0:
            return DONE, steps, pairs
        if state.counters[ALONE_ONES]:
            x = wide(_lowest(world, state))
            if not _has_room(reds, state, records, _size(world, x)):
                return NO_ROOM, steps, pairs
            pairs += float(state.counters[REDS]) * state.counters[BLUES]
            _note_failure(world, reds, state, level, made, steps, x)
            steps += 1
            waive(state, queues, x)
            promote(world, reds, state, queues, records, level, x)
            try_new_red(world, reds, state, level, x)
            doubt_busy(reds, state)
            continue
        red = best_pair(world, state, queues, score)
        if red == 0:
            return LOST, steps, pairs
        blue = head(state, queues, red)
        if not _has_room(reds, state, records, _size(world, blue)):
            return NO_ROOM, steps, pairs
        if not _fits(world, reds, state, records, level, red, blue):
            if not send_on(state, queues, records, red):
                return LOST, steps, pairs
            continue
        waive(state, queues, blue)
        pairs += float(state.counters[REDS]) * state.counters[BLUES]
        _note_merge(world, reds, state, made, steps, red, blue)
        steps += 1
        merge(world, reds, state, queues, records, level, red, blue)
        doubt_busy(reds, state)


@inner
def _has_room(reds: Reds, state: State, records: Records, entries: int) -> bool:
    return (
        reds.used[ENTRIES] + entries < len(reds.entry)
        and reds.used[NODES] + entries < len(reds.node)
        and records.used[USED] + 1 < len(records.record)
        and has_room(records.known)
        and has_room_for_all(state.edges)
    )


@inner
def _size(world: World, x: int) -> int:
    initial, rules = world.initial.starts, world.rule_starts
    return 1 + initial[x + 1] - initial[x] + rules[x + 1] - rules[x]


@inner
def _fits(
    world: World, reds: Reds, state: State, records: Records, level: Level, red: int, blue: int
) -> bool:
    """Whether a blue non-terminal may be merged into a red class; if not, note why."""
    if known_to_fail(state, records, red, blue):
        return False
    if not may_merge(state, red, blue):
        set_failing(state, records, red, blue)  # for good: classes only grow
        return False
    met, context, k, m = meet(world, reds, state, level, red, blue, False)
    if met == FAILS_YET:
        state.counters[OVER] = 0
        record(world, reds, state, records, level, red, blue, context, k, m)
    if met != UNSURE:
        return met == FITS
    # Those that fail come one after another, as do those that fit.
    certainty = GUESSING if state.counters[FAILED] else CERTAIN
    context, k, m, _ = failure(world, reds, state, level, red, blue, ANY, certainty)
    state.counters[FAILED] = context != 0
    if context > 0:
        record(world, reds, state, records, level, red, blue, context, k, m)
    return context == 0


@inner
def _lowest(world: World, state: State) -> int:
    """Of those that fit no red class the one to promote."""
    best = state.alone[0]
    for at in range(1, state.counters[ALONE_ONES]):
        x = state.alone[at]
        if world.of[x].height != world.of[best].height:
            if world.of[x].height < world.of[best].height:
                best = x
        elif state.of[x].count != state.of[best].count:
            if state.of[x].count > state.of[best].count:
                best = x
        elif world.of[x].place < world.of[best].place:
            best = x
    return best


@inner
def _note(
    world: World, reds: Reds, state: State, made: Made, step: int, context: int, k: int, m: int,
    depth: int,
) -> None:  # fmt: skip
    made.context[step], made.depth[step] = context, depth
    made.first[step], made.second[step] = k, m
    if context:
        made.counts[step, 0] = (
            reds.by_class[k].greatest
            if context == reds.by_class[k].greatest_context
            else count_in(world, reds, state, k, context)
        )
        made.counts[step, 1] = state.of[k].count
        made.counts[step, 2] = count_in(world, reds, state, m, context)
        made.counts[step, 3] = state.of[m].count


@inner
def _note_failure(
    world: World, reds: Reds, state: State, level: Level, made: Made, step: int, x: int
) -> None:
    """Write down a promotion, with what keeps it from the greatest red class."""
    made.displaced[step], made.leader[step] = 0, x
    red = wide(state.order[0])
    context, k, m, depth = failure(world, reds, state, level, red, x, GREATEST, CERTAIN)
    _note(world, reds, state, made, step, context, k, m, depth)


@inner
def _note_merge(
    world: World, reds: Reds, state: State, made: Made, step: int, red: int, x: int
) -> None:
    """Write down a merge, with the greatest difference between the two themselves.

    It is looked for where the blue one has rules, and where the red class has most of its own.
    """
    initial = world.initial
    made.displaced[step], made.leader[step] = x, red
    best, best_d = 0, -1.0
    for entry in range(initial.starts[x], initial.starts[x + 1]):
        context = wide(initial.context[entry])
        c_red = reds.entry[find(reds, red, context)].c
        d = dissimilarity_one(c_red, state.of[red].count, initial.c[entry], state.of[x].count)
        d = np.rint(d * _GRAIN)
        if d > best_d:
            best, best_d = context, d
    context = wide(reds.by_class[red].greatest_context)
    c_x = count_in(world, reds, state, x, context)
    d = dissimilarity_one(reds.by_class[red].greatest, state.of[red].count, c_x, state.of[x].count)
    if np.rint(d * _GRAIN) > best_d:
        best = context
    _note(world, reds, state, made, step, best, red, x, 0)
