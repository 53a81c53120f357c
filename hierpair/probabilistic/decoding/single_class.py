"""Decoders that predict one class: most probable, least expected distance or cost."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.pairing import Pairs, checked_cost
from hierpair.probabilistic.decoding.decoded import Decoded, DecodingCertificate, label_sets
from hierpair.probabilistic.decoding.probability_rows import (
    TreeRows,
    candidate_classes,
    marginals_of,
    need_single_paths,
    need_tree,
    parent_of,
    sum_rows,
    tree_rows,
)
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.probabilistic.node_scores import NodeScores

__all__ = ["decode_depth_cost", "decode_distance", "decode_edge_cost", "decode_most_probable",
           "decode_node_cost"]  # fmt: skip

CELLS = 4_000_000
"""Instances times classes held at a time."""

Cost = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]


def decode_most_probable(
    given: LabelDistribution | NodeScores, classes: NDArray[np.integer], *, none: bool = False
) -> Decoded:
    """Return the most probable of some classes: best for accuracy among them.

    With the leaves this is leaf accuracy, with the classes of a level the accuracy at that
    level (Plaud et al. 2024, §5.3.1). Of equally probable classes the first one in
    ``hierarchy.names`` is taken.

    Parameters
    ----------
    given
        A distribution or scores.
    classes
        Class numbers to choose from, no two of which can be true together (leaves, or a level).
    none
        Whether to predict nothing where none of the classes is more probable than any: right
        where "no class of this level" counts as an answer.
    """
    scores = marginals_of(given)
    h, n = scores.hierarchy, len(scores)
    chosen = np.sort(np.asarray(classes, dtype=np.int64))
    if not len(chosen):
        raise BadInput("there is no class to choose from")
    value, node = np.empty(n), np.empty(n, dtype=np.int64)
    rows = max(1, CELLS // len(h))
    for lo in range(0, n, rows):
        some = scores.part(lo, min(n, lo + rows)).dense()[:, chosen]
        best = some.argmax(axis=1)
        node[lo : lo + rows] = chosen[best]
        value[lo : lo + rows] = some[np.arange(len(some)), best]
        if none:
            rest = 1 - some.sum(axis=1)
            nothing = rest > value[lo : lo + rows]
            node[lo : lo + rows][nothing] = -1
            value[lo : lo + rows] = np.maximum(value[lo : lo + rows], rest)
    keep = np.flatnonzero(node >= 0)
    sets = label_sets(h, n, keep, node[keep], scores.ids)
    return Decoded(sets, value, "higher", DecodingCertificate("most probable class", True, value))


def decode_distance(given: LabelDistribution | NodeScores, *, weighted: bool = False) -> Decoded:
    """Return the class with the least expected distance in a tree.

    Descend from the root while a child has more than half of the probability (Ramaswamy et al.
    2015; Plaud et al. 2024, §5.3.1). The classes above one half form a path, and its end is the
    answer for every choice of positive edge lengths. No label at all stands for the root. The
    expected distance is ``sum of w(v) min(p(v), 1 - p(v))`` over the edges, which no class beats.

    Parameters
    ----------
    given
        A distribution over single labels, or coherent scores of such.
    weighted
        Measure the value with the edge weights of the hierarchy; the class is the same.

    Raises
    ------
    BadInput
        For a hierarchy that is no tree, or a distribution with several labels per scenario.
    """
    scores = _of_single_paths(given, "the tree distance")
    h, n = scores.hierarchy, len(scores)
    weight = edge_weights(h, weighted)
    entries = tree_rows(scores)
    high = entries.p > 0.5
    tip = np.zeros(n, dtype=np.int64)  # the root
    np.maximum.at(tip, entries.row[high], entries.node[high])  # deeper classes have higher numbers
    w, p = weight[entries.node], entries.p
    value = sum_rows(entries.row, w * np.where(high, 1 - p, p), n)
    bound = sum_rows(entries.row, w * np.minimum(p, 1 - p), n)
    sets = label_sets(h, n, np.arange(n), tip, scores.ids)
    return Decoded(sets, value, "lower", DecodingCertificate("descent by one half", True, bound))


def decode_edge_cost(
    given: LabelDistribution | NodeScores, over: Any = 1.0, under: Any = 1.0
) -> Decoded:
    """Return the class with the least expected cost of edges said wrongly and edges not said.

    The cost is the sum of ``over(v)`` over the classes on the predicted path that are not true,
    and of ``under(v)`` over the true classes that are not on it. From the top down
    ``cost(v) = cost(parent) + over(v) (1 - p(v)) - under(v) p(v)``; the least one is taken.

    Parameters
    ----------
    given
        A distribution over single labels on a tree, or coherent scores of such.
    over, under
        Costs ≥ 0 of the edge into every class: a number, or shape ``(n_classes,)``.
    """
    scores = _of_single_paths(given, "the cost of edges")
    h, n = scores.hierarchy, len(scores)
    wrong, lacking = class_costs(h, over, "over"), class_costs(h, under, "under")
    wrong[h.root_indices] = lacking[h.root_indices] = 0.0  # no edge leads into the root
    entries = tree_rows(scores)
    p, v = entries.p, entries.node
    cost = entries.from_top(wrong[v] * (1 - p) - lacking[v] * p)
    none = sum_rows(entries.row, lacking[v] * p, n)
    value, node = _least(entries, cost, n)
    node = np.where(value <= 0, node, 0)  # classes without probability cost more than the root
    value = none + np.minimum(value, 0.0)
    sets = label_sets(h, n, np.arange(n), node, scores.ids)
    return Decoded(sets, value, "lower", DecodingCertificate("least sum along a path", True, value))


def decode_node_cost(
    distribution: LabelDistribution, cost: Any, *, candidates: Any = None
) -> Decoded:
    """Return the class with the least expected cost under any costs of pairs.

    Parameters
    ----------
    distribution
        A distribution over single labels; scenarios without a label are refused.
    cost
        A callable ``cost(predicted, true)`` on arrays of class numbers, such as
        ``hierarchy.pair_distances``; any cost of pairs, such as :class:`CostMatrix`; or an array
        of shape ``(n_classes, n_classes)`` with a row per predicted and a column per true class,
        as in a cost matrix.
    candidates
        Class numbers to choose from, in any order; by default all.
    """
    need_single_paths(distribution, "a cost of pairs")
    h, n = distribution.hierarchy, len(distribution)
    if (distribution.tips < 0).any():
        raise BadInput("a cost of pairs is not defined for scenarios without a label")
    chosen = candidate_classes(h, candidates)
    cost_of = _of_numbers(h, cost)
    value, node = np.empty(n), np.empty(n, dtype=np.int64)
    rows = max(1, CELLS // len(chosen))
    for lo in range(0, n, rows):
        some = distribution.part(lo, min(n, lo + rows))
        used, column = np.unique(some.tips, return_inverse=True)
        mass = sp.csr_array((some.p, column, some.indptr), shape=(len(some), len(used)))
        mean = np.zeros((len(some), len(chosen)))
        step = max(1, CELLS // len(chosen))
        for a in range(0, len(used), step):
            true = used[a : a + step]
            pairs = cost_of(np.tile(chosen, len(true)), np.repeat(true, len(chosen)))
            table = np.asarray(pairs, dtype=np.float64).reshape(len(true), len(chosen))
            mean += mass[:, a : a + step] @ table
        best = mean.argmin(axis=1)
        node[lo : lo + rows] = chosen[best]
        value[lo : lo + rows] = mean[np.arange(len(some)), best]
    sets = label_sets(h, n, np.arange(n), node, distribution.ids)
    return Decoded(sets, value, "lower", DecodingCertificate("least of all classes", True, value))


def decode_depth_cost(distribution: LabelDistribution, cost: Cost3) -> Decoded:
    """Return the class with the least expected cost on a tree, for costs that depend on depths.

    ``cost(d_predicted, d_true, d_common)`` takes arrays of the depths of both classes and of
    their lowest common ancestor. With the mass of labels of every depth below every class, all
    classes are priced in one pass per pair of depths, without a matrix of classes by classes.
    """
    need_single_paths(distribution, "a cost of depths")
    h, n = distribution.hierarchy, len(distribution)
    need_tree(h, "a cost of depths")
    if (distribution.tips < 0).any():
        raise BadInput("a cost of depths is not defined for scenarios without a label")
    depth, path = h.depths.astype(np.int64), paths_of(h)
    depths = np.unique(depth[distribution.tips])
    value, node = np.empty(n), np.empty(n, dtype=np.int64)
    rows = max(1, CELLS // len(h))
    for lo in range(0, n, rows):
        some = distribution.part(lo, min(n, lo + rows))
        mean = np.zeros((len(some), len(h)))
        for d in depths:
            kept = depth[some.tips] == d
            below = _mass_below(some, kept)
            for common in range(path.shape[1]):
                here = np.flatnonzero(depth >= common)
                share = below[:, path[here, common]].copy()
                deeper = depth[here] > common
                if deeper.any():
                    share[:, deeper] -= below[:, path[here[deeper], common + 1]]
                each = np.asarray(cost(depth[here], np.full(len(here), d),
                                        np.full(len(here), common)), dtype=np.float64)  # fmt: skip
                mean[:, here] += share * np.where(common <= d, each, 0.0)
        best = mean.argmin(axis=1)
        node[lo : lo + rows] = best
        value[lo : lo + rows] = mean[np.arange(len(some)), best]
    sets = label_sets(h, n, np.arange(n), node, distribution.ids)
    return Decoded(sets, value, "lower", DecodingCertificate("least of all classes", True, value))


Cost3 = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]


def _of_single_paths(given: LabelDistribution | NodeScores, what: str) -> NodeScores:
    """Return the marginals of a distribution over single labels on a tree; scores must be those of one."""
    need_tree(given.hierarchy, what)
    distribution = (
        given
        if isinstance(given, LabelDistribution)
        else LabelDistribution.from_nodes(marginals_of(given), given.hierarchy)
    )
    need_single_paths(distribution, what)
    return distribution.marginals()


def _mass_below(distribution: LabelDistribution, kept: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the probability of the kept scenarios at or below every class."""
    part = LabelDistribution(
        distribution.hierarchy,
        distribution.indptr,
        np.where(kept, distribution.p, 0.0),
        distribution.sets,
    )
    below: NDArray[np.float64] = part.marginals().dense()
    return below


