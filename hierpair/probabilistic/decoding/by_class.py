"""Decoding by class: each class adds an amount of its own, or one class is predicted alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np

from hierpair.errors import BadInput, Infeasible, shown
from hierpair.hierarchy import COSTS, Hierarchy, excluded_classes, mistake_costs
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Indices,
    Ints,
    by_row,
    groups_by,
    leaders,
    marked,
    pieces,
    sparse_rows,
)
from hierpair.hierarchy.building import LARGEST_NUMBER
from hierpair.labels import LabelSets
from hierpair.labels.naming import refuse
from hierpair.labels.node_scores import Closing, NodeScores
from hierpair.measures.class_weights import NOT_FINITE, class_weights
from hierpair.measures.registry import Direction
from hierpair.pairing import CostMatrix, Pairs, checked_cost
from hierpair.pairing.costs import check_number
from hierpair.probabilistic.decoding import (
    Best,
    Decoded,
    NotExact,
    decoded,
    in_parts,
    label_sets,
    marginals_of,
    need_single_paths,
    need_tree,
)
from hierpair.probabilistic.distributions import (
    LabelDistribution,
    LawOrScores,
    check_probability,
    counted_scores,
    places_of,
)

# ----------------------------------------------------------- every class by itself


def decode_hamming(
    distribution: LawOrScores, *, root: Any = "exclude", weights: Any = 1.0
) -> Decoded:
    """Return the set with the least expected (weighted) symmetric difference.

    The classes with more than half of the probability, whatever the dependence between classes
    and on any hierarchy. With coherent probabilities the set is closed. No set has an expected
    value below ``sum of w(v) min(p(v), 1 - p(v))``.

    Parameters
    ----------
    distribution
        A distribution or scores.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.
    weights
        Weight ≥ 0 of every class, such as ``1 / n_classes`` for Hamming loss: a number, or shape
        ``(n_classes,)``.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> best = decode_hamming(LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree))
    >>> best.sets.names_of(0, tree), float(best.value[0])
    (['1'], 1.3)
    """
    scores = marginals_of(distribution)
    weight = class_costs(scores.hierarchy, weights, "weights")
    return decode_sum(scores, root, (0, 1, 1), weight, "lower", "more than one half")


def decode_sum(
    scores: NodeScores,
    root: Any,
    amounts: Sequence[float],
    weight: Floats,
    direction: Direction,
    method: str = "class by class",
) -> Decoded:
    """Return the best sets where every class adds an amount of its own, whatever the others do.

    With amounts a, b and c for a class of both sets, of the prediction alone and of the truth
    alone, it is predicted where a p + b (1 - p) is better than c p. That is one threshold for all
    classes, so with coherent probabilities the set is closed; for ICM it is 1/3.
    """
    both, predicted, true = amounts
    counted = counted_scores(scores, root)
    row, node, p = counted.row, counted.indices, counted.values
    refuse(
        ~np.isfinite(weight[node]),
        lambda k: NOT_FINITE.format(shown(scores.hierarchy.names[node[k]])),
        lambda k: scores.name(row[k]),
    )
    said, unsaid = both * p + predicted * (1 - p), true * p
    chosen = said > unsaid if direction == "higher" else said < unsaid
    value = np.bincount(row, weight[node] * np.where(chosen, said, unsaid), minlength=len(scores))
    return decoded(scores, [Best(row[chosen], node[chosen], value)], direction, method)


# ------------------------------------------------------------ one threshold for all


def decode_micro_hf(
    distribution: LawOrScores, beta: float = 1, *, root: Any = "exclude"
) -> Decoded:
    """Return the sets that maximise the ratio of expectations of micro hF-beta.

    ``(1 + β²) sum E|S_i ∩ Y_i| / (sum |S_i| + β² sum E|Y_i|)``, over all instances together. For
    a ratio F a class belongs to its set if ``(1 + β²) p > F``; repeating that with the ratio that
    it reaches ends at the largest ratio (Dinkelbach 1967). So one threshold, F / (1 + β²), is best
    for all instances; coherent probabilities give closed sets. The expectation of the ratio
    itself is another number; for many instances both are close.

    Parameters
    ----------
    distribution
        A distribution or scores.
    beta
        Weight of recall, a finite number > 0.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.

    Returns
    -------
    Decoded
        ``value`` has one entry. The bound is the largest ratio that any sets can have.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2], [0.9, 0.1, 0.0]], tree)
    >>> best = decode_micro_hf(distribution)
    >>> best.sets.names_of(0, tree), best.sets.names_of(1, tree), best.value.round(4).tolist()
    (['1', '3'], ['2'], [0.7241])
    """
    check_number("beta", beta, "a finite number > 0", lambda x: 0 < x < LARGEST_NUMBER)
    counted = counted_scores(marginals_of(distribution), root)
    p, square = counted.values, float(beta) ** 2
    true, ratio, reached = square * p.sum(), -1.0, 0.0
    while reached > ratio:
        ratio = reached
        chosen = (1 + square) * p > ratio
        reached = float((1 + square) * p[chosen].sum()) / (float(chosen.sum() + true) or 1.0)
    best = Best(counted.row[chosen], counted.indices[chosen], np.array([ratio]))
    method = f"one threshold for all instances, {ratio / (1 + square):.6g}"
    return decoded(counted, [best], "higher", method)


# ---------------------------------------------------- classes below right ones: a tree


def decode_h_loss(
    distribution: LawOrScores, *, costs: Any = "sibling", root: Any = "exclude"
) -> Decoded:
    """Return the closed set with the least expected H-loss on a tree or forest.

    H = sum of c(v) over the classes that only one of both closed sets has while all their
    ancestors are right (Cesa-Bianchi et al. 2006). With the parent predicted, a class costs
    ``c p(v)`` if it is not predicted, and ``c (p(parent) - p(v))`` and what its children cost at
    best if it is: V(v) is the smaller one, from the bottom up.

    Parameters
    ----------
    distribution
        A distribution over any closed sets, or its coherent marginals.
    costs
        c(v) ≥ 0: ``"sibling"``, ``"ones"`` or ``"subtree"`` as for the measure, a number, or shape
        ``(n_classes,)``.
    root
        ``"exclude"``, ``"include"``, or the name of the root; other classes always count.

    Raises
    ------
    BadInput
        On a DAG, and for incoherent probabilities.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> best = decode_h_loss(LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree), costs="ones")
    >>> best.sets.names_of(0, tree), float(best.value[0])
    ([], 1.0)
    """
    scores = marginals_of(distribution)
    h = scores.hierarchy
    need_tree(h, "H-loss", "a tree or forest")
    if leaves_out_inner(h, root):
        raise NotExact("in H-loss only a root may be left out")
    scores.need_coherence()
    named = isinstance(costs, str) and costs in COSTS
    cost = mistake_costs(h, costs) if named else class_costs(h, costs, "costs")
    counted = counted_scores(scores, root)
    row, node, p, parent, levels = places_of(counted)
    top = parent < 0
    predict, leave = cost[node] * (np.where(top, 1.0, p[parent]) - p), cost[node] * p
    best = np.zeros(len(p))
    for some in reversed(levels):
        best[some] = np.minimum(leave[some], predict[some])
        inner = some[~top[some]]
        np.add.at(predict, parent[inner], best[inner])
    taken = with_all_above(levels, parent, predict < leave)
    value = np.bincount(row[top], best[top], minlength=len(scores))
    found = Best(row[taken], node[taken], value)
    return decoded(scores, [found], "lower", "dynamic program on the tree")


def leaves_out_inner(hierarchy: Hierarchy, root: Any) -> bool:
    """Return whether a class that does not count has a parent."""
    return bool(hierarchy.n_parents[excluded_classes(hierarchy, root)].any())


def with_all_above(levels: list[Ints], parent: Ints, wanted: Bools) -> Bools:
    """Return which entries are wanted with all above them, given levels and places of parents."""
    taken = np.zeros(len(wanted), dtype=bool)
    for some in levels:
        taken[some] = wanted[some] & ((parent[some] < 0) | taken[parent[some]])
    return taken


def class_costs(hierarchy: Hierarchy, costs: Any, name: str) -> Floats:
    """Return a cost per class from a number, one number per class, or one for each by name."""
    if hasattr(costs, "items"):
        costs = class_weights(hierarchy, costs)
    try:
        cost = np.array(np.broadcast_to(np.asarray(costs, float), (len(hierarchy),)))
    except (TypeError, ValueError):
        raise BadInput(f"{name} must be a number or hold one per class") from None
    if not ((cost >= 0) & np.isfinite(cost)).all():
        raise BadInput(f"{name} must be finite and not negative")
    return cost


CELLS = 4_000_000
"""Instances times classes held at a time."""

Cost = Callable[[Ints, Ints], Floats]


# --------------------------------------------------------- the best of a table of classes


def best_of_classes(
    instances: Any,
    classes: Ints,
    worth: Callable[[Any], Floats],
    direction: Direction,
    method: str,
    width: int,
) -> Decoded:
    """Return the first best of some classes (-1: none) by a table of what each is worth.

    ``worth`` makes the table of some instances, a row each; ``width`` is what a row takes.
    """

    def best(some: Any) -> Best:
        table = worth(some)
        at = table.argmax(axis=1) if direction == "higher" else table.argmin(axis=1)
        rows = np.arange(len(some))
        return Best(rows, classes[at], table[rows, at])

    found = decoded(instances, map(best, in_parts(instances, CELLS, width)), direction, method)
    unpaired = "no prediction has a pairing in every scenario"
    refuse(np.isposinf(found.value), lambda _: unpaired, instances.name, Infeasible)
    return found


def decode_most_probable(
    distribution: LawOrScores,
    classes: Indices,
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
    some = scores.only(marked(chosen, len(scores.hierarchy))[scores.indices])
    value, node = by_row(np.maximum, some.values, some.indptr, 0.0), np.full(len(some), chosen[0])
    best = np.flatnonzero((some.values == value[some.row]) & (some.values > 0))[::-1]
    node[some.row[best]] = some.indices[best]  # of equal ones the first, which comes last
    if none:
        rest = 1 - np.bincount(some.row, some.values, len(some))
        value, node = np.maximum(value, rest), np.where(rest > value, -1, node)
    found = Best(np.arange(len(some)), node, value)
    return decoded(scores, [found], "higher", "most probable class")


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
    Infeasible
        If every class is infinitely dear, such as where scenarios are in several trees.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree)
    >>> best = decode_node_cost(distribution, tree.pair_distances)
    >>> best.sets.names_of(0, tree), round(float(best.value[0]), 4)
    (['3'], 1.3)
    """
    need_single_paths(distribution, "a cost of pairs", labelled=True)
    h = distribution.hierarchy
    chosen, cost_of = candidate_classes(h, candidates), _of_numbers(h, cost)
    width = len(chosen)

    def worth(some: LabelDistribution) -> Floats:
        used, column = np.unique(some.tips, return_inverse=True)

        def costs(kinds: Ints) -> Floats:
            pairs = cost_of(np.tile(chosen, len(kinds)), np.repeat(used[kinds], width))
            return np.asarray(pairs, dtype=np.float64).reshape(len(kinds), width)

        return mixed(some, column, costs, width)

    return best_of_classes(distribution, chosen, worth, "lower", "least of all classes", width)


