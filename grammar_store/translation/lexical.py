"""Lexical weights: how well the words of a rule translate each other, after Koehn, Och and Marcu.

w(f|e) is the share of f among the words that e is linked to, counted over the links of the whole
bitext; a word without a link counts as linked to NULL. The weight of a rule multiplies, over its
source words, the mean of w(f|e) over the points of f, or w(f|NULL) where it has none; and the same
the other way round. Gaps weigh 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.bitext.corpus import Corpus, Side
from grammar_store.compiling import kernel
from grammar_store.extraction.numbering import Numbering
from grammar_store.extraction.parallel import run_ranges
from grammar_store.translation.layout import (
    Instances,
    Room,
    Scene,
    gap_index,
    lay_out,
    new_room,
    point_ends,
    word_or_label,
)


class WordProbabilities(NamedTuple):
    """How words translate each other, f on the source and e on the target side."""

    #: w(f|e) and w(e|f) of the words at each link
    source_given_target: NDArray[np.float64]
    target_given_source: NDArray[np.float64]
    #: w(f|NULL) and w(e|NULL) of each word
    source_given_null: NDArray[np.float64]
    target_given_null: NDArray[np.float64]


def word_probabilities(corpus: Corpus, threads: int = 1) -> WordProbabilities:
    """Estimate w from the links of a corpus over words.

    Examples
    --------
    >>> corpus = Corpus.from_text([("das Haus", "the house", "0-0 1-1"), ("das", "that", "0-0"),
    ...                            ("ein", "it is", "")])
    >>> words = word_probabilities(corpus)
    >>> words.target_given_source.tolist(), words.source_given_target.tolist()
    ([0.5, 1.0, 0.5], [1.0, 1.0, 1.0])
    >>> words.source_given_null.tolist(), words.target_given_null.tolist()
    ([0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.5, 0.5])
    """
    per_sentence = np.diff(corpus.link_starts)
    source_at = np.repeat(corpus.source.starts[:-1], per_sentence) + corpus.links[:, 0]
    target_at = np.repeat(corpus.target.starts[:-1], per_sentence) + corpus.links[:, 1]
    source, target = corpus.source.tokens[source_at], corpus.target.tokens[target_at]
    pair = Numbering(threads).number(np.stack([source, target], axis=1).astype(np.uint64))
    together = np.bincount(pair)[pair] if len(pair) else np.empty(0, np.int64)
    source_null, source_total = _alone(corpus.source, source_at, source)
    target_null, target_total = _alone(corpus.target, target_at, target)
    return WordProbabilities(
        together / target_total[target],
        together / source_total[source],
        source_null / max(int(source_null.sum()), 1),
        target_null / max(int(target_null.sum()), 1),
    )


def _alone(
    side: Side, linked_at: NDArray[np.int64], linked: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How often each word has no link; and how many links it has, one to NULL for none."""
    without = np.ones(len(side.tokens), np.bool_)
    without[linked_at] = False
    null = np.bincount(side.tokens[without], minlength=len(side.symbols))
    return null, null + np.bincount(linked, minlength=len(side.symbols))


def lexical_weights(
    scene: Scene, instances: Instances, words: WordProbabilities, threads: int
) -> NDArray[np.float64]:
    """The weights lex(f|e) and lex(e|f) of each rule, in two columns."""
    weights = np.empty((len(instances.occurrence), 2))
    run_ranges(
        _weigh, np.ones(len(weights), np.int64), scene, instances, words, weights, threads=threads
    )
    return weights


@kernel
def _weigh(
    start: int,
    stop: int,
    scene: Scene,
    instances: Instances,
    words: WordProbabilities,
    weights: NDArray[np.float64],
) -> None:
    room: Room = new_room(scene, instances)
    sums, links = np.empty(scene.most_words), np.empty(scene.most_words)
    for row in range(start, stop):
        source_size, target_size, points = lay_out(scene, instances, row, room)
        for is_target in (False, True):
            size = target_size if is_target else source_size
            symbols = room.target if is_target else room.source
            given = words.target_given_source if is_target else words.source_given_target
            null = words.target_given_null if is_target else words.source_given_null
            sums[:size] = 0.0
            links[:size] = 0.0
            for place in range(points):
                if room.links[place] >= 0:
                    source, target = point_ends(room.points[place])
                    symbol = target if is_target else source
                    sums[symbol] += given[room.links[place]]
                    links[symbol] += 1.0
            weight = 1.0
            for place in range(size):
                if gap_index(symbols[place]) > 0:
                    continue
                if links[place] > 0:
                    weight *= sums[place] / links[place]
                else:
                    weight *= null[word_or_label(symbols[place])]
            weights[row, 1 if is_target else 0] = weight
