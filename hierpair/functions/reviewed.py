"""The measures that Costa et al. (2007) review, as functions."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal, NamedTuple

from hierpair.errors import BadInput
from hierpair.evaluate import Accumulator
from hierpair.functions.common import one_score
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets, Unknown
from hierpair.measures import measure

__all__ = [
    "ClassContributions",
    "con_accuracy_score",
    "con_error",
    "con_fbeta_score",
    "con_precision_score",
    "con_recall_score",
    "contributions_by_class",
    "depth_accuracy_score",
    "depth_weighted_loss",
    "descendant_fbeta_score",
    "descendant_precision_score",
    "descendant_recall_score",
    "h_loss",
    "misclassification_cost",
]


class ClassContributions(NamedTuple):
    """What instances say of one class, and its values (Costa et al. 2007, eqs 7-14).

    ``fp_con`` and ``fn_con`` are the contributions of its false positives and false negatives,
    each between -1 and 1 per instance.
    """

    tp: float
    fp: float
    fn: float
    tn: float
    fp_con: float
    fn_con: float
    precision: float
    recall: float
    accuracy: float
    error: float


def contributions_by_class(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    price: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] = "seen",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> dict[Hashable, ClassContributions]:
    """Return counts, contributions and values of every class (Sun & Lim 2001).

    Parameters
    ----------
    y_true, y_pred, hierarchy, theta, price, root, zero_division
        As for :func:`con_precision_score`.
    classes
        ``"seen"``: those that are true or predicted of some instance; ``"all"`` that count.
    sample_weight, unknown
        See the module.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> found = contributions_by_class(["c", "c"], ["c", "a"], tree, theta=2)
    >>> found["c"].fn_con, found["c"].precision, found["c"].recall
    (0.5, 1.0, 0.75)
    """
    options = {"theta": theta, "price": price, "root": root, "average": "macro"}
    names = ("con_precision", "con_recall", "con_accuracy", "con_error")
    chosen = [measure(name).with_options(**options) for name in names]
    chosen[:2] = [m.with_options(zero_division=zero_division) for m in chosen[:2]]
    if classes not in ("seen", "all"):
        raise BadInput(f"classes must be 'seen' or 'all', got {classes!r}")
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    prediction = LabelSets.from_labels(y_pred, hierarchy, unknown=unknown, source="y_pred")
    total = Accumulator(hierarchy, chosen)
    total.update(truth, prediction, sample_weight)
    every = classes == "all"
    counts = total.statistics[0].classes(every=every)
    numbers = total.statistics[0].class_numbers(every=every)
    if counts.credit_pred is None or counts.credit_true is None:  # no instance at all
        return {}
    unit = 1.0 if theta == "mean" else float(theta)
    both = counts.n_both
    columns = [
        both, counts.n_pred - both, counts.n_true - both, counts.n_neither,
        counts.credit_pred / unit, counts.credit_true / unit, *(m.values(counts) for m in chosen),
    ]  # fmt: skip
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {
        hierarchy.names[c]: ClassContributions(*row)
        for c, row in zip(numbers.tolist(), rows, strict=True)
    }


def con_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    price: Any = "hops",
    root: Any = "exclude",
    classes: str = "seen",
    average: str = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return precision with contributions, in [0, 1].

    P = ``max(0, TP + FpCon + FnCon) / (TP + FP + FnCon)`` (Sun & Lim 2001; Costa et al. 2007,
    eq. 11). A false positive contributes ``1 - d / theta``, d its distance from the true classes
    of the instance, cut off at -1 and 1; a false negative the same from the predicted ones.

    Parameters
    ----------
    y_true, y_pred
        One label or one collection of labels per instance, or ``{id: labels}``.
    hierarchy
        The classes.
    theta
        Acceptable distance, > 0: a class so far away neither adds nor takes. ``"mean"``: the mean
        over all pairs of classes; with ``price=CosineDistance(vectors)`` these are the measures
        with category similarity (eqs 15-17).
    price
        The distance d: a name such as ``"hops"`` or ``"lin"``, or a callable.
    root
        ``"exclude"``: a single parentless class is no label; ``"include"``; or the name of the
        class that is none.
    classes
        Classes of macro averages: those that occur (``"seen"``) or ``"all"``.
    average
        ``"micro"``: sums first; ``"macro"``, ``"weighted"``: mean over classes; ``"samples"``: mean
        over instances.
    zero_division
        Value where nothing was predicted and nothing contributes: 0, 1 or nan.
    sample_weight, unknown
        See the module.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> con_precision_score(["c", "c"], ["c", "a"], tree, theta=2)
    0.8
    """
    return one_score(
        "con_precision", y_true, y_pred, hierarchy, sample_weight, unknown, theta=theta,
        price=price, root=root, classes=classes, average=average, zero_division=zero_division,
    )  # fmt: skip


