"""Verdicts alone, on many pairs: comparisons that cannot fail are not made.

Let U, V, P and M be the greatest count C, energy c²/C, proportion c/C and count c of a class and of
everything above it. Call a class *loud* if M > 1/2: all other counts are rounded to 0. What a
pair {K, L} leads to can fail at level α only in these ways (θ as in docs/definitions.md, D6):

- Hoeffding, used where both counts are at least `fisher_below`: min(U(K), U(L)) is at least
  that, and D can reach θ, which it cannot beyond the limits that `matrix` gives.
- Fisher, both loud.
- Fisher, K loud and L not: 0 of n against k of C1, where n <= U(L). Then p is at least the
  probability of that table, and that at least (1 - q)^n for q = max(P(K), 1/2): see
  `extraction.pruning`. It must be below α.
- Fisher at all: with samples of n and n' no table is less likely than 1 / C(n + n', n), as its
  probability is a product of binomial coefficients over that. So with n = U(K) and n' = U(L)
  this must be below α.

So the search follows left-hand sides only where this can be. Within a pair, contexts are looked
at by falling count until the same bounds rule out the rest. The outcome is that of `search`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.equivalence.classes import ClassArrays
from grammar_store.equivalence.matrix import (
    Bounds,
    entry_of,
    greatest_possible,
    raise_from_above,
    rare_first,
)
from grammar_store.equivalence.pairs import pair_key, visit, wider
from grammar_store.equivalence.search import Level
from grammar_store.equivalence.sorting import greatest_within
from grammar_store.extraction.parallel import run_ranges
from grammar_store.statistics import compare_one

LOUD = 0.5
_SMALL, _LARGEST = 64, 1e6


class Risk(NamedTuple):
    """What can fail at a level."""

    level: Level
    bounds: Bounds
    #: how large a sample can be that never fails Fisher's test with one of 0, 1, 2, ...
    harmless: NDArray[np.float64]
    #: M of each class
    loud: NDArray[np.float64]
    #: of each entry, whether a left-hand side can make something fail
    risky: NDArray[np.bool_]
    #: the risky entries of each class, one class after another
    starts: NDArray[np.int64]
    entries: NDArray[np.int64]


def risk_at(
    classes: ClassArrays,
    bounds: Bounds,
    level: Level,
    order: NDArray[np.int32] | None = None,
) -> Risk:
    """Prepare verdicts at a level.

    Parameters
    ----------
    classes
        The classes of a state.
    bounds
        What `dissimilarity_bounds` gives for them.
    level
        The level.
    order
        As for `dissimilarity_bounds`.
    """
    if order is None:
        order = rare_first(classes)
    loud = greatest_within(classes.starts, classes.c)
    while raise_from_above(classes, order, loud[:, np.newaxis]):
        pass
    can_fail = bounds.top[:, 1] * (1.0 + 1e-12) >= level.theta
    if level.fisher_below > 0:
        can_fail |= loud > LOUD
    risky, starts = _risky_entries(classes, can_fail)
    return Risk(level, bounds, harmless(level), loud, risky, starts, np.flatnonzero(risky))


@kernel
def _risky_entries(
    classes: ClassArrays, can_fail: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which entries lead to what can fail, and where those of each class begin among them."""
    risky = np.zeros(len(classes.c), np.bool_)
    starts = np.zeros(len(classes.starts), np.int64)
    number = 0
    for k in range(len(classes.counts)):
        for entry in range(classes.starts[k], classes.starts[k + 1]):
            for place in range(classes.lhs_starts[entry], classes.lhs_starts[entry + 1]):
                if can_fail[classes.lhs[place]]:
                    risky[entry] = True
                    number += 1
                    break
        starts[k + 1] = number
    return risky, starts


def harmless(level: Level) -> NDArray[np.float64]:
    """How large a sample can be that never fails Fisher's test with one of 0, 1, 2, ...

    Examples
    --------
    >>> harmless(Level(2.65, float(np.log(0.01)), 20.0))[:5]
    array([inf, 98., 12.,  6.,  4.])
    """
    largest = np.full(_SMALL, np.inf)
    limit = -level.log_alpha * (1.0 - 1e-9)
    for n in range(1, _SMALL):
        largest[n], logarithm = 0.0, 0.0  # of the binomial coefficient, for the next sample
        while largest[n] < _LARGEST:
            logarithm += np.log((largest[n] + 1.0 + n) / (largest[n] + 1.0))
            if logarithm > limit:
                break
            largest[n] += 1.0
    return largest


@kernel
def never_fails(n: float, other: float, largest: NDArray[np.float64]) -> bool:
    """Whether samples of these sizes are too small for Fisher's test to fail."""
    n, other = min(n, other), max(n, other)
    return n < len(largest) and other <= largest[int(n)]


def decide_all(
    classes: ClassArrays,
    risk: Risk,
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    threads: int = 1,
) -> NDArray[np.bool_]:
    """Whether the classes of each pair are equivalent.

    Parameters
    ----------
    classes, risk
        The classes of a state, and what can fail at the level of the tests.
    first, second
        The pairs, by leader.
    threads
        Cores to use; the result is the same for any number.
    """
    equivalent = np.empty(len(first), np.bool_)
    sizes = np.diff(classes.starts)
    weights = np.minimum(sizes[first], sizes[second])
    run_ranges(_decide_range, weights, classes, risk, first, second, equivalent, threads=threads)
    return equivalent


@kernel
def _decide_range(
    start: int,
    stop: int,
    classes: ClassArrays,
    risk: Risk,
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    equivalent: NDArray[np.bool_],
) -> None:
    for place in range(start, stop):
        equivalent[place] = decide(first[place], second[place], classes, risk)


