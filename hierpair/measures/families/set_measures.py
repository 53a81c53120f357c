"""Hierarchical set-based measures: augment both label sets, then compare the sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.measures.definition import set_measure
from hierpair.measures.pooling import Counts
from hierpair.measures.ratios import fbeta, perfect_if_empty, precision, recall

__all__ = ["hf", "hp", "hr", "sdl"]

SOURCE = "Kiritchenko et al. 2005; Kosmopoulos et al. 2014, §2.4, eqs 2–3"


@set_measure(
    formula="|Ŷ_aug ∩ Y_aug| / |Ŷ_aug|",
    source=SOURCE,
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded", "total"),
    cautions=(
        "Rewards few and high classes: an ancestor of the truth is perfect, however little it "
        "says.",
        "A class with many ancestors weighs more than one with few; in a DAG one wrong class "
        "can bring many (Kosmopoulos et al. 2014, §2.4.2).",
        "Counting the root lifts every value: root='include' gives a share to predictions with "
        "nothing in common but the root.",
    ),
)
def hp(
    counts: Counts,
    augment: str = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    average: str = "samples",
    zero_division: float = 0,
) -> NDArray[np.float64]:
    """Hierarchical precision: the share of the augmented prediction that is true."""
    return perfect_if_empty(counts, precision(counts, zero_division))


@set_measure(
    formula="|Ŷ_aug ∩ Y_aug| / |Y_aug|",
    source=SOURCE,
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded", "total"),
    cautions=(
        "Rewards over-prediction: predicting every class is perfect.",
        "Says nothing about going too deep: a descendant of a true class has the whole "
        "augmented truth.",
        "A class with many ancestors weighs more than one with few (Kosmopoulos et al. 2014, "
        "§2.4.2).",
    ),
)
def hr(
    counts: Counts,
    augment: str = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    average: str = "samples",
    zero_division: float = 0,
) -> NDArray[np.float64]:
    """Hierarchical recall: the share of the augmented truth that is predicted."""
    return perfect_if_empty(counts, recall(counts, zero_division))


@set_measure(
    formula="(1 + β²) |Ŷ_aug ∩ Y_aug| / (β² |Y_aug| + |Ŷ_aug|)",
    source=SOURCE,
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded", "total"),
    cautions=(
        "A label with many ancestors counts more than one with few: deep branches, and in a DAG"
        " classes with many parents, lead the value (Kosmopoulos et al. 2014, §2.4.2).",
        "A wrong label costs little where another label has already brought its ancestors, and "
        "much where it stands alone.",
        "The same predictions get different values by root and average alone; never compare "
        "without the signature.",
    ),
    parts=("hp", "hr"),
)
def hf(
    counts: Counts,
    beta: float = 1,
    augment: str = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    average: str = "samples",
    zero_division: float = 0,
) -> NDArray[np.float64]:
    """Hierarchical F-beta: the weighted harmonic mean of hierarchical precision and recall."""
    return perfect_if_empty(counts, fbeta(counts, beta, zero_division))


@set_measure(
    formula="|Ŷ_aug Δ Y_aug|",
    source="Kosmopoulos et al. 2014, §2.4 (l_Δ)",
    direction="lower",
    range="[0, ∞)",
    traits=("symmetric", "perfect", "total"),
    averages=("samples",),
    cautions=(
        "Grows with depth and with the number of labels: it counts classes and is not divided "
        "by anything, so values of two hierarchies cannot be compared.",
        "Counts only errors: systems that predict more labels per instance tend to look worse, "
        "however many of them are right (Kosmopoulos et al. 2014, §4).",
        "A wrong class costs every ancestor that the truth does not have, and in a DAG these "
        "can be many (Kosmopoulos et al. 2014, §2.4.2).",
    ),
)
def sdl(
    counts: Counts,
    augment: str = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    average: str = "samples",
) -> NDArray[np.float64]:
    """Symmetric difference loss: how many classes only one of the augmented sets has."""
    return np.asarray(counts.n_union - counts.n_both, dtype=np.float64)
