"""The sessions of a store: started, resumed, listed, branched and deleted."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.equivalence.engine import Equivalence
from grammar_store.errors import NotInStoreError, OptionError, SessionError
from grammar_store.sessions.branching import hand_over
from grammar_store.sessions.hashing import START
from grammar_store.sessions.journal import Journal
from grammar_store.sessions.running import METHODS, parameters_of
from grammar_store.sessions.session import Session
from grammar_store.store.database import Database
from grammar_store.store.names import is_text, parse_id

_LONGEST_NAME = 200

_SCHEMA = pa.schema(
    {
        "session_id": pa.int32(),
        "name": pa.string(),
        "parent_id": pa.int32(),
        "forked_at": pa.int64(),
        "method": pa.string(),
        "parameters": pa.string(),
        "signature": pa.string(),
        "status": pa.string(),
        "created_at": pa.timestamp("us"),
        "description": pa.string(),
        "last_step": pa.int64(),
        "last_hash": pa.uint64(),
    }
)


class Catalogue:
    """All sessions of an open store; there is one object for each session in use.

    Parameters
    ----------
    database
        The store.
    find
        Gives the id of a non-terminal by its text, or tells why it cannot.
    initial
        Gives the tests of the initial grammar, which all runs share.
    """

    def __init__(
        self,
        database: Database,
        find: Callable[[str | int], int],
        initial: Callable[[], Equivalence],
    ) -> None:
        self._database = database
        self._find = find
        self.initial = initial
        self._open: WeakValueDictionary[int, Session] = WeakValueDictionary()

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The count of each non-terminal, by id; 0 at 0, which is none."""
        counts = self._database.execute_file("queries/nonterminal_counts")["count"].to_numpy()
        return np.concatenate([[0], counts]).astype(np.int64)

    def resolve(self, name: str | int) -> int:
        """The id of a non-terminal; ids need not be looked up."""
        number = name if isinstance(name, int) else parse_id(name)
        if number is not None and 0 < number < len(self.counts):
            return int(number)
        return self._find(name)

    def session(
        self, name: str, method: str | None, description: str, parameters: dict[str, Any]
    ) -> Session:
        """Resume a session, or start it."""
        row = self._row(name)
        if (kind := method or (row or {}).get("method")) in METHODS and (parameters or not row):
            parameters = parameters_of(kind, parameters)
        if row is None:
            return self._start(name, method or "manual", description, parameters)
        given = {"method": method, "description": description or None}
        given["parameters"] = _json(parameters) if parameters else None
        for what, value in given.items():
            if value is not None and value != row[what]:
                raise OptionError(
                    f"session {name!r} has {what} {row[what]}, not {value}: leave it out to"
                    " resume the session, or choose another name"
                )
        return self._session(row["session_id"])

    def existing(self, name: str) -> Session:
        """Resume a session that there must be."""
        row = self._row(name)
        if row is None:
            raise NotInStoreError(self._no_session(name))
        return self._session(row["session_id"])

    def _session(self, session_id: int) -> Session:
        found = self._open.get(session_id)
        if found is None:
            journal = Journal(self._database, session_id, lambda: self.counts)
            found = self._open[session_id] = Session(self, journal)
        return found

    def _row(self, name: str) -> dict[str, Any] | None:
        if not is_text(name):
            return None
        rows = self._database.execute_file(
            "sessions/session_by_name", session_name=name
        ).to_pylist()
        return rows[0] if rows else None

    def require_free(self, name: str) -> None:
        """Refuse a name that cannot be given to a session."""
        if not name or not is_text(name) or not name.isprintable() or name != name.strip():
            raise OptionError(f"{name!r} cannot be the name of a session: use printable text")
        if len(name) > _LONGEST_NAME:
            raise OptionError(f"the name of a session has at most {_LONGEST_NAME} characters")
        if self._row(name) is not None:
            raise SessionError(f"there is a session {name!r} already: choose another name")

    def _start(
        self, name: str, method: str, description: str, parameters: dict[str, Any]
    ) -> Session:
        if not is_text(method + description):
            raise OptionError("method and description must be text that can be written in UTF-8")
        text = _json(parameters)
        build = self._database.execute_file("queries/build_row").to_pylist()
        grammar = build[0]["signature"] if build else ""
        given = [f"{key}={value}" for key, value in json.loads(text).items()]
        signature = "|".join([method, *given, grammar, version("grammar-store")])
        return self._insert(
            {
                "name": name,
                "method": method,
                "parameters": text,
                "signature": signature,
                "description": description,
                "last_step": 0,
                "last_hash": START,
            }
        )

    def branch(self, parent: Journal, name: str, step: int) -> Session:
        """Start a session that shares the steps of another up to one."""
        row = dict(parent.row)
        row |= {"name": name, "parent_id": row["session_id"], "forked_at": step}
        row |= {"last_step": step, "last_hash": parent.line.hash_at(step)}
        held = parent.constraints
        pairs = [("must", *pair) for pair in held.must] + [
            ("cannot", *pair) for pair in held.cannot
        ]
        return self._insert(row, pairs)

    def _insert(
        self, row: dict[str, Any], constraints: list[tuple[str, int, int]] | None = None
    ) -> Session:
        with self._database.transaction():
            self.require_free(row["name"])
            number = self._database.execute_file("sessions/next_session_id")
            row["session_id"] = number["session_id"][0].as_py()
            row |= {"status": "open", "created_at": datetime.now(UTC).replace(tzinfo=None)}
            self._database.insert("session", pa.Table.from_pylist([row], _SCHEMA))
            for kind, first, second in constraints or ():
                held = {"session_id": row["session_id"], "kind": kind}
                held |= {"first_id": first, "second_id": second}
                self._database.insert("session_constraint", pa.Table.from_pylist([held]))
        return self._session(row["session_id"])

    def listing(self) -> pd.DataFrame:
        """All sessions, one row each."""
        frame: pd.DataFrame = self._database.execute_file("sessions/listing").to_pandas()
        return frame.astype({"forked_at": "Int64"})

    def delete(self, name: str) -> None:
        """Delete a session; its branches keep the steps that they share with it."""
        with self._database.transaction():
            row = self._row(name)
            if row is None:
                raise NotInStoreError(self._no_session(name))
            number = row["session_id"]
            hand_over(self._database, row, -1)
            for table in ("merges", "promotions", "evidence"):
                self._database.execute_file(f"sessions/delete_{table}", id=number, step=0)
            self._database.execute_file("sessions/delete_undone", id=number, entry=0)
            self._database.execute_file(
                "sessions/delete_constraints", id=number, first=None, second=None
            )
            self._database.execute_file("sessions/delete_session", id=number)
        gone = self._open.pop(number, None)
        if gone is not None:
            gone._journal.retire()

    def _no_session(self, name: str) -> str:
        names = ", ".join(self.listing()["name"][:10])
        return f"no session {name!r}" + (f"; there are: {names}" if names else "")


def _json(parameters: dict[str, Any]) -> str:
    try:
        return json.dumps(parameters, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise OptionError(f"parameters of a session must be plain values: {problem}") from None
