"""Measures of the hierarchical confusion matrix: its four counts, and what is made of them."""

from __future__ import annotations

from functools import partial

import numpy as np

from hierpair.measures.definition import set_measure
from hierpair.measures.ratios import Floats, fbeta, perfect_if_empty, ratio
from hierpair.measures.recipes.confusion_fields import ConfusionRecipe

__all__ = [
    "hcm_acc",
    "hcm_balanced_accuracy",
    "hcm_f",
    "hcm_fn",
    "hcm_fnr",
    "hcm_fp",
    "hcm_fpr",
    "hcm_informedness",
    "hcm_jaccard",
    "hcm_kappa",
    "hcm_markedness",
    "hcm_mcc",
    "hcm_ppv",
    "hcm_prevalence",
    "hcm_prevalence_threshold",
    "hcm_tn",
    "hcm_tnr",
    "hcm_tp",
    "hcm_tpr",
]

RIEHL = "Riehl et al. 2023, §IV, Table II"
PATHS = (
    "A label of a DAG with several root paths has no value; predictions must then be paths.",
    "Predictions are paired with true classes once; an exact pairing has no fewer TP than the "
    "published one.",
)


def confusion_counts(
    *, pairing: str = "exact", empty: str = "root", nested: str = "drop", blank: str = "ignore"
) -> ConfusionRecipe:
    """Return the recipe of all measures of the confusion matrix."""
    return ConfusionRecipe(pairing, empty, nested, blank)


confusion_measure = partial(
    set_measure,
    source=RIEHL,
    direction="higher",
    range="[0, 1]",
    averages=("micro", "samples"),
    recipe=confusion_counts,
)
"""Declares a measure of the confusion matrix; what differs from these is given."""

derived_measure = partial(confusion_measure, source=f"counts of {RIEHL}")
"""Declares one that the paper does not have."""


@confusion_measure(
    formula="TP",
    range="[0, ∞)",
    traits=("symmetric",),
    cautions=("A count grows with the data.", *PATHS),
)
def hcm_tp(tp: Floats) -> Floats:
    """Shared classes of predicted and true paths (true positives)."""
    return tp


@confusion_measure(
    formula="TN",
    range="[0, ∞)",
    traits=(),
    cautions=(
        "TN are counted beside the shared part of a pair only, so they depend on the prediction.",
        *PATHS,
    ),
)
def hcm_tn(tn: Floats) -> Floats:
    """Classes beside the shared part that are on neither path (true negatives)."""
    return tn


@confusion_measure(
    formula="FP",
    direction="lower",
    range="[0, ∞)",
    traits=("perfect",),
    cautions=("A count grows with the data.", *PATHS),
)
def hcm_fp(fp: Floats) -> Floats:
    """Classes of predicted paths that are not true (false positives)."""
    return fp


@confusion_measure(
    formula="FN",
    direction="lower",
    range="[0, ∞)",
    traits=("perfect",),
    cautions=("A count grows with the data.", *PATHS),
)
def hcm_fn(fn: Floats) -> Floats:
    """Classes of true paths that were not predicted (false negatives)."""
    return fn


@confusion_measure(
    formula="(TP + TN) / (TP + TN + FP + FN)",
    traits=("perfect", "bounded"),
    cautions=(
        "TN outnumber the rest: the root alone, predicted for every book, has an accuracy of "
        "86.7 % and 65.8 % in tasks A and B of GermEval 2019.",
        *PATHS,
    ),
    function_name="hcm_accuracy_score",
)
def hcm_acc(tp: Floats, fp: Floats, fn: Floats, tn: Floats, *, zero_division: float = 0) -> Floats:
    """Share of all counted classes that both sides agree on (accuracy, ACC)."""
    return perfect_if_empty(tp + fn, tp + fp, ratio(tp + tn, tp + tn + fp + fn, zero_division))


