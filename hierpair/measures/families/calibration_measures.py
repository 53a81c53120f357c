"""Probabilities level by level against what happened, and proper scores of whole hierarchies."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from hierpair.errors import shown
from hierpair.hierarchy import counted_classes
from hierpair.hierarchy.arrays import Floats, ratio
from hierpair.labels.naming import refuse
from hierpair.measures.class_weights import Weighting
from hierpair.measures.registry import scored_measure, share
from hierpair.measures.scored import calibration
from hierpair.measures.scored.calibration import INFINITE, BinCells, ScoreByLevel
from hierpair.measures.scored.system import LevelPairs, Scored, pairs_by_level

calibration_measure = partial(
    scored_measure, direction="lower", traits=("perfect",), family="calibration"
)
"""Declares a score of probabilities; what differs from these is given."""

level_measure = partial(
    calibration_measure, value=calibration.of_levels, recipe=ScoreByLevel,
    options={"over_levels": "mean", "root": "exclude"},
)  # fmt: skip
"""Declares a score of levels by what instances add to its cells there."""

NOT_PROPER = (
    "It is no proper score: predicting the base rates for every instance has 0, whatever the "
    "instances are. Report it beside the Brier score."
)
EVERY_LEVEL = "Every level weighs the same, whatever its number of classes or instances."
BINNED = "The value depends on the number of bins; it is biased upwards where bins are small."


@level_measure(cautions=(EVERY_LEVEL,))
def brier(level: LevelPairs) -> BinCells:
    """Brier score, level by level: the squared error of probabilities, a proper score.

    Formula: mean over levels of (1/n) Σ_i Σ_k (p_i(k) − [k is true])²
    Source: Brier 1950; hiclass, hiclass.metrics.multiclass_brier_score
    Range: [0, ∞); Label: Brier score by level; Function: brier_score_loss

    - A mistake between siblings costs what any mistake of its level costs.
    """
    return calibration.brier_cells(level)


@level_measure(cautions=(EVERY_LEVEL,))
def level_log_loss(level: LevelPairs, *, clip: float = 0) -> BinCells:
    """Log loss, level by level, in nats: a proper score.

    Formula: mean over levels of −(1/n) Σ_i log p_i(true class)
    Source: scikit-learn, sklearn.metrics.log_loss; hiclass, hiclass.metrics.log_loss
    Range: [0, ∞]; Label: log loss by level; Function: level_log_loss

    - One probability of 0 for a true class makes it infinite; tools clip silently, hiclass by
      1.2e-7 (clip).
    """
    return calibration.loss_cells(level, clip)


@level_measure(cautions=(NOT_PROPER, BINNED))
def ece(level: LevelPairs, *, bins: int = 10) -> BinCells:
    """Expected calibration error, level by level.

    Formula: mean over levels of Σ_b (n_b / n) |share of right top classes − mean top p|
    Source: Guo et al. 2017, eq. 3; hiclass, hiclass.metrics.expected_calibration_error
    Range: [0, 1]; Traits: perfect, bounded; Label: ECE; Function: expected_calibration_error

    - Only the largest probability of every instance is looked at.
    """
    return calibration.top_cells(level, bins)


@level_measure(cautions=(NOT_PROPER, BINNED))
def sce(level: LevelPairs, *, bins: int = 10) -> BinCells:
    """Static calibration error, level by level: the calibration of every class.

    Formula: mean over levels, classes k of Σ_b (n_bk / n) |share of instances of k − mean p(k)|
    Source: Nixon et al. 2019, “Measuring Calibration in Deep Learning”; hiclass,
      hiclass.metrics.static_calibration_error
    Range: [0, 1]; Traits: perfect, bounded; Label: SCE; Function: static_calibration_error

    - With many classes nearly all probabilities are near 0 and right to be so: values fall with the
      number of classes.
    - Where classes of an instance do not count, the others of the level weigh the more there.
    """
    return calibration.class_cells(level, bins)


@calibration_measure(cautions=(NOT_PROPER, BINNED))
def ace(
    scored: Scored, *, bins: int = 10, over_levels: str = "mean", root: Any = "exclude"
) -> float:
    """Adaptive calibration error, level by level: ranges of equally many instances.

    Formula: mean over levels, classes k, ranges r of |share of instances of k − mean p(k)|
    Source: Nixon et al. 2019, “Measuring Calibration in Deep Learning”; hiclass,
      hiclass.metrics.adaptive_calibration_error
    Range: [0, 1]; Traits: perfect, bounded; Label: ACE; Function: adaptive_calibration_error

    - Equal probabilities stay in one range, so where most are 0 ranges differ in size.
    """
    values = np.array([calibration.ace(level, bins) for level in pairs_by_level(scored, root)])
    return float(values.mean() if over_levels == "mean" else values.sum())


proper_measure = partial(calibration_measure, value=share)
"""Declares the mean of a proper score of every instance."""


def infinite_or_mean(total: Floats, impossible: Floats, of: Floats) -> Floats:
    """Return a mean, which one impossible instance makes infinite."""
    return np.where(impossible > 0, np.inf, ratio(total, of))


@proper_measure()
def node_brier(
    scored: Scored,
    *,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any = None,
    root: Any = "exclude",
) -> dict[str, Any]:
    """Brier score over all classes: a strictly proper score in which near classes cost less.

    Formula: mean of Σ_v w(v) (p(v) − [v ∈ Y])²
    Source: Brier 1950, over the classes of a hierarchy (ours)
    Range: [0, ∞); Traits: perfect, total; Label: node Brier

    - The probabilities of all classes are asked for, also where they follow from those of the
      leaves.
    - Deep branches have more classes, and so more to lose; weights can even that out.
    - A class of weight 0 is not looked at: the score is proper, but no longer strictly.
    """
    found = scored.class_weights(Weighting(weights, smooth, reference))
    endless = counted_classes(scored.hierarchy, root) & ~np.isfinite(found)
    refuse(endless, lambda k: (
        f"class {shown(scored.hierarchy.names[k])} has no finite weight (it is never seen); "
        "take smooth=1, or other weights"
    ))  # fmt: skip
    values = calibration.node_brier(scored.truth, scored.scores, weights=found, root=root)
    return {"total": values, "of": 1}


@proper_measure(scored_classes="leaves")
def leaf_brier(scored: Scored) -> dict[str, Any]:
    """Brier score over the leaves.

    Formula: mean of Σ_leaves (p(leaf) − [leaf ∈ Y])²
    Source: Brier 1950
    Range: [0, ∞); Traits: perfect, total; Label: leaf Brier

    - The hierarchy is not used: probability on a sibling of the true leaf is as wrong as anywhere
      else.
    - A truth that is no leaf has no true leaf: everything that leaves get is an error.
    """
    leaves = scored.hierarchy.is_leaf.astype(np.float64)
    values = calibration.node_brier(scored.truth, scored.scores, weights=leaves, root="include")
    return {"total": values, "of": 1}


@proper_measure(value=infinite_or_mean)
def log_score(scored: Scored) -> dict[str, Any]:
    """Log score of the true path, in nats: the sum of the log losses on the way down.

    Formula: mean of −log P(the true path)
    Source: Good 1952, “Rational Decisions”
    Range: [0, ∞]; Label: log score; Function: path_log_loss

    - One true path that was held impossible makes it infinite; nothing is clipped.
    - Only the probability of the truth counts: where the rest went, near or far, does not.
    - The scores must be probabilities of single paths.
    """
    values = calibration.log_score(scored)
    impossible = np.isinf(values)
    finite = np.where(impossible, 0.0, values)
    return {"total": finite, "impossible": impossible, "of": 1, INFINITE: impossible}
