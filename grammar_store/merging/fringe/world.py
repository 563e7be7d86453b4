"""What a run of Blue-Fringe knows from the start: the grammar by filler, rule and context."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grammar_store.equivalence.classes import ClassArrays, Slots
from grammar_store.equivalence.decide import Risk, risk_at
from grammar_store.equivalence.matrix import dissimilarity_bounds
from grammar_store.equivalence.search import Level
from grammar_store.equivalence.sorting import counting_order, greatest_within
from grammar_store.merging.fringe.sharpness import sharpness

KEEN = 1.0
"""Whoever is at most this sharp may be keen: a hapax differs from it."""

LISTED = 3.0
"""Non-terminals that cannot fail by themselves are listed by context from this count on."""


class World(NamedTuple):
    """The initial grammar; ids begin at 1.

    As there is one gap a rule, a filler and a context belong to one rule: entry e of the
    initial classes leads to the left-hand side ``initial.lhs[e]``.
    """

    initial: ClassArrays
    risk: Risk
    #: rules by left-hand side, and by context
    rule_starts: NDArray[np.int64]
    rule: NDArray[np.void]
    context_starts: NDArray[np.int64]
    by_context: NDArray[np.void]
    #: by filler: contexts that others fill, too, and the left-hand sides; no test leads anywhere
    #: through those that one fills alone
    shared_starts: NDArray[np.int64]
    shared: NDArray[np.void]
    #: the greatest count of a left-hand side in each context, or of anything above it
    context_count: NDArray[np.float64]
    of: NDArray[np.void]
    #: those that may be keen, or lead to one that may be
    keen: NDArray[np.int32]
    #: fillers before what is made of them
    upwards: NDArray[np.int32]


_RULE = np.dtype([("filler", np.int32), ("context", np.int32)])
_BY_CONTEXT = np.dtype([("filler", np.int32), ("lhs", np.int32)])
_SHARED = np.dtype([("context", np.int32), ("lhs", np.int32)])
_NONTERMINAL = np.dtype(
    [
        # `sharpness`, and the least of all above and itself
        ("sharp", np.float64),
        ("sharp_above", np.float64),
        ("height", np.int32),
        # where it comes if counts are equal
        ("place", np.int32),
        # whether something above, or itself, has counts that can fail
        ("risky", np.bool_),
        # whether it is kept in the lists of left-hand sides
        ("listed", np.bool_),
    ],
    align=True,
)


def world_of(
    slots: Slots,
    initial: ClassArrays,
    heights: NDArray[np.int32],
    place: NDArray[np.int32],
    level: Level,
) -> World:
    """Prepare a run at a level.

    Parameters
    ----------
    slots
        A grammar with one gap a rule.
    initial
        Its classes, before any merge.
    heights
        Of each non-terminal, by id from 0.
    place
        Which of two non-terminals of the same count comes first, by id from 0.
    level
        The level of the tests.
    """
    size = slots.size
    upwards = np.argsort(heights[1:], kind="stable").astype(np.int32) + np.int32(1)
    downwards = upwards[::-1].copy()
    risk = risk_at(initial, dissimilarity_bounds(initial, downwards, False), level, downwards)
    contexts = int(slots.context.max(initial=0)) + 1
    by_lhs = counting_order(slots.lhs, size, np.arange(len(slots.lhs)))
    by_context = counting_order(slots.context, contexts, np.arange(len(slots.lhs)))
    context_starts = _starts(slots.context, contexts)
    is_shared = np.diff(context_starts)[initial.context] > 1
    top = risk.bounds.top
    context_count = greatest_within(context_starts, top[slots.lhs[by_context], 0])
    risky = top[:, 1] * (1.0 + 1e-12) >= level.theta
    if level.fisher_below > 0:
        risky |= risk.loud > 0.5
    of = np.zeros(size, _NONTERMINAL)
    of["sharp"] = _sharp(initial, level)
    of["sharp_above"] = _least_above(initial, upwards, of["sharp"].copy())
    of["height"], of["place"] = heights, place
    of["risky"], of["listed"] = risky, risky | (top[:, 0] >= LISTED)
    return World(
        initial,
        risk,
        _starts(slots.lhs, size),
        _table(_RULE, slots.filler[by_lhs], slots.context[by_lhs]),
        context_starts,
        _table(_BY_CONTEXT, slots.filler[by_context], slots.lhs[by_context]),
        np.concatenate([[0], np.cumsum(is_shared)])[initial.starts],
        _table(_SHARED, initial.context[is_shared], initial.lhs[is_shared]),
        context_count,
        of,
        np.flatnonzero(of["sharp_above"] <= KEEN).astype(np.int32),
        upwards,
    )


def _table(kind: np.dtype[np.void], *columns: NDArray[np.int32]) -> NDArray[np.void]:
    table = np.empty(len(columns[0]), kind)
    for name, column in zip(kind.names or (), columns, strict=True):
        table[name] = column
    return table


def _starts(keys: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=size))])


@njit(cache=True, nogil=True)
def _sharp(initial: ClassArrays, level: Level) -> NDArray[np.float64]:
    sharp = np.full(len(initial.counts), np.inf)
    for x in range(1, len(sharp)):
        low, high = initial.starts[x], initial.starts[x + 1]
        if high > low:
            sharp[x] = sharpness(initial.c[low:high].max(), initial.counts[x], level)
    return sharp


@njit(cache=True, nogil=True)
def _least_above(
    initial: ClassArrays, upwards: NDArray[np.int32], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    least = values.copy()
    for x in upwards[::-1]:
        for entry in range(initial.starts[x], initial.starts[x + 1]):
            least[x] = min(least[x], least[initial.lhs[entry]])
    return least
