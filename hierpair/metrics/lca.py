"""LCA measures as functions."""

from __future__ import annotations

from typing import Any

from hierpair.hierarchy import Hierarchy
from hierpair.labels import Unknown
from hierpair.metrics.common import one_score

__all__ = [
    "lca_fbeta_score",
    "lca_precision_score",
    "lca_recall_score",
]


def lca_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    extension: str = "exact",
    threshold: int | None = None,
    limit: float | None = None,
    average: str = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return LCA precision, in [0, 1].

    P_LCA = ``|V_pred ∩ V_true| / |V_pred|``.

    V_true and V_pred are the classes of the minimal graphs that join the labels of both sides in
    their lowest common ancestors (Kosmopoulos et al. 2014, §2.4.2).

    Parameters
    ----------
    y_true, y_pred
        One label or one collection of labels per instance, or ``{id: labels}``.
    hierarchy
        The classes.
    extension
        ``"exact"``: the minimal graphs; ``"greedy"``: those of the corrected Algorithm 1;
        ``"full"``: the extended graphs with nothing taken away.
    threshold
        Longest path between two classes, an even number, or None (§3.5).
    limit
        Seconds for one instance, or None.
    average
        ``"samples"`` or ``"micro"``.
    zero_division
        Value of 0/0: 0, 1 or nan.
    sample_weight
        One weight ≥ 0 per instance.
    unknown
        Labels outside the hierarchy: ``"error"``, ``"drop"`` or ``"root"``.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> lca_precision_score(["b"], ["c"], tree)
    0.5
    """
    return one_score(
        "lca_precision", y_true, y_pred, hierarchy, sample_weight, unknown, extension=extension,
        threshold=threshold, limit=limit, average=average, zero_division=zero_division,
    )  # fmt: skip


def lca_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    extension: str = "exact",
    threshold: int | None = None,
    limit: float | None = None,
    average: str = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return LCA recall, in [0, 1].

    R_LCA = ``|V_pred ∩ V_true| / |V_true|``.

    The other parameters and the source are those of :func:`lca_precision_score`.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> lca_recall_score(["b"], ["c"], tree)
    0.5
    """
    return one_score(
        "lca_recall", y_true, y_pred, hierarchy, sample_weight, unknown, extension=extension,
        threshold=threshold, limit=limit, average=average, zero_division=zero_division,
    )  # fmt: skip


def lca_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    extension: str = "exact",
    threshold: int | None = None,
    limit: float | None = None,
    average: str = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return LCA F-beta, in [0, 1].

    F_LCA = ``(1 + β²) |V_pred ∩ V_true| / (β² |V_true| + |V_pred|)``.

    ``beta`` ≥ 0 weighs recall; the other parameters and the source are those of
    :func:`lca_precision_score`.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> lca_fbeta_score(["b"], ["c"], tree)
    0.5
    """
    return one_score(
        "lca_f", y_true, y_pred, hierarchy, sample_weight, unknown, beta=beta, extension=extension,
        threshold=threshold, limit=limit, average=average, zero_division=zero_division,
    )  # fmt: skip
