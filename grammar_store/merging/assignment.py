"""k-medoids over the most frequent non-terminals, and what becomes of all others.

Clusters are found among the non-terminals of greatest count alone, with the dissimilarity of
docs/definitions.md, D8, as distance. Every other one then joins the medoid that it is least
dissimilar to, recursion included; of equals the more frequent. One that fills no context that any
medoid fills shares nothing with them: it joins the most frequent medoid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grammar_store.equivalence.classes import ClassArrays
from grammar_store.equivalence.engine import Equivalence
from grammar_store.equivalence.matrix import dissimilarity_rows
from grammar_store.errors import OptionError
from grammar_store.extraction.parallel import available_threads
from grammar_store.merging.medoids import faster_pam, require_possible


@dataclass(frozen=True)
class KMedoidsResult:
    """The cluster of every class of a state; in the initial grammar, of every non-terminal.

    Arrays have a place for every id from 0; where no class has that id, the medoid is 0.
    """

    #: ids of the medoids, the most frequent first
    medoids: NDArray[np.int32]
    #: ids of the classes that were clustered, the most frequent first
    clustered: NDArray[np.int32]
    #: the medoid that each class belongs to
    medoid: NDArray[np.int32]
    #: the dissimilarity of each class to it
    dissimilarity: NDArray[np.float32]
    #: whether each class fills a context that a medoid fills
    shares: NDArray[np.bool_]
    #: the sum of the dissimilarities of those clustered, and their mean silhouette width
    loss: float
    silhouette: float
    iterations: int
    swaps: int

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many classes belong to each medoid."""
        return np.bincount(self.medoid)[self.medoids]


def k_medoids(
    equivalence: Equivalence,
    top: int = 250,
    clusters: int = 3,
    seed: int = 0,
    restarts: int = 10,
    threads: int | None = None,
    matrix: NDArray[np.float32] | None = None,
) -> KMedoidsResult:
    """Divide all classes into clusters.

    Parameters
    ----------
    equivalence
        The grammar in a state.
    top
        How many classes, those of greatest count, the medoids are chosen among; all if there are
        not as many.
    clusters, seed, restarts
        See `faster_pam`.
    threads
        Cores to use, all by default; the result is the same for any number.
    matrix
        The dissimilarities of the `top` classes of greatest count, or of more, in the order of
        `most_frequent`; found if not given.

    Examples
    --------
    >>> import grammar_store as gs
    >>> store = gs.sample_store()
    >>> found = k_medoids(store.equivalence, top=50, clusters=2)
    >>> len(found.medoids), int(found.sizes.sum()) == len(store)
    (2, True)
    """
    if top < 1:
        raise OptionError(f"top must be at least 1, not {top}")
    threads = threads or available_threads()
    classes = equivalence.classes
    by_count = most_frequent(classes)
    clustered = by_count[:top]
    require_possible(len(clustered), clusters, restarts)
    if matrix is None:
        matrix = equivalence.dissimilarities(clustered, threads)
    elif len(matrix) < len(clustered):
        raise OptionError(f"the matrix has {len(matrix)} rows: {len(clustered)} are needed")
    block = np.ascontiguousarray(matrix[: len(clustered), : len(clustered)])
    found = faster_pam(block, clusters, seed, restarts, threads)
    medoids = clustered[found.medoids]
    medoid = np.zeros(len(classes.counts), np.int32)
    dissimilarity = np.zeros(len(classes.counts), np.float32)
    medoid[clustered] = medoids[found.labels]
    dissimilarity[clustered] = block[np.arange(len(clustered)), found.medoids[found.labels]]
    shares = sharing(classes, medoids)
    others = by_count[top:]
    distances = dissimilarity_rows(classes, others, medoids, threads, equivalence.bounds)
    nearest = np.where(shares[others], distances.argmin(axis=1), 0)
    medoid[others] = medoids[nearest]
    dissimilarity[others] = distances[np.arange(len(others)), nearest]
    return KMedoidsResult(
        medoids,
        clustered,
        medoid,
        dissimilarity,
        shares,
        found.loss,
        found.silhouette,
        found.iterations,
        found.swaps,
    )


def most_frequent(classes: ClassArrays) -> NDArray[np.int32]:
    """The ids of all classes by falling count; of equals the smaller id first."""
    order = np.argsort(-classes.counts, kind="stable").astype(np.int32)
    return order[classes.counts[order] > 0]


def sharing(classes: ClassArrays, medoids: NDArray[np.int32]) -> NDArray[np.bool_]:
    """By id from 0, whether a class fills a context that one of the medoids fills."""
    filled = np.zeros(int(classes.context.max(initial=0)) + 1, np.bool_)
    for medoid in medoids:
        filled[classes.context[classes.starts[medoid] : classes.starts[medoid + 1]]] = True
    before = np.concatenate([[0], np.cumsum(filled[classes.context])])
    return before[classes.starts[1:]] > before[classes.starts[:-1]]
