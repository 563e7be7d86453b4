"""read(write(g)) = g in every format and from one to another, but for what a format cannot hold."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rule_grammars import grammars

from grammar_store.export.formats import FORMATS, WriteOptions, write_rules
from grammar_store.export.reading import read_rules
from grammar_store.export.rules import RULE_SCHEMA, TranslationGrammar


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("roundtrip")


def rows_of(grammar: TranslationGrammar) -> list[dict[str, Any]]:
    rows = grammar.rules().read_all().select(RULE_SCHEMA.names).to_pylist()
    return sorted(rows, key=repr_of)


def repr_of(row: dict[str, Any]) -> str:
    """What rules are put in order by: no number that a logarithm may have changed."""
    texts = [row[name] for name in ("source", "target", "lhs", "alignment")]
    absent = [value is None for value in row["features"]]
    return repr((texts, absent, [f"{value or 0:.6g}" for value in row["features"]]))


def held(grammar: TranslationGrammar, form: str) -> TranslationGrammar:
    """What is left of a grammar in a format, by what the documentation says."""
    rows = grammar.rules().read_all().to_pylist()
    for row in rows:
        if form != "moses":
            row |= {"count": None, "source_count": None, "target_count": None}
        elif row["target_count"] is None:
            row |= {"count": None, "source_count": None}
        elif row["source_count"] is None:
            row |= {"count": None}
    left = TranslationGrammar.of(rows, grammar.feature_names, labels=grammar.labels)
    return dataclasses.replace(
        left, unknown=grammar.unknown, signature=grammar.signature, sparse=grammar.sparse
    )


def assert_same(found: TranslationGrammar, wanted: TranslationGrammar) -> None:
    assert found.feature_names == wanted.feature_names
    assert found.sparse == wanted.sparse
    assert found.signature == wanted.signature
    assert found.labels == wanted.labels
    assert found.unknown == wanted.unknown
    one, other = rows_of(found), rows_of(wanted)
    assert len(one) == len(other)
    for row, right in zip(one, other, strict=True):
        features, wanted_features = row.pop("features"), right.pop("features")
        assert row == right
        for value, wanted_value in zip(features, wanted_features, strict=True):
            if wanted_value is None:
                assert value is None
            else:
                assert math.isclose(value, wanted_value, rel_tol=1e-12, abs_tol=1e-12)


def through(grammar: TranslationGrammar, path: Path, form: str) -> TranslationGrammar:
    path.unlink(missing_ok=True)
    options = WriteOptions(features=grammar.feature_names, threads=1)
    assert write_rules(grammar, path, form, options) == grammar.rules().read_all().num_rows
    data = path.read_bytes()
    # As any tool sees it: nothing else splits words or lines, and there are as many fields.
    assert not re.search(rb"[\t\v\f\r]", data)
    fields = {line.count(b"|||") for line in data.split(b"\n")[:-1]}
    assert fields <= ({6} if form == "moses" else {3, 4})
    return read_rules(path, form)


def check_all(grammar: TranslationGrammar, folder: Path, forms: tuple[str, ...]) -> None:
    """In each format, from each to the next, and once more."""
    for form, following in zip(forms, (*forms[1:], forms[0]), strict=True):
        read = through(grammar, folder / form, form)
        left = held(grammar, form)
        assert_same(read, left)
        assert_same(through(read, folder / "other", following), held(left, following))
        if form == "moses":  # once more, without the lines as they stood
            made = dataclasses.replace(read, read_as="")
            assert_same(through(made, folder / "again", form), left)


def prepared(examples: int) -> Callable[[Any], Any]:
    checks = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]
    return settings(max_examples=examples, deadline=None, suppress_health_check=checks)


orders = st.sampled_from([FORMATS, FORMATS[::-1]])


@prepared(4)
@given(grammars(most=30), orders)
def test_some_grammars(folder: Path, grammar: TranslationGrammar, forms: tuple[str, ...]) -> None:
    check_all(grammar, folder, forms)


@pytest.mark.long
@prepared(1000)
@given(grammars(), orders)
def test_a_thousand_grammars(
    folder: Path, grammar: TranslationGrammar, forms: tuple[str, ...]
) -> None:
    check_all(grammar, folder, forms)
