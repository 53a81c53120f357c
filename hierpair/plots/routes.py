"""Lines that avoid boxes, and texts on lines that avoid each other: numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from hierpair.hierarchy.arrays import Bools, Floats
from hierpair.plots.scene import BASIS, Corners, Point

ROOM = 2.0
"""Least distance of a line from a box that it does not belong to."""

DOORS = np.array(
    [[(x, 0.0), (x, 0.0)] for x in (-1.0, 1.0)]
    + [[(x, y), (0.0, y)] for y in (-1.0, 1.0) for x in (-0.5, 0.0, 0.5)]
)
"""Where a curve can leave a box, as parts of half its size, and in which direction."""


def connection(
    ends: Sequence[Corners], boxes: Sequence[Corners], drawn: Sequence[Floats], doors: Floats
) -> list[Point]:
    """Return four points of a cubic curve from box to box, through as few others as possible.

    It leaves and enters at right angles, and does not closely follow the lines ``drawn`` before.
    """
    from scipy.spatial import cKDTree

    low, high = np.reshape(ends, (2, 2, 2)).swapaxes(0, 1)
    middle, half = (low + high) / 2, (high - low) / 2
    apart, found = np.hypot(*(middle[1] - middle[0])), list[Any]()
    reaches = (10.0, 0.3 * apart + 6, 0.6 * apart + 10, apart + 20, apart + 150)
    for (leave, out), (enter, into) in product(doors, doors):
        p, q = middle + np.stack([leave, enter]) * half
        found += [[p, p + out * reach, q + into * reach, q] for reach in reaches]
    curves = np.array(found)
    points = np.einsum("tk,ckx->ctx", BASIS, curves)
    harm = np.hypot(*np.moveaxis(np.diff(points, axis=1), -1, 0)).sum(axis=1)
    others = np.reshape([*boxes], (-1, 4))
    harm += 300.0 * _inside(points, others, ROOM).any(axis=1).sum(axis=1)
    harm += 40.0 * _inside(points[:, 2:-2], np.array(ends), 0.0).sum(axis=(1, 2))
    if drawn:
        distance, _ = cKDTree(np.concatenate(drawn)).query(
            points[:, 1:-1], distance_upper_bound=3.0
        )
        harm += 10.0 * (distance < 3.0).sum(axis=1)
    return [(x, y) for x, y in curves[np.argmin(harm)].tolist()]


def _inside(points: Floats, boxes: Floats, room: float) -> Bools:
    """Return which points of which curves are in which boxes, or closer than ``room``."""
    x, y = points[..., None, 0], points[..., None, 1]
    left, low, right, high = boxes.T + room * np.array([[-1], [-1], [1], [1]])
    inside: Bools = (x > left) & (x < right)
    inside &= (y > low) & (y < high)
    return inside


PLACES, ALONG = np.linspace(0.1, 0.9, 33), np.linspace(0.0, 1.0, 33)
"""Where the middle of a text may be on a line, and points of a line."""
HALF = 0.9
"""Half the width of a thick line."""
GAP = 1.2
"""Least room between two texts."""


def place_texts(
    lines: Sequence[Sequence[Point]], wide: Sequence[float], tall: float, thick: Any, needed: Any
) -> list[Point | None]:
    """Return where the middle of every text is, or None where there is no free place.

    It is on the longest stretch of its line. Texts, so ``wide`` (0: there is none) and ``tall``, do
    not touch each other; ``needed`` ones choose first, and each takes the place where it covers the
    fewest lines, above all no ``thick`` ones.
    """
    longest = [max(pairwise(line), key=lambda ends: abs(ends[1][0] - ends[0][0])) for line in lines]
    start, end = np.reshape([*map(sorted, longest)], (-1, 2, 2)).swapaxes(0, 1)
    length, height = (end - start).T
    steep = np.abs(height) / np.maximum(length, 1.0)
    along = start[:, None] + ALONG[:, None] * (end - start)[:, None]
    taken, found = np.empty((0, 4)), list[Point | None]([None] * len(lines))
    # Steep lines first: flat ones find free places most easily.
    for k in filter(wide.__getitem__, np.lexsort((-steep, np.logical_not(needed)))):
        middles = start[k] + PLACES[:, None] * (end[k] - start[k])
        away = np.array([wide[k], tall]) / 2
        boxes = np.concatenate([middles - away, middles + away], axis=1)
        apart: Bools = boxes[:, None, :2] >= taken[:, 2:] + GAP
        apart |= taken[:, :2] >= boxes[:, None, 2:] + GAP
        free = (boxes[:, 0] >= start[k, 0] + GAP) & (boxes[:, 2] <= end[k, 0] - GAP)
        free &= np.all(np.any(apart, axis=2), axis=1)
        if free.any():
            covers: Any = _inside(along, boxes[free], HALF).any(axis=1)
            covers[k] = False
            harm = np.where(thick, 40.0, 1.0) @ covers + 1.5 * np.abs(PLACES[free] - 0.5)
            best = np.flatnonzero(free)[np.argmin(harm)]
            found[k] = tuple(middles[best].tolist())
            taken = np.append(taken, boxes[[best]], axis=0)
    return found
