"""Running the method of a session: what it finds becomes the session's steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.equivalence.engine import Equivalence
from grammar_store.errors import OptionError
from grammar_store.merging.assignment import KMedoidsResult, k_medoids
from grammar_store.merging.blue_fringe import Fringe, blue_fringe, steps_table
from grammar_store.merging.options import FringeOptions, Score
from grammar_store.statistics import FISHER_BELOW
from grammar_store.store.database import Database

_DEFAULTS: dict[str, dict[str, Any]] = {
    "blue-fringe": {
        "alpha": 0.01,
        "fisher_below": FISHER_BELOW,
        "score": "evidence",
        "ties": "text",
        "seed": 0,
        "leaves": "red",
        "fold": False,
        "classes": 0,
    },
    "k-medoids": {"top": 250, "clusters": 3, "seed": 0, "restarts": 10},
}
METHODS = tuple(_DEFAULTS)
"""What can be run; in a session of any other method, steps are made by hand."""

OWN_SCORE = "python"
"""The score of a session that is run with a function."""

_BATCH = 5_000
"""Steps of one transaction."""


@dataclass(frozen=True)
class FringeResult:
    """What a run of Blue-Fringe did.

    Attributes
    ----------
    steps, merges, promotions
        How many it made.
    classes
        How many classes there are now.
    red, blue, white
        How many of them are decided, next, and neither.
    tests, pairs
        How many pairs of red and blue were tested, and how many there were, step by step.
    finished
        Whether there is nothing left to do.
    """

    steps: int
    merges: int
    promotions: int
    classes: int
    red: int
    blue: int
    white: int
    tests: int
    pairs: float
    finished: bool


def parameters_of(method: str, given: dict[str, Any]) -> dict[str, Any]:
    """All parameters of a method, with defaults for those that are not given.

    Examples
    --------
    >>> parameters_of("k-medoids", {"clusters": 2})
    {'top': 250, 'clusters': 2, 'seed': 0, 'restarts': 10}
    """
    if method not in METHODS:
        raise OptionError(f"no method {method!r} to run: choose from {', '.join(METHODS)}")
    defaults = _DEFAULTS[method]
    unknown = sorted(set(given) - set(defaults))
    if unknown:
        raise OptionError(f"{method} has no parameter {unknown[0]!r}: use {', '.join(defaults)}")
    parameters = defaults | given
    if method == "blue-fringe":
        fringe_options(parameters)
    return parameters


def fringe_options(parameters: dict[str, Any], score: Score | None = None) -> FringeOptions:
    """The options of Blue-Fringe among the parameters of a session, checked."""
    options = {name: value for name, value in parameters.items() if name != "classes"}
    if parameters["classes"] < 0:
        raise OptionError(f"classes must be at least 0, not {parameters['classes']}")
    if options["score"] == OWN_SCORE:
        options["score"] = score or "evidence"
    elif score is not None:
        raise OptionError(
            f"to run with a function, start the session with score={OWN_SCORE!r}, not"
            f" {options['score']!r}"
        )
    return FringeOptions(**options)


def clustered_steps(
    equivalence: Equivalence, parameters: dict[str, Any], threads: int | None
) -> tuple[KMedoidsResult, pa.Table]:
    """The clusters of k-medoids, and the steps that make them, in the order of ids."""
    found = k_medoids(equivalence, **parameters, threads=threads)
    ids = np.arange(len(found.medoid), dtype=np.int32)
    joins = (found.medoid != 0) & (found.medoid != ids)
    steps = pa.table(
        {
            "displaced_id": ids[joins],
            "leader_id": found.medoid[joins],
            "reason": pa.repeat(pa.scalar("clustered"), int(joins.sum())),
        }
    )
    return found, steps


class FringeRun:
    """A run of Blue-Fringe that goes on after the steps of a session.

    Parameters
    ----------
    database, equivalence
        The store and its initial grammar.
    options
        How to decide.
    displaced, leader
        The steps of the session so far.
    cannot
        Pairs that must not get into one class.
    """

    def __init__(
        self,
        database: Database,
        equivalence: Equivalence,
        options: FringeOptions,
        displaced: NDArray[np.int32],
        leader: NDArray[np.int32],
        cannot: list[tuple[int, int]],
    ) -> None:
        self._options = options
        self._done = len(leader)
        self._classes = len(equivalence.classes.counts) - 1 - int(np.count_nonzero(displaced))
        self._fringe: Fringe = blue_fringe(
            database, equivalence, options, displaced, leader, cannot
        )
        self._merges = self._promotions = 0

    def batches(self, steps: int | None, seconds: float | None, classes: int) -> Iterator[pa.Table]:
        """Steps to make, as many as a transaction should have at a time."""
        end = None if seconds is None else monotonic() + seconds
        left = _BATCH if steps is None else steps
        while left > 0 and (end is None or monotonic() < end):
            made = self._fringe.advance(min(left, _BATCH), classes)
            count = len(made.leader)
            first = self._done + 1
            self._done += count
            merges = int(np.count_nonzero(made.displaced))
            self._merges += merges
            self._promotions += count - merges
            self._classes -= merges
            if count:
                yield steps_table(made, self._options, first)
            if self._fringe.finished or count < min(left, _BATCH):
                return
            if steps is not None:
                left -= count

    @property
    def result(self) -> FringeResult:
        """What was done so far."""
        return FringeResult(
            self._merges + self._promotions,
            self._merges,
            self._promotions,
            self._classes,
            *self._fringe.counts,
            self._fringe.tests,
            self._fringe.pairs,
            self._fringe.finished,
        )
