"""The classes of a state with their contexts, as arrays that scans of the store fill.

A *state* says which leader stands for each non-terminal; in the initial grammar each stands
for itself. A class is named by its leader. Arrays by class have a place for every id from 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.equivalence.sorting import counting_order, is_sorted, positions
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
    lhs_starts: NDArray[np.signedinteger[Any]]
    lhs: NDArray[np.int32]


class Slots(NamedTuple):
    """The slots of a grammar in the order of rules, and the counts of its non-terminals."""

    #: where rules have several gaps, which is all that tells their slots apart
    rule: NDArray[np.int64] | None
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
    """Read a grammar from its store.

    The tables are read as they are stored, which is mostly in order: a join and a sort of DuckDB
    would need several times the memory of what they give.
    """
    counts = database.execute_file("queries/nonterminal_counts")["count"].to_numpy()
    frame = None
    if max_gaps > 1:
        frames = database.execute_file("queries/context_frames")["frame"].to_numpy()
        frame = np.concatenate([[0], frames]).astype(np.int32)
    rule, context, filler = _stored_slots(database)
    lhs, rule_count = np.zeros(len(rule), np.int32), np.zeros(len(rule), np.float64)
    at = 0
    with database.stream_file("queries/rules_with_gaps") as (_, batches):
        for batch in batches:
            columns = (column.to_numpy() for column in batch.columns)
            at = _give_rules(*columns, rule, lhs, rule_count, at)
    return Slots(
        None if frame is None else rule,
        context,
        filler,
        lhs,
        rule_count,
        np.concatenate([[0.0], counts]),
        frame,
    )


def _stored_slots(
    database: Database,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Rule, context and filler of each slot, by rule and position."""
    with database.stream_file("queries/slots_as_stored") as (rows, batches):
        kinds = (np.int64, np.uint8, np.int32, np.int32)
        columns: list[NDArray[Any]] = [np.empty(rows, kind) for kind in kinds]
        at = 0
        for batch in batches:
            for column, part in zip(columns, batch.columns, strict=True):
                column[at : at + len(part)] = part.to_numpy()
            at += batch.num_rows
    rule, position, context, filler = columns
    if not _in_order(rule, position):
        order = np.lexsort((position, rule))
        rule, context, filler = rule[order], context[order], filler[order]
    return rule, context, filler


@kernel
def _in_order(rule: NDArray[np.int64], position: NDArray[np.uint8]) -> bool:
    for at in range(1, len(rule)):
        if rule[at] < rule[at - 1] or (
            rule[at] == rule[at - 1] and position[at] < position[at - 1]
        ):
            return False
    return True


@kernel
def _give_rules(
    ids: NDArray[np.int64],
    lhs_ids: NDArray[np.int32],
    counts: NDArray[np.float64],
    rule: NDArray[np.int64],
    lhs: NDArray[np.int32],
    rule_count: NDArray[np.float64],
    at: int,
) -> int:
    """Give some rules to their slots; where the slots of the next rule should begin."""
    for row in range(len(ids)):
        if at == len(rule) or rule[at] != ids[row] or (at > 0 and rule[at - 1] == ids[row]):
            at = np.searchsorted(rule, ids[row])  # rules are not stored in order, or lack slots
        while at < len(rule) and rule[at] == ids[row]:
            lhs[at], rule_count[at] = lhs_ids[row], counts[row]
            at += 1
    return at


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
        context = state_contexts(slots, np.arange(slots.size, dtype=np.int32))
        return _grouped(slots.counts, context, slots.filler, slots.lhs, slots.rule_count)
    count = np.asarray(np.bincount(leaders, weights=slots.counts, minlength=slots.size), np.float64)
    context = state_contexts(slots, leaders)
    return _grouped(count, context, leaders[slots.filler], leaders[slots.lhs], slots.rule_count)


def _grouped(
    count: NDArray[np.float64],
    context: NDArray[np.int32],
    filler: NDArray[np.int32],
    lhs: NDArray[np.int32],
    rule_count: NDArray[np.float64],
) -> ClassArrays:
    """Make one entry of the slots with the same class and context."""
    # By class, then context, then left-hand side; stable, so that the counts of an entry are
    # added up in the order of rules, which are stored by left-hand side.
    order = positions(len(lhs))
    if not is_sorted(lhs):
        order = counting_order(lhs, len(count), order)
    order = counting_order(context, int(context.max(initial=0)) + 1, order)
    order = counting_order(filler, len(count), order)
    classes = ClassArrays(
        count,
        np.zeros(len(count) + 1, np.int64),
        np.empty(len(order), np.int32),
        np.empty(len(order), np.float64),
        np.empty(len(order) + 1, order.dtype),
        np.empty(len(order), np.int32),
    )
    entries, kept = _fill_classes(classes, order, context, filler, lhs, rule_count)
    # What is cut off was never written to, and takes no memory.
    return classes._replace(
        context=classes.context[:entries],
        c=classes.c[:entries],
        lhs_starts=classes.lhs_starts[: entries + 1],
        lhs=classes.lhs[:kept],
    )


@kernel
def _fill_classes(
    classes: ClassArrays,
    order: NDArray[np.signedinteger[Any]],
    context: NDArray[np.int32],
    filler: NDArray[np.int32],
    lhs: NDArray[np.int32],
    rule_count: NDArray[np.float64],
) -> tuple[int, int]:
    """Fill the arrays from slots, in an order that brings entries together; how far they go."""
    rows = np.zeros(len(classes.starts), np.int64)  # where those of each class begin
    for k in filler:
        rows[k + 1] += 1
    entries = kept = 0
    for k in range(len(rows) - 1):
        rows[k + 1] += rows[k]
        for place in range(rows[k], rows[k + 1]):
            row = order[place]
            new = place == rows[k] or context[row] != classes.context[entries - 1]
            if new:
                classes.context[entries], classes.c[entries] = context[row], 0.0
                classes.lhs_starts[entries] = kept
                entries += 1
            classes.c[entries - 1] += rule_count[row]
            if new or lhs[row] != classes.lhs[kept - 1]:
                classes.lhs[kept] = lhs[row]
                kept += 1
        classes.starts[k + 1] = entries
    classes.lhs_starts[entries] = kept
    return entries, kept


def state_contexts(slots: Slots, leaders: NDArray[np.int32]) -> NDArray[np.int32]:
    """The context of each slot in a state, named by the least id of those that are now equal.

    With one gap, contexts never change. With more, two contexts are equal if they have the
    same frame and the same leaders in their other gaps.
    """
    if slots.frame is None or slots.rule is None or len(slots.context) == 0:
        return slots.context
    used, at, inverse = np.unique(slots.context, return_index=True, return_inverse=True)
    others = _other_leaders(slots.rule, leaders[slots.filler], at)
    rows = np.column_stack([slots.frame[used], others])
    _, first, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return used[first[group.reshape(-1)]][inverse]


def _other_leaders(
    rule: NDArray[np.int64], leader: NDArray[np.int32], at: NDArray[np.int64]
) -> NDArray[np.int32]:
    """The leaders in the other gaps of the rules of these slots, in order; 0 for none."""
    first = np.searchsorted(rule, rule[at], "left")
    gaps = np.searchsorted(rule, rule[at], "right") - first
    others = np.zeros((len(at), int(gaps.max(initial=1)) - 1), np.int32)
    for column in range(others.shape[1]):
        # The column-th of the others: skip the slot itself.
        place = first + column + (first + column >= at)
        there = column < gaps - 1
        others[there, column] = leader[place[there]]
    return others
