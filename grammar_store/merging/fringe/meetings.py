"""Does a red class lead a hapax to a foe, as things stand?

That is asked of one class: what a pair leads to is looked at from above until a foe is met, which is
noted for all pairs on the way there. Where that takes long, the hapax gets all its foes at once.
"""

from __future__ import annotations

from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.edges import has_all_numbers
from grammar_store.merging.fringe.foes import first_look_for_foes, is_foe, note_foe, update_foes
from grammar_store.merging.fringe.reds import Reds, find
from grammar_store.merging.fringe.state import State
from grammar_store.merging.fringe.world import World

FITS, FAILS, UNSURE = 0, 1, 2


@inner
def meet(world: World, reds: Reds, state: State, red: int, x: int) -> int:
    """Whether a non-terminal fits a red class; `UNSURE` unless it is a hapax that can tell."""
    edges, foes = state.edges, state.foes
    if not foes.sure[x] or not has_all_numbers(edges):
        return UNSURE
    if foes.looked[x] == 0 and not first_look_for_foes(world, edges, foes, x):
        return UNSURE
    if is_foe(edges, foes, red, x):
        return FAILS
    found = _meet_some(world, reds, state, red, x)
    if found == UNSURE and update_foes(world, edges, foes, x):
        return FAILS if is_foe(edges, foes, red, x) else FITS
    return found


@inner
def _meet_some(world: World, reds: Reds, state: State, red: int, x: int) -> int:
    """Look at the pairs that two lead to, but not at many."""
    initial, edges, foes, pairs = world.initial, state.edges, state.foes, state.meeting
    pairs[0, 0], pairs[0, 1], pairs[0, 2] = red, x, -1
    done, known = 0, 1
    while done < known:
        k, m = wide(pairs[done, 0]), wide(pairs[done, 1])
        for entry in range(initial.starts[m], initial.starts[m + 1]):
            context = wide(initial.context[entry])
            if edges.count[context] == 0:
                continue
            red_entry = find(reds, k, context)
            other, node = wide(reds.entry[red_entry].red), wide(reds.entry[red_entry].more_reds)
            above = wide(initial.lhs[entry])
            while other:
                if is_foe(edges, foes, other, above):
                    while done >= 0:
                        note_foe(edges, foes, wide(pairs[done, 0]), wide(pairs[done, 1]))
                        done = wide(pairs[done, 2])
                    return FAILS
                if not _is_among(state, known, other, above):
                    if known == len(pairs):
                        return UNSURE
                    pairs[known, 0], pairs[known, 1], pairs[known, 2] = other, above, done
                    known += 1
                other = wide(reds.node[node].x) if node else 0
                node = wide(reds.node[node].next) if node else 0
        done += 1
    return FITS


@inner
def _is_among(state: State, known: int, k: int, m: int) -> bool:
    for at in range(known):
        if state.meeting[at, 0] == k and state.meeting[at, 1] == m:
            return True
    return False
