"""Measures of the hierarchical confusion matrix: its four counts, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from hierpair.measures.ratios import Floats, fbeta, perfect_if_empty, ratio
from hierpair.measures.recipes.solved import ConfusionRecipe
from hierpair.measures.registry import said_of, set_measure

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
    cautions=PATHS,
)
"""Declares a measure of the confusion matrix; what differs from these is given."""


@confusion_measure()
def hcm_tp(tp: Floats) -> Floats:
    """Shared classes of predicted and true paths (true positives).

    Formula: TP
    Range: [0, ∞); Traits: symmetric

    - A count grows with the data.
    """
    return tp


@confusion_measure()
def hcm_tn(tn: Floats) -> Floats:
    """Classes beside the shared part that are on neither path (true negatives).

    Formula: TN
    Range: [0, ∞)

    - TN are counted beside the shared part of a pair only, so they depend on the prediction.
    """
    return tn


@confusion_measure()
def hcm_fp(fp: Floats) -> Floats:
    """Classes of predicted paths that are not true (false positives).

    Formula: FP
    Range: [0, ∞); Direction: lower; Traits: perfect

    - A count grows with the data.
    """
    return fp


@confusion_measure()
def hcm_fn(fn: Floats) -> Floats:
    """Classes of true paths that were not predicted (false negatives).

    Formula: FN
    Range: [0, ∞); Direction: lower; Traits: perfect

    - A count grows with the data.
    """
    return fn


@confusion_measure(parts=("hcm_precision", "hcm_recall"))
def hcm_f(
    tp: Floats, fp: Floats, fn: Floats, *, beta: float = 1, zero_division: float = 0
) -> Floats:
    """F-beta of precision and recall.

    Formula: (1 + β²) TP / ((1 + β²) TP + β² FN + FP)
    Traits: symmetric, perfect

    - TN are ignored.
    - According to the paper, equations 1 and 2 weigh precision β times as much; in fact recall gets
      this weight.
    """
    return perfect_if_empty(tp + fn, tp + fp, fbeta(tp + fn, tp + fp, tp, beta, zero_division))


def rate(name: str, value: Callable[..., Floats], text: str) -> None:
    """Declare what is made of the four counts: ``value`` takes them and what 0/0 is.

    Where nothing is to be found and nothing was said, what is perfect is 1.
    """
    said = said_of(text)
    is_1 = "perfect" in said.get("traits", ()) and "direction" not in said

    def of_counts(
        tp: Floats, fp: Floats, fn: Floats, tn: Floats, *, zero_division: float = 0
    ) -> Floats:
        values = value(tp, fp, fn, tn, zero_division)
        return perfect_if_empty(tp + fn, tp + fp, values) if is_1 else values

    confusion_measure(name=name, text=text)(of_counts)


def _both_rates(tp: Floats, fp: Floats, fn: Floats, tn: Floats, zero: float) -> Floats:
    return ratio(tp, tp + fn, zero) + ratio(tn, tn + fp, zero)


def _prevalence_threshold(tp: Floats, fp: Floats, fn: Floats, tn: Floats, zero: float) -> Floats:
    tpr, fpr = np.sqrt(ratio(tp, tp + fn, 0)), np.sqrt(ratio(fp, fp + tn, 0))
    return ratio(fpr, tpr + fpr, zero)


def _mcc(tp: Floats, fp: Floats, fn: Floats, tn: Floats, zero: float) -> Floats:
    below = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return np.clip(ratio(tp * tn - fp * fn, below, zero), -1, 1)


def _kappa(tp: Floats, fp: Floats, fn: Floats, tn: Floats, zero: float) -> Floats:
    return ratio(2 * (tp * tn - fn * fp), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn), zero)


rate(
    "hcm_accuracy",
    lambda tp, fp, fn, tn, z: ratio(tp + tn, tp + tn + fp + fn, z),
    """Share of all counted classes that both sides agree on (accuracy, ACC).

    Formula: (TP + TN) / (TP + TN + FP + FN)
    Traits: perfect; Also: hcm_acc

    - TN outnumber the rest: the root alone, predicted for every book, has an accuracy of 86.7 % and
      65.8 % in tasks A and B of GermEval 2019.
    """,
)
rate(
    "hcm_precision",
    lambda tp, fp, fn, tn, z: ratio(tp, tp + fp, z),
    """Share of what was predicted that is true (precision, positive predictive
      value, PPV).

    Formula: TP / (TP + FP)
    Traits: perfect; Also: hcm_ppv

    - Predicting less never lowers it: a system that predicts only classes right below the root is
      easily right.
    """,
)
rate(
    "hcm_recall",
    lambda tp, fp, fn, tn, z: ratio(tp, tp + fn, z),
    """Share of what is true that was predicted (recall, sensitivity, TPR).

    Formula: TP / (TP + FN)
    Traits: perfect; Also: hcm_tpr

    - Predicting more never lowers it.
    """,
)
rate(
    "hcm_false_negative_rate",
    lambda tp, fp, fn, tn, z: ratio(fn, fn + tp, z),
    """Share of what is true that was missed (false negative rate, FNR).

    Formula: FN / (FN + TP)
    Direction: lower; Traits: perfect; Label: HCM FNR; Also: hcm_fnr

    - Printed as FP / (FN + TP) in Table II, which is no rate: it can be above 1.
    """,
)
rate(
    "hcm_false_positive_rate",
    lambda tp, fp, fn, tn, z: ratio(fp, fp + tn, z),
    """Share of what is not true that was predicted (false positive rate, FPR).

    Formula: FP / (FP + TN)
    Direction: lower; Traits: perfect; Label: HCM FPR; Also: hcm_fpr

    - TN are counted beside the shared part of a pair only, so what is not true depends on the
      prediction.
    """,
)
rate(
    "hcm_specificity",
    lambda tp, fp, fn, tn, z: ratio(tn, tn + fp, z),
    """Share of what is not true that was not predicted (specificity, TNR).

    Formula: TN / (TN + FP)
    Also: hcm_tnr

    - TN are counted beside the shared part of a pair only, so what is not true depends on the
      prediction.
    """,
)
rate(
    "hcm_prevalence",
    lambda tp, fp, fn, tn, z: ratio(tp + fn, tp + tn + fp + fn, z),
    """Share of all counted classes that are true.

    Formula: (TP + FN) / (TP + TN + FP + FN)
    Source: counts of Riehl et al. 2023, §IV, Table II

    - Describes how much there was to find, not how well it was found; neither direction is better.
    - Table II calls another quantity by this name, see hcm_prevalence_threshold.
    """,
)
rate(
    "hcm_prevalence_threshold",
    _prevalence_threshold,
    """Prevalence below which predictions soon become unreliable (PT).

    Formula: √FPR / (√TPR + √FPR)
    Source: Riehl et al. 2023, §IV, Table II (there: prevalence); Balayla 2020
    Direction: lower; Traits: perfect

    - Table II prints (√(TPR (1 − TNR)) + TNR − 1) / (TPR + TNR − 1) and calls it prevalence; it is
      the same number where TPR ≠ FPR and 0/0 elsewhere.
    """,
)
rate(
    "hcm_mcc",
    _mcc,
    """Matthews correlation coefficient (MCC).

    Formula: (TP · TN − FP · FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN))
    Range: [-1, 1]; Traits: symmetric

    - For a perfect prediction without any TN (no class has a sibling) it is 0/0.
    """,
)
rate(
    "hcm_balanced_accuracy",
    lambda *counts: _both_rates(*counts) / 2,
    """Mean of recall and specificity.

    Formula: (TPR + TNR) / 2
    Source: counts of Riehl et al. 2023, §IV, Table II

    - Half of it depends on TN, which are counted only beside the shared part of a pair.
    """,
)
rate(
    "hcm_informedness",
    lambda *counts: _both_rates(*counts) - 1,
    """How much better than guessing (Youden, informedness).

    Formula: TPR + TNR − 1
    Source: counts of Riehl et al. 2023, §IV, Table II
    Range: [-1, 1]

    - Half of it depends on TN, which are counted only beside the shared part of a pair.
    """,
)
rate(
    "hcm_markedness",
    lambda tp, fp, fn, tn, z: _both_rates(tp, fn, fp, tn, z) - 1,
    """How much a prediction reveals about the truth (markedness).

    Formula: TP / (TP + FP) + TN / (TN + FN) − 1
    Source: counts of Riehl et al. 2023, §IV, Table II
    Range: [-1, 1]

    - Half of it depends on TN, which are counted only beside the shared part of a pair.
    """,
)
rate(
    "hcm_jaccard",
    lambda tp, fp, fn, tn, z: ratio(tp, tp + fp + fn, z),
    """Share of what is true or predicted that is both.

    Formula: TP / (TP + FP + FN)
    Source: counts of Riehl et al. 2023, §IV, Table II
    Traits: symmetric, perfect

    - Never higher than hcm_f: for the same counts it is F / (2 − F).
    """,
)
rate(
    "hcm_kappa",
    _kappa,
    """Agreement beyond chance (Cohen's kappa).

    Formula: 2 (TP · TN − FN · FP) / ((TP + FP)(FP + TN) + (TP + FN)(FN + TN))
    Source: counts of Riehl et al. 2023, §IV, Table II
    Range: [-1, 1]; Traits: symmetric

    - Chance is that of two sides who draw from the counted classes, which depend on both.
    """,
)
