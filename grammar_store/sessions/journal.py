"""The rows of one session: what is in the file, and the same in memory.

The file is the truth. What is kept in memory is dropped after any error while writing, and read
again when it is next needed: a commit that failed may be in the file nevertheless.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from grammar_store.errors import NotInStoreError, SessionError, StoreError
from grammar_store.sessions.branching import hand_over
from grammar_store.sessions.constraints import Constraints
from grammar_store.sessions.hashing import chained
from grammar_store.sessions.line import Line
from grammar_store.sessions.steps import EVIDENCE_COLUMNS, SCHEMA
from grammar_store.store.database import Database


class Journal:
    """The steps of a session, to be read, added to and undone.

    Parameters
    ----------
    database
        The store.
    session_id
        The session.
    counts
        Gives the count of each non-terminal by id, with anything at 0.
    """

    def __init__(
        self, database: Database, session_id: int, counts: Callable[[], NDArray[np.int64]]
    ) -> None:
        self.database = database
        self.session_id = session_id
        self._counts = counts
        self._row: dict[str, Any] | None = None
        self._line: Line | None = None
        self._constraints: Constraints | None = None

    def forget(self) -> None:
        """Drop what is in memory; it is read again when it is needed."""
        self._row = self._line = self._constraints = None

    def retire(self) -> None:
        """The session has been deleted; its id may come to name another one."""
        self.session_id = 0
        self.forget()

    @property
    def row(self) -> dict[str, Any]:
        """The session's row."""
        if self._row is None:
            self._row = self._read_row()
        return self._row

    def _read_row(self) -> dict[str, Any]:
        found = self.database.execute_file("sessions/session_by_id", id=self.session_id).to_pylist()
        if not found:
            raise NotInStoreError("this session has been deleted")
        return dict(found[0])

    @property
    def line(self) -> Line:
        """The steps and classes of the session."""
        if self._line is None:
            self._line = self._read_line()
        return self._line

    def _read_line(self) -> Line:
        rows = self.database.execute_file("sessions/line", id=self.session_id)
        line = Line(self._counts())
        end = self.row["last_step"]
        if not np.array_equal(_numbers(rows["step"]), np.arange(1, end + 1)):
            raise self._damaged("its steps are not all there")
        try:
            line.extend(
                _numbers(rows["displaced_id"]),
                _numbers(rows["leader_id"]),
                _numbers(rows["cause"]),
                rows["hash"].to_numpy(),
            )
        except SessionError as problem:
            raise self._damaged(str(problem)) from problem
        if line.hash_at(end) != self.row["last_hash"]:
            raise self._damaged("its last step is not the one that was written")
        return line

    def _damaged(self, what: str) -> StoreError:
        return StoreError(
            f"session {self.row['name']!r} in {self.database.path} is damaged, {what}:"
            " run `grammar-store check`"
        )

    @property
    def constraints(self) -> Constraints:
        """The constraints of the session."""
        if self._constraints is None:
            rows = self.database.execute_file("sessions/constraints", id=self.session_id)
            self._constraints = Constraints(
                (row["kind"], row["first_id"], row["second_id"]) for row in rows.to_pylist()
            )
        return self._constraints

    @contextmanager
    def writing(self, closed: bool = False) -> Iterator[None]:
        """A transaction on this session, which must be open unless `closed` says otherwise."""
        try:
            with self.database.transaction():
                row = self._read_row()
                self._follow(row)
                if row["status"] != "open" and not closed:
                    raise SessionError(
                        f"session {row['name']!r} is closed: reopen it, or branch from it"
                    )
                yield
        except SessionError:
            # A refusal: nothing is written, and mostly nothing has changed in memory.
            self._follow(row)
            raise
        except BaseException:
            self.forget()
            raise

    def _follow(self, row: dict[str, Any]) -> None:
        """Take the session's row as it is in the file, and drop a line that it does not end."""
        line = self._line
        if line is not None and line.hash_at(line.steps) != row["last_hash"]:
            self.forget()
        self._row = row

    @contextmanager
    def trying(self) -> Iterator[Line]:
        """The line to take steps on that are not written, and taken back at the end."""
        end = self.line.steps
        try:
            yield self.line
        except BaseException:
            self.forget()
            raise
        self.line.truncate(end)

    def read(self, low: int, high: int) -> pa.Table:
        """Some steps, with their evidence and hash."""
        return self.database.execute_file("sessions/steps", id=self.session_id, low=low, high=high)

    def choose(self, steps: list[int]) -> pa.Table:
        """The same, by their numbers."""
        return self._run("chosen_steps", steps=steps)

    def history(self, rows: int) -> pd.DataFrame:
        """The last steps in words."""
        frame: pd.DataFrame = self._run("history", rows=rows).to_pandas()
        return frame.astype({"cause": "Int64"})

    def append(self, steps: pa.Table) -> None:
        """Add new steps (`steps.SCHEMA`); what was undone before can no longer be done again."""
        with self.writing():
            self._take(self.line, steps, self.constraints)
            self._run("delete_undone", entry=0)

    def undo(self, step: int) -> None:
        """Undo all steps after `step`."""
        with self.writing():
            self._run("push_undone", step=step, one_by_one=True, rewritten=0)
            self._truncate(self.line, step)

    def undo_some(self, step: int, dependants: list[int]) -> None:
        """Undo a step and its dependants; the others after it move up."""
        with self.writing():
            line = self.line
            tail = self.read(step, line.steps)
            kept = ~np.isin(_numbers(tail["step"]), [step, *dependants])
            rest = _renumbered(tail, kept, step)
            self._run("push_undone", step=step - 1, one_by_one=False, rewritten=len(rest))
            self._truncate(line, step - 1)
            # Classes only become smaller: no constraint can break.
            self._take(line, rest.select(SCHEMA.names), Constraints(()))

    def redo(self, entries: int) -> None:
        """Do again what was undone last."""
        with self.writing():
            line = self.line
            ready = self._run("count_undone")["entries"][0].as_py()
            if ready < entries:
                raise SessionError(
                    f"only {ready} step(s) can be done again" if ready else "nothing was undone"
                )
            rows = self._run("undone", entries=entries)
            for run in _runs(rows):
                self._truncate(line, run["step"][0].as_py() - 1)
                steps = run.select(SCHEMA.names)
                self._take(line, steps, self.constraints, run["hash"].to_numpy())
            self._run("delete_undone", entry=ready - entries)

    def set_text(self, **changes: str) -> None:
        """Change name, description or status."""
        with self.writing(closed=True):
            row = self.row | changes
            self._run(
                "set_text",
                session_name=row["name"],
                description=row["description"],
                status=row["status"],
            )
            self._row = None

    def constrain(self, kind: str, pair: tuple[int, int]) -> None:
        """Add a constraint, unless it is there already."""
        with self.writing():
            if pair in (self.constraints.must if kind == "must" else self.constraints.cannot):
                return
            self.constraints.require_possible(self.line, kind, pair)
            first, second = pair
            row = {"session_id": self.session_id, "kind": kind}
            row |= {"first_id": first, "second_id": second}
            self.database.insert("session_constraint", pa.Table.from_pylist([row]))
            self._constraints = None

    def release(self, pair: tuple[int, int]) -> None:
        """Drop the constraints of a pair."""
        with self.writing():
            if pair not in (*self.constraints.must, *self.constraints.cannot):
                first, second = pair
                raise SessionError(f"there is no constraint of X{first} and X{second}")
            self._run("delete_constraints", first=pair[0], second=pair[1])
            self._constraints = None

    def _take(
        self,
        line: Line,
        steps: pa.Table,
        constraints: Constraints,
        expected: NDArray[np.uint64] | None = None,
    ) -> None:
        """Write steps after the last."""
        hashes = chained(line.hash_at(line.steps), steps)
        if expected is not None and not np.array_equal(hashes, expected):
            raise self._damaged("what was undone is not as it was")
        end = line.steps
        columns = [_numbers(steps[name]) for name in ("displaced_id", "leader_id", "cause")]
        try:
            for low, high in constraints.stretches(columns[0]):
                line.extend(*(column[low:high] for column in (*columns, hashes)))
                constraints.require_met(line)
        except SessionError:
            line.truncate(end)
            raise
        self._insert(steps.append_column("hash", pa.array(hashes)))
        self._set_end(line)

    def _set_end(self, line: Line) -> None:
        step, last_hash = line.steps, line.hash_at(line.steps)
        self._run("set_end", step=step, hash=last_hash)
        fork = self.row["forked_at"]
        fork = None if fork is None else min(fork, step)
        self._row = self.row | {"last_step": step, "last_hash": last_hash, "forked_at": fork}

    def _insert(self, rows: pa.Table) -> None:
        rows = rows.append_column("session_id", pa.repeat(pa.scalar(self.session_id), len(rows)))
        merges = rows.filter(pc.is_valid(rows["displaced_id"]))
        promotions = rows.filter(pc.is_null(rows["displaced_id"]))
        evidence = rows.filter(pc.is_valid(rows["context_id"]))
        why = ["session_id", "step", "reason", "cause", "hash"]
        if len(merges):
            self.database.insert("merge", merges.select([*why, "displaced_id", "leader_id"]))
        if len(promotions):
            promotions = promotions.select([*why, "leader_id"])
            self.database.insert("promotion", promotions.rename_columns([*why, "nonterminal_id"]))
        if len(evidence):
            self.database.insert(
                "evidence", evidence.select(["session_id", "step", *EVIDENCE_COLUMNS])
            )

    def _truncate(self, line: Line, step: int) -> None:
        """Remove all steps after `step`; branches keep what they see."""
        if step == line.steps:
            return
        hand_over(self.database, self.row, step)
        for table in ("merges", "promotions", "evidence"):
            self._run(f"delete_{table}", step=step)
        line.truncate(step)
        self._set_end(line)

    def _run(self, name: str, **values: Any) -> pa.Table:
        return self.database.execute_file(f"sessions/{name}", id=self.session_id, **values)


def _numbers(column: pa.ChunkedArray) -> NDArray[Any]:
    """Whole numbers as an array of their own, 0 for NULL."""
    return np.array(column.fill_null(0).to_numpy())


def _renumbered(steps: pa.Table, kept: NDArray[np.bool_], first: int) -> pa.Table:
    """Those of some steps that are kept, numbered on from the first of all, and their causes."""
    numbers = np.cumsum(kept) + first - 1
    rest = steps.filter(pa.array(kept))
    cause = _numbers(rest["cause"])
    later = cause >= first
    cause[later] = numbers[cause[later] - first]
    columns = {"step": pa.array(numbers[kept]), "cause": pa.array(cause, mask=cause == 0)}
    for name, column in columns.items():
        rest = rest.set_column(rest.column_names.index(name), name, column)
    return rest


def _runs(rows: pa.Table) -> Iterator[pa.Table]:
    """Steps undone, cut where the next one does not simply follow."""
    steps = _numbers(rows["step"])
    starts = [0, *(np.flatnonzero(np.diff(steps) != 1) + 1).tolist()]
    for start, end in zip(starts, [*starts[1:], len(steps)], strict=True):
        yield rows.slice(start, end - start)
