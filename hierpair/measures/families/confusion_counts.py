"""The four counts of the hierarchical confusion matrix, as measures too."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.measures.definition import set_measure
from hierpair.measures.pooling import Counts

__all__ = ["AVERAGES", "PATHS", "RIEHL", "cells_of", "hcm_fn", "hcm_fp", "hcm_tn", "hcm_tp"]

RIEHL = "Riehl et al. 2023, §IV, Table II"
AVERAGES = ("micro", "samples")
PATHS = (
    "A label of a DAG with several root paths has no value; predictions must then be paths.",
    "Predictions are paired with true classes once; an exact pairing has no fewer TP than the "
    "published one.",
)


class Cells(NamedTuple):
    """The four counts as floats."""

    tp: NDArray[np.float64]
    tn: NDArray[np.float64]
    fp: NDArray[np.float64]
    fn: NDArray[np.float64]


def cells_of(counts: Counts) -> Cells:
    """Return the four counts."""
    tp, pred, true = (np.asarray(x, float) for x in (counts.n_both, counts.n_pred, counts.n_true))
    return Cells(tp, np.asarray(counts.n_neither, float), pred - tp, true - tp)


@set_measure(
    formula="TP",
    source=RIEHL,
    direction="higher",
    range="[0, ∞)",
    traits=("symmetric",),
    averages=AVERAGES,
    family="confusion",
    cautions=("A count grows with the data.", *PATHS),
)
def hcm_tp(counts: Counts) -> NDArray[np.float64]:
    """Shared classes of predicted and true paths (true positives)."""
    return np.asarray(counts.n_both, float)


@set_measure(
    formula="TN",
    source=RIEHL,
    direction="higher",
    range="[0, ∞)",
    traits=(),
    averages=AVERAGES,
    family="confusion",
    cautions=(
        "TN are counted beside the shared part of a pair only, so they depend on the prediction.",
        *PATHS,
    ),
)
def hcm_tn(counts: Counts) -> NDArray[np.float64]:
    """Classes beside what is shared that neither path takes (true negatives)."""
    return np.asarray(counts.n_neither, float)


@set_measure(
    formula="FP",
    source=RIEHL,
    direction="lower",
    range="[0, ∞)",
    traits=("perfect",),
    averages=AVERAGES,
    family="confusion",
    cautions=("A count grows with the data.", *PATHS),
)
def hcm_fp(counts: Counts) -> NDArray[np.float64]:
    """Classes of predicted paths that are not true (false positives)."""
    return np.asarray(counts.n_pred - counts.n_both, float)


@set_measure(
    formula="FN",
    source=RIEHL,
    direction="lower",
    range="[0, ∞)",
    traits=("perfect",),
    averages=AVERAGES,
    family="confusion",
    cautions=("A count grows with the data.", *PATHS),
)
def hcm_fn(counts: Counts) -> NDArray[np.float64]:
    """Classes of true paths that were not predicted (false negatives)."""
    return np.asarray(counts.n_true - counts.n_both, float)
