"""What the definition says of recursion, deciding comparisons and paths, on grammars made by hand.

Counts are in the hundreds, so a share of 1 against 0 has D = 50 and fails at every usual level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import pytest
from equivalence.agreement import agreed_verdict
from equivalence.worlds import World, fill, grammar_of, in_memory, rule_of
from sql_cases.hand_made import make_store

from grammar_store.equivalence.frontier import Frontier, equivalence_by_sql
from grammar_store.equivalence.reference import PlainGrammar, ReferenceVerdict, Step
from grammar_store.errors import NotInStoreError, OptionError
from grammar_store.extraction.reference import Rule
from grammar_store.store.database import Database


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with in_memory() as connection:
        yield connection


def ask(
    connection: duckdb.DuckDBPyConnection,
    rules: Sequence[Rule],
    a: int,
    b: int,
    size: int = 9,
    alpha: float = 0.05,
    leaders: dict[int, int] | None = None,
) -> ReferenceVerdict:
    """Compare Xa and Xb, where each of X1, X2, ... has C = 100, by Hoeffding's test."""
    counts = dict.fromkeys(range(1, size + 1), 100)
    state = {x: x for x in counts} | (leaders or {})
    return agreed_verdict(connection, World(grammar_of(counts, rules), state, (a, b), alpha, 20))


def same(text: str) -> tuple[str, str]:
    return text, text


def test_a_pair_that_leads_back_to_itself(connection: duckdb.DuckDBPyConnection) -> None:
    rules = [
        rule_of(3, 10, (1, "t [_]")),
        rule_of(4, 10, (2, "t [_]")),
        rule_of(1, 10, (4, "[_] u")),
        rule_of(2, 10, (3, "[_] u")),
    ]
    for a, b in ((1, 2), (2, 1)):
        verdict = ask(connection, rules, a, b)
        assert verdict.equivalent
        assert [(one.first_id, one.second_id) for one in verdict.comparisons] == [(a, b), (3, 4)]


def test_a_class_is_equivalent_to_itself(connection: duckdb.DuckDBPyConnection) -> None:
    rules = [rule_of(3, 100, (1, "t [_]")), rule_of(4, 10, (2, "t [_]"))]
    for a, b, leaders in ((1, 1, None), (1, 2, {1: 2})):
        verdict = ask(connection, rules, a, b, leaders=leaders)
        assert verdict == ReferenceVerdict(True, 0.0, None, [], [])


def test_nothing_to_compare(connection: duckdb.DuckDBPyConnection) -> None:
    assert ask(connection, [rule_of(3, 100, (1, "t [_]"))], 8, 9) == ReferenceVerdict(
        True, 0.0, None, [], []
    )


def test_merged_left_hand_sides_are_no_pair(connection: duckdb.DuckDBPyConnection) -> None:
    rules = [
        rule_of(3, 10, (1, "t [_]")),
        rule_of(4, 10, (2, "t [_]")),
        rule_of(9, 100, (3, "[_] u")),
    ]
    apart = ask(connection, rules, 1, 2)
    assert not apart.equivalent
    assert apart.path == [Step((1, 2), same("t [_]"), (3, 4))]
    merged = ask(connection, rules, 1, 2, leaders={3: 4})
    assert merged.equivalent
    assert {one.depth for one in merged.comparisons} == {0}


def test_contexts_show_classes(connection: duckdb.DuckDBPyConnection) -> None:
    # X1 with X3 beside it, X2 with X4: the contexts are the same once X3 and X4 are merged
    rules = [
        rule_of(7, 100, (1, "[_] and [X3,2]"), (3, "[X1,1] and [_]")),
        rule_of(7, 100, (2, "[_] and [X4,2]"), (4, "[X2,1] and [_]")),
    ]
    apart = ask(connection, rules, 1, 2)
    assert not apart.equivalent
    assert len(apart.comparisons) == 2
    for leader, displaced in ((3, 4), (4, 3)):
        merged = ask(connection, rules, 1, 2, leaders={displaced: leader})
        assert merged.equivalent
        assert [one.context for one in merged.comparisons] == [same(f"[_] and [X{leader},2]")]
    # merging with something else changes both texts, but they stay different
    other = ask(connection, rules, 1, 2, leaders={3: 5, 4: 6})
    assert [one.context[0] for one in other.comparisons] == ["[_] and [X5,2]", "[_] and [X6,2]"]


