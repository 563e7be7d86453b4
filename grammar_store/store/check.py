"""Verifying that a store is as it should be: each invariant is a file of ``schema/checks``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
        What is broken; empty when all is well.
    """
    names = sql_names("checks")
    problems = []
    with database.cursor() as cursor:
        problems.append(_check_catalogue(cursor))
        for number, name in enumerate(names):
            if progress:
                progress(name.partition("/")[2], number, len(names))
            problems.append(_run(cursor, name))
    return [problem for problem in problems if problem]


def _run(cursor: duckdb.DuckDBPyConnection, name: str) -> Problem | None:
    text = sql(name)
    shown: list[str] = []
    count = 0
    for what in _answers(cursor, text):
        count += 1
        if count <= SHOWN:
            shown.append(what)
    if count == 0:
        return None
    return Problem(name.partition("/")[2], invariant_of(text), tuple(shown), count)


def _answers(cursor: duckdb.DuckDBPyConnection, text: str) -> Iterator[str]:
    """What a check finds; a missing table or a damaged file is found too."""
    try:
        cursor.execute(text)
        while rows := cursor.fetchmany(_BATCH):
            for (what,) in rows:
                yield what
    except (duckdb.OutOfMemoryException, duckdb.InterruptException):
        raise
    except duckdb.Error as problem:
        yield _cannot(problem)


def _cannot(problem: duckdb.Error) -> str:
    return "cannot be verified: " + str(problem).partition("\n")[0]


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
    try:
        missing = sorted(expected_catalogue() - catalogue_of(cursor))
        wrong = [f"{kind} {name} is missing or different" for kind, name, _ in missing]
    except duckdb.Error as problem:
        wrong = [_cannot(problem)]
    if not wrong:
        return None
    return Problem(
        "catalogue",
        "Tables, views and macros are as this grammar_store makes them.",
        tuple(wrong[:SHOWN]),
        len(wrong),
    )
