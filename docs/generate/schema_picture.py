"""The schema as a picture: tables with their columns, and what refers to what."""

from __future__ import annotations

from html import escape

import duckdb

from grammar_store.store.schema import create_schema

# Where tables stand, by column of the picture; others are put into the last one.
_PLACES = (
    ("bitext", "skipped_sentence", "build", "alembic_version"),
    ("occurrence", "glue", "session_constraint"),
    ("nonterminal", "rule", "session"),
    ("slot", "context", "merge", "promotion"),
    ("evidence", "undone_step"),
)
_WIDTH, _LINE, _GAP_X, _GAP_Y, _HEAD = 190, 15, 70, 26, 22
_KEYS = {
    "sentence_id": "bitext",
    "rule_id": "rule",
    "context_id": "context",
    "session_id": "session",
    "parent_id": "session",
}
# Their other columns refer to non-terminals as those of merge do: lines would hide the rest.
_QUIET = ("evidence", "undone_step")
_STYLE = """\
text{font:11px system-ui,sans-serif;fill:#222}.name{font-weight:600;font-size:12px}
.kind{fill:#777}rect{fill:#f7f7f7;stroke:#999}.head{fill:#dde7f2}path{fill:none;stroke:#7a93b0}
@media(prefers-color-scheme:dark){text{fill:#eee}.kind{fill:#aaa}rect{fill:#222;stroke:#777}
.head{fill:#2b3f55}path{stroke:#8fb0d5}}"""


def referred(table: str, column: str) -> str | None:
    """The table that a column refers to, by its name; None for none, or for its own key."""
    target = _KEYS.get(column)
    if target is None and column.endswith("_id"):
        target = "nonterminal"
    own = {"bitext": "sentence_id"}.get(table, f"{table}_id")
    return None if column == own and target == table else target


def schema_picture() -> str:
    """The picture as SVG."""
    with duckdb.connect() as connection:
        create_schema(connection)
        found = connection.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() JOIN duckdb_tables()"
            " USING (table_name) WHERE NOT duckdb_tables.internal ORDER BY table_name, column_index"
        ).fetchall()
    tables: dict[str, list[tuple[str, str]]] = {}
    for table, column, kind in found:
        tables.setdefault(table, []).append((column, kind))
    placed = {name for column in _PLACES for name in column}
    columns = [[name for name in column if name in tables] for column in _PLACES]
    columns[-1] += sorted(tables.keys() - placed)
    boxes = _boxes(columns, tables)
    width = len(columns) * (_WIDTH + _GAP_X) - _GAP_X + 20
    height = max(y + _height(tables[name]) for name, (_, y) in boxes.items()) + 10
    drawn = [_edges(name, tables, boxes) for name in sorted(tables)]
    drawn += [_table(name, tables[name], *boxes[name]) for name in sorted(tables)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" role="img"><title>The tables of a store</title>'
        f"<style>{_STYLE}</style>\n" + "\n".join(filter(None, drawn)) + "\n</svg>\n"
    )


def _height(columns: list[tuple[str, str]]) -> int:
    return _HEAD + _LINE * len(columns) + 6


def _boxes(
    columns: list[list[str]], tables: dict[str, list[tuple[str, str]]]
) -> dict[str, tuple[int, int]]:
    boxes = {}
    for place, names in enumerate(columns):
        y = 10
        for name in names:
            boxes[name] = (10 + place * (_WIDTH + _GAP_X), y)
            y += _height(tables[name]) + _GAP_Y
    return boxes


def _row(y: int, place: int) -> float:
    return y + _HEAD + _LINE * (place + 0.5)


def _edges(
    name: str, tables: dict[str, list[tuple[str, str]]], boxes: dict[str, tuple[int, int]]
) -> str:
    """A curve from each column that refers to a table to the head of that."""
    x, y = boxes[name]
    curves = []
    for place, (column, _) in enumerate(tables[name]):
        target = referred(name, column)
        if target is None or (name in _QUIET and target == "nonterminal"):
            continue
        to_x, to_y = boxes[target]
        right = to_x > x
        start = x + _WIDTH if right or to_x == x else x
        end = to_x if right else to_x + _WIDTH
        bend = 35 if right or to_x == x else -35
        back = -35 if right else 35
        row, head = _row(y, place), to_y + _HEAD / 2
        bent = f"C{start + bend} {row:g} {end + back} {head:g} {end} {head:g}"
        curves.append(f'<path d="M{start} {row:g}{bent}"/>')
    return "".join(curves)


def _table(name: str, columns: list[tuple[str, str]], x: int, y: int) -> str:
    rows = "".join(
        f'<text x="{x + 8}" y="{_row(y, place) + 4:g}">{escape(column)}</text>'
        f'<text class="kind" x="{x + _WIDTH - 8}" y="{_row(y, place) + 4:g}" text-anchor="end">'
        f"{escape(kind.lower())}</text>"
        for place, (column, kind) in enumerate(columns)
    )
    return (
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_height(columns)}"/>'
        f'<rect class="head" x="{x}" y="{y}" width="{_WIDTH}" height="{_HEAD}"/>'
        f'<text class="name" x="{x + 8}" y="{y + 15}">{escape(name)}</text>{rows}'
    )
