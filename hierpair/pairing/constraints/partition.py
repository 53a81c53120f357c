"""Sets of pairs that are counted alike: of labels, groups, instances, across the data set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, listed, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import Bools, Ints
from hierpair.pairing.pairs import GroupsOf, Labels, Pairs, SetsOf, Side, Things, other_side

Kind = Literal["label", "group", "partners", "instance", "quota"]
"""Whose pairs a set holds: a label's, a group's of labels, those of a label with a group of
partners, an instance's, or those of several instances."""


@dataclass(frozen=True, eq=False)
class Partition(Things):
    """Sets of pairs of which no two share a pair.

    Everything that a rule can say, it says of how many pairs are in each of such sets: a
    :class:`~hierpair.pairing.constraints.counts.Count`.

    Attributes
    ----------
    kind
        What the sets hold.
    side
        On which side of the network they hang; None for instances, which lie between both, and for
        sets across instances, which find their side when the network is written.
    pairs, things
        The pairs, and what the numbers of a constraint see of the sets.
    instance
        Of every set, its instance; 0 where sets span instances.
    of_member, by
        Of every member the set that it is in, -1 for none. Members are the labels of the side
        ``by``, or the pairs themselves.
    """

    kind: Kind
    side: Side | None
    pairs: Pairs
    things: Things
    instance: Ints
    of_member: Ints
    by: Side | None

    def __len__(self) -> int:
        return len(self.instance)

    @property
    def what(self) -> tuple[Any, ...]:
        """What is counted: sets of the same kind on the same side."""
        return self.kind, self.side, self.by, len(self), getattr(self.things, "of", None)

    @cached_property
    def of_pair(self) -> Ints:
        """Of every pair, the set that it is in, -1 for none."""
        if isinstance(self.things, Labels):
            return self.pairs.at(self.things.side)
        return self.of_member if self.by is None else self.of_member[self.pairs.at(self.by)]

    @cached_property
    def sizes(self) -> Ints:
        """How many pairs are in each set."""
        if isinstance(self.things, Labels):
            others: Ints = np.diff(self.pairs.labels(other_side(self.things.side)).ptr)
            return others[self.things.instance]
        return np.bincount(self.of_pair[self.of_pair >= 0], minlength=len(self))

    def units(self, pairs: NDArray[np.integer] | slice, each: Ints | None = None) -> Ints:
        """Return how many of these pairs, given by number, or of their units, are in each set."""
        at = self.of_pair[pairs]
        if each is None or (each == 1).all():
            return np.bincount(at if self.kind == "label" else at[at >= 0], minlength=len(self))
        count = np.zeros(len(self), dtype=np.int64)
        np.add.at(count, at[at >= 0], each[at >= 0])
        return count

    def total(self, values: NDArray[Any]) -> Ints:
        """Return the sum of what the sets of every instance have."""
        found = np.zeros(len(self.pairs.ptr) - 1, dtype=np.int64)
        np.add.at(found, self.instance, values.astype(np.int64))
        return found

    @property
    def of_labels(self) -> Side:
        """The side whose labels :meth:`members` are."""
        assert self.side is not None  # instances and sets across them have pairs
        return other_side(self.side) if self.kind == "partners" else self.side

    def members(self, at: int) -> Ints:
        """Return the positions of the labels of a set, or of the partners that are grouped."""
        inside = np.flatnonzero(self.of_member == at)
        return np.unique(self.pairs.at(self.of_labels)[inside]) if self.by is None else inside

    def owner(self, at: int) -> int:
        """Return the position of the label whose partners a set holds."""
        assert self.side is not None  # only partners have an owner
        return int(self.pairs.at(self.side)[np.flatnonzero(self.of_member == at)[0]])

    def place(self, at: int) -> tuple[str, int | None]:
        """Return one set in words, and its instance."""
        if self.kind == "instance":
            return "all pairs of the instance", int(self.instance[at])
        if self.kind in ("label", "quota"):
            return self.things.place(at)
        names = self.pairs.labels(self.of_labels).names
        inside = listed(names[i] for i in self.members(at).tolist())
        if self.kind == "group":
            return f"the {self.side} group {inside}", int(self.instance[at])
        assert self.side is not None  # partners have one
        whose, instance = self.pairs.labels(self.side).place(self.owner(at))
        return f"{whose} with {inside}", instance


def each_label(pairs: Pairs, side: Side) -> Partition:
    """Return a set for every label of a side."""
    labels = pairs.labels(side)
    every = np.arange(len(labels))
    return Partition("label", side, pairs, labels, labels.instance, every, side)


def each_instance(pairs: Pairs) -> Partition:
    """Return a set for every instance."""
    every = np.arange(len(pairs.ptr) - 1)
    return Partition("instance", None, pairs, pairs.instances, every, pairs.instance, None)


