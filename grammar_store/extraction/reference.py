"""The initial grammar of a bitext, in the words of the paper and in plain Python.

This is the definition that the compiled kernels are held to, and the baseline of their
speed. It follows section 4.1 of Sánchez-Martínez, Pérez-Ortiz and Carrasco (EAMT 2020):
one non-terminal per phrase pair, one rule per way of putting gaps into a phrase pair, and
the count of every non-terminal spread over its rules. Counts are exact fractions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

from grammar_store.bitext.corpus import Corpus, escape_symbol
from grammar_store.extraction.options import Counting, ExtractionOptions

Link = tuple[int, int]
Sentence = tuple[Sequence[str], Sequence[str], Collection[Link]]
Text = tuple[str, str]  # source, target
Span = tuple[int, int, int, int]  # source_start, source_end, target_start, target_end
Gaps = tuple[Span, ...]  # in source order, relative to the phrase pair they are in
Shape = tuple[int, int, frozenset[Link]]  # words of either side, links inside

HOLE = "[_]"


class Nonterminal(NamedTuple):
    """A phrase pair, its occurrences C(X), its rules, its height and its sentence pairs."""

    source: str
    target: str
    count: int  # type: ignore[assignment]
    rule_count: int
    height: int
    sentences: int


class Occurrence(NamedTuple):
    """Where a non-terminal stands: positions from 0, ends exclusive."""

    nonterminal_id: int
    sentence_id: int
    source_start: int
    source_end: int
    target_start: int
    target_end: int


class Rule(NamedTuple):
    """A rule with its gaps written ``[X12,1]``; each slot is a filler and its context."""

    lhs_id: int
    source: str
    target: str
    count: Fraction  # type: ignore[assignment]
    gaps: int
    slots: tuple[tuple[int, Text], ...]


class Context(NamedTuple):
    """A right-hand side with a hole, its energy, the c(r) and the number of its slots."""

    source: str
    target: str
    energy: Fraction
    mass: Fraction
    slots: int


@dataclass(frozen=True)
class ReferenceGrammar:
    """The tables of a grammar; a row's id is its place in its list, counted from 1."""

    nonterminals: list[Nonterminal]
    glue: dict[int, int]
    occurrences: list[Occurrence]
    rules: list[Rule]
    contexts: list[Context]
    skipped: dict[int, str]


