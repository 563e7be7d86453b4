"""What the commands share: common arguments, and stores opened to read or to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grammar_store.cli.output import visible
from grammar_store.errors import (
    NotInStoreError,
    OptionError,
    PrunedError,
    SessionError,
    StoreError,
)

if TYPE_CHECKING:
    from grammar_store.facade import Store
    from grammar_store.sessions.session import Session

F = TypeVar("F", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
SESSION = click.option("--session", required=True, metavar="NAME", help="The session.")
AT = click.option("--at", type=click.IntRange(min=0), metavar="STEP", help="As of a step [now].")


def at_most(default: int, words: str) -> Callable[[F], F]:
    """The option that keeps a table short."""
    return click.option(
        "--limit",
        type=click.IntRange(min=0),
        default=default,
        show_default=True,
        help=f"The most {words}; 0 for all.",
    )


@contextmanager
def reading(file: Path) -> Iterator[Store]:
    """A store open for reading; what DuckDB cannot read, of a damaged file, is an error too."""
    with _opened(file, True, "read") as store:
        yield store


@contextmanager
def writing(file: Path) -> Iterator[Store]:
    """A store open for writing; what DuckDB cannot write, to a broken disk, is an error too."""
    with _opened(file, False, "write") as store:
        yield store


@contextmanager
def _opened(file: Path, read_only: bool, what: str) -> Iterator[Store]:
    import duckdb

    import grammar_store as gs

    try:
        with gs.open(file, read_only=read_only) as store:
            yield store
    except duckdb.Error as problem:
        said = visible(str(problem).partition("\n")[0])
        raise StoreError(f"cannot {what} {file}: {said}") from problem


def resumed(store: Store, name: str) -> Session:
    """A session that is there already: a name that is mistyped must not start another."""
    if not _is_there(store, name):
        names = ", ".join(store.sessions()["name"][:10])
        raise NotInStoreError(f"no session {name!r}" + (f"; there are: {names}" if names else ""))
    return store.session(name)


@contextmanager
def begun(
    store: Store, name: str, method: str | None = None, **parameters: Any
) -> Iterator[Session]:
    """A session, started if it is new; a command that is refused starts none."""
    is_new = not _is_there(store, name)
    session = store.session(name, method, **parameters)
    try:
        yield session
    except (NotInStoreError, OptionError, PrunedError, SessionError):
        if is_new:
            store.delete_session(name)
        raise


def _is_there(store: Store, name: str) -> bool:
    from grammar_store.store.names import is_text

    return is_text(name) and bool(store.rows("sessions/session_by_name", session_name=name))
