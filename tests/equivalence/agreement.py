"""Asking for a verdict in every way that there is, and holding them to each other."""

from __future__ import annotations

import duckdb
import pytest
from equivalence.worlds import World, fill, fill_leaders

from grammar_store.equivalence.frontier import Frontier, FrontierVerdict
from grammar_store.equivalence.reference import (
    Comparison,
    PlainGrammar,
    ReferenceVerdict,
    equivalence_reference,
)


def verdict_of(world: World) -> ReferenceVerdict:
    grammar = PlainGrammar.of_reference(world.grammar)
    return equivalence_reference(
        grammar, world.leaders, *world.pair, world.alpha, world.fisher_below
    )


def agreed_verdict(connection: duckdb.DuckDBPyConnection, world: World) -> ReferenceVerdict:
    """The verdict of the plain definition, once SQL has given the same."""
    fill(connection, world.grammar)
    leaders_table = fill_leaders(connection, world.leaders)
    question = (*world.pair, world.alpha, world.fisher_below)
    verdict = verdict_of(world)
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
