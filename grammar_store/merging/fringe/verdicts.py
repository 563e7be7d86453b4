"""Do a class and a single non-terminal differ in some context, as things stand?"""

from __future__ import annotations

import numpy as np

from grammar_store.equivalence.decide import LOUD, never_fails
from grammar_store.equivalence.matrix import entry_of
from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.reds import SHARE, Reds, find
from grammar_store.merging.fringe.sharpness import sharpness
from grammar_store.merging.fringe.state import RED, State
from grammar_store.merging.fringe.world import World
from grammar_store.statistics import compare_one, dissimilarity_one

GRAIN = 2.0**30
ANY, GREATEST, NONE = wide(0), wide(1), wide(2)
"""Which failing comparison to find."""


@inner
def count_in(world: World, reds: Reds, state: State, k: int, context: int) -> float:
    """C of a class in a context."""
    if state.colour[k] == RED:
        return reds.entry[find(reds, k, context)].c  # entry 0 has none
    entry = entry_of(world.initial, k, context)
    return world.initial.c[entry] if entry >= 0 else 0.0


@inner
def failing_context(
    world: World, reds: Reds, state: State, level: Level, k: int, m: int, which: int
) -> int:
    """A context in which a class and a single non-terminal differ, 0 if there is none.

    `ANY`, or that of the `GREATEST` D, of equals with the least id.
    """
    initial, by_count = world.initial, world.risk.bounds.by_proportion
    count_k, count_m = state.of[k].count, initial.counts[m]
    fisher = min(count_k, count_m) < level.fisher_below
    if fisher and never_fails(count_k, count_m, world.risk.harmless):
        return 0
    h = count_k * (count_m / (count_k + count_m))
    best, best_d = 0, -1.0
    # What the second has much of.
    for place in range(initial.starts[m], initial.starts[m + 1]):
        entry = by_count[place]
        c_m = initial.c[entry]
        p = min(c_m / count_m, 1.0)
        if c_m <= LOUD if fisher else h * p * p * (1.0 + 1e-12) < level.theta:
            break
        context = wide(initial.context[entry])
        c_k = count_in(world, reds, state, k, context)
        if differ(c_k, count_k, c_m, count_m, level):
            if which == ANY:
                return context
            best, best_d = _greater(best, best_d, context, c_k, count_k, c_m, count_m)
    # What the first has much of.
    if state.colour[k] != RED:
        if count_m < world.of[k].sharp:
            return best
        for place in range(initial.starts[k], initial.starts[k + 1]):
            entry = by_count[place]
            c_k = initial.c[entry]
            if sharpness(c_k, count_k, level) > count_m:
                break
            context = wide(initial.context[entry])
            c_m = count_in(world, reds, state, m, context)
            if differ(c_k, count_k, c_m, count_m, level):
                if which == ANY:
                    return context
                best, best_d = _greater(best, best_d, context, c_k, count_k, c_m, count_m)
        return best
    if count_m < state.of[k].sharp:
        return best
    only_great = sharpness(SHARE * count_k, count_k, level) > count_m
    red_entry = reds.by_class[k].first_great if only_great else reds.by_class[k].first_entry
    while red_entry:
        context, c_k = wide(reds.entry[red_entry].context), reds.entry[red_entry].c
        if c_k > 0.0:
            c_m = count_in(world, reds, state, m, context)
            if differ(c_k, count_k, c_m, count_m, level):
                if which == ANY:
                    return context
                best, best_d = _greater(best, best_d, context, c_k, count_k, c_m, count_m)
        red_entry = (
            reds.entry[red_entry].next_great if only_great else reds.entry[red_entry].next_entry
        )
    return best


@inner
def differ(c_k: float, count_k: float, c_m: float, count_m: float, level: Level) -> bool:
    """Whether two proportions count as different."""
    same, _, _ = compare_one(
        c_k, count_k, c_m, count_m, level.theta, level.log_alpha, level.fisher_below
    )
    return not same


@inner
def _greater(
    best: int, best_d: float, context: int, c_k: float, count_k: float, c_m: float, count_m: float
) -> tuple[int, float]:
    d = np.rint(dissimilarity_one(c_k, count_k, c_m, count_m) * GRAIN)
    if d > best_d or (d == best_d and context < best):
        return context, d
    return best, best_d
