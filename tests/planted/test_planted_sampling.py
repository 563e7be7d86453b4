"""What is drawn from planted grammars: derivations, links, true labels, files."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import sqrt
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from planted.grammars import parses, planted_grammars
from strategies import shares

from grammar_store.bitext.corpus import Corpus
from grammar_store.errors import OptionError
from grammar_store.extraction.options import ExtractionOptions
from grammar_store.extraction.reference import phrase_pairs, reference_grammar
from grammar_store.planted import (
    PlantedGrammar,
    TrueLabel,
    planted_names,
    read_planted,
    read_truth,
    sample_bitext,
    sample_derivations,
    truth_of,
    write_sample,
)
from grammar_store.planted.sampling import Derivation

LENIENT = settings(deadline=None, max_examples=100, suppress_health_check=list(HealthCheck))
SHORT = 7  # words that trying all ways to cut a sentence can cope with

seeds = st.integers(-3, 1000)


def short_derivations(grammar: PlantedGrammar, seed: int) -> list[Derivation]:
    drawn = sample_derivations(grammar, 5, seed)
    return [
        one
        for one in drawn
        if max(len(one.expansion().source), len(one.expansion().target)) <= SHORT
    ]


@LENIENT
@given(planted_grammars(), seeds)
def test_sentences_parse_back(grammar: PlantedGrammar, seed: int) -> None:
    for derivation in short_derivations(grammar, seed):
        found = derivation.expansion()
        ways = parses(grammar, grammar.start, tuple(found.source), tuple(found.target))
        assert derivation in ways


@LENIENT
@given(planted_grammars(), seeds)
def test_links_join_words_of_one_rule(grammar: PlantedGrammar, seed: int) -> None:
    """Word by word: who made it, and which of the rule's words it is."""

    def words(one: Derivation, side: int, path: tuple[int, ...] = ()) -> list[tuple[object, int]]:
        made: list[tuple[object, int]] = []
        for at, symbol in enumerate((one.rule.source, one.rule.target)[side]):
            if isinstance(symbol, str):
                made.append((path, at))
            else:
                child = symbol.number - 1
                made += words(one.children[child], side, (*path, child))
        return made

    def rule_at(one: Derivation, path: object) -> Derivation:
        for child in path:  # type: ignore[attr-defined]
            one = one.children[child]
        return one

    for derivation in sample_derivations(grammar, 5, seed):
        source, target = words(derivation, 0), words(derivation, 1)
        expected = [
            (i, j)
            for i, (maker, at) in enumerate(source)
            for j, (other, other_at) in enumerate(target)
            if maker == other and (at, other_at) in rule_at(derivation, maker).rule.links
        ]
        assert derivation.expansion().links == expected


@LENIENT
@given(planted_grammars(), seeds)
def test_constituents_are_phrase_pairs(grammar: PlantedGrammar, seed: int) -> None:
    for derivation in sample_derivations(grammar, 5, seed):
        found = derivation.expansion()
        spans = set(phrase_pairs(len(found.source), len(found.target), found.links))
        assert {one[1:] for one in found.constituents} <= spans
        for label, s, e, t, u in found.constituents:
            if e - s <= SHORT and u - t <= SHORT:
                source, target = tuple(found.source[s:e]), tuple(found.target[t:u])
                assert any(True for _ in parses(grammar, label, source, target))


@settings(LENIENT, max_examples=40)
@given(planted_grammars(), seeds)
def test_labelled_texts_are_nonterminals_of_the_extracted_grammar(
    grammar: PlantedGrammar, seed: int
) -> None:
    expansions = [one.expansion() for one in short_derivations(grammar, seed)]
    corpus = Corpus.from_text([one.sentence_pair() for one in expansions])
    counts = {
        f"{row.source} ||| {row.target}": row.count
        for row in reference_grammar(corpus, ExtractionOptions()).nonterminals
    }
    for text, label in truth_of(grammar, expansions).items():
        assert counts[text] >= label.total >= label.times >= 1


@LENIENT
@given(planted_grammars(), seeds)
def test_truth_counts_derivations(grammar: PlantedGrammar, seed: int) -> None:
    seen: dict[str, list[str]] = defaultdict(list)

    def visit(one: Derivation) -> tuple[list[str], list[str]]:
        parts = [visit(child) for child in one.children]
        sides = tuple(
            [
                word
                for symbol in symbols
                for word in (
                    [symbol] if isinstance(symbol, str) else parts[symbol.number - 1][side]
                )
            ]
            for side, symbols in enumerate((one.rule.source, one.rule.target))
        )
        if one.rule.label != grammar.start:
            seen[" ||| ".join(" ".join(side) for side in sides)].append(one.rule.label)
        return sides[0], sides[1]

    derivations = sample_derivations(grammar, 8, seed)
    for derivation in derivations:
        visit(derivation)
    truth = truth_of(grammar, [one.expansion() for one in derivations])
    assert truth.keys() == seen.keys()
    for text, (label, times, total) in truth.items():
        counts = Counter(seen[text])
        assert counts[label] == times == max(counts.values())
        assert total == counts.total()
        assert label == min(one for one in counts if counts[one] == times)
    assert list(truth) == sorted(truth, key=lambda text: (-truth[text].total, text))


