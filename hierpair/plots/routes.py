"""Lines that avoid boxes, and texts on lines that avoid each other: numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hierpair.hierarchy.arrays import Bools, Floats
from hierpair.plots.scene import BASIS, Corners, Point

ROOM = 2.0
"""Least distance of a line from a box that it does not belong to."""

Doors = Sequence[tuple[Point, Point]]
DOORS: Doors = (
    *(((x, 0.0), (x, 0.0)) for x in (-1.0, 1.0)),
    *(((x, y), (0.0, y)) for y in (-1.0, 1.0) for x in (-0.5, 0.0, 0.5)),
)
"""Where a curve can leave a box, as parts of half its size, and in which direction."""


def connection(
    start: Corners,
    end: Corners,
    boxes: Sequence[Corners],
    drawn: Sequence[Floats],
    doors: Doors,
) -> Floats:
    """Return four points of a cubic curve from box to box, through as few others as possible.

    It does not closely follow the lines ``drawn`` before.
    """
    others = np.array([b for b in boxes if b not in (start, end)]).reshape(-1, 4)
    curves = _candidates(start, end, doors)
    points = np.einsum("tk,ckx->ctx", BASIS, curves)
    steps = np.diff(points, axis=1)
    harm = np.hypot(steps[..., 0], steps[..., 1]).sum(axis=1)
    harm += 300.0 * _inside(points, others, ROOM).any(axis=1).sum(axis=1)
    harm += 40.0 * _inside(points[:, 2:-2], np.array([start, end]), 0.0).sum(axis=(1, 2))
    if drawn:
        harm += 10.0 * _near(points[:, 1:-1], np.concatenate(drawn)).sum(axis=1)
    best: Floats = curves[int(np.argmin(harm))]
    return best


def _candidates(start: Corners, end: Corners, doors: Doors) -> Floats:
    """Return curves that leave and enter boxes at right angles, on any side."""
    low, high = np.array([start[:2], end[:2]]), np.array([start[2:], end[2:]])
    (a, b), (half_a, half_b) = (low + high) / 2, (high - low) / 2
    apart = np.hypot(*(b - a))
    reaches = (10.0, 0.3 * apart + 6, 0.6 * apart + 10, apart + 20, apart + 150)
    found = []
    for leave, out in doors:
        for enter, into in doors:
            p, q = a + np.array(leave) * half_a, b + np.array(enter) * half_b
            found += [
                [p, p + np.array(out) * reach, q + np.array(into) * reach, q] for reach in reaches
            ]
    return np.array(found)


def _near(points: Floats, drawn: Floats) -> Bools:
    """Return which points are close to a point of a line drawn before."""
    from scipy.spatial import cKDTree

    distance, _ = cKDTree(drawn).query(points, distance_upper_bound=3.0)
    near: Bools = distance < 3.0
    return near


def _inside(points: Floats, boxes: Floats, room: float) -> Bools:
    """Return which points of which curves are in which boxes, or closer than ``room``."""
    x, y = points[..., None, 0], points[..., None, 1]
    left, low, right, high = boxes.T
    inside: Bools = (x > left - room) & (x < right + room)
    inside &= (y > low - room) & (y < high + room)
    return inside


PLACES = np.linspace(0.1, 0.9, 49)
HALF = 0.9
"""Half the width of a thick line."""
GAP = 1.2
"""Least room between two texts."""


@dataclass(frozen=True)
class Span:
    """A straight line between two heights, how wide its text is (0: it has none), whether the line
    is thick, so that other texts should not cover it, and whether its text has to be there.
    """

    left: float
    right: float
    width: float
    thick: bool
    needed: bool


def place_texts(
    spans: Sequence[Span], room: tuple[float, float], tall: float
) -> list[float | None]:
    """Return where along its line (0 to 1) every text goes, or None where there is no free place.

    Texts, all so ``tall``, do not touch each other; needed ones choose first, and each takes the
    place where it covers the fewest other lines. The lines run between both ends of ``room``.
    """
    start, end = room
    low = np.array([span.left for span in spans])
    slope = (np.array([span.right for span in spans]) - low) / (end - start)
    weight = np.array([40.0 if span.thick else 1.0 for span in spans])
    x = start + PLACES * (end - start)
    taken: list[Corners] = []
    found: list[float | None] = [None] * len(spans)
    # Steep lines first: flat ones find free places most easily.
    for k in sorted(range(len(spans)), key=lambda k: (not spans[k].needed, -abs(slope[k]))):
        half = spans[k].width / 2
        y = low[k] + (x - start) * slope[k]
        boxes = np.column_stack([x - half, y - tall / 2, x + half, y + tall / 2])
        free = (boxes[:, 0] >= start + GAP) & (boxes[:, 2] <= end - GAP)
        for box in taken:
            apart = (boxes[:, :2] >= np.add(box[2:], GAP)) | (box[:2] >= boxes[:, 2:] + GAP)
            free &= apart.any(axis=1)
        if not half or not free.any():
            continue
        enter, leave = (low + (boxes[:, [side]] - start) * slope for side in (0, 2))
        covers = np.minimum(enter, leave) < boxes[:, [3]] + HALF
        covers &= np.maximum(enter, leave) > boxes[:, [1]] - HALF
        covers[:, k] = False
        harm = covers @ weight + 1.5 * np.abs(PLACES - 0.5)
        best = int(np.argmin(np.where(free, harm, np.inf)))
        found[k] = float(PLACES[best])
        taken.append(tuple(boxes[best]))
    return found
