"""Showing things on a terminal, in a pipe or as JSON; progress on a terminal only."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import pandas as pd

    from grammar_store.extraction.grammar import Progress


# Characters that end lines and columns or steer terminals, as escapes.
_ESCAPES = {code: repr(chr(code))[1:-1] for code in (*range(0x20), *range(0x7F, 0xA0))}


def print_json(value: Any) -> None:
    """One JSON document on stdout, in UTF-8 whatever the terminal uses."""
    text = json.dumps(value, ensure_ascii=False, default=str, allow_nan=False)
    click.echo(text.encode("utf-8", "backslashreplace"))


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table for JSON: what is missing in them is null."""
    known = frame.astype(object).where(frame.notna(), None)
    return [{str(name): value for name, value in row.items()} for row in known.to_dict("records")]


def visible(value: Any) -> str:
    r"""A value as text on one line: control characters, tabs too, as escapes.

    Examples
    --------
    >>> print(visible("10\tkg"), visible(None), visible(2.0))
    10\tkg  2.0
    """
    return "" if value is None else str(value).translate(_ESCAPES)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> None:
    """A table for people; plain tab-separated lines when stdout is not a terminal."""
    header = [visible(column) for column in columns]
    shown = [[visible(value) for value in row] for row in rows]
    if not sys.stdout.isatty():
        if title:
            click.echo(f"\n{visible(title)}")
        for row in (header, *shown):
            click.echo("\t".join(row))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # Text, not markup: a word of the corpus may look like a tag.
    heading = Text(visible(title)) if title else None
    table = Table(title=heading, title_justify="left", box=box.SIMPLE_HEAD)
    for name in header:
        table.add_column(Text(name), overflow="fold")
    for row in shown:
        table.add_row(*map(Text, row))
    Console().print(table)


def print_facts(facts: dict[str, Any]) -> None:
    """Names and values, a line each, aligned."""
    width = max(map(len, facts), default=0)
    for name, value in facts.items():
        is_number = isinstance(value, int) and not isinstance(value, bool)
        text = f"{value:,}" if is_number else str(value)
        click.echo(f"{name:<{width}}  {visible(text)}")


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """A bar per stage on stderr; nothing when stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda stage, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    bars = Progress(
        TextColumn("{task.description:<16}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    tasks: dict[str, Any] = {}

    def update(stage: str, done: int, total: int) -> None:
        if stage not in tasks:
            tasks[stage] = bars.add_task(stage, total=total or None)
        bars.update(tasks[stage], completed=done, total=total or None)

    with bars:
        yield update


@contextmanager
def working(stage: str) -> Iterator[None]:
    """A bar on stderr that shows that work goes on, where nobody knows how much there is."""
    with progress_bars() as progress:
        progress(stage, 0, 0)
        yield
