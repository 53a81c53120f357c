"""Measures of predictions with one class per level, which need not form a path."""

from __future__ import annotations

from functools import partial

import numpy as np

from hierpair.measures.definition import set_measure
from hierpair.measures.ratios import Floats, ratio
from hierpair.measures.recipes.level_paths import LevelPathRecipe

__all__ = [
    "edge_inconsistency",
    "full_path_accuracy",
    "path_prefix",
    "por",
    "tice",
    "tor",
    "wap",
]

HCAST = "Park et al. 2025 (H-CAST), arXiv 2406.11608"
TAN = "Tan et al. 2025, arXiv 2505.24840"

GIVEN = (
    "Label sets are compared as they are, with one class per level: a set of several classes on a "
    "level, or a true set that leaves a level out, is refused. A single root may be left out."
)
SKIPPED = (
    "Levels below the end of the true path are not judged, so going on below it costs nothing."
)


def _path() -> LevelPathRecipe:
    return LevelPathRecipe()


path_measure = partial(
    set_measure, direction="higher", range="[0, 1]", recipe=_path, by_default=False
)
"""Declares a measure of paths by level; what differs from these is given."""


@path_measure(
    formula="1 if ŷ_l = y_l at all levels l and nothing else is predicted, else 0",
    source=f"{HCAST} (FPA); Wu et al. 2024 (ProTeCt: hierarchical consistent accuracy, HCA)",
    traits=("symmetric", "perfect", "bounded"),
    averages=("samples",),
    label="Full-path accuracy",
    cautions=(
        GIVEN,
        "One wrong level makes the whole path wrong, the first one as much as the last one.",
        "On paths of a tree it is the accuracy of the last level: what is gained by a consistent "
        "prediction is not seen there.",
    ),
)
def full_path_accuracy(n_levels: Floats, n_right: Floats, n_extra: Floats) -> Floats:
    """Full-path accuracy (FPA, HCA): the share of instances that are right at every level."""
    return np.asarray((n_right == n_levels) & (n_extra == 0), dtype=np.float64)


@path_measure(
    formula="1 if ŷ_(l−1) is no parent of ŷ_l at some level l of the true path, else 0",
    source="Wang et al. 2023 (ACM MM), tree-based inconsistency error",
    direction="lower",
    traits=("bounded",),
    averages=("samples",),
    label="TICE",
    cautions=(
        GIVEN,
        "The truth is not looked at, only how deep it goes: a wrong path is as good as the right "
        "one. Report it beside an accuracy.",
        "A missing class makes the links to it inconsistent, so a prediction that stops early "
        "counts like one that contradicts itself.",
    ),
    function_name="tice_error",
)
def tice(n_links_wrong: Floats) -> Floats:
    """Tree-based inconsistency error (TICE): the share of predictions that are not a path."""
    return np.asarray(n_links_wrong > 0, dtype=np.float64)


@path_measure(
    formula="Σ_l K_l a_l / Σ_l K_l, a_l the accuracy of level l and K_l its number of classes",
    source=f"Liu et al. 2022; {HCAST} (weighted average precision, wAP)",
    traits=("perfect", "bounded"),
    averages=("weighted", "samples", "micro"),
    label="wAP",
    cautions=(
        GIVEN,
        "The levels with the most classes, usually the leaves, decide the value.",
        "K_l counts the classes of the hierarchy, whether they occur or not; classes without data "
        "shift the weights.",
        SKIPPED,
    ),
)
def wap(k_levels: Floats, k_right: Floats) -> Floats:
    """Weighted average precision (wAP): accuracies of levels, weighted by their classes."""
    return ratio(k_right, k_levels)


@path_measure(
    formula="(1/L) Σ_l [ŷ_l = y_l] over the L levels of the true path",
    source=f"{TAN} (point-overlap ratio, POR)",
    traits=("perfect", "bounded"),
    averages=("samples", "micro", "macro"),
    label="POR",
    cautions=(
        GIVEN,
        "Levels count alike although the top ones are far easier.",
        "A leaf that is right below a wrong parent counts in full.",
        SKIPPED,
    ),
)
def por(n_levels: Floats, n_right: Floats) -> Floats:
    """Point-overlap ratio (POR): the share of levels that are right."""
    return ratio(n_right, n_levels)


@path_measure(
    formula="(1/(L−1)) Σ_(l≥2) [ŷ_l = y_l and ŷ_(l−1) = y_(l−1)]",
    source=f"{TAN} (tree-overlap ratio, TOR)",
    traits=("perfect", "bounded"),
    averages=("samples", "micro"),
    label="TOR",
    cautions=(
        GIVEN,
        "Not defined for a true path of one level: such instances are left out of the mean.",
        SKIPPED,
    ),
)
def tor(n_links: Floats, n_links_right: Floats) -> Floats:
    """Tree-overlap ratio (TOR): the share of edges of the true path that are predicted."""
    return ratio(n_links_right, n_links)


@path_measure(
    formula="(length of the longest common beginning of both paths) / L",
    source="common in hierarchical image classification",
    traits=("perfect", "bounded"),
    averages=("samples", "micro"),
    cautions=(
        GIVEN,
        "A wrong class at the top makes everything below it worthless, even if it is right.",
        SKIPPED,
    ),
)
def path_prefix(n_levels: Floats, n_prefix: Floats) -> Floats:
    """Common prefix: the share of the true path down to the first level that is wrong."""
    return ratio(n_prefix, n_levels)


@path_measure(
    formula="(levels l ≥ 2 of the true path whose ŷ_(l−1) is no parent of ŷ_l) / (L − 1)",
    source="a share where TICE asks for any; common in hierarchical image classification",
    direction="lower",
    traits=("bounded",),
    averages=("samples", "micro"),
    cautions=(
        GIVEN,
        "The truth is not looked at, only how deep it goes: a wrong path is as good as the right "
        "one.",
        "Not defined for a true path of one level: such instances are left out of the mean.",
    ),
    function_name="edge_inconsistency_error",
)
def edge_inconsistency(n_links: Floats, n_links_wrong: Floats) -> Floats:
    """Edge inconsistency: the share of neighbouring predicted classes without an edge."""
    return ratio(n_links_wrong, n_links)
