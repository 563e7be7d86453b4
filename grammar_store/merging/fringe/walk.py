"""Is a blue non-terminal equivalent to a red class, as things stand?

Everything above a blue non-terminal is white, so the second of each pair that a test leads to is a
single non-terminal with the counts that it began with; the first is a red class or single as well.
So of a second one that has no count above 1/2, nor anything above it has (nor enough for
Hoeffding's test), only this matters: whether the first one is too *sharp* for it.

Most tests are of blue non-terminals that fail against one red class after another, and often for
the same reason. So pairs that led to a failure are remembered, with that failure: what a test leads
to only grows, so it is enough to see whether the failure still stands.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.equivalence.decide import can_fail
from grammar_store.equivalence.matrix import entry_of
from grammar_store.equivalence.pairs import pair_key, visit, wider
from grammar_store.equivalence.search import Level
from grammar_store.extraction.hashing import mix
from grammar_store.merging.fringe.compiling import allocating, inner, wide
from grammar_store.merging.fringe.edges import has_all_numbers
from grammar_store.merging.fringe.exposure import is_bare
from grammar_store.merging.fringe.foes import (
    fails_as_foe,
    is_foe,
    may_know_all_foes,
    update_foes,
)
from grammar_store.merging.fringe.meetings import FITS, UNSURE, meet
from grammar_store.merging.fringe.reds import Reds, find
from grammar_store.merging.fringe.state import (
    OVER,
    RED,
    TESTS,
    THROUGH,
    WORK,
    State,
)
from grammar_store.merging.fringe.verdicts import (
    ANY,
    GRAIN,
    GREATEST,
    NONE,
    count_in,
    differ,
    failing_context,
)
from grammar_store.merging.fringe.world import KEEN, LISTED, World
from grammar_store.statistics import dissimilarity_one


@inner
def failure(
    world: World, reds: Reds, state: State, level: Level, red: int, blue: int, which: int,
    certainty: int,
) -> tuple[int, int, int, int]:  # fmt: skip
    """What keeps a red class and a blue non-terminal apart.

    If it probably fails, `certainty` should be `GUESSING`, which is tried first: few fail because
    of a foe that is not known yet. If it probably fits, or the `GREATEST` is asked for, `CERTAIN`.

    Returns
    -------
    context, first, second, depth
        The failing comparison, 0 and zeros if there is none; if `ANY` is looked for, `FOE` and
        zeros for a foe. `GREATEST`: of those nearest to the top the one with the greatest D,
        then the least ids; so it is always the same. Only then the depth is told.

    The counters `THROUGH` and `OVER` tell the first context and class on the way there, if that is
    a red class and `ANY` failure is looked for.
    """
    state.counters[TESTS] += 1
    state.counters[THROUGH] = state.counters[OVER] = 0
    context = failing_context(world, reds, state, level, red, blue, which)
    if context:
        return context, red, blue, 0
    if not state.exposed[blue] and not is_bare(world, state, red):
        return 0, 0, 0, 0
    if which == ANY and fails_as_foe(state.edges, state.foes, red, blue):
        return FOE, 0, 0, 0
    return _failure_above(world, reds, state, level, red, blue, which, certainty)


@inner
def fails(
    world: World, reds: Reds, state: State, level: Level, red: int, blue: int, certainty: int
) -> bool:
    """Whether a red class and a blue non-terminal are not equivalent."""
    met, _, _, _ = meet(world, reds, state, level, red, blue, False)
    if met != UNSURE:
        return met != FITS
    return failure(world, reds, state, level, red, blue, ANY, certainty)[0] != 0


class Walk(NamedTuple):
    """The pairs that a test leads to, nearest to the top first."""

    #: the class, the single non-terminal, which pair led to them, and by which of its rules
    pairs: NDArray[np.int32]
    #: a hash table of these pairs, at least twice as large
    visited: NDArray[np.uint64]
    #: see `KNOWN` and what follows
    at: NDArray[np.int64]


FOE = wide(-1)

# How many pairs there are, how many of them were compared, how many were looked above, where the
# pairs of this depth end, and the depth.
KNOWN, COMPARED, DONE, END, DEPTH = 0, 1, 2, 3, 4

# Whether pairs of a hapax are followed: all of them, those that are known to fail, those that do.
BLIND, GUESSING, CERTAIN = wide(0), wide(1), wide(2)


@allocating
def _failure_above(
    world: World, reds: Reds, state: State, level: Level, red: int, blue: int, which: int,
    certainty: int,
) -> tuple[int, int, int, int]:  # fmt: skip
    for how in range(certainty, CERTAIN + 1):
        walk = _set_out(red, blue)
        while True:
            found = _go_on(world, reds, state, level, which, wide(how), walk)
            if walk.at[KNOWN] < len(walk.pairs):
                break
            walk = _with_more_room(walk)
        if found[0]:
            break
    return found


@allocating
def leads_to_no_other(
    world: World, reds: Reds, state: State, level: Level, red: int, blue: int
) -> bool:
    """Whether a test leads to no pair with another red class.

    Then its outcome stays the same until this one changes.
    """
    walk = _set_out(red, blue)
    while walk.at[DONE] < walk.at[KNOWN]:
        before = walk.at[KNOWN]
        _look_above(world, reds, state, level, NONE, True, BLIND, walk)
        if _meets_another(state, walk, before):
            return False
        if walk.at[KNOWN] == len(walk.pairs):
            walk = _with_more_room(walk)
        else:
            walk.at[DONE] += 1
    return True


@inner
def _meets_another(state: State, walk: Walk, start: int) -> bool:
    for at in range(start, walk.at[KNOWN]):
        if state.colour[walk.pairs[at, 0]] == RED and walk.pairs[at, 0] != walk.pairs[0, 0]:
            return True
    return False


@allocating
def _set_out(red: int, blue: int) -> Walk:
    walk = Walk(np.empty((128, 4), np.int32), np.zeros(256, np.uint64), np.array([1, 1, 0, 1, 0]))
    walk.pairs[0, 0], walk.pairs[0, 1] = red, blue
    visit(walk.visited, pair_key(red, blue))
    return walk


@allocating
def _with_more_room(walk: Walk) -> Walk:
    pairs = np.empty((4 * len(walk.pairs), 4), np.int32)
    pairs[: len(walk.pairs)] = walk.pairs
    return Walk(pairs, wider(wider(walk.visited)), walk.at)


@inner
def _go_on(
    world: World, reds: Reds, state: State, level: Level, which: int, certainty: int, walk: Walk
) -> tuple[int, int, int, int]:
    """Look at what pairs lead to, until one fails, all are looked at, or there is no more room.

    Then as many pairs are known as there is room for; what was met will not be met twice.
    """
    red = wide(walk.pairs[0, 0])
    everything = is_bare(world, state, red)
    while walk.at[DONE] < walk.at[KNOWN]:
        context, k, m = _look_above(
            world, reds, state, level, which, everything and walk.at[DONE] == 0, certainty, walk
        )
        if context or walk.at[KNOWN] == len(walk.pairs):
            return context, k, m, 0
        walk.at[DONE] += 1
        if walk.at[DONE] == walk.at[END]:
            walk.at[DEPTH] += 1
            if which != ANY:
                context, k, m = _greatest(world, reds, state, level, walk)
                if context:
                    return context, k, m, walk.at[DEPTH]
            walk.at[END] = walk.at[KNOWN]
    return 0, 0, 0, 0


@inner
def _greatest(
    world: World, reds: Reds, state: State, level: Level, walk: Walk
) -> tuple[int, int, int]:
    """Of the pairs of this depth the failing comparison of the greatest D."""
    best, best_d, best_k, best_m = 0, -1.0, 0, 0
    for at in range(walk.at[END], walk.at[KNOWN]):
        k, m = wide(walk.pairs[at, 0]), wide(walk.pairs[at, 1])
        context = failing_context(world, reds, state, level, k, m, GREATEST)
        if context == 0:
            continue
        c_k = count_in(world, reds, state, k, context)
        c_m = count_in(world, reds, state, m, context)
        d = dissimilarity_one(c_k, state.of[k].count, c_m, world.initial.counts[m])
        d = np.rint(d * GRAIN)
        if d > best_d or (d == best_d and (k < best_k or (k == best_k and m < best_m))):
            best, best_d, best_k, best_m = context, d, k, m
    return best, best_k, best_m


@inner
def _look_above(
    world: World, reds: Reds, state: State, level: Level, which: int, everything: bool,
    certainty: int, walk: Walk,
) -> tuple[int, int, int]:  # fmt: skip
    """Add the pairs that a pair leads to; if `ANY` failure is looked for, until one fails.

    Also to those who are not exposed, if `everything` counts; not to pairs of a hapax that do not
    fail, or are not known to, according to `certainty`. What led to a failure before comes first.
    """
    m = wide(walk.pairs[walk.at[DONE], 1])
    low, high = world.shared_starts[m], world.shared_starts[m + 1]
    entry = low + state.hint[m]
    harmless = _is_safe_from_hapaxes(state, certainty, wide(walk.pairs[walk.at[DONE], 0]), m)
    for _ in range(low, high):
        _look_above_by(world, reds, state, everything, certainty, harmless, walk, entry)
        while which == ANY and walk.at[COMPARED] < walk.at[KNOWN]:
            new = walk.at[COMPARED]
            k, m = wide(walk.pairs[new, 0]), wide(walk.pairs[new, 1])
            context = failing_context(world, reds, state, level, k, m, which)
            if context == 0:
                context, k, m = _recall(world, reds, state, level, k, m)
            if context:
                _remember(world, state, walk, wide(new), context, k, m)
                return context, k, m
            walk.at[COMPARED] += 1
        if walk.at[KNOWN] == len(walk.pairs):
            break
        entry = entry + 1 if entry + 1 < high else low
    return 0, 0, 0


@inner
def _look_above_by(
    world: World, reds: Reds, state: State, everything: bool, certainty: int, harmless: bool,
    walk: Walk, entry: int,
) -> None:  # fmt: skip
    """Add the pairs that a pair leads to by one rule of the single non-terminal."""
    initial, edges, foes = world.initial, state.edges, state.foes
    k = wide(walk.pairs[walk.at[DONE], 0])
    context, above = wide(world.shared[entry].context), wide(world.shared[entry].lhs)
    if not everything and not state.exposed[above] and initial.counts[above] < state.dull[context]:
        return
    if harmless and foes.sure[above] and not foes.keen_ahead[context]:
        return
    fails_against_foes_alone = certainty != BLIND and may_know_all_foes(edges, foes, above)
    if state.colour[k] != RED:
        other = entry_of(initial, k, context)
        if (
            other >= 0
            and not (fails_against_foes_alone and world.of[initial.lhs[other]].sharp_above > KEEN)
            and can_fail(initial.lhs[other], above, world.risk)
        ):
            _meet(walk, entry, wide(initial.lhs[other]), above)
        return
    red_entry = find(reds, k, context)
    if red_entry == 0:
        return
    state.counters[WORK] += 1
    if reds.entry[red_entry].red:
        known = fails_against_foes_alone and (
            certainty == GUESSING or update_foes(edges, foes, above)
        )
        _meet_red_ones(reds, state, red_entry, known, entry, walk, above)
    if not (fails_against_foes_alone and reds.entry[red_entry].least_sharp > KEEN):
        _meet_white_ones(world, reds, state, red_entry, k, entry, walk, above)


@inner
def _is_safe_from_hapaxes(state: State, certainty: int, k: int, m: int) -> bool:
    """Whether a pair leads to no red class that a hapax fails against: else it would be a foe."""
    edges, foes = state.edges, state.foes
    if state.colour[k] != RED or not foes.is_rare[m] or not has_all_numbers(edges):
        return False
    if certainty == BLIND:
        return False
    if certainty == CERTAIN and not update_foes(edges, foes, m):
        return False
    return not is_foe(edges, foes, k, m)


@inner
def _meet(walk: Walk, entry: int, k: int, m: int) -> None:
    """Add a pair to those that a test leads to."""
    known = walk.at[KNOWN]
    if k != m and known < len(walk.pairs) and visit(walk.visited, pair_key(k, m)):
        walk.pairs[known, 0], walk.pairs[known, 1] = k, m
        walk.pairs[known, 2], walk.pairs[known, 3] = walk.at[DONE], entry
        walk.at[KNOWN] += 1


@inner
def _meet_red_ones(
    reds: Reds, state: State, red_entry: int, known: bool, entry: int, walk: Walk, above: int
) -> None:
    """Meet the red left-hand sides; if all foes are known, only these."""
    red, node = wide(reds.entry[red_entry].red), wide(reds.entry[red_entry].more_reds)
    while red:
        if not known or is_foe(state.edges, state.foes, red, above):
            _meet(walk, entry, red, above)
        red = wide(reds.node[node].x) if node else 0
        node = wide(reds.node[node].next) if node else 0


@inner
def _meet_white_ones(
    world: World, reds: Reds, state: State, red_entry: int, k: int, entry: int, walk: Walk,
    above: int,
) -> None:  # fmt: skip
    """Meet the left-hand sides that are not decided, as far as they can fail."""
    sharp, of_red = world.of[above].sharp_above, reds.entry[red_entry]
    if world.of[above].risky or world.risk.bounds.top[above, 0] >= of_red.least_sharp:
        reds.entry[red_entry].risky = _meet_listed(
            world, reds, state, wide(of_red.risky), entry, walk, above
        )
    if sharp <= of_red.most_mild:
        reds.entry[red_entry].mild = _meet_listed(
            world, reds, state, wide(of_red.mild), entry, walk, above
        )
    if sharp < LISTED:
        # It can fail against the rarest ones too, which are in no list.
        context = world.shared[entry].context
        for place in range(world.context_starts[context], world.context_starts[context + 1]):
            x = wide(world.by_context[place].lhs)
            if (
                not world.of[x].listed
                and state.colour[x] < RED
                and state.of[world.by_context[place].filler].leader == k
                and can_fail(x, above, world.risk)
            ):
                _meet(walk, entry, x, above)


@inner
def _meet_listed(
    world: World, reds: Reds, state: State, head: int, entry: int, walk: Walk, above: int
) -> int:
    """Go through a list of left-hand sides; forget those that are red or merged by now."""
    node, before = head, 0
    while node:
        x, after = wide(reds.node[node].x), wide(reds.node[node].next)
        if state.colour[x] >= RED:
            if before:
                reds.node[before].next = after
            else:
                head = after
        else:
            before = node
            if can_fail(x, above, world.risk):
                _meet(walk, entry, x, above)
        node = after
    return head


@inner
def _key(k: int, m: int) -> np.uint64:
    return (np.uint64(k) << np.uint64(32)) | np.uint64(m)


@inner
def _remember(
    world: World, state: State, walk: Walk, at: int, context: int, k: int, m: int
) -> None:
    """Note the failure that a pair leads to, for all pairs but the first that led to it.

    And which of them, if it is one of a red class, comes right after that; and by which rules.
    """
    mask = np.uint64(len(state.seen) - 1)
    while at:
        key = _key(walk.pairs[at, 0], walk.pairs[at, 1])
        place = mix(key) & mask
        state.seen[place].key, state.seen[place].context = key, context
        state.seen[place].k, state.seen[place].m = k, m
        led_by, entry = wide(walk.pairs[at, 2]), walk.pairs[at, 3]
        below = walk.pairs[led_by, 1]
        state.hint[below] = entry - world.shared_starts[below]
        if led_by == 0 and state.colour[walk.pairs[at, 0]] == RED:
            state.counters[OVER] = walk.pairs[at, 0]
            state.counters[THROUGH] = world.shared[entry].context
        at = led_by


@inner
def _recall(
    world: World, reds: Reds, state: State, level: Level, k: int, m: int
) -> tuple[int, int, int]:
    """The failure that a pair is known to lead to, zeros if there is none."""
    key = _key(k, m)
    place = mix(key) & np.uint64(len(state.seen) - 1)
    if state.seen[place].key != key:
        return 0, 0, 0
    context = wide(state.seen[place].context)
    k, m = wide(state.seen[place].k), wide(state.seen[place].m)
    if state.colour[k] <= RED and differ(
        count_in(world, reds, state, k, context),
        state.of[k].count,
        count_in(world, reds, state, m, context),
        world.initial.counts[m],
        level,
    ):
        return context, k, m
    return 0, 0, 0
