"""The minimal graphs of a whole batch: arrays settle most instances, the open rest is searched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.extension.links import Links
from hierpair.extension.search import Choice, Outcome, TooMany, best_of, smallest_graphs
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, row_sums, sorted_unique

__all__ = ["Graphs", "full_graphs", "minimal_graphs"]


@dataclass(frozen=True, eq=False)
class Graphs:
    """Sizes of the two graphs of every instance, and how each was found.

    Attributes
    ----------
    n_true, n_predicted, n_both
        Classes in the true graph, in the predicted one, and in both, shape ``(n_instances,)``.
    searched
        Whether choices were left that had to be searched.
    """

    n_true: NDArray[np.int64]
    n_predicted: NDArray[np.int64]
    n_both: NDArray[np.int64]
    searched: NDArray[np.bool_]


def full_graphs(hierarchy: Hierarchy, links: Links) -> Graphs:
    """Return the sizes of the extended graphs G_ex, with nothing taken away."""
    everything = np.ones(len(links.label), dtype=bool)
    all_nodes = np.ones(len(links.node), dtype=bool)
    sizes = _sizes(hierarchy, links, everything, all_nodes)
    return Graphs(*sizes, np.zeros(links.members.n_instances, bool))


def minimal_graphs(hierarchy: Hierarchy, links: Links) -> Graphs:
    """Return the sizes of the minimal graphs."""
    stand_in, kept = _stand_ins(links, len(hierarchy) + 1)
    chosen, is_open = _settled(links, kept, len(hierarchy) + 1)
    n_true, n_predicted, n_both = _sizes(hierarchy, links, chosen, kept)
    for i, outcome, lone in _searched(hierarchy, links, stand_in, is_open):
        t, p = outcome.masks
        n_true[i] = t.bit_count() + lone[0]
        n_predicted[i] = p.bit_count() + lone[1]
        n_both[i] = (t & p).bit_count()
    return Graphs(n_true, n_predicted, n_both, is_open)


def _stand_ins(links: Links, width: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the class that stands for each class on a link, and which classes stand for one.

    A class that is on one link only, and is no LCA, counts the same as any other such class of
    the same link and step, since every way passes exactly one class per step. The first of them
    stands for all. Keys are instance * width + class.
    """
    members = links.members
    count = np.diff(links.node_ptr)
    owner = np.repeat(np.arange(len(links.label)), count)
    place = members.instance[links.label[owner]] * width + links.node
    order = np.argsort(place)
    ranked = place[order]
    same = ranked[1:] == ranked[:-1]
    several = np.zeros(len(place), dtype=bool)
    several[order[1:][same]] = True
    several[order[:-1][same]] = True
    lca = sorted_unique(members.instance[links.label] * width + links.lca)
    several |= _is_in(place, lca)
    private = np.flatnonzero(~several)
    at = owner[private] * (int(links.length.max(initial=0)) + 1) + links.step[private]
    first = np.ones(len(private), dtype=bool)
    np.not_equal(at[1:], at[:-1], out=first[1:])  # entries are in the order of link and step
    stand_in = place.copy()
    stand_in[private] = place[private[first]][np.cumsum(first) - 1]
    kept = several
    kept[private[first]] = True
    return stand_in, kept


