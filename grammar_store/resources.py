"""Where the SQL files and the migrations are, in an installed package and in a checkout alike."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def folder(name: str) -> Path:
    """The folder ``schema`` or ``migrations``.

    A wheel has them inside the package; in a checkout they are beside it, where people look.

    Examples
    --------
    >>> (folder("schema") / "tables" / "rule.sql").is_file()
    True
    """
    for place in (_PACKAGE / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"grammar_store is installed without its folder {name}: reinstall it")


@cache
def sql(name: str) -> str:
    """The text of a SQL file of ``schema``.

    Parameters
    ----------
    name
        Its path there, without the ending.

    Examples
    --------
    >>> "CREATE TABLE rule" in sql("tables/rule")
    True
    """
    return (folder("schema") / f"{name}.sql").read_text(encoding="utf-8")


@cache
def sql_names(kind: str) -> tuple[str, ...]:
    """The names of all SQL files of one kind, for `sql`, in alphabetical order.

    Parameters
    ----------
    kind
        A folder of ``schema``: ``tables``, ``views``, ``macros`` or ``checks``.

    Examples
    --------
    >>> "tables/slot" in sql_names("tables")
    True
    """
    return tuple(sorted(f"{kind}/{path.stem}" for path in (folder("schema") / kind).glob("*.sql")))


def header(text: str) -> str:
    r"""The comment at the top of a SQL file, without its dashes.

    Examples
    --------
    >>> header("-- One row\n-- per rule.\nSELECT 1 -- not this")
    'One row\nper rule.'
    """
    lines: list[str] = []
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        lines.append(line.removeprefix("--").removeprefix(" "))
    return "\n".join(lines)
