"""Pairs that must merge and pairs that cannot."""

from __future__ import annotations

import pytest

from grammar_store.errors import ConstraintError, OptionError, SessionError
from grammar_store.facade import Store
from grammar_store.sessions.steps import Merge, Promotion


def test_a_step_against_a_constraint_names_pair_and_classes(store: Store) -> None:
    session = store.session("mine")
    session.cannot(1, 3)
    session.must(3, 4)
    session.merge(5, 1)
    with pytest.raises(
        ConstraintError,
        match="X1 and X3 cannot merge, but both would belong to the classes of X1 and X3, which"
        " must merge",
    ):
        session.merge(4, 5)
    session.cannot(6, 7)
    with pytest.raises(ConstraintError, match=r"both would belong to the class of X6$"):
        session.merge(7, 6)
    with pytest.raises(ConstraintError, match="X4 and X5 cannot be made to merge"):
        session.must(4, 5)
    with pytest.raises(ConstraintError, match="X1 and X5 cannot be kept apart"):
        session.cannot(1, 5)
    assert session.step == 1
    with pytest.raises(SessionError, match="X3 and X4 must merge, and have not yet"):
        session.close()
    assert session.merge_required() == [Merge(2, 4, 3, "must-merge")]
    assert session.constraints().values.tolist() == [
        ["must", 3, 4, True],
        ["cannot", 1, 3, True],
        ["cannot", 6, 7, True],
    ]
    session.close()


def test_whoever_must_merge_is_not_promoted_apart(store: Store) -> None:
    session = store.session("mine")
    session.must(3, 4)
    session.promote(3)
    with pytest.raises(ConstraintError, match="X3 and X4 must merge"):
        session.promote(4)
    session.promote(5)
    with pytest.raises(ConstraintError, match="X3 and X5 must merge"):
        session.must(4, 5)
    session.drop_constraint(4, 3)
    with pytest.raises(SessionError, match="no constraint of X3 and X4"):
        session.drop_constraint(3, 4)
    session.must(4, 5)


def test_promotions_are_looked_at_when_they_are_made(store: Store) -> None:
    session = store.session("mine")
    session.must(3, 4)
    with pytest.raises(ConstraintError, match="X3 and X4 must merge"):
        session.apply([Promotion(1, 3), Promotion(2, 4), Merge(3, 4, 3), Merge(4, 6, 5)])
    assert session.step == 0
    # X5 is promoted before X4 joins it: no matter whether one by one, at once or again.
    steps = [Promotion(1, 3), Promotion(2, 5), Merge(3, 4, 5)]
    for step in steps:
        session.apply([step])
    session.undo(3)
    session.redo(3)
    session.undo(3)
    session.apply(steps)
    assert list(session) == steps


def test_redo_heeds_constraints_that_came_later(store: Store) -> None:
    session = store.session("mine")
    session.merge_all([(3, 4), (5, 6)])
    session.undo(2)
    session.cannot(5, 6)
    session.redo()
    with pytest.raises(ConstraintError):
        session.redo()
    assert (session.step, session.same(5, 6)) == (1, False)
    session.drop_constraint(5, 6)
    session.redo()
    assert session.same(5, 6)


def test_a_pair_is_two_non_terminals(store: Store) -> None:
    for demand in (store.session("mine").must, store.session("mine").cannot):
        with pytest.raises(OptionError, match="one non-terminal"):
            demand("X1", "Haus ||| house")
