"""Measures over all thresholds of scores: Fmax, its coverage, and Smin."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from hierpair.errors import BadInput
from hierpair.measures.class_weights import Weighting
from hierpair.measures.scored.pooled_curve import PooledCurve, Pooling
from hierpair.measures.scored.scored_system import Scored
from hierpair.measures.scored.sweep import multiples, threshold_sweep
from hierpair.measures.scored_definition import scored_measure

FMAX = "Radivojac et al. 2013; weighted: Jiang et al. 2016"

CAUTIONS = (
    "The best threshold is chosen on the very instances that are evaluated, so the number is an "
    "upper bound of what a user of one threshold gets.",
    "In norm='pred' a system that predicts for few easy instances wins; with 'cafa' precision is "
    "over the instances with a prediction: read the coverage beside it.",
    "CAFA-evaluator looks at a grid of 99 rounded thresholds, which can only give less.",
)


SWEEP: dict[str, Any] = {
    "weights": "ones",
    "smooth": 1,
    "reference": None,
    "norm": "cafa",
    "prop": "max",
    "root": "exclude",
    "zero_weight": "skip",
    "thresholds": "distinct",
}
"""Options of the curve, which all measures over thresholds have."""

sweep_measure = partial(scored_measure, family="threshold", options=SWEEP)
"""Declares a measure of the curve; what differs from these is given."""


def _curve(scored: Scored, average: Pooling, how: Mapping[str, Any]) -> PooledCurve:
    """Return the curve of these options, computed once."""
    weighting = Weighting(how["weights"], how["smooth"], how["reference"])
    thresholds = how["thresholds"]

    def computed() -> PooledCurve:
        return threshold_sweep(
            scored.truth,
            scored.scores,
            weights=None if how["weights"] == "ones" else scored.class_weights(weighting),
            thresholds=None if thresholds == "distinct" else multiples(thresholds),
            average=average,
            norm=how["norm"],
            closure=how["prop"],
            root=how["root"],
            zero_weight=how["zero_weight"],
            sample_weight=scored.sample_weight,
        )

    curve = scored.shared(("threshold_sweep", average, *how.values()), computed)
    if not curve.n_instances:
        raise BadInput(
            "no instance has a true class that counts, so there is nothing to find "
            f"(root={how['root']!r})"
        )
    return curve


def _tell_weightless(scored: Scored, value: float, curve: PooledCurve) -> float:
    """Tell why there is no value, if it is because nothing that is true weighs anything."""
    if math.isnan(value) and curve.of_truth == 0:
        scored.remark("true classes that weigh nothing, so there is no recall", curve.n_instances)
    return value


@sweep_measure(
    formula="max over τ of (1 + β²) pr(τ) rc(τ) / (β² pr(τ) + rc(τ)), pr the mean of "
    "w(Ŷ ∩ Y) / w(Ŷ) over instances with a prediction, rc the mean of w(Ŷ ∩ Y) / w(Y)",
    source=FMAX,
    direction="higher",
    range="[0, 1]",
    traits=("bounded", "perfect"),
    averages=("samples", "micro"),
    cautions=CAUTIONS,
    weighted=True,
    label="Fmax",
    function_name="fmax_score",
)
def fmax(
    scored: Scored,
    *,
    average: Pooling = "samples",
    beta: float = 1,
    **how: Any,
) -> float:
    """Best F of all thresholds; with weights='ia' the weighted Fmax of CAFA (wFmax)."""
    curve = _curve(scored, average, how)
    return _tell_weightless(scored, curve.fmax(beta), curve)


@sweep_measure(
    formula="share of the instances with w(Ŷ) > 0 at the threshold of Fmax",
    source="Radivojac et al. 2013",
    direction="higher",
    range="[0, 1]",
    traits=("bounded", "perfect"),
    cautions=("It says for how many instances anything is predicted, not whether it is right.",),
    weighted=False,
    label="Coverage",
    function_name="coverage_score",
)
def coverage(
    scored: Scored,
    **how: Any,
) -> float:
    """Share of the instances that have a prediction where F is best."""
    curve = _curve(scored, "samples", how)
    return float(curve.coverage[curve.best()]) if len(curve) else 0.0


@sweep_measure(
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
    weighted=True,
    label="Smin",
    function_name="smin_loss",
)
def smin(
    scored: Scored,
    **how: Any,
) -> float:
    """Smallest semantic distance of all thresholds; that of CAFA has weights='ia'."""
    curve = _curve(scored, "samples", how)
    return curve.smin()
