"""The formats of rule tables, and writing a grammar in one of them.

The lines are made and sorted by DuckDB, and the bytes that Arrow holds of them are the file: so
the time of a large table is that of sorting it, and the memory is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from grammar_store.errors import GrammarStoreError, OptionError
from grammar_store.export.files import new_file, write_lines
from grammar_store.export.rules import SCORES, TranslationGrammar, is_probability
from grammar_store.export.scratch import MEMORY_LIMIT, scratch
from grammar_store.export.sidecar import write_sidecar
from grammar_store.resources import sql

T = TypeVar("T")

FORMATS = ("moses", "joshua", "cdec")
"""The names of the formats of rule tables."""

_ROWS = 50_000
_DENSE = re.compile("dense[0-9]+")
_NAME = re.compile(r"[^\s=|\[\]]+(\|[^\s=|\[\]]+)*")
_LABEL = re.compile(r"[^\[\], \\]+")

# What the error() of a SQL file says, and what that means.
_REASONS = {
    "unescaped": "the word {!r} cannot stand in a rule table as it is: let it be written with"
    " entities",
    "infinite": "a feature is {} in this format, which no decoder reads: a probability must not be"
    " 0, and the exponential of a value not too large",
    "lacking": "the rule {!r} lacks a feature that every rule must have",
    "gaps": "the rule {!r} has more gaps than this format can number",
    "empty": "a rule of {} has an empty side, which no decoder reads",
}
_REASON = re.compile(f"({'|'.join(_REASONS)}): (.*)", re.DOTALL)


@dataclass(frozen=True)
class WriteOptions:
    """How rules are written.

    Parameters
    ----------
    features
        The names of the features to write, in this order. By default all of them, for Moses the
        four of `SCORES` if the grammar has them.
    entities
        Write special characters as entities; not for texts that have them already.
    digits
        How many significant digits numbers have; None for as many as give the same number again.
    memory_limit, threads
        What DuckDB may use.
    """

    features: Sequence[str] | None = None
    entities: bool = True
    digits: int | None = None
    memory_limit: str = MEMORY_LIMIT
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.digits is not None and not 1 <= self.digits <= 17:
            raise OptionError(f"digits must be from 1 to 17, not {self.digits}")


def write_rules(
    grammar: TranslationGrammar,
    path: str | Path,
    form: str,
    options: WriteOptions | None = None,
) -> int:
    """Write the rules of a grammar to a file, and beside it ``FILE.signature.json``.

    Parameters
    ----------
    grammar
        The grammar.
    path
        The file; with the ending ``.gz`` it is compressed.
    form
        One of `FORMATS`. Rules that were read from a file of this format are written as they
        stood there.
    options
        How to write.

    Returns
    -------
    int
        The number of rules.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rules"
    >>> grammar = TranslationGrammar.of(
    ...     [{"lhs": "X2", "source": "das [X1,1]", "target": "the [X1,1]", "alignment": "0-0 1-1",
    ...       "features": [0.5]}], ("p(e|f)",))
    >>> write_rules(grammar, path, "moses")
    1
    >>> print(path.read_text(), end="")
    das [X][X1] [X] ||| the [X][X1] [X2] ||| 0.5 ||| 0-0 1-1 ||| ||| |||
    """
    options = options or WriteOptions()
    path = Path(path)
    names = written_features(grammar, form, options.features)
    require_names(grammar)
    with (
        scratch(path, options.memory_limit, options.threads) as connection,
        new_file(path) as sink,
    ):
        batches = formatted(connection, grammar, form, names, options)
        number = write_lines(sink, batches)
    write_sidecar(path, grammar, form, names, options.entities)
    return number


def formatted(
    connection: duckdb.DuckDBPyConnection,
    grammar: TranslationGrammar,
    form: str,
    names: Sequence[str],
    options: WriteOptions,
) -> Iterator[pa.RecordBatch]:
    """The lines of a grammar as batches with the column ``line``, each with its line feed."""
    connection.register("rules", grammar.lines(form))
    query, values = line_query(grammar, form, names, options)
    yield from explained_batches(connection, connection.sql(query, params=values))


def line_query(
    grammar: TranslationGrammar, form: str, names: Sequence[str], options: WriteOptions
) -> tuple[str, dict[str, Any]]:
    """The SQL that makes lines of the relation ``rules``, and its values."""
    if grammar.read_as == form:
        names = ()  # all lines are as they were read
    place = {name: number for number, name in enumerate(grammar.feature_names, start=1)}
    values: dict[str, Any] = {"entities": options.entities, "digits": options.digits}
    if form == "moses":
        values["sparse_names"] = [name for name in names if name in grammar.sparse]
        for kind in ("dense", "sparse"):
            chosen = [name for name in names if (name in grammar.sparse) == (kind == "sparse")]
            values[kind] = [place[name] for name in chosen]
            values[f"{kind}_logs"] = [is_probability(name) for name in chosen]
        return sql("export/moses"), values
    bare = _DENSE.fullmatch if form == "joshua" else lambda name: None
    values["chosen"] = [place[name] for name in names]
    values["prefixes"] = ["" if bare(name) else f"{name}=" for name in names]
    values["logs"] = [is_probability(name) for name in names]
    values["base"] = 10 if form == "cdec" else 0
    values["most"] = 9 if form == "joshua" else 2**31 - 1
    return sql("export/scfg"), values


def written_features(
    grammar: TranslationGrammar, form: str, wanted: Sequence[str] | None
) -> tuple[str, ...]:
    """The names of the features that a file of this format gets."""
    if form not in FORMATS:
        raise OptionError(f"there is no format {form!r} of rules: choose from {', '.join(FORMATS)}")
    known = grammar.feature_names
    if wanted is None:
        four = form == "moses" and not grammar.read_as and set(SCORES) <= set(known)
        return SCORES if four else known
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise OptionError(f"no feature {unknown[0]!r}: there are {', '.join(known) or 'none'}")
    return tuple(wanted)


def require_names(grammar: TranslationGrammar) -> None:
    """Refuse names that no format can hold."""
    for name in grammar.feature_names:
        if not _NAME.fullmatch(name):
            raise OptionError(
                f"{name!r} cannot be the name of a feature: leave out spaces, brackets, = and |||"
            )
    for label in grammar.labels["label"].to_pylist():
        if not _LABEL.fullmatch(label):
            raise OptionError(
                f"{label!r} cannot be a label: leave out spaces, brackets, commas, backslashes"
            )


def explained_batches(
    connection: duckdb.DuckDBPyConnection, relation: duckdb.DuckDBPyRelation
) -> Iterator[pa.RecordBatch]:
    """The rows of a relation; an error of DuckDB comes out of Arrow as one of reading a file.

    They are read in another thread, so that Ctrl-C stops it: asked by Arrow, DuckDB never looks
    for signals, and a sort takes a while.
    """
    with ThreadPoolExecutor(1) as pool:

        def ask(work: Callable[[], T]) -> T:
            done = pool.submit(work)
            try:
                return done.result()
            except KeyboardInterrupt:
                while not done.done():
                    connection.interrupt()
                    wait([done], timeout=0.1)
                raise

        try:
            with ask(lambda: relation.to_arrow_reader(_ROWS)) as reader:
                while (batch := ask(lambda: next(reader, None))) is not None:
                    yield batch
        except (duckdb.Error, OSError, pa.ArrowException) as problem:
            raise _explained(problem) from problem


def _explained(problem: Exception) -> GrammarStoreError:
    said = str(problem).strip()
    if isinstance(problem.__cause__, GrammarStoreError):
        return problem.__cause__
    found = _REASON.search(said)
    if found:
        return GrammarStoreError(f"cannot write the rules: {_REASONS[found[1]].format(found[2])}")
    return GrammarStoreError(f"cannot write the rules: {said.splitlines()[0]}")
