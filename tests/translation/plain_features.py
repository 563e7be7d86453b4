"""A translation grammar by its definitions alone: dictionaries, loops and exact fractions.

Nothing here comes from the package but the options. Labels are asked for by sentence and spans.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from math import ceil

from strategies import Sentence

from grammar_store.extraction.options import ExtractionOptions

Span = tuple[int, int, int, int]  # source start, source end, target start, target end
Points = tuple[tuple[int, int], ...]
Label = Callable[[int, Span], str]  # of a phrase pair: number of the sentence, span


@dataclass
class PlainRule:
    count: Fraction = Fraction(0)
    source_count: Fraction = Fraction(0)
    target_count: Fraction = Fraction(0)
    lhs_count: Fraction = Fraction(0)
    readings: dict[Points, Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    words: tuple[list[str | None], list[str | None]] = ([], [])  # None for a gap
    lexical: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))

    @property
    def points(self) -> Points:
        """The most frequent points; of equals, the first in order."""
        return min(self.readings, key=lambda points: (-self.readings[points], points))


Rules = dict[tuple[str, str, str], PlainRule]  # by label on the left, source and target


def plain_grammar(sentences: Sequence[Sentence], options: ExtractionOptions, label: Label) -> Rules:
    rules: Rules = defaultdict(PlainRule)
    for number, sentence in enumerate(sentences):
        pairs = phrase_pairs(sentence, options)
        words_of_longer = max(len(sentence[0]), len(sentence[1]))
        if words_of_longer > (options.max_words or 10**6) or len(pairs) > options.max_phrase_pairs:
            continue
        for pair in pairs:
            licensed = list(gap_sets(pair, pairs, sentence, options))
            for gaps in licensed:
                source, target, points, words = laid_out(number, sentence, pair, gaps, label)
                rule = rules[label(number, pair), source, target]
                rule.count += Fraction(1, len(licensed))
                rule.readings[points] += Fraction(1, len(licensed))
                rule.words = words
    source_counts: dict[str, Fraction] = defaultdict(Fraction)
    target_counts: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    lhs_counts: dict[str, Fraction] = defaultdict(Fraction)
    for (lhs, source, target), rule in rules.items():
        source_counts[source] += rule.count
        target_counts[lhs, unnumbered(target)] += rule.count
        lhs_counts[lhs] += rule.count
    given_target, given_source = word_tables(sentences)
    for (lhs, source, target), rule in rules.items():
        rule.source_count = source_counts[source]
        rule.target_count = target_counts[lhs, unnumbered(target)]
        rule.lhs_count = lhs_counts[lhs]
        turned = tuple((j, i) for i, j in rule.points)
        rule.lexical = (
            weight(*rule.words, rule.points, given_target),
            weight(*rule.words[::-1], turned, given_source),
        )
    return dict(rules)


def unnumbered(target: str) -> str:
    """A target side with the labels of its gaps, but not their numbers."""
    return " ".join(re.sub(r"^\[([^\\\[\],]+),\d+\]$", r"[\1]", each) for each in target.split(" "))


def phrase_pairs(sentence: Sentence, options: ExtractionOptions) -> list[Span]:
    source, target, links = sentence
    longest = options.max_length or 10**6
    found = []
    for s, t in product(range(len(source)), range(len(target))):
        for e, u in product(range(s + 1, len(source) + 1), range(t + 1, len(target) + 1)):
            inside = {(i, j) for i, j in links if s <= i < e and t <= j < u}
            crossing = {(i, j) for i, j in links if (s <= i < e) != (t <= j < u)}
            edges = {i for i, _ in inside} >= {s, e - 1} and {j for _, j in inside} >= {t, u - 1}
            if (
                inside
                and not crossing
                and max(e - s, u - t) <= longest
                and (edges or not options.tight)
            ):
                found.append((s, e, t, u))
    return found


def gap_sets(
    pair: Span, pairs: list[Span], sentence: Sentence, options: ExtractionOptions
) -> Iterator[tuple[Span, ...]]:
    """The gaps of each rule of a phrase pair, in source order; none for the lexical rule."""
    s, e, t, u = pair
    inner = [
        gap
        for gap in pairs
        if s <= gap[0] and gap[1] <= e and t <= gap[2] and gap[3] <= u and gap != pair
        if gap[1] - gap[0] >= options.min_gap_length
    ]
    distance = 0 if options.adjacent_gaps else 1
    for size in range(options.max_gaps + 1):
        for gaps in combinations(sorted(inner), size):
            symbols = e - s + sum(1 - (gap[1] - gap[0]) for gap in gaps)
            apart = all(a[1] + distance <= b[0] for a, b in combinations(gaps, 2))
            apart_on_target = all(a[3] <= b[2] or b[3] <= a[2] for a, b in combinations(gaps, 2))
            left = e - s - sum(gap[1] - gap[0] for gap in gaps)
            left_on_target = u - t - sum(gap[3] - gap[2] for gap in gaps)
            aligned = any(
                s <= i < e and not any(gap[0] <= i < gap[1] for gap in gaps) for i, _ in sentence[2]
            )
            enough = {
                "either": left + left_on_target > 0,
                "source": left > 0,
                "both": min(left, left_on_target) > 0,
                "aligned": aligned,
            }
            if (
                symbols <= (options.max_source_symbols or 10**6)
                and apart
                and apart_on_target
                and (enough[options.lexical] or not gaps)
            ):
                yield gaps


def laid_out(
    number: int, sentence: Sentence, pair: Span, gaps: tuple[Span, ...], label: Label
) -> tuple[str, str, Points, tuple[list[str | None], list[str | None]]]:
    """Both sides of a rule as text, its points, and its words."""
    texts, words, symbol_of = [], [], []
    for side in (0, 1):
        start, end = pair[2 * side], pair[2 * side + 1]
        shown: list[str] = []
        tokens: list[str | None] = []
        places: dict[int, int] = {}
        position = start
        while position < end:
            places[position] = len(shown)
            at = [k for k, gap in enumerate(gaps) if gap[2 * side] == position]
            if at:
                shown.append(f"[{label(number, gaps[at[0]])},{at[0] + 1}]")
                tokens.append(None)
                position = gaps[at[0]][2 * side + 1]
            else:
                shown.append(shown_word(sentence[side][position]))
                tokens.append(sentence[side][position])
                position += 1
        texts.append(" ".join(shown))
        words.append(tokens)
        symbol_of.append(places)
    points = [(symbol_of[0][gap[0]], symbol_of[1][gap[2]]) for gap in gaps]
    for i, j in sentence[2]:
        inside = pair[0] <= i < pair[1] and not any(gap[0] <= i < gap[1] for gap in gaps)
        if inside:
            points.append((symbol_of[0][i], symbol_of[1][j]))
    return texts[0], texts[1], tuple(sorted(points)), (words[0], words[1])


def shown_word(word: str) -> str:
    """A word in which something looks like a hole or a gap has a backslash after the bracket."""
    return re.sub(r"\[(\\*(?:_|[^\[\], \\]+,[0-9]+)\])", r"[\\\1", word)


Table = dict[tuple[str, str | None], Fraction]  # by word, and the word given: None is NULL


def word_tables(sentences: Sequence[Sentence]) -> tuple[Table, Table]:
    """w(f|e) and w(e|f)."""
    together: Counter[tuple[str | None, str | None]] = Counter()
    for source, target, links in sentences:
        together.update((source[i], target[j]) for i, j in links)
        together.update((f, None) for i, f in enumerate(source) if all(i != k for k, _ in links))
        together.update((None, e) for j, e in enumerate(target) if all(j != k for _, k in links))
    of_f: Counter[str | None] = Counter()
    of_e: Counter[str | None] = Counter()
    for (f, e), times in together.items():
        of_f[f] += times
        of_e[e] += times
    given_target = {(f, e): Fraction(n, of_e[e]) for (f, e), n in together.items() if f is not None}
    given_source = {(e, f): Fraction(n, of_f[f]) for (f, e), n in together.items() if e is not None}
    return given_target, given_source


def weight(
    words: list[str | None], others: list[str | None], points: Points, table: Table
) -> Fraction:
    """The lexical weight of one side given the other; points are from this side to the other."""
    product_of_means = Fraction(1)
    for place, word in enumerate(words):
        if word is not None:
            linked: list[str | None] = [others[j] for i, j in points if i == place] or [None]
            product_of_means *= sum(table[word, other] for other in linked) / Fraction(len(linked))
    return product_of_means


def good_turing(rules: Rules) -> dict[int, float]:
    """The discount of each count, rounded up, as Moses has it."""
    of_count = Counter(rounded_up(rule.count) for rule in rules.values())
    discounts = {0: 0.01}
    for i in range(1, 9):
        raw = (i + 1) / i * (of_count[i + 1] + 0.1) / (of_count[i] + 0.1)
        discounts[i] = max(min(1.0, raw), discounts[i - 1])
    return discounts


def rounded_up(count: Fraction) -> int:
    return max(ceil(count - Fraction(1, 100_000)), 1)
