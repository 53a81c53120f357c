"""The hierarchical confusion matrix as a function."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.confusion import FIELDS, confusion, fields_of
from hierpair.errors import BadInput, facts_table
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets, Unknown, match_instances
from hierpair.measures import OPTIONS

__all__ = ["ConfusionMatrix", "hierarchical_confusion_matrix"]


class ConfusionMatrix(NamedTuple):
    """TP, TN, FP and FN: whole numbers, or arrays over instances or classes."""

    tp: Any
    tn: Any
    fp: Any
    fn: Any

    def _repr_html_(self) -> str:
        of = f", sums over {np.size(self.tp):,} entries" if np.ndim(self.tp) else ""
        sums = ((name.upper(), f"{np.sum(x):,}") for name, x in self._asdict().items())
        return facts_table(f"ConfusionMatrix{of}", sums)


def hierarchical_confusion_matrix(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    per: Literal["all", "instance", "class"] = "all",
    pairing: str = "exact",
    empty: str = "root",
    nested: str = "drop",
    blank: str = "ignore",
    unknown: Unknown = "error",
) -> ConfusionMatrix:
    """Return TP, TN, FP and FN along root paths (Riehl et al. 2023, §IV).

    Predicted root paths are paired with true classes; TP are the shared classes of a pair, FP and
    FN the rests of both paths, TN the siblings of what is shared and the children of its end that
    neither path takes. The root does not count.

    Parameters
    ----------
    y_true
        One label or one collection of labels per instance, or ``{id: labels}``.
    y_pred
        The same, if no predicted class has several root paths; otherwise paths, made by
        :meth:`LabelSets.from_levels`.
    hierarchy
        The classes, with a single root.
    per
        ``"all"``: sums over all instances, the published matrix; ``"instance"``: arrays of shape
        ``(n_instances,)``; ``"class"``: arrays of shape ``(n_classes,)``, how often each class
        of ``hierarchy.names`` was in the field.
    pairing
        ``"exact"``: most TP, then fewest FN, then most TN; ``"published"``: the static greedy of
        the paper, with the tie order of its tables.
    empty
        A prediction without labels is the path of the root alone (``"root"``, as published) or
        no path (``"none"``).
    nested
        Labels above others of their set are left out (``"drop"``) or stay (``"keep"``); given
        paths always stay.
    blank
        Blank labels of a file that ``unknown="drop"`` left out do not count (``"ignore"``), or
        each is a path to no class (``"count"``, as in Table IV).
    unknown
        Labels outside the hierarchy: ``"error"``, ``"drop"`` or ``"root"``.

    Raises
    ------
    BadInput
        For several roots, a class with several root paths, a broken path, or labels that do not
        fit.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> hierarchical_confusion_matrix(["c"], ["d"], tree)
    ConfusionMatrix(tp=1, tn=1, fp=1, fn=1)
    >>> hierarchical_confusion_matrix(["c"], ["d"], tree, per="class").fn[tree.index(["c"])]
    array([1])
    """
    if per not in ("all", "instance", "class"):
        raise BadInput(f"per must be 'all', 'instance' or 'class', got {per!r}")
    chosen = {"pairing": pairing, "empty": empty, "nested": nested, "blank": blank}
    for option, given in chosen.items():
        OPTIONS[option].refuse_wrong(given, "hierarchical_confusion_matrix")
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    prediction = LabelSets.from_labels(y_pred, hierarchy, unknown=unknown, source="y_pred")
    found = confusion(hierarchy, truth, match_instances(truth, prediction), **chosen)
    if per == "instance":
        return ConfusionMatrix(found.tp, found.tn, found.fp, found.fn)
    if per == "all":
        return ConfusionMatrix(*(int(x.sum()) for x in (found.tp, found.tn, found.fp, found.fn)))
    fields = fields_of(found)
    n = len(hierarchy)

    def counted(field: str) -> NDArray[np.int64]:
        of_class = fields.classes[fields.field == FIELDS.index(field)]
        return np.bincount(of_class[of_class < n], minlength=n).astype(np.int64)

    return ConfusionMatrix(*(counted(field) for field in ("TP", "TN", "FP", "FN")))
