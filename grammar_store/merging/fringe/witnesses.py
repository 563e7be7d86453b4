"""Some red class that each blue non-terminal surely fits: nobody who fits none is overlooked.

A witness is asked again only when what its fit rests on may have changed.
"""

from __future__ import annotations

from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe.compiling import allocating, inner, wide
from grammar_store.merging.fringe.edges import FRESH, has_all_numbers
from grammar_store.merging.fringe.foes import RARE, is_foe, may_know_all_foes, update_foes
from grammar_store.merging.fringe.meetings import FITS, UNSURE, meet, watch_meeting
from grammar_store.merging.fringe.reds import Reds, find, free_node, new_node
from grammar_store.merging.fringe.state import (
    ALONE,
    ALONE_ONES,
    BLUE,
    BUSY,
    BUSY_ONES,
    DULLEST,
    FREE,
    LOOSE,
    MODEST_ONES,
    QUIET,
    REDS,
    UNKNOWN,
    WATCHED,
    State,
    doubt,
    may_merge,
    rest_no_more,
    rest_on,
)
from grammar_store.merging.fringe.verdicts import ANY, failing_context
from grammar_store.merging.fringe.walk import CERTAIN, GUESSING, fails, leads_to_no_other
from grammar_store.merging.fringe.world import World

_TRIES = 4
"""How many red classes are tried that one fits, but not for reasons that can be watched."""

_CONTEXTS = 512
"""A hapax is told of new edges in at most about so many contexts."""


@inner
def find_fit(world: World, reds: Reds, state: State, level: Level, blue: int) -> None:
    """Find a red class that a blue non-terminal fits, best one that seldom changes."""
    if _can_watch(world, state, blue):
        _find_fit_to_watch(world, reds, state, level, blue)
        return
    if state.of[blue].fit == QUIET:
        rest_no_more(state, blue)
    red = wide(state.of[blue].witness)
    if state.of[blue].fit == BUSY and not _fails(world, reds, state, level, red, blue, CERTAIN):
        # It leads to another class for good: what a test leads to only grows.
        _note_fit(state, wide(BUSY), red, blue)
        return
    if (
        state.of[blue].fit in (QUIET, LOOSE)
        and _fit(world, reds, state, level, red, blue, CERTAIN) == QUIET
    ):
        _note_fit(state, wide(QUIET), red, blue)
        return
    state.of[blue].fit = UNKNOWN
    if _fits_dullest(world, state, blue):
        return
    modest, number = state.counters[MODEST_ONES], state.counters[REDS]
    for attempt in range(modest + number):
        red = wide(
            state.modest[(blue + attempt) % modest]  # not the same for all
            if attempt < modest
            else state.order[number + modest - attempt - 1]
        )
        if (
            may_merge(state, red, blue)
            and not _share(world, reds, red, blue)
            and failing_context(world, reds, state, level, red, blue, ANY) == 0
        ):
            rest_on(state, red, blue)
            return
    best, fitting, left = ALONE, 0, _TRIES
    for at in range(state.counters[REDS] - 1, -1, -1):
        red = wide(state.order[at])
        if is_foe(state.edges, state.foes, red, blue):
            continue
        fit = _fit(world, reds, state, level, red, blue, GUESSING)
        if fit != ALONE:
            best, fitting, left = fit, red, left - 1
        if fit == QUIET or left == 0:
            break
    _note_fit(state, best, fitting, blue)


@inner
def _fits_dullest(world: World, state: State, blue: int) -> bool:
    """Whether it fits a class that fills nothing, as most do; if so, note it."""
    dullest = state.counters[DULLEST]
    if dullest == 0 or len(state.cannot) > 0 or world.of[blue].risky:
        return False
    state.of[blue].fit, state.of[blue].witness = FREE, dullest
    return True


@inner
def _can_watch(world: World, state: State, blue: int) -> bool:
    """Whether it can be told of all that its fit may change by.

    That is so if all it leads to can fail by a class that is too sharp alone, and is rare. A
    constraint can come to hold when a class grows, which nobody watches.
    """
    rare = state.foes.is_rare[blue] and world.risk.bounds.top[blue, 0] <= RARE
    return (
        (state.foes.is_hapax[blue] or (rare and not world.of[blue].risky))
        and has_all_numbers(state.edges)
        and len(state.cannot) == 0
    )


@inner
def _find_fit_to_watch(world: World, reds: Reds, state: State, level: Level, blue: int) -> None:
    """Find a red class that a rare non-terminal fits, best one of few rules.

    What it rests on is watched, so that it is not asked again before that changes.
    """
    if _fits_dullest(world, state, blue):
        return
    witness = wide(state.of[blue].witness)
    if state.of[blue].fit == BUSY and _still_fits(world, reds, state, level, witness, blue):
        _note_busy(reds, state, witness, blue)
        return
    busy, left, number = wide(0), _TRIES, state.counters[REDS]
    for attempt in range(-1, number):
        red = witness if attempt < 0 else wide(state.order[number - attempt - 1])
        if red == 0 or is_foe(state.edges, state.foes, red, blue):
            continue
        met, _, _, _ = meet(world, reds, state, level, red, blue, True)
        if met == UNSURE and not fails(world, reds, state, level, red, blue, GUESSING):
            met = FITS
        if met == FITS:
            if watch_meeting(world, reds, state, blue):
                state.of[blue].fit, state.of[blue].witness = WATCHED, red
                return
            busy, left = red, left - 1
            if left == 0:
                break
    if busy:
        _note_busy(reds, state, busy, blue)
    else:
        _note_fit(state, wide(ALONE), busy, blue)


