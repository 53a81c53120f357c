"""Which decoder is exact for which measure; the last one that is declared is asked first."""

from __future__ import annotations

from typing import Any

import numpy as np

from hierpair.hierarchy import depth_weights, excluded_classes, grown_weights
from hierpair.hierarchy.arrays import Floats, Ints, groups_by, ratio, row_numbers
from hierpair.labels import LabelSets
from hierpair.measures.recipes.sets import SetRecipe
from hierpair.pairing import SIDES, Degree, EdgeWeights, Hops, Unmatched
from hierpair.probabilistic.decoding import (
    Best,
    Decoded,
    NotExact,
    Task,
    decoded,
    decoder,
    leaders,
)
from hierpair.probabilistic.decoding.by_class import (
    decode_distance,
    decode_h_loss,
    decode_micro_hf,
    decode_most_probable,
    decode_node_cost,
    decode_sum,
)
from hierpair.probabilistic.decoding.by_size import (
    decode_hf,
    decode_hp,
    decode_hr,
    decode_set_value,
)
from hierpair.probabilistic.decoding.pairings import decode_gie, decode_pairing

# ------------------------------------------------------------------- any measure of a kind


@decoder(
    lambda task: (
        type(task.sets) is SetRecipe and task.augment == "ancestors" and task.average == "samples"
    )
)
def _sizes(task: Task) -> Decoded:
    """Any measure of augmented sets is a value of three sizes, where it is defined for them."""
    h, root = task.hierarchy, task.sets.root if task.sets else None
    n_classes = len(h) - len(excluded_classes(h, root))

    def value(k: Ints, a: Ints, s: Ints) -> Floats:
        sizes = {"n_true": a, "n_pred": k, "n_both": s, "tp": s, "fp": k - s, "fn": a - s}
        whole = {"n_classes": np.full(len(a), n_classes), "n": np.ones(len(a))}
        return task.measure.values({**sizes, **whole})

    size = np.arange(3)
    if np.isnan(value(size, size[::-1].copy(), np.zeros(3, np.int64))).any():
        raise NotExact("it is not defined for some sets")
    direction = task.measure.definition.direction
    return decode_set_value(task.full, value, direction=direction, root=root, limit=task.limit)


ONE_EACH = {Degree(side, 1, 1) for side in SIDES}


@decoder(lambda task: task.rule is not None and task.average in ("samples", "micro"))
def _pairing(task: Task) -> Decoded:
    """The cost of a pairing: where one class is true by place on the tree, else by a program."""
    rule, law, h = task.rule, task.full, task.hierarchy
    assert rule is not None
    constraints = set(rule.constraints)
    alone: dict[Any, Any] = {c.side: c.cost for c in constraints if isinstance(c, Unmatched)}
    cost = [alone.get(side) for side in SIDES]
    weighted = isinstance(rule.cost, EdgeWeights) and h.weights is not None
    by_edges = h.shape == "tree" and (weighted or isinstance(rule.cost, Hops))
    numbers = all(isinstance(c, (int, float)) and 0 <= c < 1e100 for c in cost)
    if law.is_single_path and constraints == ONE_EACH and (law.tips >= 0).all():
        if by_edges:  # every class needs a partner, so one is predicted
            return task.pooled(decode_distance(law, weighted=weighted))
        return task.pooled(decode_node_cost(law, rule.cost))
    one_to_one = constraints == ONE_EACH | {*map(Unmatched, SIDES, cost)}
    if law.is_single_path and by_edges and numbers and cost[0] and one_to_one:
        best = decode_gie(law, cost[0], default_true=cost[1], weighted=weighted)
        return task.pooled(best)
    return task.pooled(decode_pairing(law, rule, limit=task.limit))


# ------------------------------------------------------------------------------ class by class


@decoder(lambda task: _weights(task) is not None, weights=True)
def _sum_over_classes(task: Task) -> Decoded:
    """A sum over the classes of one set alone or of both, each with its weight, or 1 less it."""
    d, root = task.measure.definition, task.sets.root if task.sets else task.options["root"]
    weight = np.broadcast_to(np.asarray(_weights(task), dtype=np.float64), len(task.hierarchy))
    if "additive" not in d.traits:
        loss = decode_sum(task.marginals, root, (0, 1, 1), weight, "lower")
        return loss if d.direction == "lower" else loss.mapped(lambda x: 1 - x, direction="higher")
    tp, fp, fn = np.eye(3)  # one class of weight 1: in both sets, only predicted, only true
    columns = {"tp": tp, "fp": fp, "fn": fn}
    columns |= {"n_true": tp + fn, "n_pred": tp + fp, "n_both": tp}
    amounts = task.measure.values(columns).tolist()
    return decode_sum(task.marginals, root, amounts, weight, d.direction)


