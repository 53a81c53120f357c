"""Tables by class and level: areas, scores, reliability, confusion and contributions of classes."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal, NamedTuple

import numpy as np

from hierpair.confusion import FIELDS, confusion, fields_of
from hierpair.errors import check_choice
from hierpair.evaluation.partial import partial
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.labels import LabelSets, NodeScores, Unknown, match_instances
from hierpair.labels.node_scores import Closing, scores_of_labels
from hierpair.measures import OPTIONS, measure
from hierpair.measures.scored import calibration, curves
from hierpair.measures.scored.calibration import LevelScores, Reliability
from hierpair.measures.scored.curves import ClassAreas, Interpolation


def class_areas(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    interpolation: Interpolation = "step",
    closure: Closing = None,
    root: Any = "exclude",
    unknown: Unknown = "error",
) -> ClassAreas:
    """Return the areas under precision-recall and ROC curves of every class.

    The measures ``micro_auprc``, ``macro_auprc``, ``weighted_auprc``, ``macro_auroc`` and
    ``micro_auroc`` are methods of what is returned.

    Parameters
    ----------
    y_true
        Labels of every instance: one label or a collection of them, or ``{id: labels}``.
    y_score
        Scores of the classes: NodeScores, a LabelDistribution, ``{id: {label: score}}``, a
        matrix with a column per class or leaf, the pair ``(matrix, classes)``, or a list with a
        matrix per level (:meth:`NodeScores.from_levels`).
    hierarchy
        The classes.
    interpolation
        ``"step"``: average precision; ``"clus"``: trapezoids between single hits, as Clus has it;
        ``"trapezoid"``: straight lines between thresholds, which are optimistic.
    closure
        ``"max"`` gives a class the highest score below it first; None takes scores as given.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.
    unknown
        Labels outside the hierarchy: an error, left out, or replaced by the root.

    Raises
    ------
    BadInput
        Where no instance has a class that counts, and for input that does not fit.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    >>> found = class_areas({"x": "c", "y": "b"}, {"x": {"a": 0.9}, "y": {"a": 0.4}}, tree)
    >>> found.auprc.tolist(), found.auroc.tolist()
    ([1.0, 0.5, 0.5], [1.0, 0.5, 0.5])
    """
    truth, scores = _sides(y_true, y_score, hierarchy, unknown)
    how: dict[str, Any] = {"interpolation": interpolation, "closure": closure, "root": root}
    return curves.class_areas(truth, scores, **how)


def level_scores(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    bins: int = 10,
    clip: float = 0,
    root: Any = "exclude",
    y_pred: Any = None,
    preset: Literal["hiclass"] | None = None,
    unknown: Unknown = "error",
) -> LevelScores:
    """Return Brier score, log loss, ECE, SCE and ACE of every level.

    What they are stands at :func:`hierpair.measures.scored.calibration.level_scores`.

    Parameters
    ----------
    y_true, y_score, hierarchy, root, unknown
        As for :func:`class_areas`.
    bins
        Bins of equal width, or ranges of equally many instances.
    clip
        Probabilities are moved into [clip, 1 − clip] before their logarithm is taken.
    y_pred
        Predicted labels: what is right in ECE is then these, not the top class of the level.
    preset
        ``"hiclass"``: as hiclass 5.0 computes them from ``y_pred``, with its faults.

    Raises
    ------
    BadInput
        Where no instance has a class that counts, and for input that does not fit.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "d")])
    >>> matrices = [[[0.75, 0.25], [0.5, 0.5]], [[0.75, 0.25], [0.25, 0.75]]]
    >>> found = level_scores(["c", "d"], matrices, tree)
    >>> found.brier.tolist(), found.over_levels("ece")
    ([0.3125, 0.125], 0.1875)
    """
    truth, scores = _sides(y_true, y_score, hierarchy, unknown)
    predicted = None
    if y_pred is not None:
        given = LabelSets.from_labels(y_pred, hierarchy, unknown=unknown, source="y_pred")
        predicted = match_instances(truth, given, system="y_pred")
    how: dict[str, Any] = {"bins": bins, "clip": clip, "root": root, "preset": preset}
    return calibration.level_scores(truth, scores, predicted=predicted, **how)


def reliability(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    bins: int = 10,
    root: Any = "exclude",
    unknown: Unknown = "error",
) -> Reliability:
    """Return what the largest probabilities of instances came to, by level, with counts.

    :meth:`hierpair.plots.ReliabilityDisplay.from_reliability` draws it.

    Parameters
    ----------
    y_true, y_score, hierarchy, root, unknown
        As for :func:`class_areas`.
    bins
        How many bins [a, b) of equal width; the last one is closed.

    Raises
    ------
    BadInput
        Where no instance has a class that counts, and for input that does not fit.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> found = reliability(["a", "b"], [[[0.75, 0.25], [1, 0]]], tree, bins=2)
    >>> found.n.tolist(), found.confidence[0, 1], found.accuracy[0, 1]
    ([[0, 2]], np.float64(0.875), np.float64(0.5))
    """
    truth, scores = _sides(y_true, y_score, hierarchy, unknown)
    return calibration.reliability(truth, scores, bins=bins, root=root)


def _sides(
    y_true: Any, y_score: Any, hierarchy: Hierarchy, unknown: Unknown
) -> tuple[LabelSets, NodeScores]:
    """Return the truth, and the scores in its order."""
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    scores = scores_of_labels(y_score, hierarchy, unknown=unknown, source="y_score", ids=truth.ids)
    return truth, match_instances(truth, scores, system="y_score")


class ConfusionMatrix(NamedTuple):
    """TP, TN, FP and FN: whole numbers, or arrays over instances or classes."""

    tp: Any
    tn: Any
    fp: Any
    fn: Any


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
    check_choice("per", per, ("all", "instance", "class"))
    chosen = {"pairing": pairing, "empty": empty, "nested": nested, "blank": blank}
    for option, given in chosen.items():
        OPTIONS[option].refuse_wrong(given, "hierarchical_confusion_matrix")
    truth, prediction = _both(y_true, y_pred, hierarchy, unknown)
    found = confusion(hierarchy, truth, match_instances(truth, prediction), **chosen)
    each = found.tp, found.tn, found.fp, found.fn
    if per == "instance":
        return ConfusionMatrix(*each)
    if per == "all":
        return ConfusionMatrix(*(int(x.sum()) for x in each))
    fields, n = fields_of(found), len(hierarchy)
    counts = np.zeros((len(FIELDS), n + 1), dtype=np.int64)  # the last one: blank labels
    np.add.at(counts, (fields.field, np.minimum(fields.classes, n)), 1)
    return ConfusionMatrix(*(counts[FIELDS.index(name), :n] for name in ("TP", "TN", "FP", "FN")))


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
        As for :func:`contribution_precision_score`.
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
    check_choice("classes", classes, ("seen", "all"))
    options = {"theta": theta, "cost": cost, "root": root, "average": "macro"}
    ratio = {**options, "zero_division": zero_division}
    how = {"precision": ratio, "recall": ratio, "accuracy": options, "error": options}
    chosen = [measure(f"contribution_{name}").with_options(**given) for name, given in how.items()]
    truth, prediction = _both(y_true, y_pred, hierarchy, unknown)
    total = partial(hierarchy, truth, {"y_pred": prediction}, chosen, sample_weight=sample_weight)
    if not total.n_instances:
        return {}
    totals = total.sums[0].class_totals(total.plan, 0)
    numbers = total.sums[0].by_class(total.plan, 0).classes
    c = {name: column[0] for name, column in totals.columns.items()}
    some = (c["n_true"] > 0) | (c["n_pred"] > 0)
    if classes == "all":
        of_all = {name: np.zeros(len(hierarchy)) for name in c}
        of_all["n_neither"] += totals.every["n_neither"]
        for name, column in c.items():
            of_all[name][numbers] = column
        numbers = np.setdiff1d(np.arange(len(hierarchy)), excluded_classes(hierarchy, root))
        c = {name: column[numbers] for name, column in of_all.items()}
        some = (c["n_true"] > 0) | (c["n_pred"] > 0) | (c["n_neither"] > 0)
    unit = 1.0 if theta == "mean" else float(theta)
    both, sides = c["n_both"], (c["n_pred"], c["n_true"])
    cons = (c[f"contribution_{side}"] / unit for side in ("pred", "true"))
    wrong = (side - both for side in sides)
    columns = [both, *wrong, c["n_neither"], *cons, *(m.values(c) for m in chosen)]
    rows = np.stack(columns, axis=1)[some].tolist()
    names = (hierarchy.names[k] for k in numbers[some].tolist())
    return {name: ClassContributions(*row) for name, row in zip(names, rows, strict=True)}


def _both(
    y_true: Any, y_pred: Any, hierarchy: Hierarchy, unknown: Unknown
) -> tuple[LabelSets, LabelSets]:
    """Return the labels of both sides."""
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    return truth, LabelSets.from_labels(y_pred, hierarchy, unknown=unknown, source="y_pred")
