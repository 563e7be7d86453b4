"""The commands that compare non-terminals: compare, why-not and dissimilarity."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grammar_store.cli.output import print_json, print_table

if TYPE_CHECKING:
    from grammar_store.equivalence.verdict import Verdict

_FILE = click.Path(path_type=Path)


def _level(function: click.decorators.FC) -> click.decorators.FC:
    """The options of a test."""
    function = click.option(
        "--fisher-below",
        type=float,
        default=20,
        show_default=True,
        help="Use Fisher's exact test where a count is below this; 0 for never.",
    )(function)
    return click.option(
        "--alpha", type=float, default=0.01, show_default=True, help="The level of the tests."
    )(function)


def _compare(file: Path, a: str, b: str, alpha: float, fisher_below: float) -> Verdict:
    import grammar_store as gs

    with gs.open(file, read_only=True) as store:
        verdict = store.compare(a, b, alpha, fisher_below)
        _ = verdict.comparisons  # read while the store is open
    return verdict


@click.command()
@click.argument("file", type=_FILE)
@click.argument("a")
@click.argument("b")
@_level
@click.option("--limit", default=10, show_default=True, help="The most comparisons shown.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(
    file: Path, a: str, b: str, alpha: float, fisher_below: float, limit: int, as_json: bool
) -> None:
    """Are two non-terminals equivalent? Exit code 0 if so, 1 if not."""
    verdict = _compare(file, a, b, alpha, fisher_below)
    most = verdict.comparisons.nlargest(limit, "d")
    if as_json:
        # By way of JSON, so that p-values that are none become null.
        rows = json.loads(most.to_json(orient="records", force_ascii=False))
        print_json(verdict.to_dict() | {"comparisons": rows})
    else:
        click.echo(str(verdict))
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
    sys.exit(0 if verdict.equivalent else 1)


@click.command("why-not")
@click.argument("file", type=_FILE)
@click.argument("a")
@click.argument("b")
@_level
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def why_not(file: Path, a: str, b: str, alpha: float, fisher_below: float, as_json: bool) -> None:
    """Why are two non-terminals not equivalent? Exit code 1 if they are."""
    verdict = _compare(file, a, b, alpha, fisher_below)
    if as_json:
        print_json(verdict.to_dict())
    else:
        click.echo(str(verdict))
    sys.exit(1 if verdict.equivalent else 0)


@click.command()
@click.argument("file", type=_FILE)
@click.argument("names", nargs=-1)
@click.option("--top", type=int, help="The most frequent non-terminals instead of NAMES.")
@click.option(
    "-o", "--output", type=_FILE, required=True, help="A .npy, .parquet, .csv or .json file."
)
@click.option("--threads", type=int, help="Cores to use [all]; the result is the same.")
def dissimilarity(
    file: Path, names: tuple[str, ...], top: int | None, output: Path, threads: int | None
) -> None:
    """Write the dissimilarities of non-terminals, recursion included.

    A .npy file holds the symmetric matrix, the others a row per pair.
    """
    import numpy as np

    import grammar_store as gs
    from grammar_store.cli.sql import WRITERS, sink

    form = output.suffix.removeprefix(".")
    if form not in ("npy", *WRITERS):
        raise click.UsageError(f"{output}: name a file that ends in .npy, .parquet, .csv or .json")
    with gs.open(file, read_only=True) as store:
        found = store.dissimilarities(top, list(names) or None, threads)
    with sink(output) as opened:
        if form == "npy":
            np.save(opened, found.matrix)
        else:
            table = found.to_arrow()
            WRITERS[form](table.schema, table.to_batches(), opened)
    click.echo(f"{len(found.ids):,} non-terminals, greatest {found.matrix.max():.4g}, in {output}")
