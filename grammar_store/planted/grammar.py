"""Planted grammars: their rules, and the text that they are written in (docs/planted.md)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from grammar_store.bitext.lines import Lines
from grammar_store.bitext.text import decode, shown, split_tokens
from grammar_store.errors import InputError

MAX_GROWTH = 0.9
"""The most that derivations may grow: on average, so many symbols of a level for each above it.

Below 1 they end; this far below, they end long before a derivation is a thousand rules deep.
"""

_NAME = re.compile(r"[^\s\[\],|]+")
_GAP = re.compile(rf"\[({_NAME.pattern}),([1-9][0-9]*)\]")
_BETWEEN_FIELDS = re.compile(r"(?<![^ ])\|\|\|(?![^ ])")
_LINK = re.compile(r"([0-9]{1,5})-([0-9]{1,5})")
_FOLDER = Path(__file__).parent


class Gap(NamedTuple):
    """A planted non-terminal on a right-hand side, with its co-index."""

    label: str
    number: int


Symbol = str | Gap


class PlantedRule(NamedTuple):
    """A rule; `links` joins positions of words, counted from 0 over words and gaps."""

    label: str
    source: tuple[Symbol, ...]
    target: tuple[Symbol, ...]
    weight: float
    links: tuple[tuple[int, int], ...]

    @property
    def gaps(self) -> list[Gap]:
        """The gaps in source order, which is that of their numbers."""
        return [symbol for symbol in self.source if isinstance(symbol, Gap)]


@dataclass(frozen=True)
class PlantedGrammar:
    """A synchronous grammar with weights, whose every derivation ends.

    Attributes
    ----------
    start
        The label that sentence pairs are derived from. It stands for I, so no rule has it in a
        gap and no phrase pair has it as its true label.
    rules
        All rules, in the order of the text.

    Examples
    --------
    >>> grammar = PlantedGrammar.parse(
    ...     '''
    ...     S -> das [N,1] ||| the [N,1]
    ...     N -> Haus ||| house ||| 3
    ...     N -> Garten ||| garden
    ... '''
    ... )
    >>> grammar.start, [rule.weight for rule in grammar.rules_of["N"]]
    ('S', [3.0, 1.0])
    """

    start: str
    rules: tuple[PlantedRule, ...]

    @cached_property
    def rules_of(self) -> dict[str, list[PlantedRule]]:
        """The rules of each label."""
        rules: dict[str, list[PlantedRule]] = defaultdict(list)
        for rule in self.rules:
            rules[rule.label].append(rule)
        return dict(rules)

    @property
    def labels(self) -> list[str]:
        """The labels that phrase pairs can have: all but the start."""
        return [label for label in self.rules_of if label != self.start]

    @classmethod
    def parse(cls, text: str) -> PlantedGrammar:
        """Read a grammar from text, as `read_planted` does from a file."""
        return _parsed(enumerate(text.split("\n"), start=1))


def planted_names() -> list[str]:
    """The names of the grammars in the package.

    Examples
    --------
    >>> planted_names()
    ['agreement', 'order', 'verbs']
    """
    return sorted(path.stem for path in _FOLDER.glob("*.txt"))


def read_planted(name_or_file: str | Path) -> PlantedGrammar:
    """Read a grammar of the package by its name, or any from a file.

    Raises
    ------
    InputError
        There is no such file, or it is no grammar; the message names the file and the line.

    Examples
    --------
    >>> read_planted("agreement").start
    'S'
    """
    name = str(name_or_file)
    path = _FOLDER / f"{name}.txt" if name in planted_names() else Path(name_or_file)
    if not path.exists():
        known = ", ".join(planted_names())
        raise InputError(f"no such file, and no grammar of the package, which has {known}", path)
    with Lines(path) as lines:
        numbered: list[tuple[int, str]] = []
        for line in lines:
            try:
                numbered.append((lines.number, decode(line)))
            except InputError as problem:
                raise lines.error(problem.message) from problem
    try:
        return _parsed(numbered)
    except InputError as problem:
        raise InputError(problem.message, path, problem.line) from problem


def _parsed(numbered: Iterable[tuple[int, str]]) -> PlantedGrammar:
    """The grammar in some lines; errors know the line."""
    rules: dict[PlantedRule, int] = {}
    lines: dict[PlantedRule, int] = {}  # of rules whatever their weight
    for number, line in numbered:
        text = line.replace("\t", " ").strip(" \r")
        if not text or text.startswith("#"):
            continue
        try:
            rule = _rule(text)
        except InputError as problem:
            raise InputError(problem.message, line=number) from problem
        first = lines.setdefault(rule._replace(weight=1.0), number)
        if first != number:
            raise InputError(f"the same rule is in line {first}: give it once", line=number)
        rules[rule] = number
    if not rules:
        raise InputError("the grammar has no rule: write S -> source ||| target")
    grammar = PlantedGrammar(next(iter(rules)).label, tuple(rules))
    _check_labels(grammar, rules)
    _check_growth(grammar)
    return grammar


def _rule(text: str) -> PlantedRule:
    label, arrow, rest = text.partition(" -> ")
    label = label.strip(" ")
    fields = [field.strip(" ") for field in _BETWEEN_FIELDS.split(rest)]
    if not arrow or not 2 <= len(fields) <= 4:
        raise InputError(
            f"{shown(text)} is not of the form NAME -> source ||| target ||| weight ||| links"
        )
    if not _NAME.fullmatch(label):
        raise InputError(f"{shown(label)} is no name: it has a space, a bracket, a comma or a |")
    source, target = (tuple(map(_symbol, split_tokens(side))) for side in fields[:2])
    if not source or not target:
        raise InputError("a side is empty: a phrase pair has words on both")
    _check_gaps(source, target)
    links = _links(fields[3] if len(fields) > 3 else "", source, target)
    return PlantedRule(label, source, target, _weight(fields[2:3]), links)


def _symbol(token: str) -> Symbol:
    gap = _GAP.fullmatch(token)
    if gap:
        return Gap(gap[1], int(gap[2]))
    if token.startswith("[") and token.endswith("]"):
        raise InputError(f"{shown(token)} is no gap: write [NAME,1], [NAME,2] and so on")
    if "|||" in token:
        raise InputError(f"{shown(token)} is no word: put spaces around |||")
    return token


def _check_gaps(source: tuple[Symbol, ...], target: tuple[Symbol, ...]) -> None:
    gaps = [symbol for symbol in source if isinstance(symbol, Gap)]
    if [gap.number for gap in gaps] != list(range(1, len(gaps) + 1)):
        raise InputError("the gaps of the source side must be numbered 1, 2, ... in their order")
    if sorted(gap for gap in target if isinstance(gap, Gap)) != sorted(gaps):
        raise InputError("the two sides must have the same gaps, each once, with the same numbers")
    if len(source) == len(target) == len(gaps) == 1:
        raise InputError(
            f"the rule only renames {gaps[0].label}, so that its phrase pairs would have two "
            "labels: write its rules here instead"
        )


def _weight(field: list[str]) -> float:
    try:
        weight = float(field[0]) if field and field[0] else 1.0
    except ValueError:
        weight = 0.0
    if not 0 < weight < float("inf"):
        raise InputError(f"weight {shown(field[0])} is not a positive number")
    return weight


def _links(
    field: str, source: tuple[Symbol, ...], target: tuple[Symbol, ...]
) -> tuple[tuple[int, int], ...]:
    """The links of a rule; by default word by word, in order."""
    words, target_words = (
        [at for at, symbol in enumerate(side) if isinstance(symbol, str)]
        for side in (source, target)
    )
    if not field:
        if len(words) != len(target_words):
            raise InputError(
                f"{len(words)} source and {len(target_words)} target words: say by links i-j, "
                "after the weight, which belong together"
            )
        return tuple(zip(words, target_words, strict=True))
    links: set[tuple[int, int]] = set()
    for token in split_tokens(field):
        link = _LINK.fullmatch(token)
        if not link:
            raise InputError(f"link {shown(token)} is not of the form i-j")
        i, j = int(link[1]), int(link[2])
        if i not in words or j not in target_words:
            raise InputError(
                f"link {token} joins no words: positions count from 0, and gaps count too"
            )
        links.add((i, j))
    return tuple(sorted(links))


def _check_labels(grammar: PlantedGrammar, rules: dict[PlantedRule, int]) -> None:
    reached = {grammar.start}
    waiting = [grammar.start]
    while waiting:
        for rule in grammar.rules_of[waiting.pop()]:
            for label, _ in rule.gaps:
                if label == grammar.start:
                    raise InputError(
                        f"{label}, the start, stands in a gap: begin with a rule for another name",
                        line=rules[rule],
                    )
                if label not in grammar.rules_of:
                    raise InputError(f"{label} has no rule: give it one", line=rules[rule])
                if label not in reached:
                    reached.add(label)
                    waiting.append(label)
    for rule, line in rules.items():
        if rule.label not in reached:
            raise InputError(
                f"{rule.label} is never used: no rule reached from {grammar.start} has it in a gap",
                line=line,
            )


def _check_growth(grammar: PlantedGrammar) -> None:
    """Refuse grammars whose derivations may not end."""
    place = {label: at for at, label in enumerate(grammar.rules_of)}
    children = np.zeros((len(place), len(place)))  # on average, of each label under each
    for label, rules in grammar.rules_of.items():
        total = sum(rule.weight for rule in rules)
        for rule in rules:
            for gap in rule.gaps:
                children[place[label], place[gap.label]] += rule.weight / total
    growth = float(np.abs(np.linalg.eigvals(children)).max())
    if growth > MAX_GROWTH:
        raise InputError(
            f"derivations grow by a factor of {growth:.3g} a level and may not end: give rules "
            f"that lead back to themselves less weight, for a factor of at most {MAX_GROWTH}"
        )
