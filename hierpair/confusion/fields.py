"""Which classes are TP, FP, FN and TN in the chosen pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.confusion.matrix import Confusion
from hierpair.confusion.path_pairs import ways_down
from hierpair.confusion.root_paths import Paths, root_of
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import ragged_ranges

__all__ = ["FIELDS", "Fields", "fields_of"]

FIELDS = ("TP", "FP", "FN", "TN")

Entries = tuple[NDArray[np.int64], NDArray[np.integer]]


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
    pairs, h = c.pairs, c.pairs.hierarchy
    picked = np.flatnonzero(c.pairing.chosen)
    unpaired, late = (np.flatnonzero(c.pairing.missing[s]) for s in ("predicted", "true"))
    # paths with partner, then those without, which share the root alone
    path = np.concatenate([pairs.predicted_at[picked], unpaired])
    fork_at = np.concatenate([pairs.tp[picked], np.zeros_like(unpaired)]) + 1
    fork, true = pairs.fork[picked], pairs.true[picked]
    shared = _along(pairs.paths, path, np.ones_like(path), fork_at)
    alone = _along(pairs.paths, path, fork_at, np.diff(pairs.paths.node_ptr)[path])
    blank = np.flatnonzero(pairs.paths.beyond[path])
    on_true = ways_down(h, pairs.closure, fork, true)
    classes = pairs.true_labels.classes[late]
    missed, node = ways_down(h, pairs.closure, np.full_like(classes, root_of(h)), classes)
    parts: list[tuple[int, Entries]] = [
        (0, shared),
        (1, alone),
        (1, (blank, np.full(len(blank), len(h)))),
        (2, on_true),
        (2, (missed + len(path), node)),
    ]
    parts += [(3, entries) for entries in _negatives(h, fork, shared, on_true, alone)]
    owner, found = (np.concatenate([part[k] for _, part in parts]) for k in range(2))
    field = np.repeat([f for f, _ in parts], [len(part[0]) for _, part in parts])
    instances = [
        pairs.instance[picked],
        pairs.predicted_labels.instance[unpaired],
        pairs.true_labels.instance[late],
    ]
    return Fields(owner, field, found.astype(np.int64), np.concatenate(instances)[owner])


def _along(
    paths: Paths, path: NDArray[np.int64], start: NDArray[np.int64], stop: NDArray[np.int64]
) -> Entries:
    """Return (owner, class) of the nodes ``start … stop - 1`` of paths."""
    count = np.maximum(0, stop - start)
    owner = np.repeat(np.arange(len(path)), count)
    nodes = paths.nodes[ragged_ranges(paths.node_ptr[path] + start, count)]
    return owner, nodes


def _negatives(
    h: Hierarchy, fork: NDArray[np.int32], shared: Entries, rest: Entries, walked: Entries
) -> list[Entries]:
    """Return the siblings of shared nodes, and the children of the last one, that are TN."""
    n = len(h)
    width = np.diff(h.child_ptr)
    owner, node = shared
    count = np.diff(h.parent_ptr)[node]
    parent = h.parents[ragged_ranges(h.parent_ptr[node], count)]
    owner = np.repeat(np.repeat(owner, count), width[parent])
    beside = owner * n + h.children[ragged_ranges(h.child_ptr[parent], width[parent])]
    root = np.arange(len(fork)) * n + root_of(h)
    on_true = np.concatenate([root, shared[0] * n + shared[1], rest[0] * n + rest[1]])
    beside = np.setdiff1d(beside, on_true)
    below = np.repeat(np.arange(len(fork)), width[fork]) * n
    below += h.children[ragged_ranges(h.child_ptr[fork], width[fork])]
    below = np.setdiff1d(below, np.concatenate([on_true, walked[0] * n + walked[1]]))
    return [(key // n, key % n) for key in (beside, below)]