def _weights(task: Task) -> Any:
    """Return what a class weighs in a measure that is such a sum, otherwise None."""
    h, o, formula = task.hierarchy, task.options, task.formula
    additive = "additive" in task.measure.definition.traits and task.sets is not None
    named = ("hamming_loss", "level_hamming", "depth_loss", "depth_accuracy")
    may_be = (additive or formula in named) and task.average == "samples" and task.is_plain
    if not may_be or not task.is_coherent or o.get("normalise") == "path":
        return None
    if additive:
        return 1.0 if task.weights is None else task.weights
    counted = np.ones(len(h), dtype=bool)
    counted[excluded_classes(h, o["root"])] = False
    if formula == "hamming_loss":
        return 1 / max(1, int(counted.sum()))
    if formula == "level_hamming":
        size = np.bincount(h.levels[counted], minlength=int(h.levels[-1]) + 1)
        return 1 / (np.maximum(size, 1)[h.levels] * max(1, int((size > 0).sum())))
    weight = depth_weights(h, o["w0"], o["depth"])
    if o["normalise"] == "max-path":
        weight = weight / (2 * grown_weights(h, o["w0"], o["depth"], o["root"]).max())
    return weight


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


@decoder(lambda task: task.formula == "h_loss")
def _first_mistakes(task: Task) -> Decoded:
    o = task.options
    return decode_h_loss(task.path_marginals, costs=o["costs"], root=o["root"])


# ------------------------------------------------------------------------------------ by size


@decoder(
    lambda task: (
        task.formula in ("hf", "hp", "hr", "f")
        and task.average == "samples"
        and task.is_plain
        and (task.formula == "f" or not np.isnan(task.options["zero_division"]))
    )
)
def _by_size(task: Task) -> Decoded:
    o, root = task.options, task.sets.root if task.sets else None
    how: dict[str, Any] = {"root": root, "closed": task.augment == "ancestors"}
    if task.formula == "f":
        if not o["beta"] or (task.full.sets.lengths == 0)[task.full.p > 0].any():
            raise NotExact("of no label flat F is zero_division, and hierarchical F is 1")
        return decode_hf(task.full, o["beta"], **how)
    how["zero_division"] = o["zero_division"]
    if task.formula == "hf":
        return decode_hf(task.full, o["beta"], **how)
    return (decode_hp if task.formula == "hp" else decode_hr)(task.full, **how)


# -------------------------------------------------------------------------------- one class


@decoder(lambda task: task.formula == "shortest_path" and len(task.hierarchy.root_indices) == 1)
def _path(task: Task) -> Decoded:
    if task.hierarchy.shape == "tree":
        return decode_distance(task.distribution)
    return decode_node_cost(task.full, Hops())


# ------------------------------------------------- hits: of leaves, of levels, of label sets


@decoder(lambda task: task.formula == "leaf_accuracy" and task.has_single_paths)
def _leaf(task: Task) -> Decoded:
    """The most probable leaf; its value is a share of the probability that a leaf is true."""
    scores, leaf = task.path_marginals, np.diff(task.hierarchy.child_ptr) == 0
    best = decode_most_probable(scores, np.flatnonzero(leaf))
    if not task.is_distribution:
        return best
    is_leaf = leaf[scores.indices]
    judged = np.bincount(
        row_numbers(scores.indptr)[is_leaf], scores.values[is_leaf], minlength=len(scores)
    )
    return best.mapped(lambda value: np.minimum(ratio(value, judged), 1.0))


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
    levels = [counted[some] for some in groups_by(h.levels[counted])]
    found = [decode_most_probable(scores, some, none=none) for some in levels]
    mass = [scores.values[np.isin(scores.indices, some)].sum() for some in levels]
    judged = np.array([len(scores) if none else some for some in mass], dtype=np.float64)
    hits = np.array([best.value.sum() for best in found])[judged > 0]
    total = judged[judged > 0]  # nan where no level is judged at all
    if task.average != "micro":
        hits, total = hits / total, np.ones(len(hits))
    value = ratio(hits.sum(keepdims=True), total.sum(keepdims=True))
    row = np.concatenate([np.empty(0, np.int64), *(row_numbers(b.sets.indptr) for b in found)])
    node = np.concatenate([np.empty(0, np.int64), *(b.sets.indices for b in found)])
    method = "most probable class of every level (ratio of expectations)"
    return decoded(scores, [Best(row, node, value)], "higher", method)


@decoder(lambda task: task.formula == "subset_accuracy")
def _label_set(task: Task) -> Decoded:
    """The most probable label set."""
    distribution, owner = task.full, row_numbers(task.full.indptr)
    first, kind = distinct_sets(distribution.sets, owner)
    mass = np.bincount(kind, distribution.p, minlength=len(first))[kind]
    lead = leaders(owner, -mass)
    best = distribution.sets.take(lead)
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
