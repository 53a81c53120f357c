"""The hierarchy around the labels of an instance: in layers, or as an outline for long names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import check_choice
from hierpair.measures.evidence import Neighbourhood
from hierpair.plots.layout import Edges, layered, layers_of
from hierpair.plots.letters import Letters, fonts_of, shortened
from hierpair.plots.routes import BASIS, connection, dots, taut
from hierpair.plots.saving import draw
from hierpair.plots.scene import Box, Corners, Line, Scene, Shape, Text, noted
from hierpair.plots.style import HIGHEST, NAME, NOTE, PAD, SMALL, WIDEST

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Direction = Literal["auto", "down", "right"]

FRAME = 2.2
"""How far the second border of a label that paid the default cost is outside the first."""

INDENT, TRUNK = 17.0, 7.0
"""Outline: how far children are indented, and where the line to them starts."""

LANE, FIRST_LANE, DOOR = 5.0, 9.0, 2.0
"""Outline: least distances of lines on the right, from each other and from text, and how far above
the middle of its box the line of a pair begins; that of a further child as far below."""

MANY = 36
"""More rows of an outline than these stand closer."""

MANY_PAIRS = 40
"""For more pairs than these the way of each is chosen from fewer."""

LABELS = {
    "both": "true and predicted",
    "true": "true",
    "predicted": "predicted",
    "true_both": "true, above predicted",
    "predicted_both": "predicted, above true",
    "shared": "above both",
    "above_true": "above true",
    "above_predicted": "above predicted",
    "other": "other",
}
"""What looks mean, of labels and their ancestors,"""

GRAPHS = LABELS | {
    "true_both": "true, in both graphs",
    "predicted_both": "predicted, in both graphs",
    "shared": "in both graphs",
    "above_true": "in the true graph",
    "above_predicted": "in the predicted graph",
}
"""of two graphs,"""

FIELDS = {"both": "TP", "true": "FN", "predicted": "FP", "plain": "TN",
          "shared": "in several fields", "other": "root"}  # fmt: skip
"""and of a confusion matrix."""


def plot_neighbourhood(
    neighbourhood: Neighbourhood,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    direction: Direction = "auto",
) -> Axes:
    """Draw the hierarchy around the labels of an instance.

    Fill, border and legend tell true, predicted and correct labels and their ancestors apart,
    also without colour; a second border marks labels that paid the default cost, and dashed
    arrows lead from predicted labels to the true ones that they are paired with.

    Parameters
    ----------
    neighbourhood
        The classes, such as ``explain(…)[0].neighbourhood``.
    ax
        Axes to draw on; by default a new figure of fitting size. On small axes everything
        shrinks.
    title
        Above the picture.
    direction
        ``"down"``: in layers, roots on top. ``"right"``: as an outline, roots left, one row for
        every class, for long names. ``"auto"``: down where a page is wide enough for it.

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing, for another direction, or if the classes do not stand parents
        before children.
    """
    check_choice("direction", direction, get_args(Direction))
    fonts = fonts_of([*_names(neighbourhood), title or ""])
    return draw(neighbourhood_scene(neighbourhood, fonts, direction), ax, title)


def neighbourhood_scene(
    shown: Neighbourhood, letters: Letters, direction: Direction = "auto"
) -> Scene:
    """Place classes, edges and pairs, and the legend below them."""
    names = [letters.legible(name) for name in _names(shown)]
    ways: dict[str, list[type[_Plan]]] = {"down": [_Down], "right": [_Right]}
    scene = max(
        (way(shown, names, letters).scene() for way in ways.get(direction, [_Down, _Right])),
        key=_fit,
    )
    return noted(_with_legend(scene, shown), _notes(shown))


def _names(shown: Neighbourhood) -> list[str]:
    names = shortened([node.name for node in shown.nodes])
    for i, fields in enumerate(shown.fields or ()):
        if len(fields) > 1:
            names[i] += f" ({', '.join(fields)})"
    return names


def _fit(scene: Scene) -> float:
    """Return how much of its size a picture keeps on a page."""
    left, bottom, right, top = scene.corners
    return min(1.0, WIDEST / max(right - left, 1.0), HIGHEST / max(top - bottom, 1.0))


def _look(shown: Neighbourhood, i: int) -> str:
    """Return how a class looks."""
    if shown.fields is not None:
        whole = {"TP": "both", "FN": "true", "FP": "predicted", "TN": "plain"}
        fields = shown.fields[i]
        return "shared" if len(fields) > 1 else whole[fields[0]] if fields else "other"
    node = shown.nodes[i]
    above_both = node.above_true and node.above_predicted
    if node.true and node.predicted:
        return "both"
    if node.true or node.predicted:
        return ("true" if node.true else "predicted") + "_both" * above_both
    if above_both:
        return "shared"
    if node.above_true or node.above_predicted:
        return "above_true" if node.above_true else "above_predicted"
    return "other"


def _notes(shown: Neighbourhood) -> list[str]:
    if not shown.nodes:
        return ["no classes"]
    n = shown.n_left_out
    return [f"{n} more ancestor{'s are' if n > 1 else ' is'} not shown"] * bool(n)


class _Plan(ABC):
    """Classes with their sizes; a way to draw them says where they are, and the lines."""

    x: list[float]
    y: list[float]

    def __init__(self, shown: Neighbourhood, names: Sequence[str], letters: Letters) -> None:
        self.shown, self.names, self.letters = shown, names, letters
        self.frame = [FRAME * framed for framed in shown.framed]
        self.half = [
            max(letters.width(name, NAME), 6.0) / 2 + PAD + frame
            for name, frame in zip(names, self.frame, strict=True)
        ]
        self.beside = [
            letters.width(f"+{node.n_hidden}", SMALL) + 4 if node.n_hidden else 0.0
            for node in shown.nodes
        ]
        self.crowded = len(names) > MANY
        self.high = max((letters.height(name, NAME) for name in names), default=0.0)
        self.high += 2.0 if self.crowded else 4.0
        self.row = self.high + 2 * max(self.frame, default=0.0)
        # A class that is paired with itself needs no line.
        self.pairs = [(a, b) for a, b in dict.fromkeys(shown.pairs) if a != b]
        self.place()
        self.boxes = [self._box(i) for i in range(len(names))]

    @abstractmethod
    def place(self) -> None:
        """Set the middles ``x`` and ``y`` of all classes."""

    @abstractmethod
    def lines(self) -> list[Line]:
        """Return the lines of the edges and of the pairs."""

    def _box(self, i: int) -> Corners:
        """Return the box of a class with its frame."""
        half, high = self.half[i], self.high / 2 + self.frame[i]
        return self.x[i] - half, self.y[i] - high, self.x[i] + half, self.y[i] + high

    def right(self, i: int) -> float:
        """Return where a class with the text beside it ends."""
        return self.boxes[i][2] + 2 + self.beside[i]

    def scene(self) -> Scene:
        """Return it all, without a legend."""
        lines = self.lines()
        shapes: list[Shape] = [*lines]
        for i, (box, frame) in enumerate(zip(self.boxes, self.frame, strict=True)):
            look, middle = _look(self.shown, i), (self.x[i], self.y[i])
            shapes += _framed(box, look, f"class-{i}") if frame else [Box(box, look, f"class-{i}")]
            shapes.append(Text(*middle, self.names[i], look, name=f"name-class-{i}"))
            if n := self.shown.nodes[i].n_hidden:
                shapes.append(Text(box[2] + 2, middle[1], f"+{n}", "note", SMALL, "left"))
        points = [_along(line) for line in lines]
        points += [np.reshape(box, (2, 2)) for box in self.boxes]
        points += [np.array([[self.right(i), self.y[i]]]) for i in range(len(self.boxes))]
        every = np.concatenate([*points, np.zeros((int(not points), 2))])
        low, high = every.min(axis=0).tolist(), every.max(axis=0).tolist()
        return Scene((*low, *high), shapes, self.letters)


def _framed(box: Corners, look: str, name: str) -> list[Shape]:
    left, bottom, right, top = box
    inner = left + FRAME, bottom + FRAME, right - FRAME, top - FRAME
    return [Box(box, "plain", name.replace("class", "frame")), Box(inner, look, name)]


def _along(line: Line) -> NDArray[np.float64]:
    """Return points along a line."""
    return BASIS @ np.array(line.points) if line.curved else dots(line.points)


class _Down(_Plan):
    """In layers, roots on top; pairs are curves around the boxes."""

    def place(self) -> None:
        after = [half + text for half, text in zip(self.half, self.beside, strict=True)]
        levels = [node.level for node in self.shown.nodes]
        plan = layered(levels, self.shown.edges, self.half, after)
        reach = [abs(a[1] - b[1]) for route in plan.routes for a, b in pairwise(route)]
        self.pitch = self.row + min(46.0, max(20.0, 0.12 * max(reach, default=0.0)))
        self.x, self.y = list(plan.position), [-k * self.pitch for k in plan.layer]
        self.routes = plan.routes

    def lines(self) -> list[Line]:
        boxes, high = self.boxes, self.high / 2 - 3
        texts = [
            (box[2] + 2, y - high, box[2] + 2 + text, y + high)
            for box, y, text in zip(boxes, self.y, self.beside, strict=True)
            if text
        ]
        lines = []
        for (p, c), route in zip(self.shown.edges, self.routes, strict=True):
            points = [(route[0][1], boxes[p][1])]
            for k, x in route[1:-1]:
                y = -k * self.pitch
                points += [(x, y + self.row / 2), (x, y - self.row / 2)]
            points.append((route[-1][1], boxes[c][3]))
            others = [box for i, box in enumerate(boxes) if i not in (p, c)]
            lines.append(Line(taut(points, [*others, *texts]), "edge", f"edge-{p}-{c}"))
        drawn = [_along(line) for line in lines]
        for a, b in self.pairs:
            others, simple = [*boxes, *texts], len(self.pairs) > MANY_PAIRS
            curve = connection(boxes[a], boxes[b], others, drawn, simple=simple).tolist()
            lines.append(Line([(x, y) for x, y in curve], "pair", f"pair-{a}-{b}", curved=True))
            drawn.append(_along(lines[-1]))
        return lines


class _Right(_Plan):
    """As an outline: indented rows, in the order of a walk down the deepest parents.

    So the line from a parent to its children passes only rows below it. The lines to children of
    further parents, and of pairs, run on the right, short ones closest to the text.
    """

    def place(self) -> None:
        edges = self.shown.edges
        layer = layers_of([node.level for node in self.shown.nodes], edges)
        self.parent = [-1] * len(layer)
        for p, c in edges:
            if self.parent[c] < 0 or layer[p] > layer[self.parent[c]]:
                self.parent[c] = p
        children = defaultdict[int, list[int]](list)
        for c, p in enumerate(self.parent):
            children[p].append(c)
        self.rows, waiting = list[int](), children[-1][::-1]
        while waiting:
            self.rows.append(waiting.pop())
            waiting += children[self.rows[-1]][::-1]
        self.row_of = {i: k for k, i in enumerate(self.rows)}
        self.x = [INDENT * k + half for k, half in zip(layer, self.half, strict=True)]
        self.y, y, gap = [0.0] * len(layer), 0.0, 1.2 if self.crowded else 3.0
        for above, i in pairwise([self.rows[0], *self.rows] if self.rows else []):
            # Only rows with a frame are higher.
            y -= (self.high + gap + self.frame[above] + self.frame[i]) * (i != above)
            self.y[i] = y

    def lines(self) -> list[Line]:
        lines = []
        for c, p in enumerate(self.parent):
            if p >= 0:
                x, y = self.boxes[p][0] + TRUNK, self.y[c]
                points = [(x, self.boxes[p][1]), (x, y), (self.boxes[c][0], y)]
                lines.append(Line(points, "edge", f"edge-{p}-{c}"))
        spare = [edge for edge in self.shown.edges if self.parent[edge[1]] != edge[0]]
        bundles = defaultdict[tuple[str, str, int, int], list[int]](list)
        for p, c in spare:  # the lines to further children of a class share a lane
            bundles["further", "edge", p, -1].append(c)
        for a, b in self.pairs:
            bundles["pair", "pair", a, b].append(b)
        rows = [[self.row_of[i] for i in (a, *ends)] for (*_, a, _), ends in bundles.items()]
        lanes = self._lanes([(min(each), max(each)) for each in rows])
        for lane, ((look, kind, a, _), others) in zip(lanes, bundles.items(), strict=True):
            for b in others:
                door = DOOR if kind == "pair" else -DOOR
                (at, ya), (to, yb) = ((self.right(i), self.y[i] + door) for i in (a, b))
                points = [(at + 1, ya), (lane, ya), (lane, yb), (to + 1.5, yb)]
                lines.append(Line(points, look, f"{kind}-{a}-{b}"))
        return lines

    def _lanes(self, spans: Edges) -> list[float]:
        """Return where vertical lines run that pass these rows, apart from texts and each other."""
        right = [self.right(i) for i in self.rows]
        at: dict[int, float] = {}
        for k in sorted(range(len(spans)), key=lambda k: (spans[k][1] - spans[k][0], k)):
            low, high = spans[k]
            x = max(right[low : high + 1]) + FIRST_LANE
            near = [at[j] for j in at if spans[j][0] <= high and low <= spans[j][1]]
            for taken in sorted(near):
                if abs(taken - x) < LANE:
                    x = taken + LANE
            at[k] = x
        return [at[k] for k in range(len(spans))]


SWATCH = 17.0, 8.0
"""Width and height of a box in the legend."""


def _with_legend(scene: Scene, shown: Neighbourhood) -> Scene:
    """Return a scene with what its looks mean below it, as far as they occur."""
    letters, shapes = scene.letters, list(scene.shapes)
    words = FIELDS if shown.fields is not None else LABELS if shown.lcas is None else GRAPHS
    looks = {_look(shown, i) for i in range(len(shown.nodes))}
    entries = [(look, text) for look, text in words.items() if look in looks]
    paired = any(a != b for a, b in shown.pairs)
    further = [
        (shown.lcas, "frame", "chosen lowest common ancestor"),
        (any(node.alone for node in shown.nodes), "frame", "default cost paid"),
        (paired, "pair", "paired"),
        (any(node.n_hidden for node in shown.nodes), "hidden", "children not shown"),
    ]
    entries += [(kind, text) for occurs, kind, text in further if occurs]
    left, bottom, right, top = scene.corners
    x, y, room = left, bottom - 12 - SWATCH[1] / 2, max(right - left, 220.0)
    wide, high = SWATCH
    for kind, text in entries:
        width = wide + 4 + letters.width(text, NOTE)
        if x > left and x + width > left + room:
            x, y = left, y - 1.9 * NOTE
        box = x, y - high / 2, x + wide, y + high / 2
        if kind == "hidden":
            shapes.append(Text(x + wide / 2, y, "+n", "note", SMALL))
        elif kind == "pair":
            shapes.append(Line([(x, y), (x + wide, y)], kind))
        else:
            shapes += _framed(box, "plain", "") if kind == "frame" else [Box(box, kind)]
        shapes.append(Text(x + wide + 4, y, text, "words", NOTE, "left"))
        right = max(right, x + width)
        x += width + 12
    return Scene((left, y - high, right, top), shapes, letters)
