"""From labels to the extended graphs: nearest partners, their LCAs, and the paths up to these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import (
    Hierarchy,
    ancestor_closure,
    common_ancestor_distances,
    nearest_common_ancestors,
)
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers
from hierpair.labels import LabelSets, are_lowest
from hierpair.lca.shortest_paths import Wanted, classes_on_paths

__all__ = ["Links", "Members", "link", "without_ancestors"]

PREDICTED = 1


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

    ptr: tuple[NDArray[np.int64], NDArray[np.int64]]
    classes: NDArray[np.int32]
    instance: NDArray[np.int64]
    n_true: int
    place: NDArray[np.int64]
    given_ptr: tuple[NDArray[np.int64], NDArray[np.int64]]

    @property
    def n_instances(self) -> int:
        """Number of instances."""
        return len(self.ptr[0]) - 1

    @property
    def side(self) -> NDArray[np.int8]:
        """0 for a true label, 1 for a predicted one."""
        return (np.arange(len(self.classes)) >= self.n_true).astype(np.int8)


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
    label: NDArray[np.int64]
    lca: NDArray[np.int32]
    length: NDArray[np.int64]
    own: NDArray[np.bool_]
    node_ptr: NDArray[np.int64]
    node: NDArray[np.int32]
    step: NDArray[np.int64]
    nearest: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]

    @property
    def linked(self) -> NDArray[np.bool_]:
        """Whether each label has a link at all."""
        found: NDArray[np.bool_] = np.bincount(self.label, minlength=len(self.members.classes)) > 0
        return found

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
    distances: NDArray[np.float64] | None = None,
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
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    distance: NDArray[np.float64],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each pair is nearest for its true label, and for its predicted one."""
    nearest = np.full(len(members.classes), np.inf)
    np.minimum.at(nearest, first, distance)
    np.minimum.at(nearest, second, distance)
    near = distance < np.inf
    return (distance == nearest[first]) & near, (distance == nearest[second]) & near


def _pairs(members: Members) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the true and the predicted label of every pair."""
    n_predicted = np.diff(members.ptr[PREDICTED])
    owner = members.instance[: members.n_true]
    count = n_predicted[owner]
    first = np.repeat(np.arange(members.n_true), count)
    return first, members.n_true + ragged_ranges(members.ptr[PREDICTED][owner], count)


def _places(
    members: Members, first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the places of pairs among those of all labels that were given."""
    ptr, instance, cut = members.given_ptr, members.instance, members.n_true
    n_true = np.diff(ptr[0])
    pair_ptr = offsets(n_true * np.diff(ptr[PREDICTED]))
    true, predicted = instance[:cut], instance[cut:]
    of_true = pair_ptr[true] + members.place[:cut] - ptr[0][true]
    of_predicted = (members.place[cut:] - ptr[PREDICTED][predicted]) * n_true[predicted]
    places: NDArray[np.int64] = of_true[first] + of_predicted[second - cut]
    return places


def _distinct(
    label: NDArray[np.int64], lca: NDArray[np.int32], own: NDArray[np.bool_], width: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.bool_]]:
    """Put equal links together; one is in the requirement if any of the equal ones is."""
    key = (label * width + lca) * 2 + ~own  # of equal links, those in the requirement come first
    key.sort()
    link_key = key >> 1
    first = np.ones(len(key), dtype=bool)
    np.not_equal(link_key[1:], link_key[:-1], out=first[1:])
    kept = key[first]
    found, column = np.divmod(kept >> 1, width)
    return found, column.astype(np.int32), (kept & 1) == 0