def con_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    price: Any = "hops",
    root: Any = "exclude",
    classes: str = "seen",
    average: str = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return recall with contributions, in [0, 1].

    R = ``max(0, TP + FpCon + FnCon) / (TP + FN + FpCon)`` (eq. 12); parameters and source as in
    :func:`con_precision_score`.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> con_recall_score(["c", "c"], ["c", "d"], tree, theta=4)
    0.8
    """
    return one_score(
        "con_recall", y_true, y_pred, hierarchy, sample_weight, unknown, theta=theta,
        price=price, root=root, classes=classes, average=average, zero_division=zero_division,
    )  # fmt: skip


def con_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    theta: float | Literal["mean"] = 2,
    price: Any = "hops",
    root: Any = "exclude",
    classes: str = "seen",
    average: str = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return F-beta of precision and recall with contributions, in [0, 1].

    F is computed where P and R are: from the summed counts (``"micro"``), of each class and then
    averaged (``"macro"``), or of each instance. Parameters and source as in
    :func:`con_precision_score`.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> con_fbeta_score(["c"], ["d"], tree, theta=4)
    0.6666666666666666
    """
    return one_score(
        "con_f", y_true, y_pred, hierarchy, sample_weight, unknown, beta=beta, theta=theta,
        price=price, root=root, classes=classes, average=average, zero_division=zero_division,
    )  # fmt: skip


def con_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    price: Any = "hops",
    root: Any = "exclude",
    classes: str = "all",
    average: str = "micro",
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return accuracy with contributions, in [-1, 1].

    Acc = ``(TP + TN + FpCon + FnCon) / (TP + TN + FP + FN)`` over decisions on an instance and a
    class (eq. 13, per class); parameters and source as in :func:`con_precision_score`.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> con_accuracy_score(["c", "c"], ["c", "a"], tree, theta=2)
    0.875
    """
    return one_score(
        "con_accuracy", y_true, y_pred, hierarchy, sample_weight, unknown, theta=theta,
        price=price, root=root, classes=classes, average=average,
    )  # fmt: skip


def con_error(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    price: Any = "hops",
    root: Any = "exclude",
    classes: str = "all",
    average: str = "micro",
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return error with contributions, in [0, 2]: 1 less :func:`con_accuracy_score` (eq. 14).

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> con_error(["c", "c"], ["c", "a"], tree, theta=2)
    0.125
    """
    return one_score(
        "con_error", y_true, y_pred, hierarchy, sample_weight, unknown, theta=theta,
        price=price, root=root, classes=classes, average=average,
    )  # fmt: skip


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
    price: Any,
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
    price
        :class:`PriceMatrix`, a name such as ``"matrix('costs.tsv')"``, or any callable; being
        right must cost nothing.
    kind
        ``"mean"`` over instances, ``"total"``, or ``"normalised"``: the total as a share of the
        largest costs that the true classes could have had, in [0, 1].
    sample_weight, unknown
        See the module.

    Examples
    --------
    >>> import numpy as np
    >>> from hierpair import PriceMatrix
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> costs = PriceMatrix(np.array([[0, 0, 0], [0, 0, 4], [0, 1, 0]]))
    >>> [misclassification_cost(["a", "b"], ["b", "b"], tree, costs, kind=k)
    ...  for k in ("mean", "total", "normalised")]
    [2.0, 4.0, 0.8]
    """
    if kind not in ("mean", "total", "normalised"):
        raise BadInput(f"kind must be 'mean', 'total' or 'normalised', got {kind!r}")
    return one_score(f"{kind}_cost", y_true, y_pred, hierarchy, sample_weight, unknown, price=price)
