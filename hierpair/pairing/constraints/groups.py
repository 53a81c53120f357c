"""Groups of labels that share a bound: who is in them, what bounds them, and which are absent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, listed
from hierpair.pairing.constraints.amounts import OPEN, limits_of_groups
from hierpair.pairing.constraints.bounds import NOBODY, Contradiction, Source
from hierpair.pairing.pairs import GroupsOf, Labels, Side

__all__ = ["Grouping", "bounded", "lacking", "members", "needed", "numbered", "same_sets"]


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of labels of one side that share a bound.

    Attributes
    ----------
    side, group
        The side, and the group of every label, -1 for no group.
    lower, upper
        Bounds of all groups, or of the group of every label.
    source
        Which constraint says so.
    """

    side: Side
    group: NDArray[np.int64]
    lower: int | NDArray[np.int64]
    upper: int | NDArray[np.int64]
    source: Source = NOBODY


def numbered(
    instance: NDArray[np.int64], group: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return of all groups of all instances the instance, the number there and one label.

    The last array holds the position of every label's group among these, -1 for none.
    """
    inside = np.flatnonzero(group >= 0)
    key = np.stack([instance[inside], group[inside]], axis=1)
    found, first, place = np.unique(key, axis=0, return_index=True, return_inverse=True)
    of_label = np.full(len(instance), -1, dtype=np.int64)
    of_label[inside] = place.ravel()
    return found[:, 0].astype(np.int64), found[:, 1].astype(np.int64), inside[first], of_label


def bounded(
    labels: Labels, group: NDArray[np.int64], upper: Any, lower: Any, source: Source
) -> Grouping:
    """Return groups with their bounds, each a number, a table by number, or a function.

    Raises
    ------
    BadInput
        For bounds that are none, or contradict themselves.
    """
    instance, number, _, of_label = numbered(labels.instance, group)
    size = np.bincount(of_label[of_label >= 0], minlength=len(number))
    groups = GroupsOf(labels.hierarchy, labels.side, instance, number, size)
    bounds = []
    for value, what, otherwise in ((lower, "lower", 0), (upper, "upper", OPEN)):
        found, known = limits_of_groups(value, groups, what)
        bounds.append(found if known is None else np.where(known, found, otherwise))
    low_bound, high_bound = bounds
    bad = np.atleast_1d(
        (np.asarray(low_bound) < 0) | (np.asarray(low_bound) > np.asarray(high_bound))
    )
    if bad.any():
        low, high = (np.broadcast_to(x, bad.shape)[bad.argmax()] for x in (low_bound, high_bound))
        many = "any number of" if high == OPEN else f"at most {high}"
        raise BadInput(f"a group cannot have at least {low} and {many} pairs")
    spread = [
        x if isinstance(x, int) else np.append(x, 0)[of_label] for x in (low_bound, high_bound)
    ]
    return Grouping(labels.side, group, spread[0], spread[1], source)


def same_sets(labels: Labels, one: Grouping, other: Grouping) -> tuple[Contradiction, int] | None:
    """Return where two groupings bound the same set of labels by what cannot hold together.

    The number is the first label of that set.
    """
    *_, first, a = numbered(labels.instance, one.group)
    *_, b = numbered(labels.instance, other.group)
    both = np.flatnonzero((a >= 0) & (b >= 0))
    key, shared = np.unique(np.stack([a[both], b[both]], axis=1), axis=0, return_counts=True)
    size_a, size_b = (np.bincount(x[x >= 0], minlength=1) for x in (a, b))
    same = (size_a[key[:, 0]] == shared) & (size_b[key[:, 1]] == shared)
    for label in first[key[same, 0]].tolist():
        bounds = [
            (int(np.broadcast_to(g.lower, a.shape)[label]),
             int(np.broadcast_to(g.upper, a.shape)[label]), g.source)
            for g in (one, other)
        ]  # fmt: skip
        low, high = max(bounds, key=lambda x: x[0]), min(bounds, key=lambda x: x[1])
        if low[0] > high[1]:
            return Contradiction(label, low[0], high[1], low[2], high[2]), label
    return None


def members(labels: Labels, grouping: Grouping, label: int) -> str:
    """Return the names of the labels of one label's group."""
    lo, hi = labels.ptr[labels.instance[label]], labels.ptr[labels.instance[label] + 1]
    alike = np.flatnonzero(grouping.group[lo:hi] == grouping.group[label]) + lo
    return listed(labels.hierarchy.names[c] for c in labels.classes[alike])


def needed(labels: Labels, lower: Any, every: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of the groups that have a minimum, as if they had no label."""
    none = np.zeros(len(every), dtype=np.int64)
    groups = GroupsOf(labels.hierarchy, labels.side, none, every, none)
    least, known = limits_of_groups(lower, groups, "lower")
    wanted = np.broadcast_to(np.asarray(least) > 0, every.shape)
    return every[wanted if known is None else wanted & known]


def lacking(
    labels: Labels, group: NDArray[np.int64], wanted: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which instances have no label in some of the wanted groups."""
    instance, number, _, _ = numbered(labels.instance, group)
    there = np.bincount(instance[np.isin(number, wanted)], minlength=len(labels.ptr) - 1)
    return there < len(wanted)
