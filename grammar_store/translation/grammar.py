"""The translation grammar of a session: rules over words whose gaps carry the classes learned."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.bitext.corpus import Corpus, Side
from grammar_store.errors import NotInStoreError, OptionError
from grammar_store.export.rules import LABEL_SCHEMA, UNKNOWN_SCHEMA, TranslationGrammar
from grammar_store.extraction.expansion import Limits, RuleSource
from grammar_store.extraction.grammar import Progress, no_progress
from grammar_store.extraction.nonterminals import PhraseTable, make_phrase_table, phrases_at
from grammar_store.extraction.options import ExtractionOptions
from grammar_store.extraction.parallel import available_threads
from grammar_store.extraction.spans import span_ends
from grammar_store.extraction.text import SideText, side_text
from grammar_store.sessions.session import Session
from grammar_store.store.database import Database
from grammar_store.translation.bitext import StoredBitext, stored_bitext
from grammar_store.translation.counting import count_rules, each_alone
from grammar_store.translation.features import FEATURES, Smoothing, require_smoothing
from grammar_store.translation.labels import (
    Labels,
    class_labels,
    labels_of_phrases,
    plain_labels,
    singleton_labels,
)
from grammar_store.translation.layout import Scene
from grammar_store.translation.table import RuleTable


class Store(Protocol):
    """A store to take the grammar from."""

    @property
    def database(self) -> Database:
        """Its file."""

    def session(self, name: str) -> Session:
        """A session by its name."""

    def sessions(self) -> pd.DataFrame:
        """All sessions."""


def translation_grammar(
    store: Store,
    session: str | Session | None = None,
    at: int | None = None,
    *,
    preset: str = "hiero",
    smoothing: Smoothing = "none",
    max_labels: int | None = None,
    threads: int | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> TranslationGrammar:
    """Extract the rules of the stored bitext, labelled with the classes of a session.

    Parameters
    ----------
    store
        The store, with its bitext.
    session
        The session, or its name: the left-hand side of a rule and each of its gaps carry the
        class of their phrase pair, named X1, X2, ... by falling count, and X0 where the phrase pair
        has none. Without a session, everything is X.
    at
        The step of the session; the last by default.
    preset, options
        What to extract: see `ExtractionOptions`. Counts are always per occurrence.
    smoothing
        Of the probabilities: ``none`` or ``good-turing``.
    max_labels
        How many classes, the largest, have a label of their own; the others are X0. All by
        default.
    threads
        Cores to use, all by default; the grammar is the same for any number.
    progress
        Called with the name of a stage, how much of it is done and how much there is.

    Examples
    --------
    >>> import grammar_store as gs
    >>> grammar = translation_grammar(gs.sample_store())
    >>> rules = grammar.rules().read_all().to_pandas()
    >>> rules[rules["source"] == "das [X,1] Haus"][["target", "alignment"]].values.tolist()
    [['the [X,1] house', '0-0 1-1 2-2']]
    """
    chosen = ExtractionOptions.preset(preset, **{"counting": "occurrence", **options})
    if chosen.counting != "occurrence":
        raise OptionError("a translation grammar counts per occurrence: leave counting out")
    require_smoothing(smoothing)
    threads = threads or available_threads()
    database = store.database
    labels, named = _labels(store, session, at, max_labels)
    bitext = stored_bitext(database, progress)
    progress("phrase pairs", 0, 1)
    phrases = _phrase_table(bitext, chosen, threads)
    of_phrase = _labels_of(database, labels, bitext, phrases, threads)
    progress("phrase pairs", 1, 1)
    scene = _scene(bitext.words, phrases, of_phrase)
    source = RuleSource(
        phrases.sentences, phrases.occurrences, scene.labels, each_alone(phrases.variants),
        Limits.of(chosen),
    )  # fmt: skip
    rules = count_rules(scene, source, threads, progress)
    rows = RuleTable(bitext.words, scene, rules, labels.names, smoothing, threads)
    build = database.execute_file("queries/build_row").to_pylist()
    changed = ",".join(f"{name}={value}" for name, value in chosen.changes().items())
    signature = "|".join(
        [build[0]["signature"] if build else "", f"translation:{changed}", f"session={named}"]
        + [f"smoothing={smoothing}"]
        + ([] if max_labels is None else [f"max_labels={max_labels}"])
    )
    return TranslationGrammar(
        rows.reader,
        FEATURES,
        _label_table(labels, of_phrase, phrases.nonterminals.counts),
        _unknown_table(database, labels, phrases, of_phrase),
        signature,
    )


def session_leaders(
    store: Store, session: str | Session, at: int | None
) -> tuple[Session, int, NDArray[np.int32]]:
    """A session, a step of it, and the leader of each non-terminal by id as of that step."""
    name = session if isinstance(session, str) else session.name
    if name not in set(store.sessions()["name"]):
        raise NotInStoreError(f"no session {name!r}: `sessions` lists all")
    found = store.session(name)
    if not isinstance(session, str) and found is not session:
        raise OptionError(f"that session {name!r} is of another store, or of one closed since")
    state = found.at(at)
    return found, state.step, state.leaders


def _labels(
    store: Store, session: str | Session | None, at: int | None, max_labels: int | None
) -> tuple[Labels, str]:
    """The labels, and what to call them in the signature."""
    counts = store.database.execute_file("queries/nonterminal_counts")["count"].to_numpy()
    if session is None:
        if at is not None or max_labels is not None:
            raise OptionError("without a session there are no steps and no classes: name one")
        return plain_labels(len(counts)), "none"
    found, step, leaders = session_leaders(store, session, at)
    labels = class_labels(leaders, np.concatenate([[0], counts]).astype(np.int64), max_labels)
    return labels, f"{found.name}@{step}"


def _phrase_table(bitext: StoredBitext, options: ExtractionOptions, threads: int) -> PhraseTable:
    """The phrase pairs of the bitext, distinct by words and by symbols of the store."""
    both = bitext.both
    source, target = _texts(both.source, both.target)
    return make_phrase_table(both, options, source, target, threads)


def _texts(source: Side, target: Side) -> tuple[SideText, SideText]:
    return SideText.of(source, is_target=False), SideText.of(target, is_target=True)


def _labels_of(
    database: Database, labels: Labels, bitext: StoredBitext, phrases: PhraseTable, threads: int
) -> NDArray[np.int32]:
    """The label of each phrase pair, looked up by the symbols of the store."""
    known = phrases.nonterminals
    source, target = known.source, known.target
    if bitext.symbols is not bitext.words and len(labels.names) > 1:
        wanted = phrases_at(phrases.occurrences, known.example)
        source, target = (
            side_text(text, wanted, threads)
            for text in _texts(bitext.symbols.source, bitext.symbols.target)
        )
    return labels_of_phrases(database, labels, source, target)


def _scene(words: Corpus, phrases: PhraseTable, of_phrase: NDArray[np.int32]) -> Scene:
    lengths = [np.diff(side.starts).max(initial=0) for side in (words.source, words.target)]
    return Scene(
        phrases.sentences,
        words.source.tokens,
        words.target.tokens,
        phrases.occurrences,
        of_phrase[phrases.nonterminal_of],
        int(max(lengths)),
        int(np.diff(words.link_starts).max(initial=0)),
    )


def _label_table(
    labels: Labels, of_phrase: NDArray[np.int32], counts: NDArray[np.int64]
) -> pa.Table:
    """How many phrase pairs of the bitext have each label, those that none has left out."""
    size = np.zeros(len(labels.names), np.int64)
    np.add.at(size, of_phrase, counts)
    used = np.flatnonzero(size)
    names = [labels.names[number] for number in used.tolist()]
    return pa.table([names, size[used].astype(np.float64)], schema=LABEL_SCHEMA)


def _unknown_table(
    database: Database, labels: Labels, phrases: PhraseTable, of_phrase: NDArray[np.int32]
) -> pa.Table:
    """The labels of unknown words, by how often words seen once have them.

    If there are none, by how often any word has them; and if there is no word, none.
    """
    known = phrases.nonterminals
    start, end, _, _ = span_ends(phrases.occurrences.span[known.example])
    single = np.flatnonzero(end - start == 1)
    rows = pa.array(single)
    sizes = singleton_labels(
        database, known.source.take(rows), known.target.take(rows), known.counts[single],
        of_phrase[single],
    )  # fmt: skip
    if not sizes:
        number = np.bincount(of_phrase[single], known.counts[single])
        sizes = {label: int(number[label]) for label in np.flatnonzero(number).tolist()}
    total = sum(sizes.values())
    names = [labels.names[label] for label in sizes]
    shares = [size / total for size in sizes.values()]
    return pa.table([names, shares], schema=UNKNOWN_SCHEMA)
