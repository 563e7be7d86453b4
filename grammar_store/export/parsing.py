"""From the line of a rule table to the rule."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NamedTuple

from grammar_store.bitext.text import shown
from grammar_store.errors import InputError
from grammar_store.export.entities import from_moses, from_scfg, unchanged
from grammar_store.export.rules import SCORES, escape_word, is_probability

_LABEL = re.compile(r"[^\[\], \\]+")
_POINT = re.compile(r"([0-9]{1,6})-([0-9]{1,6})")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,5})?")
_MOSES_GAP = re.compile(r"\[([^\[\]]+)\]\[([^\[\]]+)\]")
_MOSES_LHS = re.compile(r"\[([^\[\]]+)\]")
_SCFG_GAP = re.compile(r"\[(?:([^\[\],]+),)?([^\[\],]+)\]")

Point = tuple[int, int]


class Rule(NamedTuple):
    """A rule as a file has it, in the terms of `RULE_SCHEMA`; features by name."""

    lhs: str
    source: str
    target: str
    alignment: str
    counts: tuple[float | None, float | None, float | None]
    features: dict[str, float]
    sparse: frozenset[str] | set[str]


Parser = Callable[[str], Rule]
"""Makes a rule of a line, or raises InputError without a place."""


def parser_of(form: str, names: tuple[str, ...] | None, entities: bool) -> Parser:
    """What reads lines of a format.

    Parameters
    ----------
    form
        ``moses``, ``joshua`` or ``cdec``.
    names
        The names of the scores of a Moses table, if they are known.
    entities
        Whether entities stand for special characters.
    """
    if form == "moses":
        decode = from_moses if entities else unchanged
        return lambda line: _parse_moses(line, names, decode)
    decode = from_scfg if entities else unchanged
    inverse = _power_of_ten if form == "cdec" else _exponential
    return lambda line: _parse_scfg(line, decode, inverse)


def _fields(line: str) -> list[list[str]]:
    fields: list[list[str]] = [[]]
    for token in line.replace("\t", " ").split(" "):
        if token == "|||":
            fields.append([])
        elif token:
            fields[-1].append(token)
    return fields


def _parse_moses(line: str, names: tuple[str, ...] | None, decode: Callable[[str], str]) -> Rule:
    fields = _fields(line)
    if len(fields) < 3:
        raise InputError(f"{shown(line)} has not the fields source ||| target ||| scores")
    sides, labels, gaps = [], [], []
    for tokens in fields[:2]:
        left = _MOSES_LHS.fullmatch(tokens[-1]) if len(tokens) > 1 else None
        if left is None:
            raise InputError(f"{shown(line)} has not words and then a label such as [X] on a side")
        labels.append(_label(decode(left[1])))
        found = {}
        for place, token in enumerate(tokens[:-1]):
            if token[0] == "[" and (gap := _MOSES_GAP.fullmatch(token)):
                found[place] = _label(decode(gap[2]))
        sides.append(tokens[:-1])
        gaps.append(found)
    points = _points(fields[3] if len(fields) > 3 else [], sides)
    number = _pair_gaps(gaps[0], gaps[1], points)
    source = _side(sides[0], {i: (gaps[0][i], k) for k, (i, _) in enumerate(number, 1)}, decode)
    target = _side(sides[1], {j: (gaps[1][j], k) for k, (_, j) in enumerate(number, 1)}, decode)
    features = {}
    for place, text in enumerate(fields[2]):
        name = _score_name(place, names)
        value = _number(text)
        features[name] = value if is_probability(name) else _logarithm(value)
    counts = [_number(text) for text in (fields[4] if len(fields) > 4 else [])[:3]]
    of_target, of_source, both = (*counts, None, None, None)[:3]
    sparse = _moses_sparse(fields[5] if len(fields) > 5 else [])
    return Rule(
        labels[1], source, target, _joined(points), (both, of_source, of_target),
        features | sparse, set(sparse),
    )  # fmt: skip


def _score_name(place: int, names: tuple[str, ...] | None) -> str:
    if names is not None:
        if place >= len(names):
            raise InputError(f"more than {len(names)} scores")
        return names[place]
    return SCORES[place] if place < len(SCORES) else f"p({place + 1})"


def _moses_sparse(tokens: list[str]) -> dict[str, float]:
    if len(tokens) % 2:
        raise InputError("a sparse feature has a name and a value")
    pairs = zip(tokens[::2], map(_number, tokens[1::2]), strict=True)
    return {name: _exponential(-value) if is_probability(name) else value for name, value in pairs}


def _pair_gaps(
    source: dict[int, str], target: dict[int, str], points: list[Point]
) -> list[tuple[int, int]]:
    """The places of each gap on both sides, in source order."""
    pairs = [(i, j) for i, j in points if i in source and j in target]
    if not len(pairs) == len(source) == len(target) or len(dict(pairs)) < len(pairs):
        raise InputError(
            "the alignment does not say which gap of the source is which of the target"
        )
    for i, j in pairs:
        if source[i] != target[j]:
            raise InputError(
                f"a gap is {source[i]} on the source side and {target[j]} on the other"
            )
    return sorted(pairs)


def _parse_scfg(line: str, decode: Callable[[str], str], inverse: Callable[[float], float]) -> Rule:
    fields = _fields(line)
    if len(fields) < 4:
        raise InputError(
            f"{shown(line)} has not the fields [LHS] ||| source ||| target ||| features"
        )
    left = _MOSES_LHS.fullmatch(fields[0][0]) if len(fields[0]) == 1 else None
    if left is None:
        raise InputError(f"{shown(line)} begins with no left-hand side such as [X]")
    if not fields[1] or not fields[2]:
        raise InputError(f"{shown(line)} has an empty side")
    gaps, number_of = _source_gaps(fields[1], decode)
    places = _target_gaps(fields[2], gaps, number_of, decode)
    order = sorted(gaps)
    source = _side(fields[1], {i: (gaps[i], k) for k, i in enumerate(order, 1)}, decode)
    rank = {i: k for k, i in enumerate(order, 1)}
    target = _side(fields[2], {j: (gaps[i], rank[i]) for j, i in places.items()}, decode)
    points = set(_points(fields[4] if len(fields) > 4 else [], fields[1:3]))
    points.update((i, j) for j, i in places.items())
    features: dict[str, float] = {}
    dense = 0
    for text in fields[3]:
        name, equals, value = text.rpartition("=")
        if not equals:
            name, dense = f"dense{dense}", dense + 1
        if not name or name in features:
            raise InputError(f"feature {shown(text)} is there twice or has no name")
        number = _number(value)
        features[name] = inverse(number) if is_probability(name) else number
    lhs = _label(decode(left[1]))
    nothing = (None, None, None)
    return Rule(lhs, source, target, _joined(sorted(points)), nothing, features, frozenset())


def _source_gaps(
    tokens: list[str], decode: Callable[[str], str]
) -> tuple[dict[int, str], dict[str, int]]:
    """The labels of the gaps by place, and the places by number; without numbers, in order."""
    labels: dict[int, str] = {}
    number_of: dict[str, int] = {}
    for place, token in enumerate(tokens):
        gap = _SCFG_GAP.fullmatch(token) if token[0] == "[" else None
        if gap is None:
            continue
        label, number = (gap[1], gap[2]) if gap[1] else (gap[2], str(len(labels) + 1))
        labels[place] = _label(decode(label))
        if (
            not number.isascii()
            or not number.isdigit()
            or number_of.setdefault(number, place) != place
        ):
            raise InputError(f"gap {shown(token)} has a number that is none, or is there twice")
    return labels, number_of


def _target_gaps(
    tokens: list[str],
    labels: dict[int, str],
    number_of: dict[str, int],
    decode: Callable[[str], str],
) -> dict[int, int]:
    """For each place of a gap in the target, that of its partner in the source."""
    partner: dict[int, int] = {}
    for place, token in enumerate(tokens):
        gap = _SCFG_GAP.fullmatch(token) if token[0] == "[" else None
        if gap is None:
            continue
        source = number_of.get(gap[2])
        if source is None or (gap[1] and _label(decode(gap[1])) != labels[source]):
            raise InputError(f"gap {shown(token)} is not on the source side")
        partner[place] = source
    if sorted(partner.values()) != sorted(labels):
        raise InputError("the gaps of the two sides are not the same")
    return partner


def _side(tokens: list[str], gaps: dict[int, tuple[str, int]], decode: Callable[[str], str]) -> str:
    symbols = []
    for place, token in enumerate(tokens):
        gap = gaps.get(place)
        if gap is not None:
            symbols.append(f"[{gap[0]},{gap[1]}]")
        else:
            word = decode(token) if "&" in token else token
            symbols.append(escape_word(word) if "[" in word else word)
    return " ".join(symbols)


def _points(tokens: list[str], sides: list[list[str]]) -> list[Point]:
    points = []
    for token in tokens:
        found = _POINT.fullmatch(token)
        if found is None:
            raise InputError(f"link {shown(token)} is not of the form i-j")
        i, j = int(found[1]), int(found[2])
        if i >= len(sides[0]) or j >= len(sides[1]):
            raise InputError(f"link {shown(token)} leads outside the rule")
        points.append((i, j))
    return sorted(set(points))


def _joined(points: list[Point]) -> str:
    return " ".join([f"{i}-{j}" for i, j in points])


def _label(text: str) -> str:
    if not _LABEL.fullmatch(text):
        raise InputError(f"label {shown(text)} has a space, bracket, comma or backslash")
    return text


def _number(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise InputError(f"{shown(text)} is not a number")
    value = float(text)
    if not math.isfinite(value):
        raise InputError(f"{shown(text)} is too large a number")
    return value


def _exponential(value: float) -> float:
    try:
        return math.exp(-value)
    except OverflowError:
        raise InputError(f"{value} is no negative logarithm of a probability") from None


def _power_of_ten(value: float) -> float:
    try:
        return float(10.0**-value)
    except OverflowError:
        raise InputError(f"{value} is no negative logarithm of a probability") from None


def _logarithm(value: float) -> float:
    if value <= 0:
        raise InputError(f"score {value} has no logarithm")
    return math.log(value)
