"""Pairs of an instance and a class that say something: those with a score, and the true ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.errors import BadInput, instances_have
from hierpair.hierarchy import Hierarchy, ancestor_closure, excluded_classes
from hierpair.hierarchy.arrays import Bools, Floats, Ints, row_numbers, sorted_unique
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import NodeScores

__all__ = [
    "ListedPairs",
    "augmented_keys",
    "check_rows",
    "counted_classes",
    "listed_pairs",
    "true_cells",
]


@dataclass(frozen=True, eq=False)
class ListedPairs:
    """Pairs that have a score or are true; every other pair is false and has the score 0.

    So what is summed over all pairs costs as much as the scores and labels that were given, not
    instances × classes.

    Attributes
    ----------
    hierarchy, n_instances
        The classes, and how many rows there are.
    counts
        Of every class, whether it counts, shape ``(n_classes,)``.
    row, column, value, true
        Instance, class, score, and whether the class is in the augmented truth, pair by pair.
    """

    hierarchy: Hierarchy
    n_instances: int
    counts: Bools
    row: Ints
    column: Ints
    value: Floats
    true: Bools

    @property
    def classes(self) -> Ints:
        """The classes that count."""
        return np.flatnonzero(self.counts)

    def positives(self) -> Ints:
        """Return how many instances have each class, shape ``(n_classes,)``."""
        return np.bincount(self.column[self.true], minlength=len(self.counts))


def listed_pairs(truth: LabelSets, scores: NodeScores, *, root: Any = "exclude") -> ListedPairs:
    """Return the pairs of a truth, which is augmented by ancestors, and of its scores.

    Parameters
    ----------
    truth, scores
        Of the same instances in the same order.
    root
        Which class does not count, as for :func:`hierpair.hierarchy.excluded_classes`.

    Raises
    ------
    BadInput
        Where the numbers of instances differ.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    >>> scores = NodeScores.from_array([[0.9, 0.2]], tree, classes=["a", "b"])
    >>> pairs = listed_pairs(LabelSets.from_labels([["c"]], tree), scores)
    >>> [(tree.names[c], float(p), bool(t)) for c, p, t in
    ...  zip(pairs.column, pairs.value, pairs.true)]
    [('a', 0.9, True), ('b', 0.2, False), ('c', 0.0, True)]
    """
    hierarchy = scores.hierarchy
    check_rows(truth, scores)
    counts = counted_classes(hierarchy, root)
    row, column = row_numbers(scores.indptr), scores.indices
    kept = counts[column]
    true_row, true_column = true_cells(hierarchy, truth, counts)
    place = scores.place(true_row, true_column)
    true = np.zeros(len(row), dtype=bool)
    true[place[place >= 0]] = True
    without = place < 0
    return ListedPairs(
        hierarchy,
        len(truth),
        counts,
        np.concatenate([row[kept], true_row[without]]),
        np.concatenate([column[kept], true_column[without]]),
        np.concatenate([scores.values[kept], np.zeros(int(without.sum()))]),
        np.concatenate([true[kept], np.ones(int(without.sum()), dtype=bool)]),
    )


def check_rows(truth: LabelSets, scores: NodeScores) -> None:
    """Refuse a truth and scores of different numbers of instances."""
    if len(truth) != len(scores):
        raise BadInput(
            f"{instances_have(len(truth))} true labels, and {instances_have(len(scores))} scores"
        )


def true_cells(hierarchy: Hierarchy, truth: LabelSets, counts: Bools) -> tuple[Ints, Ints]:
    """Return instance and class of the augmented truth, in order; of classes that count."""
    row, column = np.divmod(augmented_keys(hierarchy, truth), len(hierarchy))
    kept = counts[column]
    return row[kept], column[kept]


def counted_classes(hierarchy: Hierarchy, root: Any) -> Bools:
    """Return which classes count, shape ``(n_classes,)``; see :func:`excluded_classes`."""
    counts = np.ones(len(hierarchy), dtype=bool)
    counts[excluded_classes(hierarchy, root)] = False
    return counts


def augmented_keys(hierarchy: Hierarchy, sets: LabelSets) -> Ints:
    """Return ``instance × number of classes + class`` of every class of the augmented sets, sorted.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> augmented_keys(tree, LabelSets.from_labels(["b", "a"], tree)).tolist()
    [0, 2, 3, 4]
    """
    label, above = ancestor_closure(hierarchy, sets.indices).expanded(sets.indices)
    return sorted_unique(row_numbers(sets.indptr)[label] * len(hierarchy) + above)