def reference_grammar(
    bitext: Corpus | Iterable[Sentence], options: ExtractionOptions
) -> ReferenceGrammar:
    """The grammar of word-aligned sentence pairs.

    Parameters
    ----------
    bitext
        A corpus, or the source words, target words and distinct links (source position,
        target position) of every sentence pair.
    options
        What counts as a phrase pair, as a rule, and how counts are spread.

    Examples
    --------
    >>> bitext = [(["das", "Haus"], ["the", "house"], {(0, 0), (1, 1)})]
    >>> for rule in reference_grammar(bitext, ExtractionOptions()).rules:
    ...     print(f"X{rule.lhs_id} -> ({rule.source}, {rule.target}) {rule.count}")
    X1 -> (Haus, house) 1
    X2 -> (das, the) 1
    X3 -> (das Haus, the house) 1/3
    X3 -> ([X2,1] Haus, [X2,1] house) 1/3
    X3 -> (das [X1,1], the [X1,1]) 1/3
    """
    # Steps 1 and 2: one non-terminal per phrase pair, I -> X where it is a sentence pair.
    places: dict[Text, list[tuple[int, Span]]] = defaultdict(list)
    shapes: dict[Text, Counter[Shape]] = defaultdict(Counter)
    whole: Counter[Text] = Counter()
    skipped: dict[int, str] = {}
    for sentence_id, (source, target, links) in enumerate(_in_symbols(bitext), start=1):
        if options.max_words is not None and max(len(source), len(target)) > options.max_words:
            skipped[sentence_id] = f"more than {options.max_words} words"
            continue
        spans = phrase_pairs(len(source), len(target), links, options.max_length, options.tight)
        first_spans = list(islice(spans, options.max_phrase_pairs + 1))
        if len(first_spans) > options.max_phrase_pairs:
            skipped[sentence_id] = f"more than {options.max_phrase_pairs} phrase pairs"
            continue
        for span in first_spans:
            s, e, t, u = span
            text = " ".join(source[s:e]), " ".join(target[t:u])
            inside = frozenset((i - s, j - t) for i, j in links if s <= i < e)
            places[text].append((sentence_id, span))
            shapes[text][e - s, u - t, inside] += 1
            if (s, e, t, u) == (0, len(source), 0, len(target)):
                whole[text] += 1
    texts = sorted(places, key=lambda text: (-len(places[text]), text))
    ids = {text: nonterminal_id for nonterminal_id, text in enumerate(texts, start=1)}

    # Step 3: the rules, from all occurrences of a phrase pair; step 4: their counts.
    rules: list[Rule] = []
    rule_counts: Counter[Text] = Counter()
    gaps_of_shape: dict[Shape, list[Gaps]] = {}
    for text in texts:
        for shape in shapes[text]:
            if shape not in gaps_of_shape:
                gaps_of_shape[shape] = rules_of_occurrence(*shape, options)
        licences = [(gaps_of_shape[shape], number) for shape, number in shapes[text].items()]
        counts = _spread(len(places[text]), licences, options.counting)
        rules += [_rule(text, gaps, counts[gaps], ids) for gaps in sorted(counts)]
        rule_counts[text] = len(counts)

    heights = _heights(texts, rules)
    return ReferenceGrammar(
        nonterminals=[
            Nonterminal(
                *text,
                count=len(places[text]),
                rule_count=rule_counts[text],
                height=heights[ids[text]],
                sentences=len({sentence_id for sentence_id, _ in places[text]}),
            )
            for text in texts
        ],
        glue={ids[text]: whole[text] for text in texts if text in whole},
        occurrences=[
            Occurrence(ids[text], sentence_id, *span)
            for text in texts
            for sentence_id, span in places[text]
        ],
        rules=rules,
        contexts=_contexts(rules, [len(places[text]) for text in texts]),
        skipped=skipped,
    )


def phrase_pairs(
    n_source: int,
    n_target: int,
    links: Iterable[Link],
    max_length: int | None = None,
    tight: bool = False,
) -> Iterator[Span]:
    """The spans of the phrase pairs of a sentence pair, in order.

    No word inside is linked to a word outside, and at least one link lies inside. Unlinked
    words at the edges belong to a phrase pair or not: every combination is one, unless
    `tight`.

    Examples
    --------
    >>> list(phrase_pairs(2, 3, {(0, 0), (1, 2)}))
    [(0, 1, 0, 1), (0, 1, 0, 2), (0, 2, 0, 3), (1, 2, 1, 3), (1, 2, 2, 3)]
    >>> list(phrase_pairs(2, 3, {(0, 0), (1, 2)}, tight=True))
    [(0, 1, 0, 1), (0, 2, 0, 3), (1, 2, 2, 3)]
    """
    first_target, last_target = [n_target] * n_source, [-1] * n_source
    first_source, last_source = [n_source] * n_target, [-1] * n_target
    for i, j in links:
        first_target[i], last_target[i] = min(first_target[i], j), max(last_target[i], j)
        first_source[j], last_source[j] = min(first_source[j], i), max(last_source[j], i)
    longest = max(n_source, n_target) if max_length is None else max_length
    for s in range(n_source):
        low, high = n_target, -1  # the first and last target word linked to s:e
        for e in range(s + 1, min(n_source, s + longest) + 1):
            low, high = min(low, first_target[e - 1]), max(high, last_target[e - 1])
            if high < 0:
                continue
            if min(first_source[low : high + 1]) < s:
                break  # and so for every longer source span from s
            if max(last_source[low : high + 1]) >= e:
                continue
            if tight:
                if last_target[s] >= 0 and last_target[e - 1] >= 0 and high - low < longest:
                    yield s, e, low, high + 1
                continue
            left, right = low, high + 1
            while left > 0 and last_source[left - 1] < 0:
                left -= 1
            while right < n_target and last_source[right] < 0:
                right += 1
            for t in range(left, low + 1):
                for u in range(high + 1, min(right, t + longest) + 1):
                    yield s, e, t, u


