"""What a report says, as it comes from the store: no HTML yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.report.history import Chain, Largest, Moves
from grammar_store.sessions.steps import Step
from grammar_store.translation.labels import class_labels


class Labels(Mapping[int, str]):
    """The label of the class of each non-terminal, as in exported grammars: X1, X2, ...

    Parameters
    ----------
    leaders
        The leader of each non-terminal by id, 0 at 0.
    counts
        The count of each non-terminal by id.

    Attributes
    ----------
    order
        The leaders of all classes in the order of their labels: by falling count.
    members, totals
        How many members these classes have, and their counts.

    Examples
    --------
    >>> labels = Labels(np.array([0, 1, 2, 2, 4]), np.array([0, 5, 3, 1, 9]))
    >>> [labels[member] for member in (1, 2, 3, 4)]
    ['X2', 'X3', 'X3', 'X1']
    >>> labels.first_members(2, 5)
    [2, 3]
    >>> labels.order.tolist(), labels.members.tolist(), labels.totals.tolist()
    ([4, 1, 2], [1, 1, 2], [9, 5, 4])
    """

    def __init__(self, leaders: NDArray[np.int32], counts: NDArray[np.int64]) -> None:
        found = class_labels(leaders, counts)
        totals = np.zeros(len(found.names), np.int64)
        np.add.at(totals, found.of_nonterminal, counts)
        self.leaders = leaders
        self.order: NDArray[np.int32] = found.leaders[1:]
        self.members = np.bincount(found.of_nonterminal, minlength=len(found.names))[1:]
        self.totals = totals[1:]
        self._by_class = np.argsort(found.of_nonterminal[1:], kind="stable") + 1
        self._ends = np.cumsum(self.members)
        self._names = found.names
        self._of_nonterminal = found.of_nonterminal

    def first_members(self, place: int, most: int) -> list[int]:
        """The smallest ids of a class given by its place in `order`: the most frequent ones."""
        end = int(self._ends[place])
        start = end - int(self.members[place])
        return self._by_class[start : min(end, start + most)].tolist()

    def number(self, member: int) -> int:
        """The number in the label of the class of a non-terminal."""
        return int(self._of_nonterminal[member])

    def __getitem__(self, member: int) -> str:
        if not 0 < member < len(self.leaders):
            raise KeyError(member)
        return self._names[self._of_nonterminal[member]]

    def __iter__(self) -> Iterator[int]:
        return iter(range(1, len(self.leaders)))

    def __len__(self) -> int:
        return len(self.leaders) - 1


class Context(NamedTuple):
    """A context that members of a class fill: how many do, and its share c(A, t) / C(A)."""

    source: str
    target: str
    members: int
    share: float


class Shared(NamedTuple):
    """A context that two non-terminals fill, with the share that it has of each."""

    source: str
    target: str
    p1: float
    p2: float


class Sentence(NamedTuple):
    """A sentence pair with the place of a non-terminal in it, as words cut in three."""

    number: int
    source: tuple[str, str, str]
    target: tuple[str, str, str]


@dataclass
class Pair:
    """Why a member is with its leader."""

    member: int
    leader: int
    chain: Chain
    shared: list[Shared] = field(default_factory=list)
    contexts: int = 0


@dataclass
class Card:
    """A class as it is shown."""

    label: str
    leader: int
    size: int
    count: int
    promoted: bool
    members: list[int]
    contexts: list[Context] = field(default_factory=list)
    all_contexts: int = 0
    examples: list[tuple[int, Sentence]] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)


@dataclass(frozen=True)
class Stops:
    """The history at some steps."""

    numbers: NDArray[np.int64]
    classes: NDArray[np.int64]
    moves: Moves
    largest: Largest


@dataclass(frozen=True)
class Content:
    """All that a report says.

    Attributes
    ----------
    store, session
        Facts of both, by name.
    counts
        The count of each non-terminal, by id.
    alone
        How many classes have one member, were never promoted, and get no card.
    eligible
        How many classes could have one.
    steps
        Those that are mentioned, by number.
    close
        Numbers of the merges that came closest to failing, the closest first.
    texts, contexts
        What is mentioned, by id.
    sentences
        A sentence pair for members on cards.
    in_classes
        Whether the grammar is over word classes: then members are shown in words, too.
    index
        The most frequent non-terminals: source, target and label, by falling count.
    """

    store: dict[str, Any]
    session: dict[str, Any]
    counts: NDArray[np.int64]
    labels: Labels
    alone: int
    eligible: int
    cards: list[Card]
    stops: Stops
    steps: dict[int, Step]
    close: list[int]
    texts: dict[int, tuple[str, str]]
    contexts: dict[int, tuple[str, str]]
    sentences: dict[int, Sentence]
    in_classes: bool
    index: list[tuple[str, str, int]]
