"""Who waits for which red class in Blue-Fringe, against its definition, after every step."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from merging.fringes import Steps, case_of_rare_ones, fast_run, plain_steps, steps_of
from numba import njit
from numpy.typing import NDArray

from grammar_store.merging.fringe.engine import FastFringe
from grammar_store.merging.fringe.foes import add_foes
from grammar_store.merging.fringe.records import Records, gather_known
from grammar_store.merging.fringe.state import (
    ALONE_ONES,
    ARRIVED,
    BLUE,
    FRONT,
    LINE,
    POOLING,
    REDS,
    State,
)


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


def check_who_waits(run: FastFringe) -> int:
    """Nobody is forgotten: for each class that one may fit it waits in one of the ways there are.

    How many wait for open classes in the pool.
    """
    state, known, rank = run._state, run._records, run._queues.of["rank"]
    order = state.order[: state.counters[REDS]].tolist()
    line = state.line[: state.counters[LINE]].tolist()
    pool = {*line, *state.arrived[: state.counters[ARRIVED]].tolist()}
    assert [rank[x] for x in line] == sorted(rank[line])
    assert state.of["is_open"][order[: state.counters[FRONT]]].all()
    asked = 0
    for blue in np.flatnonzero(state.colour == BLUE).tolist():
        assert state.of["in_pool"][blue] == (blue in pool)
        row = all_known(state, known, blue)
        claim = int(state.of["claim"][blue])
        waits_from = order.index(claim) if claim else len(order)
        for red in order[:waits_from]:
            number = int(state.edges.number[red])
            if int(row[number >> 6]) >> (number & 63) & 1:
                continue
            if state.of["is_open"][red]:
                assert blue in line[state.of["asks"][red] :]
                asked += 1
            else:
                assert blue in pool
    return asked


@pytest.mark.parametrize("pooling", [True, False])
def test_nobody_is_forgotten(pooling: bool) -> None:
    asked = opened = 0
    for seed in range(500, 570):
        run = fast_run(case_of_rare_ones(seed))
        assert isinstance(run, FastFringe)
        run._state.counters[POOLING] &= pooling
        steps: Steps = []
        while len((made := run.advance(1)).leader):
            steps += steps_of(made)
            if not run._state.counters[ALONE_ONES]:  # who fits none has nowhere to go
                asked += check_who_waits(run)
        assert steps == expected_steps(seed)
        opened += int(run._state.of["is_open"].sum())
    assert (asked >= 40) == (opened >= 40) == pooling
