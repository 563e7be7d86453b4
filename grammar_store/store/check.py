"""Verifying that a store is as it should be: each invariant is a file of ``schema/checks``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import duckdb

from grammar_store.resources import header, sql, sql_names
from grammar_store.store.database import Database
from grammar_store.store.schema import catalogue_of, expected_catalogue

SHOWN = 10
"""How many violations of an invariant are kept as text."""

_BATCH = 100_000


@dataclass(frozen=True)
class Problem:
    """An invariant that does not hold.

    Attributes
    ----------
    check
        The name of the check, a file of ``schema/checks`` or ``catalogue``.
    invariant
        What should be, in a sentence.
    violations
        The first violations, with ids and numbers.
    count
        How many there are.

    Examples
    --------
    >>> print(Problem("rule_numbers", "Rules are counted.", ("X3 has 2 rules, not 3",), 5))
    rule_numbers: Rules are counted. Violated 5 times:
      X3 has 2 rules, not 3
      ...
    """

    check: str
    invariant: str
    violations: tuple[str, ...]
    count: int

    def __str__(self) -> str:
        times = "once" if self.count == 1 else f"{self.count} times"
        lines = [f"{self.check}: {self.invariant} Violated {times}:"]
        lines += [f"  {violation}" for violation in self.violations]
        if self.count > len(self.violations):
            lines.append("  ...")
        return "\n".join(lines)


def check(
    database: Database, progress: Callable[[str, int, int], None] | None = None
) -> list[Problem]:
    """Verify all invariants of a store.

    Parameters
    ----------
    database
        The store; reading is enough. Its memory limit holds, by spilling.
    progress
        Called before each check with its name, its number from 0 and how many there are.

    Returns
    -------
    list[Problem]
        What is broken; empty when all is well. Where tables or views are not as they should be,
        only that, because the rest builds on them.
    """
    with database.cursor() as cursor:
        problem = _check_catalogue(cursor)
        if problem:
            return [problem]
        problems = []
        names = sql_names("checks")
        for number, name in enumerate(names):
            if progress:
                progress(name.partition("/")[2], number, len(names))
            problem = _run(cursor, name)
            if problem:
                problems.append(problem)
        return problems


def _run(cursor: duckdb.DuckDBPyConnection, name: str) -> Problem | None:
    text = sql(name)
    cursor.execute(text)
    shown: list[str] = []
    count = 0
    while rows := cursor.fetchmany(_BATCH):
        shown += [what for (what,) in rows[: SHOWN - len(shown)]]
        count += len(rows)
    if count == 0:
        return None
    return Problem(name.partition("/")[2], invariant_of(text), tuple(shown), count)


def invariant_of(text: str) -> str:
    r"""The invariant that the header of a check states.

    Examples
    --------
    >>> invariant_of("-- Invariant: ids are\n-- dense.\n--\n-- One row per hole.\nSELECT 1")
    'Ids are dense.'
    """
    paragraph = header(text).partition("\n\n")[0].removeprefix("Invariant: ")
    words = " ".join(line for line in paragraph.splitlines() if not line.startswith("Needs: "))
    return words[:1].upper() + words[1:]


def _check_catalogue(cursor: duckdb.DuckDBPyConnection) -> Problem | None:
    """Compare tables, views and macros with those of a fresh store; a user may have added some."""
    found = catalogue_of(cursor)
    wrong = sorted(expected_catalogue() - found)
    if not wrong:
        return None
    return Problem(
        "catalogue",
        "Tables, views and macros are as this grammar_store makes them.",
        tuple(f"{kind} {name} is missing or different" for kind, name, _ in wrong[:SHOWN]),
        len(wrong),
    )
