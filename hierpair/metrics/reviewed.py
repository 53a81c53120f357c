"""Measures by depth, by descendants and by costs, as functions."""

from __future__ import annotations

from typing import Any, Literal

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.labels import Unknown
from hierpair.metrics.common import one_score

__all__ = [
    "depth_accuracy_score",
    "depth_weighted_loss",
    "descendant_fbeta_score",
    "descendant_precision_score",
    "descendant_recall_score",
    "h_loss",
    "misclassification_cost",
]


def depth_weighted_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    w0: float = 0.75,
    depth: str = "mean",
    normalise: str = "none",
    root: Any = "exclude",
    euclidean: bool = False,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return the mean depth-weighted symmetric difference, ≥ 0.

    ``Σ w(c)`` over the classes of one augmented set alone, ``w(c) = w0 ** depth(c)`` (Blockeel et
    al. 2002; Costa et al. 2007). Of two classes of a tree it is the weighted length of the path
    between them.

    Parameters
    ----------
    y_true, y_pred, hierarchy, root
        As for :func:`h_precision_score`.
    w0
        Weight of one level, in (0, 1].
    depth
        Of a class with several parents: ``"min"``, ``"max"``, ``"mean"`` or ``"sum"``; see
        :class:`DecayedEdges`.
    normalise
        ``"none"``; ``"max-path"``: as a share of the longest possible path; ``"path"``: as a share
        of the weights of both sets, so that unequal depths of leaves do not matter.
    euclidean
        The square root, which is the weighted Euclidean distance of class vectors.
    sample_weight, unknown
        See the module.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> depth_weighted_loss(["c"], ["b"], tree, w0=0.5)
    1.25
    >>> depth_weighted_loss(["c"], ["b"], tree, w0=0.5, normalise="path")
    1.0
    """
    if euclidean and normalise != "none":
        raise BadInput("the Euclidean distance is not normalised; leave one of them out")
    options = {"w0": w0, "depth": depth, "root": root}
    if not euclidean:
        options["normalise"] = normalise
    name = "depth_euclidean" if euclidean else "depth_loss"
    return one_score(name, y_true, y_pred, hierarchy, sample_weight, unknown, **options)


def depth_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    w0: float = 0.75,
    depth: str = "mean",
    normalise: str = "max-path",
    root: Any = "exclude",
    average: str = "samples",
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return depth-weighted accuracy, at most 1 and for single labels at least 0.

    1 less :func:`depth_weighted_loss`, whose parameters these are (Holden & Freitas 2006).

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> round(depth_accuracy_score(["c"], ["d"], tree, w0=0.5), 4)
    0.6667
    """
    return one_score(
        "depth_accuracy", y_true, y_pred, hierarchy, sample_weight, unknown, w0=w0, depth=depth,
        normalise=normalise, root=root, average=average,
    )  # fmt: skip


def h_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    costs: str = "sibling",
    root: Any = "exclude",
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return the mean H-loss (Cesa-Bianchi et al. 2006), ≥ 0, with ``"sibling"`` costs at most 1.

    A class that only one augmented set has counts if all its ancestors are in both.

    Parameters
    ----------
    y_true, y_pred, hierarchy, root
        As for :func:`h_precision_score`.
    costs
        ``"sibling"``: every class an even share of what its parents cost, the top 1 together;
        ``"ones"``: 1 each; ``"subtree"``: the share of all classes that are it or below it.
    sample_weight, unknown
        See the module.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> h_loss(["c", "c"], ["d", "b"], tree)
    0.75
    """
    return one_score(
        "h_loss", y_true, y_pred, hierarchy, sample_weight, unknown, costs=costs, root=root
    )


def descendant_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    average: str = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return descendant precision, in [0, 1].

    ``|D(Ŷ) ∩ D(Y)| / |D(Ŷ)|``, D: the classes and all below them (Ipeirotis et al. 2001; Costa et
    al. 2007, eq. 18); parameters as in :func:`h_precision_score`.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    >>> descendant_precision_score(["c"], ["a"], tree)
    0.5
    """
    return one_score(
        "descendant_precision", y_true, y_pred, hierarchy, sample_weight, unknown, root=root,
        average=average, zero_division=zero_division,
    )  # fmt: skip


def descendant_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    average: str = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return descendant recall, in [0, 1]: ``|D(Ŷ) ∩ D(Y)| / |D(Y)|`` (eq. 19).

    Parameters and source as in :func:`descendant_precision_score`.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    >>> descendant_recall_score(["a"], ["c"], tree)
    0.5
    """
    return one_score(
        "descendant_recall", y_true, y_pred, hierarchy, sample_weight, unknown, root=root,
        average=average, zero_division=zero_division,
    )  # fmt: skip


def descendant_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    root: Any = "include",
    average: str = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return F-beta of descendant precision and recall, in [0, 1]; the mean of instances' F.

    Parameters and source as in :func:`descendant_precision_score`.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> descendant_fbeta_score(["c"], ["a"], tree)
    0.5
    """
    return one_score(
        "descendant_f", y_true, y_pred, hierarchy, sample_weight, unknown, beta=beta, root=root,
        average=average, zero_division=zero_division,
    )  # fmt: skip


def misclassification_cost(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    cost: Any,
    *,
    kind: Literal["mean", "total", "normalised"] = "mean",
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return what wrong predictions cost, ≥ 0 (Freitas & Carvalho 2007; Costa et al. 2007).

    Parameters
    ----------
    y_true, y_pred, hierarchy
        As for :func:`h_precision_score`; every instance has as many predicted as true labels.
    cost
        :class:`CostMatrix`, a name such as ``"matrix('costs.tsv')"``, or any callable; being
        right must cost nothing.
    kind
        ``"mean"`` over instances, ``"total"``, or ``"normalised"``: the total as a share of the
        largest costs that the true classes could have had, in [0, 1].
    sample_weight, unknown
        See the module.

    Examples
    --------
    >>> import numpy as np
    >>> from hierpair import CostMatrix
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> costs = CostMatrix(np.array([[0, 0, 0], [0, 0, 1], [0, 4, 0]]))  # [predicted, true]
    >>> [misclassification_cost(["a", "b"], ["b", "b"], tree, costs, kind=k)
    ...  for k in ("mean", "total", "normalised")]
    [2.0, 4.0, 0.8]
    """
    if kind not in ("mean", "total", "normalised"):
        raise BadInput(f"kind must be 'mean', 'total' or 'normalised', got {kind!r}")
    return one_score(f"{kind}_cost", y_true, y_pred, hierarchy, sample_weight, unknown, cost=cost)
