"""The kernels give the verdicts of the plain definition, for the same reasons."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from equivalence.agreement import assert_same_comparisons, verdict_of
from equivalence.worlds import World, fill, in_memory, worlds
from hypothesis import HealthCheck, given, settings

from grammar_store.equivalence import reference
from grammar_store.equivalence.engine import Equivalence
from grammar_store.equivalence.verdict import Verdict
from grammar_store.resources import sql

LENIENT = settings(deadline=None, suppress_health_check=list(HealthCheck))


class InMemory:
    """A database without a file, as the tests of equivalence use one."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.cursor = connection.cursor

    def execute_file(self, name: str, **values: Any) -> pa.Table:
        with self.cursor() as cursor:
            return cursor.sql(sql(name), params=values or None).to_arrow_table()


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with in_memory() as connection:
        yield connection


def engine(connection: duckdb.DuckDBPyConnection, world: World) -> Equivalence:
    fill(connection, world.grammar)
    connection.execute("DELETE FROM build")
    gaps = max((rule.gaps for rule in world.grammar.rules), default=1)
    options = json.dumps({"max_gaps": gaps})
    connection.execute(
        "INSERT INTO build VALUES ('', '', $options, '{}', 0, 0, NULL, NULL)", {"options": options}
    )
    leaders = np.arange(len(world.grammar.nonterminals) + 1, dtype=np.int32)
    for member, leader in world.leaders.items():
        leaders[member] = leader
    return Equivalence(InMemory(connection), leaders)  # type: ignore[arg-type]


def comparisons_of(verdict: Verdict) -> list[reference.Comparison]:
    return [
        reference.Comparison(
            depth=row["depth"],
            first_id=row["first_id"],
            second_id=row["second_id"],
            context=(row["source"], row["target"]),
            p_value=None if np.isnan(row["p_value"]) else row["p_value"],
            **{name: row[name] for name in ("c1", "big_c1", "c2", "big_c2")},
            **{name: row[name] for name in ("d", "bound", "test", "equal")},
        )
        for row in verdict.comparisons.to_dict("records")
    ]


def assert_agrees(connection: duckdb.DuckDBPyConnection, world: World) -> None:
    expected = verdict_of(world)
    kernels = engine(connection, world)
    question = (*world.pair, world.alpha, world.fisher_below)
    verdict = kernels.compare(*question)

    assert verdict.equivalent == expected.equivalent
    assert verdict.dissimilarity == pytest.approx(expected.dissimilarity, rel=1e-12, abs=1e-12)
    if expected.deciding is None:
        assert verdict.deciding is None
    else:
        found = verdict.deciding
        assert found is not None
        assert (found.depth, found.first.id, found.second.id) == expected.deciding[:3]
        assert (found.source, found.target) == expected.deciding.context
        assert found.d == pytest.approx(expected.deciding.d, rel=1e-12, abs=1e-12)
    assert [
        ((step.first.id, step.second.id), (step.source, step.target)) for step in verdict.path
    ] == [(step.pair, step.context) for step in expected.path]
    mine = sorted(comparisons_of(verdict), key=lambda one: one[:4])
    assert_same_comparisons(sorted(expected.comparisons, key=lambda one: one[:4]), mine)

    assert kernels.equivalent(*question) == expected.equivalent
    matrix = kernels.dissimilarities(world.pair, threads=1)
    assert matrix[0, 1] == np.float32(verdict.dissimilarity)
    assert matrix[1, 0] == matrix[0, 1]


@settings(LENIENT, max_examples=60)
@given(world=worlds())
def test_kernels_agree(connection: duckdb.DuckDBPyConnection, world: World) -> None:
    assert_agrees(connection, world)


@pytest.mark.long
@settings(LENIENT, max_examples=2000)
@given(world=worlds())
def test_kernels_agree_on_many(connection: duckdb.DuckDBPyConnection, world: World) -> None:
    assert_agrees(connection, world)
