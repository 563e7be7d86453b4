"""Random grammars and settings for Blue-Fringe, and its runs as lists of steps.

Few words and repeated sentences make classes that share contexts; counts multiplied, of all
non-terminals or of each by itself, make tests fail, so that there are promotions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import log
from random import Random
from typing import NamedTuple

import duckdb
import numpy as np
from equivalence.agreement import InMemory, engine
from equivalence.worlds import World, fill, recounted
from numpy.typing import NDArray
from strategies import Sentence

from grammar_store.equivalence.classes import Slots, class_arrays
from grammar_store.equivalence.reference import PlainGrammar
from grammar_store.equivalence.search import Level
from grammar_store.extraction.options import ExtractionOptions
from grammar_store.extraction.reference import ReferenceGrammar, reference_grammar
from grammar_store.merging.blue_fringe import Fringe, blue_fringe
from grammar_store.merging.fringe.engine import FastFringe
from grammar_store.merging.fringe.loop import Made
from grammar_store.merging.fringe.world import world_of
from grammar_store.merging.general import GeneralFringe
from grammar_store.merging.options import FringeOptions
from grammar_store.merging.reference import PlainFringe, PlainMerge
from grammar_store.statistics import theta

Steps = list[tuple[int, int, bool]]
"""Displaced, or 0 for a promotion; leader; forced."""

Pairs = list[tuple[int, int]]
ALL = 100_000
ALPHAS = (0.5, 0.1, 0.05, 0.01, 0.001)
NOTHING = np.zeros(0, np.int32)


class Case(NamedTuple):
    """A grammar, and how to run on it."""

    grammar: ReferenceGrammar
    options: FringeOptions
    cannot: Pairs


def random_bitext(chance: Random) -> list[Sentence]:
    """A few sentence pairs of words from a tiny alphabet, some of them made of earlier ones."""
    source_words = "abc"[: chance.randint(1, 3)]
    partner = dict(zip("abc", "xyz", strict=True))
    bitext: list[Sentence] = []
    for _ in range(chance.randint(1, 6)):
        if bitext and chance.random() < 0.4:
            source, target, links = chance.choice(bitext)
            if chance.random() < 0.5:
                more_source, more_target, more_links = chance.choice(bitext)
                links |= {(len(source) + i, len(target) + j) for i, j in more_links}
                source, target = source + more_source, target + more_target
        else:
            length = chance.randint(1, 5)
            source = tuple(chance.choices(source_words, k=length))
            order = list(range(length))  # which source word is the partner of each target word
            if chance.random() < 0.3:
                chance.shuffle(order)
            target = tuple(partner[source[at]] for at in order)
            linked = range(length) if chance.random() < 0.7 else range(max(1, length - 1))
            links = frozenset((order[at], at) for at in linked)
        if len(source) <= 6:
            bitext.append((source, target, links))
    return bitext


def random_grammar(chance: Random, max_gaps: int = 1) -> ReferenceGrammar:
    """The grammar of a random bitext, with counts multiplied."""
    counting = chance.choice(["type", "occurrence"])
    extraction = ExtractionOptions(max_gaps=max_gaps, counting=counting)  # type: ignore[arg-type]
    grammar = reference_grammar(random_bitext(chance), extraction)
    ids = range(1, len(grammar.nonterminals) + 1)
    kind = chance.choice(["as it is", "all", "each", "each"])
    factor = chance.choice([3, 10, 30, 100]) if kind == "all" else 1
    factors = {
        x: chance.choice([1, 1, 2, 5, 20, 100, 500]) if kind == "each" else factor for x in ids
    }
    return recounted(grammar, factors)


def random_case(seed: int, max_gaps: int = 1, fold: bool = False) -> Case:
    """A grammar with random settings; in every third, some pairs cannot merge."""
    chance = Random(seed)
    grammar = random_grammar(chance, max_gaps)
    options = FringeOptions(
        alpha=chance.choice(ALPHAS),
        fisher_below=chance.choice([20, 0, 5]),
        score=chance.choice(["evidence", "sum", "minimum"]),
        ties=chance.choice(["text", "random"]),  # type: ignore[arg-type]
        seed=chance.randrange(100),
        leaves=chance.choice(["red", "blue"]),  # type: ignore[arg-type]
        fold=fold,
    )
    ids = range(1, len(grammar.nonterminals) + 1)
    cannot: Pairs = []
    if seed % 3 == 0 and len(ids) > 1:
        cannot = [(x, y) for x, y in (chance.sample(ids, 2) for _ in range(3))]
    return Case(grammar, options, cannot)


def case_of_rare_ones(
    seed: int, factors: Sequence[int] = (5, 20, 100), share: float = 0.15
) -> Case:
    """A grammar of non-terminals most of which were seen once, and a share that are frequent.

    At levels as great as these some classes differ from everything that lacks what they have.
    """
    chance = Random(seed)
    words = "abcdefgh"[: chance.randint(3, 8)]
    bitext: list[Sentence] = []
    for _ in range(chance.randint(4, 9)):
        source = tuple(chance.choices(words, k=chance.randint(1, 4)))
        if chance.random() < 0.8:
            source += (".",)
        links = frozenset((at, at) for at in range(len(source)))
        bitext.append((source, tuple(word.upper() for word in source), links))
    grammar = reference_grammar(bitext, ExtractionOptions())
    multiplied = {
        x: chance.choice(factors) if chance.random() < share else 1
        for x in range(1, len(grammar.nonterminals) + 1)
    }
    options = FringeOptions(
        alpha=chance.choice([0.6, 0.5, 0.4, 0.3]),
        score=chance.choice(["evidence", "sum", "minimum"]),
        leaves=chance.choice(["red", "blue"]),  # type: ignore[arg-type]
    )
    return Case(recounted(grammar, multiplied), options, [])


def settings_of_all(fold: bool) -> list[FringeOptions]:
    """Five levels, with and without Fisher's test, leaves red and blue."""
    return [
        FringeOptions(alpha=alpha, fisher_below=below, leaves=leaves, fold=fold)  # type: ignore[arg-type]
        for alpha, below, leaves in product(ALPHAS, (20, 0), ("red", "blue"))
    ]


