"""Which red classes a rare non-terminal fails against, many at once.

Most non-terminals were seen once (*hapaxes*), as was everything above them. In Fisher's test they
seldom have a count that matters, and fail against the same few red classes, the *keenest*: those
that even a sample of 1 without any count differs from. A hapax without such a count fails against
these. And any non-terminal fails against every red class that leads through the context of one of
its rules to a class that the left-hand side of that rule fails against. For rare ones these classes
are gathered in rows.

A row may lack classes that came about later, so it is made anew from time to time; but what is in
it surely fails, as long as the keenest classes stay as keen. When one of them does not, all rows
are forgotten, and it is never again counted among the keenest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.equivalence.decide import LOUD
from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.edges import CHUNKS, Edges, edge_from, edge_to
from grammar_store.merging.fringe.rows import (
    Rows,
    clear_bit,
    has_bit,
    has_room,
    release_all,
    set_bit,
    take_row,
)
from grammar_store.merging.fringe.world import World

_RARE = 8.0
_AGE = 1.25
"""A row is made anew when there are so many times the edges."""


class Rare(NamedTuple):
    """See above."""

    #: the keenest in row 0; of the others it is noted how many chunks of edges there were
    rows: Rows
    #: by non-terminal: whether it was one of the keenest
    was_keen: NDArray[np.bool_]
    stack: NDArray[np.int32]


@inner
def is_keen(edges: Edges, rare: Rare, red: int) -> bool:
    """Whether a red class is one of the keenest."""
    return has_bit(rare.rows.bits, 0, wide(edges.number[red]))


@inner
def set_keen(edges: Edges, rare: Rare, red: int) -> None:
    """Count a red class among the keenest, if it never was."""
    if not rare.was_keen[red]:
        rare.was_keen[red] = True
        set_bit(rare.rows.bits, 0, wide(edges.number[red]))


@inner
def set_blunt(edges: Edges, rare: Rare, red: int) -> None:
    """Count a red class among the keenest no more, and forget all rows."""
    clear_bit(rare.rows.bits, 0, wide(edges.number[red]))
    release_all(rare.rows)


@inner
def row_of_rare(world: World, edges: Edges, rare: Rare, x: int) -> int:
    """The row of the classes that a non-terminal is known to fail against in this way.

    0 if it is not rare, or if there is no more room.
    """
    if world.initial.counts[x] > _RARE:
        return 0
    # What is above comes first.
    rare.stack[0], height = x, 1 - _is_made(edges, rare, x)
    while height:
        y = wide(rare.stack[height - 1])
        above = _missing_above(world, edges, rare, y)
        if above:
            rare.stack[height] = above
            height += 1
        elif rare.rows.of[y] == 0 and not has_room(rare.rows):
            return 0
        else:
            _make(world, edges, rare, y)
            height -= 1
    return wide(rare.rows.of[x])


@inner
def _is_made(edges: Edges, rare: Rare, x: int) -> bool:
    row = rare.rows.of[x]
    return row != 0 and edges.used[CHUNKS] <= _AGE * rare.rows.note[row]


@inner
def _missing_above(world: World, edges: Edges, rare: Rare, x: int) -> int:
    initial = world.initial
    for entry in range(initial.starts[x], initial.starts[x + 1]):
        above = wide(initial.lhs[entry])
        if initial.counts[above] <= _RARE and not _is_made(edges, rare, above):
            return above
    return 0


@inner
def _make(world: World, edges: Edges, rare: Rare, x: int) -> None:
    """Make the row of a rare non-terminal from those of all above it."""
    initial, rows = world.initial, rare.rows
    row = wide(rows.of[x])
    if row == 0:
        row = take_row(rows, x)
    rows.note[row] = edges.used[CHUNKS]
    start, end = initial.starts[x], initial.starts[x + 1]
    blank = initial.counts[x] == 1.0 and (
        start == end or initial.c[world.risk.bounds.by_proportion[start]] <= LOUD
    )
    for word in range(rows.bits.shape[1]):
        rows.bits[row, word] = rows.bits[0, word] if blank else np.uint64(0)
    for entry in range(start, end):
        above, context = wide(rows.of[initial.lhs[entry]]), initial.context[entry]
        if above == 0 or edges.first[context] == 0:
            continue
        _follow(rows.bits, row, above, edges.first[context])
        chunk = wide(edges.more[context])
        while chunk:
            for at in range(2, 2 + wide(edges.chunk[chunk, 1])):
                _follow(rows.bits, row, above, edges.chunk[chunk, at])
            chunk = wide(edges.chunk[chunk, 0])


@inner
def _follow(bits: NDArray[np.uint64], row: int, above: int, edge: np.uint32) -> None:
    if has_bit(bits, above, edge_to(edge)):
        set_bit(bits, row, edge_from(edge))
