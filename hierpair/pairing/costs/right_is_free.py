"""A cost of pairs that has to be 0 where the predicted class is the true one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.pairing.costs.bottleneck import Bottleneck
from hierpair.pairing.costs.max_cost import max_costs
from hierpair.pairing.costs.named_costs import Cost
from hierpair.pairing.pairs import Pairs
from hierpair.pairing.rule import checked_cost

__all__ = ["RightIsFree"]


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

    def max_cost(self, hierarchy: Hierarchy, classes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the largest cost of each of these true classes."""
        return max_costs(self.cost, hierarchy, classes)
