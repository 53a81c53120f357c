"""Measures of Ipeirotis et al. (2001): what lies below the classes, instead of above them."""

from __future__ import annotations

from functools import partial
from typing import Any

from hierpair.measures.definition import set_measure
from hierpair.measures.ratios import Floats, fbeta, perfect_if_empty, ratio
from hierpair.measures.recipes.set_sizes import SetRecipe

__all__ = ["descendant_f", "descendant_precision", "descendant_recall"]

SOURCE = "Ipeirotis et al. 2001; Costa et al. 2007, eqs 18–19"
CAUTIONS = (
    "In a tree it is 0 unless the predicted class is above or below the true one: a sibling is as "
    "wrong as a class of another branch.",
    "A class near the root stands for many classes, and leads the value of an instance with "
    "several labels.",
)


def _below(*, root: Any = "include") -> SetRecipe:
    return SetRecipe("descendants", root)


descendant_measure = partial(
    set_measure,
    source=SOURCE,
    direction="higher",
    range="[0, 1]",
    recipe=_below,
    by_default=False,
)
"""Declares a measure over descendants."""


@descendant_measure(
    formula="|D(Ŷ) ∩ D(Y)| / |D(Ŷ)|, D: the classes and all below them",
    traits=("perfect", "bounded", "total"),
    cautions=("Going too deep is perfect: a class below the true one has it all.", *CAUTIONS),
)
def descendant_precision(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, zero_division: float = 0
) -> Floats:
    """Share of the predicted subtree that belongs to the true one."""
    return perfect_if_empty(n_true, n_pred, ratio(n_both, n_pred, zero_division))


@descendant_measure(
    formula="|D(Ŷ) ∩ D(Y)| / |D(Y)|, D: the classes and all below them",
    traits=("perfect", "bounded", "total"),
    cautions=("Stopping too high is perfect: the root has every class below it.", *CAUTIONS),
)
def descendant_recall(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, zero_division: float = 0
) -> Floats:
    """Share of the true subtree that was predicted."""
    return perfect_if_empty(n_true, n_pred, ratio(n_both, n_true, zero_division))


@descendant_measure(
    formula="(1 + β²) |D(Ŷ) ∩ D(Y)| / (β² |D(Y)| + |D(Ŷ)|), D: the classes and all below them",
    traits=("symmetric", "perfect", "bounded", "total"),
    cautions=CAUTIONS,
    parts=("descendant_precision", "descendant_recall"),
)
def descendant_f(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, beta: float = 1, zero_division: float = 0
) -> Floats:
    """F-beta of descendant precision and recall, instance by instance."""
    return perfect_if_empty(n_true, n_pred, fbeta(n_true, n_pred, n_both, beta, zero_division))
