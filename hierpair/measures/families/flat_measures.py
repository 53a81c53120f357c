"""Flat measures: the hierarchy is not used; the conventions are scikit-learn's."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from hierpair.measures.definition import set_measure
from hierpair.measures.ratios import Floats, fbeta, ratio
from hierpair.measures.recipes.set_sizes import SetRecipe

__all__ = ["f", "hamming_loss", "precision", "recall", "specificity", "subset_accuracy"]

FLAT = "scikit-learn, sklearn.metrics"


def _labels() -> SetRecipe:
    return SetRecipe()


def _labels_that_count(*, root: Any = "exclude") -> SetRecipe:
    return SetRecipe("none", root)


flat_measure = partial(
    set_measure,
    direction="higher",
    range="[0, 1]",
    recipe=_labels,
)
"""Declares a flat measure; what differs from these is given."""


@flat_measure(
    formula="1 if Ŷ = Y, else 0",
    source=f"{FLAT}.accuracy_score",
    traits=("symmetric", "perfect", "bounded", "total"),
    averages=("samples",),
    cautions=(
        "The hierarchy is not used: a sibling of the true class is as wrong as a class of "
        "another branch.",
        "One label too many makes the whole set wrong, so values tend to fall as sets grow.",
    ),
)
def subset_accuracy(n_true: Floats, n_pred: Floats, n_both: Floats) -> Floats:
    """Share of instances whose predicted set is exactly the true set."""
    return np.asarray(n_true + n_pred == 2 * n_both, dtype=np.float64)


@flat_measure(
    formula="|Ŷ ∩ Y| / |Ŷ|",
    source=f"{FLAT}.precision_score",
    traits=("bounded", "total"),
    cautions=(
        "The hierarchy is not used: a sibling of the true class is as wrong as a class of "
        "another branch.",
        "Says nothing about true labels that are missing: one safe label is perfect.",
        "A parent instead of its true child counts as plainly wrong.",
    ),
    function_name="flat_precision_score",
)
def precision(n_pred: Floats, n_both: Floats, *, zero_division: float = 0) -> Floats:
    """Flat precision: the share of predicted labels that are true."""
    return ratio(n_both, n_pred, zero_division)


@flat_measure(
    formula="|Ŷ ∩ Y| / |Y|",
    source=f"{FLAT}.recall_score",
    traits=("bounded", "total"),
    cautions=(
        "The hierarchy is not used: a sibling of the true class is as wrong as a class of "
        "another branch.",
        "Says nothing about wrong labels: predicting every class is perfect.",
        "A parent instead of its true child counts as plainly missing.",
    ),
    function_name="flat_recall_score",
)
def recall(n_true: Floats, n_both: Floats, *, zero_division: float = 0) -> Floats:
    """Flat recall: the share of true labels that are predicted."""
    return ratio(n_both, n_true, zero_division)


@flat_measure(
    formula="(K − |Ŷ ∪ Y|) / (K − |Y|), K the number of classes",
    source="Costa et al. 2007, eq. 4",
    traits=("perfect", "bounded", "total"),
    averages=("samples", "micro"),
    recipe=_labels_that_count,
    cautions=(
        "The hierarchy is not used: a sibling of the true class is as wrong as a class of "
        "another branch.",
        "Says nothing about true labels that are missing: predicting nothing is perfect.",
        "With many classes nearly all are neither true nor predicted, so every value is near 1.",
    ),
    by_default=False,
    function_name="flat_specificity_score",
)
def specificity(
    n_true: Floats,
    n_pred: Floats,
    n_both: Floats,
    n_classes: Floats,
    *,
    zero_division: float = 1,
) -> Floats:
    """Specificity: the share of classes that are not true that are not predicted either."""
    n_false = n_classes - n_true
    return ratio(n_false - (n_pred - n_both), n_false, zero_division)


@flat_measure(
    formula="(1 + β²) |Ŷ ∩ Y| / (β² |Y| + |Ŷ|)",
    source=f"{FLAT}.fbeta_score",
    traits=("symmetric", "bounded", "total"),
    cautions=(
        "The hierarchy is not used: a sibling of the true class is as wrong as a class of "
        "another branch.",
        "On label sets that already hold all ancestors but the root it gives what hf gives, "
        "apart from instances without any label; on others it does not.",
    ),
    parts=("precision", "recall"),
    function_name="flat_fbeta_score",
)
def f(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, beta: float = 1, zero_division: float = 0
) -> Floats:
    """Flat F-beta: the weighted harmonic mean of precision and recall."""
    return fbeta(n_true, n_pred, n_both, beta, zero_division)


@flat_measure(
    formula="|Ŷ Δ Y| / number of classes",
    source=f"{FLAT}.hamming_loss",
    direction="lower",
    traits=("symmetric", "perfect", "bounded", "total"),
    averages=("samples",),
    recipe=_labels_that_count,
    cautions=(
        "The hierarchy is not used: a sibling of the true class is as wrong as a class of "
        "another branch.",
        "Most classes are rightly not predicted, so with many classes every value is near 0, even "
        "that of the empty prediction.",
    ),
    function_name="flat_hamming_loss",
)
def hamming_loss(n_true: Floats, n_pred: Floats, n_both: Floats, n_classes: Floats) -> Floats:
    """Share of (instance, class) decisions that are wrong."""
    return ratio(n_true + n_pred - 2 * n_both, n_classes, 0)
