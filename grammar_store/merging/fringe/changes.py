"""What a promotion and a merge change."""

from __future__ import annotations

import numpy as np

from grammar_store.equivalence.decide import LOUD
from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.edges import give_number
from grammar_store.merging.fringe.exposure import (
    is_bare,
    somewhat_sharper,
    tell,
    tell_of_fillers,
)
from grammar_store.merging.fringe.foes import (
    RARE,
    is_keen,
    lead,
    release_foes,
    set_keen,
)
from grammar_store.merging.fringe.keen import is_keen_no_more, number_keen_ones
from grammar_store.merging.fringe.queues import Queues
from grammar_store.merging.fringe.records import (
    Records,
    class_changed,
    fails_without_counts,
    look_again,
    take_over,
)
from grammar_store.merging.fringe.reds import (
    Reds,
    add_mild,
    add_red,
    add_risky,
    find,
    find_or_add,
    free_node,
    note_greatest,
    raise_count,
)
from grammar_store.merging.fringe.rows import release_row
from grammar_store.merging.fringe.sharpness import sharpness
from grammar_store.merging.fringe.state import (
    BLUE,
    BLUES,
    CLASSES,
    DULLEST,
    FREE,
    KEEN_AHEAD,
    MERGED,
    MODEST,
    MODEST_ONES,
    RED,
    REDS,
    WATCHED,
    WHITES,
    State,
    claim,
    comes_before,
    doubt,
    doubt_quiet,
    insert_red,
    note_change,
    put_at,
)
from grammar_store.merging.fringe.world import KEEN, World


@inner
def promote(
    world: World, reds: Reds, state: State, queues: Queues, records: Records, level: Level, x: int
) -> None:
    """Make a blue non-terminal red: it leaves no queue, as it fits none."""
    state.colour[x] = RED
    give_number(state.edges, x)
    insert_red(world, state, x)
    _fill(world, reds, state, level, x, x)
    state.of[x].sharp = sharpness(reds.by_class[x].greatest, state.of[x].count, level)
    state.of[x].sharp_told = np.inf
    _see_whether_keen(world, reds, state, queues, level, x)
    _tell_if_sharper(world, state, x)
    waiting = wide(records.by_class[x].first)
    records.by_class[x].first = 0
    look_again(world, reds, state, queues, records, level, waiting)
    # Whoever waits for a smaller class may fit this one.
    for at in range(state.of[x].position + 1, state.counters[REDS]):
        take_over(state, queues, records, x, wide(state.order[at]))
    if state.counters[DULLEST] == 0 and _fills_nothing(world, state, x):
        state.counters[DULLEST] = x
    _keep_if_modest(world, state, x)
    _decided(world, reds, state, queues, records, level, x)


@inner
def merge(
    world: World, reds: Reds, state: State, queues: Queues, records: Records, level: Level,
    red: int, x: int,
) -> None:  # fmt: skip
    """Merge a blue non-terminal, which waits in no queue, into a red class."""
    was_bare = is_bare(world, state, red)
    state.colour[x] = MERGED
    state.of[x].leader = red
    state.of[x].earlier_member, state.of[red].last_member = state.of[red].last_member, x
    state.of[red].count += state.of[x].count
    note_change(state, red)
    state.counters[CLASSES] -= 1
    _fill(world, reds, state, level, x, red)
    state.of[red].sharp = sharpness(reds.by_class[red].greatest, state.of[red].count, level)
    if state.of[red].sharp <= reds.by_class[red].most_met:
        reds.by_class[red].watchers = _doubt_those(
            world, reds, state, wide(reds.by_class[red].watchers), state.of[red].sharp
        )
        reds.by_class[red].most_met = np.nextafter(state.of[red].sharp, 0.0)
    tell(world, state, x, state.of[red].sharp_told)
    if was_bare:
        tell_of_fillers(world, state, red)
    _tell_if_sharper(world, state, red)
    _move_up(world, state, queues, records, red)
    _see_whether_keen(world, reds, state, queues, level, red)
    # Failures that rested on either may be none now.
    for entry in range(world.initial.starts[x], world.initial.starts[x + 1]):
        at = find(reds, red, world.initial.context[entry])
        waiting = wide(reds.entry[at].watch)
        reds.entry[at].watch = 0
        look_again(world, reds, state, queues, records, level, waiting)
    class_changed(world, reds, state, queues, records, level, red)
    waiting = wide(records.by_class[x].first)
    records.by_class[x].first = 0
    look_again(world, reds, state, queues, records, level, waiting)
    # And what was known to fit may not.
    doubt_quiet(state, red)
    if state.counters[DULLEST] == red:
        _choose_dullest(world, state)
    _decided(world, reds, state, queues, records, level, x)


@inner
def _fill(world: World, reds: Reds, state: State, level: Level, x: int, red: int) -> None:
    """Let a red class fill what a non-terminal fills."""
    initial = world.initial
    for entry in range(initial.starts[x], initial.starts[x + 1]):
        context, c = wide(initial.context[entry]), initial.c[entry]
        if (
            world.context_starts[context + 1] - world.context_starts[context] == 1
            and c <= LOUD
            and c * c * (1.0 + 1e-12) < level.theta * initial.counts[x]
        ):
            note_greatest(reds, red, context, c)
            continue  # nobody else fills it, and D <= c²/C: it is never met and never fails
        at = find_or_add(reds, red, context)
        raise_count(reds, at, initial.c[entry], state.of[red].count)
        above = wide(initial.lhs[entry])
        if world.of[above].risky:
            add_risky(reds, at, above, world.of[above].sharp_above)
            if world.of[above].sharp_above <= RARE:
                reds.entry[at].watchers = _doubt_those(
                    world, reds, state, wide(reds.entry[at].watchers), world.of[above].sharp_above
                )
        elif world.of[above].listed:
            add_mild(reds, at, above, world.risk.bounds.top[above, 0])


