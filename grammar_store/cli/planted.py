"""Grammars that are known: sample draws a bitext from one, score looks what was learnt of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from grammar_store.cli.output import print_facts, print_json, print_table
from grammar_store.cli.stores import AT, FILE, JSON, SESSION, at_most, reading, resumed


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
@JSON
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


@click.command("score")
@click.argument("file", type=FILE)
@SESSION
@click.option("--truth", required=True, type=FILE, help="The true labels: truth.tsv of sample.")
@click.option(
    "--certain",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Leave out phrase pairs with their label in less than this share of derivations.",
)
@AT
@at_most(20, "wrong merges, the gravest ones")
@JSON
def score_command(
    file: Path,
    session: str,
    truth: Path,
    certain: float,
    at: int | None,
    limit: int,
    as_json: bool,
) -> None:
    """Score the classes of a session against true labels.

    Adjusted Rand index, precision and recall count pairs of phrase pairs; classes that mix labels
    are listed.
    """
    with reading(file) as store:
        found = resumed(store, session).score(truth, certain, at)
    facts: dict[str, Any] = {
        "adjusted Rand": found.adjusted_rand,
        "precision": found.precision,
        "recall": found.recall,
        "phrase pairs": found.phrase_pairs,
        "not in the store": found.unseen,
        "classes": found.classes,
        "labels": found.labels,
    }
    wrong = found.wrong_merges[: limit or None]
    if as_json:
        plain = {name.lower().replace(" ", "_"): value for name, value in facts.items()}
        rows = [one._asdict() | {"in_class": f"X{one.in_class}"} for one in wrong]
        print_json(plain | {"wrong_merges": rows})
        return
    print_facts(facts)
    if len(wrong) < len(found.wrong_merges):
        rest = len(found.wrong_merges)
        click.echo(f"only {len(wrong):,} of {rest:,} wrong merges: use --limit 0", err=True)
    if wrong:
        print_table(
            ["class", "label", "other label", "pairs", "example", "other example"],
            [(f"X{one.in_class}", *one[1:]) for one in wrong],
            title="wrong merges",
        )
