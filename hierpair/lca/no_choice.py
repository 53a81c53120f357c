"""Instances whose graphs leave no choice, for a whole batch by arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_sums, sorted_unique
from hierpair.lca.links import Links

__all__ = ["Decided", "StandIns", "counted", "decided", "stand_ins"]

Sizes = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Classes of the true graph, of the predicted one, and of both."""


class StandIns(NamedTuple):
    """The classes that stand for those on links, numbered within their instance.

    A class that is on one link only counts the same as any other such class of the same link and
    step, since every path passes exactly one class per step. The first of them stands for all. An
    LCA is never among them: it is on the links of both labels that have it in common.

    Attributes
    ----------
    kept
        Whether each class on a link stands for itself.
    number
        Which of the classes of its instance stands for it, ascending by class.
    per_instance
        How many classes of every instance stand for themselves.
    """

    kept: NDArray[np.bool_]
    number: NDArray[np.int64]
    per_instance: NDArray[np.int64]


def stand_ins(links: Links, width: int) -> StandIns:
    """Return which classes on links stand for which; classes are below ``width``."""
    members = links.members
    count = np.diff(links.node_ptr)
    owner = np.repeat(np.arange(len(links.label)), count)
    instance = members.instance[links.label[owner]]
    place = instance * width + links.node
    order = np.argsort(place)
    ranked = place[order]
    new = np.ones(len(place), dtype=bool)
    np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
    again = np.flatnonzero(~new)
    kept = np.zeros(len(place), dtype=bool)
    kept[order[again]] = True  # on several links
    kept[order[again - 1]] = True
    private = np.flatnonzero(~kept)
    at = owner[private] * (int(links.length.max(initial=0)) + 1) + links.step[private]
    first = np.ones(len(private), dtype=bool)
    np.not_equal(at[1:], at[:-1], out=first[1:])  # entries are in the order of link and step
    standing = private[first]
    kept[standing] = True
    new &= kept[order]
    number = np.empty(len(place), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    number[private] = number[standing][np.cumsum(first) - 1]
    per_instance = np.bincount(instance[order[new]], minlength=members.n_instances)
    number -= offsets(per_instance)[instance]
    return StandIns(kept, number, per_instance)


class Decided(NamedTuple):
    """What is decided before anything is searched.

    Attributes
    ----------
    chosen
        The links that the minimal graphs of instances without a choice have.
    is_open
        The instances where choices are left.
    fixed
        In those: links of labels that have one link and one path left. All minimal graphs have
        them.
    left
        In those: the links among which there is a choice; no others are needed.
    """

    chosen: NDArray[np.bool_]
    is_open: NDArray[np.bool_]
    fixed: NDArray[np.bool_]
    left: NDArray[np.bool_]


def decided(links: Links, kept: NDArray[np.bool_], width: int) -> Decided:
    """Decide what leaves no choice, for all instances at once.

    The LCAs of an instance are resolved if those of labels with a single one meet all requirements
    (then no smaller set does). An instance whose LCAs are resolved has no choice if every label has
    one path to them, and if every side at which no label ends in one of them has one path to it.
    """
    members, own, label = links.members, links.own, links.label
    n_labels = len(members.classes)
    instance = members.instance[label]
    single = row_sums(kept, links.node_ptr) == links.length + 1
    requirement = np.bincount(label[own], minlength=n_labels)
    place = instance * width + links.lca
    forced = sorted_unique(place[own & (requirement[label] == 1)])
    taken = _is_in(place, forced)
    candidates = np.bincount(label[own & taken], minlength=n_labels)
    resolved = np.ones(members.n_instances, dtype=bool)
    resolved[members.instance[(requirement > 0) & (candidates == 0)]] = False
    is_open = ~resolved
    is_open[members.instance[candidates > 1]] = True
    chosen = own & taken & (candidates[label] == 1)
    is_open[instance[chosen & ~single]] = True
    # An LCA at which no label of a side ends gets one path of that side.
    side = members.side[label].astype(np.int64)
    end = place * 2 + side
    ended = sorted_unique(end[chosen])
    loose = np.flatnonzero(taken & ~_is_in(end, ended))
    order = loose[np.argsort(end[loose], kind="stable")]
    first = np.ones(len(order), dtype=bool)
    np.not_equal(end[order][1:], end[order][:-1], out=first[1:])
    alone = first & np.append(first[1:], True)
    is_open[instance[order[~alone]]] = True
    is_open[instance[order[~single[order]]]] = True
    searched = is_open[instance]
    fixed = chosen & single & searched & (resolved[instance] | (requirement[label] == 1))
    of_fixed = own & np.bincount(label[fixed], minlength=n_labels).astype(bool)[label]
    left = searched & ~of_fixed & (taken | ~resolved[instance])
    left &= own | ~_is_in(end, sorted_unique(end[fixed]))
    chosen[order[alone]] = True
    chosen &= ~searched
    return Decided(chosen, is_open, fixed, left)


def _is_in(keys: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each key is among the sorted known ones."""
    if not len(known):
        return np.zeros(len(keys), dtype=bool)
    found: NDArray[np.bool_] = (
        known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys
    )
    return found


def counted(links: Links, chosen: NDArray[np.bool_], kept: NDArray[np.bool_], width: int) -> Sizes:
    """Count the classes of labels and chosen links: one sort puts equal ones together."""
    members = links.members
    picked = np.flatnonzero(chosen)
    count = np.diff(links.node_ptr)[picked]
    at = ragged_ranges(links.node_ptr[picked], count)
    counted = kept[at]
    nodes = links.node[at[counted]]
    label = np.repeat(links.label[picked], count)[counted]
    owner = np.concatenate([members.instance, members.instance[label]])
    side = np.concatenate([members.side, members.side[label]])
    key = (owner * width + np.concatenate([members.classes, nodes])) * 2 + side
    key = sorted_unique(key)
    place, side = key >> 1, key & 1
    owner = place // width
    n = members.n_instances
    n_predicted = np.bincount(owner[side == 1], minlength=n)
    n_true = np.bincount(owner, minlength=n) - n_predicted
    both = place[1:] == place[:-1]
    return n_true, n_predicted, np.bincount(owner[1:][both], minlength=n)
