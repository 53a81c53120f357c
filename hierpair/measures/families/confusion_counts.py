"""The four counts of the hierarchical confusion matrix, as measures too."""

from __future__ import annotations

from hierpair.measures.definition import set_measure
from hierpair.measures.ratios import Floats
from hierpair.measures.recipes.confusion_fields import ConfusionRecipe

__all__ = ["AVERAGES", "PATHS", "RIEHL", "confusion_counts", "hcm_fn", "hcm_fp", "hcm_tn", "hcm_tp"]

RIEHL = "Riehl et al. 2023, §IV, Table II"
AVERAGES = ("micro", "samples")
PATHS = (
    "A label of a DAG with several root paths has no value; predictions must then be paths.",
    "Predictions are paired with true classes once; an exact pairing has no fewer TP than the "
    "published one.",
)


def confusion_counts(
    *, pairing: str = "exact", empty: str = "root", nested: str = "drop", blank: str = "ignore"
) -> ConfusionRecipe:
    """Return the recipe of all measures of the confusion matrix."""
    return ConfusionRecipe(pairing, empty, nested, blank)


@set_measure(
    formula="TP",
    source=RIEHL,
    direction="higher",
    range="[0, ∞)",
    traits=("symmetric",),
    averages=AVERAGES,
    recipe=confusion_counts,
    cautions=("A count grows with the data.", *PATHS),
)
def hcm_tp(tp: Floats) -> Floats:
    """Shared classes of predicted and true paths (true positives)."""
    return tp


@set_measure(
    formula="TN",
    source=RIEHL,
    direction="higher",
    range="[0, ∞)",
    traits=(),
    averages=AVERAGES,
    recipe=confusion_counts,
    cautions=(
        "TN are counted beside the shared part of a pair only, so they depend on the prediction.",
        *PATHS,
    ),
)
def hcm_tn(tn: Floats) -> Floats:
    """Classes beside the shared part that are on neither path (true negatives)."""
    return tn


@set_measure(
    formula="FP",
    source=RIEHL,
    direction="lower",
    range="[0, ∞)",
    traits=("perfect",),
    averages=AVERAGES,
    recipe=confusion_counts,
    cautions=("A count grows with the data.", *PATHS),
)
def hcm_fp(fp: Floats) -> Floats:
    """Classes of predicted paths that are not true (false positives)."""
    return fp


@set_measure(
    formula="FN",
    source=RIEHL,
    direction="lower",
    range="[0, ∞)",
    traits=("perfect",),
    averages=AVERAGES,
    recipe=confusion_counts,
    cautions=("A count grows with the data.", *PATHS),
)
def hcm_fn(fn: Floats) -> Floats:
    """Classes of true paths that were not predicted (false negatives)."""
    return fn
