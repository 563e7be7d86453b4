"""What changes a session: steps, constraints, undo and redo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa

from grammar_store.errors import DependantsError, OptionError, SessionError
from grammar_store.sessions.journal import Journal
from grammar_store.sessions.record import Name, Record
from grammar_store.sessions.steps import (
    Evidence,
    Merge,
    Promotion,
    Step,
    completed,
    to_steps,
    to_table,
)

if TYPE_CHECKING:
    from grammar_store.sessions.catalogue import Catalogue

_SHOWN = 5


class Editing(Record):
    """The changes that a session can go through, each a transaction."""

    def __init__(self, catalogue: Catalogue, journal: Journal) -> None:
        super().__init__(catalogue, journal)
        self._on_merge: list[Callable[[Merge], None]] = []
        self._on_promote: list[Callable[[Promotion], None]] = []

    def merge(self, a: Name, b: Name, leader: Name | None = None, reason: str = "manual") -> Merge:
        """Merge the classes of two non-terminals.

        Parameters
        ----------
        a, b
            A member of each class, by id or text.
        leader
            Which of the two leaders stands for both; by default that of the class with the
            greater count, of equals the one with the smaller id.
        reason
            Why: see `steps.REASONS`.
        """
        pairs = [(self._id(a), self._id(b))]
        made = self._merge_pairs(pairs, reason, None if leader is None else self._id(leader))
        if not made:
            raise SessionError(f"{a} and {b} are in one class already")
        return made[0]

    def merge_all(self, pairs: Iterable[tuple[Name, Name]], reason: str = "manual") -> list[Merge]:
        """Merge the classes of many pairs, in one transaction.

        Pairs that are in one class when it is their turn are passed over.
        """
        return self._merge_pairs([(self._id(a), self._id(b)) for a, b in pairs], reason)

    def merge_required(self) -> list[Merge]:
        """Merge all pairs that must merge and have not yet."""
        return self._merge_pairs(
            self._journal.constraints.pending(self._journal.line), "must-merge"
        )

    def _merge_pairs(
        self, pairs: Sequence[tuple[int, int]], reason: str, leader: int | None = None
    ) -> list[Merge]:
        steps: list[Step] = []
        with self._journal.trying() as line:
            for pair in pairs:
                first, second = line.leader_of(pair[0]), line.leader_of(pair[1])
                if first == second:
                    continue
                if leader not in (None, first, second):
                    raise OptionError(
                        f"leader must be X{first} or X{second}, the leaders of the two classes,"
                        f" not X{leader}"
                    )
                stays = leader or min((first, second), key=lambda x: (-line.count_of(x), x))
                gone = second if stays == first else first
                steps.append(Merge(line.steps + 1, gone, stays, reason))
                line.extend(np.array([gone]), np.array([stays]))
        self.apply(steps)
        return [step for step in steps if isinstance(step, Merge)]

    def promote(
        self, x: Name, reason: str = "manual", evidence: Evidence | None = None
    ) -> Promotion:
        """Note that the class of a non-terminal is like no other that was promoted."""
        leader = self._journal.line.leader_of(self._id(x))
        step = Promotion(self.step + 1, leader, reason, None, evidence)
        self.apply([step])
        return step

    def apply(self, steps: Sequence[Step] | pa.Table) -> None:
        """Make many steps in one transaction: all or none.

        Parameters
        ----------
        steps
            Merges of leaders and promotions, or a table of them. It has the columns
            displaced_id (NULL for a promotion) and leader_id, and can have step, reason, cause
            and the columns of ``evidence``: see `steps.SCHEMA`.
        """
        given = steps if isinstance(steps, pa.Table) else to_table(steps)
        table = completed(given, self.step)
        if not table.num_rows:
            return
        self._journal.append(table)
        if self._on_merge or self._on_promote:
            for step in to_steps(table):
                self._announce(step)

    def _announce(self, step: Step) -> None:
        if isinstance(step, Merge):
            for on_merge in self._on_merge:
                on_merge(step)
        else:
            for on_promote in self._on_promote:
                on_promote(step)

    def on_merge(self, callback: Callable[[Merge], None]) -> None:
        """Call a function with every new merge, when it is in the file."""
        self._on_merge.append(callback)

    def on_promote(self, callback: Callable[[Promotion], None]) -> None:
        """Call a function with every new promotion, when it is in the file."""
        self._on_promote.append(callback)

    def undo(self, n: int = 1, *, step: int | None = None, cascade: bool = False) -> None:
        """Undo the last steps, or an earlier one.

        Parameters
        ----------
        n
            How many of the last steps.
        step
            An earlier step to undo instead. The steps after it stay, in their order, and are
            numbered anew.
        cascade
            Whether to undo the dependants of that step with it, which is refused otherwise.
        """
        if step is None:
            if not 1 <= n <= self.step:
                raise SessionError(f"cannot undo {n} step(s): the session has {self.step}")
            self._journal.undo(self.step - n)
            return
        rest = self._dependants(step)
        if rest and not cascade:
            shown = ", ".join(map(str, rest[:_SHOWN])) + (", ..." if len(rest) > _SHOWN else "")
            raise DependantsError(
                f"step {step} cannot be undone alone, {len(rest)} later step(s) rest on it"
                f" ({shown}): undo them too with cascade",
                rest,
            )
        self._journal.undo_some(step, rest)

    def dependants(self, step: int) -> list[Step]:
        """The later steps that rest on a step: the class that it made takes part in them."""
        rest = self._dependants(step)
        if not rest:
            return []
        numbers = set(rest)
        found = to_steps(self._journal.read(rest[0], rest[-1]))
        return [each for each in found if each.step in numbers]

    def _dependants(self, step: int) -> list[int]:
        if not 1 <= step <= self.step:
            raise SessionError(f"there is no step {step}: the session has {self.step}")
        return self._journal.line.dependants(step)

    def redo(self, n: int = 1) -> None:
        """Do again what was undone last; a step undone with its dependants is one."""
        if n < 1:
            raise SessionError(f"cannot redo {n} step(s)")
        self._journal.redo(n)

    def must(self, a: Name, b: Name) -> None:
        """Demand that two non-terminals end up in one class: see `merge_required`."""
        self._journal.constrain("must", self._pair(a, b))

    def cannot(self, a: Name, b: Name) -> None:
        """Refuse every step that would put two non-terminals in one class."""
        self._journal.constrain("cannot", self._pair(a, b))

    def drop_constraint(self, a: Name, b: Name) -> None:
        """Take back what was demanded of two non-terminals."""
        self._journal.release(self._pair(a, b))

    def constraints(self) -> pd.DataFrame:
        """The constraints: kind, first, second, and whether they are met now."""
        held, line = self._journal.constraints, self._journal.line
        rows = [("must", *pair) for pair in held.must] + [("cannot", *pair) for pair in held.cannot]
        frame = pd.DataFrame(rows, columns=["kind", "first", "second"])
        frame["met"] = [
            (line.root_of(first) == line.root_of(second)) == (kind == "must")
            for kind, first, second in rows
        ]
        return frame

    def _pair(self, a: Name, b: Name) -> tuple[int, int]:
        first, second = sorted((self._id(a), self._id(b)))
        if first == second:
            raise OptionError(f"{a} and {b} are one non-terminal")
        return first, second

    def _id(self, name: Name) -> int:
        return self._catalogue.resolve(name)
