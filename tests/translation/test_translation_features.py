"""Counts, points and weights of single rules, worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from strategies import Sentence
from translation.word_stores import built, rows_of

from grammar_store.translation import translation_grammar


def pair(source: str, target: str, links: str) -> Sentence:
    points = (link.split("-") for link in links.split())
    return (
        tuple(source.split()),
        tuple(target.split()),
        frozenset((int(i), int(j)) for i, j in points),
    )


def rules(path: Path, sentences: list[Sentence], preset: str) -> dict[tuple[str, str], Any]:
    with built(path / "store.duckdb", sentences) as store:
        rows = rows_of(translation_grammar(store, preset=preset))
    return {(row["source"], row["target"]): row for row in rows}


def test_a_target_side_is_the_same_whichever_gap_is_which(tmp_path: Path) -> None:
    # Three words give seven rules: themselves, five with one gap, one with the outer two as gaps.
    found = rules(
        tmp_path, [pair("a m b", "p y q", "0-0 1-1 2-2"), pair("a m b", "q y p", "0-2 1-1 2-0")],
        "hiero",
    )  # fmt: skip
    straight = found["[X,1] m [X,2]", "[X,1] y [X,2]"]
    turned = found["[X,1] m [X,2]", "[X,2] y [X,1]"]
    assert (straight["alignment"], turned["alignment"]) == ("0-0 1-1 2-2", "0-2 1-1 2-0")
    for row in (straight, turned):
        assert row["count"] == pytest.approx(1 / 7)
        assert row["source_count"] == row["target_count"] == pytest.approx(2 / 7)
        assert row["p(f|e)"] == row["p(e|f)"] == pytest.approx(1 / 2)


def test_the_points_of_greatest_count_are_kept(tmp_path: Path) -> None:
    # Linked word by word, the two words twice give a third to themselves; linked all to all, once
    # but all of it.
    one_by_one, all_to_all = pair("a b", "x y", "0-0 1-1"), pair("a b", "x y", "0-0 0-1 1-0 1-1")
    found = rules(tmp_path, [one_by_one, one_by_one, all_to_all], "hiero")
    assert found["a b", "x y"]["count"] == pytest.approx(5 / 3)
    assert found["a b", "x y"]["alignment"] == "0-0 0-1 1-0 1-1"


def test_of_equal_points_those_that_come_first(tmp_path: Path) -> None:
    # A gap of Moses has two words: both give all to themselves. 0-1 comes before 1-1.
    found = rules(
        tmp_path, [pair("a b", "x y", "0-0 1-1"), pair("a b", "x y", "0-0 0-1 1-0 1-1")], "moses"
    )  # fmt: skip
    assert found["a b", "x y"]["count"] == 2
    assert found["a b", "x y"]["alignment"] == "0-0 0-1 1-0 1-1"


def test_lexical_weights(tmp_path: Path) -> None:
    sentences = [
        pair("a b", "x", "0-0"),
        pair("d a", "x", "1-0"),
        pair("c", "x", "0-0"),
        pair("e", "u v", "0-0 0-1"),
        pair("e g h", "u v w", "0-0 1-1 2-2"),
    ]
    found = rules(tmp_path, sentences, "moses")
    # x is linked twice to a and once to c; of the words without links one is b and one is d.
    assert found["a b", "x"]["lex(f|e)"] == pytest.approx(2 / 3 * 1 / 2)
    assert found["a b", "x"]["lex(e|f)"] == pytest.approx(1)
    # e is linked to u twice and to v once; v to e and to g.
    assert found["e", "u v"]["lex(e|f)"] == pytest.approx(2 / 3 * 1 / 3)
    assert found["e", "u v"]["lex(f|e)"] == pytest.approx((1 + 1 / 2) / 2)
    # Gaps weigh nothing: what is left is h and w.
    assert found["[X,1] h", "[X,1] w"]["lex(f|e)"] == found["h", "w"]["lex(f|e)"] == 1
