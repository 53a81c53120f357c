"""The most probable class, class of every level, or label set: best where only hits count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import excluded_classes
from hierpair.hierarchy.arrays import ratio, row_numbers
from hierpair.labels.node_scores import NodeScores
from hierpair.probabilistic.decoding.decoded import Decoded, proved
from hierpair.probabilistic.decoding.exact_decoders import Task, decoder
from hierpair.probabilistic.decoding.probability_rows import blocks, marginals_of
from hierpair.probabilistic.distributions import LabelDistribution

__all__ = ["decode_most_probable"]

CELLS = 4_000_000
"""Instances times classes held at a time."""


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
    h, n = scores.hierarchy, len(scores)
    chosen = np.sort(np.asarray(classes, dtype=np.int64))
    if not len(chosen):
        raise BadInput("there is no class to choose from")
    value, node = np.empty(n), np.empty(n, dtype=np.int64)
    for at, some in blocks(scores, CELLS, len(h)):
        p = some.dense()[:, chosen]
        best = p.argmax(axis=1)
        node[at] = chosen[best]
        value[at] = p[np.arange(len(p)), best]
        if none:
            rest = 1 - p.sum(axis=1)
            node[at][rest > value[at]] = -1
            value[at] = np.maximum(value[at], rest)
    keep = np.flatnonzero(node >= 0)
    return proved(scores, keep, node[keep], value, "higher", "most probable class")


@decoder(lambda task: task.formula == "leaf_accuracy" and task.has_single_paths)
def _leaf(task: Task) -> Decoded:
    """The most probable leaf; its value is a share of the probability that a leaf is true."""
    leaf = np.flatnonzero(np.diff(task.hierarchy.child_ptr) == 0)
    best = decode_most_probable(task.distribution, leaf)
    if not task.is_distribution:
        return best
    scores = task.path_marginals
    is_leaf = np.isin(scores.indices, leaf)
    rows = row_numbers(scores.indptr)[is_leaf]
    judged = np.bincount(rows, scores.values[is_leaf], minlength=len(scores))
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
    h, scores, n = task.hierarchy, task.path_marginals, len(task.distribution)
    none = task.options["absent_level"] == "none-class"
    counted = np.ones(len(h), dtype=bool)
    counted[excluded_classes(h, task.options["root"])] = False
    rows, nodes, right, judged = [], [], [], []
    for a, b in h.level_ranges():
        here = a + np.flatnonzero(counted[a:b])
        if not len(here):
            continue
        best = decode_most_probable(scores, here, none=none)
        rows.append(np.repeat(np.arange(n), best.sets.lengths))
        nodes.append(best.sets.indices)
        right.append(best.value.sum())
        inside = np.isin(scores.indices, here)
        judged.append(n if none else scores.values[inside].sum())
    hits, total = np.array(right), np.array(judged)
    known = total > 0
    value = np.full(1, np.nan)  # where no level is judged at all
    if known.any():
        micro = hits[known].sum() / total[known].sum()
        value[0] = micro if task.average == "micro" else (hits[known] / total[known]).mean()
    method = "most probable class of every level (ratio of expectations)"
    return proved(scores, rows, nodes, value, "higher", method)


@decoder(lambda task: task.formula == "subset_accuracy" and task.is_distribution)
def _label_set(task: Task) -> Decoded:
    distribution, sets = task.full, task.full.sets
    padded = np.full((len(sets), int(sets.lengths.max(initial=0)) + 1), -1, dtype=np.int64)
    padded[:, 0] = row_numbers(distribution.indptr)
    column = np.arange(len(sets.indices)) - np.repeat(sets.indptr[:-1], sets.lengths)
    padded[row_numbers(sets.indptr), column + 1] = sets.indices
    kinds, first, kind = np.unique(padded, axis=0, return_index=True, return_inverse=True)
    mass = np.bincount(kind.ravel(), distribution.p, minlength=len(kinds)).astype(np.float64)
    owner = kinds[:, 0]
    order = np.lexsort((first, -mass, owner))
    lead = order[np.unique(owner[order], return_index=True)[1]]
    best = sets.take(first[lead])
    rows, method = row_numbers(best.indptr), "most probable label set"
    return proved(distribution, rows, best.indices, mass[lead], "higher", method)
