"""FasterPAM: the kernel, its plain twin, the package of its authors, and what it promises."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import kmedoids
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from grammar_store.errors import OptionError
from grammar_store.merging.medoids import (
    exchange_medoids,
    exchange_medoids_reference,
    faster_pam,
)
from grammar_store.merging.silhouette import silhouette, silhouette_reference

QUICK = settings(deadline=None, max_examples=200)


@st.composite
def matrices(draw: st.DrawFn, whole: bool = False, max_size: int = 14) -> NDArray[Any]:
    """Symmetric matrices of few values, with many ties, or of any; as dissimilarities are."""
    size = draw(st.integers(1, max_size))
    numbers = st.integers(0, draw(st.sampled_from((1, 3, 1000)))).map(float)
    if not whole and draw(st.booleans()):
        numbers = st.floats(0, 1e6, width=32)
    values = draw(st.lists(numbers, min_size=size * size, max_size=size * size))
    upper = np.triu(np.array(values).reshape(size, size), 1)
    matrix = upper + upper.T
    return matrix.astype(draw(st.sampled_from((np.float32, np.float64))))


@st.composite
def beginnings(draw: st.DrawFn, size: int) -> NDArray[np.int64]:
    count = draw(st.integers(1, min(size, 5)))
    order = draw(st.permutations(range(size)))
    return np.array(order[:count], np.int64)


def loss_of(matrix: NDArray[Any], medoids: Any) -> float:
    """The definition of the loss."""
    return float(np.min(matrix[:, list(medoids)].astype(float), axis=1).sum())


@QUICK
@given(st.data())
def test_kernel_is_the_reference(data: st.DataObject) -> None:
    matrix = data.draw(matrices())
    medoids = data.draw(beginnings(len(matrix)))
    kernel, plain = exchange_medoids(matrix, medoids), exchange_medoids_reference(matrix, medoids)
    assert kernel.medoids.tolist() == plain.medoids.tolist()
    assert kernel[1:] == plain[1:]


@QUICK
@given(st.data())
def test_no_exchange_of_one_medoid_is_better(data: st.DataObject) -> None:
    matrix = data.draw(matrices())
    medoids = data.draw(beginnings(len(matrix)))
    found = exchange_medoids(matrix, medoids)
    assert found.loss == pytest.approx(loss_of(matrix, found.medoids), rel=1e-12)
    assert found.loss <= loss_of(matrix, medoids) * (1 + 1e-12)
    assert len(set(found.medoids.tolist())) == len(medoids)
    for leaving in range(len(medoids)):
        for point in range(len(matrix)):
            others = found.medoids.copy()
            others[leaving] = point
            assert loss_of(matrix, others) >= found.loss - 1e-9 * matrix.max(initial=1)


@QUICK
@given(st.data())
def test_peer_makes_the_same_swaps(data: st.DataObject) -> None:
    """On whole numbers nothing is rounded: any difference would be one of the algorithm."""
    matrix = data.draw(matrices(whole=True))
    medoids = data.draw(beginnings(len(matrix)))
    if len(medoids) < 2:
        return  # the package takes another way
    ours = exchange_medoids(matrix, medoids)
    theirs = kmedoids.fasterpam(matrix, medoids.astype(np.uint64), n_cpu=1)
    assert ours.loss == theirs.loss
    assert ours.swaps == theirs.n_swap
    assert ours.medoids.tolist() == theirs.medoids.tolist()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("clusters", [2, 4, 20])
def test_peer_agrees_on_larger_matrices(kind: type, clusters: int) -> None:
    random = np.random.default_rng(clusters)
    points = random.normal(size=(300, 3)) ** 3
    matrix = ((points[:, None] - points) ** 2).sum(axis=2)
    # Medoids that are alone tie exactly, so sums must be exact for both to choose the same.
    matrix = (np.round(matrix * 1024) / 1024).astype(kind)
    medoids = random.permutation(300)[:clusters]
    ours = exchange_medoids(matrix, medoids)
    theirs = kmedoids.fasterpam(matrix, medoids.astype(np.uint64), n_cpu=1)
    assert ours.swaps == theirs.n_swap > clusters
    assert ours.medoids.tolist() == theirs.medoids.tolist()
    assert ours.loss == pytest.approx(theirs.loss, rel=1e-9)


def test_restarts_find_the_best_of_all() -> None:
    random = np.random.default_rng(1)
    for clusters in (1, 2, 3, 4):
        points = random.normal(size=(12, 2)) ** 3
        matrix = np.abs(points[:, None] - points).sum(axis=2)
        least = min(loss_of(matrix, some) for some in combinations(range(12), clusters))
        found = faster_pam(matrix, clusters, restarts=40)
        assert found.loss == pytest.approx(least, rel=1e-12)


@QUICK
@given(matrices(), st.integers(0, 5), st.data())
def test_result_is_what_it_says(matrix: NDArray[Any], seed: int, data: st.DataObject) -> None:
    clusters = data.draw(st.integers(1, len(matrix)))
    found = faster_pam(matrix, clusters, seed, restarts=3)
    assert found.medoids.tolist() == sorted(set(found.medoids.tolist()))
    assert len(found.medoids) == clusters
    for point, label in enumerate(found.labels.tolist()):
        distances = matrix[point, found.medoids]
        if point in found.medoids:
            assert found.medoids[label] == point
        else:
            assert label == distances.tolist().index(distances.min())
    assert found.loss == pytest.approx(loss_of(matrix, found.medoids), rel=1e-12)


def test_one_restart_more_is_never_worse() -> None:
    points = np.random.default_rng(3).random((100, 2))
    matrix = np.abs(points[:, None] - points).sum(axis=2)
    helped = 0
    for seed in range(10):
        losses = [faster_pam(matrix, 12, seed, restarts).loss for restarts in range(1, 6)]
        assert losses == sorted(losses, reverse=True)
        helped += losses[0] > losses[-1]
    assert helped >= 3


def test_threads_and_time_change_nothing() -> None:
    points = np.random.default_rng(4).normal(size=(200, 2))
    matrix = np.abs(points[:, None] - points).sum(axis=2)
    runs = [faster_pam(matrix, 5, seed=7, restarts=8, threads=threads) for threads in (1, 2, 1)]
    for run in runs[1:]:
        for one, other in zip(runs[0], run, strict=True):
            assert np.array_equal(one, other)


@QUICK
@given(st.data())
def test_silhouette_three_times(data: st.DataObject) -> None:
    matrix = data.draw(matrices())
    clusters = data.draw(st.integers(1, len(matrix)))
    rest = data.draw(
        st.lists(
            st.integers(0, clusters - 1),
            min_size=len(matrix) - clusters,
            max_size=len(matrix) - clusters,
        )
    )
    labels = np.array([*range(clusters), *rest], np.int64)
    found = silhouette(matrix, labels, clusters)
    assert found == silhouette_reference(matrix, labels, clusters)
    assert -1 <= found <= 1
    if clusters > 1:
        theirs, _ = kmedoids.silhouette(matrix, labels.astype(np.uint64), n_cpu=1)
        assert found == pytest.approx(theirs, rel=1e-5, abs=1e-5)


def test_of_equally_good_clusterings_the_first_wins() -> None:
    # Any two of four points that are equally far apart are as good as any others.
    matrix = 1.0 - np.eye(4)
    first = faster_pam(matrix, 2, seed=5, restarts=1)
    assert first.swaps == 0
    assert faster_pam(matrix, 2, seed=5, restarts=30).medoids.tolist() == first.medoids.tolist()


@pytest.mark.parametrize(
    ("matrix", "clusters", "restarts", "words"),
    [
        (np.zeros((2, 3)), 1, 1, "symmetric"),
        (np.zeros(3), 1, 1, "symmetric"),
        (np.array([[0, 1], [2, 0]], np.float32), 1, 1, "symmetric"),
        (np.array([[0, np.nan], [np.nan, 0]]), 1, 1, "symmetric"),
        (np.array([[0, np.inf], [np.inf, 0]]), 1, 1, "finite"),
        (np.array([[0.0, -1.0], [-1.0, 0.0]]), 1, 1, "negative"),
        (np.ones((2, 2)), 1, 1, "diagonal"),
        (np.zeros((2, 2)), 3, 1, "from 1 to the number of points, 2, not 3"),
        (np.zeros((2, 2)), 0, 1, "not 0"),
        (np.zeros((0, 0)), 1, 1, "not 1"),
        (np.zeros((2, 2)), 1, 0, "restarts"),
    ],
)
def test_refusals(matrix: NDArray[Any], clusters: int, restarts: int, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        faster_pam(matrix, clusters, restarts=restarts)
