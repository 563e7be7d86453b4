"""Branches share rows with their parents, and keep them when these are undone or deleted."""

from __future__ import annotations

import pytest

from grammar_store.facade import Store
from grammar_store.sessions.session import Session
from grammar_store.sessions.steps import Merge

PAIRS = [(2, 1), (4, 3), (6, 5), (8, 7), (10, 9)]
STEPS = [Merge(number, *pair, "tested") for number, pair in enumerate(PAIRS, 1)]


@pytest.fixture
def session(store: Store) -> Session:
    session = store.session("trunk")
    session.apply(STEPS)
    return session


def rows(store: Store) -> list[tuple[str, int]]:
    """Whose row each merge is."""
    query = "SELECT name, step FROM merge JOIN session USING (session_id) ORDER BY ALL"
    return store.sql(query).fetchall()


def parents(store: Store) -> dict[str, tuple[str | None, int | None]]:
    query = "SELECT s.name, p.name, s.forked_at FROM session s LEFT JOIN session p"
    found = store.sql(query + " ON p.session_id = s.parent_id").fetchall()
    return {name: (parent, fork) for name, parent, fork in found}


def test_a_branch_copies_nothing(store: Store, session: Session) -> None:
    branch = session.branch("branch", 3)
    assert list(branch) == STEPS[:3]
    branch.merge(12, 11)
    assert [step.step for step in branch] == [1, 2, 3, 4]
    assert rows(store) == [("branch", 4), *(("trunk", number) for number in range(1, 6))]
    assert branch.members(11) == [11, 12]
    assert session.members(11) == [11]


def test_undo_below_forks_hands_the_rows_over(store: Store, session: Session) -> None:
    names = ["at 0", "at 2", "at 4", "also at 4", "at 5"]
    branches = [session.branch(name, int(name[-1])) for name in names]
    session.undo(4)
    # The furthest branch has taken the steps that it saw; those between are branches of it.
    assert rows(store) == [*(("at 5", number) for number in range(2, 6)), ("trunk", 1)]
    assert parents(store) == {
        "trunk": (None, None),
        "at 0": ("trunk", 0),
        "at 2": ("at 5", 2),
        "at 4": ("at 5", 4),
        "also at 4": ("at 5", 4),
        "at 5": ("trunk", 1),
    }
    for name, branch in zip(names, branches, strict=True):
        assert list(branch) == STEPS[: int(name[-1])]
    session.redo(4)
    assert list(session) == STEPS
    assert len(rows(store)) == 9
    assert store.check() == []


def test_undo_in_a_branch_goes_back_beyond_its_fork(store: Store, session: Session) -> None:
    branch = session.branch("branch", 3)
    twig = branch.branch("twig")
    branch.merge(12, 11)
    leaf = branch.branch("leaf")
    branch.undo(3)
    assert list(branch) == STEPS[:1]
    assert list(twig) == STEPS[:3]
    assert [step.step for step in leaf] == [1, 2, 3, 4]
    assert parents(store) == {
        "trunk": (None, None),
        "branch": ("trunk", 1),
        "twig": ("trunk", 3),
        "leaf": ("trunk", 3),
    }
    assert list(session) == STEPS
    branch.redo(3)
    assert branch.same(11, 12)
    assert rows(store) == [
        *(("branch", number) for number in range(2, 5)),
        ("leaf", 4),
        *(("trunk", number) for number in range(1, 6)),
    ]
    assert store.check() == []


@pytest.mark.parametrize("forks", [[0], [2], [5], [0, 0], [1, 3], [3, 1, 3]])
def test_deleting_a_parent_leaves_its_branches_whole(
    store: Store, session: Session, forks: list[int]
) -> None:
    branches = [session.branch(f"branch {place}", fork) for place, fork in enumerate(forks)]
    twig = branches[0].branch("twig", 0)
    store.delete_session("trunk")
    for branch, fork in zip(branches, forks, strict=True):
        assert list(branch) == STEPS[:fork]
    assert list(twig) == []
    assert len(rows(store)) == max(forks)
    store.close()
    for place, fork in enumerate(forks):
        assert list(store.session(f"branch {place}")) == STEPS[:fork]
    assert store.check() == []


def test_deleting_in_the_middle_joins_what_is_left(store: Store, session: Session) -> None:
    middle = session.branch("middle", 3)
    middle.merge(12, 11)
    twig = middle.branch("twig")
    other = middle.branch("other", 2)
    expected = list(twig)
    store.delete_session("middle")
    assert parents(store)["twig"] == ("trunk", 3)
    assert parents(store)["other"] == ("trunk", 2)
    assert (list(twig), list(other)) == (expected, STEPS[:2])
    session.undo(5)
    assert (list(twig), list(other)) == (expected, STEPS[:2])
    assert parents(store) == {"trunk": (None, None), "twig": ("trunk", 0), "other": ("twig", 2)}
    assert store.check() == []


def test_a_branch_has_constraints_of_its_own(session: Session) -> None:
    session.cannot(11, 12)
    branch = session.branch("branch")
    branch.drop_constraint(11, 12)
    branch.must(13, 14)
    branch.merge(11, 12)
    assert session.constraints().values.tolist() == [["cannot", 11, 12, True]]


def test_a_branch_starts_with_nothing_to_redo(session: Session) -> None:
    session.undo(2)
    branch = session.branch("branch")
    branch.merge(12, 11)
    session.redo(2)
    assert list(session) == STEPS
