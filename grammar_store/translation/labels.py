"""The labels of phrase pairs: the classes of a session, named by their size.

Label 0 stands for all phrase pairs that have no class: the store does not know them, or their
class is not among the largest where only so many are wanted. The others are numbered from 1 by
falling count of their class, of equals by the id of the leader.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.errors import OptionError
from grammar_store.resources import sql
from grammar_store.store.database import Database

PLAIN = "X"
"""The one label of a grammar without classes."""

DEFAULT = "X0"
"""The label of phrase pairs without a class, in a grammar with classes."""


@dataclass(frozen=True)
class Labels:
    """Labels, and who has them.

    Attributes
    ----------
    names
        The name of each label, by number.
    of_nonterminal
        The label of each non-terminal of the store, by id; 0 at 0, which is none.
    leaders
        The leader of the class of each label, by number; 0 for the label without a class.
    """

    names: list[str]
    of_nonterminal: NDArray[np.int32]
    leaders: NDArray[np.int32]


def plain_labels(nonterminals: int) -> Labels:
    """One label for everything, as in Chiang's grammars."""
    return Labels([PLAIN], np.zeros(nonterminals + 1, np.int32), np.zeros(1, np.int32))


def class_labels(
    leaders: NDArray[np.int32], counts: NDArray[np.int64], max_labels: int | None = None
) -> Labels:
    """A label for each class, or for the largest ones.

    Parameters
    ----------
    leaders
        The leader of each non-terminal by id, 0 at 0.
    counts
        The count of each non-terminal by id, 0 at 0.
    max_labels
        How many classes get a label of their own; None for all.

    Examples
    --------
    >>> labels = class_labels(np.array([0, 1, 2, 2, 4], np.int32), np.array([0, 3, 2, 2, 3]))
    >>> labels.of_nonterminal.tolist(), labels.leaders.tolist()
    ([0, 2, 1, 1, 3], [0, 2, 1, 4])
    >>> labels.names
    ['X0', 'X1', 'X2', 'X3']
    """
    if max_labels is not None and max_labels < 0:
        raise OptionError(f"max_labels must be at least 0, not {max_labels}")
    size = np.zeros(len(leaders), np.int64)
    np.add.at(size, leaders, counts)
    classes = np.flatnonzero(leaders == np.arange(len(leaders)))
    classes = classes[classes > 0]
    named = classes[np.lexsort((classes, -size[classes]))][:max_labels]
    label = np.zeros(len(leaders), np.int32)
    label[named] = np.arange(1, len(named) + 1, dtype=np.int32)
    names = [DEFAULT, *(f"X{number}" for number in range(1, len(named) + 1))]
    return Labels(names, label[leaders], np.concatenate([[0], named]).astype(np.int32))


def labels_of_phrases(
    database: Database, labels: Labels, source: pa.Array, target: pa.Array
) -> NDArray[np.int32]:
    """The label of each phrase pair, given as text in the symbols of the store."""
    ids = np.zeros(len(source), np.int32)
    if len(labels.names) > 1:
        numbers = np.arange(len(source), dtype=np.int32)
        with database.cursor() as cursor:
            cursor.register(
                "phrase", pa.table({"number": numbers, "source": source, "target": target})
            )
            known = cursor.sql(sql("translation/known_phrase_pairs")).to_arrow_table()
        ids[known["number"].to_numpy()] = known["nonterminal_id"].to_numpy()
    return labels.of_nonterminal[ids]


def singleton_labels(
    database: Database,
    source: pa.Array,
    target: pa.Array,
    counts: NDArray[np.int64],
    label: NDArray[np.int32],
) -> dict[int, int]:
    """How many phrase pairs of those given have each label, among those seen once."""
    with database.cursor() as cursor:
        cursor.register(
            "phrase",
            pa.table({"source": source, "target": target, "label": label, "count": counts}),
        )
        return dict(cursor.execute(sql("translation/singleton_labels")).fetchall())
