"""Misclassification costs: total, mean, and as a share of the worst."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.measures.definition import pair_measure
from hierpair.measures.ratios import Floats, ratio
from hierpair.measures.recipes.pairings import PairRecipe
from hierpair.pairing import (
    Cost,
    Degree,
    Pairs,
    Rule,
    checked_cost,
    cost_named,
    max_costs,
)

__all__ = ["mean_cost", "normalised_cost", "total_cost"]

SOURCE = "Freitas & Carvalho 2007; Costa et al. 2007, “Other evaluation measures”"
CAUTIONS = (
    "A value is as good as its costs, and somebody has to set them: with n classes there are "
    "n (n − 1). Where they are asymmetric, truth and prediction cannot change places.",
    "Every true class needs a predicted one of its own: an instance with other numbers of "
    "predicted and true labels has no value. gie(cost=…) has a cost for what is left over.",
)


@dataclass(frozen=True)
class RightIsFree:
    """A cost of pairs that has to be 0 where the predicted class is the true one."""

    cost: Cost

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


def _rule(cost: Any) -> Rule:
    one_each = (Degree("predicted", 1, 1), Degree("true", 1, 1))
    return Rule(RightIsFree(cost_named(cost)), one_each)


def _with_max_cost(*, cost: str = "hops") -> PairRecipe:
    return PairRecipe(_rule(cost), with_max_cost=True)


@pair_measure(
    formula="mean over instances of C(y, ŷ)",
    source=SOURCE,
    traits=("symmetric", "perfect"),
    by_default=False,
    cautions=CAUTIONS,
    function_name="misclassification_cost",
)
def mean_cost(cost: str = "hops") -> Rule:
    """Mean cost of what was predicted, by a matrix of costs or any other cost."""
    return _rule(cost)


@pair_measure(
    formula="Σ C(y, ŷ) over all instances",
    source=SOURCE,
    traits=("symmetric", "perfect"),
    averages=("micro",),
    by_default=False,
    cautions=("Grows with the number of instances.", *CAUTIONS),
    function_name="total_misclassification_cost",
)
def total_cost(cost: str = "hops") -> Rule:
    """Sum of the costs of what was predicted, over all instances."""
    return _rule(cost)


def _of_max_cost(cost: Floats, max_cost: Floats) -> Floats:
    return ratio(cost, max_cost, 0)


@pair_measure(
    formula="Σ C(y, ŷ) / Σ max over classes c of C(y, c)",
    source=SOURCE,
    range="[0, 1]",
    traits=("perfect", "bounded"),
    averages=("micro", "samples"),
    value=_of_max_cost,
    recipe=_with_max_cost,
    by_default=False,
    cautions=(
        "One pair of classes with a very large cost makes all other errors of that true class "
        "look small.",
        "The largest costs are taken from the matrix, or computed over all classes; with many "
        "classes, give a matrix.",
        *CAUTIONS,
    ),
    function_name="normalised_misclassification_cost",
)
def normalised_cost(cost: str = "hops") -> Rule:
    """Costs of what was predicted, as a share of the worst that could have been predicted."""
    return _rule(cost)
