"""Decoders of set measures that are sums over classes: Hamming, ICM, H-loss and others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import COSTS, depth_weights, excluded_classes, grown_weights, mistake_costs
from hierpair.labels.node_scores import NodeScores
from hierpair.measures.class_weights import NOT_FINITE
from hierpair.probabilistic.decoding.decoded import Decoded, proved
from hierpair.probabilistic.decoding.exact_decoders import Task, decoder
from hierpair.probabilistic.decoding.probability_rows import (
    class_costs,
    counted_entries,
    marginals_of,
    need_tree,
    sum_rows,
    tree_rows,
)
from hierpair.probabilistic.distributions import LabelDistribution

__all__ = ["decode_h_loss", "decode_hamming"]


def decode_hamming(
    distribution: LabelDistribution | NodeScores, *, root: Any = "exclude", weights: Any = 1.0
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
    h, n = scores.hierarchy, len(scores)
    weight = class_costs(h, weights, "weights")
    row, node, p = counted_entries(scores, root)
    high = p > 0.5
    value = sum_rows(row, weight[node] * np.where(high, 1 - p, p), n)
    bound = sum_rows(row, weight[node] * np.minimum(p, 1 - p), n)
    return proved(scores, row[high], node[high], value, "lower", "more than one half", bound=bound)


def decode_h_loss(
    distribution: LabelDistribution | NodeScores, *, costs: Any = "sibling", root: Any = "exclude"
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
    h, n = scores.hierarchy, len(scores)
    need_tree(h, "H-loss", forest=True)
    if np.diff(h.parent_ptr)[excluded_classes(h, root)].any():
        raise BadInput("in H-loss only a root may be left out")
    if not scores.is_coherent():
        raise BadInput("H-loss needs coherent probabilities; repair them with closed(…)")
    named = isinstance(costs, str) and costs in COSTS
    cost = mistake_costs(h, costs) if named else class_costs(h, costs, "costs")
    entries = tree_rows(scores, root)
    top = entries.parent < 0
    above = np.where(top, 1.0, entries.p[np.maximum(entries.parent, 0)])
    predict = cost[entries.node] * (above - entries.p)
    leave = cost[entries.node] * entries.p
    best = np.zeros(len(entries.p))
    levels = entries.by_level()
    for some in reversed(levels):
        best[some] = np.minimum(leave[some], predict[some])
        inner = some[~top[some]]
        np.add.at(predict, entries.parent[inner], best[inner])
    taken = np.zeros(len(entries.p), dtype=bool)
    for some in levels:
        parent = entries.parent[some]
        taken[some] = (top[some] | taken[np.maximum(parent, 0)]) & (predict[some] < leave[some])
    value = sum_rows(entries.row[top], best[top], n)
    row, node = entries.row[taken], entries.node[taken]
    return proved(scores, row, node, value, "lower", "dynamic program on the tree")


@decoder(lambda task: _marginals_of_sums(task) is not None, general=True, weights=True)
def _class_by_class(task: Task) -> Decoded:
    """A measure to which every class adds an amount of its own, whatever the others do.

    With amounts a, b and c for a class of both sets, of the prediction alone and of the truth
    alone, it is predicted where a p + b (1 − p) is better than c p. That is one threshold for all
    classes, so with coherent probabilities the set is closed; for ICM it is 1/3.
    """
    scores, sets, amounts = _marginals_of_sums(task), task.sets, task.amounts
    if scores is None or sets is None or amounts is None:
        raise AssertionError
    direction = task.measure.definition.direction
    sign = 1.0 if direction == "higher" else -1.0
    row, node, p = counted_entries(scores, sets.root)
    weight = np.ones(len(node)) if task.weights is None else task.weights[node]
    odd = np.flatnonzero(~np.isfinite(weight) & (p > 0))
    if len(odd):
        name = task.hierarchy.names[node[odd[0]]]
        raise BadInput(
            NOT_FINITE.format(shown(name)),
            int(row[odd[0]]) if scores.ids is None else scores.ids[row[odd[0]]],
        )
    both, predicted, true = amounts
    said, unsaid = both * p + predicted * (1 - p), true * p
    chosen = sign * said > sign * unsaid
    each = np.where(p > 0, np.where(chosen, said, unsaid), 0.0) * np.where(p > 0, weight, 0.0)
    value = sum_rows(row, each, len(scores))
    return proved(scores, row[chosen], node[chosen], value, direction, "class by class")


def _marginals_of_sums(task: Task) -> NodeScores | None:
    """Return the probabilities by which a sum over classes is best class by class, if it is."""
    if task.amounts is None or task.sets is None or task.average != "samples":
        return None
    worse = task.amounts[1] <= 0 if task.measure.higher_is_better else task.amounts[1] >= 0
    if not worse:  # it would gain by classes that cannot be true
        return None
    if task.sets.augment == "none":
        return task.marginals
    coherent = task.sets.augment == "ancestors" and task.path_marginals.is_coherent()
    return task.path_marginals if coherent else None


@decoder(
    lambda task: (
        task.formula == "sdl"
        and task.options["augment"] in ("ancestors", "none")
        and (not task.is_augmented or task.marginals.is_coherent())
    )
)
def _symmetric_difference(task: Task) -> Decoded:
    return decode_hamming(task.marginals, root=task.options["root"])


@decoder(lambda task: task.formula == "hamming_loss")
def _share_of_wrong_classes(task: Task) -> Decoded:
    root = task.options["root"]
    counted = len(task.hierarchy) - len(excluded_classes(task.hierarchy, root))
    return decode_hamming(task.marginals, root=root, weights=1 / max(1, counted))


@decoder(lambda task: task.formula == "level_hamming" and task.path_marginals.is_coherent())
def _share_of_wrong_classes_by_level(task: Task) -> Decoded:
    h, root = task.hierarchy, task.options["root"]
    counted = np.ones(len(h), dtype=bool)
    counted[excluded_classes(h, root)] = False
    size = np.bincount(h.levels[counted], minlength=int(h.levels[-1]) + 1)
    weight = 1 / (np.maximum(size, 1)[h.levels] * max(1, int((size > 0).sum())))
    return decode_hamming(task.path_marginals, root=root, weights=weight)


@decoder(
    lambda task: (
        task.formula in ("depth_loss", "depth_accuracy")
        and task.average == "samples"
        and task.options["normalise"] != "path"
        and task.path_marginals.is_coherent()
    )
)
def _weighted_difference(task: Task) -> Decoded:
    """Depth-weighted symmetric difference, as it is or as a share of a constant."""
    h, o = task.hierarchy, task.options
    weight = depth_weights(h, o["w0"], o["depth"])
    if o["normalise"] == "max-path":
        weight = weight / (2 * grown_weights(h, o["w0"], o["depth"], o["root"]).max())
    loss = decode_hamming(task.path_marginals, root=o["root"], weights=weight)
    if task.formula == "depth_loss":
        return loss
    certificate = replace(loss.certificate, bound=1 - loss.certificate.bound)
    return replace(loss, value=1 - loss.value, direction="higher", certificate=certificate)


@decoder(
    lambda task: (
        task.formula == "h_loss"
        and task.hierarchy.shape != "DAG"
        and not np.diff(task.hierarchy.parent_ptr)[
            excluded_classes(task.hierarchy, task.options["root"])
        ].any()
        and task.path_marginals.is_coherent()
    )
)
def _first_mistakes(task: Task) -> Decoded:
    o = task.options
    return decode_h_loss(task.path_marginals, costs=o["costs"], root=o["root"])
