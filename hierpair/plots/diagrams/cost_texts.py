"""Where texts go on straight arcs between two columns: numbers only, nothing is drawn here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Arc", "place_texts"]

PLACES = np.linspace(0.1, 0.9, 49)
HALF = 0.9
"""Half the width of a thick arc."""
GAP = 1.2
"""Least room between two texts."""


@dataclass(frozen=True)
class Arc:
    """An arc between two heights, the size of its text (a width of 0: none) and whether that is
    needed; the weight says how bad it is that a text of another arc covers it.
    """

    left: float
    right: float
    width: float
    height: float
    weight: float
    needed: bool


def place_texts(
    arcs: Sequence[Arc], room: tuple[float, float], obstacles: Sequence[tuple[float, ...]] = ()
) -> list[float | None]:
    """Return where along its arc (0 to 1) every text goes, or None where there is no free place.

    Texts touch neither each other nor obstacles (left, bottom, right, top); needed ones choose
    first, and each takes the place where it covers the fewest other arcs. The arcs run between
    both ends of ``room``.
    """
    start, end = room
    ends = np.array([(a.left, a.right) for a in arcs]).reshape(-1, 2)
    weight = np.array([a.weight for a in arcs])
    taken = [np.asarray(box, dtype=float) for box in obstacles]
    found: list[float | None] = [None] * len(arcs)
    texts = [k for k, a in enumerate(arcs) if a.width > 0]
    # Steep arcs first: flat ones find free places most easily.
    texts.sort(key=lambda k: (not arcs[k].needed, -abs(arcs[k].right - arcs[k].left)))
    for k in texts:
        a = arcs[k]
        x = start + PLACES * (end - start)
        y = a.left + PLACES * (a.right - a.left)
        half = a.width / 2, a.height / 2
        boxes = np.column_stack([x - half[0], y - half[1], x + half[0], y + half[1]])
        free = (boxes[:, 0] >= start + GAP) & (boxes[:, 2] <= end - GAP)
        if taken:
            free &= ~_touch(boxes, np.array(taken)).any(axis=1)
        if not free.any():
            continue
        covers = _covered(boxes, ends, room)
        covers[:, k] = False
        # On a thick arc a text is clear wherever it is, unless other thick ones pass.
        light = 0.05 if a.weight > 1 else 1.0
        harm = covers @ np.where(weight > 1, weight, light) + 1.5 * np.abs(PLACES - 0.5)
        best = int(np.argmin(np.where(free, harm, np.inf)))
        found[k] = float(PLACES[best])
        taken.append(boxes[best])
    return found


def _touch(boxes: NDArray[np.float64], taken: NDArray[np.float64]) -> NDArray[np.bool_]:
    a, b = boxes[:, None, :], taken[None, :, :]
    touch: NDArray[np.bool_] = (a[..., :2] < b[..., 2:] + GAP) & (b[..., :2] < a[..., 2:] + GAP)
    return touch[..., 0] & touch[..., 1]


def _covered(
    boxes: NDArray[np.float64], ends: NDArray[np.float64], room: tuple[float, float]
) -> NDArray[np.bool_]:
    """Return which arcs run through which boxes."""
    start, end = room
    slope = (ends[:, 1] - ends[:, 0]) / (end - start)
    enter = ends[:, 0] + (boxes[:, :1] - start) * slope
    leave = ends[:, 0] + (boxes[:, 2:3] - start) * slope
    covered: NDArray[np.bool_] = (np.minimum(enter, leave) < boxes[:, 3:4] + HALF) & (
        np.maximum(enter, leave) > boxes[:, 1:2] - HALF
    )
    return covered
