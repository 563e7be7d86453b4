"""What a session is: its name, method and so on."""

from __future__ import annotations

import json
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from grammar_store.errors import OptionError, SessionError
from grammar_store.sessions.journal import Journal
from grammar_store.store.names import is_text

if TYPE_CHECKING:
    from grammar_store.sessions.catalogue import Catalogue

Name = str | int
"""A non-terminal by its id (``12``, ``"X12"``) or text (``"Haus ||| house"``)."""


class Record:
    """The row of a session."""

    def __init__(self, catalogue: Catalogue, journal: Journal) -> None:
        self._catalogue = catalogue
        self._journal = journal

    @property
    def name(self) -> str:
        """The name."""
        return str(self._journal.row["name"])

    @property
    def description(self) -> str:
        """What it is about, in the user's words."""
        return str(self._journal.row["description"])

    @property
    def status(self) -> str:
        """``open`` or ``closed``."""
        return str(self._journal.row["status"])

    @property
    def method(self) -> str:
        """How its steps are chosen."""
        return str(self._journal.row["method"])

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the method."""
        found: dict[str, Any] = json.loads(self._journal.row["parameters"])
        return found

    @property
    def signature(self) -> str:
        """One line that says how to get the same again."""
        return str(self._journal.row["signature"])

    @property
    def step(self) -> int:
        """The number of the last step; 0 before the first."""
        return int(self._journal.row["last_step"])

    def __len__(self) -> int:
        """The number of steps."""
        return self.step

    def __bool__(self) -> bool:
        """True, also before the first step."""
        return True

    def __repr__(self) -> str:
        return f"<Session {self.name!r}: {self.step} steps, {self.status}>"

    def describe(self, text: str) -> None:
        """Say what the session is about."""
        if not is_text(text):
            raise OptionError("a description must be text that can be written in UTF-8")
        self._journal.set_text(description=text)

    def rename(self, name: str) -> None:
        """Give the session another name."""
        if name != self.name:
            self._catalogue.require_free(name)
            self._journal.set_text(name=name)

    def close(self) -> None:
        """Take no more steps. Everything can still be read, and branched from."""
        pending = self._journal.constraints.pending(self._journal.line)
        if pending:
            first, second = pending[0]
            raise SessionError(
                f"X{first} and X{second} must merge, and have not yet: merge_required() merges"
                " them, drop_constraint() lets them be"
            )
        self._journal.set_text(status="closed")

    def reopen(self) -> None:
        """Take steps again after `close`."""
        self._journal.set_text(status="open")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Free the memory; the steps are in the file already."""
        self._journal.forget()
