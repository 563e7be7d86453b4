"""Equivalence of two classes, in the words of the definitions and in plain Python.

This is what the SQL and the compiled search are held to, and the baseline of their speed
(docs/definitions.md, D5 to D8 and D12). It follows section 4.2 of the paper: two classes are
equivalent if they have the same share of their counts in every context, and if the left-hand sides
of their rules in the contexts that both fill are equivalent, and so on upwards.

A *state* is a dictionary of leaders, from every non-terminal to the one that stands for its class.
Nothing is left out and nothing stops early: all comparisons are made, pair by pair, breadth first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import duckdb

from grammar_store.extraction.reference import ReferenceGrammar, Text
from grammar_store.resources import sql
from grammar_store.statistics import compare_proportions

GRAIN = 2.0**30
"""Dissimilarities are ranked in steps of 1/GRAIN: the last digits of a sum depend on its order."""

Pair = tuple[int, int]


class PlainRule(NamedTuple):
    """A rule: its left-hand side, its count and, for each slot, the filler and its context."""

    lhs_id: int
    count: Fraction | float  # type: ignore[assignment]
    slots: tuple[tuple[int, Text], ...]


@dataclass(frozen=True)
class PlainGrammar:
    """As much of a grammar as equivalence depends on: C of each non-terminal, and the rules."""

    counts: dict[int, int]
    rules: list[PlainRule]

    @classmethod
    def of_reference(cls, grammar: ReferenceGrammar) -> PlainGrammar:
        """From the tables of the plain extraction; counts are exact fractions."""
        return cls(
            {number: x.count for number, x in enumerate(grammar.nonterminals, start=1)},
            [PlainRule(rule.lhs_id, rule.count, rule.slots) for rule in grammar.rules],
        )

    @classmethod
    def of_store(cls, connection: duckdb.DuckDBPyConnection) -> PlainGrammar:
        """From the tables of a store."""
        slots: dict[int, list[tuple[int, Text]]] = defaultdict(list)
        rules: dict[int, tuple[int, float]] = {}
        for rule_id, lhs_id, count, filler, source, target in connection.execute(
            sql("equivalence/all_slots")
        ).fetchall():
            rules[rule_id] = (lhs_id, count)
            slots[rule_id].append((filler, (source, target)))
        counts = connection.execute(sql("queries/nonterminal_counts")).fetchall()
        return cls(
            {number: count for number, (count,) in enumerate(counts, start=1)},
            [PlainRule(*rule, tuple(slots[rule_id])) for rule_id, rule in rules.items()],
        )


class Comparison(NamedTuple):
    """The shares of two classes in one context, and whether they count as equal."""

    depth: int
    """Steps from the top pair: 0 for that pair itself."""
    first_id: int
    second_id: int
    context: Text
    c1: float
    big_c1: float
    c2: float
    big_c2: float
    d: float
    bound: float
    test: str
    p_value: float | None
    """Of Fisher's test; None where Hoeffding's decided."""
    equal: bool


class Step(NamedTuple):
    """From one pair of classes to another: left-hand sides of their rules with a shared context."""

    pair: Pair
    context: Text
    next_pair: Pair


class ReferenceVerdict(NamedTuple):
    """The outcome for two classes, with its reasons."""

    equivalent: bool
    dissimilarity: float
    deciding: Comparison | None
    """The failing comparison nearest to the top, or the one that came closest to failing."""
    path: list[Step]
    """How the pair of the deciding comparison was reached from the top pair."""
    comparisons: list[Comparison]
    """All of them, by depth, pair and text of the context."""


class PlainClasses:
    """A grammar as it looks in a state: its classes, their counts and their contexts.

    Examples
    --------
    >>> das_haus = PlainRule(3, Fraction(1, 3), ((1, ("das [_]", "the [_]")),))
    >>> das_buch = PlainRule(4, Fraction(1, 3), ((2, ("das [_]", "the [_]")),))
    >>> grammar = PlainGrammar({1: 1, 2: 1, 3: 1, 4: 1}, [das_haus, das_buch])
    >>> classes = PlainClasses(grammar, {1: 1, 2: 1, 3: 3, 4: 4})
    >>> classes.count[1], classes.c[1]["das [_]", "the [_]"]
    (2, Fraction(2, 3))
    """

    def __init__(self, grammar: PlainGrammar, leaders: Mapping[int, int]) -> None:
        self.leaders = leaders
        self.count: dict[int, int] = defaultdict(int)
        """C of each class: the sum over its members."""
        self.c: dict[int, dict[Text, Fraction | float]] = defaultdict(lambda: defaultdict(int))
        """c(A, t) of each class A and context t that it fills."""
        self.lhs: dict[int, dict[Text, set[int]]] = defaultdict(lambda: defaultdict(set))
        """The classes of the left-hand sides of the rules of A with context t."""
        for x, count in grammar.counts.items():
            self.count[leaders[x]] += count
        for rule in grammar.rules:
            for position, (filler, _) in enumerate(rule.slots, start=1):
                context = state_context(rule.slots, position, leaders)
                self.c[leaders[filler]][context] += rule.count
                self.lhs[leaders[filler]][context].add(leaders[rule.lhs_id])

    def comparisons(
        self, pair: Pair, depth: int, alpha: float, fisher_below: float
    ) -> list[Comparison]:
        """Compare a pair in every context that either fills; a missing one counts 0."""
        a, b = pair
        c_a, c_b = self.c.get(a, {}), self.c.get(b, {})
        big_c1, big_c2 = float(self.count[a]), float(self.count[b])
        contexts = sorted(c_a.keys() | c_b.keys())
        c1 = [float(c_a.get(context, 0)) for context in contexts]
        c2 = [float(c_b.get(context, 0)) for context in contexts]
        found = compare_proportions(c1, big_c1, c2, big_c2, alpha, fisher_below)
        return [
            Comparison(
                depth, a, b, context, c1[i], big_c1, c2[i], big_c2,
                d=float(found.d[i]),
                bound=float(found.bound[i]),
                test=str(found.test[i]),
                p_value=float(found.p_value[i]) if found.test[i] == "fisher" else None,
                equal=bool(found.equal[i]),
            )
            for i, context in enumerate(contexts)
        ]  # fmt: skip

    def next_pairs(self, pair: Pair) -> Iterable[Step]:
        """Where the recursion goes from a pair, by text of the shared context."""
        lhs_a, lhs_b = self.lhs.get(pair[0], {}), self.lhs.get(pair[1], {})
        for context in sorted(lhs_a.keys() & lhs_b.keys()):
            for k in lhs_a[context]:
                for el in lhs_b[context]:
                    if k != el:
                        yield Step(pair, context, (min(k, el), max(k, el)))

    def equivalence(self, a: int, b: int, alpha: float, fisher_below: float) -> ReferenceVerdict:
        """Compare the classes of a and b, and all pairs that this leads to."""
        top = self.leaders[a], self.leaders[b]
        visited = {frozenset(top)}
        reached_by: dict[Pair, Step] = {}
        comparisons: list[Comparison] = []
        # A class is equivalent to itself: there is nothing to compare.
        level = [top] if top[0] != top[1] else []
        depth = 0
        while level:
            next_level: list[Pair] = []
            # In order, so that the first way to a pair is the one that a path shows.
            for pair in sorted(level):
                comparisons += self.comparisons(pair, depth, alpha, fisher_below)
                for step in self.next_pairs(pair):
                    if frozenset(step.next_pair) not in visited:
                        visited.add(frozenset(step.next_pair))
                        reached_by[step.next_pair] = step
                        next_level.append(step.next_pair)
            level = next_level
            depth += 1
        deciding = deciding_comparison(comparisons)
        return ReferenceVerdict(
            equivalent=all(comparison.equal for comparison in comparisons),
            dissimilarity=max((comparison.d for comparison in comparisons), default=0.0),
            deciding=deciding,
            path=path_to(deciding, reached_by),
            comparisons=comparisons,
        )


def equivalence_reference(
    grammar: PlainGrammar,
    leaders: Mapping[int, int],
    a: int,
    b: int,
    alpha: float,
    fisher_below: float,
) -> ReferenceVerdict:
    """Are the classes of a and b equivalent at level α in the state that `leaders` describes?

    Parameters
    ----------
    grammar
        The initial grammar.
    leaders
        The leader of every non-terminal, itself where it is alone.
    a, b
        Non-terminals of the two classes.
    alpha
        The level, in (0, 1].
    fisher_below
        Fisher's test decides where the smaller count is below this; 0 for never.

    Examples
    --------
    Of one hundred houses and one hundred books, all houses but no books are new.

    >>> new_house = PlainRule(3, 100.0, ((1, ("neue [_]", "new [_]")),))
    >>> grammar = PlainGrammar({1: 100, 2: 100, 3: 100}, [new_house])
    >>> verdict = equivalence_reference(grammar, {1: 1, 2: 2, 3: 3}, 1, 2, 0.05, 20)
    >>> verdict.equivalent, verdict.dissimilarity, verdict.deciding.context
    (False, 50.0, ('neue [_]', 'new [_]'))
    """
    return PlainClasses(grammar, leaders).equivalence(a, b, alpha, fisher_below)


def state_context(
    slots: Sequence[tuple[int, Text]], position: int, leaders: Mapping[int, int]
) -> Text:
    """The context of a slot in a state: its other gaps show the leaders of their classes.

    Examples
    --------
    >>> slots = [(2, ("[_] neue [X1,2]", "[_] new [X1,2]")), (1, ("[X2,1] neue [_]", "..."))]
    >>> state_context(slots, 1, {1: 7, 2: 2})
    ('[_] neue [X7,2]', '[_] new [X7,2]')
    """
    source, target = slots[position - 1][1]
    for other, (filler, _) in enumerate(slots, start=1):
        if other != position:
            # A word of the bitext never reads like a gap, and there is one gap of each number.
            gap, shown = f"[X{filler},{other}]", f"[X{leaders[filler]},{other}]"
            source, target = source.replace(gap, shown), target.replace(gap, shown)
    return source, target


def deciding_comparison(comparisons: Sequence[Comparison]) -> Comparison | None:
    """The comparison that best explains a verdict.

    If some fail: of those nearest to the top the one with the greatest dissimilarity. If none
    does: the one with the greatest dissimilarity, and of equals the nearest to the top. What
    is then still equal is ranked by ids of the pair, then by text of the context.
    """
    failing = [comparison for comparison in comparisons if not comparison.equal]
    if failing:
        return min(failing, key=lambda one: (one.depth, -rank(one.d), *one[1:4]))
    return min(comparisons, key=lambda one: (-rank(one.d), *one[:4]), default=None)


def rank(d: float) -> int:
    """A dissimilarity as a whole number that does not depend on its last digits."""
    return round(d * GRAIN)


def path_to(deciding: Comparison | None, reached_by: Mapping[Pair, Step]) -> list[Step]:
    """The steps from the top pair down to the pair of the deciding comparison."""
    path: list[Step] = []
    if deciding is None:
        return path
    step = reached_by.get((deciding.first_id, deciding.second_id))
    while step is not None:
        path.insert(0, step)
        step = reached_by.get(step.pair)
    return path