def test_contexts_of_four_gaps(connection: duckdb.DuckDBPyConnection) -> None:
    def four_gaps(lhs: int, *fillers: int) -> Rule:
        gaps = [f"[X{filler},{position}]" for position, filler in enumerate(fillers, start=1)]
        text = "so " + " ".join(gaps)
        slots = [
            (filler, text.replace(gap, "[_]")) for filler, gap in zip(fillers, gaps, strict=True)
        ]
        return rule_of(lhs, 100, *slots)

    rules = [four_gaps(9, 1, 3, 5, 7), four_gaps(9, 2, 4, 6, 8)]
    merges = {3: 4, 6: 5, 7: 8}
    merged = ask(connection, rules, 1, 2, leaders=merges)
    assert merged.equivalent
    assert [one.context for one in merged.comparisons] == [same("so [_] [X4,2] [X5,3] [X8,4]")]
    for missing in merges:
        leaders = {x: leader for x, leader in merges.items() if x != missing}
        assert not ask(connection, rules, 1, 2, leaders=leaders).equivalent
    # the hole in the last place, and so a change in the first
    assert ask(connection, rules, 7, 8, leaders={1: 2, 3: 4, 5: 6}).equivalent
    assert not ask(connection, rules, 7, 8, leaders={3: 4, 5: 6}).equivalent


def test_words_that_look_like_part_of_a_gap(connection: duckdb.DuckDBPyConnection) -> None:
    # only a whole `[X5,1]` is a gap; as a word it would have a backslash
    for one, other in (("[X5,a]", "[X6,a]"), ("[X,2] [X3,2]", "[X3,2] [X,2]")):
        tail = "" if "[X3,2]" in one else " [X3,2]"
        rules = [
            rule_of(9, 100, (1, f"[_] {one}{tail}"), (3, f"[X1,1] {one} [_]")),
            rule_of(9, 100, (2, f"[_] {other}{tail}"), (3, f"[X2,1] {other} [_]")),
        ]
        assert not ask(connection, rules, 1, 2).equivalent
        assert not ask(connection, rules, 1, 2, leaders={5: 6, 3: 4}).equivalent


