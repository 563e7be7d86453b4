"""Branches share the steps of their parent: what happens when these are undone or deleted.

Nothing is copied. The branch with the furthest fork takes over the rows, and the other branches
become branches of it.
"""

from __future__ import annotations

from typing import Any

from grammar_store.store.database import Database


def hand_over(database: Database, session: dict[str, Any], step: int) -> None:
    """Give the rows of a session after a step to its branches, as far as they see them.

    Parameters
    ----------
    database
        In a transaction.
    session
        The row of the session that is about to lose its steps after `step`.
    step
        Its new end; -1 if it is about to be deleted.
    """
    owner, own_fork = session["session_id"], session["forked_at"] or 0
    keep = max(step, own_fork)
    # Who loses its fork, too, leaves the line of its branches: they are its parent's from now on.
    above = owner if step >= own_fork else session["parent_id"]
    children = database.execute_file("sessions/children", id=owner).to_pylist()
    heir: int | None = None
    for child in children:
        name, fork = child["session_id"], child["forked_at"]
        if fork <= step:
            continue
        if fork <= own_fork:
            _set_parent(database, name, above, fork)
        elif heir is None:
            heir = name
            for table in ("merges", "promotions", "evidence"):
                database.execute_file(
                    f"sessions/give_{table}", id=owner, heir=heir, low=keep, high=fork
                )
            _set_parent(database, name, above, keep)
        else:
            _set_parent(database, name, heir, fork)


def _set_parent(database: Database, session_id: int, parent: int | None, fork: int) -> None:
    database.execute_file(
        "sessions/set_parent",
        id=session_id,
        parent=parent,
        fork=None if parent is None else fork,
    )
