"""The silhouette of a clustering (Rousseeuw, 1987): how much nearer points are to their own."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel

Matrix: TypeAlias = NDArray[np.float32] | NDArray[np.float64]


@kernel
def silhouette(matrix: Matrix, labels: NDArray[np.int64], clusters: int) -> float:
    """The mean silhouette width of all points.

    With a the mean dissimilarity of a point to the others of its cluster, and b that to the
    points of the nearest other cluster, its width is (b - a) / max(a, b): 1 at best, negative if
    the other cluster suits it better. It is 0 for a point that is alone, and if all are in one
    cluster.

    Parameters
    ----------
    matrix
        Dissimilarities, symmetric.
    labels
        The cluster of each point, from 0 to `clusters` - 1, each of them at least once.
    clusters
        How many there are.

    Examples
    --------
    >>> line = np.array([0.0, 2.0, 10.0])
    >>> round(silhouette(np.abs(line[:, None] - line), np.array([0, 0, 1]), 2), 4)  # 0.8, 0.75, 0
    0.5167
    """
    n = len(labels)
    sizes = np.zeros(clusters, np.int64)
    for label in labels:
        sizes[label] += 1
    total = 0.0
    sums = np.empty(clusters)
    for o in range(n):
        own = labels[o]
        if sizes[own] == 1 or clusters == 1:
            continue
        sums[:] = 0.0
        for other in range(n):
            sums[labels[other]] += matrix[o, other]
        a = sums[own] / (sizes[own] - 1)
        b = np.inf
        for cluster in range(clusters):
            if cluster != own:
                b = min(b, sums[cluster] / sizes[cluster])
        if max(a, b) > 0.0:
            total += (b - a) / max(a, b)
    return total / n


def silhouette_reference(matrix: Matrix, labels: NDArray[np.int64], clusters: int) -> float:
    """The same in plain Python: what the kernel is held to."""
    members = [[o for o, label in enumerate(labels) if label == c] for c in range(clusters)]
    total = 0.0
    for o, own in enumerate(labels):
        if len(members[own]) == 1 or clusters == 1:
            continue
        sums = [0.0] * clusters
        for cluster, others in enumerate(members):
            for other in others:
                sums[cluster] += float(matrix[o, other])
        a = sums[own] / (len(members[own]) - 1)
        b = min(sums[c] / len(members[c]) for c in range(clusters) if c != own)
        if max(a, b) > 0.0:
            total += (b - a) / max(a, b)
    return total / len(labels)
