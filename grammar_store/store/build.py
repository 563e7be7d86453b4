"""Build a store: read the bitext, extract the grammar, load the tables, all or nothing.

The new file takes the place of an older one only when it is complete and on disk, so that a
build that fails, is interrupted or killed leaves what was there.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import duckdb
import numpy as np
import pyarrow as pa

from grammar_store.bitext import BitextFiles, Corpus, ReadReport, read_bitext
from grammar_store.errors import OptionError, StoreError
from grammar_store.extraction.grammar import InitialGrammar, Progress, no_progress
from grammar_store.extraction.options import ExtractionOptions
from grammar_store.extraction.pruning import needed_contexts
from grammar_store.extraction.spans import span_ends
from grammar_store.extraction.tables import GrammarTables
from grammar_store.store.database import Database, new_store
from grammar_store.store.schema import REVISIONS

T = TypeVar("T")

_OCCURRENCES_AT_ONCE = 1 << 20
_MOST_THREADS = 1024
_NO_ROOM = re.compile("No space left on device|File too large|Disk quota exceeded")
_MEMORY = re.compile(r"[0-9]+(\.[0-9]+)? ?([KMGT]i?B|B|%)", re.IGNORECASE)


@dataclass(frozen=True)
class BuildSettings:
    """How to build, besides what to extract.

    Parameters
    ----------
    prune
        Keep only the contexts that tests at this level alpha, or a stricter one, can need.
    fisher_below
        With `prune`: 0 if tests will not back off to Fisher's; more can be left out then.
    threads
        Cores to use; None for all. The store is the same for any number.
    memory_limit
        What DuckDB may use before it spills to disk.
    force
        Replace a store that has sessions.
    """

    prune: float | None = None
    fisher_below: int = 20
    threads: int | None = None
    memory_limit: str = "1GB"
    force: bool = False

    def __post_init__(self) -> None:
        if self.prune is not None and not 0 < self.prune <= 1:
            raise OptionError(f"prune must be above 0 and at most 1, not {self.prune}")
        if self.fisher_below < 0:
            raise OptionError(f"fisher_below must be at least 0, not {self.fisher_below}")
        if self.threads is not None and not 1 <= self.threads <= _MOST_THREADS:
            raise OptionError(f"threads must be from 1 to {_MOST_THREADS}, not {self.threads}")
        if not _MEMORY.fullmatch(self.memory_limit):
            raise OptionError(
                f"memory_limit must be a number and a unit such as 2GB, not {self.memory_limit!r}"
            )


@dataclass
class BuildReport:
    """What a build did: sizes, what was skipped, notes on the input, seconds per stage."""

    sentences: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    nonterminals: int = 0
    rules: int = 0
    contexts: int = 0
    notes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    signature: str = ""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time that a block takes to a stage."""
        start = perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - start

    def timed(self, name: str, chunks: Iterator[T]) -> Iterator[T]:
        """Add the time that each chunk takes to make to a stage."""
        while True:
            with self.stage(name):
                chunk = next(chunks, None)
            if chunk is None:
                return
            yield chunk


def build_store(
    path: Path,
    files: BitextFiles,
    options: ExtractionOptions | None = None,
    settings: BuildSettings | None = None,
    progress: Progress = no_progress,
) -> BuildReport:
    """Build the store at `path`, replacing one that is there.

    Raises
    ------
    InputError
        The bitext cannot be read; the message names file and line.
    StoreError
        The file at `path` is no store, holds sessions (without ``force``) or cannot be
        written; StoreLockedError if another process writes to it.
    """
    options, settings = options or ExtractionOptions(), settings or BuildSettings()
    if settings.prune is not None and options.max_gaps > 1:
        raise OptionError("pruning is exact only for rules with one gap: use max_gaps=1")
    report = BuildReport()
    try:
        with new_store(
            path,
            replace=partial(refuse_to_lose_sessions, settings.force),
            memory_limit=settings.memory_limit,
            threads=settings.threads,
        ) as database:
            _fill(database, files, options, settings, progress, report)
    except (StoreError, duckdb.Error, OSError) as problem:
        if no_room := _NO_ROOM.search(str(problem)):
            raise StoreError(
                f"cannot build {path}: {no_room[0]}: make room, or choose another place; "
                "what was there before is unchanged"
            ) from problem
        if isinstance(problem, StoreError):
            raise
        said = getattr(problem, "strerror", None) or str(problem).partition("\n")[0]
        raise StoreError(f"cannot build {path}: {said}") from problem
    return report


