"""Measures of Plaud et al. (2024): accuracy and Hamming loss by level, leaves, shortest path."""

from __future__ import annotations

import math
from typing import Any

from hierpair.measures.definition import set_measure
from hierpair.measures.ratios import Floats, fbeta, perfect_if_empty, ratio
from hierpair.measures.recipes.levels import LeafRecipe, LevelRecipe, TipRecipe
from hierpair.measures.recipes.set_sizes import OneLevelRecipe

__all__ = [
    "leaf_accuracy",
    "leaf_macro_accuracy",
    "level_accuracy",
    "level_f",
    "level_hamming",
    "shortest_path",
]

SOURCE = "Plaud et al. 2024"

# Functions with names, not lambdas: measures travel to other processes.


def _levels(
    *, augment: str = "ancestors", root: Any = "exclude", absent_level: str = "skip"
) -> LevelRecipe:
    return LevelRecipe("levels", augment, root, absent_level)


def _leaves(*, augment: str = "ancestors", root: Any = "exclude") -> LevelRecipe:
    return LevelRecipe("leaves", augment, root, "skip")


def _all_levels(*, augment: str = "ancestors", root: Any = "exclude") -> LevelRecipe:
    return LevelRecipe("levels", augment, root, "none-class")


def _true_leaves(*, root: Any = "exclude") -> LeafRecipe:
    return LeafRecipe(root)


def _one_level(
    *, augment: str = "none", root: Any = "include", at_level: int | None = None
) -> OneLevelRecipe:
    return OneLevelRecipe(augment, root, at_level=at_level)


def _tips(*, tips: str = "best") -> TipRecipe:
    return TipRecipe(tips)


@set_measure(
    formula="mean over levels of the share of instances whose classes at the level are right",
    source=f"{SOURCE}, §5.3.1",
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded", "total"),
    averages=("macro", "micro", "samples"),
    recipe=_levels,
    cautions=(
        "A level with four classes counts as much as one with four hundred.",
        "The value of a level that few instances reach depends on these few.",
        "Predicting beyond the end of the true path costs nothing with absent_level='skip': the "
        "level is not judged.",
    ),
)
def level_accuracy(
    n_judged: Floats, n_said: Floats, n_right: Floats, *, zero_division: float = 0
) -> Floats:
    """Accuracy by level: whether exactly the true classes of a level are predicted there."""
    return perfect_if_empty(n_judged, n_said, ratio(n_right, n_judged, zero_division))


@set_measure(
    formula="1 if the leaves of Ŷ_aug are the leaves of Y_aug, else 0",
    source=f"{SOURCE}, §5.3.1",
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded"),
    averages=("samples",),
    recipe=_leaves,
    cautions=(
        "A sibling of the true leaf is as wrong as a leaf of another branch.",
        "A true inner class without a leaf below it in the truth is not judged, however wrong the "
        "prediction is.",
    ),
)
def leaf_accuracy(n_judged: Floats, n_right: Floats, *, zero_division: float = math.nan) -> Floats:
    """Accuracy at the leaves, whatever their depths; truths without a leaf are excluded."""
    return ratio(n_right, n_judged, zero_division)


@set_measure(
    formula="mean over levels of |Ŷ_l Δ Y_l| / (number of classes at level l)",
    source=f"{SOURCE}, §5.3.2",
    direction="lower",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded", "total"),
    averages=("samples",),
    recipe=_all_levels,
    cautions=(
        "An error at a level with few classes costs far more than one at a level with many.",
        "Values are small where classes are many: predicting nothing looks good.",
    ),
)
def level_hamming(wrong_share: Floats) -> Floats:
    """Hamming loss by level: the share of the classes of a level on which the two sides differ."""
    return wrong_share


@set_measure(
    formula="edges between the most specific classes of both sides, paired at the least cost",
    source=f"{SOURCE}, §3.1; Garnot and Landrieu 2021",
    direction="lower",
    range="[0, ∞)",
    traits=("symmetric", "perfect"),
    averages=("samples",),
    recipe=_tips,
    cautions=(
        "Edges near the root count as much as edges between leaves.",
        "Where the paper has several paths it adds up all pairs (tips='sum'): then a perfect "
        "prediction of two sibling leaves costs 4, and one class is always better than two.",
        "Not defined for two classes without a common ancestor.",
    ),
    function_name="shortest_path_cost",
)
def shortest_path(cost: Floats) -> Floats:
    """Shortest path: how far the end of the predicted path is from the end of the true one."""
    return cost


@set_measure(
    formula="mean over the leaves that are true of (instances whose leaves are right) / (instances "
    "with this leaf)",
    source=f"{SOURCE}, App. B.3",
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded"),
    averages=("macro", "micro", "samples", "weighted"),
    recipe=_true_leaves,
    by_default=False,
    cautions=(
        "A leaf with one instance counts as much as one with a thousand, so the value is noisy "
        "where many leaves are rare.",
        "Leaves that are never true are left out, however often they are predicted.",
        "An instance is right if its leaves are exactly the true ones, as under leaf_accuracy: "
        "predicting many leaves earns nothing. One without a true leaf is left out.",
    ),
)
def leaf_macro_accuracy(n_true: Floats, n_right: Floats) -> Floats:
    """Leaf-macro accuracy: the recall of every true leaf, and their mean."""
    return ratio(n_right, n_true)


@set_measure(
    formula="(1 + β²) |Ŷ_l ∩ Y_l| / (β² |Y_l| + |Ŷ_l|), of the classes of level l",
    source="common in hierarchical text classification",
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "bounded", "total"),
    averages=("micro", "macro", "samples", "weighted"),
    recipe=_one_level,
    classes="seen",
    by_default=False,
    cautions=(
        "Label sets are taken as they are: a leaf says nothing of the levels above it "
        "(augment='ancestors' adds its ancestors).",
        "What is wrong at other levels is not seen.",
        "Levels count from 0, the classes without parents; with several parents a class is as deep "
        "as its longest way down.",
    ),
)
def level_f(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, beta: float = 1, zero_division: float = 0
) -> Floats:
    """Flat F-beta of the classes of one level."""
    return fbeta(n_true, n_pred, n_both, beta, zero_division)
