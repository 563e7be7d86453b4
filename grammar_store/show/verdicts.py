"""Verdicts as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grammar_store.show import html

if TYPE_CHECKING:
    from grammar_store.equivalence.verdict import Class, Verdict

SHOWN = 10
"""How many comparisons are shown."""


def class_name(one: Class) -> str:
    """A class by its leader: name and text."""
    return f"{one.name} ({html.pair(one.source, one.target)})"


def verdict(verdict: Verdict) -> str:
    """The outcome, the way to the comparison that decided, and the comparisons of greatest D."""
    kind = "gs-yes" if verdict.equivalent else "gs-no"
    pair = f"{class_name(verdict.first)} and {class_name(verdict.second)}"
    steps = [
        f"<p>{class_name(step.first)} and {class_name(step.second)} share"
        f" {html.pair(step.source, step.target)}, whose left-hand sides must be equivalent</p>"
        for step in verdict.path
    ]
    frame = verdict.comparisons
    top = frame.sort_values(["equal", "d"], ascending=[True, False], kind="stable").head(SHOWN)
    rows = [
        (
            html.pair(row["source"], row["target"]),
            f"X{row['first_id']}, X{row['second_id']}",
            f"{row['p1']:.4g}",
            f"{row['p2']:.4g}",
            f"{row['d']:.4g}",
            html.safe(row["test"]),
            "passes" if row["equal"] else "<strong>fails</strong>",
        )
        for row in top.to_dict("records")
    ]
    heads = ["context", "of", "first", "second", "D", "test", ""]
    return html.fragment(
        f'<p class="{kind}">{pair} {html.safe(verdict.outcome)} at alpha = {verdict.alpha:g}</p>',
        *steps,
        f'<p class="gs-soft">by Hoeffding, D passes below θ = {verdict.threshold:.4g}</p>',
        html.table(heads, rows, len(frame), "comparisons"),
    )
