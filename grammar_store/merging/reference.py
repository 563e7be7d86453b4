"""Blue-Fringe in the words of the paper's section 4.3, in plain Python.

Red non-terminals stay; blue ones are decided next: all that their rules are made of is red or was
merged into a red one; the others are white. Every step tests every red with every blue in the
state as it is then. This is what the compiled run is held to, step for step.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from grammar_store.equivalence.reference import PlainClasses, PlainGrammar, state_context
from grammar_store.extraction.reference import Text
from grammar_store.merging.options import FringeOptions


class PlainMerge(NamedTuple):
    """A merge of two classes; `forced` by an earlier one where they became the same."""

    displaced: int
    leader: int
    forced: bool = False


class PlainPromotion(NamedTuple):
    """A blue non-terminal that fits no red one becomes red itself."""

    nonterminal: int


PlainStep = PlainMerge | PlainPromotion


class PlainFringe:
    """A grammar in red, blue and white.

    Parameters
    ----------
    grammar
        The initial grammar.
    place
        Which of two non-terminals of the same count comes first: see `FringeOptions.places`.
    options
        How to decide.
    cannot
        Pairs of non-terminals that must not get into one class.

    Examples
    --------
    >>> from grammar_store.extraction.options import ExtractionOptions
    >>> from grammar_store.extraction.reference import reference_grammar
    >>> bitext = [(("das", "Haus"), ("the", "house"), {(0, 0), (1, 1)})]
    >>> found = reference_grammar(bitext, ExtractionOptions())
    >>> place = {1: 1, 2: 3, 3: 2}  # by text: Haus, das, das Haus
    >>> list(PlainFringe(PlainGrammar.of_reference(found), place, FringeOptions()).run())
    [PlainMerge(displaced=3, leader=1, forced=False)]
    """

    def __init__(
        self,
        grammar: PlainGrammar,
        place: Mapping[int, int],
        options: FringeOptions,
        cannot: Collection[tuple[int, int]] = (),
    ) -> None:
        self._grammar = grammar
        self._place = place
        self._options = options
        self._cannot = cannot
        self._fillers: dict[int, set[int]] = defaultdict(set)
        for rule in grammar.rules:
            self._fillers[rule.lhs_id].update(filler for filler, _ in rule.slots)
        self._height: dict[int, int] = {}
        for x in grammar.counts:
            self._measure(x)
        self.leaders = {x: x for x in grammar.counts}
        self._count = dict(grammar.counts)
        leaves = [x for x in grammar.counts if not self._fillers[x]]
        if options.leaves == "blue" and leaves:
            leaves = [min(leaves, key=self._rank)]
        self.red = set(leaves)

    def _measure(self, x: int) -> int:
        if x not in self._height:
            self._height[x] = 1 + max(map(self._measure, self._fillers[x]), default=-1)
        return self._height[x]

    def run(self) -> Iterator[PlainStep]:
        """All steps, in order."""
        while blues := self.blues():
            fitting = self._fitting(blues)
            alone = [b for b in blues if not fitting[b]]
            if alone:
                yield self._promote(alone)
            else:
                yield from self._merge([(r, b) for b in blues for r in fitting[b]])

    def replay(self, displaced: int, leader: int) -> None:
        """Make a step without a test: a merge, or a promotion, which displaces 0."""
        if displaced:
            self._unite(displaced, leader)
        else:
            self.red.add(leader)

    def blues(self) -> list[int]:
        """The leaders of classes that are not red, all of whose fillers are decided.

        A class that a constraint or folding made can fill rules of its own: that is no obstacle.
        """
        undecided = {
            self.leaders[lhs]
            for lhs, fillers in self._fillers.items()
            if any(
                self.leaders[filler] not in self.red and self.leaders[filler] != self.leaders[lhs]
                for filler in fillers
            )
        }
        return sorted(set(self.leaders.values()) - self.red - undecided)

    def _fitting(self, blues: list[int]) -> dict[int, list[int]]:
        """The reds that each blue is equivalent to and may be merged into."""
        classes = PlainClasses(self._grammar, self.leaders)
        level = self._options.alpha, self._options.fisher_below
        return {
            b: [
                r
                for r in sorted(self.red)
                if self._may_merge(r, b) and classes.equivalence(r, b, *level).equivalent
            ]
            for b in blues
        }

    def _may_merge(self, a: int, b: int) -> bool:
        return all({self.leaders[x], self.leaders[y]} != {a, b} for x, y in self._cannot)

    def _promote(self, alone: list[int]) -> PlainPromotion:
        """Promote one of the least height."""
        chosen = min(alone, key=lambda b: (self._height[b], *self._rank(b)))
        self.red.add(chosen)
        return PlainPromotion(chosen)

    def _merge(self, pairs: list[tuple[int, int]]) -> Iterator[PlainMerge]:
        """Make the merge of greatest score, and those that it forces."""
        scores = {(r, b): self._options.worth(self._count[r], self._count[b]) for r, b in pairs}
        greatest = max(scores.values())
        red, blue = min(
            (pair for pair, score in scores.items() if score == greatest),
            key=lambda pair: (*self._rank(pair[1]), *self._rank(pair[0])),
        )
        self._unite(blue, red)
        yield PlainMerge(blue, red)
        while self._options.fold and (same := self._identical()):
            self._unite(*same)
            yield PlainMerge(*same, forced=True)

    def _rank(self, x: int) -> tuple[int, int]:
        return -self._count[x], self._place[x]

    def _unite(self, displaced: int, leader: int) -> None:
        for x, stands_for_x in self.leaders.items():
            if stands_for_x == displaced:
                self.leaders[x] = leader
        self._count[leader] += self._count.pop(displaced)
        self.red.discard(displaced)

    def _identical(self) -> tuple[int, int] | None:
        """Two classes with a rule of the same right-hand side, the one to be displaced first.

        A red one leads, then the one of greater count, then the first in place. Of several such
        pairs the first by text of the right-hand side.
        """
        lhs: dict[tuple[Text, int], set[int]] = defaultdict(set)
        for rule in self._grammar.rules:
            if rule.slots:
                context = state_context(rule.slots, 1, self.leaders)
                filler = self.leaders[rule.slots[0][0]]
                lhs[context, filler].add(self.leaders[rule.lhs_id])
        for _, classes in sorted(lhs.items(), key=lambda one: (one[0][0], self._place[one[0][1]])):
            ranked = sorted(classes, key=lambda x: (x not in self.red, *self._rank(x)))
            for leader, displaced in combinations(ranked, 2):
                if self._may_merge(leader, displaced):
                    return displaced, leader
        return None
