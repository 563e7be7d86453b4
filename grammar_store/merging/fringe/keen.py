"""Keen non-terminals that are not decided, and those that lead to one.

A red class also leads to left-hand sides that are not decided. Of these a hapax fails against the
keen ones alone, which are few from the start. So they, and all that lead to one, get a number like
a red class, and foes follow from them in the same way. When one of them is promoted it keeps its
number. When it is merged, its class leads to all that it led to; so what followed from it is still
true if the class is keen as well, and then its number stands for the class. Else all foes are
forgotten, and everybody may fit every class again.
"""

from __future__ import annotations

from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.edges import Edges, add_edge, give_number, has_numbers_for
from grammar_store.merging.fringe.foes import forget_foes, is_keen, set_blunt, set_keen
from grammar_store.merging.fringe.queues import Queues
from grammar_store.merging.fringe.state import (
    BLUE,
    KEEN_AHEAD,
    KEEN_MOST,
    KEEN_NUMBERED,
    KEEN_TOLD,
    MERGED,
    RED,
    State,
    claim,
    waive,
)
from grammar_store.merging.fringe.verdicts import differ
from grammar_store.merging.fringe.world import World

MOST = 256
"""If there are more, they have no numbers: one decision would follow the other."""


@inner
def number_keen_ones(world: World, state: State, queues: Queues, level: Level) -> None:
    """Give numbers to all keen ones that are not decided; see who lost what followed from one."""
    edges, foes = state.edges, state.foes
    lost = False
    for at in range(len(world.keen)):
        number = wide(foes.keen_number[at])
        if number and state.colour[world.keen[at]] >= RED:
            foes.keen_number[at] = 0
            red = state.of[world.keen[at]].leader
            if is_keen(foes, number) and not is_keen(foes, wide(edges.number[red])):
                set_blunt(foes, number)
                lost = True
    if lost:
        forget_foes(foes)
        everybody_may_fit(state, queues)
    ahead = state.counters[KEEN_AHEAD]
    if state.counters[KEEN_NUMBERED] == 0:
        if ahead > state.counters[KEEN_MOST] or not has_numbers_for(edges, ahead):
            return
        state.counters[KEEN_NUMBERED] = 1
        state.counters[KEEN_TOLD] = 2 * ahead + 1  # so that hapaxes can be sure of their foes
    for at in range(len(world.keen)):
        x = wide(world.keen[at])
        if state.colour[x] < RED and foes.keen_number[at] == 0:
            give_number(edges, x)
            foes.keen_number[at] = edges.number[x]
            if _is_keen(world, level, x):
                set_keen(edges, foes, wide(edges.number[x]))
    for at in range(len(world.keen)):
        if foes.keen_number[at]:
            _lead(world, state, wide(world.keen[at]))


@inner
def is_keen_no_more(world: World, state: State, queues: Queues, red: int) -> None:
    """Forget what followed from a red class that is keen no more, and from its keen members."""
    edges, foes = state.edges, state.foes
    set_blunt(foes, wide(edges.number[red]))
    for x in world.keen:
        if state.colour[x] == MERGED and state.of[x].leader == red and edges.number[x]:
            set_blunt(foes, wide(edges.number[x]))
    forget_foes(foes)
    everybody_may_fit(state, queues)


@inner
def everybody_may_fit(state: State, queues: Queues) -> None:
    """Let all rare blue non-terminals wait for the greatest red class again."""
    for blue in range(1, len(state.of)):
        if state.foes.is_rare[blue] and state.colour[blue] == BLUE:
            waive(state, queues, wide(blue))
            claim(state, queues, wide(blue), wide(state.order[0]))


@inner
def _is_keen(world: World, level: Level, x: int) -> bool:
    """Whether a hapax differs from a non-terminal that is not decided."""
    initial = world.initial
    for entry in range(initial.starts[x], initial.starts[x + 1]):
        if differ(initial.c[entry], initial.counts[x], 0.0, 1.0, level):
            return True
    return False


@inner
def _lead(world: World, state: State, x: int) -> None:
    """Note who leads to a keen one: the classes of what its rules are made of."""
    edges = state.edges
    for place in range(world.rule_starts[x], world.rule_starts[x + 1]):
        filler = state.of[world.rule[place].filler].leader
        context = wide(world.rule[place].context)
        number, over = wide(edges.number[filler]), wide(edges.number[x])
        if number and not _is_there(edges, context, number, over):
            add_edge(edges, context, number, over)


@inner
def _is_there(edges: Edges, context: int, number: int, over: int) -> bool:
    start = edges.starts[context]
    for at in range(start, start + edges.length[context]):
        if edges.edge[at].start == number and edges.edge[at].end == over:
            return True
    return False