def rules_of_occurrence(
    n_source: int, n_target: int, links: Collection[Link], options: ExtractionOptions
) -> list[Gaps]:
    """The rules of one occurrence of a phrase pair, each as the tuple of its gaps, in order.

    The rule without gaps is the lexical one. A gap is a phrase pair inside the occurrence
    and not the whole of it; gaps do not overlap on either side.

    Parameters
    ----------
    n_source, n_target
        The words of the phrase pair.
    links
        The links inside it, with positions relative to its start.
    options
        Which rules are wanted.

    Examples
    --------
    >>> rules_of_occurrence(2, 2, {(0, 1), (1, 0)}, ExtractionOptions())
    [(), ((0, 1, 1, 2),), ((1, 2, 0, 1),)]
    """
    whole = (0, n_source, 0, n_target)
    candidates = [
        span
        for span in phrase_pairs(n_source, n_target, links, tight=options.tight)
        if span != whole and span[1] - span[0] >= options.min_gap_length
    ]
    rules: list[Gaps] = [()]
    longest_rules = rules
    for _ in range(options.max_gaps):
        longest_rules = [
            (*gaps, gap)
            for gaps in longest_rules
            for gap in _followers(gaps, candidates, options.adjacent_gaps)
            if _has_words(n_source, n_target, links, (*gaps, gap), options)
        ]
        rules = rules + longest_rules
    if options.max_source_symbols is not None:
        limit = options.max_source_symbols - n_source
        rules = [gaps for gaps in rules if sum(1 - (e - s) for s, e, _, _ in gaps) <= limit]
    return sorted(rules)


def upper_count(grammar: ReferenceGrammar) -> dict[int, int]:
    """U(X) by id: the greatest count among X and everything above it.

    Above X are the left-hand sides of the rules that X fills, those of the rules that
    they fill, and so on up.

    Examples
    --------
    >>> once = [(["a"], ["x"], {(0, 0)})]
    >>> fused = [(["a", "b"], ["x", "y"], {(0, 0), (0, 1), (1, 0), (1, 1)})]
    >>> apart = [(["a", "b"], ["x", "y"], {(0, 0), (1, 1)})]
    >>> grammar = reference_grammar(2 * fused + apart + once, ExtractionOptions())
    >>> [(row.source, row.count) for row in grammar.nonterminals]
    [('a b', 3), ('a', 2), ('b', 1)]
    >>> upper_count(grammar)
    {1: 3, 2: 3, 3: 3}
    """
    upper = {n: row.count for n, row in enumerate(grammar.nonterminals, start=1)}
    sizes = [_size((row.source, row.target)) for row in grammar.nonterminals]
    # A filler is shorter than its left-hand side, so what is above X comes before X.
    for rule in sorted(grammar.rules, key=lambda rule: -sizes[rule.lhs_id - 1]):
        for filler, _ in rule.slots:
            upper[filler] = max(upper[filler], upper[rule.lhs_id])
    return upper


def _in_symbols(
    bitext: Corpus | Iterable[Sentence],
) -> Iterator[tuple[list[str], list[str], Collection[Link]]]:
    """The sentence pairs with the words as the grammar writes them."""
    if not isinstance(bitext, Corpus):
        for source, target, links in bitext:
            yield list(map(escape_symbol, source)), list(map(escape_symbol, target)), links
        return
    sides = bitext.source, bitext.target
    for k in range(len(bitext)):
        words, target_words = (
            [side.symbols[symbol] for symbol in side.tokens[side.starts[k] : side.starts[k + 1]]]
            for side in sides
        )
        rows = bitext.links[bitext.link_starts[k] : bitext.link_starts[k + 1]].tolist()
        yield words, target_words, [(i, j) for i, j in rows]


def _followers(gaps: Gaps, candidates: list[Span], adjacent_gaps: bool) -> list[Span]:
    """The candidates that may stand after the gaps in source order."""
    if not gaps:
        return candidates
    start = gaps[-1][1] if adjacent_gaps else gaps[-1][1] + 1
    return [
        (s, e, t, u)
        for s, e, t, u in candidates[bisect_left(candidates, (start,)) :]
        if all(u <= other_t or other_u <= t for _, _, other_t, other_u in gaps)
    ]


