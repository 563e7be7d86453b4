"""The classes of a state with their contexts, as arrays that SQL joins fill.

A *state* says which leader stands for each non-terminal; in the initial grammar each stands
for itself. A class is named by its leader. Arrays by class have a place for every id from 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from grammar_store.equivalence.sorting import counting_order
from grammar_store.store.database import Database


class ClassArrays(NamedTuple):
    """All that the tests of equivalence need to know of a state.

    An *entry* is a context that a class fills. Those of class k are at
    ``starts[k]:starts[k + 1]``, by context; the classes of the left-hand sides of entry e are
    ``lhs[lhs_starts[e]:lhs_starts[e + 1]]``, each once.
    """

    #: C of each class, 0 where no class has the id
    counts: NDArray[np.float64]
    starts: NDArray[np.int64]
    context: NDArray[np.int32]
    #: c of each entry
    c: NDArray[np.float64]
    lhs_starts: NDArray[np.int64]
    lhs: NDArray[np.int32]


class Slots(NamedTuple):
    """The slots of a grammar in the order of rules, and the counts of its non-terminals."""

    rule: NDArray[np.int64]
    context: NDArray[np.int32]
    filler: NDArray[np.int32]
    lhs: NDArray[np.int32]
    rule_count: NDArray[np.float64]
    #: by id from 0; 0 has none
    counts: NDArray[np.float64]
    #: the frame of each context, by id from 0, where rules have several gaps
    frame: NDArray[np.int32] | None

    @property
    def size(self) -> int:
        """One more than the greatest id."""
        return len(self.counts)


def load_slots(database: Database, max_gaps: int) -> Slots:
    """Read a grammar from its store."""
    table = database.execute_file("queries/slot_arrays")
    counts = database.execute_file("queries/nonterminal_counts")
    frame = None
    if max_gaps > 1:
        frames = _column(database.execute_file("queries/context_frames"), "frame", np.int32)
        frame = np.concatenate([[0], frames]).astype(np.int32)
    return Slots(
        _column(table, "rule_id", np.int64),
        _column(table, "context_id", np.int32),
        _column(table, "nonterminal_id", np.int32),
        _column(table, "lhs_id", np.int32),
        _column(table, "count", np.float64),
        np.concatenate([[0.0], _column(counts, "count", np.float64)]),
        frame,
    )


def _column(table: pa.Table, name: str, kind: type) -> NDArray[Any]:
    return np.asarray(table[name].to_numpy(), dtype=kind)


def class_arrays(slots: Slots, leaders: NDArray[np.int32] | None = None) -> ClassArrays:
    """The classes of a state.

    Parameters
    ----------
    slots
        The grammar.
    leaders
        The leader of each non-terminal, by id from 0; None for the initial grammar.
    """
    if leaders is None:
        leaders = np.arange(slots.size, dtype=np.int32)
    count = np.bincount(leaders, weights=slots.counts, minlength=slots.size)
    context = state_contexts(slots, leaders)
    filler, lhs = leaders[slots.filler], leaders[slots.lhs]
    # By class, then context, then left-hand side; stable, so that the counts of an entry are
    # added up in the order of rules.
    order = counting_order(lhs, slots.size, np.arange(len(lhs)))
    order = counting_order(context, int(context.max(initial=0)) + 1, order)
    order = counting_order(filler, slots.size, order)
    return _grouped(count, filler[order], context[order], lhs[order], slots.rule_count[order])


@njit(cache=True, nogil=True)
def _grouped(
    count: NDArray[np.float64],
    filler: NDArray[np.int32],
    context: NDArray[np.int32],
    lhs: NDArray[np.int32],
    rule_count: NDArray[np.float64],
) -> ClassArrays:
    """Make one entry of the rows with the same class and context, which stand together."""
    rows = len(filler)
    starts = np.zeros(len(count) + 1, np.int64)
    contexts, sums = np.empty(rows, np.int32), np.empty(rows, np.float64)
    lhs_starts, distinct = np.empty(rows + 1, np.int64), np.empty(rows, np.int32)
    entries = kept = 0
    for row in range(rows):
        new = row == 0 or filler[row] != filler[row - 1] or context[row] != context[row - 1]
        if new:
            contexts[entries], sums[entries], lhs_starts[entries] = context[row], 0.0, kept
            starts[filler[row] + 1] += 1
            entries += 1
        sums[entries - 1] += rule_count[row]
        if new or lhs[row] != lhs[row - 1]:
            distinct[kept] = lhs[row]
            kept += 1
    lhs_starts[entries] = kept
    return ClassArrays(
        count,
        np.cumsum(starts),
        contexts[:entries].copy(),
        sums[:entries].copy(),
        lhs_starts[: entries + 1].copy(),
        distinct[:kept].copy(),
    )


def state_contexts(slots: Slots, leaders: NDArray[np.int32]) -> NDArray[np.int32]:
    """The context of each slot in a state, named by the least id of those that are now equal.

    With one gap, contexts never change. With more, two contexts are equal if they have the
    same frame and the same leaders in their other gaps.
    """
    if slots.frame is None or len(slots.context) == 0:
        return slots.context
    used, at, inverse = np.unique(slots.context, return_index=True, return_inverse=True)
    others = _other_leaders(slots, leaders, at)
    rows = np.column_stack([slots.frame[used], others])
    _, first, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return used[first[group.reshape(-1)]][inverse]


def _other_leaders(
    slots: Slots, leaders: NDArray[np.int32], at: NDArray[np.int64]
) -> NDArray[np.int32]:
    """The leaders in the other gaps of the rules of these slots, in order; 0 for none."""
    first = np.searchsorted(slots.rule, slots.rule[at], "left")
    gaps = np.searchsorted(slots.rule, slots.rule[at], "right") - first
    others = np.zeros((len(at), int(gaps.max(initial=1)) - 1), np.int32)
    for column in range(others.shape[1]):
        # The column-th of the others: skip the slot itself.
        place = first + column + (first + column >= at)
        there = column < gaps - 1
        others[there, column] = leaders[slots.filler[place[there]]]
    return others
