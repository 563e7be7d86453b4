"""What holds for every grammar of the plain extractor, and its twin by brute force."""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.brute_force import grammar_by_definition, phrase_pairs_by_definition
from strategies import (
    Sentence,
    bitexts,
    extraction_options,
    features_of_grammar,
    features_of_words,
    shares,
)

from grammar_store.bitext.corpus import Corpus
from grammar_store.extraction.options import MAX_GAPS, PRESETS, ExtractionOptions
from grammar_store.extraction.reference import (
    ReferenceGrammar,
    phrase_pairs,
    reference_grammar,
    upper_count,
)

GAP = re.compile(r"\[X([0-9]+),([0-9]+)\]")

unhurried = settings(deadline=None)
some_options = extraction_options()


def in_words(grammar: ReferenceGrammar, text: str) -> str:
    """A right-hand side with its gaps as brute force writes them."""

    def words(gap: re.Match[str]) -> str:
        row = grammar.nonterminals[int(gap[1]) - 1]
        return f"<{gap[2]}:{row.source}|{row.target}>"

    return GAP.sub(words, text)


@settings(deadline=None, max_examples=300)
@given(bitexts(max_sentences=1), st.booleans(), st.sampled_from((None, 1, 2, 3, 4)))
def test_phrase_pairs_are_those_of_the_definition(
    bitext: list[Sentence], tight: bool, max_length: int | None
) -> None:
    source, target, links = bitext[0]
    options = ExtractionOptions(tight=tight, max_length=max_length)
    found = list(phrase_pairs(len(source), len(target), links, max_length, tight))
    assert found == sorted(phrase_pairs_by_definition(bitext[0], options))


@settings(deadline=None, max_examples=200)
@given(bitexts(max_sentences=5, max_words=5, hostile_words=()), some_options)
def test_rules_and_counts_are_those_of_the_definition(
    bitext: list[Sentence], options: ExtractionOptions
) -> None:
    grammar = reference_grammar(bitext, options)
    places, counts = grammar_by_definition(bitext, options)
    texts = [(row.source, row.target) for row in grammar.nonterminals]
    found = {
        (
            texts[rule.lhs_id - 1],
            (in_words(grammar, rule.source), in_words(grammar, rule.target)),
        ): (rule.count)
        for rule in grammar.rules
    }
    assert found == counts
    assert len(found) == len(grammar.rules)

    assert texts == sorted(places, key=lambda text: (-len(places[text]), text))
    assert grammar.occurrences == sorted(grammar.occurrences)
    found_places = defaultdict(list)
    for x, sentence_id, *span in grammar.occurrences:
        found_places[texts[x - 1]].append((sentence_id, tuple(span)))
    assert found_places == places
    for x, row in enumerate(grammar.nonterminals, start=1):
        assert row.count == len(places[texts[x - 1]])
        assert row.sentences == len({sentence_id for sentence_id, _ in places[texts[x - 1]]})
        assert row.rule_count == sum(lhs == texts[x - 1] for lhs, _ in counts)
        whole = sum(
            (" ".join(source), " ".join(target)) == texts[x - 1]
            and (k, (0, len(source), 0, len(target))) in places[texts[x - 1]]
            for k, (source, target, _) in enumerate(bitext, start=1)
        )
        assert grammar.glue.get(x, 0) == whole


@unhurried
@given(bitexts(), some_options)
def test_counts_of_rules_add_up(bitext: list[Sentence], options: ExtractionOptions) -> None:
    grammar = reference_grammar(bitext, options)
    total: dict[int, Fraction] = defaultdict(Fraction)
    for rule in grammar.rules:
        total[rule.lhs_id] += rule.count
    for x, row in enumerate(grammar.nonterminals, start=1):
        if options.counting == "type" and row.rule_count:
            assert total[x] == row.count
        assert total[x] <= row.count
    if options.counting == "occurrence":
        counts = [row.count for row in grammar.nonterminals]
        assert all(rule.count <= counts[x - 1] for rule in grammar.rules for x, _ in rule.slots)


@unhurried
@given(bitexts(), some_options)
def test_every_rule_expands_to_its_left_hand_side(
    bitext: list[Sentence], options: ExtractionOptions
) -> None:
    grammar = reference_grammar(bitext, options)
    rows = grammar.nonterminals
    assert len({(rule.lhs_id, rule.source, rule.target) for rule in grammar.rules}) == len(
        grammar.rules
    )
    assert [rule.lhs_id for rule in grammar.rules] == sorted(rule.lhs_id for rule in grammar.rules)
    for rule in grammar.rules:
        row = rows[rule.lhs_id - 1]
        assert GAP.sub(lambda gap: rows[int(gap[1]) - 1].source, rule.source) == row.source
        assert GAP.sub(lambda gap: rows[int(gap[1]) - 1].target, rule.target) == row.target
        gaps = [(int(x), int(index)) for x, index in GAP.findall(rule.source)]
        assert [index for _, index in gaps] == list(range(1, rule.gaps + 1))
        assert sorted(GAP.findall(rule.target)) == sorted(GAP.findall(rule.source))
        assert [filler for filler, _ in rule.slots] == [x for x, _ in gaps]
        for (filler, context), (_, index) in zip(rule.slots, gaps, strict=True):
            for side, text in zip(context, (rule.source, rule.target), strict=True):
                assert side.count("[_]") == 1
                assert side.replace("[_]", f"[X{filler},{index}]") == text


