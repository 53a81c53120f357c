"""Instances with choices as bit masks: classes become bits, shortest paths become masks."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, sorted_unique
from hierpair.lca.cover_problems import Instances
from hierpair.lca.enumeration import Choice
from hierpair.lca.link_edges import edges_of_links
from hierpair.lca.links import Links
from hierpair.solvers import CoverProblem

__all__ = [
    "Chain",
    "Problem",
    "Shape",
    "bits_of",
    "masks_along",
    "path_masks",
    "search_problem",
    "search_problems",
]

MOST_PATHS = 4_000
"""Different masks of the paths of one link; with more, enumeration is not tried."""

ARRAY_BITS = 62
"""Links whose classes have bits below this get their masks from arrays, others one by one."""

BLOCK_CLASSES = 500_000
"""Classes of links whose edges are looked up together."""

Chain = tuple[int, Any]
"""The classes of a path, the last one first: (class, (class, … None))."""

Problem = tuple[list[Choice], dict[tuple[int, int], tuple[int, ...]], int]

Shape = tuple[bytes, ...]
"""Links and classes of an instance by their numbers within it."""


def search_problems(
    each: Instances, stand_in: NDArray[np.int64], instances: NDArray[np.int64]
) -> Iterator[tuple[int, Shape, Callable[[], Problem | None]]]:
    """Yield each instance with its shape and what makes its problem.

    Instances of one shape have the same problem. A problem is the choices, ends and marked
    classes, or None where a link has too many paths.

    Parameters
    ----------
    each
        The links of the instances.
    stand_in
        Which class stands for each class on a link (instance * width + class).
    instances
        The instances wanted.
    """
    links, rows, ptr = each.links, each.rows, each.ptr.tolist()
    masks_of, shape_of, lca_bit = _masks(each, stand_in)
    side = links.members.side[links.label[rows]].tolist()
    label, own = links.label[rows].tolist(), links.own[rows].tolist()

    def problem_of(i: int) -> Problem | None:
        return _collected(
            (label[k], side[k], lca_bit[k], own[k], masks_of(k)) for k in range(ptr[i], ptr[i + 1])
        )

    for i in instances.tolist():  # one instance at a time in memory
        yield i, shape_of(ptr[i], ptr[i + 1]), partial(problem_of, i)


def search_problem(problem: CoverProblem) -> Problem | None:
    """Return the same of a single instance whose links are written out."""
    found = []
    for link, placed in zip(problem.links, bits_of(problem), strict=True):
        parents: dict[int, list[int]] = {}
        for lower, upper in link.edges:
            parents.setdefault(lower, []).append(upper)
        masks = path_masks(parents.__getitem__, *zip(*placed, strict=True))
        masks_or_none = None if masks is None else tuple(sorted(masks))
        found.append((link.owner, link.side, placed[-1][2], link.own, masks_or_none))
    return _collected(found)


def bits_of(problem: CoverProblem) -> list[list[tuple[int, int, int]]]:
    """Return (class, step, bit) of everything on each link, step by step; the end comes last.

    Of the classes of a step that are on one link only, and no end, the first stands for all, as
    every path takes one of them. Bits are numbered by class, as those of :func:`search_problems`.
    """
    on = Counter(c for link in problem.links for step in link.steps for c in step)
    ends = {link.end for link in problem.links}
    stand_in: list[list[tuple[int, int, int]]] = []
    for link in problem.links:
        placed = []
        for s, step in enumerate(link.steps):
            first = next((c for c in step if on[c] == 1 and c not in ends), -1)
            placed += [(c, s, first if on[c] == 1 and c not in ends else c) for c in step]
        stand_in.append(placed)
    used = sorted({c for placed in stand_in for _, _, c in placed})
    bit = {c: b for b, c in enumerate(used)}
    return [[(c, s, bit[first]) for c, s, first in placed] for placed in stand_in]


def _collected(
    links: Iterable[tuple[int, int, int, bool, tuple[int, ...] | None]],
) -> Problem | None:
    """Put links (label, side, bit of the LCA, whether its own, masks) together."""
    choices: dict[int, Choice] = {}
    ends: dict[tuple[int, int], tuple[int, ...]] = {}
    marked = 0
    for label, s, a, own, masks in links:
        if masks is None:
            return None
        ends[s, a] = ends[s, a] + masks if (s, a) in ends else masks
        if own:
            marked |= 1 << a
            if label in choices:
                choices[label].masks[a] = masks
            else:
                choices[label] = Choice(s, {a: masks})
    return list(choices.values()), ends, marked


def _masks(
    each: Instances, stand_in: NDArray[np.int64]
) -> tuple[Callable[[int], tuple[int, ...] | None], Callable[[int, int], Shape], list[int]]:
    """Number the classes of every instance from 0.

    Return what tells the masks of a link, what tells the shape of an instance with these links,
    and the LCA of every link.
    """
    hierarchy, links, rows = each.hierarchy, each.links, each.rows
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
    small = bit < ARRAY_BITS
    shifted = np.left_shift(np.int64(1), np.where(small, bit, 0)) * small
    whole = np.bitwise_or.reduceat(shifted, ptr[:-1]) if len(rows) else shifted
    large = np.bincount(row_numbers(ptr)[~small], minlength=len(rows)) > 0
    several = (large | (count != links.length[rows] + 1)).tolist()
    only = whole.tolist()
    forks = _Forks(hierarchy, links, rows, np.flatnonzero(several), ptr)

    def masks_of(k: int) -> tuple[int, ...] | None:
        if not several[k]:
            return (only[k],)
        masks = masks_along(bit[ptr[k] : ptr[k + 1]].tolist(), forks.edges(k))
        return None if masks is None else tuple(sorted(masks))

    starts = np.ones(len(rows), dtype=bool)
    np.not_equal(links.label[rows[1:]], links.label[rows[:-1]], out=starts[1:])
    what = np.stack([count, lca_bit, members.side[links.label[rows]], links.own[rows], starts])
    what, short = np.ascontiguousarray(what.T, dtype=np.int32), bit.astype(np.int32)

    def shape_of(lo: int, hi: int) -> Shape:
        part = slice(int(ptr[lo]), int(ptr[hi]))
        forked = any(several[lo:hi])  # then the paths depend on the classes and their parents
        nodes = at[part] if forked else at[:0]
        return (
            what[lo:hi].tobytes(),
            short[part].tobytes(),
            links.node[nodes].tobytes(),
            links.step[nodes].tobytes(),
        )

    return masks_of, shape_of, lca_bit.tolist()


class _Forks:
    """The edges of links with several paths, which are looked up for many links at a time."""

    def __init__(
        self,
        hierarchy: Hierarchy,
        links: Links,
        rows: NDArray[np.int64],
        forked: NDArray[np.int64],
        ptr: NDArray[np.int64],
    ) -> None:
        block = (np.cumsum(np.diff(ptr)[forked]) - 1) // BLOCK_CLASSES
        self.hierarchy, self.links, self.rows = hierarchy, links, rows
        self.blocks = np.split(forked, np.flatnonzero(np.diff(block)) + 1)
        self.first = [int(some[0]) for some in self.blocks if len(some)]
        self.now = -1
        self.known: dict[int, slice] = {}
        self.found: tuple[NDArray[np.int64], NDArray[np.int64]] = (forked[:0], forked[:0])

    def edges(self, k: int) -> Iterator[tuple[int, int]]:
        """Return the edges of a link as places among its classes, ascending by the lower end."""
        block = bisect_right(self.first, k) - 1
        if block != self.now:
            some = self.blocks[block]
            of = edges_of_links(self.hierarchy, self.links, self.rows[some])
            row = of.row[of.lower]
            ends = np.searchsorted(row, np.arange(len(some) + 1)).tolist()
            self.known = {
                i: slice(lo, hi) for i, (lo, hi) in zip(some.tolist(), pairwise(ends), strict=True)
            }
            self.found = of.lower - of.ptr[row], of.upper - of.ptr[row]
            self.now = block
        part = self.known[k]
        return zip(self.found[0][part].tolist(), self.found[1][part].tolist(), strict=True)


def masks_along(bits: Sequence[int], edges: Iterable[tuple[int, int]]) -> set[int] | None:
    """Return the different masks of the paths of one link, or None if there are too many.

    The same as :func:`path_masks`, without the classes of a path each.

    Parameters
    ----------
    bits
        Bits of the classes, step by step; the label comes first, the end last.
    edges
        Places of the lower and the upper class; ascending by the lower one.
    """
    reached: list[set[int]] = [set() for _ in bits]
    reached[0] = {1 << bits[0]}
    for lower, upper in edges:
        here, there, bit = reached[lower], reached[upper], 1 << bits[upper]
        there.update([mask | bit for mask in here])
        if len(there) > MOST_PATHS:
            return None
    return reached[-1]


def path_masks(
    parents: Callable[[int], Iterable[int]],
    nodes: Sequence[int],
    steps: Sequence[int],
    bits: Sequence[int],
) -> dict[int, Chain] | None:
    """Return the different masks of the paths of one link, or None if there are too many.

    Every mask comes with the classes of one of its paths.

    Parameters
    ----------
    parents
        The parents of a class; those that are not at the next step do not matter.
    nodes, steps, bits
        The classes, how many edges above the label each is, and their bits; the end comes last.
    """
    by_step: list[dict[int, int]] = [{} for _ in range(steps[-1] + 1)]
    for c, s, b in zip(nodes, steps, bits, strict=True):
        by_step[s][c] = 1 << b
    reached: dict[int, dict[int, Chain]] = {c: {bit: (c, None)} for c, bit in by_step[0].items()}
    for here in by_step[1:]:
        above: dict[int, dict[int, Chain]] = {}
        for c, chains in reached.items():
            for p in parents(c):
                if p in here:
                    bit, there = here[p], above.setdefault(p, {})
                    for mask, chain in chains.items():
                        there.setdefault(mask | bit, (p, chain))
        if any(len(chains) > MOST_PATHS for chains in above.values()):
            return None
        reached = above
    return reached.get(nodes[-1], {})