@inner
def _tell_if_sharper(world: World, state: State, red: int) -> None:
    if state.of[red].sharp >= state.of[red].sharp_told:
        return
    state.of[red].sharp_told = somewhat_sharper(state.of[red].sharp)
    member = wide(state.of[red].last_member)
    while member:
        tell(world, state, member, state.of[red].sharp_told)
        member = wide(state.of[member].earlier_member)
    tell(world, state, red, state.of[red].sharp_told)


@inner
def _see_whether_keen(
    world: World, reds: Reds, state: State, queues: Queues, level: Level, red: int
) -> None:
    """See whether hapaxes differ from a red class; if they do no more, all may fit it again."""
    number = wide(state.edges.number[red])
    keen = level.fisher_below > 1.0 and fails_without_counts(reds, state, level, red, 1.0)
    if number == 0 or keen == is_keen(state.foes, number):
        return
    if keen:
        set_keen(state.edges, state.foes, number)
        for blue in range(1, len(state.of)):
            if state.of[blue].fit == WATCHED:
                doubt(state, wide(blue))
    else:
        is_keen_no_more(world, state, queues, red)


@inner
def _move_up(world: World, state: State, queues: Queues, records: Records, red: int) -> None:
    """Restore the order of counts after a class has grown."""
    at = state.of[red].position
    while at > 0 and comes_before(world, state, red, state.order[at - 1]):
        other = state.order[at - 1]
        put_at(state, wide(other), wide(at))
        at -= 1
        put_at(state, red, wide(at))
        take_over(state, queues, records, red, wide(other))


@inner
def _keep_if_modest(world: World, state: State, red: int) -> None:
    """Keep those at hand that fill the fewest contexts."""
    starts = world.initial.starts
    at = state.counters[MODEST_ONES]
    if at < MODEST:
        state.counters[MODEST_ONES] += 1
    else:
        at = 0
        for other in range(MODEST):
            x, y = state.modest[other], state.modest[at]
            if starts[x + 1] - starts[x] > starts[y + 1] - starts[y]:
                at = other
        y = state.modest[at]
        if starts[red + 1] - starts[red] >= starts[y + 1] - starts[y]:
            return
    state.modest[at] = red


@inner
def _choose_dullest(world: World, state: State) -> None:
    """Keep a red class at hand that fills nothing; doubt those that relied on another."""
    state.counters[DULLEST] = 0
    for at in range(state.counters[REDS]):
        red = state.order[at]
        if _fills_nothing(world, state, red):
            state.counters[DULLEST] = red
            return
    for blue in range(1, len(state.of)):
        if state.colour[blue] == BLUE and state.of[blue].fit == FREE:
            doubt(state, blue)


@inner
def _fills_nothing(world: World, state: State, red: int) -> bool:
    initial = world.initial
    return initial.starts[red] == initial.starts[red + 1] and state.of[red].last_member == 0


@inner
def _decided(
    world: World, reds: Reds, state: State, queues: Queues, records: Records, level: Level, x: int
) -> None:
    """A non-terminal is decided: tell the rules that it heads and those that it fills."""
    state.counters[BLUES] -= 1
    state.counters[KEEN_AHEAD] -= world.of[x].sharp_above <= KEEN
    release_foes(state.foes, x)
    release_row(records.known, x)
    red = state.of[x].leader
    for place in range(world.rule_starts[x], world.rule_starts[x + 1]):
        filler = state.of[world.rule[place].filler].leader
        context = world.rule[place].context
        state.undecided_in[context] -= 1
        if state.undecided_in[context] == 0:
            continue  # no test comes by any more
        entry = wide(find(reds, filler, context))
        if add_red(reds, entry, red):
            lead(state.edges, context, filler, red)
            doubt_quiet(state, filler)
            reds.entry[entry].watchers = _doubt_those(
                world, reds, state, wide(reds.entry[entry].watchers), 0.0
            )
    initial = world.initial
    for entry in range(initial.starts[x], initial.starts[x + 1]):
        above = initial.lhs[entry]
        state.of[above].undecided -= 1
        if state.of[above].undecided == 0:
            state.counters[WHITES] -= 1
            turn_blue(state, queues, wide(above))
    if world.of[x].sharp_above <= KEEN:
        number_keen_ones(world, state, queues, level)


@inner
def _doubt_those(world: World, reds: Reds, state: State, head: int, sharp: float) -> int:
    """Doubt those in a list who can lead to a count that is not less, and take them off it."""
    node, before = head, wide(0)
    while node:
        blue, after = wide(reds.node[node].x), wide(reds.node[node].next)
        if state.colour[blue] == BLUE and world.risk.bounds.top[blue, 0] < sharp:
            before = node
        else:
            doubt(state, blue)
            if before:
                reds.node[before].next = after
            else:
                head = after
            free_node(reds, node)
        node = after
    return head


@inner
def turn_blue(state: State, queues: Queues, x: int) -> None:
    """All that a non-terminal is made of is decided."""
    state.colour[x] = BLUE
    state.counters[BLUES] += 1
    claim(state, queues, x, wide(state.order[0]))
    doubt(state, x)
