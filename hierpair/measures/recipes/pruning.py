"""Classes of augmented sets by their parents: which of those are shared, and what that prunes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, row_sums

__all__ = ["parents_shared", "prune"]


def prune(
    hierarchy: Hierarchy,
    row_ptr: NDArray[np.int64],
    column: NDArray[np.integer],
    in_true: NDArray[np.bool_],
    in_pred: NDArray[np.bool_],
    left_out: NDArray[np.int64],
) -> None:
    """Drop a class of one side if all its parents are outside the other; parentless ones stay."""
    single, n_parents, n_shared = parents_shared(
        hierarchy, row_ptr, column, in_true & in_pred, left_out
    )
    dropped = single[(n_parents > 0) & (n_shared == 0)]
    in_true[dropped] = False
    in_pred[dropped] = False


def parents_shared(
    hierarchy: Hierarchy,
    row_ptr: NDArray[np.int64],
    column: NDArray[np.integer],
    both: NDArray[np.bool_],
    left_out: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the entries that not both sides have, and how many parents, and shared ones, each has.

    What does not count ("any class") is in every set.
    """
    n = len(hierarchy)
    row = row_numbers(row_ptr) * n
    shared = row[both] + column[both]  # ascending, as rows and columns are
    single = np.flatnonzero(~both)
    first = hierarchy.parent_ptr[column[single]]
    count = hierarchy.parent_ptr[column[single] + 1] - first
    above = hierarchy.parents[ragged_ranges(first, count)]
    parent = np.repeat(row[single], count) + above
    found = np.isin(above, left_out)
    if len(shared):
        at = np.minimum(np.searchsorted(shared, parent), len(shared) - 1)
        found |= shared[at] == parent
    return single, count, row_sums(found, offsets(count))
