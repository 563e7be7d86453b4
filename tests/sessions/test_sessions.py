"""Sessions as people use them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from sessions.stores import small_store

import grammar_store as gs
from grammar_store.errors import (
    DependantsError,
    NotInStoreError,
    OptionError,
    SessionError,
    StoreError,
)
from grammar_store.facade import Store
from grammar_store.sessions.steps import Evidence, Merge, Promotion


def test_a_session_is_resumed_with_its_steps(store: Store) -> None:
    session = store.session("mine", description="by hand", alpha=0.05)
    assert session
    session.merge("Haus ||| house", "Auto ||| car")
    assert store.session("mine") is session
    store.close()
    again = store.session("mine", "manual", "by hand", alpha=0.05)
    assert again is not session
    assert list(again) == [Merge(1, 3, 1)]
    assert (again.step, len(again), again.status, again.method) == (1, 1, "open", "manual")
    assert (again.description, again.parameters) == ("by hand", {"alpha": 0.05})
    assert again.signature == f"manual|alpha=0.05|{store.info()['signature']}|0.1.0"


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"method": "blue-fringe"}, "method manual, not blue-fringe"),
        ({"alpha": 0.1}, "parameters"),
        ({"description": "other"}, "description"),
    ],
)
def test_a_session_is_not_resumed_as_another(
    store: Store, given: dict[str, object], what: str
) -> None:
    store.session("mine", alpha=0.05)
    with pytest.raises(OptionError, match=what):
        store.session("mine", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", " a", "a\n", "a\x1b[31m", "\udcfc", "x" * 201])
def test_names_are_printable_text(store: Store, name: str) -> None:
    with pytest.raises(OptionError, match="name of a session"):
        store.session(name)
    session = store.session("fine, 'quoted' — ü")
    with pytest.raises(OptionError, match="name of a session"):
        session.rename(name)
    assert session.name == "fine, 'quoted' — ü"


def test_parameters_are_plain_values(store: Store) -> None:
    for value in (object(), float("nan")):
        with pytest.raises(OptionError, match="plain values"):
            store.session("mine", "method", x=value)


def test_a_session_is_renamed_described_closed_and_reopened(store: Store) -> None:
    session, other = store.session("one"), store.session("two")
    with pytest.raises(OptionError, match="UTF-8"):
        session.describe("\udcfc")
    with pytest.raises(SessionError, match="there is a session 'two' already"):
        session.rename("two")
    session.rename("first")
    session.describe("what for")
    session.close()
    assert repr(session) == "<Session 'first': 0 steps, closed>"
    for change in (
        lambda: session.merge(1, 2),
        lambda: session.promote(1),
        lambda: session.undo(),
        lambda: session.redo(),
        lambda: session.must(1, 2),
    ):
        with pytest.raises(SessionError):
            change()
    assert session.branch("third").merge(1, 2).step == 1
    session.reopen()
    session.merge(1, 2)
    other.merge(1, 3)
    store.close()
    assert store.sessions()["name"].tolist() == ["first", "two", "third"]
    assert store.session("first").description == "what for"


def test_the_list_of_sessions(store: Store) -> None:
    session = store.session("one", description="by hand")
    session.merge_all([(1, 2), (3, 4)])
    session.promote(5)
    session.branch("two", 1).merge(5, 6)
    listed = store.sessions().drop(columns=["created_at", "signature"])
    assert listed.astype(object).where(listed.notna(), None).values.tolist() == [
        ["one", "manual", "open", 3, 2, 1, 15, None, None, "by hand"],
        ["two", "manual", "open", 2, 2, 0, 15, "one", 1, "by hand"],
    ]


def test_the_leader_is_the_one_of_greater_count(store: Store) -> None:
    session = store.session("mine")
    # X3 to X17 have count 1: of equals the smaller id leads, then the greater class does.
    assert session.merge("X17", 16) == Merge(1, 17, 16)
    assert session.merge(3, 17) == Merge(2, 3, 16)
    assert session.merge(16, 2) == Merge(3, 16, 2)
    assert session.merge(17, 1, leader=2) == Merge(4, 1, 2)
    assert session.members(3) == [1, 2, 3, 16, 17]
    assert session.leader("Auto ||| car") == 2
    with pytest.raises(OptionError, match="leader must be X2 or X4"):
        session.merge(3, 4, leader=3)
    with pytest.raises(SessionError, match="one class already"):
        session.merge(3, 1)
    with pytest.raises(NotInStoreError, match="no non-terminal X18"):
        session.merge(3, "X18")
    with pytest.raises(NotInStoreError, match="near matches: X1 "):
        session.merge(3, "Hauss ||| house")
    assert session.step == 4


def test_many_pairs_at_once_are_merged_once_each(store: Store) -> None:
    session = store.session("mine")
    made = session.merge_all([(3, 4), (4, 5), (5, 3), (6, 7)])
    assert made == [Merge(1, 4, 3), Merge(2, 5, 3), Merge(3, 7, 6)]
    assert session.merge_all([(3, 5)]) == []
    assert session.classes(min_members=2).values.tolist() == [
        [3, 3, 3, "Auto ||| car, alte ||| old, alte Haus ||| old house"],
        [6, 2, 2, "das Haus ||| the house, das alte ||| the old"],
    ]
    assert len(session.classes(step=1)) == 16
    assert session.classes(limit=1, examples=1)["examples"].tolist() == ["Haus ||| house"]


EVIDENCE = Evidence(1, 3, 4, None, 6, 0.5, 1.0, 0.25, 1.0, 0.03125, 0.5, None, "hoeffding", 0)


def test_steps_with_evidence_are_read_as_they_were_written(store: Store) -> None:
    session = store.session("mine")
    steps = [
        Merge(1, 4, 3, "tested", None, EVIDENCE),
        Promotion(2, 6, "tested", None, EVIDENCE._replace(p_value=0.001, test="fisher", depth=2)),
        Merge(3, 8, 7, "forced", 1),
    ]
    session.apply(steps)
    assert list(session) == steps
    assert list(session.branch("other")) == steps
    store.close()
    assert list(store.session("mine")) == steps


def test_steps_as_a_table(store: Store) -> None:
    session = store.session("mine")
    session.apply(pa.table({"displaced_id": [2, None, 3], "leader_id": [1, 1, 1]}))
    assert list(session) == [
        Merge(1, 2, 1, "tested"),
        Promotion(2, 1, "tested"),
        Merge(3, 3, 1, "tested"),
    ]
    session.apply(session._journal.read(1, 0).drop_columns("hash"))
    assert session.step == 3


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        ({"displaced_id": [2]}, "need a column leader_id"),
        ({"displaced_id": [2], "leader_id": [1], "size": [1]}, "no column 'size'"),
        ({"displaced_id": [2], "leader_id": [None]}, "needs a leader_id"),
        ({"displaced_id": [2], "leader_id": [1], "step": [3]}, "numbered from 1"),
        ({"displaced_id": [2], "leader_id": [1], "reason": ["why"]}, "reason must be one of"),
        ({"displaced_id": [2], "leader_id": [1], "reason": [None]}, "reason must be one of"),
        ({"displaced_id": [2], "leader_id": [1], "reason": ["forced"]}, "only if"),
        ({"displaced_id": [2], "leader_id": [1], "cause": [1]}, "only if"),
        (
            {"displaced_id": [2], "leader_id": [1], "reason": ["forced"], "cause": [1]},
            "an earlier step",
        ),
        ({"displaced_id": [2], "leader_id": [1], "c1": [0.5]}, "context_id and c1 go together"),
        ({"displaced_id": [2**31], "leader_id": [1]}, "as steps: Integer value 2147483648"),
        ({"displaced_id": ["X2"], "leader_id": [1]}, "as steps: "),
    ],
)
def test_a_table_that_makes_no_sense_is_refused(
    store: Store, columns: dict[str, list[object]], what: str
) -> None:
    session = store.session("mine")
    with pytest.raises(OptionError, match=what):
        session.apply(pa.table(columns))
    assert session.step == 0


def test_after_an_error_in_the_database_the_file_is_the_truth(store: Store) -> None:
    session = store.session("mine")
    session.merge(1, 2)
    with pytest.raises(duckdb.ConstraintException):
        session.apply([Merge(2, 4, 3), Merge(3, 6, 5, "tested", None, EVIDENCE._replace(d=-1.0))])
    assert (session.step, session.leader(4), session.leader(2)) == (1, 4, 1)
    assert session.merge(3, 4).step == 2
    assert store.check() == []


def test_a_callback_that_fails_does_not_undo_the_step(store: Store) -> None:
    session = store.session("mine")
    seen: list[object] = []
    session.on_merge(seen.append)
    session.on_promote(seen.append)

    def fail(step: Merge) -> None:
        raise ValueError(step.step)

    session.merge(1, 2)
    session.promote(3)
    session.on_merge(fail)
    with pytest.raises(ValueError, match="3"):
        session.merge(4, 5)
    assert seen == [Merge(1, 2, 1), Promotion(2, 3), Merge(3, 5, 4)]
    assert session.step == 3


def test_a_block_keeps_its_steps_whatever_happens(store: Store) -> None:
    def block() -> None:
        with store.session("mine") as session:
            session.merge(1, 2)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        block()
    assert store.session("mine").same(1, 2)


def test_an_earlier_step_is_undone_with_what_rests_on_it(store: Store) -> None:
    session = store.session("mine")
    session.apply(
        [
            Merge(1, 4, 3, "tested", None, EVIDENCE),
            Merge(2, 6, 5, "tested"),
            Merge(3, 7, 3, "tested"),  # rests on 1
            Merge(4, 9, 8, "forced", 3),  # forced by 3
            Merge(5, 11, 10, "tested", None, EVIDENCE),
            Merge(6, 13, 12, "forced", 5),
            Promotion(7, 8, "tested"),  # of the class that 4 made
        ]
    )
    before = list(session)
    assert [step.step for step in session.dependants(1)] == [3, 4, 7]
    with pytest.raises(DependantsError, match=r"3 later step\(s\) rest on it \(3, 4, 7\)") as error:
        session.undo(step=1)
    assert error.value.steps == [3, 4, 7]
    assert list(session) == before
    session.undo(step=1, cascade=True)
    after = [
        Merge(1, 6, 5, "tested"),
        Merge(2, 11, 10, "tested", None, EVIDENCE),
        Merge(3, 13, 12, "forced", 2),
    ]
    assert list(session) == after
    session.undo(step=1)
    session.redo()
    assert list(session) == after
    session.redo()
    assert list(session) == before
    with pytest.raises(SessionError, match="nothing was undone"):
        session.redo()
    assert store.check() == []


@pytest.mark.parametrize("n", [-1, 0, 3])
def test_there_must_be_something_to_undo(store: Store, n: int) -> None:
    session = store.session("mine")
    session.merge_all([(1, 2), (3, 4)])
    with pytest.raises(SessionError, match="cannot undo"):
        session.undo(n)
    with pytest.raises(SessionError, match=r"redo|undone"):
        session.redo(n)
    for step in (0, 3):
        with pytest.raises(SessionError, match="no step"):
            session.undo(step=step)
        with pytest.raises(SessionError, match="no step"):
            session.dependants(step)
    for step in (-1, 3):
        with pytest.raises(SessionError, match="no step"):
            session.at(step)
        with pytest.raises(SessionError, match="no step"):
            session.branch("other", step)


def test_a_new_step_leaves_nothing_to_redo(store: Store) -> None:
    session = store.session("mine")
    session.merge_all([(1, 2), (3, 4), (5, 6)])
    session.undo(2)
    with pytest.raises(SessionError, match=r"only 2 step\(s\)"):
        session.redo(3)
    session.redo()
    session.merge(7, 8)
    with pytest.raises(SessionError, match="nothing was undone"):
        session.redo()
    assert [step.step for step in session] == [1, 2, 3]


def test_states_stay_as_they_are(store: Store) -> None:
    session = store.session("mine")
    session.merge_all([(1, 2), (3, 4)])
    before, now = session.at(1), session.at()
    session.undo(2)
    assert np.flatnonzero(before.leaders != np.arange(18)).tolist() == [2]
    assert (now.step, now.leader(4), now.members("X3"), now.same(1, 2)) == (2, 3, [3, 4], True)
    assert repr(now) == "<State at step 2: 15 classes>"


def test_the_grammar_of_a_state_is_compared(store: Store) -> None:
    session = store.session("mine", alpha=0.5)
    session.merge("neue ||| new", "alte ||| old")
    verdict = session.at().compare("neue ||| new", "Haus ||| house", alpha=0.5)
    assert verdict.first.name == "X4"
    assert session.why_not("neue ||| new", "Haus ||| house").to_dict() == verdict.to_dict()
    assert session.why_not(1, 4, alpha=0.01).alpha == 0.01
    with pytest.raises(SessionError, match="in one class"):
        session.why_not("neue ||| new", "alte ||| old")


def test_history_is_in_words(store: Store) -> None:
    session = store.session("mine")
    session.apply([Merge(1, 4, 3, "tested", None, EVIDENCE), Promotion(2, 1), Merge(3, 6, 5)])
    shown = session.history(2)
    assert shown["step"].tolist() == [2, 3]
    assert shown["displaced_text"].isna().tolist() == [True, False]
    assert shown["displaced_text"].tolist()[1] == "das Haus ||| the house"
    assert session.history()["d"].tolist()[0] == 0.03125
    assert len(session.history(0)) == 0


def test_why_follows_the_merges(store: Store) -> None:
    session = store.session("mine")
    session.apply(
        [
            Merge(1, 4, 3, "tested", None, EVIDENCE),
            Merge(2, 6, 5),
            Merge(3, 3, 5, "forced", 1),
            Merge(4, 8, 7),
        ]
    )
    why = session.why(4, "das Haus ||| the house")
    assert [step.step for step in why.steps] == [1, 3, 2]
    assert why.joined_at == 3
    context = store.sql("SELECT source, target FROM context WHERE context_id = 1").fetchall()[0]
    assert str(why).split("\n") == [
        "X4 (alte ||| old) and X6 (das Haus ||| the house) are in one class since step 3",
        "  step 1: X4 (alte ||| old) into X3 (Auto ||| car), tested; closest to failing:"
        f" {context[0]} | {context[1]}: 1/2 against 1/4 (difference 0.25 < 0.5, D = 0.03125)",
        "  step 3: X3 (Auto ||| car) into X5 (alte Haus ||| old house), forced by step 1",
        "  step 2: X6 (das Haus ||| the house) into X5 (alte Haus ||| old house), manual",
    ]
    assert why.frame["step"].tolist() == [1, 3, 2]
    assert "<table" in why._repr_html_()
    with pytest.raises(SessionError, match="why_not"):
        session.why(4, 7)
    with pytest.raises(SessionError, match="one non-terminal"):
        session.why(4, "X4")


def test_a_difference_in_words(store: Store) -> None:
    session = store.session("one")
    session.merge_all([(3, 4), (4, 5), (6, 7)])
    other = session.branch("two", 0)
    assert str(session.diff(session)) == "one at step 3 and one at step 3 have the same classes"
    other.merge_all([(3, 4), (5, 6), (7, 5)])
    found = session.diff(other)
    assert str(found).split("\n") == [
        "from one at step 3 to two at step 3:",
        "  1 class(es) split, 1 joined from others, 1 non-terminal(s) moved",
        "  split: X3 into X3 (2, count 2) and X5 (1, count 1)",
        "  joined: X6 (2, count 2) and X3 (1, count 1) in X5",
    ]
    assert found.moved.values.tolist() == [[5, "alte Haus", "old house", 1, 3, 5]]
    assert "<table" in found._repr_html_()
    assert not found.equal


def test_sessions_of_two_stores_are_not_compared(store: Store, tmp_path: Path) -> None:
    other = gs.open(small_store(tmp_path / "other.duckdb"))
    with other, pytest.raises(OptionError, match="replay"):
        store.session("one").diff(other.session("one"))


def test_a_deleted_session_is_gone(store: Store) -> None:
    session = store.session("one")
    session.merge(1, 2)
    store.delete_session("one")
    assert store.sessions().empty
    store.session("another").merge(3, 4)  # may have the same id
    with pytest.raises(NotInStoreError, match="has been deleted"):
        session.merge(5, 6)
    with pytest.raises(NotInStoreError, match="no session 'one'; there are: another"):
        store.delete_session("one")
    assert store.check() == []


def test_a_store_open_for_reading_has_its_sessions(store: Store) -> None:
    store.session("one").merge(1, 2)
    store.close()
    with gs.open(store.path, read_only=True) as reader:
        assert reader.session("one").same(1, 2)
        for change in (
            lambda: reader.session("two"),
            lambda: reader.session("one").merge(3, 4),
            lambda: reader.session("one").undo(),
            lambda: reader.session("one").branch("two"),
            lambda: reader.delete_session("one"),
        ):
            with pytest.raises(StoreError, match="for reading only"):
                change()
        assert reader.session("one").step == 1