@inner
def _still_fits(world: World, reds: Reds, state: State, level: Level, red: int, blue: int) -> bool:
    """Whether a rare non-terminal fits the red class that it fitted before; false if unsure."""
    edges, foes = state.edges, state.foes
    if not foes.is_hapax[blue]:
        return not fails(world, reds, state, level, red, blue, CERTAIN)
    return (
        may_know_all_foes(edges, foes, blue)
        and update_foes(edges, foes, blue)
        and not is_foe(edges, foes, red, blue)
    )


@inner
def _fit(
    world: World, reds: Reds, state: State, level: Level, red: int, blue: int, certainty: int
) -> int:
    """How a blue non-terminal fits a red class: quietly, busily, not at all."""
    if _fails(world, reds, state, level, red, blue, certainty):
        return ALONE
    return QUIET if leads_to_no_other(world, reds, state, level, red, blue) else BUSY


@inner
def _fails(
    world: World, reds: Reds, state: State, level: Level, red: int, blue: int, certainty: int
) -> bool:
    """Whether a blue non-terminal does not fit a red class, or must not."""
    return not may_merge(state, red, blue) or fails(world, reds, state, level, red, blue, certainty)


@inner
def _note_fit(state: State, fit: int, red: int, blue: int) -> None:
    if fit == QUIET:
        rest_on(state, red, blue)
        return
    state.of[blue].fit, state.of[blue].witness = fit, red
    if fit == BUSY:
        state.busy[state.counters[BUSY_ONES]] = blue
        state.counters[BUSY_ONES] += 1
    else:
        state.alone[state.counters[ALONE_ONES]] = blue
        state.counters[ALONE_ONES] += 1


@inner
def _share(world: World, reds: Reds, red: int, blue: int) -> bool:
    """Whether both fill some context."""
    for entry in range(world.shared_starts[blue], world.shared_starts[blue + 1]):
        if reds.entry[find(reds, red, wide(world.shared[entry].context))].c > 0.0:
            return True
    return False


@inner
def _note_busy(reds: Reds, state: State, red: int, blue: int) -> None:
    """Note that a rare non-terminal fits; it is asked again when that may have changed.

    If it is a hapax that has all its foes, this takes a new edge in one of the contexts that
    they follow through.
    """
    if may_know_all_foes(state.edges, state.foes, blue) and (
        state.of[blue].is_told or _tell_of_edges(reds, state, blue)
    ):
        state.of[blue].fit, state.of[blue].witness = BUSY, red
    else:
        _note_fit(state, wide(BUSY), red, blue)


@allocating
def _tell_of_edges(reds: Reds, state: State, blue: int) -> bool:
    """Have a hapax told of new edges that foes of its kin may follow from; False if of too many."""
    kin, told = state.foes.kin, state.edges.told
    found, contexts = [wide(kin.of[blue])], [wide(0) for _ in range(0)]
    at = 0
    while at < len(found):
        for source in range(kin.starts[found[at]], kin.starts[found[at] + 1]):
            contexts.append(wide(kin.source[source].context))
            above = wide(kin.source[source].above)
            if above not in found:
                found.append(above)
        if len(contexts) > _CONTEXTS:
            return False
        at += 1
    for context in contexts:
        if reds.node[told[context]].x != blue:
            told[context] = new_node(reds, blue, wide(told[context]))
    state.of[blue].is_told = True
    return True


@inner
def doubt_busy(reds: Reds, state: State) -> None:
    """Doubt the busy ones: those who are told of new edges if there are any, all others."""
    for at in range(state.counters[BUSY_ONES]):
        doubt(state, state.busy[at])
    state.counters[BUSY_ONES] = 0
    edges = state.edges
    for at in range(edges.used[FRESH]):
        context = wide(edges.fresh[at])
        node, before = wide(edges.told[context]), wide(0)
        while node:
            blue, after = wide(reds.node[node].x), wide(reds.node[node].next)
            if state.colour[blue] == BLUE:
                if state.of[blue].fit == BUSY:
                    doubt(state, blue)
                before = node
            elif before:
                reds.node[before].next = after
                free_node(reds, node)
            else:
                edges.told[context] = after
                free_node(reds, node)
            node = after
    edges.used[FRESH] = 0


@inner
def try_new_red(world: World, reds: Reds, state: State, level: Level, red: int) -> None:
    """See who of those that fit none fits a class that has just become red."""
    kept = 0
    for at in range(state.counters[ALONE_ONES]):
        blue = wide(state.alone[at])
        if blue == red:
            continue
        fits = not fails(world, reds, state, level, red, blue, GUESSING)
        if fits and may_merge(state, red, blue):
            doubt(state, blue)
        else:
            state.alone[kept] = blue
            kept += 1
    state.counters[ALONE_ONES] = kept
