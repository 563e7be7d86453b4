"""A graph as a file: GraphML, JSON or dot."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx

from grammar_store.errors import OptionError
from grammar_store.export.files import new_file

GRAPH_FORMATS = ("graphml", "json", "dot")
"""The names of the formats of graphs."""

# XML has no way at all to say these.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def write_graph(graph: nx.Graph, path: str | Path, form: str, signature: str) -> None:
    r"""Write a graph to a file that appears when it is complete.

    Parameters
    ----------
    graph
        Any graph of networkx; its attributes are numbers and strings.
    path
        The file; compressed if it is named ``.gz``.
    form
        ``graphml``; ``json``, the node-link form of networkx and D3; or ``dot`` for Graphviz.
        Control characters, which GraphML cannot hold, are written there as ``\x01``.
    signature
        What the graph was made from: an attribute of the graph, in dot a comment.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "graph.dot"
    >>> graph = nx.MultiDiGraph()
    >>> graph.add_node("X1", label='das ||| "the"')
    >>> write_graph(graph, path, "dot", "made by hand")
    >>> print(path.read_text(), end="")
    // made by hand
    digraph {
    "X1" [label="das ||| \"the\""];
    }
    """
    if form not in GRAPH_FORMATS:
        choices = ", ".join(GRAPH_FORMATS)
        raise OptionError(f"there is no format {form!r} of graphs: choose from {choices}")
    write = {"graphml": _graphml, "json": _json, "dot": _dot}[form]
    with new_file(path) as sink:
        for piece in write(graph, signature):
            sink.write(piece.encode())


def _graphml(graph: nx.Graph, signature: str) -> Iterator[str]:
    shown = _signed(graph, signature)
    for about in (shown.graph, *shown.nodes.values(), *(about for *_, about in shown.edges.data())):
        for name, value in about.items():
            if isinstance(value, str):
                about[name] = _NOT_XML.sub(lambda found: f"\\x{ord(found[0]):02x}", value)
    written = io.BytesIO()
    nx.write_graphml(shown, written)
    yield written.getvalue().decode()


def _json(graph: nx.Graph, signature: str) -> Iterator[str]:
    data = nx.node_link_data(_signed(graph, signature), edges="edges")
    yield json.dumps(data, ensure_ascii=False, allow_nan=False, default=str) + "\n"


def _dot(graph: nx.Graph, signature: str) -> Iterator[str]:
    directed = graph.is_directed()
    yield "".join(f"// {line}\n" for line in re.split("[\r\n]+", signature))
    yield "digraph {\n" if directed else "graph {\n"
    for node, about in graph.nodes.items():
        yield f"{_quoted(node)}{_attributes(about)};\n"
    arrow = "->" if directed else "--"
    for first, second, about in graph.edges.data():
        yield f"{_quoted(first)} {arrow} {_quoted(second)}{_attributes(about)};\n"
    yield "}\n"


def _attributes(about: dict[str, Any]) -> str:
    if not about:
        return ""
    return f" [{', '.join(f'{name}={_quoted(value)}' for name, value in about.items())}]"


def _quoted(value: Any) -> str:
    text = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def _signed(graph: nx.Graph, signature: str) -> nx.Graph:
    copy = graph.copy()
    copy.graph["signature"] = signature
    return copy
