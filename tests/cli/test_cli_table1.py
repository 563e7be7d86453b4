"""Table 1 of the paper, from the command line: every production and every fraction."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from commands import run, run_here, write_bitext

# As printed, with the non-terminals named by the phrase pair that they derive.
PHRASE_PAIRS = {
    "X1": "das neue Haus ||| the new house",
    "X2": "das neue ||| the new",
    "X3": "neue Haus ||| new house",
    "X4": "das ||| the",
    "X5": "neue ||| new",
    "X6": "Haus ||| house",
    "X7": "das Haus ||| the house",
}
COUNTS = {"X1": 1, "X2": 1, "X3": 1, "X4": 2, "X5": 1, "X6": 2, "X7": 1}
PRODUCTIONS = """
I -> (X1, X1)                                1
I -> (X7, X7)                                1
X1 -> (das neue Haus, the new house)         1/6
X2 -> (das neue, the new)                    1/3
X3 -> (neue Haus, new house)                 1/3
X4 -> (das, the)                             2
X5 -> (neue, new)                            1
X6 -> (Haus, house)                          2
X7 -> (das Haus, the house)                  1/3
X1 -> (X2 Haus, X2 house)                    1/6
X1 -> (das X3, the X3)                       1/6
X1 -> (X4 neue Haus, X4 new house)           1/6
X1 -> (das X5 Haus, the X5 house)            1/6
X1 -> (das neue X6, the new X6)              1/6
X2 -> (X4 neue, X4 new)                      1/3
X2 -> (das X5, the X5)                       1/3
X3 -> (X5 Haus, X5 house)                    1/3
X3 -> (neue X6, new X6)                      1/3
X7 -> (X4 Haus, X4 house)                    1/3
X7 -> (das X6, the X6)                       1/3
"""

Grammar = dict[str, Fraction]


def paper(text: str = PRODUCTIONS) -> Grammar:
    """The productions of a table in the paper's names, with their counts."""
    rows = [re.split(" {2,}", line) for line in text.strip().splitlines()]
    grammar = {production: Fraction(count) for production, count in rows}
    assert len(grammar) == len(rows)
    return grammar


def paper_names(store: Path) -> dict[str, str]:
    """What each non-terminal of a store is called in the paper."""
    query = (
        "SELECT 'X' || nonterminal_id AS id, source || ' ||| ' || target AS text FROM nonterminal"
    )
    rows = json.loads(run_here("sql", store, query, "--json").quiet().stdout)
    named = {text: name for name, text in PHRASE_PAIRS.items()}
    assert sorted(row["text"] for row in rows) == sorted(named)
    return {row["id"]: named[row["text"]] for row in rows}


def listed(store: Path, *options: str) -> Grammar:
    """The productions that ``rules`` prints, in the paper's names."""
    names = paper_names(store)
    lines = run_here("rules", store, "--limit", 0, *options).quiet().lines
    assert lines[0] == "production\tcount"
    grammar = {}
    for line in lines[1:]:
        production, count = line.split("\t")
        gaps = re.sub(r"\[(X[0-9]+),[0-9]\]", lambda gap: names[gap[1]], production)
        lhs, _, rhs = gaps.partition(" -> ")
        grammar[f"{names.get(lhs, lhs)} -> {rhs}"] = Fraction(count)
    assert len(grammar) == len(lines) - 1
    return grammar


def test_the_table_as_it_is_printed() -> None:
    grammar = paper()
    assert len(grammar) == 20
    assert sum(production.startswith("I ->") for production in grammar) == 2
    for name, count in COUNTS.items():
        assert sum(n for rule, n in grammar.items() if rule.startswith(f"{name} ->")) == count


def test_table_1(table1: Path) -> None:
    assert listed(table1) == paper()


def test_table_1_from_real_processes(tmp_path: Path) -> None:
    store = tmp_path / "paper.duckdb"
    run("build", *write_bitext(tmp_path), "--store", store, cwd=tmp_path).quiet()
    here = run_here("rules", store).quiet()
    assert run("rules", store, cwd=tmp_path).quiet() == here
    assert listed(store) == paper()
    facts = json.loads(run("info", store, "--json").quiet().stdout)
    assert [facts[size] for size in ("nonterminals", "rules", "glue_rules")] == [7, 18, 2]


def test_table_1_as_json(table1: Path) -> None:
    found = json.loads(run_here("rules", table1, "--json").quiet().stdout)
    assert (len(found["glue"]), len(found["rules"])) == (2, 18)
    fractions = sorted(Fraction(rule["fraction"]) for rule in found["rules"])
    expected = [n for production, n in paper().items() if not production.startswith("I ->")]
    assert fractions == sorted(expected)
    for rule in found["rules"]:
        assert rule["count"] == float(Fraction(rule["fraction"]))


@pytest.mark.parametrize("name", PHRASE_PAIRS)
def test_the_rules_of_one_non_terminal(table1: Path, name: str) -> None:
    of_it = {
        production: count
        for production, count in paper().items()
        if production.startswith((f"{name} ->", f"I -> ({name},"))
    }
    assert listed(table1, "--lhs", PHRASE_PAIRS[name]) == of_it


def test_both_ways_of_counting_give_the_same_table(tmp_path: Path) -> None:
    store = tmp_path / "paper.duckdb"
    files = write_bitext(tmp_path)
    run_here("build", *files, "--store", store, "--counting", "occurrence").quiet()
    assert listed(store) == paper()


def test_two_gaps_add_one_rule_with_separate_gaps(tmp_path: Path) -> None:
    store = tmp_path / "paper.duckdb"
    options = ("--max-gaps", "2", "--no-adjacent-gaps")
    run_here("build", *write_bitext(tmp_path), "--store", store, *options).quiet()
    found = listed(store)
    # X1 has one rule more, so each has a seventh of its count.
    expected = {
        production: Fraction(1, 7) if production.startswith("X1 ->") else count
        for production, count in paper().items()
    }
    assert found == expected | {"X1 -> (X4 neue X6, X4 new X6)": Fraction(1, 7)}


def test_two_gaps_side_by_side_add_two_more_and_none_without_a_word(tmp_path: Path) -> None:
    store = tmp_path / "paper.duckdb"
    run_here("build", *write_bitext(tmp_path), "--store", store, "--max-gaps", "2").quiet()
    found = listed(store)
    added = {
        "X1 -> (X4 neue X6, X4 new X6)",
        "X1 -> (X4 X5 Haus, X4 X5 house)",
        "X1 -> (das X5 X6, the X5 X6)",
    }
    assert set(found) - set(paper()) == added
    assert set(paper()) - set(found) == set()
    for production in found:
        if not production.startswith("I ->"):
            assert re.search(r"\b(das|neue|Haus)\b", production)
    assert {found[rule] for rule in found if rule.startswith("X1 ->")} == {Fraction(1, 9)}
