"""Does a rare non-terminal fit a red class, as things stand?

All that a test of a hapax leads to is hapaxes, which fail against keen classes alone. So it is
enough to look at what the two lead to until a foe is met, which is noted for all pairs on the way
there, or a left-hand side that is not decided and keen. Where that takes long, the hapax gets all
its foes at once.

Others that are rare, and have no count above 1/2 nor lead to one, fail against classes that are too
sharp alone. They meet red classes only to be watched: if nothing that the two lead to is so sharp,
they fit until a class gets sharper or leads further.
"""

from __future__ import annotations

from grammar_store.equivalence.matrix import entry_of
from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.edges import has_all_numbers
from grammar_store.merging.fringe.foes import fails_as_foe, is_foe, note_foe, update_foes
from grammar_store.merging.fringe.reds import (
    Reds,
    add_watcher,
    add_watcher_of_class,
    find,
    find_or_add,
)
from grammar_store.merging.fringe.state import FEW, MET, RED, State
from grammar_store.merging.fringe.verdicts import ANY, failing_context
from grammar_store.merging.fringe.world import World

FITS, FAILS, FAILS_YET, UNSURE = 0, 1, 2, 3
"""`FAILS_YET`: because of a keen left-hand side that is not decided."""


@inner
def meet(
    world: World, reds: Reds, state: State, level: Level, red: int, x: int, to_watch: bool
) -> tuple[int, int, int, int]:
    """Whether a non-terminal fits a red class; `UNSURE` unless it is a hapax that can tell.

    What the two lead to is looked at one by one `to_watch` it, or if not all foes are known.

    Returns
    -------
    met, context, first, second
        If it `FAILS_YET`, the comparison that fails.
    """
    edges, foes = state.edges, state.foes
    state.counters[MET] = 0
    if not has_all_numbers(edges) or not (foes.is_hapax[x] or to_watch):
        return UNSURE, 0, 0, 0
    if is_foe(edges, foes, red, x):
        return FAILS, 0, 0, 0
    if not foes.is_hapax[x] and not _is_too_blunt(world, state, red, x):
        return UNSURE, 0, 0, 0
    if to_watch or not foes.sure[x]:
        met, k, m = _meet_some(world, reds, state, level, red, x)
    else:
        met, k, m = UNSURE, wide(0), wide(0)
    if met == FAILS_YET:
        return met, failing_context(world, reds, state, level, k, m, ANY), k, m
    if met == UNSURE and foes.is_hapax[x] and fails_as_foe(edges, foes, red, x):
        met = FAILS
    if met == UNSURE and foes.sure[x] and update_foes(edges, foes, x):
        met = FITS
    return met, 0, 0, 0


@inner
def _meet_some(
    world: World, reds: Reds, state: State, level: Level, red: int, x: int
) -> tuple[int, int, int]:
    """Look at the pairs that two lead to, but not at many."""
    initial, edges, foes, pairs = world.initial, state.edges, state.foes, state.meeting
    is_hapax, most = foes.is_hapax[x], world.risk.bounds.top[x, 0]
    pairs[0, 0], pairs[0, 1], pairs[0, 2] = red, x, -1
    done, known = 0, 1
    while done < known:
        k, m = wide(pairs[done, 0]), wide(pairs[done, 1])
        for entry in range(world.shared_starts[m], world.shared_starts[m + 1]):
            context, above = wide(world.shared[entry].context), wide(world.shared[entry].lhs)
            leads_on = _leads_on(world, above)
            if state.colour[k] != RED:
                other_entry = entry_of(initial, k, context)
                if other_entry >= 0:
                    white = wide(initial.lhs[other_entry])
                    if world.of[white].sharp_above <= most:
                        if failing_context(world, reds, state, level, white, above, ANY):
                            return FAILS_YET, white, above
                        if leads_on:
                            known = _add(state, known, white, above, done)
                continue
            red_entry = find(reds, k, context)
            other, node = wide(reds.entry[red_entry].red), wide(reds.entry[red_entry].more_reds)
            while other:
                if is_foe(edges, foes, other, above):
                    return _note_foes(state, done), 0, 0
                if not is_hapax and not _is_too_blunt(world, state, other, above):
                    return UNSURE, 0, 0
                if leads_on:
                    known = _add(state, known, other, above, done)
                other = wide(reds.node[node].x) if node else 0
                node = wide(reds.node[node].next) if node else 0
            if reds.entry[red_entry].least_sharp <= most:
                node = wide(reds.entry[red_entry].risky)
                while node:
                    white = wide(reds.node[node].x)
                    if state.colour[white] < RED and world.of[white].sharp_above <= most:
                        if failing_context(world, reds, state, level, white, above, ANY):
                            return FAILS_YET, white, above
                        if leads_on:
                            known = _add(state, known, white, above, done)
                    node = wide(reds.node[node].next)
            if known == len(pairs) or (is_hapax and known >= FEW):
                return UNSURE, 0, 0
        done += 1
    state.counters[MET] = known
    return FITS, 0, 0


@inner
def _leads_on(world: World, x: int) -> bool:
    """Whether something can follow from a pair with a non-terminal once it was looked at.

    Of hapaxes without shared contexts nothing does: all are told when a class becomes keen.
    """
    return world.shared_starts[x] < world.shared_starts[x + 1] or world.initial.counts[x] > 1.0


@inner
def _is_too_blunt(world: World, state: State, red: int, x: int) -> bool:
    """Whether a red class cannot fail against a non-terminal that has no count above 1/2."""
    return world.initial.counts[x] < state.of[red].sharp


@inner
def _add(state: State, known: int, k: int, m: int, led_by: int) -> int:
    """Add a pair unless it is there, or there is no room; how many there are."""
    pairs = state.meeting
    for at in range(known):
        if pairs[at, 0] == k and pairs[at, 1] == m:
            return known
    if known == len(pairs):
        return known
    pairs[known, 0], pairs[known, 1], pairs[known, 2] = k, m, led_by
    return known + 1


@inner
def _note_foes(state: State, at: int) -> int:
    """Note a foe for all pairs that led there, unless one is not decided: it may lead elsewhere."""
    while at >= 0:
        k, m = wide(state.meeting[at, 0]), wide(state.meeting[at, 1])
        if state.colour[k] != RED:
            return UNSURE
        note_foe(state.edges, state.foes, k, m)
        at = wide(state.meeting[at, 2])
    return FAILS


@inner
def watch_meeting(world: World, reds: Reds, state: State, blue: int) -> bool:
    """Have a hapax told when what its last meeting led to leads further; False if it was too much.

    Those who are not decided lead nowhere else until they are, and then their class leads there.
    """
    pairs = state.meeting
    for at in range(state.counters[MET]):
        k, m = wide(pairs[at, 0]), wide(pairs[at, 1])
        if state.colour[k] != RED:
            continue
        if world.initial.counts[m] > 1.0:  # of hapaxes all are told when a class becomes keen
            add_watcher_of_class(reds, k, blue, world.initial.counts[m])
        for entry in range(world.shared_starts[m], world.shared_starts[m + 1]):
            context = wide(world.shared[entry].context)
            if state.undecided_in[context] > 1:  # there are others than the rule of m
                add_watcher(reds, find_or_add(reds, k, context), blue)
    return state.counters[MET] > 0
