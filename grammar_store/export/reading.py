"""Reading a rule table: the rules as a stream, as often as needed, each with its line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from grammar_store.bitext.lines import Lines
from grammar_store.bitext.text import decode
from grammar_store.errors import InputError, OptionError
from grammar_store.export.formats import FORMATS
from grammar_store.export.parsing import Parser, Rule, parser_of
from grammar_store.export.rules import (
    LABEL_SCHEMA,
    LINE_SCHEMA,
    UNKNOWN_SCHEMA,
    TranslationGrammar,
    parse_gap,
)
from grammar_store.export.sidecar import read_sidecar

_ROWS = 20_000


def read_rules(path: str | Path, form: str, entities: bool | None = None) -> TranslationGrammar:
    r"""Read a rule table, made here or elsewhere.

    What one of our own files cannot say itself is in ``FILE.signature.json``. Without that file,
    a table is read once for the names of its features and its labels: scores of Moses get the
    names of `SCORES`, further ones ``p(5)`` and so on; those without a name in other formats
    ``dense0``, ``dense1`` and so on.

    Parameters
    ----------
    path
        The file, plain or compressed.
    form
        One of `FORMATS`.
    entities
        Whether entities stand for special characters; by default as the small file says, else
        yes.

    Raises
    ------
    InputError
        A line is not a rule of this format; the message names it. Also while rules are streamed.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rules"
    >>> _ = path.write_text("[X] ||| el [X,1] ||| the [X,1] ||| p(e|f)=0.5 ||| 0-0\n")
    >>> grammar = read_rules(path, "joshua")
    >>> grammar.rules().read_all().to_pylist()[0]["alignment"]
    '0-0 1-1'
    """
    path = Path(path)
    if form not in FORMATS:
        raise OptionError(f"there is no format {form!r} of rules: choose from {', '.join(FORMATS)}")
    facts = read_sidecar(path)
    if facts is not None and facts.get("format") != form:
        raise InputError(f"is of the format {facts.get('format')}, not {form}", path)
    if entities is None:
        entities = True if facts is None else bool(facts["entities"])
    if facts is None:
        facts = _surveyed(path, parser_of(form, None, entities))
        parser = parser_of(form, None, entities)
    else:
        dense = tuple(name for name in facts["features"] if name not in facts["sparse"])
        parser = parser_of(form, dense, entities)
    names = tuple(facts["features"])
    return TranslationGrammar(
        lambda: pa.RecordBatchReader.from_batches(LINE_SCHEMA, _batches(path, parser, names)),
        names,
        pa.Table.from_pylist(facts["labels"], LABEL_SCHEMA),
        pa.Table.from_pylist(facts["unknown"], UNKNOWN_SCHEMA),
        facts["signature"],
        frozenset(facts["sparse"]),
        form,
    )


def _parsed(path: Path, parse: Parser) -> Iterator[tuple[Rule, str]]:
    with Lines(path) as lines:
        for line in lines:
            if not line.strip():
                continue
            try:
                text = decode(line.removesuffix(b"\r"))
                yield parse(text), text
            except InputError as problem:
                raise lines.error(problem.message) from problem


def _surveyed(path: Path, parse: Parser) -> dict[str, Any]:
    """What the small file would say, from the rules themselves."""
    times: dict[str, int] = {}
    sparse: set[str] = set()
    labels: set[str] = set()
    rules = 0
    for rule, _ in _parsed(path, parse):
        rules += 1
        for name in rule.features:
            times[name] = times.get(name, 0) + 1
        sparse.update(rule.sparse)
        labels.add(rule.lhs)
        if "[" in rule.source:
            labels.update(gap[0] for gap in map(parse_gap, rule.source.split(" ")) if gap)
    sparse.update(name for name, number in times.items() if number < rules)
    return {
        "features": list(times),
        "sparse": sorted(sparse),
        "labels": [{"label": label, "count": None} for label in sorted(labels)],
        "unknown": [],
        "signature": f"read from {path.name}",
    }


def _batches(path: Path, parse: Parser, names: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    known = set(names)
    rules = _parsed(path, parse)
    while chunk := list(islice(rules, _ROWS)):
        for rule, text in chunk:
            if not rule.features.keys() <= known:
                (name, *_) = rule.features.keys() - known
                raise InputError(f"feature {name!r} of {text!r} is not in its signature", path)
        columns = {
            "lhs": [rule.lhs for rule, _ in chunk],
            "source": [rule.source for rule, _ in chunk],
            "target": [rule.target for rule, _ in chunk],
            "alignment": [rule.alignment for rule, _ in chunk],
            "count": [rule.counts[0] for rule, _ in chunk],
            "source_count": [rule.counts[1] for rule, _ in chunk],
            "target_count": [rule.counts[2] for rule, _ in chunk],
            "features": [[rule.features.get(name) for name in names] for rule, _ in chunk],
            "as_read": [text for _, text in chunk],
        }
        yield pa.RecordBatch.from_pydict(columns, LINE_SCHEMA)
