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
from typing import Literal

import numpy as np

from hierpair.plots.layout import layered
from hierpair.plots.letters import Letters
from hierpair.plots.routes import DOORS, connection, place_texts
from hierpair.plots.scene import BASIS, Box, Corners, Line, Point, Scene, Shape, Text
from hierpair.plots.style import HIGH, NAME, NOTE, PAD, SMALL, WIDEST

Way = Literal["across", "down", "right"]

LINE = 1.1 * SMALL
BESIDE = 1.7 * SMALL
"""Distance of arcs that run beside each other, or back below everything."""
LEAST_GAP = 92.0
"""Between two columns."""
FRAME = 2.2
"""How far a second border is outside the first."""
INDENT, TRUNK = 17.0, 7.0
"""Outline: how far children are indented, and where the line to them starts."""


@dataclass(frozen=True)
class Node:
    """A node in a layer: lines ``beside`` are on the outer side of its box (no look: there is
    none), a second border if it is ``framed``; what is ``aside`` stands below all others.
    """

    text: str
    layer: int
    name: str = ""
    look: str = "label"
    beside: tuple[str, ...] = ()
    framed: bool = False
    aside: bool = False


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
        """Whether the layout may leave it out: a pair, or partner, that is not chosen."""
        return self.look in ("idle_chosen", "idle_bought")


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
    stretch = 1.0
    while True:
        if way == "right":
            boxes, drawn = _outline(nodes, arcs, wide, letters)
        else:
            boxes, drawn = _in_layers(nodes, arcs, wide, beside, letters, way == "across", stretch)
        lines = _with_curves(arcs, boxes, beside, drawn, way)
        points = [line.points for line in lines]
        places = place_texts(points, sizes, HIGH * SMALL + 1.6, used, needed)
        if stretch > 2 or all(
            at for at, *must in zip(places, sizes, needed, strict=True) if all(must)
        ):
            break
        stretch *= 1.15
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
    letters: Letters,
    across: bool,
    stretch: float,
) -> tuple[list[Corners], dict[int, Line]]:
    """Place layers; from layer to layer runs ``u``, along them ``v``."""
    layer, tall = [node.layer for node in nodes], HIGH * NAME + 4.0
    over = [layer[arc.head] - layer[arc.tail] for arc in arcs]
    between = defaultdict[tuple[int, int], list[int]](list)
    for k, arc in enumerate(arcs):
        if arc.look != "pair":
            a, b = sorted((arc.tail, arc.head), key=lambda i: (layer[i], i))
            between[a, b].append(k)
    half = [tall / 2] * len(nodes) if across else [w / 2 for w in wide]
    for ends, among in between.items():
        for i in ends:
            half[i] = max(half[i], len(among) // 2 * BESIDE + 3)
    gap, room = 8.0, np.array([half, np.add(half, beside)])
    if across:
        beside = [(len(node.beside) + 0.5) * LINE / 2 for node in nodes]
        gap, room = max(5.0, 12.0 - np.bincount(layer).max() / 2), np.maximum(half, [beside] * 2)
    links = [
        ends
        for ends, among in between.items()
        if not any(nodes[i].aside for i in ends) and any(over[k] > arcs[k].loose for k in among)
    ]
    v, routes = layered(layer, links, stretch * room.T, stretch * gap)
    last = max(v[i] + half[i] for i, node in enumerate(nodes) if not node.aside)
    v = [last + 2 * h if node.aside else x for x, h, node in zip(v, half, nodes, strict=True)]
    if across:
        bands = _columns(nodes, arcs, wide, letters, stretch)
    else:
        reach = [abs(a - b) for route in routes.values() for a, b in pairwise(route)]
        step = tall + min(46.0, max([20.0, *(0.12 * x for x in reach)]))
        bands = [(x, x + tall) for x in np.cumsum([0.0] + [step] * max(layer)).tolist()]

    def at(u: float, v: float) -> Point:
        return (u, -v) if across else (v, -u)

    # The box of a source or sink is beside all it leads to, so that arcs run level.
    is_end = [node.look == "end" and not node.aside for node in nodes]
    boxes = list[Corners]()
    for i in range(len(nodes)):
        near = [j for ends in between if i in ends for j in ends if is_end[i] > is_end[j]]
        first = min(v[j] - half[j] for j in [i, *near])
        last = max(v[j] + half[j] for j in [i, *near])
        start, end = bands[layer[i]]
        (x, y), (u, w) = at(start, first), at(end, last)
        boxes.append((min(x, u), min(y, w), max(x, u), max(y, w)))
    many = {True: sum(arc.used for arc in arcs) > 24, False: len(arcs) > 60}
    lowest, drawn = min(box[1] for box in boxes), dict[int, Line]()
    for (a, b), among in between.items():
        through = [v[a], *routes.get((a, b), [])[1:-1], v[b]]
        through[0], through[-1] = through[is_end[a]], through[-1 - is_end[b]]
        for number, k in enumerate(among):
            arc, off = arcs[k], (number + 1) // 2 * BESIDE * (1 if number % 2 else -1)
            if any(over[j] > 0 for j in among):
                passed = zip(through, bands[layer[a] :], strict=False)
                points = [at(u, place + off) for place, band in passed for u in band][1:-1]
                points = points[:: 1 if over[k] > 0 else -1]
            else:  # back, below everything
                lowest -= BESIDE
                (left, low, right, _), (start, bottom, end, _) = boxes[arc.tail], boxes[arc.head]
                x, u = (left + right) / 2, (start + end) / 2 + 3
                points = [(x, low), (x, lowest), (u, lowest), (u, bottom)]
            thin = 0.5 if across and many[arc.used] else 1.0
            drawn[k] = Line(points, arc.look, arc.name, thin=thin)
    return boxes, drawn


def _columns(
    nodes: Sequence[Node],
    arcs: Sequence[Arc],
    wide: list[float],
    letters: Letters,
    stretch: float,
) -> list[tuple[float, float]]:
    """Return where every column begins and ends: with room for the texts of arcs between them."""
    n = max(node.layer for node in nodes) + 1
    thick, gaps, crossing = np.zeros(n), np.zeros(n), np.zeros(n)
    np.maximum.at(thick, [node.layer for node in nodes], wide)
    for arc in arcs:
        k, after = sorted(nodes[i].layer for i in (arc.tail, arc.head))
        if after == k + 1:
            gaps[k] = max(gaps[k], letters.width(arc.text, SMALL) + 26)
            crossing[k] += arc.look.endswith(("chosen", "bought", "flow"))
    most = max(110.0, (WIDEST - thick.sum()) / max(1, n - 1))
    free = np.minimum(LEAST_GAP + 6 * np.minimum(crossing, 20), most) * (crossing > 0)
    start = np.cumsum(thick + stretch * np.maximum(gaps, free))
    start = np.append(0.0, start[:-1])
    return [*zip(start.tolist(), (start + thick).tolist(), strict=True)]
