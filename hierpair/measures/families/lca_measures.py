"""Measures over the graphs that join both label sets in their lowest common ancestors."""

from __future__ import annotations

from functools import partial

from hierpair.measures.definition import set_measure
from hierpair.measures.ratios import Floats, fbeta, perfect_if_empty, ratio
from hierpair.measures.recipes.joined_graphs import LcaRecipe

__all__ = ["lca_f", "lca_precision", "lca_recall"]

SOURCE = "Kosmopoulos et al. 2014, §2.4.2, Definitions 1–6, Problem 2, Algorithm 1"
AVERAGES = ("samples", "micro")
CAUTIONS = (
    "A label is compared with its nearest partner only; a far second label on the same side "
    "costs what its own way up adds.",
    "Labels that are ancestors of others in the same set are taken out first, so naming them "
    "too neither helps nor harms.",
)


def _graphs(
    *, extension: str = "exact", threshold: int | None = None, limit: float | None = None
) -> LcaRecipe:
    return LcaRecipe(extension, threshold, limit)


lca_measure = partial(
    set_measure,
    source=SOURCE,
    direction="higher",
    range="[0, 1]",
    averages=AVERAGES,
    recipe=_graphs,
    cautions=CAUTIONS,
)
"""Declares a measure over LCA graphs."""


@lca_measure(
    formula="|V_pred ∩ V_true| / |V_pred| over the minimal LCA graphs",
    traits=("perfect", "bounded", "total"),
)
def lca_precision(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, zero_division: float = 0
) -> Floats:
    """LCA precision: the share of the predicted graph that the true graph has too."""
    return perfect_if_empty(n_true, n_pred, ratio(n_both, n_pred, zero_division))


@lca_measure(
    formula="|V_pred ∩ V_true| / |V_true| over the minimal LCA graphs",
    traits=("perfect", "bounded", "total"),
)
def lca_recall(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, zero_division: float = 0
) -> Floats:
    """LCA recall: the share of the true graph that the predicted graph has too."""
    return perfect_if_empty(n_true, n_pred, ratio(n_both, n_true, zero_division))


@lca_measure(
    formula="(1 + β²) |V_pred ∩ V_true| / (β² |V_true| + |V_pred|) over the minimal LCA graphs",
    traits=("symmetric", "perfect", "bounded", "total"),
    parts=("lca_precision", "lca_recall"),
)
def lca_f(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, beta: float = 1, zero_division: float = 0
) -> Floats:
    """LCA F-beta: agreement of two label sets on the paths to their lowest common ancestors."""
    return perfect_if_empty(n_true, n_pred, fbeta(n_true, n_pred, n_both, beta, zero_division))
