from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from sql_cases.hand_made import make_store

from grammar_store.errors import StoreError
from grammar_store.resources import sql, sql_names
from grammar_store.store.check import Problem, check, invariant_of
from grammar_store.store.database import Database

HAND_MADE = ["table1", "two_gaps", "lookalikes"]

# A session without steps, from its method on.
SESSION = "'manual', '{}', '', 'open', '2020-01-01', '', 0, 0"

# What to break in a store, and the checks that must notice: these and no others.
TAMPERINGS = {
    "two build rows": (
        "table1",
        "INSERT INTO build SELECT * FROM build",
        {"build_row"},
    ),
    "no build row": ("table1", "DELETE FROM build", {"build_row"}),
    "sentences miscounted": ("table1", "UPDATE build SET sentences = 3", {"build_row"}),
    "skipped miscounted": ("table1", "UPDATE build SET skipped = 1", {"build_row"}),
    "hole in rule ids": (
        "table1",
        "UPDATE rule SET rule_id = 19 WHERE rule_id = 18;"
        "UPDATE slot SET rule_id = 19 WHERE rule_id = 18",
        {"ids_dense"},
    ),
    "hole in non-terminal ids": (
        "table1",
        "UPDATE nonterminal SET nonterminal_id = 9 WHERE nonterminal_id = 7;"
        "UPDATE rule SET lhs_id = 9 WHERE lhs_id = 7;"
        "UPDATE slot SET nonterminal_id = 9 WHERE nonterminal_id = 7;"
        "UPDATE occurrence SET nonterminal_id = 9 WHERE nonterminal_id = 7",
        {"ids_dense"},
    ),
    "hole in context ids": (
        "table1",
        "UPDATE context SET context_id = 8 WHERE context_id = 7;"
        "UPDATE slot SET context_id = 8 WHERE context_id = 7",
        {"ids_dense"},
    ),
    "hole in sentence ids": (
        "table1",
        "UPDATE bitext SET sentence_id = 3 WHERE sentence_id = 2;"
        "UPDATE occurrence SET sentence_id = 3 WHERE sentence_id = 2",
        {"ids_dense"},
    ),
    "an id twice": (
        "lookalikes",
        "INSERT INTO bitext VALUES (3, '', '', '', NULL, NULL); UPDATE build SET sentences = 4",
        {"ids_dense"},
    ),
    "non-terminals out of order": (
        "table1",
        "UPDATE nonterminal SET nonterminal_id = 13 - nonterminal_id WHERE nonterminal_id >= 6;"
        "UPDATE rule SET lhs_id = 13 - lhs_id WHERE lhs_id >= 6;"
        "UPDATE slot SET nonterminal_id = 13 - nonterminal_id WHERE nonterminal_id >= 6;"
        "UPDATE occurrence SET nonterminal_id = 13 - nonterminal_id WHERE nonterminal_id >= 6",
        {"ids_ordered"},
    ),
    "contexts out of order": (
        "table1",
        "UPDATE context SET context_id = 13 - context_id WHERE context_id >= 6;"
        "UPDATE slot SET context_id = 13 - context_id WHERE context_id >= 6",
        {"ids_ordered"},
    ),
    "rules out of order": (
        "table1",
        "UPDATE rule SET rule_id = 3 - rule_id WHERE rule_id <= 2",
        {"ids_ordered"},
    ),
    "a glue rule twice": (
        "table1",
        "INSERT INTO glue VALUES (5, 1)",
        {"no_duplicates"},
    ),
    "a rule twice": (
        "table1",
        "INSERT INTO rule VALUES (19, 7, 1/3, 0)",
        {"no_duplicates", "rule_sums", "rule_numbers"},
    ),
    "an occurrence twice": (
        "table1",
        "INSERT INTO occurrence VALUES (7, 1, 1, 3, 1, 3)",
        {"no_duplicates", "occurrence_counts"},
    ),
    "sum of counts, spread by type": (
        "table1",
        "UPDATE rule SET count = 1 WHERE rule_id = 1",
        {"rule_sums", "rule_shares"},
    ),
    "sum of counts, spread by occurrence": (
        "table1",
        "UPDATE rule SET count = 1 WHERE rule_id = 1;"
        """UPDATE build SET options = '{"counting": "occurrence"}'""",
        {"rule_sums"},
    ),
    "sum of counts above C": (
        "table1",
        "UPDATE rule SET count = 2.1 WHERE rule_id = 1;"
        """UPDATE build SET prune_alpha = 0.01, options = '{"counting": "occurrence"}'""",
        {"rule_sums"},
    ),
    "uneven shares": (
        "table1",
        "UPDATE rule SET count = 1/2 WHERE rule_id = 3;"
        "UPDATE rule SET count = 1/6 WHERE rule_id = 4;"
        "UPDATE context SET energy = 1/36/2 + 1/36/1 + 1/9/1 WHERE context_id = 1",
        {"rule_shares"},
    ),
    "rules miscounted": (
        "table1",
        "UPDATE nonterminal SET rule_count = 4 WHERE nonterminal_id = 3;"
        """UPDATE build SET options = '{"counting": "occurrence"}'""",
        {"rule_numbers"},
    ),
    "a slot at position 2 of 1": (
        "table1",
        "UPDATE slot SET position = 2 WHERE rule_id = 18",
        {"slot_positions"},
    ),
    "a lexical rule that says it has a gap": (
        "table1",
        "UPDATE rule SET gaps = 1 WHERE rule_id = 1",
        {"slot_positions"},
    ),
    "no such left-hand side": (
        "table1",
        "UPDATE rule SET lhs_id = 8 WHERE rule_id = 18",
        {"no_orphans", "rule_sums", "rule_numbers"},
    ),
    "no such filler": (
        "table1",
        "UPDATE slot SET nonterminal_id = 8 WHERE rule_id = 18",
        {"no_orphans"},
    ),
    "no such context": (
        "table1",
        "UPDATE slot SET context_id = 8 WHERE rule_id = 18",
        {"no_orphans"},
    ),
    "an unused context": (
        "table1",
        "INSERT INTO context VALUES (8, 'x [_]', 'y [_]', 1)",
        {"no_orphans"},
    ),
    "a slot of no rule": (
        "table1",
        "INSERT INTO slot VALUES (19, 1, 7, 1)",
        {"no_orphans"},
    ),
    "glue of no non-terminal": (
        "table1",
        "INSERT INTO glue VALUES (8, 1)",
        {"no_orphans", "glue_counts"},
    ),
    "an occurrence of no non-terminal": (
        "table1",
        "INSERT INTO occurrence VALUES (8, 1, 0, 1, 0, 1)",
        {"no_orphans"},
    ),
    "an occurrence in no sentence pair": (
        "table1",
        "UPDATE occurrence SET sentence_id = 3 WHERE nonterminal_id = 7",
        {"no_orphans"},
    ),
    "no such sentence pair skipped": (
        "table1",
        "INSERT INTO skipped_sentence VALUES (3, 'long'); UPDATE build SET skipped = 1",
        {"no_orphans"},
    ),
    "no such session": (
        "table1",
        "INSERT INTO merge VALUES (1, 1, 7, 1, 'manual', NULL, 0)",
        {"no_orphans"},
    ),
    "no such parent": (
        "table1",
        f"INSERT INTO session VALUES (1, 's', 7, 0, {SESSION})",
        {"no_orphans"},
    ),
    "no such leader": (
        "table1",
        f"INSERT INTO session VALUES (1, 's', NULL, NULL, {SESSION});"
        "INSERT INTO merge VALUES (1, 1, 7, 8, 'manual', NULL, 0)",
        {"no_orphans", "session_steps", "session_hashes"},
    ),
    "evidence of no step": (
        "table1",
        f"INSERT INTO session VALUES (1, 's', NULL, NULL, {SESSION});"
        "INSERT INTO evidence VALUES"
        " (1, 1, 2, 7, 1, 5, 3, 1/6, 1, 1/3, 2, 0, 1, NULL, 'hoeffding', 0)",
        {"no_orphans"},
    ),
    "a session name twice": (
        "table1",
        f"INSERT INTO session VALUES (1, 's', NULL, NULL, {SESSION}), (2, 's', 1, 0, {SESSION})",
        {"session_names"},
    ),
    "its own parent": (
        "table1",
        f"INSERT INTO session VALUES (1, 's', 1, 0, {SESSION})",
        {"session_parents"},
    ),
    "displaced twice": (
        "table1",
        f"INSERT INTO session VALUES (1, 's', NULL, NULL, {SESSION});"
        "INSERT INTO merge VALUES (1, 1, 7, 1, 'manual', NULL, 0), (1, 2, 7, 2, 'manual', NULL, 0);"
        "UPDATE session SET last_step = 2",
        {"session_forest", "session_hashes"},
    ),
    "constraints that contradict each other": (
        "table1",
        f"INSERT INTO session VALUES (1, 's', NULL, NULL, {SESSION});"
        "INSERT INTO session_constraint VALUES (1, 'must', 1, 2), (1, 'must', 2, 3),"
        " (1, 'cannot', 1, 3)",
        {"session_constraints"},
    ),
    "steps undone in no session": (
        "table1",
        "INSERT INTO undone_step BY NAME SELECT 1 AS session_id, 1 AS entry, 0 AS rewritten,"
        " 1 AS step, 1 AS leader_id, 'manual' AS reason, 0 AS hash",
        {"session_undone"},
    ),
    "wrong energy": (
        "table1",
        "UPDATE context SET energy = energy * (1 + 1e-8) WHERE context_id = 1",
        {"context_energy"},
    ),
    "wrong height": (
        "table1",
        "UPDATE nonterminal SET height = 3 WHERE nonterminal_id = 5",
        {"heights"},
    ),
    "height of a leaf": (
        "table1",
        "UPDATE nonterminal SET height = 1 WHERE nonterminal_id = 1",
        {"heights"},
    ),
    "height too small even for a pruned store": (
        "table1",
        "UPDATE nonterminal SET height = 1 WHERE nonterminal_id = 5;"
        "UPDATE build SET prune_alpha = 0.01",
        {"heights"},
    ),
    "glue above C": (
        "table1",
        "UPDATE glue SET count = 2 WHERE nonterminal_id = 5",
        {"glue_counts"},
    ),
    "no glue rule": (
        "table1",
        "DELETE FROM glue WHERE nonterminal_id = 5",
        {"glue_counts"},
    ),
    "sentence pairs of a non-terminal miscounted": (
        "table1",
        "UPDATE nonterminal SET sentences = 1 WHERE nonterminal_id = 1",
        {"occurrence_counts"},
    ),
    "no occurrence": (
        "table1",
        "DELETE FROM occurrence WHERE nonterminal_id = 7",
        {"occurrence_counts"},
    ),
    "another word in the bitext": (
        "table1",
        "UPDATE bitext SET source = 'das alte Haus' WHERE sentence_id = 1",
        {"occurrence_text"},
    ),
    "another class in the bitext": (
        "lookalikes",
        "UPDATE bitext SET target_classes = 'B [X]' WHERE sentence_id = 1",
        {"occurrence_text"},
    ),
    "an occurrence beyond the end": (
        "table1",
        "UPDATE occurrence SET target_end = 4 WHERE nonterminal_id = 7",
        {"occurrence_text"},
    ),
    "an occurrence of nothing": (
        "table1",
        "UPDATE occurrence SET source_end = 1 WHERE nonterminal_id = 7",
        {"occurrence_text"},
    ),
    "an occurrence in a skipped sentence pair": (
        "table1",
        "INSERT INTO skipped_sentence VALUES (2, 'long'); UPDATE build SET skipped = 1",
        {"skipped_sentences"},
    ),
    "skipped twice": (
        "lookalikes",
        "INSERT INTO skipped_sentence VALUES (3, 'long'); UPDATE build SET skipped = 2",
        {"skipped_sentences"},
    ),
    "two holes": (
        "table1",
        "UPDATE context SET source = '[_] [_]' WHERE context_id = 7",
        {"context_holes", "slot_text"},
    ),
    "a hole within a word": (
        "table1",
        "UPDATE context SET target = 'new[_]' WHERE context_id = 7",
        {"context_holes", "slot_text"},
    ),
    "another word in a context": (
        "table1",
        "UPDATE context SET source = 'alte [_]' WHERE context_id = 7",
        {"slot_text"},
    ),
    "another filler in a context with two gaps": (
        "two_gaps",
        "UPDATE context SET target = '[_] [X7,2] house' WHERE context_id = 5",
        {"slot_text"},
    ),
    "gaps numbered backwards": (
        "two_gaps",
        "UPDATE slot SET nonterminal_id = 3 - nonterminal_id WHERE rule_id = 12;"
        "UPDATE context SET source = '[X2,2] neue [_]', target = '[X2,2] new [_]'"
        " WHERE context_id = 7;"
        "UPDATE context SET source = '[_] neue [X1,1]', target = '[_] new [X1,1]'"
        " WHERE context_id = 8",
        {"gap_order"},
    ),
    "pruning at an infinite level": (
        "table1",
        "UPDATE build SET prune_alpha = 'infinity'",
        {"finite_numbers"},
    ),
    "an infinite count": (
        "table1",
        "CREATE OR REPLACE TABLE rule AS"
        " SELECT * REPLACE (if(rule_id = 1, 'infinity'::DOUBLE, count) AS count) FROM rule",
        {"catalogue", "finite_numbers", "rule_sums", "rule_shares"},
    ),
    "not a number": (
        "table1",
        "CREATE OR REPLACE TABLE context AS"
        " SELECT * REPLACE (if(context_id = 1, 'nan'::DOUBLE, energy) AS energy) FROM context",
        {"catalogue", "finite_numbers", "context_energy"},
    ),
    "no value": (
        "table1",
        "ALTER TABLE glue ALTER COLUMN count DROP NOT NULL;"
        "UPDATE glue SET count = NULL WHERE nonterminal_id = 5",
        {"catalogue", "no_nulls", "glue_counts"},
    ),
    "another view": (
        "table1",
        "CREATE OR REPLACE VIEW hiero_rule AS SELECT source, target, count FROM rule_text",
        {"catalogue"},
    ),
    "no such macro": ("table1", "DROP MACRO TABLE rules_of", {"catalogue"}),
}


