"""One way out of a store for every kind of file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from grammar_store.errors import NotInStoreError, OptionError
from grammar_store.export.companions import write_companions
from grammar_store.export.filtering import Matcher, filtered, read_sentences
from grammar_store.export.formats import FORMATS, WriteOptions, write_rules
from grammar_store.export.graphs import GRAPH_FORMATS, write_graph
from grammar_store.export.rules import RULE_SCHEMA, TranslationGrammar
from grammar_store.export.sentences import write_sentence_grammars
from grammar_store.export.stored import stored_rules
from grammar_store.export.tables import TABLE_FORMATS, write_table
from grammar_store.extraction.grammar import Progress, no_progress

if TYPE_CHECKING:
    from grammar_store.facade import Store

ALL_FORMATS = (*FORMATS, *TABLE_FORMATS, *GRAPH_FORMATS)
"""The names of all formats."""

GRAMMARS = ("hiero", "stored")
"""What rules to export: extracted anew under limits and labelled, or those of the store."""

_ROWS = 50_000


@dataclass(frozen=True)
class ExportRequest:
    """What to export from a store.

    Parameters
    ----------
    form
        One of `ALL_FORMATS`.
    session, at
        The session whose classes are the labels, and its step; by default the last.
    grammar
        ``hiero``, rules extracted as decoders want them, or ``stored``, those of the store. By
        default the former for decoders; tables then hold `table`.
    table
        For Parquet and CSV: the name of a table or view. By default ``merged_rule`` of the
        session, or ``rule_text`` without one.
    test
        Keep only the rules that sentences of this file can use.
    per_sentence
        A folder to make, with a grammar for each of them.
    companions
        For decoders: also write glue rules and so on.
    center, hops, limit
        For graphs: what is around a non-terminal, as in ``store.graph``.
    extraction
        Further options of the grammar ``hiero``: see ``translation_grammar``.
    """

    form: str
    session: str | None = None
    at: int | None = None
    grammar: str | None = None
    table: str | None = None
    test: Path | None = None
    per_sentence: Path | None = None
    companions: bool = True
    center: str | int | None = None
    hops: int = 2
    limit: int | None = 500
    extraction: dict[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse what does not go together."""
        if self.form not in ALL_FORMATS:
            choices = ", ".join(ALL_FORMATS)
            raise OptionError(f"there is no format {self.form!r}: choose from {choices}")
        if self.grammar is not None and self.grammar not in GRAMMARS:
            raise OptionError(f"there is no grammar {self.grammar!r}: choose hiero or stored")
        if self.at is not None and self.session is None:
            raise OptionError("at is a step of a session: name the session")
        rules = self.form in FORMATS or (self.form in TABLE_FORMATS and self.grammar is not None)
        if not rules and (self.test is not None or self.grammar is not None):
            raise OptionError("a grammar and a test set are for rules: choose another format")
        if self.per_sentence is not None and (self.form not in FORMATS or self.test is None):
            raise OptionError(
                "grammars of sentences are for moses, joshua or cdec, and need the test set"
            )
        if self.table is not None and (self.form not in TABLE_FORMATS or rules):
            raise OptionError("a table is for parquet or csv, and without a grammar")
        if self.center is not None and self.form not in GRAPH_FORMATS:
            raise OptionError("a center is for graphs: choose graphml, json or dot")
        if self.extraction and (self.grammar == "stored" or not rules):
            raise OptionError("options of extraction are for the grammar hiero")


@dataclass
class ExportReport:
    """What was written: files, rows (of the main file and of all sentences) and seconds."""

    files: list[str]
    rows: int
    sentence_rows: int | None
    signature: str
    seconds: float


def export(
    store: Store,
    path: str | Path | None,
    request: ExportRequest,
    options: WriteOptions | None = None,
    progress: Progress = no_progress,
) -> ExportReport:
    """Write something of a store to a file; all files appear only when they are complete.

    Parameters
    ----------
    store
        The store.
    path
        The file; None if only grammars of sentences are wanted.
    request
        What to export.
    options
        How rules are written.
    progress
        Called with the name of a stage, how much of it is done and how much there is.
    """
    request.check()
    if path is None and request.per_sentence is None:
        raise OptionError("name a file to write to")
    start = perf_counter()
    report = ExportReport([], 0, None, "", 0.0)
    if request.form in GRAPH_FORMATS:
        _export_graph(store, path, request, report)
    elif request.form in TABLE_FORMATS and request.grammar is None:
        _export_table(store, path, request, report)
    else:
        _export_rules(store, path, request, options or WriteOptions(), progress, report)
    if path is not None:
        report.files.insert(0, str(path))
    report.seconds = perf_counter() - start
    return report


