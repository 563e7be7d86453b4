"""What is around a non-terminal: rings of rules and classes, found by SQL.

The center is the first ring of classes. Around it is the ring of rules that it takes part in, then
the ring of all other classes in them, and so on. With a limit the rules of a ring are taken by
falling count, each with its classes, until the next does not fit: so a rule is never shown in part,
and a greater limit gives more of the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.errors import OptionError
from grammar_store.graph.assembly import assemble, rows_of
from grammar_store.graph.grammar_graph import GrammarGraph
from grammar_store.resources import sql
from grammar_store.store.database import Database

_ALL = 2**62


class Around(NamedTuple):
    """Which part of a grammar to take.

    Attributes
    ----------
    center
        A class by its leader; None for the whole grammar.
    hops
        How many edges to go from it.
    limit
        The most nodes; None for all.
    lexical
        Whether to show rules without a gap, too.
    """

    center: int | None
    hops: int = 2
    limit: int | None = 500
    lexical: bool = True

    def check(self) -> None:
        """Refuse numbers that mean nothing."""
        if self.hops < 0:
            raise OptionError(f"hops must be at least 0, not {self.hops}")
        if self.limit is not None and self.limit < 1:
            raise OptionError(f"limit must be at least 1, or None, not {self.limit}")


class _Kept:
    """The nodes chosen so far, with their distances, and whether there is room for more."""

    def __init__(self, limit: int | None) -> None:
        self.classes: dict[int, int] = {}
        self.rules: dict[int, dict[str, Any]] = {}
        self._limit = _ALL if limit is None else limit
        self.full = False

    @property
    def room(self) -> int:
        return self._limit - len(self.classes) - len(self.rules)

    def add_classes(self, leaders: Sequence[int], distance: int) -> None:
        new = [leader for leader in leaders if leader not in self.classes][: self.room]
        self.classes.update(dict.fromkeys(new, distance))

    def add_rules(self, rows: list[dict[str, Any]], distance: int, with_classes: bool) -> None:
        for row in rows:
            classes = {row["lhs_id"], *row["fillers"]} if with_classes else set()
            if 1 + len(classes - self.classes.keys()) > self.room:
                self.full = True
                return
            self.rules[row["rule_id"]] = row | {"distance": distance}
            self.add_classes(sorted(classes), distance + 1)


def grammar_graph(
    database: Database,
    around: Around,
    leaders: NDArray[np.int32] | None = None,
    **about: str | int | None,
) -> GrammarGraph:
    """The graph of a part of the grammar.

    Parameters
    ----------
    database
        The store.
    around
        Which part.
    leaders
        The leader of each non-terminal, by id; by default each is its own.
    about
        What to note as attributes of the graph, if it is not None.
    """
    around.check()
    counts = database.execute_file("queries/nonterminal_counts")["count"].to_numpy()
    with database.cursor() as cursor:
        rings = _Rings(cursor, around, len(counts), leaders)
        rings.collect()
        if around.center is None and not rings.kept.full:
            totals = np.bincount(rings.leaders[1:], weights=counts, minlength=len(counts) + 1)
            order = np.lexsort((np.arange(len(totals)), -totals))
            rings.kept.add_classes(order[: np.count_nonzero(totals)].tolist(), 0)
        graph = assemble(cursor, rings.kept.classes, rings.kept.rules, rings.leaders)
    given = {**about, "limit": around.limit}
    if around.center is not None:
        given["hops"] = around.hops
    graph.graph.update({name: value for name, value in given.items() if value is not None})
    graph.graph["left_out_nonterminals"] = rings.seen - len(rings.kept.classes)
    graph.graph["left_out_rules"] = rings.rules - len(rings.kept.rules)
    return graph


class _Rings:
    """The search from ring to ring: how many classes and rules are within reach, and the first.

    Parameters
    ----------
    cursor
        A connection to the store, for temporary tables.
    around
        Where to look.
    size
        How many non-terminals there are.
    leaders
        As in `grammar_graph`.
    """

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        around: Around,
        size: int,
        leaders: NDArray[np.int32] | None,
    ) -> None:
        self._cursor, self._around = cursor, around
        self._merged = leaders is not None
        self.leaders = np.arange(size + 1, dtype=np.int32) if leaders is None else leaders
        self.kept = _Kept(around.limit)
        self.seen = self.rules = 0

    def collect(self) -> None:
        """Go as far as wanted."""
        center = self._around.center
        passed = np.zeros(len(self.leaders), bool)
        near = passed.copy()
        near[self.leaders[1:] if center is None else center] = True
        if center is not None:
            self.kept.add_classes([center], 0)
        if self._merged:
            self._cursor.register("state", pa.table({"leaders": [self.leaders[1:]]}))
        # Around nothing in particular there is one ring, of everything.
        hops = 2 if center is None else self._around.hops
        for distance in range(1, hops + 1, 2):
            if near.any():
                self._make_ring(near, passed)
                self._take(distance, distance < hops)
                passed |= near
                near = self._beyond(passed) if distance < hops else np.zeros_like(near)
        self.seen = int((passed | near).sum())

    def _make_ring(self, near: NDArray[np.bool_], passed: NDArray[np.bool_]) -> None:
        for name, classes in (("near", near), ("passed", passed)):
            members = np.flatnonzero(classes[self.leaders]).astype(np.int32)
            self._cursor.register(name, pa.table({"nonterminal_id": members}))
        self._cursor.execute(sql("graph/ring"), {"lexical": self._around.lexical})
        if self._merged:
            self._cursor.execute(sql("graph/ring_merged"))

    def _take(self, distance: int, with_classes: bool) -> None:
        self.rules += rows_of(self._cursor, "graph/ring_size")[0]["rules"]
        if not self.kept.full:
            # One more than there is room for tells that something is left out.
            top = rows_of(self._cursor, "graph/ring_top", rows=self.kept.room + 1)
            self.kept.add_rules(top, distance, with_classes)

    def _beyond(self, passed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The classes of the ring's rules that are further out than all before."""
        found = self._cursor.sql(sql("graph/ring_classes")).to_arrow_table()
        near = np.zeros_like(passed)
        near[found["leader_id"].to_numpy()] = True
        return near & ~passed
