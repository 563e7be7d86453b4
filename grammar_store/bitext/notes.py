"""What was read and kept but is worth telling: counted, and told once per kind and file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Kind:
    """A kind of note: what is found, in what, and what becomes of it."""

    found: str
    noun: str
    outcome: str


BYTE_ORDER_MARK = Kind("byte order mark at the start of", "line", "kept as part of the first word")
CARRIAGE_RETURN = Kind("carriage return at the end of", "line", "kept as part of the last word")
TAB = Kind("tab in", "line", "kept inside words")
EMPTY = Kind("no words on one side or both of", "sentence pair", "nothing to extract there")
NO_LINKS = Kind("no links in", "sentence pair", "nothing to extract there")
REPEATED_LINKS = Kind("repeated links in", "sentence pair", "each link counts once")


class Notes:
    """Counts the places of each kind of note.

    Examples
    --------
    >>> notes = Notes()
    >>> for line in (3, 8, 9):
    ...     notes.add(TAB, "corpus.de", line)
    >>> notes.add(NO_LINKS, None, 12)
    >>> for text in notes.texts():
    ...     print(text)
    tab in 3 lines of corpus.de (first: line 3): kept inside words
    no links in 1 sentence pair (line 12): nothing to extract there
    """

    def __init__(self) -> None:
        self._count_and_first: dict[tuple[Kind, Path | str | None], tuple[int, int]] = {}

    def add(self, kind: Kind, path: Path | str | None, line: int) -> None:
        """Count a place; `path` is None where the note is on the sentence pair as a whole."""
        count, first = self._count_and_first.get((kind, path), (0, line))
        self._count_and_first[kind, path] = (count + 1, first)

    def texts(self) -> list[str]:
        """The notes, in the order in which they first came up."""
        return [
            f"{kind.found} {count} {kind.noun}{'s' if count > 1 else ''}"
            + (f" of {path}" if path is not None else "")
            + f" ({'first: ' if count > 1 else ''}line {first}): {kind.outcome}"
            for (kind, path), (count, first) in self._count_and_first.items()
        ]
