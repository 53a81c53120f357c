"""Hierarchical set-based measures as functions."""

from __future__ import annotations

from typing import Any

from hierpair.hierarchy import Hierarchy
from hierpair.labels import Unknown
from hierpair.metrics.common import one_score

__all__ = [
    "h_fbeta_score",
    "h_precision_score",
    "h_recall_score",
    "symmetric_difference_loss",
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
    return one_score(
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
    return one_score(
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
    return one_score(
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
    return one_score(
        "sdl", y_true, y_pred, hierarchy, sample_weight, unknown, augment=augment, root=root,
        threshold=threshold,
    )  # fmt: skip
