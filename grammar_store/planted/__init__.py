"""Bitexts made from grammars that are known, to measure what merging learns.

A *planted* grammar is a synchronous grammar that somebody wrote down. Sentence pairs drawn from it
have word links that are exact, and every phrase pair that its rules made has a true label: the
planted non-terminal. A partition of the non-terminals of a store can be scored against them.
See docs/planted.md.
"""

from grammar_store.planted.grammar import PlantedGrammar, planted_names, read_planted
from grammar_store.planted.sampling import (
    SentencePair,
    sample_bitext,
    sample_derivations,
    write_sample,
)
from grammar_store.planted.scoring import Score, score
from grammar_store.planted.truth import TrueLabel, Truth, read_truth, truth_of

__all__ = [
    "PlantedGrammar",
    "Score",
    "SentencePair",
    "TrueLabel",
    "Truth",
    "planted_names",
    "read_planted",
    "read_truth",
    "sample_bitext",
    "sample_derivations",
    "score",
    "truth_of",
    "write_sample",
]
