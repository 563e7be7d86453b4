"""From rows about classes and rules to the nodes and edges of a graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.graph.grammar_graph import GrammarGraph
from grammar_store.resources import sql
from grammar_store.store.names import text_of

_GAP = re.compile(r"\[X([0-9]+)(,[0-9]+\])")


def rows_of(cursor: duckdb.DuckDBPyConnection, name: str, **values: Any) -> list[dict[str, Any]]:
    """The rows of a query kept in ``schema/``."""
    found: pa.Table = cursor.sql(sql(name), params=values or None).to_arrow_table()
    return list(found.to_pylist())


def assemble(
    cursor: duckdb.DuckDBPyConnection,
    classes: Mapping[int, int],
    rules: Mapping[int, dict[str, Any]],
    leaders: NDArray[np.int32],
) -> GrammarGraph:
    """The graph of some classes and rules.

    Parameters
    ----------
    cursor
        A connection to the store.
    classes
        The distance of each class from the center, by its leader.
    rules
        Rows of ``graph/ring`` with their distance, by id.
    leaders
        The leader of each non-terminal, by id.
    """
    graph = GrammarGraph()
    members = np.arange(len(leaders), dtype=np.int32)
    cursor.register("place", pa.table({"nonterminal_id": members, "leader_id": leaders}))
    about = _by_id(cursor, "graph/classes", "leader_id", classes)
    for leader, distance in classes.items():
        row = about[leader]
        graph.add_node(
            f"X{leader}",
            kind="nonterminal",
            bipartite=0,
            nonterminal_id=leader,
            label=text_of(row["source"], row["target"]),
            distance=distance,
            **{name: value for name, value in row.items() if name != "leader_id"},
        )
    contexts = (rule["context_id"] for rule in rules.values() if rule["fillers"])
    with_gaps = _by_id(cursor, "queries/contexts_by_id", "context_id", contexts)
    words = (rule["member_id"] for rule in rules.values() if not rule["fillers"])
    lexical = _by_id(cursor, "queries/nonterminals_by_id", "nonterminal_id", words)
    for rule in rules.values():
        fillers = rule["fillers"]
        text = with_gaps[rule["context_id"]] if fillers else lexical[rule["member_id"]]
        source, target = (_filled(text[side], fillers, leaders) for side in ("source", "target"))
        _add_rule(graph, rule, source, target)
    return graph


def _by_id(
    cursor: duckdb.DuckDBPyConnection, name: str, key: str, ids: Iterable[int]
) -> dict[int, dict[str, Any]]:
    wanted = pa.array(sorted(set(ids)), pa.int32())
    cursor.register("wanted", pa.table({key: wanted}))
    return {row[key]: row for row in rows_of(cursor, name)}


def _filled(text: str, fillers: list[int], leaders: NDArray[np.int32]) -> str:
    """The text of a rule: its first context with the filler in the hole, and leaders in gaps."""
    if not fillers:
        return text
    renamed = _GAP.sub(lambda gap: f"[X{leaders[int(gap[1])]}{gap[2]}", text)
    return renamed.replace("[_]", f"[X{fillers[0]},1]")


def _add_rule(graph: GrammarGraph, rule: dict[str, Any], source: str, target: str) -> None:
    number, lhs, count = rule["rule_id"], f"X{rule['lhs_id']}", rule["count"]
    name = f"R{number}"
    graph.add_node(
        name,
        kind="rule",
        bipartite=1,
        rule_id=number,
        label=f"{lhs} → {source} | {target}",
        distance=rule["distance"],
        source=source,
        target=target,
        count=count,
        gaps=len(rule["fillers"]),
        rules=rule["rules"],
    )
    # Of the outermost rules some non-terminals can be one hop too far.
    if lhs in graph:
        graph.add_edge(lhs, name, f"{name}:lhs", kind="lhs", position=0, count=count)
    for position, filler in enumerate(rule["fillers"], start=1):
        if f"X{filler}" in graph:
            edge = {"kind": "slot", "position": position, "count": count}
            graph.add_edge(name, f"X{filler}", f"{name}:{position}", **edge)
