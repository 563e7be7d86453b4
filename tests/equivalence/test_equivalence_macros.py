"""The macros of a bare DuckDB client against exact arithmetic and the plain definition."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

import duckdb
import pyarrow as pa
import pytest
from equivalence.agreement import assert_same_comparison
from equivalence.worlds import World, fill, in_memory, worlds
from hypothesis import HealthCheck, given, settings

from grammar_store.equivalence.reference import Comparison, PlainClasses, PlainGrammar
from grammar_store.statistics.fisher import fisher_p_reference
from grammar_store.statistics.proportions import compare_reference

LENIENT = settings(deadline=None, suppress_health_check=list(HealthCheck))

Counts = tuple[float, float, float, float]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with in_memory() as connection:
        yield connection


def tables(number: int, small: int, large: int, seed: int) -> list[Counts]:
    """Random c1, C1, c2, C2, one sample up to `small`, the other up to `large`, in any order."""
    chance = random.Random(seed)
    found: list[Counts] = []
    for _ in range(number):
        share = chance.random() ** chance.choice((1, 4))
        samples = []
        for size in (chance.randint(1, small), chance.randint(1, large)):
            spread = chance.choice((0.0, 0.5, 1.0))
            count = size * min(max(share + spread * (chance.random() - 0.5), 0.0), 1.2)
            samples.append((round(count * 12) / 12, float(size)))
        chance.shuffle(samples)
        found.append((*samples[0], *samples[1]))
    return found


@pytest.mark.parametrize(
    ("number", "small", "large"), [(1000, 19, 30), (500, 19, 5000), (20, 150, 150), (3, 900, 900)]
)
@pytest.mark.parametrize("alpha", [0.3, 0.01])
def test_comparisons_are_those_of_exact_arithmetic(
    connection: duckdb.DuckDBPyConnection, number: int, small: int, large: int, alpha: float
) -> None:
    samples = tables(number, small, large, seed=number)
    columns = zip(*samples, strict=True)
    names = "c1", "big_c1", "c2", "big_c2"
    connection.register("samples", pa.table(dict(zip(names, map(list, columns), strict=True))))
    for fisher_below in (20, 1000, 0):
        rows = connection.execute(
            "SELECT o.d, o.test, o.p_value, o.equal FROM (SELECT compare_proportions("
            "c1, big_c1, c2, big_c2, $alpha, fisher_below := $fisher_below) AS o FROM samples)",
            {"alpha": alpha, "fisher_below": fisher_below},
        ).fetchall()
        assert len({equal for *_, equal in rows}) == 2 or number < 10
        for sample, (d, test, p, equal) in zip(samples, rows, strict=True):
            exact_equal, exact_d, exact_p = compare_reference(*sample, alpha, fisher_below)
            assert d == pytest.approx(float(exact_d), rel=1e-12, abs=1e-15), sample
            assert test == ("hoeffding" if exact_p is None else "fisher"), sample
            if exact_p is None:
                assert p is None, sample
            else:
                assert p == pytest.approx(float(exact_p), rel=1e-12, abs=1e-300), sample
            assert equal == exact_equal, sample
    connection.unregister("samples")


def test_fisher_p_of_ties(connection: duckdb.DuckDBPyConnection) -> None:
    # In samples of the same size n the mirror image of a table is as likely, so both tails count;
    # with n/2 in either they meet in the middle and are everything.
    for n in (2, 6, 18, 50, 200):
        [(middle, whole, swapped)] = connection.execute(
            "SELECT fisher_p($h, $n, $h, $n), fisher_p(0, $n, $n, $n), fisher_p($n, $n, 0, $n)",
            {"h": n // 2, "n": n},
        ).fetchall()
        assert middle == pytest.approx(1.0, rel=1e-12)
        assert whole == pytest.approx(2 / math.comb(2 * n, n), rel=1e-12, abs=0)
        assert swapped == pytest.approx(whole, rel=1e-12, abs=0)


def test_levels_that_are_the_p_value(connection: duckdb.DuckDBPyConnection) -> None:
    # such as 2 of 2 against 1 of 3: p = 2/5, as a float a little less, is not below 0.4
    rows = [
        (c1, n, c2, m, float(p))
        for n, m in combinations(range(1, 9), 2)
        for c1 in range(n + 1)
        for c2 in range(m + 1)
        for p in [fisher_p_reference(c1, n, c2, m)]
        if (1000 * p).denominator == 1
    ]
    names = "c1", "big_c1", "c2", "big_c2", "alpha"
    columns = map(list, zip(*rows, strict=True))
    connection.register("at_p", pa.table(dict(zip(names, columns, strict=True))))
    found = connection.execute(
        "SELECT compare_proportions(c1, big_c1, c2, big_c2, alpha).equal,"
        " compare_proportions(c1, big_c1, c2, big_c2, least(alpha * 1.000001, 1)).equal,"
        " alpha, fisher_p(c1, big_c1, c2, big_c2) FROM at_p"
    ).fetchall()
    connection.unregister("at_p")
    assert any(p < alpha for *_, alpha, p in found)
    for equal, equal_above, alpha, _ in found:
        assert equal
        assert equal_above == (alpha == 1.0)


@settings(LENIENT, max_examples=25)
@given(world=worlds())
def test_comparisons_of_a_pair(connection: duckdb.DuckDBPyConnection, world: World) -> None:
    fill(connection, world.grammar)
    a, b = world.pair
    found = connection.execute(
        "FROM comparisons($a, $b, $alpha, fisher_below := $fisher_below)",
        {"a": a, "b": b, "alpha": world.alpha, "fisher_below": world.fisher_below},
    ).fetchall()
    rows = [
        Comparison(0, a, b, (source, target), *counts, *outcome)
        for _, source, target, *counts, _p1, _p2, d, bound, test, p, equal in found
        for outcome in [(d, bound, test, p, equal)]
    ]
    assert [one.d for one in rows] == sorted((one.d for one in rows), reverse=True)
    alone = {x: x for x in world.leaders}
    classes = PlainClasses(PlainGrammar.of_reference(world.grammar), alone)
    expected = classes.comparisons((a, b), 0, world.alpha, world.fisher_below)
    rows.sort(key=lambda one: one.context)
    assert len(rows) == len(expected)
    for mine, its in zip(expected, rows, strict=True):
        assert_same_comparison(mine, its)


@settings(LENIENT, max_examples=25)
@given(world=worlds())
def test_candidates_of_a_grammar(connection: duckdb.DuckDBPyConnection, world: World) -> None:
    fill(connection, world.grammar)
    counts = [row.count for row in world.grammar.nonterminals]
    fillers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for rule in world.grammar.rules:
        for filler, context in rule.slots:
            fillers[context].append(filler)
    for limits in ({}, {"max_fillers": 3, "min_count": 5, "min_shared": 2}):
        least, most, shared = (
            limits.get(name, usual)
            for name, usual in (("min_count", 1), ("max_fillers", 10), ("min_shared", 1))
        )
        expected: dict[tuple[int, int], int] = defaultdict(int)
        for found in fillers.values():
            if len(found) <= most:
                for pair in combinations(sorted(found), 2):
                    if min(counts[x - 1] for x in pair) >= least:
                        expected[pair] += 1
        rows = connection.execute(
            "FROM candidates(min_count := $least, max_fillers := $most, min_shared := $shared)",
            {"least": least, "most": most, "shared": shared},
        ).fetchall()
        assert {(a, b): number for a, b, number, _ in rows} == {
            pair: number for pair, number in expected.items() if number >= shared
        }
        assert [(-evidence, a, b) for a, b, _, evidence in rows] == sorted(
            (-evidence, a, b) for a, b, _, evidence in rows
        )
        for a, b, _, evidence in rows:
            assert evidence == pytest.approx(1 / (1 / counts[a - 1] + 1 / counts[b - 1]))


@pytest.mark.parametrize("alpha", ["0", "-0.5", "1.01"])
@pytest.mark.parametrize("call", ["theta({})", "hoeffding_bound(1, 2, {})"])
def test_levels_out_of_range(connection: duckdb.DuckDBPyConnection, alpha: str, call: str) -> None:
    with pytest.raises(duckdb.Error, match=f"alpha must be .* not {alpha}"):
        connection.execute(f"SELECT {call.format(alpha)}")
