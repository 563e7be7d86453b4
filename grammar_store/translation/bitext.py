"""The bitext of a store once more: its words, and the symbols that its grammar was made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from grammar_store.bitext.corpus import Corpus, CorpusBuilder, Side
from grammar_store.bitext.links import parse_links
from grammar_store.bitext.text import split_tokens
from grammar_store.errors import StoreError
from grammar_store.extraction.grammar import Progress, no_progress
from grammar_store.store.database import Database

_ROWS = 10_000


@dataclass(frozen=True)
class StoredBitext:
    """A bitext twice, over words and over symbols, which are the same without word classes.

    Attributes
    ----------
    words
        The corpus over words.
    symbols
        The same sentence pairs in the symbols of the store's grammar: on a side with word
        classes these are the classes.
    """

    words: Corpus
    symbols: Corpus

    @property
    def both(self) -> Corpus:
        """The corpus whose symbols are words with their classes, shown as words.

        A word can have another class at another place, and then it is another symbol: equal
        phrase pairs of this corpus are equal in words and in classes.
        """
        if self.symbols is self.words:
            return self.words
        return Corpus(
            _joined(self.words.source, self.symbols.source),
            _joined(self.words.target, self.symbols.target),
            self.words.links,
            self.words.link_starts,
        )


def _joined(words: Side, symbols: Side) -> Side:
    joined = words.tokens.astype(np.int64) * len(symbols.symbols) + symbols.tokens
    distinct, tokens = np.unique(joined, return_inverse=True)
    texts = [words.symbols[word] for word in (distinct // max(len(symbols.symbols), 1)).tolist()]
    return Side(texts, tokens.astype(np.int32), words.starts)


def stored_bitext(database: Database, progress: Progress = no_progress) -> StoredBitext:
    """Read the bitext of a store.

    Raises
    ------
    StoreError
        It has none: its grammar was made elsewhere.
    """
    rows: pa.Table = database.execute_file("translation/bitext")
    if not rows.num_rows:
        raise StoreError(
            f"{database.path} holds no bitext to extract rules from: its grammar was made"
            " elsewhere, take the stored rules"
        )
    with_classes = any(
        rows[name].null_count < rows.num_rows for name in ("source_classes", "target_classes")
    )
    words, symbols = CorpusBuilder(), CorpusBuilder()
    done = 0
    for batch in rows.to_batches(_ROWS):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            source, target, alignment, source_classes, target_classes = row
            source_words, target_words = split_tokens(source), split_tokens(target)
            links = parse_links(alignment, len(source_words), len(target_words))
            words.add(source_words, target_words, links)
            if with_classes:
                symbols.add(
                    source_words if source_classes is None else split_tokens(source_classes),
                    target_words if target_classes is None else split_tokens(target_classes),
                    links,
                )
        done += batch.num_rows
        progress("reading", done, rows.num_rows)
    corpus = words.build()
    return StoredBitext(corpus, symbols.build() if with_classes else corpus)
