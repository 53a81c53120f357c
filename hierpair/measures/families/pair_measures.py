"""Pair-based measures: each is a configuration of who may be paired with whom at what cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hierpair.measures.definition import pair_measure
from hierpair.measures.ratios import Floats, ratio
from hierpair.pairing import (
    AS_MANY_AS_THERE_ARE,
    Builder,
    Degree,
    MaxDistance,
    Rule,
    Unmatched,
    cost_named,
)

__all__ = ["all_pairs", "fnerror", "gie", "mgia", "tree_induced_error"]

KOSMOPOULOS = "Kosmopoulos et al. 2014"


@pair_measure(
    formula="Σ d(ŷ, y) over the best one-to-one pairing",
    source=f"Dekel et al. 2004; {KOSMOPOULOS}, §2.3.2, Figure 4, eq. 1",
    traits=("symmetric", "perfect"),
    cautions=(
        "Every class needs a partner of its own, so an instance with other numbers of predicted "
        "and true labels has no value at all.",
        "All edges cost the same: a mistake right below the root costs as much as one among the "
        "leaves (cost='decayed' changes that).",
        "A pair without common ancestor cannot be chosen; in a forest such an instance has no "
        "value.",
    ),
)
def tree_induced_error(cost: str = "hops", max_distance: float | None = None) -> Rule:
    """Distance between the predicted and the true class; every class needs exactly one partner."""
    return _rule(cost, max_distance, Degree("predicted", 1, 1), Degree("true", 1, 1))


@pair_measure(
    formula="Σ d(ŷ, y) over all pairs",
    source=f"Sun & Lim 2001; {KOSMOPOULOS}, §2.3.2",
    traits=("symmetric",),
    cautions=(
        "Sums over all pairs: an empty prediction costs 0, the best value, and with several "
        "true labels every further label adds to the cost, right or wrong.",
        "A perfect prediction of several labels does not cost 0, because each label is also "
        "compared with the others.",
        "Compare it only between systems that predict equally many labels.",
    ),
    function_name="all_pairs_cost",
)
def all_pairs(cost: str = "hops") -> Rule:
    """Sum of the distances of all pairs of a predicted and a true class."""
    everyone = AS_MANY_AS_THERE_ARE
    return _rule(cost, None, Degree("predicted", everyone), Degree("true", everyone))


@pair_measure(
    formula="min over one-to-one pairings: Σ d(ŷ, y) + Dmax · (classes without partner)",
    source=f"{KOSMOPOULOS}, §2.3.2, Figure 5 (LSHTC)",
    range="[0, Dmax · (M + N)]",
    traits=("symmetric", "perfect", "total"),
    cautions=(
        "Dmax decides between over- and under-prediction: a guess lowers the error only if it "
        "is nearer than Dmax to a true class that has no partner yet; any other label costs "
        "Dmax, however near it is.",
        "One-to-one: of two true children whose parent was predicted only one gets it as "
        "partner; the other pays Dmax (Kosmopoulos et al. 2014, §2.3.2).",
        "Counts only errors: systems that predict more labels per instance tend to look worse, "
        "however many of them are right (Kosmopoulos et al. 2014, §4).",
    ),
    function_name="graph_induced_error",
)
def gie(default: float = 5, cost: str = "hops", max_distance: float | None = None) -> Rule:
    """Graph-induced error: the best one-to-one pairing; an unmatched class costs Dmax."""
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


@pair_measure(
    formula="1 − fnerror / (|P ∪ T| · Dmax)",
    source=f"{KOSMOPOULOS}, §2.3.3, Figure 6",
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded", "total"),
    averages=("samples", "micro"),
    value=_mgia_value,
    cautions=(
        "The denominator counts the classes of both sets, so the value is 1 minus a mean cost per "
        "class: a further wrong label raises it if that label costs less than the mean so "
        "far.",
        "Dmax is part of the cost and of the denominator: values with different default cannot "
        "be compared.",
        "A class may serve many partners, so ten guesses around one true class cost only their "
        "distances.",
        "An edge of the hierarchy costs once for every pair whose path contains it (multiple path "
        "counting; Kosmopoulos et al. 2014, §3.4).",
    ),
    function_name="multi_label_graph_induced_accuracy",
)
def mgia(default: float = 5, cost: str = "hops", max_distance: float | None = None) -> Rule:
    """Multi-label graph-induced accuracy: 1 minus the share of the largest possible error."""
    return _rule(cost, max_distance, *_both_sides(default, upper=None))


@pair_measure(
    formula="min over pairings: Σ d(ŷ, y) + Dmax · (classes without partner)",
    source=f"{KOSMOPOULOS}, §2.3.3, Figure 6",
    range="[0, Dmax · |P Δ T|]",
    traits=("symmetric", "perfect", "total"),
    cautions=(
        "Counts only errors, so it grows with the number of labels; mgia relates it to the "
        "sizes of both sets.",
        "A class may serve many partners, so ten guesses around one true class cost only their "
        "distances.",
        "Dmax decides between over- and under-prediction: a label further than Dmax from every "
        "class of the other side costs no more than one at Dmax.",
    ),
)
def fnerror(default: float = 5, cost: str = "hops", max_distance: float | None = None) -> Rule:
    """The error inside MGIA: the best pairing when a class may have any number of partners."""
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
