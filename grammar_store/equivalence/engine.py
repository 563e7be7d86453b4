"""Equivalence tests on the grammar of a store, in its initial state or with classes merged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.equivalence.classes import Slots, class_arrays, load_slots
from grammar_store.equivalence.decide import Risk, decide_all, risk_at
from grammar_store.equivalence.matrix import Bounds, dissimilarity_bounds, dissimilarity_matrix
from grammar_store.equivalence.search import Found, Level, search
from grammar_store.equivalence.verdict import Class, Comparison, Step, Verdict
from grammar_store.errors import OptionError, PrunedError
from grammar_store.extraction.parallel import available_threads
from grammar_store.resources import sql
from grammar_store.statistics import (
    FISHER_BELOW,
    check_alpha,
    fisher_log_p,
    hoeffding_bound,
    theta,
)
from grammar_store.store.database import Database

_GAP = re.compile(r"\[X([0-9]+),([0-9]+)\]")

# D is compared in grains when ties are broken: sums of floats differ in the last digits.
_GRAIN = 2.0**30


class Dissimilarities(NamedTuple):
    """The dissimilarities of some non-terminals: their ids, and the symmetric matrix."""

    ids: NDArray[np.int32]
    matrix: NDArray[np.float32]

    def to_arrow(self) -> pa.Table:
        """One row for each pair, the first id before the second in the order of the matrix."""
        first, second = np.triu_indices(len(self.ids), 1)
        return pa.table(
            {
                "first_id": self.ids[first],
                "second_id": self.ids[second],
                "dissimilarity": self.matrix[first, second],
            }
        )


class Equivalence:
    """The tests of one state of a grammar; its classes are read from the store once.

    Parameters
    ----------
    database
        The store.
    leaders
        The leader of each non-terminal by id, with anything at 0; None for the initial
        grammar.
    """

    def __init__(self, database: Database, leaders: NDArray[np.int32] | None = None) -> None:
        self._database = database
        build = database.execute_file("queries/build_row").to_pylist()[0]
        self._prune_alpha: float | None = build["prune_alpha"]
        self._prune_fisher: bool | None = build["prune_fisher"]
        self._max_gaps: int = json.loads(build["options"])["max_gaps"]
        self.classes = class_arrays(self.read_slots(), leaders)
        if leaders is None:
            leaders = np.arange(len(self.classes.counts), dtype=np.int32)
        self._leaders = leaders
        self._risks: dict[Level, Risk] = {}

    @property
    def one_gap(self) -> bool:
        """Whether no rule has several gaps."""
        return self._max_gaps == 1

    def read_slots(self) -> Slots:
        """Read the grammar, of which the classes are made, once more.

        That takes a moment; as much memory as the classes is too much for what few need once.
        """
        return load_slots(self._database, self._max_gaps)

    def compare(
        self, a: int, b: int, alpha: float = 0.01, fisher_below: float = FISHER_BELOW
    ) -> Verdict:
        """Compare two non-terminals, or the classes that they are in.

        Every comparison is made, also after one has failed, so that the verdict can tell all
        reasons; `equivalent` makes only those that it needs.
        """
        first, second = int(self._leaders[a]), int(self._leaders[b])
        found = search(first, second, self.classes, self.level(alpha, fisher_below))
        equivalent = bool(found.equal.all())
        greatest = float(found.d.max(initial=0.0))
        known = self._prune_alpha is None or greatest >= theta(self._prune_alpha)
        deciding: Comparison | None = None
        path: tuple[Step, ...] = ()
        if len(found.d) and (known or not equivalent):
            deciding, path = self._deciding(found, alpha)
        texts = self._class_texts({first, second})
        return Verdict(
            texts[first],
            texts[second],
            alpha,
            fisher_below,
            equivalent,
            equivalent and self._could_not_fail(found, alpha, fisher_below),
            greatest if known else None,
            deciding,
            path,
            lambda: self._frame(found, alpha),
        )

    def equivalent(
        self, a: int, b: int, alpha: float = 0.01, fisher_below: float = FISHER_BELOW
    ) -> bool:
        """Whether two non-terminals are equivalent: the outcome alone, as fast as can be."""
        return bool(self.equivalents([a], [b], alpha, fisher_below, threads=1)[0])

    def equivalents(
        self,
        first: Iterable[int],
        second: Iterable[int],
        alpha: float = 0.01,
        fisher_below: float = FISHER_BELOW,
        threads: int | None = None,
    ) -> NDArray[np.bool_]:
        """The same for many pairs, of one non-terminal from `first` and one from `second` each.

        Parameters
        ----------
        first, second
            Ids of non-terminals, as many in both.
        alpha, fisher_below
            As in `compare`.
        threads
            Cores to use, all by default; the result is the same for any number.
        """
        level = self.level(alpha, fisher_below)
        if level not in self._risks:
            self._risks[level] = risk_at(self.classes, self.bounds, level)
        a, b = (self._leaders[np.fromiter(ids, np.int32)] for ids in (first, second))
        threads = threads or available_threads()
        return decide_all(self.classes, self._risks[level], a, b, threads)

    def dissimilarities(
        self, members: Iterable[int], threads: int | None = None
    ) -> NDArray[np.float32]:
        """The matrix of dissimilarities of some classes, recursion included.

        Parameters
        ----------
        members
            Ids of non-terminals, in the order of the rows.
        threads
            Cores to use, all by default; the result is the same for any number.
        """
        if self._prune_alpha is not None:
            raise PrunedError(
                f"this store was pruned for alpha = {self._prune_alpha:g} and cannot give "
                "dissimilarities: build it without --prune"
            )
        rows = self._leaders[np.fromiter(members, np.int32)]
        return dissimilarity_matrix(self.classes, rows, threads or available_threads(), self.bounds)

    @cached_property
    def bounds(self) -> Bounds:
        """What limits the search for dissimilarities and verdicts, made at the first use."""
        return dissimilarity_bounds(self.classes)

    def level(self, alpha: float, fisher_below: float) -> Level:
        """The level of a test, if this store can answer at it."""
        alpha = check_alpha(alpha)
        if not fisher_below >= 0:
            raise OptionError(f"fisher_below must be at least 0, not {fisher_below}")
        self._require_answerable(alpha, fisher_below)
        return Level(theta(alpha), float(np.log(alpha)), float(fisher_below))

    def require_all_rules(self) -> None:
        """Refuse a store that was pruned: who is made of what cannot be told there."""
        if self._prune_alpha is not None:
            raise PrunedError(
                "this store was pruned and lacks rules that Blue-Fringe goes by: build it without"
                " --prune"
            )

    def _require_answerable(self, alpha: float, fisher_below: float) -> None:
        """A pruned store lacks contexts that a looser test would need."""
        if self._prune_alpha is None:
            return
        if alpha > self._prune_alpha:
            raise PrunedError(
                f"this store was pruned for alpha up to {self._prune_alpha:g} and cannot test at "
                f"{alpha:g}: build it with --prune {alpha:g} or without --prune"
            )
        if fisher_below > 0 and not self._prune_fisher:
            raise PrunedError(
                "this store was pruned for tests without Fisher's: use fisher_below=0 or build "
                "it without --fisher-below 0"
            )
        if not np.array_equal(self._leaders[1:], np.arange(1, len(self._leaders))):
            raise PrunedError(
                "this store was pruned, so verdicts on merged classes are not exact: build it "
                "without --prune"
            )

    def _could_not_fail(self, found: Found, alpha: float, fisher_below: float) -> bool:
        """Whether no counts at all could have made a comparison of these pairs fail."""
        if not len(found.d):
            return True
        c1, c2 = self.classes.counts[found.first], self.classes.counts[found.second]
        small = np.minimum(c1, c2) < fisher_below
        # The most unequal counts there can be: all of the one, nothing of the other.
        hoeffding = c1 * (c2 / (c1 + c2)) < theta(alpha)
        fisher = fisher_log_p(c1, c1, np.zeros_like(c2), c2) >= np.log(alpha)
        return bool(np.where(small, fisher, hoeffding).all())

    def _deciding(self, found: Found, alpha: float) -> tuple[Comparison, tuple[Step, ...]]:
        """The comparison that decided, and how the search came to it."""
        depth = found.depth[found.pair]
        grains = np.rint(found.d * _GRAIN)
        if found.equal.all():
            tied = np.flatnonzero(grains == grains.max())
            tied = tied[depth[tied] == depth[tied].min()]
        else:
            tied = np.flatnonzero(~found.equal)
            tied = tied[depth[tied] == depth[tied].min()]
            tied = tied[grains[tied] == grains[tied].max()]
        pairs = found.pair[tied]
        tied = tied[pairs == pairs.min()]  # pairs of a depth are in order
        texts = self._context_texts(found.context[tied])
        at = min(tied.tolist(), key=lambda place: texts[int(found.context[place])])
        last = pair = int(found.pair[at])
        steps: list[tuple[int, int]] = []
        while found.parent[pair] >= 0:
            parent = int(found.parent[pair])
            steps.insert(0, (parent, self._shared(found, parent, pair)))
            pair = parent
        on_path = np.array([last, *(pair for pair, _ in steps)])
        classes = self._class_texts(
            {*found.first[on_path].tolist(), *found.second[on_path].tolist()}
        )
        texts |= self._context_texts(np.array([context for _, context in steps], np.int32))
        path = tuple(
            Step(classes[int(found.first[pair])], classes[int(found.second[pair])], *texts[context])
            for pair, context in steps
        )
        row = self._columns(found, alpha, np.array([at]))
        source, target = texts[int(found.context[at])]
        log_p = float(found.log_p[at])
        return (
            Comparison(
                int(depth[at]),
                classes[int(found.first[last])],
                classes[int(found.second[last])],
                source,
                target,
                float(row["c1"][0]),
                float(row["big_c1"][0]),
                float(row["c2"][0]),
                float(row["big_c2"][0]),
                float(found.d[at]),
                float(row["bound"][0]),
                str(row["test"][0]),
                None if np.isnan(log_p) else float(np.exp(log_p)),
                bool(found.equal[at]),
            ),
            path,
        )

    def _shared(self, found: Found, parent: int, child: int) -> int:
        """The context, least by text, through which a pair leads to another."""
        k, m = int(found.first[parent]), int(found.second[parent])
        wanted = {int(found.first[child]), int(found.second[child])}
        contexts = np.intersect1d(self._entries(k), self._entries(m))
        leading = [
            int(context)
            for context in contexts
            if any(
                {x, y} == wanted
                for x in self._lhs(k, int(context)).tolist()
                for y in self._lhs(m, int(context)).tolist()
            )
        ]
        texts = self._context_texts(np.array(leading, np.int32))
        return min(leading, key=lambda context: texts[context])

    def _entries(self, k: int) -> NDArray[np.int32]:
        return self.classes.context[self.classes.starts[k] : self.classes.starts[k + 1]]

    def _lhs(self, k: int, context: int) -> NDArray[np.int32]:
        entry = self.classes.starts[k] + int(np.searchsorted(self._entries(k), context))
        return self.classes.lhs[self.classes.lhs_starts[entry] : self.classes.lhs_starts[entry + 1]]

    def _columns(self, found: Found, alpha: float, rows: NDArray[np.int64]) -> dict[str, Any]:
        first, second = found.first[found.pair[rows]], found.second[found.pair[rows]]
        big_c1, big_c2 = self.classes.counts[first], self.classes.counts[second]
        log_p = found.log_p[rows]
        return {
            "depth": found.depth[found.pair[rows]],
            "first_id": first,
            "second_id": second,
            "context_id": found.context[rows],
            "c1": found.c1[rows],
            "big_c1": big_c1,
            "c2": found.c2[rows],
            "big_c2": big_c2,
            "p1": np.minimum(found.c1[rows] / big_c1, 1.0),
            "p2": np.minimum(found.c2[rows] / big_c2, 1.0),
            "d": found.d[rows],
            "bound": hoeffding_bound(big_c1, big_c2, alpha),
            "test": np.where(np.isnan(log_p), "hoeffding", "fisher"),
            "p_value": np.exp(log_p),
            "equal": found.equal[rows],
        }

    def _frame(self, found: Found, alpha: float) -> pd.DataFrame:
        """All comparisons with the text of their contexts, in the order of the search."""
        frame = pd.DataFrame(self._columns(found, alpha, np.arange(len(found.d))))
        texts = self._context_texts(found.context)
        sides = [texts[context] for context in found.context.tolist()]
        frame.insert(4, "source", [source for source, _ in sides])
        frame.insert(5, "target", [target for _, target in sides])
        return frame

    def _context_texts(self, ids: NDArray[np.int32]) -> dict[int, tuple[str, str]]:
        """Source and target of contexts, their other gaps shown by leaders."""
        wanted = pa.table({"context_id": np.unique(ids)})
        with self._database.cursor() as cursor:
            cursor.register("wanted", wanted)
            rows = cursor.execute(sql("queries/contexts_by_id")).fetchall()
        return {number: (self._led(source), self._led(target)) for number, source, target in rows}

    def _led(self, text: str) -> str:
        return _GAP.sub(lambda gap: f"[X{self._leaders[int(gap[1])]},{gap[2]}]", text)

    def _class_texts(self, ids: set[int]) -> dict[int, Class]:
        with self._database.cursor() as cursor:
            cursor.register("wanted", pa.table({"nonterminal_id": sorted(ids)}))
            rows = cursor.execute(sql("queries/nonterminals_by_id")).fetchall()
        return {row[0]: Class(*row) for row in rows}
