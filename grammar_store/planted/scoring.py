"""How well a partition of the non-terminals of a store agrees with the true labels.

Scores compare two partitions of the same phrase pairs: the classes that merging made, and the true
labels. All three scores count pairs of phrase pairs: *joined* are those in one class, *alike* those
with one label. Every phrase pair weighs the same, however often it occurs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import NamedTuple

from grammar_store.planted.truth import TrueLabel


class WrongMerge(NamedTuple):
    """Phrase pairs of two labels in one class."""

    in_class: Hashable
    first_label: str
    second_label: str
    #: how many pairs of phrase pairs are joined that are not alike
    pairs: int
    #: the most frequent phrase pair of either label in the class
    first_example: str
    second_example: str


@dataclass(frozen=True)
class Score:
    """How well classes agree with true labels.

    Attributes
    ----------
    adjusted_rand
        The adjusted Rand index: 1 if classes are labels, about 0 if they are chosen at random.
    precision
        Of the pairs that are joined, the share that is alike; 1 if none is joined.
    recall
        Of the pairs that are alike, the share that is joined; 1 if none is alike.
    phrase_pairs
        How many were compared: those with a label and a class.
    unseen
        How many have a label and no class.
    classes, labels
        How many of either the compared phrase pairs have.
    wrong_merges
        Where classes mix labels, the gravest first.
    """

    adjusted_rand: float
    precision: float
    recall: float
    phrase_pairs: int
    unseen: int
    classes: int
    labels: int
    wrong_merges: tuple[WrongMerge, ...]


def score(
    partition: Mapping[str, Hashable], truth: Mapping[str, TrueLabel], certain: float = 0.0
) -> Score:
    """Score a partition against true labels.

    Parameters
    ----------
    partition
        The class of each non-terminal, by its text ``source ||| target``. Those without a true
        label are no matter.
    truth
        The true label of each phrase pair, by the same text.
    certain
        Leave out phrase pairs that have their label in less than this share of their
        derivations: 1 leaves out whatever is ambiguous, 0 nothing.

    Examples
    --------
    >>> truth = {
    ...     "Haus ||| house": TrueLabel("N", 5, 5),
    ...     "Hut ||| hat": TrueLabel("N", 4, 4),
    ...     "rot ||| red": TrueLabel("A", 3, 3),
    ... }
    >>> found = score({"Haus ||| house": 1, "Hut ||| hat": 1, "rot ||| red": 1}, truth)
    >>> found.adjusted_rand, round(found.precision, 3), found.recall
    (0.0, 0.333, 1.0)
    >>> found.wrong_merges[0][1:]
    ('A', 'N', 2, 'rot ||| red', 'Haus ||| house')
    """
    wanted = {text: one for text, one in truth.items() if one.times >= certain * one.total}
    compared = [text for text in wanted if text in partition]
    cells: dict[tuple[Hashable, str], list[str]] = defaultdict(list)
    for text in compared:
        cells[partition[text], wanted[text].label].append(text)
    classes = Counter(partition[text] for text in compared)
    labels = Counter(wanted[text].label for text in compared)
    both = _pairs(map(len, cells.values()))
    joined, alike = _pairs(classes.values()), _pairs(labels.values())
    return Score(
        _adjusted_rand(both, joined, alike, comb(len(compared), 2)),
        both / joined if joined else 1.0,
        both / alike if alike else 1.0,
        len(compared),
        len(wanted) - len(compared),
        len(classes),
        len(labels),
        _wrong_merges(cells, wanted),
    )


def _pairs(sizes: Iterable[int]) -> int:
    return sum(comb(size, 2) for size in sizes)


def _adjusted_rand(both: int, joined: int, alike: int, pairs: int) -> float:
    """(index - expected) / (greatest - expected), expected of labels dealt out at random."""
    if both == joined == alike:
        return 1.0  # the same partition, of which the formula may make 0/0
    expected = Fraction(joined * alike, pairs)
    return float((both - expected) / (Fraction(joined + alike, 2) - expected))


def _wrong_merges(
    cells: Mapping[tuple[Hashable, str], list[str]], truth: Mapping[str, TrueLabel]
) -> tuple[WrongMerge, ...]:
    labels: dict[Hashable, list[str]] = defaultdict(list)
    for in_class, label in cells:
        labels[in_class].append(label)
    wrong: list[WrongMerge] = []
    for in_class, mixed in labels.items():
        for first, second in combinations(sorted(mixed), 2):
            members = cells[in_class, first], cells[in_class, second]
            examples = (min(texts, key=lambda one: (-truth[one].total, one)) for texts in members)
            pairs = len(members[0]) * len(members[1])
            wrong.append(WrongMerge(in_class, first, second, pairs, *examples))
    return tuple(sorted(wrong, key=lambda one: (-one.pairs, one[1:3], one[4:])))
