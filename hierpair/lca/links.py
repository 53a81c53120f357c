"""From labels to the extended graphs: nearest partners, their LCAs, and the paths up to these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import (
    Closure,
    Hierarchy,
    ancestor_closure,
    nearest_common_ancestors,
)
from hierpair.hierarchy.arrays import (
    Array,
    Bools,
    Indices,
    Ints,
    Shorts,
    groups_by,
    marked,
    offsets,
    places_in,
    places_in_rows,
    row_numbers,
    row_pointer,
    row_sums,
    sorted_unique,
    starts_of_ties,
    taken,
)
from hierpair.hierarchy.closure import remembered
from hierpair.labels import LabelSets, are_lowest


@dataclass(frozen=True, eq=False)
class Members:
    """The labels of both sides of a batch, less those that are above another of their set."""

    ptr: tuple[Ints, Ints]
    """By side (true, predicted): where the labels of every instance are among those of the side."""
    classes: Shorts  # of every label its class, first all true ones, then all predicted ones
    instance: Ints  # of every label its instance
    n_true: int  # number of true labels: label ``n_true + k`` is predicted label ``k``

    @property
    def n_instances(self) -> int:
        """Number of instances."""
        return len(self.ptr[0]) - 1

    @property
    def side(self) -> NDArray[np.int8]:
        """0 for a true label, 1 for a predicted one."""
        return (np.arange(len(self.classes)) >= self.n_true).astype(np.int8)


@dataclass(frozen=True, eq=False)
class ShortestPaths:
    """All shortest paths from classes to ancestors; the artificial class comes after all others."""

    lca: Shorts  # of every link, the ancestor
    length: Ints  # edges up to it
    node_ptr: Ints  # where the classes of every link begin
    node: Shorts  # the classes on all its shortest paths
    step: Ints  # how many edges above the label each is


@dataclass(frozen=True, eq=False)
class Links(ShortestPaths):
    """The extended graphs (Kosmopoulos et al. 2014, §2.4.2), link by link, by label, then LCA.

    A link leads from a label up to a lowest common ancestor that it has with a nearest partner.
    """

    members: Members
    label: Ints  # of every link
    own: Bools  # whether the LCA is in the label's own requirement
    nearest: tuple[Ints, Ints, Bools, Bools]  # pairs of nearest labels, and for which of the two

    @property
    def linked(self) -> Bools:
        """Whether each label has a link at all."""
        return marked(self.label, len(self.members.classes))

    @property
    def n_unlinked(self) -> Ints:
        """By side, how many labels of every instance have no link at all."""
        members = self.members
        lone = members.instance * 2 + members.side
        return np.bincount(lone[~self.linked], minlength=2 * members.n_instances).reshape(-1, 2).T

    def rows(self, i: int) -> Ints:
        """Return the numbers of the links of an instance."""
        return np.flatnonzero(self.members.instance[self.label] == i)

    def alone(self, i: int) -> Links:
        """Return the links of an instance."""
        rows = self.rows(i)
        ptr, at = taken(self.node_ptr, rows)
        some = {name: getattr(self, name)[rows] for name in ("label", "lca", "length", "own")}
        return replace(self, **some, node_ptr=ptr, node=self.node[at], step=self.step[at])

    def partners(self, label: int) -> Ints:
        """Return the labels of the other side that are nearest to a label."""
        first, second, by_first, by_second = self.nearest
        sides = (first, second, by_first), (second, first, by_second)
        return np.concatenate([other[(mine == label) & near] for mine, other, near in sides])


def without_ancestors(hierarchy: Hierarchy, y_true: LabelSets, y_pred: LabelSets) -> Members:
    """Drop every label that has a descendant in the same set (on the uncut hierarchy)."""
    true, predicted = are_lowest(hierarchy, y_true), are_lowest(hierarchy, y_pred)
    ptr = offsets(row_sums(true, y_true.indptr)), offsets(row_sums(predicted, y_pred.indptr))
    return Members(
        ptr,
        np.concatenate([y_true.indices[true], y_pred.indices[predicted]]),
        np.concatenate([row_numbers(p) for p in ptr]),
        int(ptr[0][-1]),
    )


def link(hierarchy: Hierarchy, members: Members, threshold: int | None = None) -> Links:
    """Find nearest partners and LCAs, and walk up to these on all shortest paths."""
    classes = members.classes
    closure = ancestor_closure(hierarchy, classes, threshold=threshold)
    ptr, first = taken(members.ptr[0], row_numbers(members.ptr[1]))
    second = members.n_true + row_numbers(ptr)
    distance, pair, lca = nearest_common_ancestors(closure, classes[first], classes[second])
    least = np.full(len(classes), np.inf)
    np.minimum.at(least, first, distance)
    np.minimum.at(least, second, distance)
    near = distance < np.inf
    by_first, by_second = ((distance == least[mine]) & near for mine in (first, second))
    best = by_first | by_second
    nearest = first[best], second[best], by_first[best], by_second[best]
    pair, lca = pair[best[pair]], lca[best[pair]]
    label = np.concatenate([first[pair], second[pair]])
    own = np.concatenate([by_first[pair], by_second[pair]])
    # Equal links become one; it is in the requirement, and comes first, if any of them is.
    key = (label * closure.n_columns + np.concatenate([lca, lca])) * 2 + ~own
    key.sort()
    key = key[np.diff(key >> 1, prepend=-1) > 0]
    label, column = np.divmod(key >> 1, closure.n_columns)
    ways = ways_up(hierarchy, closure, classes[label], column.astype(np.int32), threshold)
    return Links(**vars(ways), members=members, label=label, own=(key & 1) == 0, nearest=nearest)


def ways_up(
    hierarchy: Hierarchy,
    closure: Closure,
    label: Indices,
    lca: Shorts,
    threshold: int | None = None,
) -> ShortestPaths:
    """Return the classes on all shortest paths from classes up to ancestors of theirs."""
    length = closure.up[closure.find(label, lca)].astype(np.int64)
    if hierarchy.shape != "DAG":
        # Ancestors are a chain, and its lower end is the path; the artificial class is not on it.
        ptr = offsets(length + 1)
        step = places_in_rows(ptr)
        ends = closure.indptr[label + 1] - (threshold is not None)
        node = closure.indices[np.repeat(ends - 1, length + 1) - step]
        node[ptr[1:] - 1] = lca
        return ShortestPaths(lca, length, ptr, node, step)
    n, links, width = len(hierarchy), np.arange(len(label)), int(length.max(initial=0)) + 1
    cut, top = lca == n, lca
    if threshold is not None:  # the artificial class stands above the ends of other ways
        ptr, at = taken(closure.indptr, np.where(cut, label, -1))
        of, above, hops = row_numbers(ptr), closure.indices[at], closure.up[at]
        last = (hops == threshold // 2 - 1) | marked(hierarchy.root_indices, n + 1)[above]
        ends = last & (above < n) & (hops == length[of] - 1)
        links, top = np.append(links[~cut], of[ends]), np.append(lca[~cut], above[ends])
    at, node, left = np.arange(len(links)), label[links].astype(np.int64), (length - cut)[links]
    keys = [(np.flatnonzero(cut) * width + length[cut]) * (n + 1) + n]
    for up in range(width):
        keys.append((links[at] * width + up) * (n + 1) + node)
        on = left[at] > up
        ptr, parents = hierarchy.parents_of(node[on])
        count, node = np.diff(ptr), parents.astype(np.int64)
        at, right = np.repeat(at[on], count), np.repeat(count == 1, count)
        ask = np.flatnonzero(~right)  # of several parents not all lead on
        found = closure.find(node[ask], top[at[ask]])
        right[ask] = (found >= 0) & (closure.up[found] == left[at[ask]] - up - 1)
        at, node = np.divmod(sorted_unique(at[right] * n + node[right]), n)  # ways may meet
    key, node = np.divmod(sorted_unique(np.concatenate(keys)), n + 1)
    owner, step = np.divmod(key, width)
    return ShortestPaths(lca, length, row_pointer(owner, len(label)), node.astype(np.int32), step)


class LinkEdges(NamedTuple):
    """Some links with their classes, step by step from the label to the LCA, and edges."""

    at: Ints  # where ``ways.node`` has the classes
    ptr: Ints  # those of link ``k`` are ``at[ptr[k]:ptr[k + 1]]``
    row: Ints  # of every class its link
    left: Ints  # of every class, how many edges below the LCA it is
    lower: Ints  # lower ends of the edges as positions in ``at``, ascending
    upper: Ints  # upper ends of the edges


def edges_of_links(hierarchy: Hierarchy, ways: ShortestPaths, rows: Ints) -> LinkEdges:
    """Return the edges between classes of consecutive steps of these links."""
    ptr, at = taken(ways.node_ptr, rows)
    row = row_numbers(ptr)
    left = ways.length[rows][row] - ways.step[at]
    under = (ways.lca[rows] == len(hierarchy))[row] & (left == 1)
    return LinkEdges(at, ptr, row, left, *_edges(hierarchy, row, ways.node[at], left, under))


def _edges(
    hierarchy: Hierarchy, row: Ints, node: Indices, left: Ints, under: Bools
) -> tuple[Ints, Ints]:
    """Return edges between classes of a link, one step apart; ``under`` is the artificial class."""
    n = len(hierarchy)
    key = row * (n + 1) + node  # a class is on a link once
    order = np.argsort(key, kind="stable")  # keys are nearly sorted
    ptr, parent = hierarchy.parents_of(np.where(under | (left == 0), -1, node))
    lower = np.repeat(np.arange(len(node)), np.diff(ptr) + under)
    parent = np.insert(parent, ptr[:-1][under], n)
    place = places_in(key[order], row[lower] * (n + 1) + parent)
    upper = order[place]
    right = (place >= 0) & (left[upper] == left[lower] - 1)
    return lower[right], upper[right]


def paths_of_links(
    hierarchy: Hierarchy, ways: ShortestPaths, rows: Ints, gain: Callable[[Ints], Array]
) -> tuple[Ints, Ints]:
    """Return the places in ``ways.node`` of a path of each of these links, and a row pointer.

    It has the largest sum of gains; of equal ones the first by rank, the label first.
    """
    ptr = offsets(ways.length[rows] + 1)
    at = np.empty(ptr[-1], dtype=np.int64)
    alone = np.diff(ways.node_ptr)[rows] == np.diff(ptr)
    of_alone = np.repeat(alone, np.diff(ptr))
    at[of_alone] = taken(ways.node_ptr, rows[alone])[1]
    if alone.all():
        return at, ptr
    edges, ranks = edges_of_links(hierarchy, ways, rows[~alone]), class_ranks(hierarchy)
    gained, rank = gain(edges.at).astype(np.int64), ranks[ways.node[edges.at]]
    following, base = np.arange(len(gained)), int(ranks[-1]) + 1
    for now in groups_by(edges.left[edges.lower]):
        low, up = edges.lower[now], edges.upper[now]
        starts = starts_of_ties(low)
        value = gained[up] * base - rank[up]
        best = np.maximum.reduceat(value, starts)
        up = up[value == np.repeat(best, np.diff(starts, append=len(low)))]
        following[low[starts]] = up
        gained[low[starts]] += gained[up]
    on = np.zeros(len(gained), dtype=bool)
    here = edges.ptr[:-1]
    for _ in range(int(edges.left.max(initial=0)) + 1):
        on[here] = True
        here = following[here]  # at an LCA it stays
    at[~of_alone] = edges.at[on]
    return at, ptr


def class_ranks(hierarchy: Hierarchy) -> Ints:
    """Return numbers that order classes by level, then name; the artificial class comes last."""
    levels, n = hierarchy.levels.astype(np.int64), len(hierarchy)
    return np.append(levels * n + name_ranks(hierarchy), (int(levels.max(initial=0)) + 1) * n)


@remembered
def name_ranks(hierarchy: Hierarchy) -> Ints:
    """Return the place of every class among all by name, as text."""
    names = [str(name) for name in hierarchy.names]
    return np.argsort(sorted(range(len(names)), key=names.__getitem__))
