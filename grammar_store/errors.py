"""What can go wrong, said once: every message tells what, where and what to do."""

from __future__ import annotations

from pathlib import Path


class GrammarStoreError(Exception):
    """Base of all errors that a user can mend; the message is one line."""


class InputError(GrammarStoreError):
    """A file that a user gave cannot be read as what it should be.

    Parameters
    ----------
    message
        What is wrong and what to do about it.
    path
        The file at fault.
    line
        Its line, counted from 1.

    Examples
    --------
    >>> print(InputError("link '3-x' is not of the form i-j", path="a.align", line=7))
    a.align:7: link '3-x' is not of the form i-j
    """

    def __init__(
        self, message: str, path: str | Path | None = None, line: int | None = None
    ) -> None:
        self.message = message
        self.path = None if path is None else str(path)
        self.line = line
        where = [part for part in (self.path, None if line is None else str(line)) if part]
        super().__init__(": ".join([":".join(where), message]) if where else message)


class OptionError(GrammarStoreError):
    """An option has a value that cannot be used, or two options exclude each other."""


class StoreError(GrammarStoreError):
    """A store file is missing, foreign, damaged, too new or cannot be written."""


class StoreLockedError(StoreError):
    """Another process writes to the store; the message names it."""


class NotInStoreError(GrammarStoreError):
    """A non-terminal, session or other named thing is not in the store."""


class PrunedError(GrammarStoreError):
    """The store was built with ``--prune`` and no longer holds what is asked for."""


class SessionError(GrammarStoreError):
    """A session cannot do what is asked: it is closed, there is no such step, and so on."""


class ConstraintError(SessionError):
    """A step or a constraint would break a constraint of the session; the message names both."""


class DependantsError(SessionError):
    """An earlier step cannot be undone alone, because later ones rest on it.

    Attributes
    ----------
    steps
        Their numbers.
    """

    def __init__(self, message: str, steps: list[int]) -> None:
        self.steps = steps
        super().__init__(message)
