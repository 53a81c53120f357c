"""Areas under precision-recall and ROC curves: pooled, and averaged over classes."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

from hierpair.labels.node_scores import Closing
from hierpair.measures.scored.class_areas import ClassAreas, class_areas
from hierpair.measures.scored.curves import Interpolation
from hierpair.measures.scored.scored_system import Scored
from hierpair.measures.scored_definition import scored_measure

__all__ = ["macro_auprc", "macro_auroc", "micro_auprc", "micro_auroc", "weighted_auprc"]

VENS = "Vens et al. 2008, §5.2"

area_measure = partial(
    scored_measure, direction="higher", range="[0, 1]", traits=("perfect", "bounded"), family="area"
)
"""Declares an area; what differs from these is given."""

BASELINE = (
    "What guessing reaches is the prevalence of a class, so values of data sets with another mix "
    "of classes cannot be compared."
)
TIES = "Scores that are all equal are one point: the area is the prevalence."
ALIKE = "A class of three instances counts as much as one of a thousand."


@area_measure(
    formula="area under precision and recall of all pairs of instance and class",
    source=f"{VENS} (AU(PRC)); scikit-learn, average_precision_score(average='micro')",
    cautions=(
        "Frequent classes, which are those near the root, decide it.",
        "Two numbers have this name: Clus leaves out classes that no instance has (least=1), and "
        "with them all that was wrongly predicted there; scikit-learn keeps them.",
        TIES,
    ),
    label="micro AUPRC",
)
def micro_auprc(
    scored: Scored,
    *,
    least: int = 0,
    interpolation: Interpolation = "step",
    closure: str = "none",
    root: Any = "exclude",
) -> float:
    """Area under the pooled precision-recall curve: micro average precision."""
    return _areas(scored, closure, root, interpolation).micro_auprc(least=least)


@area_measure(
    formula="mean over classes of the area under their precision and recall",
    source=f"{VENS} (average AUPRC); scikit-learn, average_precision_score(average='macro')",
    cautions=(
        BASELINE,
        ALIKE,
        "Classes that no instance has are left out; scikit-learn counts them as 0 (least=0, "
        "zero_division=0).",
    ),
    label="macro AUPRC",
)
def macro_auprc(
    scored: Scored,
    *,
    least: int = 1,
    interpolation: Interpolation = "step",
    closure: str = "none",
    root: Any = "exclude",
    zero_division: float = math.nan,
) -> float:
    """Mean over classes of the area under the precision-recall curve."""
    areas = _areas(scored, closure, root, interpolation)
    return areas.macro_auprc(least=least, zero_division=zero_division)


@area_measure(
    formula="Σ_v f(v) AUPRC(v) / Σ_v f(v), f(v) the share of instances that have v",
    source=f"{VENS} (weighted average AUPRC); scikit-learn, average='weighted'",
    cautions=(
        BASELINE,
        "Frequent classes decide it; the frequencies are those of the truth that is evaluated.",
    ),
    label="weighted AUPRC",
)
def weighted_auprc(
    scored: Scored,
    *,
    interpolation: Interpolation = "step",
    closure: str = "none",
    root: Any = "exclude",
) -> float:
    """Mean over classes of the area under precision and recall, weighted by their frequency."""
    return _areas(scored, closure, root, interpolation).weighted_auprc()


@area_measure(
    formula="mean over classes of P(score of a true instance > of a false one), ties one half",
    source="Jiang et al. 2016 (term-centric AUROC of CAFA 2); scikit-learn, roc_auc_score",
    cautions=(
        ALIKE,
        "Of a rare class nearly all instances are false, so many wrong ones at the top hardly "
        "lower the area: precision-recall curves show them.",
        "A class that no or every instance has has no area and is left out; CAFA 2 asks for 10 "
        "true instances (least=10).",
    ),
    label="macro AUROC",
)
def macro_auroc(
    scored: Scored,
    *,
    least: int = 1,
    one_sided: float = math.nan,
    closure: str = "none",
    root: Any = "exclude",
) -> float:
    """Mean over classes of the area under the ROC curve (term-centric AUROC)."""
    areas = _areas(scored, closure, root, "step")
    return areas.macro_auroc(least=least, zero_division=one_sided)


@area_measure(
    formula="P(score of a true pair > of a false pair), pairs of instance and class, ties one half",
    source="scikit-learn, roc_auc_score(average='micro'); Costa et al. 2007 (ROC)",
    cautions=(
        "Nearly all pairs are false in a large hierarchy: knowing which classes are frequent is "
        "enough for a value near 1.",
        "Scores of different classes are compared with each other.",
    ),
    label="micro AUROC",
)
def micro_auroc(
    scored: Scored,
    *,
    least: int = 0,
    one_sided: float = math.nan,
    closure: str = "none",
    root: Any = "exclude",
) -> float:
    """Area under the ROC curve of all pairs of instance and class."""
    found = _areas(scored, closure, root, "step").micro_auroc(least=least)
    return one_sided if math.isnan(found) else found


def _areas(scored: Scored, closure: str, root: Any, interpolation: Interpolation) -> ClassAreas:
    """Return the areas of all classes; they are ranked once for all measures of a system."""
    lifted: Closing = "max" if closure == "max" else None
    key = ("class areas", closure, root)
    ranked = scored.shared(
        key, lambda: class_areas(scored.truth, scored.scores, closure=lifted, root=root)
    )
    return scored.shared(
        (*key, interpolation), lambda: replace(ranked, interpolation=interpolation)
    )
