"""What pairs of classes share: distances through common ancestors, and similarities by them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import row_numbers
from hierpair.hierarchy.closure import Closure

__all__ = [
    "common_ancestor_depths",
    "common_ancestor_distances",
    "common_ancestor_sums",
    "highest_common_ancestors",
    "nearest_common_ancestors",
]

BLOCK_ENTRIES = 1_000_000
"""Ancestor entries gathered at a time: small enough to stay in the processor's cache."""

LEAST_PAIRS, MOST_PAIRS = 1_000, 20_000
"""Pairs in a block, however many ancestors they have."""

EXPONENT_ROOM = 1_000
"""Distances are read off exponents where these stay below it; a float has no more than 1,022."""


def common_ancestor_distances(
    closure: Closure, u: NDArray[np.integer], v: NDArray[np.integer]
) -> NDArray[np.float64]:
    """Return d(u[i], v[i]) = min over common ancestors a of up(u[i], a) + up(v[i], a).

    Parameters
    ----------
    closure
        Ancestors with upward distances; hops or weights.
    u, v
        Class numbers, shape ``(n_pairs,)``.

    Returns
    -------
    numpy.ndarray
        Distances, shape ``(n_pairs,)``; inf where there is no common ancestor.

    Notes
    -----
    For hops the minimum is read off the exponent of a sum: with every entry stored as
    ``2**(-k * up)``, the product of two rows sums ``2**(-k * d)`` over the common ancestors, and
    with fewer than ``2**k`` of them the smallest ``d`` sets the exponent. It is exact, and one
    sparse product does the work. Where depth and size leave no room for it, and for weights,
    the sums ``up(u, a) + up(v, a)`` are carried as imaginary parts and reduced row by row.
    """
    out = np.empty(len(u), dtype=np.float64)
    bits = max(int(closure.longest_row).bit_length(), 1)
    by_exponent = _fits_exponent(closure, bits)
    matrix = _exponent_matrix(closure, bits) if by_exponent else complex_matrix(closure)
    for part, common in common_ancestors(closure, u, v, matrix, matrix):
        if by_exponent:
            total = common @ np.ones(closure.n_columns)
            exponent = np.frexp(total)[1].astype(np.int64) - 1
            out[part] = np.where(total > 0, -(exponent // bits), np.inf)
        else:
            out[part] = _row_minimum(common)
    return out


def nearest_common_ancestors(
    closure: Closure,
    u: NDArray[np.integer],
    v: NDArray[np.integer],
    distance: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return all common ancestors a with up(u[i], a) + up(v[i], a) = d(u[i], v[i]).

    Parameters
    ----------
    closure, u, v
        As for :func:`common_ancestor_distances`.
    distance
        What that function returned, shape ``(n_pairs,)``; pairs without a common ancestor (inf)
        have none here.

    Returns
    -------
    pair, ancestor
        Pair numbers, ascending, and an ancestor each.
    """
    bits = max(int(closure.longest_row).bit_length(), 1)
    by_exponent = _fits_exponent(closure, bits)
    matrix = _exponent_matrix(closure, bits) if by_exponent else complex_matrix(closure)
    pairs, ancestors = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for part, common in common_ancestors(closure, u, v, matrix, matrix):
        least = np.repeat(distance[part], np.diff(common.indptr))
        if by_exponent:
            nearest = common.data == np.ldexp(1.0, (-bits * least).astype(np.int64))
        else:
            nearest = common.data.imag == least
        pairs.append(part.start + row_numbers(common.indptr)[nearest])
        ancestors.append(common.indices[nearest].astype(np.int32))
    return np.concatenate(pairs), np.concatenate(ancestors)


def common_ancestors(
    closure: Closure,
    u: NDArray[np.integer],
    v: NDArray[np.integer],
    of_u: scipy.sparse.csr_array,
    of_v: scipy.sparse.csr_array,
) -> Iterator[tuple[slice, scipy.sparse.csr_array]]:
    """Yield the common ancestors of consecutive pairs, a row each, block by block.

    The entries are products of those that the ancestors have in ``of_u`` and ``of_v``, two
    matrices on the pattern of the closure; a product of 0 leaves its ancestor out.
    """
    rows_u, rows_v = closure.rows(u), closure.rows(v)
    block = _block_size(closure)
    for lo in range(0, len(rows_u), block):
        part = slice(lo, lo + block)
        yield part, of_u[rows_u[part]].multiply(of_v[rows_v[part]]).tocsr()


def _block_size(closure: Closure) -> int:
    """Return how many pairs to treat at a time."""
    mean_row = max(1, len(closure.indices) // max(1, len(closure.indptr) - 1))
    return max(LEAST_PAIRS, min(MOST_PAIRS, BLOCK_ENTRIES // mean_row))


def _fits_exponent(closure: Closure, bits: int) -> bool:
    """Whether the largest distance, in steps of ``bits``, fits the exponent of a float."""
    return closure.up.dtype.kind == "u" and 2 * bits * closure.highest < EXPONENT_ROOM


def _exponent_matrix(closure: Closure, bits: int) -> scipy.sparse.csr_array:
    if "exponent" not in closure.__dict__:
        table = np.ldexp(1.0, -bits * np.arange(int(closure.highest) + 1))
        closure.__dict__["exponent"] = closure.with_data(table[closure.up.astype(np.intp)])
    matrix: scipy.sparse.csr_array = closure.__dict__["exponent"]
    return matrix


def complex_matrix(closure: Closure) -> scipy.sparse.csr_array:
    """Return a matrix with 1 + i·up: the imaginary parts of products add up distances."""
    if "complex" not in closure.__dict__:
        closure.__dict__["complex"] = closure.with_data(1 + 1j * closure.up)
    matrix: scipy.sparse.csr_array = closure.__dict__["complex"]
    return matrix


def _row_minimum(common: Any) -> NDArray[np.float64]:
    filled = np.flatnonzero(np.diff(common.indptr))
    out = np.full(common.shape[0], np.inf)
    if len(filled):
        out[filled] = np.minimum.reduceat(common.data.imag, common.indptr[filled])
    return out


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
) -> tuple[NDArray[np.int64], scipy.sparse.csr_array]:
    """Return the classes by value, and a matrix of the ancestors' ranks; kept for the next."""
    kept = closure.__dict__.get("ranks")
    if kept is None or kept[0] is not values:
        order = np.argsort(values, kind="stable")
        rank = np.empty(len(values))
        rank[order] = np.arange(1, len(values) + 1)
        kept = closure.__dict__["ranks"] = values, order, rank
    return kept[1], _valued(closure, kept[2])


def _valued(closure: Closure, values: NDArray[np.float64]) -> scipy.sparse.csr_array:
    """Return a matrix with the values of the ancestors; kept for the next."""
    kept = closure.__dict__.get("valued")
    if kept is None or kept[0] is not values:
        kept = closure.__dict__["valued"] = values, closure.with_data(values[closure.indices])
    matrix: scipy.sparse.csr_array = kept[1]
    return matrix
