"""Asking for a verdict in every way that there is, and holding them to each other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from equivalence.worlds import World, fill, fill_leaders

from grammar_store.equivalence.engine import Equivalence
from grammar_store.equivalence.frontier import Frontier, FrontierVerdict
from grammar_store.equivalence.reference import (
    Comparison,
    PlainGrammar,
    ReferenceVerdict,
    equivalence_reference,
)
from grammar_store.equivalence.verdict import Verdict
from grammar_store.resources import sql


def verdict_of(world: World) -> ReferenceVerdict:
    grammar = PlainGrammar.of_reference(world.grammar)
    return equivalence_reference(
        grammar, world.leaders, *world.pair, world.alpha, world.fisher_below
    )


def agreed_verdict(connection: duckdb.DuckDBPyConnection, world: World) -> ReferenceVerdict:
    """The verdict of the plain definition, once the kernels and SQL have given the same."""
    fill(connection, world.grammar)
    leaders_table = fill_leaders(connection, world.leaders)
    question = (*world.pair, world.alpha, world.fisher_below)
    verdict = verdict_of(world)
    assert_kernels_agree(connection, world, verdict)
    with Frontier(connection, leaders_table) as frontier:
        full = frontier.equivalence(*question)
        assert_same(verdict, full)
        quick = frontier.equivalence(*question, full=False)
    if verdict.equivalent:
        assert_same(verdict, quick)
    else:
        assert not quick.equivalent
        assert_same_comparison(verdict.deciding, quick.deciding)
        assert quick.path == verdict.path
        # Whole levels, down to that of the comparison that fails, and none below.
        made = [one for one in verdict.comparisons if one.depth <= verdict.deciding.depth]
        assert quick.dissimilarity == pytest.approx(max(one.d for one in made), rel=1e-12)
        assert_same_comparisons(made, rows_of(quick))
    return verdict


def assert_same(verdict: ReferenceVerdict, other: FrontierVerdict) -> None:
    assert other.equivalent == verdict.equivalent
    assert other.dissimilarity == pytest.approx(verdict.dissimilarity, rel=1e-12, abs=1e-12)
    assert_same_comparison(verdict.deciding, other.deciding)
    assert other.path == verdict.path
    assert_same_comparisons(verdict.comparisons, rows_of(other))


def rows_of(verdict: FrontierVerdict) -> list[Comparison]:
    """The table of comparisons as the plain definition has it."""
    found = []
    for row in verdict.comparisons.to_pylist():
        context = row.pop("source"), row.pop("target")
        for name in "12":
            share = min(row[f"c{name}"] / row[f"big_c{name}"], 1.0)
            assert row.pop(f"p{name}") == share
        assert row.pop("context_id") >= 1
        found.append(Comparison(context=context, **row))
    return found


def assert_same_comparisons(ours: list[Comparison], theirs: list[Comparison]) -> None:
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert_same_comparison(one, other)


def assert_same_comparison(one: Comparison | None, other: Comparison | None) -> None:
    if one is None or other is None:
        assert one is other
        return
    for name, mine, its in zip(Comparison._fields, one, other, strict=True):
        if isinstance(mine, float):
            assert its == pytest.approx(mine, rel=1e-9 if name == "p_value" else 1e-12, abs=1e-12)
        else:
            assert its == mine


class InMemory:
    """A database without a file, as the tests of equivalence use one."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.cursor = connection.cursor

    def execute_file(self, name: str, **values: Any) -> pa.Table:
        with self.cursor() as cursor:
            return cursor.sql(sql(name), params=values or None).to_arrow_table()

    @contextmanager
    def stream_file(self, name: str) -> Iterator[tuple[int, pa.RecordBatchReader]]:
        with self.cursor() as cursor:
            result = cursor.sql(sql(name))
            yield len(result), result.to_arrow_reader(3)


def engine(connection: duckdb.DuckDBPyConnection, world: World) -> Equivalence:
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


def comparisons_of(verdict: Verdict) -> list[Comparison]:
    return [
        Comparison(
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


def assert_kernels_agree(
    connection: duckdb.DuckDBPyConnection, world: World, expected: ReferenceVerdict
) -> None:
    """The kernels give the same verdict on the store that is filled with this world."""
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
