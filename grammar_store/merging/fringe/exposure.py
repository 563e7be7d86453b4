"""Who can be made to fail from above.

A white or blue non-terminal is *exposed* if it or something above it has counts that can fail, or
if one of the rules that it fills has a context in which the left-hand side of another rule is too
sharp for its own. All others pass every test but the first comparison, so nothing above them needs
to be looked at. Sharp left-hand sides are few, and most of them are merged early: what was noted of
them is forgotten from time to time.

A red class that is no left-hand side itself, a leaf that took in no other, is met by no test but
its own. So what its rules lead to exposes nobody, and its own tests look at everything.

Most tests are with the *main* class, the greatest, which takes in most others: most of what it
leads to is itself. So it is also noted who is exposed in tests with it alone.
"""

from __future__ import annotations

import numpy as np

from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.state import FREE, MAIN, RED, REDS, State, doubt
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
    """Find out anew who is exposed."""
    initial = world.initial
    state.dull[:] = np.inf
    for at in range(state.counters[REDS]):
        red = state.order[at]
        state.of[red].sharp_told = somewhat_sharper(state.of[red].sharp)
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
        exposed = world.of[x].risky
        for entry in range(initial.starts[x], initial.starts[x + 1]):
            above = initial.lhs[entry]
            exposed |= state.exposed[above]
            exposed |= state.dull[initial.context[entry]] <= initial.counts[above]
        if exposed and not state.exposed[x] and state.of[x].fit == FREE:
            doubt(state, x)
        state.exposed[x] = exposed
    _expose_to_main(world, state)


@inner
def _expose_to_main(world: World, state: State) -> None:
    """Find out anew who is exposed in tests with the main class, by now the greatest."""
    initial, main = world.initial, wide(state.order[0])
    state.counters[MAIN] = main
    state.main_dull[:] = np.inf
    state.main_mixed[:] = False
    for x in range(1, len(state.of)):
        if state.of[x].leader != main or state.colour[x] < RED:
            continue
        for entry in range(initial.starts[x], initial.starts[x + 1]):
            above, context = initial.lhs[entry], initial.context[entry]
            if state.colour[above] >= RED:
                state.main_mixed[context] |= state.of[above].leader != main
            elif world.of[above].risky:
                state.main_dull[context] = min(
                    state.main_dull[context], world.of[above].sharp_above
                )
    for x in world.upwards[::-1]:
        if state.colour[x] >= RED:
            continue
        exposed = world.of[x].risky
        for entry in range(initial.starts[x], initial.starts[x + 1]):
            above = wide(initial.lhs[entry])
            exposed |= state.main_exposed[above]
            exposed |= opens_main(world, state, wide(initial.context[entry]), above)
        state.main_exposed[x] = exposed


@inner
def opens_main(world: World, state: State, context: int, above: int) -> bool:
    """Whether the main class can lead to a failure of a left-hand side through a context.

    That is besides failures of what is above it in tests with the main class itself.
    """
    counts = world.initial.counts
    return (
        state.main_dull[context] <= world.risk.bounds.top[above, 0]
        or counts[above] >= state.of[state.counters[MAIN]].sharp_told
        or (
            state.main_mixed[context]
            and (state.exposed[above] or state.dull[context] <= counts[above])
        )
    )


@inner
def main_leads_to(world: World, state: State, context: int, sharp: float) -> None:
    """Note that the main class leads to one that is not decided, and how sharp what is above is."""
    if sharp >= state.main_dull[context]:
        return
    state.main_dull[context] = sharp
    if world.context_count[context] >= sharp:
        _open_main(world, state, context)


@inner
def main_leads_elsewhere(world: World, state: State, context: int) -> None:
    """Note that the main class leads to another red class."""
    if not state.main_mixed[context]:
        state.main_mixed[context] = True
        _open_main(world, state, context)


@inner
def _open_main(world: World, state: State, context: int) -> None:
    for place in range(world.context_starts[context], world.context_starts[context + 1]):
        above = wide(world.by_context[place].lhs)
        if state.colour[above] < RED and opens_main(world, state, context, above):
            _expose_below(world, state, wide(world.by_context[place].filler))


@inner
def _expose_below(world: World, state: State, x: int) -> None:
    """Mark a non-terminal that is not decided, and all that it is made of, for the main class."""
    if state.colour[x] >= RED or state.main_exposed[x]:
        return
    state.main_exposed[x] = True
    stack = [x]
    while len(stack) > 0:
        y = stack.pop()
        for place in range(world.rule_starts[y], world.rule_starts[y + 1]):
            filler = wide(world.rule[place].filler)
            if state.colour[filler] < RED and not state.main_exposed[filler]:
                state.main_exposed[filler] = True
                stack.append(filler)


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
            if state.main_mixed[context]:
                _expose_below(world, state, wide(world.by_context[other].filler))


@inner
def _expose(world: World, state: State, x: int) -> None:
    """Mark a non-terminal that is not decided, and all that it is made of."""
    if state.colour[x] >= RED or state.exposed[x]:
        return
    state.exposed[x] = True
    stack = [x]
    while len(stack) > 0:
        y = stack.pop()
        if state.of[y].fit == FREE:
            doubt(state, y)
        for place in range(world.rule_starts[y], world.rule_starts[y + 1]):
            filler = wide(world.rule[place].filler)
            if state.main_mixed[world.rule[place].context]:
                _expose_below(world, state, filler)
            if state.colour[filler] < RED and not state.exposed[filler]:
                state.exposed[filler] = True
                stack.append(filler)
