"""What a run of Blue-Fringe knows from the start, against plain definitions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from merging.fringes import fast_run, random_case, slots_of
from numpy.typing import NDArray

from grammar_store.equivalence.classes import Slots
from grammar_store.merging.fringe.engine import FastFringe
from grammar_store.merging.fringe.world import World, world_of

Rows = list[list[tuple[int, int]]]


def by(keys: NDArray[np.int32], size: int, *columns: NDArray[np.int32]) -> Rows:
    """The rows of each key, in their order."""
    rows: Rows = [[] for _ in range(size)]
    for key, first, second in zip(keys.tolist(), *map(np.ndarray.tolist, columns), strict=True):
        rows[key].append((first, second))
    return rows


def parts(starts: NDArray[np.int64], table: NDArray[np.void]) -> Rows:
    return [table[low:high].tolist() for low, high in pairwise(starts.tolist())]


def cases() -> list[tuple[Slots, World]]:
    found = []
    for seed in range(60):
        case = random_case(seed)
        run = fast_run(case)
        if isinstance(run, FastFringe):
            found.append((slots_of(case.grammar), run._world))
    return found


@pytest.mark.parametrize("mixed", [False, True])
def test_tables_hold_the_rules_of_each(mixed: bool) -> None:
    shared = 0
    for slots, world in cases():
        if mixed:  # rules are not by left-hand side
            names = ("context", "filler", "lhs", "rule_count")
            slots = slots._replace(**{name: getattr(slots, name)[::-1].copy() for name in names})
            of, initial = world.of, world.initial
            world = world_of(slots, initial, of["height"], of["place"], world.risk.level)
        contexts = int(slots.context.max(initial=0)) + 1
        by_context = by(slots.context, contexts, slots.filler, slots.lhs)
        assert parts(world.context_starts, world.by_context) == by_context
        by_lhs = by(slots.lhs, slots.size, slots.filler, slots.context)
        assert parts(world.rule_starts, world.rule) == by_lhs
        top = world.risk.bounds.top[:, 0]
        greatest = [max((float(top[lhs]) for _, lhs in rows), default=0.0) for rows in by_context]
        assert world.context_count.tolist() == greatest
        by_filler = by(slots.filler, slots.size, slots.context, slots.lhs)
        expected = [
            sorted(row for row in rows if len(by_context[row[0]]) > 1) for rows in by_filler
        ]
        assert parts(world.shared_starts, world.shared) == expected
        shared += len(world.shared)
    assert shared >= 100