def _settled(links: Links, kept: NDArray[np.bool_], width: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the links that every minimal graph has, and the instances where choices are left.

    An instance is settled if the LCAs of labels with a single one meet all demands (then no
    smaller set does), if they leave every label one way, and every side one way to each of them.
    """
    members, own, label = links.members, links.own, links.label
    n_labels = len(members.classes)
    instance = members.instance[label]
    single = row_sums(kept, links.node_ptr) == links.length + 1
    demand = np.bincount(label[own], minlength=n_labels)
    place = instance * width + links.lca
    forced = sorted_unique(place[own & (demand[label] == 1)])
    taken = _is_in(place, forced)
    candidates = np.bincount(label[own & taken], minlength=n_labels)
    open_label = (demand > 0) & (candidates != 1)
    chosen = own & taken & (candidates[label] == 1)
    is_open = np.zeros(members.n_instances, dtype=bool)
    is_open[members.instance[open_label]] = True
    is_open[instance[chosen & ~single]] = True
    # An LCA at which no label of a side ends gets one way of that side.
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
    chosen[order[alone]] = True
    chosen &= ~is_open[instance]
    return chosen, is_open


def _is_in(keys: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each key is among the sorted known ones."""
    if not len(known):
        return np.zeros(len(keys), dtype=bool)
    found: NDArray[np.bool_] = known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys
    return found


def _sizes(
    hierarchy: Hierarchy, links: Links, chosen: NDArray[np.bool_], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count the classes of the labels and of the chosen ways: one sort puts equal ones together."""
    members = links.members
    width = len(hierarchy) + 1
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


def _searched(hierarchy, links, stand_in, is_open):
    """Yield the open instances with their best graphs, and the numbers of lone labels."""
    members = links.members
    instance = members.instance[links.label]
    rows = np.flatnonzero(is_open[instance])
    rows = rows[np.argsort(instance[rows], kind="stable")]
    demand = np.bincount(links.label[links.own], minlength=len(members.classes))
    lone_label = (demand == 0) & is_open[members.instance]
    n = members.n_instances
    lone = [
        np.bincount(members.instance[lone_label & (members.side == s)], minlength=n) for s in (0, 1)
    ]
    masks, lca_bits = _masks(hierarchy, links, stand_in, rows)
    ptr = offsets(np.bincount(instance[rows], minlength=n))
    side = members.side[links.label[rows]].tolist()
    label = links.label[rows].tolist()
    own = links.own[rows].tolist()
    for i in np.flatnonzero(is_open).tolist():
        per_label = {}
        ends = {}
        marked = 0
        for k in range(ptr[i], ptr[i + 1]):
            a, s, ways = lca_bits[k], side[k], masks[k]
            at = (s, a)
            ends[at] = ends[at] + ways if at in ends else ways
            if own[k]:
                if label[k] in per_label:
                    per_label[label[k]].ways[a] = ways
                else:
                    per_label[label[k]] = Choice(s, {a: ways})
                marked |= 1 << a
        alone = int(lone[0][i]), int(lone[1][i])
        base = Outcome(0, alone[0] + alone[1], alone[0] - alone[1], (0, 0), ())
        try:
            found = smallest_graphs(list(per_label.values()), ends, marked)
        except TooMany:
            print("too many", i, [(c.side, {a: len(w) for a, w in c.ways.items()}) for c in per_label.values()], {k:len(v) for k,v in ends.items()})
            continue
        outcome = best_of(base.joined(o) for o in found)
        yield i, outcome, alone


def _masks(hierarchy, links, stand_in, rows):
    """Number the classes of every instance from 0; return the ways of every link as masks."""
    members = links.members
    width = len(hierarchy) + 1
    count = np.diff(links.node_ptr)[rows]
    at = ragged_ranges(links.node_ptr[rows], count)
    owner = members.instance[links.label[rows]]
    place = stand_in[at]
    known = sorted_unique(place.copy())
    first = np.searchsorted(known, np.arange(members.n_instances + 1) * width)
    bit = np.searchsorted(known, place) - first[np.repeat(owner, count)]
    lca_bit = np.searchsorted(known, owner * width + links.lca[rows]) - first[owner]
    ptr = offsets(count)
    small = bit < 62
    shifted = np.left_shift(np.int64(1), np.where(small, bit, 0)) * small
    whole = np.bitwise_or.reduceat(shifted, ptr[:-1]) if len(rows) else shifted
    large = np.bincount(row_numbers(ptr)[~small], minlength=len(rows)) > 0
    ways = [(w,) for w in whole.tolist()]
    branching = count != links.length[rows] + 1
    bits = bit.tolist()
    for k in np.flatnonzero(large | branching).tolist():
        part = slice(int(ptr[k]), int(ptr[k + 1]))
        ways[k] = _ways_of(
            hierarchy, links.node[at[part]].tolist(), links.step[at[part]].tolist(), bits[part]
        )
    return ways, lca_bit.tolist()


def _ways_of(hierarchy, nodes, steps, bits):
    """Enumerate the ways of one link."""
    by_step = {}
    for c, s, b in zip(nodes, steps, bits):
        by_step.setdefault(s, {})[c] = b
    [(start, b)] = by_step[0].items()
    paths = {start: {1 << b}}
    for s in range(1, len(by_step)):
        new = {}
        here = by_step[s]
        for c, masks in paths.items():
            for p in hierarchy.parents[hierarchy.parent_ptr[c]:hierarchy.parent_ptr[c + 1]].tolist():
                if p in here:
                    new.setdefault(p, set()).update(m | 1 << here[p] for m in masks)
        paths = new
    [masks] = paths.values()
    return tuple(masks)
