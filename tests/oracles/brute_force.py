"""The definitions of phrase pairs and rules once more, word by word and at any cost.

Nothing is shared with the plain extractor: all four span ends are tried, rules are lists of
positions, and every occurrence is expanded in its sentence. Gaps are written
`<1:source|target>`, so texts do not depend on the numbers of non-terminals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product

from grammar_store.extraction.options import ExtractionOptions

Link = tuple[int, int]
Sentence = tuple[Sequence[str], Sequence[str], Collection[Link]]
Span = tuple[int, int, int, int]
Text = tuple[str, str]


def phrase_pairs_by_definition(sentence: Sentence, options: ExtractionOptions) -> set[Span]:
    """All pairs of segments that the paper's footnote calls a bilingual phrase pair."""
    source, target, links = sentence
    longest = options.max_length or max(len(source), len(target))
    found = set()
    for s, e in product(range(len(source) + 1), repeat=2):
        for t, u in product(range(len(target) + 1), repeat=2):
            touched = [(i, j) for i, j in links if s <= i < e or t <= j < u]
            ends = {s, e - 1} <= {i for i, _ in touched}, {t, u - 1} <= {j for _, j in touched}
            if (
                1 <= e - s <= longest
                and 1 <= u - t <= longest
                and touched
                and all(s <= i < e and t <= j < u for i, j in touched)
                and (all(ends) or not options.tight)
            ):
                found.add((s, e, t, u))
    return found


def rules_by_definition(
    span: Span, spans: Iterable[Span], sentence: Sentence, options: ExtractionOptions
) -> list[Text]:
    """The rules of one occurrence of a phrase pair."""
    s, e, t, u = span
    inner = [
        (gs, ge, gt, gu)
        for gs, ge, gt, gu in sorted(spans)
        if s <= gs and ge <= e and t <= gt and gu <= u and (gs, ge, gt, gu) != span
    ]
    long_enough = [gap for gap in inner if gap[1] - gap[0] >= options.min_gap_length]
    rules = []
    for gaps in _disjoint([], long_enough, options.max_gaps):
        # Word positions; a gap is the negative of its index.
        source, target = list(range(s, e)), list(range(t, u))
        for index, (gs, ge, gt, gu) in enumerate(gaps, start=1):
            source = [-index if k == gs else k for k in source if not gs < k < ge]
            target = [-index if k == gt else k for k in target if not gt < k < gu]
        words, target_words = {k for k in source if k >= 0}, {k for k in target if k >= 0}
        enough = {
            "either": bool(words or target_words),
            "source": bool(words),
            "both": bool(words and target_words),
            "aligned": any(i in words and j in target_words for i, j in sentence[2]),
        }
        if (
            (enough[options.lexical] or not gaps)
            and len(source) <= (options.max_source_symbols or len(source))
            and (options.adjacent_gaps or not any(max(two) < 0 for two in pairwise(source)))
        ):
            names = [f"<{k}:{'|'.join(_text(sentence, gap))}>" for k, gap in enumerate(gaps, 1)]
            rules.append(
                (
                    " ".join(sentence[0][k] if k >= 0 else names[-k - 1] for k in source),
                    " ".join(sentence[1][k] if k >= 0 else names[-k - 1] for k in target),
                )
            )
    return rules


def grammar_by_definition(
    sentences: Iterable[Sentence], options: ExtractionOptions
) -> tuple[dict[Text, list[tuple[int, Span]]], dict[tuple[Text, Text], Fraction]]:
    """Where every phrase pair occurs, and the count of every (left-hand side, rule)."""
    places: dict[Text, list[tuple[int, Span]]] = defaultdict(list)
    licensed: dict[Text, list[list[Text]]] = defaultdict(list)
    for sentence_id, sentence in enumerate(sentences, start=1):
        spans = phrase_pairs_by_definition(sentence, options)
        too_long = max(len(sentence[0]), len(sentence[1])) > (options.max_words or 60_000)
        if too_long or len(spans) > options.max_phrase_pairs:
            continue
        for span in sorted(spans):
            text = _text(sentence, span)
            places[text].append((sentence_id, span))
            licensed[text].append(rules_by_definition(span, spans, sentence, options))
    counts: dict[tuple[Text, Text], Fraction] = defaultdict(Fraction)
    for lhs, occurrences in licensed.items():
        types = {rule for rules in occurrences for rule in rules}
        for rules in occurrences:
            for rule in types if options.counting == "type" else rules:
                among = types if options.counting == "type" else rules
                counts[lhs, rule] += Fraction(1, len(among))
    return dict(places), dict(counts)


def _disjoint(gaps: list[Span], rest: list[Span], max_gaps: int) -> Iterator[list[Span]]:
    yield gaps
    for k, gap in enumerate(rest):
        if len(gaps) < max_gaps and all(
            (gap[1] <= other[0] or other[1] <= gap[0])
            and (gap[3] <= other[2] or other[3] <= gap[2])
            for other in gaps
        ):
            yield from _disjoint([*gaps, gap], rest[k + 1 :], max_gaps)


def _text(sentence: Sentence, span: Span) -> Text:
    s, e, t, u = span
    return " ".join(sentence[0][s:e]), " ".join(sentence[1][t:u])
