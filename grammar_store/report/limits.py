"""How much of a session a report shows."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from grammar_store.errors import OptionError

_BYTES_OF_A_MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Limits:
    """The most of everything in a report; the page says what is left out.

    Attributes
    ----------
    classes
        Cards, of the largest classes.
    members, contexts, examples
        Members, contexts and sentence pairs on a card.
    pairs
        Members of a class that the page explains: why are they with their leader?
    steps
        Stops of the slider through the history, and merges in the list of close calls.
    search
        Non-terminals that the search box knows, the most frequent.
    megabytes
        The size of the page; cards, then stops, then the search make way.

    Examples
    --------
    >>> Limits(classes=5).members
    12
    >>> Limits(classes=0)
    Traceback (most recent call last):
    ...
    grammar_store.errors.OptionError: classes must be at least 1, not 0
    """

    classes: int = 100
    members: int = 12
    contexts: int = 8
    examples: int = 3
    pairs: int = 4
    steps: int = 1000
    search: int = 50_000
    megabytes: float = 20.0

    def __post_init__(self) -> None:
        least = {"classes": 1, "members": 1, "steps": 2, "megabytes": 1}
        for field in fields(self):
            value = getattr(self, field.name)
            if not value >= least.get(field.name, 0):
                raise OptionError(
                    f"{field.name} must be at least {least.get(field.name, 0)}, not {value}"
                )

    @classmethod
    def named(cls, **limits: Any) -> Limits:
        """Those that are given; a name that is none is an error."""
        known = [field.name for field in fields(cls)]
        for name in limits:
            if name not in known:
                raise OptionError(f"a report has no limit {name!r}: use {', '.join(known)}")
        return cls(**limits)

    def share(self, part: float) -> int:
        """A part of the size of the page, in bytes."""
        return int(self.megabytes * _BYTES_OF_A_MEGABYTE * part)
