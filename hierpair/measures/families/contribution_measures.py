"""Distance-based measures of Sun & Lim: errors contribute by how near they are to the truth."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hierpair.measures.definition import set_measure
from hierpair.measures.ratios import Floats, ratio
from hierpair.measures.recipes.contribution_sizes import ContributionRecipe, unit_of

__all__ = [
    "con_accuracy",
    "con_error",
    "con_f",
    "con_precision",
    "con_recall",
]

COSTA = "Sun & Lim 2001; Costa et al. 2007"
AVERAGES = ("micro", "macro", "weighted", "samples")
THETA = (
    "theta, the acceptable distance, decides what an error is worth, and nothing in the data says "
    "what it should be; values with different theta cannot be compared."
)
SUMS = (
    "With several labels every pair of a wrong and a true class counts, so a class near one true "
    "class loses what it is far from the others."
)
FOREST = (
    "In a forest a class without a common ancestor with one class of the other side contributes "
    "−1, however near the others are (costs that follow edges): its distance is infinite, and "
    "the whole sum is cut at −1."
)


class Cells(NamedTuple):
    """Right, wrong and missing classes, and the contributions, all times the unit of these."""

    tp: Floats
    fp: Floats
    fn: Floats
    fp_con: Floats
    fn_con: Floats


def _contributions(
    *, theta: float = 2, cost: Any = "hops", root: Any = "exclude"
) -> ContributionRecipe:
    return ContributionRecipe(cost, theta, root)


def cells_of(
    n_true: Floats,
    n_pred: Floats,
    n_both: Floats,
    contribution_true: Floats,
    contribution_pred: Floats,
    theta: Any,
) -> Cells:
    """Return the cells of the confusion matrix in the unit of contributions."""
    unit = unit_of(theta)
    true, pred, both = (unit * x for x in (n_true, n_pred, n_both))
    return Cells(both, pred - both, true - both, contribution_pred, contribution_true)


def _share(c: Cells, below: Floats, size: Floats, zero_division: float) -> Floats:
    """Divide what was earned; a denominator ≤ 0 goes with nothing earned, so the value is 0.

    Where there is no label at all it is ``zero_division``, and nan wherever that is nan.
    """
    earned = np.maximum(0, c.tp + c.fp_con + c.fn_con)
    value = np.zeros(len(below))
    value[(size == 0) | np.isnan(zero_division)] = zero_division
    positive = below > 0
    np.divide(earned, below, out=value, where=positive)
    # the sums of weighted or very different contributions may be off in their last bits
    return np.where(positive, np.minimum(value, 1), value)


def contributed_precision(c: Cells, n_pred: Floats, zero_division: float) -> Floats:
    """max(0, TP + FpCon + FnCon) / (TP + FP + FnCon)."""
    return _share(c, c.tp + c.fp + c.fn_con, n_pred, zero_division)


def contributed_recall(c: Cells, n_true: Floats, zero_division: float) -> Floats:
    """max(0, TP + FpCon + FnCon) / (TP + FN + FpCon)."""
    return _share(c, c.tp + c.fn + c.fp_con, n_true, zero_division)


contribution_measure = partial(
    set_measure,
    direction="higher",
    range="[0, 1]",
    averages=AVERAGES,
    recipe=_contributions,
    by_default=False,
)
"""Declares a measure over contributions; what differs from these is given."""


@contribution_measure(
    formula="max(0, TP + FpCon + FnCon) / (TP + FP + FnCon)",
    source=f"{COSTA}, eq. 11",
    traits=("bounded", "total"),
    classes="seen",
    cautions=(
        THETA,
        SUMS,
        FOREST,
        "Where missing classes are far from what was predicted the denominator can be 0 or less; "
        "the value is then 0, whatever was right.",
    ),
)
def con_precision(
    n_true: Floats,
    n_pred: Floats,
    n_both: Floats,
    contribution_true: Floats,
    contribution_pred: Floats,
    *,
    theta: float = 2,
    zero_division: float = 0,
) -> Floats:
    """Precision with contributions: near misses count in part, far ones count against it."""
    c = cells_of(n_true, n_pred, n_both, contribution_true, contribution_pred, theta)
    return contributed_precision(c, n_pred, zero_division)


@contribution_measure(
    formula="max(0, TP + FpCon + FnCon) / (TP + FN + FpCon)",
    source=f"{COSTA}, eq. 12",
    traits=("bounded", "total"),
    classes="seen",
    cautions=(
        THETA,
        SUMS,
        FOREST,
        "Where predicted classes are far from the truth the denominator can be 0 or less; the "
        "value is then 0, whatever was right.",
    ),
)
def con_recall(
    n_true: Floats,
    n_pred: Floats,
    n_both: Floats,
    contribution_true: Floats,
    contribution_pred: Floats,
    *,
    theta: float = 2,
    zero_division: float = 0,
) -> Floats:
    """Recall with contributions: near misses count in part, far ones count against it."""
    c = cells_of(n_true, n_pred, n_both, contribution_true, contribution_pred, theta)
    return contributed_recall(c, n_true, zero_division)


@contribution_measure(
    formula="(1 + β²) P R / (β² P + R) of con_precision P and con_recall R",
    source=f"{COSTA}, eqs 6, 11–12",
    traits=("symmetric", "bounded", "total"),
    classes="seen",
    cautions=(THETA, SUMS, FOREST),
    parts=("con_precision", "con_recall"),
)
def con_f(
    n_true: Floats,
    n_pred: Floats,
    n_both: Floats,
    contribution_true: Floats,
    contribution_pred: Floats,
    *,
    beta: float = 1,
    theta: float = 2,
    zero_division: float = 0,
) -> Floats:
    """F-beta of precision and recall with contributions."""
    c = cells_of(n_true, n_pred, n_both, contribution_true, contribution_pred, theta)
    p, r = contributed_precision(c, n_pred, 0), contributed_recall(c, n_true, 0)
    square = float(beta) ** 2
    value = ratio((1 + square) * p * r, square * p + r, 0)
    return np.where((n_true == 0) & (n_pred == 0), zero_division, value)


@contribution_measure(
    formula="(TP + TN + FpCon + FnCon) / (TP + TN + FP + FN)",
    source=f"{COSTA}, eq. 13 (per class, as its contributions are)",
    range="[−1, 1]",
    traits=("symmetric", "perfect", "total"),
    classes="all",
    cautions=(
        THETA,
        SUMS,
        FOREST,
        "With many classes almost all decisions are true negatives, and every value is near 1.",
        "Below 0 if distant errors outweigh what is right.",
    ),
)
def con_accuracy(
    n_true: Floats,
    n_pred: Floats,
    n_both: Floats,
    n_neither: Floats,
    contribution_true: Floats,
    contribution_pred: Floats,
    *,
    theta: float = 2,
) -> Floats:
    """Accuracy with contributions, over all (instance, class) decisions."""
    c = cells_of(n_true, n_pred, n_both, contribution_true, contribution_pred, theta)
    tn = unit_of(theta) * n_neither
    value = ratio(c.tp + tn + c.fp_con + c.fn_con, c.tp + tn + c.fp + c.fn, 1)
    return np.clip(value, -1, 1)  # where sums are off in their last bits


@contribution_measure(
    formula="(FP + FN − FpCon − FnCon) / (TP + TN + FP + FN)",
    source=f"{COSTA}, eq. 14 (per class, as its contributions are)",
    direction="lower",
    range="[0, 2]",
    traits=("symmetric", "perfect", "total"),
    classes="all",
    cautions=(
        THETA,
        SUMS,
        FOREST,
        "With many classes almost all decisions are true negatives, and every value is near 0.",
    ),
)
def con_error(
    n_true: Floats,
    n_pred: Floats,
    n_both: Floats,
    n_neither: Floats,
    contribution_true: Floats,
    contribution_pred: Floats,
    *,
    theta: float = 2,
) -> Floats:
    """Error with contributions: 1 minus the accuracy."""
    c = cells_of(n_true, n_pred, n_both, contribution_true, contribution_pred, theta)
    tn = unit_of(theta) * n_neither
    value = ratio(c.fp + c.fn - c.fp_con - c.fn_con, c.tp + tn + c.fp + c.fn, 0)
    return np.clip(value, 0, 2)
