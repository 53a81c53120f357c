"""The largest cost that a true class can have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets
from hierpair.labels import LabelSets
from hierpair.pairing.pairs import Pairs
from hierpair.pairing.rule import checked_cost

__all__ = ["max_costs"]

MOST_PAIRS = 50_000_000
"""Pairs that are tried, at most, for a cost that cannot tell its largest values itself."""

BLOCK_PAIRS = 1_000_000
"""Pairs tried at a time."""


def max_costs(
    cost: Callable[[Pairs], NDArray[Any]], hierarchy: Hierarchy, classes: NDArray[np.integer]
) -> NDArray[np.float64]:
    """Return the largest finite cost of each of these true classes, over all predicted classes.

    A cost that has a method ``max_cost(hierarchy, classes)`` is asked; others are tried on all
    classes, block by block.

    Raises
    ------
    BadInput
        If more than 50 million pairs would have to be tried.
    """
    if hasattr(cost, "max_cost"):
        known: NDArray[np.float64] = cost.max_cost(hierarchy, classes)
        return known
    used, place = np.unique(classes, return_inverse=True)
    n = len(hierarchy)
    if len(used) * n > MOST_PAIRS:
        raise BadInput(
            f"the largest cost of {len(used):,} true classes would have to be looked for among "
            f"{n:,} classes each; give the costs as a matrix, or take mean_cost"
        )
    found = np.zeros(len(used))
    block = max(1, BLOCK_PAIRS // n)
    for lo in range(0, len(used), block):
        part = used[lo : lo + block]
        one = LabelSets.from_arrays(offsets(np.ones(len(part), np.int64)), part, n)
        everything = np.tile(np.arange(n), len(part))
        all_of_them = LabelSets.from_arrays(offsets(np.full(len(part), n)), everything, n)
        pairs = Pairs.between(hierarchy, one, all_of_them)
        tried = checked_cost(cost, pairs).astype(np.float64)
        tried[np.isinf(tried)] = 0
        found[lo : lo + block] = tried.reshape(len(part), n).max(axis=1)
    return found[place]
