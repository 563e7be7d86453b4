"""Tables, views and queries of a store as Parquet or CSV, as a stream."""

from __future__ import annotations

from pathlib import Path
from typing import IO, cast

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from grammar_store.errors import OptionError
from grammar_store.export.files import ByteSink, new_file
from grammar_store.export.sidecar import write_facts

TABLE_FORMATS = ("parquet", "csv")
"""The names of the formats of tables."""

_SIGNATURE = b"grammar_store.signature"


def write_table(reader: pa.RecordBatchReader, path: str | Path, form: str, signature: str) -> int:
    """Write a stream of rows to a file.

    Parameters
    ----------
    reader
        The rows.
    path
        The file; CSV is compressed if it is named ``.gz``.
    form
        ``parquet``, with the signature in its metadata, or ``csv``, with a header line and all
        texts in quotes, and the signature in ``FILE.signature.json``.
    signature
        What the rows were made from.

    Returns
    -------
    int
        The number of rows.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "words.csv"
    >>> write_table(pa.table({"word": ["das", 'a "b" c'], "count": [2, None]}).to_reader(), path,
    ...             "csv", "made by hand")
    2
    >>> print(path.read_text(), end="")
    "word","count"
    "das",2
    "a ""b"" c",
    """
    path = Path(path)
    if form not in TABLE_FORMATS:
        raise OptionError(f"there is no format {form!r} of tables: choose parquet or csv")
    schema = reader.schema
    if form == "csv":
        nested = [field.name for field in schema if pa.types.is_nested(field.type)]
        if nested:
            raise OptionError(f"CSV cannot hold the lists of column {nested[0]!r}: use parquet")
    with new_file(path) as sink:
        rows = (_write_parquet if form == "parquet" else _write_csv)(reader, sink, signature)
    if form == "csv":
        write_facts(path, signature, {"format": "csv", "columns": schema.names})
    return rows


def _write_parquet(reader: pa.RecordBatchReader, sink: ByteSink, signature: str) -> int:
    known = reader.schema.metadata or {}
    schema = reader.schema.with_metadata({**known, _SIGNATURE: signature.encode()})
    rows = 0
    with pq.ParquetWriter(_file(sink), schema, compression="zstd") as writer:
        for batch in reader:
            rows += batch.num_rows
            writer.write_batch(batch.replace_schema_metadata(schema.metadata))
    return rows


def _write_csv(reader: pa.RecordBatchReader, sink: ByteSink, signature: str) -> int:
    rows = 0
    with pc.CSVWriter(_file(sink), reader.schema) as writer:
        for batch in reader:
            rows += batch.num_rows
            writer.write_batch(batch)
    return rows


def _file(sink: ByteSink) -> pa.NativeFile:
    return pa.PythonFile(cast(IO[bytes], _Writable(sink)), "w")


class _Writable:
    """What Arrow asks of a file that it writes, for anything that takes bytes."""

    closed = False

    def __init__(self, sink: ByteSink) -> None:
        self._sink = sink
        self._place = 0

    def write(self, data: bytes) -> int:
        self._sink.write(bytes(data))
        self._place += len(data)
        return len(data)

    def tell(self) -> int:
        return self._place

    def flush(self) -> None:
        """Nothing waits here."""

    def close(self) -> None:
        """The owner of the sink closes it."""
