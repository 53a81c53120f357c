"""Distance-based measures of Sun & Lim: errors contribute by how near they are to the truth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.measures.definition import set_measure
from hierpair.measures.pooling import Counts
from hierpair.measures.ratios import ratio
from hierpair.measures.recipes.contribution_sizes import ContributionRecipe, unit_of

__all__ = [
    "con_accuracy",
    "con_error",
    "con_f",
    "con_precision",
    "con_recall",
    "contributed_accuracy",
    "contributed_precision",
    "contributed_recall",
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
    """Right, wrong, missing and other classes, and the credits, all times the unit of credits."""

    tp: NDArray[np.float64]
    fp: NDArray[np.float64]
    fn: NDArray[np.float64]
    tn: NDArray[np.float64]
    fp_con: NDArray[np.float64]
    fn_con: NDArray[np.float64]


def _recipe(options: Mapping[str, Any]) -> ContributionRecipe:
    return ContributionRecipe(options["cost"], options["theta"], options["root"])


def _cells(counts: Counts, theta: Any) -> Cells:
    assert counts.contribution_pred is not None  # the recipe of this file gives them
    assert counts.contribution_true is not None
    unit = unit_of(theta)
    true, pred, both, neither = (
        unit * np.asarray(x, dtype=np.float64)
        for x in (counts.n_true, counts.n_pred, counts.n_both, counts.n_neither)
    )
    fp_con, fn_con = counts.contribution_pred, counts.contribution_true
    return Cells(both, pred - both, true - both, neither, fp_con, fn_con)


def contributed_precision(counts: Counts, theta: Any, zero_division: float) -> NDArray[np.float64]:
    """max(0, TP + FpCon + FnCon) / (TP + FP + FnCon)."""
    c = _cells(counts, theta)
    return _of(c, c.tp + c.fp + c.fn_con, counts.n_pred, zero_division)


def contributed_recall(counts: Counts, theta: Any, zero_division: float) -> NDArray[np.float64]:
    """max(0, TP + FpCon + FnCon) / (TP + FN + FpCon)."""
    c = _cells(counts, theta)
    return _of(c, c.tp + c.fn + c.fp_con, counts.n_true, zero_division)


def _of(
    c: Cells, below: NDArray[np.float64], size: NDArray[Any], zero_division: float
) -> NDArray[np.float64]:
    """Divide what was earned; a denominator ≤ 0 goes with nothing earned, so the value is 0.

    Where there is no label at all it is ``zero_division``, and nan wherever that is nan.
    """
    earned = np.maximum(0, c.tp + c.fp_con + c.fn_con)
    value = np.zeros(len(below))
    value[(np.asarray(size) == 0) | np.isnan(zero_division)] = zero_division
    positive = below > 0
    np.divide(earned, below, out=value, where=positive)
    # the sums of weighted or very different credits may be off in their last bits
    return np.where(positive, np.minimum(value, 1), value)


def contributed_accuracy(counts: Counts, theta: Any) -> NDArray[np.float64]:
    """(TP + TN + FpCon + FnCon) / (TP + TN + FP + FN)."""
    c = _cells(counts, theta)
    value = ratio(c.tp + c.tn + c.fp_con + c.fn_con, c.tp + c.tn + c.fp + c.fn, 1)
    return np.clip(value, -1, 1)  # where sums are off in their last bits


@set_measure(
    formula="max(0, TP + FpCon + FnCon) / (TP + FP + FnCon)",
    source=f"{COSTA}, eq. 11",
    direction="higher",
    range="[0, 1]",
    traits=("bounded", "total"),
    averages=AVERAGES,
    family="contribution",
    recipe=_recipe,
    by_default=False,
    cautions=(
        THETA,
        SUMS,
        FOREST,
        "Where missing classes are far from what was predicted the denominator can be 0 or less; "
        "the value is then 0, whatever was right.",
    ),
)
def con_precision(
    counts: Counts,
    theta: float = 2,
    cost: str = "hops",
    root: Any = "exclude",
    classes: str = "seen",
    average: str = "micro",
    zero_division: float = 0,
) -> NDArray[np.float64]:
    """Precision with contributions: near misses count in part, far ones count against it."""
    return contributed_precision(counts, theta, zero_division)


@set_measure(
    formula="max(0, TP + FpCon + FnCon) / (TP + FN + FpCon)",
    source=f"{COSTA}, eq. 12",
    direction="higher",
    range="[0, 1]",
    traits=("bounded", "total"),
    averages=AVERAGES,
    family="contribution",
    recipe=_recipe,
    by_default=False,
    cautions=(
        THETA,
        SUMS,
        FOREST,
        "Where predicted classes are far from the truth the denominator can be 0 or less; the "
        "value is then 0, whatever was right.",
    ),
)
def con_recall(
    counts: Counts,
    theta: float = 2,
    cost: str = "hops",
    root: Any = "exclude",
    classes: str = "seen",
    average: str = "micro",
    zero_division: float = 0,
) -> NDArray[np.float64]:
    """Recall with contributions: near misses count in part, far ones count against it."""
    return contributed_recall(counts, theta, zero_division)


@set_measure(
    formula="(1 + β²) P R / (β² P + R) of con_precision P and con_recall R",
    source=f"{COSTA}, eqs 6, 11–12",
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "bounded", "total"),
    averages=AVERAGES,
    family="contribution",
    recipe=_recipe,
    by_default=False,
    cautions=(THETA, SUMS, FOREST),
    parts=("con_precision", "con_recall"),
)
def con_f(
    counts: Counts,
    beta: float = 1,
    theta: float = 2,
    cost: str = "hops",
    root: Any = "exclude",
    classes: str = "seen",
    average: str = "micro",
    zero_division: float = 0,
) -> NDArray[np.float64]:
    """F-beta of precision and recall with contributions."""
    p, r = contributed_precision(counts, theta, 0), contributed_recall(counts, theta, 0)
    square = float(beta) ** 2
    value = ratio((1 + square) * p * r, square * p + r, 0)
    return np.where(np.asarray(counts.n_union) == 0, zero_division, value)


@set_measure(
    formula="(TP + TN + FpCon + FnCon) / (TP + TN + FP + FN)",
    source=f"{COSTA}, eq. 13 (per class, as its contributions are)",
    direction="higher",
    range="[−1, 1]",
    traits=("symmetric", "perfect", "total"),
    averages=AVERAGES,
    family="contribution",
    recipe=_recipe,
    by_default=False,
    cautions=(
        THETA,
        SUMS,
        FOREST,
        "With many classes almost all decisions are true negatives, and every value is near 1.",
        "Below 0 where far errors outnumber what is right.",
    ),
)
def con_accuracy(
    counts: Counts,
    theta: float = 2,
    cost: str = "hops",
    root: Any = "exclude",
    classes: str = "all",
    average: str = "micro",
) -> NDArray[np.float64]:
    """Accuracy with contributions, over all decisions on an instance and a class."""
    return contributed_accuracy(counts, theta)


@set_measure(
    formula="(FP + FN − FpCon − FnCon) / (TP + TN + FP + FN)",
    source=f"{COSTA}, eq. 14 (per class, as its contributions are)",
    direction="lower",
    range="[0, 2]",
    traits=("symmetric", "perfect", "total"),
    averages=AVERAGES,
    family="contribution",
    recipe=_recipe,
    by_default=False,
    cautions=(
        THETA,
        SUMS,
        FOREST,
        "With many classes almost all decisions are true negatives, and every value is near 0.",
    ),
)
def con_error(
    counts: Counts,
    theta: float = 2,
    cost: str = "hops",
    root: Any = "exclude",
    classes: str = "all",
    average: str = "micro",
) -> NDArray[np.float64]:
    """Error with contributions: 1 less the accuracy."""
    c = _cells(counts, theta)
    value = ratio(c.fp + c.fn - c.fp_con - c.fn_con, c.tp + c.tn + c.fp + c.fn, 0)
    return np.clip(value, 0, 2)
