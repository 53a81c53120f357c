"""Measures of label sets: augmented, weighted, with all that lies below them, or as they are."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from hierpair.measures.class_weights import Weighting
from hierpair.measures.ratios import PLAIN, Floats, holds, overlap_measures, perfect_if_empty, ratio
from hierpair.measures.recipes.sets import LeafSetRecipe, SetRecipe, WeightedSetRecipe
from hierpair.measures.registry import set_measure

KIRITCHENKO = "Kiritchenko et al. 2005; Kosmopoulos et al. 2014, §2.4, eqs 2–3"


def augmented_sets(
    *,
    augment: str = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any = None,
    deeper: str = "wrong",
) -> SetRecipe | WeightedSetRecipe:
    """Return the sizes of augmented sets; where classes weigh, the sums of their weights."""
    sets = SetRecipe(augment, root, threshold, deeper)
    if weights == "ones":
        return sets
    return WeightedSetRecipe(Weighting(weights, smooth, reference), sets)


share_measure = partial(set_measure, direction="higher", range="[0, 1]")
error_measure = partial(set_measure, direction="lower", range="[0, ∞)", averages=("samples",))
"""Declare what is 1 at best, and what is 0 at best; what differs from these is given."""


overlap_measures(
    partial(share_measure, source=KIRITCHENKO, recipe=augmented_sets),
    "|Ŷ_aug ∩ Y_aug|",
    "|Ŷ_aug|",
    "|Y_aug|",
    hf="""Hierarchical F-beta: the weighted harmonic mean of hierarchical precision
      and recall.

    Traits: symmetric, perfect, total; Function: h_fbeta_score

    - A label with many ancestors counts more than one with few: deep branches, and in a DAG classes
      with many parents, dominate the value (Kosmopoulos et al. 2014, §2.4.2).
    - A wrong label costs little if another predicted label has the same ancestors, and much if it
      stands alone.
    - Root and average alone change the value of the same predictions; never compare values without
      their signatures.
    """,
    hp="""Hierarchical precision: the share of the augmented prediction that is true.

    Traits: perfect, total; Function: h_precision_score

    - Rewards few classes near the root: an ancestor of the truth is perfect, however unspecific it
      is.
    - A class with many ancestors weighs more than one with few; in a DAG one wrong class can bring
      many (Kosmopoulos et al. 2014, §2.4.2).
    - Counting the root lifts every value: root='include' gives credit to predictions with nothing
      in common but the root.
    """,
    hr="""Hierarchical recall: the share of the augmented truth that is predicted.

    Traits: perfect, total; Function: h_recall_score

    - Rewards over-prediction: predicting every class is perfect.
    - Says nothing about going too deep: a descendant of a true class has the whole augmented truth.
    - A class with many ancestors weighs more than one with few (Kosmopoulos et al. 2014, §2.4.2).
    """,
)


@error_measure(recipe=augmented_sets)
def symmetric_difference(n_true: Floats, n_pred: Floats, n_both: Floats) -> Floats:
    """Symmetric difference loss: the number of classes that only one of the augmented sets has.

    Formula: |Ŷ_aug Δ Y_aug|
    Source: Kosmopoulos et al. 2014, §2.4 (l_Δ)
    Traits: symmetric, perfect, total, additive; Label: SDL

    - Grows with depth and with the number of labels: it counts classes and is not divided by
      anything, so values of two hierarchies cannot be compared.
    - Counts only errors: systems that predict more labels per instance tend to look worse, however
      many of them are right (Kosmopoulos et al. 2014, §4).
    - A wrong class costs every ancestor that the truth does not have, and in a DAG these can be
      many (Kosmopoulos et al. 2014, §2.4.2).
    """
    return n_true + n_pred - 2 * n_both


@error_measure(recipe=augmented_sets, range="[0, 1]", by_default=False)
def stopped_early(n_true: Floats, n_pred: Floats, n_both: Floats) -> Floats:
    """Share of instances whose prediction stops above the truth: of single labels, at an ancestor.

    With too_deep, off_path and right it adds up to 1.

    Formula: 1 if Ŷ_aug ⊊ Y_aug, else 0
    Source: the four outcomes of an answer at an inner class
    Traits: perfect, total; Label: Stopped early

    - A prediction without any label that counts stops early, too.
    """
    return holds((n_both == n_pred) & (n_pred < n_true))


@error_measure(recipe=augmented_sets, range="[0, 1]", by_default=False)
def too_deep(n_true: Floats, n_pred: Floats, n_both: Floats) -> Floats:
    """Share of instances whose prediction goes on below the truth: of single labels, a descendant.

    Formula: 1 if Y_aug ⊊ Ŷ_aug, else 0
    Source: the four outcomes of an answer at an inner class
    Traits: perfect, total; Label: Too deep

    - Where the truth is coarse, what lies below it may be right: deeper='right' counts it so.
    """
    return holds((n_both == n_true) & (n_true < n_pred))


@error_measure(recipe=augmented_sets, range="[0, 1]", by_default=False)
def off_path(n_true: Floats, n_pred: Floats, n_both: Floats) -> Floats:
    """Share of instances whose prediction leaves the way to the truth: neither holds the other.

    Formula: 1 if neither of Ŷ_aug and Y_aug holds the other, else 0
    Source: the four outcomes of an answer at an inner class
    Traits: symmetric, perfect, total; Label: Off path

    - A sibling of the truth is as far off as a class of another branch.
    """
    return holds((n_both < n_true) & (n_both < n_pred))


@share_measure(recipe=augmented_sets, averages=("samples",), by_default=False)
def right(n_true: Floats, n_pred: Floats, n_both: Floats) -> Floats:
    """Share of instances whose prediction is the truth, with all that is above both.

    Formula: 1 if Ŷ_aug = Y_aug, else 0
    Source: the four outcomes of an answer at an inner class
    Traits: symmetric, perfect, total; Label: Right; Function: augmented_accuracy_score

    - One label too many makes it wrong, unless it is above another one: subset_accuracy counts
      such labels, too.
    """
    return holds(n_true + n_pred == 2 * n_both)


@share_measure(
    recipe=lambda *, root="exclude": LeafSetRecipe("none", root),
    averages=("samples",),
    by_default=False,
)
def answered_leaf(n_pred: Floats) -> Floats:
    """Share of instances that are answered by a leaf.

    Formula: 1 if Ŷ holds a class without children, else 0
    Source: coverage of leaves in selective classification
    Traits: total; Label: Answered leaf

    - It says how often an answer is as specific as can be, not whether it is right.
    """
    return holds(n_pred > 0)


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


weighted_error = partial(
    error_measure, recipe=weighted_sets, by_default=False, cautions=(ONES, FROM_TRUTH)
)
"""Declares what is 0 at best and in weights of classes."""


@share_measure(
    averages=("samples", "micro"), recipe=weighted_sets, by_default=False, cautions=(FROM_TRUTH,)
)
def simgic(tp: Floats, fp: Floats, fn: Floats) -> Floats:
    """Similarity of graphs by information: the weighted Jaccard index of augmented sets.

    Formula: W(Ŷ_aug ∩ Y_aug) / W(Ŷ_aug ∪ Y_aug), W(S) = Σ w(c) over c ∈ S
    Source: Pesquita et al. 2008 (simGIC); Gentleman 2005 (simUI: weights='ones')
    Traits: symmetric, perfect, total; Label: simGIC

    - With weights='ones' it is the Jaccard index of the augmented sets (simUI); the source weighs
      classes by their information content: weights='ic'.
    - Information content counts what a class shares with its ancestors once for each of them, so
      deep chains count more than they say; information accretion ('ia') adds up to it.
    - Classes of weight 0 are invisible: with them a value of 1 does not mean equal sets.
    """
    return perfect_if_empty(tp + fn, tp + fp, ratio(tp, tp + (fp + fn), 0))


@weighted_error()
def remaining_uncertainty(fn: Floats) -> Floats:
    """Remaining uncertainty: the weight of true classes that are not predicted.

    Formula: Σ w(c) over c ∈ Y_aug ∖ Ŷ_aug
    Source: Clark & Radivojac 2013, §2
    Traits: perfect, total, additive; Label: Remaining uncertainty (ru); Also: ru

    - Predicting every class is perfect: look at the misinformation beside it.
    """
    return fn


@weighted_error()
def misinformation(fp: Floats) -> Floats:
    """Misinformation: the weight of predicted classes that are not true.

    Formula: Σ w(c) over c ∈ Ŷ_aug ∖ Y_aug
    Source: Clark & Radivojac 2013, §2
    Traits: perfect, total, additive; Label: Misinformation (mi); Also: mi

    - Predicting nothing is perfect: look at the remaining uncertainty beside it.
    """
    return fp


@weighted_error(averages=("micro", "samples"))
def semantic_distance(fp: Floats, fn: Floats, n: Floats) -> Floats:
    """Semantic distance: how far remaining uncertainty and misinformation are from nothing.

    Formula: √(ru² + mi²), ru the remaining uncertainty, mi the misinformation
    Source: Clark & Radivojac 2013, §2 (k = 2)
    Traits: symmetric, perfect, total

    - The micro average is that of the source, the distance of the mean ru and the mean mi; the mean
      of the distances of instances is larger.
    - Smin is its least value over the thresholds of a system, which labels alone cannot give.
    """
    return np.sqrt(ratio(fn, n, 0) ** 2 + ratio(fp, n, 0) ** 2)


@set_measure(averages=("samples",), recipe=contrasted_sets, by_default=False)
def icm(tp: Floats, fp: Floats, fn: Floats) -> Floats:
    """Information contrast: the information of what is shared, less that of what is not.

    Formula: W(Ŷ_aug ∩ Y_aug) − W(Ŷ_aug ∖ Y_aug) − W(Y_aug ∖ Ŷ_aug), w(c) = log₂(p(pa(c)) / p(c))
    Source: Amigó & Delgado 2022, §5
    Range: (−∞, ∞); Direction: higher; Traits: total, additive; Label: ICM
    Function: information_contrast_score

    - Probabilities are counted from the truth that is evaluated, unless reference= names other
      annotations: without it values on two test sets cannot be compared.
    - The largest value is the information of the truth, so it depends on the data: compare
      icm_norm.
    - A rare class counts more than a common one, whatever its depth.
    """
    return tp - (fp + fn)


@share_measure(averages=("micro",), recipe=contrasted_sets, by_default=False)
def icm_norm(tp: Floats, fp: Floats, fn: Floats) -> Floats:
    """Information contrast between that of minus the truth (0) and that of the truth (1).

    Formula: max(0, (ICM(Ŷ, Y) + ICM(Y, Y)) / (2 ICM(Y, Y))), of the means
    Source: EXIST 2023–2025, lab overviews
    Traits: perfect; Label: ICM-Norm; Function: normalised_information_contrast_score

    - 0.5 means that as much is wrong as is right (ICM is 0), not that half of it is right.
    - Below 0 it is cut off: all systems with an ICM of less than minus that of the truth look the
      same.
    - Where every truth is the same it says nothing, and there is no value (nan).
    """
    return np.maximum(0, ratio(2 * tp - fp, 2 * (tp + fn)))


IPEIROTIS = "Ipeirotis et al. 2001; Costa et al. 2007, eqs 18–19"
SUBTREES = (
    "In a tree it is 0 unless the predicted class is above or below the true one: a sibling is as "
    "wrong as a class of another branch.",
    "A class near the root stands for many classes, and leads the value of an instance with "
    "several labels.",
)


overlap_measures(
    partial(
        share_measure,
        source=IPEIROTIS,
        recipe=lambda *, root="include": SetRecipe("descendants", root),
        by_default=False,
        cautions=SUBTREES,
    ),
    "|D(Ŷ) ∩ D(Y)|",
    "|D(Ŷ)|",
    "|D(Y)|",
    of=", D: the classes and all below them",
    descendant_f="""F-beta of descendant precision and recall, instance by instance.

    Traits: symmetric, perfect, total
    """,
    descendant_precision="""Share of the predicted subtree that belongs to the true one.

    Traits: perfect, total

    - Going too deep is perfect: a class below the true one has it all.
    """,
    descendant_recall="""Share of the true subtree that was predicted.

    Traits: perfect, total

    - Stopping too high is perfect: the root has every class below it.
    """,
)


NO_HIERARCHY = (
    "The hierarchy is not used: a sibling of the true class is as wrong as a class of another "
    "branch."
)


def _labels(*, deeper: str = "wrong") -> SetRecipe:
    return SetRecipe(deeper=deeper)


flat_measure = partial(share_measure, recipe=_labels, cautions=(NO_HIERARCHY,))
"""Declares a flat measure; what differs from these is given."""


@flat_measure(averages=("samples",))
def subset_accuracy(n_true: Floats, n_pred: Floats, n_both: Floats) -> Floats:
    """Share of instances whose predicted set is exactly the true set.

    Formula: 1 if Ŷ = Y, else 0
    Source: scikit-learn, sklearn.metrics.accuracy_score
    Traits: symmetric, perfect, total

    - One label too many makes the whole set wrong, so values tend to fall as sets grow.
    """
    return holds(n_true + n_pred == 2 * n_both)


overlap_measures(
    flat_measure,
    "|Ŷ ∩ Y|",
    "|Ŷ|",
    "|Y|",
    formulas=PLAIN,
    f="""Flat F-beta: the weighted harmonic mean of precision and recall.

    Source: scikit-learn, sklearn.metrics.fbeta_score
    Traits: symmetric, total; Function: flat_fbeta_score

    - On label sets that already hold all ancestors but the root it gives what hf gives, apart from
      instances without any label; on others it does not.
    """,
    precision="""Flat precision: the share of predicted labels that are true.

    Source: scikit-learn, sklearn.metrics.precision_score
    Traits: total; Function: flat_precision_score

    - Says nothing about true labels that are missing: one safe label is perfect.
    - A parent instead of its true child counts as plainly wrong.
    """,
    recall="""Flat recall: the share of true labels that are predicted.

    Source: scikit-learn, sklearn.metrics.recall_score
    Traits: total; Function: flat_recall_score

    - Says nothing about wrong labels: predicting every class is perfect.
    - A parent instead of its true child counts as plainly missing.
    """,
)


@flat_measure(
    averages=("samples", "micro"),
    recipe=lambda *, root="exclude": SetRecipe("none", root),
    by_default=False,
)
def specificity(
    n_true: Floats, n_pred: Floats, n_both: Floats, n_classes: Floats, *, zero_division: float = 1
) -> Floats:
    """Specificity: the share of classes that are not true that are not predicted either.

    Formula: (K − |Ŷ ∪ Y|) / (K − |Y|), K the number of classes
    Source: Costa et al. 2007, eq. 4
    Traits: perfect, total; Function: flat_specificity_score

    - Says nothing about true labels that are missing: predicting nothing is perfect.
    - With many classes nearly all are neither true nor predicted, so every value is near 1.
    """
    n_false = n_classes - n_true
    return ratio(n_false - (n_pred - n_both), n_false, zero_division)


@flat_measure(averages=("samples",), recipe=lambda *, root="exclude": SetRecipe("none", root))
def hamming_loss(n_true: Floats, n_pred: Floats, n_both: Floats, n_classes: Floats) -> Floats:
    """Share of (instance, class) decisions that are wrong.

    Formula: |Ŷ Δ Y| / number of classes
    Source: scikit-learn, sklearn.metrics.hamming_loss
    Direction: lower; Traits: symmetric, perfect, total; Function: flat_hamming_loss

    - Most classes are rightly not predicted, so with many classes every value is near 0, even that
      of the empty prediction.
    """
    return ratio(n_true + n_pred - 2 * n_both, n_classes, 0)
