"""What two states have in common, and what not: classes split, joined and moved."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa

from grammar_store.equivalence.verdict import Class
from grammar_store.resources import sql
from grammar_store.sessions.state import State
from grammar_store.show import sessions as show
from grammar_store.store.database import Database

_SHOWN = 10


@dataclass(frozen=True)
class Diff:
    """How the classes of a second state differ from those of a first.

    Attributes
    ----------
    first, second
        What was compared, in words.
    split
        One row for each part of a class of the first that is in several classes of the
        second: leader (in the first), part (the leader in the second), members, count.
    joined
        One row for each part of a class of the second that comes from several classes of
        the first: leader (in the second), part (the leader in the first), members, count.
    moved
        One row for each non-terminal that has left the greatest part of its class for a class
        with members of another: nonterminal_id, source, target, count, left and now (the leaders
        before and after).
    """

    first: str
    second: str
    split: pd.DataFrame
    joined: pd.DataFrame
    moved: pd.DataFrame
    _classes: dict[int, Class] = field(default_factory=dict)

    @property
    def equal(self) -> bool:
        """Whether the classes have the same members; their leaders can differ."""
        return self.split.empty and self.joined.empty

    def __repr__(self) -> str:
        return f"<Diff from {self.first} to {self.second}:{self._counts()[1:]}>"

    def __str__(self) -> str:
        if self.equal:
            return f"{self.first} and {self.second} have the same classes"
        lines = [f"from {self.first} to {self.second}:", self._counts()]
        for leader, parts in self.split.groupby("leader", sort=False):
            lines.append(f"  split: X{leader} into {_parts(parts)}")
        for leader, parts in self.joined.groupby("leader", sort=False):
            lines.append(f"  joined: {_parts(parts)} in X{leader}")
        if len(lines) > _SHOWN + 2:
            lines[_SHOWN + 2 :] = [f"  ... and {len(lines) - _SHOWN - 2} more classes"]
        return "\n".join(lines)

    def _counts(self) -> str:
        split, joined = self.split["leader"].nunique(), self.joined["leader"].nunique()
        return (
            f"  {split} class(es) split, {joined} joined from others,"
            f" {len(self.moved)} non-terminal(s) moved"
        )

    def _repr_html_(self) -> str:
        return show.diff(self)


def _parts(parts: pd.DataFrame) -> str:
    shown = [f"X{row.part} ({row.members}, count {row.count})" for row in parts.itertuples()]
    return " and ".join(shown)


def diff(database: Database, first: State, second: State, names: tuple[str, str]) -> Diff:
    """Compare two states of the grammar of one store.

    Parameters
    ----------
    database, first, second
        The store and the two states.
    names
        How to call them.
    """
    ids = np.arange(1, len(first.leaders), dtype=np.int32)
    before, after = first.leaders[1:], second.leaders[1:]
    states = pa.table({"nonterminal_id": ids, "first_id": before, "second_id": after})
    with database.cursor() as cursor:
        cursor.register("states", states)
        parts: pd.DataFrame = cursor.execute(sql("sessions/class_parts")).df()
    split = parts[parts.duplicated("first_id", keep=False)]
    joined = parts[parts.duplicated("second_id", keep=False)]
    # The part of a class that stays behind when others leave: the greatest.
    order = parts.sort_values(
        ["first_id", "members", "count", "second_id"], ascending=[True, False, False, True]
    )
    heir = order.drop_duplicates("first_id")
    leaving = split.index.intersection(joined.index).difference(heir.index)
    split = _renamed(split, {"first_id": "leader", "second_id": "part"})
    joined = _renamed(joined, {"second_id": "leader", "first_id": "part"})
    moved = _moved(database, states, parts.loc[leaving])
    return Diff(*names, split, joined, moved, _named(database, split, joined))


def _renamed(parts: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    frame = parts.rename(columns=names)[["leader", "part", "members", "count"]]
    return frame.sort_values(
        ["leader", "count", "part"], ascending=[True, False, True], ignore_index=True
    )


def _named(database: Database, *frames: pd.DataFrame) -> dict[int, Class]:
    """The texts of the classes that are shown first."""
    shown = [frame.head(_SHOWN)[["leader", "part"]] for frame in frames]
    ids = {int(one) for frame in shown for one in frame.to_numpy().ravel()}
    with database.cursor() as cursor:
        cursor.register("wanted", pa.table({"nonterminal_id": pa.array(sorted(ids), pa.int32())}))
        found = cursor.execute(sql("queries/nonterminals_by_id")).fetchall()
    return {row[0]: Class(*row) for row in found}


def _moved(database: Database, states: pa.Table, leaving: pd.DataFrame) -> pd.DataFrame:
    with database.cursor() as cursor:
        cursor.register("states", states)
        cursor.register("leaving", pa.Table.from_pandas(leaving, preserve_index=False))
        frame: pd.DataFrame = cursor.execute(sql("sessions/moved")).df()
    return frame
