"""The one encoding: classes on links are numbered by instance, graphs are flags or masks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import (
    Bools,
    Ints,
    marked,
    row_numbers,
    row_pointer,
    row_sums,
    starts_of_ties,
    taken,
)
from hierpair.lca.links import Links, edges_of_links
from hierpair.solvers import Link

MOST_PATHS = 4_000  # different masks of the paths of one link; with more, enumeration is not tried


class Code(NamedTuple):
    """The numbers of the classes of a batch, ascending by instance and class."""

    ptr: Ints  # those of instance ``i`` are ``ptr[i]`` to ``ptr[i + 1] - 1``
    node: Ints  # the class of every number
    slot: Ints  # of every place in ``links.node``, twice the number of its class, plus the side
    end: Ints  # twice the number of the LCA of every link, plus the side
    single: Bools  # whether each link has one number per step, so that it leaves no choice


def encoded(links: Links, *, merged: bool = False) -> Code:
    """Number the classes on the links of every instance.

    ``merged``: one stands for all that are on one link alone, at one step; every path passes one.
    """
    members = links.members
    count, width = np.diff(links.node_ptr), int(links.node.max(initial=0)) + 1
    place = np.repeat(members.instance[links.label] * width, count) + links.node
    order = np.argsort(place, kind="stable")  # places are nearly sorted
    new = np.diff(place[order], prepend=-1) > 0
    number = np.empty_like(order)
    number[order] = np.cumsum(new) - 1
    instance, node = np.divmod(place[order[new]], width)
    single = count == links.length + 1
    if merged:
        owner = row_numbers(links.node_ptr)
        private = np.flatnonzero((np.bincount(number)[number] == 1) & ~single[owner])
        at = owner[private] * (int(links.length.max(initial=0)) + 1) + links.step[private]
        first = np.diff(at, prepend=-1) > 0  # places are in the order of link and step
        number[private] = number[private[first]][np.cumsum(first) - 1]
        spare = np.bincount(owner[private[~first]], minlength=len(count))
        single = count - spare == links.length + 1
    slot = number * 2 + np.repeat(members.side[links.label], count)
    ptr = row_pointer(instance, members.n_instances)
    return Code(ptr, node, slot, slot[links.node_ptr[1:] - 1], single)


def sizes(links: Links, code: Code, on: Bools) -> tuple[Ints, Ints, Ints]:
    """Count the true, predicted and shared classes of every instance, unlinked labels too."""
    sides = marked(code.slot[on], 2 * int(code.ptr[-1])).reshape(-1, 2)
    n_true, n_predicted = (row_sums(sides[:, s], code.ptr) + links.n_unlinked[s] for s in (0, 1))
    return n_true, n_predicted, row_sums(sides[:, 0] & sides[:, 1], code.ptr)


def decided(links: Links, code: Code) -> tuple[Bools, Bools]:
    """Return the instances where choices of LCAs or paths are left, and the links of all others."""
    members, own, label, end = links.members, links.own, links.label, code.end
    n_labels, n_slots = len(members.classes), 2 * int(code.ptr[-1])
    instance, lca = members.instance[label], end >> 1
    requirement = np.bincount(label[own], minlength=n_labels)
    sole = own & (requirement[label] == 1)
    taken = marked(lca[sole], n_slots)[lca]
    candidates = np.bincount(label[own & taken], minlength=n_labels)
    several = (candidates > 1) | (requirement > 0) & (candidates == 0)
    is_open = marked(members.instance[several], members.n_instances)
    chosen = own & taken & (candidates[label] == 1)
    # An LCA at which no label of a side ends gets one path of that side.
    loose = taken & ~marked(end[chosen], n_slots)[end]
    alone = loose & (np.bincount(end[loose], minlength=n_slots)[end] == 1)
    is_open[instance[(chosen | loose) & ~code.single | loose & ~alone]] = True
    return is_open, (chosen | alone) & ~is_open[instance]


class TooMany(Exception):
    """Enumeration would take too long; the instance needs another solver."""


def masks_of(link: Link) -> tuple[int, ...]:
    """Return the different masks of the paths of a link, or raise TooMany."""
    if not link.lower:
        return (link.mask,)
    reached: list[set[int]] = [set() for _ in link.nodes]
    reached[0] = {link.nodes[0]}
    for lower, upper in zip(link.lower, link.upper, strict=True):
        bit, there = link.nodes[upper], reached[upper]
        there.update([mask | bit for mask in reached[lower]])
        if len(there) > MOST_PATHS:
            raise TooMany
    return tuple(sorted(reached[-1]))


def coded(
    hierarchy: Hierarchy, links: Links, code: Code, wanted: Bools
) -> Iterator[tuple[int, list[Link]]]:
    """Yield each wanted instance with its links; nodes and edges where they leave a choice."""
    instance = links.members.instance[links.label]
    rows = np.flatnonzero(wanted[instance])
    rows = rows[np.argsort(instance[rows], kind="stable")]
    of, (ptr, at) = instance[rows], taken(links.node_ptr, rows)
    number = (code.slot[at] >> 1) - np.repeat(code.ptr[of], np.diff(ptr))
    bits = np.array([1 << k for k in range(int(number.max(initial=-1)) + 1)], dtype=object)[number]
    fields = (
        links.label[rows],
        code.end[rows] & 1,
        (code.end[rows] >> 1) - code.ptr[of],
        links.own[rows],
        np.bitwise_or.reduceat(bits, ptr[:-1]) if len(rows) else rows,
    )
    each = [*map(Link, *(field.tolist() for field in fields))]
    forked = np.flatnonzero(~code.single[rows])
    edges = edges_of_links(hierarchy, links, rows[forked])
    row = edges.row[edges.lower]
    lower, upper = ((end - edges.ptr[row]).tolist() for end in (edges.lower, edges.upper))
    cuts = pairwise(np.searchsorted(row, np.arange(len(forked) + 1)).tolist())
    for k, (lo, hi) in zip(forked.tolist(), cuts, strict=True):
        nodes = bits[ptr[k] : ptr[k + 1]].tolist()
        each[k] = each[k]._replace(nodes=nodes, lower=lower[lo:hi], upper=upper[lo:hi])
    for lo, hi in pairwise([*starts_of_ties(of).tolist(), len(rows)] if len(rows) else ()):
        yield int(of[lo]), each[lo:hi]
