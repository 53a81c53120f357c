"""Costs that a user brings: vectors of classes, and a cost for every pair of classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, Indices, Ints, places_in
from hierpair.io.class_tables import class_vectors, cost_table
from hierpair.io.files import file_state
from hierpair.pairing.costs import check_number, named_cost
from hierpair.pairing.pairs import Array, Pairs


@dataclass(frozen=True, eq=False)
class _Given:
    """What a cost was given, which cannot change: the name of a file, or a copy."""

    def _keep(self, field: str) -> None:
        given = getattr(self, field)
        if isinstance(given, str):
            file_state(given)
            return
        if scipy.sparse.issparse(given):
            kept = scipy.sparse.csr_array(given, copy=True)
        elif isinstance(given, Mapping):
            kept = dict(given)
        elif hasattr(given, "columns"):
            raise BadInput(
                f"{field}: does a data frame go by its names, or by position? Give them by names "
                "as a dict, or .to_numpy() in the order of hierarchy.names"
            )
        else:
            try:
                kept = np.array(given)
            except ValueError:
                raise BadInput(
                    f"{field} must be one array, and these rows differ in length"
                ) from None
            kept.setflags(write=False)
        object.__setattr__(self, field, kept)

    def _state(self, given: Any) -> Any:
        """Return what the cost is known by: the file as it is now, or the object itself."""
        return file_state(given) if isinstance(given, str) else self


@named_cost("cosine")
@dataclass(frozen=True, eq=False)
class CosineDistance(_Given):
    """1 - cosine similarity of class vectors (Sun & Lim 2001); a zero vector is like nothing.

    Parameters
    ----------
    vectors
        One row per class in the order of ``hierarchy.names``, dense or scipy sparse; or the name
        of a file with lines ``class TAB number TAB …``.
        An array is copied, so that later changes to it do not count.
    """

    vectors: Any

    def __post_init__(self) -> None:
        self._keep("vectors")

    def __call__(self, pairs: Pairs) -> Floats:
        """Return 1 - similarity, in [0, 2]."""
        unit = self._unit_rows(pairs.hierarchy)
        u, v = pairs.predicted, pairs.true
        similarity = np.asarray(unit[u].multiply(unit[v]).sum(axis=1)).ravel()
        empty = np.diff(unit.indptr) == 0
        similarity[(u == v) & ~empty[u]] = 1  # to the last bit
        distance: Floats = 1 - np.clip(similarity, -1, 1)
        return distance

    def mean_between(self, hierarchy: Hierarchy, classes: Indices) -> float:
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

        return hierarchy.cached(("mean", self._state(self.vectors), classes.tobytes()), mean)

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

        return hierarchy.cached(("unit", self._state(self.vectors)), rows)


def _at_length_one(rows: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    rows = rows.copy()
    rows.eliminate_zeros()
    # numbers of any size: the largest of a row is made 1 before squares are taken
    size = abs(rows).max(axis=1).toarray().ravel()
    rows.data = rows.data / np.repeat(size, np.diff(rows.indptr))
    size = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    rows.data = rows.data / np.repeat(size, np.diff(rows.indptr))
    return rows


@named_cost("matrix")
@dataclass(frozen=True, eq=False)
class CostMatrix(_Given):
    """A user's costs: ``costs[predicted, true]``, by names or in the order of ``hierarchy.names``.

    A row per predicted class, as pairs are (predicted, true) everywhere in Python; a table laid
    out like scikit-learn's confusion matrix, with a row per true class, is given as ``table.T``.

    Parameters
    ----------
    costs
        By names, ``{(predicted, true): cost}``; or a square array, dense or scipy sparse (what it
        does not hold costs 0); or the name of a file, which says itself what is what: a table with
        the predicted classes in its first line and the true class first in every other line, or
        lines ``true TAB predicted TAB cost`` below a line that says so. What is given is copied,
        so that later changes to it do not count.
    other
        By names or from a file: the cost of a pair of different classes that is not listed; None
        makes such a pair an error. A class with itself costs 0 if it is not listed.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "cat"), ("r", "dog"), ("r", "car")])
    >>> cost = CostMatrix({("dog", "cat"): 1}, other=5)
    >>> cost(Pairs.of_classes(tree, tree.index(["dog", "cat", "cat"]), tree.index(["cat"] * 3)))
    array([1., 0., 0.])
    """

    costs: Any
    other: float | None = None

    def __post_init__(self) -> None:
        self._keep("costs")
        if self.other is not None:
            if not self._is_listed:
                raise BadInput(
                    "other is for costs from a file or by names; a matrix holds them all"
                )
            check_number("other", self.other, "a number ≥ 0 or None", lambda x: x >= 0)

    @property
    def _is_listed(self) -> bool:
        return isinstance(self.costs, (str, dict))

    def __call__(self, pairs: Pairs) -> Array:
        """Look the costs up."""
        if self._is_listed:
            return self._listed(pairs)
        found = self._matrix(pairs.hierarchy)[pairs.predicted, pairs.true]
        return np.asarray(found.todense() if scipy.sparse.issparse(found) else found).ravel()

    def max_cost(self, hierarchy: Hierarchy, classes: Indices) -> Floats:
        """Return the largest cost of each of these true classes, over all predicted ones."""
        if self._is_listed:
            return self._largest_listed(hierarchy)[classes]

        def largest() -> Floats:
            found = self._matrix(hierarchy).max(axis=0)
            dense = found.toarray() if scipy.sparse.issparse(found) else found
            return np.asarray(dense, dtype=np.float64).ravel()

        return hierarchy.cached(("largest", self), largest)[classes]

    def _matrix(self, hierarchy: Hierarchy) -> Any:
        n = len(hierarchy)
        if self.costs.shape != (n, n):
            raise BadInput(f"expected a {n} × {n} matrix by class, got shape {self.costs.shape}")
        return self.costs

    def _table(self, hierarchy: Hierarchy) -> tuple[Ints, Floats]:
        """Return ascending keys, ``true * n_classes + predicted``, and the costs listed there."""

        def table() -> tuple[Ints, Floats]:
            costs = self.costs
            if isinstance(costs, str):
                costs = cost_table(costs, hierarchy)
            if not costs or any(not isinstance(p, tuple) or len(p) != 2 for p in costs):
                raise BadInput("costs by names are {(predicted, true): cost}")
            predicted, true = (hierarchy.index([p[k] for p in costs]) for k in range(2))
            keys = true.astype(np.int64) * len(hierarchy) + predicted
            order = np.argsort(keys)
            return keys[order], np.array([*costs.values()], dtype=np.float64)[order]

        return hierarchy.cached(("costs", self._state(self.costs)), table)

    def _largest_listed(self, hierarchy: Hierarchy) -> Floats:
        """Return the largest cost of every true class; ``other`` where a predicted one lacks."""
        n, (keys, costs) = len(hierarchy), self._table(hierarchy)
        true, predicted = np.divmod(keys, n)
        largest = np.zeros(n)
        np.maximum.at(largest, true, costs)
        if self.other is not None:
            lacks = np.bincount(true[true != predicted], minlength=n) < n - 1
            largest[lacks] = np.maximum(largest[lacks], self.other)
        return largest

    def _listed(self, pairs: Pairs) -> Floats:
        """Return the costs that are listed, and ``other`` for the rest."""
        keys, costs = self._table(pairs.hierarchy)
        wanted = pairs.true.astype(np.int64) * len(pairs.hierarchy) + pairs.predicted
        at = places_in(keys, wanted)
        cost = np.where(at < 0, 0.0, costs[at])
        unknown = (at < 0) & (pairs.true != pairs.predicted)
        if self.other is not None:
            cost[unknown] = self.other
        else:
            names = pairs.hierarchy.names
            source = self.costs if isinstance(self.costs, str) else "the cost matrix"
            pairs.refuse(
                unknown,
                lambda at, _: (
                    f"{source} has no cost for true {shown(names[pairs.true[at]])} and "
                    f"predicted {shown(names[pairs.predicted[at]])}; list it, or give other=…"
                ),
            )
        return cost