@unhurried
@given(bitexts(), some_options)
def test_lexical_rules_come_first_and_gaps_from_left_to_right(
    bitext: list[Sentence], options: ExtractionOptions
) -> None:
    grammar = reference_grammar(bitext, options)
    rows = grammar.nonterminals

    def places_of_gaps(text: str, source: bool) -> dict[int, tuple[int, int]]:
        places, at = {}, 0
        for symbol in text.split(" "):
            gap = GAP.fullmatch(symbol)
            row = rows[int(gap[1]) - 1] if gap else None
            words = len((row.source if source else row.target).split(" ")) if row else 1
            if gap:
                places[int(gap[2])] = (at, at + words)
            at += words
        return places

    keys = defaultdict(list)
    for rule in grammar.rules:
        source, target = places_of_gaps(rule.source, True), places_of_gaps(rule.target, False)
        keys[rule.lhs_id].append([source[k] + target[k] for k in sorted(source)])
    for key in keys.values():
        assert key == sorted(key)


@unhurried
@given(bitexts(), some_options)
def test_contexts_energies_heights_and_upper_counts_are_those_of_the_definition(
    bitext: list[Sentence], options: ExtractionOptions
) -> None:
    grammar = reference_grammar(bitext, options)
    counts = [row.count for row in grammar.nonterminals]
    c: dict[tuple[str, str], dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    slots: dict[tuple[str, str], int] = defaultdict(int)
    fillers, above = defaultdict(set), defaultdict(set)
    for rule in grammar.rules:
        for filler, context in rule.slots:
            c[context][filler] += rule.count
            slots[context] += 1
            fillers[rule.lhs_id].add(filler)
            above[filler].add(rule.lhs_id)
    assert grammar.contexts == [
        (
            *context,
            sum(mass**2 / counts[x - 1] for x, mass in by_filler.items()),
            sum(by_filler.values()),
            slots[context],
        )
        for context, by_filler in sorted(c.items(), key=lambda item: -slots[item[0]])
    ]

    def height(x: int) -> int:
        return 1 + max(map(height, fillers[x])) if fillers[x] else 0

    def highest_count(x: int) -> int:
        return max([counts[x - 1], *map(highest_count, above[x])])

    ids = range(1, len(counts) + 1)
    assert [row.height for row in grammar.nonterminals] == [height(x) for x in ids]
    assert upper_count(grammar) == {x: highest_count(x) for x in ids}


@unhurried
@given(bitexts(), some_options)
def test_a_corpus_gives_the_same_grammar_as_its_sentences(
    bitext: list[Sentence], options: ExtractionOptions
) -> None:
    corpus = Corpus.from_text(
        (" ".join(source), " ".join(target), " ".join(f"{i}-{j}" for i, j in links))
        for source, target, links in bitext
    )
    assert reference_grammar(corpus, options) == reference_grammar(bitext, options)


class TestStrategies:
    """Properties are worth what their examples are: the hard cases must be common."""

    def test_words_and_links(self) -> None:
        assert common(shares(bitexts(), features_of_words), 0.03) >= {
            *("crossing links", "many-to-many links", "unaligned edge word"),
            *("unaligned inner word", "repeated word", "empty side", "no links", "hostile word"),
            *("repeated sentence pair", "relinked sentence pair"),
        }

    def test_grammars(self) -> None:
        assert common(shares(bitexts(), features_of_grammar), 0.03) >= {
            *("0 gaps", "1 gaps", "inner alignments that differ", "shared context"),
            *("repeated phrase pair with gaps", "proportion above 1"),
        }

    def test_options(self) -> None:
        def features(example: tuple[list[Sentence], ExtractionOptions]) -> set[str]:
            bitext, options = example
            found = {name for name, preset in PRESETS.items() if preset == options}
            return found | features_of_grammar(bitext, options) | described(options)

        assert common(shares(st.tuples(bitexts(), some_options), features), 0.01) >= {
            *("full", "hiero", "moses", "no rule at all"),
            *("skipped: more than words", "skipped: more than pairs"),
            *("0 gaps", "1 gaps", "2 gaps", "3 gaps", "shared context"),
            *(f"lexical={lexical}" for lexical in ("either", "source", "both", "aligned")),
            *("counting=type", "counting=occurrence", "tight=True", "tight=False"),
            *("adjacent_gaps=True", "adjacent_gaps=False", "min_gap_length=2"),
            *("max_length", "max_source_symbols", "max_words", "max_phrase_pairs"),
            *(f"max_gaps={gaps}" for gaps in range(MAX_GAPS + 1)),
        }


def common(found: dict[str, float], least: float) -> set[str]:
    """What appears in such a share of the examples or more."""
    return {feature for feature, share in found.items() if share >= least}


def described(options: ExtractionOptions) -> set[str]:
    """The values of the options, and the names of those that set a limit."""
    values = options.as_dict()
    limits = {"max_length": 5, "max_source_symbols": 5, "max_words": 7, "max_phrase_pairs": 30}
    return {f"{name}={value}" for name, value in values.items()} | {
        name for name, most in limits.items() if values[name] and values[name] <= most
    }
