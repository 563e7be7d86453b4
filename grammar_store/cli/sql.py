"""The `sql` command: a read-only query, its rows as a table, CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

import click
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from grammar_store.cli.output import print_table, visible
from grammar_store.errors import GrammarStoreError, OptionError
from grammar_store.store.database import Database

_ROWS = 10_000


def run_query(file: Path, query: str, form: str, output: Path | None, limit: int) -> None:
    """Run a query on a store that it cannot change and write the rows."""
    if form == "parquet" and output is None and sys.stdout.isatty():
        raise OptionError("parquet is not for a terminal: add -o FILE")
    if form == "table" and output is not None:
        raise OptionError("a table is for people to look at: choose another format for a file")
    try:
        with Database.for_queries(file) as database, database.cursor() as cursor:
            _interruptible(cursor, lambda: _answer(cursor, query, form, output, limit))
    except duckdb.Error as problem:
        raise _failed(problem) from problem


def _interruptible(cursor: duckdb.DuckDBPyConnection, work: Callable[[], None]) -> None:
    """Do work with a cursor so that Ctrl-C stops it.

    DuckDB itself looks for signals between long stretches of work only, minutes in the case of a
    cross product, and never while it is asked by Arrow.
    """
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        try:
            done.result()
        except KeyboardInterrupt:
            while not done.done():
                cursor.interrupt()
                wait([done], timeout=0.1)
            raise


def _answer(
    cursor: duckdb.DuckDBPyConnection, query: str, form: str, output: Path | None, limit: int
) -> None:
    relation = cursor.sql(query)
    if relation is None:
        raise OptionError("the query gives no rows: only SELECT and the like can be asked")
    if form == "table":
        _show(relation, limit)
        return
    # Closed in any case: a half-read result keeps the file open.
    with relation.to_arrow_reader(_ROWS) as reader, sink(output) as opened:
        WRITERS[form](reader.schema, _batches(reader), opened)


def _batches(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """The rows; an error of DuckDB comes out of Arrow as one of reading a file."""
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except (OSError, pa.ArrowException) as problem:
            raise _failed(problem) from problem
        yield batch


def _failed(problem: Exception) -> GrammarStoreError:
    """What DuckDB says on one line, without the query, which the user knows."""
    said = str(problem).partition("\n\nLINE ")[0]
    return GrammarStoreError(f"query failed: {' '.join(visible(said).split())}")


def _show(relation: duckdb.DuckDBPyRelation, limit: int) -> None:
    rows = (relation.limit(limit + 1) if limit else relation).fetchall()
    print_table(relation.columns, rows[: limit or None])
    if limit and len(rows) > limit:
        click.echo(f"only the first {limit:,} rows: use --limit 0 for all", err=True)


@contextmanager
def sink(output: Path | None) -> Iterator[IO[bytes]]:
    """Standard output, or a file that appears only when it is complete."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        if output.exists() and not output.is_file():  # a device or a pipe, nothing to replace
            with output.open("wb") as opened:
                yield opened
            return
        real = output.resolve()  # a link stays a link
        unfinished = real.with_name(f".{real.name}.unfinished")
        try:
            with unfinished.open("wb") as opened:
                yield opened
                opened.flush()
                os.fsync(opened.fileno())
            unfinished.replace(real)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as problem:
        raise GrammarStoreError(f"cannot write {output}: {problem.strerror}") from problem


class _UnixLines:
    """Ends rows of CSV with a line feed alone.

    Told to do so itself, the module csv would leave carriage returns in values unquoted.
    """

    def __init__(self, sink: IO[bytes]) -> None:
        self._sink = sink

    def write(self, row: str) -> None:
        self._sink.write(row.removesuffix("\r\n").encode() + b"\n")


def _write_csv(schema: pa.Schema, batches: Iterable[pa.RecordBatch], sink: IO[bytes]) -> None:
    writer = csv.writer(_UnixLines(sink), lineterminator="\r\n")
    writer.writerow(schema.names)
    for batch in batches:
        columns = ([_csv_value(value) for value in column.to_pylist()] for column in batch.columns)
        writer.writerows(zip(*columns, strict=True))


def _csv_value(value: Any) -> Any:
    """A value as text that others read: truth, lists and structs as in JSON."""
    return _json(value) if isinstance(value, (bool, list, dict)) else value


def _write_json(schema: pa.Schema, batches: Iterable[pa.RecordBatch], sink: IO[bytes]) -> None:
    twice = [name for name, times in Counter(schema.names).items() if times > 1]
    if twice:
        raise OptionError(f"two columns are named {twice[0]!r}: rename one of them with AS")
    lead = b"[\n"
    for batch in batches:
        for row in batch.to_pylist():
            sink.write(lead + _json(row).encode())
            lead = b",\n"
    sink.write(b"[]\n" if lead == b"[\n" else b"\n]\n")


def _json(value: Any) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, default=str, allow_nan=False)


def _plain(value: Any) -> Any:
    """A value as JSON can say it: sums of whole numbers are numbers, nan and infinity null."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _write_parquet(schema: pa.Schema, batches: Iterable[pa.RecordBatch], sink: IO[bytes]) -> None:
    with pq.ParquetWriter(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


WRITERS = {"csv": _write_csv, "json": _write_json, "parquet": _write_parquet}
