"""Which class each logit belongs to, and the groups of siblings, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import Floats, Ints, groups_by, offsets, row_numbers
from hierpair.labels import LabelSets

__all__ = ["Layout", "leaf_layout", "node_layout"]


@dataclass(frozen=True, eq=False)
class Layout:
    """The logits of one instance: a column per class, siblings side by side.

    Attributes
    ----------
    hierarchy
        The classes.
    columns
        Class number of every column.
    group_ptr
        Group ``g`` has the columns ``group_ptr[g] … group_ptr[g + 1] - 1``.
    parent
        Column of the parent of every column's class, -1 at the top.
    """

    hierarchy: Hierarchy
    columns: Ints
    group_ptr: Ints
    parent: Ints

    @cached_property
    def group(self) -> Ints:
        """Group of every column."""
        return row_numbers(self.group_ptr)

    @cached_property
    def by_level(self) -> list[Ints]:
        """The columns of every level, from the top."""
        return groups_by(self.hierarchy.levels[self.columns])

    def truth(self, labels: LabelSets) -> Floats:
        """Return 1 where a column's class is true or above a true class, else 0."""
        h = self.hierarchy
        closure = ancestor_closure(h, labels.indices)
        owner, above = closure.expanded(labels.indices)
        place = np.full(len(h), -1, dtype=np.int64)
        place[self.columns] = np.arange(len(self.columns))
        at = place[above]
        rows = row_numbers(labels.indptr)[owner]
        out = np.zeros((len(labels), len(self.columns)))
        out[rows[at >= 0], at[at >= 0]] = 1.0
        return out

    def along_paths(self, own: NDArray[Any]) -> Floats:
        """Return for every column the sum of ``own`` over it and the columns above it."""
        total = np.array(own, dtype=np.float64)
        for some in self.by_level:
            below = some[self.parent[some] >= 0]
            total[:, below] += total[:, self.parent[below]]
        return total

    def all_classes(self, columns: Floats) -> Floats:
        """Return the columns in the order of the classes; a single root has 1."""
        out = np.ones((len(columns), len(self.hierarchy)))
        out[:, self.columns] = columns
        return out


def node_layout(hierarchy: Hierarchy, kind: str, *, tree: bool) -> Layout:
    """Return the layout with a column for every class but a single root."""
    if hierarchy.shape == "DAG":
        if tree:
            raise BadInput(f"{kind} is defined on trees and forests, and this is a DAG")
        columns = np.arange(len(hierarchy))
        if len(hierarchy.root_indices) == 1:
            columns = np.delete(columns, hierarchy.root_indices)
        none = np.full(len(columns), -1, dtype=np.int64)
        return Layout(hierarchy, columns, np.array([0, len(columns)]), none)
    roots = hierarchy.root_indices
    sizes = np.diff(hierarchy.child_ptr)
    top = len(roots) if len(roots) > 1 else 0
    columns = np.concatenate([roots if top else roots[:0], hierarchy.children]).astype(np.int64)
    lengths = np.concatenate([[top] if top else [], sizes[sizes > 0]]).astype(np.int64)
    if not len(columns):
        raise BadInput("the hierarchy has a root and nothing below it: there is nothing to learn")
    place = np.full(len(hierarchy), -1, dtype=np.int64)
    place[columns] = np.arange(len(columns))
    above = np.repeat(np.arange(len(hierarchy)), sizes)
    parent = np.concatenate([np.full(top, -1, dtype=np.int64), place[above]])
    return Layout(hierarchy, columns, offsets(lengths), parent)


def leaf_layout(hierarchy: Hierarchy) -> Layout:
    """Return the layout with a column for every leaf, all in one group."""
    columns = np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)
    none = np.full(len(columns), -1, dtype=np.int64)
    return Layout(hierarchy, columns, np.array([0, len(columns)]), none)
