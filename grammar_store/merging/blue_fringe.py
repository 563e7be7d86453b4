"""Blue-Fringe on the grammar of a store: which way to run it, and its steps as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.equivalence.engine import Equivalence
from grammar_store.equivalence.reference import PlainGrammar
from grammar_store.merging.fringe.engine import FastFringe
from grammar_store.merging.fringe.loop import Made
from grammar_store.merging.fringe.world import world_of
from grammar_store.merging.general import GeneralFringe
from grammar_store.merging.options import FringeOptions
from grammar_store.statistics import compare_proportions
from grammar_store.store.database import Database


class Fringe(Protocol):
    """A run of Blue-Fringe."""

    #: how many tests a run makes that tests all pairs of red and blue in every step
    pairs: float
    finished: bool

    @property
    def tests(self) -> int:
        """How many pairs of red and blue were tested so far."""
        ...

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many classes are red, blue and white."""
        ...

    def advance(self, steps: int, classes: int = 0) -> Made:
        """Make up to so many steps, while there are more than so many classes."""
        ...


def blue_fringe(
    database: Database,
    equivalence: Equivalence,
    options: FringeOptions,
    displaced: NDArray[np.int32],
    leader: NDArray[np.int32],
    cannot: Sequence[tuple[int, int]] = (),
) -> Fringe:
    """Set up a run that goes on after some steps.

    Parameters
    ----------
    database
        The store.
    equivalence
        Its initial grammar.
    options
        How to decide.
    displaced, leader
        The steps that were made; a promotion displaces 0.
    cannot
        Pairs that must not get into one class.
    """
    equivalence.require_all_rules()
    level = equivalence.level(options.alpha, options.fisher_below)
    table = database.execute_file("queries/fringe_order")
    heights = np.concatenate([[0], table["height"].to_numpy()]).astype(np.int32)
    place = options.places(np.concatenate([[0], table["place"].to_numpy()]).astype(np.int32))
    if equivalence.one_gap and not options.fold and isinstance(options.score, str):
        # Only the world is made of slots: they are gone before the run takes memory of its own.
        world = world_of(equivalence.read_slots(), equivalence.classes, heights, place, level)
        fast = FastFringe(world, options.score, options.leaves, cannot)
        if fast.replay_all(displaced, leader):
            return fast
    with database.cursor() as cursor:
        grammar = PlainGrammar.of_store(cursor)
    general = GeneralFringe(grammar, equivalence.read_slots(), place, options, level, cannot)
    general.replay_all(displaced, leader)
    return general


def steps_table(made: Made, options: FringeOptions, first_step: int) -> pa.Table:
    """Steps as `sessions.steps` wants them, numbered from `first_step`."""
    known = made.context > 0
    safe = np.where(known[:, None], made.counts, 1.0)
    c1, big_c1, c2, big_c2 = safe.T
    found = compare_proportions(c1, big_c1, c2, big_c2, options.alpha, options.fisher_below)
    forced = made.forced
    # A forced merge follows the one that forces it.
    own = np.where(forced, 0, np.arange(first_step, first_step + len(forced)))
    cause = np.maximum.accumulate(own)
    hidden = ~known
    return pa.table(
        {
            "displaced_id": pa.array(made.displaced, mask=made.displaced == 0),
            "leader_id": made.leader,
            "reason": pa.array(np.where(forced, "forced", "tested")),
            "cause": pa.array(cause, mask=~forced),
            "context_id": pa.array(made.context, mask=hidden),
            "filler1_id": pa.array(made.first, mask=hidden),
            "filler2_id": pa.array(made.second, mask=hidden),
            "c1": pa.array(c1, mask=hidden),
            "big_c1": pa.array(big_c1, mask=hidden),
            "c2": pa.array(c2, mask=hidden),
            "big_c2": pa.array(big_c2, mask=hidden),
            "d": pa.array(found.d, mask=hidden),
            "bound": pa.array(found.bound, mask=hidden),
            "p_value": pa.array(found.p_value, mask=hidden | np.isnan(found.p_value)),
            "test": pa.array(found.test.astype(object), mask=hidden),
            "depth": pa.array(made.depth, mask=hidden),
        }
    )
