"""Translation grammars for hypothesis, with words and labels that careless text would confuse."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from grammar_store.export.rules import (
    LABEL_SCHEMA,
    SCORES,
    UNKNOWN_SCHEMA,
    TranslationGrammar,
    escape_word,
)

TOKENS = (
    *("das", "Haus", "é", "e\u0301", "|||", "|", "||", "a|||b", "[X,1]", "[X][X]", "[X]", "[1]"),
    *(r"[\X,1]", r"[\\X,1]", "[_]", r"[\_]", "[a[X,1]", "[a]b,1]", "[NP,1]x[X,2]", "[X1,2]"),
    *("[", "]", "[]", ",", "\\", "&amp;", "&amp;amp;", "&", "&#124;", "&#91;X&#93;", "&apos;"),
    *("&lt;s&gt;", "<s>", "</s>", "'", '"', "R&D", "\u2028", "a\u2028b", "\u0085", "\u00a0"),
    *("10\u00a0000", "\u3000", "\ufeff", "\u200b", "\x1c", "\x01", "\t", "a\tb", "\r", "x\r"),
    *("\x0b", "\x0c", "\u05e9\u05dc\u05d5\u05dd", "\u202e", "\U0001f600", "\U0001d11e", "=", "--"),
    *("a=1", "p(e|f)=0.5", "0-0", "1", "1e-5", "-", "nan", "X", "NULL", "''", "%s", "{}", "$x"),
)  # fmt: skip
"""Words whose text means something to one of the formats, or to a careless reader of text."""

LABELS = (
    "X",
    "X1",
    "X2",
    "NP",
    "NP-O",
    "S",
    "GOAL",
    "A|B",
    "<s>",
    "N&amp;",
    "é",
    "a=b",
    "X'",
    "1",
    "\u00a0",
    "-LRB-",
    "\t",
)

# Any text that the reader of a bitext could give as a token.
tokens = st.sampled_from(TOKENS) | st.text(
    st.characters(exclude_characters=" \n\0", exclude_categories=["Cs"]), min_size=1, max_size=4
)
numbers = st.floats(1e-6, 1, exclude_min=True) | st.sampled_from([0.1, 1 / 3, 1.0, 1e-300, 0.25])
values = st.floats(-30, 30) | st.sampled_from([0.0, 1.0, -1.0, 2.5])
counts = st.none() | st.integers(1, 10**9).map(float) | st.floats(1e-3, 1e6)


@st.composite
def rules(draw: st.DrawFn, names: tuple[str, ...], sparse: frozenset[str]) -> dict[str, Any]:
    """A rule, as a row of the relation of rules."""
    gaps = draw(st.lists(st.sampled_from(LABELS), max_size=3))
    source: list[str | int] = [*draw(st.lists(tokens, min_size=0 if gaps else 1, max_size=4))]
    target: list[str | int] = [*draw(st.lists(tokens, min_size=0 if gaps else 1, max_size=4))]
    for number in range(len(gaps), 0, -1):
        source.insert(0, number)
    if gaps and draw(st.booleans()):
        # Somewhere else, but in the order of their numbers.
        words = [word for word in source if isinstance(word, str)]
        places = sorted(
            draw(st.lists(st.integers(0, len(words)), min_size=len(gaps), max_size=len(gaps)))
        )
        for number, place in reversed(list(enumerate(places, 1))):
            words.insert(place, number)  # type: ignore[arg-type]
        source = [*words]
    for number in range(1, len(gaps) + 1):
        target.insert(draw(st.integers(0, len(target))), number)
    points = {
        (i, target.index(symbol)) for i, symbol in enumerate(source) if isinstance(symbol, int)
    }
    free = [
        (i, j)
        for i, a in enumerate(source)
        for j, b in enumerate(target)
        if isinstance(a, str) and isinstance(b, str)
    ]
    if free:
        points.update(draw(st.lists(st.sampled_from(free), max_size=4)))
    known = [draw(counts) for _ in range(3)]
    return {
        "lhs": draw(st.sampled_from(LABELS)),
        "source": _text(source, gaps),
        "target": _text(target, gaps),
        "alignment": " ".join(f"{i}-{j}" for i, j in sorted(points)),
        "count": known[0],
        "source_count": known[1],
        "target_count": known[2],
        "features": [
            draw(st.none() | values if name in sparse else values)
            if not name.startswith(("p(", "lex("))
            else draw(st.none() | numbers if name in sparse else numbers)
            for name in names
        ],
    }


def _text(symbols: list[str | int], gaps: list[str]) -> str:
    return " ".join(
        f"[{gaps[symbol - 1]},{symbol}]" if isinstance(symbol, int) else escape_word(symbol)
        for symbol in symbols
    )


@st.composite
def grammars(draw: st.DrawFn, most: int = 8) -> TranslationGrammar:
    """A grammar with features of every kind."""
    names = (*SCORES[: draw(st.sampled_from((4, 4, 0, 2)))],)
    names += draw(st.sampled_from(((), ("penalty",), ("penalty", "p(lhs|rule)"))))
    sparse = frozenset(draw(st.sampled_from(((), ("seldom", "p(seldom)"), ("a|b",)))))
    names += tuple(sorted(sparse))
    rows = draw(st.lists(rules(names, sparse), max_size=most))
    labels = [{"label": label, "count": draw(counts)} for label in LABELS]
    unknown = [{"label": "X1", "probability": draw(numbers)}] if draw(st.booleans()) else []
    return TranslationGrammar.of(
        rows,
        names,
        pa.Table.from_pylist(labels, LABEL_SCHEMA),
        pa.Table.from_pylist(unknown, UNKNOWN_SCHEMA),
        draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=10)),
        sparse,
    )
