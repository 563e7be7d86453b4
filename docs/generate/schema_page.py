"""Every table, view and macro with its columns, from the headers of schema/ and a live store."""

from __future__ import annotations

import re
from typing import NamedTuple

import duckdb

from grammar_store.resources import header, sql, sql_names
from grammar_store.store.schema import create_schema

MARK = "<!-- made by `python docs/generate` from here on -->"

_ENTRY = re.compile(r"^  (\S.*?)(?:  +(.*))?$")
_SIGNATURE = re.compile(r"MACRO (\w+)\((.*?)\) AS", re.DOTALL)


class Header(NamedTuple):
    """What the comment of a SQL file says: what for, parameters, rows, columns, and more."""

    purpose: str
    parameters: list[tuple[str, str]]
    rows: str
    columns: list[tuple[str, str]]
    notes: str


def schema_page(page: str) -> str:
    """The page with its end, after the mark, made anew."""
    with duckdb.connect() as connection:
        create_schema(connection)
        found = connection.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns()"
            " WHERE NOT internal ORDER BY table_name, column_index"
        ).fetchall()
    types: dict[str, list[tuple[str, str]]] = {}
    for table, column, kind in found:
        types.setdefault(table, []).append((column, kind))
    parts = [page.partition(MARK)[0].rstrip(), "", MARK, ""]
    for kind in ("tables", "views", "macros"):
        parts.append(f"## The columns of {kind}\n" if kind != "macros" else "## All macros\n")
        for file in sql_names(kind):
            parts += _entry(file, types.get(file.partition("/")[2], []))
    return "\n".join(parts).rstrip() + "\n"


def _entry(file: str, columns: list[tuple[str, str]]) -> list[str]:
    text = sql(file)
    said = parse(header(text))
    name = file.partition("/")[2]
    signature = _SIGNATURE.search(text)
    title = f"{signature[1]}({' '.join(signature[2].split())})" if signature else name
    parts = [f"### `{title}`\n", f"{said.purpose}\n"]
    if said.parameters:
        parts += ["| parameter | meaning |", "|---|---|", *_rows(said.parameters), ""]
    parts += [f"{said.rows}\n"] if said.rows else []
    if columns:
        shown = ", ".join(f"`{column}` {kind}" for column, kind in columns)
        parts.append(f"Columns: {shown}.\n")
    if said.columns:
        parts += ["| column | meaning |", "|---|---|", *_rows(said.columns), ""]
    return [*parts, f"{said.notes}\n"] if said.notes else parts


def _rows(entries: list[tuple[str, str]]) -> list[str]:
    return [
        "| " + ", ".join(f"`{one}`" for one in names.split(", ")) + f" | {_cell(meaning)} |"
        for names, meaning in entries
    ]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def parse(text: str) -> Header:
    """Take a header apart: blocks between empty lines, indented lines being entries."""
    purpose, rows, notes = [], [], []
    parameters: list[tuple[str, str]] = []
    columns: list[tuple[str, str]] = []
    for block in text.split("\n\n"):
        plain = [line for line in block.splitlines() if not line.startswith(" ")]
        words = " ".join(line for line in plain if not line.startswith("Needs: "))
        entries = _entries(block)
        if words == "Parameters":
            parameters += entries
        elif words.startswith(("One row", "One value", "At most one row")):
            rows.append(words)
            columns += entries
        elif not rows and not parameters and not purpose:
            purpose.append(words)
        elif words:
            notes.append(words)
    return Header(*(" ".join(purpose), parameters, " ".join(rows), columns, "\n\n".join(notes)))


def _entries(block: str) -> list[tuple[str, str]]:
    entries: list[tuple[str, str]] = []
    for line in block.splitlines():
        if line.startswith("     "):
            names, meaning = entries[-1]
            entries[-1] = (names, f"{meaning} {line.strip()}".strip())
        elif found := _ENTRY.match(line):
            entries.append((found[1], found[2] or ""))
    return entries
