"""What instances add to the classes of several systems: what all have in common is held once.

Most instances add the same to most classes, whichever system it is: truths always, and wherever
predictions agree. So the columns of the first run are held, and of every other one only the entries
that it has otherwise. Sums are exact, so the sums of both are the sums of the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.comparison.samples.draws import Draws
from hierpair.hierarchy.arrays import Floats, Ints

__all__ = ["ClassColumns"]

LARGEST_SHORT = 2**15 - 1
"""Sums of whole numbers up to here are added up in 16 bits,"""

LARGEST_SINGLE = 2**24
"""and up to here as floats of 32 bits; each exact, and faster than 64 bits."""

TURNED = 1_000
"""Rows of a product that are turned at a time, so that they stay in the cache."""


@dataclass(frozen=True, eq=False)
class ClassColumns:
    """Sparse columns of several runs, shape ``(n_instances, n_runs · fields)``.

    Attributes
    ----------
    first
        The columns of the first run, a row per field, shape ``(fields, n_instances)``.
    others
        What the other runs have beyond those of the first one, one matrix per run.
    whole_numbers
        Whether every entry is a whole number.
    most
        Largest entry of any run, and largest sum of one of its fields, regardless of signs.

    Examples
    --------
    >>> import scipy
    >>> one, other = (scipy.sparse.csr_array(np.array([row])) for row in ([1.0, 1, 0], [1.0, 0, 1]))
    >>> columns = ClassColumns.of([one, other])
    >>> columns.others[0].nnz, columns.sums(np.array([[1.0, 1, 1], [0, 0, 2]])).tolist()
    (2, [[[2], [2]], [[0], [2]]])
    """

    first: Any
    others: tuple[Any, ...]
    whole_numbers: bool
    most: tuple[float, float]

    @classmethod
    def of(cls, runs: Sequence[Any]) -> ClassColumns:
        """Return the columns of runs, each a CSR array of shape ``(fields, n_instances)``."""
        first = runs[0]
        others = tuple((run - first).tocsr() for run in runs[1:])
        sizes = [abs(matrix) for matrix in (*runs, *others)]
        most = (
            max((float(size.data.max(initial=0.0)) for size in sizes), default=0.0),
            max((float(size.sum(axis=1).max(initial=0.0)) for size in sizes), default=0.0),
        )
        whole = all(bool((run.data == np.rint(run.data)).all()) for run in runs)
        return cls(first, others, whole, most)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of instances, and of columns of all runs."""
        return int(self.first.shape[1]), int(self.first.shape[0]) * (1 + len(self.others))

    def whole(self) -> Floats:
        """Return the sums over all instances, shape ``(n_runs, fields)``."""
        first = np.asarray(self.first.sum(axis=1))
        return np.stack([first, *(first + other.sum(axis=1) for other in self.others)])

    def reach(self) -> tuple[Floats, Floats]:
        """Return how far the sums of the first run fall (≤ 0) and rise (≥ 0) at most, by field.

        That is, where every instance has the answer of the run that adds least, or most, to it.
        """
        least = most = scipy.sparse.csr_array(self.first.shape)
        for other in self.others:
            least, most = least.minimum(other), most.maximum(other)
        return np.asarray(least.sum(axis=1)), np.asarray(most.sum(axis=1))

    def in_groups(self, groups: Any) -> ClassColumns:
        """Return the sums of groups of instances; ``groups`` has a row of zeros and ones each."""
        first = (self.first @ groups.T).tocsr()
        runs = [first, *((first + other @ groups.T).tocsr() for other in self.others)]
        return ClassColumns.of(runs)

    def sums(self, weights: Draws | Floats, *, shared: bool = True) -> NDArray[Any]:
        """Return sums for rows of weights ≥ 0, shape ``(rows, n_runs, fields)``.

        They are of the narrowest type that holds them, and all differences of two of them. With
        ``shared=False`` what the first run has is left out of all of them.
        """
        draws = Draws.of(weights)
        each = self._number_type(draws)
        turned = draws.by_instance(each)
        fields = int(self.first.shape[0])
        out = np.zeros((len(draws), 1 + len(self.others), fields), dtype=each)
        if shared:
            out += _product(self.first, turned, each)[:, None]
        for at, other in enumerate(self.others, 1):
            if other.nnz:
                out[:, at] += _product(other, turned, each)
        return out

    def of_fields(self, chosen: Ints) -> ClassColumns:
        """Return these columns of every run, and no others."""
        others = tuple(other[chosen] for other in self.others)
        return replace(self, first=self.first[chosen], others=others)

    def _number_type(self, draws: Draws) -> Any:
        """Return the type in which every sum, part of a sum and difference of two is exact."""
        if not self.whole_numbers or not draws.are_whole:
            return np.float64
        (entry, total), (number, of_row) = self.most, draws.most
        largest = 2 * min(of_row * entry, number * total)
        if largest <= LARGEST_SHORT:
            return np.int16
        return np.float32 if largest <= LARGEST_SINGLE else np.float64


def _product(matrix: Any, turned: NDArray[Any], each: Any) -> NDArray[Any]:
    """Return the product of a matrix with columns of weights, a row per column of weights."""
    product = matrix.astype(each) @ turned
    out = np.empty(product.shape[::-1], dtype=each)
    for lo in range(0, len(product), TURNED):
        out[:, lo : lo + TURNED] = product[lo : lo + TURNED].T
    return out
