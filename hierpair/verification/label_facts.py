"""What data say of the question which measure: shape, label counts, depths, coherence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hierpair.errors import counted
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers
from hierpair.labels import LabelSets
from hierpair.labels.set_operations import lowest_labels

__all__ = ["DataFacts", "facts_of"]

BATCH = 100_000
"""Instances that are looked at together."""


@dataclass(frozen=True)
class DataFacts:
    """What is read from a hierarchy, and from true labels if there are any.

    Attributes
    ----------
    shape
        ``"tree"``, ``"forest"`` or ``"DAG"``.
    n_classes, height
        Classes, and most edges from the top to one of them.
    n_instances, n_empty
        Instances, and those without a label; of a hierarchy alone 0, as all that follows.
    fewest, mean, most
        Labels of an instance that has some.
    most_tips
        Most labels of an instance that are above none of its others.
    n_labels, n_inner
        Labels of all instances that are above none of their others, and those of them that are
        inner classes.
    n_coherent
        Instances with labels that contain every class above them, but for the top.
    shallowest, deepest
        Depths of these labels, in edges from the top.
    """

    shape: str
    n_classes: int
    height: int
    n_instances: int = 0
    n_empty: int = 0
    fewest: int = 0
    mean: float = 0.0
    most: int = 0
    most_tips: int = 0
    n_labels: int = 0
    n_inner: int = 0
    n_coherent: int = 0
    shallowest: int = 0
    deepest: int = 0

    @property
    def is_dag(self) -> bool:
        """Whether some class has several parents."""
        return self.shape == "DAG"

    @property
    def has_labels(self) -> bool:
        """Whether there is any true label."""
        return self.n_labels > 0

    @property
    def single(self) -> bool:
        """Whether no instance has several labels, but for those above others."""
        return self.has_labels and self.most_tips <= 1

    @property
    def coherent(self) -> bool:
        """Whether all label sets contain what is above them, and there is something above."""
        return self.deepest > 1 and self.n_coherent == self.n_instances - self.n_empty

    def __str__(self) -> str:
        text = f"{self.shape} of {counted(self.n_classes, 'class', ',')}, height {self.height}"
        if not self.n_instances:
            return text
        text += f"; {counted(self.n_instances, 'instance', ',')}"
        if self.n_empty:
            text += f", {self.n_empty:,} without labels"
        if not self.has_labels:
            return text
        per = str(self.most) if self.fewest == self.most else f"{self.fewest} to {self.most}"
        text += f", {per} labels each" if per != "1" else ", one label each"
        if self.fewest != self.most:
            text += f" (mean {self.mean:.2f})"
        with_labels = self.n_instances - self.n_empty
        text += f"; {self.n_inner / self.n_labels:.0%} of labels are inner classes"
        spread = {self.shallowest, self.deepest}
        text += f"; depth {' to '.join(map(str, sorted(spread)))}"
        return f"{text}; {self.n_coherent / with_labels:.0%} of label sets are coherent"

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return asdict(self)


def facts_of(hierarchy: Hierarchy, y_true: LabelSets | None = None) -> DataFacts:
    """Return what a hierarchy and true labels say.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> facts = facts_of(tree, LabelSets.from_labels([["c", "b"], ["a"], []], tree))
    >>> facts.most_tips, facts.n_inner, facts.n_coherent, facts.n_empty
    (2, 1, 1, 1)
    """
    shape, n = hierarchy.shape, len(hierarchy)
    height = int(hierarchy.levels.max(initial=0))
    if y_true is None:
        return DataFacts(shape, n, height)
    lengths = y_true.lengths
    some = lengths[lengths > 0]
    if not len(some):
        return DataFacts(shape, n, height, len(y_true), len(y_true))
    most_tips = n_labels = n_inner = n_coherent = 0
    shallowest, deepest = n, 0
    for part in _parts(y_true):
        row, tip = lowest_labels(hierarchy, part)
        if not len(tip):
            continue
        most_tips = max(most_tips, int(np.bincount(row).max()))
        n_labels += len(tip)
        n_inner += int((np.diff(hierarchy.child_ptr)[tip] > 0).sum())
        n_coherent += _coherent(hierarchy, part)
        depths = hierarchy.depths[tip]
        shallowest = min(shallowest, int(depths.min()))
        deepest = max(deepest, int(depths.max()))
    return DataFacts(
        shape, n, height, len(y_true), len(y_true) - len(some), int(some.min()),
        float(some.mean()), int(some.max()), most_tips, n_labels, n_inner, n_coherent,
        shallowest, deepest,
    )  # fmt: skip


def _parts(sets: LabelSets) -> Iterator[LabelSets]:
    for start in range(0, len(sets), BATCH):
        yield sets.part(start, min(start + BATCH, len(sets)))


def _coherent(hierarchy: Hierarchy, sets: LabelSets) -> int:
    """Return how many sets with labels contain the parents of all of them, but for the top.

    A set with the parents of all its members has all their ancestors.
    """
    row, label = row_numbers(sets.indptr), sets.indices.astype(np.int64)
    n_parents = np.diff(hierarchy.parent_ptr)[label]
    owner = row_numbers(offsets(n_parents))
    parent = hierarchy.parents[ragged_ranges(hierarchy.parent_ptr[label], n_parents)]
    below_top = np.diff(hierarchy.parent_ptr)[parent] > 0
    owner, parent = owner[below_top], parent[below_top]
    known = row * len(hierarchy) + label  # ascending: instance by instance, class by class
    wanted = row[owner] * len(hierarchy) + parent
    at = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
    lacking = np.unique(row[owner[known[at] != wanted]])
    return int((sets.lengths > 0).sum()) - len(lacking)
