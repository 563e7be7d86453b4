"""The classes of a session as of one step."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.equivalence.engine import Equivalence
from grammar_store.equivalence.verdict import Verdict
from grammar_store.planted.scoring import Score, score
from grammar_store.planted.truth import Truth
from grammar_store.resources import sql
from grammar_store.sessions.forest import leaders_at
from grammar_store.sessions.member_class import MergedClass
from grammar_store.show import sessions as show
from grammar_store.statistics import FISHER_BELOW
from grammar_store.store.database import Database

Resolve = Callable[[str | int], int]
"""Finds the id of a non-terminal by its name."""


class State:
    """The classes of a session as of a step; later steps do not change it.

    Attributes
    ----------
    database
        The store.
    step
        The step.
    displaced, leader_by_step
        What each step displaced, 0 for a promotion, and the leader that stands for it since.
    """

    def __init__(
        self,
        database: Database,
        resolve: Resolve,
        displaced: NDArray[np.int32],
        leader: NDArray[np.int32],
        size: int,
    ) -> None:
        self.database = database
        self._resolve = resolve
        self.displaced, self.leader_by_step, self._size = displaced, leader, size
        self.step = len(displaced)
        self._equivalence: Equivalence | None = None

    @cached_property
    def leaders(self) -> NDArray[np.int32]:
        """The leader of each non-terminal, by id; 0 at 0, which is none."""
        return leaders_at(self.displaced, self.leader_by_step, self._size)

    def leader(self, x: str | int) -> int:
        """The leader of the class of a non-terminal."""
        return int(self.leaders[self._resolve(x)])

    def members(self, x: str | int) -> list[int]:
        """The ids in the class of a non-terminal, sorted."""
        return np.flatnonzero(self.leaders == self.leader(x)).tolist()

    def same(self, a: str | int, b: str | int) -> bool:
        """Whether two non-terminals are in one class."""
        return self.leader(a) == self.leader(b)

    def classes(
        self, min_members: int = 1, limit: int | None = None, examples: int = 3
    ) -> pd.DataFrame:
        """The classes by falling count: leader, members, count and some of the members' texts.

        Parameters
        ----------
        min_members
            Leave out smaller classes.
        limit
            The most classes; None for all.
        examples
            The most members to show.
        """
        frame = self._listing(min_members, limit, examples)
        frame["examples"] = [", ".join(texts) for texts in frame["examples"]]
        return frame

    def _listing(self, min_members: int, limit: int | None, examples: int) -> pd.DataFrame:
        values = {
            "min_members": min_members,
            "rows": self._size if limit is None else limit,
            "examples": examples,
        }
        with self.database.cursor() as cursor:
            cursor.register("state", self.to_arrow())
            frame: pd.DataFrame = cursor.execute(sql("sessions/classes"), values).df()
        return frame

    def listing(
        self, min_members: int, limit: int | None, examples: int
    ) -> list[dict[Hashable, Any]]:
        """The same in rows, with the texts of members as a list."""
        return self._listing(min_members, limit, examples).to_dict("records")

    def to_arrow(self) -> pa.Table:
        """One row for each non-terminal: nonterminal_id and leader_id."""
        ids = np.arange(1, self._size, dtype=np.int32)
        return pa.table({"nonterminal_id": ids, "leader_id": self.leaders[1:]})

    @property
    def class_count(self) -> int:
        """The number of classes."""
        return self._size - 1 - int(np.count_nonzero(self.displaced))

    @property
    def class_counts(self) -> NDArray[np.int64]:
        """The number of classes after each step, from step 0 on."""
        merges = np.concatenate([[0], np.cumsum(self.displaced != 0)])
        return self._size - 1 - merges

    @cached_property
    def merged_class_count(self) -> int:
        """The number of classes with several members."""
        return int(np.count_nonzero(np.bincount(self.leaders[1:]) > 1))

    def class_of(self, x: str | int) -> MergedClass:
        """The class of a non-terminal, to look at."""
        return MergedClass(self.database, self, x)

    def equivalence(self) -> Equivalence:
        """The tests of the grammar in this state; what they work on is read once."""
        if self._equivalence is None:
            self._equivalence = Equivalence(self.database, self.leaders)
        return self._equivalence

    def compare(
        self,
        a: str | int,
        b: str | int,
        alpha: float = 0.01,
        fisher_below: float = FISHER_BELOW,
    ) -> Verdict:
        """Whether the classes of two non-terminals are equivalent, with the reasons."""
        return self.equivalence().compare(self._resolve(a), self._resolve(b), alpha, fisher_below)

    def score(self, truth: Truth, certain: float = 0.0) -> Score:
        """How well the classes agree with true labels: see `Session.score`."""
        table = self.database.execute_file("sessions/texts_of_all")
        texts = table["name"].to_pylist()
        leaders = self.leaders[1:].tolist()
        return score(dict(zip(texts, leaders, strict=True)), truth, certain)

    def __repr__(self) -> str:
        return f"<State at step {self.step}: {self.class_count} classes>"

    def _repr_html_(self) -> str:
        return show.state(self)