@confusion_measure(
    formula="TP / (TP + FP)",
    traits=("perfect", "bounded"),
    cautions=(
        "Predicting less never lowers it: a system that predicts only classes right below the "
        "root is easily right.",
        *PATHS,
    ),
    function_name="hcm_precision_score",
)
def hcm_ppv(tp: Floats, fp: Floats, fn: Floats, *, zero_division: float = 0) -> Floats:
    """Share of what was predicted that is true (precision, positive predictive value, PPV)."""
    return perfect_if_empty(tp + fn, tp + fp, ratio(tp, tp + fp, zero_division))


@confusion_measure(
    formula="TP / (TP + FN)",
    traits=("perfect", "bounded"),
    cautions=(
        "Predicting more never lowers it.",
        *PATHS,
    ),
    function_name="hcm_recall_score",
)
def hcm_tpr(tp: Floats, fp: Floats, fn: Floats, *, zero_division: float = 0) -> Floats:
    """Share of what is true that was predicted (recall, sensitivity, TPR)."""
    return perfect_if_empty(tp + fn, tp + fp, ratio(tp, tp + fn, zero_division))


@confusion_measure(
    formula="FN / (FN + TP)",
    direction="lower",
    traits=("perfect", "bounded"),
    cautions=(
        "Printed as FP / (FN + TP) in Table II, which is no rate: it can be above 1.",
        *PATHS,
    ),
)
def hcm_fnr(tp: Floats, fn: Floats, *, zero_division: float = 0) -> Floats:
    """Share of what is true that was missed (false negative rate, FNR)."""
    return ratio(fn, fn + tp, zero_division)


@confusion_measure(
    formula="FP / (FP + TN)",
    direction="lower",
    traits=("perfect", "bounded"),
    cautions=(
        "TN are counted beside the shared part of a pair only, so what is not true depends on "
        "the prediction.",
        *PATHS,
    ),
)
def hcm_fpr(fp: Floats, tn: Floats, *, zero_division: float = 0) -> Floats:
    """Share of what is not true that was predicted (false positive rate, FPR)."""
    return ratio(fp, fp + tn, zero_division)


@confusion_measure(
    formula="TN / (TN + FP)",
    traits=("bounded",),
    cautions=(
        "TN are counted beside the shared part of a pair only, so what is not true depends on "
        "the prediction.",
        *PATHS,
    ),
)
def hcm_tnr(fp: Floats, tn: Floats, *, zero_division: float = 0) -> Floats:
    """Share of what is not true that was not predicted (specificity, TNR)."""
    return ratio(tn, tn + fp, zero_division)


@derived_measure(
    formula="(TP + FN) / (TP + TN + FP + FN)",
    traits=("bounded",),
    cautions=(
        "Describes how much there was to find, not how well it was found; neither direction is "
        "better.",
        "Table II calls another quantity by this name, see hcm_prevalence_threshold.",
        *PATHS,
    ),
)
def hcm_prevalence(
    tp: Floats, fp: Floats, fn: Floats, tn: Floats, *, zero_division: float = 0
) -> Floats:
    """Share of all counted classes that are true."""
    return ratio(tp + fn, tp + tn + fp + fn, zero_division)


@confusion_measure(
    formula="√FPR / (√TPR + √FPR)",
    source=f"{RIEHL} (there: prevalence); Balayla 2020",
    direction="lower",
    traits=("perfect", "bounded"),
    cautions=(
        "Table II prints (√(TPR (1 − TNR)) + TNR − 1) / (TPR + TNR − 1) and calls it "
        "prevalence; it is the same number where TPR ≠ FPR and 0/0 elsewhere.",
        *PATHS,
    ),
)
def hcm_prevalence_threshold(
    tp: Floats, fp: Floats, fn: Floats, tn: Floats, *, zero_division: float = 0
) -> Floats:
    """Prevalence below which predictions soon become unreliable (PT)."""
    tpr = np.sqrt(ratio(tp, tp + fn, 0))
    fpr = np.sqrt(ratio(fp, fp + tn, 0))
    return ratio(fpr, tpr + fpr, zero_division)


