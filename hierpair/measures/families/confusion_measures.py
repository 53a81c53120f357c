"""Binary measures of the hierarchical confusion matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hierpair.measures.definition import set_measure
from hierpair.measures.families.confusion_counts import AVERAGES, PATHS, RIEHL, cells_of
from hierpair.measures.pooling import Counts
from hierpair.measures.ratios import fbeta, perfect_if_empty, precision, ratio, recall

__all__ = [
    "hcm_acc",
    "hcm_balanced_accuracy",
    "hcm_f",
    "hcm_fnr",
    "hcm_fpr",
    "hcm_informedness",
    "hcm_jaccard",
    "hcm_kappa",
    "hcm_markedness",
    "hcm_mcc",
    "hcm_ppv",
    "hcm_prevalence",
    "hcm_prevalence_threshold",
    "hcm_tnr",
    "hcm_tpr",
]


@set_measure(
    formula="(TP + TN) / (TP + TN + FP + FN)",
    source=RIEHL,
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded"),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "TN outnumber the rest: the root alone, predicted for every book, has an accuracy of "
        "86.7 % and 65.8 % in tasks A and B of GermEval 2019.",
        *PATHS,
    ),
)
def hcm_acc(counts: Counts, zero_division: float = 0) -> NDArray[np.float64]:
    """Share of all counted classes that both sides agree on (accuracy, ACC)."""
    t = cells_of(counts)
    value = ratio(t.tp + t.tn, t.tp + t.tn + t.fp + t.fn, zero_division)
    return perfect_if_empty(counts, value)


@set_measure(
    formula="TP / (TP + FP)",
    source=RIEHL,
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded"),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "Saying less never harms it: predict the classes below the root only, and it is easy "
        "to be right.",
        *PATHS,
    ),
)
def hcm_ppv(counts: Counts, zero_division: float = 0) -> NDArray[np.float64]:
    """Share of what was predicted that is true (precision, positive predictive value, PPV)."""
    return perfect_if_empty(counts, precision(counts, zero_division))


@set_measure(
    formula="TP / (TP + FN)",
    source=RIEHL,
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded"),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "Saying more never harms it.",
        *PATHS,
    ),
)
def hcm_tpr(counts: Counts, zero_division: float = 0) -> NDArray[np.float64]:
    """Share of what is true that was predicted (recall, sensitivity, TPR)."""
    return perfect_if_empty(counts, recall(counts, zero_division))


@set_measure(
    formula="FN / (FN + TP)",
    source=RIEHL,
    direction="lower",
    range="[0, 1]",
    traits=("perfect", "bounded"),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "Printed as FP / (FN + TP) in Table II, which is no rate: it can be above 1.",
        *PATHS,
    ),
)
def hcm_fnr(counts: Counts, zero_division: float = 0) -> NDArray[np.float64]:
    """Share of what is true that was missed (false negative rate, FNR)."""
    t = cells_of(counts)
    return ratio(t.fn, t.fn + t.tp, zero_division)


@set_measure(
    formula="FP / (FP + TN)",
    source=RIEHL,
    direction="lower",
    range="[0, 1]",
    traits=("perfect", "bounded"),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "TN are counted beside the shared part of a pair only, so what is not true depends on "
        "the prediction.",
        *PATHS,
    ),
)
def hcm_fpr(counts: Counts, zero_division: float = 0) -> NDArray[np.float64]:
    """Share of what is not true that was predicted (false positive rate, FPR)."""
    t = cells_of(counts)
    return ratio(t.fp, t.fp + t.tn, zero_division)


@set_measure(
    formula="TN / (TN + FP)",
    source=RIEHL,
    direction="higher",
    range="[0, 1]",
    traits=("bounded",),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "TN are counted beside the shared part of a pair only, so what is not true depends on "
        "the prediction.",
        *PATHS,
    ),
)
def hcm_tnr(counts: Counts, zero_division: float = 0) -> NDArray[np.float64]:
    """Share of what is not true that was not predicted (specificity, TNR)."""
    t = cells_of(counts)
    return ratio(t.tn, t.tn + t.fp, zero_division)


@set_measure(
    formula="(TP + FN) / (TP + TN + FP + FN)",
    source=f"counts of {RIEHL}",
    direction="higher",
    range="[0, 1]",
    traits=("bounded",),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "Says how much there was to find, not how well it was found; neither direction is better.",
        "Table II calls another quantity by this name, see hcm_prevalence_threshold.",
        *PATHS,
    ),
)
def hcm_prevalence(counts: Counts, zero_division: float = 0) -> NDArray[np.float64]:
    """Share of all counted classes that are true."""
    t = cells_of(counts)
    return ratio(t.tp + t.fn, t.tp + t.tn + t.fp + t.fn, zero_division)


@set_measure(
    formula="√FPR / (√TPR + √FPR)",
    source=f"{RIEHL} (there: prevalence); Balayla 2020",
    direction="lower",
    range="[0, 1]",
    traits=("perfect", "bounded"),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "Table II prints (√(TPR (1 − TNR)) + TNR − 1) / (TPR + TNR − 1) and calls it "
        "prevalence; it is the same number where TPR ≠ FPR and 0/0 elsewhere.",
        *PATHS,
    ),
)
def hcm_prevalence_threshold(counts: Counts, zero_division: float = 0) -> NDArray[np.float64]:
    """Prevalence below which predictions soon become unreliable (PT)."""
    t = cells_of(counts)
    tpr = np.sqrt(ratio(t.tp, t.tp + t.fn, 0))
    fpr = np.sqrt(ratio(t.fp, t.fp + t.tn, 0))
    return ratio(fpr, tpr + fpr, zero_division)


@set_measure(
    formula="(1 + β²) TP / ((1 + β²) TP + β² FN + FP)",
    source=RIEHL,
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded"),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "TN play no part in it.",
        "Eq. 1 and 2 of the paper are said to weigh precision β times as much; recall gets "
        "the weight.",
        *PATHS,
    ),
    parts=("hcm_ppv", "hcm_tpr"),
)
def hcm_f(counts: Counts, beta: float = 1, zero_division: float = 0) -> NDArray[np.float64]:
    """F-beta of precision and recall."""
    return perfect_if_empty(counts, fbeta(counts, beta, zero_division))


@set_measure(
    formula="(TP · TN − FP · FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN))",
    source=RIEHL,
    direction="higher",
    range="[-1, 1]",
    traits=("symmetric",),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "Of a perfect prediction without any TN (no class has a sibling) it is 0/0.",
        *PATHS,
    ),
)
def hcm_mcc(counts: Counts, zero_division: float = 0) -> NDArray[np.float64]:
    """Matthews correlation coefficient (MCC)."""
    t = cells_of(counts)
    below = np.sqrt((t.tp + t.fp) * (t.tp + t.fn) * (t.tn + t.fp) * (t.tn + t.fn))
    return np.clip(ratio(t.tp * t.tn - t.fp * t.fn, below, zero_division), -1, 1)


@set_measure(
    formula="(TPR + TNR) / 2",
    source=f"counts of {RIEHL}",
    direction="higher",
    range="[0, 1]",
    traits=("bounded",),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "Half of it rests on TN, which are counted beside the shared part only.",
        *PATHS,
    ),
)
def hcm_balanced_accuracy(counts: Counts, zero_division: float = 0) -> NDArray[np.float64]:
    """Mean of recall and specificity."""
    t = cells_of(counts)
    tpr = ratio(t.tp, t.tp + t.fn, zero_division)
    return (tpr + ratio(t.tn, t.tn + t.fp, zero_division)) / 2


@set_measure(
    formula="TPR + TNR − 1",
    source=f"counts of {RIEHL}",
    direction="higher",
    range="[-1, 1]",
    traits=(),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "Half of it rests on TN, which are counted beside the shared part only.",
        *PATHS,
    ),
)
def hcm_informedness(counts: Counts, zero_division: float = 0) -> NDArray[np.float64]:
    """How much better than guessing (Youden)."""
    t = cells_of(counts)
    tpr = ratio(t.tp, t.tp + t.fn, zero_division)
    return tpr + ratio(t.tn, t.tn + t.fp, zero_division) - 1


@set_measure(
    formula="TP / (TP + FP) + TN / (TN + FN) − 1",
    source=f"counts of {RIEHL}",
    direction="higher",
    range="[-1, 1]",
    traits=(),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "Half of it rests on TN, which are counted beside the shared part only.",
        *PATHS,
    ),
)
def hcm_markedness(counts: Counts, zero_division: float = 0) -> NDArray[np.float64]:
    """How much a prediction says about the truth."""
    t = cells_of(counts)
    ppv = ratio(t.tp, t.tp + t.fp, zero_division)
    return ppv + ratio(t.tn, t.tn + t.fn, zero_division) - 1


@set_measure(
    formula="TP / (TP + FP + FN)",
    source=f"counts of {RIEHL}",
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded"),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "Never higher than hcm_f: of the same counts it is F / (2 − F).",
        *PATHS,
    ),
)
def hcm_jaccard(counts: Counts, zero_division: float = 0) -> NDArray[np.float64]:
    """Share of what is true or predicted that is both."""
    return perfect_if_empty(counts, ratio(counts.n_both, counts.n_union, zero_division))


@set_measure(
    formula="2 (TP · TN − FN · FP) / ((TP + FP)(FP + TN) + (TP + FN)(FN + TN))",
    source=f"counts of {RIEHL}",
    direction="higher",
    range="[-1, 1]",
    traits=("symmetric",),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "Chance is that of two sides who draw from the counted classes, which depend on both.",
        *PATHS,
    ),
)
def hcm_kappa(counts: Counts, zero_division: float = 0) -> NDArray[np.float64]:
    """Agreement beyond chance (Cohen's kappa)."""
    t = cells_of(counts)
    below = (t.tp + t.fp) * (t.fp + t.tn) + (t.tp + t.fn) * (t.fn + t.tn)
    return ratio(2 * (t.tp * t.tn - t.fn * t.fp), below, zero_division)
