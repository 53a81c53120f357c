"""Precision, recall, F, accuracy and error with contributions (Sun & Lim), as functions."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal, NamedTuple

from hierpair.errors import BadInput
from hierpair.evaluation.scoring import Accumulator
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets, Unknown
from hierpair.measures import measure
from hierpair.metrics.common import one_score

__all__ = [
    "ClassContributions",
    "con_accuracy_score",
    "con_error",
    "con_fbeta_score",
    "con_precision_score",
    "con_recall_score",
    "contributions_by_class",
]


class ClassContributions(NamedTuple):
    """What instances say of one class, and its values (Costa et al. 2007, eqs 7-14).

    ``fp_con`` and ``fn_con`` are the contributions of its false positives and false negatives:
    sums over the classes of the other side, each sum cut at -1 and 1 per instance.
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
    cost: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] = "seen",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> dict[Hashable, ClassContributions]:
    """Return counts, contributions and values of every class (Sun & Lim 2001).

    Parameters
    ----------
    y_true, y_pred, hierarchy, theta, cost, root, zero_division
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
    options = {"theta": theta, "cost": cost, "root": root, "average": "macro"}
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
    if counts.contribution_pred is None or counts.contribution_true is None:  # no instance at all
        return {}
    unit = 1.0 if theta == "mean" else float(theta)
    both = counts.n_both
    columns = [
        both, counts.n_pred - both, counts.n_true - both, counts.n_neither,
        counts.contribution_pred / unit, counts.contribution_true / unit, *(m.values(counts) for m in chosen),
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
    cost: Any = "hops",
    root: Any = "exclude",
    classes: str = "seen",
    average: str = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
) -> float:
    """Return precision with contributions, in [0, 1].

    P = ``max(0, TP + FpCon + FnCon) / (TP + FP + FnCon)`` (Sun & Lim 2001; Costa et al. 2007,
    eq. 11). A false positive contributes the sum of ``1 - d / theta`` over the true classes of its
    instance, d its distance from them; the sum is cut at -1 and 1. A false negative contributes
    the same over the predicted classes. Where two classes have no common ancestor d is infinite
    for the costs that follow edges (``"hops"``, ``"weights"``, ``"decayed"``), so one such pair
    makes the whole sum -1, however near the other classes are.

    Parameters
    ----------
    y_true, y_pred
        One label or one collection of labels per instance, or ``{id: labels}``.
    hierarchy
        The classes.
    theta
        Acceptable distance, > 0: a class so far away neither adds nor takes. ``"mean"``: the mean
        over all pairs of classes; with ``cost=CosineDistance(vectors)`` these are the measures
        with category similarity (eqs 15-17).
    cost
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
        cost=cost, root=root, classes=classes, average=average, zero_division=zero_division,
    )  # fmt: skip


def con_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
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
        cost=cost, root=root, classes=classes, average=average, zero_division=zero_division,
    )  # fmt: skip


def con_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
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
        cost=cost, root=root, classes=classes, average=average, zero_division=zero_division,
    )  # fmt: skip


def con_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
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
        cost=cost, root=root, classes=classes, average=average,
    )  # fmt: skip


def con_error(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
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
        cost=cost, root=root, classes=classes, average=average,
    )  # fmt: skip
