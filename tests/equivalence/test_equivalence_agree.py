"""The plain definition, SQL and the kernels give the same verdicts, for the same reasons."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

import duckdb
import pytest
from equivalence.agreement import agreed_verdict, verdict_of
from equivalence.worlds import World, in_memory, worlds
from hypothesis import HealthCheck, given, settings
from strategies import shares

from grammar_store.statistics.proportions import compare_reference

LENIENT = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with in_memory() as connection:
        yield connection


@settings(LENIENT, max_examples=60)
@given(world=worlds())
def test_all_ways_agree(connection: duckdb.DuckDBPyConnection, world: World) -> None:
    agreed_verdict(connection, world)


@pytest.mark.long
@settings(LENIENT, max_examples=2000)
@given(world=worlds())
def test_all_ways_agree_on_many(connection: duckdb.DuckDBPyConnection, world: World) -> None:
    agreed_verdict(connection, world)


@settings(LENIENT, max_examples=150)
@given(world=worlds())
def test_definition_taken_literally(world: World) -> None:
    verdict = verdict_of(world)
    equivalent, dissimilarity = LiteralDefinition(world).decide()
    assert verdict.equivalent == equivalent
    assert verdict.dissimilarity == pytest.approx(float(dissimilarity), rel=1e-12)


class LiteralDefinition:
    """Recursion as in the words of the paper, in exact arithmetic."""

    def __init__(self, world: World) -> None:
        self.world = world
        leaders = world.leaders
        self.count: dict[int, int] = defaultdict(int)
        for x, row in enumerate(world.grammar.nonterminals, start=1):
            self.count[leaders[x]] += row.count
        # of each class: contexts, as texts on both sides, with left-hand sides and counts
        self.productions: dict[int, list[tuple[str, int, Fraction]]] = defaultdict(list)
        for rule in world.grammar.rules:
            for filler, sides in rule.slots:
                text = re.sub(
                    r"\[X([0-9]+),([0-9]+)\]",
                    lambda gap: f"[X{leaders[int(gap[1])]},{gap[2]}]",
                    "\n".join(sides),
                )
                self.productions[leaders[filler]].append((text, leaders[rule.lhs_id], rule.count))
        self.decided: set[frozenset[int]] = set()

    def decide(self) -> tuple[bool, Fraction]:
        a, b = self.world.pair
        return self.equivalence(self.world.leaders[a], self.world.leaders[b])

    def equivalence(self, a: int, b: int) -> tuple[bool, Fraction]:
        if a == b or frozenset((a, b)) in self.decided:
            return True, Fraction(0)
        self.decided.add(frozenset((a, b)))
        outcomes = [self.compare(a, b, text) for text, _, _ in self.productions[a]]
        outcomes += [self.compare(a, b, text) for text, _, _ in self.productions[b]]
        outcomes += [
            self.equivalence(k, m)
            for text_a, k, _ in self.productions[a]
            for text_b, m, _ in self.productions[b]
            if text_a == text_b
        ]
        return (
            all(equal for equal, _ in outcomes),
            max((d for _, d in outcomes), default=Fraction(0)),
        )

    def compare(self, a: int, b: int, context: str) -> tuple[bool, Fraction]:
        c_a, c_b = (
            sum((count for text, _, count in self.productions[x] if text == context), Fraction(0))
            for x in (a, b)
        )
        alpha, fisher_below = self.world.alpha, self.world.fisher_below
        equal, d, _ = compare_reference(c_a, self.count[a], c_b, self.count[b], alpha, fisher_below)
        return equal, d


def features_of(world: World) -> set[str]:
    """What makes a question a hard one."""
    verdict = verdict_of(world)
    found = {"equivalent" if verdict.equivalent else "not equivalent"}
    if any(x != leader for x, leader in world.leaders.items()):
        found.add("merged")
        if any(rule.gaps > 1 for rule in world.grammar.rules):
            found.add("merged, several gaps")
    for one in verdict.comparisons:
        found.add(f"compared at depth {min(one.depth, 2)}")
        if not one.equal:
            found |= {f"{one.test} fails", f"fails at depth {min(one.depth, 2)}"}
        if one.c1 > one.big_c1 or one.c2 > one.big_c2:
            found.add("proportion above 1")
    if verdict.deciding is not None and not verdict.deciding.equal and verdict.deciding.depth > 0:
        found.add("decided by recursion")
    if verdict.path:
        found.add("path")
    return found


def test_questions_are_hard() -> None:
    share = defaultdict(float, shares(worlds(), features_of, examples=200))
    assert share["not equivalent"] >= 0.2
    assert share["equivalent"] >= 0.2
    assert share["fisher fails"] >= 0.05
    assert share["hoeffding fails"] >= 0.1
    assert share["merged"] >= 0.3
    assert share["merged, several gaps"] >= 0.1
    assert share["proportion above 1"] >= 0.05
    assert share["fails at depth 1"] >= 0.05
    assert share["compared at depth 2"] >= 0.02
    assert share["decided by recursion"] >= 0.01
    assert share["path"] >= 0.03
