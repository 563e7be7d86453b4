"""How the grammar grows with the corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grammar_store.pictures.figures import BLUE, GREY, RED, new_figure, whole_steps

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from grammar_store.facade import Store


def growth(store: Store, points: int = 500) -> Figure:
    """How many non-terminals, their rules and their occurrences the first sentence pairs have.

    Parameters
    ----------
    store
        The store.
    points
        At how many places to look.
    """
    frame = store.query("show/growth", points=points)
    figure, axes = new_figure(7, 4.5)
    for column, text, colour in (
        ("rules", "their rules", RED),
        ("occurrences", "their occurrences", GREY),
        ("nonterminals", "non-terminals", BLUE),
    ):
        axes.plot(frame["sentences"], frame[column], color=colour, label=text)
    axes.set_xlabel("sentence pairs")
    axes.set_ylabel("number so far")
    if len(frame):
        axes.set_yscale("log")
    whole_steps(axes.xaxis)
    axes.margins(x=0.01)
    axes.legend(frameon=False)
    axes.set_title("Growth of the grammar with the corpus", fontsize=10)
    return figure
