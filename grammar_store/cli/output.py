"""Showing things on a terminal, in a pipe or as JSON; progress on a terminal only."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from grammar_store.extraction.grammar import Progress


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, default=str, allow_nan=False))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> None:
    """A table for people; plain tab-separated lines when stdout is not a terminal."""
    shown = [["" if value is None else str(value) for value in row] for row in rows]
    if not sys.stdout.isatty():
        click.echo("\t".join(columns))
        for row in shown:
            click.echo("\t".join(row))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in shown:
        # Text, not markup: a word of the corpus may look like a tag.
        table.add_row(*(Text(value) for value in row))
    Console().print(table)


def print_facts(facts: dict[str, Any]) -> None:
    """Names and values, a line each, aligned."""
    width = max(map(len, facts), default=0)
    for name, value in facts.items():
        text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
        click.echo(f"{name:<{width}}  {text}")


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