def mixed(
    distribution: LabelDistribution, kind: Ints, table: Callable[[Ints], Floats], width: int
) -> Floats:
    """Return the mean of a table under the probabilities of every instance, a row each.

    ``kind`` is the row of the table that each scenario has; ``table`` makes some of its rows, of
    so many cells at least.
    """
    n_kinds = int(kind.max(initial=-1)) + 1
    mass = sparse_rows(distribution.indptr, kind, n_kinds, distribution.p)
    parts = (np.arange(n_kinds)[part] for part in pieces(n_kinds, CELLS // max(1, width)))
    total: Any = sum(mass[:, some] @ table(some) for some in parts)
    return np.asarray(total)


def decode_depth_cost(
    distribution: LabelDistribution, cost: Callable[[Ints, Ints, Ints], Floats]
) -> Decoded:
    """Return the class with the least expected cost on a tree, for costs that depend on depths.

    The depth of the lowest common ancestor follows from those of both classes and their distance.

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
    >>> distribution = LabelDistribution.from_leaves([[0.4, 0.4, 0.2]], tree)
    >>> best = decode_depth_cost(distribution, lambda p, t, common: p + t - 2.0 * common)
    >>> best.sets.names_of(0, tree), round(float(best.value[0]), 4)
    (['1'], 1.4)
    """
    h = distribution.hierarchy
    need_tree(h, "a cost of depths")
    depth = h.depths.astype(np.int64)

    def priced(predicted: Ints, true: Ints) -> Floats:
        d, of_true = depth[predicted], depth[true]
        hops = h.pair_distances(predicted, true, weighted=False).astype(np.int64)
        return cost(d, of_true, (d + of_true - hops) // 2)

    return decode_node_cost(distribution, priced)


def candidate_classes(hierarchy: Hierarchy, candidates: Any) -> Ints:
    """Return the numbers of the classes that may be predicted, ascending; None is all."""
    n = len(hierarchy)
    numbers = np.unique(np.arange(n) if candidates is None else np.asarray(candidates))
    if not len(numbers) or numbers.dtype.kind not in "iu" or not 0 <= numbers[0] <= numbers[-1] < n:
        raise BadInput(
            "candidates must be class numbers such as hierarchy.index(names), "
            f"0 … {n - 1}, got {shown(candidates)}"
        )
    return numbers.astype(np.int64)


def _of_numbers(hierarchy: Hierarchy, cost: Any) -> Cost:
    """Return costs as a function of predicted and true class numbers."""
    if not callable(cost):
        cost = CostMatrix(cost)
    if len(signature(cost).parameters) == 1:  # a cost of pairs
        return lambda u, v: checked_cost(cost, Pairs.of_classes(hierarchy, u, v))
    numbered: Cost = cost
    return numbered


# ------------------------------------------------------------------ paths in a tree


def decode_distance(distribution: LawOrScores, *, weighted: bool = False) -> Decoded:
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
    h, weights = scores.hierarchy, np.ones(len(scores.hierarchy))
    if weighted and h.weights is not None:
        weights[h.parent >= 0] = h.weights
    weights[h.root_indices] = 0.0  # no edge leads into the root
    best = decode_hamming(scores, root="include", weights=weights)
    tip = lowest_of_rows(best.sets.row, best.sets.indices, len(scores))
    certificate = replace(best.certificate, method="descent by one half")
    sets = label_sets(scores, np.arange(len(scores)), tip)
    return replace(best, sets=sets, certificate=certificate)


def decode_edge_cost(distribution: LawOrScores, over: Any = 1.0, under: Any = 1.0) -> Decoded:
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
    h = scores.hierarchy
    wrong, lacking = class_costs(h, over, "over"), class_costs(h, under, "under")
    wrong[h.root_indices] = lacking[h.root_indices] = 0.0  # no edge leads into the root
    lacks = np.bincount(scores.row, lacking[scores.indices] * scores.values, len(scores))

    def worth(some: NodeScores) -> Floats:
        p = some.dense()
        cost = wrong * (1 - p) - lacking * p
        for here in groups_by(h.levels)[1:]:
            cost[:, here] += cost[:, h.parent[here]]
        return cost

    every, method = np.arange(len(h)), "least sum along a path"
    best = best_of_classes(scores, every, worth, "lower", method, len(h))
    return best.mapped(lambda least: lacks + least)


def lowest_of_rows(row: Ints, node: Indices, n: int) -> Ints:
    """Return the end of the path of classes of every row of a tree; of none it is the root."""
    tip = np.zeros(n, dtype=np.int64)
    np.maximum.at(tip, row, node)  # deeper classes have higher numbers
    return tip


def _of_single_paths(distribution: LawOrScores, what: str) -> NodeScores:
    """Return the marginals of a distribution over single labels on a tree; scores stand for it."""
    need_tree(distribution.hierarchy, what)
    if not isinstance(distribution, LabelDistribution):
        scores = marginals_of(distribution)
        distribution = LabelDistribution.from_nodes(scores, scores.hierarchy)
    need_single_paths(distribution, what)
    return distribution.marginals()


# --------------------------------------- rules where nothing is decoded: not optimal


def apply_threshold(
    distribution: LawOrScores,
    threshold: float = 0.5,
    *,
    reached: bool = False,
    closure: Closing = None,
    root: Any = "exclude",
) -> LabelSets:
    """Return the classes with a score above a threshold.

    Parameters
    ----------
    distribution
        A distribution or scores.
    threshold
        In [0, 1].
    reached
        Whether a score at the threshold is enough.
    closure
        How to repair incoherent scores first; see :meth:`NodeScores.closed`.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree)
    >>> apply_threshold(distribution, 0.4).names_of(0, tree)
    ['1', '3']
    """
    check_probability("threshold", threshold)
    scores = counted_scores(marginals_of(distribution).closed(closure), root)
    return scores.above(threshold, reached=reached)


def walk_down(distribution: LawOrScores, *, stop: float = 0.0) -> LabelSets:
    """Return the end of a walk from the root to the most probable child, on a tree.

    Parameters
    ----------
    distribution
        A distribution or scores.
    stop
        The walk ends at a leaf, or before a child with a score of at most this, in [0, 1].

    Raises
    ------
    BadInput
        For a hierarchy that is no tree.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree)
    >>> [walk_down(distribution, stop=p).names_of(0, tree) for p in (0, 0.6)]
    [['3'], ['1']]
    """
    scores = counted_scores(marginals_of(distribution), "exclude")
    h, n = scores.hierarchy, len(scores)
    need_tree(h, "a walk from the root")
    check_probability("stop", stop)
    row, node, p, parent, levels = places_of(scores)
    above = h.parent[node]
    first = marked(leaders(np.where(parent >= 0, parent, len(p) + row), -p), len(p))
    moves = first & (p > stop) & ((parent >= 0) | (above == 0))
    reached = with_all_above(levels, parent, moves)
    return label_sets(scores, np.arange(n), lowest_of_rows(row[reached], node[reached], n))