def grouped(pairs: Pairs, side: Side, number: Ints) -> Partition:
    """Return a set for every group of labels of a side; ``number`` is one per label, -1: none."""
    labels = pairs.labels(side)
    instance, numbers, of_label, size = _numbered(labels.instance, number)
    things = GroupsOf(labels.hierarchy, side, instance, numbers, size)
    return Partition("group", side, pairs, things, instance, of_label, side)


def partners_grouped(pairs: Pairs, side: Side, number: Ints, where: Bools) -> Partition:
    """Return a set for every label of a side and every group of its partners.

    ``number`` is one per label of the other side, -1: none; ``where`` says for which labels of the
    side.
    """
    across_ = np.where(where[pairs.at(side)], number[pairs.at(other_side(side))], -1)
    label, numbers, of_pair, size = _numbered(pairs.at(side), across_)
    instance = pairs.labels(side).instance[label]
    things = GroupsOf(pairs.hierarchy, other_side(side), instance, numbers, size)
    return Partition("partners", side, pairs, things, instance, of_pair, None)


def across(pairs: Pairs, side: Side | None, number: Ints, *, by_class: bool = False) -> Partition:
    """Return sets that span instances: of labels of a side, or of whole instances, by number."""
    owner = pairs.instance if side is None else pairs.at(side)
    _, numbers, of_thing, size = _numbered(np.zeros(len(number), np.int64), number)
    none = np.zeros(len(numbers), dtype=np.int64)
    things = SetsOf(pairs.hierarchy, side or "true", none, numbers, size, side, by_class)
    return Partition("quota", None, pairs, things, none, of_thing[owner], None)


def _numbered(owner: Ints, group: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Lay out groups of members that have an owner each, and a group's number (-1: none).

    Returned are owner and number of every group, of every member the position of its group, -1
    for none, and how many members every group has.
    """
    inside = np.flatnonzero(group >= 0)
    key = np.stack([owner[inside], group[inside]], axis=1)
    found, place = np.unique(key, axis=0, return_inverse=True)
    of_member = np.full(len(group), -1, dtype=np.int64)
    of_member[inside] = place.ravel()
    size = np.bincount(place.ravel(), minlength=len(found))
    return found[:, 0].astype(np.int64), found[:, 1].astype(np.int64), of_member, size


# ---------------------------------------------------------------- ready-made groups


def by_class(labels: Labels) -> Ints:
    """Group labels by their class: the number of each is its place in ``hierarchy.names``."""
    return labels.classes.astype(np.int64)


def by_level(labels: Labels) -> Ints:
    """Group labels by their depth (fewest edges from a parentless class)."""
    return labels.hierarchy.depths[labels.classes].astype(np.int64)


@dataclass(frozen=True)
class by_subtree:  # noqa: N801 - used like the function by_level
    """Group labels by their ancestor at a depth; labels above it are in no group.

    Raises ``BadInput`` where a class has several ancestors at that depth (in a DAG).
    """

    depth: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.depth, int) or self.depth < 0:
            raise BadInput(f"by_subtree takes a depth, a whole number ≥ 0, got {shown(self.depth)}")

    def __call__(self, labels: Labels) -> Ints:
        """Return the number of that ancestor, or -1."""
        h = labels.hierarchy
        owner, above = ancestor_closure(h, labels.classes).expanded(labels.classes)
        at_depth = h.depths[above] == self.depth
        owner, above = owner[at_depth], above[at_depth]
        labels.refuse(
            np.bincount(owner, minlength=len(labels)) > 1,
            lambda _, whose: (
                f"{whose} lies in several subtrees at depth {self.depth}; by_subtree "
                "needs a tree, or a grouping of your own"
            ),
        )
        top = np.full(len(labels), -1, dtype=np.int64)
        top[owner] = above
        return top

    def every(self, hierarchy: Hierarchy) -> Ints:
        """Return the numbers of all groups: the classes at that depth."""
        return np.flatnonzero(hierarchy.depths == self.depth)


def groups_of_all(groups: Callable[[Labels], Ints], labels: Labels) -> Ints:
    """Return the numbers of all groups that classes of the hierarchy are in.

    A callable with a method ``every(hierarchy)`` is asked; of any other all classes are grouped,
    as one instance.
    """
    hierarchy = labels.hierarchy
    if hasattr(groups, "every"):
        known: Ints = groups.every(hierarchy)
        return known
    n = len(hierarchy)
    classes = np.arange(n, dtype=labels.classes.dtype)
    found = np.unique(groups(Labels(hierarchy, labels.side, np.array([0, n]), classes)))
    return found[found >= 0].astype(np.int64)
