"""The commands that make a store: build and demo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import click

from grammar_store.cli.output import print_facts, print_json, print_table, progress_bars

F = TypeVar("F", bound=Callable[..., Any])


_UNLIMITED = object()
"""The value of an option given as ``none``; one not given is None."""


def _number_or_none(value: str) -> object:
    if value == "none":
        return _UNLIMITED
    try:
        return int(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is neither a whole number nor none") from None


def _limit(name: str, words: str) -> Callable[[F], F]:
    return click.option(name, type=_number_or_none, metavar="N|none", help=words)


_EXTRACTION = [
    click.option(
        "--preset",
        type=click.Choice(["full", "hiero", "moses"]),
        default="full",
        show_default=True,
        help="full: the paper's grammar; hiero: Chiang's six restrictions; moses: what Moses does.",
    ),
    click.option("--max-gaps", type=int, help="The most gaps in a rule [full: 1]."),
    _limit("--max-length", "The most words of a phrase pair on a side."),
    _limit("--max-source-symbols", "The most source words and gaps."),
    click.option("--min-gap-length", type=int, help="The fewest source words in a gap."),
    click.option(
        "--adjacent-gaps/--no-adjacent-gaps",
        default=None,
        help="May gaps stand side by side on the source side?",
    ),
    click.option(
        "--tight/--no-tight", default=None, help="Only phrase pairs whose edge words are linked."
    ),
    click.option(
        "--lexical",
        type=click.Choice(["either", "source", "both", "aligned"]),
        help="Where a rule must have words of its own.",
    ),
    click.option(
        "--counting",
        type=click.Choice(["type", "occurrence"]),
        help="Spread counts over distinct rules, or over those of each occurrence.",
    ),
    _limit("--max-words", "Skip longer sentence pairs [full: 100]."),
    click.option("--max-phrase-pairs", type=int, help="Skip sentence pairs with more [20000]."),
]


def extraction_options(function: F) -> F:
    """Add the options of extraction to a command."""
    for option in reversed(_EXTRACTION):
        function = option(function)
    return function


@click.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path), required=False)
@click.argument("alignment", type=click.Path(path_type=Path), required=False)
@click.option("--store", required=True, type=click.Path(path_type=Path), help="The file to make.")
@click.option("--source-classes", type=click.Path(path_type=Path), help="Word TAB class, per line.")
@click.option("--target-classes", type=click.Path(path_type=Path), help="Word TAB class, per line.")
@click.option("--source-factors", type=click.Path(path_type=Path), help="A text of classes.")
@click.option("--target-factors", type=click.Path(path_type=Path), help="A text of classes.")
@extraction_options
@click.option(
    "--prune",
    type=float,
    metavar="ALPHA",
    help="Keep only the contexts that tests at this level or a stricter one can need.",
)
@click.option(
    "--fisher-below",
    type=int,
    default=20,
    show_default=True,
    help="With --prune: 0 if tests will not use Fisher's test, which leaves out more.",
)
@click.option("--threads", type=int, help="Cores to use [all]; the result is the same.")
@click.option(
    "--memory-limit", default="1GB", show_default=True, help="For DuckDB; then it spills."
)
@click.option("--force", is_flag=True, help="Replace a store even if it has sessions.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def build(store: Path, as_json: bool, **given: Any) -> None:
    """Extract the grammar of a word-aligned bitext into a store.

    SOURCE, TARGET and ALIGNMENT are text files (plain, .gz, .xz or .zst) with a sentence,
    or its links i-j, per line; or give one file with ||| between the three.
    """
    import grammar_store as gs

    given = {name: value for name, value in given.items() if value is not None}
    given = {name: None if value is _UNLIMITED else value for name, value in given.items()}
    with progress_bars() as progress:
        report = gs.open(store).build(progress=progress, **given)
    if as_json:
        print_json(asdict(report))
        return
    for note in report.notes:
        click.echo(f"note: {note}", err=True)
    for reason, number in report.skipped.items():
        click.echo(f"note: {number:,} sentence pair(s) skipped: {reason}", err=True)
    print_facts(
        {
            "store": store,
            "sentence pairs": report.sentences,
            "non-terminals": report.nonterminals,
            "rules": report.rules,
            "contexts": report.contexts,
            "seconds": round(sum(report.seconds.values()), 1),
            "signature": report.signature,
        }
    )


_DEMO_SESSION = "demo"


@click.command()
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    default=Path("demo.duckdb"),
    show_default=True,
    help="The file to make.",
)
def demo(store: Path) -> None:
    """Build a store from the built-in sample, look around in it, compare and merge."""
    import grammar_store as gs
    from grammar_store.nonterminal import fraction_text

    click.echo("German-English sample, 360 sentence pairs; the first run compiles the kernels.\n")
    with progress_bars() as progress:
        opened = gs.open(store)
        # Its own session may go when it is run again; others are refused as in any build.
        again = store.exists() and opened.sessions()["name"].tolist() == [_DEMO_SESSION]
        report = opened.build(*gs.sample_files(), force=again, progress=progress)
    click.echo(
        f"{report.sentences:,} sentence pairs -> {report.nonterminals:,} non-terminals, "
        f"{report.rules:,} rules, {report.contexts:,} contexts in {store}\n"
    )
    example = opened["das Haus ||| the house"]
    print_table(
        ["rule", "count"],
        [
            (
                f"{example.name} -> ({row['source']}, {row['target']})",
                fraction_text(row["count"], example.count, example.rule_count),
            )
            for row in example.rules().to_dict("records")
        ],
        title=f"The rules of {example.name}, {example.text}",
    )
    a, b = opened["Haus ||| house"], opened["Auto ||| car"]
    shared = opened.sql("FROM shared_contexts($a, $b) LIMIT 5", a=a.id, b=b.id).fetchall()
    print_table(
        ["context", f"{a.source} fills it", f"{b.source} fills it"],
        [(f"{row[1]} | {row[2]}", f"{row[3]:.4g}", f"{row[4]:.4g}") for row in shared],
        title=f"Contexts that {a.name} ({a.text}) and {b.name} ({b.text}) share",
    )
    click.echo(f"\n{opened.compare(a.name, b.name)}")
    session = opened.session(_DEMO_SESSION, method="k-medoids", top=100, clusters=4)
    session.run()
    classes = session.classes()
    print_table(
        ["leader", "members", "count", "such as"],
        [
            (f"X{row['leader']}", row["members"], row["count"], row["examples"])
            for row in classes.to_dict("records")
        ],
        title=f"All merged into {len(classes)} classes, in a session named {_DEMO_SESSION!r}",
    )
    opened.close()
    click.echo(f'Go on:  grammar-store sql {store} "FROM contexts_of({a.id}) LIMIT 10"')
    click.echo(f"        grammar-store show {store} '{a.text}'")
    click.echo(f"        grammar-store history {store} --session {_DEMO_SESSION} --limit 5")