def _has_words(
    n_source: int, n_target: int, links: Collection[Link], gaps: Gaps, options: ExtractionOptions
) -> bool:
    """Whether enough words stand outside the gaps."""
    if options.lexical == "aligned":
        return any(all(not s <= i < e for s, e, _, _ in gaps) for i, _ in links)
    source_words = n_source - sum(e - s for s, e, _, _ in gaps)
    target_words = n_target - sum(u - t for _, _, t, u in gaps)
    if options.lexical == "source":
        return source_words > 0
    if options.lexical == "both":
        return source_words > 0 and target_words > 0
    return source_words + target_words > 0


def _spread(
    count: int, licences: list[tuple[list[Gaps], int]], counting: Counting
) -> dict[Gaps, Fraction]:
    """c(r) of every rule, from the rules that so many occurrences each license."""
    if counting == "type":
        types = {gaps for rules, _ in licences for gaps in rules}
        return dict.fromkeys(types, Fraction(count, max(len(types), 1)))
    counts: dict[Gaps, Fraction] = defaultdict(Fraction)
    for rules, number in licences:
        for gaps in rules:
            counts[gaps] += Fraction(number, len(rules))
    return counts


def _rule(lhs: Text, gaps: Gaps, count: Fraction, ids: dict[Text, int]) -> Rule:
    """The rule that puts these gaps into a phrase pair."""
    words, target_words = lhs[0].split(" "), lhs[1].split(" ")
    fillers = [ids[" ".join(words[s:e]), " ".join(target_words[t:u])] for s, e, t, u in gaps]
    symbols = [f"[X{filler},{index}]" for index, filler in enumerate(fillers, start=1)]
    marked = list(zip(gaps, symbols, strict=True))
    source = _with_gaps(words, [(s, e, symbol) for (s, e, _, _), symbol in marked])
    target = _with_gaps(target_words, [(t, u, symbol) for (_, _, t, u), symbol in marked])
    # Tokens are escaped and co-indices differ: the symbol stands once on either side.
    contexts = [(source.replace(symbol, HOLE), target.replace(symbol, HOLE)) for symbol in symbols]
    slots = tuple(zip(fillers, contexts, strict=True))
    return Rule(ids[lhs], source, target, count, len(gaps), slots)


def _with_gaps(words: list[str], gaps: list[tuple[int, int, str]]) -> str:
    """The text of one side, with a symbol in place of the words from start to end."""
    parts: list[str] = []
    done = 0
    for start, end, symbol in sorted(gaps):
        parts += [*words[done:start], symbol]
        done = end
    return " ".join(parts + words[done:])


def _contexts(rules: list[Rule], counts: list[int]) -> list[Context]:
    """The contexts by falling number of slots, then first use.

    The energy e(t) is the sum of c(X, t)^2 / C(X) over fillers X.

    A context and a filler make one right-hand side, which expands to one phrase pair: so
    c(X, t) is the count of a single rule.
    """
    fillers: dict[Text, list[tuple[Fraction, int]]] = defaultdict(list)
    for rule in rules:
        for filler, context in rule.slots:
            fillers[context].append((rule.count, counts[filler - 1]))
    return [
        Context(
            *context,
            energy=sum((c * c / big_c for c, big_c in slots), Fraction(0)),
            mass=sum((c for c, _ in slots), Fraction(0)),
            slots=len(slots),
        )
        for context, slots in sorted(fillers.items(), key=lambda item: -len(item[1]))
    ]


def _heights(texts: list[Text], rules: list[Rule]) -> dict[int, int]:
    """0 for a non-terminal with no gap in any rule, else 1 + the greatest of its fillers."""
    heights = dict.fromkeys(range(1, len(texts) + 1), 0)
    # A filler is shorter than its left-hand side, so fillers come first.
    for rule in sorted(rules, key=lambda rule: _size(texts[rule.lhs_id - 1])):
        for filler, _ in rule.slots:
            heights[rule.lhs_id] = max(heights[rule.lhs_id], 1 + heights[filler])
    return heights


def _size(text: Text) -> int:
    """The words of both sides."""
    return text[0].count(" ") + text[1].count(" ") + 2
