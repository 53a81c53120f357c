"""What was said of every instance, in its order: labels, paths, blank labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import offsets, ragged_ranges

__all__ = ["Given"]


@dataclass(frozen=True, eq=False)
class Given:
    """The labels of instances as they came: in their order, with repeated ones, with paths.

    Kept where the sets alone do not tell it. Only measures that read root paths or break ties by
    the order of the labels use it.

    Attributes
    ----------
    ptr, classes
        Labels of instance ``i`` are ``classes[ptr[i]:ptr[i + 1]]``.
    node_ptr, nodes
        The path of label ``k`` is ``nodes[node_ptr[k]:node_ptr[k + 1]]``, from the top to its
        class; empty where no path was said. None where labels are classes.
    n_blank
        Number of blank labels of every instance, which were dropped on request, or None.
    """

    ptr: NDArray[np.int64]
    classes: NDArray[np.int32]
    node_ptr: NDArray[np.int64] | None = None
    nodes: NDArray[np.int32] | None = None
    n_blank: NDArray[np.int64] | None = None

    def part(self, lo: int, hi: int) -> Given:
        """Return the instances ``lo … hi - 1``."""
        return self.take(np.arange(lo, hi))

    def take(self, rows: NDArray[np.integer]) -> Given:
        """Return these instances in this order; a negative row number gives an empty one."""
        there = rows >= 0
        safe = np.where(there, rows, 0)
        lengths = np.where(there, np.diff(self.ptr, append=self.ptr[-1:])[safe], 0)
        at = ragged_ranges(self.ptr[safe], lengths)
        node_ptr = nodes = None
        if self.node_ptr is not None and self.nodes is not None:
            size = np.diff(self.node_ptr)[at]
            node_ptr, nodes = offsets(size), self.nodes[ragged_ranges(self.node_ptr[at], size)]
        blank = self.n_blank
        if blank is not None:
            blank = np.where(there, np.append(blank, 0)[safe], 0)
        return Given(offsets(lengths), self.classes[at], node_ptr, nodes, blank)
