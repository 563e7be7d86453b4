"""A session once more, on another store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sessions.stores import SENTENCES, build

import grammar_store as gs
from grammar_store.errors import NotInStoreError, OptionError, SessionError
from grammar_store.facade import Store
from grammar_store.sessions.steps import Evidence, Merge

HAUS, AUTO, ALTE, NEUES = "Haus ||| house", "Auto ||| car", "alte ||| old", "neues ||| new"


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    """Without "das alte Haus": other ids, and some non-terminals are not there."""
    build(tmp_path / "other.duckdb", [SENTENCES[0], *SENTENCES[2:]])
    with gs.open(tmp_path / "other.duckdb") as other:
        yield other


def groups(store: Store, session: str) -> set[frozenset[str]]:
    """The classes of several members by their text."""
    query = (
        "SELECT list(source || ' ||| ' || target) FROM class_member"
        " JOIN nonterminal USING (nonterminal_id) WHERE session = $session GROUP BY leader_id"
    )
    rows = store.sql(query, session=session).fetchall()
    return {frozenset(members) for (members,) in rows if len(members) > 1}


def test_the_same_store_again(store: Store, tmp_path: Path) -> None:
    session = store.session("mine")
    evidence = Evidence(1, 3, 4, None, None, 0.5, 1.0, 0.5, 1.0, 0.0, 0.5, None, "hoeffding", 0)
    session.apply([Merge(1, 4, 3, "tested", None, evidence), Merge(2, 6, 5, "forced", 1)])
    session.promote(7)
    session.must(3, 6)
    session.cannot(8, 9)
    build(tmp_path / "again.duckdb", SENTENCES)
    with gs.open(tmp_path / "again.duckdb") as again:
        report = session.replay(again, "copy")
        assert str(report) == "copy: 3 steps made, 0 skipped, 0 non-terminals missing"
        copy = again.session("copy")
        assert copy.history().iloc[:, :8].equals(session.history().iloc[:, :8])
        assert [step.evidence for step in copy] == [None] * 3
        assert copy.constraints().equals(session.constraints())
        assert copy.method == "replay"
        assert copy.parameters == {"session": "mine", "signature": session.signature}
        with pytest.raises(SessionError, match="has steps already"):
            session.replay(again, "copy")
        assert again.check() == []


def test_what_is_missing_is_named_or_left_out(store: Store, other: Store) -> None:
    session = store.session("mine")
    # ALTE is not in the other store, and stands for a class whose other members are.
    session.merge(ALTE, HAUS, leader=ALTE)
    session.merge(AUTO, ALTE, leader=ALTE)
    session.promote(ALTE)
    session.merge(NEUES, "ein ||| a")
    with pytest.raises(NotInStoreError, match=r"1 non-terminal\(s\) .* 'alte \|\|\| old'"):
        session.replay(other)
    assert other.sessions().empty
    with pytest.raises(OptionError, match="missing must be"):
        session.replay(other, missing="ignore")
    report = session.replay(other, missing="skip")
    assert (report.steps, report.skipped, report.missing) == (3, (1,), ("alte ||| old",))
    expected = {frozenset({HAUS, AUTO}), frozenset({NEUES, "ein ||| a"})}
    assert groups(other, "mine") == expected
    assert groups(store, "mine") == {
        frozenset({HAUS, AUTO, ALTE}),
        frozenset({NEUES, "ein ||| a"}),
    }
    assert [step.nonterminal for step in report.session if not isinstance(step, Merge)] == [
        other[HAUS].id
    ]


def test_a_step_whose_cause_is_left_out_is_still_made(store: Store, other: Store) -> None:
    session = store.session("mine")
    ids = {name: store[name].id for name in (HAUS, AUTO, ALTE, NEUES)}
    session.apply(
        [
            Merge(1, ids[ALTE], ids[HAUS], "tested"),
            Merge(2, ids[NEUES], ids[AUTO], "forced", 1),
            Merge(3, ids[AUTO], ids[HAUS], "forced", 2),
        ]
    )
    made = list(session.replay(other, "copy", missing="skip").session)
    assert [(step.step, step.reason, step.cause) for step in made] == [
        (1, "manual", None),
        (2, "forced", 1),
    ]
    assert groups(other, "copy") == {frozenset({HAUS, AUTO, NEUES})}
