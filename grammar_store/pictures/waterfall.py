"""One verdict: D in each context against what it must stay below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grammar_store.pictures.figures import BLUE, RED, label, new_figure, words
from grammar_store.show.text import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from grammar_store.equivalence.verdict import Verdict


def waterfall(verdict: Verdict, most: int = 20) -> Figure:
    """A bar of D for each of the comparisons with the greatest D, and a line at θ(α).

    Comparisons by Fisher's test, for which D decides nothing, are pale and show their p-value.
    """
    top = verdict.comparisons.nlargest(most, "d").iloc[::-1]
    figure, axes = new_figure(8.5, 1.4 + 0.28 * max(len(top), 1))
    rows = top.to_dict("records")
    for place, row in enumerate(rows):
        colour = BLUE if row["equal"] else RED
        fisher = row["test"] == "fisher"
        axes.barh(place, row["d"], color=colour, alpha=0.45 if fisher else 1)
        shares = f"{row['p1']:.2g} / {row['p2']:.2g}"
        note = f"{shares}, p = {row['p_value']:.2g}" if fisher else shares
        axes.annotate(
            note, (row["d"], place), (4, 0), textcoords="offset points", va="center", fontsize=7
        )
    shown, how = words(
        f"{label(row['source'] + ' | ' + row['target'])}  X{row['first_id']}, X{row['second_id']}"
        for row in rows
    )
    # Words of the corpus are text, not mathematics between dollar signs.
    axes.set_yticks(range(len(rows)), shown, fontsize=8, **how)
    axes.axvline(verdict.threshold, color="black", linestyle="--", linewidth=1)
    axes.margins(x=0.15, y=0.02)
    axes.set_xlim(left=0)
    axes.set_xlabel(
        f"D (dashed: θ for alpha = {verdict.alpha:g}; red: fails; pale: by Fisher's test)"
    )
    first, second = (f"{one.name} ({label(f'{one.source} ||| {one.target}')})"
                     for one in (verdict.first, verdict.second))  # fmt: skip
    left_out = len(verdict.comparisons) - len(rows)
    rest = f"\n{number(left_out)} comparisons with lesser D are left out" if left_out else ""
    (title,), how = words([f"{first} and {second} {verdict.outcome}{rest}"])
    axes.set_title(title, fontsize=9, **how)
    return figure
