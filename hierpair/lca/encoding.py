"""The one encoding: classes on links are numbered by instance, graphs are flags or masks.

Whatever is chosen is a set of numbers: as flags for a whole batch, where it is decided or counted,
and as bits of a mask where the graphs of one instance are searched.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Ints, offsets, ragged_ranges, row_sums
from hierpair.lca.links import Links, edges_of_links

__all__ = [
    "Code",
    "CodedLink",
    "Decided",
    "TooMany",
    "coded",
    "decided",
    "encoded",
    "sizes",
]

MOST_PATHS = 4_000
"""Different masks of the paths of one link; with more, enumeration is not tried."""

BLOCK_CLASSES = 500_000
"""Classes of links whose edges are looked up together."""


class Code(NamedTuple):
    """The numbers of the classes of a batch.

    Attributes
    ----------
    ptr
        The classes of instance ``i`` have numbers from ``ptr[i]`` to ``ptr[i + 1] - 1``, ascending
        by class.
    slot
        Of every place in ``links.node``: twice the number of its class, plus the side.
    end
        The same of the LCA of every link.
    single
        Whether each link has one number per step, so that it leaves no choice.
    """

    ptr: Ints
    slot: Ints
    end: Ints
    single: Bools


def encoded(links: Links, *, merged: bool = True) -> Code:
    """Number the classes on the links of every instance.

    Parameters
    ----------
    links
        What is chosen from.
    merged
        A class that is on one link only counts the same as any other such class of the same link
        and step, since every path passes exactly one class per step: the first of them stands for
        all. An LCA is never among them, as it is on the links of both labels that have it in
        common. Without this, every class has a number of its own.
    """
    members = links.members
    count, width = np.diff(links.node_ptr), int(links.node.max(initial=0)) + 1
    instance = members.instance[links.label]
    place = np.repeat(instance * width, count) + links.node
    order = np.argsort(place)
    ranked = place[order]
    new = np.ones(len(place), dtype=bool)
    np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
    number = np.empty(len(place), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    ptr = offsets(np.bincount(ranked[new] // width, minlength=members.n_instances))
    single = count == links.length + 1
    if merged:
        alone = np.zeros(len(place), dtype=bool)
        alone[order[new & np.append(new[1:], True)]] = True
        owner = np.repeat(np.arange(len(count)), count)
        alone &= ~single[owner]
        private = np.flatnonzero(alone)
        owner = owner[private]
        at = owner * (int(links.length.max(initial=0)) + 1) + links.step[private]
        first = np.ones(len(private), dtype=bool)
        np.not_equal(at[1:], at[:-1], out=first[1:])  # places are in the order of link and step
        number[private] = number[private[first]][np.cumsum(first) - 1]
        count = count - np.bincount(owner[~first], minlength=len(count))
        single = count == links.length + 1
    slot = number * 2 + np.repeat(members.side[links.label], np.diff(links.node_ptr))
    return Code(ptr, slot, slot[links.node_ptr[1:] - 1], single)


def sizes(links: Links, code: Code, on: Bools) -> tuple[Ints, Ints, Ints]:
    """Count the classes of the true graph of every instance, the predicted one, and of both.

    ``on`` says of every place in ``links.node`` whether its class is taken. Labels without a link
    are in their graph in any case.
    """
    sides = _flags(code.slot[on], 2 * int(code.ptr[-1])).reshape(-1, 2)
    n_true, n_predicted = (row_sums(sides[:, s], code.ptr) + links.n_unlinked[s] for s in (0, 1))
    return n_true, n_predicted, row_sums(sides[:, 0] & sides[:, 1], code.ptr)


class Decided(NamedTuple):
    """What is decided before anything is searched.

    Attributes
    ----------
    is_open
        The instances where choices are left.
    chosen
        The links that the minimal graphs of the other instances have.
    fixed
        Links of labels that have one link and one path left. All minimal graphs have them.
    left
        The links among which there is a choice; no others are needed.
    """

    is_open: Bools
    chosen: Bools
    fixed: Bools
    left: Bools


def decided(links: Links, code: Code) -> Decided:
    """Decide what leaves no choice, for all instances at once.

    The LCAs of an instance are resolved if those of labels with a single one meet all requirements
    (then no smaller set does). An instance whose LCAs are resolved has no choice if every label has
    one path to them, and if every side at which no label ends in one of them has one path to it.
    """
    members, own, label, end = links.members, links.own, links.label, code.end
    n_labels, n_slots = len(members.classes), 2 * int(code.ptr[-1])
    instance, lca = members.instance[label], end >> 1
    requirement = np.bincount(label[own], minlength=n_labels)
    sole = own & (requirement[label] == 1)
    taken = _flags(lca[sole], n_slots)[lca]
    candidates = np.bincount(label[own & taken], minlength=n_labels)
    unmet = _flags(members.instance[(requirement > 0) & (candidates == 0)], members.n_instances)
    is_open = unmet.copy()
    is_open[members.instance[candidates > 1]] = True
    chosen = own & taken & (candidates[label] == 1)
    # An LCA at which no label of a side ends gets one path of that side.
    loose = taken & ~_flags(end[chosen], n_slots)[end]
    alone = loose & (np.bincount(end[loose], minlength=n_slots)[end] == 1)
    is_open[instance[(chosen | loose) & ~code.single | loose & ~alone]] = True
    fixed = chosen & code.single & (sole | ~unmet[instance])
    left = ~(own & _flags(label[fixed], n_labels)[label]) & (taken | unmet[instance])
    left &= own | ~_flags(end[fixed], n_slots)[end]
    return Decided(is_open, (chosen | alone) & ~is_open[instance], fixed, left)


def _flags(numbers: Ints, n: int) -> Bools:
    """Return whether each of so many numbers is among these."""
    found = np.zeros(n, dtype=bool)
    found[numbers] = True
    return found


class TooMany(Exception):
    """Enumeration would take too long; the instance needs another solver."""


class CodedLink(NamedTuple):
    """A link of one instance, whose classes are bits.

    Attributes
    ----------
    label, side, end, own
        As in :class:`Links`, but for the LCA, which is the number of a bit.
    fixed, left
        As in :class:`Decided`.
    start
        Where its classes are in ``links.node``.
    mask
        All of its classes.
    fork
        The bits of its classes as masks, step by step from the label to the LCA; and of every edge
        the places of both classes among these, ascending by the lower one. None where the only
        path has the whole mask.
    """

    label: int
    side: int
    end: int
    own: bool
    fixed: bool
    left: bool
    start: int
    mask: int
    fork: tuple[list[int], list[int], list[int]] | None

    def masks(self) -> tuple[int, ...]:
        """Return the different masks of the paths.

        Raises
        ------
        TooMany
            If there are more than ``MOST_PATHS``.
        """
        if self.fork is None:
            return (self.mask,)
        return tuple(sorted(_reached(*self.fork, self.mask)[-1]))

    def paths(self, within: int) -> dict[int, list[int]]:
        """Return the different masks of paths within a mask, each with the places of one path.

        Of paths with equal masks, the one is taken that from above keeps to the first classes.
        """
        assert self.fork is not None
        bits, lower, upper = self.fork
        reached = _reached(*self.fork, within)
        edges = list(zip(lower, upper, strict=True))
        found = {}
        for mask in sorted(reached[-1]):
            rest, path = mask, [len(bits) - 1]
            while path[-1]:
                rest ^= bits[path[-1]]
                path.append(next(c for c, p in edges if p == path[-1] and rest in reached[c]))
            found[mask] = [self.start + place for place in path]
        return found


def _reached(bits: list[int], lower: list[int], upper: list[int], within: int) -> list[set[int]]:
    """Return the masks of the paths to each class that keep within a mask."""
    reached: list[set[int]] = [set() for _ in bits]
    reached[0] = {bits[0]}
    for c, p in zip(lower, upper, strict=True):
        bit, there = bits[p], reached[p]
        if bit & within:
            there.update([mask | bit for mask in reached[c]])
            if len(there) > MOST_PATHS:
                raise TooMany
    return reached


def coded(
    hierarchy: Hierarchy,
    links: Links,
    code: Code,
    known: Decided,
    wanted: Bools,
    *,
    draw: bool = False,
) -> Iterator[tuple[int, list[CodedLink]]]:
    """Yield each instance that is wanted, and has links, with these.

    Edges are looked up for many instances at a time, but only where a link has several paths to
    choose from, or where paths are to be drawn.
    """
    instance, n_places = links.members.instance[links.label], np.diff(links.node_ptr)
    rows = np.flatnonzero(wanted[instance])
    if not len(rows):
        return
    rows = rows[np.argsort(instance[rows], kind="stable")]
    first = np.flatnonzero(np.diff(instance[rows], prepend=-1))
    block = np.cumsum(n_places[rows])[first] // BLOCK_CLASSES
    for some in np.split(rows, first[1:][np.diff(block) > 0]):
        count, of = n_places[some], instance[some]
        ptr = offsets(count)
        number = (code.slot[ragged_ranges(links.node_ptr[some], count)] >> 1) - code.ptr[of].repeat(
            count
        )
        powers = np.array([1 << k for k in range(int(number.max()) + 1)], dtype=object)
        bits = powers[number]
        forks: list[Any] = [None] * len(some)
        forked = np.flatnonzero(known.left[some] & ~code.single[some] | draw)
        edges = edges_of_links(hierarchy, links, some[forked])
        row = edges.row[edges.lower]
        lower, upper = ((end - edges.ptr[row]).tolist() for end in (edges.lower, edges.upper))
        edge_ptr = np.searchsorted(row, np.arange(len(forked) + 1))
        for k, (lo, hi) in zip(forked.tolist(), pairwise(edge_ptr.tolist()), strict=True):
            forks[k] = bits[ptr[k] : ptr[k + 1]].tolist(), lower[lo:hi], upper[lo:hi]
        fields = (
            links.label[some],
            code.end[some] & 1,
            (code.end[some] >> 1) - code.ptr[of],
            links.own[some],
            known.fixed[some],
            known.left[some],
            links.node_ptr[some],
            np.bitwise_or.reduceat(bits, ptr[:-1]),
        )
        each = list(map(CodedLink._make, zip(*(f.tolist() for f in fields), forks, strict=True)))
        starts = np.flatnonzero(np.diff(of, prepend=-1))
        for i, lo, hi in zip(
            of[starts].tolist(), starts.tolist(), [*starts[1:].tolist(), len(some)], strict=True
        ):
            yield i, each[lo:hi]