@confusion_measure(
    formula="(1 + β²) TP / ((1 + β²) TP + β² FN + FP)",
    traits=("symmetric", "perfect", "bounded"),
    cautions=(
        "TN are ignored.",
        "According to the paper, equations 1 and 2 weigh precision β times as much; in fact "
        "recall gets this weight.",
        *PATHS,
    ),
    parts=("hcm_ppv", "hcm_tpr"),
)
def hcm_f(
    tp: Floats, fp: Floats, fn: Floats, *, beta: float = 1, zero_division: float = 0
) -> Floats:
    """F-beta of precision and recall."""
    return perfect_if_empty(tp + fn, tp + fp, fbeta(tp + fn, tp + fp, tp, beta, zero_division))


@confusion_measure(
    formula="(TP · TN − FP · FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN))",
    range="[-1, 1]",
    traits=("symmetric",),
    cautions=(
        "For a perfect prediction without any TN (no class has a sibling) it is 0/0.",
        *PATHS,
    ),
)
def hcm_mcc(tp: Floats, fp: Floats, fn: Floats, tn: Floats, *, zero_division: float = 0) -> Floats:
    """Matthews correlation coefficient (MCC)."""
    below = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return np.clip(ratio(tp * tn - fp * fn, below, zero_division), -1, 1)


@derived_measure(
    formula="(TPR + TNR) / 2",
    traits=("bounded",),
    cautions=(
        "Half of it depends on TN, which are counted only beside the shared part of a pair.",
        *PATHS,
    ),
)
def hcm_balanced_accuracy(
    tp: Floats, fp: Floats, fn: Floats, tn: Floats, *, zero_division: float = 0
) -> Floats:
    """Mean of recall and specificity."""
    tpr = ratio(tp, tp + fn, zero_division)
    return (tpr + ratio(tn, tn + fp, zero_division)) / 2


@derived_measure(
    formula="TPR + TNR − 1",
    range="[-1, 1]",
    traits=(),
    cautions=(
        "Half of it depends on TN, which are counted only beside the shared part of a pair.",
        *PATHS,
    ),
)
def hcm_informedness(
    tp: Floats, fp: Floats, fn: Floats, tn: Floats, *, zero_division: float = 0
) -> Floats:
    """How much better than guessing (Youden, informedness)."""
    tpr = ratio(tp, tp + fn, zero_division)
    return tpr + ratio(tn, tn + fp, zero_division) - 1


@derived_measure(
    formula="TP / (TP + FP) + TN / (TN + FN) − 1",
    range="[-1, 1]",
    traits=(),
    cautions=(
        "Half of it depends on TN, which are counted only beside the shared part of a pair.",
        *PATHS,
    ),
)
def hcm_markedness(
    tp: Floats, fp: Floats, fn: Floats, tn: Floats, *, zero_division: float = 0
) -> Floats:
    """How much a prediction reveals about the truth (markedness)."""
    ppv = ratio(tp, tp + fp, zero_division)
    return ppv + ratio(tn, tn + fn, zero_division) - 1


@derived_measure(
    formula="TP / (TP + FP + FN)",
    traits=("symmetric", "perfect", "bounded"),
    cautions=(
        "Never higher than hcm_f: for the same counts it is F / (2 − F).",
        *PATHS,
    ),
)
def hcm_jaccard(tp: Floats, fp: Floats, fn: Floats, *, zero_division: float = 0) -> Floats:
    """Share of what is true or predicted that is both."""
    return perfect_if_empty(tp + fn, tp + fp, ratio(tp, tp + fp + fn, zero_division))


@derived_measure(
    formula="2 (TP · TN − FN · FP) / ((TP + FP)(FP + TN) + (TP + FN)(FN + TN))",
    range="[-1, 1]",
    traits=("symmetric",),
    cautions=(
        "Chance is that of two sides who draw from the counted classes, which depend on both.",
        *PATHS,
    ),
)
def hcm_kappa(
    tp: Floats, fp: Floats, fn: Floats, tn: Floats, *, zero_division: float = 0
) -> Floats:
    """Agreement beyond chance (Cohen's kappa)."""
    below = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    return ratio(2 * (tp * tn - fn * fp), below, zero_division)
