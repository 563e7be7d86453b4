"""Whose turn it is: of all red classes, each with the first that waits for it, the best pair.

A tournament: red classes stand in pairs, the better one goes on to the next round. Only those that
have changed, and whom they meet, play again.
"""

from __future__ import annotations

from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.pool import first_closed, first_in_pool, head, open_class
from grammar_store.merging.fringe.queues import Queues
from grammar_store.merging.fringe.state import BLUE, CHANGED, State, comes_before, note_change
from grammar_store.merging.fringe.world import World

EVIDENCE, SUM, MINIMUM = 0, 1, 2


@inner
def best_pair(world: World, state: State, queues: Queues, score: int) -> int:
    """The red class that makes the best pair with the first that waits for it, 0 if nobody does."""
    while True:
        red, closed = _winner(world, state, queues, score), first_closed(state)
        if closed and (red == 0 or _may_be_better(world, state, queues, score, closed, red)):
            open_class(state, queues, closed)
        elif red == 0 or state.colour[head(state, queues, red)] == BLUE:
            return red
        else:
            state.of[red].asks += 1  # who would be asked next was decided meanwhile
            note_change(state, red)


@inner
def _winner(world: World, state: State, queues: Queues, score: int) -> int:
    tree = state.tournament
    while state.counters[CHANGED]:
        state.counters[CHANGED] -= 1
        red = wide(state.changed[state.counters[CHANGED]])
        state.of[red].is_changed = False
        at = (len(tree) >> 1) + wide(state.of[red].seat)
        tree[at] = red if head(state, queues, red) else 0
        while at > 1:
            a, b = wide(tree[at]), wide(tree[at ^ 1])
            at >>= 1
            if a == 0 or b == 0:
                tree[at] = a + b
            else:
                tree[at] = a if _is_better(world, state, queues, score, a, b) else b
    return wide(tree[1])


@inner
def _may_be_better(
    world: World, state: State, queues: Queues, score: int, closed: int, red: int
) -> bool:
    """Whether a closed class may make a better pair with one of the pool than another does."""
    x = head(state, queues, red)
    compared = _scores(score, state.of[closed].count, 1.0, state.of[red].count, state.of[x].count)
    if compared != 0 or state.of[x].count != 1.0:
        return compared >= 0
    first = first_in_pool(state, queues)
    return first < queues.of[x].rank or (
        first == queues.of[x].rank and comes_before(world, state, closed, red)
    )


@inner
def _is_better(world: World, state: State, queues: Queues, score: int, a: int, b: int) -> bool:
    """Whether red class a makes a better pair than b, each with the first that waits for it."""
    blue_a, blue_b = head(state, queues, a), head(state, queues, b)
    count_a, count_b = state.of[blue_a].count, state.of[blue_b].count
    compared = _scores(score, state.of[a].count, count_a, state.of[b].count, count_b)
    if compared != 0:
        return compared > 0
    if count_a != count_b:
        return count_a > count_b
    if blue_a != blue_b:
        return world.of[blue_a].place < world.of[blue_b].place
    return comes_before(world, state, a, b)


@inner
def _scores(score: int, red_a: float, blue_a: float, red_b: float, blue_b: float) -> int:
    """The sign of the difference between the scores of two pairs of counts, exactly."""
    a, b, x, y = wide(red_a), wide(red_b), wide(blue_a), wide(blue_b)
    if score == SUM:
        return a + x - b - y
    if score == MINIMUM:
        return min(a, x) - min(b, y)
    if x == y:
        return a - b  # with which the evidence grows
    return _compare(a * x, a + x, b * y, b + y)


@inner
def _compare(a: int, b: int, c: int, d: int) -> int:
    """The sign of a/b - c/d, exactly: by whole parts, then by what is left, turned over."""
    sign = 1
    while True:
        whole_a, whole_c = a // b, c // d
        if whole_a != whole_c:
            return sign if whole_a > whole_c else -sign
        a, c = a - whole_a * b, c - whole_c * d
        if a == 0 or c == 0:
            return sign * ((a > 0) - (c > 0))
        a, b, c, d, sign = b, a, d, c, -sign
