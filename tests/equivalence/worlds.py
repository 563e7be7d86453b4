"""Small random grammars with a state and a question, for the ways to decide equivalence.

Comparisons of a few counts never fail, so counts are multiplied: some sentences are repeated, and
all counts of a grammar can be raised together, as if the whole bitext were repeated. Counts also
shrink upwards, so that what fails at all mostly fails at the top pair: in some grammars the
counts of the non-terminals are therefore changed one by one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import duckdb
import pyarrow as pa
from hypothesis import assume
from hypothesis import strategies as st
from strategies import Sentence, bitexts

from grammar_store.equivalence.reference import PlainClasses, PlainGrammar
from grammar_store.extraction.options import Counting, ExtractionOptions
from grammar_store.extraction.reference import (
    Context,
    Nonterminal,
    ReferenceGrammar,
    Rule,
    Text,
    reference_grammar,
)
from grammar_store.store.schema import create_schema

ALPHAS = (1.0, 0.5, 0.1, 0.05, 0.01, 0.001)
FISHER_BELOW = (20, 0, 2)


class World(NamedTuple):
    """A grammar, a state of it, and a question."""

    grammar: ReferenceGrammar
    leaders: dict[int, int]
    pair: tuple[int, int]
    alpha: float
    fisher_below: float


def recounted(grammar: ReferenceGrammar, factors: Mapping[int, int]) -> ReferenceGrammar:
    """The grammar with the count of each non-terminal, and of its rules, multiplied by a factor.

    With the same factor for all it is that of a bitext repeated so many times, save for what
    is said about sentences.
    """
    counts = [factors[x] * row.count for x, row in enumerate(grammar.nonterminals, start=1)]
    rules = [rule._replace(count=factors[rule.lhs_id] * rule.count) for rule in grammar.rules]
    energies: dict[Text, Fraction] = defaultdict(Fraction)
    masses: dict[Text, Fraction] = defaultdict(Fraction)
    for rule in rules:
        for filler, context in rule.slots:
            energies[context] += rule.count**2 / counts[filler - 1]
            masses[context] += rule.count
    return replace(
        grammar,
        nonterminals=[
            row._replace(count=count)
            for row, count in zip(grammar.nonterminals, counts, strict=True)
        ],
        glue={x: factors[x] * count for x, count in grammar.glue.items()},
        rules=rules,
        contexts=[
            one._replace(
                energy=energies[one.source, one.target], mass=masses[one.source, one.target]
            )
            for one in grammar.contexts
        ],
    )


@st.composite
def worlds(draw: st.DrawFn, max_gaps: Sequence[int] = (1, 2, 3)) -> World:
    """Grammars of one or more gaps, with and without merges; pairs that often share contexts."""
    counting: Counting = draw(st.sampled_from(("type", "occurrence")))
    options = ExtractionOptions(max_gaps=draw(st.sampled_from(max_gaps)), counting=counting)
    max_words = 5 if options.max_gaps == 1 else 4
    bitext = draw(bitexts(max_sentences=3, max_words=5)) + draw(monotone_bitexts(max_words))
    bitext = [one for one in bitext for _ in range(draw(st.sampled_from((1, 1, 5))))]
    grammar = reference_grammar(bitext, options)
    size = len(grammar.nonterminals)
    assume(size > 1)
    if draw(st.booleans()):
        factors = size * [draw(st.sampled_from((1, 5, 30, 200)))]
    else:
        factors = draw(st.lists(st.sampled_from((1, 3, 40)), min_size=size, max_size=size))
    grammar = recounted(grammar, dict(enumerate(factors, start=1)))
    leaders = draw(states(grammar))
    return World(
        grammar,
        leaders,
        draw(pairs(grammar, leaders)),
        draw(st.sampled_from(ALPHAS)),
        draw(st.sampled_from(FISHER_BELOW)),
    )


@st.composite
def monotone_bitexts(draw: st.DrawFn, max_words: int) -> list[Sentence]:
    """Sentences linked word by word: every part of them is a phrase pair, with many rules."""
    sentences: list[Sentence] = []
    alphabet = draw(st.sampled_from(("ab", "abc")))
    for _ in range(draw(st.sampled_from((2, 0, 3)))):
        words = draw(st.lists(st.sampled_from(alphabet), min_size=3, max_size=max_words))
        links = frozenset((k, k) for k in range(len(words)))
        sentences.append((tuple(words), tuple(word.upper() for word in words), links))
    return sentences


@st.composite
def states(draw: st.DrawFn, grammar: ReferenceGrammar) -> dict[int, int]:
    """The leaders after some merges, mostly of non-terminals that fill the same context."""
    leaders = {x: x for x in range(1, len(grammar.nonterminals) + 1)}
    sharing = sharing_pairs(grammar, leaders)
    for _ in range(draw(st.sampled_from((0, 1, 3, len(leaders) // 2)))):
        displaced, leader = (leaders[x] for x in draw(two_of(leaders, sharing)))
        leaders = {x: leader if now == displaced else now for x, now in leaders.items()}
    return leaders


@st.composite
def pairs(
    draw: st.DrawFn, grammar: ReferenceGrammar, leaders: Mapping[int, int]
) -> tuple[int, int]:
    """Two non-terminals, mostly of classes that share a context."""
    classes = draw(two_of(leaders, sharing_pairs(grammar, leaders)))
    # Any member stands for its class.
    a, b = ([x for x in leaders if leaders[x] == leaders[one]] for one in classes)
    return draw(st.sampled_from(a)), draw(st.sampled_from(b))


@st.composite
def two_of(
    draw: st.DrawFn, leaders: Mapping[int, int], preferred: list[tuple[int, int]]
) -> tuple[int, int]:
    """Two different ids in either order, mostly a preferred pair."""
    if preferred and draw(st.integers(0, 4)) > 0:
        a, b = draw(st.sampled_from(preferred))
    else:
        a, b = draw(st.lists(st.sampled_from(sorted(leaders)), min_size=2, max_size=2, unique=True))
    return (b, a) if draw(st.booleans()) else (a, b)


def sharing_pairs(grammar: ReferenceGrammar, leaders: Mapping[int, int]) -> list[tuple[int, int]]:
    """The pairs of classes that share a context."""
    c = PlainClasses(PlainGrammar.of_reference(grammar), leaders).c
    return [(a, b) for a, b in combinations(sorted(c), 2) if c[a].keys() & c[b].keys()]


def fill(connection: duckdb.DuckDBPyConnection, grammar: ReferenceGrammar) -> None:
    """Write the rules of a grammar into a store's tables, in place of what is there."""
    context_ids = {(one.source, one.target): at for at, one in enumerate(grammar.contexts, 1)}
    tables = {
        "nonterminal": [(x, *row) for x, row in enumerate(grammar.nonterminals, start=1)],
        "context": [
            (at, one.source, one.target, float(one.energy))
            for at, one in enumerate(grammar.contexts, start=1)
        ],
        "rule": [
            (at, rule.lhs_id, float(rule.count), rule.gaps)
            for at, rule in enumerate(grammar.rules, start=1)
        ],
        "slot": [
            (at, position, filler, context_ids[context])
            for at, rule in enumerate(grammar.rules, start=1)
            for position, (filler, context) in enumerate(rule.slots, start=1)
        ],
    }
    for name, rows in tables.items():
        connection.execute(f"DELETE FROM {name}")
        insert(connection, name, rows)


