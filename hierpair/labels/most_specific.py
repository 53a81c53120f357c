"""The most specific labels of label sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import row_numbers, sorted_unique
from hierpair.labels.sets import LabelSets

__all__ = ["lowest_labels"]


def lowest_labels(
    hierarchy: Hierarchy, sets: LabelSets
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return instance and class of every label that has no descendant in its own set."""
    row, label = row_numbers(sets.indptr), sets.indices
    several = np.flatnonzero(sets.lengths[row] > 1)
    inner = np.diff(hierarchy.child_ptr)[label] > 0
    suspect = several[inner[several]]  # a leaf is above nothing
    if not len(suspect):
        return row, label
    with_suspect = np.zeros(len(sets), dtype=bool)
    with_suspect[row[suspect]] = True
    lower = several[with_suspect[row[several]]]
    closure = ancestor_closure(hierarchy, label[lower])
    owner, above = closure.expanded(label[lower])
    proper = above != label[lower][owner]
    n = len(hierarchy)
    covered = sorted_unique(row[lower][owner[proper]] * n + above[proper])
    key = row[suspect] * n + label[suspect]
    keep = np.ones(len(label), dtype=bool)
    if len(covered):
        at = np.minimum(np.searchsorted(covered, key), len(covered) - 1)
        keep[suspect] = covered[at] != key
    return row[keep], label[keep]
