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

from hierpair.plots.layout import layered
from hierpair.plots.letters import Letters
from hierpair.plots.routes import DOORS, Doors, Span, connection, place_texts
from hierpair.plots.scene import Box, Corners, Line, Point, Scene, Shape, Text, along
from hierpair.plots.style import NAME, NOTE, PAD, SMALL, WIDEST

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
    room; the layout may leave out what is ``loose``. Arcs that look like a ``"pair"`` are drawn
    around what is laid out.
    """

    tail: int
    head: int
    text: str = ""
    look: str = "edge"
    name: str = ""
    needed: bool = False
    loose: bool = False

    @property
    def used(self) -> bool:
        """Whether something flows there."""
        return not self.look.startswith("idle")


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
    stretch = 1.0
    while True:
        plan = _Placement(nodes, arcs, letters, way, stretch)
        places = _texts(arcs, plan.lines, letters)
        needed = (at for arc, at in zip(arcs, places, strict=True) if arc.needed and arc.text)
        if stretch > 2 or None not in needed:
            break
        stretch *= 1.15
    order = sorted(range(len(arcs)), key=lambda k: arcs[k].used)
    shapes: list[Shape] = [plan.lines[k] for k in order]
    for arc, at in zip(arcs, places, strict=True):
        if at is not None:
            name = f"cost-{arc.name}"
            shapes.append(Text(*at, arc.text, arc.look, SMALL, name=name, backed=True))
    for node, box in zip(nodes, plan.boxes, strict=True):
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
    high = Scene(shapes, letters).corners[3]
    for (start, end), head in zip(plan.bands, heads, strict=False):
        shapes.append(Text((start + end) / 2, high + 9, head, "note", NOTE))
    return Scene(shapes, letters)


def _texts(arcs: Sequence[Arc], lines: Sequence[Line], letters: Letters) -> list[Point | None]:
    """Return where the texts go: on the longest stretch of every arc, where they have room."""
    stretches = defaultdict[tuple[float, float], list[tuple[int, Span]]](list)
    for k, (arc, line) in enumerate(zip(arcs, lines, strict=True)):
        ends = max(pairwise(line.points), key=lambda ends: abs(ends[1][0] - ends[0][0]))
        (x, y), (u, v) = sorted(ends)
        width = letters.width(arc.text, SMALL, bold=arc.used) + 1.6 if arc.text else 0.0
        if u > x:
            stretches[x, u].append((k, Span(y, v, width, arc.used, arc.needed)))
    found: list[Point | None] = [None] * len(arcs)
    for room, inside in stretches.items():
        if any(span.width for _, span in inside):
            places = place_texts([span for _, span in inside], room, letters.height(SMALL) + 1.6)
            for (k, span), at in zip(inside, places, strict=True):
                if at is not None:
                    x = room[0] + at * (room[1] - room[0])
                    found[k] = x, span.left + at * (span.right - span.left)
    return found


class _Placement:
    """Boxes of nodes, bands of layers, and lines of arcs."""

    def __init__(
        self, nodes: Sequence[Node], arcs: Sequence[Arc], letters: Letters, way: Way, stretch: float
    ) -> None:
        self.nodes, self.arcs, self.letters = nodes, arcs, letters
        self.across, self.stretch = way == "across", stretch
        self.layer = [node.layer for node in nodes]
        self.wide = [max(letters.width(node.text, NAME), 6.0) + 2 * PAD for node in nodes]
        self.tall = letters.height(NAME) + 4.0
        self.beside = [
            max((letters.width(text, SMALL) + 4 for text in node.beside), default=0.0)
            for node in nodes
        ]
        self.bands = list[tuple[float, float]]()
        self.lines = list[Line]()
        if way == "right":
            self._outline()
        else:
            self._in_layers()

    def _around(self, *ends: int) -> list[Corners]:
        """Return the boxes, and the texts beside them, of all but some nodes."""
        found = [box for i, box in enumerate(self.boxes) if i not in ends]
        for (_, low, right, high), wide in zip(self.boxes, self.beside, strict=True):
            found += [(right, low + 3, right + wide, high - 3)] * (wide > 0)
        return found

    def _curve(self, arc: Arc, look: str, doors: Doors = DOORS) -> Line:
        """Return a line from box to box, around what is drawn already."""
        start, end = self.boxes[arc.tail], self.boxes[arc.head]
        if doors != DOORS:  # on the right, where texts are
            start = (*start[:2], start[2] + self.beside[arc.tail] + 2, start[3])
            end = (*end[:2], end[2] + self.beside[arc.head] + 2, end[3])
        drawn = [along(line.points, line.curved) for line in self.lines if line.look != "edge"]
        curve = connection(start, end, self._around(arc.tail, arc.head), drawn, doors).tolist()
        return Line([(x, y) for x, y in curve], look, arc.name, curved=True)

    def _outline(self) -> None:
        """Place indented rows, in the order of a walk down the deepest parents.

        So the line from a parent to its children passes only rows below it; the lines to children
        of further parents, and of pairs, are curves.
        """
        links = [arc for arc in self.arcs if arc.look != "pair"]
        parent = dict[int, int]()
        for arc in sorted(links, key=lambda arc: -self.layer[arc.tail]):
            parent.setdefault(arc.head, arc.tail)
        children = defaultdict[int, list[int]](list)
        for c in range(len(self.nodes)):
            children[parent.get(c, -1)].append(c)
        waiting, y, boxes = children[-1][::-1], 0.0, dict[int, Corners]()
        while waiting:
            i = waiting.pop()
            waiting += children[i][::-1]
            x, frame = INDENT * self.layer[i], FRAME * self.nodes[i].framed
            y -= self.tall + 2.0 + frame
            boxes[i] = x, y, x + self.wide[i], y + self.tall
            y -= frame
        self.boxes = [boxes[i] for i in range(len(boxes))]
        for arc in self.arcs:
            if arc.look != "pair" and parent[arc.head] == arc.tail:
                (left, low, *_), (x, bottom, _, top) = boxes[arc.tail], boxes[arc.head]
                y = (bottom + top) / 2
                points = [(left + TRUNK, low), (left + TRUNK, y), (x, y)]
                self.lines.append(Line(points, arc.look, arc.name))
            else:
                look = "pair" if arc.look == "pair" else "further"
                self.lines.append(self._curve(arc, look, DOORS[1:2]))

    def _in_layers(self) -> None:
        """Place layers; from layer to layer runs ``u``, along them ``v``."""
        self.between = defaultdict[tuple[int, int], list[int]](list)
        for k, arc in enumerate(self.arcs):
            if arc.look != "pair":
                self.between[min(arc.tail, arc.head), max(arc.tail, arc.head)].append(k)
        self.half = [self.tall / 2 if self.across else wide / 2 for wide in self.wide]
        for ends, among in self.between.items():
            for i in ends:
                self.half[i] = max(self.half[i], len(among) // 2 * BESIDE + 3)
        self._rows()
        self._bands()
        self.boxes = [self._box(i) for i in range(len(self.nodes))]
        self.lowest = min((box[1] for box in self.boxes), default=0.0)
        many = {True: sum(arc.used for arc in self.arcs) > 24, False: len(self.arcs) > 60}
        for k, arc in enumerate(self.arcs):
            if arc.look == "pair":
                self.lines.append(self._curve(arc, arc.look))
            else:
                thin = 0.5 if self.across and many[arc.used] else 1.0
                self.lines.append(Line(self._line(k), arc.look, arc.name, thin=thin))

    def _rows(self) -> None:
        """Set the places of nodes, and of arcs between them, along the layers."""
        inside = [i for i, node in enumerate(self.nodes) if not node.aside]
        number = {i: k for k, i in enumerate(inside)}
        links = [
            (number[a], number[b])
            for (a, b), among in self.between.items()
            if {a, b} <= number.keys()
            for a, b in [sorted((a, b), key=self.layer.__getitem__)]
            if any(self._over(self.arcs[k]) > self.arcs[k].loose for k in among)
        ]
        before, after, gap = [self.half[i] for i in inside], list[float](), 8.0
        for i in inside:
            lines = (len(self.nodes[i].beside) + 0.5) * LINE / 2
            after.append(max(self.half[i], lines) if self.across else self.half[i] + self.beside[i])
        if self.across:
            before = after = [self.stretch * x for x in after]
            most = max(map(self.layer.count, self.layer), default=0)
            gap = self.stretch * max(5.0, 12.0 - most / 2)
        layers = [self.layer[i] for i in inside]
        places, routes = layered(layers, links, before, after, gap)
        self.v = dict(zip(inside, places, strict=True))
        self.routes = {(inside[a], inside[b]): route for (a, b), route in routes.items()}
        last = max((v + self.half[i] for i, v in self.v.items()), default=0.0)
        self.v |= {i: last + 2 * self.half[i] for i in range(len(self.nodes)) if i not in self.v}

    def _over(self, arc: Arc) -> int:
        """Return how many layers an arc goes forward."""
        return self.layer[arc.head] - self.layer[arc.tail]

    def _bands(self) -> None:
        """Set where every layer begins and ends."""
        n = max(self.layer, default=0) + 1
        thick, gaps, crossing = [self.tall * (not self.across)] * n, [0.0] * n, [0] * n
        if self.across:
            for k, wide in zip(self.layer, self.wide, strict=True):
                thick[k] = max(thick[k], wide)
            for arc in self.arcs:
                k, after = sorted((self.layer[arc.tail], self.layer[arc.head]))
                if after == k + 1:
                    gaps[k] = max(gaps[k], self.letters.width(arc.text, SMALL) + 26)
                    crossing[k] += arc.look.endswith(("chosen", "bought", "flow"))
            most = max(110.0, (WIDEST - sum(thick)) / max(1, n - 1))
            free = [min(LEAST_GAP + 6 * min(x, 20), most) * (x > 0) for x in crossing]
            gaps = [self.stretch * max(both) for both in zip(gaps, free, strict=True)]
        else:
            reach = [abs(a - b) for route in self.routes.values() for a, b in pairwise(route)]
            gaps = [min(46.0, max(20.0, 0.12 * max(reach, default=0.0)))] * n
        start = 0.0
        for size, gap in zip(thick, gaps, strict=True):
            self.bands.append((start, start + size))
            start += size + gap

    def _at(self, u: float, v: float) -> Point:
        return (u, -v) if self.across else (v, -u)

    def _is_end(self, i: int) -> bool:
        """Whether a node is a source or sink, which is alone in its column."""
        return self.nodes[i].look == "end" and not self.nodes[i].aside

    def _box(self, i: int) -> Corners:
        """Return a box; that of an end is beside all it leads to, so that arcs run level."""
        near = [j for ends in self.between if i in ends for j in ends if not self._is_end(j)]
        among = [i, *near] if self._is_end(i) else [i]
        first = min(self.v[j] - self.half[j] for j in among)
        last = max(self.v[j] + self.half[j] for j in among)
        start, end = self.bands[self.layer[i]]
        (x, y), (u, v) = self._at(start, first), self._at(end, last)
        return min(x, u), min(y, v), max(x, u), max(y, v)

    def _line(self, k: int) -> list[Point]:
        arc = self.arcs[k]
        a, b = sorted((arc.tail, arc.head), key=self.layer.__getitem__)
        among = self.between[min(a, b), max(a, b)]
        forward = [self._over(self.arcs[j]) > 0 for j in among]
        at = among.index(k)
        if not any(forward):  # it goes back below everything
            self.lowest -= BESIDE
            (left, low, right, _), (start, bottom, end, _) = (
                self.boxes[i] for i in (arc.tail, arc.head)
            )
            x, u = (left + right) / 2, (start + end) / 2 + 3
            return [(x, low), (x, self.lowest), (u, self.lowest), (u, bottom)]
        v = [self.v[a], *self.routes.get((a, b), [])[1:-1], self.v[b]]
        v[0], v[-1] = v[self._is_end(a)], v[-1 - self._is_end(b)]
        off = (at + 1) // 2 * BESIDE * (1 if at % 2 else -1)
        points = [
            self._at(u, place + off)
            for place, band in zip(v, self.bands[self.layer[a] :], strict=False)
            for u in band
        ][1:-1]
        return points if forward[at] else points[::-1]
