"""Root paths of predictions and most specific true classes, for a batch of instances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestor_closure, depth_weights
from hierpair.hierarchy.arrays import (
    Bools,
    Indices,
    Ints,
    Shorts,
    offsets,
    ragged_ranges,
    row_numbers,
    row_sums,
)
from hierpair.labels import LabelSets, are_lowest
from hierpair.pairing import Labels


@dataclass(frozen=True, eq=False)
class Paths:
    """The predicted root paths of every instance."""

    ptr: Ints  # paths of instance ``i`` are numbered ``ptr[i]`` to ``ptr[i + 1] - 1``
    node_ptr: Ints  # the classes of path ``k``, from the root, are
    nodes: Shorts  # ``nodes[node_ptr[k]:node_ptr[k + 1]]``
    beyond: Ints  # how many nodes of each are no class: 1 with a blank label that counts

    def __len__(self) -> int:
        return len(self.beyond)

    @property
    def lengths(self) -> Ints:
        """Number of nodes of every path below the root."""
        return np.diff(self.node_ptr) - 1 + self.beyond

    @property
    def ends(self) -> Shorts:
        """The last class of every path."""
        return self.nodes[self.node_ptr[1:] - 1]


NO_PATHS = np.empty(0, dtype=np.int32)
"""The nodes of the paths of classes that were given by themselves, each once."""


def spread(ptr: Ints, entries: Shorts, owner: Ints, rows: Indices) -> tuple[Ints, Shorts]:
    """Return the entries of rows of a CSR array, such as parents, and the owner of each row.

    >>> spread(np.array([0, 2, 3]), np.array([5, 6, 7]), np.array([8, 9]), np.array([1, 0]))
    (array([8, 9, 9]), array([7, 5, 6]))
    """
    count = ptr[rows + 1] - ptr[rows]
    return np.repeat(owner, count), entries[ragged_ranges(ptr[rows], count)]


def root_of(hierarchy: Hierarchy) -> int:
    """Return the number of the only parentless class; a root path needs one."""
    roots = hierarchy.root_indices
    if len(roots) != 1:
        some = ", ".join(repr(hierarchy.names[r]) for r in roots[:3])
        raise BadInput(
            f"root paths need one root, and the hierarchy has {len(roots)} ({some}, …); "
            "add a class above them"
        )
    return int(roots[0])


def has_one_path(hierarchy: Hierarchy) -> Bools:
    """Whether a single path leads from the top to each class."""
    one: Bools = depth_weights(hierarchy, 1, "sum") == 1  # those to its parents, added up
    return one


def path_faults(hierarchy: Hierarchy, sets: LabelSets, nested: str = "drop") -> Iterator[BadInput]:
    """Yield why instances have no predicted paths: what :func:`predicted_paths` refuses.

    That is a class with several root paths, or a path that starts below the children of the root.
    """
    root, names, n_paths = root_of(hierarchy), hierarchy.names, depth_weights(hierarchy, 1, "sum")
    ptr, classes, starts, nodes = _given(hierarchy, sets, nested)
    instance, alone = row_numbers(ptr), np.diff(starts) == 0
    for k in np.flatnonzero(alone & (n_paths[classes] > 1)).tolist():
        yield BadInput(
            f"the class {names[classes[k]]!r} has {n_paths[classes[k]]:,.0f} paths from the "
            "root, so it does not say which is predicted; give the path (levels from the root, "
            "or --paths on the command line)",
            int(instance[k]),
        )
    some = np.flatnonzero(~alone)
    for k in some[hierarchy.depths[nodes[starts[some]]] > 1].tolist():
        path = "/".join(str(names[x]) for x in nodes[starts[k] : starts[k + 1]].tolist())
        yield BadInput(
            f"the path {path!r} must start at the root {names[root]!r} or at a child of it",
            int(instance[k]),
        )


def predicted_paths(
    hierarchy: Hierarchy,
    sets: LabelSets,
    *,
    empty: str = "root",
    nested: str = "drop",
    blank: str = "ignore",
) -> Paths:
    """Return the predicted paths: those that were given, or the only root path of each class."""
    for error in path_faults(hierarchy, sets, nested):
        raise error
    root, written = root_of(hierarchy), sets.as_written
    ptr, node_ptr, nodes = _with_own(hierarchy, root, *_given(hierarchy, sets, nested))
    count = np.diff(ptr)
    n_blank = np.zeros_like(count)
    if blank == "count" and written is not None and written.n_blank is not None:
        n_blank = written.n_blank
    extra = n_blank + ((empty == "root") & (count + n_blank == 0))
    # Paths of the root alone come after the others of their instance.
    owner = np.concatenate([row_numbers(ptr), np.repeat(np.arange(len(count)), extra)])
    order = np.argsort(owner, kind="stable")
    n_extra = len(order) - len(node_ptr) + 1
    start = np.concatenate([node_ptr[:-1], np.full(n_extra, len(nodes))])[order]
    size = np.concatenate([np.diff(node_ptr), np.ones(n_extra, dtype=np.int64)])[order]
    at_root = np.arange(len(order)) >= len(node_ptr) - 1
    return Paths(
        offsets(count + extra),
        offsets(size),
        np.append(nodes, np.int32(root))[ragged_ranges(start, size)],
        (at_root[order] & (n_blank > 0)[owner[order]]).astype(np.int64),
    )


def true_labels(hierarchy: Hierarchy, sets: LabelSets, *, nested: str = "drop") -> Labels:
    """Return the true classes of a batch, ascending, without the root."""
    ptr, classes = _kept(hierarchy, sets, nested)
    real = classes != root_of(hierarchy)
    return Labels(hierarchy, "true", offsets(row_sums(real, ptr)), classes[real])


def _kept(hierarchy: Hierarchy, sets: LabelSets, nested: str) -> tuple[Ints, Shorts]:
    """Return the labels, without those above another of their set unless these stay."""
    if nested == "keep":
        return sets.indptr, sets.indices
    lowest = are_lowest(hierarchy, sets)
    return offsets(row_sums(lowest, sets.indptr)), sets.indices[lowest]


def _given(hierarchy: Hierarchy, sets: LabelSets, nested: str) -> tuple[Ints, Shorts, Ints, Shorts]:
    """Return the labels, and the paths that were given with them; a class alone has none."""
    given = sets.as_written
    if given is not None and given.node_ptr is not None and given.nodes is not None:
        return given.ptr, given.classes, given.node_ptr, given.nodes
    ptr, classes = _kept(hierarchy, sets, nested)
    return ptr, classes, np.zeros(len(classes) + 1, np.int64), NO_PATHS


def _with_own(
    hierarchy: Hierarchy, root: int, ptr: Ints, classes: Shorts, starts: Ints, nodes: Shorts
) -> tuple[Ints, Ints, Shorts]:
    """Return given paths from the root on, each once; where none was given, the only one.

    That is the ancestors of the class, which form a chain.
    """
    alone = classes[np.diff(starts) == 0]
    closure = ancestor_closure(hierarchy, alone)
    own_ptr, own = offsets(closure.lengths(alone)), closure.expanded(alone)[1]
    if nodes is NO_PATHS:
        return ptr, own_ptr, own
    only = iter(np.split(own, own_ptr[1:-1]))
    cuts, listed = starts.tolist(), nodes.tolist()
    found: dict[tuple[int, tuple[int, ...]], None] = {}
    for k, i in enumerate(row_numbers(ptr).tolist()):
        path = tuple(listed[cuts[k] : cuts[k + 1]] or next(only).tolist())
        found[i, path if path[0] == root else (root, *path)] = None
    owner = np.array([i for i, _ in found], dtype=np.int64)
    size = np.array([len(path) for _, path in found], dtype=np.int64)
    flat = np.array([c for _, path in found for c in path], dtype=np.int32)
    return offsets(np.bincount(owner, minlength=len(ptr) - 1)), offsets(size), flat
