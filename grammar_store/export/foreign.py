"""A grammar made elsewhere in a store, so that SQL, graphs and sessions work on it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from grammar_store.errors import InputError, OptionError, StoreError
from grammar_store.export.reading import read_rules
from grammar_store.export.rules import RULE_SCHEMA, TranslationGrammar
from grammar_store.export.scratch import add_macros
from grammar_store.resources import sql
from grammar_store.store.build import refuse_to_lose_sessions
from grammar_store.store.database import Database, new_store

MAX_GAPS = 4
"""The most gaps of a rule in a store."""

_CLASH = re.compile(r"clash: (.*)")


@dataclass(frozen=True)
class ImportReport:
    """What an import made: labels, rules as they were given, and the sizes of the store."""

    labels: int
    given_rules: int
    nonterminals: int
    rules: int
    contexts: int
    signature: str


def import_rules(
    path: str | Path,
    form: str,
    store: str | Path,
    *,
    entities: bool | None = None,
    count_from: str | None = None,
    force: bool = False,
    memory_limit: str = "1GB",
    threads: int | None = None,
) -> ImportReport:
    """Make a store of a rule table.

    Each label becomes a non-terminal whose text is the label in brackets, and so does each phrase
    pair of a lexical rule: NP -> (Haus, house) is stored as NP -> X12 and X12 -> (Haus, house).
    There are no sentences and no occurrences, and since labels can be recursive, the height of
    those that have rules is 1. Links and features are in the table ``imported_rule``.

    Parameters
    ----------
    path, form, entities
        The rule table: see `read_rules`.
    store
        The store to make.
    count_from
        The name of a feature to take counts from. By default they are the counts of the table,
        and 1 for a rule that has none.
    force
        Replace a store that has sessions.
    memory_limit, threads
        What DuckDB may use.

    Raises
    ------
    InputError
        The table cannot be read, a count is not above 0, or a rule has more than four gaps.
    """
    path, store = Path(path), Path(store)
    grammar = read_rules(path, form, entities)
    if count_from is not None and count_from not in grammar.feature_names:
        known = ", ".join(grammar.feature_names) or "none"
        raise OptionError(f"no feature {count_from!r} to take counts from: there are {known}")
    with new_store(
        store,
        replace=partial(refuse_to_lose_sessions, force),
        memory_limit=memory_limit,
        threads=threads,
    ) as database:
        with database.cursor() as cursor:
            add_macros(cursor)
            most = _stage(cursor, grammar, count_from, path)
            _fill(cursor, path)
        signature = _record(database, path, form, most, grammar)
        database.checkpoint()
        return _report(database, grammar, signature)


def _stage(
    cursor: duckdb.DuckDBPyConnection,
    grammar: TranslationGrammar,
    count_from: str | None,
    path: Path,
) -> int:
    """Load the rules into a table ``given``, with counts; the most gaps of a rule."""
    cursor.execute(sql("export/import_given"))
    most = 0
    for batch in _counted(grammar, count_from):
        sizes = pc.count_substring_regex(batch.column("source"), r"\[[^\[\], \\]+,[0-9]+\]")
        most = max(most, pc.max(sizes).as_py() or 0)
        if most > MAX_GAPS:
            raise InputError(f"a rule has {most} gaps: a store holds at most {MAX_GAPS}", path)
        least = pc.min(batch.column("count")).as_py()
        if least is not None and not least > 0:
            raise InputError(f"a count is {least}: counts must be above 0", path)
        cursor.from_arrow(pa.Table.from_batches([batch])).insert_into("given")
    return most


def _counted(grammar: TranslationGrammar, count_from: str | None) -> Iterator[pa.RecordBatch]:
    place = RULE_SCHEMA.get_field_index("count")
    for batch in grammar.rules():
        counts = batch.column("count")
        if count_from is not None:
            counts = pc.list_element(
                batch.column("features"), grammar.feature_names.index(count_from)
            )
        known = batch.select(RULE_SCHEMA.names)
        yield known.set_column(place, "count", pc.fill_null(counts, 1.0))


def _fill(cursor: duckdb.DuckDBPyConnection, path: Path) -> None:
    try:
        cursor.execute(sql("export/import_grammar"))
    except duckdb.Error as problem:
        found = _CLASH.search(str(problem))
        if found:
            raise InputError(
                f"{found[1]} is a label and also the only word on both sides of a rule: rename"
                " the label",
                path,
            ) from problem
        raise StoreError(f"cannot import {path}: {str(problem).splitlines()[0]}") from problem


def _record(
    database: Database, path: Path, form: str, most: int, grammar: TranslationGrammar
) -> str:
    """Write the row of `build`; what tells an imported store is its option ``imported``."""
    with path.open("rb") as file:
        fingerprint = hashlib.file_digest(file, "sha256").hexdigest()
    options = {"imported": form, "max_gaps": max(most, 1), "counting": "occurrence"}
    options |= {"features": list(grammar.feature_names)}
    made_by = version("grammar-store")
    signature = f"grammar_store|{made_by}|{fingerprint[:16]}|imported={form}"
    row = {
        "version": [made_by],
        "signature": [signature],
        "options": [json.dumps(options)],
        "inputs": [json.dumps({"grammar": fingerprint})],
        "sentences": [0],
        "skipped": [0],
        "prune_alpha": pa.array([None], pa.float64()),
        "prune_fisher": pa.array([None], pa.bool_()),
    }
    database.insert("build", pa.table(row))
    return signature


def _report(database: Database, grammar: TranslationGrammar, signature: str) -> ImportReport:
    info = database.execute_file("queries/store_info").to_pylist()[0]
    given = database.execute_file("export/imported_rules")["rules"][0].as_py()
    sizes = {name: info[name] for name in ("nonterminals", "rules", "contexts")}
    return ImportReport(grammar.labels.num_rows, given, **sizes, signature=signature)
