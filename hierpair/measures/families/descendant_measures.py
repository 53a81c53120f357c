"""Measures of Ipeirotis et al. (2001): what lies below the classes, instead of above them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.measures.definition import set_measure
from hierpair.measures.pooling import Counts
from hierpair.measures.ratios import fbeta, perfect_if_empty, precision, recall
from hierpair.measures.recipes.set_sizes import SetRecipe

__all__ = ["descendant_f", "descendant_precision", "descendant_recall"]

SOURCE = "Ipeirotis et al. 2001; Costa et al. 2007, eqs 18–19"
CAUTIONS = (
    "In a tree it is 0 unless the predicted class is above or below the true one: a sibling is as "
    "wrong as a class of another branch.",
    "A class near the root stands for many classes, and leads the value of an instance with "
    "several labels.",
)


def _below(options: Mapping[str, Any]) -> SetRecipe:
    return SetRecipe("descendants", options["root"])


@set_measure(
    formula="|D(Ŷ) ∩ D(Y)| / |D(Ŷ)|, D: the classes and all below them",
    source=SOURCE,
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded", "total"),
    recipe=_below,
    by_default=False,
    cautions=("Going too deep is perfect: a class below the true one has it all.", *CAUTIONS),
)
def descendant_precision(
    counts: Counts, root: Any = "include", average: str = "samples", zero_division: float = 0
) -> NDArray[np.float64]:
    """Share of the predicted subtree that belongs to the true one."""
    return perfect_if_empty(counts, precision(counts, zero_division))


@set_measure(
    formula="|D(Ŷ) ∩ D(Y)| / |D(Y)|, D: the classes and all below them",
    source=SOURCE,
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded", "total"),
    recipe=_below,
    by_default=False,
    cautions=("Stopping too high is perfect: the root has every class below it.", *CAUTIONS),
)
def descendant_recall(
    counts: Counts, root: Any = "include", average: str = "samples", zero_division: float = 0
) -> NDArray[np.float64]:
    """Share of the true subtree that was predicted."""
    return perfect_if_empty(counts, recall(counts, zero_division))


@set_measure(
    formula="(1 + β²) |D(Ŷ) ∩ D(Y)| / (β² |D(Y)| + |D(Ŷ)|), D: the classes and all below them",
    source=SOURCE,
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded", "total"),
    recipe=_below,
    by_default=False,
    cautions=CAUTIONS,
    parts=("descendant_precision", "descendant_recall"),
)
def descendant_f(
    counts: Counts,
    beta: float = 1,
    root: Any = "include",
    average: str = "samples",
    zero_division: float = 0,
) -> NDArray[np.float64]:
    """F-beta of descendant precision and recall, instance by instance."""
    return perfect_if_empty(counts, fbeta(counts, beta, zero_division))
