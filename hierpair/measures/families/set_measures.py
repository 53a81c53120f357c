"""Hierarchical set-based measures: augment both label sets, then compare the sets."""

from __future__ import annotations

from typing import Any

from hierpair.measures.class_weights import Weighting
from hierpair.measures.definition import set_measure
from hierpair.measures.ratios import Floats, fbeta, perfect_if_empty, ratio
from hierpair.measures.recipes.set_sizes import SetRecipe
from hierpair.measures.recipes.weighted_sets import WeightedSetRecipe

__all__ = ["hf", "hp", "hr", "sdl"]

SOURCE = "Kiritchenko et al. 2005; Kosmopoulos et al. 2014, §2.4, eqs 2–3"


def augmented_sets(
    *,
    augment: str = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any = None,
) -> SetRecipe | WeightedSetRecipe:
    """Return the sizes of augmented sets; where classes weigh, the sums of their weights."""
    sets = SetRecipe(augment, root, threshold)
    if weights == "ones":
        return sets
    return WeightedSetRecipe(Weighting(weights, smooth, reference), sets)


@set_measure(
    formula="|Ŷ_aug ∩ Y_aug| / |Ŷ_aug|",
    source=SOURCE,
    recipe=augmented_sets,
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded", "total"),
    cautions=(
        "Rewards few classes near the root: an ancestor of the truth is perfect, however "
        "unspecific it is.",
        "A class with many ancestors weighs more than one with few; in a DAG one wrong class "
        "can bring many (Kosmopoulos et al. 2014, §2.4.2).",
        "Counting the root lifts every value: root='include' gives credit to predictions with "
        "nothing in common but the root.",
    ),
    function_name="h_precision_score",
)
def hp(n_true: Floats, n_pred: Floats, n_both: Floats, *, zero_division: float = 0) -> Floats:
    """Hierarchical precision: the share of the augmented prediction that is true."""
    return perfect_if_empty(n_true, n_pred, ratio(n_both, n_pred, zero_division))


@set_measure(
    formula="|Ŷ_aug ∩ Y_aug| / |Y_aug|",
    source=SOURCE,
    recipe=augmented_sets,
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded", "total"),
    cautions=(
        "Rewards over-prediction: predicting every class is perfect.",
        "Says nothing about going too deep: a descendant of a true class has the whole "
        "augmented truth.",
        "A class with many ancestors weighs more than one with few (Kosmopoulos et al. 2014, "
        "§2.4.2).",
    ),
    function_name="h_recall_score",
)
def hr(n_true: Floats, n_pred: Floats, n_both: Floats, *, zero_division: float = 0) -> Floats:
    """Hierarchical recall: the share of the augmented truth that is predicted."""
    return perfect_if_empty(n_true, n_pred, ratio(n_both, n_true, zero_division))


@set_measure(
    formula="(1 + β²) |Ŷ_aug ∩ Y_aug| / (β² |Y_aug| + |Ŷ_aug|)",
    source=SOURCE,
    recipe=augmented_sets,
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded", "total"),
    cautions=(
        "A label with many ancestors counts more than one with few: deep branches, and in a DAG"
        " classes with many parents, dominate the value (Kosmopoulos et al. 2014, §2.4.2).",
        "A wrong label costs little if another predicted label has the same ancestors, and much "
        "if it stands alone.",
        "Root and average alone change the value of the same predictions; never compare values "
        "without their signatures.",
    ),
    parts=("hp", "hr"),
    function_name="h_fbeta_score",
)
def hf(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, beta: float = 1, zero_division: float = 0
) -> Floats:
    """Hierarchical F-beta: the weighted harmonic mean of hierarchical precision and recall."""
    return perfect_if_empty(n_true, n_pred, fbeta(n_true, n_pred, n_both, beta, zero_division))


@set_measure(
    formula="|Ŷ_aug Δ Y_aug|",
    source="Kosmopoulos et al. 2014, §2.4 (l_Δ)",
    recipe=augmented_sets,
    direction="lower",
    range="[0, ∞)",
    traits=("symmetric", "perfect", "total", "additive"),
    averages=("samples",),
    cautions=(
        "Grows with depth and with the number of labels: it counts classes and is not divided "
        "by anything, so values of two hierarchies cannot be compared.",
        "Counts only errors: systems that predict more labels per instance tend to look worse, "
        "however many of them are right (Kosmopoulos et al. 2014, §4).",
        "A wrong class costs every ancestor that the truth does not have, and in a DAG these "
        "can be many (Kosmopoulos et al. 2014, §2.4.2).",
    ),
    function_name="symmetric_difference_loss",
)
def sdl(n_true: Floats, n_pred: Floats, n_both: Floats) -> Floats:
    """Symmetric difference loss: the number of classes that only one of the augmented sets has."""
    return n_true + n_pred - 2 * n_both
