"""Measures of the hierarchical confusion matrix: its four counts, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hierpair.measures.ratios import Floats, fbeta, perfect_if_empty, ratio
from hierpair.measures.recipes.solved import ConfusionRecipe
from hierpair.measures.registry import set_measure

RIEHL = "Riehl et al. 2023, §IV, Table II"
PATHS = (
    "A label of a DAG with several root paths has no value; predictions must then be paths.",
    "Predictions are paired with true classes once; an exact pairing has no fewer TP than the "
    "published one.",
)


confusion_measure = partial(
    set_measure,
    source=RIEHL,
    direction="higher",
    range="[0, 1]",
    averages=("micro", "samples"),
    recipe=ConfusionRecipe,
)
"""Declares a measure of the confusion matrix; what differs from these is given."""


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
    formula="(1 + β²) TP / ((1 + β²) TP + β² FN + FP)",
    traits=("symmetric", "perfect"),
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


def rate(
    name: str, summary: str, formula: str, value: Callable[..., Floats], *cautions: str, **more: Any
) -> None:
    """Declare what is made of the four counts: ``value`` takes them and what 0/0 is.

    Where nothing is to be found and nothing was said, what is perfect is 1.
    """
    is_1 = "perfect" in more.get("traits", ()) and "direction" not in more

    def of_counts(
        tp: Floats, fp: Floats, fn: Floats, tn: Floats, *, zero_division: float = 0
    ) -> Floats:
        values = value(tp, fp, fn, tn, zero_division)
        return perfect_if_empty(tp + fn, tp + fp, values) if is_1 else values

    told = {"summary": summary, "formula": formula, "cautions": (*cautions, *PATHS), **more}
    confusion_measure(name=name, **told)(of_counts)


def _prevalence_threshold(tp: Floats, fp: Floats, fn: Floats, tn: Floats, zero: float) -> Floats:
    tpr, fpr = np.sqrt(ratio(tp, tp + fn, 0)), np.sqrt(ratio(fp, fp + tn, 0))
    return ratio(fpr, tpr + fpr, zero)


def _mcc(tp: Floats, fp: Floats, fn: Floats, tn: Floats, zero: float) -> Floats:
    below = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return np.clip(ratio(tp * tn - fp * fn, below, zero), -1, 1)


def _kappa(tp: Floats, fp: Floats, fn: Floats, tn: Floats, zero: float) -> Floats:
    return ratio(2 * (tp * tn - fn * fp), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn), zero)


DERIVED = f"counts of {RIEHL}"
BESIDE = (
    "TN are counted beside the shared part of a pair only, so what is not true depends on the "
    "prediction."
)
HALF = "Half of it depends on TN, which are counted only beside the shared part of a pair."
PERFECT: dict[str, Any] = {"traits": ("perfect",)}
LOWER = {**PERFECT, "direction": "lower"}
FROM_COUNTS = {"source": DERIVED}
AROUND_0 = {**FROM_COUNTS, "range": "[-1, 1]"}

rate(
    "hcm_acc",
    "Share of all counted classes that both sides agree on (accuracy, ACC).",
    "(TP + TN) / (TP + TN + FP + FN)",
    lambda tp, fp, fn, tn, z: ratio(tp + tn, tp + tn + fp + fn, z),
    "TN outnumber the rest: the root alone, predicted for every book, has an accuracy of "
    "86.7 % and 65.8 % in tasks A and B of GermEval 2019.",
    **PERFECT,
    function_name="hcm_accuracy_score",
)
rate(
    "hcm_ppv",
    "Share of what was predicted that is true (precision, positive predictive value, PPV).",
    "TP / (TP + FP)",
    lambda tp, fp, fn, tn, z: ratio(tp, tp + fp, z),
    "Predicting less never lowers it: a system that predicts only classes right below the "
    "root is easily right.",
    **PERFECT,
    function_name="hcm_precision_score",
)
rate(
    "hcm_tpr",
    "Share of what is true that was predicted (recall, sensitivity, TPR).",
    "TP / (TP + FN)",
    lambda tp, fp, fn, tn, z: ratio(tp, tp + fn, z),
    "Predicting more never lowers it.",
    **PERFECT,
    function_name="hcm_recall_score",
)
rate(
    "hcm_fnr",
    "Share of what is true that was missed (false negative rate, FNR).",
    "FN / (FN + TP)",
    lambda tp, fp, fn, tn, z: ratio(fn, fn + tp, z),
    "Printed as FP / (FN + TP) in Table II, which is no rate: it can be above 1.",
    **LOWER,
)
rate(
    "hcm_fpr",
    "Share of what is not true that was predicted (false positive rate, FPR).",
    "FP / (FP + TN)",
    lambda tp, fp, fn, tn, z: ratio(fp, fp + tn, z),
    BESIDE,
    **LOWER,
)
rate(
    "hcm_tnr",
    "Share of what is not true that was not predicted (specificity, TNR).",
    "TN / (TN + FP)",
    lambda tp, fp, fn, tn, z: ratio(tn, tn + fp, z),
    BESIDE,
)
rate(
    "hcm_prevalence",
    "Share of all counted classes that are true.",
    "(TP + FN) / (TP + TN + FP + FN)",
    lambda tp, fp, fn, tn, z: ratio(tp + fn, tp + tn + fp + fn, z),
    "Describes how much there was to find, not how well it was found; neither direction is better.",
    "Table II calls another quantity by this name, see hcm_prevalence_threshold.",
    **FROM_COUNTS,
)
rate(
    "hcm_prevalence_threshold",
    "Prevalence below which predictions soon become unreliable (PT).",
    "√FPR / (√TPR + √FPR)",
    _prevalence_threshold,
    "Table II prints (√(TPR (1 − TNR)) + TNR − 1) / (TPR + TNR − 1) and calls it "
    "prevalence; it is the same number where TPR ≠ FPR and 0/0 elsewhere.",
    **LOWER,
    source=f"{RIEHL} (there: prevalence); Balayla 2020",
)
rate(
    "hcm_mcc",
    "Matthews correlation coefficient (MCC).",
    "(TP · TN − FP · FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN))",
    _mcc,
    "For a perfect prediction without any TN (no class has a sibling) it is 0/0.",
    traits=("symmetric",),
    range="[-1, 1]",
)
rate(
    "hcm_balanced_accuracy",
    "Mean of recall and specificity.",
    "(TPR + TNR) / 2",
    lambda tp, fp, fn, tn, z: (ratio(tp, tp + fn, z) + ratio(tn, tn + fp, z)) / 2,
    HALF,
    **FROM_COUNTS,
)
rate(
    "hcm_informedness",
    "How much better than guessing (Youden, informedness).",
    "TPR + TNR − 1",
    lambda tp, fp, fn, tn, z: ratio(tp, tp + fn, z) + ratio(tn, tn + fp, z) - 1,
    HALF,
    **AROUND_0,
)
rate(
    "hcm_markedness",
    "How much a prediction reveals about the truth (markedness).",
    "TP / (TP + FP) + TN / (TN + FN) − 1",
    lambda tp, fp, fn, tn, z: ratio(tp, tp + fp, z) + ratio(tn, tn + fn, z) - 1,
    HALF,
    **AROUND_0,
)
rate(
    "hcm_jaccard",
    "Share of what is true or predicted that is both.",
    "TP / (TP + FP + FN)",
    lambda tp, fp, fn, tn, z: ratio(tp, tp + fp + fn, z),
    "Never higher than hcm_f: for the same counts it is F / (2 − F).",
    **FROM_COUNTS,
    traits=("symmetric", "perfect"),
)
rate(
    "hcm_kappa",
    "Agreement beyond chance (Cohen's kappa).",
    "2 (TP · TN − FN · FP) / ((TP + FP)(FP + TN) + (TP + FN)(FN + TN))",
    _kappa,
    "Chance is that of two sides who draw from the counted classes, which depend on both.",
    **AROUND_0,
    traits=("symmetric",),
)
