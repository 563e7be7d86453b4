"""k-medoids over a grammar, held to a brute force with the plain dissimilarity."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pytest
from equivalence.agreement import engine
from equivalence.worlds import World, fill, grammar_of, in_memory, rule_of, worlds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import shares

import grammar_store as gs
from grammar_store.equivalence.engine import Equivalence
from grammar_store.equivalence.matrix import dissimilarity_matrix, dissimilarity_rows
from grammar_store.equivalence.reference import PlainClasses, PlainGrammar
from grammar_store.errors import OptionError, PrunedError
from grammar_store.facade import Store
from grammar_store.merging.assignment import KMedoidsResult, k_medoids

LENIENT = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with in_memory() as connection:
        yield connection


class BruteForce:
    """All of it in the words of the definition."""

    def __init__(self, world: World) -> None:
        self.classes = PlainClasses(PlainGrammar.of_reference(world.grammar), world.leaders)
        self.by_count = sorted(self.classes.count, key=lambda x: (-self.classes.count[x], x))

    def dissimilarity(self, a: int, b: int) -> float:
        return self.classes.equivalence(a, b, alpha=0.5, fisher_below=0).dissimilarity

    def shares(self, a: int, b: int) -> bool:
        contexts = self.classes.c
        return bool(contexts.get(a, {}).keys() & contexts.get(b, {}).keys())

    def assigned(self, x: int, medoids: list[int]) -> set[int]:
        """The medoids that a class outside the clustered ones may join, but for rounding."""
        if not any(self.shares(x, medoid) for medoid in medoids):
            return {medoids[0]}
        distances = {medoid: self.dissimilarity(x, medoid) for medoid in medoids}
        least = min(distances.values())
        return {medoid for medoid in medoids if distances[medoid] <= least * (1 + 1e-6)}

    def least_loss(self, top: int, clusters: int) -> float:
        points = self.by_count[:top]
        return min(
            sum(min(self.dissimilarity(x, medoid) for medoid in medoids) for x in points)
            for medoids in combinations(points, clusters)
        )


def assert_as_defined(world: World, found: KMedoidsResult, top: int, clusters: int) -> None:
    brute = BruteForce(world)
    medoids = found.medoids.tolist()
    assert found.clustered.tolist() == brute.by_count[:top]
    assert len(set(medoids)) == clusters
    assert medoids == [x for x in brute.by_count[:top] if x in medoids]
    assert set(np.flatnonzero(found.medoid).tolist()) == set(brute.by_count)
    loss = 0.0
    for place, x in enumerate(brute.by_count):
        medoid = int(found.medoid[x])
        distance = brute.dissimilarity(x, medoid)
        assert found.dissimilarity[x] == pytest.approx(distance, rel=1e-6, abs=1e-12)
        assert found.shares[x] == any(brute.shares(x, one) for one in medoids)
        if place < top:
            loss += min(brute.dissimilarity(x, one) for one in medoids)
            assert distance == pytest.approx(
                min(brute.dissimilarity(x, one) for one in medoids), rel=1e-6
            )
            assert x not in medoids or medoid == x
        else:
            assert medoid in brute.assigned(x, medoids)
    assert found.loss == pytest.approx(loss, rel=1e-6, abs=1e-9)
    assert found.sizes.sum() == len(brute.by_count)
    assert found.sizes.tolist() == [(found.medoid == medoid).sum() for medoid in medoids]


@settings(LENIENT, max_examples=60)
@given(world=worlds(), data=st.data())
def test_every_class_is_where_it_should_be(
    connection: duckdb.DuckDBPyConnection, world: World, data: st.DataObject
) -> None:
    fill(connection, world.grammar)
    equivalence = engine(connection, world)
    classes = len(set(world.leaders.values()))
    top = data.draw(st.integers(1, min(classes, 8)))
    clusters = data.draw(st.integers(1, min(top, 4)))
    found = k_medoids(equivalence, top, clusters, restarts=20, threads=1)
    assert_as_defined(world, found, top, clusters)
    assert found.loss >= BruteForce(world).least_loss(top, clusters) * (1 - 1e-6)


@settings(LENIENT, max_examples=60)
@given(world=worlds())
def test_rectangle_is_part_of_the_square(
    connection: duckdb.DuckDBPyConnection, world: World
) -> None:
    fill(connection, world.grammar)
    classes = engine(connection, world).classes
    ids = np.flatnonzero(classes.counts).astype(np.int32)
    square = dissimilarity_matrix(classes, ids)
    rectangle = dissimilarity_rows(classes, ids, ids[::2], threads=2)
    assert np.allclose(rectangle, square[:, ::2], rtol=1e-6, atol=0)
    assert np.array_equal(rectangle, dissimilarity_rows(classes, ids, ids[::2]))


def test_worlds_try_what_matters() -> None:
    def features_of(world: World) -> set[str]:
        brute = BruteForce(world)
        medoids, others = brute.by_count[:2], brute.by_count[2:]
        found = set()
        for x in others:
            if not any(brute.shares(x, medoid) for medoid in medoids):
                found.add("shares nothing")
            elif brute.assigned(x, medoids) == set(medoids[1:]):
                found.add("nearer to the less frequent")
        return found

    share = shares(worlds(), features_of, examples=100)
    assert share["shares nothing"] >= 0.3
    assert share["nearer to the less frequent"] >= 0.2


def by_hand(connection: duckdb.DuckDBPyConnection) -> Equivalence:
    """X1 and X2 stand before `a` always and half the time; X3 to X5 are others.

    X3 behaves as X2, X4 fills only what no other fills, and X5 is a leaf that fills nothing.
    """
    grammar = grammar_of(
        {1: 1000, 2: 800, 3: 40, 4: 40, 5: 5, 6: 1},
        [
            rule_of(6, 1000, (1, "[_] a")),
            rule_of(6, 400, (2, "[_] a")),
            rule_of(6, 20, (3, "[_] a")),
            rule_of(6, 40, (4, "[_] b")),
        ],
    )
    fill(connection, grammar)
    leaders = {x: x for x in range(1, 7)}
    return engine(connection, World(grammar, leaders, (1, 2), 0.01, 20))


def test_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    found = k_medoids(by_hand(connection), top=2, clusters=2)
    assert found.medoids.tolist() == [1, 2]
    # X4 is nearer to X2, and so is X5, but neither shares a context with it or with X1.
    assert found.medoid.tolist() == [0, 1, 2, 2, 1, 1, 1]
    assert found.shares.tolist() == [False, True, True, True, False, False, False]
    # D = C1 C2/(C1 + C2) (c1/C1 - c2/C2)², by hand
    assert found.dissimilarity[3] == 0
    assert found.dissimilarity[4] == pytest.approx(1000 * 40 / 1040)
    assert found.dissimilarity[5] == pytest.approx(1000 * 5 / 1005)
    assert (found.loss, found.swaps) == (0, 0)
    one = k_medoids(by_hand(connection), top=3, clusters=1)
    # X3 as medoid: 1000 * 40/1040 * 1/4 and 0; X2: 1000 * 800/1800 * 1/4 and 0
    assert one.medoids.tolist() == [3]
    assert one.loss == pytest.approx(1000 * 40 / 1040 / 4)
    assert one.silhouette == 0


def test_top_beyond_all_classes_takes_all(connection: duckdb.DuckDBPyConnection) -> None:
    found = k_medoids(by_hand(connection), top=99, clusters=6)
    assert found.clustered.tolist() == [1, 2, 3, 4, 5, 6]
    assert found.medoid.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert found.loss == 0


@pytest.fixture(scope="module")
def store(sample: Path) -> Iterator[Store]:
    with gs.open(sample, read_only=True) as store:
        yield store


def test_threads_and_a_matrix_at_hand_change_nothing(store: Store) -> None:
    found = k_medoids(store.equivalence, top=60, clusters=3, seed=4, threads=1)
    matrix = store.dissimilarities(top=90).matrix
    for again in (
        k_medoids(store.equivalence, top=60, clusters=3, seed=4, threads=2),
        k_medoids(store.equivalence, top=60, clusters=3, seed=4, matrix=matrix),
    ):
        for name, value in vars(found).items():
            assert np.array_equal(getattr(again, name), value), name
    assert found.sizes.min() > 0


def test_refusals(store: Store, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="top must be at least 1, not 0"):
        k_medoids(store.equivalence, top=0)
    with pytest.raises(OptionError, match="number of points, 3, not 4"):
        k_medoids(store.equivalence, top=3, clusters=4)
    with pytest.raises(OptionError, match="2 rows: 3 are needed"):
        k_medoids(store.equivalence, top=3, clusters=2, matrix=np.zeros((2, 2), np.float32))
    pruned = gs.open(tmp_path / "pruned.duckdb")
    pruned.build(*gs.sample_files(), prune=0.01)
    with pruned, pytest.raises(PrunedError, match="without --prune"):
        k_medoids(pruned.equivalence)
