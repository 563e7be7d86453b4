"""Who can be made to fail from above.

A white or blue non-terminal is *exposed* if it or something above it has counts that can fail, or
if one of the rules that it fills has a context in which the left-hand side of another rule is too
sharp for its own. All others pass every test but the first comparison, so nothing above them needs
to be looked at. Sharp left-hand sides are few, and most of them are merged early: what was noted of
them is forgotten from time to time.

A red class that is no left-hand side itself, a leaf that took in no other, is met by no test but
its own. So what its rules lead to exposes nobody, and its own tests look at everything.
"""

from __future__ import annotations

import numpy as np

from grammar_store.merging.fringe.compiling import allocating, inner, wide
from grammar_store.merging.fringe.state import (
    KEEN_AHEAD,
    KEEN_NUMBERED,
    KEEN_TOLD,
    RED,
    REDS,
    State,
)
from grammar_store.merging.fringe.world import World

_FEW, _MARGIN = 16.0, 0.8


@inner
def somewhat_sharper(sharp: float) -> float:
    """What a red class is told to be: a little sharper than it is, so as not to be told often.

    Most others are rare: for them the first few numbers matter, so these are told as they are.
    """
    return sharp if sharp < _FEW else np.floor(sharp * _MARGIN)


@inner
def expose_all(world: World, state: State) -> None:
    """Find out anew who is exposed, and which hapaxes can meet no keen class but red ones."""
    initial, foes = world.initial, state.foes
    state.counters[KEEN_TOLD] = state.counters[KEEN_AHEAD]
    state.dull[:] = np.inf
    foes.keen_ahead[:] = False
    for at in range(state.counters[REDS]):
        red = state.order[at]
        state.of[red].sharp_told = somewhat_sharper(state.of[red].sharp)
    for x in world.keen:
        if state.colour[x] < RED and not state.counters[KEEN_NUMBERED]:
            for place in range(world.rule_starts[x], world.rule_starts[x + 1]):
                foes.keen_ahead[world.rule[place].context] = True
    for x in range(1, len(state.of)):
        sharp = _sharp_of(world, state, x)
        if sharp == np.inf:
            continue
        for place in range(world.rule_starts[x], world.rule_starts[x + 1]):
            if not is_bare(world, state, state.of[world.rule[place].filler].leader):
                context = world.rule[place].context
                state.dull[context] = min(state.dull[context], sharp)
    for x in world.upwards[::-1]:
        if state.colour[x] >= RED:
            continue
        exposed, sure = world.of[x].risky, foes.is_hapax[x]
        for entry in range(initial.starts[x], initial.starts[x + 1]):
            above = initial.lhs[entry]
            exposed |= state.exposed[above]
            exposed |= state.dull[initial.context[entry]] <= initial.counts[above]
            sure &= foes.sure[above] and not foes.keen_ahead[initial.context[entry]]
        state.exposed[x], foes.sure[x] = exposed, sure


@inner
def _sharp_of(world: World, state: State, x: int) -> float:
    """How sharp the class of a non-terminal is told to be."""
    if state.colour[x] < RED:
        return world.of[x].sharp
    return state.of[state.of[x].leader].sharp_told


@inner
def is_bare(world: World, state: State, red: int) -> bool:
    """Whether a red class is no left-hand side of any rule with a gap."""
    return (
        state.colour[red] == RED
        and state.of[red].last_member == 0
        and world.rule_starts[red] == world.rule_starts[red + 1]
    )


@inner
def tell(world: World, state: State, x: int, sharp: float) -> None:
    """Note that the class of a non-terminal is this sharp: it is a left-hand side in its rules."""
    for place in range(world.rule_starts[x], world.rule_starts[x + 1]):
        if not is_bare(world, state, state.of[world.rule[place].filler].leader):
            _lower(world, state, world.rule[place].context, sharp)


@inner
def tell_of_fillers(world: World, state: State, red: int) -> None:
    """Note what the rules of a leaf lead to: it is no longer bare."""
    initial = world.initial
    for entry in range(initial.starts[red], initial.starts[red + 1]):
        sharp = _sharp_of(world, state, initial.lhs[entry])
        _lower(world, state, initial.context[entry], sharp)


@inner
def _lower(world: World, state: State, context: int, sharp: float) -> None:
    """Note that a left-hand side in a context is this sharp."""
    if sharp >= state.dull[context]:
        return
    state.dull[context] = sharp
    if world.context_count[context] < sharp:
        return
    for other in range(world.context_starts[context], world.context_starts[context + 1]):
        above = world.by_context[other].lhs
        if state.colour[above] < RED and world.initial.counts[above] >= sharp:
            _expose(world, state, wide(world.by_context[other].filler))


@allocating
def _expose(world: World, state: State, x: int) -> None:
    """Mark a non-terminal that is not decided, and all that it is made of."""
    if state.colour[x] >= RED or state.exposed[x]:
        return
    state.exposed[x] = True
    stack = [x]
    while len(stack) > 0:
        y = stack.pop()
        for place in range(world.rule_starts[y], world.rule_starts[y + 1]):
            filler = wide(world.rule[place].filler)
            if state.colour[filler] < RED and not state.exposed[filler]:
                state.exposed[filler] = True
                stack.append(filler)
