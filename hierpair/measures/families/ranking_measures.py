"""Ranked predictions: distances and similarities of the first k classes to the true one."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from hierpair.errors import BadInput, Infeasible, shown
from hierpair.hierarchy.arrays import Floats, ratio
from hierpair.measures.registry import scored_measure, set_measure, share
from hierpair.measures.scored.rankings import Ranked, RetrievedRecipe, h_rank_sums, largest_distance
from hierpair.measures.scored.system import Scored
from hierpair.pairing import cost_named

RANKS: dict[str, Any] = {"k": 1, "cost": "height", "ties": "error", "candidates": "leaves"}
"""Options of rankings: how many of the first classes count, how far they are, which are ranked."""

DISTANCES: dict[str, Any] = {**RANKS, "default": None}
"""Options of distances, which may have one for an instance without scores."""

DISTANCE = (
    "d is the height of the lowest common ancestor and no number of edges; in a DAG it is no "
    "ultrametric. Published distances may come from a larger hierarchy (tieredImageNet-H): take "
    "cost=matrix('FILE').",
    "One true class per instance, and scores of leaves are ranked; whatever the system says of "
    "inner classes plays no part (candidates='all' ranks them).",
)

ranking_measure = partial(
    scored_measure,
    family="ranking",
    scored_classes="leaves",
    value=share,
    options=RANKS,
    cautions=DISTANCE,
)
"""Declares a measure of ranked leaves."""


MISTAKE = "a wrong first class; the mean is over these"

NOISE = 1e-12
"""Differences below this share of the largest distance are 0 but for rounding."""


def ratio_of_means(total: Floats, of: Floats, best: Floats, of_best: Floats) -> Floats:
    """Return a mean as a share of the largest mean that is possible."""
    return ratio(ratio(total, of), ratio(best, of_best))


@ranking_measure(options=DISTANCES)
def ahd(scored: Scored, **how: Any) -> dict[str, Any]:
    """Average hierarchical distance of the first k classes of a ranking from the true one.

    Formula: mean over instances of (1/k) Σ d(t, p_j) over the first k
    Source: Bertinetto et al. 2020, CVPR, §4.1; Deng et al. 2010 (height of the lowest common
      ancestor)
    Range: [0, height of the hierarchy]; Direction: lower; Traits: perfect

    - With k above 1 the truth itself must be followed by other classes, so 0 cannot be reached; the
      best ranking depends on how many classes are near.
    - At k = 1 it is the severity of mistakes times the error rate; say both.
    """
    return {"total": Ranked.of(scored, **how).distances.sum(axis=1), "of": how["k"]}


@ranking_measure(options=DISTANCES)
def ahd_mistakes(scored: Scored, **how: Any) -> dict[str, Any]:
    """Average hierarchical distance of the first k classes where the first one is wrong.

    Formula: Σ over mistakes of Σ d(t, p_j) over the first k / (k · number of mistakes)
    Source: Bertinetto et al. 2020, CVPR, §4.1; logged by their code beside the mean over all
      instances
    Range: [0, height of the hierarchy]; Direction: lower

    - Conditional on a wrong first class: a system with fewer but worse mistakes loses. At k = 1 it
      is mistake_severity; the number of mistakes is noted beside it.
    - Without a mistake it has no value: such a system is not the worst but the best.
    """
    ranked = Ranked.of(scored, **how)
    wrong = ranked.wrong
    distance = ranked.distances.sum(axis=1)
    return {"total": np.where(wrong, distance, 0), "of": how["k"] * wrong, MISTAKE: wrong}


@ranking_measure(options=DISTANCES)
def best_of(scored: Scored, **how: Any) -> dict[str, Any]:
    """Hierarchical distance of the nearest of the first k classes from the true one.

    Formula: mean over instances of min d(t, p_j) over the first k
    Source: Bertinetto et al. 2020, CVPR, §4.1, code
    Range: [0, height of the hierarchy]; Direction: lower; Traits: perfect

    - One near class among k is enough: the others may be anywhere, so it can only fall with k.
    """
    return {"total": Ranked.of(scored, **how).distances.min(axis=1), "of": 1}


def _similarities(
    scored: Scored, *, largest: float | None, of_classes: bool = False, **how: Any
) -> tuple[Floats, Floats]:
    """Return D − d of the first k classes, and of the nearest k, by falling similarity."""
    k, ranked = how["k"], Ranked.of(scored, **how)
    found, nearest = ranked.distances, ranked.nearest(of_classes=of_classes)
    top = largest
    if top is None:
        top = largest_distance(scored.hierarchy, cost_named(how["cost"]), how["candidates"])
    names, first = scored.hierarchy.names, ranked.first

    def too_far(i: int) -> str:
        j = int((found[i] > top).argmax())
        return (
            f"the ranked class {shown(names[first[i, j]])} is at the distance {found[i, j]:g} from "
            f"the true class {shown(names[ranked.true[i]])}, and the largest is {top:g}; give a "
            "larger one as largest=…"
        )

    scored.refuse((found > top).any(axis=1), too_far)
    if np.isinf(nearest).any():
        raise Infeasible(
            f"not every class has a common ancestor with {k} that are ranked, so similarities "
            "have no largest sum; put a class above all roots, or take ideal='instances'"
        )
    if nearest.max(initial=0) > top:
        raise BadInput(
            f"the {k} nearest classes are up to {nearest.max():g} away, and the largest distance "
            f"is {top:g}; give a larger one as largest=…"
        )
    similar, best = top - found, top - nearest  # no shares of the top, whose rounding hides a 0
    best[best <= NOISE * top] = 0
    return similar, best


@ranking_measure(value=ratio_of_means, options={**RANKS, "largest": None, "ideal": "instances"})
def similarity_precision(scored: Scored, **how: Any) -> dict[str, Any]:
    """Similarity of the first k classes to the true one, as a share of the best k's.

    Formula: Σ_i Σ_j≤k (1 − d(t, p_j)/D) / Σ_i (largest such sum of k classes)
    Source: Bertinetto et al. 2020, CVPR, §4.1, code (hP@k by similarity); Deng, Berg & Fei-Fei 2011
    Range: [0, 1]; Direction: higher; Traits: perfect, bounded

    - D, the largest distance, is of all classes: adding a far class raises every value (largest=…
      pins it).
    - The authors' code divides the sums of a batch by those of the best rankings of all classes,
      whatever the batch holds: its number is this one with ideal='classes', times batch size over
      number of classes.
    """
    ideal, k = how.pop("ideal"), how["k"]
    similar, best = _similarities(scored, of_classes=ideal == "classes", **how)
    sums, of = best.sum(axis=1), k
    if ideal == "classes":
        sums, of = best.sum(), best.size
    return {"total": similar.sum(axis=1), "of": k, "best": sums, "of_best": of}


@ranking_measure()
def hprecision(scored: Scored, **how: Any) -> dict[str, Any]:
    """Hierarchical precision at k: the share of the first k that are among the nearest k.

    Formula: |C_k(t) ∩ first k| / k, C_k(t) = {x : d(t, x) ≤ r}, r least with |C_k(t)| ≥ k
    Source: Frome et al. 2013 (DeViSE), appendix; Deng, Berg & Fei-Fei 2011
    Range: [0, 1]; Direction: higher; Traits: perfect, bounded

    - There may be far more than k classes in C_k(t) where many are equally near: several rankings
      then get 1, and a tree with large families forgives more.
    - Order within the first k, and how far the others are, plays no part; similarity_precision
      looks at that.
    """
    ranked = Ranked.of(scored, **how)
    distances = ranked.distances  # as many are ranked, or it is refused
    return {"total": (distances <= ranked.nearest()[:, -1:]).sum(axis=1), "of": how["k"]}


@ranking_measure(options={**RANKS, "largest": None})
def h_average_precision(scored: Scored, **how: Any) -> dict[str, Any]:
    """Hierarchical average precision (H-AP) of the first k: classes nearby are relevant in part.

    Formula: mean of Σ_j≤k H-rank(j)/j / Σ rel of the nearest k, H-rank(j) = rel(j) +
      Σ_i<j min(rel(j), rel(i)), rel(j) = 1 − d(t, p_j)/D
    Source: Ramzi et al. 2022 (HAPPIER), ECCV, §3.1
    Range: [0, 1]; Direction: higher; Traits: perfect, bounded; Label: H-AP; Also: happier
    Function: hierarchical_average_precision_score

    - With k = 1 it is the similarity of the first class; take all classes for a whole ranking.
    - Classes are ranked once each; retrieved_average_precision takes lists in which they repeat.
    - D, the largest distance, is of all classes: adding a far class raises every value (largest=…
      pins it).
    """
    similar, best = _similarities(scored, **how)
    return {"total": ratio(h_rank_sums(similar), best.sum(axis=1), 0), "of": 1}


@set_measure(
    averages=("samples",),
    recipe=lambda *, cost="height", largest=None: RetrievedRecipe(cost_named(cost), largest),
    by_default=False,
)
def retrieved_average_precision(gained: Floats, relevant: Floats) -> Floats:
    """H-AP of lists of retrieved items, told by their classes, which may come again.

    Formula: mean of Σ_j H-rank(j)/j / Σ_j rel(j) over the list, H-rank(j) = rel(j) +
      Σ_i<j min(rel(j), rel(i)), rel(j) = max(0, 1 − d(t, p_j)/D)
    Source: Ramzi et al. 2022 (HAPPIER), ECCV, §3.1
    Range: [0, 1]; Direction: higher; Traits: perfect; Label: H-AP of lists
    Function: retrieved_average_precision_score

    - The labels of an instance are the classes of the items, best first, as a list or a|b|a, with
      repetition; the truth is the class of the query.
    - Only what is in the list counts: give the whole ranking of the gallery for the number of
      papers. A list without any relevant item has 0.
    - D, the largest distance, is of all leaves: adding a far class raises every value (largest=…
      pins it). What is farther, or has no common ancestor, is not relevant.
    """
    return ratio(gained, relevant, 0)


@ranking_measure(cautions=(), options={name: RANKS[name] for name in ("k", "ties", "candidates")})
def top_accuracy(scored: Scored, **how: Any) -> dict[str, Any]:
    """Top-k accuracy: whether the true class is among the first k of a ranking.

    Formula: share of instances whose true class is among the first k
    Source: flat top-k accuracy
    Range: [0, 1]; Direction: higher; Traits: perfect, bounded

    - All wrong classes are equally wrong; best_of says how far the nearest is.
    """
    ranked = Ranked.of(scored, **how)
    return {"total": (ranked.first == ranked.true[:, None]).any(axis=1), "of": 1}
