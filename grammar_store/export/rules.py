"""A translation grammar as exports take it: rules as rows, streamed as often as needed.

Where a grammar comes from (a session, the stored rules, a file) is not known here, nor in which
format it ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

RULE_SCHEMA = pa.schema(
    {
        "lhs": pa.string(),
        "source": pa.string(),
        "target": pa.string(),
        "alignment": pa.string(),
        "count": pa.float64(),
        "source_count": pa.float64(),
        "target_count": pa.float64(),
        "features": pa.list_(pa.float64()),
    }
)
"""One row per rule.

lhs
    The label on the left, such as ``X3``, without brackets.
source, target
    The symbols of either side, joined by one space. A gap is ``[X3,1]``: its label and its number
    in source order. A word is written as `escape_word` does.
alignment
    Points ``0-0 1-2`` over the symbols of both sides, sorted, those of gaps included; may be empty.
count, source_count, target_count
    How often the rule, its source side and its target side were seen; NULL where not known.
features
    In the order of the grammar's feature names; NULL for one that the rule does not have.
"""

LINE_SCHEMA = RULE_SCHEMA.append(pa.field("as_read", pa.string()))
"""The same of rules that were read from a file, with the line as it stood there."""

NUMBERED_SCHEMA = LINE_SCHEMA.append(pa.field("number", pa.int64()))
"""The same with a number, as the SQL files of exports take rules."""

LABEL_SCHEMA = pa.schema({"label": pa.string(), "count": pa.float64()})
"""One row per label: how often phrase pairs of this label were seen, NULL where not known."""

UNKNOWN_SCHEMA = pa.schema({"label": pa.string(), "probability": pa.float64()})
"""One row per label that an unknown word may have."""

SCORES = ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)")
"""The names of the four features that every Moses table begins with: f source, e target."""

_LABEL = r"[^\[\], \\]+"
_LOOKALIKE = re.compile(rf"\[(?=\\*(?:_|{_LABEL},[0-9]+)\])")
_ESCAPED = re.compile(rf"\[\\(?=\\*(?:_|{_LABEL},[0-9]+)\])")
_GAP = re.compile(rf"\[({_LABEL}),([0-9]+)\]")
_PROBABILITY = re.compile(r"(p|lex)\(.*\)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class TranslationGrammar:
    """A synchronous grammar with labels and features.

    Attributes
    ----------
    rules
        Gives all rules as a stream of Arrow batches of `RULE_SCHEMA`, in any order; each call
        begins anew.
    feature_names
        The names of the features, without spaces and ``=``. One named ``p(...)`` or ``lex(...)``
        is a probability; any other is a value to be added to the score of a derivation as it is.
    labels
        See `LABEL_SCHEMA`; each label of a rule is among them.
    unknown
        See `UNKNOWN_SCHEMA`.
    signature
        One line that says what the grammar was made from, and how.
    sparse
        The features that a rule may lack; all other ones every rule has.
    read_as
        The format of the file that the rules were read from; they have the columns of
        `LINE_SCHEMA` then. Empty for a grammar that was not read.

    Examples
    --------
    >>> grammar = TranslationGrammar.of(
    ...     [{"lhs": "X", "source": "das [X,1]", "target": "the [X,1]", "alignment": "0-0 1-1"}]
    ... )
    >>> grammar.rules().read_all().num_rows, grammar.labels.to_pylist()
    (1, [{'label': 'X', 'count': None}])
    """

    rules: Callable[[], pa.RecordBatchReader]
    feature_names: tuple[str, ...]
    labels: pa.Table
    unknown: pa.Table
    signature: str
    sparse: frozenset[str] = field(default_factory=frozenset)
    read_as: str = ""

    def lines(self, form: str) -> pa.RecordBatchReader:
        """The rules with the column ``as_read``, which is NULL unless they were read as `form`.

        There is also a column ``number``, of NULL, for those who must know a rule again.
        """
        kept = self.read_as == form
        batches = (_with_line(batch, kept) for batch in self.rules())
        return pa.RecordBatchReader.from_batches(NUMBERED_SCHEMA, batches)

    @classmethod
    def of(
        cls,
        rows: Iterable[Mapping[str, Any]] | pa.Table,
        feature_names: tuple[str, ...] = (),
        labels: pa.Table | None = None,
        unknown: pa.Table | None = None,
        signature: str = "",
        sparse: frozenset[str] = frozenset(),
    ) -> TranslationGrammar:
        """A grammar of rules at hand; without `labels`, those of the rules, counts not known."""
        if isinstance(rows, pa.Table):
            table = rows.select(RULE_SCHEMA.names).cast(RULE_SCHEMA)
        else:
            filled = [{"alignment": "", "features": [], **row} for row in rows]
            table = pa.Table.from_pylist(filled, RULE_SCHEMA)
        if labels is None:
            seen = set(table["lhs"].to_pylist())
            for text in table["source"].to_pylist():
                seen.update(label for label, _ in _GAP.findall(text))
            rows_of_labels = [{"label": label, "count": None} for label in sorted(seen)]
            labels = pa.Table.from_pylist(rows_of_labels, LABEL_SCHEMA)
        if unknown is None:
            unknown = UNKNOWN_SCHEMA.empty_table()
        return cls(table.to_reader, feature_names, labels, unknown, signature, sparse)


def _with_line(batch: pa.RecordBatch, kept: bool) -> pa.RecordBatch:
    columns = [batch.column(name) for name in RULE_SCHEMA.names]
    line = batch.column("as_read") if kept else pa.nulls(batch.num_rows, pa.string())
    columns += [line, pa.nulls(batch.num_rows, pa.int64())]
    return pa.RecordBatch.from_arrays(columns, schema=NUMBERED_SCHEMA)


def is_probability(name: str) -> bool:
    """Whether the feature of a name is a probability, whose logarithm decoders add up.

    Examples
    --------
    >>> is_probability("p(e|f)"), is_probability("Lex(f|e)"), is_probability("phrase-penalty")
    (True, True, False)
    """
    return _PROBABILITY.fullmatch(name) is not None


def escape_word(token: str) -> str:
    r"""A token as a word of a rule: one in which something looks like a gap gets a backslash.

    This is what `grammar_store.bitext.escape_symbol` does, for gaps of any label: the words of a
    store are brought here by ``escape_word(unescape_symbol(symbol))``.

    Examples
    --------
    >>> print(escape_word("[X,1]"), escape_word(r"[\NP,2]"), escape_word("[_]"), escape_word("[1]"))
    [\X,1] [\\NP,2] [\_] [1]
    """
    return _LOOKALIKE.sub(r"[\\", token)


def unescape_word(word: str) -> str:
    r"""The token that a word of a rule stands for.

    Examples
    --------
    >>> unescape_word(r"[\X,1]")
    '[X,1]'
    """
    return _ESCAPED.sub("[", word)


def parse_gap(symbol: str) -> tuple[str, int] | None:
    r"""The label and number of a gap; None for a word.

    Examples
    --------
    >>> parse_gap("[X3,1]"), parse_gap(r"[\X3,1]"), parse_gap("Haus")
    (('X3', 1), None, None)
    """
    found = _GAP.fullmatch(symbol)
    return (found[1], int(found[2])) if found else None
