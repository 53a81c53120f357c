"""Predictions of one class: the most probable one, or that of least expected distance or cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import Floats, Ints, groups_by, ratio, row_numbers
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import NodeScores
from hierpair.pairing import Degree, EdgeWeights, Hops, Pairs, checked_cost
from hierpair.probabilistic.decoding import (
    Best,
    Decoded,
    Direction,
    Instances,
    Task,
    blocks,
    decoded,
    decoder,
    label_sets,
    leaders,
    marginals_of,
    need_single_paths,
    need_tree,
)
from hierpair.probabilistic.decoding.by_class import (
    class_costs,
    decode_hamming,
    sum_rows,
    tree_rows,
)
from hierpair.probabilistic.distributions import LabelDistribution, parent_of

__all__ = [
    "CELLS", "best_of_classes", "candidate_classes", "decode_depth_cost", "decode_distance",
    "decode_edge_cost", "decode_most_probable", "decode_node_cost", "distinct_sets", "edge_weights",
    "lowest_of_rows", "mixed",
]  # fmt: skip

CELLS = 4_000_000
"""Instances times classes held at a time."""

Classes = Ints
Cost = Callable[[Classes, Classes], Floats]
DepthCost = Callable[[Classes, Classes, Classes], Floats]


# --------------------------------------------------------- the best of a table of classes


def best_of_classes(
    instances: Instances,
    classes: Ints,
    worth: Callable[[Instances], Floats],
    direction: Direction,
    method: str,
    width: int,
) -> Decoded:
    """Return the first best of some classes (-1: none) by a table of what each is worth.

    ``worth`` makes the table of some instances, a row each; ``width`` is what a row takes.
    """

    def best(some: Instances) -> Best:
        table = worth(some)
        at = table.argmax(axis=1) if direction == "higher" else table.argmin(axis=1)
        rows = np.arange(len(some))
        return Best(rows, classes[at], table[rows, at])

    return decoded(instances, map(best, blocks(instances, CELLS, width)), direction, method)


def decode_most_probable(
    distribution: LabelDistribution | NodeScores,
    classes: NDArray[np.integer],
    *,
    none: bool = False,
) -> Decoded:
    """Return the most probable of some classes: best for accuracy among them.

    With the leaves this is leaf accuracy, with the classes of a level the accuracy at that
    level (Plaud et al. 2024, §5.3.1). Of equally probable classes the first one in
    ``hierarchy.names`` is taken.

    Parameters
    ----------
    distribution
        A distribution or scores.
    classes
        Class numbers to choose from, no two of which can be true together (leaves, or a level).
    none
        Whether to predict nothing where none of the classes is more probable than any: right
        where "no class of this level" counts as an answer.

    Raises
    ------
    BadInput
        If there is no class to choose from.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree)
    >>> best = decode_most_probable(distribution, tree.index(["1", "2"]))
    >>> best.sets.names_of(0, tree), float(best.value[0])
    (['1'], 0.7)
    """
    scores = marginals_of(distribution)
    chosen = np.sort(np.asarray(classes, dtype=np.int64))
    if not len(chosen):
        raise BadInput("there is no class to choose from")

    def worth(some: NodeScores) -> Floats:
        p = some.dense()[:, chosen]
        return np.column_stack([p, 1 - p.sum(axis=1)]) if none else p

    answers = np.append(chosen, -1) if none else chosen
    width = len(scores.hierarchy)
    return best_of_classes(scores, answers, worth, "higher", "most probable class", width)


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
    chosen, cost_of = candidate_classes(h, candidates), _of_numbers(h, cost)

    def worth(some: LabelDistribution) -> Floats:
        used, column = np.unique(some.tips, return_inverse=True)

        def costs(kinds: Ints) -> Floats:
            true = np.repeat(used[kinds], len(chosen))
            pairs = cost_of(np.tile(chosen, len(kinds)), true)
            return np.asarray(pairs, dtype=np.float64).reshape(len(kinds), len(chosen))

        return mixed(some, column, costs, len(chosen))

    return best_of_classes(
        distribution, chosen, worth, "lower", "least of all classes", len(chosen)
    )


def mixed(
    distribution: LabelDistribution, kind: Ints, table: Callable[[Ints], Floats], width: int
) -> Floats:
    """Return the mean of a table under the probabilities of every instance, a row each.

    ``kind`` is the row of the table that each scenario has; ``table`` makes some of its rows, of
    so many cells at least.
    """
    n, n_kinds = len(distribution), int(kind.max(initial=-1)) + 1
    cells = distribution.p, kind, distribution.indptr
    mass, step = scipy.sparse.csr_array(cells, shape=(n, n_kinds)), max(1, CELLS // max(1, width))
    parts = (np.arange(a, min(a + step, n_kinds)) for a in range(0, n_kinds, step))
    total: Any = sum(mass[:, some] @ table(some) for some in parts)
    return np.asarray(total)


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
    need_single_paths(distribution, "a cost of depths", labelled=True)
    h = distribution.hierarchy
    need_tree(h, "a cost of depths")
    depth, parent = h.depths.astype(np.int64), parent_of(h)
    path = np.tile(np.arange(len(h)), (int(depth.max()) + 1, 1))  # by depth, the class above each
    for d in range(len(path) - 2, -1, -1):
        path[d] = np.where(depth > d, parent[path[d + 1]], path[d])

    def worth(some: LabelDistribution) -> Floats:
        mean = np.zeros((len(some), len(h)))
        for d in np.unique(depth[some.tips]):
            p = np.where(depth[some.tips] == d, some.p, 0.0)
            below = replace(some, p=p).marginals().dense()
            for common in range(int(d) + 1):
                here = np.flatnonzero(depth >= common)
                deeper = depth[here] > common
                share = below[:, path[common, here]]
                if deeper.any():
                    share[:, deeper] -= below[:, path[common + 1, here[deeper]]]
                each = cost(depth[here], np.full(len(here), d), np.full(len(here), common))
                mean[:, here] += share * np.asarray(each, dtype=np.float64)
        return mean

    every = np.arange(len(h))
    return best_of_classes(distribution, every, worth, "lower", "least of all classes", len(h))


def candidate_classes(hierarchy: Hierarchy, candidates: Any) -> Ints:
    """Return the numbers of the classes that may be predicted, ascending; None is all.

    Raises
    ------
    BadInput
        For no class, or what is no class number.
    """
    if candidates is None:
        return np.arange(len(hierarchy))
    listed = list(candidates) if isinstance(candidates, Iterable) else candidates
    numbers = np.asarray(listed)
    if numbers.ndim != 1 or not len(numbers) or numbers.dtype.kind not in "iu":
        raise BadInput(
            "candidates must be class numbers such as hierarchy.index(names), got "
            f"{shown(candidates)}"
        )
    for odd in numbers[(numbers < 0) | (numbers >= len(hierarchy))][:1]:
        raise BadInput(
            f"the candidate {odd} is no class number; there are 0 … {len(hierarchy) - 1}"
        )
    return np.unique(numbers).astype(np.int64)


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


# ------------------------------------------------------------------ paths in a tree


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
    h = scores.hierarchy
    best = decode_hamming(scores, root="include", weights=edge_weights(h, weighted))
    tip = lowest_of_rows(row_numbers(best.sets.indptr), best.sets.indices, len(scores))
    certificate = replace(best.certificate, method="descent by one half")
    sets = label_sets(scores, np.arange(len(scores)), tip)
    return replace(best, sets=sets, certificate=certificate)


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
    counted, parent = tree_rows(scores)
    row, node, p = row_numbers(counted.indptr), counted.indices, counted.values
    cost = wrong[node] * (1 - p) - lacking[node] * p
    for entries in groups_by(h.levels[node]):
        below = entries[parent[entries] >= 0]
        cost[below] += cost[parent[below]]
    least, first = np.zeros(n), np.full(n, len(h))  # the root costs 0, classes that cannot be more
    np.minimum.at(least, row, cost)
    hit = cost == least[row]
    np.minimum.at(first, row[hit], node[hit])
    value = sum_rows(row, lacking[node] * p, n) + least
    best = Best(np.arange(n), np.where(least < 0, first, 0), value)
    return decoded(scores, [best], "lower", "least sum along a path")


def lowest_of_rows(row: Ints, node: NDArray[np.integer], n: int) -> Ints:
    """Return the end of the path of classes of every row of a tree; of none it is the root."""
    tip = np.zeros(n, dtype=np.int64)
    np.maximum.at(tip, row, node)  # deeper classes have higher numbers
    return tip


def edge_weights(hierarchy: Hierarchy, weighted: bool) -> Floats:
    """Return the length of the edge into every class of a tree, 0 for the root."""
    weight = np.ones(len(hierarchy))
    if weighted and hierarchy.weights is not None:
        weight[np.diff(hierarchy.parent_ptr) == 1] = hierarchy.weights
    weight[hierarchy.root_indices] = 0.0
    return weight


def _of_single_paths(distribution: LabelDistribution | NodeScores, what: str) -> NodeScores:
    """Return the marginals of a distribution over single labels on a tree; scores stand for it."""
    need_tree(distribution.hierarchy, what)
    if not isinstance(distribution, LabelDistribution):
        scores = marginals_of(distribution)
        distribution = LabelDistribution.from_nodes(scores, scores.hierarchy)
    need_single_paths(distribution, what)
    return distribution.marginals()


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


# ------------------------------------------------- hits: of leaves, of levels, of label sets


@decoder(lambda task: task.formula == "leaf_accuracy" and task.has_single_paths)
def _leaf(task: Task) -> Decoded:
    """The most probable leaf; its value is a share of the probability that a leaf is true."""
    scores, leaf = task.path_marginals, np.diff(task.hierarchy.child_ptr) == 0
    best = decode_most_probable(scores, np.flatnonzero(leaf))
    if not task.is_distribution:
        return best
    is_leaf = leaf[scores.indices]
    judged = sum_rows(row_numbers(scores.indptr)[is_leaf], scores.values[is_leaf], len(scores))
    value = np.minimum(ratio(best.value, judged), 1.0)
    return replace(best, value=value, certificate=replace(best.certificate, bound=value))


@decoder(
    lambda task: (
        task.formula == "level_accuracy"
        and task.has_single_paths
        and task.options["augment"] == "none"
        and task.average != "samples"
        and task.hierarchy.shape != "DAG"
    )
)
def _each_level(task: Task) -> Decoded:
    """An argmax per level; its value is a ratio of expectations, as the mean is one of sums."""
    h, scores = task.hierarchy, task.path_marginals
    none = task.options["absent_level"] == "none-class"
    counted = np.setdiff1d(np.arange(len(h)), excluded_classes(h, task.options["root"]))
    found, right, judged = list[LabelSets](), list[float](), list[float]()
    for some in groups_by(h.levels[counted]):
        best = decode_most_probable(scores, counted[some], none=none)
        found.append(best.sets)
        right.append(best.value.sum())
        here = np.isin(scores.indices, counted[some])
        judged.append(len(scores) if none else scores.values[here].sum())
    known = np.array(judged) > 0  # nan where no level is judged at all
    hits, total = np.array(right)[known], np.array(judged)[known]
    if task.average != "micro":
        hits, total = hits / total, np.ones(len(hits))
    value = ratio(hits.sum(keepdims=True), total.sum(keepdims=True))
    row = np.concatenate([np.empty(0, np.int64), *(row_numbers(s.indptr) for s in found)])
    node = np.concatenate([np.empty(0, np.int64), *(s.indices for s in found)])
    method = "most probable class of every level (ratio of expectations)"
    return decoded(scores, [Best(row, node, value)], "higher", method)


@decoder(lambda task: task.formula == "subset_accuracy" and task.is_distribution)
def _label_set(task: Task) -> Decoded:
    distribution, sets = task.full, task.full.sets
    owner = row_numbers(distribution.indptr)
    first, kind = distinct_sets(sets, owner)
    mass = sum_rows(kind, distribution.p, len(first))
    order = np.argsort(first)
    lead = order[leaders(owner[first[order]], -mass[order])]
    best = sets.take(first[lead])
    found = Best(row_numbers(best.indptr), best.indices, mass[lead])
    return decoded(distribution, [found], "higher", "most probable label set")


def distinct_sets(sets: LabelSets, group: Ints) -> tuple[Ints, Ints]:
    """Return the first of all equal sets of a group, and which of these each set is equal to."""
    padded = np.full((len(sets), int(sets.lengths.max(initial=0)) + 1), -1, dtype=np.int64)
    padded[:, 0] = group
    column = np.arange(len(sets.indices)) - np.repeat(sets.indptr[:-1], sets.lengths)
    padded[row_numbers(sets.indptr), column + 1] = sets.indices
    _, first, kind = np.unique(padded, axis=0, return_index=True, return_inverse=True)
    return first, kind.ravel()
