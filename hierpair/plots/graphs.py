"""Any picture of nodes and arcs: where they stand, and the shapes that draw them.

One layout puts nodes in layers, across the page (networks: from where units come from to where they
go) or down it (hierarchies), with what goes back beside what goes forward, or below everything. For
long names there is an outline, too: indented rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from hierpair.plots.layout import layered
from hierpair.plots.letters import Letters
from hierpair.plots.routes import DOORS, connection, place_texts
from hierpair.plots.scene import BASIS, Box, Corners, Line, Point, Scene, Shape, Text
from hierpair.plots.style import HIGH, NAME, NOTE, PAD, SMALL

Way = Literal["across", "down", "right"]

LINE = 1.1 * SMALL
BESIDE = 1.7 * SMALL
"""Distance of arcs that run beside each other, or back below everything."""
SPARE = 8.0
"""Least room between two nodes of a layer."""
STRETCHES = (1.0, 1.15, 1.32, 1.52, 1.75, 2.0)
"""By how much layers move apart, if texts have no room."""
FRAME = 2.2
"""How far a second border is outside the first."""
INDENT, TRUNK = 17.0, 7.0
"""Outline: how far children are indented, and where the line to them starts."""


@dataclass(frozen=True)
class Node:
    """A node in a layer: lines ``beside`` are on the outer side of its box (no look: there is
    none), a second border if it is ``framed``.
    """

    text: str
    layer: int
    name: str = ""
    look: str = "label"
    beside: tuple[str, ...] = ()
    framed: bool = False


@dataclass(frozen=True)
class Arc:
    """An arc between two nodes, by position; a text that is not ``needed`` is there where it has
    room. Arcs that look like a ``"pair"`` are drawn around what is laid out.
    """

    tail: int
    head: int
    text: str = ""
    look: str = "edge"
    name: str = ""
    needed: bool = False

    @property
    def used(self) -> bool:
        """Whether something flows there."""
        return not self.look.startswith("idle")

    @property
    def loose(self) -> bool:
        """Whether nodes need not stand near each other for it."""
        return self.look in ("idle_chosen", "idle_bought", "bought")


def framed(box: Corners, look: str, name: str = "") -> list[Shape]:
    """Return a box with a second border around it."""
    left, bottom, right, top = box
    outer = left - FRAME, bottom - FRAME, right + FRAME, top + FRAME
    return [Box(outer, "plain", name.replace("class", "frame")), Box(box, look, name)]


def graph_scene(
    nodes: Sequence[Node],
    arcs: Sequence[Arc],
    letters: Letters,
    way: Way = "across",
    heads: Sequence[str] = (),
) -> Scene:
    """Place nodes, arcs and texts; layers move apart until all texts that are needed have room.

    ``heads`` stand above the columns.
    """
    if not nodes:
        return Scene([], letters)
    wide = [max(letters.width(node.text, NAME), 6.0) + 2 * PAD for node in nodes]
    beside = [max([letters.width(t, SMALL) + 4 for t in node.beside] or [0.0]) for node in nodes]
    sizes = [
        letters.width(arc.text, SMALL, "bold" * arc.used) + 1.6 if arc.text else 0.0 for arc in arcs
    ]
    used, needed = ([getattr(arc, name) for arc in arcs] for name in ("used", "needed"))
    for stretch in STRETCHES:
        if way == "right":
            boxes, drawn = _outline(nodes, arcs, wide, letters)
        else:
            boxes, drawn = _in_layers(nodes, arcs, wide, beside, sizes, way == "across", stretch)
        lines = _with_curves(arcs, boxes, beside, drawn, way)
        points = [line.points for line in lines]
        places = place_texts(points, sizes, HIGH * SMALL + 1.6, used, needed)
        if all(at for at, *must in zip(places, sizes, needed, strict=True) if all(must)):
            break
    shapes: list[Shape] = [lines[k] for k in np.argsort(used, kind="stable")]
    for arc, at in zip(arcs, places, strict=True):
        if at is not None:
            name = f"cost-{arc.name}"
            shapes.append(Text(*at, arc.text, arc.look, SMALL, name=name, backed=True))
    for node, box in zip(nodes, boxes, strict=True):
        left, bottom, right, top = box
        middle = (bottom + top) / 2
        if node.look:
            shapes += framed(box, node.look, node.name)[not node.framed :]
        name = f"name-{node.name}" if node.look else ""
        shapes.append(Text((left + right) / 2, middle, node.text, node.look or "note", name=name))
        is_left = way == "across" and node.layer == 0
        x, align = (left - 4, "right") if is_left else (right + 4, "left")
        for k, text in enumerate(node.beside):
            y = middle + ((len(node.beside) - 1) / 2 - k) * LINE
            shapes.append(Text(x, y, text, "note", SMALL, align))
    high = Scene(shapes, letters).corners[3] + 9
    column = {node.layer: (box[0] + box[2]) / 2 for node, box in zip(nodes, boxes, strict=True)}
    shapes += [Text(column[k], high, head, "note", NOTE) for k, head in enumerate(heads)]
    return Scene(shapes, letters)


def _with_curves(
    arcs: Sequence[Arc], boxes: list[Corners], beside: list[float], drawn: dict[int, Line], way: Way
) -> list[Line]:
    """Return the lines of all arcs: those not ``drawn`` are curves around boxes and texts beside
    them, in an outline on the right, where texts are.
    """
    texts = [
        (right, low + 3, right + wide, high - 3)
        for (_, low, right, high), wide in zip(boxes, beside, strict=True)
        if wide
    ]
    doors, around, lines = DOORS, boxes, list[Line]()
    if way == "right":
        doors, sides = DOORS[1:2], zip(boxes, beside, strict=True)
        around = [(left, low, right + w + 2, high) for (left, low, right, high), w in sides]
    for k, arc in enumerate(arcs):
        if k not in drawn:
            others = [box for i, box in enumerate(boxes) if i not in (arc.tail, arc.head)]
            near = [BASIS @ np.array(line.points) for line in lines if line.curved]
            curve = connection([around[arc.tail], around[arc.head]], others + texts, near, doors)
            look = "further" if arc.look == "edge" else arc.look
            drawn[k] = Line(curve, look, arc.name, curved=True)
        lines.append(drawn[k])
    return lines


def _outline(
    nodes: Sequence[Node], arcs: Sequence[Arc], wide: list[float], letters: Letters
) -> tuple[list[Corners], dict[int, Line]]:
    """Place indented rows, in the order of a walk down the deepest parents.

    So the line from a parent to its children passes only rows below it; the lines to children
    of further parents, and of pairs, are curves.
    """
    import networkx as nx

    links = [(k, arc) for k, arc in enumerate(arcs) if arc.look != "pair"]
    first = dict[int, tuple[int, Arc]]()
    for k, arc in sorted(links, key=lambda link: -nodes[link[1].tail].layer):
        first.setdefault(arc.head, (k, arc))
    above = (first[c][1].tail if c in first else -1 for c in range(len(nodes)))
    walk = nx.dfs_preorder_nodes(nx.DiGraph((p, c) for c, p in enumerate(above)), -1)
    tall, y, boxes = HIGH * NAME + 4.0, 0.0, dict[int, Corners]()
    for i in [*walk][1:]:
        x, frame = INDENT * nodes[i].layer, FRAME * nodes[i].framed
        y -= tall + 2.0 + frame
        boxes[i] = x, y, x + wide[i], y + tall
        y -= frame
    drawn = dict[int, Line]()
    for k, arc in first.values():
        (left, low, *_), (x, bottom, _, top) = boxes[arc.tail], boxes[arc.head]
        trunk, y = left + TRUNK, (bottom + top) / 2
        drawn[k] = Line([(trunk, low), (trunk, y), (x, y)], arc.look, arc.name)
    return [boxes[i] for i in range(len(nodes))], drawn


def _in_layers(
    nodes: Sequence[Node],
    arcs: Sequence[Arc],
    wide: list[float],
    beside: list[float],
    sizes: list[float],
    across: bool,
    stretch: float,
) -> tuple[list[Corners], dict[int, Line]]:
    """Place layers; from layer to layer runs ``u``, along them ``v``.

    Arcs between the same two nodes run side by side; if all of them lead back, below everything.
    """
    layer, tall = [node.layer for node in nodes], HIGH * NAME + 4.0
    ahead = [layer[arc.tail] < layer[arc.head] for arc in arcs]
    between = defaultdict[Any, list[int]](list)
    for k, arc in enumerate(arcs):
        if arc.look != "pair":
            between[tuple(sorted((arc.tail, arc.head), key=layer.__getitem__))].append(k)
    half = np.array([tall] * len(nodes) if across else wide) / 2
    for ends, among in between.items():
        half[[*ends]] = np.maximum(half[[*ends]], len(among) // 2 * BESIDE + 3)
    room = np.stack([half, half + beside], axis=1)
    if across:
        lines = np.array([len(node.beside) for node in nodes])
        room = np.maximum(half, (lines + 0.5) * LINE / 2)[:, None]
    links = [
        ends for ends, some in between.items() if any(ahead[k] and not arcs[k].loose for k in some)
    ]
    v, routes = layered(layer, links, stretch * room, stretch * SPARE)
    thick, gaps = np.zeros((2, max(layer) + 1))
    if across:
        first = np.array([min(layer[arc.tail], layer[arc.head]) for arc in arcs], int)
        np.maximum.at(thick, layer, wide)
        np.maximum.at(gaps, first, sizes)
        gaps += 40.0 + 8.0 * np.minimum(np.bincount(first, minlength=len(gaps)), 20)
    else:
        reach = (abs(a - b) for route in routes.values() for a, b in pairwise(route))
        thick += tall
        gaps += np.clip(0.12 * max(reach, default=0.0), 20.0, 46.0)
    ends = np.cumsum(np.stack([thick, stretch * gaps], axis=1)).tolist()
    bands = [*zip([0.0, *ends[1::2]], ends[::2], strict=False)]

    def at(u: float, v: float) -> Point:
        return (u, -v) if across else (v, -u)

    boxes = list[Corners]()
    for place, space, k in zip(v, half.tolist(), layer, strict=True):
        corners = zip(at(bands[k][0], place - space), at(bands[k][1], place + space), strict=True)
        (left, right), (low, high) = map(sorted, corners)
        boxes.append((left, low, right, high))
    lowest, drawn = min(box[1] for box in boxes), dict[int, Line]()
    for (a, b), among in between.items():
        passed = [
            *zip([v[a], *routes.get((a, b), [])[1:-1], v[b]], bands[layer[a] :], strict=False)
        ]
        for number, k in enumerate(among):
            arc = arcs[k]
            off = (number + 1) // 2 * BESIDE * (1 if number % 2 else -1)
            points = [at(u, place + off) for place, band in passed for u in band][1:-1]
            points = points[:: 1 if ahead[k] else -1]
            if not any(ahead[j] for j in among):
                lowest -= BESIDE
                (left, low, right, _), (start, bottom, end, _) = boxes[arc.tail], boxes[arc.head]
                x, u = (left + right) / 2, (start + end) / 2 + 3
                points = [(x, low), (x, lowest), (u, lowest), (u, bottom)]
            drawn[k] = Line(points, arc.look, arc.name)
    return boxes, drawn
