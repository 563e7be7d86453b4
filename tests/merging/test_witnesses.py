"""Who is not asked after every step still fits the red class that it was seen to fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from merging.fringes import case_of_rare_ones, fast_run
from numba import njit

from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe import engine
from grammar_store.merging.fringe.compiling import refer
from grammar_store.merging.fringe.engine import FastFringe
from grammar_store.merging.fringe.reds import Reds
from grammar_store.merging.fringe.state import BLUE, WATCHED, State
from grammar_store.merging.fringe.verdicts import GREATEST
from grammar_store.merging.fringe.walk import BLIND, failure
from grammar_store.merging.fringe.world import World


@njit  # type: ignore[untyped-decorator]
def fails_by_test(
    world: World, reds: Reds, state: State, level: Level, red: int, blue: int
) -> bool:
    """Whether a test that looks at everything, without foes, finds a difference."""
    run = refer(world), refer(reds), refer(state), refer(level)
    return failure(*run, red, blue, GREATEST, BLIND)[0] != 0


@pytest.mark.parametrize("some", [2, engine.SOME])
def test_those_that_are_watched_still_fit(some: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SOME", some)
    watched = moved = 0
    for seed in range(2000, 2250):
        case = case_of_rare_ones(seed, factors=(2, 3, 6, 30, 200), share=0.5)
        # At small levels classes become sharper slowly, while some are met by those watched.
        alpha = case.options.alpha if seed % 3 else 0.05
        run = fast_run(case._replace(options=replace(case.options, alpha=alpha)))
        assert isinstance(run, FastFringe)
        world, before = run._world, np.zeros(0, np.int32)
        while len(run.advance(1).leader):
            state = run._state
            now = np.where(state.of["fit"] == WATCHED, state.of["witness"], 0)
            now[(state.colour != BLUE) | state.foes.is_hapax] = 0
            for x in np.flatnonzero(now).tolist():
                assert not world.of[x]["risky"]
                assert not fails_by_test(
                    world, run._reds, state, run._level, int(now[x]), x
                ), (seed, x)  # fmt: skip
                watched += 1
            if len(before):
                moved += int(((now != before) & (now > 0) & (before > 0)).sum())
            before = now
    assert watched >= 3000
    assert moved >= 20
