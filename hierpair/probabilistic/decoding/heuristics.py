"""Rules that are used where nothing is decoded: thresholds and walks from the top. Not optimal."""

from __future__ import annotations

from typing import Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import excluded_classes
from hierpair.hierarchy.arrays import row_numbers
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import Closing, NodeScores
from hierpair.probabilistic.decoding.decoded import label_sets
from hierpair.probabilistic.decoding.probability_rows import blocks, marginals_of, need_tree
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.probabilistic.stopping import parent_of

__all__ = ["apply_threshold", "walk_down"]

CELLS = 4_000_000


def apply_threshold(
    distribution: LabelDistribution | NodeScores,
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
    scores = marginals_of(distribution)
    sets = scores.closed(closure).above(threshold, reached=reached)
    keep = ~np.isin(sets.indices, excluded_classes(scores.hierarchy, root))
    rows = row_numbers(sets.indptr)[keep]
    return label_sets(scores.hierarchy, sets, rows, sets.indices[keep])


def walk_down(distribution: LabelDistribution | NodeScores, *, stop: float = 0.0) -> LabelSets:
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
    scores = marginals_of(distribution)
    h = scores.hierarchy
    need_tree(h, "a walk from the root")
    if not 0 <= stop <= 1:
        raise BadInput(f"stop must be in [0, 1], got {stop!r}")
    parent, tip = parent_of(h), np.zeros(len(scores), dtype=np.int64)
    for rows, some in blocks(scores, CELLS, len(h)):
        dense, at = some.dense(), tip[rows]
        for a, b in h.level_ranges()[1:]:
            open_ = (parent[a:b] == at[:, None]) & (dense[:, a:b] > stop)
            below = np.where(open_, dense[:, a:b], -1.0)
            best = below.argmax(axis=1)
            moves = below[np.arange(len(at)), best] >= 0
            at[moves] = a + best[moves]
    return label_sets(h, scores, np.arange(len(scores)), tip)
