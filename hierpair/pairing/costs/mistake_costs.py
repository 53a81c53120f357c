"""Costs of mistakes: what is right is free, and the largest cost that a true class can have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats
from hierpair.labels import LabelSets
from hierpair.pairing.costs.lexicographic import Bottleneck
from hierpair.pairing.costs.named_costs import Cost
from hierpair.pairing.pairs import Pairs
from hierpair.pairing.rule import checked_cost

__all__ = ["RightIsFree", "max_costs"]

MOST_PAIRS = 50_000_000
"""Pairs that are tried, at most, for a cost that cannot tell its largest values itself."""

BLOCK_PAIRS = 1_000_000
"""Pairs tried at a time."""


@dataclass(frozen=True)
class RightIsFree:
    """A cost of pairs that has to be 0 where the predicted class is the true one."""

    cost: Cost

    def __post_init__(self) -> None:
        if isinstance(self.cost, Bottleneck):
            raise BadInput(
                "a mean or sum of costs has no bottleneck; use Rule(Bottleneck(…), …) in a rule of "
                "your own"
            )

    def __call__(self, pairs: Pairs) -> Any:
        """Return the costs, and refuse a class that costs something to get right."""
        found = checked_cost(self.cost, pairs)
        wrong = np.flatnonzero((pairs.predicted == pairs.true) & (found != 0))
        if len(wrong):
            name = pairs.hierarchy.names[pairs.true[wrong[0]]]
            raise BadInput(
                f"the cost of predicting {shown(name)} where it is true is {found[wrong[0]]}; it "
                "must be 0",
                int(pairs.instance[wrong[0]]),
            )
        return found

    def max_cost(self, hierarchy: Hierarchy, classes: NDArray[np.integer]) -> Floats:
        """Return the largest cost of each of these true classes."""
        return max_costs(self.cost, hierarchy, classes)


def max_costs(cost: Cost, hierarchy: Hierarchy, classes: NDArray[np.integer]) -> Floats:
    """Return the largest finite cost of each of these true classes, over all predicted classes.

    A cost that has a method ``max_cost(hierarchy, classes)`` is asked; others are tried on all
    classes, block by block.

    Raises
    ------
    BadInput
        If more than 50 million pairs would have to be tried.
    """
    if hasattr(cost, "max_cost"):
        known: Floats = cost.max_cost(hierarchy, classes)
        return known
    used, place = np.unique(classes, return_inverse=True)
    n = len(hierarchy)
    if len(used) * n > MOST_PAIRS:
        raise BadInput(
            f"the largest cost of {len(used):,} true classes would have to be looked for among "
            f"{n:,} classes each; give the costs as a matrix, or take mean_cost"
        )
    found, every = np.zeros(len(used)), np.arange(n)
    block = max(1, BLOCK_PAIRS // n)
    for lo in range(0, len(used), block):
        part = used[lo : lo + block]  # against all classes, as if both were sets of labels
        true, all_ = (LabelSets.from_arrays(np.array([0, len(x)]), x, n) for x in (part, every))
        tried = checked_cost(cost, Pairs.between(hierarchy, true, all_)).astype(np.float64)
        tried[np.isinf(tried)] = 0
        found[lo : lo + block] = tried.reshape(n, len(part)).max(axis=0)
    return found[place]
