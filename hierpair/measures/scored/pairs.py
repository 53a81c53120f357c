"""Pairs of an instance and a class that say something: those with a score, and the true ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hierpair.errors import BadInput, counted, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure, excluded_classes
from hierpair.hierarchy.arrays import Bools, Floats, Ints, offsets, row_numbers, sorted_unique
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import NodeScores


class ListedPairs(NamedTuple):
    """Instance, class, score and truth of pairs that have a score or are true.

    Every other pair is false and has the score 0, so what is summed over all pairs costs as much
    as the scores and labels that were given, not instances × classes.
    """

    row: Ints
    column: Ints
    value: Floats
    true: Bools


def listed_pairs(truth: LabelSets, scores: NodeScores, counts: Bools) -> ListedPairs:
    """Return the pairs of a truth, which is augmented by ancestors, and of its scores.

    Parameters
    ----------
    truth, scores
        Of the same instances in the same order.
    counts
        Of every class, whether it counts.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    >>> scores = NodeScores.from_array([[0.9, 0.2]], tree, classes=["a", "b"])
    >>> truth = LabelSets.from_labels([["c"]], tree)
    >>> pairs = listed_pairs(truth, scores, counted_classes(tree, "exclude"))
    >>> [(tree.names[c], float(p), bool(t)) for c, p, t in
    ...  zip(pairs.column, pairs.value, pairs.true)]
    [('a', 0.9, True), ('b', 0.2, False), ('c', 0.0, True)]
    """
    kept = counts[scores.indices]
    true_row, true_column = true_cells(scores.hierarchy, truth, counts)
    place = scores.place(true_row, true_column)
    true = np.zeros(len(kept), dtype=bool)
    true[place[place >= 0]] = True
    without = place < 0
    more = int(without.sum())
    return ListedPairs(
        np.append(row_numbers(scores.indptr)[kept], true_row[without]),
        np.append(scores.indices[kept], true_column[without]),
        np.append(scores.values[kept], np.zeros(more)),
        np.append(true[kept], np.ones(more, dtype=bool)),
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
    who
        From the number of an instance to its id.
    """

    level: int
    classes: Ints
    instances: Ints
    row: Ints
    column: Ints
    value: Floats
    true: Bools
    who: Callable[[int], Any] = int

    @property
    def n(self) -> int:
        """How many instances are judged."""
        return len(self.instances)

    @property
    def k(self) -> int:
        """How many classes the level has."""
        return len(self.classes)

    def true_values(self) -> Floats:
        """Return the probability of the true class of every instance.

        Raises
        ------
        BadInput
            Where an instance has several true classes at the level.
        """
        several = np.bincount(self.row[self.true], minlength=self.n) > 1
        for i in self.instances[several][:1].tolist():
            raise BadInput(
                f"there are several true classes at level {self.level}, and log loss is of one; "
                "brier takes any sets",
                self.who(i),
            )
        return self.value[self.true]

    def top(self) -> tuple[Floats, Floats]:
        """Return the largest probability of every instance, and the share of right classes there.

        Of m classes that share the largest probability each is chosen one time in m, so nothing
        depends on the order of classes.
        """
        highest = np.maximum.reduceat(self.value, offsets(np.bincount(self.row))[:-1])
        tied = self.value == highest[self.row]
        hits = np.bincount(self.row[tied & self.true], minlength=self.n)
        n_tied = np.bincount(self.row[tied])
        return highest, hits / np.where(highest > 0, n_tied, self.k)


def pairs_by_level(
    truth: LabelSets, scores: NodeScores, *, root: Any = "exclude"
) -> Iterator[LevelPairs]:
    """Yield the levels that any instance has a true class of, from the top.

    Raises
    ------
    BadInput
        Where no instance has a class that counts.
    """
    counts, level_of = counted_classes(scores.hierarchy, root), scores.hierarchy.levels
    pairs, ids = listed_pairs(truth, scores, counts), truth.ids or scores.ids
    if not pairs.true.any():
        raise BadInput(
            f"none of {counted(len(truth), 'instance')} has a true class that counts, so there is "
            f"no level to judge (root={shown(root)})"
        )
    order = np.lexsort((pairs.column, pairs.row))
    row, column, value, true = (each[order] for each in pairs)
    level = level_of[column]
    for number in np.unique(level[true]).tolist():
        here = level == number
        judged = np.zeros(len(truth), dtype=bool)
        judged[row[here & true]] = True
        here &= judged[row]
        classes, instances = np.flatnonzero((level_of == number) & counts), np.flatnonzero(judged)
        yield LevelPairs(
            number,
            classes,
            instances,
            np.searchsorted(instances, row[here]),
            np.searchsorted(classes, column[here]),
            value[here],
            true[here],
            int if ids is None else ids.__getitem__,
        )
