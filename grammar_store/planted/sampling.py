"""Drawing sentence pairs from a planted grammar, with the links that their derivations give."""

from __future__ import annotations

import random
from bisect import bisect
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from grammar_store.errors import OptionError
from grammar_store.planted.grammar import Gap, PlantedGrammar, PlantedRule, Symbol
from grammar_store.planted.truth import Constituent, Truth, truth_of, write_truth

FILES = ("source", "target", "alignment", "truth.tsv")
"""What `write_sample` writes, in the order of what `build` takes."""


class SentencePair(NamedTuple):
    """Two sentences and their links ``i-j``, as the lines of the files of a bitext."""

    source: str
    target: str
    alignment: str


class Derivation(NamedTuple):
    """A rule, and a derivation for each of its gaps in source order."""

    rule: PlantedRule
    children: tuple[Derivation, ...]

    def expansion(self) -> Expansion:
        """What it derives."""
        parts = [child.expansion() for child in self.children]
        source, source_at = _laid_out(self.rule.source, [part.source for part in parts])
        target, target_at = _laid_out(self.rule.target, [part.target for part in parts])
        links = [(source_at[i], target_at[j]) for i, j in self.rule.links]
        whole = Constituent(self.rule.label, 0, len(source), 0, len(target))
        constituents = [whole]
        for gap, part in zip(self.rule.gaps, parts, strict=True):
            s, t = source_at[self.rule.source.index(gap)], target_at[self.rule.target.index(gap)]
            links += [(s + i, t + j) for i, j in part.links]
            constituents += [one.moved(s, t) for one in part.constituents]
        return Expansion(source, target, sorted(links), constituents)


class Expansion(NamedTuple):
    """A sentence pair, or a part of one, and the phrase pairs that rules made in it."""

    source: list[str]
    target: list[str]
    links: list[tuple[int, int]]
    #: itself first, then those of its first gap, and so on
    constituents: list[Constituent]

    def sentence_pair(self) -> SentencePair:
        """The three lines of a bitext."""
        alignment = " ".join(f"{i}-{j}" for i, j in self.links)
        return SentencePair(" ".join(self.source), " ".join(self.target), alignment)


def _laid_out(side: tuple[Symbol, ...], parts: list[list[str]]) -> tuple[list[str], list[int]]:
    """The words of a side with its gaps filled, and where each symbol begins."""
    words: list[str] = []
    begins: list[int] = []
    for symbol in side:
        begins.append(len(words))
        words += parts[symbol.number - 1] if isinstance(symbol, Gap) else [symbol]
    return words, begins


def sample_derivations(grammar: PlantedGrammar, sentences: int, seed: int = 0) -> list[Derivation]:
    """Derivations drawn at random, each rule of a label in proportion to its weight.

    Parameters
    ----------
    grammar
        What to draw from.
    sentences
        How many; those of a smaller number are the first of a greater one.
    seed
        What the choices depend on, and nothing else.
    """
    if sentences < 0:
        raise OptionError(f"sentences must be at least 0, not {sentences}")
    # Python promises the same numbers from random() in all its versions.
    chance = random.Random(str(seed))  # of a number, only its size would count
    sums = {
        label: list(accumulate(rule.weight for rule in rules))
        for label, rules in grammar.rules_of.items()
    }

    def draw(label: str) -> Derivation:
        rules = grammar.rules_of[label]
        place = bisect(sums[label], chance.random() * sums[label][-1])
        rule = rules[min(place, len(rules) - 1)]  # the product may round up to the sum
        return Derivation(rule, tuple(draw(gap.label) for gap in rule.gaps))

    return [draw(grammar.start) for _ in range(sentences)]


def sample_bitext(grammar: PlantedGrammar, sentences: int, seed: int = 0) -> list[SentencePair]:
    r"""Sentence pairs drawn at random, with the links of their derivations.

    See `sample_derivations`, of which these are the lines.

    Examples
    --------
    >>> grammar = PlantedGrammar.parse("S -> [A,1] Haus ||| [A,1] house\nA -> neues ||| a new")
    Traceback (most recent call last):
    ...
    grammar_store.errors.InputError: 2: 1 source and 2 target words: say by links i-j, ...
    >>> grammar = PlantedGrammar.parse(
    ...     "S -> [A,1] Haus ||| [A,1] house\nA -> neues ||| a new ||| 1 ||| 0-1"
    ... )
    >>> sample_bitext(grammar, 1)
    [SentencePair(source='neues Haus', target='a new house', alignment='0-1 1-2')]
    """
    derivations = sample_derivations(grammar, sentences, seed)
    return [derivation.expansion().sentence_pair() for derivation in derivations]


def write_sample(grammar: PlantedGrammar, sentences: int, seed: int, folder: str | Path) -> Truth:
    """Write a bitext and its truth into a folder, as the four files named in `FILES`.

    Returns
    -------
    Truth
        What is in the last of them.
    """
    expansions = [one.expansion() for one in sample_derivations(grammar, sentences, seed)]
    truth = truth_of(grammar, expansions)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pairs = [expansion.sentence_pair() for expansion in expansions]
    for role in SentencePair._fields:
        lines = "".join(f"{getattr(pair, role)}\n" for pair in pairs)
        (folder / role).write_text(lines, encoding="utf-8", newline="")
    write_truth(truth, folder / FILES[-1])
    return truth