def test_a_context_of_the_state_that_another_rule_had_before(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    # once X4 leads X3, what X1 fills reads like what X2 has filled all along
    rules = [
        rule_of(7, 100, (2, "[_] [X4,2] so"), (4, "[X2,1] [_] so")),
        rule_of(8, 100, (1, "[_] [X3,2] so"), (3, "[X1,1] [_] so")),
    ]
    verdict = ask(connection, rules, 1, 2, leaders={3: 4})
    assert verdict.equivalent
    assert [one.context for one in verdict.comparisons] == [same("[_] [X4,2] so")]


def test_nearest_failure_decides(connection: duckdb.DuckDBPyConnection) -> None:
    rules = [
        rule_of(3, 50, (1, "t [_]")),
        rule_of(4, 10, (2, "t [_]")),  # 1/2 against 1/10: D = 50 (4/10)^2 = 8
        rule_of(9, 100, (3, "[_] u")),  # 1 against 0: D = 50
    ]
    verdict = ask(connection, rules, 1, 2)
    assert verdict.dissimilarity == pytest.approx(50)
    assert verdict.deciding is not None
    assert verdict.deciding.depth == 0
    assert verdict.deciding.d == pytest.approx(8)
    assert verdict.path == []
    # at a level where the nearer one passes, θ = 8.05, the other one decides
    deeper = ask(connection, rules, 1, 2, alpha=2e-7)
    assert deeper.deciding is not None
    assert deeper.deciding.depth == 1
    assert deeper.path == [Step((1, 2), same("t [_]"), (3, 4))]
    # and where both pass, θ = 50.7, it is the one that came closest to failing
    lenient = ask(connection, rules, 1, 2, alpha=2e-44)
    assert lenient.equivalent
    assert lenient.deciding is not None
    assert lenient.deciding.depth == 1


def test_ties_go_to_the_first_by_ids_then_text(connection: duckdb.DuckDBPyConnection) -> None:
    shares = [(1, "t [_]", 6), (2, "t [_]", 4), (1, "s [_]", 5), (2, "s [_]", 3)]
    rules = [rule_of(lhs, 10, (filler, text)) for filler, text, lhs in shares]
    # {4, 6} by "t [_]" and {3, 5} by "s [_]" each fail in two contexts, equally
    rules += [rule_of(9, 100, (x, text)) for x in (5, 6) for text in ("b [_]", "a [_]")]
    verdict = ask(connection, rules, 1, 2)
    assert verdict.deciding is not None
    assert (verdict.deciding.first_id, verdict.deciding.second_id) == (3, 5)
    assert verdict.deciding.context == same("a [_]")
    assert verdict.path == [Step((1, 2), same("s [_]"), (3, 5))]


def test_ties_are_not_broken_by_last_digits(connection: duckdb.DuckDBPyConnection) -> None:
    # 3/10 against 0 and 7/10 against 4/10: the second difference is 0.29999999999999993 in floats
    shares = [(1, "b [_]", 30), (1, "a [_]", 70), (2, "a [_]", 40)]
    verdict = ask(connection, [rule_of(9, count, (x, text)) for x, text, count in shares], 1, 2)
    assert verdict.deciding is not None
    assert verdict.deciding.context == same("a [_]")
    assert verdict.deciding.d < verdict.dissimilarity


def test_ties_by_target_text(connection: duckdb.DuckDBPyConnection) -> None:
    contexts = ("s [_]", "b [_]"), ("s [_]", "a [_]")
    rules = [rule_of(9, 100)._replace(slots=((1, context),), gaps=1) for context in contexts]
    verdict = ask(connection, rules, 1, 2)
    assert verdict.deciding is not None
    assert verdict.deciding.context == ("s [_]", "a [_]")


def test_path_shows_the_smallest_parent_and_the_first_context(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    # {1, 2} leads to {3, 6} and {4, 5}, which both lead to {7, 8}, the latter in two contexts
    steps = [
        (1, "t [_]", 6), (2, "t [_]", 3), (1, "s [_]", 4), (2, "s [_]", 5),
        (6, "x [_]", 7), (3, "x [_]", 8), (6, "w [_]", 8), (3, "w [_]", 7),
        (4, "v [_]", 7), (5, "v [_]", 8),
    ]  # fmt: skip
    rules = [rule_of(lhs, 1, (filler, text)) for filler, text, lhs in steps]
    rules += [rule_of(9, 100, (7, "z [_]"))]
    for a, b in ((1, 2), (2, 1)):
        verdict = ask(connection, rules, a, b)
        assert verdict.path == [
            Step((a, b), same("t [_]"), (3, 6)),
            Step((3, 6), same("w [_]"), (7, 8)),
        ]
        assert verdict.deciding is not None
        assert (verdict.deciding.first_id, verdict.deciding.second_id) == (7, 8)


def test_the_top_pair_keeps_its_order(connection: duckdb.DuckDBPyConnection) -> None:
    rules = [rule_of(9, 100, (1, "t [_]"))]
    forward, backward = ask(connection, rules, 1, 2), ask(connection, rules, 2, 1)
    assert forward.deciding is not None
    assert backward.deciding is not None
    assert (forward.deciding.c1, forward.deciding.c2) == (100.0, 0.0)
    assert (backward.deciding.c1, backward.deciding.c2) == (0.0, 100.0)


def test_a_state_need_not_name_all(connection: duckdb.DuckDBPyConnection) -> None:
    rules = [rule_of(9, 100, (1, "t [_]")), rule_of(9, 100, (3, "t [_]"))]
    fill(connection, grammar_of(dict.fromkeys(range(1, 10), 100), rules))
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE only_two AS SELECT 2 nonterminal_id, 3 leader_id"
    )
    apart = equivalence_by_sql(connection, None, 1, 2, alpha=0.05)
    merged = equivalence_by_sql(connection, "only_two", 1, 2, alpha=0.05)
    # C = 200 for X2 and X3 together: a share of 1/2
    assert apart.dissimilarity == pytest.approx(50)
    assert merged.dissimilarity == pytest.approx(100 * 200 / 300 / 4)
    connection.execute("DROP TABLE only_two")


def test_bad_questions(connection: duckdb.DuckDBPyConnection) -> None:
    fill(connection, grammar_of({1: 1, 2: 1}, [rule_of(2, 1, (1, "t [_]"))]))
    tables = connection.execute("SHOW ALL TABLES").fetchall()
    for a, b in ((1, 3), (0, 1)):
        with pytest.raises(NotInStoreError, match=f"no non-terminal X{3 if b == 3 else 0}"):
            equivalence_by_sql(connection, None, a, b, alpha=0.05)
    for alpha in (0.0, -0.1, 1.1, float("nan")):
        with pytest.raises(OptionError, match="alpha must be"):
            equivalence_by_sql(connection, None, 1, 2, alpha=alpha)
    for fisher_below in (-1, 1001, float("nan")):
        with pytest.raises(OptionError, match="fisher_below must be"):
            equivalence_by_sql(connection, None, 1, 2, 0.05, fisher_below)
    assert connection.execute("SHOW ALL TABLES").fetchall() == tables


def test_a_store_opened_for_reading(tmp_path: Path) -> None:
    path = make_store(tmp_path / "table1.duckdb")
    with (
        Database(path, read_only=True) as database,
        database.cursor() as cursor,
        Frontier(cursor) as frontier,
    ):
        for x in range(2, 8):
            assert frontier.equivalence(1, x, alpha=0.05).equivalent
        assert len(PlainGrammar.of_store(cursor).rules) == 11
