"""Steps and their reasons in words, as HTML: everything from the corpus goes through `show`."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from grammar_store.report.content import Content, Sentence, Shared
from grammar_store.sessions.steps import Evidence, Merge, Step
from grammar_store.show import html
from grammar_store.show.text import cut, word

LONGEST = 200
"""Characters of a text; what is longer is cut, and an ellipsis shows where."""

_REASONS = {
    "tested": "their tests passed",
    "manual": "by hand",
    "clustered": "clustering found it nearest",
    "must-merge": "a constraint of the session says so",
}
_PROMOTED = {"tested": "no class promoted before passed the tests with it", "manual": "by hand"}


def shortened(text: str) -> str:
    """A text in symbols of the grammar, cut between symbols where it is too long.

    Examples
    --------
    >>> shortened("das Haus"), shortened("das " * 100)[-9:], len(shortened("a" * 1000))
    ('das Haus', 'das das …', 200)
    """
    if len(text) <= LONGEST:
        return text
    kept = text[: LONGEST - 1].rpartition(" ")[0]
    return f"{kept} …" if kept else cut(text, LONGEST)


def plain(text: str) -> str:
    r"""The same as words of the corpus, safe as text but not as HTML.

    Examples
    --------
    >>> plain(r"[\_] <b>")
    '[_] <b>'
    """
    return " ".join(word(symbol) for symbol in shortened(text).split(" "))


def percent(share: float) -> str:
    """A share for people.

    Examples
    --------
    >>> percent(0.2), percent(0.01234), percent(0.000012), percent(0.0)
    ('20 %', '1.2 %', '0.0012 %', '0 %')
    """
    return f"{100 * share:.2g} %" if share < 0.9995 else "100 %"


def many(amount: int, what: str) -> str:
    """A number of things.

    Examples
    --------
    >>> many(1, "class"), many(2000, "class"), many(0, "step")
    ('1 class', '2,000 classes', '0 steps')
    """
    return f"{amount:,} {what}" + ("" if amount == 1 else "es" if what.endswith("s") else "s")


def phrase(texts: Mapping[int, tuple[str, str]], nonterminal: int) -> Markup:
    """A non-terminal by its text, both sides."""
    source, target = texts[nonterminal]
    return Markup('<span class="phrase">{}</span>').format(pair(source, target))


def pair(source: str, target: str, labels: Mapping[int, str] | None = None) -> Markup:
    """Both sides of a phrase pair or context, gaps labelled by class."""
    # Spaces around the bar, which is not read aloud, keep the two sides apart for the ear.
    sides = [html.side(shortened(text), labels) for text in (source, target)]
    return Markup(' <span class="gs-bar" aria-hidden="true">|</span> '.join(sides))


def sentence(found: Sentence, side: str) -> Markup:
    """A side of a sentence pair with the phrase marked; of a long one what is around it."""
    before, middle, after = found.source if side == "source" else found.target
    if len(before) > LONGEST:
        before = f"… {before[-LONGEST:]}"
    return Markup(html.marked((before, cut(middle, LONGEST), cut(after, LONGEST))))


def happened(content: Content, step: Step) -> Markup:
    """What a step did."""
    if isinstance(step, Merge):
        return Markup("{} <span class=verb>joined</span> {}").format(
            phrase(content.texts, step.displaced), phrase(content.texts, step.leader)
        )
    return Markup("{} <span class=verb>was promoted</span>").format(
        phrase(content.texts, step.nonterminal)
    )


def reason(step: Step) -> str:
    """Why a step was made, in general."""
    if step.cause is not None:
        return f"forced by step {step.cause:,}"
    known = _REASONS if isinstance(step, Merge) else _PROMOTED
    return known.get(step.reason, step.reason)


def moved(content: Content, step: Step) -> str:
    """How large the classes of a step were."""
    place = step.step - 1
    members, occurrences, after = (int(column[place]) for column in content.stops.moves)
    brought = f"{many(members, 'member')}, {many(occurrences, 'occurrence')}"
    if isinstance(step, Merge):
        return f"It brought {brought}; the class then had {many(after, 'member')}."
    return f"The class had {brought}."


def evidence(content: Content, step: Step) -> Markup | None:
    """The comparison that decided a step, in words; None if there was none."""
    found = step.evidence
    if found is None:
        return None
    passed = isinstance(step, Merge)
    lead = "Closest to failing" if passed else "Failed"
    context = pair(*content.contexts[found.context_id], content.labels)
    first = phrase(content.texts, found.filler1_id)
    second = phrase(content.texts, found.filler2_id)
    deep = f" (compared at depth {found.depth})" if found.depth else ""
    return Markup("{}: {} takes {} of {} and {} of {}{}. {}").format(
        lead,
        context,
        percent(_share(found.c1, found.big_c1)),
        first,
        percent(_share(found.c2, found.big_c2)),
        second,
        deep,
        _test(found, passed),
    )


def _share(c: float, big_c: float) -> float:
    return min(c / big_c, 1.0) if big_c else 0.0


def _test(found: Evidence, passed: bool) -> str:
    if found.p_value is not None:
        return f"Fisher’s test: p\u00a0=\u00a0{found.p_value:.3g}, D\u00a0=\u00a0{found.d:.3g}."
    gap = abs(_share(found.c1, found.big_c1) - _share(found.c2, found.big_c2))
    relation = "below" if passed else "not below"
    return f"The difference {gap:.3g} is {relation} {found.bound:.3g}, D\u00a0=\u00a0{found.d:.3g}."


def shared(content: Content, found: Shared) -> Markup:
    """A context that two have in common, with its share of both."""
    return Markup("{} <span class=soft>{} of the one, {} of the other</span>").format(
        pair(found.source, found.target, content.labels), percent(found.p1), percent(found.p2)
    )


def such_as(found: Sentence) -> Markup:
    """In words what a non-terminal over word classes stands for somewhere."""
    return Markup("such as {}").format(
        Markup(html.words(cut(found.source[1], LONGEST)))
        + " | "
        + Markup(html.words(cut(found.target[1], LONGEST)))
    )
