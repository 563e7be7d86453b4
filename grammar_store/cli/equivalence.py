"""The commands that compare non-terminals: compare, why-not and dissimilarity."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grammar_store.cli.output import print_json, print_table, records, working
from grammar_store.cli.stores import AT, FILE, JSON, reading, resumed

if TYPE_CHECKING:
    import pandas as pd

    from grammar_store.equivalence.verdict import Verdict


def _pair(function: click.decorators.FC) -> click.decorators.FC:
    """The pair to test, the state of the grammar and the level of the tests."""
    options = [
        click.argument("file", type=FILE),
        click.argument("a"),
        click.argument("b"),
        click.option("--session", metavar="NAME", help="Test the classes of this session."),
        AT,
        click.option("--alpha", type=float, help="The level of the tests [the session's; 0.01]."),
        click.option(
            "--fisher-below",
            type=float,
            help="Use Fisher's exact test where a count is below this [the session's; 20];"
            " 0 for never.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def _compare(
    file: Path,
    a: str,
    b: str,
    session: str | None,
    at: int | None,
    **level: float | None,
) -> Verdict:
    given = {name: value for name, value in level.items() if value is not None}
    if at is not None and session is None:
        raise click.UsageError("--at is a step of a session: name it with --session")
    with reading(file) as store, working("comparing"):
        if session is None:
            verdict = store.compare(a, b, **given)
        else:
            held = resumed(store, session)
            usual = {name: held.parameters[name] for name in level if name in held.parameters}
            verdict = held.at(at).compare(a, b, **(usual | given))
        _ = verdict.comparisons  # read while the store is open
    return verdict


@click.command()
@_pair
@click.option("--limit", default=10, show_default=True, help="The most comparisons shown.")
@JSON
def compare(
    file: Path,
    a: str,
    b: str,
    session: str | None,
    at: int | None,
    alpha: float | None,
    fisher_below: float | None,
    limit: int,
    as_json: bool,
) -> None:
    """Are two non-terminals equivalent? Exit code 0 if so, 1 if not."""
    verdict = _compare(file, a, b, session, at, alpha=alpha, fisher_below=fisher_below)
    most = verdict.comparisons.nlargest(limit, "d")
    if as_json:
        print_json(verdict.to_dict() | {"comparisons": records(most)})
    else:
        click.echo(_told(verdict, session))
        if len(most):
            _print_comparisons(verdict, most)
    sys.exit(0 if verdict.equivalent else 1)


def _print_comparisons(verdict: Verdict, most: pd.DataFrame) -> None:
    print_table(
        ["depth", "pair", "context", "c1/C1", "c2/C2", "D", "test", "equal"],
        [
            (
                row["depth"],
                f"X{row['first_id']}, X{row['second_id']}",
                f"{row['source']} | {row['target']}",
                f"{row['c1']:.4g}/{row['big_c1']:g}",
                f"{row['c2']:.4g}/{row['big_c2']:g}",
                f"{row['d']:.4g}",
                row["test"],
                "yes" if row["equal"] else "no",
            )
            for row in most.to_dict("records")
        ],
        title=f"Greatest D ({len(most):,} of {len(verdict.comparisons):,} comparisons)",
    )


def _told(verdict: Verdict, session: str | None) -> str:
    if session is not None and verdict.first == verdict.second:
        return f"both are in the class of {verdict.first}: `grammar-store why` tells why"
    return str(verdict)


@click.command("why-not")
@_pair
@JSON
def why_not(
    file: Path,
    a: str,
    b: str,
    session: str | None,
    at: int | None,
    alpha: float | None,
    fisher_below: float | None,
    as_json: bool,
) -> None:
    """Why are two non-terminals not equivalent? Exit code 1 if they are."""
    verdict = _compare(file, a, b, session, at, alpha=alpha, fisher_below=fisher_below)
    if as_json:
        print_json(verdict.to_dict())
    else:
        click.echo(_told(verdict, session))
    sys.exit(1 if verdict.equivalent else 0)


@click.command()
@click.argument("file", type=FILE)
@click.argument("names", nargs=-1)
@click.option("--top", type=int, help="The most frequent non-terminals instead of NAMES.")
@click.option(
    "-o", "--output", type=FILE, required=True, help="A .npy, .parquet, .csv or .json file."
)
@click.option("--threads", type=int, help="Cores to use [all]; the result is the same.")
def dissimilarity(
    file: Path, names: tuple[str, ...], top: int | None, output: Path, threads: int | None
) -> None:
    """Write the dissimilarities of non-terminals, recursion included.

    A .npy file holds the symmetric matrix, the others a row per pair.
    """
    import numpy as np

    from grammar_store.cli.sql import WRITERS, sink

    form = output.suffix.removeprefix(".")
    if form not in ("npy", *WRITERS):
        raise click.UsageError(f"{output}: name a file that ends in .npy, .parquet, .csv or .json")
    with reading(file) as store:
        found = store.dissimilarities(top, list(names) or None, threads)
    with sink(output) as opened:
        if form == "npy":
            np.save(opened, found.matrix)
        else:
            table = found.to_arrow()
            WRITERS[form](table.schema, table.to_batches(), opened)
    click.echo(f"{len(found.ids):,} non-terminals, greatest {found.matrix.max():.4g}, in {output}")