def plain_grammar(grammar: ReferenceGrammar) -> PlainGrammar:
    """As a store has it: counts of rules are floating-point numbers."""
    exact = PlainGrammar.of_reference(grammar)
    return PlainGrammar(
        exact.counts, [rule._replace(count=float(rule.count)) for rule in exact.rules]
    )


def places(case: Case) -> NDArray[np.int32]:
    """Where each non-terminal comes among equals: worked out from the texts."""
    texts = [(row.source, row.target) for row in case.grammar.nonterminals]
    by_text = {text: at for at, text in enumerate(sorted(texts), start=1)}
    return case.options.places(np.array([0, *(by_text[text] for text in texts)], np.int32))


def plain_steps(case: Case) -> Steps:
    """The run in the words of the paper."""
    place = dict(enumerate(places(case).tolist()))
    run = PlainFringe(plain_grammar(case.grammar), place, case.options, case.cannot).run()
    return [
        tuple(step) if isinstance(step, PlainMerge) else (0, step.nonterminal, False)
        for step in run
    ]


def slots_of(grammar: ReferenceGrammar) -> Slots:
    """The arrays of a grammar with one gap a rule, without a database."""
    numbers = {(one.source, one.target): at for at, one in enumerate(grammar.contexts, start=1)}
    rows = [
        (numbers[context], filler, rule.lhs_id, float(rule.count))
        for rule in grammar.rules
        for filler, context in rule.slots
    ]
    kinds = (np.int32, np.int32, np.int32, np.float64)
    columns = [np.array([row[at] for row in rows], kind) for at, kind in enumerate(kinds)]
    counts = np.array([0, *(row.count for row in grammar.nonterminals)], np.float64)
    return Slots(None, *columns, counts, None)


def fast_run(case: Case) -> FastFringe | GeneralFringe:
    """The run that a store with one gap a rule gets, set up without a database."""
    options, slots, place = case.options, slots_of(case.grammar), places(case)
    level = Level(theta(options.alpha), log(options.alpha), float(options.fisher_below))
    if options.fold:
        plain = plain_grammar(case.grammar)
        return GeneralFringe(plain, slots, place, options, level, case.cannot)
    heights = np.array([0, *(row.height for row in case.grammar.nonterminals)], np.int32)
    assert isinstance(options.score, str)
    world = world_of(slots, class_arrays(slots), heights, place, level)
    return FastFringe(world, options.score, options.leaves, case.cannot)


def stored_run(
    connection: duckdb.DuckDBPyConnection,
    case: Case,
    displaced: NDArray[np.int32] = NOTHING,
    leader: NDArray[np.int32] = NOTHING,
) -> Fringe:
    """The run that a store gets, after some steps; the store is filled with the grammar."""
    fill(connection, case.grammar)
    leaders = {x: x for x in range(1, len(case.grammar.nonterminals) + 1)}
    equivalence = engine(connection, World(case.grammar, leaders, (1, 1), 1.0, 0))
    database = InMemory(connection)
    return blue_fringe(database, equivalence, case.options, displaced, leader, case.cannot)  # type: ignore[arg-type]


def steps_of(made: Made) -> Steps:
    columns: Sequence[list[int]] = [made.displaced.tolist(), made.leader.tolist()]
    return list(zip(*columns, made.forced.tolist(), strict=True))


def same_evidence(one: Made, other: Made) -> bool:
    """Whether steps have the same deciding comparisons, bit for bit."""
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
