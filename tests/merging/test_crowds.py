"""Crowds of Blue-Fringe against their definition, with all that wait sent on after every step."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from merging.fringes import Steps, case_of_rare_ones, fast_run, plain_steps, steps_of
from numba import njit
from numpy.typing import NDArray

from grammar_store.merging.fringe import engine, records
from grammar_store.merging.fringe.crowd import send_all_on
from grammar_store.merging.fringe.foes import add_foes
from grammar_store.merging.fringe.queues import Queues
from grammar_store.merging.fringe.records import Records, gather_known
from grammar_store.merging.fringe.state import ALONE_ONES, BLUE, CROWDS, REDS, State


@njit  # type: ignore[untyped-decorator]
def send_everyone_on(state: State, queues: Queues, known: Records) -> bool:
    """Of every red class, from the greatest to the smallest."""
    sent = True
    for at in range(state.counters[REDS]):
        red = np.int64(state.order[at])
        if queues.of[red].first:
            sent &= send_all_on(state, queues, known, red)
    return sent


@njit  # type: ignore[untyped-decorator]
def all_known(state: State, known: Records, blue: int) -> NDArray[np.uint64]:
    """A row of all that a blue non-terminal is known to fail against."""
    gather_known(state, known, blue)
    add_foes(state.foes, blue, known.all_known, 0)
    return known.all_known[0].copy()


@cache
def expected_steps(seed: int) -> Steps:
    """As the plain run makes them, which takes most of the time."""
    return plain_steps(case_of_rare_ones(seed))


def check_claims_and_crowds(state: State, known: Records) -> int:
    """All before a claim are known to fail, and so is all that a crowd fails against."""
    order = state.order[: state.counters[REDS]].tolist()
    last, rows, in_crowds = int(state.counters[CROWDS]), known.crowds, 0
    for blue in np.flatnonzero(state.colour == BLUE).tolist():
        row = all_known(state, known, blue)
        claim, crowd = int(state.of["claim"][blue]), int(state.of["crowd"][blue])
        for red in order[: order.index(claim)]:
            number = int(state.edges.number[red])
            assert int(row[number >> 6]) >> (number & 63) & 1
        if crowd > max(0, last - len(rows)):
            assert not (rows[crowd % len(rows)] & ~row).any()
            in_crowds += 1
    return in_crowds


@pytest.mark.parametrize(("many", "remembered"), [(1, 1), (1, 256), (2, 3)])
def test_crowds_go_where_each_of_them_would_go(
    many: int, remembered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "CROWD", many)
    monkeypatch.setattr(records, "_CROWDS", remembered)
    crowds = in_crowds = 0
    for seed in range(500, 570):
        case = case_of_rare_ones(seed)
        run = fast_run(case)
        assert isinstance(run, engine.FastFringe)
        steps: Steps = []
        while len((made := run.advance(1)).leader):
            steps += steps_of(made)
            state, queues, known = run._state, run._queues, run._records
            if not state.counters[ALONE_ONES]:  # who fits none has nowhere to go
                assert send_everyone_on(state, queues, known)
                in_crowds += check_claims_and_crowds(state, known)
        assert steps == expected_steps(seed)
        crowds += int(run._state.counters[CROWDS])
    assert crowds >= 40
    assert in_crowds >= 40
