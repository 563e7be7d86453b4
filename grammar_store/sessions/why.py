"""Why two non-terminals are in one class: the merges that connect them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from grammar_store.equivalence.verdict import Class, Comparison
from grammar_store.errors import SessionError
from grammar_store.resources import sql
from grammar_store.sessions.line import Line
from grammar_store.sessions.steps import Evidence, Merge
from grammar_store.show import sessions as show
from grammar_store.store.database import Database

_SHOWN = 50


class Texts(NamedTuple):
    """What the non-terminals and contexts of some merges read."""

    classes: dict[int, Class]
    contexts: dict[int, tuple[str, str]]

    def words(self, step: Merge) -> str:
        """A merge in words, with the comparison that decided it."""
        why = step.reason if step.cause is None else f"{step.reason} by step {step.cause}"
        words = f"{self.classes[step.displaced]} into {self.classes[step.leader]}, {why}"
        if step.evidence is None:
            return words
        comparison = self._comparison(step.evidence)
        pair = f" of {comparison.first} and {comparison.second}" if comparison.depth else ""
        return f"{words}; closest to failing{pair}: {comparison}"

    def _comparison(self, evidence: Evidence) -> Comparison:
        """The evidence of a merge as the comparison that it was; it passed."""
        source, target = self.contexts[evidence.context_id]
        return Comparison(
            depth=evidence.depth,
            first=self.classes[evidence.filler1_id],
            second=self.classes[evidence.filler2_id],
            source=source,
            target=target,
            c1=evidence.c1,
            big_c1=evidence.big_c1,
            c2=evidence.c2,
            big_c2=evidence.big_c2,
            d=evidence.d,
            bound=evidence.bound,
            test=evidence.test,
            p_value=evidence.p_value,
            equal=True,
        )


@dataclass(frozen=True)
class Why:
    """The chain of merges that connects two non-terminals.

    Attributes
    ----------
    first, second
        The two.
    steps
        The merges, each of which shares a non-terminal with the next, from the first to the
        second.
    """

    first: Class
    second: Class
    steps: tuple[Merge, ...]
    _texts: Texts

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Each merge in words, with its evidence."""
        return tuple(self._texts.words(step) for step in self.steps)

    @property
    def joined_at(self) -> int:
        """The step that put the two in one class: the last of them in time."""
        return max(step.step for step in self.steps)

    @property
    def frame(self) -> pd.DataFrame:
        """The merges as a table, with their evidence in words."""
        return pd.DataFrame(
            {
                "step": [step.step for step in self.steps],
                "displaced": [f"X{step.displaced}" for step in self.steps],
                "leader": [f"X{step.leader}" for step in self.steps],
                "reason": [step.reason for step in self.steps],
                "why": self.reasons,
            }
        )

    def __repr__(self) -> str:
        return f"<Why {self.first.name} and {self.second.name}: {len(self.steps)} merges>"

    def __str__(self) -> str:
        lines = [f"{self.first} and {self.second} are in one class since step {self.joined_at}"]
        lines += [f"  step {step.step}: {self._texts.words(step)}" for step in self.steps[:_SHOWN]]
        if len(self.steps) > _SHOWN:
            lines.append(f"  ... and {len(self.steps) - _SHOWN} more steps")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return show.why(self)


def path(line: Line, first: int, second: int) -> list[int]:
    """The steps of the merges on the way between two non-terminals in the forest.

    Examples
    --------
    >>> line = Line(np.ones(6, np.int64))
    >>> line.extend(np.array([5, 3, 2]), np.array([4, 2, 4]))  # 5 -> 4, 3 -> 2, 2 -> 4
    >>> path(line, 5, 3)
    [1, 3, 2]
    """
    merged_at = np.zeros(line.size, np.int64)
    merges = np.flatnonzero(line.displaced)
    merged_at[line.displaced[merges]] = merges + 1
    ways: list[list[int]] = []
    for member in (first, second):
        way = []
        while step := int(merged_at[member]):
            way.append(step)
            member = int(line.leader[step - 1])
        ways.append(way)
    up, down = ways
    # Above the place where the two ways meet they are the same.
    while up and down and up[-1] == down[-1]:
        up.pop()
        down.pop()
    return up + down[::-1]


def explain(database: Database, steps: Sequence[Merge], first: int, second: int) -> Why:
    """Why two non-terminals are in one class, with all texts that are needed to say so."""
    ids, contexts = {first, second}, set()
    for step in steps:
        ids |= {step.displaced, step.leader}
        if step.evidence:
            ids |= {step.evidence.filler1_id, step.evidence.filler2_id}
            contexts.add(step.evidence.context_id)
    with database.cursor() as cursor:
        cursor.register("wanted", pa.table({"nonterminal_id": pa.array(sorted(ids), pa.int32())}))
        found = cursor.execute(sql("queries/nonterminals_by_id")).fetchall()
    classes = {row[0]: Class(*row) for row in found}
    with database.cursor() as cursor:
        wanted = pa.table({"context_id": pa.array(sorted(contexts), pa.int32())})
        cursor.register("wanted", wanted)
        found = cursor.execute(sql("queries/contexts_by_id")).fetchall()
    texts = Texts(classes, {number: (source, target) for number, source, target in found})
    return Why(classes[first], classes[second], tuple(steps), texts)


def require_one_class(line: Line, first: int, second: int) -> None:
    """Refuse to explain what is not so."""
    if first == second:
        raise SessionError(f"X{first} is one non-terminal: name another one, too")
    if line.root_of(first) != line.root_of(second):
        raise SessionError(
            f"X{first} and X{second} are not in one class: why_not() tells what keeps them apart"
        )
