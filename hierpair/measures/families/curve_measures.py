"""Scores at all thresholds: Fmax and Smin of CAFA, and areas under curves."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

from hierpair.errors import BadInput
from hierpair.hierarchy import counted_classes
from hierpair.labels.node_scores import Closing
from hierpair.measures.class_weights import Weighting
from hierpair.measures.registry import scored_measure
from hierpair.measures.scored.curves import ClassAreas, Interpolation, class_areas
from hierpair.measures.scored.pooled_curve import PooledCurve, Pooling, multiples, threshold_sweep
from hierpair.measures.scored.system import Scored

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


def _curve(scored: Scored, average: Pooling = "samples", **how: Any) -> PooledCurve:
    """Return the curve of these options, computed once."""

    def computed() -> PooledCurve:
        weighting = Weighting(how["weights"], how["smooth"], how["reference"])
        thresholds, ones = how["thresholds"], how["weights"] == "ones"
        return threshold_sweep(
            scored.truth,
            scored.scores,
            counted_classes(scored.hierarchy, how["root"]),
            weights=None if ones else scored.class_weights(weighting),
            thresholds=None if thresholds == "distinct" else multiples(thresholds),
            average=average,
            norm=how["norm"],
            closure=how["prop"],
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


@sweep_measure(averages=("samples", "micro"), cautions=CAUTIONS, weighted=True)
def fmax(scored: Scored, *, average: Pooling = "samples", beta: float = 1, **how: Any) -> float:
    """Best F of all thresholds; with weights='ia' the weighted Fmax of CAFA (wFmax).

    Formula: max over τ of (1 + β²) pr(τ) rc(τ) / (β² pr(τ) + rc(τ)), pr the mean of w(Ŷ ∩ Y) / w(Ŷ)
      over instances with a prediction, rc the mean of w(Ŷ ∩ Y) / w(Y)
    Source: Radivojac et al. 2013; weighted: Jiang et al. 2016
    Range: [0, 1]; Direction: higher; Traits: bounded, perfect; Label: Fmax; Function: fmax_score
    """
    curve = _curve(scored, average, **how)
    value = curve.fmax(beta)
    if math.isnan(value) and curve.of_truth == 0:
        scored.remark("true classes that weigh nothing, so there is no recall", curve.n_instances)
    return value


@sweep_measure(weighted=False)
def coverage(scored: Scored, **how: Any) -> float:
    """Share of the instances that have a prediction where F is best.

    Formula: share of the instances with w(Ŷ) > 0 at the threshold of Fmax
    Source: Radivojac et al. 2013
    Range: [0, 1]; Direction: higher; Traits: bounded, perfect; Label: Coverage
    Function: coverage_score

    - It says for how many instances anything is predicted, not whether it is right.
    """
    curve = _curve(scored, **how)
    return float(curve.coverage[curve.best()]) if len(curve) else 0.0


@sweep_measure(cautions=CAUTIONS[:1], weighted=True)
def smin(scored: Scored, **how: Any) -> float:
    """Smallest semantic distance of all thresholds; that of CAFA has weights='ia'.

    Formula: min over τ of √(ru(τ)² + mi(τ)²), ru the mean of w(Y ∖ Ŷ), mi that of w(Ŷ ∖ Y)
    Source: Clark & Radivojac 2013; Jiang et al. 2016
    Range: [0, ∞); Direction: lower; Traits: perfect; Label: Smin; Function: smin_loss

    - To predict nothing is a candidate, so it is at most the mean weight of the truth;
      CAFA-evaluator leaves thresholds without predictions out.
    - Its unit is that of the weights: systems can be compared under one file of weights alone.
    """
    return _curve(scored, **how).smin()


RANKED: dict[str, Any] = {"closure": "none", "root": "exclude"}
"""Options of all areas; those under precision and recall join points, too."""

JOINED: dict[str, Any] = {"interpolation": "step", **RANKED}

area_measure = partial(
    scored_measure, direction="higher", range="[0, 1]", traits=("perfect", "bounded"), family="area"
)
"""Declares an area; what differs from these is given."""

BASELINE = (
    "What guessing reaches is the prevalence of a class, so values of data sets with another mix "
    "of classes cannot be compared."
)
ALL_EQUAL = "Scores that are all equal are one point: the area is the prevalence."
ALIKE = "A class of three instances counts as much as one of a thousand."


@area_measure(cautions=(ALL_EQUAL,), options={"least": 0, **JOINED})
def micro_auprc(scored: Scored, **how: Any) -> float:
    """Area under the pooled precision-recall curve: micro average precision.

    Formula: area under precision and recall of all pairs of instance and class
    Source: Vens et al. 2008, §5.2 (AU(PRC)); scikit-learn, average_precision_score(average='micro')
    Label: micro AUPRC

    - Frequent classes, which are those near the root, decide it.
    - Two numbers have this name: Clus leaves out classes that no instance has (least=1), and with
      them all that was wrongly predicted there; scikit-learn keeps them.
    """
    return _areas(scored, **how).micro_auprc(least=how["least"])


@area_measure(cautions=(BASELINE, ALIKE), options={"least": 1, **JOINED, "zero_division": math.nan})
def macro_auprc(scored: Scored, **how: Any) -> float:
    """Mean over classes of the area under the precision-recall curve.

    Formula: mean over classes of the area under their precision and recall
    Source: Vens et al. 2008, §5.2 (average AUPRC); scikit-learn,
      average_precision_score(average='macro')
    Label: macro AUPRC

    - Classes that no instance has are left out; scikit-learn counts them as 0 (least=0,
      zero_division=0).
    """
    least, otherwise = how["least"], how["zero_division"]
    return _areas(scored, **how).macro_auprc(least=least, zero_division=otherwise)


@area_measure(cautions=(BASELINE,), options=JOINED)
def weighted_auprc(scored: Scored, **how: Any) -> float:
    """Mean over classes of the area under precision and recall, weighted by their frequency.

    Formula: Σ_v f(v) AUPRC(v) / Σ_v f(v), f(v) the share of instances that have v
    Source: Vens et al. 2008, §5.2 (weighted average AUPRC); scikit-learn, average='weighted'
    Label: weighted AUPRC

    - Frequent classes decide it; the frequencies are those of the truth that is evaluated.
    """
    return _areas(scored, **how).weighted_auprc()


@area_measure(cautions=(ALIKE,), options={"least": 1, "one_sided": math.nan, **RANKED})
def macro_auroc(scored: Scored, **how: Any) -> float:
    """Mean over classes of the area under the ROC curve (term-centric AUROC).

    Formula: mean over classes of P(score of a true instance > of a false one), ties one half
    Source: Jiang et al. 2016 (term-centric AUROC of CAFA 2); scikit-learn, roc_auc_score
    Label: macro AUROC

    - Of a rare class nearly all instances are false, so many wrong ones at the top hardly lower the
      area: precision-recall curves show them.
    - A class that no instance has, or every one, is left out; CAFA 2 asks for 10 true
      instances (least=10).
    """
    least, otherwise = how["least"], how["one_sided"]
    return _areas(scored, **how).macro_auroc(least=least, zero_division=otherwise)


@area_measure(options={"least": 0, "one_sided": math.nan, **RANKED})
def micro_auroc(scored: Scored, **how: Any) -> float:
    """Area under the ROC curve of all pairs of instance and class.

    Formula: P(score of a true pair > of a false pair), pairs of instance and class, ties one half
    Source: scikit-learn, roc_auc_score(average='micro'); Costa et al. 2007 (ROC)
    Label: micro AUROC

    - Nearly all pairs are false in a large hierarchy: knowing which classes are frequent is enough
      for a value near 1.
    - Scores of different classes are compared with each other.
    """
    found = _areas(scored, **how).micro_auroc(least=how["least"])
    return float(how["one_sided"]) if math.isnan(found) else found


def _areas(
    scored: Scored, *, closure: str, root: Any, interpolation: Interpolation = "step", **_: Any
) -> ClassAreas:
    """Return the areas of all classes; they are ranked once for all measures of a system."""
    key = ("class areas", closure, root)
    lifted: Closing = "max" if closure == "max" else None
    sides = scored.truth, scored.scores, scored.hierarchy
    ranked = scored.shared(key, lambda: class_areas(*sides, closure=lifted, root=root))
    return scored.shared(
        (*key, interpolation), lambda: replace(ranked, interpolation=interpolation)
    )
