"""Lines that avoid boxes, and texts on lines that avoid each other: numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
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

    corners = np.reshape(ends, (2, 2, 2))
    middle, half = corners.mean(axis=1), np.diff(corners, axis=1)[:, 0] / 2
    apart = np.hypot(*np.diff(middle, axis=0)[0])
    reaches = np.array([10.0, 0.3 * apart + 6, 0.6 * apart + 10, apart + 20, apart + 150])
    at = middle[:, None, None] + doors[:, :1] * half[:, None, None]  # of both: by door
    pulled = at + doors[:, 1:] * reaches[:, None]
    p, out = np.broadcast_arrays(at[0][:, None], pulled[0][:, None])
    q, into = np.broadcast_arrays(at[1], pulled[1])
    ways = np.broadcast_arrays(p, out, into, q)
    curves = np.stack(ways, axis=-2).reshape(-1, 4, 2)
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
    at, low, high = points[..., None, :], boxes[:, :2] - room, boxes[:, 2:] + room
    inside: Bools = np.all([at > low, at < high], axis=(0, -1))
    return inside


PLACES = np.linspace(0.1, 0.9, 49)
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
    fewest lines between the same columns, above all no ``thick`` ones.
    """
    longest = [max(pairwise(line), key=lambda ends: abs(ends[1][0] - ends[0][0])) for line in lines]
    stretches = [sorted(ends) for ends in longest]
    (start, low), (end, high) = np.reshape(stretches, (-1, 2, 2)).transpose(1, 2, 0)
    slope = (high - low) / np.where(end > start, end - start, 1.0)
    middles = np.stack([start, low]) + PLACES[:, None, None] * np.stack([end - start, high - low])
    taken, found = np.empty((0, 1, 4)), list[Point | None]([None] * len(lines))
    # Steep lines first: flat ones find free places most easily.
    for k in np.lexsort((-abs(slope), np.logical_not(needed))):
        away = np.array([wide[k], tall]) / 2
        boxes = np.concatenate([middles[..., k] - away, middles[..., k] + away], axis=1)
        apart = (boxes[:, :2] >= taken[..., 2:] + GAP) | (taken[..., :2] >= boxes[:, 2:] + GAP)
        free = (boxes[:, 0] >= start[k] + GAP) & (boxes[:, 2] <= end[k] - GAP)
        free &= apart.any(axis=-1).all(axis=0)
        if wide[k] and free.any():
            heights = low + (boxes[:, [0, 2], None] - start) * slope  # of lines at both its sides
            covers = heights.min(axis=1) < boxes[:, [3]] + HALF
            covers &= heights.max(axis=1) > boxes[:, [1]] - HALF
            covers &= (start == start[k]) & (end == end[k]) & (np.arange(len(lines)) != k)
            harm = covers @ np.where(thick, 40.0, 1.0) + 1.5 * np.abs(PLACES - 0.5)
            best = np.argmin(np.where(free, harm, np.inf))
            found[k] = tuple(middles[best, :, k].tolist())
            taken = np.append(taken, boxes[None, [best]], axis=0)
    return found