@kernel
def decide(a: int, b: int, classes: ClassArrays, risk: Risk) -> bool:
    """Whether two classes are equivalent."""
    if a == b or not can_fail(a, b, risk):
        return True
    visited = np.zeros(64, np.uint64)
    stack = np.empty((64, 2), np.int32)
    stack[0, 0], stack[0, 1] = a, b
    visit(visited, pair_key(a, b))
    waiting, seen = 1, 1
    starts, context = classes.starts, classes.context
    lhs_starts, lhs = classes.lhs_starts, classes.lhs
    while waiting > 0:
        waiting -= 1
        k, m = stack[waiting, 0], stack[waiting, 1]
        if _fails(k, m, classes, risk):
            return False
        # What they share is found from all entries of one, or from the risky ones of each.
        size_k, size_m = starts[k + 1] - starts[k], starts[m + 1] - starts[m]
        if size_m < size_k:
            k, m, size_k = m, k, size_m
        few = risk.starts[k + 1] - risk.starts[k] + risk.starts[m + 1] - risk.starts[m]
        for _ in range(1 if size_k <= few else 2):
            low = starts[k] if size_k <= few else risk.starts[k]
            high = starts[k + 1] if size_k <= few else risk.starts[k + 1]
            for place in range(low, high):
                entry = place if size_k <= few else risk.entries[place]
                other = entry_of(classes, m, context[entry])
                if other < 0 or not (risk.risky[entry] or risk.risky[other]):
                    continue
                for x in range(lhs_starts[entry], lhs_starts[entry + 1]):
                    for y in range(lhs_starts[other], lhs_starts[other + 1]):
                        if lhs[x] == lhs[y] or not can_fail(lhs[x], lhs[y], risk):
                            continue
                        if 2 * (seen + 1) > len(visited):
                            visited = wider(visited)
                        if visit(visited, pair_key(lhs[x], lhs[y])):
                            seen += 1
                            if waiting == len(stack):
                                more = np.empty((2 * len(stack), 2), np.int32)
                                more[: len(stack)] = stack
                                stack = more
                            stack[waiting, 0], stack[waiting, 1] = lhs[x], lhs[y]
                            waiting += 1
            k, m = m, k
    return True


@kernel
def can_fail(k: int, m: int, risk: Risk) -> bool:
    """Whether a comparison of a pair, or of anything above it, can fail."""
    level, top = risk.level, risk.bounds.top
    if min(top[k, 0], top[m, 0]) >= level.fisher_below and (
        greatest_possible(k, m, risk.bounds) >= level.theta
    ):
        return True
    if level.fisher_below == 0 or max(risk.loud[k], risk.loud[m]) <= LOUD:
        return False
    if never_fails(top[k, 0], top[m, 0], risk.harmless):
        return False
    if min(risk.loud[k], risk.loud[m]) > LOUD:
        return True
    if risk.loud[m] > LOUD:
        k, m = m, k
    proportion = max(top[k, 2], 0.5)
    return proportion >= 1.0 or top[m, 0] * np.log1p(-proportion) < level.log_alpha


@kernel
def _fails(k: int, m: int, classes: ClassArrays, risk: Risk) -> bool:
    """Whether the pair itself fails in some context."""
    level, by_count = risk.level, risk.bounds.by_proportion
    c, counts = classes.c, classes.counts
    count_k, count_m = counts[k], counts[m]
    i, i_end = classes.starts[k], classes.starts[k + 1]
    j, j_end = classes.starts[m], classes.starts[m + 1]
    fisher = min(count_k, count_m) < level.fisher_below
    h = count_k * (count_m / (count_k + count_m))
    while True:
        # No count that is left exceeds these.
        c_k = c[by_count[i]] if i < i_end else 0.0
        c_m = c[by_count[j]] if j < j_end else 0.0
        if fisher:
            if c_k <= LOUD and c_m <= LOUD:
                return False
            if c_m <= LOUD and _alone_passes(c_k, count_k, count_m, level.log_alpha):
                return False
            if c_k <= LOUD and _alone_passes(c_m, count_m, count_k, level.log_alpha):
                return False
        else:
            p = min(max(c_k / count_k, c_m / count_m), 1.0)
            # The slack covers rounding: D itself is computed in another way.
            if h * p * p * (1.0 + 1e-12) < level.theta:
                return False
        # By proportion; for Fisher's all of the smaller class first, whose loud ones are few.
        if (
            (c_k > LOUD if count_k <= count_m else c_m <= LOUD)
            if fisher
            else c_k * count_m >= c_m * count_k
        ):
            entry, other = by_count[i], entry_of(classes, m, classes.context[by_count[i]])
            c_k, c_m = c[entry], c[other] if other >= 0 else 0.0
            i += 1
        else:
            entry, other = by_count[j], entry_of(classes, k, classes.context[by_count[j]])
            c_k, c_m = c[other] if other >= 0 else 0.0, c[entry]
            j += 1
        same, _, _ = compare_one(
            c_k, count_k, c_m, count_m, level.theta, level.log_alpha, level.fisher_below
        )
        if not same:
            return True


@kernel
def _alone_passes(count: float, total: float, n: float, log_alpha: float) -> bool:
    """Whether up to `count` of `total` against 0 of n always passes Fisher's test.

    The probability of the table itself, of which p is a sum, falls with the count.
    """
    k = min(np.floor(count + 0.5 + 1e-6), total)  # at least what the count is rounded to
    log_p = 0.0
    if n < k:
        for i in range(1, int(n) + 1):
            log_p += np.log((total - k + i) / (total + i))
    else:
        for i in range(int(k)):
            log_p += np.log((total - i) / (total + n - i))
    return log_p >= log_alpha
