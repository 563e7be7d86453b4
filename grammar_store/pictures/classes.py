"""How large classes are, and how alike their members."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from grammar_store.pictures.figures import BLUE, label, new_figure, words
from grammar_store.resources import sql
from grammar_store.show.text import number
from grammar_store.statistics import theta

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from grammar_store.equivalence.engine import Dissimilarities
    from grammar_store.facade import Store
    from grammar_store.sessions.session import Session
    from grammar_store.store.database import Database

_MOST_LABELS = 60


def class_sizes(session: Session, step: int | None = None, most: int = 20) -> Figure:
    """A bar for each of the classes with the most members, as of a step."""
    state = session.at(step)
    rows = state.listing(1, None, 1)
    rows.sort(key=lambda row: -row["members"])
    top = rows[:most][::-1]
    figure, axes = new_figure(8, 1.2 + 0.27 * max(len(top), 1))
    sizes = [row["members"] for row in top]
    bars = axes.barh(range(len(top)), sizes, color=BLUE)
    shown, how = words(_texts(state.database, [row["leader"] for row in top]))
    axes.set_yticks(range(len(top)), shown, **how)
    axes.bar_label(bars, [number(size) for size in sizes], padding=3, fontsize=8)
    if sizes and max(sizes) > 100 * min(sizes):
        axes.set_xscale("log")
    axes.set_xlabel("members")
    axes.margins(x=0.1, y=0.02)
    title = f"{session.name}, step {number(state.step)}: {number(len(rows))} classes"
    left_out = f", the {len(top)} largest" if len(rows) > len(top) else ""
    (title,), how = words([title + left_out])
    axes.set_title(title, fontsize=10, **how)
    return figure


def dissimilarity_matrix(
    store: Store,
    table: Dissimilarities,
    session: Session | None = None,
    alpha: float = 0.01,
) -> Figure:
    """The dissimilarities of some non-terminals, blue where they pass and red where they fail.

    Parameters
    ----------
    store, table
        The store, and what ``store.dissimilarities`` gave.
    session
        Put the members of a class together, with lines around classes.
    alpha
        The level at which blue turns into red, by Hoeffding's bound.
    """
    from matplotlib.colors import TwoSlopeNorm

    leaders = table.ids if session is None else session.at().leaders[table.ids]
    # Classes by their first member in the table, members in the order of the table.
    first = {leader: place for place, leader in reversed(list(enumerate(leaders)))}
    order = np.array(sorted(range(len(leaders)), key=lambda at: (first[leaders[at]], at)), int)
    size = 2.5 + min(0.13 * len(order), 8)
    figure, axes = new_figure(size + 2, size)
    middle = float(theta(alpha))
    matrix = table.matrix[np.ix_(order, order)]
    greatest = max(float(np.nanmax(matrix, initial=0)), 2 * middle)
    image = axes.imshow(
        matrix,
        cmap="RdBu_r",
        norm=TwoSlopeNorm(middle, 0, greatest),
        interpolation="nearest",
    )
    bar = figure.colorbar(image, ax=axes, shrink=0.8)
    bar.set_label(f"D (white: θ for alpha = {alpha:g})")
    edges = np.flatnonzero(np.diff(leaders[order])) + 0.5
    if session is not None:
        for edge in edges:
            axes.axhline(edge, color="black", linewidth=1)
            axes.axvline(edge, color="black", linewidth=1)
    if len(order) <= _MOST_LABELS:
        shown, how = words(_texts(store.database, table.ids[order].tolist()))
        axes.set_yticks(range(len(order)), shown, fontsize=7, **how)
        names = [f"X{one}" for one in table.ids[order]]
        axes.set_xticks(range(len(order)), names, rotation=90, fontsize=7)
    else:
        axes.set_xticks([])
        axes.set_yticks([])
    axes.set_title(f"{number(len(order))} non-terminals, by class", fontsize=10)
    return figure


def _texts(database: Database, ids: list[int]) -> list[str]:
    """Ids with the texts of their phrase pairs."""
    with database.cursor() as cursor:
        cursor.register("wanted", pa.table({"nonterminal_id": pa.array(ids, pa.int32())}))
        found = cursor.execute(sql("queries/nonterminals_by_id")).fetchall()
    by_id = {one: f"X{one} {label(f'{source} ||| {target}')}" for one, source, target in found}
    return [by_id[one] for one in ids]
