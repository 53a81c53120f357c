"""Root paths as labels, and their pairs with true classes, with TP, FP, FN and TN of each.

Ancestors of a class on a root path are a prefix of it (an ancestor of an ancestor is one), so the
overlap with the best true path is the number of the class's ancestors on the predicted one: no
path is enumerated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Closure, Hierarchy, ancestor_closure, depth_weights
from hierpair.hierarchy.arrays import (
    Bools,
    Indices,
    Ints,
    Shorts,
    blocks,
    offsets,
    pieces,
    places_in,
    places_in_rows,
    ragged_ranges,
    row_numbers,
    row_pointer,
    row_sums,
    sparse_rows,
    starts_of_ties,
    taken,
)
from hierpair.labels import LabelSets, are_lowest
from hierpair.lca import paths_of_links, ways_up
from hierpair.pairing import Labels, Pairs


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


Given = tuple[Ints, Shorts, Ints, Shorts]  # labels, and the paths that were given with them


def spread(ptr: Ints, entries: Shorts, owner: Ints, rows: Indices) -> tuple[Ints, Shorts]:
    """Return the entries of rows of a CSR array, such as parents, and the owner of each row."""
    pointer, at = taken(ptr, rows)
    return np.repeat(owner, np.diff(pointer)), entries[at]


def root_of(hierarchy: Hierarchy) -> int:
    """Return the number of the only parentless class; a root path needs one."""
    roots = hierarchy.roots
    if not hierarchy.has_one_root:
        raise BadInput(
            f"root paths need one root, and the hierarchy has {len(roots)} "
            f"({', '.join(map(repr, roots[:3]))}, …); add a class above them"
        )
    return 0


def has_one_path(hierarchy: Hierarchy) -> Bools:
    """Whether a single path leads from the top to each class."""
    one: Bools = depth_weights(hierarchy, 1, "sum") == 1  # those to its parents, added up
    return one


def path_faults(
    hierarchy: Hierarchy, sets: LabelSets, nested: str = "drop", given: Given | None = None
) -> Iterator[BadInput]:
    """Yield why instances have no predicted paths: what :func:`predicted_paths` refuses.

    That is a class with several root paths, or a path that starts below the children of the root.
    """
    ptr, classes, starts, nodes = given or _given(hierarchy, sets, nested)
    root, names, n_paths = root_of(hierarchy), hierarchy.names, depth_weights(hierarchy, 1, "sum")
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
    given = _given(hierarchy, sets, nested)
    for error in path_faults(hierarchy, sets, nested, given):
        raise error
    (ptr, classes, starts, inner), written, root = given, sets.as_written, root_of(hierarchy)
    n, count, alone = len(classes), np.diff(ptr), np.flatnonzero(np.diff(starts) == 0)
    own_ptr, own = ancestor_closure(hierarchy, classes[alone]).gathered(classes[alone])
    n_blank = np.zeros_like(count)
    if blank == "count" and written is not None and written.n_blank is not None:
        n_blank = written.n_blank
    extra = n_blank + ((empty == "root") & (count + n_blank == 0))
    # Paths of the root alone come after the others of their instance.
    owner = np.append(row_numbers(ptr), np.repeat(np.arange(len(count)), extra))
    start, size = np.zeros_like(owner), np.ones_like(owner)
    start[:n], size[:n] = starts[:-1] + 1, np.diff(starts)
    start[alone], size[alone] = own_ptr[:-1] + len(inner) + 1, np.diff(own_ptr)
    order = np.argsort(owner, kind="stable")
    owner, start, size = owner[order], start[order], size[order]
    nodes = np.concatenate([[root], inner, own], dtype=np.int32)
    late = nodes[start] != root  # given from a child of the root on
    nodes = np.insert(nodes[ragged_ranges(start, size)], offsets(size)[:-1][late], root)
    node_ptr, beyond = offsets(size + late), (order >= n) & (n_blank > 0)[owner]
    if written is not None:  # what was given may be there twice
        table = np.full((len(owner), 2 + int(np.diff(node_ptr).max(initial=0))), -1)
        table[:, 0], table[:, 1] = owner, np.where(order < n, -1, order)
        table[row_numbers(node_ptr), 2 + places_in_rows(node_ptr)] = nodes
        once = np.sort(np.unique(table, axis=0, return_index=True)[1])
        owner, beyond, (node_ptr, at) = owner[once], beyond[once], taken(node_ptr, once)
        nodes = nodes[at]
    return Paths(row_pointer(owner, len(count)), node_ptr, nodes, beyond.astype(np.int64))


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


def _given(hierarchy: Hierarchy, sets: LabelSets, nested: str) -> Given:
    """Return the labels, and the paths that were given with them; a class alone has none."""
    given = sets.as_written
    if given is not None and given.node_ptr is not None and given.nodes is not None:
        return given.indptr, given.indices, given.node_ptr, given.nodes
    ptr, classes = _kept(hierarchy, sets, nested)
    return ptr, classes, np.zeros(len(classes) + 1, np.int64), np.empty(0, np.int32)


BLOCK_PAIRS = 100_000  # pairs of a path and a true class compared at a time
BLOCK_ENTRIES = 4_000_000  # siblings along paths gathered at a time


@dataclass(frozen=True, eq=False)
class PathPairs(Pairs):
    """Pairs whose predicted labels are root paths, of which a predicted class is the end."""

    paths: Paths = field(kw_only=True)

    @classmethod
    def of_labels(
        cls,
        hierarchy: Hierarchy,
        y_true: LabelSets,
        y_pred: LabelSets,
        *,
        empty: str = "root",
        nested: str = "drop",
        blank: str = "ignore",
    ) -> PathPairs:
        """Lay out all pairs of each instance; see :func:`predicted_paths`, :func:`true_labels`."""
        paths = predicted_paths(hierarchy, y_pred, empty=empty, nested=nested, blank=blank)
        true = true_labels(hierarchy, y_true, nested=nested)
        predicted = Labels(hierarchy, "predicted", paths.ptr, paths.nodes[paths.node_ptr[1:] - 1])
        return cls.of_sides(predicted, true, paths=paths)

    @cached_property
    def closure(self) -> Closure:
        """Ancestors of the true classes."""
        return ancestor_closure(self.hierarchy, self.true_labels.classes)

    @cached_property
    def tp(self) -> Ints:
        """Classes below the root that the path shares with the best true path."""
        paths, true = self.paths, self.true
        ones = np.ones(len(paths.nodes), dtype=np.int8)
        walked = sparse_rows(paths.node_ptr, paths.nodes, len(self.hierarchy), ones)
        found = np.zeros(len(true), dtype=np.int64)
        for part in pieces(len(true), BLOCK_PAIRS):
            above = self.closure.pattern[true[part]]
            found[part] = np.diff(walked[self.predicted_at[part]].multiply(above).tocsr().indptr)
        return found - 1

    @cached_property
    def fp(self) -> Ints:
        """Nodes of the path that are not shared."""
        return self.paths.lengths[self.predicted_at] - self.tp

    @cached_property
    def fork_at(self) -> Ints:
        """Position of the last shared class of every pair among the nodes of the paths."""
        return self.paths.node_ptr[self.predicted_at] + self.tp

    @cached_property
    def fork(self) -> Shorts:
        """The last shared class of every pair."""
        return self.paths.nodes[self.fork_at]

    @cached_property
    def fn(self) -> Ints:
        """Edges of the shortest path from the last shared class down to the true class."""
        at = self.closure.find(self.true, self.fork)
        return self.closure.up[at].astype(np.int64)

    @cached_property
    def tn(self) -> Ints:
        """Siblings along the shared part and children of its end that neither path takes.

        ``|∪_{j ≤ i} sib(v_j) less the true path| + |children(v_i) less both paths|``: siblings
        are children of any parent, and the two parts are added, not united.
        """
        h, paths, at = self.hierarchy, self.paths, self.fork_at
        first, end = (paths.node_ptr[self.predicted_at + k] for k in (0, 1))
        width = h.n_children
        # in a tree the only parent of a node is the one before it, and its children its own
        new, taken = np.append(0, width[paths.nodes[:-1]]), (at < end - 1).astype(np.int64)
        if h.shape == "DAG":
            new, taken = self._in_dag()
        running = np.cumsum(new)
        beside = running[at] - running[first] - self.tp  # without the shared nodes themselves
        tn: Ints = beside + width[self.fork] - (self.fn > 0) - taken
        return tn

    def _in_dag(self) -> tuple[Ints, Ints]:
        """Return what is new at nodes of paths, and what either path takes of it for every pair.

        New are children of parents of the node that are of none before it.
        """
        h, n = self.hierarchy, len(self.hierarchy)
        nodes, node_ptr = self.paths.nodes, self.paths.node_ptr
        path = row_numbers(node_ptr)
        at, parent = spread(h.parent_ptr, h.parents, np.arange(len(path)), nodes)
        above = path[at] * n + parent
        place = places_in(path * n + nodes, above)  # paths ascend
        children = np.bincount(place[place >= 0], minlength=len(path))[self.fork_at]
        key, step = _earliest(above, at - node_ptr[path[at]])
        owner, above = key // n, key % n
        place = node_ptr[owner] + step
        # What has no other parent is new with its parent; of the others the first one counts.
        several = h.n_parents[h.children] > 1
        ptr, shared = offsets(row_sums(several, h.child_ptr)), h.children[several]
        lone = (h.n_children - np.diff(ptr))[above]
        new = np.bincount(place, lone, minlength=len(path)).astype(np.int64)
        start = np.searchsorted(owner, np.arange(len(self.paths) + 1))
        load = offsets(np.diff(ptr)[above])[start]
        for lo, hi in blocks((load[1:], BLOCK_ENTRIES)):
            some, here = np.arange(start[lo], start[hi]), new[node_ptr[lo] : node_ptr[hi]]
            at, child = spread(ptr, shared, some, above[some])
            _, first = _earliest((owner[at] - lo) * n + child, place[at] - node_ptr[lo])
            here += np.bincount(first, minlength=len(here))
        # Only a class with several parents can be a sibling: it shares a parent with a node that
        # is not below the last shared class.
        pair, node = ways_down(h, self.closure, self.fork, self.true)
        some = np.flatnonzero(h.n_parents[node] > 1)
        entry, parent = spread(h.parent_ptr, h.parents, some, node[some])
        found = places_in(key, self.predicted_at[pair[entry]] * n + parent)
        hit = (found >= 0) & (np.append(step, 0)[found] <= self.tp[pair[entry]])
        rest = np.bincount(pair[np.unique(entry[hit])], minlength=len(self.tp))
        return new, children + rest


def _earliest(key: Ints, step: Ints) -> tuple[Ints, Ints]:
    """Return the distinct keys, ascending, with the least step of each."""
    bits = int(step.max(initial=0)).bit_length()
    both = np.sort(key << bits | step)
    key = both >> bits
    first = starts_of_ties(key)
    return key[first], both[first] & ((1 << bits) - 1)


def ways_down(
    hierarchy: Hierarchy, closure: Closure, fork: Shorts, true: Shorts
) -> tuple[Ints, Shorts]:
    """Return (pair, class) of a shortest path from each fork, without it, down to its class."""
    pair = np.flatnonzero(fork != true)
    ways = ways_up(hierarchy, closure, true[pair], fork[pair])
    at, ptr = paths_of_links(hierarchy, ways, np.arange(len(pair)), np.zeros_like)
    below = np.ones(len(at), dtype=bool)
    below[ptr[1:] - 1] = False
    return pair[row_numbers(ptr)[below]], ways.node[at[below]]
