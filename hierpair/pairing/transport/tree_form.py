"""The closed form on trees and forests: what every edge has to carry."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hierpair.hierarchy import ancestor_closure
from hierpair.hierarchy.arrays import Floats, row_numbers
from hierpair.pairing.pairs import SIDES
from hierpair.pairing.transport.masses import Masses

__all__ = ["carried_by_edges"]

BLOCK_ENTRIES = 2_000_000
"""Ancestors of labels that are looked at in one go."""


def carried_by_edges(masses: Masses, lengths: Floats, top: float) -> Floats:
    """Return Σ over classes of length · |mass below in the truth - mass below in the prediction|.

    Evans & Matsen (2012), Le et al. (2019): the edge above a class carries what the classes at or
    below it have too much or too little, and no more.

    Parameters
    ----------
    masses
        Of a hierarchy in which no class has two parents.
    lengths
        Of the edges, in the order of ``parents``.
    top
        Length of the edges to a virtual class above several roots; inf: there is none.

    Returns
    -------
    numpy.ndarray
        Shape ``(n_instances,)``; inf where masses would have to pass from tree to tree.
    """
    h = masses.hierarchy
    above = np.zeros(len(h))
    above[np.diff(h.parent_ptr) > 0] = lengths
    if len(h.root_indices) > 1:
        above[h.root_indices] = top
    sides = [masses.sets(side) for side in SIDES]
    closure = ancestor_closure(h, np.concatenate([sets.indices for sets in sides]))
    size = np.zeros(len(masses), dtype=np.int64)
    for sets in sides:
        each = closure.lengths(sets.indices)
        size += np.bincount(row_numbers(sets.indptr), each, len(sets)).astype(np.int64)
    block = np.cumsum(size) // BLOCK_ENTRIES
    cuts = [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(masses)]
    cost = np.zeros(len(masses))
    for lo, hi in pairwise(cuts):
        keys, units = [], []
        for sign, side, sets in zip((1, -1), SIDES, sides, strict=True):
            here = slice(sets.indptr[lo], sets.indptr[hi])
            owner, ancestor = closure.expanded(sets.indices[here])
            row = row_numbers(sets.indptr[lo : hi + 1])[owner]
            keys.append(row * len(h) + ancestor)
            units.append(sign * masses.units[side][here][owner])
        key, unit = np.concatenate(keys), np.concatenate(units)
        if not len(key):
            continue
        order = np.argsort(key, kind="stable")
        first = np.flatnonzero(np.diff(key[order], prepend=-1))
        moved = np.abs(np.add.reduceat(unit[order], first))
        row, node = np.divmod(key[order][first], len(h))
        row, node, moved = row[moved > 0], node[moved > 0], moved[moved > 0]
        cost[lo:hi] = np.bincount(row, moved * above[node], minlength=hi - lo)
    result: Floats = cost / masses.whole
    return result
