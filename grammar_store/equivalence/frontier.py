"""Equivalence of two classes by SQL: breadth first, one level of pairs at a time.

The steps are the statements of ``schema/equivalence/``, which can be pasted into a DuckDB prompt
one by one; they work on whole sets of pairs, so a level costs a few scans of the grammar, however
many pairs it has. The plain definition is in `reference`, and both give the same.

====  ==========================  =======================================================
step  statement                   what it does
====  ==========================  =======================================================
1     members, initial_members    the state: the leader of every non-terminal
2     class_counts                C of every class
3     changed_contexts            contexts that read otherwise in this state
4, 5  start, top_pair             the pair in question
6     class_rules                 for each level: rules of the classes met for the first time
7     compare_pairs               for each level: all comparisons of its pairs
8     next_pairs                  for each level: the pairs that it leads to
9-12  summary, deciding, path,    the verdict and its reasons
      comparisons_made
====  ==========================  =======================================================
"""

from __future__ import annotations

from itertools import count
from types import TracebackType
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from grammar_store.equivalence.reference import Comparison, Step
from grammar_store.errors import NotInStoreError, OptionError
from grammar_store.resources import sql
from grammar_store.statistics import FISHER_BELOW, check_alpha

FISHER_LIMIT = 1000
"""Up to here the SQL macro ``fisher_p`` gives a p-value."""


class FrontierVerdict(NamedTuple):
    """The outcome for two classes, with its reasons; as `reference.ReferenceVerdict`."""

    equivalent: bool
    dissimilarity: float
    deciding: Comparison | None
    path: list[Step]
    comparisons: pa.Table
    """One row per comparison; columns as in ``schema/equivalence/comparisons_made.sql``."""


def equivalence_by_sql(
    connection: duckdb.DuckDBPyConnection,
    leaders_table: str | None,
    a: int,
    b: int,
    alpha: float,
    fisher_below: float = FISHER_BELOW,
    full: bool = True,
) -> FrontierVerdict:
    """Are the classes of a and b equivalent at level α?

    Parameters
    ----------
    connection
        A connection to a store; opened for reading is enough.
    leaders_table
        A table or view with columns ``nonterminal_id`` and ``leader_id`` that says which leader
        stands for each non-terminal (for itself, if it is not there); None for the initial
        grammar.
    a, b
        Non-terminals of the two classes.
    alpha
        The level, in (0, 1].
    fisher_below
        Fisher's test decides where the smaller count is below this, at most 1,000; 0 for never.
    full
        Go through all levels. Otherwise stop after the first level with a comparison that fails:
        verdict, deciding comparison and path are the same, but the dissimilarity is the
        greatest only of the comparisons made.

    Examples
    --------
    In the built-in sample, a noun does not behave like a noun with its article.

    >>> import grammar_store as gs
    >>> store = gs.sample_store()
    >>> a, b = (store[name].id for name in ("Kind ||| child", "das Kind ||| the child"))
    >>> verdict = equivalence_by_sql(store.database.cursor(), None, a, b, alpha=0.01)
    >>> verdict.equivalent
    False
    """
    with Frontier(connection, leaders_table) as frontier:
        return frontier.equivalence(a, b, alpha, fisher_below, full)


class Frontier:
    """The classes of a state, ready for any number of questions; use it in a ``with`` block.

    The temporary tables of the steps belong to the connection and are dropped at the end.

    Parameters
    ----------
    connection, leaders_table
        As in `equivalence_by_sql`.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, leaders_table: str | None = None
    ) -> None:
        self._connection = connection
        self._leaders_table = leaders_table

    def __enter__(self) -> Frontier:
        if self._leaders_table is None:
            self._run("initial_members")
        else:
            self._run("members", leaders=self._leaders_table)
        self._run("class_counts")
        self._run("changed_contexts")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._run("finish")

    def equivalence(
        self, a: int, b: int, alpha: float, fisher_below: float = FISHER_BELOW, full: bool = True
    ) -> FrontierVerdict:
        """Compare two classes; parameters as in `equivalence_by_sql`."""
        level = {"alpha": check_alpha(alpha), "fisher_below": _check_fisher_below(fisher_below)}
        self._run("start")
        self._require(a)
        self._require(b)
        pairs = self._inserted("top_pair", a=a, b=b)
        for depth in count():
            if pairs == 0:
                break
            self._inserted("class_rules", depth=depth)
            self._inserted("compare_pairs", depth=depth, **level)
            if not full and not self._summary()[0]:
                break
            pairs = self._inserted("next_pairs", depth=depth)
        return self._verdict()

    # --- the reasons ----------------------------------------------------------------------------

    def _verdict(self) -> FrontierVerdict:
        deciding = self._deciding()
        return FrontierVerdict(
            *self._summary(),
            deciding,
            [] if deciding is None else self._path(deciding),
            self._connection.sql(sql("equivalence/comparisons_made")).to_arrow_table(),
        )

    def _summary(self) -> tuple[bool, float]:
        [(equivalent, dissimilarity)] = self._run("summary").fetchall()
        return equivalent, dissimilarity

    def _deciding(self) -> Comparison | None:
        for depth, first, second, _, source, target, *numbers in self._run("deciding").fetchall():
            return Comparison(depth, first, second, (source, target), *numbers)
        return None

    def _path(self, deciding: Comparison) -> list[Step]:
        pair = {"first_id": deciding.first_id, "second_id": deciding.second_id}
        return [
            Step((first, second), (source, target), (next_first, next_second))
            for first, second, _, source, target, next_first, next_second in self._run(
                "path", **pair
            ).fetchall()
        ]

    # --- running statements ---------------------------------------------------------------------

    def _run(self, name: str, **values: Any) -> duckdb.DuckDBPyConnection:
        return self._connection.execute(sql(f"equivalence/{name}"), values or None)

    def _inserted(self, name: str, **values: Any) -> int:
        """Run an INSERT and say how many rows it added."""
        [(rows,)] = self._run(name, **values).fetchall()
        return int(rows)

    def _require(self, number: int) -> None:
        found = self._connection.execute(sql("queries/nonterminal_by_id"), {"id": number})
        if not found.fetchall():
            raise NotInStoreError(f"no non-terminal X{number}")


def _check_fisher_below(fisher_below: float) -> float:
    if not 0 <= fisher_below <= FISHER_LIMIT:
        raise OptionError(
            f"fisher_below must be from 0 to {FISHER_LIMIT} for tests in SQL, not {fisher_below!r}"
        )
    return float(fisher_below)
