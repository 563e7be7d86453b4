"""A bipartite graph as SVG, in itself complete: non-terminals on the left, rules on the right."""

from __future__ import annotations

import re
from typing import Any

from grammar_store.show.html import COLOURS, safe
from grammar_store.show.text import cut, number, word

_ROW, _TEXT, _GAP_WIDTH, _MARGIN = 22, 300, 260, 26
_LETTERS = 40
_SWEEPS = 8
_INSIDE = re.compile(r"\[X([0-9]+),([0-9]+)\]")

_STYLE = """\
.gs-graph text{font:12px system-ui,sans-serif;fill:currentColor;dominant-baseline:central}
.gs-graph .gs-head{font-weight:600}
.gs-graph path{fill:none;stroke-width:1.4;opacity:.7}.gs-graph .gs-lhs{stroke:currentColor}
.gs-graph circle,.gs-graph rect{stroke:currentColor;stroke-width:1}
""" + "".join(
    f".gs-graph .gs-slot-{place}{{stroke:rgb({colour})}}"
    for place, colour in enumerate(COLOURS, start=1)
)


def draw(graph: Any, most: int) -> str:
    """A graph made by `grammar_graph` as an SVG picture, the same one each time.

    Parameters
    ----------
    graph
        The graph.
    most
        How many nodes to draw; the nearest to the center and most frequent come first.

    Examples
    --------
    >>> import grammar_store as gs
    >>> picture = draw(gs.sample_store().graph("Haus ||| house", limit=5), 10)
    >>> picture.startswith("<svg"), picture.count("<circle"), picture.count("<rect")
    (True, 2, 2)
    """
    columns = _ordered(graph, _first(graph, most))
    height = _MARGIN * 2 + _ROW * max(1, *map(len, columns))
    places = {
        node: (float(_TEXT + side * _GAP_WIDTH), _MARGIN + _ROW * (row + 0.5) + offset)
        for side, column in enumerate(columns)
        for offset in [(height - 2 * _MARGIN - _ROW * len(column)) / 2]
        for row, node in enumerate(column)
    }
    width = 2 * _TEXT + _GAP_WIDTH
    drawn = [
        *(_edge(places, edge) for edge in graph.edges(keys=True, data=True) if edge[0] in places),
        *(_node(name, graph.nodes[name], *place) for name, place in places.items()),
    ]
    heads = (
        f'<text class="gs-head" x="{_TEXT - 12}" y="12" text-anchor="end">non-terminals</text>'
        f'<text class="gs-head" x="{_TEXT + _GAP_WIDTH + 12}" y="12">rules</text>'
    ) + _legend(graph)
    return (
        f'<svg class="gs-graph" xmlns="http://www.w3.org/2000/svg" role="img" width="{width}"'
        f' height="{height:g}" viewBox="0 0 {width} {height:g}">'
        f"<title>{safe(_title(graph))}</title>"
        f"<style>{_STYLE}</style>{heads}{''.join(drawn)}</svg>"
    )


def _legend(graph: Any) -> str:
    """What the colours of edges mean, in the middle of the first line."""
    positions = sorted({position for *_, position in graph.edges(data="position")})
    step = (_GAP_WIDTH - 20) / max(len(positions), 1)
    return "".join(
        f'<path class="{_class_of(position)}" d="M{x:g} 12h14"/>'
        f'<text x="{x + 18:g}" y="12">{f"gap {position}" if position else "left side"}</text>'
        for place, position in enumerate(positions)
        for x in [_TEXT + 20 + step * place]
    )


def _class_of(position: int) -> str:
    return f"gs-slot-{(position - 1) % len(COLOURS) + 1}" if position else "gs-lhs"


def _title(graph: Any) -> str:
    kinds = [kind for _, kind in graph.nodes(data="kind")]
    return f"{kinds.count('nonterminal')} non-terminals and {kinds.count('rule')} rules"


def _first(graph: Any, most: int) -> list[str]:
    """Rules in their order, each with its non-terminals, as far as they fit."""
    chosen: dict[str, None] = {}
    nodes = graph.nodes(data="distance")
    for name, _ in sorted(nodes, key=lambda node: node[1])[:1]:
        chosen[name] = None
    for name, kind in graph.nodes(data="kind"):
        if kind != "rule":
            continue
        around = [*graph.predecessors(name), name, *graph.successors(name)]
        new = [node for node in dict.fromkeys(around) if node not in chosen]
        if len(chosen) + len(new) > most:
            break
        chosen.update(dict.fromkeys(new))
    rest = [name for name in graph if name not in chosen and not graph.degree(name)]
    return [*chosen, *rest[: max(most - len(chosen), 0)]]


def _ordered(graph: Any, nodes: list[str]) -> tuple[list[str], list[str]]:
    """The two columns, ordered so that edges cross less: each node at the mean of its neighbours.

    The means of a column are taken from the other in turn; ties keep their order, so the outcome
    is always the same.
    """
    columns = ([], [])  # type: tuple[list[str], list[str]]
    for node in nodes:
        columns[graph.nodes[node]["bipartite"]].append(node)
    drawn = set(nodes)
    for sweep in range(_SWEEPS):
        fixed, moved = columns[sweep % 2], columns[1 - sweep % 2]
        place = {node: row / max(len(fixed), 1) for row, node in enumerate(fixed)}
        means = {}
        for row, node in enumerate(moved):
            around = [*graph.predecessors(node), *graph.successors(node)]
            near = [place[other] for other in around if other in drawn]
            means[node] = sum(near) / len(near) if near else row / len(moved)
        moved.sort(key=means.__getitem__)
    return columns


def _edge(
    places: dict[str, tuple[float, float]], edge: tuple[str, str, str, dict[str, Any]]
) -> str:
    start, end, _, about = edge
    position: int = about["position"]
    if end not in places:
        return ""
    (x0, y0), (x1, y1) = sorted((places[start], places[end]))
    # Several edges between the same two nodes part in the middle.
    bend = 6 * position
    middle = (x0 + x1) / 2
    curve = f"M{x0:g} {y0:g}C{middle:g} {y0 + bend:g} {middle:g} {y1 + bend:g} {x1:g} {y1:g}"
    return f'<path class="{_class_of(position)}" d="{curve}"/>'


def _node(name: str, about: dict[str, Any], x: float, y: float) -> str:
    if about["kind"] == "rule":
        shape = f'<rect x="{x - 4:g}" y="{y - 4:g}" width="8" height="8" fill="#d65e0e"/>'
        label, place = about["label"], f'x="{x + 12:g}"'
    else:
        shape = f'<circle cx="{x:g}" cy="{y:g}" r="4.5" fill="#1f77b4"/>'
        label, place = f"{name} {about['label']}", f'x="{x - 12:g}" text-anchor="end"'
    full = f"{_readable(label)}, count {number(about['count'])}"
    # First strong isolate ... pop: right-to-left words stay within their label.
    shown = f"\u2068{safe(cut(_readable(label), _LETTERS))}\u2069"
    text = f'<text {place} y="{y:g}">{shown}</text>'
    return f"<g><title>{safe(full)}</title>{shape}{text}</g>"


def _readable(label: str) -> str:
    """Gaps as ``X12₁``, which is short, and words as they were in the corpus."""
    return " ".join(_symbol(symbol) for symbol in label.split(" "))


def _symbol(symbol: str) -> str:
    gap = _INSIDE.fullmatch(symbol)
    if gap is None:
        return word(symbol)
    return f"X{gap[1]}" + "".join(chr(0x2080 + int(digit)) for digit in gap[2])
