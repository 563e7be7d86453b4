"""How the number of classes falls, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grammar_store.pictures.figures import BLUE, RED, new_figure, whole_steps, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from grammar_store.sessions.session import Session


def merge_history(*sessions: Session) -> Figure:
    """The number of classes against the step, one line for each session.

    Promotions are marked where there is one session.

    Examples
    --------
    >>> import grammar_store as gs
    >>> session = gs.sample_store().session("mine")
    >>> _ = session.merge_all([("X1", "X2"), ("X3", "X4")])
    >>> merge_history(session).axes[0].get_lines()[0].get_ydata()
    array([1812, 1811, 1810])
    """
    figure, axes = new_figure(7, 4)
    titles, how = words(session.name for session in sessions)
    for session, title in zip(sessions, titles, strict=True):
        numbers = session.at().class_counts
        axes.plot(np.arange(len(numbers)), numbers, drawstyle="steps-post", label=title)
        if len(sessions) == 1:
            axes.get_lines()[0].set_color(BLUE)
            promoted = np.flatnonzero(np.diff(numbers) == 0) + 1
            if len(promoted):
                axes.scatter(promoted, numbers[promoted], s=14, color=RED, label="promotion")
    axes.set_xlabel("step")
    axes.set_ylabel("classes")
    whole_steps(axes.xaxis)
    whole_steps(axes.yaxis)
    axes.margins(x=0.01)
    if axes.get_legend_handles_labels()[1][1:]:
        legend = axes.legend(frameon=False, prop={"family": how["family"]})
        for text in legend.get_texts():
            text.set_parse_math(False)
    elif titles:
        axes.set_title(titles[0], fontsize=10, **how)
    return figure
