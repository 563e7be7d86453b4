"""The commands that look into a store: info, show, rules, sql and check."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click

from grammar_store.cli.output import print_facts, print_json, print_table, progress_bars, visible
from grammar_store.cli.stores import FILE, JSON, at_most, reading
from grammar_store.errors import OptionError

_ALL_ROWS = 2**62


@click.command()
@click.argument("file", type=FILE)
@JSON
def info(file: Path, as_json: bool) -> None:
    """Show the sizes of a store and how it was built."""
    with reading(file) as store:
        facts = store.info()
    facts["options"] = json.loads(facts["options"])
    facts["inputs"] = json.loads(facts["inputs"])
    facts["bytes"] = file.stat().st_size
    if as_json:
        print_json(facts)
        return
    options, inputs = facts.pop("options"), facts.pop("inputs")
    alpha, fisher = facts.pop("prune_alpha"), facts.pop("prune_fisher")
    before = facts.pop("rules_before_pruning")
    if alpha is not None:
        backoff = "with" if fisher else "without"
        facts["pruned"] = f"for alpha up to {alpha:g}, {backoff} Fisher; {before:,} rules before"
    print_facts({name.replace("_", " "): value for name, value in facts.items()})
    print_facts({f"option {name}": value for name, value in options.items()})
    print_facts({f"sha256 of {role}": digest for role, digest in inputs.items()})


@click.command()
@click.argument("file", type=FILE)
@click.argument("name")
@at_most(10, "rows of each kind")
@JSON
def show(file: Path, name: str, limit: int, as_json: bool) -> None:
    """Show a non-terminal (X12 or 'das neue ||| the new'): rules, contexts, sentences."""
    from grammar_store.nonterminal import fraction_text

    most = limit or _ALL_ROWS
    with reading(file) as store:
        found = store[name]
        rules, contexts = found.rules(most), found.contexts(most)
        examples = found.examples(most)
    if as_json:
        print_json(
            {
                "name": found.name,
                "source": found.source,
                "target": found.target,
                "count": found.count,
                "rule_count": found.rule_count,
                "height": found.height,
                "sentences": found.sentences,
                "rules": rules.to_dict("records"),
                "contexts": contexts.to_dict("records"),
                "examples": [example._asdict() for example in examples],
            }
        )
        return
    click.echo(visible(f"{found.name}  {found.text}"))
    print_facts({"count": found.count, "sentence pairs": found.sentences, "height": found.height})
    print_table(
        ["rule", "count"],
        [
            (
                f"{found.name} -> ({row['source']}, {row['target']})",
                fraction_text(row["count"], found.count, found.rule_count),
            )
            for row in rules.to_dict("records")
        ],
        title=f"Rules ({len(rules):,} of {found.rule_count:,})",
    )
    print_table(
        ["context", "count", "proportion"],
        [
            (f"{row['source']} | {row['target']}", f"{row['c']:.6g}", f"{row['p']:.4g}")
            for row in contexts.to_dict("records")
        ],
        title="Contexts, the most frequent first",
    )
    print_table(
        ["sentence", "source", "target"],
        [
            (example.sentence_id, _marked(example.source), _marked(example.target))
            for example in examples
        ],
        title=f"Sentences ({len(examples):,} of {found.count:,} occurrences)",
    )


def _marked(parts: tuple[str, str, str]) -> str:
    before, phrase, after = parts
    return " ".join(part for part in (before, f"«{phrase}»", after) if part)


@click.command()
@click.argument("file", type=FILE)
@click.option("--lhs", help="Only the rules of this non-terminal.")
@at_most(100, "rules")
@JSON
def rules(file: Path, lhs: str | None, limit: int, as_json: bool) -> None:
    """List glue rules and rules with their counts, as the paper's Table 1 does."""
    from grammar_store.nonterminal import fraction_text

    # One more than wanted tells whether there are more.
    most = limit + 1 if limit else _ALL_ROWS
    with reading(file) as store:
        low, high = (1, 2**31 - 1) if lhs is None else (store[lhs].id,) * 2
        glue = store.rows("queries/glue_listing", low=low, high=high, rows=most)
        listing = store.rows("queries/grammar_listing", low=low, high=high, rows=most)
    if limit and max(len(glue), len(listing)) > limit:
        click.echo(f"only the first {limit:,} rules of each kind: use --limit 0 for all", err=True)
    glue = glue[: limit or None]
    rows = [
        row | {"fraction": fraction_text(row["count"], row["lhs_count"], row["lhs_rule_count"])}
        for row in listing[: limit or None]
    ]
    if as_json:
        print_json({"glue": glue, "rules": rows})
        return
    print_table(
        ["production", "count"],
        [
            *((f"I -> ([X{r['nonterminal_id']},1], [X{r['nonterminal_id']},1])", r["count"])
              for r in glue),
            *((f"X{r['lhs_id']} -> ({r['source']}, {r['target']})", r["fraction"]) for r in rows),
        ],
    )  # fmt: skip


@click.command()
@click.argument("file", type=FILE)
@click.argument("query", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json", "parquet"]),
    help="What to write [a table of the first rows; with -o, what the name of the file says].",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("-o", "--output", type=FILE, help="Write to this file instead of stdout.")
@at_most(100, "rows of a table")
def sql(
    file: Path,
    query: str | None,
    form: str | None,
    as_json: bool,
    output: Path | None,
    limit: int,
) -> None:
    """Run an SQL query on a store (read-only); QUERY from stdin if not given."""
    from grammar_store.cli.sql import run_query

    form = "json" if as_json else form or _form_of(output)
    if query is None:
        query = _from_stdin()
    run_query(file, query, form, output, limit)


def _form_of(output: Path | None) -> str:
    if output is None:
        return "table"
    form = output.suffix.lower().removeprefix(".")
    if form not in ("csv", "json", "parquet"):
        raise OptionError(f"{output} is named neither .csv, .json nor .parquet: add --format")
    return form


def _from_stdin() -> str:
    if sys.stdin.isatty():
        raise click.UsageError("give a query, or pipe one in")
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as problem:
        raise OptionError(f"the query is not UTF-8 text: {problem.reason}") from problem


@click.command()
@click.argument("file", type=FILE)
@JSON
def check(file: Path, as_json: bool) -> None:
    """Verify every invariant of a store; exit code 1 if one is broken."""
    with reading(file) as store, progress_bars() as progress:
        problems = store.check(progress)
    if as_json:
        print_json([asdict(problem) for problem in problems])
    else:
        for problem in problems:
            click.echo(str(problem))
        click.echo(f"{len(problems)} broken invariant(s)" if problems else "all invariants hold")
    sys.exit(1 if problems else 0)
