"""Precision and recall at every threshold: of every instance, and of a whole data set (Fmax)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, check_choice, shown
from hierpair.evaluation.checked import check_weight
from hierpair.hierarchy import Hierarchy, counted_classes
from hierpair.labels import LabelSets, match_instances
from hierpair.labels.annotation_counts import annotation_counts, counted_weights, namespaces
from hierpair.labels.naming import Missing, refuse
from hierpair.labels.node_scores import Closing, NodeScores
from hierpair.measures.class_weights import COUNTED, class_weights
from hierpair.measures.scored.curves import AREAS, Area, Curves, GroupedScores
from hierpair.measures.scored.pooled_curve import (
    Norm,
    PooledCurve,
    Pooling,
    ZeroWeight,
    threshold_sweep,
)
from hierpair.probabilistic.decoding import marginals_of
from hierpair.probabilistic.distributions import LawOrScores

__all__ = [
    "AREAS", "Area", "Curves", "PooledCurve", "pooled_curve", "pooled_curves",
    "precision_recall_curves",
]  # fmt: skip


def precision_recall_curves(
    y_true: Any,
    scores: LawOrScores,
    *,
    closure: Closing = None,
    root: Any = "exclude",
    missing: Missing = "error",
    drop_intermediate: bool = False,
) -> Curves:
    """Return the hierarchical precision-recall curve of every instance.

    The points are the empty prediction, recall 0 and precision 1, and for every distinct score t
    the classes with a score of at least t: hP = ``|Ŷ ∩ Y| / |Ŷ|``, hR = ``|Ŷ ∩ Y| / |Y|``, where
    Y is augmented by its ancestors (Plaud et al. 2024, §3.2.3). The paper writes "greater than"
    with thresholds among the scores, which never predicts every class and misses a true class of
    score 0; "at least" is what its published values are computed with.

    Parameters
    ----------
    y_true
        True labels, as :func:`hierpair.score` takes them.
    scores
        Scores of the classes, or a distribution, whose marginals are used.
    closure
        ``None`` takes every set as it is, also an incoherent one, as the published values do;
        ``"max"`` augments the set of every threshold, as the paper's definition says; ``"min"``
        lowers children to their parents.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.
    missing
        Instances of the truth that have no scores: ``"error"``, or ``"empty"``, all their scores
        are 0 (that of the root, too); :func:`hierpair.score` has the same choice. Scores of
        instances without a truth stay an error.
    drop_intermediate
        Leave out points between two others with the same recall. The areas are the same, and
        it takes a fraction of the time and memory.

    Returns
    -------
    Curves
        All points; areas by :meth:`Curves.areas`.

    Raises
    ------
    BadInput
        For labels that do not fit, or different instances on both sides.

    Examples
    --------
    >>> from hierpair import Hierarchy, LabelDistribution
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4"), ("1", "5")])
    >>> distribution = LabelDistribution.from_leaves([[0.25, 0.2, 0.2, 0.35]], tree)
    >>> curves = precision_recall_curves([["3"]], distribution)
    >>> curves
    <Curves: 1 instance, 5 points, mean area 0.6833>
    """
    truth, of_classes = _beside(y_true, scores, missing, "error")
    counts = counted_classes(of_classes.hierarchy, root)
    groups = GroupedScores.of(truth, of_classes.closed(closure), counts)
    return groups.curves(corners=drop_intermediate, ids=truth.ids or of_classes.ids)


def pooled_curve(
    y_true: Any,
    scores: LawOrScores,
    *,
    thresholds: Any = None,
    average: Pooling = "samples",
    closure: Closing = "max",
    root: Any = "exclude",
    missing: Missing = "error",
    sample_weight: Any = None,
    weights: Any = None,
    norm: Norm = "cafa",
    classes: Collection[Any] | None = None,
    zero_weight: ZeroWeight = "skip",
    unknown: Literal["error", "drop"] = "error",
) -> PooledCurve:
    """Return precision and recall of all instances together, at every threshold.

    With ``average="samples"`` (*protein-centric* in function prediction: Radivojac et al. 2013)
    precision is the mean over the instances that have a prediction at the threshold, recall the
    mean over all; with ``"micro"`` classes are counted over all instances first. Their best F
    is Fmax (:meth:`PooledCurve.fmax`). Instances without true classes are left out. The wrong
    classes and the missing ones of an instance, on average, give the semantic distance, whose
    smallest value is Smin (:meth:`PooledCurve.smin`; Clark & Radivojac 2013).

    Parameters
    ----------
    y_true
        True labels, as :func:`hierpair.score` takes them.
    scores
        Scores of the classes, or a distribution, whose marginals are used.
    thresholds
        By default every score above 0 that occurs; or the numbers to look at.
    average
        ``"samples"`` or ``"micro"``.
    closure
        ``"max"`` predicts the ancestors of what is predicted, too; ``"fill"`` gives classes
        without a score the largest of their children; see :meth:`NodeScores.closed`.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.
    missing
        Instances without scores: ``"error"``, or ``"empty"``, all their scores are 0, so that
        they count for recall alone.
    sample_weight
        One weight ≥ 0 per instance.
    weights
        A finite weight ≥ 0 for every class: an array in the order of ``hierarchy.names``, a
        mapping, a file of lines ``class TAB weight``, or ``"ia"`` or ``"ic"``, counted from the
        truth (smoothed by 1); by default every class weighs 1.
    norm
        What means are over: ``"cafa"``: precision over the instances with a prediction, all
        else over all instances; ``"pred"``: all over those with a prediction, so that systems
        cannot be compared; ``"gt"``: all over all instances.
    classes
        Names of the classes that count, by default all. Label sets are augmented by their
        ancestors first, then cut.
    zero_weight
        Instances whose true classes weigh nothing: ``"skip"`` leaves them out of recall, which
        could not reach 1 otherwise, and leaves out those without a true class that counts
        altogether; ``"count"`` counts all with a true label, also at the root, with recall 0.
    unknown
        True labels outside the hierarchy, and scores of instances without a truth: ``"error"``,
        or ``"drop"`` them.

    Returns
    -------
    PooledCurve
        Points by falling threshold.

    Raises
    ------
    BadInput
        For labels, weights or thresholds that do not fit.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    >>> scores = NodeScores.from_array([[0.9, 0.2, 0.6], [0.3, 0.1, 0.0]], tree, classes="abc")
    >>> curve = pooled_curve([["c"], ["b"]], scores)
    >>> curve
    <PooledCurve: 5 thresholds, samples, Fmax 0.7368>
    >>> curve.threshold.tolist(), curve.recall.tolist()
    ([0.9, 0.6, 0.3, 0.2, 0.1], [0.25, 0.5, 0.5, 0.5, 1.0])
    >>> curve.precision.round(3).tolist(), curve.n_predicted.tolist()
    ([1.0, 1.0, 0.5, 0.333, 0.583], [1, 1, 2, 2, 2])
    >>> float(curve.threshold[curve.best()])
    0.1
    >>> round(curve.smin(), 4), float(curve.threshold[curve.nearest()])
    (0.5, 0.6)
    """
    truth, of_classes = _beside(y_true, scores, missing, unknown)
    counts = counted_classes(of_classes.hierarchy, root, classes)
    if classes is not None and not counts.any():
        raise BadInput("classes: none of them counts; name some that are not the root")
    return threshold_sweep(
        truth,
        of_classes,
        counts,
        weights=_resolved(weights, truth, of_classes.hierarchy),
        thresholds=thresholds,
        average=average,
        norm=norm,
        closure=closure,
        zero_weight=zero_weight,
        sample_weight=check_weight(sample_weight, truth),
    )


def pooled_curves(
    y_true: Any,
    scores: LawOrScores,
    by: Mapping[Hashable, Hashable] | Sequence[Hashable],
    *,
    missing: Missing = "error",
    unknown: Literal["error", "drop"] = "error",
    weights: Any = None,
    classes: Collection[Any] | None = None,
    root: Any = "exclude",
    **how: Any,
) -> dict[Hashable, PooledCurve]:
    """Return a pooled curve for every namespace, as if there were no other.

    Edges between namespaces are dropped, and an instance counts where it has a true label.
    Namespaces without any truth, or without one of ``classes``, are left out.

    Parameters
    ----------
    y_true, scores
        As for :func:`pooled_curve`.
    by
        The namespace of every class: by name, or in the order of ``hierarchy.names``.
    missing, unknown, weights, classes, root, how
        As for :func:`pooled_curve`; ``"ia"`` and ``"ic"`` are counted in every namespace as if it
        were alone.

    Returns
    -------
    dict
        By namespace.

    Raises
    ------
    BadInput
        As :func:`pooled_curve`, and for a class without a namespace.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> dag = Hierarchy.from_edges([("f", "f1"), ("f", "f2"), ("c", "c1")], roots="any")
    >>> scores = NodeScores.from_array([[0.9, 0.2, 0.6]], dag, classes=["f1", "f2", "c1"])
    >>> curves = pooled_curves([["f2"]], scores, {name: name[0] for name in dag.names})
    >>> {name: curve.fmax() for name, curve in curves.items()}
    {'f': 0.6666666666666666}
    """
    truth, of_classes = _beside(y_true, scores, missing, unknown)
    hierarchy = of_classes.hierarchy
    weights = _resolved(weights, truth, hierarchy, by)
    of_each = root if root in ("exclude", "include") else "include"
    chosen = counted_classes(hierarchy, "include", classes)
    counted = chosen & counted_classes(hierarchy, "include" if of_each == root else root)
    how["sample_weight"] = check_weight(how.get("sample_weight"), truth)
    found = {}
    for part in namespaces(hierarchy, by):
        own = part.sets(truth)
        if len(own.indices) and chosen[part.classes].any():
            found[part.name] = threshold_sweep(
                own,
                part.scores(of_classes),
                counted[part.classes] & counted_classes(part.hierarchy, of_each),
                weights=None if weights is None else weights[part.classes],
                **{"closure": "max", **how},
            )
    return found


def _resolved(weights: Any, truth: LabelSets, hierarchy: Hierarchy, by: Any = None) -> Any:
    """Return the weight of every class, or None; namespaces are counted apart."""
    if weights is None:
        return None
    if by is not None and isinstance(weights, str) and weights in COUNTED:
        if weights == "icm":
            raise BadInput(f"weights={weights!r} cannot be counted in namespaces apart (by)")
        return counted_weights(hierarchy, annotation_counts(hierarchy, truth, by=by), weights)
    if isinstance(weights, (str, Path)) or hasattr(weights, "items"):
        return class_weights(hierarchy, weights, truth=truth)
    of_class = np.asarray(weights, dtype=np.float64)
    if of_class.shape != (len(hierarchy),):
        raise BadInput(
            f"weights must hold a number for each of the {len(hierarchy)} classes, got "
            f"{shown(weights)}"
        )
    refuse(of_class < 0, lambda k: (
        f"the weight of class {shown(hierarchy.names[k])} must be a number ≥ 0, got {of_class[k]:g}"
    ))  # fmt: skip
    return of_class


def _beside(
    y_true: Any,
    scores: LawOrScores,
    missing: Missing,
    unknown: Literal["error", "drop"],
) -> tuple[LabelSets, NodeScores]:
    """Return the truth, and the scores in its order."""
    check_choice("unknown", unknown, ("error", "drop"))
    of_classes = marginals_of(scores)
    truth = LabelSets.from_labels(y_true, of_classes.hierarchy, unknown=unknown, source="y_true")
    return truth, match_instances(
        truth, of_classes, missing=missing, surplus=unknown, system="scores"
    )