def paths_of(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the class at every depth above every class, itself at its own; else itself."""
    parent = parent_of(hierarchy)
    deepest = int(hierarchy.depths.max())
    path = np.repeat(np.arange(len(hierarchy))[:, None], deepest + 1, axis=1)
    for d in range(deepest - 1, -1, -1):
        below = hierarchy.depths > d
        path[below, d] = parent[path[below, d + 1]]
    return path


def edge_weights(hierarchy: Hierarchy, weighted: bool) -> NDArray[np.float64]:
    """Return the length of the edge into every class of a tree, 0 for the root."""
    weight = np.ones(len(hierarchy))
    if weighted and hierarchy.weights is not None:
        weight[np.diff(hierarchy.parent_ptr) == 1] = hierarchy.weights
    weight[hierarchy.root_indices] = 0.0
    return weight


def class_costs(hierarchy: Hierarchy, given: Any, name: str) -> NDArray[np.float64]:
    """Return a cost per class from a number, or one number per class."""
    try:
        cost = np.array(np.broadcast_to(np.asarray(given, float), (len(hierarchy),)))
    except (TypeError, ValueError):
        raise BadInput(f"{name} must be a number or hold one per class") from None
    if not ((cost >= 0) & np.isfinite(cost)).all():
        raise BadInput(f"{name} must be finite and not negative")
    return cost


def _of_numbers(hierarchy: Hierarchy, cost: Any) -> Cost:
    """Return costs as a function of predicted and true class numbers."""
    if not callable(cost):
        n = len(hierarchy)
        table = np.asarray(cost, dtype=np.float64)
        if table.shape != (n, n):
            raise BadInput(f"the costs must have shape ({n}, {n}), got {table.shape}")
        return lambda predicted, true: table[predicted, true]
    if len(signature(cost).parameters) == 1:  # a cost of pairs
        return lambda u, v: checked_cost(cost, Pairs.of_classes(hierarchy, u, v))
    numbered: Cost = cost
    return numbered


def _least(
    entries: TreeRows, cost: NDArray[np.float64], n: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the least cost of every row and its first class."""
    least = np.full(n, np.inf)
    np.minimum.at(least, entries.row, cost)
    node = np.full(n, np.iinfo(np.int64).max)
    hit = cost == least[entries.row]
    np.minimum.at(node, entries.row[hit], entries.node[hit])
    return least, node
