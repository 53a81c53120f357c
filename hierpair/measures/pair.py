"""Pair-based measures: each is a configuration of who may be paired with whom at what price."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.measures.pooling import Counts
from hierpair.measures.ratios import ratio
from hierpair.measures.registry import pair_measure
from hierpair.pairing import (
    AS_MANY_AS_THERE_ARE,
    Default,
    Draft,
    MaxDistance,
    Partners,
    Rule,
    price_named,
)

__all__ = ["all_pairs", "fnerror", "gie", "mgia", "tree_induced_error"]

KOSMOPOULOS = "Kosmopoulos et al. 2014"


@pair_measure(
    formula="Σ d(ŷ, y) over the best one-to-one pairing",
    source=f"Dekel et al. 2004; {KOSMOPOULOS}, §2.3.2, Figure 4, eq. 1",
    traits=("symmetric", "perfect"),
)
def tree_induced_error(price: str = "hops", max_distance: float | None = None) -> Rule:
    """Distance between the predicted and the true class; every class needs exactly one partner."""
    return _rule(price, max_distance, Partners("predicted", 1, 1), Partners("true", 1, 1))


@pair_measure(
    formula="Σ d(ŷ, y) over all pairs",
    source=f"Sun & Lim 2001; {KOSMOPOULOS}, §2.3.2",
    traits=("symmetric",),
)
def all_pairs(price: str = "hops") -> Rule:
    """Sum of the distances of all pairs of a predicted and a true class."""
    everyone = AS_MANY_AS_THERE_ARE
    return _rule(price, None, Partners("predicted", everyone), Partners("true", everyone))


@pair_measure(
    formula="min over one-to-one pairings: Σ d(ŷ, y) + Dmax · (classes without partner)",
    source=f"{KOSMOPOULOS}, §2.3.2, Figure 5 (LSHTC)",
    range="[0, Dmax · (M + N)]",
    traits=("symmetric", "perfect", "total"),
)
def gie(default: float = 5, price: str = "hops", max_distance: float | None = None) -> Rule:
    """Graph-induced error: the best one-to-one pairing; a class left alone costs Dmax."""
    return _rule(price, max_distance, *_both_sides(default, at_most=1))


def _mgia_value(
    counts: Counts, default: float = 5, denominator: str = "union"
) -> NDArray[np.float64]:
    size = counts.n_union if denominator == "union" else counts.n_union - counts.n_both
    worst = size * default
    return ratio(worst - counts.cost, worst, 1)


@pair_measure(
    formula="1 − fnerror / (|P ∪ T| · Dmax)",
    source=f"{KOSMOPOULOS}, §2.3.3, Figure 6",
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded", "total"),
    averages=("samples", "micro"),
    value=_mgia_value,
)
def mgia(default: float = 5, price: str = "hops", max_distance: float | None = None) -> Rule:
    """Multi-label graph-induced accuracy: 1 less the share of the largest possible error."""
    return _rule(price, max_distance, *_both_sides(default, at_most=None))


@pair_measure(
    formula="min over pairings: Σ d(ŷ, y) + Dmax · (classes without partner)",
    source=f"{KOSMOPOULOS}, §2.3.3, Figure 6",
    range="[0, Dmax · |P Δ T|]",
    traits=("symmetric", "perfect", "total"),
)
def fnerror(default: float = 5, price: str = "hops", max_distance: float | None = None) -> Rule:
    """The error inside MGIA: the best pairing when a class may have any number of partners."""
    return _rule(price, max_distance, *_both_sides(default, at_most=None))


Demand = Callable[[Draft], None]


def _rule(price: Any, max_distance: float | None, *demands: Demand) -> Rule:
    limit = () if max_distance is None else (MaxDistance(max_distance),)
    return Rule(price_named(price), (*demands, *limit))


def _both_sides(default: float, at_most: int | None) -> tuple[Demand, ...]:
    return (
        Partners("predicted", 1, at_most),
        Default("predicted", default),
        Partners("true", 1, at_most),
        Default("true", default),
    )
