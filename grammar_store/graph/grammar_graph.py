"""A networkx graph that knows how to draw itself."""

from __future__ import annotations

import networkx as nx

from grammar_store.graph.drawing import draw
from grammar_store.show.html import fragment, more


class GrammarGraph(nx.MultiDiGraph):  # type: ignore[misc]
    """The bipartite graph of non-terminals and rules, made by ``store.graph``.

    An edge leads from a non-terminal to each of its rules (``kind`` is ``lhs``), and from a rule to
    the non-terminal in each of its gaps (``kind`` is ``slot``, with its ``position``): paths are
    derivations. Two gaps of a rule can have the same filler, so there can be two edges.

    Nodes are named ``X12`` and ``R34``. All attributes are numbers and strings, as GraphML
    wants them.

    =================  =====================================================================
    of a non-terminal  kind ``nonterminal``, bipartite 0, nonterminal_id, label, source, target,
                       count, members of its class, height, distance from the center
    of a rule          kind ``rule``, bipartite 1, rule_id, label, source, target, count,
                       gaps, rules that became this one, distance
    of an edge         kind, position (0 for ``lhs``), count of its rule
    of the graph       center, hops, limit, session, step, as far as given; and what is left
                       out beyond the limit: left_out_nonterminals, left_out_rules
    =================  =====================================================================

    Examples
    --------
    >>> import grammar_store as gs
    >>> graph = gs.sample_store().graph("Haus ||| house", hops=2)
    >>> graph.nodes["X37"]["label"], graph.nodes["X37"]["count"]
    ('Haus ||| house', 26)
    >>> [kind for _, _, kind in graph.in_edges("X37", data="kind")][:2]
    ['slot', 'slot']
    """

    @property
    def left_out(self) -> int:
        """How many nodes there are beyond the limit."""
        return int(self.graph.get("left_out_nonterminals", 0) + self.graph.get("left_out_rules", 0))

    def svg(self, most: int = 200) -> str:
        """A drawing, non-terminals on the left and rules on the right; the first `most` nodes."""
        return draw(self, most)

    def _repr_html_(self) -> str:
        hidden = max(len(self) - 60, 0) + self.left_out
        return fragment(draw(self, 60), more(hidden, "nodes"))

    def __repr__(self) -> str:
        kinds = [kind for _, kind in self.nodes(data="kind")]
        left_out = f", {self.left_out:,} nodes left out" if self.left_out else ""
        return (
            f"<GrammarGraph of {kinds.count('nonterminal'):,} non-terminals and"
            f" {kinds.count('rule'):,} rules{left_out}>"
        )
