"""The presets `moses` and `hiero`: what they stand for, and where they differ."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from oracles.moses_oracle import moses_rules
from strategies import Sentence, bitexts, shares

from grammar_store.extraction.options import PRESETS, ExtractionOptions
from grammar_store.extraction.reference import reference_grammar

Counts = dict[tuple[str, str], Fraction]

long_bitexts = bitexts(max_sentences=2, max_words=12, hostile_words=())


def pair(source: str, target: str, links: str) -> Sentence:
    points = (link.split("-") for link in links.split())
    return (
        tuple(source.split()),
        tuple(target.split()),
        frozenset((int(i), int(j)) for i, j in points),
    )


def diagonal(words: int) -> Sentence:
    """A sentence pair of so many different words, linked one to one and in order."""
    return (
        tuple(f"s{k}" for k in range(words)),
        tuple(f"t{k}" for k in range(words)),
        frozenset((k, k) for k in range(words)),
    )


def rules_of(bitext: Sequence[Sentence], options: ExtractionOptions) -> Counts:
    """The rules with one non-terminal X instead of many, and their counts summed."""
    counts: Counts = defaultdict(Fraction)
    for rule in reference_grammar(bitext, options).rules:
        source, target = (re.sub(r"\[X\d+,", "[X,", text) for text in (rule.source, rule.target))
        counts[source, target] += rule.count
    return dict(counts)


@settings(deadline=None, max_examples=60)
@given(long_bitexts)
def test_moses_preset_gives_the_rules_and_counts_of_moses(bitext: list[Sentence]) -> None:
    assert rules_of(bitext, PRESETS["moses"]) == dict(moses_rules(bitext))


def test_the_limits_of_moses_bite_in_the_bitexts_made() -> None:
    quick = replace(PRESETS["moses"], max_phrase_pairs=150)
    loosened: dict[str, dict[str, Any]] = {
        "max_length": {"max_length": 12},
        "max_source_symbols": {"max_source_symbols": 6},
        "min_gap_length": {"min_gap_length": 1},
        "adjacent_gaps": {"adjacent_gaps": True},
        "max_gaps": {"max_gaps": 3},
        "lexical": {"lexical": "both"},
    }

    def biting(bitext: list[Sentence]) -> set[str]:
        rules = rules_of(bitext, quick)
        return {
            name
            for name, changes in loosened.items()
            if rules_of(bitext, replace(quick, **changes)) != rules
        }

    assert shares(long_bitexts, biting, examples=40).keys() == loosened.keys()


def test_ten_words_in_moses_by_hand() -> None:
    # Ten words are too many for a lexical rule. One gap of g words leaves 11 - g symbols,
    # so g is 6, 7, 8 or 9, at 11 - g places: 5 + 4 + 3 + 2 = 14 rules. Two gaps of at least
    # two words with w words left (w is 1, 2 or 3), at least one of them between the gaps:
    # the lengths can be chosen in 6, 5, 4 ways (their sum is 9, 8, 7), the places of the
    # words in 1, 3, 6 ways: 6 + 15 + 24 = 45 rules. Together 59.
    grammar = reference_grammar([diagonal(12)], PRESETS["moses"])
    longest = [x for x, row in enumerate(grammar.nonterminals, 1) if row.source.count(" ") >= 9]
    assert [grammar.nonterminals[x - 1].source.split()[0] for x in longest] == ["s0", "s1", "s2"]
    for x in longest:
        assert [rule.count for rule in grammar.rules if rule.lhs_id == x] == 59 * [Fraction(1, 59)]
    # Four words and a gap of 2 to 6: a rule of every phrase pair of 6 to 10 words from s0.
    assert moses_rules([diagonal(10)])["s0 s1 s2 s3 [X,1]", "t0 t1 t2 t3 [X,1]"] == sum(
        Fraction(1, rules_of_diagonal(words)) for words in range(6, 11)
    )


def rules_of_diagonal(words: int) -> int:
    """The rules of so many words in order, by counting where gaps can start and end."""
    positions = range(words + 1)
    gaps = [(s, e) for s in positions for e in positions if 2 <= e - s < words]
    symbols = [words] + [words - (e - s) + 1 for s, e in gaps]
    symbols += [
        words - (e - s) - (end - start) + 2 for s, e in gaps for start, end in gaps if e < start
    ]
    return sum(number <= 5 for number in symbols)


def test_three_words_in_moses_by_hand() -> None:
    # Gaps have two words: s0 s1 s2 yields itself, [X] s2 and s0 [X]; the shorter ones yield
    # only themselves, because a gap of two words is the whole of them.
    expected = {
        **{(f"s{k}", f"t{k}"): Fraction(1) for k in range(3)},
        **{(f"s{k} s{k + 1}", f"t{k} t{k + 1}"): Fraction(1) for k in range(2)},
        ("s0 s1 s2", "t0 t1 t2"): Fraction(1, 3),
        ("[X,1] s2", "[X,1] t2"): Fraction(1, 3),
        ("s0 [X,1]", "t0 [X,1]"): Fraction(1, 3),
    }
    assert rules_of([diagonal(3)], PRESETS["moses"]) == expected
    assert moses_rules([diagonal(3)]) == expected


def test_the_same_rule_twice_from_one_sentence_counts_twice() -> None:
    # (a a a, x x x) yields itself, [X] a and a [X]; each of (a a, x x) and (a, x) itself.
    bitext = [pair("a a a", "x x x", "0-0 1-1 2-2")]
    expected = {
        ("a", "x"): Fraction(3),
        ("a a", "x x"): Fraction(2),
        ("a a a", "x x x"): Fraction(1, 3),
        ("[X,1] a", "[X,1] x"): Fraction(1, 3),
        ("a [X,1]", "x [X,1]"): Fraction(1, 3),
    }
    assert rules_of(bitext, PRESETS["moses"]) == expected
    assert moses_rules(bitext) == expected


class TestHieroAgainstMoses:
    def test_they_differ_in_two_options_only(self) -> None:
        changed = ExtractionOptions.preset("hiero", tight=False, min_gap_length=2)
        assert changed == PRESETS["moses"]

    def test_hiero_keeps_the_smallest_of_phrase_pairs_with_the_same_links(self) -> None:
        # b and y are unaligned: Moses lets them into phrase pairs, Chiang does not.
        bitext = [pair("a b", "x y", "0-0")]
        assert rules_of(bitext, PRESETS["hiero"]) == {("a", "x"): 1}
        assert rules_of(bitext, PRESETS["moses"]) == {
            ("a", "x"): 1,
            ("a b", "x"): 1,
            ("a", "x y"): 1,
            ("a b", "x y"): 1,
        }

    def test_hiero_gaps_are_tight_too(self) -> None:
        # (a b c, x z) with b unaligned. Chiang: itself, and gaps for a and for c. Moses: gaps of
        # two words only, so for "a b" and "b c", each with the unaligned word.
        bitext = [pair("a b c", "x z", "0-0 2-1")]
        hiero, moses = rules_of(bitext, PRESETS["hiero"]), rules_of(bitext, PRESETS["moses"])
        assert hiero == {
            ("a", "x"): 1,
            ("c", "z"): 1,
            ("a b c", "x z"): Fraction(1, 3),
            ("[X,1] b c", "[X,1] z"): Fraction(1, 3),
            ("a b [X,1]", "x [X,1]"): Fraction(1, 3),
        }
        assert {text: count for text, count in moses.items() if "[X,1]" in text[0]} == {
            ("[X,1] c", "[X,1] z"): Fraction(1, 3),
            ("a [X,1]", "x [X,1]"): Fraction(1, 3),
        }

    def test_hiero_gaps_may_stand_for_one_word(self) -> None:
        lexical = ("s0 s1", "t0 t1")
        gapped = [("[X,1] s1", "[X,1] t1"), ("s0 [X,1]", "t0 [X,1]")]
        hiero, moses = (
            rules_of([diagonal(2)], PRESETS["hiero"]),
            rules_of([diagonal(2)], PRESETS["moses"]),
        )
        assert [hiero[text] for text in (lexical, *gapped)] == 3 * [Fraction(1, 3)]
        assert moses[lexical] == 1
        assert not moses.keys() & set(gapped)

    def test_the_rule_of_chiang(self) -> None:
        # The rule that the paper quotes in section 3, from Chiang's sentence pair. Its gaps
        # stand for one source word each.
        bitext = [
            pair(
                "yu beihan you bangjiao",
                "have diplomatic relations with north korea",
                "0-3 1-4 1-5 2-0 3-1 3-2",
            )
        ]
        rule = "yu [X,1] you [X,2]", "have [X,2] with [X,1]"
        assert rule in rules_of(bitext, PRESETS["hiero"])
        assert rule not in rules_of(bitext, PRESETS["moses"])


@pytest.mark.parametrize("preset", ["hiero", "moses"])
class TestRestrictionsOfBoth:
    def test_ten_words_on_either_side(self, preset: str) -> None:
        def longest(bitext: list[Sentence]) -> tuple[int, int]:
            rows = reference_grammar(bitext, PRESETS[preset]).nonterminals
            return (
                max((len(row.source.split()) for row in rows), default=0),
                max((len(row.target.split()) for row in rows), default=0),
            )

        assert longest([diagonal(11)]) == (10, 10)
        eleven = " ".join(f"t{k}" for k in range(11))
        assert longest([pair("s", eleven, "0-0 0-10")]) == (0, 0)
        assert longest([pair("s", eleven, "0-0 0-9")])[1] == 10

    def test_five_source_symbols_two_gaps_never_adjacent(self, preset: str) -> None:
        sources = [source.split() for source, _ in rules_of([diagonal(9)], PRESETS[preset])]
        assert max(map(len, sources)) == 5
        gaps = [[symbol.startswith("[X,") for symbol in source] for source in sources]
        assert max(map(sum, gaps)) == 2
        assert not any(left and right for row in gaps for left, right in pairwise(row))

    def test_gaps_may_be_adjacent_on_the_target_side(self, preset: str) -> None:
        # e stands between the gaps on the source side and its translation at the end.
        bitext = [pair("a b e c d", "w x y z v", "0-0 1-1 3-2 4-3 2-4")]
        assert ("[X,1] e [X,2]", "[X,1] [X,2] v") in rules_of(bitext, PRESETS[preset])

    def test_two_aligned_words_stay_outside_the_gaps(self, preset: str) -> None:
        # c and z are words of their own on both sides, but they are not aligned.
        bitext = [pair("a b c d e", "x y z v w", "0-0 1-1 3-3 4-4")]
        rules = rules_of(bitext, PRESETS[preset])
        assert ("[X,1] c d e", "[X,1] z v w") in rules
        assert ("[X,1] c [X,2]", "[X,1] z [X,2]") not in rules
