"""Levels and paths: what is right at each level, and labels that need their whole path."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import scipy

from hierpair.measures.ratios import (
    PLAIN,
    Floats,
    fbeta,
    holds,
    overlap_measures,
    perfect_if_empty,
    ratio,
)
from hierpair.measures.recipes.paths import (
    ConstrainedRecipe,
    LeafRecipe,
    LevelPathRecipe,
    LevelRecipe,
    TipRecipe,
    WholePathRecipe,
)
from hierpair.measures.recipes.sets import OneLevelRecipe
from hierpair.measures.registry import set_measure

level_measure = partial(set_measure, direction="higher", range="[0, 1]", averages=("samples",))
"""Declares a measure of levels; what differs from these is given."""


@level_measure(
    averages=("macro", "micro", "samples"),
    recipe=LevelRecipe,
)
def level_accuracy(
    n_judged: Floats, n_said: Floats, n_right: Floats, *, zero_division: float = 0
) -> Floats:
    """Accuracy by level: whether exactly the true classes of a level are predicted there.

    Formula: mean over levels of the share of instances whose classes at the level are right
    Source: Plaud et al. 2024, §5.3.1
    Traits: perfect, total

    - A level with four classes counts as much as one with four hundred.
    - The value of a level that few instances reach depends on these few.
    - Predicting beyond the end of the true path costs nothing with absent_level='skip': the level
      is not judged.
    """
    return perfect_if_empty(n_judged, n_said, ratio(n_right, n_judged, zero_division))


def _leaves(*, augment: str = "ancestors", root: str = "exclude") -> LeafRecipe:
    """Return the leaves, which no augmentation adds to; another word is refused."""
    return LeafRecipe(LevelRecipe(augment, root).root)


@level_measure(recipe=_leaves)
def leaf_accuracy(n_true: Floats, n_right: Floats, *, zero_division: float = math.nan) -> Floats:
    """Accuracy at the leaves, whatever their depths; truths without a leaf are excluded.

    Formula: 1 if the leaves of Ŷ_aug are the leaves of Y_aug, else 0
    Source: Plaud et al. 2024, §5.3.1
    Traits: symmetric, perfect

    - A sibling of the true leaf is as wrong as a leaf of another branch.
    - A true inner class without a leaf below it in the truth is not judged, however wrong the
      prediction is.
    """
    return ratio(n_right, n_true, zero_division)


@level_measure(
    recipe=lambda *, augment="ancestors", root="exclude": LevelRecipe(augment, root, "none-class")
)
def level_hamming(wrong_share: Floats) -> Floats:
    """Hamming loss by level: the share of the classes of a level on which the two sides differ.

    Formula: mean over levels of |Ŷ_l Δ Y_l| / (number of classes at level l)
    Source: Plaud et al. 2024, §5.3.2
    Direction: lower; Traits: symmetric, perfect, total

    - An error at a level with few classes costs far more than one at a level with many.
    - Values are small where classes are many: predicting nothing looks good.
    """
    return wrong_share


@level_measure(recipe=TipRecipe)
def shortest_path(cost: Floats) -> Floats:
    """Shortest path: how far the end of the predicted path is from the end of the true one.

    Formula: edges between the most specific classes of both sides, paired at the least cost
    Source: Plaud et al. 2024, §3.1; Garnot and Landrieu 2021
    Range: [0, ∞); Direction: lower; Traits: symmetric, perfect; Function: shortest_path_cost

    - Edges near the root count as much as edges between leaves.
    - Where the paper has several paths it adds up all pairs (tips='sum'): then a perfect prediction
      of two sibling leaves costs 4, and one class is always better than two.
    - Not defined for two classes without a common ancestor.
    """
    return cost


@level_measure(
    averages=("macro", "micro", "samples", "weighted"), recipe=LeafRecipe, by_default=False
)
def leaf_macro_accuracy(n_true: Floats, n_right: Floats) -> Floats:
    """Leaf-macro accuracy: the recall of every true leaf, and their mean.

    Formula: mean over the leaves that are true of (instances whose leaves are right) / (instances
      with this leaf)
    Source: Plaud et al. 2024, App. B.3
    Traits: symmetric, perfect

    - A leaf with one instance counts as much as one with a thousand, so the value is noisy where
      many leaves are rare.
    - Leaves that are never true are left out, however often they are predicted.
    - An instance is right if its leaves are exactly the true ones, as under leaf_accuracy:
      predicting many leaves earns nothing. One without a true leaf is left out.
    """
    return ratio(n_right, n_true)


@level_measure(
    averages=("micro", "macro", "samples", "weighted"),
    recipe=lambda *, augment="none", root="include", at_level=None: OneLevelRecipe(
        augment, root, at_level=at_level
    ),
    classes="seen",
    by_default=False,
)
def level_f(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, beta: float = 1, zero_division: float = 0
) -> Floats:
    """Flat F-beta of the classes of one level.

    Formula: (1 + β²) |Ŷ_l ∩ Y_l| / (β² |Y_l| + |Ŷ_l|), of the classes of level l
    Source: common in hierarchical text classification
    Traits: symmetric, total

    - Label sets are taken as they are: a leaf says nothing of the levels above it
      (augment='ancestors' adds its ancestors).
    - What is wrong at other levels is not seen.
    - Levels count from 0, the classes without parents; with several parents a class is as deep as
      its longest way down.
    """
    return fbeta(n_true, n_pred, n_both, beta, zero_division)


ONE_PER_LEVEL = (
    "Label sets are compared as they are, with one class per level: a set of several classes on a "
    "level, or a true set that leaves a level out, is refused. A single root may be left out."
)
SKIPPED = (
    "Levels below the end of the true path are not judged, so going on below it costs nothing."
)


level_path_measure = partial(
    set_measure,
    direction="higher",
    range="[0, 1]",
    recipe=LevelPathRecipe,
    by_default=False,
    cautions=(ONE_PER_LEVEL,),
)
judged_measure = partial(level_path_measure, cautions=(ONE_PER_LEVEL, SKIPPED))
"""Declares a measure of paths by level; what differs from these is given."""


@level_path_measure(averages=("samples",))
def full_path_accuracy(n_levels: Floats, n_right: Floats, n_extra: Floats) -> Floats:
    """Full-path accuracy (FPA, HCA): the share of instances that are right at every level.

    Formula: 1 if ŷ_l = y_l at all levels l and nothing else is predicted, else 0
    Source: Park et al. 2025 (H-CAST), arXiv 2406.11608 (FPA); Wu et al. 2024 (ProTeCt: hierarchical
      consistent accuracy, HCA)
    Traits: symmetric, perfect; Label: Full-path accuracy

    - One wrong level makes the whole path wrong, the first one as much as the last one.
    - On paths of a tree it is the accuracy of the last level: what is gained by a consistent
      prediction is not seen there.
    """
    return holds((n_right == n_levels) & (n_extra == 0))


@level_path_measure(averages=("samples",))
def tree_inconsistency(n_links_wrong: Floats) -> Floats:
    """Tree-based inconsistency error (TICE): the share of predictions that are not a path.

    Formula: 1 if ŷ_(l−1) is no parent of ŷ_l at some level l of the true path, else 0
    Source: Wang et al. 2023 (ACM MM), tree-based inconsistency error
    Direction: lower; Label: Tree inconsistency (TICE); Also: tice, tice_error
    Function: tree_inconsistency_error

    - The truth is not looked at, only how deep it goes: a wrong path is as good as the right one.
      Report it beside an accuracy.
    - A missing class makes the links to it inconsistent, so a prediction that stops early counts
      like one that contradicts itself.
    """
    return holds(n_links_wrong > 0)


@judged_measure(averages=("weighted", "samples", "micro"))
def weighted_average_precision(k_levels: Floats, k_right: Floats) -> Floats:
    """Weighted average precision (wAP): accuracies of levels, weighted by their classes.

    Formula: Σ_l K_l a_l / Σ_l K_l, a_l the accuracy of level l and K_l its number of classes
    Source: Liu et al. 2022; Park et al. 2025 (H-CAST), arXiv 2406.11608 (weighted average
      precision, wAP)
    Traits: perfect; Label: Weighted average precision (wAP); Also: wap

    - The levels with the most classes, usually the leaves, decide the value.
    - K_l counts the classes of the hierarchy, whether they occur or not; classes without data shift
      the weights.
    """
    return ratio(k_right, k_levels)


@judged_measure(averages=("samples", "micro", "macro"))
def point_overlap(n_levels: Floats, n_right: Floats) -> Floats:
    """Point-overlap ratio (POR): the share of levels that are right.

    Formula: (1/L) Σ_l [ŷ_l = y_l] over the L levels of the true path
    Source: Tan et al. 2025, arXiv 2505.24840 (point-overlap ratio, POR)
    Traits: perfect; Label: Point overlap (POR); Also: por

    - Levels count alike although the top ones are far easier.
    - A leaf that is right below a wrong parent counts in full.
    """
    return ratio(n_right, n_levels)


@judged_measure(averages=("samples", "micro"))
def tree_overlap(n_links: Floats, n_links_right: Floats) -> Floats:
    """Tree-overlap ratio (TOR): the share of edges of the true path that are predicted.

    Formula: (1/(L−1)) Σ_(l≥2) [ŷ_l = y_l and ŷ_(l−1) = y_(l−1)]
    Source: Tan et al. 2025, arXiv 2505.24840 (tree-overlap ratio, TOR)
    Traits: perfect; Label: Tree overlap (TOR); Also: tor

    - Not defined for a true path of one level: such instances are left out of the mean.
    """
    return ratio(n_links_right, n_links)


@judged_measure(averages=("samples", "micro"))
def path_prefix(n_levels: Floats, n_prefix: Floats) -> Floats:
    """Common prefix: the share of the true path down to the first level that is wrong.

    Formula: (length of the longest common beginning of both paths) / L
    Source: common in hierarchical image classification
    Traits: perfect

    - A wrong class at the top makes everything below it worthless, even if it is right.
    """
    return ratio(n_prefix, n_levels)


@level_path_measure(averages=("samples", "micro"))
def edge_inconsistency(n_links: Floats, n_links_wrong: Floats) -> Floats:
    """Edge inconsistency: the share of neighbouring predicted classes without an edge.

    Formula: (levels l ≥ 2 of the true path whose ŷ_(l−1) is no parent of ŷ_l) / (L − 1)
    Source: a share where TICE asks for any; common in hierarchical image classification
    Direction: lower; Function: edge_inconsistency_error

    - The truth is not looked at, only how deep it goes: a wrong path is as good as the right one.
    - Not defined for a true path of one level: such instances are left out of the mean.
    """
    return ratio(n_links_wrong, n_links)


YU = "Yu et al. 2022 (SIGIR), arXiv 2204.00811"
JI = "Ji et al. 2023 (HierVerb, ACL), code of the authors"

GIVEN = (
    "Label sets are compared as they are, so that inconsistent predictions show; predictions that "
    "name only the most specific classes have no hit at all."
)
CLOSED = (
    "The truth should hold the ancestors of its labels (a single root may be left out of all); "
    "where it does not, these labels cannot be right, and a note says of how many instances."
)
ALL_CLASSES = (
    "A macro average is over all classes that count, those that never occur with 0: many zeros. "
    "scikit-learn's macro average, over the classes that occur, is larger (classes='seen')."
)
PATHS = (
    "A label that ends at an inner class has no whole path, so it is no unit: not right, not wrong."
)


constrained_measure = partial(
    set_measure,
    direction="higher",
    range="[0, 1]",
    averages=("micro", "macro", "samples", "weighted"),
    recipe=ConstrainedRecipe,
    classes="all",
    by_default=False,
    cautions=(GIVEN, CLOSED, ALL_CLASSES),
)
"""Declares a measure of hits; what differs from these is given."""

overlap_measures(
    partial(constrained_measure, source=YU),
    "|H|",
    "|Ŷ|",
    "|Y|",
    of=", H the shared labels whose ancestors are shared too",
    formulas=PLAIN,
    constrained_f="""Constrained F-beta: a label is a hit only if all its ancestors are hits too.

    Source: Yu et al. 2022 (SIGIR), arXiv 2204.00811 (C-MicroF1, C-MacroF1)
    Traits: total; Label: C-F

    - Two readings are met: an inconsistent label is wrong, or it is dropped before a flat F
      (inconsistent='drop'); they seldom give the same number.
    """,
    constrained_precision="""Constrained precision: the share of predicted labels that are right
      with their paths.

    Traits: total; Label: C-precision

    - Says nothing about true labels that are missing.
    """,
    constrained_recall="""Constrained recall: the share of true labels that are predicted with
      their paths.

    Traits: total; Label: C-recall

    - Says nothing about wrong labels: every class is perfect.
    """,
)


whole_path_measure = partial(
    set_measure, direction="higher", recipe=WholePathRecipe, by_default=False
)
"""Declares a measure of whole paths; what differs from these is given."""


overlap_measures(
    partial(
        whole_path_measure,
        source=JI,
        range="[0, 1]",
        averages=("micro", "macro", "samples"),
        classes="all",
        cautions=(GIVEN, PATHS, ALL_CLASSES),
    ),
    "n_both",
    "n_pred",
    "n_true",
    of=" of the root paths of leaves that a set holds",
    formulas=PLAIN,
    path_f="""Path-based F-beta: the units are whole paths from the root to a leaf.

    Source: Ji et al. 2023 (HierVerb, ACL), code of the authors (P-F1 before its factor)
    Label: P-F without factor; Also: p_ori

    - The truth should hold the ancestors of its labels (a single root may be left out of all);
      where it does not, these labels cannot be right, and a note says of how many instances.
    - A DAG is refused: a class may have many paths.
    """,
    path_precision="""Path-based precision: the share of whole predicted paths that are true.

    Label: P-precision

    - Says nothing about true paths that are missing.
    """,
    path_recall="""Path-based recall: the share of whole true paths that are predicted.

    Label: P-recall

    - Says nothing about wrong paths: every class is perfect.
    """,
)


@whole_path_measure(averages=("micro",), cautions=(CLOSED,))
def path_factor(labels_true: Floats, labels_pred: Floats, labels_on_paths: Floats) -> Floats:
    """Factor of the path-based F: below 1 where labels are predicted outside whole paths.

    Formula: 2 / (1 + e^x), x = (labels predicted − labels on whole predicted paths) / true labels
    Source: Ji et al. 2023 (HierVerb, ACL), code of the authors (the factor a of P-F1)
    Range: [0, 2); Label: P-F factor; Also: p_factor

    - Paths that share ancestors count these several times, so x can be negative and the factor
      above 1: paths near each other are rewarded.
    - Report it beside path_f; their product alone cannot be read.
    """
    beside = labels_pred - labels_on_paths
    x = ratio(beside, labels_true, 0)
    x = np.where((labels_true == 0) & (beside != 0), np.copysign(np.inf, beside), x)
    return np.asarray(2 * scipy.special.expit(-x))


@whole_path_measure(
    averages=("micro", "macro", "samples"),
    classes="all",
    cautions=(GIVEN, CLOSED, PATHS, ALL_CLASSES),
)
def scaled_path_f(
    n_true: Floats,
    n_pred: Floats,
    n_both: Floats,
    labels_true: Floats,
    labels_pred: Floats,
    labels_on_paths: Floats,
    *,
    beta: float = 1,
    zero_division: float = 0,
) -> Floats:
    """Path-based F-beta as it is published: multiplied by a factor for labels outside paths.

    Formula: path_f · path_factor
    Source: Ji et al. 2023 (HierVerb, ACL), code of the authors (P-MicroF1, P-MacroF1)
    Range: [0, 2); Label: P-F

    - It may exceed 1: the factor is above 1 where predicted paths share ancestors.
    - A DAG is refused: a class may have many paths.
    """
    factor = path_factor(labels_true, labels_pred, labels_on_paths)
    return fbeta(n_true, n_pred, n_both, beta, zero_division) * factor
