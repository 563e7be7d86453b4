"""The graph is the one of the definition, and limits leave out what they say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from equivalence.worlds import World, fill, worlds
from graph.plain_graph import edges_of, plain_graph
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grammar_store.graph import Around, GrammarGraph, grammar_graph
from grammar_store.store.database import Database, new_store


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    path = tmp_path_factory.mktemp("graph") / "store.duckdb"
    with new_store(path):
        pass
    with Database(path, threads=1) as database:
        yield database


def examples(number: int) -> settings:
    return settings(max_examples=number, deadline=None, suppress_health_check=list(HealthCheck))


def graph_of(database: Database, world: World, around: Around) -> GrammarGraph:
    with database.cursor() as cursor:
        fill(cursor, world.grammar)
    leaders = np.array([0, *(world.leaders[x] for x in sorted(world.leaders))], np.int32)
    merged = any(x != leader for x, leader in world.leaders.items())
    return grammar_graph(database, around, leaders if merged else None)


def assert_same(found: GrammarGraph, expected: nx.MultiDiGraph) -> None:
    assert set(found) == set(expected)
    assert edges_of(found) == edges_of(expected)
    for name, about in expected.nodes(data=True):
        node = found.nodes[name]
        assert {key: node[key] for key in about if key != "count"} == {
            key: value for key, value in about.items() if key != "count"
        }
        assert node["count"] == pytest.approx(float(about["count"]), rel=1e-12)
        assert node["bipartite"] == (about["kind"] == "rule")
    assert found.left_out == 0


@examples(15)
@given(world=worlds(), lexical=st.booleans())
def test_the_whole_graph_is_that_of_the_definition(
    database: Database, world: World, lexical: bool
) -> None:
    found = graph_of(database, world, Around(None, limit=None, lexical=lexical))
    assert_same(found, plain_graph(world.grammar, world.leaders, lexical))
    assert nx.is_bipartite(found)


@examples(15)
@given(world=worlds(), hops=st.integers(0, 5))
def test_a_neighbourhood_is_what_networkx_finds_in_the_whole_graph(
    database: Database, world: World, hops: int
) -> None:
    center = world.leaders[world.pair[0]]
    found = graph_of(database, world, Around(center, hops, limit=None))
    whole = plain_graph(world.grammar, world.leaders)
    assert_same(found, nx.ego_graph(whole, f"X{center}", radius=hops, undirected=True))
    distances = nx.single_source_shortest_path_length(whole.to_undirected(), f"X{center}")
    for name, distance in found.nodes(data="distance"):
        assert distance == distances[name]


@examples(15)
@given(world=worlds(), hops=st.integers(1, 4), limit=st.integers(1, 30), middle=st.booleans())
def test_limits_keep_what_is_near_and_frequent(
    database: Database, world: World, hops: int, limit: int, middle: bool
) -> None:
    center = world.leaders[world.pair[0]] if middle else None
    found = graph_of(database, world, Around(center, hops, limit))
    whole = plain_graph(world.grammar, world.leaders)
    if middle:
        whole = nx.ego_graph(whole, f"X{center}", radius=hops, undirected=True)
        distances = nx.single_source_shortest_path_length(whole.to_undirected(), f"X{center}")
    else:
        distances = {name: int(kind == "rule") for name, kind in whole.nodes(data="kind")}
    assert len(found) <= limit
    assert found.left_out == len(whole) - len(found)
    assert set(found) <= set(whole)
    # Rules are whole, as far as the hops reach.
    assert edges_of(found) == edges_of(whole.subgraph(found))
    rules = [name for name, kind in whole.nodes(data="kind") if kind == "rule"]
    for name in rules:
        if name in found:
            assert set(nx.all_neighbors(whole, name)) <= set(found)
    kept = [(distances[name], -whole.nodes[name]["count"]) for name in rules if name in found]
    left = [(distances[name], -whole.nodes[name]["count"]) for name in rules if name not in found]
    if kept and left:
        assert max(kept) <= min(left)
    # One rule more, with its non-terminals, would not have fitted.
    if left:
        first = min(
            (name for name in rules if name not in found),
            key=lambda name: (distances[name], -whole.nodes[name]["count"], int(name[1:])),
        )
        new = {first, *nx.all_neighbors(whole, first)} - set(found)
        assert len(found) + len(new) > limit


def test_a_greater_limit_gives_more_of_the_same(sample: Path) -> None:
    import grammar_store as gs

    with gs.open(sample, read_only=True) as store:
        small, large = (store.graph("X1", 2, limit=limit) for limit in (20, 100))
        assert set(small) <= set(large)
        assert list(small) == list(store.graph("X1", 2, limit=20))
