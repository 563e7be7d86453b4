"""Is a blue non-terminal equivalent to a red class, as things stand?

Everything above a blue non-terminal is white, so the second of each pair that a test leads to is a
single non-terminal with the counts that it began with; the first is a red class or single as well.
So of a second one that has no count above 1/2, nor anything above it has (nor enough for
Hoeffding's test), only this matters: whether the first one is too *sharp* for it.
"""

from __future__ import annotations

import numpy as np

from grammar_store.equivalence.decide import LOUD, can_fail, never_fails
from grammar_store.equivalence.matrix import entry_of
from grammar_store.equivalence.pairs import pair_key, visit, wider
from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.exposure import is_bare, opens_main
from grammar_store.merging.fringe.reds import SHARE, Reds, find
from grammar_store.merging.fringe.sharpness import sharpness
from grammar_store.merging.fringe.state import MAIN, OTHERS, RED, TESTS, WORK, State
from grammar_store.merging.fringe.world import LISTED, World
from grammar_store.statistics import compare_one, dissimilarity_one

GRAIN = 2.0**30
ANY, GREATEST = wide(0), wide(1)
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


@inner
def failure(
    world: World, reds: Reds, state: State, level: Level, red: int, blue: int, which: int
) -> tuple[int, int, int, int]:
    """What keeps a red class and a blue non-terminal apart.

    Returns
    -------
    context, first, second, depth
        The failing comparison, 0 and zeros if there is none. `GREATEST`: of those nearest to
        the top the one with the greatest D, then the least ids; so it is always the same.
        The counter `OTHERS` tells how many pairs with other red classes were met.
    """
    state.counters[TESTS] += 1
    state.counters[OTHERS] = 0
    context = failing_context(world, reds, state, level, red, blue, which)
    if context:
        return context, red, blue, 0
    bare, main = is_bare(world, state, red), state.counters[MAIN]
    safe = not (state.main_exposed[blue] if red == main else state.exposed[blue])
    if safe and not bare:
        return 0, 0, 0, 0
    initial = world.initial
    visited = np.zeros(64, np.uint64)
    pairs = np.empty((32, 2), np.int32)
    pairs[0, 0], pairs[0, 1] = red, blue
    visit(visited, pair_key(red, blue))
    here, known, depth = 0, 1, 0
    while here < known:
        end = known
        for at in range(here, end):
            k, m = wide(pairs[at, 0]), wide(pairs[at, 1])
            for entry in range(initial.starts[m], initial.starts[m + 1]):
                above, context = wide(initial.lhs[entry]), wide(initial.context[entry])
                if bare and depth == 0:
                    pass  # look at everything
                elif k == main:
                    if not state.main_exposed[above] and not opens_main(
                        world, state, context, above
                    ):
                        continue
                elif not state.exposed[above] and initial.counts[above] < state.dull[context]:
                    continue
                state.counters[WORK] += 1
                if state.colour[k] != RED:
                    other = entry_of(initial, k, context)
                    if other >= 0 and can_fail(initial.lhs[other], above, world.risk):
                        pairs, visited, known = _meet(
                            pairs, visited, known, initial.lhs[other], above
                        )
                    continue
                red_entry = find(reds, k, context)
                if red_entry == 0:
                    continue
                before_reds = known
                pairs, visited, known = _meet_red_ones(
                    reds, red_entry, pairs, visited, known, above
                )
                for met in range(before_reds, known):
                    state.counters[OTHERS] += pairs[met, 0] != red
                if world.of[above].risky or (
                    world.risk.bounds.top[above, 0] >= reds.entry[red_entry].least_sharp
                ):
                    head, pairs, visited, known = _meet_listed(
                        world,
                        reds,
                        state,
                        reds.entry[red_entry].risky,
                        pairs,
                        visited,
                        known,
                        above,
                    )
                    reds.entry[red_entry].risky = head
                if world.of[above].sharp_above <= reds.entry[red_entry].most_mild:
                    head, pairs, visited, known = _meet_listed(
                        world, reds, state, reds.entry[red_entry].mild, pairs, visited, known, above
                    )
                    reds.entry[red_entry].mild = head
                if world.of[above].sharp_above < LISTED:
                    # It can fail against the rarest ones too, which are in no list.
                    for place in range(
                        world.context_starts[context], world.context_starts[context + 1]
                    ):
                        x = world.by_context[place].lhs
                        if (
                            not world.of[x].listed
                            and state.colour[x] < RED
                            and state.of[world.by_context[place].filler].leader == k
                            and can_fail(x, above, world.risk)
                        ):
                            pairs, visited, known = _meet(pairs, visited, known, x, above)
        here, depth = end, depth + 1
        best, best_d, best_k, best_m = 0, -1.0, 0, 0
        for at in range(here, known):
            k, m = wide(pairs[at, 0]), wide(pairs[at, 1])
            context = failing_context(world, reds, state, level, k, m, which)
            if context == 0:
                continue
            if which == ANY:
                return context, k, m, depth
            c_k, c_m = (
                count_in(world, reds, state, k, context),
                count_in(world, reds, state, m, context),
            )
            d = np.rint(dissimilarity_one(c_k, state.of[k].count, c_m, initial.counts[m]) * GRAIN)
            if d > best_d or (d == best_d and (k < best_k or (k == best_k and m < best_m))):
                best, best_d, best_k, best_m = context, d, k, m
        if best:
            return best, best_k, best_m, depth
    return 0, 0, 0, 0


@inner
def _meet(pairs, visited, known, k, m):  # type: ignore[no-untyped-def]
    """Add a pair to those that a test leads to."""
    if k == m:
        return pairs, visited, known
    if 2 * (known + 1) > len(visited):
        visited = wider(visited)
    if visit(visited, pair_key(k, m)):
        if known == len(pairs):
            more = np.empty((2 * known, 2), np.int32)
            more[:known] = pairs
            pairs = more
        pairs[known, 0], pairs[known, 1] = k, m
        known += 1
    return pairs, visited, known


@inner
def _meet_red_ones(reds, red_entry, pairs, visited, known, above):  # type: ignore[no-untyped-def]
    if reds.entry[red_entry].red:
        pairs, visited, known = _meet(pairs, visited, known, reds.entry[red_entry].red, above)
    node = reds.entry[red_entry].more_reds
    while node:
        pairs, visited, known = _meet(pairs, visited, known, reds.node[node].x, above)
        node = reds.node[node].next
    return pairs, visited, known


@inner
def _meet_listed(world, reds, state, head, pairs, visited, known, above):  # type: ignore[no-untyped-def]
    """Go through a list of left-hand sides; forget those that are red or merged by now."""
    node, before = head, 0
    while node:
        x, after = wide(reds.node[node].x), reds.node[node].next
        if state.colour[x] >= RED:
            if before:
                reds.node[before].next = after
            else:
                head = after
        else:
            before = node
            if can_fail(x, above, world.risk):
                pairs, visited, known = _meet(pairs, visited, known, x, above)
        node = after
    return head, pairs, visited, known
