"""One class of a session, to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa

from grammar_store.equivalence.verdict import Class
from grammar_store.resources import sql
from grammar_store.show import sessions as show

if TYPE_CHECKING:
    from grammar_store.sessions.state import State
    from grammar_store.store.database import Database


class MergedClass:
    """A class as of a step: ``session.class_of("Haus ||| house")``.

    Attributes
    ----------
    leader
        The non-terminal that stands for it.
    members
        The ids of all of its non-terminals, sorted.
    count
        C, the sum over its members.
    step
        The step.

    Examples
    --------
    >>> import grammar_store as gs
    >>> session = gs.sample_store().session("mine")
    >>> _ = session.merge("Haus ||| house", "Auto ||| car")
    >>> session.class_of("Haus ||| house")
    <Class of X18 (Auto ||| car): 2 members, count 62, at step 1>
    """

    def __init__(self, database: Database, state: State, x: str | int) -> None:
        self._database = database
        self._state = state
        self.members = state.members(x)
        self.step = state.step
        leader = state.leader(x)
        table = self._read("sessions/members", "nonterminal_id", self.members, len(self.members))
        row = table[table["nonterminal_id"] == leader].iloc[0]
        self.leader = Class(leader, row["source"], row["target"])
        self.count = int(table["count"].sum())
        self._table = table

    def _read(self, name: str, key: str, ids: list[int], rows: int) -> pd.DataFrame:
        with self._database.cursor() as cursor:
            cursor.register("state", self._state.to_arrow())
            cursor.register("wanted", pa.table({key: pa.array(ids, pa.int32())}))
            frame: pd.DataFrame = cursor.execute(sql(name), {"rows": rows}).df()
        return frame

    def table(self, limit: int | None = None) -> pd.DataFrame:
        """The members with their texts, the most frequent first."""
        return self._table.head(len(self) if limit is None else limit)

    def contexts(self, limit: int = 1000) -> pd.DataFrame:
        """The contexts that it fills, those of the most members first."""
        return self._read("sessions/class_contexts", "leader_id", [self.leader.id], limit)

    def __len__(self) -> int:
        """The number of members."""
        return len(self.members)

    def __contains__(self, x: object) -> bool:
        return x in self.members

    def __repr__(self) -> str:
        return (
            f"<Class of {self.leader}: {len(self)} members, count {self.count},"
            f" at step {self.step}>"
        )

    def __str__(self) -> str:
        shown = [
            f"  X{row.nonterminal_id}  {row.source} ||| {row.target}  {row.count}"
            for row in self.table(show.SHOWN).itertuples()
        ]
        left_out = len(self) - len(shown)
        rest = [f"  ... and {left_out} more members"] if left_out else []
        return "\n".join([repr(self)[1:-1], *shown, *rest])

    def _repr_html_(self) -> str:
        return show.merged_class(self)
