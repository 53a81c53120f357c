"""The largest price that a true class can have."""

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
from hierpair.pairing.problem import checked_price

__all__ = ["worst_prices"]

MOST_PAIRS = 50_000_000
"""Pairs that are tried, at most, for a price that cannot tell its largest values itself."""

BLOCK_PAIRS = 1_000_000
"""Pairs tried at a time."""


def worst_prices(
    price: Callable[[Pairs], NDArray[Any]], hierarchy: Hierarchy, classes: NDArray[np.integer]
) -> NDArray[np.float64]:
    """Return the largest finite price of each of these true classes, over all predicted classes.

    A price that has a method ``worst(hierarchy, classes)`` is asked; others are tried on all
    classes, block by block.

    Raises
    ------
    BadInput
        If more than 50 million pairs would have to be tried.
    """
    if hasattr(price, "worst"):
        known: NDArray[np.float64] = price.worst(hierarchy, classes)
        return known
    used, place = np.unique(classes, return_inverse=True)
    n = len(hierarchy)
    if len(used) * n > MOST_PAIRS:
        raise BadInput(
            f"the largest price of {len(used):,} true classes would have to be looked for among "
            f"{n:,} classes each; give the prices as a matrix, or take mean_cost"
        )
    found = np.zeros(len(used))
    block = max(1, BLOCK_PAIRS // n)
    for lo in range(0, len(used), block):
        part = used[lo : lo + block]
        one = LabelSets.from_arrays(offsets(np.ones(len(part), np.int64)), part, n)
        everything = np.tile(np.arange(n), len(part))
        all_of_them = LabelSets.from_arrays(offsets(np.full(len(part), n)), everything, n)
        pairs = Pairs.between(hierarchy, one, all_of_them)
        tried = checked_price(price, pairs).astype(np.float64)
        tried[np.isinf(tried)] = 0
        found[lo : lo + block] = tried.reshape(len(part), n).max(axis=1)
    return found[place]
