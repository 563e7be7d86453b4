"""Red classes that rare non-terminals are known to fail against, without a test.

A non-terminal fails against every class that leads through the context of one of its rules to a
class that the left-hand side of that rule fails against. So failures go on from above to below:
those that are known in this way are the *foes* of a non-terminal,

    foes(x) = own(x) ∪ {R : R leads through t to Q, x fills t in a rule of z, Q in foes(z)}.

Most non-terminals were seen once, as was everything above them, and none of their counts is above
1/2: *hapaxes*. In Fisher's test such a count is rounded to 0. So a hapax differs from the *keen*
classes, those that even a sample of 1 without any count differs from, and from no other. These are
its own foes; others have none of their own here. So the foes of a hapax are all that it fails
against. Left-hand sides that are not decided and keen have numbers, too (see `keen`); where there
are too many of them, a hapax that may meet one is not `sure`.

Foes are kept by kin (see `kin`), as a row of bits, and looked for when somebody asks. Edges and
foes are only added, so it is enough to follow new ones: each source of a kin knows how many edges
of its context were followed, and to how many of the foes above, of which there is a log in the
order in which they were found. When a class is keen no more, all begin again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.equivalence.decide import LOUD
from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe.ahead import first_place, has_table
from grammar_store.merging.fringe.compiling import inlined, inner, wide
from grammar_store.merging.fringe.edges import TIME, Edges, add_edge, has_all_numbers, note_news
from grammar_store.merging.fringe.kin import ALL_CONTEXTS, HAPAXES, Kin, find_kin
from grammar_store.merging.fringe.rows import (
    FREE,
    USED,
    Rows,
    clear_bit,
    has_bit,
    has_room,
    new_rows,
    release_row,
    set_bit,
    take_row,
)
from grammar_store.merging.fringe.world import World

RARE = 8.0
_MEMORY = 1 << 30
_NEVER = -1
_TAKEN = 2

_CHUNK = 32
"""Logs are made of chunks of so many foes."""

_RESERVE = 2 + (1 << 16) // _CHUNK
"""Chunks for the keen ones, for which there is always room."""


class Foes(NamedTuple):
    """See above."""

    #: by non-terminal: whether it is a hapax, whether its foes are kept, and whether they are all
    is_hapax: NDArray[np.bool_]
    is_rare: NDArray[np.bool_]
    sure: NDArray[np.bool_]
    kin: Kin
    #: by kin: its foes
    rows: Rows
    log: NDArray[np.void]
    #: chunks of logs, and the next of each; how many were used, the first that is free again, and
    #: how many are taken
    chunk: NDArray[np.uint16]
    next_chunk: NDArray[np.int32]
    counters: NDArray[np.int64]
    stack: NDArray[np.int64]
    #: the numbers of those that may be keen while they are not decided (see `keen`)
    keen_number: NDArray[np.int32]
    #: by context: whether a left-hand side that is not decided is, or leads to, a keen one that has
    #: no number
    keen_ahead: NDArray[np.bool_]


_LOG = np.dtype(
    [
        # how many edges there were when its foes were brought up to date
        ("updated", np.int64),
        # how many foes there are in the log, and its chunks
        ("length", np.int32),
        ("first", np.int32),
        ("last", np.int32),
        # how many of the kin are not decided
        ("members", np.int32),
        # by which of its sources a foe turned out as one the last time
        ("hint", np.int32),
    ],
    align=True,
)


def new_foes(world: World, level: Level, words: int) -> Foes:
    """No foes yet."""
    size, top = len(world.of), world.risk.bounds.top
    # Where Hoeffding's test is used on hapaxes there are none in this sense.
    fisher = level.fisher_below > 1.0
    is_hapax = (top[:, 0] == 1.0) & (world.risk.loud <= LOUD) & fisher
    is_rare = (world.initial.counts <= RARE) & fisher
    kin = find_kin(world, is_hapax, is_rare)
    kins = len(kin.is_source)
    # Memory that is not used costs nothing.
    most = kins * (2 * 64 * words // _CHUNK + 1)  # there may be more numbers later
    chunks = _RESERVE + min(most, _MEMORY // (2 * _CHUNK))
    foes = Foes(
        is_hapax,
        is_rare,
        np.zeros(size, np.bool_),
        kin,
        new_rows(kins, 1 + min(kins, _MEMORY // (8 * words)), words),
        np.zeros(kins, _LOG),
        np.zeros((chunks, _CHUNK), np.uint16),
        np.zeros(chunks, np.int32),
        np.array([0, 0, 0]),
        np.zeros((kins, 2), np.int64),
        np.zeros(len(world.keen), np.int32),
        np.zeros(len(world.context_count), np.bool_),
    )
    foes.log["members"] = np.bincount(kin.of, minlength=kins)
    forget_foes(foes)
    return foes


@kernel
def forget_foes(foes: Foes) -> None:
    """Forget all foes but the keen ones, which are in the first row."""
    foes.rows.of[:] = 0
    foes.rows.of[HAPAXES] = foes.rows.used[USED] = 1
    foes.rows.used[FREE] = 0
    foes.counters[: _TAKEN + 1] = 0
    for kin in range(len(foes.log)):
        foes.log[kin].updated = _NEVER
        foes.log[kin].length = foes.log[kin].first = foes.log[kin].last = 0
    for at in range(len(foes.kin.source)):
        source = foes.kin.source[at]
        source.edges = source.foes = source.chunk = 0
    for number in range(64 * foes.rows.bits.shape[1]):
        if has_bit(foes.rows.bits, wide(1), wide(number)):
            _log(foes, wide(HAPAXES), wide(number))


@inner
def is_keen(foes: Foes, number: int) -> bool:
    """Whether the red class of a number is keen."""
    return has_bit(foes.rows.bits, wide(foes.rows.of[HAPAXES]), number)


@inner
def set_keen(edges: Edges, foes: Foes, number: int) -> None:
    """Make a red class a foe of all hapaxes."""
    note_news(edges, wide(ALL_CONTEXTS))
    _add(foes, wide(HAPAXES), number)


@inner
def set_blunt(foes: Foes, number: int) -> None:
    """Let a red class be keen no more; then all foes must be forgotten."""
    clear_bit(foes.rows.bits, wide(foes.rows.of[HAPAXES]), number)


@inner
def lead(edges: Edges, context: int, red: int, other: int) -> None:
    """Note that a red class leads through a context to another one."""
    number, over = wide(edges.number[red]), wide(edges.number[other])
    if number and over:
        add_edge(edges, context, number, over)


@inlined
def is_foe(edges: Edges, foes: Foes, red: int, x: int) -> bool:
    """Whether a non-terminal is known to fail against a red class."""
    number, row = wide(edges.number[red]), wide(foes.rows.of[foes.kin.of[x]])
    return has_bit(foes.rows.bits, row, number) or (foes.is_hapax[x] and is_keen(foes, number))


@inner
def may_know_all_foes(edges: Edges, foes: Foes, x: int) -> bool:
    """Whether a non-terminal fails against its foes alone, once they are brought up to date."""
    return foes.sure[x] and has_all_numbers(edges)


@inner
def note_foe(edges: Edges, foes: Foes, red: int, x: int) -> None:
    """Note that a rare non-terminal fails against a red class, if there is room."""
    kin = wide(foes.kin.of[x])
    if kin > HAPAXES and _open_row(foes, kin):
        _add(foes, kin, wide(edges.number[red]))


@inlined
def turns_out_as_foe(edges: Edges, foes: Foes, red: int, x: int) -> bool:
    """Whether a class leads at once to something that is known as a foe above; if so, note it."""
    number, kin, bits = wide(edges.number[red]), wide(foes.kin.of[x]), foes.rows.bits
    if kin <= HAPAXES or not has_table(edges.ahead, number):
        return False
    start, mask = edges.ahead.start[number], wide(edges.ahead.places[number]) - 1
    low, high = wide(foes.kin.starts[kin]), wide(foes.kin.starts[kin + 1])
    at = low + wide(foes.log[kin].hint)  # what it was the last time is tried first
    for _ in range(low, high):
        context = foes.kin.source[at].context
        place = first_place(context, mask)
        while edges.ahead.context[start + place]:
            if edges.ahead.context[start + place] == context and has_bit(
                bits,
                wide(foes.rows.of[foes.kin.source[at].above]),
                wide(edges.ahead.over[start + place]),
            ):
                if _open_row(foes, kin):
                    _add(foes, kin, number)
                foes.log[kin].hint = at - low
                return True
            place = (place + 1) & mask
        at = at + 1 if at + 1 < high else low
    return False


@inner
def fails_as_foe(edges: Edges, foes: Foes, red: int, x: int) -> bool:
    """Whether a red class is a foe of a non-terminal, known by now or after an update."""
    return (
        is_foe(edges, foes, red, x)
        or turns_out_as_foe(edges, foes, red, x)
        or (update_foes(edges, foes, x) and is_foe(edges, foes, red, x))
    )


@inner
def add_foes(foes: Foes, x: int, bits: NDArray[np.uint64], place: int) -> None:
    """Add all known foes of a non-terminal to one of some rows."""
    row = wide(foes.rows.of[foes.kin.of[x]])
    keen = wide(foes.rows.of[HAPAXES]) if foes.is_hapax[x] else row
    for word in range(bits.shape[1]):
        bits[place, word] |= foes.rows.bits[row, word] | foes.rows.bits[keen, word]


@inner
def release_foes(foes: Foes, x: int) -> None:
    """Forget the foes of a non-terminal that is decided, if it was the last of its kin.

    Nobody has them as a source then: everything above one that is not decided is not, either.
    """
    kin = wide(foes.kin.of[x])
    if kin <= HAPAXES:
        return
    foes.log[kin].members -= 1
    if foes.log[kin].members == 0:
        release_row(foes.rows, kin)
        if foes.log[kin].length:
            foes.next_chunk[foes.log[kin].last], foes.counters[FREE] = (
                foes.counters[FREE],
                foes.log[kin].first,
            )
            foes.counters[_TAKEN] -= (foes.log[kin].length + _CHUNK - 1) // _CHUNK
            foes.log[kin].length = 0


@inner
def update_foes(edges: Edges, foes: Foes, x: int) -> bool:
    """Bring the foes of a non-terminal up to date; False if they are not kept."""
    kin, now = wide(foes.kin.of[x]), edges.used[TIME]
    if kin <= HAPAXES:
        return foes.is_rare[x]
    if foes.log[kin].updated == now:
        return True
    foes.stack[0, 0], foes.stack[0, 1], height = kin, foes.kin.starts[kin], 1
    while height:
        above = _outdated(edges, foes, height - 1, now)
        if above:
            foes.stack[height, 0], foes.stack[height, 1] = above, foes.kin.starts[above]
            height += 1
        elif _look(edges, foes, wide(foes.stack[height - 1, 0])):
            foes.log[foes.stack[height - 1, 0]].updated = now
            height -= 1
        else:
            return False
    return True


@inner
def _outdated(edges: Edges, foes: Foes, level: int, now: int) -> int:
    """The next source that must come first, of the kin at a level of the stack."""
    kin = foes.kin
    for source in range(foes.stack[level, 1], kin.starts[foes.stack[level, 0] + 1]):
        above = wide(kin.source[source].above)
        if (
            above > HAPAXES
            and foes.log[above].updated < now
            and edges.length[kin.source[source].context] > 0
        ):
            foes.stack[level, 1] = source + 1
            return above
    return 0


@inner
def _look(edges: Edges, foes: Foes, kin: int) -> bool:
    """Find the foes of a kin that follow from those of its sources; False if there is no room."""
    for at in range(foes.kin.starts[kin], foes.kin.starts[kin + 1]):
        source = foes.kin.source[at]
        context, above, start = wide(source.context), wide(source.above), wide(source.edges)
        count, known = wide(edges.length[context]), wide(foes.log[above].length)
        news = known - source.foes
        if (start == count and news == 0) or known == 0:
            continue
        if not _open_row(foes, kin):
            return False
        if context == ALL_CONTEXTS:
            while source.foes < known:
                _add(foes, kin, _next_foe(foes, at))
        elif _may_add(edges, foes, kin, context):
            if start > 16 * news and news and edges.table[context]:
                while source.foes < known:
                    _follow_way(edges, foes, kin, context, _next_foe(foes, at))
                news = wide(0)
            _follow_edges(edges, foes, kin, context, above, wide(0) if news else start)
        source.edges, source.foes, source.chunk = count, known, foes.log[above].last
    return True


@inner
def _may_add(edges: Edges, foes: Foes, kin: int, context: int) -> bool:
    """Whether not all who lead through a context are known as foes."""
    full, row = wide(edges.full[context]), wide(foes.rows.of[kin])
    if full == 0:
        return True
    for word in range(edges.bits.shape[1]):
        if edges.bits[full, word] & ~foes.rows.bits[row, word]:
            return True
    return False


@inner
def _follow_edges(edges: Edges, foes: Foes, kin: int, context: int, above: int, start: int) -> None:
    """See for the edges of a context, from one on, whether they lead to a foe above."""
    first, bits, row = edges.starts[context], foes.rows.bits, wide(foes.rows.of[kin])
    row_above = wide(foes.rows.of[above])
    for at in range(first + start, first + edges.length[context]):
        number, over = np.uint64(edges.edge[at].start), np.uint64(edges.edge[at].end)
        here = bits[row, number >> np.uint64(6)] >> (number & np.uint64(63))
        there = bits[row_above, over >> np.uint64(6)] >> (over & np.uint64(63))
        if ~here & there & np.uint64(1):
            _add_new(foes, kin, row, wide(number))


@inlined
def _follow_way(edges: Edges, foes: Foes, kin: int, context: int, over: int) -> None:
    """Note all who lead through a context with a table to a foe above."""
    if not has_bit(edges.bits, wide(edges.full[context]) + 1, over):
        return
    at = wide(edges.last[edges.table[context], over])
    while at:
        _add(foes, kin, wide(edges.edge[at - 1].start))
        at = wide(edges.edge[at - 1].earlier)


@inner
def _next_foe(foes: Foes, at: int) -> int:
    """The next foe in the log of a source."""
    source = foes.kin.source[at]
    place = source.foes % _CHUNK
    if source.foes == 0:
        source.chunk = foes.log[source.above].first
    elif place == 0:
        source.chunk = foes.next_chunk[source.chunk]
    source.foes += 1
    return wide(foes.chunk[source.chunk, place])


@inner
def _open_row(foes: Foes, kin: int) -> bool:
    """Have a row for a kin, and room in the logs; False if there is none."""
    needed = 64 * foes.rows.bits.shape[1] // _CHUNK + 1
    if foes.counters[_TAKEN] + needed + _RESERVE >= len(foes.chunk):
        return False
    if foes.rows.of[kin] == 0:
        if not has_room(foes.rows):
            return False
        row = take_row(foes.rows, kin)
        for word in range(foes.rows.bits.shape[1]):
            foes.rows.bits[row, word] = np.uint64(0)
    return True


@inlined
def _add(foes: Foes, kin: int, number: int) -> None:
    """Note a foe of a kin that has a row, unless it is known."""
    row = wide(foes.rows.of[kin])
    if not has_bit(foes.rows.bits, row, number):
        _add_new(foes, kin, row, number)


@inner
def _add_new(foes: Foes, kin: int, row: int, number: int) -> None:
    set_bit(foes.rows.bits, row, number)
    if foes.kin.is_source[kin]:
        _log(foes, kin, number)


@inner
def _log(foes: Foes, kin: int, number: int) -> None:
    length = foes.log[kin].length
    if length % _CHUNK == 0:
        new = foes.counters[FREE]
        if new:
            foes.counters[FREE] = foes.next_chunk[new]
        else:
            foes.counters[USED] += 1
            new = foes.counters[USED]
        foes.counters[_TAKEN] += 1
        foes.next_chunk[new] = 0
        if length:
            foes.next_chunk[foes.log[kin].last] = new
        else:
            foes.log[kin].first = new
        foes.log[kin].last = new
    foes.chunk[foes.log[kin].last, length % _CHUNK] = number
    foes.log[kin].length = length + 1
