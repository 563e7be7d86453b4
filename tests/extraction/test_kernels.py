"""The kernels give the grammar that the plain definition gives, for every option."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import Sentence, bitexts, extraction_options

from grammar_store.bitext import Corpus
from grammar_store.extraction.grammar import InitialGrammar
from grammar_store.extraction.numbering import Numbering, number_keys_reference
from grammar_store.extraction.options import ExtractionOptions
from grammar_store.extraction.reference import ReferenceGrammar, reference_grammar
from grammar_store.extraction.spans import span_ends
from grammar_store.extraction.tables import GrammarTables


def corpus_of(sentences: list[Sentence]) -> Corpus:
    return Corpus.from_text(
        (" ".join(source), " ".join(target), " ".join(f"{i}-{j}" for i, j in sorted(links)))
        for source, target, links in sentences
    )


def assert_same(sentences: list[Sentence], options: ExtractionOptions, threads: int) -> None:
    """Compare everything that extraction gives, row by row."""
    expected = reference_grammar(sentences, options)
    grammar = InitialGrammar(corpus_of(sentences), options, threads=threads)
    table = grammar.phrases

    assert {number + 1: reason for number, reason in table.skipped.items()} == expected.skipped
    found = zip(
        table.nonterminals.source.to_pylist(),
        table.nonterminals.target.to_pylist(),
        table.nonterminals.counts.tolist(),
        grammar.rule_count.tolist(),
        grammar.height.tolist(),
        table.nonterminals.sentences.tolist(),
        strict=True,
    )
    assert list(found) == [tuple(row) for row in expected.nonterminals]
    occurrences = zip(
        (table.nonterminal_of + 1).tolist(),
        (table.occurrences.sentence + 1).tolist(),
        *(ends.tolist() for ends in span_ends(table.occurrences.span)),
        strict=True,
    )
    assert sorted(occurrences) == [tuple(row) for row in expected.occurrences]
    assert_same_rules(grammar, expected)


def assert_same_rules(grammar: InitialGrammar, expected: ReferenceGrammar) -> None:
    context_of_slot, weights = grammar.survey()
    tables = GrammarTables(grammar, context_of_slot, weights)
    chunks = list(tables.rules())
    rules = [row for chunk in chunks for row in chunk.rule.to_pylist()]
    slots = [row for chunk in chunks for row in chunk.slot.to_pylist()]
    contexts = [row for chunk in tables.contexts() for row in chunk.to_pylist()]

    assert [row["rule_id"] for row in rules] == list(range(1, len(rules) + 1))
    assert [(row["lhs_id"], row["gaps"]) for row in rules] == [
        (rule.lhs_id, rule.gaps) for rule in expected.rules
    ]
    counts = [float(rule.count) for rule in expected.rules]
    assert [row["count"] for row in rules] == pytest.approx(counts, rel=1e-12)

    assert [row["context_id"] for row in contexts] == list(range(1, len(contexts) + 1))
    texts = [(row["source"], row["target"]) for row in contexts]
    assert texts == [(context.source, context.target) for context in expected.contexts]
    energies = [float(context.energy) for context in expected.contexts]
    assert [row["energy"] for row in contexts] == pytest.approx(energies, rel=1e-12)
    masses = [float(context.mass) for context in expected.contexts]
    # The survey numbers contexts by first use, the tables by falling number of slots.
    order = np.argsort(-weights.uses, kind="stable")
    assert weights.mass[order].tolist() == pytest.approx(masses, rel=1e-12)
    assert weights.uses[order].tolist() == [context.slots for context in expected.contexts]

    assert [
        (row["rule_id"], row["position"], row["nonterminal_id"], texts[row["context_id"] - 1])
        for row in slots
    ] == [
        (number, position, filler, context)
        for number, rule in enumerate(expected.rules, start=1)
        for position, (filler, context) in enumerate(rule.slots, start=1)
    ]


@given(bitexts(), extraction_options())
@settings(max_examples=500, deadline=None)
def test_kernels_equal_reference(sentences: list[Sentence], options: ExtractionOptions) -> None:
    assert_same(sentences, options, threads=1)


@pytest.mark.long
@given(bitexts(), extraction_options())
@settings(max_examples=2000, deadline=None)
def test_kernels_equal_reference_often(
    sentences: list[Sentence], options: ExtractionOptions
) -> None:
    assert_same(sentences, options, threads=1)


@given(bitexts(max_sentences=12, max_words=9), extraction_options())
@settings(max_examples=60, deadline=None)
def test_the_number_of_threads_does_not_matter(
    sentences: list[Sentence], options: ExtractionOptions
) -> None:
    assert_same(sentences, options, threads=3)


def test_many_small_chunks_are_as_good_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    sentences: list[Sentence] = []
    for _ in range(20):
        words = int(rng.integers(2, 7))
        links = frozenset((i, int(rng.integers(words))) for i in range(words))
        source = tuple("abc"[k] for k in rng.integers(0, 3, words))
        target = tuple("xyz"[k] for k in rng.integers(0, 3, words))
        sentences.append((source, target, links))
    monkeypatch.setattr("grammar_store.extraction.grammar.CHUNK", 5)
    monkeypatch.setattr("grammar_store.extraction.tables.CHUNK", 5)
    monkeypatch.setattr("grammar_store.extraction.grammar.KEPT_BYTES", 1000)
    monkeypatch.setattr("grammar_store.extraction.numbering._BATCH", 7)
    assert_same(sentences, ExtractionOptions(max_gaps=2), threads=2)


def test_numbering_over_many_batches_and_threads() -> None:
    rng = np.random.default_rng(3)
    keys = rng.integers(0, (5_000, 3), (200_000, 2)).astype(np.uint64)
    expected = number_keys_reference(keys)
    for threads in (1, 2, 5):
        numbering = Numbering(threads)
        parts = [numbering.number(keys[i : i + 999]) for i in range(0, 200_000, 999)]
        assert np.concatenate(parts).tolist() == expected
        assert len(numbering) == len(set(expected))
