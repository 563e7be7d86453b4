"""The command that writes a page about a session."""

from __future__ import annotations

from pathlib import Path

import click

from grammar_store.cli.output import print_facts, print_json, progress_bars
from grammar_store.cli.stores import AT, FILE, JSON, SESSION, reading


def _most(name: str, default: float, words: str) -> click.Option:
    kind = click.FLOAT if isinstance(default, float) else click.INT
    return click.Option(
        [f"--{name}"], type=kind, default=default, show_default=True, help=f"The most {words}."
    )


@click.command(
    params=[
        _most("classes", 100, "classes to show, the most frequent"),
        _most("members", 12, "members of a class"),
        _most("contexts", 8, "contexts of a class"),
        _most("examples", 3, "sentence pairs of a class"),
        _most("pairs", 4, "members of a class to explain"),
        _most("steps", 1000, "stops of the slider"),
        _most("search", 50_000, "non-terminals to search in, the most frequent"),
        _most("megabytes", 20.0, "of all: the size of the page"),
    ]
)
@click.argument("file", type=FILE)
@SESSION
@AT
@click.option("-o", "--output", type=FILE, required=True, help="The page to write, report.html.")
@JSON
def report(
    file: Path, session: str, at: int | None, output: Path, as_json: bool, **limits: float
) -> None:
    """Write a page about a session that opens in any browser, offline: classes, history, why."""
    with reading(file) as store, progress_bars() as progress:
        written = store.report(output, session, at, progress=progress, **limits)
    if as_json:
        print_json(written.to_dict())
        return
    print_facts(
        {
            "page": written.path,
            "bytes": written.size,
            "classes shown": f"{written.cards:,} of {written.classes:,}",
        }
    )
    for line in written.left_out:
        click.echo(f"left out: {line}")
