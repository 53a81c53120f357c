"""Distances between label sets as masses: what it costs to move one to the other."""

from __future__ import annotations

import math

import numpy as np

from hierpair.measures.definition import set_measure
from hierpair.measures.ratios import Floats
from hierpair.measures.recipes.transport import TransportRecipe
from hierpair.pairing import cost_named

__all__ = ["tree_wasserstein"]


def _moved(*, cost: str = "hops", default: float | None = None) -> TransportRecipe:
    return TransportRecipe(cost_named(cost), default)


@set_measure(
    formula="min over couplings of the masses 1/|Ŷ| and 1/|Y|: Σ mass · d(ŷ, y)",
    source="Kantorovich 1942; on trees Evans & Matsen 2012; Le et al. 2019, NeurIPS",
    direction="lower",
    range="[0, ∞)",
    traits=("symmetric", "perfect"),
    averages=("samples",),
    recipe=_moved,
    by_default=False,
    cautions=(
        "Says nothing of the number of labels: each has an even share of the mass 1, so naming "
        "one label too many costs only its share.",
        "An instance with one empty side has no value and is left out of the mean, so a system "
        "that predicts nothing where it is unsure looks better; default is then the price of "
        "all its mass.",
        "Of label sets of equal size it is the best one-to-one pairing divided by their size "
        "(tree_induced_error); of other sizes a label is split among partners.",
        "In a DAG the distances through common ancestors are no metric, and neither is this: "
        "the way over a third label set may be cheaper.",
        "In a forest, masses of different trees have no way unless default is given: the length "
        "of an edge from each root to a virtual class above them all.",
    ),
    function_name="tree_wasserstein_cost",
)
def tree_wasserstein(
    n_true: Floats, n_pred: Floats, cost: Floats, *, default: float | None = None
) -> Floats:
    """Wasserstein distance of both label sets, each with the mass 1 shared evenly by its labels."""
    one_is_empty = (n_true == 0) != (n_pred == 0)
    return np.where(one_is_empty, math.nan if default is None else default, cost)
