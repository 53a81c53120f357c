"""From labels to the extended graphs: nearest partners, their LCAs, and the paths up to these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.hierarchy import (
    Closure,
    Hierarchy,
    ancestor_closure,
    common_ancestor_distances,
    nearest_common_ancestors,
)
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Ints,
    offsets,
    ragged_ranges,
    row_numbers,
    row_sums,
    sorted_unique,
)
from hierpair.labels import LabelSets, are_lowest

__all__ = ["Links", "Members", "link", "without_ancestors"]

PREDICTED = 1

Classes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Members:
    """The labels of both sides of a batch, less those that are above another of their set.

    Attributes
    ----------
    ptr
        By side (true, predicted): labels of instance ``i`` are at ``ptr[side][i]:ptr[side][i+1]``
        of the labels of that side.
    classes
        Class of every label, first all true ones, then all predicted ones.
    instance
        Instance of every label.
    n_true
        Number of true labels: label ``n_true + k`` is predicted label ``k``.
    place, given_ptr
        Of every label its place among all labels of its side that were given, and by side where
        those of every instance begin.
    """

    ptr: tuple[Ints, Ints]
    classes: Classes
    instance: Ints
    n_true: int
    place: Ints
    given_ptr: tuple[Ints, Ints]

    @property
    def n_instances(self) -> int:
        """Number of instances."""
        return len(self.ptr[0]) - 1

    @property
    def side(self) -> NDArray[np.int8]:
        """0 for a true label, 1 for a predicted one."""
        return (np.arange(len(self.classes)) >= self.n_true).astype(np.int8)

    def of(self, i: int) -> tuple[bytes, bytes]:
        """Return the classes of an instance by side, as a key."""
        true, predicted = self.classes[: self.n_true], self.classes[self.n_true :]
        (a, b), (c, d) = (ptr[i : i + 2] for ptr in self.ptr)
        return true[a:b].tobytes(), predicted[c:d].tobytes()


@dataclass(frozen=True, eq=False)
class Links:
    """The shortest paths from labels to LCAs: the extended graphs G_ex, link by link.

    A link leads from a label up to one of the lowest common ancestors that it has with a nearest
    partner. It is in the *requirement* of the label if the partner is nearest to this label;
    otherwise the label is nearest to the partner only (Kosmopoulos et al. 2014, §2.4.2,
    Definitions 4–6).

    Attributes
    ----------
    members
        The labels.
    label, lca, length
        Of every link: its label, its LCA (the number of classes stands for the artificial class
        of a path threshold), and the edges between; ascending by label, then LCA.
    own
        Whether the LCA is in the label's own requirement.
    node_ptr, node, step
        CSR over the links: the classes on all its shortest paths, and how many edges above the
        label each is.
    nearest
        Pairs of a true and a predicted label that are nearest partners, and whether the pair is
        nearest for the first, and for the second.
    """

    members: Members
    label: Ints
    lca: Classes
    length: Ints
    own: Bools
    node_ptr: Ints
    node: Classes
    step: Ints
    nearest: tuple[Ints, Ints, Bools, Bools]

    @property
    def linked(self) -> Bools:
        """Whether each label has a link at all."""
        found: Bools = np.bincount(self.label, minlength=len(self.members.classes)) > 0
        return found

    @property
    def n_unlinked(self) -> tuple[Ints, Ints]:
        """By side, how many labels of every instance have no link at all."""
        members = self.members
        lone = members.instance * 2 + members.side
        count = np.bincount(lone[~self.linked], minlength=2 * members.n_instances)
        return count[0::2], count[1::2]

    def rows(self, i: int) -> Ints:
        """Return the numbers of the links of an instance."""
        return np.flatnonzero(self.members.instance[self.label] == i)

    def without(self, i: int, spare: Sequence[int]) -> Links:
        """Return the links of an instance without some classes, and those that end in them."""
        rows = self.rows(i)
        rows = rows[~np.isin(self.lca[rows], spare)]
        count = np.diff(self.node_ptr)[rows]
        at = ragged_ranges(self.node_ptr[rows], count)
        kept = ~np.isin(self.node[at], spare)
        return replace(
            self,
            label=self.label[rows],
            lca=self.lca[rows],
            length=self.length[rows],
            own=self.own[rows],
            node_ptr=offsets(row_sums(kept, offsets(count))),
            node=self.node[at[kept]],
            step=self.step[at[kept]],
        )

    def partners(self) -> list[list[int]]:
        """Return, per label, the labels of the other side that are nearest to it."""
        first, second, by_first, by_second = self.nearest
        partners: list[list[int]] = [[] for _ in self.members.classes]
        for mine, other, near in ((first, second, by_first), (second, first, by_second)):
            for i in np.flatnonzero(near).tolist():
                partners[mine[i]].append(int(other[i]))
        return partners


def without_ancestors(hierarchy: Hierarchy, y_true: LabelSets, y_pred: LabelSets) -> Members:
    """Drop every label that has a descendant in the same set (on the uncut hierarchy)."""
    true, predicted = (np.flatnonzero(are_lowest(hierarchy, s)) for s in (y_true, y_pred))
    instance = row_numbers(y_true.indptr)[true], row_numbers(y_pred.indptr)[predicted]
    ptr = [offsets(np.bincount(of, minlength=len(y_true))) for of in instance]
    return Members(
        (ptr[0], ptr[1]),
        np.concatenate([y_true.indices[true], y_pred.indices[predicted]]),
        np.concatenate(instance),
        len(true),
        np.concatenate([true, predicted]),
        (y_true.indptr, y_pred.indptr),
    )


def link(
    hierarchy: Hierarchy,
    members: Members,
    threshold: int | None = None,
    distances: Floats | None = None,
) -> Links:
    """Find nearest partners and LCAs, and walk up to these on all shortest paths.

    ``distances`` are those of all pairs of labels that were given, instance by instance and
    predicted label by predicted label, if they are known.
    """
    closure = ancestor_closure(hierarchy, members.classes, threshold=threshold)
    first, second = _pairs(members)
    classes = members.classes
    if distances is None:
        distance = common_ancestor_distances(closure, classes[first], classes[second])
    else:
        distance = distances[_places(members, first, second)]
    by_first, by_second = _nearest(members, first, second, distance)
    best = np.flatnonzero(by_first | by_second)
    first, second, by_first, by_second = first[best], second[best], by_first[best], by_second[best]
    pair, lca = nearest_common_ancestors(closure, classes[first], classes[second], distance[best])
    label = np.concatenate([first[pair], second[pair]])
    own = np.concatenate([by_first[pair], by_second[pair]])
    label, lca, own = _distinct(label, np.concatenate([lca, lca]), own, closure.n_columns)
    at = closure.find(classes[label], lca)
    length = closure.up[at].astype(np.int64)
    wanted = Wanted(classes[label], lca, at, length, threshold)
    on_paths = classes_on_paths(hierarchy, closure, wanted)
    return Links(members, label, lca, length, own, *on_paths, (first, second, by_first, by_second))


def _nearest(
    members: Members,
    first: Ints,
    second: Ints,
    distance: Floats,
) -> tuple[Bools, Bools]:
    """Whether each pair is nearest for its true label, and for its predicted one."""
    nearest = np.full(len(members.classes), np.inf)
    np.minimum.at(nearest, first, distance)
    np.minimum.at(nearest, second, distance)
    near = distance < np.inf
    return (distance == nearest[first]) & near, (distance == nearest[second]) & near


def _pairs(members: Members) -> tuple[Ints, Ints]:
    """Return the true and the predicted label of every pair."""
    n_predicted = np.diff(members.ptr[PREDICTED])
    owner = members.instance[: members.n_true]
    count = n_predicted[owner]
    first = np.repeat(np.arange(members.n_true), count)
    return first, members.n_true + ragged_ranges(members.ptr[PREDICTED][owner], count)


def _places(members: Members, first: Ints, second: Ints) -> Ints:
    """Return the places of pairs among those of all labels that were given."""
    ptr, instance, cut = members.given_ptr, members.instance, members.n_true
    n_true = np.diff(ptr[0])
    pair_ptr = offsets(n_true * np.diff(ptr[PREDICTED]))
    true, predicted = instance[:cut], instance[cut:]
    of_true = pair_ptr[true] + members.place[:cut] - ptr[0][true]
    of_predicted = (members.place[cut:] - ptr[PREDICTED][predicted]) * n_true[predicted]
    places: Ints = of_true[first] + of_predicted[second - cut]
    return places


def _distinct(label: Ints, lca: Classes, own: Bools, width: int) -> tuple[Ints, Classes, Bools]:
    """Put equal links together; one is in the requirement if any of the equal ones is."""
    key = (label * width + lca) * 2 + ~own  # of equal links, those in the requirement come first
    key.sort()
    link_key = key >> 1
    first = np.ones(len(key), dtype=bool)
    np.not_equal(link_key[1:], link_key[:-1], out=first[1:])
    kept = key[first]
    found, column = np.divmod(kept >> 1, width)
    return found, column.astype(np.int32), (kept & 1) == 0


BLOCK_ENTRIES = 2_000_000
"""Ancestors of labels that are looked at together where the closure is not whole."""

Placed = tuple[Ints, Ints, Ints]
"""Number of the link, class, and step, in any order."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """The ends of links.

    Attributes
    ----------
    label, lca, length
        Classes of the label and of the LCA (the number of classes stands for the artificial
        class of a path threshold), and the edges between.
    at
        Where the closure has the LCA as an ancestor of the label.
    threshold
        Path threshold, or None.
    """

    label: Classes
    lca: Classes
    at: Ints
    length: Ints
    threshold: int | None


def classes_on_paths(
    hierarchy: Hierarchy, closure: Closure, links: Wanted
) -> tuple[Ints, Classes, Ints]:
    """Return row pointer, class and step of all classes on the shortest paths of every link.

    A closure that is not whole has to hold the labels, and no other class: the ancestors of all
    classes on the paths may be far more than can be held.
    """
    ends = closure.indptr[closure.rows(links.label) + 1] - (links.threshold is not None)
    if int(np.diff(hierarchy.parent_ptr).max(initial=0)) <= 1:
        # Ancestors are a chain, and its lower end is the path; the artificial class is not on it.
        ptr = offsets(links.length + 1)
        step = ragged_ranges(np.zeros(len(ends), np.int64), links.length + 1)
        node = closure.indices[np.repeat(ends - 1, links.length + 1) - step]
        node[ptr[1:] - 1] = links.lca
        return ptr, node, step
    real = links.lca < len(hierarchy)
    walked = real & (closure.row_of is None)
    parts = [_walked(hierarchy, closure, links, np.flatnonzero(walked))]
    rest = np.flatnonzero(~walked)
    starts = np.where(real, links.at, closure.indptr[closure.rows(links.label)])
    block = np.cumsum((ends - starts)[rest]) // BLOCK_ENTRIES
    parts += [
        _between(hierarchy, closure, links, some, starts[some], ends[some])
        for some in np.split(rest, np.flatnonzero(np.diff(block)) + 1)
    ]
    owner, node, step = (np.concatenate(found) for found in zip(*parts, strict=True))
    order = np.lexsort((step, owner))
    ptr = offsets(np.bincount(owner, minlength=len(ends)))
    return ptr, node[order].astype(np.int32), step[order]


def _walked(hierarchy: Hierarchy, closure: Closure, links: Wanted, which: Ints) -> Placed:
    """Walk up from labels, keeping to the classes from which the LCA is still in reach.

    Where a class has one parent, every path up passes it, so that only the parents of others are
    looked up, in a whole closure.
    """
    n = len(hierarchy)
    label, lca, length = links.label, links.lca, links.length
    owners, nodes = [which], [label[which].astype(np.int64)]
    steps = [np.zeros(len(which), dtype=np.int64)]
    at, walked, forked = which[length[which] > 0], 0, False
    node = label[at].astype(np.int64)
    n_parents = np.diff(hierarchy.parent_ptr)
    while len(at):
        walked += 1
        count = n_parents[node]
        above = hierarchy.parents[ragged_ranges(hierarchy.parent_ptr[node], count)].astype(np.int64)
        owner = np.repeat(at, count)
        keep = np.repeat(count == 1, count)
        left = length[owner] - walked
        ask = np.flatnonzero(~keep & (above >= lca[owner]))
        found = closure.find(above[ask], lca[owner[ask]])
        keep[ask] = (found >= 0) & (closure.up[found] == left[ask])
        at, node = owner[keep], above[keep]
        forked = forked or bool((count > 1).any())
        if forked:  # two paths may meet
            at, node = np.divmod(sorted_unique(at * n + node), n)
        owners.append(at)
        nodes.append(node)
        steps.append(np.full(len(at), walked))
        going = length[at] > walked
        at, node = at[going], node[going]
    return np.concatenate(owners), np.concatenate(nodes), np.concatenate(steps)


def _between(
    hierarchy: Hierarchy,
    closure: Closure,
    links: Wanted,
    which: Ints,
    starts: Ints,
    ends: Ints,
) -> Placed:
    """Pick the classes on the paths out of the ancestors of each label (``starts`` to ``ends``).

    An ancestor is on a shortest path if it is the LCA, or if a parent of it is, one step further
    up. The artificial class of a path threshold stands above every class as many edges up as the
    threshold allows, and above roots reached earlier.
    """
    n, levels, lca = len(hierarchy), hierarchy.levels, links.lca
    owner, at = np.repeat(which, ends - starts), ragged_ranges(starts, ends - starts)
    node, step = closure.indices[at].astype(np.int64), closure.up[at].astype(np.int64)
    top = np.where(lca < n, levels[np.minimum(lca, n - 1)], -1)
    left = links.length[owner] - step
    keep = ((left > 0) & (levels[node] - top[owner] >= left)) | (node == lca[owner])
    owner, node, step, left = owner[keep], node[keep], step[keep], left[keep]
    count = hierarchy.parent_ptr[node + 1] - hierarchy.parent_ptr[node]
    hops = 0 if links.threshold is None else links.threshold // 2 - 1
    last = (left == 1) & (lca[owner] == n) & ((count == 0) | (step == hops))
    last |= left == 0
    count[last] = 0
    key = owner * n + node  # ascending, as the links are, and the ancestors of a label
    lower = np.repeat(np.arange(len(key)), count)
    upper_key = owner[lower] * n
    upper_key += hierarchy.parents[ragged_ranges(hierarchy.parent_ptr[node], count)]
    upper = np.minimum(np.searchsorted(key, upper_key), len(key) - 1)
    right = (key[upper] == upper_key) & (step[upper] == step[lower] + 1)
    # One search downwards, from a source above all last classes, reaches what is on a path.
    last_at, source = np.flatnonzero(last), len(key)
    from_source = np.full(len(last_at), source)
    edges = np.concatenate([upper[right], from_source]), np.concatenate([lower[right], last_at])
    graph = scipy.sparse.csr_array((np.ones(len(edges[0])), edges), shape=(source + 1, source + 1))
    reached = scipy.sparse.csgraph.breadth_first_order(graph, source, return_predecessors=False)[1:]
    others = which[lca[which] == n]
    return (
        np.concatenate([owner[reached], others]),
        np.concatenate([node[reached], np.full(len(others), n)]),
        np.concatenate([step[reached], links.length[others]]),
    )


@dataclass(frozen=True, eq=False)
class LinkEdges:
    """Some links of a batch with their classes and edges.

    Attributes
    ----------
    at, ptr
        Where ``links.node`` has the classes of the links; those of link ``k`` are
        ``at[ptr[k]:ptr[k + 1]]``, step by step from the label to the LCA.
    row, left
        Of every class: its link, and how many edges below the LCA it is.
    lower, upper
        The edges as positions in ``at``; ascending by the lower end.
    """

    at: Ints
    ptr: Ints
    row: Ints
    left: Ints
    lower: Ints
    upper: Ints


def edges_of_links(hierarchy: Hierarchy, links: Links, rows: Ints) -> LinkEdges:
    """Return the edges between classes of consecutive steps of these links.

    Below the artificial class of a path threshold are all classes of the step before it.
    """
    width = len(hierarchy) + 1
    count = links.node_ptr[rows + 1] - links.node_ptr[rows]
    ptr, at = offsets(count), ragged_ranges(links.node_ptr[rows], count)
    row, node = row_numbers(ptr), links.node[at].astype(np.int64)
    left = links.length[rows][row] - links.step[at]
    key = row * width + node  # a class is on a link once
    order = np.argsort(key)
    ranked = key[order]
    below_top = (links.lca[rows] == len(hierarchy))[row] & (left == 1)
    parent_ptr = hierarchy.parent_ptr
    going = np.flatnonzero((left > 0) & ~below_top)
    first = parent_ptr[node[going]]
    n_parents = parent_ptr[node[going] + 1] - first
    lower = np.repeat(going, n_parents)
    wanted = row[lower] * width + hierarchy.parents[ragged_ranges(first, n_parents)]
    place = np.minimum(np.searchsorted(ranked, wanted), max(len(ranked) - 1, 0))
    upper = order[place]
    right = (ranked[place] == wanted) & (left[upper] == left[lower] - 1)
    lower, upper = lower[right], upper[right]
    last = np.flatnonzero(below_top)
    if len(last):
        lower = np.concatenate([lower, last])
        upper = np.concatenate([upper, ptr[row[last] + 1] - 1])
        sort = np.argsort(lower, kind="stable")
        lower, upper = lower[sort], upper[sort]
    return LinkEdges(at, ptr, row, left, lower, upper)
