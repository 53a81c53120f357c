"""What pairs of classes share: distances through common ancestors, and similarities by them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import Floats, Indices, Ints, Shorts, row_numbers
from hierpair.hierarchy.closure import Closure

__all__ = [
    "common_ancestor_depths",
    "common_ancestor_distances",
    "common_ancestor_sums",
    "highest_common_ancestors",
    "nearest_common_ancestors",
]

Kept = TypeVar("Kept")

BLOCK_ENTRIES = 1_000_000
"""Ancestor entries gathered at a time: small enough to stay in the processor's cache."""

LEAST_PAIRS, MOST_PAIRS = 1_000, 20_000
"""Pairs in a block, however many ancestors they have."""

EXPONENT_ROOM = 1_000
"""Distances are read off exponents where these stay below it; a float has no more than 1,022."""


def common_ancestor_distances(closure: Closure, u: Indices, v: Indices) -> Floats:
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
    bits, matrix = _distances(closure)
    for part, common in _common_ancestors(closure, u, v, matrix, matrix):
        if bits:
            total = common @ np.ones(closure.n_columns)
            exponent = np.frexp(total)[1].astype(np.int64) - 1
            out[part] = np.where(total > 0, -(exponent // bits), np.inf)
        else:
            out[part] = _by_row(np.minimum, common, common.data.imag, np.inf)
    return out


def nearest_common_ancestors(
    closure: Closure,
    u: Indices,
    v: Indices,
    distance: Floats,
) -> tuple[Ints, Shorts]:
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
    bits, matrix = _distances(closure)
    pairs, ancestors = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for part, common in _common_ancestors(closure, u, v, matrix, matrix):
        least = np.repeat(distance[part], np.diff(common.indptr))
        if bits:
            nearest = common.data == np.ldexp(1.0, (-bits * least).astype(np.int64))
        else:
            nearest = common.data.imag == least
        pairs.append(part.start + row_numbers(common.indptr)[nearest])
        ancestors.append(common.indices[nearest].astype(np.int32))
    return np.concatenate(pairs), np.concatenate(ancestors)


def _common_ancestors(
    closure: Closure,
    u: Indices,
    v: Indices,
    of_u: scipy.sparse.csr_array,
    of_v: scipy.sparse.csr_array,
) -> Iterator[tuple[slice, scipy.sparse.csr_array]]:
    """Yield the common ancestors of consecutive pairs, a row each, block by block.

    The entries are products of those that the ancestors have in ``of_u`` and ``of_v``, two
    matrices on the pattern of the closure; a product of 0 leaves its ancestor out.
    """
    rows_u, rows_v = closure.rows(u), closure.rows(v)
    mean_row = max(1, len(closure.indices) // max(1, len(closure.indptr) - 1))
    block = max(LEAST_PAIRS, min(MOST_PAIRS, BLOCK_ENTRIES // mean_row))
    for lo in range(0, len(rows_u), block):
        part = slice(lo, lo + block)
        yield part, of_u[rows_u[part]].multiply(of_v[rows_v[part]]).tocsr()


def _by_row(reduce: np.ufunc, common: Any, data: NDArray[Any], empty: float) -> Floats:
    """Return the least or the largest datum of every row, ``empty`` where a row has none."""
    filled = np.flatnonzero(np.diff(common.indptr))
    out = np.full(common.shape[0], float(empty))
    if len(filled):
        out[filled] = reduce.reduceat(data, common.indptr[filled])
    return out


def _kept(closure: Closure, name: str, of: object, compute: Callable[[], Kept]) -> Kept:
    """Return what was last computed under a name if it was of the same thing, or compute it."""
    kept: tuple[object, Kept] | None = closure.__dict__.get(name)
    if kept is None or kept[0] is not of:
        kept = closure.__dict__[name] = of, compute()
    return kept[1]


def _distances(closure: Closure) -> tuple[int, scipy.sparse.csr_array]:
    """Return a matrix whose products add up distances, and the bits of an exponent a step takes.

    No bits where the distances would not fit: they are added up as imaginary parts.
    """
    bits = max(int(closure.longest_row).bit_length(), 1)
    if closure.up.dtype.kind != "u" or 2 * bits * closure.highest >= EXPONENT_ROOM:
        return 0, _complex(closure)

    def exponents() -> scipy.sparse.csr_array:
        table = np.ldexp(1.0, -bits * np.arange(int(closure.highest) + 1))
        return closure.with_data(table[closure.up.astype(np.intp)])

    return bits, _kept(closure, "exponents", None, exponents)


def _complex(closure: Closure) -> scipy.sparse.csr_array:
    """Return a matrix with 1 + i·up: the imaginary parts of products add up distances."""
    return _kept(closure, "complex", None, lambda: closure.with_data(1 + 1j * closure.up))


def _valued(closure: Closure, values: Floats) -> scipy.sparse.csr_array:
    """Return a matrix with the values of the ancestors."""
    return _kept(closure, "valued", values, lambda: closure.with_data(values[closure.indices]))


def highest_common_ancestors(
    closure: Closure,
    u: Indices,
    v: Indices,
    values: Floats,
) -> Ints:
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

    def ranked() -> tuple[Ints, Floats]:
        order = np.argsort(values, kind="stable")
        rank = np.empty(len(values))
        rank[order] = np.arange(1, len(values) + 1)
        return order, rank

    order, rank = _kept(closure, "ranks", values, ranked)
    best = np.zeros(len(u), dtype=np.int64)
    for part, common in _common_ancestors(closure, u, v, _valued(closure, rank), closure.pattern):
        best[part] = _by_row(np.maximum, common, common.data, 0)
    return np.where(best > 0, order[best - 1], -1)


def common_ancestor_depths(
    closure: Closure,
    u: Indices,
    v: Indices,
    depth: Indices,
) -> Floats:
    """Return max over common ancestors a of 2 D / (up(u[i], a) + up(v[i], a) + 2 D), D = depth[a].

    ``depth`` holds one number > 0 per class. Without a common ancestor it is 0.
    """
    ups = _complex(closure)
    out = np.zeros(len(u))
    for part, common in _common_ancestors(closure, u, v, ups, ups):
        least = _by_row(np.minimum, common, common.data.imag / depth[common.indices], np.inf)
        out[part] = 2 / (least + 2)
    return out


def common_ancestor_sums(
    closure: Closure,
    u: Indices,
    v: Indices,
    values: Floats,
) -> Floats:
    """Return the sum of ``values``, one per class, over all common ancestors of u[i] and v[i]."""
    valued = _valued(closure, values)
    out = np.zeros(len(u))
    for part, common in _common_ancestors(closure, u, v, valued, closure.pattern):
        out[part] = common @ np.ones(closure.n_columns)
    return out
