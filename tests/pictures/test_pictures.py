"""Pictures show the numbers that were asked for, and words of any kind as words."""

from __future__ import annotations

import io
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sessions.stores import build
from show.test_show_html import HOSTILE

import grammar_store as gs
from grammar_store import pictures
from grammar_store.errors import OptionError
from grammar_store.facade import Store
from grammar_store.pictures.figures import words
from grammar_store.statistics import theta


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with gs.sample_store(tmp_path_factory.mktemp("pictures") / "sample.duckdb") as store:
        session = store.session("mine")
        session.merge_all([("X1", "X3"), ("X6", "X18"), ("X18", "X37"), ("X4", "X1")])
        session.promote("X2")
        session.merge("X6", "X1")
        yield store


def drawn(figure: Any) -> bytes:
    """The picture, which must come without a warning."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=40)
    return file.getvalue()


def test_history_falls_by_one_with_each_merge(store: Store) -> None:
    figure = pictures.merge_history(store.session("mine"))
    (axes,) = figure.axes
    size = len(store)
    line = axes.get_lines()[0]
    assert line.get_ydata().tolist() == [size - k for k in (0, 1, 2, 3, 4, 4, 5)]
    assert axes.collections[0].get_offsets().tolist() == [[5, size - 4]]
    assert axes.get_xlabel() == "step"
    assert figure._repr_png_().startswith(b"\x89PNG")  # as notebooks show it


def test_class_sizes_are_numbers_of_members(store: Store) -> None:
    session = store.session("mine")
    (axes,) = pictures.class_sizes(session, most=3).axes
    sizes = Counter(session.at().leaders[1:].tolist())
    assert [bar.get_width() for bar in axes.patches][::-1] == sorted(sizes.values())[:-4:-1]
    labels = [tick.get_text() for tick in axes.get_yticklabels()]
    assert labels[-1] == f"X{sizes.most_common(1)[0][0]} das ||| the"
    assert f"{len(sizes):,} classes, the 3 largest" in axes.get_title()


def test_the_matrix_is_ordered_by_class(store: Store) -> None:
    session = store.session("mine")
    table = store.dissimilarities(top=40)
    figure = pictures.dissimilarity_matrix(store, table, session)
    axes = figure.axes[0]
    shown = [int(tick.get_text()[1:]) for tick in axes.get_xticklabels()]
    assert sorted(shown) == table.ids.tolist()
    leaders = [session.leader(x) for x in shown]
    runs = [a for a, b in zip(leaders, [*leaders[1:], None], strict=True) if a != b]
    assert len(runs) == len(set(runs))  # every class is in one piece
    pixels = np.asarray(axes.images[0].get_array())
    for row, column in ((0, 1), (3, 17), (20, 20)):
        assert pixels[row, column] == table.matrix[shown[row] - 1, shown[column] - 1]
    assert axes.images[0].norm.vcenter == pytest.approx(theta(0.01))
    drawn(figure)


def test_many_rows_of_a_matrix_have_no_labels(store: Store) -> None:
    figure = pictures.dissimilarity_matrix(store, store.dissimilarities(top=70))
    assert list(figure.axes[0].get_xticks()) == []
    drawn(figure)


def test_the_waterfall_falls(store: Store) -> None:
    verdict = store.compare("Kind ||| child", "das Kind ||| the child")
    figure = verdict.plot(most=5)
    (axes,) = figure.axes
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == sorted(verdict.comparisons["d"])[-5:]
    assert verdict.threshold in [line.get_xdata()[0] for line in axes.lines]
    assert f"{len(verdict.comparisons) - 5} comparisons" in axes.get_title()
    drawn(figure)


def test_the_tree_of_a_class_has_a_bracket_for_each_merge(store: Store) -> None:
    session = store.session("mine")
    figure = pictures.merge_tree(session, "Haus ||| house")
    (axes,) = figure.axes
    assert len(axes.get_yticklabels()) == 6
    brackets = [line.get_xdata()[1] for line in axes.lines if len(line.get_xdata()) == 4]
    assert sorted(brackets) == [1, 2, 3, 4, 6]
    drawn(figure)
    (axes,) = pictures.merge_tree(session, "Haus ||| house", most=2).axes
    labels = [tick.get_text() for tick in axes.get_yticklabels()]
    assert [text.partition(" and ")[2] for text in labels] == ["2 more", "2 more"]
    with pytest.raises(OptionError):
        pictures.merge_tree(session, "X1", most=1)


def test_a_class_of_one_is_a_tree_too(store: Store) -> None:
    drawn(pictures.merge_tree(store.session("mine"), "X50"))


def test_growth_counts_what_has_been_seen(store: Store) -> None:
    (axes,) = pictures.growth(store, points=10**6).axes
    lines = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
    places = store.sql("SELECT sentence_id, nonterminal_id FROM occurrence").fetchall()
    for number in (1, 100, 360):
        seen = {x for sentence, x in places if sentence <= number}
        assert lines["non-terminals"][number - 1] == len(seen)
        assert lines["their occurrences"][number - 1] == sum(s <= number for s, _ in places)
    assert lines["their rules"][-1] == store.info()["rules"]
    assert len(pictures.growth(store, points=7).axes[0].get_lines()[0].get_xdata()) == 7


def test_words_of_any_kind_are_drawn_without_a_warning(tmp_path: Path) -> None:
    strange = (*HOSTILE, "中文", "ไทย", "\U00010348", "$\\frac{1}{$", "\U000f0000")
    path = tmp_path / "hostile.duckdb"
    build(path, [(f"a {word}", f"b {word}", "0-0 1-1") for word in strange])
    with gs.open(path) as store:
        session = store.session("中文 $x_{$ <b>")
        ids = range(2, len(store) + 1)
        session.merge_all([("X1", f"X{x}") for x in ids])
        drawn(pictures.merge_history(session))
        drawn(pictures.merge_history(session, session.branch("שלום", 2)))
        drawn(pictures.class_sizes(session, step=0, most=100))
        drawn(pictures.merge_tree(session, 1, most=100))
        drawn(pictures.dissimilarity_matrix(store, store.dissimilarities(top=60), session))
        drawn(store.compare(2, 3).plot())


def test_letters_that_no_font_has_become_boxes() -> None:
    (shown,), how = words(["a\U000f0000$b$"])
    assert shown == "a□$b$"
    assert how["family"][0] == "DejaVu Sans"
    assert how["parse_math"] is False


def test_without_matplotlib_it_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['matplotlib'] = sys.modules['matplotlib.figure'] = None\n"
        "import grammar_store.pictures as pictures\n"
        "try: pictures.merge_history()\n"
        "except Exception as problem: print(type(problem).__name__, problem)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.startswith("OptionError pictures need matplotlib: install it with")


def test_pictures_leave_pyplot_alone(tmp_path: Path) -> None:
    program = (
        "import sys, grammar_store.pictures as pictures\n"
        "pictures.merge_history().savefig(sys.argv[1])\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "empty.png"], capture_output=True, text=True
    )
    assert done.stdout == "False\n"
