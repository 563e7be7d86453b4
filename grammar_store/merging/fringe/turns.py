"""Whose turn it is: of all red classes, each with the first that waits for it, the best pair.

A tournament: red classes stand in pairs, the better one goes on to the next round. Only those that
have changed, and whom they meet, play again.
"""

from __future__ import annotations

from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.queues import Queues
from grammar_store.merging.fringe.state import CHANGED, State
from grammar_store.merging.fringe.world import World

EVIDENCE, SUM, MINIMUM = 0, 1, 2


@inner
def best_pair(world: World, state: State, queues: Queues, score: int) -> int:
    """The red class whose first claimant makes the best pair, 0 if nobody waits."""
    tree = state.tournament
    while state.counters[CHANGED]:
        state.counters[CHANGED] -= 1
        red = wide(state.changed[state.counters[CHANGED]])
        state.of[red].is_changed = False
        at = (len(tree) >> 1) + wide(state.of[red].seat)
        tree[at] = red if queues.of[red].first else 0
        while at > 1:
            a, b = wide(tree[at]), wide(tree[at ^ 1])
            at >>= 1
            if a == 0 or b == 0:
                tree[at] = a + b
            else:
                tree[at] = a if _is_better(world, state, queues, score, a, b) else b
    return tree[1]


@inner
def _is_better(world: World, state: State, queues: Queues, score: int, a: int, b: int) -> bool:
    """Whether red class a makes a better pair than b, each with its first claimant."""
    blue_a, blue_b = queues.of[a].first, queues.of[b].first
    red_a, red_b = wide(state.of[a].count), wide(state.of[b].count)
    count_a, count_b = wide(state.of[blue_a].count), wide(state.of[blue_b].count)
    if score == EVIDENCE and count_a == count_b:
        compared = red_a - red_b  # with which the evidence grows
    elif score == EVIDENCE:
        compared = _compare(red_a * count_a, red_a + count_a, red_b * count_b, red_b + count_b)
    elif score == SUM:
        compared = red_a + count_a - red_b - count_b
    else:
        compared = min(red_a, count_a) - min(red_b, count_b)
    if compared != 0:
        return compared > 0
    if count_a != count_b:
        return count_a > count_b
    return world.of[blue_a].place < world.of[blue_b].place  # each waits for one class only


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
