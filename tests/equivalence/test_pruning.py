"""A pruned grammar gives the verdicts of the full one, at its level and stricter ones."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies import Sentence, bitexts

from grammar_store.bitext import Corpus
from grammar_store.equivalence.classes import ClassArrays, Slots, class_arrays
from grammar_store.equivalence.decide import decide_all, risk_at
from grammar_store.equivalence.matrix import dissimilarity_bounds
from grammar_store.equivalence.search import Level, search
from grammar_store.errors import OptionError
from grammar_store.extraction.grammar import InitialGrammar
from grammar_store.extraction.options import ExtractionOptions
from grammar_store.extraction.pruning import needed_contexts
from grammar_store.extraction.tables import GrammarTables
from grammar_store.statistics import theta

ALPHAS = (1.0, 0.3, 0.05, 0.01, 0.001)


def repeated(sentences: list[Sentence], times: list[int]) -> Corpus:
    """The sentences with each as often as told: tests fail only where counts are large."""
    return Corpus.from_text(
        (" ".join(source), " ".join(target), " ".join(f"{i}-{j}" for i, j in sorted(links)))
        for (source, target, links), number in zip(sentences, times, strict=False)
        for _ in range(number)
    )


def arrays(grammar: InitialGrammar, keep: NDArray[np.bool_] | None) -> ClassArrays:
    contexts, weights = grammar.survey()
    chunks = list(GrammarTables(grammar, contexts, weights, keep).rules())
    rule = pa.concat_tables(chunk.rule for chunk in chunks).to_pandas()
    slot = pa.concat_tables(chunk.slot for chunk in chunks).to_pandas()
    rule_of_slot = rule.set_index("rule_id").loc[slot["rule_id"]]
    slots = Slots(
        None,
        slot["context_id"].to_numpy(np.int32),
        slot["nonterminal_id"].to_numpy(np.int32),
        rule_of_slot["lhs_id"].to_numpy(np.int32),
        rule_of_slot["count"].to_numpy(np.float64),
        np.concatenate([[0.0], grammar.phrases.nonterminals.counts]),
        None,
    )
    return class_arrays(slots)


def some_pairs(classes: ClassArrays) -> list[tuple[int, int]]:
    return list(combinations(range(1, min(len(classes.counts), 16)), 2))


def full_verdicts(classes: ClassArrays, level: Level) -> list[bool]:
    """By all comparisons, of which those that cannot fail are then left out."""
    return [bool(search(a, b, classes, level).equal.all()) for a, b in some_pairs(classes)]


def quick_verdicts(classes: ClassArrays, level: Level) -> list[bool]:
    risk = risk_at(classes, dissimilarity_bounds(classes), level)
    first, second = np.array(some_pairs(classes), np.int32).reshape(-1, 2).T
    return decide_all(classes, risk, first, second).tolist()


@pytest.mark.parametrize("examples", [120, pytest.param(500, marks=pytest.mark.long)])
def test_pruned_equals_full(examples: int) -> None:
    tally = dict.fromkeys(("asked", "failed", "contexts", "left out"), 0)

    @given(
        bitexts(max_sentences=5, max_words=4),
        st.lists(st.sampled_from([1, 2, 3, 8, 25, 120]), min_size=5, max_size=5),
        st.sampled_from(["type", "occurrence"]),
    )
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    def same_verdicts(sentences: list[Sentence], times: list[int], counting: str) -> None:
        options = ExtractionOptions.preset("full", counting=counting)
        grammar = InitialGrammar(repeated(sentences, times), options, threads=1)
        if not len(grammar):
            return
        full = arrays(grammar, None)
        survey = grammar.survey()
        for fisher, loosest in product((False, True), ALPHAS):
            keep = needed_contexts(grammar, *survey, loosest, fisher)
            pruned = arrays(grammar, keep)
            tally["contexts"] += len(keep)
            tally["left out"] += int((~keep).sum())
            for alpha in {loosest, ALPHAS[-1]}:
                for fisher_below in (0.0, 2.0, 20.0) if fisher else (0.0,):
                    level = Level(theta(alpha), float(np.log(alpha)), fisher_below)
                    expected = full_verdicts(full, level)
                    assert full_verdicts(pruned, level) == expected
                    assert quick_verdicts(full, level) == expected
                    assert quick_verdicts(pruned, level) == expected
                    tally["asked"] += len(expected)
                    tally["failed"] += expected.count(False)

    same_verdicts()
    # The inputs mattered: many verdicts failed, and much was left out.
    assert tally["failed"] > 0.05 * tally["asked"]
    assert tally["left out"] > 0.1 * tally["contexts"]


def test_several_gaps_are_refused() -> None:
    grammar = InitialGrammar(
        Corpus.from_text([("a b c", "x y z", "0-0 1-1 2-2")]), ExtractionOptions(max_gaps=2)
    )
    with pytest.raises(OptionError, match="one gap"):
        needed_contexts(grammar, *grammar.survey(), 0.01)
