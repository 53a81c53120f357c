"""Measures of weighted sets: what both sides share and what each has alone, often in bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from hierpair.measures.class_weights import Weighting
from hierpair.measures.definition import set_measure
from hierpair.measures.ratios import Floats, perfect_if_empty, ratio
from hierpair.measures.recipes.set_sizes import SetRecipe
from hierpair.measures.recipes.weighted_sets import WeightedSetRecipe

__all__ = ["icm", "icm_norm", "mi", "ru", "semantic_distance", "simgic"]

CLARK = "Clark & Radivojac 2013, §2"
AMIGO = "Amigó & Delgado 2022, §5"
ONES = (
    "With weights='ones' classes are counted; the source weighs them: weights='ia', from the "
    "annotations of a training set (reference=…)."
)
FROM_TRUTH = (
    "Without reference= the weights of 'ia' and 'ic' are counted from the truth that is evaluated: "
    "values on two test sets cannot be compared."
)


def weighted_sets(
    *,
    augment: str = "ancestors",
    root: Any = "exclude",
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any = None,
) -> WeightedSetRecipe:
    """Return what augmented sets share and what each has alone, in weights."""
    return WeightedSetRecipe(Weighting(weights, smooth, reference), SetRecipe(augment, root))


def contrasted_sets(*, reference: Any = None) -> WeightedSetRecipe:
    """Return the same for ICM; its weights make the root, where it says nothing, weigh nothing."""
    return WeightedSetRecipe(Weighting("icm", 1, reference), SetRecipe("ancestors", "include"))


@set_measure(
    formula="W(Ŷ_aug ∩ Y_aug) / W(Ŷ_aug ∪ Y_aug), W(S) = Σ w(c) over c ∈ S",
    source="Pesquita et al. 2008 (simGIC); Gentleman 2005 (simUI: weights='ones')",
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded", "total"),
    averages=("samples", "micro"),
    recipe=weighted_sets,
    by_default=False,
    cautions=(
        "With weights='ones' it is the Jaccard index of the augmented sets (simUI); the source "
        "weighs classes by their information content: weights='ic'.",
        "Information content counts what a class shares with its ancestors once for each of them, "
        "so deep chains count more than they say; information accretion ('ia') adds up to it.",
        FROM_TRUTH,
        "Classes of weight 0 are invisible: with them a value of 1 does not mean equal sets.",
    ),
    label="simGIC",
)
def simgic(tp: Floats, fp: Floats, fn: Floats) -> Floats:
    """Similarity of graphs by information: the weighted Jaccard index of augmented sets."""
    return perfect_if_empty(tp + fn, tp + fp, ratio(tp, tp + (fp + fn), 0))


@set_measure(
    formula="Σ w(c) over c ∈ Y_aug ∖ Ŷ_aug",
    source=CLARK,
    direction="lower",
    range="[0, ∞)",
    traits=("perfect", "total", "additive"),
    averages=("samples",),
    recipe=weighted_sets,
    by_default=False,
    cautions=(
        ONES,
        "Predicting every class is perfect: look at the misinformation (mi) beside it.",
        FROM_TRUTH,
    ),
    label="ru",
    function_name="remaining_uncertainty_loss",
)
def ru(fn: Floats) -> Floats:
    """Remaining uncertainty: the weight of true classes that are not predicted."""
    return fn


@set_measure(
    formula="Σ w(c) over c ∈ Ŷ_aug ∖ Y_aug",
    source=CLARK,
    direction="lower",
    range="[0, ∞)",
    traits=("perfect", "total", "additive"),
    averages=("samples",),
    recipe=weighted_sets,
    by_default=False,
    cautions=(
        ONES,
        "Predicting nothing is perfect: look at the remaining uncertainty (ru) beside it.",
        FROM_TRUTH,
    ),
    label="mi",
    function_name="misinformation_loss",
)
def mi(fp: Floats) -> Floats:
    """Misinformation: the weight of predicted classes that are not true."""
    return fp


@set_measure(
    formula="√(ru² + mi²)",
    source=f"{CLARK} (k = 2)",
    direction="lower",
    range="[0, ∞)",
    traits=("symmetric", "perfect", "total"),
    averages=("micro", "samples"),
    recipe=weighted_sets,
    by_default=False,
    cautions=(
        ONES,
        "The micro average is that of the source, the distance of the mean ru and the mean mi; the "
        "mean of the distances of instances is larger.",
        "Smin is its least value over the thresholds of a system, which labels alone cannot give.",
        FROM_TRUTH,
    ),
)
def semantic_distance(fp: Floats, fn: Floats, n: Floats) -> Floats:
    """Semantic distance: how far remaining uncertainty and misinformation are from nothing."""
    return np.sqrt(ratio(fn, n, 0) ** 2 + ratio(fp, n, 0) ** 2)


@set_measure(
    formula="W(Ŷ_aug ∩ Y_aug) − W(Ŷ_aug ∖ Y_aug) − W(Y_aug ∖ Ŷ_aug), w(c) = log₂(p(pa(c)) / p(c))",
    source=AMIGO,
    direction="higher",
    range="(−∞, ∞)",
    traits=("total", "additive"),
    averages=("samples",),
    recipe=contrasted_sets,
    by_default=False,
    cautions=(
        "Probabilities are counted from the truth that is evaluated, unless reference= names other "
        "annotations: without it values on two test sets cannot be compared.",
        "The largest value is the information of the truth, so it depends on the data: compare "
        "icm_norm.",
        "A rare class counts more than a common one, whatever its depth.",
    ),
    label="ICM",
    function_name="information_contrast_score",
)
def icm(tp: Floats, fp: Floats, fn: Floats) -> Floats:
    """Information contrast: the information of what is shared, less that of what is not."""
    return tp - (fp + fn)


@set_measure(
    formula="max(0, (ICM(Ŷ, Y) + ICM(Y, Y)) / (2 ICM(Y, Y))), of the means",
    source="EXIST 2023–2025, lab overviews",
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded"),
    averages=("micro",),
    recipe=contrasted_sets,
    by_default=False,
    cautions=(
        "0.5 means that as much is wrong as is right (ICM is 0), not that half of it is right.",
        "Below 0 it is cut off: all systems with an ICM of less than minus that of the truth look "
        "the same.",
        "Where every truth is the same it says nothing, and there is no value (nan).",
    ),
    label="ICM-Norm",
    function_name="normalised_information_contrast_score",
)
def icm_norm(tp: Floats, fp: Floats, fn: Floats) -> Floats:
    """Information contrast between that of minus the truth (0) and that of the truth (1)."""
    return np.maximum(0, ratio(2 * tp - fp, 2 * (tp + fn)))
