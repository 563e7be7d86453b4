"""Who waits for which red class, and how those that were seen once wait together.

A blue non-terminal waits for the greatest red class that it is not known to fail against, and goes
on to the next when it fails. Thousands that were seen once fail against the same hundreds of
classes one after another. To go on one by one would take longer than all the rest; but as all of
them score alike, which of them comes first is always the same. So they wait together, in the
*pool*, one line by rank. A red class is closed until it is the turn of the pool: then it is opened,
and asks one after another in the line until one fits. Those who come later go by open classes by
themselves before they join.

So of each blue non-terminal and each red class at least one is true:

- it fails;
- it waits for that class, or a greater one;
- the class is closed, and it is in the pool;
- the class is open, and has not asked it yet.
"""

from __future__ import annotations

import numpy as np

from grammar_store.merging.fringe.compiling import allocating, inner, wide
from grammar_store.merging.fringe.foes import add_foes, is_foe, turns_out_as_foe
from grammar_store.merging.fringe.queues import Queues
from grammar_store.merging.fringe.records import Records, gather_known, surely_fails
from grammar_store.merging.fringe.rows import has_bit
from grammar_store.merging.fringe.state import (
    ARRIVED,
    BLUE,
    FIRST_ARRIVED,
    FRONT,
    GONE,
    LINE,
    POOLING,
    REDS,
    State,
    claim,
    note_change,
    waive,
)


@inner
def head(state: State, queues: Queues, red: int) -> int:
    """The first that waits for a red class or is asked by it next, 0 if there is none."""
    x, place = wide(queues.of[red].first), wide(state.of[red].asks)
    if place < state.counters[LINE]:
        y = wide(state.line[place])
        if x == 0 or queues.of[y].rank < queues.of[x].rank:
            return y
    return x


@inner
def send_on(state: State, queues: Queues, records: Records, red: int) -> bool:
    """Let the first that waits for a red class go on, and those after it that surely fail.

    False if one fails against all, which should be known.
    """
    x = head(state, queues, red)
    while True:
        if x == queues.of[red].first:
            waive(state, queues, x)
            if not _claim_next(state, queues, records, red, x):
                return False
        else:
            state.of[red].asks = _next_in_line(state, red, state.of[red].asks + 1)
        x = head(state, queues, red)
        if (
            x == 0
            or x != queues.of[red].first
            or not (
                surely_fails(state, records, red, x)
                or turns_out_as_foe(state.edges, state.foes, red, x)
            )
        ):
            note_change(state, red)
            return True


@inner
def _next_in_line(state: State, red: int, place: int) -> int:
    """The first place in the line, from one on, of somebody who may fit a red class."""
    edges, foes, length = state.edges, state.foes, state.counters[LINE]
    while place < length:
        x = wide(state.line[place])
        if not (
            state.colour[x] != BLUE
            or is_foe(edges, foes, red, x)
            or turns_out_as_foe(edges, foes, red, x)
        ):
            break
        place += 1
    return place


@inner
def _claim_next(state: State, queues: Queues, records: Records, red: int, x: int) -> bool:
    """Let one that fails against a class wait for the next one; False if there is none."""
    gather_known(state, records, x)
    add_foes(state.foes, x, records.all_known, wide(0))
    pooling = state.counters[POOLING] and state.of[x].count == 1.0
    for at in range(state.of[red].position + 1, state.counters[REDS]):
        if has_bit(records.all_known, wide(0), wide(state.number_at[at])):
            continue
        other = wide(state.order[at])
        if state.of[other].is_open or not pooling:
            claim(state, queues, x, other)
            return True
        if not state.of[x].in_pool:
            state.of[x].in_pool = True
            state.arrived[state.counters[ARRIVED]] = x
            state.counters[ARRIVED] += 1
            rank = wide(queues.of[x].rank)
            state.counters[FIRST_ARRIVED] = min(state.counters[FIRST_ARRIVED], rank)
    return state.of[x].in_pool


@inner
def first_closed(state: State) -> int:
    """The greatest red class that is closed, 0 if there is none or nobody is in the pool."""
    if state.counters[LINE] + state.counters[ARRIVED] == 0:
        return 0
    while state.counters[FRONT] < state.counters[REDS]:
        red = wide(state.order[state.counters[FRONT]])
        if not state.of[red].is_open:
            return red
        state.counters[FRONT] += 1
    return 0


@inner
def first_in_pool(state: State, queues: Queues) -> int:
    """The least rank of those in the pool, or one that is still less."""
    while state.counters[GONE] < state.counters[LINE]:
        x = state.line[state.counters[GONE]]
        if state.colour[x] == BLUE:
            return min(wide(queues.of[x].rank), state.counters[FIRST_ARRIVED])
        state.counters[GONE] += 1
    return wide(state.counters[FIRST_ARRIVED])


@inner
def open_class(state: State, queues: Queues, red: int) -> None:
    """Let a red class ask all in the pool."""
    _line_up(state, queues)
    state.of[red].is_open, state.of[red].asks = True, 0
    note_change(state, red)


@allocating
def _line_up(state: State, queues: Queues) -> None:
    """Make the line anew: without those who are decided, and with those who arrived.

    Whoever a class would ask next is the same as before, or the first after it: those who arrived
    went by all open classes.
    """
    line, length, new = state.line, state.counters[LINE], state.counters[ARRIVED]
    asking = [wide(0) for _ in range(0)]
    for at in range(state.counters[REDS]):
        red = wide(state.order[at])
        if state.of[red].asks < length:
            asking.append(red)
            state.of[red].asks = queues.of[line[state.of[red].asks]].rank
    ranks = np.empty(new, np.int64)
    for at in range(new):
        ranks[at] = queues.of[state.arrived[at]].rank
    arrived = state.arrived[:new][np.argsort(ranks)]
    left = 0
    for at in range(length):
        if state.colour[line[at]] == BLUE:
            line[left] = line[at]
            left += 1
    # From the end on, so that nothing is overwritten before it is moved.
    old, to = left - 1, left + new - 1
    for at in range(new - 1, -1, -1):
        rank = queues.of[arrived[at]].rank
        while old >= 0 and queues.of[line[old]].rank > rank:
            line[to] = line[old]
            old, to = old - 1, to - 1
        line[to] = arrived[at]
        to -= 1
    state.counters[LINE], state.counters[ARRIVED] = left + new, 0
    state.counters[GONE], state.counters[FIRST_ARRIVED] = 0, len(queues.of)
    for red in asking:
        low, high = 0, left + new
        while low < high:
            middle = (low + high) // 2
            if queues.of[line[middle]].rank < state.of[red].asks:
                low = middle + 1
            else:
                high = middle
        state.of[red].asks = low
        note_change(state, red)
