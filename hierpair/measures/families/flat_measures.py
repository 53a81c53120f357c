"""Flat measures: the hierarchy is not used; the conventions are scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.measures.definition import set_measure
from hierpair.measures.pooling import Counts
from hierpair.measures.ratios import fbeta, ratio
from hierpair.measures.ratios import precision as precision_of
from hierpair.measures.ratios import recall as recall_of

__all__ = ["f", "hamming_loss", "precision", "recall", "subset_accuracy"]

FLAT = "scikit-learn, sklearn.metrics"


@set_measure(
    formula="1 if Ŷ = Y, else 0",
    source=f"{FLAT}.accuracy_score",
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded", "total"),
    averages=("samples",),
    cautions=(
        "The hierarchy is not used: a sibling of the true class is as wrong as a class of "
        "another branch.",
        "One label too many makes the whole set wrong, so values tend to fall as sets grow.",
    ),
)
def subset_accuracy(counts: Counts, average: str = "samples") -> NDArray[np.float64]:
    """Share of instances whose predicted set is exactly the true set."""
    return np.asarray(counts.n_union == counts.n_both, dtype=np.float64)


@set_measure(
    formula="|Ŷ ∩ Y| / |Ŷ|",
    source=f"{FLAT}.precision_score",
    direction="higher",
    range="[0, 1]",
    traits=("bounded", "total"),
    cautions=(
        "The hierarchy is not used: a sibling of the true class is as wrong as a class of "
        "another branch.",
        "Says nothing about true labels that are missing: one safe label is perfect.",
        "A parent instead of its true child counts as plainly wrong.",
    ),
)
def precision(
    counts: Counts, average: str = "samples", zero_division: float = 0
) -> NDArray[np.float64]:
    """Flat precision: the share of predicted labels that are true."""
    return precision_of(counts, zero_division)


@set_measure(
    formula="|Ŷ ∩ Y| / |Y|",
    source=f"{FLAT}.recall_score",
    direction="higher",
    range="[0, 1]",
    traits=("bounded", "total"),
    cautions=(
        "The hierarchy is not used: a sibling of the true class is as wrong as a class of "
        "another branch.",
        "Says nothing about wrong labels: predicting every class is perfect.",
        "A parent instead of its true child counts as plainly missing.",
    ),
)
def recall(
    counts: Counts, average: str = "samples", zero_division: float = 0
) -> NDArray[np.float64]:
    """Flat recall: the share of true labels that are predicted."""
    return recall_of(counts, zero_division)


@set_measure(
    formula="(1 + β²) |Ŷ ∩ Y| / (β² |Y| + |Ŷ|)",
    source=f"{FLAT}.fbeta_score",
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "bounded", "total"),
    cautions=(
        "The hierarchy is not used: a sibling of the true class is as wrong as a class of "
        "another branch.",
        "On label sets that already hold all ancestors but the root it gives what hf gives, "
        "apart from instances without any label; on others it does not.",
    ),
    parts=("precision", "recall"),
)
def f(
    counts: Counts, beta: float = 1, average: str = "samples", zero_division: float = 0
) -> NDArray[np.float64]:
    """Flat F-beta: the weighted harmonic mean of precision and recall."""
    return fbeta(counts, beta, zero_division)


@set_measure(
    formula="|Ŷ Δ Y| / number of classes",
    source=f"{FLAT}.hamming_loss",
    direction="lower",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded", "total"),
    averages=("samples",),
    cautions=(
        "The hierarchy is not used: a sibling of the true class is as wrong as a class of "
        "another branch.",
        "Most classes are rightly not predicted, so with many classes every value is near 0, "
        "the empty prediction's too.",
    ),
)
def hamming_loss(
    counts: Counts, root: Any = "exclude", average: str = "samples"
) -> NDArray[np.float64]:
    """Share of (instance, class) decisions that are wrong."""
    return ratio(counts.n_union - counts.n_both, np.full(len(counts.n_true), counts.n_classes), 0)
