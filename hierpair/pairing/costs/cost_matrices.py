"""Costs that a user brings: vectors of classes, and a cost for every pair of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.io.class_tables import CostTable, class_vectors, cost_table
from hierpair.io.files import file_state
from hierpair.pairing.costs.named_costs import named_cost
from hierpair.pairing.pairs import Pairs

__all__ = ["CosineDistance", "CostMatrix"]


@named_cost("cosine", with_file=True)
@dataclass(frozen=True, eq=False)
class CosineDistance:
    """1 - cosine similarity of class vectors (Sun & Lim 2001); a zero vector is like nothing.

    Parameters
    ----------
    vectors
        One row per class in the order of ``hierarchy.names``, dense or scipy sparse; or the name
        of a file with lines ``class TAB number TAB …`` or ``class TAB feature:number TAB …``.
        An array is copied, so that later changes to it do not count.
    """

    vectors: Any

    def __post_init__(self) -> None:
        if isinstance(self.vectors, str):
            file_state(self.vectors)
        else:
            object.__setattr__(self, "vectors", _own_copy(self.vectors, "class vectors"))

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return 1 - similarity, in [0, 2]."""
        unit = self._unit_rows(pairs.hierarchy)
        u, v = pairs.predicted, pairs.true
        similarity = np.asarray(unit[u].multiply(unit[v]).sum(axis=1)).ravel()
        empty = np.diff(unit.indptr) == 0
        similarity[(u == v) & ~empty[u]] = 1  # to the last bit
        distance: NDArray[np.float64] = 1 - np.clip(similarity, -1, 1)
        return distance

    def mean_between(self, hierarchy: Hierarchy, classes: NDArray[np.integer]) -> float:
        """Return the mean over all pairs of different classes: 1 - ACS (Costa et al. 2007, eq. 16).

        The sum of all products of rows is the square of the summed row, so no pair is looked at.
        """
        n = len(classes)
        if n < 2:
            raise BadInput("a mean over pairs of classes needs at least two of them")

        def mean() -> float:
            rows = self._unit_rows(hierarchy)[classes]
            total = np.asarray(rows.sum(axis=0)).ravel()
            own = float(rows.multiply(rows).sum())
            return 1 - (float(total @ total) - own) / (n * (n - 1))

        return hierarchy.cached(("mean", _state(self, self.vectors), classes.tobytes()), mean)

    def _unit_rows(self, hierarchy: Hierarchy) -> scipy.sparse.csr_array:
        """Return the vectors at length 1; what is 0 is not stored."""

        def rows() -> scipy.sparse.csr_array:
            if isinstance(self.vectors, str):
                return _at_length_one(class_vectors(self.vectors, hierarchy))
            given = scipy.sparse.csr_array(self.vectors, dtype=np.float64)
            if given.shape[0] != len(hierarchy):
                raise BadInput(
                    f"expected one vector per class ({len(hierarchy)}), got {given.shape[0]}"
                )
            if not np.isfinite(given.data).all():
                raise BadInput("class vectors must be finite")
            return _at_length_one(given)

        return hierarchy.cached(("unit", _state(self, self.vectors)), rows)


def _state(cost: CosineDistance | CostMatrix, given: Any) -> Any:
    """Return what a cost is known by: the file as it is now, or the object itself."""
    return file_state(given) if isinstance(given, str) else cost


def _own_copy(given: Any, what: str) -> Any:
    """Return a copy of an array: what is computed from it is cached under the cost."""
    if scipy.sparse.issparse(given):
        return scipy.sparse.csr_array(given, copy=True)
    try:
        array = np.array(given)
    except ValueError:
        raise BadInput(f"{what} must be one array, and these rows differ in length") from None
    array.setflags(write=False)
    return array


