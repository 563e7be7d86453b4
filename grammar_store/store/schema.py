"""Making the tables, views and macros of a store, and telling how old its schema is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter

import duckdb

from grammar_store.resources import header, sql, sql_names

REVISIONS = ("0001", "0002")
"""All revisions of the schema, oldest first; Alembic, slow to import, need not be asked."""

HEAD = REVISIONS[-1]
"""The revision that this package reads and writes."""


def create_schema(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill an empty database with the schema of today and stamp it with its revision.

    Examples
    --------
    >>> connection = duckdb.connect()
    >>> create_schema(connection)
    >>> connection.execute("SELECT count(*) FROM rule_text").fetchall()
    [(0,)]
    >>> revision_of(connection) == HEAD
    True
    """
    for name in sql_names("tables"):
        connection.execute(sql(name))
    create_views(connection)
    connection.execute("INSERT INTO alembic_version VALUES ($head)", {"head": HEAD})


def create_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Make all views and macros anew, in place of older ones of the same name."""
    for name in views_in_order():
        connection.execute(sql(name))


def views_in_order() -> Iterator[str]:
    """The names of all files of views and macros, each after those that its header needs.

    A header says so in a line ``-- Needs: rule_text, ...``.

    Examples
    --------
    >>> order = list(views_in_order())
    >>> order.index("views/rule_text") < order.index("views/hiero_rule")
    True
    """
    file_of = {name.partition("/")[2]: name for name in (*sql_names("macros"), *sql_names("views"))}
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for name, file in file_of.items():
        sorter.add(name, *_needs(sql(file)))
    for name in sorter.static_order():
        yield file_of[name]


def _needs(text: str) -> list[str]:
    r"""What the header of a SQL file says that it needs.

    Examples
    --------
    >>> _needs("-- All rules.\n-- Needs: rule_text, rules_of\nSELECT 1")
    ['rule_text', 'rules_of']
    """
    for line in header(text).splitlines():
        if line.startswith("Needs: "):
            return line.removeprefix("Needs: ").split(", ")
    return []


def revision_of(connection: duckdb.DuckDBPyConnection) -> str | None:
    """The revision of a store's schema; None if this is no grammar store."""
    tables = connection.execute(
        "SELECT count(*) FROM duckdb_tables() WHERE database_name = current_database()"
        " AND schema_name = 'main' AND table_name IN ('alembic_version', 'build')"
    ).fetchall()
    if tables != [(2,)]:
        return None
    revisions = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    return str(revisions[0][0]) if len(revisions) == 1 else None


def catalogue_of(connection: duckdb.DuckDBPyConnection) -> set[tuple[str, str, str]]:
    """All that a database defines: kind, name and definition of each column, view and so on.

    Examples
    --------
    >>> connection = duckdb.connect()
    >>> _ = connection.execute("CREATE TABLE word (text VARCHAR NOT NULL)")
    >>> sorted(catalogue_of(connection))
    [('column', 'word.text', '1 VARCHAR NOT NULL'), ('constraint', 'word', 'NOT NULL NOT NULL')]
    """
    return set(connection.execute(sql("catalogue")).fetchall())


@cache
def expected_catalogue() -> frozenset[tuple[str, str, str]]:
    """The catalogue of a fresh store."""
    with duckdb.connect() as connection:
        create_schema(connection)
        return frozenset(catalogue_of(connection))
