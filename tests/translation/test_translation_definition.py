"""Rules, counts, labels and features are those of the plain definitions, on random bitexts."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles.moses_oracle import moses_rules
from strategies import Sentence, bitexts, extraction_options
from translation.plain_features import (
    Label,
    Rules,
    good_turing,
    phrase_pairs,
    plain_grammar,
    rounded_up,
    unnumbered,
)
from translation.word_stores import built, labels_by_definition, rows_of

from grammar_store.extraction.options import PRESETS, ExtractionOptions
from grammar_store.facade import Store
from grammar_store.translation import translation_grammar

quick = settings(deadline=None, max_examples=6, suppress_health_check=list(HealthCheck))
slow = settings(deadline=None, max_examples=100, suppress_health_check=list(HealthCheck))


def close(found: float, expected: Any) -> bool:
    return found == pytest.approx(float(expected), rel=1e-9, abs=1e-12)


def agrees(rows: list[dict[str, Any]], rules: Rules, smoothed: bool = False) -> None:
    """Every number of every row is that of the definition, and there are no other rows."""
    assert sorted((row["lhs"], row["source"], row["target"]) for row in rows) == sorted(rules)
    discounts = good_turing(rules) if smoothed else {}
    for row in rows:
        rule = rules[row["lhs"], row["source"], row["target"]]
        assert row["alignment"] == " ".join(f"{i}-{j}" for i, j in rule.points)
        count = float(rule.count) * discounts.get(rounded_up(rule.count), 1.0)
        assert close(row["count"], rule.count)
        assert close(row["source_count"], rule.source_count)
        assert close(row["target_count"], rule.target_count)
        assert close(row["p(f|e)"], count / float(rule.target_count))
        assert close(row["p(e|f)"], count / float(rule.source_count))
        assert close(row["p(r|lhs)"], count / float(rule.lhs_count))
        assert close(row["lex(f|e)"], rule.lexical[0])
        assert close(row["lex(e|f)"], rule.lexical[1])
        assert row["penalty"] == 1.0


def sums_to_one(rows: list[dict[str, Any]]) -> None:
    """φ is a distribution over the other side, for each source side and each target side."""
    source: dict[str, float] = defaultdict(float)
    target: dict[tuple[str, str], float] = defaultdict(float)
    for row in rows:
        source[row["source"]] += row["p(e|f)"]
        target[row["lhs"], unnumbered(row["target"])] += row["p(f|e)"]
    for total in (*source.values(), *target.values()):
        assert close(total, 1)


@contextmanager
def new_store(bitext: list[Sentence], **how: Any) -> Iterator[Store]:
    """A store of its own for each example."""
    with (
        tempfile.TemporaryDirectory() as folder,
        built(Path(folder) / "store.duckdb", bitext, **how) as store,
    ):
        yield store


def merge_some(store: Store, name: str, numbers: list[int]) -> int:
    """A session with some merges; how many."""
    session = store.session(name)
    for a, b in zip(numbers[::2], numbers[1::2], strict=False):
        first, second = a % len(store) + 1, b % len(store) + 1
        if not session.same(first, second):
            session.merge(first, second)
    return session.step


def without_session(bitext: list[Sentence], options: ExtractionOptions) -> None:
    given = replace(options, counting="occurrence").as_dict()
    with new_store(bitext) as store:
        rows = rows_of(translation_grammar(store, **given))
        smoothed = rows_of(translation_grammar(store, smoothing="good-turing", **given))
    rules = plain_grammar(bitext, options, lambda number, span: "X")
    agrees(rows, rules)
    sums_to_one(rows)
    agrees(smoothed, rules, smoothed=True)


def with_session(
    bitext: list[Sentence], preset: str, numbers: list[int], data: st.DataObject | None
) -> None:
    """With `data`, the store is made of word classes that differ from place to place."""
    source, target = [each[0] for each in bitext], [each[1] for each in bitext]
    classes: dict[str, Any] = {}
    if data is not None:
        letters = st.sampled_from(("0", "1"))
        source = [tuple(data.draw(letters) for _ in each) for each in source]
        classes["source_classes"] = source
        if data.draw(st.booleans()):
            target = [tuple(data.draw(letters) for _ in each) for each in target]
            classes["target_classes"] = target
    # Short phrase pairs only, so that some have no class.
    with new_store(bitext, **classes, max_length=3) as store:
        if not len(store):
            return
        steps = merge_some(store, "some", numbers)
        for step in {None, steps // 2}:
            label: Label = labels_by_definition(store, "some", step, source, target)
            grammar = translation_grammar(store, "some", step, preset=preset)
            rows = rows_of(grammar)
            agrees(rows, plain_grammar(bitext, PRESETS[preset], label))
            sums_to_one(rows)
            seen: dict[str, int] = defaultdict(int)
            for number, sentence in enumerate(bitext):
                for pair in phrase_pairs(sentence, PRESETS[preset]):
                    seen[label(number, pair)] += 1
            assert {row["label"]: row["count"] for row in grammar.labels.to_pylist()} == seen


presets = st.sampled_from(("moses", "hiero"))
some = st.lists(st.integers(0, 1000), min_size=2, max_size=16)
small = bitexts(max_sentences=4, max_words=6)
plain_words = bitexts(max_sentences=3, max_words=10, hostile_words=())


@quick
@given(small, extraction_options())
def test_without_a_session(bitext: list[Sentence], options: ExtractionOptions) -> None:
    without_session(bitext, options)


@quick
@given(small, presets, some)
def test_with_classes_of_words(bitext: list[Sentence], preset: str, numbers: list[int]) -> None:
    with_session(bitext, preset, numbers, None)


@quick
@given(small, presets, some, st.data())
def test_with_classes_of_word_classes(
    bitext: list[Sentence], preset: str, numbers: list[int], data: st.DataObject
) -> None:
    with_session(bitext, preset, numbers, data)


@pytest.mark.long
@slow
@given(small, extraction_options(), presets, some, st.data())
def test_all_of_it_on_many_bitexts(
    bitext: list[Sentence],
    options: ExtractionOptions,
    preset: str,
    numbers: list[int],
    data: st.DataObject,
) -> None:
    without_session(bitext, options)
    with_session(bitext, preset, numbers, data)


@quick
@given(plain_words)
def test_without_a_session_it_is_the_grammar_of_moses(bitext: list[Sentence]) -> None:
    with new_store(bitext) as store:
        rows = rows_of(translation_grammar(store, preset="moses"))
    expected = moses_rules(bitext)
    assert len(rows) == len(expected)
    for row in rows:
        assert close(row["count"], expected[row["source"], row["target"]])
