"""The measures as functions, in the habit of scikit-learn: ``f(y_true, y_pred, hierarchy)``.

All are thin over the registry. They return a Python float. ``_score`` and ``_accuracy``: higher
is better; ``_error``, ``_cost`` and ``_loss``: lower is better. ``sample_weight`` holds one
weight per instance, ``unknown`` says what to do with labels outside the hierarchy, and every
function raises :class:`hierpair.BadInput` for input that does not fit.
"""

from __future__ import annotations

from typing import Any

from hierpair.evaluate import score
from hierpair.hierarchy.graph import Hierarchy
from hierpair.labels import Unknown
from hierpair.measures import measure

__all__ = [
    "all_pairs_cost",
    "graph_induced_error",
    "h_fbeta_score",
    "h_precision_score",
    "h_recall_score",
    "multi_label_graph_induced_accuracy",
    "symmetric_difference_loss",
    "tree_induced_error",
]


def h_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: str = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    average: str = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return hierarchical precision, in [0, 1].

    hP = ``|Ŷ_aug ∩ Y_aug| / |Ŷ_aug|`` (Kiritchenko et al. 2005; Kosmopoulos et al. 2014, §2.4).

    Parameters
    ----------
    y_true, y_pred
        One label or one collection of labels per instance, or ``{id: labels}``.
    hierarchy
        The classes.
    augment
        How label sets grow: ``"ancestors"``, ``"descendants"`` (Ipeirotis et al. 2001),
        ``"pruned"`` (Cesa-Bianchi et al. 2006; eqs 4–5) or ``"none"``.
    root
        ``"exclude"``: a single parentless class does not count; ``"include"``; or the name of
        the class that does not count.
    threshold
        Longest path between two classes, an even number, or None (§3.5).
    average
        ``"samples"``: mean over instances; ``"micro"``: sums first; ``"macro"``,
        ``"weighted"``: mean over classes.
    zero_division
        Value of 0/0 where only one set is empty: 0, 1 or nan (left out of means).
    sample_weight, unknown
        See the module.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> h_precision_score([["b"]], [["c"]], tree)
    0.5
    """
    return _one(
        "hp", y_true, y_pred, hierarchy, sample_weight, unknown, augment=augment, root=root,
        threshold=threshold, average=average, zero_division=zero_division,
    )  # fmt: skip


def h_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: str = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    average: str = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return hierarchical recall, in [0, 1].

    hR = ``|Ŷ_aug ∩ Y_aug| / |Y_aug|``; parameters and source as in :func:`h_precision_score`.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> h_recall_score([["b"]], [["a"]], tree)
    0.5
    """
    return _one(
        "hr", y_true, y_pred, hierarchy, sample_weight, unknown, augment=augment, root=root,
        threshold=threshold, average=average, zero_division=zero_division,
    )  # fmt: skip


def h_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    augment: str = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    average: str = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return hierarchical F-beta, in [0, 1].

    hF = ``(1 + β²) |Ŷ_aug ∩ Y_aug| / (β² |Y_aug| + |Ŷ_aug|)``; with ``average="samples"`` it is
    the mean of the F of the instances, not the F of mean precision and recall. ``beta`` ≥ 0
    weighs recall; the other parameters and the source are those of :func:`h_precision_score`.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> h_fbeta_score(["b", "c"], ["b", "b"], tree)
    0.75
    >>> round(h_fbeta_score(["b", "c"], ["b", "a"], tree, root="include"), 4)
    0.9
    """
    return _one(
        "hf", y_true, y_pred, hierarchy, sample_weight, unknown, beta=beta, augment=augment,
        root=root, threshold=threshold, average=average, zero_division=zero_division,
    )  # fmt: skip


def symmetric_difference_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: str = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return the mean symmetric difference loss, ≥ 0.

    l_Δ = ``|Ŷ_aug Δ Y_aug|`` (Kosmopoulos et al. 2014, §2.4); parameters as in
    :func:`h_precision_score`.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> symmetric_difference_loss([["b"]], [["c"]], tree)
    2.0
    """
    return _one(
        "sdl", y_true, y_pred, hierarchy, sample_weight, unknown, augment=augment, root=root,
        threshold=threshold,
    )  # fmt: skip


def tree_induced_error(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    price: Any = "hops",
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
    price
        ``"hops"``, ``"weights"`` (edge weights of the hierarchy), ``"decayed(w0=0.75)"``, or
        a callable on :class:`hierpair.Pairs`.
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
    return _one(
        "tree_induced_error", y_true, y_pred, hierarchy, sample_weight, unknown, price=price,
        max_distance=max_distance, threshold=threshold,
    )  # fmt: skip


def all_pairs_cost(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    price: Any = "hops",
    threshold: int | None = None,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return the mean all-pairs cost, ≥ 0: the sum of the prices of all pairs.

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
    return _one(
        "all_pairs", y_true, y_pred, hierarchy, sample_weight, unknown, price=price,
        threshold=threshold,
    )  # fmt: skip


def graph_induced_error(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    default: float = 5,
    price: Any = "hops",
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
    return _one(
        "gie", y_true, y_pred, hierarchy, sample_weight, unknown, default=default, price=price,
        max_distance=max_distance, threshold=threshold,
    )  # fmt: skip


def multi_label_graph_induced_accuracy(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    default: float = 5,
    denominator: str = "union",
    price: Any = "hops",
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
    y_true, y_pred, hierarchy, price, max_distance, threshold, sample_weight, unknown
        As in :func:`tree_induced_error`.
    default
        Dmax, the price of a class without a partner.
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
    return _one(
        "mgia", y_true, y_pred, hierarchy, sample_weight, unknown, default=default,
        denominator=denominator, price=price, max_distance=max_distance, threshold=threshold,
        average=average,
    )  # fmt: skip


def _one(
    name: str,
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    sample_weight: Any,
    unknown: Unknown,
    **options: Any,
) -> float:
    chosen = measure(name).with_options(**options)
    scores = score(
        hierarchy, y_true, {"y_pred": y_pred}, [chosen], sample_weight=sample_weight,
        unknown=unknown,
    )  # fmt: skip
    return float(scores.values[0, 0])