def problems_of(path: Path) -> list[Problem]:
    with Database(path, read_only=True) as database:
        return check(database)


@pytest.mark.parametrize("name", HAND_MADE)
def test_a_hand_made_store_is_sound(tmp_path: Path, name: str) -> None:
    assert problems_of(make_store(tmp_path / "g.duckdb", name)) == []


@pytest.mark.parametrize("what", TAMPERINGS)
def test_tampering_is_noticed(tmp_path: Path, what: str) -> None:
    name, statements, expected = TAMPERINGS[what]
    path = make_store(tmp_path / "g.duckdb", name)
    change(path, statements)
    assert {problem.check for problem in problems_of(path)} == expected


def test_every_check_can_fail() -> None:
    noticed = set().union(*(expected for _, _, expected in TAMPERINGS.values()))
    assert noticed == {name.partition("/")[2] for name in sql_names("checks")} | {"catalogue"}


@pytest.mark.parametrize("name", sql_names("checks"))
def test_a_check_states_its_invariant(name: str) -> None:
    text = sql(name)
    assert text.startswith("-- Invariant: ")
    assert "\n-- One row per " in text
    assert invariant_of(text).endswith(".")
    assert "\n" not in invariant_of(text)


def change(path: Path, statements: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(statements)


def test_a_pruned_store_may_lack_rules(tmp_path: Path) -> None:
    path = make_store(tmp_path / "g.duckdb")
    change(
        path,
        "DELETE FROM context WHERE context_id = 7;"
        "DELETE FROM slot WHERE rule_id = 18;"
        "DELETE FROM rule WHERE rule_id = 18",
    )
    assert {problem.check for problem in problems_of(path)} == {"rule_sums", "rule_numbers"}
    change(path, "UPDATE build SET prune_alpha = 0.01, prune_fisher = true")
    assert problems_of(path) == []


def test_an_occurrence_may_be_without_rules_if_it_is_too_long(tmp_path: Path) -> None:
    path = make_store(tmp_path / "g.duckdb")
    # X5 has three words; with one count less than its share, the sum stays below C
    change(
        path,
        "UPDATE rule SET count = 1/7 WHERE rule_id = 9;"
        """UPDATE build SET options = '{"counting": "occurrence", "max_source_symbols": 2}'""",
    )
    assert problems_of(path) == []
    change(
        path, """UPDATE build SET options = '{"counting": "occurrence", "max_source_symbols": 3}'"""
    )
    assert [problem.check for problem in problems_of(path)] == ["rule_sums"]


def test_violations_are_counted_and_the_first_ones_shown(tmp_path: Path) -> None:
    path = make_store(tmp_path / "g.duckdb")
    change(path, "INSERT INTO glue SELECT 1000 + range, 1 FROM range(25)")
    problem = next(problem for problem in problems_of(path) if problem.check == "no_orphans")
    assert problem.count == 25
    assert problem.violations == tuple(f"glue: no X{1000 + number}" for number in range(10))
    assert str(problem).endswith("...")


def test_a_violation_names_ids_and_numbers(tmp_path: Path) -> None:
    path = make_store(tmp_path / "g.duckdb")
    change(path, "UPDATE nonterminal SET height = 3 WHERE nonterminal_id = 5")
    (problem,) = problems_of(path)
    assert problem.violations == ("X5 has height 3, its rules show 2",)


def test_a_missing_table_is_a_problem_not_a_crash(tmp_path: Path) -> None:
    path = make_store(tmp_path / "g.duckdb")
    change(path, "DROP TABLE slot")
    found = {problem.check: problem for problem in problems_of(path)}
    assert "column slot.rule_id is missing or different" in found["catalogue"].violations
    assert found["slot_text"].violations[0].startswith("cannot be verified: ")


@pytest.mark.parametrize("place", [5_000, 300_000, 700_000, 1_500_000, 2_500_000])
def test_a_flipped_bit_is_noticed(tmp_path: Path, place: int) -> None:
    path = make_store(tmp_path / "g.duckdb")
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    try:
        noticed = [str(problem) for problem in problems_of(path)]
    except StoreError as problem:
        noticed = [str(problem)]
    assert "Corrupt database file" in noticed[0]


def test_the_users_own_tables_and_views_are_no_problem(tmp_path: Path) -> None:
    path = make_store(tmp_path / "g.duckdb")
    change(path, "CREATE TABLE notes (text VARCHAR); CREATE VIEW mine AS FROM rule_text")
    assert problems_of(path) == []


def test_progress_tells_each_check(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    with Database(make_store(tmp_path / "g.duckdb"), read_only=True) as database:
        check(database, lambda name, number, total: told.append((name, number, total)))
    names = [name.partition("/")[2] for name in sql_names("checks")]
    assert told == [(name, number, len(names)) for number, name in enumerate(names)]
