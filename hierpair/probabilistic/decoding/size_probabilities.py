"""How much probability each class has in true sets of each size, padded row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import (
    Floats,
    Ints,
    groups_by,
    offsets,
    ragged_ranges,
    row_numbers,
    row_sums,
)
from hierpair.probabilistic.decoding.probability_rows import sum_rows
from hierpair.probabilistic.distributions import LabelDistribution

__all__ = ["Support", "closed_members", "supports"]

CELLS = 3_000_000
"""Instances times classes held at a time, for each size."""


@dataclass(frozen=True, eq=False)
class Support:
    """The classes that may be true in some instances, ascending: parents before children.

    Attributes
    ----------
    first
        Number of the first instance.
    node
        Class numbers, shape ``(n_rows, width)``; -1 fills short rows up.
    sizes
        The sizes of true sets that occur, ascending.
    mass
        Of every size one array of shape ``(n_rows, width)``: the probability that the true set
        has this size and the class. Never above the parent's, to the last bit.
    of_size
        Probability of every size, shape ``(n_rows, n_sizes)``.
    length
        Number of classes in every row.
    """

    first: int
    node: Ints
    sizes: Ints
    mass: list[Floats]
    of_size: Floats
    length: Ints


def closed_members(
    distribution: LabelDistribution, root: Any, *, closed: bool = True
) -> tuple[Any, Any]:
    """Return the counted classes of every scenario as CSR arrays, with ancestors or without."""
    pointer, node = (
        distribution.members() if closed else (distribution.sets.indptr, distribution.sets.indices)
    )
    keep = ~np.isin(node, excluded_classes(distribution.hierarchy, root))
    return offsets(row_sums(keep, pointer)), node[keep]


def supports(
    distribution: LabelDistribution, root: Any, *, closed: bool = True
) -> Iterator[Support]:
    """Cut the instances into blocks and yield the support of each."""
    pointer, node = closed_members(distribution, root, closed=closed)
    size = np.diff(pointer)
    widest = np.minimum(
        np.add.reduceat(np.append(size, 0), distribution.indptr[:-1])
        if len(distribution)
        else np.zeros(0),
        len(distribution.hierarchy),
    )
    widest[np.diff(distribution.indptr) == 0] = 0
    lo = 0
    while lo < len(distribution):
        width = np.maximum.accumulate(np.maximum(widest[lo:], 1))
        fits = width * np.arange(1, len(width) + 1) <= CELLS
        hi = lo + max(1, int(fits.sum()))
        yield _block(distribution, lo, hi, pointer, node, size, closed)
        lo = hi


def _block(
    distribution: LabelDistribution,
    lo: int,
    hi: int,
    pointer: Ints,
    node: NDArray[np.int32],
    size: Ints,
    closed: bool,
) -> Support:
    a, b = int(distribution.indptr[lo]), int(distribution.indptr[hi])
    n = len(distribution.hierarchy)
    member = scipy.sparse.csr_array(
        (
            np.ones(int(pointer[b] - pointer[a])),
            node[pointer[a] : pointer[b]],
            pointer[a : b + 1] - pointer[a],
        ),
        shape=(b - a, n),
    )
    p, size = distribution.p[a:b], size[a:b]
    owner = row_numbers(distribution.indptr[lo : hi + 1] - a)
    sizes = np.unique(size[p > 0])
    parts, shares = [], []
    for d in sizes:
        few = np.flatnonzero((size == d) & (p > 0))
        weigh = scipy.sparse.csr_array((p[few], (owner[few], few)), shape=(hi - lo, b - a))
        part = scipy.sparse.csr_array(weigh @ member)
        part.sort_indices()
        parts.append(part)
        shares.append(sum_rows(owner[few], p[few], hi - lo))
    total = scipy.sparse.csr_array(sum(parts, scipy.sparse.csr_array((hi - lo, n))))
    total.sort_indices()
    length = np.diff(total.indptr).astype(np.int64)
    width = int(length.max(initial=0))
    column = ragged_ranges(np.zeros(len(length), np.int64), length)
    row = row_numbers(total.indptr)
    padded = np.full((hi - lo, width), -1, dtype=np.int64)
    padded[row, column] = total.indices
    keys = row * n + total.indices
    guard = _Guard(distribution.hierarchy, keys, row, total.indices) if closed else None
    mass = []
    for part in parts:
        value = np.zeros(len(keys))
        value[np.searchsorted(keys, row_numbers(part.indptr) * n + part.indices)] = part.data
        if guard is not None:
            guard.hold(value)
        dense = np.zeros((hi - lo, width))
        dense[row, column] = value
        mass.append(dense)
    of_size = np.stack(shares, axis=1) if shares else np.zeros((hi - lo, 0))
    return Support(lo, padded, sizes, mass, of_size, length)


class _Guard:
    """Keeps rounding from making a child heavier than one of its parents."""

    def __init__(
        self, hierarchy: Hierarchy, keys: Ints, row: Ints, node: NDArray[np.int32]
    ) -> None:
        n = len(hierarchy)
        first = hierarchy.parent_ptr[node]
        count = hierarchy.parent_ptr[node + 1] - first
        above = hierarchy.parents[ragged_ranges(first, count)]
        wanted = np.repeat(row, count) * n + above
        at = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
        there = keys[at] == wanted if len(keys) else np.zeros(0, dtype=bool)
        child, parent = np.repeat(np.arange(len(keys)), count)[there], at[there]
        levels = groups_by(hierarchy.levels[node[child]])
        self.steps = [(child[some], parent[some]) for some in levels]

    def hold(self, value: Floats) -> None:
        """Lower every child to its parents, from the top."""
        for child, parent in self.steps:
            np.minimum.at(value, child, value[parent])
