"""Groups of labels that share a bound: ready-made ones, who is in them, which are absent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, listed, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.pairing.constraints.bounds import NOBODY, Contradiction, Source
from hierpair.pairing.constraints.values import bounds_of, whole_numbers
from hierpair.pairing.pairs import GroupsOf, Labels, Pairs, Side

__all__ = [
    "Grouping",
    "by_level",
    "by_subtree",
    "clash_of",
    "groups_of_all",
    "numbered",
    "without_labels",
]


def by_level(labels: Labels) -> NDArray[np.int64]:
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
            raise BadInput(
                f"by_subtree takes a depth, a whole number ≥ 0, got {shown(self.depth, 40)}; "
                "write by_subtree(1)"
            )

    def __call__(self, labels: Labels) -> NDArray[np.int64]:
        """Return the number of that ancestor, or -1."""
        h = labels.hierarchy
        owner, above = ancestor_closure(h, labels.classes).expanded(labels.classes)
        at_depth = h.depths[above] == self.depth
        owner, above = owner[at_depth], above[at_depth]
        several = np.flatnonzero(owner[1:] == owner[:-1])
        if len(several):
            label = owner[several[0]]
            name, count = h.names[labels.classes[label]], int((owner == label).sum())
            raise BadInput(
                f"class {name!r} lies in {count} subtrees at depth {self.depth}; "
                "by_subtree needs a tree, or a grouping of your own"
            )
        top = np.full(len(labels), -1, dtype=np.int64)
        top[owner] = above
        return top

    def every(self, hierarchy: Hierarchy) -> NDArray[np.int64]:
        """Return the numbers of all groups: the classes at that depth."""
        return np.flatnonzero(hierarchy.depths == self.depth)


def groups_of_all(
    groups: Callable[[Labels], NDArray[np.int64]], labels: Labels
) -> NDArray[np.int64]:
    """Return the numbers of all groups that classes of the hierarchy are in.

    A callable with a method ``every(hierarchy)`` is asked; of any other all classes are grouped,
    as one instance.
    """
    hierarchy = labels.hierarchy
    if hasattr(groups, "every"):
        known: NDArray[np.int64] = groups.every(hierarchy)
        return known
    n = len(hierarchy)
    classes = np.arange(n, dtype=labels.classes.dtype)
    found = np.unique(groups(Labels(hierarchy, labels.side, np.array([0, n]), classes)))
    return found[found >= 0].astype(np.int64)


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of labels of one side that share a bound, instance by instance.

    Attributes
    ----------
    side
        ``"predicted"`` or ``"true"``.
    instance, number
        Instance of every group and its number there, shape ``(n_groups,)``.
    of_label
        Position of every label's group among these, -1 for no group.
    lower, upper
        Bounds of every group, shape ``(n_groups,)``.
    source
        Which constraint gives them.
    """

    side: Side
    instance: NDArray[np.int64]
    number: NDArray[np.int64]
    of_label: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    source: Source = NOBODY

    @classmethod
    def of_labels(
        cls,
        labels: Labels,
        group: NDArray[np.int64],
        lower: Any,
        upper: Any,
        source: Source = NOBODY,
    ) -> Grouping:
        """Lay groups out: ``group`` has a number per label, bounds are numbers of any form.

        Raises
        ------
        BadInput
            For bounds that are none, or contradict themselves.
        """
        instance, number, of_label, size = numbered(labels.instance, group)
        groups = GroupsOf(labels.hierarchy, labels.side, instance, number, size)
        bounds = bounds_of(lower, upper, groups)
        low, high = (np.broadcast_to(x, number.shape) for x in bounds)
        return cls(labels.side, instance, number, of_label, low, high, source)

    def things(self, pairs: Pairs) -> GroupsOf:
        """Return the groups as the numbers of a constraint see them."""
        size = np.bincount(self.of_label[self.of_label >= 0], minlength=len(self.number))
        return GroupsOf(pairs.hierarchy, self.side, self.instance, self.number, size)

    def of_pairs(self, pairs: Pairs) -> NDArray[np.int64]:
        """Return the position of the group of every pair, -1 for none."""
        at: NDArray[np.int64] = self.of_label[pairs.at(self.side)]
        return at

    def part(self, instance: int, pairs: slice, labels: slice) -> Grouping:
        """Return the groups of one instance, which has these pairs and labels of their side."""
        lo, hi = np.searchsorted(self.instance, [instance, instance + 1])
        of_label = np.maximum(self.of_label[labels] - lo, -1)
        first = np.zeros(hi - lo, dtype=np.int64)
        columns = (x[lo:hi] for x in (self.number, self.lower, self.upper))
        number, lower, upper = columns
        return Grouping(self.side, first, number, of_label, lower, upper, self.source)

    def members(self, at: int) -> NDArray[np.int64]:
        """Return the positions of the labels of one group among those of its side."""
        return np.flatnonzero(self.of_label == at)

    def text(self, pairs: Pairs, at: int) -> str:
        """Return one group in words, by the names of its labels."""
        labels = pairs.labels(self.side)
        names = labels.hierarchy.names
        return f"the {self.side} group {listed(names[c] for c in labels.classes[self.members(at)])}"

    @property
    def membership(self) -> NDArray[np.int64]:
        """Position of every member's group, -1 for none: the members are labels."""
        return self.of_label


def numbered(
    owner: NDArray[np.int64], group: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
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


class _Bounded(Protocol):
    """Groups with bounds."""

    @property
    def side(self) -> Side | None: ...
    @property
    def lower(self) -> NDArray[np.int64]: ...
    @property
    def upper(self) -> NDArray[np.int64]: ...
    @property
    def source(self) -> Source: ...
    @property
    def membership(self) -> NDArray[np.int64]: ...


def clash_of(one: _Bounded, other: _Bounded) -> Contradiction | None:
    """Return where groups of a kind and side have the same members and bounds that contradict.

    The place is that of the first ones' group.
    """
    if type(one) is not type(other) or one.side != other.side:
        return None
    members = one.membership, other.membership
    both = np.flatnonzero((members[0] >= 0) & (members[1] >= 0))
    key = np.stack([m[both] for m in members], axis=1)
    key, shared = np.unique(key, axis=0, return_counts=True)
    sizes = (np.bincount(m[m >= 0], minlength=1) for m in members)
    same = [size[key[:, k]] == shared for k, size in enumerate(sizes)]
    for a, b in key[same[0] & same[1]].tolist():
        bounds = [(int(g.lower[i]), int(g.upper[i]), g.source) for g, i in ((one, a), (other, b))]
        low, high = max(bounds, key=lambda x: x[0]), min(bounds, key=lambda x: x[1])
        if low[0] > high[1]:
            return Contradiction(a, low[0], high[1], low[2], high[2])
    return None


def without_labels(
    grouping: Grouping, labels: Labels, lower: Any, every: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which instances have no label in some group that has a minimum.

    ``every`` holds the numbers of all groups that there can be; their minimum is asked for as if
    they had no label.
    """
    none = np.zeros(len(every), dtype=np.int64)
    groups = GroupsOf(labels.hierarchy, labels.side, none, every, none)
    least, known = whole_numbers(lower, groups, "lower")
    needed = np.broadcast_to(np.asarray(least) > 0, every.shape)
    wanted = every[needed if known is None else needed & known]
    there = grouping.instance[np.isin(grouping.number, wanted)]
    return np.bincount(there, minlength=len(labels.ptr) - 1) < len(wanted)
