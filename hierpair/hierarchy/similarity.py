"""Similarity of classes by what they share: most informative and relatively nearest ancestors."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hierpair.hierarchy.closure import Closure
from hierpair.hierarchy.distance import common_ancestors, complex_matrix

__all__ = ["common_ancestor_depths", "highest_common_ancestors"]


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
    order, ranks, ones = _ranked(closure, values)
    best = np.zeros(len(u), dtype=np.int64)
    for part, common in common_ancestors(closure, u, v, ranks, ones):
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


def _ranked(
    closure: Closure, values: NDArray[np.float64]
) -> tuple[NDArray[np.int64], sp.csr_array, sp.csr_array]:
    """Return the classes by value, and matrices of their ranks and of ones; kept for the next."""
    kept = closure.__dict__.get("ranked")
    if kept is None or kept[0] is not values:
        order = np.argsort(values, kind="stable")
        rank = np.empty(len(values))
        rank[order] = np.arange(1, len(values) + 1)
        ones = closure.with_data(np.ones(len(closure.indices)))
        kept = values, order, closure.with_data(rank[closure.indices]), ones
        closure.__dict__["ranked"] = kept
    return kept[1], kept[2], kept[3]
