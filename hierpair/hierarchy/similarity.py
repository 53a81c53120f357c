"""Similarity of classes by what they share: most informative and relatively nearest ancestors."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hierpair.hierarchy.closure import Closure
from hierpair.hierarchy.distance import common_ancestors, complex_matrix

__all__ = ["common_ancestor_depths", "common_ancestor_sums", "highest_common_ancestors"]


def highest_common_ancestors(
    closure: Closure,
    u: NDArray[np.integer],
    v: NDArray[np.integer],
    values: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Return the common ancestor of u[i] and v[i] with the highest value, -1 where there is none.

    Parameters
    ----------
    closure
        Ancestors of these classes.
    u, v
        Class numbers, shape ``(n_pairs,)``.
    values
        One number per class; of equal ones the class with the larger number is taken.

    Notes
    -----
    Ranks are compared instead of the values: they are whole numbers from 1, so products with
    ones are exact and none of them is 0.
    """
    order, ranks = _ranked(closure, values)
    best = np.zeros(len(u), dtype=np.int64)
    for part, common in common_ancestors(closure, u, v, ranks, closure.pattern):
        filled = np.flatnonzero(np.diff(common.indptr))
        if len(filled):
            highest = np.maximum.reduceat(common.data, common.indptr[filled])
            best[part][filled] = highest.astype(np.int64)
    return np.where(best > 0, order[best - 1], -1)


def common_ancestor_depths(
    closure: Closure,
    u: NDArray[np.integer],
    v: NDArray[np.integer],
    depth: NDArray[np.integer],
) -> NDArray[np.float64]:
    """Return max over common ancestors a of 2 D / (up(u[i], a) + up(v[i], a) + 2 D), D = depth[a].

    ``depth`` holds one number > 0 per class. Without a common ancestor it is 0.
    """
    ups = complex_matrix(closure)
    out = np.zeros(len(u))
    for part, common in common_ancestors(closure, u, v, ups, ups):
        filled = np.flatnonzero(np.diff(common.indptr))
        if len(filled):
            relative = common.data.imag / depth[common.indices]
            out[part][filled] = 2 / (np.minimum.reduceat(relative, common.indptr[filled]) + 2)
    return out


def common_ancestor_sums(
    closure: Closure,
    u: NDArray[np.integer],
    v: NDArray[np.integer],
    values: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the sum of ``values``, one per class, over all common ancestors of u[i] and v[i]."""
    valued = _valued(closure, values)
    out = np.zeros(len(u))
    for part, common in common_ancestors(closure, u, v, valued, closure.pattern):
        out[part] = common @ np.ones(closure.n_columns)
    return out


def _ranked(
    closure: Closure, values: NDArray[np.float64]
) -> tuple[NDArray[np.int64], sp.csr_array]:
    """Return the classes by value, and a matrix of the ancestors' ranks; kept for the next."""
    kept = closure.__dict__.get("ranks")
    if kept is None or kept[0] is not values:
        order = np.argsort(values, kind="stable")
        rank = np.empty(len(values))
        rank[order] = np.arange(1, len(values) + 1)
        kept = closure.__dict__["ranks"] = values, order, rank
    return kept[1], _valued(closure, kept[2])


def _valued(closure: Closure, values: NDArray[np.float64]) -> sp.csr_array:
    """Return a matrix with the values of the ancestors; kept for the next."""
    kept = closure.__dict__.get("valued")
    if kept is None or kept[0] is not values:
        kept = closure.__dict__["valued"] = values, closure.with_data(values[closure.indices])
    matrix: sp.csr_array = kept[1]
    return matrix
