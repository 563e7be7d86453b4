"""k-medoids by FasterPAM (Schubert and Rousseeuw, 2021), on a symmetric matrix of dissimilarities.

Of n points, k are *medoids*; every point belongs to the nearest one, and the *loss* is the sum of
the dissimilarities to it. The points are gone through again and again: where a point in place of a
medoid lowers the loss, it takes the place of the one for which it lowers it most, at once. When n
points in a row lower nothing, no exchange of one medoid does.

What makes this fast is that the change of the loss is found for all k medoids together: a point
that is nearer than their nearest medoid to some o gains whichever medoid leaves, and for any other
o it matters only whether o's own medoid leaves.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.errors import OptionError
from grammar_store.extraction.parallel import run_each
from grammar_store.merging.silhouette import Matrix, silhouette


class Medoids(NamedTuple):
    """A clustering; points are rows of the matrix."""

    #: the points that are medoids, rising
    medoids: NDArray[np.int32]
    #: for each point, the place of its medoid in `medoids`; of equally near ones the first
    labels: NDArray[np.int32]
    #: the sum of all dissimilarities to the medoids
    loss: float
    #: the mean silhouette width, 0 where there is one cluster
    silhouette: float
    #: how often all points were gone through, the last time perhaps not to the end
    iterations: int
    swaps: int


class Optimum(NamedTuple):
    """Where the exchange of medoids ends."""

    #: in the places of those that it began with
    medoids: NDArray[np.int64]
    loss: float
    iterations: int
    swaps: int


def faster_pam(
    matrix: Matrix, clusters: int, seed: int = 0, restarts: int = 10, threads: int = 1
) -> Medoids:
    """The best of several clusterings, each from medoids chosen at random.

    Parameters
    ----------
    matrix
        Dissimilarities, symmetric.
    clusters
        The number of medoids, at most that of rows.
    seed
        What the random choices depend on, and nothing else.
    restarts
        How many times to begin; the least loss wins, of equals the first. The beginnings of
        fewer restarts are the first of those of more.
    threads
        Cores to use; the result is the same for any number.

    Examples
    --------
    >>> line = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])
    >>> found = faster_pam(np.abs(line[:, None] - line), clusters=2)
    >>> found.medoids.tolist(), found.labels.tolist(), found.loss
    ([1, 4], [0, 0, 0, 1, 1, 1], 4.0)
    """
    _require_distances(matrix)
    require_possible(len(matrix), clusters, restarts)
    begun = [(_first_medoids(len(matrix), clusters, seed, turn),) for turn in range(restarts)]
    optima = run_each(lambda medoids: exchange_medoids(matrix, medoids), begun, threads)
    best = min(optima, key=lambda optimum: optimum.loss)
    medoids = np.sort(best.medoids)
    labels, near, second = np.empty(len(matrix), np.int64), *np.empty((2, len(matrix)))
    loss = _assign(matrix, medoids, labels, near, second)
    return Medoids(
        medoids.astype(np.int32),
        labels.astype(np.int32),
        loss,
        silhouette(matrix, labels, clusters),
        best.iterations,
        best.swaps,
    )


def _require_distances(matrix: Matrix) -> None:
    if (
        matrix.ndim != 2
        or not np.array_equal(matrix, matrix.T)
        or not np.isfinite(matrix).all()
        or (matrix < 0).any()
        or np.diagonal(matrix).any()
    ):
        raise OptionError(
            "a matrix of dissimilarities is symmetric, with 0 on its diagonal and no entry that "
            "is negative or not finite"
        )


def require_possible(points: int, clusters: int, restarts: int) -> None:
    """Refuse what cannot be done, before much work is."""
    if not 1 <= clusters <= points:
        raise OptionError(
            f"clusters must be from 1 to the number of points, {points}, not {clusters}"
        )
    if restarts < 1:
        raise OptionError(f"restarts must be at least 1, not {restarts}")


def _first_medoids(size: int, clusters: int, seed: int, turn: int) -> NDArray[np.int64]:
    # Python promises the same numbers from these two calls in all its versions.
    chance = random.Random(f"{seed} {turn}")
    keys = [chance.random() for _ in range(size)]
    return np.array(sorted(range(size), key=keys.__getitem__)[:clusters], np.int64)


@kernel
def exchange_medoids(matrix: Matrix, medoids: NDArray[np.int64]) -> Optimum:
    """Exchange medoids for other points until no exchange of one lowers the loss.

    Examples
    --------
    >>> line = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])
    >>> matrix = np.abs(line[:, None] - line)
    >>> optimum = exchange_medoids(matrix, np.array([0, 1]))
    >>> optimum.medoids.tolist(), optimum.loss, optimum.swaps
    ([4, 1], 4.0, 3)
    """
    n = len(matrix)
    medoids = medoids.copy()
    place, near, second = np.empty(n, np.int64), np.empty(n), np.empty(n)
    change = np.empty(len(medoids))
    loss = _assign(matrix, medoids, place, near, second)
    iterations = swaps = quiet = 0
    point = n - 1
    while quiet < n:
        point = (point + 1) % n
        iterations += point == 0
        quiet += 1
        if medoids[place[point]] == point:
            continue
        # How the loss changes if the point comes and none, or this or that medoid, leaves.
        gain = 0.0
        change[:] = 0.0
        for o in range(n):
            d = np.float64(matrix[point, o])
            if d < near[o]:
                gain += d - near[o]
            elif d < second[o]:
                change[place[o]] += d - near[o]
            else:
                change[place[o]] += second[o] - near[o]
        leaving = np.argmin(change)
        if gain + change[leaving] >= 0.0:
            continue
        left = medoids[leaving]
        medoids[leaving] = point
        new_loss = _assign(matrix, medoids, place, near, second)
        if new_loss < loss:
            loss = new_loss
            swaps += 1
            quiet = 0
        else:
            # A gain by rounding alone: take it back, so that the loss always falls and this ends.
            medoids[leaving] = left
            _assign(matrix, medoids, place, near, second)
    return Optimum(medoids, loss, iterations, swaps)


@kernel
def _assign(
    matrix: Matrix,
    medoids: NDArray[np.int64],
    place: NDArray[np.int64],
    near: NDArray[np.float64],
    second: NDArray[np.float64],
) -> float:
    """Find the nearest medoid of each point and the dissimilarities to it and the next; the loss.

    A medoid belongs to itself, also if another is as near.
    """
    near[:] = np.inf
    second[:] = np.inf
    for i, medoid in enumerate(medoids):
        for o in range(len(near)):
            d = np.float64(matrix[medoid, o])
            if d < near[o] or o == medoid:
                second[o] = near[o]
                near[o] = d
                place[o] = i
            elif d < second[o]:
                second[o] = d
    loss = 0.0
    for d in near:
        loss += d
    return loss


def exchange_medoids_reference(matrix: Matrix, medoids: NDArray[np.int64]) -> Optimum:
    """The same in plain Python: what the kernel is held to."""
    n = len(matrix)
    rows = [[float(d) for d in row] for row in matrix]
    chosen = [int(medoid) for medoid in medoids]
    iterations = swaps = quiet = 0
    point = -1
    while quiet < n:
        point = (point + 1) % n
        iterations += point == 0
        quiet += 1
        if point in chosen:
            continue
        near = [_two_nearest(rows, chosen, o) for o in range(n)]
        loss = _sum(d for d, _, _ in near)
        gain = 0.0
        change = [0.0 for _ in chosen]
        for d, (first, place, second) in zip(rows[point], near, strict=True):
            if d < first:
                gain += d - first
            else:
                change[place] += min(d, second) - first
        leaving = change.index(min(change))
        if gain + change[leaving] >= 0.0:
            continue
        others = [*chosen[:leaving], point, *chosen[leaving + 1 :]]
        if _sum(_two_nearest(rows, others, o)[0] for o in range(n)) < loss:
            chosen = others
            swaps += 1
            quiet = 0
    loss = _sum(_two_nearest(rows, chosen, o)[0] for o in range(n))
    return Optimum(np.array(chosen, np.int64), loss, iterations, swaps)


def _two_nearest(
    rows: Sequence[Sequence[float]], medoids: Sequence[int], o: int
) -> tuple[float, int, float]:
    """The dissimilarity of a point to the nearest medoid, its place, and that to the next."""
    ranked = sorted((rows[medoid][o], medoid != o, i) for i, medoid in enumerate(medoids))
    second = ranked[1][0] if len(ranked) > 1 else math.inf
    return ranked[0][0], ranked[0][2], second


def _sum(values: Iterable[float]) -> float:
    """The sum with a rounding at each step, as kernels have it: `sum` rounds better."""
    total = 0.0
    for value in values:
        total += value
    return total
