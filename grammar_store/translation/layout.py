"""A rule as decoders see it, laid out from where it was found.

An instance of a rule is a phrase pair in a sentence and gaps in it. Laid out, each side is a
sequence of symbols, words and gaps with labels, and the links between words outside the gaps are
points between these symbols; every gap has a point, too. All that is asked of a rule, whether it
is the same as another, its lexical weights and its text, is asked of this.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.extraction.hashing import fold
from grammar_store.extraction.numbering import Keys
from grammar_store.extraction.phrases import Occurrences, Sentences
from grammar_store.extraction.spans import unpack
from grammar_store.extraction.text import next_gap

_SALTS = (np.uint64(0x8CB92BA72F3D8DD7), np.uint64(0xABC98388FB8FAC03))
_INDEX_BITS = 3  # a symbol is a word or a label, and the index of a gap: 0 for a word
_INDEX_MASK = (1 << _INDEX_BITS) - 1
_POINT_BITS = 16
_POINT_MASK = (1 << _POINT_BITS) - 1

#: What makes two instances the same: the source side; the target side, with the label on the left
#: but whichever gap of the source each of its gaps belongs to; the rule; the rule and its points.
SOURCE, TARGET, RULE, READING = range(4)


class Scene(NamedTuple):
    """Where instances are found: sentences with their words, phrase pairs with their labels."""

    sentences: Sentences
    source_words: NDArray[np.int32]
    target_words: NDArray[np.int32]
    occurrences: Occurrences
    labels: NDArray[np.int32]
    #: of a sentence: the most words on a side, the most links
    most_words: int
    most_links: int


class Instances(NamedTuple):
    """Instances of rules, a row each: the phrase pair, its gaps (see `spans`) and their labels."""

    occurrence: NDArray[np.int64]
    gaps: NDArray[np.uint64]
    labels: NDArray[np.int32]

    @classmethod
    def room(cls, size: int, max_gaps: int) -> Instances:
        return cls(
            np.empty(size, np.int64),
            np.empty((size, max_gaps), np.uint64),
            np.empty((size, max_gaps), np.int32),
        )

    def take(self, rows: NDArray[np.int64] | slice) -> Instances:
        """Some of the rows."""
        return Instances(self.occurrence[rows], self.gaps[rows], self.labels[rows])


class Room(NamedTuple):
    """Room for one rule: symbols of both sides, points, and the link of each point (or -1)."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    points: NDArray[np.int64]
    links: NDArray[np.int64]
    #: the symbol of each target word, and of each gap on the target side
    symbol_of_word: NDArray[np.int64]
    symbol_of_gap: NDArray[np.int64]


@kernel
def new_room(scene: Scene, instances: Instances) -> Room:
    """Room that every rule of a scene fits in."""
    words, gaps = scene.most_words, instances.gaps.shape[1]
    return Room(
        np.empty(words, np.int64),
        np.empty(words, np.int64),
        np.empty(scene.most_links + gaps, np.int64),
        np.empty(scene.most_links + gaps, np.int64),
        np.empty(words, np.int64),
        np.empty(gaps, np.int64),
    )


@kernel
def gap_index(symbol: int) -> int:
    """The index of a gap, from 1 in source order; 0 for a word."""
    return symbol & _INDEX_MASK


@kernel
def word_or_label(symbol: int) -> int:
    """The word in a symbol, or the label of a gap."""
    return symbol >> _INDEX_BITS


@kernel
def point_ends(point: int) -> tuple[int, int]:
    """The symbols on the source and the target side that a point connects."""
    return point >> _POINT_BITS, point & _POINT_MASK


@kernel
def lay_out(scene: Scene, instances: Instances, row: int, room: Room) -> tuple[int, int, int]:
    """Lay out an instance; the number of symbols on both sides and of points.

    Points come in order: by symbols of the source side, then of the target side.
    """
    sentences, gaps, labels = scene.sentences, instances.gaps, instances.labels
    occurrence = instances.occurrence[row]
    sentence = scene.occurrences.sentence[occurrence]
    start, end, target_start, target_end = unpack(scene.occurrences.span[occurrence])
    base = sentences.source_starts[sentence] + start
    target_base = sentences.target_starts[sentence] + target_start

    target_size, position, words = 0, 0, target_end - target_start
    while True:
        gap, gap_start, gap_end = next_gap(gaps, row, position, words, True)
        for word in range(position, gap_start):
            room.target[target_size] = np.int64(scene.target_words[target_base + word]) << (
                _INDEX_BITS
            )
            room.symbol_of_word[word] = target_size
            target_size += 1
        if gap < 0:
            break
        room.target[target_size] = (np.int64(labels[row, gap]) << _INDEX_BITS) + gap + 1
        room.symbol_of_gap[gap] = target_size
        target_size += 1
        position = gap_end

    source_size, points, position, words = 0, 0, 0, end - start
    while True:
        gap, gap_start, gap_end = next_gap(gaps, row, position, words, False)
        for word in range(base + position, base + gap_start):
            room.source[source_size] = np.int64(scene.source_words[word]) << _INDEX_BITS
            for link in range(sentences.source_links[word], sentences.source_links[word + 1]):
                at = room.symbol_of_word[sentences.links[link, 1] - target_start]
                room.points[points] = (source_size << _POINT_BITS) | at
                room.links[points] = link
                points += 1
            source_size += 1
        if gap < 0:
            break
        room.source[source_size] = (np.int64(labels[row, gap]) << _INDEX_BITS) + gap + 1
        room.points[points] = (source_size << _POINT_BITS) | room.symbol_of_gap[gap]
        room.links[points] = -1
        points += 1
        source_size += 1
        position = gap_end
    return source_size, target_size, points


@kernel
def describe(
    start: int, stop: int, scene: Scene, instances: Instances, kind: int, keys: Keys
) -> None:
    """The keys of instances [start, stop), fingerprints of 128 bits; equal means the same."""
    room = new_room(scene, instances)
    for row in range(start, stop):
        source_size, target_size, points = lay_out(scene, instances, row, room)
        for half in range(2):
            salt = _SALTS[half]
            state = salt
            if kind != TARGET:
                state = fold(state, np.uint64(source_size), salt)
                for place in range(source_size):
                    state = fold(state, np.uint64(room.source[place]), salt)
            if kind != SOURCE:
                lhs = scene.labels[instances.occurrence[row]]
                state = fold(state, np.uint64(lhs), salt)
                state = fold(state, np.uint64(target_size), salt)
                for place in range(target_size):
                    symbol = room.target[place]
                    if kind == TARGET and gap_index(symbol) > 0:
                        symbol = (word_or_label(symbol) << _INDEX_BITS) + 1
                    state = fold(state, np.uint64(symbol), salt)
            if kind == READING:
                for place in range(points):
                    state = fold(state, np.uint64(room.points[place]), salt)
            keys[row, half] = state


@kernel
def points_before(scene: Scene, instances: Instances, a: int, b: int, one: Room, two: Room) -> bool:
    """Whether the points of instance a come before those of b, in the order of lists."""
    _, _, first = lay_out(scene, instances, a, one)
    _, _, second = lay_out(scene, instances, b, two)
    for place in range(min(first, second)):
        if one.points[place] != two.points[place]:
            return bool(one.points[place] < two.points[place])
    return first < second
