"""Names of many edges numbered all at once: hashes are sorted, instead of every name looked up.

A dict of millions of names waits for memory at every look-up. Hashes are numbers, which are sorted
without waiting; names of one hash are then compared, so that numbers never depend on hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import Ints

__all__ = ["numbered_by_hash", "plain_ends"]

LEAST_EDGES = 20_000
"""Fewer edges are looked up name by name: their dict fits in the cache."""

BLOCK = 1 << 14
"""Edges that are looked at together, so that their names stay in the cache meanwhile."""


def plain_ends(block: Sequence[Sequence[Any]]) -> list[Any] | None:
    """Return parent, child, parent, child … if all are texts in pairs, else None."""
    if set(map(type, block)) <= {tuple, list} and set(map(len, block)) <= {2}:
        names = list(chain.from_iterable(block))
        if set(map(type, names)) <= {str} and "" not in names:
            return names
    return None


def numbered_by_hash(
    edges: Sequence[Sequence[Any]], classes: Sequence[Any]
) -> tuple[NDArray[Any], Ints] | None:
    """Return the different names as they first occur, and the numbers of parents and children.

    The classes come before all edges. None if any name is no text, any edge no pair, or if two
    names share a hash.

    >>> names, ends = numbered_by_hash([("r", "a"), ("r", "b"), ("a", "c")], ["r"])
    >>> names.tolist(), ends.tolist()
    (['r', 'a', 'b', 'c'], [[0, 1], [0, 2], [1, 3]])
    """
    if not set(map(type, classes)) <= {str}:
        return None
    at = len(classes)
    every = np.empty(at + 2 * len(edges), dtype=object)
    hashes = np.empty(len(every), dtype=np.int64)
    every[:at] = classes
    hashes[:at] = list(map(hash, classes))
    for lo in range(0, len(edges), BLOCK):
        names = plain_ends(edges[lo : lo + BLOCK])
        if names is None:
            return None
        end = at + len(names)
        every[at:end] = names
        hashes[at:end] = np.fromiter(map(hash, names), np.int64, len(names))
        at = end
    numbers, is_first = _numbered(hashes)
    different = every[is_first]
    again = np.flatnonzero(~is_first)
    if not bool((different[numbers[again]] == every[again]).all()):
        return None
    return different, numbers[len(classes) :].reshape(-1, 2)


def _numbered(keys: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Return the numbers of keys in the order in which they first occur, and where they do."""
    order = np.argsort(keys)
    ordered = keys[order]
    new = np.ones(len(keys), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    first = np.minimum.reduceat(order, starts) if len(starts) else order
    is_first = np.zeros(len(keys), dtype=bool)
    is_first[first] = True
    rank = np.cumsum(is_first) - 1
    numbers = np.empty(len(keys), dtype=np.int64)
    numbers[order] = np.repeat(rank[first], np.diff(np.append(starts, len(keys))))
    return numbers, is_first
