"""Random planted grammars, and a plain parser of what they derive."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hypothesis import strategies as st

from grammar_store.planted.grammar import Gap, PlantedGrammar, PlantedRule, Symbol
from grammar_store.planted.sampling import Derivation

LABELS = ("S", "A", "B", "C")


@st.composite
def planted_grammars(draw: st.DrawFn) -> PlantedGrammar:
    """Grammars of few words, so that texts are ambiguous, with reordering and unlinked words."""
    size = draw(st.integers(1, len(LABELS)))
    lines = []
    for level, label in enumerate(LABELS[:size]):
        below = LABELS[level + 1 : size]
        # Every label is used by the one before it, and every one has a rule of words alone.
        if below:
            lines.append(draw(rule_lines(label, (below[0],), 2)))
            for _ in range(draw(st.integers(0, 2))):
                more = below if level == 0 else (label, *below)  # some lead back to themselves
                gaps = draw(st.lists(st.sampled_from(more), min_size=1, max_size=3))
                lines.append(draw(rule_lines(label, tuple(gaps), 0.2)))
        for _ in range(draw(st.integers(1, 2))):
            lines.append(draw(rule_lines(label, (), 2)))
    without_weights = {re.sub(r"\|\|\| [0-9.]+ \|\|\|", "", line): line for line in reversed(lines)}
    return PlantedGrammar.parse("\n".join(reversed(without_weights.values())))


@st.composite
def rule_lines(draw: st.DrawFn, label: str, gaps: tuple[str, ...], weight: float) -> str:
    """A rule of a label with some gaps."""
    marks = [f"[{gap},{number}]" for number, gap in enumerate(gaps, start=1)]
    words = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=3))
    target_words = draw(st.lists(st.sampled_from("xy"), min_size=1, max_size=3))
    source = list(words)
    for place, mark in zip(
        sorted(draw(st.lists(st.integers(0, len(words)), min_size=len(gaps), max_size=len(gaps)))),
        range(len(gaps)),
        strict=True,
    ):
        source.insert(place + mark, marks[mark])
    target = draw(st.permutations(target_words + marks))
    pairs = [
        (i, j)
        for i, word in enumerate(source)
        for j, other in enumerate(target)
        if not word.startswith("[") and not other.startswith("[")
    ]
    links = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=4, unique=True))
    shown = " ".join(f"{i}-{j}" for i, j in sorted(links))
    return f"{label} -> {' '.join(source)} ||| {' '.join(target)} ||| {weight} ||| {shown}"


def parses(
    grammar: PlantedGrammar, label: str, source: tuple[str, ...], target: tuple[str, ...]
) -> Iterator[Derivation]:
    """All derivations of a pair of texts from a label, by trying every way to cut them."""
    for rule in grammar.rules_of[label]:
        for source_parts in cuts(rule.source, source):
            for target_parts in cuts(rule.target, target):
                for children in children_of(grammar, rule, source_parts, target_parts):
                    yield Derivation(rule, children)


def children_of(
    grammar: PlantedGrammar,
    rule: PlantedRule,
    source: dict[Gap, tuple[str, ...]],
    target: dict[Gap, tuple[str, ...]],
) -> Iterator[tuple[Derivation, ...]]:
    ways: list[tuple[Derivation, ...]] = [()]
    for gap in rule.gaps:
        found = list(parses(grammar, gap.label, source[gap], target[gap]))
        ways = [(*way, child) for way in ways for child in found]
    yield from ways


def cuts(side: tuple[Symbol, ...], words: tuple[str, ...]) -> Iterator[dict[Gap, tuple[str, ...]]]:
    """What the gaps of one side can stand for in a text."""
    if not side:
        if not words:
            yield {}
        return
    first, rest = side[0], side[1:]
    if isinstance(first, str):
        if words and words[0] == first:
            yield from cuts(rest, words[1:])
        return
    for end in range(1, len(words) - len(rest) + 1):
        for others in cuts(rest, words[end:]):
            yield {first: words[:end], **others}
