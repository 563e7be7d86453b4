"""Blue-Fringe for everything that the fast one does not take.

Rules with several gaps, folding, scores that are Python functions, and classes that were merged
before: the plain loop, with compiled tests of all pairs of red and blue in every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from grammar_store.equivalence.classes import ClassArrays, Slots, class_arrays
from grammar_store.equivalence.decide import decide_all, risk_at
from grammar_store.equivalence.matrix import dissimilarity_bounds
from grammar_store.equivalence.reference import PlainGrammar
from grammar_store.equivalence.search import Level, search
from grammar_store.merging.fringe.loop import Made, new_made
from grammar_store.merging.options import FringeOptions
from grammar_store.merging.reference import PlainFringe, PlainMerge, PlainStep

_GRAIN = 2.0**30


class GeneralFringe(PlainFringe):
    """The plain loop on the arrays of a grammar.

    Parameters
    ----------
    grammar, slots
        The grammar, with the texts of its contexts and as arrays.
    place, options, cannot
        See `PlainFringe`.
    level
        The level of the tests.
    """

    def __init__(
        self,
        grammar: PlainGrammar,
        slots: Slots,
        place: NDArray[np.int32],
        options: FringeOptions,
        level: Level,
        cannot: Sequence[tuple[int, int]] = (),
    ) -> None:
        super().__init__(grammar, dict(enumerate(place.tolist())), options, cannot)
        self._slots, self._level = slots, level
        self._tests, self.pairs, self.finished = 0, 0.0, False
        self._coming = self.run()

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many classes are red, blue and white."""
        blue = len(self.blues())
        return len(self.red), blue, len(set(self.leaders.values())) - len(self.red) - blue

    @property
    def tests(self) -> int:
        """How many pairs of red and blue were tested so far."""
        return self._tests

    def replay_all(self, displaced: NDArray[np.int32], leader: NDArray[np.int32]) -> bool:
        """Make steps without tests."""
        for step in zip(displaced.tolist(), leader.tolist(), strict=True):
            self.replay(*step)
        return True

    def _fitting(self, blues: list[int]) -> dict[int, list[int]]:
        pairs = [(r, b) for b, r in product(blues, sorted(self.red)) if self._may_merge(r, b)]
        classes = class_arrays(self._slots, self._leader_array())
        risk = risk_at(classes, dissimilarity_bounds(classes, reaching=False), self._level)
        first = np.array([r for r, _ in pairs], np.int32)
        second = np.array([b for _, b in pairs], np.int32)
        fitting: dict[int, list[int]] = {b: [] for b in blues}
        for place in np.flatnonzero(decide_all(classes, risk, first, second)).tolist():
            r, b = pairs[place]
            fitting[b].append(r)
        self._tests += len(pairs)
        self.pairs += len(blues) * len(self.red)
        return fitting

    def _leader_array(self) -> NDArray[np.int32]:
        leaders = np.zeros(self._slots.size, np.int32)
        leaders[list(self.leaders)] = list(self.leaders.values())
        return leaders

    def advance(self, steps: int, classes: int = 0) -> Made:
        """Make up to so many steps, while there are more than so many classes."""
        made, count = new_made(steps), 0
        while count < steps and len(set(self.leaders.values())) > classes:
            before = class_arrays(self._slots, self._leader_array())
            step = next(islice(self._coming, 1), None)
            if step is None:
                self.finished = True
                break
            self._note(made, count, step, before)
            count += 1
        return Made._make(column[:count] for column in made)

    def _note(self, made: Made, at: int, step: PlainStep, before: ClassArrays) -> None:
        """Write down a step with the comparison that decided it."""
        if isinstance(step, PlainMerge):
            made.displaced[at], made.leader[at], made.forced[at] = step
            pair = step.leader, step.displaced
            if step.forced:
                return
        else:
            made.leader[at] = step.nonterminal
            others = self.red - {step.nonterminal}
            if not others:
                return
            pair = min(others, key=self._rank), step.nonterminal
        found = search(*pair, before, self._level)
        if not len(found.d):
            return
        depth, grains = found.depth[found.pair], np.rint(found.d * _GRAIN)
        # A failing one nearest to the top, or else the one of greatest D.
        near = np.where(found.equal, 0, depth)
        best = np.lexsort((found.context, found.pair, -grains, near, found.equal))[0]
        first, second = found.first[found.pair[best]], found.second[found.pair[best]]
        made.context[at], made.depth[at] = found.context[best], depth[best]
        made.first[at], made.second[at] = first, second
        made.counts[at] = (
            found.c1[best],
            before.counts[first],
            found.c2[best],
            before.counts[second],
        )
