"""Failures that were seen, and when to look at them again.

That a blue non-terminal fails against a red class rests on one comparison: class k with the single
non-terminal m in one context. What the test leads to only grows, so the failure stands until that
comparison changes, which only k can bring about: m is white. A record waits for that:

- k is not red: until it is merged into a red class.
- m has no count above 1/2 at all, in Fisher's test: the same comparison for every such m of this
  count, so k is looked at once for all of them.
- k has too small a share, and grows without this context: its share falls still. So it is enough to
  watch the count in this context. In Hoeffding's test D grows. In Fisher's this is certain if the
  likeliest table has none of the successes in m's sample, (C_m + 1)(S + 1) < N + 2 for S successes
  among N = C_k + C_m: the rest falls with the number in the sample, so that p is the upper tail,
  which falls while N grows.
- k has too great a share: its growth thins it out. In Hoeffding's test not before C_k reaches
  c_k / (p_m + sqrt(θ/h)), with the h of now, as h only grows.
- Else: whenever k changes.

Often all red classes that lead through one context to one other red class fail because of that. So
one record serves for all of them: see `record`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.equivalence.decide import LOUD
from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe.compiling import allocating, inner, wide
from grammar_store.merging.fringe.edges import row_of_way
from grammar_store.merging.fringe.foes import is_foe
from grammar_store.merging.fringe.queues import Queues, members
from grammar_store.merging.fringe.reds import SHARE, Reds, find_or_add
from grammar_store.merging.fringe.rows import (
    Rows,
    clear_bit,
    has_bit,
    more_rows,
    new_rows,
    set_bit,
    take_row,
)
from grammar_store.merging.fringe.sharpness import sharpness
from grammar_store.merging.fringe.state import BLUE, OVER, RED, THROUGH, State, claim, waive
from grammar_store.merging.fringe.verdicts import count_in, differ
from grammar_store.merging.fringe.world import World
from grammar_store.statistics import round_one

MANY = 64
"""Counts below this are looked at once for all."""

# Counters.
USED, FREE_ONES = 0, 1


class Records(NamedTuple):
    """See above; 0 stands for no record."""

    used: NDArray[np.int64]
    record: NDArray[np.void]
    by_class: NDArray[np.void]
    #: of blue ones: the red classes they fail against, apart from what serves for many
    known: Rows
    #: see `gather_known`
    all_known: NDArray[np.uint64]


_RECORD = np.dtype(
    [
        # what C of k must reach
        ("until", np.float64),
        # 0 for all classes of a `way`
        ("red", np.int32),
        ("blue", np.int32),
        ("k", np.int32),
        ("m", np.int32),
        # 0 if it is the same for all m of this count
        ("context", np.int32),
        ("next", np.int32),
        # the row of all that lead through a context to a class
        ("way", np.int32),
        # the next such record of the blue one
        ("next_shared", np.int32),
    ]
)
# The counts of records that are the same for many, as bits; the first record of a class; of a blue
# one the first that serves for many red classes.
_CLASS = np.dtype(
    [("counts", np.uint64), ("first", np.int32), ("first_shared", np.int32)], align=True
)


def new_records(size: int, room: int, rows: int, words: int) -> Records:
    """No records, with room for some."""
    return Records(
        np.zeros(2, np.int64),
        np.zeros(room + 1, _RECORD),
        np.zeros(size, _CLASS),
        new_rows(size, rows, words),
        np.zeros((1, words), np.uint64),
    )


def more_records(records: Records, room: int, words: int) -> Records:
    """The same records, with room for so many more, and rows of at least so many words."""
    record, used = records.record, int(records.used[USED])
    if len(record) - used <= room:
        record = np.zeros(used + used // 2 + room + 1, _RECORD)
        record[: used + 1] = records.record[: used + 1]
    known = more_rows(records.known, words)
    return records._replace(
        record=record,
        known=known,
        all_known=known.bits[:1].copy(),
    )


@inner
def known_to_fail(state: State, records: Records, red: int, blue: int) -> bool:
    """Whether a blue non-terminal was seen to fail against a red class, and still does."""
    number = wide(state.edges.number[red])
    if has_bit(records.known.bits, wide(records.known.of[blue]), number):
        return True
    at = wide(records.by_class[blue].first_shared)
    while at:
        if has_bit(state.edges.bits, wide(records.record[at].way), number):
            return True
        at = wide(records.record[at].next_shared)
    return False


@inner
def surely_fails(state: State, records: Records, red: int, blue: int) -> bool:
    """Whether it is known, for whatever reason, that a blue non-terminal fails against a class."""
    return is_foe(state.edges, state.foes, red, blue) or known_to_fail(state, records, red, blue)


@inner
def gather_known(state: State, records: Records, blue: int) -> None:
    """Have all that a blue non-terminal is known to fail against in one row."""
    row, bits, ways = wide(records.known.of[blue]), records.known.bits, state.edges.bits
    for word in range(bits.shape[1]):
        records.all_known[0, word] = bits[row, word]
    at = wide(records.by_class[blue].first_shared)
    while at:
        row = wide(records.record[at].way)
        for word in range(bits.shape[1]):
            records.all_known[0, word] |= ways[row, word]
        at = wide(records.record[at].next_shared)


@inner
def set_failing(state: State, records: Records, red: int, blue: int) -> None:
    """Note that a blue non-terminal fails against a red class."""
    row = wide(records.known.of[blue])
    if row == 0:
        row = take_row(records.known, blue)
        for word in range(records.known.bits.shape[1]):
            records.known.bits[row, word] = np.uint64(0)
    set_bit(records.known.bits, row, wide(state.edges.number[red]))


@inner
def record(
    world: World, reds: Reds, state: State, records: Records, level: Level,
    red: int, blue: int, context: int, k: int, m: int,
) -> None:  # fmt: skip
    """Note a failure.

    If it is on the way over another red class, for all red classes that lead there.
    """
    if records.used[FREE_ONES]:
        number = records.used[FREE_ONES]
        records.used[FREE_ONES] = records.record[number].next
    else:
        records.used[USED] += 1
        number = records.used[USED]
    over = wide(state.counters[OVER])
    records.record[number].blue, records.record[number].context = blue, context
    records.record[number].k, records.record[number].m = k, m
    records.record[number].red = 0 if over else red
    if over:
        edges, through = state.edges, wide(state.counters[THROUGH])
        records.record[number].way = row_of_way(edges, through, wide(edges.number[over]))
        records.record[number].next_shared = records.by_class[blue].first_shared
        records.by_class[blue].first_shared = number
    else:
        set_failing(state, records, red, blue)
    _file(world, reds, state, records, level, number)


@inner
def _file(
    world: World, reds: Reds, state: State, records: Records, level: Level, number: int
) -> None:
    """Put a record where it will be found when it matters."""
    k, m, context = (
        records.record[number].k,
        records.record[number].m,
        records.record[number].context,
    )
    initial = world.initial
    count_k, count_m = state.of[k].count, initial.counts[m]
    records.record[number].until = 0.0
    if state.colour[k] == RED:
        c_k = count_in(world, reds, state, k, context)
        c_m = count_in(world, reds, state, m, context)
        if min(count_k, count_m) < level.fisher_below:
            most = world.risk.bounds.by_proportion[initial.starts[m]]
            none_loud = initial.starts[m] == initial.starts[m + 1] or initial.c[most] <= LOUD
            successes = round_one(min(c_k, count_k)) + round_one(min(c_m, count_m))
            if none_loud and count_m < MANY:
                records.record[number].context = 0
                records.by_class[k].counts |= np.uint64(1) << np.uint64(count_m)
            elif (count_m + 1.0) * (successes + 1.0) < count_k + count_m + 2.0:
                _watch(reds, records, number, k, context)
                return
        else:
            p_k, p_m = min(c_k / count_k, 1.0), min(c_m / count_m, 1.0)
            if p_k < p_m:
                _watch(reds, records, number, k, context)
                return
            h = count_k * (count_m / (count_k + count_m))
            records.record[number].until = (
                min(c_k, count_k) / (p_m + np.sqrt(level.theta / h)) * (1.0 - 1e-9)
            )
    records.record[number].next, records.by_class[k].first = records.by_class[k].first, number


@inner
def _watch(reds: Reds, records: Records, number: int, k: int, context: int) -> None:
    entry = find_or_add(reds, k, context)
    records.record[number].next, reds.entry[entry].watch = reds.entry[entry].watch, number


@inner
def look_again(
    world: World, reds: Reds, state: State, queues: Queues, records: Records, level: Level,
    number: int,
) -> None:  # fmt: skip
    """See for a list of records, which nobody holds any more, whether they still stand."""
    while number:
        after = wide(records.record[number].next)
        red, blue = wide(records.record[number].red), wide(records.record[number].blue)
        k, m, context = (
            records.record[number].k,
            records.record[number].m,
            records.record[number].context,
        )
        stands = False
        if state.colour[blue] == BLUE:
            if state.colour[k] <= RED and context:
                stands = differ(
                    count_in(world, reds, state, k, context),
                    state.of[k].count,
                    count_in(world, reds, state, m, context),
                    world.initial.counts[m],
                    level,
                )
            if not stands:
                if red:
                    row, bit = wide(records.known.of[blue]), wide(state.edges.number[red])
                    clear_bit(records.known.bits, row, bit)
                else:
                    _share_no_more(records, number)
                    red = wide(state.order[0])
                now = wide(state.of[blue].claim)
                if now == 0 or state.of[red].position < state.of[now].position:
                    waive(state, queues, blue)
                    claim(state, queues, blue, red)
        if stands:
            _file(world, reds, state, records, level, number)
        else:
            records.record[number].next = records.used[FREE_ONES]
            records.used[FREE_ONES] = number
        number = after


@inner
def take_over(state: State, queues: Queues, records: Records, red: int, other: int) -> None:
    """Let all who wait for another red class wait for this one, unless they fail against it.

    Or are in the pool, if it is closed: then they wait for it already.
    """
    if queues.of[other].first:
        _take_over(state, queues, records, red, other)


@allocating
def _take_over(state: State, queues: Queues, records: Records, red: int, other: int) -> None:
    for x in members(queues, other):
        waits = state.of[x].in_pool and not state.of[red].is_open
        if not waits and not surely_fails(state, records, red, wide(x)):
            waive(state, queues, wide(x))
            claim(state, queues, wide(x), red)


@inner
def _share_no_more(records: Records, number: int) -> None:
    """Take a record that serves for many red classes off the list of the blue non-terminal."""
    blue, after = records.record[number].blue, records.record[number].next_shared
    if records.by_class[blue].first_shared == number:
        records.by_class[blue].first_shared = after
        return
    at = records.by_class[blue].first_shared
    while records.record[at].next_shared != number:
        at = records.record[at].next_shared
    records.record[at].next_shared = after


@inner
def class_changed(
    world: World, reds: Reds, state: State, queues: Queues, records: Records, level: Level, k: int
) -> None:
    """Look at the records of a class that has grown."""
    number = wide(records.by_class[k].first)
    if number == 0:
        return
    still = np.uint64(0)  # the counts for which what is the same for many still fails
    for n in range(MANY):
        if records.by_class[k].counts >> np.uint64(n) & np.uint64(1) and fails_without_counts(
            reds, state, level, k, float(n)
        ):
            still |= np.uint64(1) << np.uint64(n)
    kept, again = 0, 0
    while number:
        after = wide(records.record[number].next)
        if state.colour[records.record[number].blue] != BLUE:
            stands = False  # it is decided: the record is free
        elif records.record[number].context:
            stands = state.of[k].count < records.record[number].until
        else:
            bit = np.uint64(world.initial.counts[records.record[number].m])
            stands = (still >> bit) & np.uint64(1) != 0
        if stands:
            records.record[number].next, kept = kept, number
        else:
            records.record[number].next, again = again, number
        number = after
    records.by_class[k].first = kept
    records.by_class[k].counts = still
    look_again(world, reds, state, queues, records, level, again)


@inner
def fails_without_counts(reds: Reds, state: State, level: Level, k: int, n: float) -> bool:
    """Whether a sample of n without any count differs from a red class."""
    if n < state.of[k].sharp:
        return False
    only_great = sharpness(SHARE * state.of[k].count, state.of[k].count, level) > n
    entry = reds.by_class[k].first_great if only_great else reds.by_class[k].first_entry
    while entry:
        if reds.entry[entry].c > LOUD and differ(
            reds.entry[entry].c, state.of[k].count, 0.0, n, level
        ):
            return True
        entry = reds.entry[entry].next_great if only_great else reds.entry[entry].next_entry
    return False
