"""The stored rules themselves as a translation grammar, where they are over words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Protocol

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.errors import NotInStoreError, OptionError
from grammar_store.export.rules import (
    LABEL_SCHEMA,
    RULE_SCHEMA,
    UNKNOWN_SCHEMA,
    TranslationGrammar,
)
from grammar_store.export.scratch import add_macros
from grammar_store.resources import sql
from grammar_store.sessions.session import Session
from grammar_store.store.database import Database

FEATURES = ("p(f|e)", "p(e|f)", "p(r|lhs)", "penalty")
"""The features of stored rules: they have no links between words, so no lexical weights."""

_ROWS = 50_000


class Store(Protocol):
    """A store to take the grammar from."""

    @property
    def database(self) -> Database:
        """Its file."""

    def session(self, name: str) -> Session:
        """A session by its name."""

    def sessions(self) -> pd.DataFrame:
        """All sessions."""


def stored_rules(
    store: Store, session: str | None = None, at: int | None = None
) -> TranslationGrammar:
    """The rules of a store, with the classes of a session, as a translation grammar.

    Parameters
    ----------
    store
        The store, which must have been built on words.
    session
        The name of the session; without one, each non-terminal is a class.
    at
        The step of the session; the last by default.

    Returns
    -------
    TranslationGrammar
        Its labels are X1, X2, ... by falling count of the class, of equals by the id of the
        leader; in an imported store they are the labels of its grammar, and a class has that of its
        most frequent one. Counts are those of the store, and probabilities come from them. The
        only points of its alignments are those of gaps.

    Examples
    --------
    >>> import grammar_store as gs
    >>> grammar = stored_rules(gs.sample_store())
    >>> rules = grammar.rules().read_all().to_pandas()
    >>> rules[rules["source"] == "das [X37,1]"][["lhs", "target", "alignment"]].values.tolist()
    [['X82', 'the [X37,1]', '1-1']]
    """
    database = store.database
    build = database.execute_file("queries/build_row").to_pylist()
    if database.execute_file("export/word_classes")["classes"][0].as_py():
        raise OptionError(
            "the rules of this store are over word classes, which no decoder reads: export the"
            " grammar hiero, whose rules are over words"
        )
    counts = database.execute_file("queries/nonterminal_counts")["count"].to_numpy()
    leaders: NDArray[np.int32] = np.arange(1, len(counts) + 1, dtype=np.int32)
    named = "none"
    if session is not None:
        if session not in set(store.sessions()["name"]):
            raise NotInStoreError(f"no session {session!r}: `sessions` lists all")
        state = store.session(session).at(at)
        leaders, named = state.leaders[1:], f"{session}@{state.step}"
    elif at is not None:
        raise OptionError("at is a step of a session: name the session")
    number, sizes = _numbered(leaders, counts)
    labels = [f"X{n}" for n in range(1, len(sizes) + 1)]
    of = pa.array(labels, pa.string()).take(pa.array(number - 1))
    if build and "imported" in json.loads(build[0]["options"]):
        of = _imported_labels(database, number)
        labels, sizes = _sized(of, counts)
    signature = f"{build[0]['signature'] if build else ''}|stored rules|session={named}"
    return TranslationGrammar(
        lambda: pa.RecordBatchReader.from_batches(RULE_SCHEMA, _batches(database, of)),
        FEATURES,
        pa.table({"label": labels, "count": sizes.astype(float)}, LABEL_SCHEMA),
        UNKNOWN_SCHEMA.empty_table(),
        signature,
    )


def _numbered(
    leaders: NDArray[np.int32], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The number of the class of each non-terminal, from 1 by falling count, and their counts."""
    classes, of = np.unique(leaders, return_inverse=True)
    sizes = np.bincount(of, counts, len(classes)).astype(np.int64)
    order = np.lexsort((classes, -sizes))
    number = np.empty(len(classes), np.int32)
    number[order] = np.arange(1, len(classes) + 1)
    return number[of], sizes[order]


def _imported_labels(database: Database, number: NDArray[np.int32]) -> pa.Array:
    """The label of each non-terminal: that of the most frequent label in its class, if any."""
    found = database.execute_file("export/imported_labels").to_pylist()
    of_class: dict[int, str] = {}
    for row in found:
        of_class.setdefault(int(number[row["nonterminal_id"] - 1]), row["label"])
    is_label = {row["nonterminal_id"] for row in found}
    return pa.array(
        [
            of_class[int(n)] if place in is_label else None
            for place, n in enumerate(number, start=1)
        ],
        pa.string(),
    )


def _sized(of: pa.Array, counts: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int64]]:
    """The labels that are there, by falling count, and their counts."""
    sizes: dict[str, int] = {}
    for label, count in zip(of.to_pylist(), counts.tolist(), strict=True):
        if label is not None:
            sizes[label] = sizes.get(label, 0) + count
    order = sorted(sizes, key=lambda label: (-sizes[label], label))
    return order, np.array([sizes[label] for label in order], np.int64)


def _batches(database: Database, labels: pa.Array) -> Iterator[pa.RecordBatch]:
    ids = np.arange(1, len(labels) + 1, dtype=np.int32)
    with database.cursor() as cursor:
        add_macros(cursor)
        cursor.register("named", pa.table({"nonterminal_id": ids, "label": labels}))
        with cursor.sql(sql("export/stored_rules")).to_arrow_reader(_ROWS) as reader:
            for batch in reader:
                yield batch.cast(RULE_SCHEMA)
