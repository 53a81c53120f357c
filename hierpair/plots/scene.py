"""A picture as plain shapes in points, and the pen that writes them as SVG for a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from hierpair.hierarchy.arrays import Floats
from hierpair.plots.letters import Letters
from hierpair.plots.style import LOOKS, NAME, NOTE

Point = tuple[float, float]

Corners = tuple[float, float, float, float]
"""Left, bottom, right, top."""


@dataclass(frozen=True)
class Box:
    """A box with slightly rounded corners; ``name`` is what it is called in files."""

    corners: Corners
    look: str
    name: str = ""


@dataclass(frozen=True)
class Line:
    """A line from point to point, or a cubic curve of four points; ``thin`` is of its width."""

    points: Sequence[Point]
    look: str
    name: str = ""
    curved: bool = False
    thin: float = 1.0


@dataclass(frozen=True)
class Text:
    """One line with its middle at the height ``y``; ``backed`` covers what is behind it."""

    x: float
    y: float
    text: str
    look: str = "words"
    size: float = NAME
    align: str = "center"
    name: str = ""
    backed: bool = False


Shape = Box | Line | Text


T = np.linspace(0.0, 1.0, 41)
BASIS = np.stack([(1 - T) ** 3, 3 * (1 - T) ** 2 * T, 3 * (1 - T) * T**2, T**3], axis=1)
"""Times the four points of a cubic curve: points along it."""


def along(points: Sequence[Point], curved: bool = False) -> Floats:
    """Return points on a line, a few points apart."""
    if curved:
        found: Floats = BASIS @ np.array(points)
        return found
    steps = (max(2, int(np.hypot(b[0] - a[0], b[1] - a[1]) / 3)) for a, b in pairwise(points))
    return np.concatenate(
        [np.linspace(a, b, n) for (a, b), n in zip(pairwise(points), steps, strict=True)]
    )


@dataclass(frozen=True)
class Scene:
    """A picture: what is drawn, the last on top, and the letters it was fitted to."""

    shapes: Sequence[Shape]
    letters: Letters

    @cached_property
    def corners(self) -> Corners:
        """Left, bottom, right and top of it all."""
        found = [np.zeros((int(not self.shapes), 2))]
        for shape in self.shapes:
            if isinstance(shape, Box):
                found.append(np.reshape(shape.corners, (2, 2)))
            elif isinstance(shape, Line):
                curve = along(shape.points, curved=True) if shape.curved else shape.points
                found.append(np.asarray(curve))
            else:
                bold = LOOKS[shape.look].bold
                wide = self.letters.width(shape.text, shape.size, bold=bold)
                x, high = shape.x - SHIFT[shape.align] * wide, 0.6 * shape.size
                found.append(np.array([[x, shape.y - high], [x + wide, shape.y + high]]))
        points = np.concatenate(found)
        return *points.min(axis=0).tolist(), *points.max(axis=0).tolist()


SHIFT = {"left": 0.0, "center": 0.5, "right": 1.0}


def arrow_head(points: Sequence[Point], length: float) -> list[Point]:
    """Return the corners of the head of a line with these points."""
    tip = np.asarray(points[-1])
    back = next(np.asarray(p) for p in reversed(points) if tuple(p) != tuple(points[-1]))
    along = (tip - back) / np.hypot(*(tip - back)) * length
    across = np.array([-along[1], along[0]]) * 0.38
    corners = np.array([tip, tip - along + across, tip - along - across])
    return [(x, y) for x, y in corners.tolist()]


ANCHOR = {"left": "start", "center": "middle", "right": "end"}


def svg(scene: Scene, says: str, scale: float = 1.5) -> list[Any]:
    """Return a picture as an SVG element: ``[tag, attributes, *children]``.

    Names are texts among the children, so that nothing of them is markup; looks are classes, whose
    colours a page says.
    """
    left, bottom, right, top = scene.corners
    size = [round(scale * x) for x in (right - left + 6, top - bottom + 6)]

    def at(x: float, y: float) -> str:
        return f"{scale * (x - left + 3):.1f} {scale * (top + 3 - y):.1f}"

    def element(shape: Shape) -> list[Any]:
        looks: dict[str, Any] = {"class": shape.look}
        if isinstance(shape, Box):
            x, y = at(shape.corners[0], shape.corners[3]).split()
            wide, high = (scale * (shape.corners[k + 2] - shape.corners[k]) for k in (0, 1))
            box = {"x": x, "y": y, "width": round(wide, 1), "height": round(high, 1), "rx": 3}
            return ["rect", looks | box]
        if isinstance(shape, Text):
            x, y = at(shape.x, shape.y - 0.35 * shape.size).split()
            how = {
                "x": x,
                "y": y,
                "text-anchor": ANCHOR[shape.align],
                "font-size": scale * shape.size,
            }
            paid = shape.backed and not shape.look.startswith("idle")
            looks["class"] += " name" * shape.name.startswith("name-") + " cost" * paid
            return ["text", looks | how, shape.text]
        start, *further = (at(*point) for point in shape.points)
        line = ["path", looks | {"d": f"M{start}{'C' if shape.curved else 'L'}{' '.join(further)}"}]
        if not (head := LOOKS[shape.look].head):
            return line
        corners = " ".join(at(*p) for p in arrow_head(shape.points, head))
        return ["g", {}, line, ["polygon", {**looks, "points": corners}]]

    whole = {"class": "drawing", "viewBox": f"0 0 {size[0]} {size[1]}", "width": size[0],
             "height": size[1], "role": "img", "aria-label": says}  # fmt: skip
    return ["svg", whole, *map(element, scene.shapes)]


def noted(scene: Scene, notes: Sequence[str]) -> Scene:
    """Return a scene with notes below it, in lines of at least a readable width."""
    letters, shapes = scene.letters, list(scene.shapes)
    left, bottom, right, _ = scene.corners
    room = max(right - left, 220.0)
    lines = [line for note in notes for line in letters.wrapped(letters.legible(note), NOTE, room)]
    for k, line in enumerate(lines):
        y = bottom - 6 - (1.4 * k + 0.7) * NOTE
        shapes.append(Text(left, y, line, "note", NOTE, "left"))
    return Scene(shapes, letters)
