"""Slots, classes, and what limits a search, against plain definitions of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import log
from random import Random

import duckdb
import numpy as np
import pytest
from equivalence.agreement import InMemory
from equivalence.worlds import World, fill, in_memory, insert, worlds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from grammar_store.equivalence.classes import ClassArrays, Slots, class_arrays, load_slots
from grammar_store.equivalence.decide import LOUD, risk_at
from grammar_store.equivalence.matrix import dissimilarity_bounds, rare_first
from grammar_store.equivalence.search import Level
from grammar_store.statistics import theta

LENIENT = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=60)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with in_memory() as connection:
        yield connection


def read(connection: duckdb.DuckDBPyConnection, world: World) -> Slots:
    gaps = max((rule.gaps for rule in world.grammar.rules), default=1)
    return load_slots(InMemory(connection), gaps)  # type: ignore[arg-type]


def some_state(world: World) -> NDArray[np.int32]:
    leaders = np.arange(len(world.grammar.nonterminals) + 1, dtype=np.int32)
    leaders[list(world.leaders)] = list(world.leaders.values())
    return leaders


@LENIENT
@given(world=worlds(), chance=st.randoms(use_true_random=False))
def test_slots_are_those_of_a_join_however_they_are_stored(
    connection: duckdb.DuckDBPyConnection, world: World, chance: Random
) -> None:
    fill(connection, world.grammar)
    if chance.random() < 0.5:  # gaps in the ids
        for table in ("rule", "slot"):
            connection.execute(f"UPDATE {table} SET rule_id = rule_id * 3 + rule_id % 2")
    for table in chance.sample(("rule", "slot"), chance.randint(0, 2)):
        rows = connection.table(table).fetchall()
        chance.shuffle(rows)
        connection.execute(f"DELETE FROM {table}")
        insert(connection, table, rows)
    slots = read(connection, world)
    expected = connection.execute(
        "SELECT rule_id, context_id, nonterminal_id, lhs_id, count FROM slot JOIN rule"
        " USING (rule_id) ORDER BY rule_id, position"
    ).fetchnumpy()
    if slots.frame is not None:
        assert slots.rule is not None
        assert slots.rule.tolist() == expected["rule_id"].tolist()
    for mine, name in (
        (slots.context, "context_id"),
        (slots.filler, "nonterminal_id"),
        (slots.lhs, "lhs_id"),
        (slots.rule_count, "count"),
    ):
        assert mine.tolist() == expected[name].tolist()
    assert slots.counts.tolist() == [0.0, *(float(x.count) for x in world.grammar.nonterminals)]


@LENIENT
@given(world=worlds(max_gaps=[1]), merged=st.booleans(), up=st.booleans())
def test_classes_are_slots_put_together(
    connection: duckdb.DuckDBPyConnection, world: World, merged: bool, up: bool
) -> None:
    fill(connection, world.grammar)
    slots = read(connection, world)
    if not up:  # rules are not by left-hand side
        slots = slots._replace(
            **{
                name: getattr(slots, name)[::-1].copy()
                for name in ("context", "filler", "lhs", "rule_count")
            }
        )
    leaders = some_state(world) if merged else np.arange(slots.size, dtype=np.int32)
    classes = class_arrays(slots, leaders if merged else None)
    rows = zip(
        leaders[slots.filler].tolist(),
        slots.context.tolist(),
        leaders[slots.lhs].tolist(),
        slots.rule_count.tolist(),
        strict=True,
    )
    entries: dict[tuple[int, int], list[tuple[int, float]]] = defaultdict(list)
    for filler, context, lhs, count in rows:
        entries[filler, context].append((lhs, count))
    found = [
        ((k, int(classes.context[entry])), float(classes.c[entry]), above_of(classes, entry))
        for k in range(slots.size)
        for entry in entries_of(classes, k)
    ]
    expected = []
    for at, of_entry in sorted(entries.items()):
        total = 0.0  # in this order, to the last digit
        for _, count in sorted(of_entry, key=lambda one: one[0]):
            total += count
        expected.append((at, total, sorted({lhs for lhs, _ in of_entry})))
    assert found == expected


@LENIENT
@given(world=worlds(), below=st.sampled_from([0.0, 5.0, 20.0]), down=st.booleans())
def test_bounds_and_risk_are_the_greatest_of_all_above(
    connection: duckdb.DuckDBPyConnection, world: World, below: float, down: bool
) -> None:
    fill(connection, world.grammar)
    classes = class_arrays(read(connection, world), some_state(world))
    order = rare_first(classes)[:: 1 if down else -1].copy()
    level = Level(theta(world.alpha), log(world.alpha), below)
    bounds = dissimilarity_bounds(classes, order)
    risk = risk_at(classes, bounds, level, order)
    own = [own_limits(classes, k) for k in range(len(classes.counts))]
    limits = [
        [max(column) for column in zip(*(own[x] for x in all_above(classes, k)), strict=True)]
        for k in range(len(classes.counts))
    ]
    assert bounds.top.tolist() == [limit[:3] for limit in limits]
    assert risk.loud.tolist() == [limit[3] for limit in limits]
    can_fail = [
        energy * (1.0 + 1e-12) >= level.theta or (below > 0 and loud > LOUD)
        for _, energy, _, loud in limits
    ]
    risky = [any(can_fail[x] for x in above_of(classes, at)) for at in range(len(classes.c))]
    assert risk.risky.tolist() == risky
    assert risk.entries.tolist() == np.flatnonzero(risky).tolist()
    assert risk.starts.tolist() == [sum(risky[:at]) for at in classes.starts.tolist()]


def entries_of(classes: ClassArrays, k: int) -> range:
    return range(int(classes.starts[k]), int(classes.starts[k + 1]))


def above_of(classes: ClassArrays, entry: int) -> list[int]:
    above: list[int] = classes.lhs[
        classes.lhs_starts[entry] : classes.lhs_starts[entry + 1]
    ].tolist()
    return above


def all_above(classes: ClassArrays, k: int) -> set[int]:
    """The class itself and everything that can be reached by left-hand sides."""
    found, waiting = {k}, [k]
    while waiting:
        for entry in entries_of(classes, waiting.pop()):
            new = set(above_of(classes, entry)) - found
            found |= new
            waiting += new
    return found


def own_limits(classes: ClassArrays, k: int) -> tuple[float, float, float, float]:
    """Count, and the greatest energy, proportion and count of an entry."""
    total = float(classes.counts[k])
    counts = [float(classes.c[entry]) for entry in entries_of(classes, k)]
    shares = [min(count / total, 1.0) for count in counts]
    energies = [total * share**2 for share in shares]
    return total, *(max(values, default=0.0) for values in (energies, shares, counts))
