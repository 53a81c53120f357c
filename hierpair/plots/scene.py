"""A picture as plain shapes in points, and the pen that writes them as SVG for a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

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
    """A line from point to point, or a cubic curve of four points."""

    points: Sequence[Point]
    look: str
    name: str = ""
    curved: bool = False


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


@dataclass(frozen=True)
class Scene:
    """A picture: what is drawn, the last on top, and the letters it was fitted to."""

    shapes: Sequence[Shape]
    letters: Letters

    @cached_property
    def corners(self) -> Corners:
        """Left, bottom, right and top of it all."""
        corners = [np.zeros((int(not self.shapes), 2))]
        for shape in self.shapes:
            if isinstance(shape, Box):
                corners.append(np.reshape(shape.corners, (2, 2)))
            elif isinstance(shape, Line):
                points = np.asarray(shape.points)
                corners.append(BASIS @ points if shape.curved else points)
            else:
                wide = self.letters.width(shape.text, shape.size, LOOKS[shape.look].font)
                x, high = shape.x - SHIFT[shape.align] * wide, 0.6 * shape.size
                corners.append(np.array([[x, shape.y - high], [x + wide, shape.y + high]]))
        points = np.concatenate(corners)
        return *points.min(axis=0).tolist(), *points.max(axis=0).tolist()


SHIFT = {"left": 0.0, "center": 0.5, "right": 1.0}


def arrow_head(points: Sequence[Point], length: float) -> list[Point]:
    """Return the corners of the head of a line with these points."""
    tip, *others = (complex(*point) for point in reversed(points))
    way = next(tip - point for point in others if point != tip)
    back = way / abs(way) * length
    corners = tip, tip - back + 0.38j * back, tip - back - 0.38j * back
    return [(corner.real, corner.imag) for corner in corners]


SCALE = 1.5
"""Pixels of a page that a point takes."""

ANCHOR = {"left": "start", "center": "middle", "right": "end"}


def svg(scene: Scene, says: str) -> list[Any]:
    """Return a picture as an SVG element: ``[tag, attributes, *children]``.

    Names are texts among the children, so that nothing of them is markup; looks are classes, whose
    colours a page says.
    """
    left, bottom, right, top = scene.corners
    wide, high = (round(SCALE * x) for x in (right - left + 6, top - bottom + 6))
    whole = {"class": "drawing", "viewBox": f"0 0 {wide} {high}", "width": wide, "height": high,
             "role": "img", "aria-label": says}  # fmt: skip
    children = list[Any]()

    def at(x: float, y: float) -> str:
        return f"{SCALE * (x - left + 3):.1f} {SCALE * (top + 3 - y):.1f}"

    for shape in scene.shapes:
        said: dict[str, Any] = {"class": shape.look}
        if isinstance(shape, Line):
            start, *further = (at(*point) for point in shape.points)
            said["d"] = f"M{start}{'C' if shape.curved else 'L'}{' '.join(further)}"
            line: list[Any] = ["path", said]
            if head := LOOKS[shape.look].head:
                corners = " ".join(at(*p) for p in arrow_head(shape.points, head))
                line = ["g", {}, line, ["polygon", {"class": shape.look, "points": corners}]]
            children.append(line)
            continue
        if isinstance(shape, Box):
            x, low, end, y = shape.corners
            sizes = [round(SCALE * size, 1) for size in (end - x, y - low)]
            said |= dict(
                zip(("x", "y", "width", "height"), (*at(x, y).split(), *sizes), strict=True)
            )
            children.append(["rect", said | {"rx": 3}])
        else:
            paid = shape.backed and not shape.look.startswith("idle")
            said["class"] += " name" * shape.name.startswith("name-") + " cost" * paid
            said["x"], said["y"] = at(shape.x, shape.y - 0.35 * shape.size).split()
            said |= {"text-anchor": ANCHOR[shape.align], "font-size": SCALE * shape.size}
            children.append(["text", said, shape.text])
    return ["svg", whole, *children]


def noted(scene: Scene, notes: Sequence[str]) -> Scene:
    """Return a scene with notes below it, in lines of at least a readable width."""
    letters, shapes = scene.letters, list(scene.shapes)
    left, bottom, right, _ = scene.corners
    room = max(right - left, 220.0)
    lines = [line for note in notes for line in letters.wrapped(note, NOTE, room)]
    for k, line in enumerate(lines):
        y = bottom - 6 - (1.4 * k + 0.7) * NOTE
        shapes.append(Text(left, y, line, "note", NOTE, "left"))
    return Scene(shapes, letters)
