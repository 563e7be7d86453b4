"""Writing a report: read, make the page, and put it in place in one go."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grammar_store.export.files import new_file
from grammar_store.extraction.grammar import Progress, no_progress
from grammar_store.report.gather import gather
from grammar_store.report.limits import Limits
from grammar_store.report.page import make_page
from grammar_store.store.database import Database


@dataclass(frozen=True)
class Report:
    """A report that was written.

    Attributes
    ----------
    path
        The file.
    size
        Its bytes.
    session, step
        What it is about.
    classes, cards
        How many classes there are, and how many it shows.
    left_out
        What it does not show, a sentence each.
    """

    path: Path
    size: int
    session: str
    step: int
    classes: int
    cards: int
    left_out: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same for JSON."""
        return asdict(self) | {"path": str(self.path)}


def write_report(
    database: Database,
    path: str | Path,
    session: str,
    at: int | None = None,
    limits: Limits | None = None,
    progress: Progress = no_progress,
) -> Report:
    """Write a page about a session.

    Parameters
    ----------
    database
        The store.
    path
        The file to write; it appears, or is replaced, when it is complete.
    session
        The name of the session.
    at
        As of which step, by default the last.
    limits
        How much to show.
    progress
        Called with stage, how much is done and how much there is (0: not known).
    """
    limits = limits or Limits()
    content = gather(database, session, at, limits, progress)
    progress("page", 0, 0)
    page = make_page(content, limits)
    with new_file(path) as file:
        file.write(page.text)
    return Report(
        Path(path),
        len(page.text),
        session,
        content.session["step"],
        len(content.labels.order),
        page.cards,
        page.left_out,
    )
