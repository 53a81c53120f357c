"""Measures over all thresholds of scores: Fmax, its coverage, and Smin."""

from __future__ import annotations

import math
from typing import Any

from hierpair.errors import BadInput
from hierpair.measures.class_weights import Weighting, counts_of_truth
from hierpair.measures.scored.pooled_curve import Norm, PooledCurve, Pooling
from hierpair.measures.scored.scored_system import Scored
from hierpair.measures.scored.sweep import ZeroWeight, multiples, threshold_sweep
from hierpair.measures.scored_definition import scored_measure

FMAX = "Radivojac et al. 2013; weighted: Jiang et al. 2016"

CAUTIONS = (
    "The best threshold is chosen on the very instances that are evaluated, so the number is an "
    "upper bound of what a user of one threshold gets.",
    "In norm='pred' a system that predicts for few easy instances wins; with 'cafa' precision is "
    "over the instances with a prediction: read the coverage beside it.",
    "CAFA-evaluator looks at a grid of 99 rounded thresholds, which can only give less.",
)


def _curve(
    scored: Scored,
    average: Pooling,
    weights: Any,
    smooth: int,
    reference: Any,
    norm: Norm,
    prop: Any,
    root: Any,
    zero_weight: ZeroWeight,
    thresholds: Any,
) -> PooledCurve:
    """Return the curve of these options, computed once."""
    weighting = Weighting(weights, smooth, reference)
    key = (average, weighting, norm, prop, root, zero_weight, thresholds)

    def computed() -> PooledCurve:
        counts = None
        if weighting.counts_truth:
            counts = counts_of_truth(scored.hierarchy, scored.truth)
        return threshold_sweep(
            scored.truth,
            scored.scores,
            weights=None if weights == "ones" else weighting.array(scored.hierarchy, counts),
            thresholds=None if thresholds == "distinct" else multiples(thresholds),
            average=average,
            norm=norm,
            closure=prop,
            root=root,
            zero_weight=zero_weight,
            sample_weight=scored.sample_weight,
        )

    curve = scored.shared(("threshold_sweep", *key), computed)
    if not curve.n_instances:
        raise BadInput(
            f"no instance has a true class that counts, so there is nothing to find (root={root!r})"
        )
    return curve


def _tell_weightless(scored: Scored, value: float, curve: PooledCurve) -> float:
    """Tell why there is no value, if it is because nothing that is true weighs anything."""
    if math.isnan(value) and curve.of_truth == 0:
        scored.remark("true classes that weigh nothing, so there is no recall", curve.n_instances)
    return value


@scored_measure(
    formula="max over τ of (1 + β²) pr(τ) rc(τ) / (β² pr(τ) + rc(τ)), pr the mean of "
    "w(Ŷ ∩ Y) / w(Ŷ) over instances with a prediction, rc the mean of w(Ŷ ∩ Y) / w(Y)",
    source=FMAX,
    direction="higher",
    range="[0, 1]",
    traits=("bounded", "perfect"),
    averages=("samples", "micro"),
    cautions=CAUTIONS,
    family="threshold",
    weighted=True,
    label="Fmax",
    function_name="fmax_score",
)
def fmax(
    scored: Scored,
    *,
    average: Pooling = "samples",
    beta: float = 1,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any = None,
    norm: Norm = "cafa",
    prop: str = "max",
    root: Any = "exclude",
    zero_weight: ZeroWeight = "skip",
    thresholds: Any = "distinct",
) -> float:
    """Best F of all thresholds; with weights='ia' the weighted Fmax of CAFA (wFmax)."""
    curve = _curve(
        scored, average, weights, smooth, reference, norm, prop, root, zero_weight, thresholds
    )
    return _tell_weightless(scored, curve.fmax(beta), curve)


@scored_measure(
    formula="share of the instances with w(Ŷ) > 0 at the threshold of Fmax",
    source="Radivojac et al. 2013",
    direction="higher",
    range="[0, 1]",
    traits=("bounded", "perfect"),
    cautions=("It says for how many instances anything is predicted, not whether it is right.",),
    family="threshold",
    weighted=False,
    label="Coverage",
    function_name="coverage_score",
)
def coverage(
    scored: Scored,
    *,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any = None,
    norm: Norm = "cafa",
    prop: str = "max",
    root: Any = "exclude",
    zero_weight: ZeroWeight = "skip",
    thresholds: Any = "distinct",
) -> float:
    """Share of the instances that have a prediction where F is best."""
    curve = _curve(
        scored, "samples", weights, smooth, reference, norm, prop, root, zero_weight, thresholds
    )
    return float(curve.coverage[curve.best()]) if len(curve) else 0.0


@scored_measure(
    formula="min over τ of √(ru(τ)² + mi(τ)²), ru the mean of w(Y ∖ Ŷ), mi that of w(Ŷ ∖ Y)",
    source="Clark & Radivojac 2013; Jiang et al. 2016",
    direction="lower",
    range="[0, ∞)",
    traits=("perfect",),
    cautions=(
        "To predict nothing is a candidate, so it is at most the mean weight of the truth; "
        "CAFA-evaluator leaves thresholds without predictions out.",
        "Its unit is that of the weights: systems can be compared under one file of weights alone.",
        *CAUTIONS[:1],
    ),
    family="threshold",
    weighted=True,
    label="Smin",
    function_name="smin_loss",
)
def smin(
    scored: Scored,
    *,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any = None,
    norm: Norm = "cafa",
    prop: str = "max",
    root: Any = "exclude",
    zero_weight: ZeroWeight = "skip",
    thresholds: Any = "distinct",
) -> float:
    """Smallest semantic distance of all thresholds; that of CAFA has weights='ia'."""
    curve = _curve(
        scored, "samples", weights, smooth, reference, norm, prop, root, zero_weight, thresholds
    )
    return curve.smin()
