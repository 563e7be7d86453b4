"""The grammar as a graph of non-terminals and rules, for networkx."""

from grammar_store.graph.grammar_graph import GrammarGraph
from grammar_store.graph.neighbourhood import Around, grammar_graph

__all__ = ["Around", "GrammarGraph", "grammar_graph"]
