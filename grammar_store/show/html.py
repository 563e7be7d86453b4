"""Rules, contexts and phrase pairs as HTML: no script, no network, for light and dark pages.

Everything that comes from a corpus or a user goes through `safe`, so that ``<b>`` is shown and not
obeyed, and stands in a ``<bdi>``, so that right-to-left words do not turn the words around them.
Colours are translucent and text has the colour of the page: one style fits every theme.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from grammar_store.show.text import number, visible, word

COLOURS = ("31 119 180", "214 94 14", "44 160 44", "197 60 140", "148 103 189", "20 150 160")
"""The colours of gaps 1, 2, ... as red, green and blue; then again from the first."""

STYLE = """\
.gs{font:14px/1.5 system-ui,sans-serif;color:inherit;max-width:100%;overflow-x:auto}
.gs h3{font-size:1.1em;margin:.2em 0}.gs h4{font-size:1em;margin:.8em 0 .2em}
.gs p{margin:.2em 0}.gs-soft{opacity:.75}
.gs table.gs-table{border-collapse:collapse;font:inherit;margin:.2em 0;color:inherit;\
background:none}
.gs .gs-table th,.gs .gs-table td{padding:.15em .7em;text-align:start;vertical-align:top;\
border:0;border-bottom:1px solid rgb(128 128 128 / 35%);background:none;color:inherit}
.gs .gs-table .gs-number{text-align:end;font-variant-numeric:tabular-nums}
.gs-side,.gs-text{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:isolate}
.gs-bar{opacity:.6;padding:0 .4em}
.gs-gap,.gs-hole{border-radius:.3em;padding:0 .3em;white-space:nowrap;\
border:1px solid rgb(128 128 128 / 80%)}
.gs-hole{border-style:dashed}.gs-gap sub{font-size:.75em;opacity:.85}
.gs mark{color:inherit;background:rgb(255 200 0 / 30%);border-radius:.2em;padding:0 .15em}
.gs-no{color:inherit;border-inline-start:.3em solid rgb(200 40 40);padding-inline-start:.5em}
.gs-yes{color:inherit;border-inline-start:.3em solid rgb(30 140 60);padding-inline-start:.5em}
""" + "\n".join(
    f".gs-gap-{place}{{background:rgb({colour} / 22%);border-color:rgb({colour} / 90%)}}"
    for place, colour in enumerate(COLOURS, start=1)
)
"""The style sheet of everything here; all of its names start with ``gs``."""

_GAP = re.compile(r"\[(?:_|X([0-9]+),([0-9]+))\]")


def safe(text: object) -> str:
    """A text for use in HTML, in attributes too.

    Examples
    --------
    >>> safe('<b>"&"')
    '&lt;b&gt;&quot;&amp;&quot;'
    """
    return escape(visible(str(text)), quote=True)


def words(text: object) -> str:
    """A text from outside, such as a name or a sentence, kept apart from what is around it.

    Examples
    --------
    >>> words("a < b")
    '<bdi class="gs-text">a &lt; b</bdi>'
    """
    return f'<bdi class="gs-text">{safe(text)}</bdi>'


def side(
    text: str, labels: Mapping[int, str] | None = None, titles: Mapping[int, str] | None = None
) -> str:
    """One side of a rule, a context or a phrase pair, with gaps coloured by their numbers.

    Parameters
    ----------
    text
        As in ``rule_text`` or ``context``: gaps are ``[X12,1]``, a hole is ``[_]``.
    labels
        How to call the non-terminals in gaps, by id, such as the leaders of their classes;
        ``X12`` where it does not say.
    titles
        What to say about them when pointed at, by id.

    Examples
    --------
    >>> side("das [X12,1]", {12: "X3"})
    '<bdi class="gs-side">das <bdi class="gs-gap gs-gap-1">X3<sub>1</sub></bdi></bdi>'
    """
    shown = " ".join(_symbol(symbol, labels or {}, titles or {}) for symbol in text.split(" "))
    return f'<bdi class="gs-side">{shown}</bdi>'


def _symbol(symbol: str, labels: Mapping[int, str], titles: Mapping[int, str]) -> str:
    gap = _GAP.fullmatch(symbol)
    if gap is None:
        return safe(word(symbol))
    if gap[1] is None:
        return '<bdi class="gs-hole" title="the hole of the context">&#8199;</bdi>'
    number, index = int(gap[1]), int(gap[2])
    colour = (index - 1) % len(COLOURS) + 1
    title = f' title="{safe(titles[number])}"' if number in titles else ""
    label = safe(labels.get(number, f"X{number}"))
    return f'<bdi class="gs-gap gs-gap-{colour}"{title}>{label}<sub>{index}</sub></bdi>'


def pair(
    source: str,
    target: str,
    labels: Mapping[int, str] | None = None,
    titles: Mapping[int, str] | None = None,
) -> str:
    """Both sides of a right-hand side, a context or a phrase pair: see `side`."""
    bar = '<span class="gs-bar" aria-hidden="true">|</span>'
    return side(source, labels, titles) + bar + side(target, labels, titles)


def rule(
    lhs: str,
    source: str,
    target: str,
    labels: Mapping[int, str] | None = None,
    titles: Mapping[int, str] | None = None,
) -> str:
    """One rule: its left-hand side, such as ``X3``, an arrow, and both sides of the right one.

    Examples
    --------
    >>> print(rule("X3", "das", "the"))
    <span class="gs-rule"><bdi>X3</bdi> → <bdi class="gs-side">das</bdi><span ...>the</bdi></span>
    """
    right = pair(source, target, labels, titles)
    return f'<span class="gs-rule"><bdi>{safe(lhs)}</bdi> → {right}</span>'


def marked(parts: Sequence[str]) -> str:
    """A sentence cut in three, before, phrase and after, with the phrase marked.

    Examples
    --------
    >>> marked(("das", "Haus", ""))
    '<bdi class="gs-side">das <mark>Haus</mark></bdi>'
    """
    before, phrase, after = (safe(part) for part in parts)
    shown = " ".join(part for part in (before, f"<mark>{phrase}</mark>", after) if part)
    return f'<bdi class="gs-side">{shown}</bdi>'


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str | float]],
    total: int | None = None,
    what: str = "rows",
) -> str:
    """A table that says how many rows are left out.

    Parameters
    ----------
    heads
        The names of the columns.
    rows
        Strings, which are HTML already, and numbers.
    total, what
        How many rows there are in all, if more than these; and what they are.

    Examples
    --------
    >>> print(table(["rule", "count"], [("a", 2)], total=5, what="rules"))
    <table class="gs-table"><thead>...</table><p class="gs-soft">… and 4 more rules</p>
    """
    shown = [list(row) for row in rows]
    head = "".join(f'<th scope="col">{safe(name)}</th>' for name in heads)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in shown)
    return (
        f'<table class="gs-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        + more((total or 0) - len(shown), what)
    )


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return f"<td>{value}</td>"
    return f'<td class="gs-number">{number(value)}</td>'


def more(left_out: int, what: str) -> str:
    """A line that says how many things are left out; nothing if none."""
    return f'<p class="gs-soft">… and {number(left_out)} more {what}</p>' if left_out > 0 else ""


def fragment(*parts: str) -> str:
    """Pieces of HTML put together with their style, for a notebook."""
    return f'<div class="gs"><style>{STYLE}</style>{"".join(parts)}</div>'
