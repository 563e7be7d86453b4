"""Small bitexts and options for hypothesis, made so that hard cases are common.

Random words and random links hardly ever meet: counts would all be 1 and every phrase pair
would have one inner alignment. So words come from a tiny alphabet, sentences are often
copied or put together from earlier ones, and a copy often gets other links.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import product
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from grammar_store.extraction.options import (
    MAX_GAPS,
    PRESETS,
    Counting,
    ExtractionOptions,
    Lexical,
)
from grammar_store.extraction.reference import reference_grammar

T = TypeVar("T")
Link = tuple[int, int]
Sentence = tuple[tuple[str, ...], tuple[str, ...], frozenset[Link]]

SOURCE_WORDS = ("a", "b", "c")
TARGET_WORDS = ("x", "y", "z")
# Tokens that careless text would confuse with gaps, holes or separators, and tokens whose
# order differs between words and text (a tab sorts before a space) or between encodings.
HOSTILE_WORDS = (
    *("[_]", "[X1,1]", r"[\X1,1]", r"[\\_]", "[X]", "[X2,1][_]", "|||"),
    *("a\t", "x\t", "é", "\uff5e", "\U0001d11e"),
)


@st.composite
def links_between(draw: st.DrawFn, n_source: int, n_target: int) -> frozenset[Link]:
    """Links of one of the kinds that real alignments have, from none at all to all."""
    cells = list(product(range(n_source), range(n_target)))
    kinds = "diagonal", "permuted", "blocks", "sparse", "any"
    kind = draw(st.sampled_from((*kinds, "none")))
    if not cells or kind == "none":
        return frozenset()
    if kind == "diagonal":
        return frozenset((k, k) for k in range(min(n_source, n_target)))
    if kind == "permuted":
        order = draw(st.permutations(range(n_target)))
        return frozenset(zip(range(n_source), order, strict=False))
    if kind == "blocks":  # every word of a run linked to every word of a run, in some order
        size = draw(st.integers(1, 3))
        offset = draw(st.sampled_from((0, 1)))
        return frozenset((i, j) for i, j in cells if i // size == (j + offset) // size)
    most = 3 if kind == "sparse" else len(cells)
    return frozenset(draw(st.lists(st.sampled_from(cells), min_size=1, max_size=most)))


def all_links(source: Sequence[str], target: Sequence[str]) -> frozenset[Link]:
    """Every word linked to every word: no phrase pair but the whole."""
    return frozenset(product(range(len(source)), range(len(target))))


@st.composite
def bitexts(
    draw: st.DrawFn,
    max_sentences: int = 6,
    max_words: int = 7,
    source_words: Sequence[str] = SOURCE_WORDS,
    target_words: Sequence[str] = TARGET_WORDS,
    hostile_words: Sequence[str] = HOSTILE_WORDS,
) -> list[Sentence]:
    """Sentence pairs with their links, of 0 to `max_words` words on either side."""

    def fresh(words: Sequence[str], length: int) -> tuple[str, ...]:
        # A prefix of the alphabet, so that words are often repeated.
        few = list(words[: draw(st.integers(1, len(words)))])
        if hostile_words and draw(st.integers(0, 5)) == 5:
            few += [draw(st.sampled_from(hostile_words))]
        return tuple(draw(st.lists(st.sampled_from(few), min_size=length, max_size=length)))

    lengths = st.sampled_from((*range(1, max_words + 1), 0))
    sentences: list[Sentence] = []
    if draw(st.integers(0, 5)) == 5:
        # A pair that is seldom seen apart: its count, spread over few rules, exceeds its parts'.
        source, target = tuple(source_words[:2]), tuple(target_words[:2])
        sentences = [(source, target, frozenset({(0, 0), (1, 1)}))]
        sentences += 4 * [(source, target, all_links(source, target))]
    number = max(draw(st.integers(1, max_sentences)), draw(st.integers(1, max_sentences)))
    while len(sentences) < number:
        kind = draw(st.sampled_from(("fresh", "fused", "relinked", "joined", "again", "fresh")))
        if kind == "fresh" or not sentences:
            n_source, n_target = draw(lengths), draw(lengths)
            if draw(st.booleans()):  # long sentences where every word can have its partner
                n_source = n_target = max(n_source, n_target)
            source, target = fresh(source_words, n_source), fresh(target_words, n_target)
            links = draw(links_between(len(source), len(target)))
        elif kind == "joined":  # an earlier one, with its links, beside another or a new one
            source, target, links = draw(st.sampled_from(sentences))
            more_source, more_target, more_links = draw(st.sampled_from(sentences))
            if draw(st.booleans()):
                more_links = draw(links_between(len(more_source), len(more_target)))
            links |= {(len(source) + i, len(target) + j) for i, j in more_links}
            source, target = (source + more_source)[:max_words], (target + more_target)[:max_words]
            links = frozenset((i, j) for i, j in links if i < len(source) and j < len(target))
        else:
            source, target, links = draw(st.sampled_from(sentences))
            if kind == "relinked":
                links = draw(links_between(len(source), len(target)))
            elif kind == "fused":
                links = all_links(source, target)
        sentences += draw(st.sampled_from((1, 4, 1, 2))) * [(source, target, links)]
    return sentences[:max_sentences]


@st.composite
def extraction_options(draw: st.DrawFn) -> ExtractionOptions:
    """All options in combination, with limits small enough to matter; presets among them."""
    kind = draw(st.integers(0, 7))
    if kind >= 6:
        return PRESETS[draw(st.sampled_from(("moses", "hiero", "full")))]
    lexical: Lexical = draw(st.sampled_from(("either", "source", "both", "aligned")))
    counting: Counting = draw(st.sampled_from(("type", "occurrence")))
    if kind >= 4:  # many gaps survive only where nothing else limits them
        max_gaps = draw(st.integers(2, MAX_GAPS))
        return ExtractionOptions(max_gaps=max_gaps, lexical=lexical, counting=counting)
    return ExtractionOptions(
        max_gaps=draw(st.sampled_from((2, 1, 3, 0, 4, 2))),
        max_length=draw(st.sampled_from((*6 * (None,), 1, 2, 3, 5))),
        max_source_symbols=draw(st.sampled_from((*4 * (None,), 1, 2, 3, 5))),
        min_gap_length=draw(st.sampled_from((1, 1, 1, 2, 3))),
        adjacent_gaps=draw(st.booleans()),
        tight=draw(st.booleans()),
        lexical=lexical,
        counting=counting,
        max_words=draw(st.sampled_from((-1, 6, 3, None, -1))),
        max_phrase_pairs=draw(st.sampled_from((20_000, 20_000, 30, 10, 1, 20_000))),
    )


def features_of_words(bitext: list[Sentence]) -> set[str]:
    """Which hard cases of words and links a bitext has."""
    found = set()
    for source, target, links in bitext:
        linked_source, linked_target = {i for i, _ in links}, {j for _, j in links}
        sides = (len(source), linked_source), (len(target), linked_target)
        if any(i < k and j > m for i, j in links for k, m in links):
            found.add("crossing links")
        if any(
            (i, j) in links and (i, m) in links and (k, j) in links
            for (i, j), k, m in product(links, linked_source, linked_target)
            if i != k and j != m
        ):
            found.add("many-to-many links")
        for length, linked in sides:
            if linked and not {0, length - 1} <= linked:
                found.add("unaligned edge word")
            if linked and any(k not in linked for k in range(min(linked), max(linked))):
                found.add("unaligned inner word")
        if any(len(set(side)) < len(side) for side in (source, target)):
            found.add("repeated word")
        if not source or not target:
            found.add("empty side")
        if source and target and not links:
            found.add("no links")
        if not {*source, *target}.isdisjoint(HOSTILE_WORDS):
            found.add("hostile word")
    texts = Counter((source, target) for source, target, _ in bitext)
    if len(set(bitext)) < len(bitext):
        found.add("repeated sentence pair")
    if len(texts) < len(set(bitext)):
        found.add("relinked sentence pair")
    return found


def features_of_grammar(
    bitext: list[Sentence], options: ExtractionOptions = PRESETS["full"]
) -> set[str]:
    """Which hard cases of phrase pairs, rules and contexts a bitext has."""
    grammar = reference_grammar(bitext, options)
    found = set()
    shapes: dict[int, set[frozenset[Link]]] = defaultdict(set)
    for x, sentence_id, s, e, t, _ in grammar.occurrences:
        links = bitext[sentence_id - 1][2]
        shapes[x].add(frozenset((i - s, j - t) for i, j in links if s <= i < e))
    if any(len(inside) > 1 for inside in shapes.values()):
        found.add("inner alignments that differ")
    for row in grammar.nonterminals:
        if row.count > 1 and row.rule_count > 1:
            found.add("repeated phrase pair with gaps")
        if row.rule_count == 0:
            found.add("no rule at all")
    if any(context.slots > 1 for context in grammar.contexts):
        found.add("shared context")
    counts = [row.count for row in grammar.nonterminals]
    if any(rule.count > counts[x - 1] for rule in grammar.rules for x, _ in rule.slots):
        found.add("proportion above 1")
    found |= {f"{rule.gaps} gaps" for rule in grammar.rules}
    found |= {f"skipped: more than {reason.split()[-1]}" for reason in grammar.skipped.values()}
    if not grammar.nonterminals:
        found.add("empty grammar")
    return found


def shares(
    strategy: st.SearchStrategy[T], features: Callable[[T], set[str]], examples: int = 300
) -> dict[str, float]:
    """In which share of the examples that a strategy makes each feature appears."""
    seen: Counter[str] = Counter()
    made: list[T] = []

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def look(example: T) -> None:
        made.append(example)
        seen.update(features(example))

    look()
    return {feature: number / len(made) for feature, number in seen.items()}
