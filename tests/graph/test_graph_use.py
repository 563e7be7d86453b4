"""Graphs of stores and sessions: asked for, written in networkx's formats, and drawn."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest
from sessions.stores import build, small_store
from show.test_show_html import HOSTILE, read

import grammar_store as gs
from grammar_store.errors import NotInStoreError, OptionError
from grammar_store.facade import Store
from grammar_store.show.text import visible

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with gs.open(small_store(tmp_path / "store.duckdb")) as store:
        yield store


def test_class_graph_is_the_grammar_of_the_session(store: Store) -> None:
    session = store.session("mine")
    session.merge("neue ||| new", "alte ||| old")
    session.merge("das neue ||| the new", "das alte ||| the old")
    graph = session.class_graph(limit=None)
    rows = store.sql("SELECT lhs_id, source, target, count FROM merged_rule").fetchall()
    expected = {(f"X{lhs}", source, target): count for lhs, source, target, count in rows}
    found = {
        (next(iter(graph.predecessors(name))), about["source"], about["target"]): about["count"]
        for name, about in graph.nodes(data=True)
        if about["kind"] == "rule"
    }
    assert found == pytest.approx(expected)
    members = Counter(session.at().leaders[1:].tolist())
    classes = {x for x, kind in graph.nodes(data="kind") if kind == "nonterminal"}
    assert {x: graph.nodes[x]["members"] for x in classes} == {
        f"X{leader}": number for leader, number in members.items()
    }
    assert graph.graph["session"] == "mine"
    assert graph.graph["step"] == 2


def test_a_step_of_a_session_is_shown_as_it_was(store: Store) -> None:
    session = store.session("mine")
    session.merge("neue ||| new", "alte ||| old")
    (small,) = {session.leader("alte ||| old"), session.leader("neue ||| new")}
    before = store.graph("neue ||| new", session="mine", at=0, limit=None)
    after = store.graph("neue ||| new", session=session, limit=None)
    plain = store.graph("neue ||| new", limit=None)
    assert set(before) == set(plain)
    assert after.graph["center"] == f"X{small}"
    assert after.nodes[f"X{small}"]["members"] == 2


def test_a_filler_of_two_gaps_has_two_edges(tmp_path: Path) -> None:
    build(tmp_path / "twice.duckdb", [("a b a", "x y x", "0-0 1-1 2-2")])
    with gs.open(tmp_path / "twice.duckdb") as store:
        graph = store.graph("a ||| x", limit=None)
    doubled = [
        sorted(about["position"] for about in graph.get_edge_data(rule, name).values())
        for rule, name in set(graph.edges())
        if graph.number_of_edges(rule, name) > 1
    ]
    assert doubled == [[1, 2]]


def test_questions_that_mean_nothing_are_refused(store: Store) -> None:
    for wrong in ({"hops": -1}, {"limit": 0}, {"at": 1}):
        with pytest.raises(OptionError):
            store.graph("X1", **wrong)
    with pytest.raises(NotInStoreError, match="no session"):
        store.graph("X1", session="nobody")
    with pytest.raises(NotInStoreError):
        store.graph("X999")
    assert store.sessions().empty


def test_networkx_writes_and_reads_it(store: Store) -> None:
    graph = store.graph("das ||| the", limit=None)
    file = io.BytesIO()
    nx.write_graphml(graph, file)
    file.seek(0)
    again = nx.read_graphml(file, force_multigraph=True)
    assert dict(again.nodes(data=True)) == dict(graph.nodes(data=True))
    assert sorted(again.edges(data="position")) == sorted(graph.edges(data="position"))
    data = json.loads(json.dumps(nx.node_link_data(graph, edges="edges")))
    assert nx.utils.graphs_equal(nx.node_link_graph(data, edges="edges"), nx.MultiDiGraph(graph))


def test_the_drawing_separates_the_sides(store: Store) -> None:
    graph = store.graph("das ||| the", limit=None)
    picture = ElementTree.fromstring(graph.svg(most=20))
    circles = {circle.get("cx") for circle in picture.iter(f"{SVG}circle")}
    squares = {square.get("x") for square in picture.iter(f"{SVG}rect")}
    assert len(circles) == len(squares) == 1
    assert float(circles.pop()) < float(squares.pop())
    drawn = sum(1 for _ in picture.iter(f"{SVG}circle")) + sum(
        1 for _ in picture.iter(f"{SVG}rect")
    )
    assert 15 < drawn <= 20
    assert graph.svg() == store.graph("das ||| the", limit=None).svg()


def test_drawings_show_hostile_words_as_text(tmp_path: Path) -> None:
    sentences = [(f"{word} a", f"{word} b", "0-0 1-1") for word in HOSTILE]
    build(tmp_path / "hostile.duckdb", sentences)
    with gs.open(tmp_path / "hostile.duckdb") as store:
        graph = store.graph("a ||| b", limit=None)
        page = graph._repr_html_()
        picture = ElementTree.fromstring(graph.svg())
    names = {element.tag.removeprefix(SVG) for element in picture.iter()}
    assert names == {"svg", "title", "style", "text", "path", "g", "circle", "rect"}
    titles = " ".join(title.text or "" for title in picture.iter(f"{SVG}title"))
    for word in HOSTILE:
        assert visible(word) in titles
    assert "script" not in {name for name, _ in read(page).elements}


def test_what_is_left_out_is_said(store: Store) -> None:
    graph = store.graph("das ||| the", limit=5)
    assert graph.left_out > 0
    assert f"{graph.left_out} nodes left out" in repr(graph)
    assert f"… and {graph.left_out} more nodes" in read(graph._repr_html_()).text
