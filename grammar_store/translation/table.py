"""The rows of a translation grammar: text and features, batch by batch as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from grammar_store.bitext.corpus import Corpus, unescape_symbol
from grammar_store.export.rules import RULE_SCHEMA, escape_word
from grammar_store.translation.counting import CountedRules
from grammar_store.translation.features import Features, Smoothing
from grammar_store.translation.layout import Scene
from grammar_store.translation.lexical import lexical_weights, word_probabilities
from grammar_store.translation.text import Alphabet, Letters, rule_texts

_ROWS = 1 << 16


class RuleTable:
    """The rows of a grammar, made as they are asked for."""

    def __init__(
        self,
        words: Corpus,
        scene: Scene,
        rules: CountedRules,
        labels: list[str],
        smoothing: Smoothing,
        threads: int,
    ) -> None:
        self._scene, self._rules, self._threads = scene, rules, threads
        self._features = Features(rules, smoothing)
        self._words = word_probabilities(words, threads)
        self._labels = pa.array(labels, pa.string())
        self._alphabet = Alphabet(
            Letters.of(map(_word, words.source.symbols)),
            Letters.of(map(_word, words.target.symbols)),
            Letters.of(labels),
        )

    def reader(self) -> pa.RecordBatchReader:
        """All rules from the first, in the order in which they were found."""
        return pa.RecordBatchReader.from_batches(RULE_SCHEMA, self._batches())

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for start in range(0, len(self._rules.counts), _ROWS):
            yield self._batch(slice(start, start + _ROWS))

    def _batch(self, rows: slice) -> pa.RecordBatch:
        rules, scene, threads = self._rules, self._scene, self._threads
        instances = rules.instances.take(rows)
        lexical = lexical_weights(scene, instances, self._words, threads)
        features = self._features.of(rows, lexical)
        width = features.shape[1]
        ends = np.arange(0, features.size + 1, width, dtype=np.int32)
        texts = rule_texts(scene, instances, self._alphabet, threads)
        source, target, points = (text.cast(pa.string()) for text in texts)
        columns = {
            "lhs": self._labels.take(pa.array(rules.lhs[rows])),
            "source": source,
            "target": target,
            "alignment": points,
            "count": rules.counts[rows],
            "source_count": self._features.source_counts(rows),
            "target_count": self._features.target_counts(rows),
            "features": pa.ListArray.from_arrays(pa.array(ends), pa.array(features.reshape(-1))),
        }
        return pa.record_batch([columns[name] for name in RULE_SCHEMA.names], schema=RULE_SCHEMA)


def _word(symbol: str) -> str:
    """A word as rules show it, from a symbol of a corpus."""
    return escape_word(unescape_symbol(symbol))
