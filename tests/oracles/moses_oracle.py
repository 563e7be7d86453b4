"""What Moses' hierarchical extractor gives with no options, by another algorithm than ours.

It walks over target spans, reads off the source span, lets that grow over unaligned words,
and then cuts holes from left to right on the target side. Every occurrence of a phrase pair
spreads a mass of 1 evenly over all it yields, and nothing is de-duplicated. There is one
non-terminal; gaps are written `[X,1]`, numbered in source order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction

Link = tuple[int, int]
Sentence = tuple[Sequence[str], Sequence[str], Collection[Link]]
Hole = tuple[range, range]  # target positions, source positions

MAX_SPAN = 10
MAX_SOURCE_SYMBOLS = 5
MAX_HOLES = 2
MIN_SOURCE_WORDS_OF_HOLE = 2


def moses_rules(sentences: Iterable[Sentence]) -> Counter[tuple[str, str]]:
    """The fractional count of every rule, by its source and target text."""
    counts: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for source, target, links in sentences:
        pairs = spans_by_target(len(source), len(target), links)
        for target_span, source_spans in pairs.items():
            for source_span in source_spans:
                rules: list[list[Hole]] = [] if len(source_span) > MAX_SOURCE_SYMBOLS else [[]]
                for holes in hole_lists(target_span, source_span, pairs, links, []):
                    words = sum(all(i not in hole[1] for hole in holes) for i in source_span)
                    if words + len(holes) <= MAX_SOURCE_SYMBOLS:
                        rules.append(holes)
                for holes in rules:
                    text = written(source, target, source_span, target_span, holes)
                    counts[text] += Fraction(1, len(rules))
    return Counter(counts)


def spans_by_target(
    n_source: int, n_target: int, links: Collection[Link]
) -> dict[range, list[range]]:
    """The source spans that make a phrase pair with each target span."""
    unaligned = set(range(n_source)) - {i for i, _ in links}
    pairs: dict[range, list[range]] = {}
    for start in range(n_target):
        for end in range(start + 1, min(n_target, start + MAX_SPAN) + 1):
            inside = [i for i, j in links if start <= j < end]
            if not inside:
                continue
            least, greatest = min(inside), max(inside)
            if any(least <= i <= greatest and not start <= j < end for i, j in links):
                continue
            starts, ends = [least], [greatest + 1]
            while starts[-1] - 1 in unaligned:
                starts.append(starts[-1] - 1)
            while ends[-1] in unaligned:
                ends.append(ends[-1] + 1)
            spans = [range(s, e) for s in starts for e in ends if e - s <= MAX_SPAN]
            if spans:
                pairs[range(start, end)] = spans
    return pairs


def hole_lists(
    target_span: range,
    source_span: range,
    pairs: dict[range, list[range]],
    links: Collection[Link],
    holes: list[Hole],
) -> Iterator[list[Hole]]:
    """Every way of cutting one or more further holes after those that are there."""
    if len(holes) == MAX_HOLES:
        return
    first = holes[-1][0].stop if holes else target_span.start
    for start in range(first, target_span.stop):
        for end in range(start + 1, target_span.stop + 1):
            for hole_source in pairs.get(range(start, end), []):
                if (
                    not source_span.start
                    <= hole_source.start
                    < hole_source.stop
                    <= source_span.stop
                ):
                    continue
                if len(hole_source) < MIN_SOURCE_WORDS_OF_HOLE:
                    continue
                # One word at least must stand between two holes on the source side.
                if any(
                    hole_source.start <= other.stop and other.start <= hole_source.stop
                    for _, other in holes
                ):
                    continue
                more = [*holes, (range(start, end), hole_source)]
                aligned_words_left = any(
                    j in target_span and all(j not in hole for hole, _ in more) for _, j in links
                )
                source_words_left = len(source_span) - sum(len(hole) for _, hole in more)
                if aligned_words_left and source_words_left > 0:
                    yield more
                    yield from hole_lists(target_span, source_span, pairs, links, more)


def written(
    source: Sequence[str],
    target: Sequence[str],
    source_span: range,
    target_span: range,
    holes: list[Hole],
) -> tuple[str, str]:
    """The text of a rule."""
    source_symbols = {i: source[i] for i in source_span}
    target_symbols = {j: target[j] for j in target_span}
    in_source_order = sorted(holes, key=lambda hole: hole[1].start)
    for index, (target_hole, source_hole) in enumerate(in_source_order, start=1):
        for symbols, hole in (source_symbols, source_hole), (target_symbols, target_hole):
            for position in hole[1:]:
                del symbols[position]
            symbols[hole[0]] = f"[X,{index}]"
    return " ".join(source_symbols.values()), " ".join(target_symbols.values())
