"""The graph of a grammar from its definition, with plain dictionaries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

import networkx as nx

from grammar_store.extraction.reference import ReferenceGrammar, Rule

_GAP = re.compile(r"\[X([0-9]+),([0-9]+)\]")


def plain_graph(
    grammar: ReferenceGrammar, leaders: Mapping[int, int], lexical: bool = True
) -> nx.MultiDiGraph:
    """An edge from each class to its rules, and from rules to the classes in their gaps.

    Rules that read the same with leaders for members are one, named by the first of them.
    """
    graph = nx.MultiDiGraph()
    for number, row in enumerate(grammar.nonterminals, start=1):
        name = f"X{leaders[number]}"
        graph.add_node(name, kind="nonterminal")
        node = graph.nodes[name]
        node["count"] = node.get("count", 0) + row.count
        node["members"] = node.get("members", 0) + 1
    texts: dict[tuple[int, str, str], list[int]] = {}
    for number, rule in enumerate(grammar.rules, start=1):
        if rule.gaps or lexical:
            texts.setdefault(_reading(rule, leaders), []).append(number)
    for (lhs, source, target), numbers in texts.items():
        rules = [grammar.rules[number - 1] for number in numbers]
        count = sum((rule.count for rule in rules), Fraction(0))
        name = f"R{numbers[0]}"
        graph.add_node(
            name, kind="rule", source=source, target=target, count=count, rules=len(rules)
        )
        graph.add_edge(f"X{lhs}", name, kind="lhs", position=0)
        for gap in _GAP.finditer(source):
            graph.add_edge(name, f"X{gap[1]}", kind="slot", position=int(gap[2]))
    return graph


def _reading(rule: Rule, leaders: Mapping[int, int]) -> tuple[int, str, str]:
    def renamed(text: str) -> str:
        return _GAP.sub(lambda gap: f"[X{leaders[int(gap[1])]},{gap[2]}]", text)

    return leaders[rule.lhs_id], renamed(rule.source), renamed(rule.target)


def edges_of(graph: nx.MultiDiGraph) -> list[tuple[str, str, str, int]]:
    return sorted(
        (start, end, about["kind"], about["position"])
        for start, end, about in graph.edges(data=True)
    )
