"""What a run of Blue-Fringe knows from the start: the grammar by filler, rule and context."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.equivalence.classes import ClassArrays, Slots
from grammar_store.equivalence.decide import Risk, risk_at
from grammar_store.equivalence.matrix import dissimilarity_bounds
from grammar_store.equivalence.search import Level
from grammar_store.extraction.parallel import available_threads, run_each
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
    number, contexts = len(slots.lhs), int(slots.context.max(initial=0)) + 1
    rule, rule_places = np.empty(number, _RULE), np.zeros(size + 2, np.int64)
    by_context, context_places = np.empty(number, _BY_CONTEXT), np.zeros(contexts + 2, np.int64)
    rule_starts, context_starts = rule_places[:-1], context_places[:-1]
    shared, shared_starts = np.empty(number, _SHARED), np.zeros(size + 1, np.int64)

    def fill_tables() -> None:
        _fill_rules(slots.lhs, slots.filler, slots.context, rule, rule_places)
        _fill_contexts(slots.context, slots.filler, slots.lhs, by_context, context_places)
        _fill_shared(initial, context_starts, shared, shared_starts)

    def find_risk() -> Risk:
        bounds = dissimilarity_bounds(initial, downwards, False)
        return risk_at(initial, bounds, level, downwards)

    # One takes as long as the other, and neither needs memory beside what it gives.
    risk, _ = run_each(lambda part: part(), [(find_risk,), (fill_tables,)], available_threads())
    top, context_count = risk.bounds.top, np.zeros(contexts)
    _put_greatest_counts(context_starts, by_context, top, context_count)
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
        rule_starts,
        rule,
        context_starts,
        by_context,
        shared_starts,
        # The rest was never written to, and takes no memory.
        shared[: shared_starts[-1]],
        context_count,
        of,
        np.flatnonzero(of["sharp_above"] <= KEEN).astype(np.int32),
        upwards,
    )


@kernel
def _fill_rules(
    lhs: NDArray[np.int32], filler: NDArray[np.int32], context: NDArray[np.int32],
    rule: NDArray[np.void], places: NDArray[np.int64],
) -> None:  # fmt: skip
    """Put rules by left-hand side, in their order; ``places[:-1]`` is then where each begin."""
    _next_starts(lhs, places)
    for at in range(len(lhs)):
        row = rule[places[lhs[at] + 1]]
        row.filler, row.context = filler[at], context[at]
        places[lhs[at] + 1] += 1


@kernel
def _fill_contexts(
    context: NDArray[np.int32], filler: NDArray[np.int32], lhs: NDArray[np.int32],
    by_context: NDArray[np.void], places: NDArray[np.int64],
) -> None:  # fmt: skip
    """Put rules by context, in their order; ``places[:-1]`` is then where those of each begin."""
    _next_starts(context, places)
    for at in range(len(context)):
        row = by_context[places[context[at] + 1]]
        row.filler, row.lhs = filler[at], lhs[at]
        places[context[at] + 1] += 1


@kernel
def _next_starts(keys: NDArray[np.int32], starts: NDArray[np.int64]) -> None:
    """Where the rows of the key before each begin: once all are put, where its own begin."""
    for key in keys:
        starts[key + 2] += 1
    for key in range(1, len(starts) - 1):
        starts[key + 1] += starts[key]


@kernel
def _fill_shared(
    initial: ClassArrays, context_starts: NDArray[np.int64], shared: NDArray[np.void],
    starts: NDArray[np.int64],
) -> None:  # fmt: skip
    """Put the entries in contexts that several fill; where those of each filler begin."""
    kept = 0
    for x in range(len(initial.counts)):
        for entry in range(initial.starts[x], initial.starts[x + 1]):
            context = initial.context[entry]
            if context_starts[context + 1] - context_starts[context] > 1:
                shared[kept].context, shared[kept].lhs = context, initial.lhs[entry]
                kept += 1
        starts[x + 1] = kept


@kernel
def _put_greatest_counts(
    starts: NDArray[np.int64], by_context: NDArray[np.void], top: NDArray[np.float64],
    greatest: NDArray[np.float64],
) -> None:  # fmt: skip
    """The greatest count of the left-hand sides in each context, or of anything above them."""
    for context in range(len(greatest)):
        for at in range(starts[context], starts[context + 1]):
            greatest[context] = max(greatest[context], top[by_context[at].lhs, 0])


@kernel
def _sharp(initial: ClassArrays, level: Level) -> NDArray[np.float64]:
    sharp = np.full(len(initial.counts), np.inf)
    for x in range(1, len(sharp)):
        low, high = initial.starts[x], initial.starts[x + 1]
        if high > low:
            sharp[x] = sharpness(initial.c[low:high].max(), initial.counts[x], level)
    return sharp


@kernel
def _least_above(
    initial: ClassArrays, upwards: NDArray[np.int32], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    least = values.copy()
    for x in upwards[::-1]:
        for entry in range(initial.starts[x], initial.starts[x + 1]):
            least[x] = min(least[x], least[initial.lhs[entry]])
    return least
