"""What a report says of itself in words: figures, facts, and what it leaves out."""

from __future__ import annotations

import json

from grammar_store.report import words
from grammar_store.report.content import Content
from grammar_store.report.limits import Limits


def summary(content: Content) -> str:
    """The session in a sentence."""
    session, store = content.session, content.store
    pairs = words.many(store.get("sentences", 0), "sentence pair")
    nonterminals, classes = len(content.counts) - 1, len(content.labels.order)
    made = words.many(session["step"], "step")
    if session["step"] < session["last_step"]:
        made = f"the first {made} of {session['last_step']:,}"
    return (
        f"The grammar of {pairs} has {words.many(nonterminals, 'non-terminal')}; {made} of this"
        f" session put them into {words.many(classes, 'class')}."
    )


def figures(content: Content) -> list[tuple[str, str]]:
    """The figures that a page begins with, by name."""
    session, store = content.session, content.store
    several = int((content.labels.members > 1).sum())
    figures = {
        "non-terminals": len(content.counts) - 1,
        "classes": len(content.labels.order),
        "with several members": several,
        "with one member": len(content.labels.order) - several,
        "merges": session["merges"],
        "promotions": session["promotions"],
        "sentence pairs": store.get("sentences", 0),
        "rules": store.get("rules", 0),
    }
    return [(name, f"{value:,}") for name, value in figures.items()]


def facts(content: Content) -> list[tuple[str, str]]:
    """Where a page comes from, by name."""
    session, store = content.session, content.store
    parameters = ", ".join(f"{key} = {value}" for key, value in session["parameters"].items())
    branch = session["parent"] and f"{session['parent']}, at step {session['forked_at']:,}"
    facts = {
        "store": store["name"],
        "signature of the grammar": store.get("signature"),
        "options of extraction": _options(store.get("options")),
        "contexts": f"{store.get('contexts', 0):,}",
        "occurrences": f"{store.get('occurrences', 0):,}",
        "sentence pairs skipped": f"{store.get('skipped', 0):,}",
        "pruned": store.get("prune_alpha") and f"for alpha up to {store['prune_alpha']:g}",
        "session": session["name"],
        "method": session["method"],
        "parameters": parameters,
        "signature of the session": session["signature"],
        "branch of": branch,
        "status": session["status"],
        "started": f"{session['created_at']:%Y-%m-%d %H:%M} UTC",
    }
    return [(name, value) for name, value in facts.items() if value]


def _options(options: str | None) -> str:
    given = json.loads(options) if options else {}
    return ", ".join(f"{name} = {value}" for name, value in given.items() if value is not None)


def history_words(content: Content, stops: list[int]) -> str:
    """What the history consists of."""
    session, shown = content.session, len(stops) - 1
    merges, promotions = session["merges"], session["promotions"]
    said = f"{words.many(merges, 'merge')}, {words.many(promotions, 'promotion')}."
    if shown < session["step"]:
        said += (
            f" The slider stops at {shown:,} of {session['step']:,} steps: where much moved, and"
            " at even distances."
        )
    return said


def steps_title(content: Content, shown: int) -> str:
    """What the list of steps is headed."""
    total = content.session["step"]
    return f"All {words.many(total, 'step')}" if shown == total else f"{shown:,} of {total:,} steps"


def classes_words(content: Content, shown: int) -> str:
    """Which classes have cards."""
    if not content.eligible:
        return "No two non-terminals are in one class."
    said = words.many(content.eligible, "class")
    if content.alone:
        said += " with several members or a promotion"
    if shown < content.eligible:
        said = f"The {shown:,} most frequent of {said}"
    alone = f"; {words.many(content.alone, 'non-terminal')} on their own are not shown"
    return said + (alone if content.alone else "") + "."


def left_out(content: Content, limits: Limits, cards: int, stops: int, known: int) -> list[str]:
    """What a page does not show, a sentence each."""
    total = len(content.counts) - 1
    shown = content.cards[:cards]
    facts = [
        (content.eligible - cards, "{} of {} classes have no card: the least frequent ones.",
         content.eligible),
        (content.alone, "{} of {} non-terminals are on their own, and have no card.", total),
        (sum(card.size - len(card.members) for card in shown),
         "{} of {} members of the classes with cards are not named on them: the rarer ones.",
         sum(card.size for card in shown)),
        (sum(card.all_contexts - len(card.contexts) for card in shown),
         "{} of {} contexts of these classes are not shown: those that fewer members fill.",
         sum(card.all_contexts for card in shown)),
        (content.session["step"] - (stops - 1),
         "{} of {} steps are no stops of the slider.", content.session["step"]),
        (total - known, "{} of {} non-terminals cannot be searched for: the rarer ones.", total),
    ]  # fmt: skip
    said = [text.format(f"{left:,}", f"{whole:,}") for left, text, whole in facts if left > 0]
    if shown and limits.pairs:
        said.append(
            f"Of each class at most {words.many(limits.pairs, 'member')} are explained; the command"
            " “grammar-store why” explains any two."
        )
    said.append(f"Texts of more than {words.LONGEST} characters are cut.")
    return said
