"""How a class came about: its merges as a tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from grammar_store.errors import OptionError
from grammar_store.pictures.figures import BLUE, label, new_figure, whole_steps, words
from grammar_store.show.text import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from grammar_store.sessions.session import Session


@dataclass
class _Branch:
    """A class at some step: how many members, who led it, and the two that it was made of."""

    leader: int
    members: int = 1
    step: int = 0
    parts: tuple[_Branch, _Branch] | None = None


def merge_tree(session: Session, x: str | int, most: int = 40) -> Figure:
    """The merges that made the class of a non-terminal, from left to right by step.

    Parameters
    ----------
    session, x
        The session, and any member of the class, by id or text.
    most
        The most leaves. Of a larger class the last merges are shown, and what they join is
        shown by its leader, with its number of members.
    """
    one = session.class_of(x)
    if most < 2:
        raise OptionError(f"most must be at least 2, not {most}")
    root = _grown(session, one.members)
    shown = _last(root, most)
    leaves = _leaves(root, shown)
    figure, axes = new_figure(8.5, 1.4 + 0.26 * len(leaves))
    rows = {id(leaf): place for place, leaf in enumerate(reversed(leaves))}
    _draw(axes, root, shown, rows)
    texts = {
        row.nonterminal_id: f"{row.source} ||| {row.target}" for row in one.table().itertuples()
    }
    names = [
        f"X{leaf.leader} {label(texts[leaf.leader])}"
        + (f" and {number(leaf.members - 1)} more" if leaf.members > 1 else "")
        for leaf in reversed(leaves)
    ]
    ticks, how = words(names)
    axes.set_yticks(range(len(leaves)), ticks, fontsize=8, **how)
    axes.set_xlabel("step of the merge")
    whole_steps(axes.xaxis)
    axes.margins(y=0.02)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    (title,), how = words(
        [f"{session.name}: class of {one.leader.name}, {number(len(one))} members"]
    )
    axes.set_title(title, fontsize=10, **how)
    return figure


def _grown(session: Session, members: list[int]) -> _Branch:
    """The tree of a class, from the merges of its members."""
    state = session.at()
    inside = np.zeros(len(state.leaders), bool)
    inside[members] = True
    branches = {member: _Branch(member) for member in members}
    for step in np.flatnonzero(inside[state.displaced] & (state.displaced > 0)):
        leader, displaced = int(state.leader_by_step[step]), int(state.displaced[step])
        parts = (branches.pop(leader), branches.pop(displaced))
        size = parts[0].members + parts[1].members
        branches[leader] = _Branch(leader, size, int(step) + 1, parts)
    (root,) = branches.values()
    return root


def _last(root: _Branch, most: int) -> set[int]:
    """The last merges of a tree, as ids of branches, that leave at most so many leaves."""
    merges: list[_Branch] = []
    waiting = [root]
    while waiting and len(merges) < most - 1:
        waiting.sort(key=lambda branch: branch.step)
        branch = waiting.pop()
        if branch.parts is None:
            break
        merges.append(branch)
        waiting.extend(branch.parts)
    return {id(branch) for branch in merges}


def _leaves(root: _Branch, shown: set[int]) -> list[_Branch]:
    """What is at the ends of the branches shown, in order; a chain of merges can be long."""
    found, waiting = [], [root]
    while waiting:
        branch = waiting.pop()
        if branch.parts is not None and id(branch) in shown:
            waiting.extend(reversed(branch.parts))
        else:
            found.append(branch)
    return found


def _draw(axes: Axes, root: _Branch, shown: set[int], rows: dict[int, int]) -> None:
    """Draw each merge as a bracket around its two parts, the earliest first."""
    merges, waiting = [], [root]
    while waiting:
        branch = waiting.pop()
        if branch.parts is not None and id(branch) in shown:
            merges.append(branch)
            waiting.extend(branch.parts)
    starts = {each: (0.0, float(row)) for each, row in rows.items()}
    earliest = min((branch.step for branch in merges), default=1)
    for branch in sorted(merges, key=lambda branch: branch.step):
        (x0, y0), (x1, y1) = (starts[id(part)] for part in branch.parts or ())
        axes.plot([x0, branch.step, branch.step, x1], [y0, y0, y1, y1], color=BLUE, linewidth=1.2)
        starts[id(branch)] = (branch.step, (y0 + y1) / 2)
    x, y = starts[id(root)]
    axes.plot([x, x + max(0.03 * x, 0.5)], [y, y], color=BLUE, linewidth=1.2)
    axes.set_xlim(left=0 if earliest < 0.5 * max(x, 1) else earliest - max(x - earliest, 1) * 0.2)
