"""Views and macros on hand-made tables: STORE/input.sql, STORE/CASE/query.sql and expected.csv.

In expected.csv a number can be a fraction; NULL stands for no value.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from sql_cases.hand_made import FOLDER, in_memory

from grammar_store.resources import header, sql, sql_names

CASES = sorted(path.parent for path in FOLDER.glob("*/*/query.sql"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_query_gives_the_expected_rows(case: Path) -> None:
    with in_memory(case.parent.name) as connection:
        connection.execute((case / "query.sql").read_text(encoding="utf-8"))
        columns = [column[0] for column in connection.description]
        rows = connection.fetchall()
    with (case / "expected.csv").open(encoding="utf-8", newline="") as file:
        header, *expected = csv.reader(file)
    assert columns == header
    assert len(rows) == len(expected)
    for row, texts in zip(rows, expected, strict=True):
        assert list(row) == [as_value(text, like) for text, like in zip(texts, row, strict=True)]


def as_value(text: str, like: Any) -> Any:
    """An expected value, as the type that was found; floats equal up to rounding."""
    if text == "NULL":
        return None
    if isinstance(like, bool):
        return {"true": True, "false": False}[text]
    if isinstance(like, float):
        return pytest.approx(float(Fraction(text)), rel=1e-12)
    return type(like)(text)


@pytest.mark.parametrize("store", ["table1", "two_gaps", "lookalikes"])
def test_hiero_rule_is_rule_text_with_one_label(store: str) -> None:
    with in_memory(store) as connection:
        rules = connection.execute("SELECT source, target, count FROM rule_text").fetchall()
        found = connection.execute("SELECT source, target, count FROM hiero_rule").fetchall()
    counts: dict[tuple[str, str], float] = defaultdict(float)
    for source, target, count in rules:
        counts[one_label(source), one_label(target)] += count
    assert {(source, target): count for source, target, count in found} == pytest.approx(counts)


def one_label(text: str) -> str:
    """The gaps of a rule without their ids; a word like the result is marked first."""
    words = [r"[\X,1]" if word == "[X,1]" else word for word in text.split(" ")]
    return " ".join(re.sub(r"^\[X\d+,(\d+)\]$", r"[X,\1]", word) for word in words)


@pytest.mark.parametrize("kind", ["tables", "views", "macros"])
def test_every_file_says_what_a_row_is(kind: str) -> None:
    for name in sql_names(kind):
        assert re.search(r"^(At most )?[Oo]ne ", header(sql(name)), re.MULTILINE), name
