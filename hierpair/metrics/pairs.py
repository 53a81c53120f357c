"""Pair-based measures as functions."""

from __future__ import annotations

from typing import Any

from hierpair.hierarchy import Hierarchy
from hierpair.labels import Unknown
from hierpair.metrics.common import one_score

__all__ = [
    "all_pairs_cost",
    "graph_induced_error",
    "multi_label_graph_induced_accuracy",
    "tree_induced_error",
]


def tree_induced_error(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    cost: Any = "hops",
    max_distance: float | None = None,
    threshold: int | None = None,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return the mean tree-induced error, ≥ 0: the distance of prediction and truth.

    Every predicted class is paired with exactly one true class and the other way round
    (Dekel et al. 2004; Kosmopoulos et al. 2014, §2.3.2, Figure 4).

    Parameters
    ----------
    y_true, y_pred, hierarchy
        As in :func:`h_precision_score`; both sides with the same number of labels.
    cost
        ``"hops"``, ``"weights"`` (edge weights of the hierarchy), ``"decayed(w0=0.75)"``, or
        a callable on :class:`hierpair.pairing.Pairs`.
    max_distance
        Classes further apart (in hops) may not be paired.
    threshold
        Longest path between two classes, an even number, or None (§3.5).
    sample_weight, unknown
        See the module.

    Raises
    ------
    Infeasible
        For an instance with different numbers of predicted and true classes, or without a
        common ancestor.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> tree_induced_error(["b", "c"], ["b", "b"], tree)
    1.0
    """
    return one_score(
        "tree_induced_error", y_true, y_pred, hierarchy, sample_weight, unknown, cost=cost,
        max_distance=max_distance, threshold=threshold,
    )  # fmt: skip


def all_pairs_cost(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    cost: Any = "hops",
    threshold: int | None = None,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return the mean all-pairs cost, ≥ 0: the sum of the costs of all pairs.

    Sun & Lim 2001; Kosmopoulos et al. 2014, §2.3.2. Parameters as in
    :func:`tree_induced_error`.

    Raises
    ------
    Infeasible
        For a pair without a common ancestor.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> all_pairs_cost([["b", "c"]], [["a", "b"]], tree)
    4.0
    """
    return one_score(
        "all_pairs", y_true, y_pred, hierarchy, sample_weight, unknown, cost=cost,
        threshold=threshold,
    )  # fmt: skip


def graph_induced_error(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    default: float = 5,
    cost: Any = "hops",
    max_distance: float | None = None,
    threshold: int | None = None,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return the mean graph-induced error, in [0, Dmax · labels].

    GIE = min over one-to-one pairings of Σ d(ŷ, y) + Dmax · (classes without a partner)
    (Kosmopoulos et al. 2014, §2.3.2, Figure 5). ``default`` is Dmax; the other parameters are
    those of :func:`tree_induced_error`.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> graph_induced_error([["b"]], [["b", "c"]], tree)
    5.0
    """
    return one_score(
        "gie", y_true, y_pred, hierarchy, sample_weight, unknown, default=default, cost=cost,
        max_distance=max_distance, threshold=threshold,
    )  # fmt: skip


def multi_label_graph_induced_accuracy(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    default: float = 5,
    denominator: str = "union",
    cost: Any = "hops",
    max_distance: float | None = None,
    threshold: int | None = None,
    average: str = "samples",
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return multi-label graph-induced accuracy, in [0, 1].

    MGIA = ``1 − fnerror / (|P ∪ T| · Dmax)``, fnerror being the cost of the best pairing in which a
    class may have several partners (Kosmopoulos et al. 2014, §2.3.3, Figure 6).

    Parameters
    ----------
    y_true, y_pred, hierarchy, cost, max_distance, threshold, sample_weight, unknown
        As in :func:`tree_induced_error`.
    default
        Dmax, the cost of a class without a partner.
    denominator
        ``"union"`` (the paper's numbers need it) or ``"symdiff"``.
    average
        ``"samples"`` or ``"micro"``.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> multi_label_graph_induced_accuracy([["b"]], [["b", "c"]], tree)
    0.8
    """
    return one_score(
        "mgia", y_true, y_pred, hierarchy, sample_weight, unknown, default=default,
        denominator=denominator, cost=cost, max_distance=max_distance, threshold=threshold,
        average=average,
    )  # fmt: skip
