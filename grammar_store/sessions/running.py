"""Running the method of a session: what it finds becomes the session's steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from grammar_store.equivalence.engine import Equivalence
from grammar_store.errors import OptionError
from grammar_store.merging.assignment import KMedoidsResult, k_medoids

METHODS = ("k-medoids",)
"""What can be run; in a session of any other method, steps are made by hand."""

_DEFAULTS: dict[str, Any] = {"top": 250, "clusters": 3, "seed": 0, "restarts": 10}


def parameters_of(method: str, given: dict[str, Any]) -> dict[str, Any]:
    """All parameters of a method, with defaults for those that are not given.

    Examples
    --------
    >>> parameters_of("k-medoids", {"clusters": 2})
    {'top': 250, 'clusters': 2, 'seed': 0, 'restarts': 10}
    """
    if method not in METHODS:
        raise OptionError(f"no method {method!r} to run: choose from {', '.join(METHODS)}")
    unknown = sorted(set(given) - set(_DEFAULTS))
    if unknown:
        raise OptionError(f"{method} has no parameter {unknown[0]!r}: use {', '.join(_DEFAULTS)}")
    return _DEFAULTS | given


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
