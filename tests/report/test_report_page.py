"""The page as a file: the same every time, never too large, complete or not there."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from commands import names, run_here, write_large_bitext
from hypothesis import given, settings
from hypothesis import strategies as st
from report.samples import sample_with_sessions

import grammar_store as gs
from grammar_store.errors import GrammarStoreError, OptionError
from grammar_store.facade import Store
from grammar_store.report.limits import Limits
from grammar_store.report.page import as_script_data
from grammar_store.report.write import write_report


class Page(HTMLParser):
    """The elements of a page, as a browser without scripts sees them."""

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.data = ""
        self._inside = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if dict(attrs).get("type") == "application/json":
            self._inside = "data"

    def handle_data(self, data: str) -> None:
        if self._inside == "data":
            self.data += data
        elif self._inside not in ("script", "style"):
            self.text.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def with_class(self, name: str) -> int:
        return sum(name in (attrs.get("class") or "").split() for _, attrs in self.elements)


def test_the_same_session_gives_the_same_bytes(
    store: Store, pages: dict[str, Path], tmp_path: Path
) -> None:
    again = tmp_path / "again.html"
    write_report(store.database, again, "medoids", limits=Limits(steps=200))
    assert again.read_bytes() == pages["medoids"].read_bytes()


def test_the_main_content_needs_no_script(pages: dict[str, Path]) -> None:
    page = Page(pages["hand"])
    assert page.with_class("card") == 2
    assert page.with_class("why") == 1
    text = " ".join(" ".join(page.text).split())
    for words in ("things that children have", "5 members", "by hand", "forced by step 3"):
        assert words in text
    assert "25 %" in text  # 3 of 12, the Fisher test
    assert "The difference 0.1 is below 0.3" in text
    assert "p = 0.002" in text


def test_nothing_is_loaded_from_elsewhere(pages: dict[str, Path], hostile: Path) -> None:
    for path in (*pages.values(), hostile):
        for tag, attrs in Page(path).elements:
            assert tag not in ("iframe", "object", "embed", "base", "img", "audio", "video")
            assert "src" not in attrs
            assert "style" not in attrs
            assert not any(name.startswith("on") for name in attrs)
            link = attrs.get("href") or "#"
            assert link.startswith("#") or (tag == "link" and link.startswith("data:")), link


def test_steps_of_the_slider_are_those_of_the_session(store: Store, pages: dict[str, Path]) -> None:
    session = store.session("medoids")
    history = json.loads(Page(pages["medoids"]).data)["history"]
    assert history["stops"][0] == 0
    assert history["stops"][-1] == session.step
    assert 100 < len(history["stops"]) <= 200
    for place in (0, 60, len(history["stops"]) - 1):
        state = session.at(history["stops"][place])
        classes = state.classes(examples=1)
        assert history["classes"][place] == len(classes)
        ranked = classes.sort_values(["members", "count", "leader"], ascending=[False, False, True])
        expected = ranked[:12][["leader", "members"]].values.tolist()
        row = history["largest"][place]
        found = [history["texts"][number][:2] for number in row[::2]]
        assert found == [[store[x].source, store[x].target] for x, _ in expected]
        assert row[1::2] == [members for _, members in expected]


def test_the_search_knows_the_most_frequent(store: Store, tmp_path: Path) -> None:
    write_report(store.database, tmp_path / "page.html", "hand", limits=Limits(search=40))
    index = json.loads(Page(tmp_path / "page.html").data)["index"]
    first = list(store.nonterminals())[:40]
    assert index["source"] == [each.source for each in first]
    assert index["target"] == [each.target for each in first]
    assert index["count"] == [each.count for each in first]


@settings(deadline=None)
@given(st.lists(st.lists(st.text(), max_size=3), max_size=3))
def test_data_is_what_it_was_and_ends_no_element(value: object) -> None:
    text = as_script_data(value)
    assert json.loads(text) == value
    assert not re.search("[<>&\u2028\u2029]", text)


def test_a_page_keeps_to_its_size_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    # Many long words, most of them written with entities.
    words = ["<&>" * 60 + str(number) for number in range(400)]
    lines = [f"{a} {b}" for a, b in pairwise(words)]
    for name, rows in (("source", lines), ("target", lines), ("links", ["0-0 1-1"] * len(lines))):
        (tmp_path / name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    with gs.open(tmp_path / "long.duckdb") as store:
        store.build(tmp_path / "source", tmp_path / "target", tmp_path / "links")
        session = store.session("pairs")
        session.merge_all([(x, x + 1) for x in range(1, len(store), 2)])
        free = write_report(
            store.database, tmp_path / "free.html", "pairs", limits=Limits(classes=600)
        )
        tight = write_report(
            store.database,
            tmp_path / "tight.html",
            "pairs",
            limits=Limits(classes=600, megabytes=1),
        )
    assert free.size > 1_000_000
    assert tight.size == (tmp_path / "tight.html").stat().st_size <= 1_000_000
    assert Page(tmp_path / "tight.html").with_class("card") == tight.cards < free.cards
    said = " ".join(tight.left_out)
    assert f"{free.cards - tight.cards:,} of {free.cards:,} classes have no card" in said
    assert "steps are no stops" in said
    assert "cannot be searched for" in said
    text = " ".join(Page(tmp_path / "tight.html").text)
    assert all(line in text for line in tight.left_out)


def test_limits_are_kept(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    limits = Limits(classes=2, members=3, contexts=1, examples=0, pairs=0, steps=5, search=0)
    report = write_report(store.database, path, "medoids", limits=limits)
    page = Page(path)
    kinds = [attrs["data-kind"] for _, attrs in page.elements if "data-kind" in attrs]
    assert (report.cards, page.with_class("card")) == (2, 2)
    assert sorted(kinds) == ["context"] * 2 + ["member"] * 6
    assert page.with_class("why") == 0
    data = json.loads(page.data)
    assert len(data["history"]["stops"]) <= 5
    assert data["index"]["source"] == []
    assert "3 of 5 classes have no card" in report.left_out[0]


def test_long_chains_are_cut(tmp_path: Path) -> None:
    with gs.open(sample_with_sessions(tmp_path / "sample.duckdb")) as store:
        number = _chain(store)
        report = write_report(store.database, tmp_path / "page.html", "chain")
    assert (report.classes, report.cards) == (1, 1)
    text = " ".join(" ".join(Page(tmp_path / "page.html").text).split())
    # X1 was merged into X2, both into X3, and so on: the first four and the last four are shown.
    assert f"{number - 1:,} merges brought the one to the other" in text
    assert f"and {number - 9:,} more in between" in text


def _chain(store: Store) -> int:
    """Merge all non-terminals into the next one each, with evidence; how many there are."""
    number = len(store)
    ids = np.arange(1, number + 1)
    numbers = {"c1": 1.0, "big_c1": 2.0, "c2": 1.0, "big_c2": 2.0, "d": 0.1, "bound": 0.5}
    evidence = {"context_id": 1, "filler1_id": 1, "filler2_id": 2, "depth": 0} | numbers
    columns = {name: np.full(number - 1, value) for name, value in evidence.items()}
    columns |= {"displaced_id": ids[:-1], "leader_id": ids[1:]}
    test = {"test": pa.repeat(pa.scalar("hoeffding"), number - 1)}
    store.session("chain").apply(pa.table(columns | test))
    return number


@pytest.mark.long
def test_pages_of_large_sessions_are_small(tmp_path: Path) -> None:
    with gs.open(tmp_path / "large.duckdb") as store:
        store.build(*write_large_bitext(tmp_path, 30_000))
        assert _chain(store) > 100_000
        # Pairs all over: very many classes of two.
        pairs = np.random.default_rng(1).permutation(np.arange(1, len(store) + 1))
        low, high = np.sort(pairs[: len(pairs) // 2 * 2].reshape(-1, 2)).T
        store.session("pairs").apply(pa.table({"displaced_id": high, "leader_id": low}))
        for name in ("chain", "pairs"):
            page = tmp_path / f"{name}.html"
            most = {"classes": 20_000, "members": 1000, "steps": 50_000, "search": 10**6}
            for limits in (Limits(), Limits(**most)):
                report = write_report(store.database, page, name, limits=limits)
                assert page.stat().st_size == report.size < 20_000_000
                assert report.left_out


@pytest.mark.parametrize(
    ("name", "value"), [("classes", 0), ("steps", 1), ("megabytes", 0.5), ("pairs", -1)]
)
def test_limits_that_make_no_sense_are_refused(name: str, value: float) -> None:
    with pytest.raises(OptionError, match=f"{name} must be at least"):
        Limits(**{name: value})  # type: ignore[arg-type]


def test_a_page_that_cannot_be_written_leaves_the_old_one(store: Store, tmp_path: Path) -> None:
    with pytest.raises(GrammarStoreError, match="cannot write"):
        write_report(store.database, tmp_path / "nowhere" / "page.html", "hand")
    (tmp_path / "page.html").mkdir()
    with pytest.raises(GrammarStoreError, match="cannot write"):
        write_report(store.database, tmp_path / "page.html", "hand")
    assert names(tmp_path) == {"page.html"}


def test_the_command(store: Store, tmp_path: Path) -> None:
    store.close()
    page = tmp_path / "report.html"
    done = run_here("report", store.path, "--session", "hand", "-o", page, "--classes", 1).quiet()
    assert done.lines[2] == "classes shown  1 of 1,808"
    assert any(line.startswith("left out: 1 of 2 classes") for line in done.lines)
    facts = json.loads(
        run_here("report", store.path, "--session", "hand", "-o", page, "--json", "--at", 2)
        .quiet()
        .stdout
    )
    assert facts["size"] == page.stat().st_size
    assert (facts["step"], facts["classes"], facts["cards"]) == (2, 1810, 1)
    for arguments, message in (
        (["--session", "none"], "no session 'none'"),
        (["--session", "hand", "--at", 99], "no step 99"),
        (["--session", "hand", "--classes", 0], "classes must be at least 1"),
    ):
        assert message in run_here("report", store.path, *arguments, "-o", page).error
    assert names(tmp_path) == {"report.html"}
