"""One level of a hierarchy: the instances that have a class there, and their probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.errors import BadInput, counted, shown
from hierpair.hierarchy.arrays import Bools, Floats, Ints, offsets
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import NodeScores
from hierpair.measures.scored.listed_pairs import listed_pairs

__all__ = ["LevelPairs", "pairs_by_level"]


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
