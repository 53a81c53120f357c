"""A flow network that a rule wrote itself, in layers from where units come to where they go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import networkx as nx

from hierpair.errors import BadInput
from hierpair.measures.evidence import ArcRow, FlowEvidence, cost_text
from hierpair.plots.canvas import Canvas, Point, open_canvas
from hierpair.plots.diagrams.cost_texts import Arc, place_texts
from hierpair.plots.diagrams.layers import Layered, layered
from hierpair.plots.style import ACCENT, GREY, INK, LIGHT, NAME, NOTE, PAD, SMALL
from hierpair.plots.text_metrics import TextMetrics, metrics_of, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_own_network"]

ROOM = 92.0
"""Least room between two layers."""

BELOW = 9.0
"""Distance of arcs that go back below everything."""


@dataclass(frozen=True)
class _Shape:
    """Nodes in layers; the first one, if units return to it, stands at both ends.

    Attributes
    ----------
    order
        Nodes by place in the picture, ``len(nodes)`` for the first one's second place.
    ends
        Of every arc, the places of tail and head.
    layers
        Where the places are, with the routes of the arcs in ``forward``.
    forward
        Pairs of places that are joined from left to right; all other arcs go back.
    """

    order: list[int]
    ends: list[tuple[int, int]]
    layers: Layered
    forward: dict[tuple[int, int], int]


def plot_own_network(
    evidence: FlowEvidence,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    digits: int = 4,
) -> Axes:
    """Draw a flow network that a rule wrote itself, with its flow.

    Arcs run from left to right where they can, others below. On an arc stand the cost of a unit
    and, where more than one may pass, how many do; thick arcs carry something. Below are what the
    families of arcs say, with what they carry and cost.

    Parameters
    ----------
    evidence
        The network, such as ``explain(…)[0].evidence`` of a measure that is a ``NetworkRule``.
    ax
        Axes to draw on; by default a new figure of fitting size. On small axes everything
        shrinks.
    title
        Above the picture.
    digits
        Decimals of costs, at most.

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing, or this is no network of one's own.
    """
    if not isinstance(evidence, FlowEvidence) or not evidence.written:
        raise BadInput(
            f"a network of one's own is drawn here, not a {type(evidence).__name__}; plot_pairing "
            "draws the pairing of other rules"
        )
    notes = [f"cost {cost_text(evidence.cost, digits)}", *_families(evidence, digits)]
    names = shortened([node.says for node in evidence.counted])
    metrics = metrics_of([*names, *notes, title or ""])
    names = [metrics.legible(name) for name in names]
    shape = _shape(evidence, metrics.height("Ag", NAME) + 8)
    texts = [_text(arc, digits) for arc in evidence.arcs]
    boxes = _boxes(shape, names, metrics, max((metrics.width(t, SMALL) for t in texts), default=0))
    lines = list(_lines(evidence.arcs, shape, boxes))
    heights = [y for points in lines for _, y in points]
    lowest = min([*(c[1] for c in boxes), *heights], default=0.0)
    right = max((c[2] for c in boxes), default=0.0)
    top = max([*(c[3] for c in boxes), *heights], default=0.0)
    wide = max([right, *(metrics.width(note, NOTE) for note in notes)])
    corners = (0.0, lowest - 1.4 * NOTE * (len(notes) + 0.5), wide, top)
    canvas = open_canvas(ax, corners, title, metrics)
    for arc, points in zip(evidence.arcs, lines, strict=True):
        used = arc.units > 0
        canvas.stroke(
            points, colour=ACCENT if used else LIGHT, width=1.8 if used else 0.5,
            head=4.0 if used else 3.0, order=2 if used else 1,
        )  # fmt: skip
    _write_costs(canvas, evidence.arcs, lines, texts)
    for place, box in enumerate(boxes):
        node = shape.order[place]
        canvas.box(box, edge=INK)
        middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        canvas.write(*middle, names[0 if node == len(names) else node])
    for k, note in enumerate(notes):
        y = lowest - 1.4 * NOTE * (k + 1)
        canvas.write(0, y, metrics.legible(note), size=NOTE, colour=GREY, align="left")
    return canvas.axes


def _text(arc: ArcRow, digits: int) -> str:
    """Return cost and flow of an arc, as far as they are not the usual ones."""
    cost = cost_text(arc.cost, digits) if arc.cost else ""
    many = f"{arc.units} of [{arc.lower}, {arc.upper}]" if (arc.lower, arc.upper) != (0, 1) else ""
    return ", ".join(filter(None, [cost, many]))


def _families(evidence: FlowEvidence, digits: int) -> Iterator[str]:
    """Yield what the families say, with what they carry and cost."""
    found: dict[str, list[ArcRow]] = {}
    for arc in evidence.arcs:
        found.setdefault(arc.source, []).append(arc)
    for says, arcs in found.items():
        carried = sum(arc.units for arc in arcs)
        cost = cost_text(sum(arc.units * arc.cost for arc in arcs), digits)
        yield f"{says.replace('{}', '…')}: {carried} unit{'s' * (carried != 1)}, cost {cost}"


def _shape(evidence: FlowEvidence, tall: float) -> _Shape:
    """Put the nodes into layers."""
    n = len(evidence.counted)
    returns = any(arc.head == 0 for arc in evidence.arcs)
    ends = [(arc.tail, n if arc.head == 0 and returns else arc.head) for arc in evidence.arcs]
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n + returns))
    for tail, head in ends:
        if tail != head and not nx.has_path(graph, head, tail):  # what closes a cycle goes back
            graph.add_edge(tail, head)
    level: dict[int, int] = {}
    for depth, nodes in enumerate(nx.topological_generations(graph)):
        level |= dict.fromkeys(nodes, depth)
    order = sorted(graph, key=lambda node: (level[node], node))
    place = {node: k for k, node in enumerate(order)}
    joined = sorted((place[a], place[b]) for a, b in graph.edges)
    found = layered([level[node] for node in order], joined, [tall / 2] * len(order),
                    [tall / 2] * len(order))  # fmt: skip
    forward = {edge: k for k, edge in enumerate(joined)}
    return _Shape(order, [(place[a], place[b]) for a, b in ends], found, forward)


def _boxes(
    shape: _Shape, names: Sequence[str], metrics: TextMetrics, text: float
) -> list[tuple[float, float, float, float]]:
    """Return the box of every place, layers from left to right."""
    layer = shape.layers.layer
    label = [names[0 if node == len(names) else node] for node in shape.order]
    wide = [0.0] * (max(layer, default=0) + 1)
    for k, name in zip(layer, label, strict=True):
        wide[k] = max(wide[k], metrics.width(name, NAME) + 2 * PAD)
    start = [0.0]
    for width in wide[:-1]:
        start.append(start[-1] + width + max(ROOM, text + 40))
    half = (metrics.height("Ag", NAME) + 5) / 2
    return [
        (start[k], -y - half, start[k] + wide[k], -y + half)
        for k, y in zip(layer, shape.layers.position, strict=True)
    ]


def _lines(
    arcs: Sequence[ArcRow], shape: _Shape, boxes: Sequence[tuple[float, float, float, float]]
) -> Iterator[tuple[Point, ...]]:
    """Yield the points of every arc."""
    lowest = min((box[1] for box in boxes), default=0.0)
    columns = {k: (boxes[i][0], boxes[i][2]) for i, k in enumerate(shape.layers.layer)}
    seen: dict[tuple[int, int], int] = {}
    returned = 0
    for ends in shape.ends:
        tail, head = (boxes[k] for k in ends)
        if ends in shape.forward:
            beside = seen[ends] = seen.get(ends, -1) + 1  # parallel arcs keep apart
            off = (beside + 1) // 2 * 3.5 * (-1 if beside % 2 else 1)
            points = []
            for k, y in shape.layers.routes[shape.forward[ends]]:
                points += [(columns[k][0], off - y), (columns[k][1], off - y)]
            yield tuple(points[1:-1])
            continue
        returned += 1
        y = lowest - BELOW * returned
        a, b = (tail[0] + tail[2]) / 2, (head[0] + head[2]) / 2 + 3
        yield (a, tail[1]), (a, y), (b, y), (b, head[1])


def _write_costs(
    canvas: Canvas,
    arcs: Sequence[ArcRow],
    lines: Sequence[tuple[Point, ...]],
    texts: Sequence[str],
) -> None:
    """Write the texts on the longest stretch of every arc, where they have room."""
    stretches: dict[tuple[float, float], list[tuple[int, Arc]]] = {}
    for k, (arc, points, text) in enumerate(zip(arcs, lines, texts, strict=True)):
        (x, y), (u, v) = max(pairwise(points), key=lambda ends: abs(ends[1][0] - ends[0][0]))
        if x > u:
            (x, y), (u, v) = (u, v), (x, y)
        if text and u > x:
            wide = canvas.metrics.width(text, SMALL, bold=arc.units > 0) + 1.6
            tall = canvas.metrics.height(text, SMALL) + 1.6
            weight = 40.0 if arc.units else 1.0
            found = Arc(y, v, wide, tall, weight, arc.units > 0)
            stretches.setdefault((x, u), []).append((k, found))
    for room, inside in stretches.items():
        places = place_texts([straight for _, straight in inside], room)
        for (k, straight), place in zip(inside, places, strict=True):
            if place is not None:
                used, along = arcs[k].units > 0, room[0] + place * (room[1] - room[0])
                at = along, straight.left + place * (straight.right - straight.left)
                ink = ACCENT if used else GREY
                canvas.write(*at, texts[k], size=SMALL, colour=ink, bold=used, backed=True)
