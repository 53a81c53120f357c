"""Measures of pairs: who may be paired with whom at what cost; and masses that are moved."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hierpair.measures.ratios import Floats, perfect_if_empty, ratio
from hierpair.measures.recipes.solved import (
    BestMatchRecipe,
    PairRecipe,
    TransportRecipe,
    nearest_rule,
)
from hierpair.measures.registry import pair_measure, set_measure
from hierpair.pairing import (
    AS_MANY_AS_THERE_ARE,
    Builder,
    Degree,
    MaxDistance,
    RightIsFree,
    Rule,
    Unmatched,
    cost_named,
)


@pair_measure()
def tree_induced_error(
    cost: str = "hops", max_distance: float | None = None, default: float | None = None
) -> Rule:
    """Distance between the predicted and the true class; every class needs exactly one partner.

    Formula: Σ d(ŷ, y) over the best one-to-one pairing
    Source: Dekel et al. 2004; Kosmopoulos et al. 2014, §2.3.2, Figure 4, eq. 1
    Traits: symmetric, perfect; Label: Tree-induced error

    - Every class needs a partner of its own, so an instance with other numbers of predicted and
      true labels has no value at all; default is the cost of a true class that is left over, as
      where nothing is predicted.
    - All edges cost the same: a mistake right below the root costs as much as one among the leaves
      (cost='decayed' changes that).
    - A pair without common ancestor cannot be chosen; in a forest such an instance has no value.
    """
    return _rule(cost, max_distance, *_one_to_one(default))


@pair_measure()
def all_pairs(cost: str = "hops") -> Rule:
    """Sum of the distances of all pairs of a predicted and a true class.

    Formula: Σ d(ŷ, y) over all pairs
    Source: Sun & Lim 2001; Kosmopoulos et al. 2014, §2.3.2
    Traits: symmetric; Function: all_pairs_cost

    - Sums over all pairs: an empty prediction costs 0, the best value, and with several true labels
      every further label adds to the cost, right or wrong.
    - A perfect prediction of several labels does not cost 0, because each label is also compared
      with the others.
    - Compare it only between systems that predict equally many labels.
    """
    everyone = AS_MANY_AS_THERE_ARE
    return _rule(cost, None, Degree("predicted", everyone), Degree("true", everyone))


@pair_measure()
def gie(default: float = 5, cost: str = "hops", max_distance: float | None = None) -> Rule:
    """Graph-induced error: the best one-to-one pairing; an unmatched class costs Dmax.

    Formula: min over one-to-one pairings: Σ d(ŷ, y) + Dmax · (classes without partner)
    Source: Kosmopoulos et al. 2014, §2.3.2, Figure 5 (LSHTC)
    Range: [0, Dmax · (M + N)]; Traits: symmetric, perfect, total; Function: graph_induced_error

    - Dmax decides between over- and under-prediction: a guess lowers the error only if it is nearer
      than Dmax to a true class that has no partner yet; any other label costs Dmax, however near it
      is.
    - One-to-one: of two true children whose parent was predicted only one gets it as partner; the
      other pays Dmax (Kosmopoulos et al. 2014, §2.3.2).
    - Counts only errors: systems that predict more labels per instance tend to look worse, however
      many of them are right (Kosmopoulos et al. 2014, §4).
    """
    return _rule(cost, max_distance, *_both_sides(default, upper=1))


def _mgia_value(
    n_true: Floats,
    n_pred: Floats,
    n_both: Floats,
    cost: Floats,
    *,
    default: float = 5,
    denominator: str = "union",
) -> Floats:
    size = n_true + n_pred - n_both
    worst = (size if denominator == "union" else size - n_both) * default
    return ratio(worst - cost, worst, 1)


@pair_measure(averages=("samples", "micro"), value=_mgia_value)
def mgia(default: float = 5, cost: str = "hops", max_distance: float | None = None) -> Rule:
    """Multi-label graph-induced accuracy: 1 minus the share of the largest possible error.

    Formula: 1 − fnerror / (|P ∪ T| · Dmax)
    Source: Kosmopoulos et al. 2014, §2.3.3, Figure 6
    Range: [0, 1]; Direction: higher; Traits: symmetric, perfect, total
    Function: multi_label_graph_induced_accuracy

    - The denominator counts the classes of both sets, so the value is 1 minus a mean cost per
      class: a further wrong label raises it if that label costs less than the mean so far.
    - Dmax is part of the cost and of the denominator: values with different default cannot be
      compared.
    - A class may serve many partners, so ten guesses around one true class cost only their
      distances.
    - An edge of the hierarchy costs once for every pair whose path contains it (multiple path
      counting; Kosmopoulos et al. 2014, §3.4).
    """
    return _rule(cost, max_distance, *_both_sides(default, upper=None))


@pair_measure()
def fnerror(default: float = 5, cost: str = "hops", max_distance: float | None = None) -> Rule:
    """The error inside MGIA: the best pairing when a class may have any number of partners.

    Formula: min over pairings: Σ d(ŷ, y) + Dmax · (classes without partner)
    Source: Kosmopoulos et al. 2014, §2.3.3, Figure 6
    Range: [0, Dmax · |P Δ T|]; Traits: symmetric, perfect, total

    - Counts only errors, so it grows with the number of labels; mgia relates it to the sizes of
      both sets.
    - A class may serve many partners, so ten guesses around one true class cost only their
      distances.
    - Dmax decides between over- and under-prediction: a label further than Dmax from every class of
      the other side costs no more than one at Dmax.
    """
    return _rule(cost, max_distance, *_both_sides(default, upper=None))


Constraint = Callable[[Builder], None]


def _rule(cost: Any, max_distance: float | None, *constraints: Constraint) -> Rule:
    limit = () if max_distance is None else (MaxDistance(max_distance),)
    return Rule(cost_named(cost), (*constraints, *limit))


def _both_sides(default: float, upper: int | None) -> tuple[Constraint, ...]:
    return (
        Degree("predicted", 1, upper),
        Unmatched("predicted", default),
        Degree("true", 1, upper),
        Unmatched("true", default),
    )


FREITAS = "Freitas & Carvalho 2007; Costa et al. 2007, “Other evaluation measures”"
COSTS = (
    "A value is as good as its costs, and somebody has to set them: with n classes there are "
    "n (n − 1). Where they are asymmetric, truth and prediction cannot change places.",
    "Every true class needs a predicted one of its own: an instance with other numbers of "
    "predicted and true labels has no value. With default=… a true class that is left over, as "
    "where nothing is predicted, costs that; gie(cost=…) has a cost for what is left over on both "
    "sides.",
)


def _one_to_one(default: float | None) -> tuple[Constraint, ...]:
    missing = () if default is None else (Unmatched("true", default),)
    return (Degree("predicted", 1, 1), Degree("true", 1, 1), *missing)


def _one_each(cost: Any, default: float | None = None) -> Rule:
    return Rule(RightIsFree(cost_named(cost)), _one_to_one(default))


cost_measure = partial(pair_measure, source=FREITAS, by_default=False, cautions=COSTS)
"""Declares a measure of costs of single classes; what differs from these is given."""


@cost_measure()
def mean_cost(cost: str = "hops", default: float | None = None) -> Rule:
    """Mean cost of what was predicted, by a matrix of costs or any other cost.

    Formula: mean over instances of C(y, ŷ)
    Traits: symmetric, perfect; Function: misclassification_cost
    """
    return _one_each(cost, default)


@cost_measure(averages=("micro",))
def total_cost(cost: str = "hops", default: float | None = None) -> Rule:
    """Sum of the costs of what was predicted, over all instances.

    Formula: Σ C(y, ŷ) over all instances
    Traits: symmetric, perfect; Function: total_misclassification_cost

    - Grows with the number of instances.
    """
    return _one_each(cost, default)


def _of_max_cost(cost: Floats, max_cost: Floats) -> Floats:
    return ratio(cost, max_cost, 0)


@cost_measure(
    averages=("micro", "samples"),
    value=_of_max_cost,
    recipe=lambda *, cost="hops": PairRecipe(_one_each(cost), with_max_cost=True),
)
def normalised_cost(cost: str = "hops") -> Rule:
    """Costs of what was predicted, as a share of the worst that could have been predicted.

    Formula: Σ C(y, ŷ) / Σ max over classes c of C(y, c)
    Range: [0, 1]; Traits: perfect; Function: normalised_misclassification_cost

    - One pair of classes with a very large cost makes all other errors of that true class look
      small.
    - The largest costs are taken from the matrix, or computed over all classes; with many classes,
      give a matrix.
    """
    return _one_each(cost)


def _by_mistake(
    n_true: Floats, n_both: Floats, cost: Floats, *, zero_division: float = math.nan
) -> Floats:
    return ratio(cost, n_true - n_both, zero_division)


@cost_measure(
    averages=("micro", "samples"),
    value=_by_mistake,
    recipe=lambda *, cost="height", default=None: PairRecipe(
        _one_each(cost, default), note_mistakes=True
    ),
    cautions=COSTS[1:],
)
def mistake_severity(cost: str = "height", default: float | None = None) -> Rule:
    """Mistake severity: how bad mistakes are on average, however many there are.

    Formula: Σ C(y, ŷ) / (number of true labels that were not predicted)
    Source: Bertinetto et al. 2020, §4.1 (height of the lowest common ancestor)
    Traits: symmetric; Function: mistake_severity_cost

    - Conditional on being wrong: a system that makes fewer but worse mistakes loses to one that
      adds many mild ones. The number of mistakes is noted beside it; severity times error rate is
      mean_cost(cost=height).
    - Without a mistake it has no value (zero_division); such a system is not the worst but the
      best.
    - The height of the lowest common ancestor is not a number of edges; cost='hops' gives the
      measure that other authors publish under the same name, some over all instances.
    - Published distances of tieredImageNet-H are not the heights of its published tree: take
      cost=matrix('FILE').
    """
    return _one_each(cost, default)


MONARCH = "Pesquita et al. 2008 (best-match average); Köhler et al. 2009; as pyhpo 4 computes it"
BEST = (
    "Similarity is 1 − d/default, 0 at the default and beyond: with a cost of similarity, such as "
    "lin, and default=1 it is that similarity.",
    "A label serves any number of others, so ten guesses around one true class are all matched.",
)


def _precise(
    n_pred: Floats, cost: Floats, *, default: float = 1, zero_division: float = 0
) -> Floats:
    return ratio(default * n_pred - cost, default * n_pred, zero_division)


def _complete(
    n_true: Floats, cost: Floats, *, default: float = 1, zero_division: float = 0
) -> Floats:
    return _precise(n_true, cost, default=default, zero_division=zero_division)


best_match = partial(
    pair_measure, source=MONARCH, direction="higher", range="[0, 1]", averages=("samples", "micro"),
    by_default=False, cautions=BEST,
)  # fmt: skip
"""Declares a half of the best-match average."""


@best_match(value=_precise)
def best_match_precision(default: float = 1, cost: str = "lin") -> Rule:
    """Best matches of predicted labels: how similar the nearest true label is, on average.

    Formula: mean over ŷ of max over y of s(ŷ, y), s = max(0, 1 − d/default)
    Traits: total

    - Says nothing of true labels that are missing: one safe label is perfect.
    """
    return nearest_rule("predicted", cost, default)


@best_match(value=_complete)
def best_match_recall(default: float = 1, cost: str = "lin") -> Rule:
    """Best matches of true labels: how similar the nearest predicted label is, on average.

    Formula: mean over y of max over ŷ of s(ŷ, y), s = max(0, 1 − d/default)
    Traits: total

    - Says nothing of wrong labels: predicting every class is perfect.
    """
    return nearest_rule("true", cost, default)


@set_measure(
    averages=("samples",),
    recipe=BestMatchRecipe,
    source=MONARCH,
    by_default=False,
    cautions=BEST,
)
def best_match_average(
    n_true: Floats, n_pred: Floats, cost_true: Floats, cost_pred: Floats, *, default: float = 1,
    zero_division: float = 0,
) -> Floats:  # fmt: skip
    """Best-match average: the mean of both halves, of predicted and of true labels.

    Formula: (mean over ŷ of max over y of s(ŷ, y) + mean over y of max over ŷ of s(ŷ, y)) / 2
    Range: [0, 1]; Direction: higher; Traits: symmetric, total; Also: bma
    """
    of_true = _complete(n_true, cost_true, default=default)
    value = (_precise(n_pred, cost_pred, default=default) + of_true) / 2
    return perfect_if_empty(n_true, n_pred, value, zero_division)


@set_measure(
    averages=("samples",),
    recipe=TransportRecipe,
    by_default=False,
)
def tree_wasserstein(
    n_true: Floats, n_pred: Floats, cost: Floats, *, default: float | None = None
) -> Floats:
    """Wasserstein distance of both label sets, each with the mass 1 shared evenly by its labels.

    Formula: min over couplings of the masses 1/|Ŷ| and 1/|Y|: Σ mass · d(ŷ, y)
    Source: Kantorovich 1942; on trees Evans & Matsen 2012; Le et al. 2019, NeurIPS
    Range: [0, ∞); Direction: lower; Traits: symmetric, perfect; Function: tree_wasserstein_cost

    - Says nothing of the number of labels: each has an even share of the mass 1, so naming one
      label too many costs only its share.
    - An instance with one empty side has no value and is left out of the mean, so a system that
      predicts nothing where it is unsure looks better; default is then the price of all its mass.
    - Of label sets of equal size it is the best one-to-one pairing divided by their size
      (tree_induced_error); of other sizes a label is split among partners.
    - In a DAG the distances through common ancestors are no metric, and neither is this: the way
      over a third label set may be cheaper.
    - In a forest, masses of different trees have no way unless default is given: the length of an
      edge from each root to a virtual class above them all.
    """
    one_is_empty = (n_true == 0) != (n_pred == 0)
    return np.where(one_is_empty, math.nan if default is None else default, cost)
