"""One rule and one context, to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grammar_store.equivalence.verdict import Class
from grammar_store.errors import NotInStoreError
from grammar_store.show import grammar as show

if TYPE_CHECKING:
    import pandas as pd

    from grammar_store.facade import Store
    from grammar_store.sessions.session import Session


@dataclass(frozen=True)
class Rule:
    """A rule of a store: ``store.rule(7)``.

    Attributes
    ----------
    id
        Its ``rule_id``.
    lhs
        The non-terminal on its left-hand side.
    source, target
        Both sides of its right-hand side, gaps written ``[X12,1]``.
    count, fraction
        c(r), and the same as people write it.
    fillers
        The non-terminals in its gaps, in source order.
    labels
        How to call non-terminals, by id, where that is not their own name.
    """

    id: int
    lhs: Class
    source: str
    target: str
    count: float
    fraction: str
    fillers: tuple[Class, ...]
    labels: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, store: Store, number: int, session: Session | None = None) -> Rule:
        """Read a rule from its store; with a session, labelled by the classes of that."""
        from grammar_store.nonterminal import fraction_text

        rows = store.rows("show/rule", id=number)
        if not rows:
            raise NotInStoreError(f"no rule {number}: ids run from 1 to {store.info()['rules']}")
        row = rows[0]
        fillers = tuple(Class(*slot.values()) for slot in store.rows("show/slots", id=number))
        ids = {row["lhs_id"], *(filler.id for filler in fillers)}
        labels = {} if session is None else {one: f"X{session.leader(one)}" for one in ids}
        return cls(
            number,
            Class(row["lhs_id"], row["lhs_source"], row["lhs_target"]),
            row["source"],
            row["target"],
            row["count"],
            fraction_text(row["count"], row["lhs_count"], row["lhs_rule_count"]),
            fillers,
            labels,
        )

    @property
    def name(self) -> str:
        """The short name, such as ``R7``."""
        return f"R{self.id}"

    def __str__(self) -> str:
        return f"{self.lhs.name} -> ({self.source}, {self.target})  {self.fraction}"

    def __repr__(self) -> str:
        return f"<{self.name} {self.lhs.name} -> ({self.source}, {self.target}), {self.fraction}>"

    def _repr_html_(self) -> str:
        return show.rule(self)


class Context:
    """A context of a store: ``store.context(3)``.

    Attributes
    ----------
    id, source, target, energy
        Its row of the table ``context``.
    filler_count
        How many non-terminals fill it.
    """

    def __init__(self, store: Store, row: dict[str, Any]) -> None:
        self._store = store
        self.id: int = row["context_id"]
        self.source: str = row["source"]
        self.target: str = row["target"]
        self.energy: float = row["energy"]
        self.filler_count: int = row["fillers"]

    @classmethod
    def of(cls, store: Store, number: int) -> Context:
        """Read a context from its store."""
        rows = store.rows("show/context", id=number)
        if not rows:
            known = store.info()["contexts"]
            raise NotInStoreError(f"no context {number}: ids run from 1 to {known}")
        return cls(store, rows[0])

    def fillers(self, limit: int = 1000) -> pd.DataFrame:
        """The non-terminals that fill it, the most counted first."""
        return self._store.query("show/fillers", id=self.id, rows=limit)

    def __str__(self) -> str:
        return f"{self.source} | {self.target}"

    def __repr__(self) -> str:
        return f"<Context {self.id} {str(self)!r}, {self.filler_count} fillers>"

    def _repr_html_(self) -> str:
        return show.context(self)
