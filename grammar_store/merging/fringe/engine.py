"""A run of Blue-Fringe as arrays: set up, brought to a state, carried on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe.changes import merge, promote, turn_blue
from grammar_store.merging.fringe.compiling import refer, wide
from grammar_store.merging.fringe.edges import has_room_for_all, more_edges, new_edges
from grammar_store.merging.fringe.exposure import expose_all
from grammar_store.merging.fringe.foes import new_foes
from grammar_store.merging.fringe.keen import MOST, number_keen_ones
from grammar_store.merging.fringe.loop import (
    DONE,
    LOST,
    NO_ROOM,
    Made,
    advance,
    new_made,
)
from grammar_store.merging.fringe.queues import Queues, new_queues
from grammar_store.merging.fringe.records import Records, more_records, new_records
from grammar_store.merging.fringe.reds import ENTRIES, NODES, Reds, new_reds, with_more_room
from grammar_store.merging.fringe.rows import wider_rows
from grammar_store.merging.fringe.state import (
    BLUE,
    BLUES,
    CLASSES,
    COUNTERS,
    FIRST_ARRIVED,
    KEEN_AHEAD,
    KEEN_MOST,
    MODEST,
    NONTERMINAL,
    POOLING,
    RED,
    REDS,
    SEEN,
    SOME,
    TESTS,
    WHITES,
    State,
    waive,
)
from grammar_store.merging.fringe.turns import EVIDENCE, MINIMUM, SUM
from grammar_store.merging.fringe.world import World

_SCORES = {"evidence": EVIDENCE, "sum": SUM, "minimum": MINIMUM}
_ROOM = 1 << 17
_SEEN = 1 << 20
_ROWS = 1 << 12


class FastFringe:
    """Blue-Fringe on a grammar with one gap a rule.

    Parameters
    ----------
    world
        The grammar, prepared for tests at a level.
    score
        ``evidence``, ``sum`` or ``minimum``.
    leaves
        ``red``, or ``blue``: only the leaf of greatest count is red from the start.
    cannot
        Pairs that must not be merged.
    """

    def __init__(
        self,
        world: World,
        score: str = "evidence",
        leaves: str = "red",
        cannot: Sequence[tuple[int, int]] = (),
    ) -> None:
        self._world, self._level, self._score = world, world.risk.level, _SCORES[score]
        size, level = len(world.of), self._level
        rank = np.empty(size, np.int32)
        rank[np.lexsort((world.of["place"], -world.initial.counts))] = np.arange(size)
        self._queues = new_queues(rank)
        # Few have an entry in a context that they do not share. Memory that is not used yet costs
        # nothing, but what grows is copied.
        room = len(world.shared) + 2 * _ROOM
        self._reds = new_reds(size, len(world.context_count), room, 2 * room)
        self._room = _ROOM + _greatest_step(world)
        self._state = _new_state(world, level, self._score, cannot)
        words = self._state.edges.bits.shape[1]
        self._records = new_records(size, _ROOM, _ROWS, words)
        self.pairs = 0.0
        self.finished = False
        first = np.flatnonzero(self._state.of["undecided"][1:] == 0).astype(np.int32) + np.int32(1)
        red = first if leaves == "red" else first[[rank[first].argmin()]]
        _begin(world, self._reds, self._state, self._queues, self._records, level, first, red)

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many classes are red, blue and white."""
        red, blue, white = self._state.counters[[REDS, BLUES, WHITES]].tolist()
        return red, blue, white

    @property
    def tests(self) -> int:
        """How many pairs of red and blue were tested so far."""
        return int(self._state.counters[TESTS])

    def replay_all(self, displaced: NDArray[np.int32], leader: NDArray[np.int32]) -> bool:
        """Make steps without tests, as they were made before; a promotion displaces 0.

        False, and nothing to go on with, if they are not such as Blue-Fringe makes.
        """
        done = 0
        while done < len(leader):
            done = _replay(
                self._world, self._reds, self._state, self._queues, self._records, self._level,
                displaced, leader, done,
            )  # fmt: skip
            if done < 0:
                return False
            if done < len(leader):
                self._grow()
        return True

    def advance(self, steps: int, classes: int = 0) -> Made:
        """Make up to so many steps, while there are more than so many classes."""
        made = new_made(steps)
        count = 0
        while True:
            reason, count, pairs = advance(
                self._world, self._reds, self._state, self._queues, self._records, self._level,
                self._score, classes, made, count,
            )  # fmt: skip
            self.pairs += pairs
            if reason == LOST:
                raise RuntimeError("a blue non-terminal fits no red class, which should be known")
            if reason != NO_ROOM:
                break
            self._grow()
        self.finished = reason == DONE
        return Made._make(column[:count] for column in made)

    def _grow(self) -> None:
        """Make room where there is little, for at least one more step."""
        reds = self._reds
        entries, nodes = reds.used[ENTRIES].item(), reds.used[NODES].item()
        if min(len(reds.entry) - entries, len(reds.node) - nodes) <= self._room:
            self._reds = with_more_room(
                reds,
                max(len(reds.entry), entries + entries // 2 + self._room),
                max(len(reds.node), nodes + nodes // 2 + self._room),
            )
        edges = more_edges(self._state.edges)
        words = edges.bits.shape[1]
        self._records = more_records(self._records, _ROOM, words)
        foes = self._state.foes
        foes = foes._replace(rows=wider_rows(foes.rows, words))
        self._state = self._state._replace(edges=edges, foes=foes)


def _greatest_step(world: World) -> int:
    """How many entries, nodes and edges one step can add, at most."""
    return 2 + int((np.diff(world.initial.starts) + np.diff(world.rule_starts)).max())


def _new_state(world: World, level: Level, score: int, cannot: Sequence[tuple[int, int]]) -> State:
    size, contexts = len(world.of), len(world.context_count)
    counters = np.zeros(COUNTERS, np.int64)
    counters[WHITES] = counters[CLASSES] = size - 1
    counters[FIRST_ARRIVED] = size
    counters[POOLING] = score != MINIMUM  # by which they do not all score alike
    counters[KEEN_AHEAD], counters[KEEN_MOST] = len(world.keen), MOST
    of = np.zeros(size, NONTERMINAL)
    of["leader"] = np.arange(size)
    of["count"] = world.initial.counts
    of["undecided"] = np.diff(world.rule_starts)
    of["sharp"] = of["sharp_told"] = np.inf
    of["asks"] = np.iinfo(np.int32).max
    # A bit for each leaf, for those that may be keen, and some more.
    words = ((int((of["undecided"] == 0).sum()) + len(world.keen)) >> 6) + 4
    order, number_at, changed, line, arrived, doubted, busy, alone = (
        np.zeros(size, np.int32) for _ in range(8)
    )
    most = np.diff(world.context_starts)
    undecided_in = most.astype(np.int32)
    # To each of its rules at most one edge, to those of one that may be keen two more: from what
    # fills it while that is not decided, and afterwards.
    for x in world.keen.tolist():
        rules = world.rule[world.rule_starts[x] : world.rule_starts[x + 1]]
        np.add.at(most, rules["context"], 2)
    edges = new_edges(size, most, _ROWS, words)
    return State(
        counters,
        of,
        np.zeros(size, np.int8),
        np.zeros(size, np.bool_),
        order,
        number_at,
        np.zeros(2 << size.bit_length(), np.int32),
        changed,
        line,
        arrived,
        doubted,
        busy,
        alone,
        np.zeros(MODEST, np.int32),
        np.zeros(size, np.int32),
        np.full(contexts, np.inf),
        np.zeros(_SEEN, SEEN),
        np.array(cannot, np.int32).reshape(-1, 2),
        undecided_in,
        np.zeros((SOME, 3), np.int32),
        edges,
        new_foes(world, level, words),
    )


@kernel
def _begin(
    world: World, reds: Reds, state: State, queues: Queues, records: Records, level: Level,
    first: NDArray[np.int32], red: NDArray[np.int32],
) -> None:  # fmt: skip
    """Make the first non-terminals red, and blue those that are not."""
    world, reds, state, queues, records, level = (
        refer(world), refer(reds), refer(state), refer(queues), refer(records), refer(level)
    )  # fmt: skip
    expose_all(world, state)
    for x in red:
        state.counters[WHITES] -= 1
        state.counters[BLUES] += 1  # which a promotion takes back
        promote(world, reds, state, queues, records, level, wide(x))
    for x in first:
        if state.colour[x] != RED:
            state.counters[WHITES] -= 1
            turn_blue(state, queues, wide(x))
    number_keen_ones(world, state, queues, level)
    expose_all(world, state)


@kernel
def _replay(
    world: World, reds: Reds, state: State, queues: Queues, records: Records, level: Level,
    displaced: NDArray[np.int32], leader: NDArray[np.int32], start: int,
) -> int:  # fmt: skip
    """Make steps while there is room; how many are made, -1 if one is wrong."""
    world, reds, state, queues, records, level = (
        refer(world), refer(reds), refer(state), refer(queues), refer(records), refer(level)
    )  # fmt: skip
    for step in range(start, len(leader)):
        x = wide(displaced[step] if displaced[step] else leader[step])
        size = 2 + world.initial.starts[x + 1] - world.initial.starts[x]
        size += world.rule_starts[x + 1] - world.rule_starts[x]
        if (
            reds.used[ENTRIES] + size > len(reds.entry)
            or reds.used[NODES] + size > len(reds.node)
            or not has_room_for_all(state.edges)
        ):
            return step
        if state.colour[x] != BLUE or (displaced[step] and state.colour[leader[step]] != RED):
            return -1
        waive(state, queues, x)
        if displaced[step]:
            merge(world, reds, state, queues, records, level, wide(leader[step]), x)
        else:
            promote(world, reds, state, queues, records, level, x)
    return len(leader)
