"""A grammar for each sentence: a folder of small rule tables, as cdec and others load them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from grammar_store.errors import OptionError
from grammar_store.export.files import ByteSink, compressed_file, new_folder, text_bytes
from grammar_store.export.filtering import Matcher, used_in
from grammar_store.export.formats import (
    WriteOptions,
    explained_batches,
    line_query,
    require_names,
    written_features,
)
from grammar_store.export.rules import NUMBERED_SCHEMA, TranslationGrammar
from grammar_store.export.scratch import scratch
from grammar_store.export.sidecar import write_sidecar
from grammar_store.resources import sql


def write_sentence_grammars(
    grammar: TranslationGrammar,
    sentences: Sequence[Sequence[str]],
    folder: str | Path,
    form: str,
    options: WriteOptions | None = None,
) -> int:
    """Write the rules that each sentence can use to ``grammar.0.gz``, ``grammar.1.gz`` and so on.

    Parameters
    ----------
    grammar
        The grammar.
    sentences
        The tokens of each sentence.
    folder
        The folder to make; it appears when all of it is there. The lines of each file are in the
        order of their bytes.
    form, options
        As in `write_rules`.

    Returns
    -------
    int
        The number of rules in all files together.

    Examples
    --------
    >>> import gzip, tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "test"
    >>> grammar = TranslationGrammar.of(
    ...     [{"lhs": "X", "source": word, "target": word} for word in ("das", "Haus")])
    >>> write_sentence_grammars(grammar, [["Haus"], ["das", "Haus"]], folder, "cdec")
    3
    >>> print(gzip.decompress((folder / "grammar.0.gz").read_bytes()).decode(), end="")
    [X] ||| Haus ||| Haus |||
    """
    options = options or WriteOptions()
    folder = Path(folder)
    names = written_features(grammar, form, options.features)
    require_names(grammar)
    if not sentences:
        raise OptionError("there is no sentence to make a grammar for")
    with (
        new_folder(folder) as unfinished,
        scratch(folder, options.memory_limit, options.threads) as connection,
    ):
        _load(connection, grammar.lines(form), Matcher(sentences))
        query, values = line_query(grammar, form, names, options)
        connection.sql(query, params=values).create("made")
        lines = explained_batches(connection, connection.sql(sql("export/sentence_lines")))
        number = _write(lines, unfinished, len(sentences))
        write_sidecar(unfinished / "grammar", grammar, form, names, options.entities)
    return number


def _load(
    connection: duckdb.DuckDBPyConnection, rules: pa.RecordBatchReader, matcher: Matcher
) -> None:
    """Fill the tables ``rules``, of the usable ones with numbers, and ``used``."""
    connection.from_arrow(NUMBERED_SCHEMA.empty_table()).create("rules")
    empty = pa.table({"number": pa.array([], pa.int64()), "sentence": pa.array([], pa.int64())})
    connection.from_arrow(empty).create("used")
    first = 0
    for batch, rows, sentences in used_in(rules, matcher):
        numbers = pa.array(np.arange(first, first + batch.num_rows))
        place = NUMBERED_SCHEMA.get_field_index("number")
        numbered = pa.Table.from_batches([batch]).set_column(place, "number", numbers)
        connection.from_arrow(numbered).insert_into("rules")
        pairs = pa.table({"number": numbers.take(rows), "sentence": sentences})
        connection.from_arrow(pairs).insert_into("used")
        first += batch.num_rows


def _write(batches: Iterator[pa.RecordBatch], folder: Path, sentences: int) -> int:
    rows = 0
    with ExitStack() as opened:
        current, sink = -1, None

        def go_to(sentence: int) -> ByteSink:
            """Close the file of the last sentence and begin that of this one, and any between."""
            nonlocal current, sink
            while sink is None or current < sentence:
                current += 1
                opened.close()
                file = compressed_file(folder / f"grammar.{current}.gz")
                sink = opened.enter_context(file)
            return sink

        for batch in batches:
            rows += batch.num_rows
            numbers = batch.column("sentence").to_numpy()
            ends = [*(np.flatnonzero(np.diff(numbers)) + 1), len(numbers)]
            start = 0
            for end in ends:
                part = batch.column("line").slice(start, end - start)
                go_to(int(numbers[start])).write(text_bytes(part))
                start = end
        go_to(sentences - 1)
    return rows
