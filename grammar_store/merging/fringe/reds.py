"""The red classes of a run: what they fill, in one table that grows as they take others in.

An entry says that its `owner` fills a context with the count `c`, and which classes the left-hand
sides of those rules belong to: the red ones, and the *listed* ones that are not decided. An entry
of count 0 without left-hand sides is there to be watched. A context that nobody else fills, with a
count that cannot matter, has no entry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.extraction.hashing import mix
from grammar_store.merging.fringe.compiling import inner, wide

SHARE = 0.02
"""Every entry with at least this share of its class is in the list of great ones."""

_ENTRIES = np.uint64((1 << 32) - 1)
_MARK = ~_ENTRIES

# Counters, kept in an array as kernels cannot change numbers in place, and the first free node.
ENTRIES, NODES, FREE_NODES = 0, 1, 2


class Reds(NamedTuple):
    """See above; 0 stands for no entry and no node."""

    used: NDArray[np.int64]
    #: the hash table: entries by owner and context, with some bits of what they are found by,
    #: so that others need not be looked at; a power of two of places
    places: NDArray[np.uint64]
    #: by context: a bit for each class that has an entry there; several share one
    filled: NDArray[np.uint32]
    entry: NDArray[np.void]
    node: NDArray[np.void]
    by_class: NDArray[np.void]


_ENTRY = np.dtype(
    [
        ("c", np.float64),
        # the least sharpness above the risky ones, the greatest count above the mild ones
        ("least_sharp", np.float32),
        ("most_mild", np.float32),
        ("owner", np.int32),
        ("context", np.int32),
        # the first red left-hand side, and nodes of more; nodes of risky ones, of other listed
        ("red", np.int32),
        ("more_reds", np.int32),
        ("risky", np.int32),
        ("mild", np.int32),
        # records of failures that watch the count
        ("watch", np.int32),
        # nodes of blue ones that rely on what the rules lead to
        ("watchers", np.int32),
        # the next entry of the same owner; the next great one, -1 for one that is not
        ("next_entry", np.int32),
        ("next_great", np.int32),
    ]
)
_NODE = np.dtype([("x", np.int32), ("next", np.int32)])
_CLASS = np.dtype(
    [
        ("greatest", np.float64),
        ("greatest_context", np.int32),
        # the greatest count of what it was met with by those who rely on its being less sharp
        ("most_met", np.float64),
        ("first_entry", np.int32),
        ("first_great", np.int32),
        # nodes of those who do
        ("watchers", np.int32),
    ],
    align=True,
)


def new_reds(size: int, contexts: int, entries: int, nodes: int) -> Reds:
    """A table with room for so many entries and nodes."""
    places = 1 << max(4, (entries * 3 // 2).bit_length())
    return Reds(
        np.zeros(3, np.int64),
        np.zeros(places, np.uint64),
        np.zeros(contexts, np.uint32),
        np.zeros(entries + 1, _ENTRY),
        np.zeros(nodes + 1, _NODE),
        np.zeros(size, _CLASS),
    )


def with_more_room(reds: Reds, entries: int, nodes: int) -> Reds:
    """The same table with room for more."""
    larger = new_reds(len(reds.by_class), len(reds.filled), entries, nodes)
    for name in ("used", "filled", "entry", "node", "by_class"):
        old = getattr(reds, name)
        getattr(larger, name)[: len(old)] = old
    _fill(larger)
    return larger


@kernel
def _fill(reds: Reds) -> None:
    for entry in range(1, reds.used[ENTRIES] + 1):
        owner, context = reds.entry[entry].owner, reds.entry[entry].context
        reds.places[_place(reds, owner, context)] = _mark(owner, context) | np.uint64(entry)


@inner
def _hash(red: int, context: int) -> np.uint64:
    return mix((np.uint64(red) << np.uint64(32)) | np.uint64(context))


@inner
def _mark(red: int, context: int) -> np.uint64:
    """The bits to tell an entry from others by."""
    return _hash(red, context) & _MARK


@inner
def _place(reds: Reds, red: int, context: int) -> np.uint64:
    mask, hashed = np.uint64(len(reds.places) - 1), _hash(red, context)
    place = hashed & mask
    while True:
        here = reds.places[place]
        if here == 0:
            return place
        if (here ^ hashed) & _MARK == 0:
            entry = here & _ENTRIES
            if reds.entry[entry].owner == red and reds.entry[entry].context == context:
                return place
        place = (place + np.uint64(1)) & mask


@inner
def _bit(red: int) -> np.uint32:
    return np.uint32(1) << np.uint32(mix(np.uint64(red)) & np.uint64(31))


@inner
def find(reds: Reds, red: int, context: int) -> int:
    """The entry of a red class in a context, 0 if there is none."""
    if reds.filled[context] & _bit(red) == 0:
        return 0  # so that the table, which is large, is not looked at in vain
    return wide(reds.places[_place(reds, red, context)] & _ENTRIES)


@inner
def find_or_add(reds: Reds, red: int, context: int) -> int:
    """The entry of a red class in a context, made if need be."""
    place = _place(reds, red, context)
    entry = wide(reds.places[place] & _ENTRIES)
    if entry == 0:
        reds.used[ENTRIES] += 1
        entry = wide(reds.used[ENTRIES])
        reds.places[place] = _mark(red, context) | np.uint64(entry)
        reds.filled[context] |= _bit(red)
        reds.entry[entry].owner, reds.entry[entry].context = red, context
        reds.entry[entry].next_entry, reds.by_class[red].first_entry = (
            reds.by_class[red].first_entry,
            entry,
        )
        reds.entry[entry].next_great = -1
        reds.entry[entry].least_sharp = np.inf
    return entry


@inner
def raise_count(reds: Reds, entry: int, by: float, total: float) -> None:
    """Add to the count of an entry, whose class has the count `total` by now.

    The share of an entry falls while its class grows, so it can reach `SHARE` only here.
    """
    red = reds.entry[entry].owner
    reds.entry[entry].c += by
    note_greatest(reds, red, reds.entry[entry].context, reds.entry[entry].c)
    if reds.entry[entry].next_great < 0 and reds.entry[entry].c >= SHARE * total:
        reds.entry[entry].next_great, reds.by_class[red].first_great = (
            reds.by_class[red].first_great,
            entry,
        )


@inner
def note_greatest(reds: Reds, red: int, context: int, c: float) -> None:
    """Note the count of a red class in a context if it has none that is greater."""
    if c > reds.by_class[red].greatest:
        reds.by_class[red].greatest = c
        reds.by_class[red].greatest_context = context


@inner
def new_node(reds: Reds, x: int, following: int) -> int:
    """A node at the head of a list."""
    node = reds.used[FREE_NODES]
    if node:
        reds.used[FREE_NODES] = reds.node[node].next
    else:
        reds.used[NODES] += 1
        node = reds.used[NODES]
    reds.node[node].x, reds.node[node].next = x, following
    return node


@inner
def free_node(reds: Reds, node: int) -> None:
    """Let a node that is in no list any more be used again."""
    reds.node[node].next, reds.used[FREE_NODES] = reds.used[FREE_NODES], node


@inner
def add_risky(reds: Reds, entry: int, x: int, sharp: float) -> None:
    """Note a left-hand side that is not decided and can fail by its own counts."""
    reds.entry[entry].risky = new_node(reds, x, reds.entry[entry].risky)
    reds.entry[entry].least_sharp = min(reds.entry[entry].least_sharp, np.float32(sharp))


@inner
def add_mild(reds: Reds, entry: int, x: int, count: float) -> None:
    """Note another left-hand side that is not decided."""
    reds.entry[entry].mild = new_node(reds, x, reds.entry[entry].mild)
    reds.entry[entry].most_mild = max(reds.entry[entry].most_mild, np.float32(count))


@inner
def add_watcher(reds: Reds, entry: int, blue: int) -> None:
    """Note that a blue non-terminal relies on what an entry leads to."""
    if reds.node[reds.entry[entry].watchers].x != blue:
        reds.entry[entry].watchers = new_node(reds, blue, wide(reds.entry[entry].watchers))


@inner
def add_watcher_of_class(reds: Reds, red: int, blue: int, met: float) -> None:
    """Note that a blue non-terminal relies on a class' not failing against what has a count."""
    if reds.node[reds.by_class[red].watchers].x != blue:
        reds.by_class[red].watchers = new_node(reds, blue, wide(reds.by_class[red].watchers))
    reds.by_class[red].most_met = max(reds.by_class[red].most_met, met)


@inner
def add_red(reds: Reds, entry: int, red: int) -> bool:
    """Note that a left-hand side is in a red class now; whether that is new."""
    if reds.entry[entry].red == 0:
        reds.entry[entry].red = red
        return True
    if reds.entry[entry].red == red:
        return False
    node = reds.entry[entry].more_reds
    while node:
        if reds.node[node].x == red:
            return False
        node = reds.node[node].next
    reds.entry[entry].more_reds = new_node(reds, red, reds.entry[entry].more_reds)
    return True