def _at_length_one(rows: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    # numbers of any size: the largest of a row is made 1 before squares are taken
    rows = rows.copy()
    rows.eliminate_zeros()
    for norm in (_largest, _length):
        size = norm(rows)
        rows.data = rows.data / np.repeat(size, np.diff(rows.indptr))
    return rows


def _largest(rows: scipy.sparse.csr_array) -> NDArray[np.float64]:
    return np.asarray(abs(rows).max(axis=1).todense()).ravel()


def _length(rows: scipy.sparse.csr_array) -> NDArray[np.float64]:
    length: NDArray[np.float64] = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return length


@named_cost("matrix", with_file=True)
@dataclass(frozen=True, eq=False)
class CostMatrix:
    """A user's costs: ``costs[predicted, true]``, in the order of ``hierarchy.names``.

    A row per predicted class, as pairs are (predicted, true) everywhere in Python; a table laid
    out like scikit-learn's confusion matrix, with a row per true class, is given as ``table.T``.

    Parameters
    ----------
    costs
        A square array, dense or scipy sparse (what it does not hold costs 0); or the name of a
        file, which says itself what is what: a table with the predicted classes in its first line
        and the true class first in every other line, or lines ``true TAB predicted TAB cost``
        below a line that says so. An array is copied, so that later changes to it do not count.
    other
        For a file: the cost of a pair of different classes that it does not list; None makes
        such a pair an error. A class with itself costs 0 if it is not listed.
    """

    costs: Any
    other: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.costs, str):
            file_state(self.costs)
        elif self.other is not None:
            raise BadInput("other is for costs from a file; a matrix holds them all")
        if not isinstance(self.costs, str):
            object.__setattr__(self, "costs", _own_copy(self.costs, "costs"))
        other = self.other
        if other is not None and (isinstance(other, bool) or not isinstance(other, (int, float))):
            raise BadInput(f"other must be a number ≥ 0 or None, got {shown(other)}")
        if other is not None and not other >= 0:
            raise BadInput(f"other must be a number ≥ 0 or None, got {other!r}")

    def __call__(self, pairs: Pairs) -> NDArray[Any]:
        """Look the costs up."""
        if isinstance(self.costs, str):
            return self._listed(pairs)
        matrix = self._matrix(pairs.hierarchy)
        if scipy.sparse.issparse(matrix):
            picked = scipy.sparse.csr_array(matrix)[pairs.predicted, pairs.true]
            return np.asarray(picked.todense() if scipy.sparse.issparse(picked) else picked).ravel()
        found: NDArray[Any] = matrix[pairs.predicted, pairs.true]
        return found

    def max_cost(self, hierarchy: Hierarchy, classes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the largest cost of each of these true classes, over all predicted ones."""
        if isinstance(self.costs, str):
            return self._table(hierarchy).max_cost(classes, self.other)
        matrix = self._matrix(hierarchy)
        if scipy.sparse.issparse(matrix):
            columns = scipy.sparse.csc_array(matrix)[:, classes]
            return np.asarray(columns.max(axis=0).todense(), dtype=np.float64).ravel()
        used, place = np.unique(classes, return_inverse=True)
        largest = np.array([matrix[:, c].max() for c in used], dtype=np.float64)
        return largest[place]

    def mean_between(self, hierarchy: Hierarchy, classes: NDArray[np.integer]) -> float:
        """Return the mean cost over all pairs of different classes."""
        n = len(classes)
        if isinstance(self.costs, str) or n < 2:
            raise BadInput("a mean over all pairs of classes needs a whole matrix of them")
        matrix = self._matrix(hierarchy)

        def mean() -> float:
            rows = scipy.sparse.csr_array(matrix) if scipy.sparse.issparse(matrix) else matrix
            part = rows[classes][:, classes]
            return float((part.sum() - part.trace()) / (n * (n - 1)))

        return hierarchy.cached(("mean", self, classes.tobytes()), mean)

    def _matrix(self, hierarchy: Hierarchy) -> Any:
        matrix = self.costs
        n = len(hierarchy)
        if matrix.shape != (n, n):
            raise BadInput(f"expected a {n} × {n} cost matrix, got shape {matrix.shape}")
        return matrix

    def _table(self, hierarchy: Hierarchy) -> CostTable:
        key = "costs", file_state(self.costs)
        return hierarchy.cached(key, lambda: cost_table(self.costs, hierarchy))

    def _listed(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return the costs that the file lists, and ``other`` for the rest."""
        cost, listed = self._table(pairs.hierarchy).look_up(pairs.predicted, pairs.true)
        unknown = ~listed & (pairs.true != pairs.predicted)
        if self.other is not None:
            cost[unknown] = self.other
        elif unknown.any():
            at = int(unknown.argmax())
            names = pairs.hierarchy.names
            raise BadInput(
                f"{self.costs} has no cost for true {shown(names[pairs.true[at]])} and predicted "
                f"{shown(names[pairs.predicted[at]])}; list it, or give other=…",
                int(pairs.instance[at]),
            )
        return cost
