"""The page of a report: templates filled in, within the limits of its size."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from grammar_store.report import prose, words
from grammar_store.report.content import Card, Content
from grammar_store.report.gather import LONGEST_CHAIN
from grammar_store.report.limits import Limits
from grammar_store.sessions.steps import Step
from grammar_store.show import html
from grammar_store.show.text import number, visible

_FOLDER = Path(__file__).parent

# Of the bytes of a page; what is left is for the rest of it.
_CARDS, _STEPS, _INDEX = 0.5, 0.2, 0.25

_CHART = (1000, 160)


@dataclass(frozen=True)
class Page:
    """A report as a document.

    Attributes
    ----------
    text
        The document, UTF-8.
    cards
        How many classes it shows.
    left_out
        What it does not show, a sentence each.
    """

    text: bytes
    cards: int
    left_out: tuple[str, ...]


def make_page(content: Content, limits: Limits) -> Page:
    """Make the page of a report."""
    templates = _templates(content)
    cards = _within(
        (_card(templates, content, card) for card in content.cards), limits.share(_CARDS)
    )
    draw = cache(partial(_step, templates, content))
    stops = _stops(content, draw, limits.share(_STEPS))
    history, steps = _history(content, stops), [draw(step) for step in stops if step]
    index = _index(content, limits.share(_INDEX))
    left_out = prose.left_out(content, limits, len(cards), len(stops), len(index["source"]))
    style = html.STYLE + (_FOLDER / "style.css").read_text(encoding="utf-8")
    script = (_FOLDER / "script.js").read_text(encoding="utf-8")
    text = templates.get_template("page.html").render(
        version=version("grammar-store"),
        style=Markup(style),
        script=Markup(script),
        style_hash=_hash(style),
        script_hash=_hash(script),
        data=Markup(as_script_data({"history": history, "index": index})),
        store=content.store,
        session=content.session,
        summary=prose.summary(content),
        figures=prose.figures(content),
        facts=prose.facts(content),
        chart=_chart(content, stops),
        history_words=prose.history_words(content, stops),
        steps=steps,
        steps_title=prose.steps_title(content, len(steps)),
        last_stop=len(stops) - 1,
        cards=cards,
        classes_words=prose.classes_words(content, len(cards)),
        close=[draw(step) for step in content.close],
        left_out=left_out,
    )
    return Page(text.encode(), len(cards), tuple(left_out))


def as_script_data(value: Any) -> str:
    r"""JSON that can stand in a script element: no character in it can end the element.

    Examples
    --------
    >>> as_script_data(["</script>", "a & b"])
    '["\\u003c/script\\u003e","a \\u0026 b"]'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _hash(text: str) -> str:
    """What a content security policy calls an inline script or style by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _templates(content: Content) -> Environment:
    templates = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(
        words=lambda text: Markup(html.words(text)),
        safe_text=visible,
        number=number,
        many=words.many,
        percent=words.percent,
        phrase=partial(words.phrase, content.texts),
        context=lambda found: words.pair(found.source, found.target, content.labels),
        marked=words.sentence,
        such_as=words.such_as,
        shared=partial(words.shared, content),
        happened=partial(words.happened, content),
        step=partial(_step, templates, content),
    )
    return templates


def _card(templates: Environment, content: Content, card: Card) -> Markup:
    phrases = content.sentences if content.in_classes else {}
    return Markup(
        templates.get_template("card.html").render(
            card=card,
            share=card.count / max(int(content.counts.sum()), 1),
            counts=content.counts,
            phrases=phrases,
            gap=LONGEST_CHAIN // 2,
        )
    )


def _step(templates: Environment, content: Content, number: int) -> Markup:
    step: Step = content.steps[number]
    return Markup(
        templates.get_template("step.html").render(
            step=step,
            reason=words.reason(step),
            moved=words.moved(content, step),
            evidence=words.evidence(content, step),
        )
    )


def _within(parts: Iterable[Markup], most: int) -> list[Markup]:
    """The first parts, as many as fit into so many bytes."""
    kept, size = [], 0
    for part in parts:
        size += len(part.encode())
        if size > most:
            break
        kept.append(part)
    return kept


def _stops(content: Content, draw: Callable[[int], Markup], most: int) -> list[int]:
    """The stops of the history, every second one left out until they fit."""
    stops: list[int] = content.stops.numbers.tolist()
    sizes = [len(draw(step).encode()) if step else 0 for step in stops]
    places = list(range(len(stops)))
    while len(places) > 2 and sum(sizes[place] for place in places) > most:
        places = [*places[:-1:2], places[-1]]
    return [stops[place] for place in places]


def _history(content: Content, stops: list[int]) -> dict[str, Any]:
    """The numbers behind the slider: at each stop how many classes, and the largest."""
    places = np.searchsorted(content.stops.numbers, stops)
    leaders, members = (column[places] for column in content.stops.largest)
    mentioned = [int(each) for each in np.unique(leaders) if each]
    place_of = {leader: place for place, leader in enumerate(mentioned)}
    return {
        "stops": stops,
        "classes": content.stops.classes[places].tolist(),
        "largest": [
            [value for pair in zip(row, sizes, strict=True) if pair[0]
             for value in (place_of[pair[0]], pair[1])]
            for row, sizes in zip(leaders.tolist(), members.tolist(), strict=True)
        ],
        "texts": [
            [*map(words.plain, content.texts[leader]), content.labels.number(leader)]
            for leader in mentioned
        ],
    }  # fmt: skip


def _index(content: Content, most: int) -> dict[str, list[Any]]:
    """What the search knows beside the cards, column by column."""
    columns: dict[str, list[Any]] = {"source": [], "target": [], "label": [], "count": []}
    size = 0
    for place, (source, target, label) in enumerate(content.index, start=1):
        row = words.plain(source), words.plain(target), label, int(content.counts[place])
        size += len(as_script_data(row).encode())
        if size > most:
            break
        for column, value in zip(columns.values(), row, strict=True):
            column.append(value)
    return columns


def _chart(content: Content, stops: list[int]) -> dict[str, str]:
    """The number of classes at each stop as a line, and the same in words."""
    width, height = _CHART
    places = np.searchsorted(content.stops.numbers, stops)
    classes = content.stops.classes[places].tolist()
    last, least, most = max(stops[-1], 1), min(classes), max(classes)
    # A few merges among many classes would be a flat line above nothing: only then the scale
    # does not start at 0, and the line has nothing under it.
    base = 0 if least <= most / 2 else least
    scale = (height - 24) / max(most - base, 1)
    points = [
        f"{width * step / last:.1f},{height - 12 - scale * (number - base):.1f}"
        for step, number in zip(stops, classes, strict=True)
    ]
    line = "M" + "L".join(points)
    return {
        "line": line,
        "area": "" if base else f"{line}L{width},{height}L0,{height}Z",
        "first": words.many(classes[0], "class"),
        "last": words.many(classes[-1], "class"),
        "words": f"The number of classes: {classes[0]:,} before the first step,"
        f" {classes[-1]:,} after step {stops[-1]:,}",
    }
