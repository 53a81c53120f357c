"""Ranked predictions: distances and similarities of the first k classes to the true one."""

from __future__ import annotations

from functools import partial

from hierpair.measures.scored.ranked import Ranked
from hierpair.measures.scored.rankings import Rankings
from hierpair.measures.scored.scored_system import Scored
from hierpair.measures.scored_definition import scored_measure
from hierpair.pairing import cost_named

__all__ = [
    "ahd",
    "ahd_mistakes",
    "best_of",
    "hprecision",
    "similarity_precision",
    "top_accuracy",
]

BERTINETTO = "Bertinetto et al. 2020, CVPR, §4.1"
DISTANCE = (
    "d is the height of the lowest common ancestor and no number of edges; in a DAG it is no "
    "ultrametric. Published distances may come from a larger hierarchy (tieredImageNet-H): take "
    "cost=matrix('FILE').",
    "One true class per instance, and scores of leaves are ranked; whatever the system says of "
    "inner classes plays no part (candidates='all' ranks them).",
)

ranking_measure = partial(scored_measure, family="ranking", scored_classes="leaves")
"""Declares a measure of ranked leaves."""


def _ranked(scored: Scored, candidates: str, ties: str) -> Ranked:
    """Return the rankings beside the truth, with all that is known of them."""

    def made() -> Ranked:
        rankings = Rankings.of_scores(scored.scores, candidates=candidates, ties=ties)
        return Ranked(scored.truth, rankings)

    return scored.shared(("ranked", candidates, ties), made)


@ranking_measure(
    formula="mean over instances of (1/k) Σ d(t, p_j) over the first k",
    source=f"{BERTINETTO}; Deng et al. 2010 (height of the lowest common ancestor)",
    direction="lower",
    range="[0, height of the hierarchy]",
    traits=("perfect",),
    cautions=(
        "With k above 1 the truth itself must be followed by other classes, so 0 cannot be "
        "reached; the best ranking depends on how many classes are near.",
        "At k = 1 it is the severity of mistakes times the error rate; say both.",
        *DISTANCE,
    ),
)
def ahd(
    scored: Scored,
    *,
    k: int = 1,
    cost: str = "height",
    ties: str = "error",
    candidates: str = "leaves",
) -> float:
    """Average hierarchical distance of the first k classes of a ranking from the true one."""
    return _ranked(scored, candidates, ties).mean_distance(k, cost_named(cost))


@ranking_measure(
    formula="Σ over mistakes of Σ d(t, p_j) over the first k / (k · number of mistakes)",
    source=f"{BERTINETTO}; logged by their code beside the mean over all instances",
    direction="lower",
    range="[0, height of the hierarchy]",
    cautions=(
        "Conditional on a wrong first class: a system with fewer but worse mistakes loses. At "
        "k = 1 it is mistake_severity; the number of mistakes is noted beside it.",
        "Without a mistake it has no value: such a system is not the worst but the best.",
        *DISTANCE,
    ),
)
def ahd_mistakes(
    scored: Scored,
    *,
    k: int = 1,
    cost: str = "height",
    ties: str = "error",
    candidates: str = "leaves",
) -> float:
    """Average hierarchical distance of the first k classes where the first one is wrong."""
    ranked = _ranked(scored, candidates, ties)
    found = ranked.mean_distance_of_mistakes(k, cost_named(cost))
    scored.remark("a wrong first class; the mean is over these", int(ranked.top_is_wrong().sum()))
    return found


@ranking_measure(
    formula="mean over instances of min d(t, p_j) over the first k",
    source=f"{BERTINETTO}, code",
    direction="lower",
    range="[0, height of the hierarchy]",
    traits=("perfect",),
    cautions=(
        "One near class among k is enough: the others may be anywhere, so it can only fall with k.",
        *DISTANCE,
    ),
)
def best_of(
    scored: Scored,
    *,
    k: int = 1,
    cost: str = "height",
    ties: str = "error",
    candidates: str = "leaves",
) -> float:
    """Hierarchical distance of the nearest of the first k classes from the true one."""
    return _ranked(scored, candidates, ties).mean_of_nearest(k, cost_named(cost))


@ranking_measure(
    formula="Σ_i Σ_j≤k (1 − d(t, p_j)/D) / Σ_i (largest such sum of k classes)",
    source=f"{BERTINETTO}, code (hP@k by similarity); Deng, Berg & Fei-Fei 2011",
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded"),
    cautions=(
        "D, the largest distance, is of all classes: adding a far class raises every value "
        "(largest=… pins it).",
        "The authors' code divides the sums of a batch by those of the best rankings of all "
        "classes, whatever the batch holds: its number is this one with ideal='classes', times "
        "batch size over number of classes.",
        *DISTANCE,
    ),
)
def similarity_precision(
    scored: Scored,
    *,
    k: int = 1,
    cost: str = "height",
    ties: str = "error",
    candidates: str = "leaves",
    largest: float | None = None,
    ideal: str = "instances",
) -> float:
    """Similarity of the first k classes to the true one, as a share of the best k's."""
    ranked = _ranked(scored, candidates, ties)
    return ranked.similarity_share(k, cost_named(cost), largest, ideal)


@ranking_measure(
    formula="|C_k(t) ∩ first k| / k, C_k(t) = {x : d(t, x) ≤ r}, r least with |C_k(t)| ≥ k",
    source="Frome et al. 2013 (DeViSE), appendix; Deng, Berg & Fei-Fei 2011",
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded"),
    cautions=(
        "There may be far more than k classes in C_k(t) where many are equally near: several "
        "rankings then get 1, and a tree with large families forgives more.",
        "Order within the first k, and how far the others are, plays no part; "
        "similarity_precision looks at that.",
        *DISTANCE,
    ),
)
def hprecision(
    scored: Scored,
    *,
    k: int = 1,
    cost: str = "height",
    ties: str = "error",
    candidates: str = "leaves",
) -> float:
    """Hierarchical precision at k: the share of the first k that are among the nearest k."""
    return _ranked(scored, candidates, ties).share_of_ball(k, cost_named(cost))


@ranking_measure(
    formula="share of instances whose true class is among the first k",
    source="flat top-k accuracy",
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded"),
    cautions=("All wrong classes are equally wrong; best_of says how far the nearest is.",),
)
def top_accuracy(
    scored: Scored, *, k: int = 1, ties: str = "error", candidates: str = "leaves"
) -> float:
    """Top-k accuracy: whether the true class is among the first k of a ranking."""
    return _ranked(scored, candidates, ties).accuracy(k)
