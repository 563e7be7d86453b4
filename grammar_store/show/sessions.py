"""Sessions, states, classes and differences as HTML."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from grammar_store.show import html
from grammar_store.show.text import number
from grammar_store.show.verdicts import class_name

if TYPE_CHECKING:
    import pandas as pd

    from grammar_store.equivalence.verdict import Class
    from grammar_store.sessions.diff import Diff
    from grammar_store.sessions.member_class import MergedClass
    from grammar_store.sessions.session import Session
    from grammar_store.sessions.state import State
    from grammar_store.sessions.why import Why

SHOWN = 10
"""How many rows of each kind are shown."""


def session(session: Session) -> str:
    """A session with its greatest classes and last steps."""
    state = session.at()
    steps = session.history(SHOWN // 2).to_dict("records")
    facts = [
        html.words(session.method),
        f"{number(session.step)} steps",
        f"{number(state.class_count)} classes",
        html.safe(session.status),
    ]
    about = f"<p>{html.words(session.description)}</p>" if session.description else ""
    rows = [_step(row) for row in steps]
    return html.fragment(
        f"<h3>Session {html.words(session.name)}</h3>{about}<p>{' · '.join(facts)}</p>",
        "<h4>Classes with several members</h4>",
        _classes(state, 2),
        "<h4>The last steps</h4>" if rows else "",
        html.table(["step", "what", "why"], rows, session.step, "steps before") if rows else "",
    )


def _step(row: dict[Hashable, Any]) -> tuple[str, str, str]:
    cause = f" by step {row['cause']}" if row["reason"] == "forced" else ""
    leader = f"{row['leader']} ({_text(row['leader_text'])})"
    what = f"{leader} promoted"
    if row["kind"] == "merge":
        what = f"{row['displaced']} ({_text(row['displaced_text'])}) into {leader}"
    return f"{row['step']}", what, html.safe(row["reason"]) + cause


def _text(text: str) -> str:
    source, _, target = text.partition(" ||| ")
    return html.pair(source, target)


def state(state: State) -> str:
    """The classes of a state."""
    return html.fragment(
        f"<h3>{number(state.class_count)} classes at step {number(state.step)}</h3>",
        _classes(state, 1),
    )


def _classes(state: State, min_members: int) -> str:
    total = state.class_count if min_members == 1 else state.merged_class_count
    if not total:
        return "<p>none</p>"
    rows = []
    for row in state.listing(min_members, SHOWN, 3):
        texts = " · ".join(_text(text) for text in row["examples"])
        rest = row["members"] - len(row["examples"])
        left_out = f" … and {number(rest)} more" if rest else ""
        rows.append((f"X{row['leader']}", row["members"], row["count"], texts + left_out))
    return html.table(["leader", "members", "count", "such as"], rows, total, "classes")


def merged_class(one: MergedClass) -> str:
    """A class with its most frequent members and the contexts that the most of them fill."""
    members = one.table(SHOWN).to_dict("records")
    contexts = one.contexts(SHOWN).to_dict("records")
    total = int(contexts[0]["contexts"]) if contexts else 0
    return html.fragment(
        f"<h3>Class of {class_name(one.leader)}</h3>",
        f"<p>{number(len(one))} members, count {number(one.count)}, at step {number(one.step)}</p>",
        "<h4>Members</h4>",
        html.table(
            ["", "phrase pair", "count"],
            [
                (f"X{row['nonterminal_id']}", html.pair(row["source"], row["target"]), row["count"])
                for row in members
            ],
            len(one),
            "members",
        ),
        "<h4>Contexts that hold it together</h4>",
        html.table(
            ["context", "members in it", "count"],
            [
                (html.pair(row["source"], row["target"]), row["members"], row["count"])
                for row in contexts
            ],
            total,
            "contexts",
        ),
    )


def diff(diff: Diff) -> str:
    """What is split, joined and moved."""
    head = f"From {html.words(diff.first)} to {html.words(diff.second)}"
    if diff.equal:
        return html.fragment(f"<p>{head}: the same classes</p>")
    moved = [
        (
            f"X{row['nonterminal_id']}",
            html.pair(row["source"], row["target"]),
            row["count"],
            f"X{row['left']}",
            f"X{row['now']}",
        )
        for row in diff.moved.head(SHOWN).to_dict("records")
    ]
    heads = ["", "phrase pair", "count", "left", "now"]
    return html.fragment(
        f"<p>{head}</p>",
        _parts("Split", "into", diff.split, diff._classes),
        _parts("Joined", "from", diff.joined, diff._classes),
        "<h4>Moved</h4>" + html.table(heads, moved, len(diff.moved), "moved") if moved else "",
    )


def _parts(title: str, part: str, frame: pd.DataFrame, classes: dict[int, Class]) -> str:
    if frame.empty:
        return ""
    rows = [
        (
            class_name(classes[row["leader"]]),
            class_name(classes[row["part"]]),
            row["members"],
            row["count"],
        )
        for row in frame.head(SHOWN).to_dict("records")
    ]
    table = html.table(["class", part, "members", "count"], rows, len(frame), "parts")
    return f"<h4>{title}</h4>{table}"


def why(why: Why) -> str:
    """The merges that connect two non-terminals."""
    head = f"{class_name(why.first)} and {class_name(why.second)}"
    rows = [
        (f"{step.step}", f"X{step.displaced}", f"X{step.leader}", html.words(reason))
        for step, reason in zip(why.steps[:SHOWN], why.reasons[:SHOWN], strict=True)
    ]
    return html.fragment(
        f"<p>{head} are in one class since step {why.joined_at}</p>",
        html.table(["step", "displaced", "leader", "why"], rows, len(why.steps), "steps"),
    )
