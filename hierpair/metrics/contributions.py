"""Counts, contributions and values of every class (Sun & Lim)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal, NamedTuple

import numpy as np

from hierpair.errors import BadInput
from hierpair.evaluation.partial import partial
from hierpair.evaluation.sums import as_fraction
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.labels import LabelSets, Unknown
from hierpair.measures import measure

__all__ = ["ClassContributions", "contributions_by_class"]


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
    total = partial(hierarchy, truth, {"y_pred": prediction}, chosen, sample_weight=sample_weight)
    tally = total.sums[0].tally(total.plan, 0)
    if tally.by_class is None:  # no instance at all
        return {}
    found = tally.class_columns()
    numbers = tally.by_class.classes
    if classes == "all":
        numbers = np.setdiff1d(np.arange(len(hierarchy)), excluded_classes(hierarchy, root))
        of_all = {name: np.zeros(len(hierarchy)) for name in found}
        of_all["n_neither"] += float(as_fraction(tally.weight))
        for name, column in found.items():
            of_all[name][tally.by_class.classes] = column
        found = {name: column[numbers] for name, column in of_all.items()}
    some = (found["n_true"] > 0) | (found["n_pred"] > 0)
    some |= (found["n_neither"] > 0) & (classes == "all")
    numbers, c = numbers[some], {name: column[some] for name, column in found.items()}
    unit = 1.0 if theta == "mean" else float(theta)
    both = c["n_both"]
    columns = [
        both,
        c["n_pred"] - both,
        c["n_true"] - both,
        c["n_neither"],
        c["contribution_pred"] / unit,
        c["contribution_true"] / unit,
        *(m.values(c) for m in chosen),
    ]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {
        hierarchy.names[c]: ClassContributions(*row)
        for c, row in zip(numbers.tolist(), rows, strict=True)
    }
