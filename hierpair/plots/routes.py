"""Lines that avoid boxes, and texts on lines that avoid each other: numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hierpair.plots.scene import Corners, Point

T = np.linspace(0.0, 1.0, 41)
BASIS = np.stack([(1 - T) ** 3, 3 * (1 - T) ** 2 * T, 3 * (1 - T) * T**2, T**3], axis=1)
"""Times the four points of a cubic curve: points along it."""

ROOM = 2.0
"""Least distance of a line from a box that it does not belong to."""

DOORS = (
    *(((x, 0.0), (x, 0.0)) for x in (-1.0, 1.0)),
    *(((x, y), (0.0, y)) for y in (-1.0, 1.0) for x in (-0.5, 0.0, 0.5)),
)
"""Where a curve can leave a box, as parts of half its size, and in which direction."""


def taut(points: Sequence[Point], boxes: Sequence[Corners]) -> list[Point]:
    """Return a line with fewer bends: leave out what it can skip without touching boxes."""
    walls = np.array(boxes).reshape(-1, 4)
    kept = [points[0]]
    at = 0
    while at < len(points) - 1:
        ends = range(len(points) - 1, at + 1, -1)
        free = (k for k in ends if not _inside(dots([points[at], points[k]]), walls, ROOM).any())
        at = next(free, at + 1)
        kept.append(points[at])
    return kept


def connection(
    start: Corners,
    end: Corners,
    boxes: Sequence[Corners],
    drawn: Sequence[NDArray[np.float64]],
    *,
    simple: bool = False,
) -> NDArray[np.float64]:
    """Return four points of a cubic curve from box to box, through as few others as possible.

    It does not closely follow the lines ``drawn`` before; ``simple`` tries few curves only.
    """
    others = np.array([b for b in boxes if b not in (start, end)]).reshape(-1, 4)
    curves = _candidates(start, end, simple=simple)
    points = np.einsum("tk,ckx->ctx", BASIS, curves)
    steps = np.diff(points, axis=1)
    harm = np.hypot(steps[..., 0], steps[..., 1]).sum(axis=1)
    harm += 300.0 * _inside(points, others, ROOM).any(axis=1).sum(axis=1)
    harm += 40.0 * _inside(points[:, 2:-2], np.array([start, end]), 0.0).sum(axis=(1, 2))
    if drawn:
        harm += 10.0 * _near(points[:, 1:-1], np.concatenate(drawn)).sum(axis=1)
    best: NDArray[np.float64] = curves[int(np.argmin(harm))]
    return best


def _candidates(start: Corners, end: Corners, *, simple: bool) -> NDArray[np.float64]:
    """Return curves that leave and enter boxes at right angles, on any side."""
    low, high = np.array([start[:2], end[:2]]), np.array([start[2:], end[2:]])
    (a, b), (half_a, half_b) = (low + high) / 2, (high - low) / 2
    apart = float(np.hypot(*(b - a)))
    doors = [door for door in DOORS if not simple or 0.5 not in map(abs, door[0])]
    reaches = (10.0, 0.3 * apart + 6, 0.6 * apart + 10, apart + 20)
    found = []
    for leave, out in doors:
        for enter, into in doors:
            p, q = a + np.array(leave) * half_a, b + np.array(enter) * half_b
            found += [
                [p, p + np.array(out) * reach, q + np.array(into) * reach, q]
                for reach in reaches[simple : 3 if simple else 4]
            ]
    return np.array(found)


def dots(points: Sequence[Point]) -> NDArray[np.float64]:
    """Return points on a line with corners, a few points apart."""
    found = []
    for a, b in pairwise(points):
        n = max(2, int(np.hypot(b[0] - a[0], b[1] - a[1]) / 3))
        found.append(np.linspace(a, b, n))
    return np.concatenate(found)


def _near(points: NDArray[np.float64], drawn: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which points are close to a point of a line drawn before."""
    from scipy.spatial import cKDTree

    flat = points.reshape(-1, 2)
    around = (drawn > flat.min(axis=0) - 3.0) & (drawn < flat.max(axis=0) + 3.0)
    drawn = drawn[around.all(axis=1)]
    if not len(drawn):
        return np.zeros(points.shape[:2], dtype=bool)
    distance, _ = cKDTree(drawn).query(flat, distance_upper_bound=3.0)
    near: NDArray[np.bool_] = (distance < 3.0).reshape(points.shape[:2])
    return near


def _inside(
    points: NDArray[np.float64], boxes: NDArray[np.float64], room: float
) -> NDArray[np.bool_]:
    """Return which points of which curves are in which boxes, or closer than ``room``."""
    at = points[..., None, :]
    inside: NDArray[np.bool_] = (at > boxes[:, :2] - room) & (at < boxes[:, 2:] + room)
    return inside[..., 0] & inside[..., 1]


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
    low = np.array([a.left for a in spans])
    slope = (np.array([a.right for a in spans]) - low) / (end - start)
    thick = np.array([a.thick for a in spans])
    x = start + PLACES * (end - start)
    taken = np.empty((0, 4))
    found: list[float | None] = [None] * len(spans)
    # Steep lines first: flat ones find free places most easily.
    first = sorted(range(len(spans)), key=lambda k: (not spans[k].needed, -abs(slope[k])))
    for k in first:
        half = spans[k].width / 2
        y = low[k] + (x - start) * slope[k]
        boxes = np.column_stack([x - half, y - tall / 2, x + half, y + tall / 2])
        free = (boxes[:, 0] >= start + GAP) & (boxes[:, 2] <= end - GAP)
        apart = (boxes[:, None, :2] >= taken[:, 2:] + GAP) | (
            taken[:, :2] >= boxes[:, None, 2:] + GAP
        )
        free &= np.all(apart.any(axis=2), axis=1)
        if not half or not free.any():
            continue
        enter, leave = (low + (boxes[:, [side]] - start) * slope for side in (0, 2))
        covers = (np.minimum(enter, leave) < boxes[:, [3]] + HALF) & (
            np.maximum(enter, leave) > boxes[:, [1]] - HALF
        )
        covers[:, k] = False
        # On a thick line a text is clear wherever it is, unless other thick ones pass.
        harm = covers @ np.where(thick, 40.0, 0.05 if spans[k].thick else 1.0)
        harm += 1.5 * np.abs(PLACES - 0.5)
        best = int(np.argmin(np.where(free, harm, np.inf)))
        found[k] = float(PLACES[best])
        taken = np.vstack([taken, boxes[best]])
    return found