def _fill(
    database: Database,
    files: BitextFiles,
    options: ExtractionOptions,
    settings: BuildSettings,
    progress: Progress,
    report: BuildReport,
) -> None:
    with report.stage("read"):
        corpus, read = _read(database, files, progress)
    with report.stage("extract"):
        grammar = InitialGrammar(corpus, options, settings.threads, progress)
        context_of_slot, weights = grammar.survey()
        keep = None
        if settings.prune is not None:
            fisher = settings.fisher_below > 0
            keep = needed_contexts(grammar, context_of_slot, weights, settings.prune, fisher)
    with report.stage("load"):
        _load_phrase_pairs(database, corpus, grammar)
    tables = GrammarTables(grammar, context_of_slot, weights, keep, progress)
    for chunk in report.timed("extract", tables.rules()):
        with report.stage("load"):
            database.insert("rule", chunk.rule)
            database.insert("slot", chunk.slot)
        report.rules += chunk.rule.num_rows
    for contexts in report.timed("extract", tables.contexts()):
        with report.stage("load"):
            database.insert("context", contexts)
        report.contexts += contexts.num_rows
    report.sentences, report.nonterminals = len(corpus), len(grammar)
    report.notes = list(read.notes)
    for reason in grammar.phrases.skipped.values():
        report.skipped[reason] = report.skipped.get(reason, 0) + 1
    with report.stage("load"):
        report.signature = _record_build(database, read, options, settings, report)
        progress("writing", 0, 1)
        database.checkpoint()
        progress("writing", 1, 1)


def _read(database: Database, files: BitextFiles, progress: Progress) -> tuple[Corpus, ReadReport]:
    done = 0

    def insert(batch: pa.Table) -> None:
        nonlocal done
        database.insert("bitext", batch)
        done += batch.num_rows
        progress("reading", done, 0)

    return read_bitext(files, on_batch=insert)


def _load_phrase_pairs(database: Database, corpus: Corpus, grammar: InitialGrammar) -> None:
    """Load everything but the rules: non-terminals, occurrences, glue, skipped sentences."""
    table = grammar.phrases
    database.insert(
        "nonterminal",
        pa.table(
            {
                "nonterminal_id": np.arange(1, len(grammar) + 1, dtype=np.int32),
                "source": table.nonterminals.source,
                "target": table.nonterminals.target,
                "count": table.nonterminals.counts,
                "rule_count": grammar.rule_count,
                "height": grammar.height,
                "sentences": table.nonterminals.sentences,
            }
        ),
    )
    sentence, span, of = table.occurrences.sentence, table.occurrences.span, table.nonterminal_of
    order = np.argsort(of, kind="stable")
    for start in range(0, len(order), _OCCURRENCES_AT_ONCE):
        rows = order[start : start + _OCCURRENCES_AT_ONCE]
        source_start, source_end, target_start, target_end = span_ends(span[rows])
        database.insert(
            "occurrence",
            pa.table(
                {
                    "nonterminal_id": of[rows] + np.int32(1),
                    "sentence_id": sentence[rows] + np.int32(1),
                    "source_start": source_start,
                    "source_end": source_end,
                    "target_start": target_start,
                    "target_end": target_end,
                }
            ),
        )
    words, target_words = np.diff(corpus.source.starts), np.diff(corpus.target.starts)
    # The span of a whole sentence starts at 0 on both sides.
    whole = span == ((words[sentence] << 32) | target_words[sentence]).astype(np.uint64)
    derived, times = np.unique(of[whole], return_counts=True)
    database.insert("glue", pa.table({"nonterminal_id": derived + np.int32(1), "count": times}))
    database.insert(
        "skipped_sentence",
        pa.table(
            {
                "sentence_id": pa.array([number + 1 for number in table.skipped], pa.int32()),
                "reason": pa.array(list(table.skipped.values()), pa.string()),
            }
        ),
    )


def _record_build(
    database: Database,
    read: ReadReport,
    options: ExtractionOptions,
    settings: BuildSettings,
    report: BuildReport,
) -> str:
    """Write the one row of `build`; its signature says how to get the same store again."""
    fisher = None if settings.prune is None else settings.fisher_below > 0
    made_by = version("grammar-store")
    recipe = {
        "inputs": read.fingerprints,
        "options": options.as_dict(),
        "prune": settings.prune,
        "fisher": fisher,
        "version": made_by,
    }
    digest = hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()[:16]
    changed = ",".join(f"{name}={value}" for name, value in options.changes().items())
    parts = ["grammar_store", made_by, digest, changed]
    if settings.prune is not None:
        parts.append(f"prune={settings.prune:g},fisher={'yes' if fisher else 'no'}")
    signature = "|".join(part for part in parts if part)
    database.insert(
        "build",
        pa.table(
            {
                "version": [made_by],
                "signature": [signature],
                "options": [json.dumps(options.as_dict())],
                "inputs": [json.dumps(read.fingerprints)],
                "sentences": [report.sentences],
                "skipped": [sum(report.skipped.values())],
                "prune_alpha": pa.array([settings.prune], pa.float64()),
                "prune_fisher": pa.array([fisher], pa.bool_()),
            }
        ),
    )
    return signature


def refuse_to_lose_sessions(force: bool, old: Database) -> None:
    """Refuse to replace a store that has sessions, unless forced to."""
    # The first revision had no sessions yet.
    if force or old.revision == REVISIONS[0]:
        return
    sessions = old.execute_file("queries/count_sessions").column(0)[0].as_py()
    if sessions:
        raise StoreError(
            f"{old.path} holds {sessions} session(s) that building anew would delete: "
            "choose another file or add --force"
        )
