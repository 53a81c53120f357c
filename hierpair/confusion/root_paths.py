"""Root paths of predictions and most specific true classes, for a batch of instances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, row_sums
from hierpair.labels import LabelSets
from hierpair.labels.rows import AsWritten
from hierpair.lca import without_ancestors
from hierpair.pairing import Labels

__all__ = ["Paths", "has_one_path", "predicted_paths", "root_of", "true_labels"]


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

    ptr: NDArray[np.int64]
    node_ptr: NDArray[np.int64]
    nodes: NDArray[np.int32]
    beyond: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.beyond)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of nodes of every path below the root."""
        return np.diff(self.node_ptr) - 1 + self.beyond

    @property
    def ends(self) -> NDArray[np.int32]:
        """The last class of every path."""
        return self.nodes[self.node_ptr[1:] - 1]


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
    root = root_of(hierarchy)
    given = sets.as_written
    if given is not None and given.node_ptr is not None:
        ptr, node_ptr, nodes = _as_given(hierarchy, given, root)
    else:
        ptr, classes = _kept(hierarchy, sets, nested)
        node_ptr, nodes = _only_paths(hierarchy, ptr, classes)
    size = np.diff(node_ptr)
    count = np.diff(ptr)
    extra = np.zeros(len(count), dtype=np.int64)
    n_blank = extra.copy()
    if blank == "count" and given is not None and given.n_blank is not None:
        n_blank = given.n_blank
        extra = extra + n_blank
    alone = (count + extra == 0) if empty == "root" else np.zeros(len(count), dtype=bool)
    extra = extra + alone
    if not extra.any():
        return Paths(ptr, node_ptr, nodes, np.zeros(len(size), dtype=np.int64))
    # Paths of the root alone come after the others of their instance.
    whole = offsets(count + extra)
    at = np.ones(whole[-1], dtype=bool)
    at[ragged_ranges(whole[:-1], count)] = False
    sizes = np.ones(whole[-1], dtype=np.int64)
    sizes[~at] = size
    new_ptr = offsets(sizes)
    new_nodes = np.full(new_ptr[-1], root, dtype=np.int32)
    new_nodes[ragged_ranges(new_ptr[:-1][~at], size)] = nodes
    beyond = np.zeros(whole[-1], dtype=np.int64)
    beyond[at] = np.repeat(n_blank > 0, extra)
    return Paths(whole, new_ptr, new_nodes, beyond)


def true_labels(
    hierarchy: Hierarchy, sets: LabelSets, *, nested: str = "drop", ordered: bool = False
) -> Labels:
    """Return the true classes of a batch, without the root, in the order that breaks ties.

    Parameters
    ----------
    hierarchy, sets
        The classes and the truth.
    nested
        A class with a descendant in its set is left out (``"drop"``) or stays (``"keep"``).
    ordered
        Order the classes of an instance as a greedy cover of its set takes them: first the one
        whose ancestors cover most labels that are not covered yet, of equal ones the first given.
        Otherwise they ascend.
    """
    root = root_of(hierarchy)
    ptr, classes = _kept(hierarchy, sets, nested)
    real = classes != root
    ptr, classes = offsets(row_sums(real, ptr)), classes[real]
    if ordered:
        classes = _cover_order(hierarchy, sets, ptr, classes, keep=nested == "keep")
    return Labels(hierarchy, "true", ptr, classes)


