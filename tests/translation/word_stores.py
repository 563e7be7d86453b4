"""Stores of small bitexts, with word classes and sessions, and what their labels must be."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from strategies import Sentence
from translation.plain_features import Label, Span

import grammar_store as gs
from grammar_store.export.rules import TranslationGrammar
from grammar_store.facade import Store

# What the store writes with a backslash after the bracket.
_LOOKALIKE = r"\[(\\*(?:_|X[0-9]+,[0-9]+)\])"

Texts = Sequence[tuple[str, ...]]


def built(
    path: Path,
    sentences: Sequence[Sentence],
    source_classes: Texts | None = None,
    target_classes: Texts | None = None,
    **options: Any,
) -> Store:
    """A store of sentence pairs; classes are given for every word at its place."""
    columns = {
        "source": [" ".join(source) for source, _, _ in sentences],
        "target": [" ".join(target) for _, target, _ in sentences],
        "alignment": [" ".join(f"{i}-{j}" for i, j in sorted(links)) for _, _, links in sentences],
    }
    for name, classes in (("source_factors", source_classes), ("target_factors", target_classes)):
        if classes is not None:
            columns[name] = [" ".join(each) for each in classes]
    files = {}
    for name, lines in columns.items():
        files[name] = path.with_suffix(f".{name}")
        files[name].write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    store = gs.open(path)
    store.build(**files, **options)
    return store


def labels_by_definition(
    store: Store, session: str, step: int | None, source: Texts, target: Texts
) -> Label:
    """The label of a phrase pair, found in SQL by the text of its symbols, class by class."""
    rows = store.sql(
        "SELECT n.source, n.target, n.count, c.leader_id FROM nonterminal n"
        " JOIN classes_at($session, at_step := $step) c USING (nonterminal_id)",
        session=session,
        step=step,
    ).fetchall()
    size: dict[int, int] = defaultdict(int)
    for _, _, count, leader in rows:
        size[leader] += count
    order = sorted(size, key=lambda leader: (-size[leader], leader))
    name = {leader: f"X{place}" for place, leader in enumerate(order, start=1)}
    label_of = {(f, e): name[leader] for f, e, _, leader in rows}

    def label(number: int, span: Span) -> str:
        s, e, t, u = span
        symbols = source[number][s:e], target[number][t:u]
        f, g = (" ".join(re.sub(_LOOKALIKE, r"[\\\1", each) for each in side) for side in symbols)
        return label_of.get((f, g), "X0")

    return label


def rows_of(grammar: TranslationGrammar) -> list[dict[str, Any]]:
    """The rules of a grammar, with features by name."""
    rows: list[dict[str, Any]] = grammar.rules().read_all().to_pylist()
    for row in rows:
        row |= dict(zip(grammar.feature_names, row.pop("features"), strict=True))
    return rows
