"""Amounts below classes, and answers that leave several classes open."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from hierpair.measures.ratios import Floats, overlap_measures, ratio
from hierpair.measures.recipes.sets import AmountRecipe, AnswerRecipe, FewestRecipe
from hierpair.measures.registry import set_measure

SAMPLES = ("samples", "micro")


def _counts(*, root: Any = "exclude", at_level: int | None = None) -> AmountRecipe:
    return AmountRecipe("counts", "ones", at_level, root)


overlap_measures(
    partial(
        set_measure,
        source="Falis et al. 2021 (CoPHE), EMNLP, §3",
        direction="higher",
        range="[0, 1]",
        recipe=_counts,
        by_default=False,
    ),
    "Σ min(p(c), t(c))",
    "Σ p(c)",
    "Σ t(c)",
    of=", p(c) and t(c): how many labels of a side are at or below c, sums over classes",
    count_f="""Count-preserving F-beta: as hF, but a class counts as often as labels lie below it.

    Traits: symmetric, perfect, total

    - On a tree its false and missing counts together are the cost of pairing labels one to one at
      the number of edges between them, where a label without partner costs its depth.
    - Of single labels on a tree it is hF.
    """,
    count_precision="""Precision of counts: labels below every class, as many as were predicted.

    Traits: perfect, total

    - Of two predicted children of a class with one true child one is too many, also where sets of
      classes would have that class right.
    - A class near the root is below many labels' paths, so it counts once for each.
    """,
    count_recall="""Recall of counts: labels below every class, as many as are true.

    Traits: perfect, total

    - Of two true children of a class of which one is predicted, one is missing, also where sets of
      classes would have that class right.
    """,
)


SHARES = (
    "Labels are shares: by their amounts, if they come with such (LabelSets.from_amounts, "
    "--amounts), else even ones. So nothing is said of their number: one label too many costs only "
    "its share.",
    "In a DAG a class with several parents is below each of them, and counts once itself.",
)


def _shares(*, lengths: str = "ones", at_level: int | None = None) -> AmountRecipe:
    return AmountRecipe("shares", lengths, at_level)


share_distance = partial(
    set_measure,
    direction="lower",
    averages=("samples",),
    recipe=_shares,
    by_default=False,
    cautions=SHARES,
)
"""Declares a distance of shares below classes."""


@share_distance()
def weighted_unifrac(n_single: Floats) -> Floats:
    """Weighted UniFrac: shares that would have to be moved along the edges of the tree.

    Formula: Σ l(c) · |p(c) − t(c)|, p(c) and t(c): share of the labels of a side at or below c
    Source: Lozupone et al. 2007, eq. 1; on trees the Wasserstein distance (Evans & Matsen 2012)
    Range: [0, ∞); Traits: symmetric, perfect, total; Label: Weighted UniFrac

    - It grows with the depth of the hierarchy; normalised_unifrac does not.
    - An empty side has no shares: the distance is then the depth of the other side.
    """
    return n_single


@share_distance()
def normalised_unifrac(n_true: Floats, n_pred: Floats, n_single: Floats) -> Floats:
    """Normalised weighted UniFrac: weighted UniFrac as a share of the largest possible one.

    Formula: Σ l(c) |p(c) − t(c)| / Σ l(c) (p(c) + t(c))
    Source: Lozupone et al. 2007, eq. 2
    Range: [0, 1]; Traits: symmetric, perfect, total; Label: Normalised UniFrac

    - The denominator is the depth of both sides, so the same mistake costs less far from the root.
    """
    return ratio(n_single, n_true + n_pred, 0)


@share_distance(
    recipe=lambda *, lengths="ones": AmountRecipe("presence", lengths), cautions=SHARES[1:]
)
def unweighted_unifrac(n_true: Floats, n_pred: Floats, n_both: Floats, n_single: Floats) -> Floats:
    """Unweighted UniFrac: the share of the length of both trees that only one of them has.

    Formula: Σ l(c) over c ∈ Ŷ_aug Δ Y_aug / Σ l(c) over c ∈ Ŷ_aug ∪ Y_aug
    Source: Lozupone & Knight 2005
    Range: [0, 1]; Traits: symmetric, perfect, total; Label: Unweighted UniFrac

    - With lengths='ones' it is one minus the Jaccard index of the augmented sets (simgic).
    """
    return ratio(n_single, n_true + n_pred - n_both, 0)


@share_distance(recipe=lambda *, at_level=None: AmountRecipe("shares", "ones", at_level))
def bray_curtis(n_true: Floats, n_pred: Floats, n_single: Floats) -> Floats:
    """Bray–Curtis distance of the shares of classes, at one level or over all levels.

    Formula: Σ |p(c) − t(c)| / Σ (p(c) + t(c)) over the classes of the level
    Source: Bray & Curtis 1957; Meyer et al. 2019 (OPAL)
    Range: [0, 1]; Traits: symmetric, perfect, total; Label: Bray–Curtis

    - Labels above the level have no share there.
    """
    return ratio(n_single, n_true + n_pred, 0)


@share_distance(recipe=lambda *, at_level=None: AmountRecipe("shares", "ones", at_level))
def abundance_l1(n_single: Floats) -> Floats:
    """L1 norm of the difference of the shares of classes, at one level or over all levels.

    Formula: Σ |p(c) − t(c)| over the classes of the level
    Source: Meyer et al. 2019 (OPAL), L1 norm error
    Range: [0, ∞); Traits: symmetric, perfect, total; Label: L1 norm

    - At one level it is at most 2; over all levels it grows with their number.
    """
    return n_single


ANSWERS = "Mortier et al. 2022; den Hengst et al. 2025"


answer_measure = partial(
    set_measure, source=ANSWERS, averages=SAMPLES, recipe=AnswerRecipe, by_default=False
)
"""Declares a measure of answers that stand for the leaves at or below their classes."""


@answer_measure()
def answer_coverage(
    n_true: Floats, n_covered: Floats, *, zero_division: float = math.nan
) -> Floats:
    """Coverage of set-valued answers: whether the true class is one of those that are left open.

    Formula: share of true labels that are at or below a predicted class
    Range: [0, 1]; Direction: higher; Traits: perfect

    - Naming the root is always right: look at answer_size beside it.
    """
    return ratio(n_covered, n_true, zero_division)


@answer_measure(averages=("samples",))
def answer_size(n_leaves: Floats) -> Floats:
    """Size of set-valued answers: how many leaves are left open.

    Formula: |L(Ŷ)|, the leaves at or below predicted classes
    Range: [0, number of leaves]; Direction: lower; Traits: total

    - Says nothing of being right: an empty answer is smallest. Look at answer_coverage beside it.
    """
    return n_leaves


@answer_measure(averages=("samples",), recipe=FewestRecipe)
def answer_complexity(n_fewest: Floats) -> Floats:
    """Representation complexity: the fewest classes that stand for the leaves of an answer.

    Formula: least |S| with L(S) = L(Ŷ)
    Source: Mortier et al. 2025, arXiv 2501.19038
    Range: [0, number of leaves]; Direction: lower; Also: representation_complexity, minimum_cover

    - Says nothing of being right, and the root is as simple as a leaf.
    - A DAG is refused: there the fewest are hard to find.
    """
    return n_fewest


WORTH = {
    "1/s": (1.0, 0.0),
    "u65": (1.6, 0.6),
    "u80": (2.2, 1.2),
}
"""a and b by utility: an answer of s leaves is worth a/s − b/s²."""


@answer_measure(averages=("samples",))
def answer_utility(
    n_true: Floats, n_covered: Floats, n_leaves: Floats, *, utility: str = "u65",
    zero_division: float = math.nan,
) -> Floats:  # fmt: skip
    """Utility of set-valued answers: being right, worth the less the more leaves are left open.

    Formula: coverage · (a/s − b/s²), s = |L(Ŷ)|; a and b: 1 and 0, 1.6 and 0.6, or 2.2 and 1.2
    Source: Zaffalon et al. 2012; Mortier et al. 2021 (a = 1: discounted accuracy)
    Range: [0, 1]; Direction: higher

    - With 1/s leaving two classes open is worth no more than guessing one of them; u65 and u80
      value caution, and how much is a choice: a and b follow from the worth of two open classes,
      one of which is right, 0.65 or 0.8, and of one class, 1.
    - A true inner class is worth less than 1, however right, since several leaves are below it.
    """
    a, b = WORTH[utility]
    each = ratio(np.ones(len(n_leaves)), n_leaves, 0)
    return ratio(n_covered, n_true, zero_division) * (a * each - b * each**2)