def _as_given(
    hierarchy: Hierarchy, given: AsWritten, root: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Return given paths from the root on, each once; where none was given, the only one."""
    assert given.node_ptr is not None
    assert given.nodes is not None
    instance = row_numbers(given.ptr)
    starts = given.node_ptr.tolist()
    listed = given.nodes.tolist()
    kept: list[int] = []
    found: list[tuple[int, ...]] = []
    seen: set[tuple[int, tuple[int, ...]]] = set()
    for k, c in enumerate(given.classes.tolist()):
        path = tuple(listed[starts[k] : starts[k + 1]])
        if not path:
            if not has_one_path(hierarchy)[c]:
                _refuse(hierarchy, c, int(instance[k]))
            path = tuple(_ancestors(hierarchy, c))
        if path[0] != root:
            above = hierarchy.parents[
                hierarchy.parent_ptr[path[0]] : hierarchy.parent_ptr[path[0] + 1]
            ]
            if root not in above:
                names = "/".join(str(hierarchy.names[x]) for x in path)
                raise BadInput(
                    f"the path {names!r} must start at the root {hierarchy.names[root]!r} or at "
                    "a child of it",
                    int(instance[k]),
                )
            path = (root, *path)
        if (int(instance[k]), path) not in seen:
            seen.add((int(instance[k]), path))
            kept.append(k)
            found.append(path)
    ptr = offsets(np.bincount(instance[kept], minlength=len(given.ptr) - 1))
    node_ptr = offsets(np.array([len(p) for p in found], dtype=np.int64))
    nodes = np.array([c for path in found for c in path], dtype=np.int32)
    return ptr, node_ptr, nodes


def _kept(
    hierarchy: Hierarchy, sets: LabelSets, nested: str
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the labels, without those above another of their set unless these stay."""
    if nested == "keep":
        return sets.indptr, sets.indices
    none = LabelSets.from_arrays(np.zeros(len(sets) + 1, np.int64), np.empty(0, np.int32), 1)
    members = without_ancestors(hierarchy, sets, none)
    return members.ptr[0], members.classes


def _only_paths(
    hierarchy: Hierarchy, ptr: NDArray[np.int64], classes: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the root path of every class: its ancestors, if they form a chain."""
    several = np.flatnonzero(~has_one_path(hierarchy)[classes])
    if len(several):
        k = int(several[0])
        _refuse(hierarchy, int(classes[k]), int(np.searchsorted(ptr, k, side="right")) - 1)
    closure = ancestor_closure(hierarchy, classes)
    return offsets(closure.lengths(classes)), closure.expanded(classes)[1]


def has_one_path(hierarchy: Hierarchy) -> NDArray[np.bool_]:
    """Whether a single path leads from the top to each class."""

    def one_path() -> NDArray[np.bool_]:
        one = np.diff(hierarchy.parent_ptr) <= 1
        for lo, hi in hierarchy.level_ranges()[1:]:
            one[lo:hi] &= one[hierarchy.parents[hierarchy.parent_ptr[lo:hi]]]
        return one

    return hierarchy.cached("one path", one_path)


def _refuse(hierarchy: Hierarchy, c: int, instance: int) -> None:
    raise BadInput(
        f"the class {hierarchy.names[c]!r} has {number_of_paths(hierarchy, c):,} paths from the "
        "root, so it does not say which is predicted; give the path (levels from the root, "
        "or --paths on the command line)",
        instance,
    )


def number_of_paths(hierarchy: Hierarchy, c: int) -> int:
    """Return how many root paths a class has."""
    ways: dict[int, int] = {}
    for x in _ancestors(hierarchy, c):  # parents before children
        ptr = hierarchy.parent_ptr
        parents: list[int] = hierarchy.parents[ptr[x] : ptr[x + 1]].tolist()
        ways[x] = sum(ways[p] for p in parents) if parents else 1
    return ways[c]


def _ancestors(hierarchy: Hierarchy, c: int) -> list[int]:
    one = np.array([c], dtype=np.int32)
    above: list[int] = ancestor_closure(hierarchy, one).expanded(one)[1].tolist()
    return above


def _cover_order(
    hierarchy: Hierarchy,
    sets: LabelSets,
    ptr: NDArray[np.int64],
    classes: NDArray[np.int32],
    *,
    keep: bool,
) -> NDArray[np.int32]:
    """Order the classes of every instance as a greedy cover takes them."""
    out = _in_given_order(hierarchy, sets, ptr, classes)
    # Without a label above another one each covers itself alone, and the given order stays.
    kept = np.diff(ptr)
    closure = ancestor_closure(hierarchy, out)
    start, above = offsets(closure.lengths(out)), closure.expanded(out)[1]
    nested = np.flatnonzero((kept > 1) & (keep | (sets.lengths > kept)))
    for i in nested.tolist():
        open_ = set(sets.indices[sets.indptr[i] : sets.indptr[i + 1]].tolist())
        order: list[int] = out[ptr[i] : ptr[i + 1]].tolist()
        covers: dict[int, set[int]] = {}
        for k, c in enumerate(order, start=ptr[i]):
            covers[c] = open_.intersection(above[start[k] : start[k + 1]].tolist())
        taken: list[int] = []
        while order:
            best = max(order, key=lambda c: len(covers[c] & open_))  # the first of equal ones
            taken.append(best)
            order.remove(best)
            open_ -= covers[best]
        out[ptr[i] : ptr[i + 1]] = taken
    return out


def _in_given_order(
    hierarchy: Hierarchy, sets: LabelSets, ptr: NDArray[np.int64], classes: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Order the classes of every instance as they were given first."""
    given = sets.as_written
    if given is None:
        return classes.copy()
    n = len(hierarchy)
    known, first = np.unique(row_numbers(given.ptr) * n + given.classes, return_index=True)
    owner = row_numbers(ptr)
    ordered: NDArray[np.int32] = classes[
        np.lexsort((first[np.searchsorted(known, owner * n + classes)], owner))
    ]
    return ordered
