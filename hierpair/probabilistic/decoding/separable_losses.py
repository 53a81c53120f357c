"""Decoders of set losses that are sums over classes: Hamming, symmetric difference, H-loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import COSTS, excluded_classes, mistake_costs
from hierpair.hierarchy.arrays import row_numbers
from hierpair.probabilistic.decoding.decoded import Decoded, DecodingCertificate, label_sets
from hierpair.probabilistic.decoding.probability_rows import (
    marginals_of,
    need_tree,
    sum_rows,
    tree_rows,
)
from hierpair.probabilistic.decoding.single_class import class_costs
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.probabilistic.node_scores import NodeScores

__all__ = ["decode_h_loss", "decode_hamming"]


def decode_hamming(
    given: LabelDistribution | NodeScores, *, root: Any = "exclude", weights: Any = 1.0
) -> Decoded:
    """Return the set with the least expected (weighted) symmetric difference.

    The classes with more than half of the probability, whatever the dependence between classes
    and on any hierarchy. With coherent probabilities the set is closed. No set has an expected
    value below ``sum of w(v) min(p(v), 1 - p(v))``.

    Parameters
    ----------
    given
        A distribution or scores.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.
    weights
        Weight ≥ 0 of every class, such as ``1 / n_classes`` for Hamming loss: a number, or shape
        ``(n_classes,)``.
    """
    scores = marginals_of(given)
    h, n = scores.hierarchy, len(scores)
    weight = class_costs(h, weights, "weights")
    keep = ~np.isin(scores.indices, excluded_classes(h, root))
    row, node, p = row_numbers(scores.indptr)[keep], scores.indices[keep], scores.values[keep]
    high = p > 0.5
    value = sum_rows(row, weight[node] * np.where(high, 1 - p, p), n)
    bound = sum_rows(row, weight[node] * np.minimum(p, 1 - p), n)
    sets = label_sets(h, n, row[high], node[high], scores.ids)
    return Decoded(sets, value, "lower", DecodingCertificate("more than one half", True, bound))


def decode_h_loss(given: LabelDistribution | NodeScores, *, costs: Any = "sibling", root: Any = "exclude"
) -> Decoded:  # fmt: skip
    """Return the closed set with the least expected H-loss on a tree or forest.

    H = sum of c(v) over the classes that only one of both closed sets has while all their
    ancestors are right (Cesa-Bianchi et al. 2006). With the parent predicted, a class costs
    ``c p(v)`` if it is not predicted, and ``c (p(parent) - p(v))`` and what its children cost at
    best if it is: V(v) is the smaller one, from the bottom up.

    Parameters
    ----------
    given
        A distribution over any closed sets, or its coherent marginals.
    costs
        c(v) ≥ 0: ``"sibling"``, ``"ones"`` or ``"subtree"`` as for the measure, a number, or shape
        ``(n_classes,)``.
    root
        ``"exclude"``, ``"include"``, or the name of the root; other classes always count.
    """
    scores = marginals_of(given)
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
    sets = label_sets(h, n, entries.row[taken], entries.node[taken], scores.ids)
    return Decoded(
        sets, value, "lower", DecodingCertificate("dynamic programme on the tree", True, value)
    )