def insert(
    connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[tuple[object, ...]]
) -> None:
    if rows:
        names = connection.table(table).columns
        columns = map(list, zip(*rows, strict=True))
        connection.from_arrow(pa.table(dict(zip(names, columns, strict=True)))).insert_into(table)


def fill_leaders(connection: duckdb.DuckDBPyConnection, leaders: Mapping[int, int]) -> str:
    """Write a state into a temporary table and give its name."""
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE leader (nonterminal_id INTEGER, leader_id INTEGER)"
    )
    insert(connection, "leader", list(leaders.items()))
    return "leader"


def in_memory() -> duckdb.DuckDBPyConnection:
    """An empty store in memory, quick for small grammars."""
    connection = duckdb.connect(config={"threads": 1})
    create_schema(connection)
    return connection


def grammar_of(counts: Mapping[int, int], rules: Sequence[Rule]) -> ReferenceGrammar:
    """A grammar written down by hand: the count of X1, X2, ... and the rules that matter."""
    contexts = dict.fromkeys(context for rule in rules for _, context in rule.slots)
    return ReferenceGrammar(
        nonterminals=[
            Nonterminal(f"word{x}", f"WORD{x}", count, 1, 0, 1) for x, count in counts.items()
        ],
        glue={},
        occurrences=[],
        rules=list(rules),
        contexts=[Context(*context, Fraction(1), Fraction(1), 1) for context in contexts],
        skipped={},
    )


def rule_of(lhs_id: int, count: float, *slots: tuple[int, str]) -> Rule:
    """A rule with fillers and contexts, which read the same on both sides."""
    contexts = tuple((filler, (text, text)) for filler, text in slots)
    return Rule(lhs_id, "", "", Fraction(count), len(slots), contexts)
