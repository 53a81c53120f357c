"""Root paths of predictions and most specific true classes, for a batch of instances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestor_closure, depth_weights
from hierpair.hierarchy.arrays import Bools, Ints, offsets, ragged_ranges, row_numbers, row_sums
from hierpair.labels import LabelSets, are_lowest
from hierpair.labels.naming import AsWritten
from hierpair.pairing import Labels

__all__ = [
    "Paths",
    "has_one_path",
    "path_faults",
    "predicted_paths",
    "root_of",
    "spread",
    "true_labels",
]


@dataclass(frozen=True, eq=False)
class Paths:
    """The predicted root paths of every instance.

    Attributes
    ----------
    ptr
        Paths of instance ``i`` are numbered ``ptr[i]`` to ``ptr[i + 1] - 1``.
    node_ptr, nodes
        The classes of path ``k``, from the root, are ``nodes[node_ptr[k]:node_ptr[k + 1]]``.
    beyond
        Of every path: how many of its nodes are no class (a blank label that counts is one,
        right below the root).
    """

    ptr: Ints
    node_ptr: Ints
    nodes: NDArray[np.int32]
    beyond: Ints

    def __len__(self) -> int:
        return len(self.beyond)

    @property
    def lengths(self) -> Ints:
        """Number of nodes of every path below the root."""
        return np.diff(self.node_ptr) - 1 + self.beyond

    @property
    def ends(self) -> NDArray[np.int32]:
        """The last class of every path."""
        return self.nodes[self.node_ptr[1:] - 1]


def spread(
    ptr: Ints, entries: NDArray[np.int32], owner: Ints, rows: NDArray[np.integer]
) -> tuple[Ints, NDArray[np.int32]]:
    """Return the entries of rows of a CSR array, such as parents, and the owner of each row.

    >>> spread(np.array([0, 2, 3]), np.array([5, 6, 7]), np.array([8, 9]), np.array([1, 0]))
    (array([8, 9, 9]), array([7, 5, 6]))
    """
    count = ptr[rows + 1] - ptr[rows]
    return np.repeat(owner, count), entries[ragged_ranges(ptr[rows], count)]


def root_of(hierarchy: Hierarchy) -> int:
    """Return the number of the only parentless class.

    Raises
    ------
    BadInput
        If there are several: a root path needs one root.
    """
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
    one: Bools = _number_of_paths(hierarchy) == 1
    return one


def _number_of_paths(hierarchy: Hierarchy) -> NDArray[np.float64]:
    """Return how many paths lead from the top to each class: those to its parents, added up."""
    return depth_weights(hierarchy, 1, "sum")


def path_faults(hierarchy: Hierarchy, sets: LabelSets, nested: str = "drop") -> Iterator[BadInput]:
    """Yield why instances have no predicted paths: what :func:`predicted_paths` refuses."""
    given = sets.as_written
    if given is not None and given.node_ptr is not None and given.nodes is not None:
        instance, lone = row_numbers(given.ptr), np.diff(given.node_ptr) == 0
        yield from _ambiguous(hierarchy, instance[lone], given.classes[lone])
        yield from _broken(hierarchy, instance, given.node_ptr, given.nodes)
    elif (_number_of_paths(hierarchy)[sets.indices] > 1).any():
        ptr, classes = _kept(hierarchy, sets, nested)
        yield from _ambiguous(hierarchy, row_numbers(ptr), classes)


def _ambiguous(
    hierarchy: Hierarchy, instance: Ints, classes: NDArray[np.int32]
) -> Iterator[BadInput]:
    """Yield the classes that do not say which path is predicted."""
    n_paths = _number_of_paths(hierarchy)[classes]
    for k in np.flatnonzero(n_paths > 1).tolist():
        yield BadInput(
            f"the class {hierarchy.names[classes[k]]!r} has {n_paths[k]:,.0f} paths from the "
            "root, so it does not say which is predicted; give the path (levels from the root, "
            "or --paths on the command line)",
            int(instance[k]),
        )


def _broken(
    hierarchy: Hierarchy, instance: Ints, starts: Ints, nodes: NDArray[np.int32]
) -> Iterator[BadInput]:
    """Yield the given paths that start below the children of the root."""
    root, names = root_of(hierarchy), hierarchy.names
    some = np.flatnonzero(np.diff(starts))
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
    """Return the predicted paths of a batch.

    Parameters
    ----------
    hierarchy, sets
        The classes and the predictions. Paths that were given stay as they are; a class stands
        for its only root path.
    empty
        An instance without any path gets the path of the root alone (``"root"``) or none.
    nested
        A class with a descendant in its set is left out (``"drop"``) or has a path of its own
        (``"keep"``). Given paths are never left out.
    blank
        ``"count"``: every blank label that was dropped from the set is a path to no class.

    Raises
    ------
    BadInput
        For a class with several root paths, or a path that does not start at the root or right
        below it; names class and instance.
    """
    root, given = root_of(hierarchy), sets.as_written
    if given is not None and given.node_ptr is not None and given.nodes is not None:
        ptr, node_ptr, nodes = _as_given(hierarchy, given, given.node_ptr, given.nodes)
    else:
        ptr, classes = _kept(hierarchy, sets, nested)
        node_ptr, nodes = _only_paths(hierarchy, row_numbers(ptr), classes)
    count = np.diff(ptr)
    n_blank = np.zeros_like(count)
    if blank == "count" and given is not None and given.n_blank is not None:
        n_blank = given.n_blank
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
    """Return the true classes of a batch, ascending, without the root.

    A class with a descendant in its set is left out (``nested="drop"``) or stays (``"keep"``).
    """
    ptr, classes = _kept(hierarchy, sets, nested)
    real = classes != root_of(hierarchy)
    return Labels(hierarchy, "true", offsets(row_sums(real, ptr)), classes[real])


def _kept(hierarchy: Hierarchy, sets: LabelSets, nested: str) -> tuple[Ints, NDArray[np.int32]]:
    """Return the labels, without those above another of their set unless these stay."""
    if nested == "keep":
        return sets.indptr, sets.indices
    lowest = are_lowest(hierarchy, sets)
    return offsets(row_sums(lowest, sets.indptr)), sets.indices[lowest]


def _only_paths(
    hierarchy: Hierarchy, instance: Ints, classes: NDArray[np.int32]
) -> tuple[Ints, NDArray[np.int32]]:
    """Return the root path of every class: its ancestors, if they form a chain."""
    for error in _ambiguous(hierarchy, instance, classes):
        raise error
    closure = ancestor_closure(hierarchy, classes)
    return offsets(closure.lengths(classes)), closure.expanded(classes)[1]


def _as_given(
    hierarchy: Hierarchy, given: AsWritten, starts: Ints, nodes: NDArray[np.int32]
) -> tuple[Ints, Ints, NDArray[np.int32]]:
    """Return given paths from the root on, each once; where none was given, the only one."""
    root, instance, lone = root_of(hierarchy), row_numbers(given.ptr), np.diff(starts) == 0
    own_ptr, own = _only_paths(hierarchy, instance[lone], given.classes[lone])
    for error in _broken(hierarchy, instance, starts, nodes):
        raise error
    only = iter(np.split(own, own_ptr[1:-1]))
    cuts, listed = starts.tolist(), nodes.tolist()
    found: dict[tuple[int, tuple[int, ...]], None] = {}
    for k, i in enumerate(instance.tolist()):
        path = tuple(listed[cuts[k] : cuts[k + 1]] or next(only).tolist())
        found[i, path if path[0] == root else (root, *path)] = None
    owner = np.array([i for i, _ in found], dtype=np.int64)
    size = np.array([len(path) for _, path in found], dtype=np.int64)
    flat = np.array([c for _, path in found for c in path], dtype=np.int32)
    return offsets(np.bincount(owner, minlength=len(given.ptr) - 1)), offsets(size), flat
