"""Which labels can stand for which, and how well: for decoders that match labels softly."""

from __future__ import annotations

import numpy as np
import pandas as pd

from grammar_store.errors import OptionError
from grammar_store.sessions.session import Session
from grammar_store.statistics import alpha_at
from grammar_store.translation.grammar import Store, session_leaders
from grammar_store.translation.labels import class_labels

_MOST = 5000


def label_substitution(
    store: Store,
    session: str | Session,
    at: int | None = None,
    max_labels: int | None = None,
    threads: int | None = None,
) -> pd.DataFrame:
    """How alike the classes of a session are, pair by pair.

    Parameters
    ----------
    store
        The store.
    session, at, max_labels, threads
        As in `translation_grammar`.

    Returns
    -------
    pandas.DataFrame
        One row for each pair of different labels, in both directions: `label`, `other`, their
        dissimilarity `d`, and `weight`, the level of significance below which the test of
        equivalence takes them for the same, min(1, 2 exp(-2 d)). The label X0, which is of no
        class, has no rows.

    Raises
    ------
    OptionError
        There are more than 5000 labels: give `max_labels`.

    Examples
    --------
    >>> import grammar_store as gs
    >>> store = gs.sample_store()
    >>> session = store.session("three", method="k-medoids", top=50, clusters=3)
    >>> found = session.run()
    >>> table = label_substitution(store, "three")
    >>> table[["label", "other"]].values.tolist()
    [['X1', 'X2'], ['X1', 'X3'], ['X2', 'X1'], ['X2', 'X3'], ['X3', 'X1'], ['X3', 'X2']]
    """
    found, step, leaders = session_leaders(store, session, at)
    counts = store.database.execute_file("queries/nonterminal_counts")["count"].to_numpy()
    labels = class_labels(leaders, np.concatenate([[0], counts]).astype(np.int64), max_labels)
    size = len(labels.names) - 1
    if size > _MOST:
        raise OptionError(
            f"{size} labels have {size * (size - 1)} pairs: give max_labels, at most {_MOST}"
        )
    matrix = found.at(step).equivalence().dissimilarities(labels.leaders[1:], threads)
    first, second = np.nonzero(~np.eye(size, dtype=np.bool_))
    d = matrix[first, second].astype(np.float64)
    names = np.array(labels.names[1:], object)
    return pd.DataFrame(
        {"label": names[first], "other": names[second], "d": d, "weight": alpha_at(d)}
    )
