"""The plan of a neighbourhood: where its classes, edges and pairs go, in points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hierpair.measures.evidence import Neighbourhood
from hierpair.plots.canvas import Point, rounded
from hierpair.plots.diagrams.layers import layered
from hierpair.plots.diagrams.outline import Outline, lanes, outline
from hierpair.plots.diagrams.routes import BASIS, Corners, connection, dots, taut
from hierpair.plots.style import NAME, PAD, SMALL
from hierpair.plots.text_metrics import TextMetrics

__all__ = ["FRAME", "Layout", "Line", "Place", "downwards", "rightwards"]

FRAME = 2.2
"""How far the second border of a label that paid the default cost is outside the first."""

INDENT, TRUNK = 17.0, 7.0
"""Outline: how far children are indented, and where the line to them starts."""

LANE, FIRST_LANE = 5.0, 9.0
"""Outline: least distances of lines on the right, from each other and from text."""

MANY = 36
"""Outline: more rows than these stand closer."""

MANY_PAIRS = 40
"""For more pairs than these the way of each is chosen from fewer."""

CURVE = 4


@dataclass(frozen=True)
class Place:
    """Where a class stands: its box, the box with its frame, and where the text beside starts."""

    inner: Corners
    outer: Corners
    beside: float

    @property
    def middle(self) -> Point:
        """The middle of the box."""
        return (self.inner[0] + self.inner[2]) / 2, (self.inner[1] + self.inner[3]) / 2


@dataclass(frozen=True)
class Line:
    """A line: its vertices and path codes, and the nodes that it connects."""

    points: Sequence[Point]
    codes: Sequence[int]
    ends: tuple[int, int]
    head: bool = False


@dataclass(frozen=True)
class Layout:
    """A neighbourhood with the places of its classes and lines, and the corners of it all."""

    corners: Corners
    places: Sequence[Place]
    edges: Sequence[Line]
    pairs: Sequence[Line]


@dataclass(frozen=True)
class _Sizes:
    """Half the width of every box with its frame, the width of the text beside, the heights."""

    half: list[float]
    beside: list[float]
    frame: list[float]
    box: float
    row: float
    gap: float

    @classmethod
    def of(cls, shown: Neighbourhood, names: Sequence[str], metrics: TextMetrics) -> _Sizes:
        frame = [FRAME * framed for framed in shown.framed]
        half = [
            max(metrics.width(name, NAME), 6.0) / 2 + PAD + extra
            for name, extra in zip(names, frame, strict=True)
        ]
        beside = [
            metrics.width(f"+{node.n_hidden}", SMALL) + 4 if node.n_hidden else 0.0
            for node in shown.nodes
        ]
        many = len(names) > MANY
        box = max((metrics.height(name, NAME) for name in names), default=0.0)
        box += 2.0 if many else 4.0
        row = box + 2 * max(frame, default=0.0)
        return cls(half, beside, frame, box, row, 1.2 if many else 3.0)

    def place(self, i: int, x: float, y: float) -> Place:
        half, f, high = self.half[i], self.frame[i], self.box / 2
        return Place(
            (x - half + f, y - high, x + half - f, y + high),
            (x - half, y - high - f, x + half, y + high + f),
            x + half + 2,
        )


def downwards(shown: Neighbourhood, names: Sequence[str], metrics: TextMetrics) -> Layout:
    """Place a neighbourhood in layers, roots on top."""
    sizes = _Sizes.of(shown, names, metrics)
    after = [half + text for half, text in zip(sizes.half, sizes.beside, strict=True)]
    plan = layered([node.level for node in shown.nodes], shown.edges, sizes.half, after)
    reach = [abs(a[1] - b[1]) for route in plan.routes for a, b in pairwise(route)]
    pitch = sizes.row + min(46.0, max(20.0, 0.12 * max(reach, default=0.0)))
    places = [
        sizes.place(i, x, -k * pitch)
        for i, (k, x) in enumerate(zip(plan.layer, plan.position, strict=True))
    ]
    outer = [place.outer for place in places]
    texts = [
        (place.beside, place.inner[1] + 3, place.beside + text, place.inner[3] - 3)
        for place, text in zip(places, sizes.beside, strict=True)
        if text
    ]
    edges = []
    for (p, c), route in zip(shown.edges, plan.routes, strict=True):
        points = [(route[0][1], places[p].outer[1])]
        for k, x in route[1:-1]:
            points += [(x, -k * pitch + sizes.row / 2), (x, -k * pitch - sizes.row / 2)]
        points.append((route[-1][1], places[c].outer[3]))
        others = [box for i, box in enumerate(outer) if i not in (p, c)]
        edges.append(Line(*rounded(taut(points, [*others, *texts]), 5.0), (p, c)))
    curves: list[NDArray[np.float64]] = []
    drawn = [dots(line.points) for line in edges]
    pairs = []
    links = _apart(shown)
    boxes = [*outer, *texts]
    for a, b in links:
        curves.append(connection(outer[a], outer[b], boxes, drawn, simple=len(links) > MANY_PAIRS))
        drawn.append(BASIS @ curves[-1])
        points = [(float(x), float(y)) for x, y in curves[-1]]
        pairs.append(Line(points, [1, CURVE, CURVE, CURVE], (a, b), True))
    right = [place.beside + text for place, text in zip(places, sizes.beside, strict=True)]
    return Layout(_around(outer, right, drawn), places, edges, pairs)


def rightwards(shown: Neighbourhood, names: Sequence[str], metrics: TextMetrics) -> Layout:
    """Place a neighbourhood as an outline, roots left, one row for every class."""
    sizes = _Sizes.of(shown, names, metrics)
    links = _apart(shown)
    plan = outline([node.level for node in shown.nodes], shown.edges, links)
    # Only rows with a frame are higher.
    frame = [sizes.frame[i] for i in sorted(range(len(names)), key=lambda i: plan.row[i])]
    drop = [sizes.box + sizes.gap + a + b for a, b in pairwise(frame)]
    y = np.cumsum([0.0, *drop])
    places = [
        sizes.place(i, INDENT * k + sizes.half[i], -float(y[row]))
        for i, (k, row) in enumerate(zip(plan.layer, plan.row, strict=True))
    ]
    edges = []
    for c, p in enumerate(plan.parent):
        if p >= 0:
            x, low = INDENT * plan.layer[p] + TRUNK, places[c].middle[1]
            points = [(x, places[p].outer[1]), (x, low), (places[c].outer[0], low)]
            edges.append(Line(*rounded(points, 3.0), (p, c)))
    right = [place.outer[2] + text for place, text in zip(places, sizes.beside, strict=True)]
    spare, pairs = _beside(plan, links, places, right)
    drawn = [dots(line.points) for line in (*edges, *spare, *pairs)]
    corners = _around([place.outer for place in places], right, drawn)
    return Layout(corners, places, [*edges, *spare], pairs)


def _beside(
    plan: Outline, links: Sequence[tuple[int, int]], places: Sequence[Place], right: Sequence[float]
) -> tuple[list[Line], list[Line]]:
    """Return the lines that run right of an outline: edges to further parents, and pairs."""
    bundles = [*plan.spare.items(), *((a, (b,)) for a, b in links)]
    spans = []
    for a, others in bundles:
        rows = [plan.row[i] for i in (a, *others)]
        spans.append((min(rows), max(rows)))
    of_row = sorted(range(len(right)), key=lambda i: plan.row[i])
    x = lanes(spans, [right[i] for i in of_row], first=FIRST_LANE, step=LANE)
    height = _doors(bundles, plan, places)
    drawn = []
    for k, (a, others) in enumerate(bundles):
        for b in others:
            ya, yb = height[k, a], height[k, b]
            points = [(right[a] + 1, ya), (x[k], ya), (x[k], yb), (right[b] + 1.5, yb)]
            drawn.append(Line(*rounded(points, 7.0), (a, b), True))
    n = len(drawn) - len(links)
    return drawn[:n], drawn[n:]


def _doors(
    bundles: Sequence[tuple[int, tuple[int, ...]]], plan: Outline, places: Sequence[Place]
) -> dict[tuple[int, int], float]:
    """Return at what height the line of each bundle leaves each of its boxes.

    Lines to rows above leave above lines to rows below, so that they need not cross.
    """
    doors: dict[int, list[tuple[float, int]]] = {}
    for k, (a, others) in enumerate(bundles):
        for i in (a, *others):
            far = [plan.row[j] for j in (a, *others) if j != i]
            doors.setdefault(i, []).append((sum(far) / len(far) - plan.row[i], k))
    height = {}
    for i, found in doors.items():
        box = places[i].inner
        step = min(3.5, (box[3] - box[1] - 4) / len(found))
        for place, (_, k) in enumerate(sorted(found)):
            height[k, i] = places[i].middle[1] + step * ((len(found) - 1) / 2 - place)
    return height


def _apart(shown: Neighbourhood) -> list[tuple[int, int]]:
    """Return the pairs of two different classes: a class paired with itself needs no line."""
    return [(a, b) for a, b in dict.fromkeys(shown.pairs) if a != b]


def _around(
    boxes: Sequence[Corners], right: Sequence[float], lines: Sequence[NDArray[np.float64]]
) -> Corners:
    points = [np.array([(b[0], b[1]), (b[2], b[3])]) for b in boxes]
    points += [np.array([(x, boxes[0][1])]) for x in right]
    every = np.concatenate([*points, *lines]) if points else np.zeros((1, 2))
    low, high = every.min(axis=0), every.max(axis=0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])
