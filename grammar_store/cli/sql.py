"""The `sql` command: a read-only query, its rows as a table, CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from grammar_store.cli.output import print_table
from grammar_store.errors import GrammarStoreError, OptionError
from grammar_store.store.database import Database

_ROWS = 10_000


def run_query(file: Path, query: str, form: str, output: Path | None, limit: int) -> None:
    """Run a query on a store that it cannot change and write the rows."""
    if form == "parquet" and output is None and sys.stdout.isatty():
        raise OptionError("parquet is not for a terminal: add -o FILE")
    with Database.for_queries(file) as database:
        try:
            relation = database.cursor().sql(query)
            if relation is None:
                raise OptionError("the query gives no rows: only SELECT and the like can be asked")
            if form == "table" and output is None:
                _show(relation, limit)
                return
            with _sink(output) as sink:
                _WRITERS[form](relation.to_arrow_reader(_ROWS), sink)
        except duckdb.Error as problem:
            raise GrammarStoreError(f"query failed: {_said(problem)}") from problem


def _said(problem: duckdb.Error) -> str:
    """What DuckDB says, on one line."""
    return " ".join(line.strip() for line in str(problem).splitlines() if line.strip())


def _show(relation: duckdb.DuckDBPyRelation, limit: int) -> None:
    wanted = limit or 2**62
    rows = relation.limit(wanted + 1 if limit else wanted).fetchall()
    print_table(relation.columns, rows[:wanted])
    if len(rows) > wanted:
        click.echo(f"only the first {limit:,} rows: use --limit 0 for all", err=True)


@contextmanager
def _sink(output: Path | None) -> Iterator[IO[bytes]]:
    """Standard output, or a file that appears only when it is complete."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    unfinished = output.with_name(f".{output.name}.unfinished")
    try:
        with unfinished.open("wb") as sink:
            yield sink
            sink.flush()
            os.fsync(sink.fileno())
        os.replace(unfinished, output)
    except OSError as problem:
        raise GrammarStoreError(f"cannot write {output}: {problem.strerror}") from problem
    finally:
        unfinished.unlink(missing_ok=True)


def _write_csv(reader: pa.RecordBatchReader, sink: IO[bytes]) -> None:
    text = io.TextIOWrapper(sink, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow(reader.schema.names)
    for batch in reader:
        writer.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))
    text.detach()


def _write_json(reader: pa.RecordBatchReader, sink: IO[bytes]) -> None:
    lead = b"["
    for batch in reader:
        for row in batch.to_pylist():
            line = json.dumps(row, ensure_ascii=False, default=str)
            sink.write(lead + b"\n" + line.encode("utf-8", "surrogatepass"))
            lead = b","
    sink.write(b"\n]\n" if lead == b"," else b"[]\n")


def _write_parquet(reader: pa.RecordBatchReader, sink: IO[bytes]) -> None:
    with pq.ParquetWriter(sink, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


_WRITERS = {"csv": _write_csv, "table": _write_csv, "json": _write_json, "parquet": _write_parquet}
