"""What `check` and opening a session notice when rows are lost or changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest
from sessions.stores import small_store

import grammar_store as gs
from grammar_store.errors import StoreError
from grammar_store.resources import sql, sql_names
from grammar_store.sessions.steps import Evidence, Merge, Promotion

EVIDENCE = Evidence(1, 3, 4, None, 6, 0.5, 1.0, 0.25, 1.0, 0.03125, 0.5, None, "hoeffding", 0)


@cache
def content() -> bytes:
    """A trunk of five steps, of which one more was undone, and a branch of it."""
    with TemporaryDirectory() as folder:
        path = small_store(Path(folder) / "store.duckdb")
        with gs.open(path) as store:
            trunk = store.session("trunk")
            trunk.apply(
                [
                    Merge(1, 4, 3, "tested", None, EVIDENCE),
                    Promotion(2, 5, "tested", None, EVIDENCE._replace(p_value=0.25, test="fisher")),
                    Merge(3, 7, 6, "forced", 1),
                    Merge(4, 9, 8),
                    Merge(5, 8, 6),
                    Merge(6, 11, 10),
                ]
            )
            branch = trunk.branch("branch", 3)
            branch.merge(12, 11)
            trunk.undo()
            trunk.cannot(13, 14)
            trunk.must(13, 15)
            assert store.check() == []
        return path.read_bytes()


# What to do to the rows, and which checks must notice.
TAMPERINGS = {
    "DELETE FROM merge WHERE step = 1": {"session_steps", "session_hashes", "no_orphans"},
    "DELETE FROM merge WHERE session_id = 2": {"session_steps", "session_hashes"},
    "DELETE FROM promotion": {"session_steps", "session_hashes", "no_orphans"},
    "DELETE FROM evidence WHERE step = 1": {"session_hashes"},
    "INSERT INTO evidence SELECT * FROM evidence WHERE step = 1": {
        "session_steps",
        "session_hashes",
    },
    "INSERT INTO merge SELECT * FROM merge WHERE step = 4 AND session_id = 1": {
        "session_steps",
        "session_hashes",
    },
    "UPDATE merge SET displaced_id = 13 WHERE step = 3": {"session_hashes"},
    "UPDATE merge SET leader_id = 9 WHERE step = 3": {"session_hashes"},
    "UPDATE merge SET reason = 'clustered' WHERE step = 1": {"session_hashes"},
    "UPDATE merge SET cause = 2 WHERE step = 3": {"session_hashes"},
    "UPDATE merge SET hash = hash + 1 WHERE step = 4 AND session_id = 1": {"session_hashes"},
    "UPDATE promotion SET nonterminal_id = 10": {"session_hashes"},
    "UPDATE evidence SET c1 = nextafter(c1, 1::DOUBLE) WHERE step = 1": {"session_hashes"},
    "UPDATE evidence SET d = -0.0 WHERE step = 2": {"session_hashes"},
    "UPDATE evidence SET p_value = 0 WHERE step = 1": {"session_hashes"},
    "UPDATE evidence SET lhs1_id = 1 WHERE step = 1": {"session_hashes"},
    "UPDATE evidence SET test = 'fisher' WHERE step = 1": {"session_hashes"},
    "UPDATE session SET last_hash = 1 WHERE session_id = 1": {"session_hashes"},
    "UPDATE session SET last_step = 4 WHERE session_id = 1": {
        "session_steps",
        "session_hashes",
        "session_undone",
    },
    "UPDATE session SET name = 'trunk'": {"session_names"},
    "UPDATE session SET forked_at = 2 WHERE session_id = 2": {"session_steps", "session_hashes"},
    "UPDATE session SET forked_at = 6, last_step = 6 WHERE session_id = 2": {
        "session_parents",
        "session_steps",
        "session_hashes",
    },
    "UPDATE merge SET displaced_id = 7, leader_id = 12 WHERE step = 4 AND session_id = 1": {
        "session_forest",
        "session_hashes",
    },
    "UPDATE promotion SET nonterminal_id = 4": {"session_forest", "session_hashes"},
    "UPDATE session_constraint SET first_id = 6, second_id = 7 WHERE kind = 'cannot'": {
        "session_constraints"
    },
    "UPDATE session_constraint SET second_id = 14": {"session_constraints"},
    "UPDATE session_constraint SET second_id = 77 WHERE kind = 'must'": {"session_constraints"},
    "INSERT INTO session_constraint SELECT * FROM session_constraint": {"session_constraints"},
    "UPDATE session_constraint SET session_id = 9": {"session_constraints"},
    "UPDATE undone_step SET entry = 2": {"session_undone"},
    "UPDATE undone_step SET step = 7": {"session_undone"},
    "UPDATE undone_step SET rewritten = 1": {"session_undone"},
    "INSERT INTO undone_step SELECT * FROM undone_step": {"session_undone"},
}


# The checks that look at what can be tampered with: not those of the grammar alone.
TABLES = re.compile(r"\b(session\w*|merge|promotion|evidence|undone_step)\b")
CHECKS = [name for name in sql_names("checks") if TABLES.search(sql(name))]


@pytest.fixture(scope="module")
def connection(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[duckdb.DuckDBPyConnection]:
    path = tmp_path_factory.mktemp("tampering") / "store.duckdb"
    path.write_bytes(content())
    with duckdb.connect(str(path)) as connection:
        yield connection


@pytest.mark.parametrize("statement", ["SELECT 1", *TAMPERINGS])
def test_tampering_is_noticed(connection: duckdb.DuckDBPyConnection, statement: str) -> None:
    connection.begin()
    try:
        connection.execute(statement)
        problems = {name for name in CHECKS if connection.execute(sql(name)).fetchall()}
    finally:
        connection.rollback()
    assert problems == {f"checks/{name}" for name in TAMPERINGS.get(statement, ())}


def test_tampering_is_noticed_by_all_checks_together(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    path.write_bytes(content())
    statement = next(iter(TAMPERINGS))
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement)
    with gs.open(path, read_only=True) as store:
        assert {problem.check for problem in store.check()} == TAMPERINGS[statement]


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("DELETE FROM merge WHERE step = 1", "not all there"),
        ("DELETE FROM merge WHERE step = 5", "not all there"),
        ("UPDATE session SET last_step = 4, last_hash = 1", "not the one that was written"),
        ("UPDATE promotion SET nonterminal_id = 4", "cannot promote X4"),
        ("UPDATE merge SET leader_id = 7 WHERE step = 4", "cannot displace X9 by X7"),
    ],
)
def test_a_damaged_session_is_not_gone_on_with(tmp_path: Path, statement: str, what: str) -> None:
    path = tmp_path / "store.duckdb"
    path.write_bytes(content())
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement)
    with gs.open(path) as store:
        with pytest.raises(StoreError, match=f"is damaged, .*{what}.*grammar-store check"):
            store.session("trunk").merge(1, 2)
        assert store.session("trunk").name == "trunk"


def test_steps_undone_are_not_done_again_if_they_were_changed(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    path.write_bytes(content())
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE undone_step SET leader_id = 12")
    with gs.open(path) as store:
        session = store.session("trunk")
        with pytest.raises(StoreError, match="what was undone is not as it was"):
            session.redo()
        assert session.step == 5


def test_parents_in_a_circle_are_noticed_and_do_not_go_on_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    path.write_bytes(content())
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE session SET parent_id = 3 - session_id, forked_at = 0")
    with gs.open(path, read_only=True) as store:
        assert "session_parents" in {problem.check for problem in store.check()}


def test_merges_in_a_circle_are_noticed_and_do_not_go_on_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    path.write_bytes(content())
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE merge SET displaced_id = 3, leader_id = 4 WHERE step = 5")
    with gs.open(path, read_only=True) as store:
        assert "session_forest" in {problem.check for problem in store.check()}
        for query in (
            "SELECT count(*) FROM class_member",
            "SELECT count(*) FROM classes_at('trunk')",
            "SELECT count(*) FROM merge_tree('trunk')",
            "SELECT count(*) FROM joined('trunk', 3, 4)",
        ):
            store.sql(query).fetchall()
