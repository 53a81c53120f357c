"""Pairs of an instance and a class that say something: those with a score, and the true ones."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.errors import BadInput, counted, instances_have, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure, excluded_classes
from hierpair.hierarchy.arrays import Bools, Floats, Ints, offsets, row_numbers, sorted_unique
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import NodeScores

__all__ = [
    "LevelPairs",
    "ListedPairs",
    "augmented_keys",
    "check_rows",
    "counted_classes",
    "listed_pairs",
    "pairs_by_level",
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


def counted_classes(
    hierarchy: Hierarchy, root: Any, classes: Collection[Any] | None = None
) -> Bools:
    """Return which of the classes (by default of all) count, shape ``(n_classes,)``."""
    counts = np.full(len(hierarchy), classes is None)
    if classes is not None:
        counts[hierarchy.index(list(classes))] = True
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


@dataclass(frozen=True, eq=False)
class LevelPairs:
    """The instances that have a true class at a level, and the classes of that level.

    A pair of them that is not listed is false and has probability 0.

    Attributes
    ----------
    level
        Number of the level: 0 has the parentless classes.
    classes, instances
        Numbers of the classes of the level, and of the instances that have one of them.
    row, column, value, true
        Position of the instance among ``instances``, position of the class among ``classes``,
        probability and truth, of every listed pair; row by row.
    name_of_instance
        Ids, or None where instances are known by their position.
    """

    level: int
    classes: Ints
    instances: Ints
    row: Ints
    column: Ints
    value: Floats
    true: Bools
    name_of_instance: tuple[Any, ...] | None = None

    @property
    def n(self) -> int:
        """How many instances are judged."""
        return len(self.instances)

    @property
    def k(self) -> int:
        """How many classes the level has."""
        return len(self.classes)

    @property
    def is_single(self) -> bool:
        """Whether every instance has one true class here."""
        return int(self.true.sum()) == self.n

    def true_values(self) -> Floats:
        """Return the probability of the true class of every instance.

        Raises
        ------
        BadInput
            Where an instance has several true classes at the level.
        """
        several = np.flatnonzero(np.bincount(self.row[self.true], minlength=self.n) > 1)
        if len(several):
            i = int(self.instances[several[0]])
            raise BadInput(
                f"there are several true classes at level {self.level}, and log loss is of one; "
                "brier takes any sets",
                i if self.name_of_instance is None else self.name_of_instance[i],
            )
        found = np.empty(self.n)
        found[self.row[self.true]] = self.value[self.true]
        return found

    def top(self) -> tuple[Floats, Floats]:
        """Return the largest probability of every instance, and the share of right classes there.

        Of m classes that share the largest probability each is chosen one time in m, so nothing
        depends on the order of classes.
        """
        start = offsets(np.bincount(self.row, minlength=self.n))[:-1]
        highest = np.maximum.reduceat(self.value, start) if self.n else np.zeros(0)
        tied = self.value == highest[self.row]
        hits = np.bincount(self.row[tied & self.true], minlength=self.n)
        n_tied = np.bincount(self.row[tied], minlength=self.n)
        return highest, hits / np.where(highest > 0, n_tied, self.k)

    def full(self) -> LevelPairs:
        """Return the same with every pair listed, in single precision, as hiclass has them."""
        value = np.zeros((self.n, self.k), dtype=np.float32)
        true = np.zeros((self.n, self.k), dtype=bool)
        value[self.row, self.column] = self.value
        true[self.row, self.column] = self.true
        row, column = (axis.ravel() for axis in np.indices(value.shape))
        flat = value.ravel().astype(np.float64)
        return LevelPairs(
            self.level, self.classes, self.instances, row, column, flat, true.ravel(),
            self.name_of_instance,
        )  # fmt: skip


def pairs_by_level(
    truth: LabelSets, scores: NodeScores, *, root: Any = "exclude"
) -> Iterator[LevelPairs]:
    """Yield the levels that any instance has a true class of, from the top.

    Raises
    ------
    BadInput
        Where no instance has a class that counts.
    """
    pairs = listed_pairs(truth, scores, root=root)
    if not pairs.true.any():
        raise BadInput(
            f"none of {counted(pairs.n_instances, 'instance')} has a true class that counts, so "
            f"there is no level to judge (root={shown(root)})"
        )
    order = np.lexsort((pairs.column, pairs.row))
    row, column, value, true = (
        each[order] for each in (pairs.row, pairs.column, pairs.value, pairs.true)
    )
    level_of = pairs.hierarchy.levels
    level = level_of[column]
    for number in np.unique(level[true]).tolist():
        classes = np.flatnonzero((level_of == number) & pairs.counts)
        here = level == number
        judged = np.zeros(pairs.n_instances, dtype=bool)
        judged[row[here & true]] = True
        here &= judged[row]
        yield LevelPairs(
            number,
            classes,
            np.flatnonzero(judged),
            (np.cumsum(judged) - 1)[row[here]],
            np.searchsorted(classes, column[here]),
            value[here],
            true[here],
            truth.ids or scores.ids,
        )