def test_grammars_try_what_matters() -> None:
    def features_of(grammar: PlantedGrammar) -> set[str]:
        expansions = [one.expansion() for one in sample_derivations(grammar, 30, 1)]
        found = set()
        if any(label.times < label.total for label in truth_of(grammar, expansions).values()):
            found.add("ambiguous")
        for one in expansions:
            if len({i for i, _ in one.links}) < len(one.source):
                found.add("unlinked words")
            if any(a < c and b > d for a, b in one.links for c, d in one.links):
                found.add("reordered")
            if len(one.constituents) > 3:
                found.add("several constituents")
        return found

    share = shares(planted_grammars(), features_of, examples=100)
    assert share["ambiguous"] >= 0.03
    assert share["unlinked words"] >= 0.3
    assert share["reordered"] >= 0.3
    assert share["several constituents"] >= 0.2


def test_rules_are_chosen_by_weight() -> None:
    grammar = PlantedGrammar.parse("S -> a ||| x ||| 1\nS -> b ||| y ||| 2.5\nS -> c ||| z ||| 6.5")
    counts = Counter(pair.source for pair in sample_bitext(grammar, 10_000, seed=5))
    for word, share in (("a", 0.1), ("b", 0.25), ("c", 0.65)):
        deviation = sqrt(10_000 * share * (1 - share))
        assert abs(counts[word] - 10_000 * share) < 5 * deviation


def test_seed_decides_and_fewer_are_the_first_of_more() -> None:
    grammar = read_planted("verbs")
    more = sample_bitext(grammar, 300, seed=7)
    assert sample_bitext(grammar, 300, seed=7) == more
    assert sample_bitext(grammar, 100, seed=7) == more[:100]
    assert sample_bitext(grammar, 300, seed=8) != more
    assert sample_bitext(grammar, 300, seed=-7) != more
    assert sample_bitext(grammar, 0, seed=7) == []
    with pytest.raises(OptionError, match="sentences must be at least 0, not -1"):
        sample_bitext(grammar, -1)


def test_by_hand() -> None:
    grammar = PlantedGrammar.parse(
        """
        S -> er hat [NP,1] [V,2] ||| he has [V,2] [NP,1]
        NP -> das neue [N,1] ||| the [N,1] ||| 1 ||| 0-0 1-0
        N -> Haus ||| house
        V -> an gesehen ||| looked at ||| 1 ||| 0-1 1-0
        """
    )
    source, target = "er hat das neue Haus an gesehen", "he has looked at the house"
    links = "0-0 1-1 2-4 3-4 4-5 5-3 6-2"
    assert sample_bitext(grammar, 2) == 2 * [(source, target, links)]
    truth = truth_of(grammar, [one.expansion() for one in sample_derivations(grammar, 2)])
    assert truth == {
        "Haus ||| house": TrueLabel("N", 2, 2),
        "an gesehen ||| looked at": TrueLabel("V", 2, 2),
        "das neue Haus ||| the house": TrueLabel("NP", 2, 2),
    }


def test_ambiguous_text_has_the_label_of_most_derivations() -> None:
    grammar = PlantedGrammar.parse(
        """
        S -> a [B,1] ||| a [B,1] ||| 1
        S -> c [D,1] ||| c [D,1] ||| 9
        B -> w ||| w
        D -> w ||| w
        """
    )
    truth = truth_of(grammar, [one.expansion() for one in sample_derivations(grammar, 50)])
    label = truth["w ||| w"]
    assert (label.label, label.total) == ("D", 50)
    assert 25 < label.times < 50


def test_files(tmp_path: Path) -> None:
    grammar = read_planted("order")
    folder = tmp_path / "new" / "folder"
    truth = write_sample(grammar, 50, 3, folder)
    pairs = sample_bitext(grammar, 50, 3)
    for role in ("source", "target", "alignment"):
        lines = (folder / role).read_text(encoding="utf-8").removesuffix("\n").split("\n")
        assert lines == [getattr(pair, role) for pair in pairs]
    assert read_truth(folder / "truth.tsv") == truth
    assert truth == truth_of(
        grammar, [one.expansion() for one in sample_derivations(grammar, 50, 3)]
    )


def test_words_that_look_like_holes_are_named_as_in_a_store(tmp_path: Path) -> None:
    grammar = PlantedGrammar.parse("S -> a [A,1] ||| a [A,1]\nA -> w[_] ||| x")
    truth = write_sample(grammar, 1, 0, tmp_path)
    assert (tmp_path / "source").read_text() == "a w[_]\n"
    assert list(truth) == ["w[\\_] ||| x"]
    names = reference_grammar(
        Corpus.from_text(sample_bitext(grammar, 1)), ExtractionOptions()
    ).nonterminals
    assert ("w[\\_]", "x") in {(row.source, row.target) for row in names}
    assert read_truth(tmp_path / "truth.tsv") == truth


@pytest.mark.parametrize("name", planted_names())
def test_grammars_of_the_package_label_every_text_once(name: str) -> None:
    grammar = read_planted(name)
    expansions = [one.expansion() for one in sample_derivations(grammar, 3000, 1)]
    truth = truth_of(grammar, expansions)
    assert {one.label for one in truth.values()} == set(grammar.labels)
    assert all(one.times == one.total for one in truth.values())
    assert min(one.total for one in truth.values()) >= 20
    for label in grammar.labels:
        assert sum(one.label == label for one in truth.values()) >= 3