def grammar_of(
    store: Store, request: ExportRequest, progress: Progress = no_progress
) -> TranslationGrammar:
    """The rules that are asked for."""
    if request.grammar == "stored":
        return stored_rules(store, request.session, request.at)
    from grammar_store.translation import translation_grammar

    if not store.info()["sentences"]:
        raise OptionError("this store has no bitext to extract rules from: use the grammar stored")
    return translation_grammar(
        store, request.session, request.at, progress=progress, **request.extraction
    )


def _export_rules(
    store: Store,
    path: str | Path | None,
    request: ExportRequest,
    options: WriteOptions,
    progress: Progress,
    report: ExportReport,
) -> None:
    # Read first: a test set that cannot be read should not be found out after minutes.
    sentences = None if request.test is None else read_sentences(request.test)
    grammar = grammar_of(store, request, progress)
    if sentences is not None:
        grammar = filtered(grammar, Matcher(sentences))
    report.signature = grammar.signature
    progress("writing", 0, 0)
    if path is not None and request.form in FORMATS:
        report.rows = write_rules(grammar, path, request.form, options)
        if request.companions:
            beside = write_companions(grammar, path, request.form, options.features)
            report.files += map(str, beside)
    elif path is not None:
        report.rows = write_table(flat_rules(grammar), path, request.form, grammar.signature)
    if request.per_sentence is not None and sentences is not None:
        report.sentence_rows = write_sentence_grammars(
            grammar, sentences, request.per_sentence, request.form, options
        )
        report.files.append(str(request.per_sentence))


def flat_rules(grammar: TranslationGrammar) -> pa.RecordBatchReader:
    """The rules with a column for each feature instead of a list."""
    names = [*RULE_SCHEMA.names[:-1], *grammar.feature_names]
    kept = [RULE_SCHEMA.field(name) for name in RULE_SCHEMA.names[:-1]]
    schema = pa.schema([*kept, *((name, pa.float64()) for name in grammar.feature_names)])

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in grammar.rules():
            features = batch.column("features")
            columns = [batch.column(name) for name in RULE_SCHEMA.names[:-1]]
            columns += [pc.list_element(features, n) for n in range(len(grammar.feature_names))]
            yield pa.record_batch(columns, names).cast(schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def _export_table(
    store: Store, path: str | Path | None, request: ExportRequest, report: ExportReport
) -> None:
    if request.session is not None:
        _require_session(store, request.session)
        if request.at is not None:
            raise OptionError("tables show sessions as they are now: leave out the step")
    name = request.table or ("rule_text" if request.session is None else "merged_rule")
    report.signature = "|".join(
        [str(store.info()["signature"]), f"table={name}"]
        + ([] if request.session is None else [f"session={request.session}"])
    )
    with store.database.cursor() as cursor:
        try:
            relation = cursor.table(name)
        except duckdb.CatalogException as problem:
            raise NotInStoreError(f"no table or view {name!r}: see docs/schema.md") from problem
        if request.session is not None:
            if "session" not in relation.columns:
                raise OptionError(f"{name} is the same for all sessions: leave out the session")
            is_it = duckdb.ColumnExpression("session") == duckdb.ConstantExpression(request.session)
            relation = relation.filter(is_it)
        if path is not None:
            with relation.to_arrow_reader(_ROWS) as reader:
                report.rows = write_table(reader, path, request.form, report.signature)


def _export_graph(
    store: Store, path: str | Path | None, request: ExportRequest, report: ExportReport
) -> None:
    if request.session is not None:
        _require_session(store, request.session)
    graph = store.graph(request.center, request.hops, request.session, request.at, request.limit)
    shown = [f"{name}={value}" for name, value in graph.graph.items()]
    report.signature = "|".join([str(store.info()["signature"]), "graph", *shown])
    if path is not None:
        write_graph(graph, path, request.form, report.signature)
    report.rows = graph.number_of_nodes()


def _require_session(store: Store, name: str) -> None:
    known = store.sessions()["name"].tolist()
    if name not in known:
        offers = f"; there are: {', '.join(known[:10])}" if known else ""
        raise NotInStoreError(f"no session {name!r}{offers}")
