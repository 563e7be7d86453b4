"""Kin and foes of Blue-Fringe against their definitions, after every step."""

from __future__ import annotations

import numpy as np
import pytest
from merging.fringes import Case, case_of_rare_ones, fast_run
from numba import njit
from numpy.typing import NDArray

from grammar_store.merging.fringe import edges, engine
from grammar_store.merging.fringe.compiling import refer
from grammar_store.merging.fringe.edges import NUMBERS
from grammar_store.merging.fringe.engine import FastFringe
from grammar_store.merging.fringe.foes import update_foes
from grammar_store.merging.fringe.state import BLUE, BUSY, MERGED, RED, State

Foes = dict[int, set[int]]


@njit  # type: ignore[untyped-decorator]
def update_all(state: State) -> NDArray[np.bool_]:
    """Bring the foes of all who are not decided up to date; of whom they are kept."""
    run = refer(state)
    kept = np.zeros(len(run.of), np.bool_)
    for x in range(1, len(run.of)):
        kept[x] = run.colour[x] < RED and update_foes(run.edges, run.foes, x)
    return kept


def numbers_in(row: NDArray[np.uint64]) -> set[int]:
    return set(np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little")).tolist())


def known_foes(state: State, x: int) -> set[int]:
    return numbers_in(state.foes.rows.bits[state.foes.rows.of[state.foes.kin.of[x]]])


def defined_foes(run: FastFringe) -> Foes:
    """The foes of all rare ones that are not decided: from above to below, by who leads where."""
    world, state = run._world, run._state
    keen = numbers_in(state.foes.rows.bits[1])
    found: Foes = {}
    for x in world.upwards[::-1].tolist():
        if state.colour[x] >= RED or not state.foes.is_rare[x]:
            continue
        found[x] = set(keen) if state.foes.is_hapax[x] else set()
        for at in range(int(world.shared_starts[x]), int(world.shared_starts[x + 1])):
            context, above = world.shared[at].tolist()
            start = int(state.edges.starts[context])
            through = state.edges.edge[start : start + int(state.edges.length[context])]
            found[x] |= {
                int(edge["start"]) for edge in through if int(edge["end"]) in found.get(above, ())
            }
    return found


def stepped(case: Case) -> FastFringe:
    run = fast_run(case)
    assert isinstance(run, FastFringe)
    return run


@pytest.mark.parametrize(("hub", "large"), [(1, 1), (1, 4), (64, 256)])
def test_foes_are_those_of_their_definition(
    hub: int, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edges, "_HUB", hub)
    monkeypatch.setattr(edges, "_LARGE", large)
    seen = forgotten = 0
    for seed in range(900, 960):
        run, before = stepped(case_of_rare_ones(seed)), 0
        while len(run.advance(1 + seed % 3).leader):
            kept = update_all(run._state)
            defined = defined_foes(run)
            for x, expected in defined.items():
                assert kept[x]
                assert known_foes(run._state, x) == expected, (seed, x)
            total = sum(map(len, defined.values()))
            seen, forgotten, before = seen + total, forgotten + (total < before), total
    assert seen >= 2000
    assert forgotten >= 20


def test_hapaxes_that_are_not_asked_still_fit_their_witness(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "SOME", 1)  # nothing is watched
    told = moved = 0
    for seed in range(100, 300):
        run, before = stepped(case_of_rare_ones(seed)), np.zeros(0, np.int32)
        while len(run.advance(1).leader):
            state = run._state
            now = np.where(state.of["fit"] == BUSY, state.of["witness"], 0)
            before = before if len(before) else np.zeros_like(now)
            moved += int(((now != before) & (now > 0) & (before > 0)).sum())
            before = now
            foes = defined_foes(run)
            for x in np.flatnonzero((now > 0) & state.foes.is_hapax).tolist():
                if state.colour[x] == BLUE and state.of[x]["is_told"]:
                    assert int(state.edges.number[now[x]]) not in foes[x], (seed, x)
                    told += 1
    assert told >= 500
    assert moved >= 5


def test_kin_fill_the_same_contexts_in_rules_of_the_same_kin() -> None:
    shared = 0
    for seed in range(900, 940):
        run = stepped(case_of_rare_ones(seed))
        world, state = run._world, run._state
        kin = state.foes.kin.of
        sources: dict[int, set[tuple[int, int]]] = {}
        for x in np.flatnonzero(state.foes.is_rare)[1:].tolist():
            rules = world.shared[world.shared_starts[x] : world.shared_starts[x + 1]].tolist()
            own = {(context, int(kin[above])) for context, above in rules if kin[above]}
            own |= {(0, 1)} if state.foes.is_hapax[x] else set()
            if kin[x] <= 1:
                assert own == ({(0, 1)} if kin[x] else set())
            else:
                assert sources.setdefault(int(kin[x]), own) == own
        assert len(set(map(frozenset, sources.values()))) == len(sources)
        shared += len(kin) - len(set(kin.tolist()))
    assert shared >= 100


@pytest.mark.parametrize("keen", [0, 1, 256])
def test_keen_ones_have_numbers_while_they_are_not_decided(
    keen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "MOST", keen)
    numbered = outlived = 0
    for seed in range(900, 940):
        run = stepped(case_of_rare_ones(seed))
        while len(run.advance(1).leader):
            world, state = run._world, run._state
            waiting = state.colour[world.keen] < RED
            given = state.foes.keen_number
            assert not given[~waiting].any()
            if waiting.sum() <= keen:
                assert given[waiting].all()
            assert given.max(initial=0) <= state.edges.used[NUMBERS]
            numbered += int(given.any())
            number, differing = state.edges.number, numbers_in(state.foes.rows.bits[1])
            for x in world.keen[state.colour[world.keen] == MERGED].tolist():
                if int(number[x]) in differing:  # what followed from it is said of its class now
                    assert int(number[state.of["leader"][x]]) in differing
                    outlived += 1
    assert (numbered >= 20) == (keen > 0)
    assert (outlived >= 5) == (keen > 0)
