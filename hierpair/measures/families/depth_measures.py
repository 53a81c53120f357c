"""Depth-dependent measures: errors near the root cost more than errors among the leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from hierpair.measures.definition import set_measure
from hierpair.measures.ratios import Floats, ratio
from hierpair.measures.recipes.weighted_sets import DepthRecipe, HLossRecipe, SharedDepthRecipe

__all__ = [
    "depth_accuracy",
    "depth_euclidean",
    "depth_loss",
    "h_loss",
    "lca_depth",
    "lca_depth_share",
]

COSTA = "Costa et al. 2007, “Depth-dependent measures”"
UNEQUAL = (
    "Where leaves lie at unequal depths, two wrong leaves near the root cost less than two wrong "
    "leaves far from it, which no classifier can help; normalise='path' takes that away."
)
DEPTH = (
    "A class at the third level of one branch may say as much as one at the eighth level of "
    "another (Lord et al. 2003); only depth is looked at."
)


def _weights(
    *, w0: float = 0.75, depth: str = "mean", normalise: str = "none", root: Any = "exclude"
) -> DepthRecipe:
    return DepthRecipe(float(w0), depth, normalise, root)


def _plain_weights(*, w0: float = 0.75, depth: str = "mean", root: Any = "exclude") -> DepthRecipe:
    return DepthRecipe(float(w0), depth, "none", root)


def _shares(
    *, w0: float = 0.75, depth: str = "mean", normalise: str = "max-path", root: Any = "exclude"
) -> DepthRecipe:
    return DepthRecipe(float(w0), depth, normalise, root)


def _mistakes(*, costs: str = "sibling", root: Any = "exclude") -> HLossRecipe:
    return HLossRecipe(costs, root)


@set_measure(
    formula="Σ w(c) over c ∈ Ŷ_aug Δ Y_aug, w(c) = w0^depth(c)",
    source=f"Blockeel et al. 2002; {COSTA}",
    direction="lower",
    range="[0, ∞); [0, 1] with normalise='path'",
    traits=("symmetric", "perfect", "total"),
    averages=("samples",),
    recipe=_weights,
    by_default=False,
    cautions=(
        UNEQUAL,
        DEPTH,
        "Counts only errors, so it grows with the number of labels unless it is normalised by "
        "'path'.",
    ),
    function_name="depth_weighted_loss",
)
def depth_loss(w_single: Floats, w_bound: Floats) -> Floats:
    """Depth-weighted symmetric difference; of two single classes of a tree, their weighted path."""
    return ratio(w_single, w_bound, 0)


@set_measure(
    formula="√(Σ w(c) over c ∈ Ŷ_aug Δ Y_aug), w(c) = w0^depth(c)",
    source=f"Blockeel et al. 2002; Vens et al. 2008; {COSTA}",
    direction="lower",
    range="[0, ∞)",
    traits=("symmetric", "perfect", "total"),
    averages=("samples",),
    recipe=_plain_weights,
    by_default=False,
    cautions=(UNEQUAL, DEPTH, "The root makes small errors dearer and large ones cheaper."),
)
def depth_euclidean(w_single: Floats, w_bound: Floats) -> Floats:
    """Weighted Euclidean distance of the class vectors: the root of depth_loss."""
    return np.sqrt(ratio(w_single, w_bound, 0))


@set_measure(
    formula="1 − Σ w(c) over c ∈ Ŷ_aug Δ Y_aug / (largest such sum of two classes)",
    source=f"Holden & Freitas 2006; {COSTA}",
    direction="higher",
    range="(−∞, 1]; [0, 1] for single labels, and with normalise='path'",
    traits=("symmetric", "perfect", "total"),
    averages=("samples", "micro"),
    recipe=_shares,
    by_default=False,
    cautions=(
        UNEQUAL,
        DEPTH,
        "With several labels the loss can exceed that of any two classes; values are then below "
        "0, unless normalise='path'.",
        "The constants of Holden & Freitas could not be found; w0=0.5 halves the weight from "
        "level to level.",
    ),
)
def depth_accuracy(w_single: Floats, w_bound: Floats) -> Floats:
    """Depth-weighted accuracy: 1 minus the weighted path relative to the longest possible one."""
    return 1 - ratio(w_single, w_bound, 0)


@set_measure(
    formula="Σ c_i over wrong classes i whose ancestors are all right",
    source="Cesa-Bianchi et al. 2006, §2; Rousu et al. 2006 (costs)",
    direction="lower",
    range="[0, 1]; [0, ∞) with costs='ones' or 'subtree'",
    traits=("symmetric", "perfect", "bounded", "total"),
    averages=("samples",),
    recipe=_mistakes,
    by_default=False,
    cautions=(
        "Below a wrong class nothing counts, however much more is wrong there.",
        "With costs='sibling' a class deep in a branch with many siblings costs almost nothing.",
        "In a tree costs='ones' is sdl(augment='pruned'). In a DAG that counts a class with one "
        "right parent, while here all must be right.",
    ),
)
def h_loss(cost: Floats) -> Floats:
    """H-loss: on every path from the root, only the first mistake counts."""
    return cost


def _shared_depth() -> SharedDepthRecipe:
    return SharedDepthRecipe()


MEETING = (
    "Predicting below the true class costs nothing: the deepest class that both share is then the "
    "true one.",
    "Of several labels only the pair that meets deepest counts; all others may be wrong.",
)


@set_measure(
    formula="max depth(c) over c ∈ Ŷ_aug ∩ Y_aug",
    source="depth of the lowest common ancestor, as reported beside mistake severity",
    direction="higher",
    range="[0, depth]",
    traits=("symmetric", "total"),
    averages=("samples",),
    recipe=_shared_depth,
    by_default=False,
    cautions=(
        *MEETING,
        "A true class near the root cannot get a high value, however right the prediction is; "
        "lca_depth_share divides by its depth.",
    ),
)
def lca_depth(shared_depth: Floats) -> Floats:
    """Depth of the deepest common ancestor: down to which level the prediction is right."""
    return shared_depth


@set_measure(
    formula="max depth(c) over c ∈ Ŷ_aug ∩ Y_aug / (depth of the deepest true class)",
    source="lca_depth, normalised by the depth of the true class",
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded", "total"),
    averages=("samples", "micro"),
    recipe=_shared_depth,
    by_default=False,
    cautions=MEETING,
)
def lca_depth_share(
    shared_depth: Floats, true_depth: Floats, *, zero_division: float = 1
) -> Floats:
    """Depth of the deepest common ancestor, as a share of the depth of the true class."""
    return ratio(shared_depth, true_depth, zero_division)
