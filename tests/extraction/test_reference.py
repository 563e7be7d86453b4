"""The plain extractor against the paper's table and against cases worked out by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from strategies import Sentence, all_links

from grammar_store.extraction.options import ExtractionOptions, Lexical
from grammar_store.extraction.reference import (
    ReferenceGrammar,
    reference_grammar,
    rules_of_occurrence,
    upper_count,
)

GAP = re.compile(r"\[X([0-9]+),([0-9]+)\]")

PAPER = [
    (("das", "neue", "Haus"), ("the", "new", "house"), frozenset({(0, 0), (1, 1), (2, 2)})),
    (("das", "Haus"), ("the", "house"), frozenset({(0, 0), (1, 1)})),
]
PAPER_NAMES = {
    "X1": ("das neue Haus", "the new house"),
    "X2": ("das neue", "the new"),
    "X3": ("neue Haus", "new house"),
    "X4": ("das", "the"),
    "X5": ("neue", "new"),
    "X6": ("Haus", "house"),
    "X7": ("das Haus", "the house"),
}
# Table 1 of the paper, below its glue rules.
TABLE_1 = """
X1 -> (das neue Haus, the new house)  1/6
X2 -> (das neue, the new)  1/3
X3 -> (neue Haus, new house)  1/3
X4 -> (das, the)  2
X5 -> (neue, new)  1
X6 -> (Haus, house)  2
X7 -> (das Haus, the house)  1/3
X1 -> (X2 Haus, X2 house)  1/6
X1 -> (das X3, the X3)  1/6
X1 -> (X4 neue Haus, X4 new house)  1/6
X1 -> (das X5 Haus, the X5 house)  1/6
X1 -> (das neue X6, the new X6)  1/6
X2 -> (X4 neue, X4 new)  1/3
X2 -> (das X5, the X5)  1/3
X3 -> (X5 Haus, X5 house)  1/3
X3 -> (neue X6, new X6)  1/3
X7 -> (X4 Haus, X4 house)  1/3
X7 -> (das X6, the X6)  1/3
"""


def pair(source: str, target: str, links: str) -> Sentence:
    points = (link.split("-") for link in links.split())
    return (
        tuple(source.split()),
        tuple(target.split()),
        frozenset((int(i), int(j)) for i, j in points),
    )


def in_words(grammar: ReferenceGrammar, text: str) -> str:
    """A right-hand side with every gap as its co-index and the source words it stands for."""
    rows = grammar.nonterminals
    return GAP.sub(lambda gap: f"<{gap[2]}:{rows[int(gap[1]) - 1].source}>", text)


def rules_of(
    bitext: Sequence[Sentence], lhs: tuple[str, str], options: ExtractionOptions
) -> list[tuple[str, str, Fraction]]:
    """The rules of one phrase pair, in order."""
    grammar = reference_grammar(bitext, options)
    ids = {(row.source, row.target): x for x, row in enumerate(grammar.nonterminals, start=1)}
    return [
        (in_words(grammar, rule.source), in_words(grammar, rule.target), rule.count)
        for rule in grammar.rules
        if rule.lhs_id == ids[lhs]
    ]


class TestTableOfThePaper:
    @staticmethod
    def named(grammar: ReferenceGrammar) -> list[str]:
        """The rules under the names that the paper gives to the non-terminals."""
        names = {text: name for name, text in PAPER_NAMES.items()}
        by_id = [names[row.source, row.target] for row in grammar.nonterminals]
        return [
            GAP.sub(
                lambda gap: by_id[int(gap[1]) - 1],
                f"{by_id[rule.lhs_id - 1]} -> ({rule.source}, {rule.target})  {rule.count}",
            )
            for rule in grammar.rules
        ]

    @pytest.mark.parametrize("counting", ["type", "occurrence"])
    def test_rules_and_counts(self, counting: str) -> None:
        grammar = reference_grammar(PAPER, ExtractionOptions.preset("full", counting=counting))
        assert len(grammar.nonterminals) == 7
        assert len(grammar.rules) == 18
        assert sorted(self.named(grammar)) == sorted(TABLE_1.strip().splitlines())

    def test_glue_rules(self) -> None:
        grammar = reference_grammar(PAPER, ExtractionOptions())
        glue = {grammar.nonterminals[x - 1][:2]: count for x, count in grammar.glue.items()}
        assert glue == {PAPER_NAMES["X1"]: 1, PAPER_NAMES["X7"]: 1}

    def test_counts_and_heights(self) -> None:
        rows = {row[:2]: row for row in reference_grammar(PAPER, ExtractionOptions()).nonterminals}
        found = {name: rows[text] for name, text in PAPER_NAMES.items()}
        counts = {"X1": 1, "X2": 1, "X3": 1, "X4": 2, "X5": 1, "X6": 2, "X7": 1}
        assert {name: row.count for name, row in found.items()} == counts
        assert {name: row.sentences for name, row in found.items()} == counts
        heights = {"X1": 2, "X2": 1, "X3": 1, "X4": 0, "X5": 0, "X6": 0, "X7": 1}
        assert {name: row.height for name, row in found.items()} == heights

    def test_ids_are_by_count_then_text_in_code_point_order(self) -> None:
        # H comes before d; of the five that occur once, "das Haus" is a prefix of none.
        rows = reference_grammar(PAPER, ExtractionOptions()).nonterminals
        assert [row.source for row in rows] == [
            *("Haus", "das"),
            *("das Haus", "das neue", "das neue Haus", "neue", "neue Haus"),
        ]

    def test_order_is_of_the_text_and_not_of_its_words(self) -> None:
        # A tab comes before the space between two words.
        bitext = [pair("a b", "x", "0-0 1-0"), (("a\t",), ("x",), frozenset({(0, 0)}))]
        rows = reference_grammar(bitext, ExtractionOptions()).nonterminals
        assert [row.source for row in rows] == ["a\t", "a b"]

    def test_a_second_gap_adds_rules_with_a_terminal(self) -> None:
        # "das neue Haus" can keep its middle, its last or its first word; never none.
        kept_word = {
            "X1 -> (X4 neue X6, X4 new X6)",
            "X1 -> (X4 X5 Haus, X4 X5 house)",
            "X1 -> (das X5 X6, the X5 X6)",
        }
        apart = {"X1 -> (X4 neue X6, X4 new X6)"}
        before = {line.split("  ")[0] for line in TABLE_1.strip().splitlines()}
        for adjacent_gaps, added in (True, kept_word), (False, apart):
            options = ExtractionOptions(max_gaps=2, adjacent_gaps=adjacent_gaps)
            lines = [line.split("  ") for line in self.named(reference_grammar(PAPER, options))]
            assert {rule for rule, _ in lines} - before == added
            assert len(lines) == 18 + len(added)
            # C(X1) = 1 is spread over six rules and those added.
            counts = {count for rule, count in lines if rule.startswith("X1")}
            assert counts == {f"1/{6 + len(added)}"}

    def test_energy_of_a_context(self) -> None:
        # (das _, the _) holds X3 with c = 1/6 of C = 1, X5 with 1/3 of 1 and X6 with 1/3 of 2:
        # 1/36 + 1/9 + 1/18 = 7/36 is its energy, 1/6 + 1/3 + 1/3 = 5/6 its mass.
        contexts = reference_grammar(PAPER, ExtractionOptions()).contexts
        row = next(context for context in contexts if context.source == "das [_]")
        assert row == ("das [_]", "the [_]", Fraction(7, 36), Fraction(5, 6), 3)

    def test_contexts_are_by_number_of_slots_then_first_use(self) -> None:
        # Rules are by left-hand side, in the order of ids above; gaps by their place.
        contexts = reference_grammar(PAPER, ExtractionOptions()).contexts
        assert [context.source for context in contexts] == [
            *("[_] Haus", "das [_]"),  # das Haus: das, Haus; three slots each
            "[_] neue",  # das neue: das, (neue, seen)
            *("[_] neue Haus", "das [_] Haus", "das neue [_]"),  # das, (das neue), neue, …, Haus
            "neue [_]",  # neue Haus: (neue, seen), Haus
        ]

    def test_upper_count(self) -> None:
        assert upper_count(reference_grammar(PAPER, ExtractionOptions())) == {
            **{1: 2, 2: 2},
            **dict.fromkeys((3, 4, 5, 6, 7), 1),
        }

    def test_upper_count_climbs_more_than_one_step(self) -> None:
        # Each is cut in its own sentence, so a fills only "a b", that only "a b c", and that
        # only "a b c d"; counts are 1, 1 + 1 + 4, 1 + 1 and 1 + 9.
        whole = pair("a b c d", "x y z v", "0-0 0-1 0-2 1-0 2-0 3-3")
        bitext = [
            *(whole, pair("a b c", "x y z", "0-0 0-1 1-0 2-2"), STRAIGHT),
            *4 * [FUSED],
            *9 * [(whole[0], whole[1], all_links(whole[0], whole[1]))],
        ]
        grammar = reference_grammar(bitext, ExtractionOptions())
        rows = {x: row.source for x, row in enumerate(grammar.nonterminals, start=1)}
        counts = {row.source: row.count for row in grammar.nonterminals}
        assert [counts[text] for text in ("a", "a b", "a b c", "a b c d")] == [1, 6, 2, 10]
        upper = {rows[x]: count for x, count in upper_count(grammar).items()}
        assert [upper[text] for text in ("a", "a b", "a b c", "a b c d")] == [10, 10, 10, 10]


ABC = pair("a b c", "x y z", "0-0 1-1 2-2")
FUSED = ("a", "b"), ("x", "y"), all_links("ab", "xy")
STRAIGHT, CROSSED = pair("a b", "x y", "0-0 1-1"), pair("a b", "x y", "0-1 1-0")
THIRD, HALF = Fraction(1, 3), Fraction(1, 2)


class TestOptions:
    def test_unaligned_edges_in_every_combination_unless_tight(self) -> None:
        bitext = [pair("b a b", "y x y", "1-1")]
        loose = reference_grammar(bitext, ExtractionOptions())
        assert {row[:2] for row in loose.nonterminals} == set(
            product(["a", "b a", "a b", "b a b"], ["x", "y x", "x y", "y x y"])
        )
        tight = reference_grammar(bitext, ExtractionOptions(tight=True))
        assert [row[:3] for row in tight.nonterminals] == [("a", "x", 1)]
        assert tight.glue == {}

    def test_an_unaligned_inner_word_is_in_every_tight_phrase_pair(self) -> None:
        bitext = [pair("a b c", "x z", "0-0 2-1")]
        assert rules_of(bitext, ("a b c", "x z"), ExtractionOptions(tight=True)) == [
            ("a b c", "x z", THIRD),
            ("<1:a> b c", "<1:a> z", THIRD),
            ("a b <1:c>", "x <1:c>", THIRD),
        ]

    @pytest.mark.parametrize(
        ("sentence", "rule", "kept_by"),
        [
            # A source word alone, a target word alone, two that are not aligned, two that are.
            (pair("a b", "x", "0-0"), ("<1:a> b", "<1:a>"), {"either", "source"}),
            (pair("a", "x y", "0-0"), ("<1:a>", "<1:a> y"), {"either"}),
            (pair("a b", "x y", "0-0"), ("<1:a> b", "<1:a> y"), {"either", "source", "both"}),
            (STRAIGHT, ("<1:a> b", "<1:a> y"), {"either", "source", "both", "aligned"}),
            (STRAIGHT, ("<1:a> <2:b>", "<1:a> <2:b>"), set()),
        ],
    )
    def test_lexical(self, sentence: Sentence, rule: tuple[str, str], kept_by: set[str]) -> None:
        lexicals: tuple[Lexical, ...] = ("either", "source", "both", "aligned")
        whole = " ".join(sentence[0]), " ".join(sentence[1])
        keeping = set()
        for lexical in lexicals:
            options = ExtractionOptions(lexical=lexical, max_gaps=2)
            rules = [found[:2] for found in rules_of([sentence], whole, options)]
            assert rules[0] == whole  # the lexical rule always qualifies
            if rule in rules:
                keeping.add(lexical)
        assert keeping == kept_by

    def test_min_gap_length(self) -> None:
        options = ExtractionOptions(min_gap_length=2)
        assert rules_of([ABC], ("a b c", "x y z"), options) == [
            ("a b c", "x y z", THIRD),
            ("<1:a b> c", "<1:a b> z", THIRD),
            ("a <1:b c>", "x <1:b c>", THIRD),
        ]

    def test_min_gap_length_is_of_source_words(self) -> None:
        # c is one source word of two target words; "a b" is two of one.
        bitext = [pair("a b c", "x y z", "0-0 1-0 2-1 2-2")]
        options = ExtractionOptions(min_gap_length=2)
        assert rules_of(bitext, ("a b c", "x y z"), options) == [
            ("a b c", "x y z", HALF),
            ("<1:a b> c", "<1:a b> y z", HALF),
        ]

    def test_adjacent_gaps(self) -> None:
        together = {
            ("<1:a> <2:b> c", "<1:a> <2:b> z"),
            ("a <1:b> <2:c>", "x <1:b> <2:c>"),
        }
        apart = ("<1:a> b <2:c>", "<1:a> y <2:c>")
        for adjacent_gaps, expected in (True, {apart, *together}), (False, {apart}):
            options = ExtractionOptions(max_gaps=2, adjacent_gaps=adjacent_gaps)
            rules = rules_of([ABC], ("a b c", "x y z"), options)
            assert {rule[:2] for rule in rules if "<2" in rule[0]} == expected

    def test_adjacent_gaps_are_of_the_source_side(self) -> None:
        options = ExtractionOptions(max_gaps=2, adjacent_gaps=False)
        rules = rules_of([pair("a b c", "x z", "0-0 2-1")], ("a b c", "x z"), options)
        assert ("<1:a> b <2:c>", "<1:a> <2:c>") in {rule[:2] for rule in rules}

    def test_gaps_are_numbered_in_source_order_and_overlap_on_neither_side(self) -> None:
        # b and y are unaligned: each can stay, or go into either gap, but not into both. Rules
        # that keep neither are dropped, which leaves 3 * 3 - 2 * 2 = 5 with two gaps.
        bitext = [pair("a b c", "z y x", "0-2 2-0")]
        rules = rules_of(bitext, ("a b c", "z y x"), ExtractionOptions(max_gaps=2))
        assert sorted(rule[:2] for rule in rules if "<2" in rule[0]) == [
            ("<1:a b> <2:c>", "<2:c> y <1:a b>"),
            ("<1:a> <2:b c>", "<2:b c> y <1:a>"),
            ("<1:a> b <2:c>", "<2:c> <1:a>"),  # y with a
            ("<1:a> b <2:c>", "<2:c> <1:a>"),  # y with c
            ("<1:a> b <2:c>", "<2:c> y <1:a>"),
        ]

    def test_order_of_the_rules_of_an_occurrence(self) -> None:
        # The lexical rule, then by the gaps from left to right; a prefix comes first.
        options = ExtractionOptions(max_gaps=2)
        a, b, c = (0, 1, 0, 1), (1, 2, 1, 2), (2, 3, 2, 3)
        ab, bc = (0, 2, 0, 2), (1, 3, 1, 3)
        assert rules_of_occurrence(3, 3, ABC[2], options) == [
            *((), (a,), (a, b), (a, c), (ab,), (b,), (b, c), (bc,), (c,)),
        ]

    def test_max_source_symbols(self) -> None:
        # Three words, and one gap of one word with two words, are more than two symbols.
        options = ExtractionOptions(max_source_symbols=2)
        assert rules_of([ABC], ("a b c", "x y z"), options) == [
            ("<1:a b> c", "<1:a b> z", HALF),
            ("a <1:b c>", "x <1:b c>", HALF),
        ]

    @pytest.mark.parametrize("counting", ["type", "occurrence"])
    def test_a_nonterminal_can_be_without_rules(self, counting: str) -> None:
        options = ExtractionOptions.preset("full", max_source_symbols=1, counting=counting)
        grammar = reference_grammar([FUSED], options)
        assert grammar.nonterminals == [("a b", "x y", 1, 0, 0, 1)]
        assert grammar.glue == {1: 1}
        assert grammar.rules == []

    def test_max_length_is_of_both_sides(self) -> None:
        options = ExtractionOptions(max_length=2)
        grammar = reference_grammar([ABC], options)
        assert max(len(row.source.split()) for row in grammar.nonterminals) == 2
        assert grammar.glue == {}
        assert reference_grammar([pair("a", "x y z", "0-0 0-2")], options).nonterminals == []
        wide = reference_grammar([pair("a", "x y z", "0-0")], options).nonterminals
        assert [row.target for row in wide] == ["x", "x y"]

    def test_max_gaps_0_gives_lexical_rules_only(self) -> None:
        grammar = reference_grammar(PAPER, ExtractionOptions(max_gaps=0))
        assert [rule.count for rule in grammar.rules] == [2, 2, 1, 1, 1, 1, 1]
        assert [rule.slots for rule in grammar.rules] == 7 * [()]
        assert grammar.contexts == []
        assert {row.height for row in grammar.nonterminals} == {0}


class TestCounting:
    """One phrase pair with several inner alignments: which share of C(X) has each rule?"""

    def test_by_type(self) -> None:
        # (a b, x y) occurs four times and has, over all of them, five rules.
        assert rules_of([STRAIGHT, CROSSED, FUSED, FUSED], ("a b", "x y"), ExtractionOptions()) == [
            ("a b", "x y", Fraction(4, 5)),
            ("<1:a> b", "<1:a> y", Fraction(4, 5)),
            ("<1:a> b", "x <1:a>", Fraction(4, 5)),
            ("a <1:b>", "<1:b> y", Fraction(4, 5)),
            ("a <1:b>", "x <1:b>", Fraction(4, 5)),
        ]

    def test_by_occurrence(self) -> None:
        # Straight and crossed license three rules each, 1/3 to every one; fused only the
        # lexical rule, which gets 1 from each: 1/3 + 1/3 + 1 + 1 = 8/3.
        options = ExtractionOptions(counting="occurrence")
        assert rules_of([STRAIGHT, CROSSED, FUSED, FUSED], ("a b", "x y"), options) == [
            ("a b", "x y", Fraction(8, 3)),
            ("<1:a> b", "<1:a> y", THIRD),
            ("<1:a> b", "x <1:a>", THIRD),
            ("a <1:b>", "<1:b> y", THIRD),
            ("a <1:b>", "x <1:b>", THIRD),
        ]

    def test_an_occurrence_without_rules_adds_nothing(self) -> None:
        # Two symbols are too many, so only a gap over both words makes a rule; the unaligned
        # y is the word that it needs. Fused has none, and its 1 is spread over nothing.
        spread = pair("a b", "x y", "0-0 1-0")
        options = ExtractionOptions(max_source_symbols=1, counting="occurrence")
        assert rules_of([spread, FUSED, FUSED], ("a b", "x y"), options) == [
            ("<1:a b>", "<1:a b> y", Fraction(1))
        ]
        by_type = ExtractionOptions(max_source_symbols=1)
        assert rules_of([spread, FUSED, FUSED], ("a b", "x y"), by_type) == [
            ("<1:a b>", "<1:a b> y", Fraction(3))
        ]

    def test_a_proportion_can_exceed_1_by_type_but_not_by_occurrence(self) -> None:
        # (a b, x y) occurs ten times and has three rules: 10/3 for "_ b". But (a, x) occurs
        # only once: c/C = 10/3. By occurrence it is 1/3.
        bitext = [STRAIGHT, *9 * [FUSED]]
        for counting, proportion in ("type", Fraction(10, 3)), ("occurrence", THIRD):
            grammar = reference_grammar(bitext, ExtractionOptions.preset("full", counting=counting))
            context = next(row for row in grammar.contexts if row.source == "[_] b")
            assert context.mass == proportion
            assert context.energy == proportion**2
            assert grammar.nonterminals[1][:3] == ("a", "x", 1)
            assert upper_count(grammar) == {1: 10, 2: 10, 3: 10}


class TestSkipping:
    def test_too_many_words_on_a_side(self) -> None:
        bitext = [ABC, pair("a", "x", "0-0"), pair("a", "x y z v", "0-0")]
        grammar = reference_grammar(bitext, ExtractionOptions(max_words=3))
        assert grammar.skipped == {3: "more than 3 words"}
        grammar = reference_grammar(bitext, ExtractionOptions(max_words=2))
        assert grammar.skipped == {1: "more than 2 words", 3: "more than 2 words"}
        assert grammar.nonterminals == [("a", "x", 1, 1, 0, 1)]
        assert grammar.occurrences == [(1, 2, 0, 1, 0, 1)]

    def test_too_many_phrase_pairs(self) -> None:
        # One link between three words each: 2 * 2 spans on either side, 16 phrase pairs.
        bitext = [pair("b a b", "y x y", "1-1"), pair("a", "x", "0-0")]
        kept = reference_grammar(bitext, ExtractionOptions(max_phrase_pairs=16))
        assert kept.skipped == {}
        assert sum(row.count for row in kept.nonterminals) == 17
        skipped = reference_grammar(bitext, ExtractionOptions(max_phrase_pairs=15))
        assert skipped.skipped == {1: "more than 15 phrase pairs"}
        assert skipped.nonterminals == [("a", "x", 1, 1, 0, 1)]

    def test_a_single_link_between_long_sentences_does_no_harm(self) -> None:
        words = tuple(str(k) for k in range(200))
        options = ExtractionOptions(max_words=None)
        grammar = reference_grammar([(words, words, {(100, 100)})], options)
        assert grammar.skipped == {1: "more than 20000 phrase pairs"}

    def test_empty_sentences_are_not_skipped(self) -> None:
        bitext = [pair("", "", ""), pair("a", "", ""), pair("", "x", ""), pair("a", "x", "")]
        empty = ReferenceGrammar([], {}, [], [], [], {})
        assert reference_grammar(bitext, ExtractionOptions()) == empty


def test_words_that_look_like_gaps_are_escaped() -> None:
    bitext = [pair(r"[_] [\X1,1]", "[X12,2]! ||| ", "0-0 1-1")]
    grammar = reference_grammar(bitext, ExtractionOptions())
    rows = {row[:2] for row in grammar.nonterminals}
    assert rows == {
        (r"[\_]", r"[\X12,2]!"),
        (r"[\\X1,1]", "|||"),
        (r"[\_] [\\X1,1]", r"[\X12,2]! |||"),
    }
    assert {context[:2] for context in grammar.contexts} == {
        (r"[_] [\\X1,1]", "[_] |||"),
        (r"[\_] [_]", r"[\X12,2]! [_]"),
    }
