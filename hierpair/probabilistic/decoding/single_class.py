"""Decoders that predict one class: the one of least expected distance or cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
import scipy

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.labels.node_scores import NodeScores
from hierpair.pairing import Degree, EdgeWeights, Hops, Pairs, checked_cost
from hierpair.probabilistic.decoding.decoded import Decoded, proved
from hierpair.probabilistic.decoding.exact_decoders import Task, decoder
from hierpair.probabilistic.decoding.probability_rows import (
    TreeRows,
    blocks,
    candidate_classes,
    class_costs,
    edge_weights,
    marginals_of,
    need_single_paths,
    need_tree,
    paths_of,
    sum_rows,
    tree_rows,
)
from hierpair.probabilistic.distributions import LabelDistribution

__all__ = ["decode_depth_cost", "decode_distance", "decode_edge_cost", "decode_node_cost"]

CELLS = 4_000_000
"""Instances times classes held at a time."""

Classes = Ints
Cost = Callable[[Classes, Classes], Floats]
DepthCost = Callable[[Classes, Classes, Classes], Floats]


def decode_distance(
    distribution: LabelDistribution | NodeScores, *, weighted: bool = False
) -> Decoded:
    """Return the class with the least expected distance in a tree.

    Descend from the root while a child has more than half of the probability (Ramaswamy et al.
    2015; Plaud et al. 2024, §5.3.1). The classes above one half form a path, and its end is the
    answer for every choice of positive edge lengths. No label at all stands for the root. The
    expected distance is ``sum of w(v) min(p(v), 1 - p(v))`` over the edges, which no class beats.

    Parameters
    ----------
    distribution
        A distribution over single labels, or coherent scores of such.
    weighted
        Measure the value with the edge weights of the hierarchy; the class is the same.

    Raises
    ------
    BadInput
        For a hierarchy that is no tree, or a distribution with several labels per scenario.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> best = decode_distance(LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree))
    >>> best.sets.names_of(0, tree), round(float(best.value[0]), 4)
    (['1'], 1.3)
    """
    scores = _of_single_paths(distribution, "the tree distance")
    h, n = scores.hierarchy, len(scores)
    weight = edge_weights(h, weighted)
    entries = tree_rows(scores)
    high = entries.p > 0.5
    tip = np.zeros(n, dtype=np.int64)  # the root
    np.maximum.at(tip, entries.row[high], entries.node[high])  # deeper classes have higher numbers
    w, p = weight[entries.node], entries.p
    value = sum_rows(entries.row, w * np.where(high, 1 - p, p), n)
    bound = sum_rows(entries.row, w * np.minimum(p, 1 - p), n)
    return proved(scores, np.arange(n), tip, value, "lower", "descent by one half", bound=bound)


def decode_edge_cost(
    distribution: LabelDistribution | NodeScores, over: Any = 1.0, under: Any = 1.0
) -> Decoded:
    """Return the class with the least expected cost of wrong and of missing edges.

    The cost is the sum of ``over(v)`` over the classes on the predicted path that are not true,
    and of ``under(v)`` over the true classes that are not on it. From the top down
    ``cost(v) = cost(parent) + over(v) (1 - p(v)) - under(v) p(v)``; the least one is taken.

    Parameters
    ----------
    distribution
        A distribution over single labels on a tree, or coherent scores of such.
    over, under
        Costs ≥ 0 of the edge into every class: a number, or shape ``(n_classes,)``.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree)
    >>> best = decode_edge_cost(distribution, under=2.0)
    >>> best.sets.names_of(0, tree), round(float(best.value[0]), 4)
    (['3'], 1.8)
    """
    scores = _of_single_paths(distribution, "the cost of edges")
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
    return proved(scores, np.arange(n), node, value, "lower", "least sum along a path")


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

    Raises
    ------
    BadInput
        For scenarios of no label or of several, and for costs of the wrong shape.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree)
    >>> best = decode_node_cost(distribution, Hops())
    >>> best.sets.names_of(0, tree), round(float(best.value[0]), 4)
    (['3'], 1.3)
    """
    need_single_paths(distribution, "a cost of pairs", labelled=True)
    h = distribution.hierarchy
    chosen = candidate_classes(h, candidates)
    cost_of = _of_numbers(h, cost)

    def mean_costs(some: LabelDistribution) -> Floats:
        used, column = np.unique(some.tips, return_inverse=True)
        mass = scipy.sparse.csr_array((some.p, column, some.indptr), shape=(len(some), len(used)))
        mean = np.zeros((len(some), len(chosen)))
        step = max(1, CELLS // len(chosen))
        for a in range(0, len(used), step):
            true = used[a : a + step]
            pairs = cost_of(np.tile(chosen, len(true)), np.repeat(true, len(chosen)))
            table = np.asarray(pairs, dtype=np.float64).reshape(len(true), len(chosen))
            mean += mass[:, a : a + step] @ table
        return mean

    return _least_of_all(distribution, chosen, mean_costs)


def decode_depth_cost(distribution: LabelDistribution, cost: DepthCost) -> Decoded:
    """Return the class with the least expected cost on a tree, for costs that depend on depths.

    With the mass of labels of every depth below every class, all classes are priced in one pass
    per pair of depths, without a matrix of classes by classes.

    Parameters
    ----------
    distribution
        A distribution over single labels on a tree; scenarios without a label are refused.
    cost
        ``cost(d_predicted, d_true, d_common)`` takes arrays of the depths of both classes and of
        their lowest common ancestor, and returns a cost each.

    Raises
    ------
    BadInput
        For a hierarchy that is no tree, and for scenarios of no label or of several.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree)
    >>> best = decode_depth_cost(distribution, lambda p, t, common: p + t - 2.0 * common)
    >>> best.sets.names_of(0, tree), round(float(best.value[0]), 4)
    (['1'], 1.3)
    """
    need_single_paths(distribution, "a cost of depths")
    h = distribution.hierarchy
    need_tree(h, "a cost of depths")
    need_single_paths(distribution, "a cost of depths", labelled=True)
    depth, path = h.depths.astype(np.int64), paths_of(h)
    depths = np.unique(depth[distribution.tips])

    def mean_costs(some: LabelDistribution) -> Floats:
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
                of_both = np.full(len(here), d), np.full(len(here), common)
                each = np.asarray(cost(depth[here], *of_both), dtype=np.float64)
                mean[:, here] += share * np.where(common <= d, each, 0.0)
        return mean

    return _least_of_all(distribution, np.arange(len(h)), mean_costs)


def _least_of_all(
    distribution: LabelDistribution,
    classes: Ints,
    mean_costs: Callable[[LabelDistribution], Floats],
) -> Decoded:
    """Return the class with the least mean cost, given for some instances at a time."""
    n = len(distribution)
    value, node = np.empty(n), np.empty(n, dtype=np.int64)
    for at, some in blocks(distribution, CELLS, len(classes)):
        mean = mean_costs(some)
        best = mean.argmin(axis=1)
        node[at], value[at] = classes[best], mean[np.arange(len(some)), best]
    return proved(distribution, np.arange(n), node, value, "lower", "least of all classes")


def _of_single_paths(distribution: LabelDistribution | NodeScores, what: str) -> NodeScores:
    """Return the marginals of a distribution over single labels on a tree; scores stand for it."""
    need_tree(distribution.hierarchy, what)
    if not isinstance(distribution, LabelDistribution):
        scores = marginals_of(distribution)
        distribution = LabelDistribution.from_nodes(scores, scores.hierarchy)
    need_single_paths(distribution, what)
    return distribution.marginals()


def _mass_below(distribution: LabelDistribution, kept: Bools) -> Floats:
    """Return the probability of the kept scenarios at or below every class."""
    part = replace(distribution, p=np.where(kept, distribution.p, 0.0), ids=None)
    return part.marginals().dense()


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


def _least(entries: TreeRows, cost: Floats, n: int) -> tuple[Floats, Ints]:
    """Return the least cost of every row and its first class."""
    least = np.full(n, np.inf)
    np.minimum.at(least, entries.row, cost)
    node = np.full(n, np.iinfo(np.int64).max)
    hit = cost == least[entries.row]
    np.minimum.at(node, entries.row[hit], entries.node[hit])
    return least, node


@decoder(
    lambda task: (
        task.formula == "shortest_path"
        and len(task.hierarchy.root_indices) == 1
        and (task.has_single_paths if task.hierarchy.shape == "tree" else task.has_single_labels)
    )
)
def _path(task: Task) -> Decoded:
    if task.hierarchy.shape == "tree":
        return decode_distance(task.distribution)
    return decode_node_cost(task.full, Hops())


@decoder(
    lambda task: (
        task.rule is not None
        and set(task.rule.constraints) == {Degree("predicted", 1, 1), Degree("true", 1, 1)}
        and task.has_single_labels
    )
)
def _one_for_one(task: Task) -> Decoded:
    """Pairings where every class needs a partner: one class is true, so one is predicted."""
    assert task.rule is not None
    cost, h = task.rule.cost, task.hierarchy
    weighted = isinstance(cost, EdgeWeights) and h.weights is not None
    if h.shape == "tree" and (weighted or isinstance(cost, Hops)):
        return task.pooled(decode_distance(task.full, weighted=weighted))
    return task.pooled(decode_node_cost(task.full, cost))
