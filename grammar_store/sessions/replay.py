"""A session once more, on another store: non-terminals are matched by text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from grammar_store.errors import NotInStoreError, OptionError, SessionError
from grammar_store.resources import sql
from grammar_store.sessions.steps import Merge, Promotion, Step
from grammar_store.store.database import Database
from grammar_store.store.names import text_of

if TYPE_CHECKING:
    from grammar_store.sessions.session import Session

_SHOWN = 5


class Target(Protocol):
    """A store to replay on."""

    @property
    def database(self) -> Database:
        """Its file."""

    def session(
        self, name: str, method: str | None = None, description: str = "", **parameters: Any
    ) -> Session:
        """Start a session."""


@dataclass(frozen=True)
class Replay:
    """What became of a session on another store.

    Attributes
    ----------
    session
        The new session.
    steps
        How many steps were made.
    skipped
        The steps of the original that were not, because one of their classes has no member in the
        other store.
    missing
        The text of the non-terminals that the other store does not have.
    """

    session: Session
    steps: int
    skipped: tuple[int, ...]
    missing: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{self.session.name}: {self.steps} steps made, {len(self.skipped)} skipped,"
            f" {len(self.missing)} non-terminals missing"
        )


@dataclass
class _Translation:
    """The steps for the other store, step by step.

    A class is known by its leader in the original; `leader` has the leader of the same class there,
    as soon as one of its members is there.
    """

    leader: dict[int, int]
    steps: list[Step] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)
    number: dict[int, int] = field(default_factory=dict)

    def add(self, step: Step) -> None:
        made = self._merge(step) if isinstance(step, Merge) else self._promotion(step)
        if made is None:
            self.skipped.append(step.step)
        else:
            self.number[step.step] = made.step
            self.steps.append(made)

    def _merge(self, step: Merge) -> Merge | None:
        gone, stays = self.leader.get(step.displaced), self.leader.get(step.leader)
        if gone is None or stays is None:
            if gone is not None:
                self.leader[step.leader] = gone
            return None
        return Merge(len(self.steps) + 1, gone, stays, *self._why(step))

    def _promotion(self, step: Promotion) -> Promotion | None:
        leader = self.leader.get(step.nonterminal)
        if leader is None:
            return None
        return Promotion(len(self.steps) + 1, leader, *self._why(step))

    def _why(self, step: Step) -> tuple[str, int | None]:
        """The reason. A step whose cause was skipped is made because the user wants it."""
        if step.cause is None:
            return step.reason, None
        cause = self.number.get(step.cause)
        return ("manual" if cause is None else step.reason), cause


def replay(session: Session, target: Target, name: str, missing: str) -> Replay:
    """Make the steps of a session on another store, without their evidence, which is not of it.

    Parameters
    ----------
    session, target
        The session and the other store.
    name
        The name of the session to start there.
    missing
        What to do about non-terminals that are not there: ``error`` or ``skip``.
    """
    if missing not in ("error", "skip"):
        raise OptionError(f"missing must be 'error' or 'skip', not {missing!r}")
    steps = list(session)
    constraints = session.constraints()
    ids: set[int] = {*constraints["first"], *constraints["second"]}
    for step in steps:
        ids |= {step.displaced, step.leader} if isinstance(step, Merge) else {step.nonterminal}
    there, lost = _matched(session._journal.database, target.database, ids)
    if lost and missing == "error":
        shown = ", ".join(repr(text) for text in lost[:_SHOWN])
        raise NotInStoreError(
            f"{len(lost)} non-terminal(s) of session {session.name!r} are not in"
            f" {target.database.path}, such as {shown}: use missing='skip' to leave them out"
        )
    translation = _Translation(there)
    for step in steps:
        translation.add(step)
    copy = target.session(name, "replay", session=session.name, signature=session.signature)
    if copy.step:
        raise SessionError(f"session {name!r} has steps already: choose another name")
    for kind, first, second, _ in constraints.itertuples(index=False):
        if first in there and second in there:
            (copy.must if kind == "must" else copy.cannot)(there[first], there[second])
    copy.apply(translation.steps)
    return Replay(copy, len(translation.steps), tuple(translation.skipped), tuple(lost))


def _matched(
    ours: Database, other: Database, ids: Iterable[int]
) -> tuple[dict[int, int], list[str]]:
    """The ids in the other store by ours, and the text of those that are not there."""
    with ours.cursor() as cursor:
        cursor.register("wanted", pa.table({"nonterminal_id": pa.array(sorted(ids), pa.int32())}))
        texts = cursor.sql(sql("queries/nonterminals_by_id")).to_arrow_table()
    with other.cursor() as cursor:
        cursor.register("theirs", texts)
        there = dict(cursor.execute(sql("sessions/by_text")).fetchall())
    lost = [
        text_of(row["source"], row["target"])
        for row in texts.sort_by("nonterminal_id").to_pylist()
        if row["nonterminal_id"] not in there
    ]
    return there, lost
