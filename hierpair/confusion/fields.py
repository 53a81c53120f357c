"""Which classes are TP, FP, FN and TN in the chosen pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hierpair.confusion.overlap import Overlaps, rests
from hierpair.confusion.root_paths import Paths
from hierpair.hierarchy.arrays import ragged_ranges, row_numbers

if TYPE_CHECKING:
    from hierpair.confusion import Confusion

__all__ = ["FIELDS", "Fields", "fields_of"]

FIELDS = ("TP", "FP", "FN", "TN")


@dataclass(frozen=True, eq=False)
class Fields:
    """Classes in fields, an entry for each.

    A class is in several entries if it is in several pairs. TN of a class can be counted twice in
    a pair (beside the shared part and below its end), as the counts do.

    Attributes
    ----------
    owner
        Number of the pair; paths without partner follow, then true classes without partner.
    field
        Position in ``FIELDS``.
    classes
        The class; the number of classes stands for a blank label.
    instance
        The instance.
    """

    owner: NDArray[np.int64]
    field: NDArray[np.int64]
    classes: NDArray[np.int64]
    instance: NDArray[np.int64]


def fields_of(c: Confusion) -> Fields:
    """Spell out the chosen pairs, the paths without partner and the true classes without one.

    Owners number the chosen pairs in the order of all pairs.
    """
    whole = c.overlaps
    picked = np.flatnonzero(c.chosen)
    o = Overlaps(whole.hierarchy, whole.paths, whole.targets, whole.path[picked],
                 whole.target[picked])  # fmt: skip
    alone = np.flatnonzero(c.alone_paths)
    late = np.flatnonzero(c.alone_targets)
    parts = [
        _along(o.paths, o.path, np.ones_like(o.tp), o.tp + 1, 0),
        _along(o.paths, o.path, o.tp + 1, _stops(o.paths, o.path), 1),
        _along(o.paths, alone, np.ones_like(alone), _stops(o.paths, alone), 1, len(picked)),
        _blanks(o, o.path, 0),
        _blanks(o, alone, len(picked)),
    ]
    pair, node = rests(o)
    parts.append((pair, np.full(len(pair), 2), node.astype(np.int64)))
    lone = _lone(o, late)
    pair, node = rests(lone)
    parts.append((pair + len(picked) + len(alone), np.full(len(pair), 2), node.astype(np.int64)))
    parts += _negatives(o)
    owner, field, classes = (np.concatenate([p[k] for p in parts]) for k in range(3))
    owners = np.concatenate([
        row_numbers(o.paths.ptr)[o.path], row_numbers(o.paths.ptr)[alone],
        row_numbers(o.targets.ptr)[late],
    ])  # fmt: skip
    return Fields(owner, field, classes, owners[owner])


Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def _stops(paths: Paths, path: NDArray[np.int64]) -> NDArray[np.int64]:
    stops: NDArray[np.int64] = np.diff(paths.node_ptr)[path]
    return stops


def _along(
    paths: Paths,
    path: NDArray[np.int64],
    start: NDArray[np.int64],
    stop: NDArray[np.int64],
    field: int,
    shift: int = 0,
) -> Entries:
    """Return the nodes ``start … stop - 1`` of paths as entries of a field."""
    count = np.maximum(0, stop - start)
    owner = np.repeat(np.arange(len(path)), count)
    nodes = paths.nodes[ragged_ranges(paths.node_ptr[path] + start, count)]
    return owner + shift, np.full(len(owner), field), nodes.astype(np.int64)


def _blanks(o: Overlaps, path: NDArray[np.int64], shift: int) -> Entries:
    owner = np.flatnonzero(o.paths.beyond[path])
    return owner + shift, np.full(len(owner), 1), np.full(len(owner), len(o.hierarchy))


def _lone(o: Overlaps, late: NDArray[np.int64]) -> Overlaps:
    """Return true classes without partner as pairs with the path of the root alone."""
    root = np.array([int(o.hierarchy.root_indices[0])], dtype=np.int32)
    only = Paths(np.array([0, 1]), np.array([0, 1]), root, np.zeros(1, dtype=np.int64))
    return Overlaps(o.hierarchy, only, o.targets, np.zeros(len(late), dtype=np.int64), late)


def _negatives(o: Overlaps) -> list[Entries]:
    """Return the siblings of shared nodes, and the children of the last one, that are TN."""
    h = o.hierarchy
    n = len(h)
    shared, node = _along(o.paths, o.path, np.ones_like(o.tp), o.tp + 1, 0)[::2]
    first = h.parent_ptr[node]
    count = h.parent_ptr[node + 1] - first
    parent = h.parents[ragged_ranges(first, count)]
    shared = np.repeat(shared, count)
    width = np.diff(h.child_ptr)[parent]
    beside = np.repeat(shared, width) * n + h.children[ragged_ranges(h.child_ptr[parent], width)]
    pair, rest = rests(o)
    on_true = np.concatenate([shared_keys(o, n), pair * n + rest])
    beside = np.setdiff1d(beside, on_true)
    below = np.repeat(np.arange(len(o.path)), np.diff(h.child_ptr)[o.fork]) * n
    below += h.children[ragged_ranges(h.child_ptr[o.fork], np.diff(h.child_ptr)[o.fork])]
    walked, later = _along(o.paths, o.path, o.tp + 1, _stops(o.paths, o.path), 1)[::2]
    below = np.setdiff1d(below, np.concatenate([on_true, walked * n + later]))
    return [(key // n, np.full(len(key), 3), key % n) for key in (beside, below)]


def shared_keys(o: Overlaps, n: int) -> NDArray[np.int64]:
    """Return the nodes that every pair shares, the root included, as numbers pair * n + class."""
    pair, _, node = _along(o.paths, o.path, np.zeros_like(o.tp), o.tp + 1, 0)
    return pair * n + node
