"""The compiled search for all comparisons of two classes: breadth first over pairs.

The plain definition is `reference.equivalence_reference`: from a pair {K, L} the search goes on to
the left-hand sides of their rules in every context that both fill. Pairs are unordered and
visited once, so cycles end; a pair of a class with itself is no pair.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.equivalence.classes import ClassArrays
from grammar_store.equivalence.pairs import pair_key, visit, wider
from grammar_store.statistics import compare_one


class Level(NamedTuple):
    """A level α as the kernels want it."""

    theta: float
    log_alpha: float
    fisher_below: float


class Found(NamedTuple):
    """What a search came upon, in its order.

    Pairs are by depth, then first and second class (the smaller id first, but for the top
    pair); `parent` is the pair that a pair was reached from.
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    depth: NDArray[np.int32]
    parent: NDArray[np.int32]
    #: comparisons: the pair, the context, both counts, D, ln p (nan for Hoeffding), the outcome
    pair: NDArray[np.int32]
    context: NDArray[np.int32]
    c1: NDArray[np.float64]
    c2: NDArray[np.float64]
    d: NDArray[np.float64]
    log_p: NDArray[np.float64]
    equal: NDArray[np.bool_]


@kernel
def search(a: int, b: int, classes: ClassArrays, level: Level) -> Found:
    """Compare two classes and all that they lead to; nothing is left out."""
    first, second, depth, parent = (
        np.empty(64, np.int32),
        np.empty(64, np.int32),
        np.empty(64, np.int32),
        np.empty(64, np.int32),
    )
    first[0], second[0], depth[0], parent[0] = a, b, 0, -1
    pairs = 0 if a == b else 1
    visited = np.zeros(256, np.uint64)
    visit(visited, pair_key(a, b))
    pair, context = np.empty(64, np.int32), np.empty(64, np.int32)
    c1, c2, d, log_p = np.empty(64), np.empty(64), np.empty(64), np.empty(64)
    equal = np.empty(64, np.bool_)
    made = 0

    level_start = 0
    while level_start < pairs:
        level_end = pairs
        for this in range(level_start, level_end):
            k, m = first[this], second[this]
            i, i_end = classes.starts[k], classes.starts[k + 1]
            j, j_end = classes.starts[m], classes.starts[m + 1]
            while i < i_end or j < j_end:
                # Both lists are sorted by context: walk through them side by side.
                at = min(
                    classes.context[i] if i < i_end else 2**31 - 1,
                    classes.context[j] if j < j_end else 2**31 - 1,
                )
                mine = i < i_end and classes.context[i] == at
                theirs = j < j_end and classes.context[j] == at
                count_1 = classes.c[i] if mine else 0.0
                count_2 = classes.c[j] if theirs else 0.0
                same, dissimilarity, log_chance = compare_one(
                    count_1, classes.counts[k], count_2, classes.counts[m],
                    level.theta, level.log_alpha, level.fisher_below,
                )  # fmt: skip
                if made == len(pair):
                    pair, context = _longer(pair), _longer(context)
                    c1, c2, d, log_p = _longer(c1), _longer(c2), _longer(d), _longer(log_p)
                    equal = _longer(equal)
                pair[made], context[made] = this, at
                c1[made], c2[made], d[made] = count_1, count_2, dissimilarity
                log_p[made], equal[made] = log_chance, same
                made += 1
                if mine and theirs:
                    for x in range(classes.lhs_starts[i], classes.lhs_starts[i + 1]):
                        for y in range(classes.lhs_starts[j], classes.lhs_starts[j + 1]):
                            low = min(classes.lhs[x], classes.lhs[y])
                            high = max(classes.lhs[x], classes.lhs[y])
                            if low == high:
                                continue
                            if 2 * (pairs + 1) > len(visited):
                                visited = wider(visited)
                            if not visit(visited, pair_key(low, high)):
                                continue
                            if pairs == len(first):
                                first, second = _longer(first), _longer(second)
                                depth, parent = _longer(depth), _longer(parent)
                            first[pairs], second[pairs] = low, high
                            depth[pairs], parent[pairs] = depth[this] + 1, this
                            pairs += 1
                i += mine
                j += theirs
        # In order within a level, so that parents come in order as well.
        order = np.argsort(
            first[level_end:pairs].astype(np.int64) * 2**32 + second[level_end:pairs],
            kind="mergesort",
        )
        first[level_end:pairs] = first[level_end:pairs][order]
        second[level_end:pairs] = second[level_end:pairs][order]
        parent[level_end:pairs] = parent[level_end:pairs][order]
        level_start = level_end
    return Found(
        first[:pairs], second[:pairs], depth[:pairs], parent[:pairs],
        pair[:made], context[:made], c1[:made], c2[:made], d[:made], log_p[:made], equal[:made],
    )  # fmt: skip


@kernel
def _longer(array):  # type: ignore[no-untyped-def]
    more = np.empty(2 * len(array), array.dtype)
    more[: len(array)] = array
    return more
