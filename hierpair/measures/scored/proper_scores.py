"""Proper scores of probabilities in a hierarchy: nothing but the truth's own law is better."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.arrays import Bools, Floats, ragged_ranges
from hierpair.labels import LabelSets, lowest_labels
from hierpair.labels.node_scores import NodeScores
from hierpair.measures.scored.pairs import counted_classes, listed_pairs

TOLERANCE = 1e-5
"""Children may have so much more than their parent: rounding of single precision."""


def node_brier(
    truth: LabelSets,
    scores: NodeScores,
    *,
    weights: Floats | None = None,
    root: Any = "exclude",
) -> Floats:
    """Return Σ_v w(v) (p(v) − [v ∈ T])² of every instance, T augmented by ancestors.

    It is proper for any weights ≥ 0, and strictly proper for the probabilities of the classes
    where all are above 0; of single paths these determine the whole law. Over leaves it is the
    quadratic form Σ_{l, m} e(l) e(m) W(anc(l) ∩ anc(m)), with e = law − truth and W the sum of
    weights: near leaves cost less.

    Parameters
    ----------
    truth, scores
        Of the same instances in the same order.
    weights
        A number ≥ 0 for every class, shape ``(n_classes,)``; by default 1 each.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> law = [[0.5, 0.5, 0.25, 0.25], [0.5, 0.5, 0.5, 0]]
    >>> scores = NodeScores.from_array(law, tree, classes=["a", "b", "c", "d"])
    >>> node_brier(LabelSets.from_labels(["c", "c"], tree), scores).tolist()
    [1.125, 0.75]
    """
    pairs = listed_pairs(truth, scores, counted_classes(scores.hierarchy, root))
    part = (pairs.value - pairs.true) ** 2
    if weights is not None:
        part = part * weights[pairs.column]
    return np.bincount(pairs.row, part, minlength=len(truth)).astype(np.float64)


def leaf_brier(truth: LabelSets, scores: NodeScores) -> Floats:
    """Return Σ (p(leaf) − [leaf is true])² of every instance: the tree plays no part in it.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> scores = NodeScores.from_array([[0.5, 0.25, 0.25]], tree, classes=["b", "c", "d"])
    >>> leaf_brier(LabelSets.from_labels(["c"], tree), scores).tolist()
    [0.875]
    """
    leaves = np.diff(scores.hierarchy.child_ptr) == 0
    return node_brier(truth, scores, weights=leaves.astype(np.float64), root="include")


def log_score(truth: LabelSets, scores: NodeScores) -> Floats:
    """Return −log P(the true path) of every instance, in nats; inf where it was held impossible.

    The path that ends at a class v has the probability p(v) less that of its children; by the
    chain rule it is the product of the probabilities on the way down, so the score is the sum of
    their log losses. Nothing is clipped; a single root without a score has 1.

    Raises
    ------
    BadInput
        For an instance without one single true path, for a path that stops at an inner class of a
        DAG, and for children that have more than their parent.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> scores = NodeScores.from_array([[0.75, 0.25, 0.5, 0]], tree, classes=["a", "b", "c", "d"])
    >>> for label in "ad":
    ...     print(log_score(LabelSets.from_labels([label], tree), scores))
    [1.38629436]
    [inf]
    """
    hierarchy, names = scores.hierarchy, scores.hierarchy.names
    ids = truth.ids or scores.ids

    def refuse(bad: Bools, why: Callable[[int], str]) -> None:
        for i in np.flatnonzero(bad)[:1].tolist():
            raise BadInput(why(i), i if ids is None else ids[i])

    row, label = lowest_labels(hierarchy, truth)
    lengths = np.bincount(row, minlength=len(truth))
    refuse(lengths != 1, lambda i: (
        f"the log score is of one true path each, and the labels are {lengths[i]} paths; "
        "node_brier takes any sets"
    ))  # fmt: skip
    label = label[np.argsort(row, kind="stable")]
    rows = np.arange(len(truth), dtype=np.int64)
    p = scores.at(rows, label)
    if len(hierarchy.root_indices) == 1:  # every instance has it, whether a score says so or not
        p[(label == hierarchy.root_indices[0]) & (p == 0)] = 1
    count = np.diff(hierarchy.child_ptr)[label]
    refuse((count > 0) & (hierarchy.shape == "DAG"), lambda i: (
        f"the true path ends at the inner class {shown(names[label[i]])}, and in a DAG the "
        "probabilities of classes do not say how probable that is"
    ))  # fmt: skip
    children = hierarchy.children[ragged_ranges(hierarchy.child_ptr[label], count)]
    owner = np.repeat(rows, count)
    p -= np.bincount(owner, scores.at(owner, children), minlength=len(truth))
    refuse(p < -TOLERANCE, lambda i: (
        f"the children of class {shown(names[label[i]])} have {-p[i]:.3g} more than it has, so no "
        "law over paths has these probabilities"
    ))  # fmt: skip
    with np.errstate(divide="ignore"):
        found: Floats = np.abs(np.log(np.maximum(p, 0.0)))
    return found
