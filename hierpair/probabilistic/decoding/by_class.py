"""Decoding class by class: losses and values to which every class adds an amount of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import (
    COSTS,
    Hierarchy,
    depth_weights,
    excluded_classes,
    grown_weights,
    mistake_costs,
)
from hierpair.hierarchy.arrays import Bools, Floats, Ints, groups_by, row_numbers
from hierpair.labels.node_scores import NodeScores
from hierpair.measures.class_weights import NOT_FINITE
from hierpair.probabilistic.decoding import (
    Best,
    Decoded,
    Direction,
    Task,
    decoded,
    decoder,
    marginals_of,
    need_tree,
)
from hierpair.probabilistic.distributions import (
    LabelDistribution,
    counted_scores,
    parent_of,
    parent_places,
)

__all__ = [
    "class_costs", "decode_h_loss", "decode_hamming", "decode_micro_hf", "sum_rows", "tree_rows",
    "with_all_above",
]  # fmt: skip

MOST_STEPS = 1000


# ----------------------------------------------------------- every class by itself


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
    weight = class_costs(scores.hierarchy, weights, "weights")
    return _by_class(scores, root, (0.0, 1.0, 1.0), weight, "lower", "more than one half")


def _by_class(
    scores: NodeScores,
    root: Any,
    amounts: Sequence[float],
    weight: Floats,
    direction: Direction,
    method: str,
) -> Decoded:
    """Return the best sets where every class adds an amount of its own, whatever the others do.

    With amounts a, b and c for a class of both sets, of the prediction alone and of the truth
    alone, it is predicted where a p + b (1 - p) is better than c p. That is one threshold for all
    classes, so with coherent probabilities the set is closed; for ICM it is 1/3.
    """
    both, predicted, true = amounts
    counted = counted_scores(scores, root)
    row, node, p = row_numbers(counted.indptr), counted.indices, counted.values
    said, unsaid = both * p + predicted * (1 - p), true * p
    chosen = said > unsaid if direction == "higher" else said < unsaid
    value = sum_rows(row, weight[node] * np.where(chosen, said, unsaid), len(scores))
    return decoded(scores, [Best(row[chosen], node[chosen], value)], direction, method)


@decoder(lambda task: _marginals_of_sums(task) is not None, weights=True)
def _sum_over_classes(task: Task) -> Decoded:
    """A measure that is a sum over the classes of both sets, each with its weight."""
    scores, sets, amounts = _marginals_of_sums(task), task.sets, _amounts(task)
    assert scores is not None
    assert sets is not None
    assert amounts is not None
    counted = counted_scores(scores, sets.root)
    weight = np.ones(len(task.hierarchy)) if task.weights is None else task.weights
    odd = np.flatnonzero(~np.isfinite(weight[counted.indices]))
    if len(odd):
        i = int(row_numbers(counted.indptr)[odd[0]])
        name = task.hierarchy.names[counted.indices[odd[0]]]
        who = i if scores.ids is None else scores.ids[i]
        raise BadInput(NOT_FINITE.format(shown(name)), who)
    direction = task.measure.definition.direction
    return _by_class(scores, sets.root, amounts, weight, direction, "class by class")


def _amounts(task: Task) -> list[float] | None:
    """Return what a class of weight 1 adds in both sets, only predicted, only true, if it is so.

    None for measures without the trait ``"additive"``.
    """
    if "additive" not in task.measure.definition.traits or task.sets is None:
        return None
    tp, fp, fn = np.eye(3)  # one class of weight 1: in both sets, only predicted, only true
    columns = {"tp": tp, "fp": fp, "fn": fn}
    columns |= {"n_true": tp + fn, "n_pred": tp + fp, "n_both": tp}
    amounts: list[float] = task.measure.values(columns).tolist()
    return amounts


def _marginals_of_sums(task: Task) -> NodeScores | None:
    """Return the probabilities by which a sum over classes is best class by class, if it is."""
    amounts = _amounts(task)
    if amounts is None or task.sets is None or task.average != "samples":
        return None
    worse = amounts[1] <= 0 if task.measure.higher_is_better else amounts[1] >= 0
    if not worse:  # it would gain by classes that cannot be true
        return None
    if task.sets.augment == "none":
        return task.marginals
    coherent = task.sets.augment == "ancestors" and task.path_marginals.is_coherent()
    return task.path_marginals if coherent else None


@decoder(lambda task: _weights_of_difference(task) is not None)
def _weighted_difference(task: Task) -> Decoded:
    """A symmetric difference in which classes weigh, or 1 less such a one."""
    scores = task.path_marginals if task.formula.startswith(("level", "depth")) else task.marginals
    weight = _weights_of_difference(task)
    loss = decode_hamming(scores, root=task.options["root"], weights=weight)
    if task.formula != "depth_accuracy":
        return loss
    certificate = replace(loss.certificate, bound=1 - loss.certificate.bound)
    return replace(loss, value=1 - loss.value, direction="higher", certificate=certificate)


def _weights_of_difference(task: Task) -> Any:
    """Return what a class weighs in a measure that is such a difference, otherwise None.

    Shares of wrong classes, of all or level by level; the difference itself; and the one that is
    weighted by depth, as it is or as a share of a constant.
    """
    h, o, formula = task.hierarchy, task.options, task.formula
    if formula == "hamming_loss":
        return 1 / max(1, len(h) - len(excluded_classes(h, o["root"])))
    if formula == "sdl" and task.is_plain and task.is_coherent:
        return 1.0
    if formula == "level_hamming" and task.path_marginals.is_coherent():
        counted = np.ones(len(h), dtype=bool)
        counted[excluded_classes(h, o["root"])] = False
        size = np.bincount(h.levels[counted], minlength=int(h.levels[-1]) + 1)
        return 1 / (np.maximum(size, 1)[h.levels] * max(1, int((size > 0).sum())))
    if formula in ("depth_loss", "depth_accuracy") and task.path_marginals.is_coherent():
        weight = depth_weights(h, o["w0"], o["depth"])
        if o["normalise"] == "max-path":
            weight = weight / (2 * grown_weights(h, o["w0"], o["depth"], o["root"]).max())
        return weight if task.average == "samples" and o["normalise"] != "path" else None
    return None


# ------------------------------------------------------------ one threshold for all


def decode_micro_hf(
    distribution: LabelDistribution | NodeScores, beta: float = 1, *, root: Any = "exclude"
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
    if not 0 < beta < 1e100:
        raise BadInput(f"beta must be a finite number > 0, got {beta!r}")
    counted = counted_scores(marginals_of(distribution), root)
    square, p = float(beta) ** 2, counted.values
    true, ratio = square * p.sum(), 0.0
    for _ in range(MOST_STEPS):
        chosen = (1 + square) * p > ratio
        below = float(chosen.sum() + true)
        reached = float((1 + square) * p[chosen].sum()) / below if below else 0.0
        if reached <= ratio:
            break
        ratio = reached
    chosen = (1 + square) * p > ratio
    row = row_numbers(counted.indptr)
    best = Best(row[chosen], counted.indices[chosen], np.array([ratio]))
    method = f"one threshold for all instances, {ratio / (1 + square):.6g}"
    return decoded(counted, [best], "higher", method)


@decoder(
    lambda task: (
        task.formula == "hf"
        and task.average == "micro"
        and task.options["beta"] > 0
        and task.is_plain
        and task.is_coherent  # augmenting would add classes that the threshold left out
    )
)
def _micro(task: Task) -> Decoded:
    return decode_micro_hf(task.marginals, task.options["beta"], root=task.options["root"])


# ---------------------------------------------------- classes below right ones: a tree


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
    h = scores.hierarchy
    need_tree(h, "H-loss", forest=True)
    if _leaves_out_inner(h, root):
        raise BadInput("in H-loss only a root may be left out")
    if not scores.is_coherent():
        raise BadInput("H-loss needs coherent probabilities; repair them with closed(…)")
    named = isinstance(costs, str) and costs in COSTS
    cost = mistake_costs(h, costs) if named else class_costs(h, costs, "costs")
    counted, parent = tree_rows(scores, root)
    row, node, p = row_numbers(counted.indptr), counted.indices, counted.values
    each = cost[node]
    top = parent < 0
    predict, leave = each * (np.where(top, 1.0, p[parent]) - p), each * p
    best, levels = np.zeros(len(p)), groups_by(h.levels[node])
    for some in reversed(levels):
        best[some] = np.minimum(leave[some], predict[some])
        inner = some[~top[some]]
        np.add.at(predict, parent[inner], best[inner])
    taken = with_all_above(levels, parent, predict < leave)
    value = sum_rows(row[top], best[top], len(scores))
    found = Best(row[taken], node[taken], value)
    return decoded(scores, [found], "lower", "dynamic program on the tree")


@decoder(
    lambda task: (
        task.formula == "h_loss"
        and task.hierarchy.shape != "DAG"
        and not _leaves_out_inner(task.hierarchy, task.options["root"])
        and task.path_marginals.is_coherent()
    )
)
def _first_mistakes(task: Task) -> Decoded:
    o = task.options
    return decode_h_loss(task.path_marginals, costs=o["costs"], root=o["root"])


def _leaves_out_inner(hierarchy: Hierarchy, root: Any) -> bool:
    return bool(np.diff(hierarchy.parent_ptr)[excluded_classes(hierarchy, root)].any())


def tree_rows(scores: NodeScores, root: Any = "include") -> tuple[NodeScores, Ints]:
    """Return coherent scores on a tree or forest, and where that of each class's parent is.

    -1 at the top; ``root`` says what counts. A parent without a score of its own would have one of
    at least its child's, so it must be there: incoherent scores are refused.
    """
    h, counted = scores.hierarchy, counted_scores(scores, root)
    parent, above = parent_places(counted), parent_of(h)[counted.indices]
    above = above[(parent < 0) & (above >= 0)]
    if not np.isin(above, excluded_classes(h, root)).all():
        raise BadInput(
            "a class has a probability and its parent has none; repair the scores with "
            "closed('max') or closed('min')"
        )
    return counted, parent


def with_all_above(levels: list[Ints], parent: Ints, wanted: Bools) -> Bools:
    """Return which entries are wanted with all above them, given levels and places of parents."""
    taken = np.zeros(len(wanted), dtype=bool)
    for some in levels:
        taken[some] = wanted[some] & ((parent[some] < 0) | taken[parent[some]])
    return taken


def class_costs(hierarchy: Hierarchy, costs: Any, name: str) -> Floats:
    """Return a cost per class from a number, or one number per class."""
    try:
        cost = np.array(np.broadcast_to(np.asarray(costs, float), (len(hierarchy),)))
    except (TypeError, ValueError):
        raise BadInput(f"{name} must be a number or hold one per class") from None
    if not ((cost >= 0) & np.isfinite(cost)).all():
        raise BadInput(f"{name} must be finite and not negative")
    return cost


def sum_rows(row: NDArray[np.integer], values: Floats, n: int) -> Floats:
    """Return the sum of the values of every row, shape ``(n,)``."""
    sums: Floats = np.bincount(row, values, minlength=n).astype(np.float64)
    return sums
