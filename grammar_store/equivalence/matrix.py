"""The dissimilarities of many pairs at once (docs/definitions.md, D8).

The dissimilarity of a pair is the greatest D of all comparisons that it leads to. Most need not
be made. With h = C1 C2/(C1 + C2):

- A comparison in context t has D <= h max(p1, p2)². So contexts are looked at by falling
  proportion, until none that is left can exceed the greatest D so far.
- Let U, V and P be the greatest count C, energy c²/C and proportion c/C of a class and of
  everything above it. As h < C1, C2, no comparison that {K, L} leads to exceeds max(V(K), V(L)) or
  min(U(K), U(L)) max(P(K), P(L))²: left-hand sides are followed only where both exceed the
  greatest D so far. So one of K and L has a V above it, and is found from its own
  side, by falling V.

The result is exactly that of the full search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.equivalence.classes import ClassArrays
from grammar_store.equivalence.pairs import pair_key, visit, wider
from grammar_store.equivalence.sorting import falling_within, greatest_within
from grammar_store.extraction.parallel import run_each, run_ranges
from grammar_store.statistics import dissimilarity_one

_VISITED = 1 << 10
"""Places of a set of visited pairs at first."""


class Bounds(NamedTuple):
    """What limits the search; by class, or by entry in another order."""

    #: greatest count, energy and proportion of a class and all above it: U, V, P
    top: NDArray[np.float64]
    #: entries of each class by falling proportion
    by_proportion: NDArray[np.signedinteger[Any]]
    #: entries of each class by falling `reach`, the greatest V of their left-hand sides
    by_reach: NDArray[np.signedinteger[Any]]
    reach: NDArray[np.float64]


def dissimilarity_bounds(
    classes: ClassArrays, order: NDArray[np.int32] | None = None, reaching: bool = True
) -> Bounds:
    """Prepare the search for dissimilarities.

    Parameters
    ----------
    classes
        The classes of a state.
    order
        All of them, left-hand sides before their fillers as far as can be: that is fastest.
    reaching
        Whether `reach` is needed, which verdicts alone can do without.
    """
    if order is None:
        order = rare_first(classes)
    top = _own_bounds(classes)
    while raise_from_above(classes, order, top):
        pass
    by_proportion = falling_within(classes.starts, classes.c)
    if not reaching:
        return Bounds(top, by_proportion, by_proportion[:0], np.zeros(0))
    reach = greatest_within(classes.lhs_starts, top[classes.lhs, 1])
    return Bounds(top, by_proportion, falling_within(classes.starts, reach), reach)


def rare_first(classes: ClassArrays) -> NDArray[np.int32]:
    """All classes by falling id: frequent ones have small ids, and stand below rare ones."""
    return np.arange(len(classes.counts), dtype=np.int32)[::-1].copy()


@kernel
def _own_bounds(classes: ClassArrays) -> NDArray[np.float64]:
    """The count, greatest energy and greatest proportion of each class itself."""
    top = np.zeros((len(classes.counts), 3))
    for k in range(len(top)):
        count = top[k, 0] = classes.counts[k]
        for entry in range(classes.starts[k], classes.starts[k + 1]):
            proportion = min(classes.c[entry] / count, 1.0)
            top[k, 1] = max(top[k, 1], count * (proportion * proportion))
            top[k, 2] = max(top[k, 2], proportion)
    return top


@kernel
def raise_from_above(
    classes: ClassArrays, order: NDArray[np.int32], values: NDArray[np.float64]
) -> bool:
    """Pass values of left-hand sides, a row for each, on to their fillers if they are greater.

    False if all have got what they can get. Another round may be needed by classes that come before
    one of their left-hand sides, as some do where classes lead to each other.
    """
    passed = np.zeros(len(values), np.bool_)
    changed = early = False
    for k in order:
        for entry in range(classes.starts[k], classes.starts[k + 1]):
            for place in range(classes.lhs_starts[entry], classes.lhs_starts[entry + 1]):
                above = classes.lhs[place]
                early |= not passed[above]
                for at in range(values.shape[1]):
                    if values[above, at] > values[k, at]:
                        values[k, at] = values[above, at]
                        changed = True
        passed[k] = True
    return changed and early


def dissimilarity_matrix(
    classes: ClassArrays,
    members: NDArray[np.int32],
    threads: int = 1,
    bounds: Bounds | None = None,
) -> NDArray[np.float32]:
    """The symmetric matrix of dissimilarities of some classes, as float32.

    Parameters
    ----------
    classes
        The classes of a state.
    members
        Which of them, in the order of the rows.
    threads
        Cores to use; the result is the same for any number.
    bounds
        What `dissimilarity_bounds` gives for these classes, if it is at hand.
    """
    bounds = dissimilarity_bounds(classes) if bounds is None else bounds
    matrix = np.zeros((len(members), len(members)), np.float32)
    # Early rows are long: dealing them out in turn gives all threads as much to do.
    parts = 4 * threads
    run_each(
        lambda part: _fill_rows(part, parts, classes, bounds, members, matrix),
        [(part,) for part in range(parts)],
        threads,
    )
    return matrix


@kernel
def _fill_rows(
    part: int,
    parts: int,
    classes: ClassArrays,
    bounds: Bounds,
    members: NDArray[np.int32],
    matrix: NDArray[np.float32],
) -> None:
    visited = np.zeros(_VISITED, np.uint64)
    stack = np.empty((1 << 10, 2), np.int32)
    for row in range(part, len(members), parts):
        for column in range(row + 1, len(members)):
            best, visited, stack = _dissimilarity(
                members[row], members[column], classes, bounds, visited, stack
            )
            matrix[row, column] = best
            matrix[column, row] = best


def dissimilarity_rows(
    classes: ClassArrays,
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    threads: int = 1,
    bounds: Bounds | None = None,
) -> NDArray[np.float32]:
    """The dissimilarities of some classes to some others, a row for each of the former.

    Parameters
    ----------
    classes
        The classes of a state.
    rows, columns
        Which of them; many rows and few columns is what this is made for.
    threads
        Cores to use; the result is the same for any number.
    bounds
        What `dissimilarity_bounds` gives for these classes, if it is at hand.
    """
    bounds = dissimilarity_bounds(classes) if bounds is None else bounds
    found = np.empty((len(rows), len(columns)), np.float32)
    weights = classes.starts[rows + 1] - classes.starts[rows]
    run_ranges(_fill_rectangle, weights, classes, bounds, rows, columns, found, threads=threads)
    return found


@kernel
def _fill_rectangle(
    start: int,
    stop: int,
    classes: ClassArrays,
    bounds: Bounds,
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    found: NDArray[np.float32],
) -> None:
    visited = np.zeros(_VISITED, np.uint64)
    stack = np.empty((1 << 10, 2), np.int32)
    for row in range(start, stop):
        for column in range(len(columns)):
            best, visited, stack = _dissimilarity(
                rows[row], columns[column], classes, bounds, visited, stack
            )
            found[row, column] = best


@kernel
def dissimilarity_of(a: int, b: int, classes: ClassArrays, bounds: Bounds) -> float:
    """The dissimilarity of two classes."""
    best, _, _ = _dissimilarity(
        a, b, classes, bounds, np.zeros(64, np.uint64), np.empty((64, 2), np.int32)
    )
    return best


@kernel
def _dissimilarity(
    a: int,
    b: int,
    classes: ClassArrays,
    bounds: Bounds,
    visited: NDArray[np.uint64],
    stack: NDArray[np.int32],
) -> tuple[float, NDArray[np.uint64], NDArray[np.int32]]:
    """The greatest D over all pairs that a pair leads to; `visited` is empty before and after."""
    best = 0.0
    if a == b:
        return best, visited, stack
    stack[0, 0], stack[0, 1] = a, b
    waiting, seen = 1, 0
    while waiting > 0:
        waiting -= 1
        k, m = stack[waiting, 0], stack[waiting, 1]
        if greatest_possible(k, m, bounds) <= best:
            continue
        best = _greatest_d(k, m, classes, bounds, best)
        size_k = classes.starts[k + 1] - classes.starts[k]
        size_m = classes.starts[m + 1] - classes.starts[m]
        if size_m < size_k:
            k, m, size_k = m, k, size_m
        # From either side by falling V; but the smaller side has all that they share, so it is
        # enough where fewer entries are there than the other has above the greatest D.
        last = classes.starts[m] + size_k - 1
        alone = size_k == 0 or bounds.reach[bounds.by_reach[last]] > best
        for _ in range(1 if alone else 2):
            for place in range(classes.starts[k], classes.starts[k + 1]):
                entry = bounds.by_reach[place]
                if not alone and bounds.reach[entry] <= best:
                    break
                other = entry_of(classes, m, classes.context[entry])
                if other < 0 or max(bounds.reach[entry], bounds.reach[other]) <= best:
                    continue
                for x in range(classes.lhs_starts[entry], classes.lhs_starts[entry + 1]):
                    for y in range(classes.lhs_starts[other], classes.lhs_starts[other + 1]):
                        low = min(classes.lhs[x], classes.lhs[y])
                        high = max(classes.lhs[x], classes.lhs[y])
                        if low == high or greatest_possible(low, high, bounds) <= best:
                            continue
                        if 2 * (seen + 1) > len(visited):
                            visited = wider(visited)
                        if visit(visited, pair_key(low, high)):
                            seen += 1
                            if waiting == len(stack):
                                more = np.empty((2 * len(stack), 2), np.int32)
                                more[: len(stack)] = stack
                                stack = more
                            stack[waiting, 0], stack[waiting, 1] = low, high
                            waiting += 1
            k, m = m, k
    if len(visited) > _VISITED:
        # One pair that led to millions must not make all that follow clear as many places.
        visited = np.zeros(_VISITED, np.uint64)
    elif seen > 0:
        visited[:] = 0
    return best, visited, stack


@kernel
def greatest_possible(k: int, m: int, bounds: Bounds) -> float:
    """What no D that a pair leads to can exceed."""
    proportion = max(bounds.top[k, 2], bounds.top[m, 2])
    by_count = min(bounds.top[k, 0], bounds.top[m, 0]) * proportion * proportion
    return min(by_count, max(bounds.top[k, 1], bounds.top[m, 1])) * (1.0 + 1e-12)


@kernel
def _greatest_d(k: int, m: int, classes: ClassArrays, bounds: Bounds, best: float) -> float:
    """The greatest D of the comparisons of one pair, or `best` if that is greater."""
    count_k, count_m = classes.counts[k], classes.counts[m]
    h = count_k * (count_m / (count_k + count_m))
    i, i_end = classes.starts[k], classes.starts[k + 1]
    j, j_end = classes.starts[m], classes.starts[m + 1]
    while True:
        p_k = classes.c[bounds.by_proportion[i]] / count_k if i < i_end else -1.0
        p_m = classes.c[bounds.by_proportion[j]] / count_m if j < j_end else -1.0
        p = min(max(p_k, p_m), 1.0)
        # The slack covers rounding: D itself is computed in another way.
        if p < 0.0 or h * p * p * (1.0 + 1e-12) <= best:
            return best
        if p_k >= p_m:
            entry = bounds.by_proportion[i]
            other = entry_of(classes, m, classes.context[entry])
            c_k, c_m = classes.c[entry], classes.c[other] if other >= 0 else 0.0
            i += 1
        else:
            entry = bounds.by_proportion[j]
            other = entry_of(classes, k, classes.context[entry])
            c_k, c_m = classes.c[other] if other >= 0 else 0.0, classes.c[entry]
            j += 1
        best = max(best, dissimilarity_one(c_k, count_k, c_m, count_m))


@kernel(_nrt=False)  # counting references would take longer
def entry_of(classes: ClassArrays, k: int, context: int) -> int:
    """The entry of a class for a context; -1 if it does not fill it."""
    low, high = classes.starts[k], classes.starts[k + 1]
    end = high
    while low < high:
        middle = (low + high) >> 1
        if classes.context[middle] < context:
            low = middle + 1
        else:
            high = middle
    return low if low < end and classes.context[low] == context else -1
