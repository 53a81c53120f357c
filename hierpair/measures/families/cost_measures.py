"""Misclassification costs: total, mean, by mistake, and as a share of the worst."""

from __future__ import annotations

import math
from typing import Any

from hierpair.measures.definition import pair_measure
from hierpair.measures.ratios import Floats, ratio
from hierpair.measures.recipes.pairings import PairRecipe
from hierpair.pairing import Degree, RightIsFree, Rule, cost_named

__all__ = ["mean_cost", "mistake_severity", "normalised_cost", "total_cost"]

SOURCE = "Freitas & Carvalho 2007; Costa et al. 2007, “Other evaluation measures”"
CAUTIONS = (
    "A value is as good as its costs, and somebody has to set them: with n classes there are "
    "n (n − 1). Where they are asymmetric, truth and prediction cannot change places.",
    "Every true class needs a predicted one of its own: an instance with other numbers of "
    "predicted and true labels has no value. gie(cost=…) has a cost for what is left over.",
)


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


def _with_mistakes(*, cost: str = "height") -> PairRecipe:
    return PairRecipe(_rule(cost), note_mistakes=True)


def _by_mistake(
    n_true: Floats, n_both: Floats, cost: Floats, *, zero_division: float = math.nan
) -> Floats:
    return ratio(cost, n_true - n_both, zero_division)


@pair_measure(
    formula="Σ C(y, ŷ) / (number of true labels that were not predicted)",
    source="Bertinetto et al. 2020, §4.1 (height of the lowest common ancestor)",
    traits=("symmetric",),
    averages=("micro", "samples"),
    value=_by_mistake,
    recipe=_with_mistakes,
    by_default=False,
    cautions=(
        "Conditional on being wrong: a system that makes fewer but worse mistakes loses to one "
        "that adds many mild ones. The number of mistakes is noted beside it; severity times "
        "error rate is mean_cost(cost=height).",
        "Without a mistake it has no value (zero_division); such a system is not the worst but "
        "the best.",
        "The height of the lowest common ancestor is not a number of edges; cost='hops' gives the "
        "measure that other authors publish under the same name, some over all instances.",
        "Published distances of tieredImageNet-H are not the heights of its published tree: take "
        "cost=matrix('FILE').",
        *CAUTIONS[1:],
    ),
    function_name="mistake_severity_cost",
)
def mistake_severity(cost: str = "height") -> Rule:
    """Mistake severity: how bad mistakes are on average, however many there are."""
    return _rule(cost)
