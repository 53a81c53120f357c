"""Nearness: mistakes weigh by depth or by distance, and sets meet in lowest common ancestors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hierpair.measures.ratios import Floats, f_of, overlap_measures, perfect_if_empty, ratio
from hierpair.measures.recipes.sets import (
    ContributionRecipe,
    DepthRecipe,
    HLossRecipe,
    SharedDepthRecipe,
    unit_of,
)
from hierpair.measures.recipes.solved import LcaRecipe
from hierpair.measures.registry import set_measure

SOURCE = "Kosmopoulos et al. 2014, §2.4.2, Definitions 1–6, Problem 2, Algorithm 1"
GRAPHS = (
    "A label is compared with its nearest partner only; a far second label on the same side "
    "costs what its own way up adds.",
    "Labels that are ancestors of others in the same set are taken out first, so naming them "
    "too neither helps nor harms.",
)


overlap_measures(
    partial(
        set_measure,
        source=SOURCE,
        direction="higher",
        range="[0, 1]",
        averages=("samples", "micro"),
        recipe=LcaRecipe,
        cautions=GRAPHS,
    ),
    "|V_pred ∩ V_true|",
    "|V_pred|",
    "|V_true|",
    of=" over the minimal LCA graphs",
    lca_f="""LCA F-beta: agreement of two label sets on the paths to their lowest common
      ancestors.

    Traits: symmetric, perfect, total
    """,
    lca_precision="""LCA precision: the share of the predicted graph that the true graph has too.

    Traits: perfect, total
    """,
    lca_recall="""LCA recall: the share of the true graph that the predicted graph has too.

    Traits: perfect, total
    """,
)


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


def _precision_and_recall(
    n_true: Floats, n_pred: Floats, n_both: Floats, contribution_true: Floats,
    contribution_pred: Floats, theta: Any, zero_division: float,
) -> list[Floats]:  # fmt: skip
    """Return max(0, TP + FpCon + FnCon) over TP + FP + FnCon, and over TP + FN + FpCon.

    A denominator ≤ 0 goes with nothing earned, so the value is 0. Where there is no label at all it
    is ``zero_division``, and nan wherever that is nan.
    """
    unit, found = unit_of(theta), []
    tp = unit * n_both
    earned = np.maximum(0, tp + contribution_pred + contribution_true)
    for size, others in ((n_pred, contribution_true), (n_true, contribution_pred)):
        below = tp + (unit * size - tp) + others
        value = np.zeros(len(below))
        value[(size == 0) | np.isnan(zero_division)] = zero_division
        positive = below > 0
        np.divide(earned, below, out=value, where=positive)
        # the sums of weighted or very different contributions may be off in their last bits
        found.append(np.where(positive, np.minimum(value, 1), value))
    return found


contribution_measure = partial(
    set_measure,
    direction="higher",
    range="[0, 1]",
    averages=("micro", "macro", "weighted", "samples"),
    recipe=ContributionRecipe,
    by_default=False,
    cautions=(THETA, SUMS, FOREST),
)
"""Declares a measure over contributions; what differs from these is given."""


def _part(k: int) -> Callable[..., Floats]:
    """Return the formula of precision or recall."""

    def formula(
        n_true: Floats, n_pred: Floats, n_both: Floats, contribution_true: Floats,
        contribution_pred: Floats, *, theta: float = 2, zero_division: float = 0,
    ) -> Floats:  # fmt: skip
        columns = n_true, n_pred, n_both, contribution_true, contribution_pred
        return _precision_and_recall(*columns, theta, zero_division)[k]

    return formula


def _of_decisions(value: Callable[[Floats, Floats, Floats], Floats]) -> Callable[..., Floats]:
    """Return a formula of what is right, what is wrong, and how many decisions there are."""

    def formula(
        n_true: Floats, n_pred: Floats, n_both: Floats, n_neither: Floats,
        contribution_true: Floats, contribution_pred: Floats, *, theta: float = 2,
    ) -> Floats:  # fmt: skip
        tp, fn, fp, tn = (unit_of(theta) * n for n in (n_both, n_true, n_pred, n_neither))
        fp, fn = fp - tp, fn - tp
        right = tp + tn + contribution_pred + contribution_true
        wrong = fp + fn - contribution_pred - contribution_true
        return value(right, wrong, tp + tn + fp + fn)

    return formula


contribution_measure(
    name="contribution_precision",
    classes="seen",
    text="""Precision with contributions: near misses count in part, far ones count against it.

    Label: Con-precision
    Formula: max(0, TP + FpCon + FnCon) / (TP + FP + FnCon)
    Source: Sun & Lim 2001; Costa et al. 2007, eq. 11
    Traits: total

    - Where missing classes are far from what was predicted the denominator can be 0 or less; the
      value is then 0, whatever was right.
    """,
)(_part(0))
contribution_measure(
    name="contribution_recall",
    classes="seen",
    text="""Recall with contributions: near misses count in part, far ones count against it.

    Label: Con-recall
    Formula: max(0, TP + FpCon + FnCon) / (TP + FN + FpCon)
    Source: Sun & Lim 2001; Costa et al. 2007, eq. 12
    Traits: total

    - Where predicted classes are far from the truth the denominator can be 0 or less; the value is
      then 0, whatever was right.
    """,
)(_part(1))


@contribution_measure(classes="seen", parts=("contribution_precision", "contribution_recall"))
def contribution_f(
    n_true: Floats, n_pred: Floats, n_both: Floats, contribution_true: Floats,
    contribution_pred: Floats, *, beta: float = 1, theta: float = 2, zero_division: float = 0,
) -> Floats:  # fmt: skip
    """F-beta of precision and recall with contributions.

    Label: Con-F
    Formula: (1 + β²) P R / (β² P + R) of contribution_precision P and contribution_recall R
    Source: Sun & Lim 2001; Costa et al. 2007, eqs 6, 11–12
    Traits: symmetric, total
    """
    columns = n_true, n_pred, n_both, contribution_true, contribution_pred
    precision, recall = _precision_and_recall(*columns, theta, 0)
    value = f_of(precision, recall, beta)
    return perfect_if_empty(n_true, n_pred, value, zero_division)


contribution_measure(
    name="contribution_accuracy",
    classes="all",
    text="""Accuracy with contributions, over all (instance, class) decisions.

    Label: Con-accuracy
    Formula: (TP + TN + FpCon + FnCon) / (TP + TN + FP + FN)
    Source: Sun & Lim 2001; Costa et al. 2007, eq. 13 (per class, as its contributions are)
    Range: [−1, 1]; Traits: symmetric, perfect, total

    - With many classes almost all decisions are true negatives, and every value is near 1.
    - Below 0 if distant errors outweigh what is right.
    """,
)(_of_decisions(lambda right, wrong, n: np.clip(ratio(right, n, 1), -1, 1)))
contribution_measure(
    name="contribution_error",
    classes="all",
    text="""Error with contributions: 1 minus the accuracy.

    Label: Con-error
    Formula: (FP + FN − FpCon − FnCon) / (TP + TN + FP + FN)
    Source: Sun & Lim 2001; Costa et al. 2007, eq. 14 (per class, as its contributions are)
    Range: [0, 2]; Direction: lower; Traits: symmetric, perfect, total

    - With many classes almost all decisions are true negatives, and every value is near 0.
    """,
)(_of_decisions(lambda right, wrong, n: np.clip(ratio(wrong, n, 0), 0, 2)))


UNEQUAL = (
    "Where leaves lie at unequal depths, two wrong leaves near the root cost less than two wrong "
    "leaves far from it, which no classifier can help; normalise='path' takes that away."
)
DEPTH = (
    "A class at the third level of one branch may say as much as one at the eighth level of "
    "another (Lord et al. 2003); only depth is looked at."
)


depth_measure = partial(set_measure, averages=("samples",), by_default=False)
weighted_measure = partial(depth_measure, cautions=(UNEQUAL, DEPTH))
"""Declares a measure in which depth counts; what differs from these is given."""


@weighted_measure(recipe=DepthRecipe)
def depth_loss(w_single: Floats, w_bound: Floats) -> Floats:
    """Depth-weighted symmetric difference; of two single classes of a tree, their weighted path.

    Formula: Σ w(c) over c ∈ Ŷ_aug Δ Y_aug, w(c) = w0^depth(c)
    Source: Blockeel et al. 2002; Costa et al. 2007, “Depth-dependent measures”
    Range: [0, ∞); [0, 1] with normalise='path'; Direction: lower; Traits: symmetric, perfect, total
    Function: depth_weighted_loss

    - Counts only errors, so it grows with the number of labels unless it is normalised by 'path'.
    """
    return ratio(w_single, w_bound, 0)


@weighted_measure(
    recipe=lambda *, w0=0.75, depth="mean", root="exclude": DepthRecipe(w0, depth, "none", root)
)
def depth_euclidean(w_single: Floats, w_bound: Floats) -> Floats:
    """Weighted Euclidean distance of the class vectors: the root of depth_loss.

    Formula: √(Σ w(c) over c ∈ Ŷ_aug Δ Y_aug), w(c) = w0^depth(c)
    Source: Blockeel et al. 2002; Vens et al. 2008; Costa et al. 2007, “Depth-dependent measures”
    Range: [0, ∞); Direction: lower; Traits: symmetric, perfect, total

    - The root makes small errors dearer and large ones cheaper.
    """
    return np.sqrt(ratio(w_single, w_bound, 0))


@weighted_measure(
    averages=("samples", "micro"),
    recipe=lambda *, w0=0.75, depth="mean", normalise="max-path", root="exclude": DepthRecipe(
        w0, depth, normalise, root
    ),
)
def depth_accuracy(w_single: Floats, w_bound: Floats) -> Floats:
    """Depth-weighted accuracy: 1 minus the weighted path relative to the longest possible one.

    Formula: 1 − Σ w(c) over c ∈ Ŷ_aug Δ Y_aug / (twice the largest Σ w(c) over {x}_aug)
    Source: Holden & Freitas 2006; Costa et al. 2007, “Depth-dependent measures”
    Range: (−∞, 1]; [0, 1] for single labels, and with normalise='path'; Direction: higher
    Traits: symmetric, perfect, total

    - With several labels the loss can exceed what it is divided by, the longest way up from a class
      and down to another; values are then below 0, unless normalise='path'.
    - The constants of Holden & Freitas could not be found; w0=0.5 halves the weight from level to
      level.
    """
    return 1 - ratio(w_single, w_bound, 0)


@depth_measure(recipe=HLossRecipe)
def h_loss(cost: Floats) -> Floats:
    """H-loss: on every path from the root, only the first mistake counts.

    Formula: Σ c_i over wrong classes i whose ancestors are all right
    Source: Cesa-Bianchi et al. 2006, §2; Rousu et al. 2006 (costs)
    Range: [0, 1]; [0, ∞) with costs='ones' or 'subtree'; Direction: lower
    Traits: symmetric, perfect, total; Label: H-loss

    - Below a wrong class nothing counts, however much more is wrong there.
    - With costs='sibling' a class deep in a branch with many siblings costs almost nothing.
    - In a tree costs='ones' is symmetric_difference(augment='pruned'). In a DAG that counts a class
      with one right parent, while here all must be right.
    """
    return cost


MEETING = (
    "Predicting below the true class costs nothing: the deepest class that both share is then the "
    "true one.",
    "Of several labels only the pair that meets deepest counts; all others may be wrong.",
)


@depth_measure(recipe=SharedDepthRecipe, cautions=MEETING)
def lca_depth(shared_depth: Floats) -> Floats:
    """Depth of the deepest common ancestor: down to which level the prediction is right.

    Formula: max depth(c) over c ∈ Ŷ_aug ∩ Y_aug
    Source: depth of the lowest common ancestor, as reported beside mistake severity
    Range: [0, depth]; Direction: higher; Traits: symmetric, total

    - A true class near the root cannot get a high value, however right the prediction is;
      lca_depth_share divides by its depth.
    """
    return shared_depth


@depth_measure(averages=("samples", "micro"), recipe=SharedDepthRecipe, cautions=MEETING)
def lca_depth_share(
    shared_depth: Floats, true_depth: Floats, *, zero_division: float = 1
) -> Floats:
    """Depth of the deepest common ancestor, as a share of the depth of the true class.

    Formula: max depth(c) over c ∈ Ŷ_aug ∩ Y_aug / (depth of the deepest true class)
    Source: lca_depth, normalised by the depth of the true class
    Range: [0, 1]; Direction: higher; Traits: perfect, total
    """
    return ratio(shared_depth, true_depth, zero_division)
