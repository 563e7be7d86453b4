"""The true labels of the phrase pairs of a sampled bitext.

A phrase pair is labelled if a derivation made it: if it is what a rule of a planted non-terminal,
other than the start, expanded to. One text can be made by rules of several labels. Its true label
is then the one that it had most often, of equally frequent ones the first by name; how often, and
how often it was made at all, is kept, so that a score can leave out what is ambiguous.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from grammar_store.bitext.corpus import escape_symbol
from grammar_store.bitext.lines import Lines
from grammar_store.bitext.text import decode, shown
from grammar_store.errors import InputError
from grammar_store.planted.grammar import PlantedGrammar

_HEADER = "source\ttarget\tlabel\tcount\ttotal"


class Constituent(NamedTuple):
    """A phrase pair that a rule of a label made: positions from 0, ends exclusive."""

    label: str
    source_start: int
    source_end: int
    target_start: int
    target_end: int

    def moved(self, source: int, target: int) -> Constituent:
        """The same, in a larger phrase pair in which it begins so much later."""
        label, s, e, t, u = self
        return Constituent(label, s + source, e + source, t + target, u + target)


class Expanded(Protocol):
    """A sentence pair with the constituents in it."""

    @property
    def source(self) -> list[str]: ...
    @property
    def target(self) -> list[str]: ...
    @property
    def constituents(self) -> list[Constituent]: ...


class TrueLabel(NamedTuple):
    """The planted non-terminal of a phrase pair."""

    label: str
    #: how often rules of that label made the phrase pair
    times: int
    #: how often rules of any label made it
    total: int


Truth: TypeAlias = dict[str, TrueLabel]
"""True labels by the text of the phrase pair, ``source ||| target`` as a store names it."""


def truth_of(grammar: PlantedGrammar, sentence_pairs: Iterable[Expanded]) -> Truth:
    r"""The true labels of all phrase pairs in some sentence pairs, the most frequent first.

    Examples
    --------
    >>> from grammar_store.planted.sampling import sample_derivations
    >>> grammar = PlantedGrammar.parse("S -> [A,1] Haus ||| [A,1] house\nA -> neues ||| new")
    >>> truth_of(grammar, [one.expansion() for one in sample_derivations(grammar, 2)])
    {'neues ||| new': TrueLabel(label='A', times=2, total=2)}
    """
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for pair in sentence_pairs:
        source, target = (list(map(escape_symbol, side)) for side in (pair.source, pair.target))
        for label, s, e, t, u in pair.constituents:
            if label != grammar.start:
                seen[f"{' '.join(source[s:e])} ||| {' '.join(target[t:u])}"][label] += 1
    truth: Truth = {}
    for text, labels in sorted(seen.items(), key=lambda item: (-item[1].total(), item[0])):
        label, times = min(labels.items(), key=lambda item: (-item[1], item[0]))
        truth[text] = TrueLabel(label, times, labels.total())
    return truth


def write_truth(truth: Truth, path: str | Path) -> None:
    """Write true labels as lines of source, target, label, count and total, with tabs between."""
    rows = [_HEADER]
    for text, label in truth.items():
        source, _, target = text.partition(" ||| ")
        rows.append("\t".join((source, target, label.label, str(label.times), str(label.total))))
    Path(path).write_text("\n".join(rows) + "\n", encoding="utf-8", newline="")


def read_truth(path: str | Path) -> Truth:
    """Read true labels from a file that `write_truth` wrote, or one like it.

    Raises
    ------
    InputError
        The file cannot be read, or a line is not as it should be.
    """
    truth: Truth = {}
    with Lines(path) as lines:
        for line in lines:
            try:
                text = decode(line)
            except InputError as problem:
                raise lines.error(problem.message) from problem
            if lines.number == 1:
                if text != _HEADER:
                    raise lines.error(f"the first line must be {_HEADER!r}")
                continue
            fields = text.split("\t")
            if len(fields) != 5 or not all(fields) or not all(map(str.isdecimal, fields[3:])):
                raise lines.error(f"{shown(text)} is not source, target, label, count and total")
            name = f"{fields[0]} ||| {fields[1]}"
            if name in truth:
                raise lines.error(f"{shown(name)} has a label already")
            truth[name] = TrueLabel(fields[2], int(fields[3]), int(fields[4]))
        if not lines.number:
            raise lines.error(f"the file is empty: the first line must be {_HEADER!r}")
    return truth
