"""The command that draws a bitext from a grammar that is known: sample."""

from __future__ import annotations

from pathlib import Path

import click

from grammar_store.cli.output import print_facts, print_json


@click.command()
@click.argument("grammar", metavar="NAME_OR_FILE")
@click.option(
    "--sentences", type=int, default=20_000, show_default=True, help="How many sentence pairs."
)
@click.option("--seed", type=int, default=0, show_default=True, help="What chance depends on.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write to.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def sample(grammar: str, sentences: int, seed: int, output: Path, as_json: bool) -> None:
    """Draw a bitext from a planted grammar, with exact links and true labels.

    The grammar is one of the package (agreement, order, verbs) or a text file, as
    docs/planted.md describes. The folder gets the files source, target and alignment, for
    build, and truth.tsv, to score what merging learns.
    """
    from grammar_store.planted import read_planted, write_sample

    truth = write_sample(read_planted(grammar), sentences, seed, output)
    facts = {
        "folder": str(output),
        "sentence pairs": sentences,
        "labels": len({one.label for one in truth.values()}),
        "phrase pairs with a label": len(truth),
        "ambiguous": sum(one.times < one.total for one in truth.values()),
    }
    if as_json:
        print_json({name.replace(" ", "_"): value for name, value in facts.items()})
    else:
        print_facts(facts)
