"""The commands for files of others: export and import."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from grammar_store.cli.output import print_facts, print_json, progress_bars, working
from grammar_store.cli.stores import AT, FILE, JSON, reading

_DECODERS = ["moses", "joshua", "cdec"]
_FORMATS = [*_DECODERS, "parquet", "csv", "graphml", "json", "dot"]


@click.command("export")
@click.argument("file", type=FILE)
@click.option("--format", "form", type=click.Choice(_FORMATS), required=True, help="What to write.")
@click.option("-o", "--output", type=FILE, help="The file to write; .gz is compressed.")
@click.option("--session", metavar="NAME", help="Label rules with the classes of this session.")
@AT
@click.option(
    "--grammar",
    type=click.Choice(["hiero", "stored"]),
    help="Rules extracted as decoders want them, or those of the store [hiero for decoders].",
)
@click.option("--table", metavar="NAME", help="parquet, csv: a table or view [merged_rule].")
@click.option("--filter", "test", type=FILE, help="Only rules that sentences of this file can use.")
@click.option("--per-sentence", type=FILE, metavar="DIR", help="Also a grammar for each of them.")
@click.option("--features", metavar="NAMES", help="Only these features, separated by spaces.")
@click.option("--digits", type=click.IntRange(1, 17), help="Digits of numbers [all that matter].")
@click.option("--no-entities", is_flag=True, help="For texts with &apos; and so on already.")
@click.option("--no-companions", is_flag=True, help="Neither glue rules nor settings beside it.")
@click.option("--center", metavar="NAME", help="graphml, json, dot: around this non-terminal.")
@click.option("--hops", type=click.IntRange(min=0), default=2, help="How far from it [2].")
@click.option("--limit", type=click.IntRange(min=0), default=500, help="The most nodes [500].")
@click.option(
    "--preset", type=click.Choice(["hiero", "moses"]), help="What the grammar hiero has [hiero]."
)
@click.option(
    "--smoothing", type=click.Choice(["none", "good-turing"]), help="Of probabilities [none]."
)
@click.option("--max-labels", type=click.IntRange(min=1), help="The most classes with a label.")
@click.option("--threads", type=click.IntRange(min=1), help="Cores to use [all].")
@click.option(
    "--memory-limit", default="1GB", show_default=True, help="For sorting; then it spills."
)
@JSON
def export_command(
    file: Path,
    form: str,
    output: Path | None,
    test: Path | None,
    per_sentence: Path | None,
    features: str | None,
    digits: int | None,
    no_entities: bool,
    no_companions: bool,
    limit: int,
    threads: int | None,
    memory_limit: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Write a grammar for a decoder, or a table or a graph of a store, to a file."""
    from grammar_store.export.exporting import ExportRequest, export
    from grammar_store.export.formats import WriteOptions

    names = ("preset", "smoothing", "max_labels")
    extraction = {name: given.pop(name) for name in names}
    extraction = {name: value for name, value in extraction.items() if value is not None}
    if threads is not None and form in _DECODERS and given["grammar"] != "stored":
        extraction["threads"] = threads
    request = ExportRequest(
        form,
        test=test,
        per_sentence=per_sentence,
        companions=not no_companions,
        limit=limit or None,
        extraction=extraction,
        **given,
    )
    chosen = None if features is None else features.split()
    options = WriteOptions(chosen, not no_entities, digits, memory_limit, threads)
    with reading(file) as store, progress_bars() as progress:
        report = export(store, output, request, options, progress)
    if as_json:
        print_json(asdict(report))
        return
    facts = {"files": ", ".join(report.files), "rows": report.rows}
    if report.sentence_rows is not None:
        facts["rows for sentences"] = report.sentence_rows
    print_facts(facts | {"signature": report.signature, "seconds": round(report.seconds, 1)})


@click.command("import")
@click.argument("file", type=FILE)
@click.option("--format", "form", type=click.Choice(_DECODERS), required=True, help="What it is.")
@click.option("--store", required=True, type=FILE, help="The file to make.")
@click.option("--count-from", metavar="NAME", help="Take counts from this feature [the counts].")
@click.option("--no-entities", is_flag=True, help="&apos; and so on are words of the text.")
@click.option("--force", is_flag=True, help="Replace a store even if it has sessions.")
@click.option("--threads", type=click.IntRange(min=1), help="Cores to use [all].")
@click.option(
    "--memory-limit", default="1GB", show_default=True, help="For DuckDB; then it spills."
)
@JSON
def import_command(
    file: Path, form: str, store: Path, no_entities: bool, as_json: bool, **given: Any
) -> None:
    """Make a store of a rule table made elsewhere, so that SQL, graphs and sessions work on it."""
    from grammar_store.export.foreign import import_rules

    entities = False if no_entities else None
    with working("importing"):
        report = import_rules(file, form, store, entities=entities, **given)
    facts = asdict(report)
    if as_json:
        print_json(facts)
    else:
        print_facts({name.replace("_", " "): value for name, value in facts.items()})
