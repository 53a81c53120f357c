"""Open instances as bit masks: classes become bits, ways become masks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, sorted_unique
from hierpair.lca.enumeration import Choice
from hierpair.lca.instance_problem import parents_of
from hierpair.lca.links import Links
from hierpair.solvers import CoverProblem

__all__ = ["Problem", "Shape", "bits_of", "search_problem", "search_problems"]

MOST_WAYS = 4_000
"""Different ways of one link; with more, enumeration is not tried."""

ARRAY_BITS = 62
"""Links whose classes have bits below this get their masks from arrays, others one by one."""

Problem = tuple[list[Choice], dict[tuple[int, int], tuple[int, ...]], int]

Shape = tuple[bytes, ...]
"""Links and classes of an instance by their numbers within it."""


def search_problems(
    hierarchy: Hierarchy,
    links: Links,
    stand_in: NDArray[np.int64],
    rows: NDArray[np.int64],
    instances: NDArray[np.int64],
) -> Iterator[tuple[int, Shape, Callable[[], Problem | None]]]:
    """Yield each instance with its shape and what makes its problem.

    Instances of one shape have the same problem. A problem is the choices, ends and marked
    classes, or None where a link has too many ways.

    Parameters
    ----------
    hierarchy, links
        The classes, and the links of a batch.
    stand_in
        Which class stands for each class on a link (instance * width + class).
    rows
        The links of the instances, instance by instance.
    instances
        The instances wanted.
    """
    members = links.members
    ways_of, shape_of, lca_bit = _masks(hierarchy, links, stand_in, rows)
    instance = members.instance[links.label[rows]]
    ptr = offsets(np.bincount(instance, minlength=members.n_instances)).tolist()
    side = members.side[links.label[rows]].tolist()
    label, own = links.label[rows].tolist(), links.own[rows].tolist()

    def problem_of(i: int) -> Problem | None:
        return _collected(
            (label[k], side[k], lca_bit[k], own[k], ways_of(k)) for k in range(ptr[i], ptr[i + 1])
        )

    for i in instances.tolist():  # one instance at a time in memory
        yield i, shape_of(ptr[i], ptr[i + 1]), partial(problem_of, i)


def search_problem(problem: CoverProblem) -> Problem | None:
    """Return the same of a single instance whose links are written out.

    Classes that are on one link only share a bit per step, as every way takes one of them.
    """
    found = []
    for link, placed in zip(problem.links, bits_of(problem), strict=True):
        parents: dict[int, list[int]] = {}
        for lower, upper in link.edges:
            parents.setdefault(lower, []).append(upper)
        nodes, steps, bits = zip(*placed, strict=True)
        masks = _ways_of(parents.__getitem__, nodes, steps, bits)
        found.append((link.owner, link.side, bits[-1], link.own, masks))
    return _collected(found)


def bits_of(problem: CoverProblem) -> list[list[tuple[int, int, int]]]:
    """Return (class, step, bit) of everything on each link, step by step; the end comes last."""
    on: dict[int, int] = {}
    for link in problem.links:
        for step in link.steps:
            for node in step:
                on[node] = on.get(node, 0) + 1
    marks = {link.end for link in problem.links}
    bits: dict[tuple[int, int], int] = {}

    def bit(link: int, step: int, node: int) -> int:
        private = on[node] == 1 and node not in marks
        return bits.setdefault((link, step) if private else (-1, node), len(bits))

    return [
        [(c, s, bit(i, s, c)) for s, step in enumerate(link.steps) for c in step]
        for i, link in enumerate(problem.links)
    ]


def _collected(
    links: Iterable[tuple[int, int, int, bool, tuple[int, ...] | None]],
) -> Problem | None:
    """Put links (label, side, bit of the LCA, whether its own, ways) together."""
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
                choices[label].ways[a] = masks
            else:
                choices[label] = Choice(s, {a: masks})
    return list(choices.values()), ends, marked


def _masks(
    hierarchy: Hierarchy, links: Links, stand_in: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[Callable[[int], tuple[int, ...] | None], Callable[[int, int], Shape], list[int]]:
    """Number the classes of every instance from 0.

    Return what tells the ways of a link, what tells the shape of an instance with these links,
    and the LCA of every link.
    """
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
    parents = partial(parents_of, hierarchy)

    def ways_of(k: int) -> tuple[int, ...] | None:
        if not several[k]:
            return (only[k],)
        part = slice(int(ptr[k]), int(ptr[k + 1]))
        return _ways_of(
            parents, links.node[at[part]].tolist(), links.step[at[part]].tolist(),
            bit[part].tolist(),
        )  # fmt: skip

    starts = np.ones(len(rows), dtype=bool)
    np.not_equal(links.label[rows[1:]], links.label[rows[:-1]], out=starts[1:])
    what = np.stack([count, lca_bit, members.side[links.label[rows]], links.own[rows], starts])
    what, short = np.ascontiguousarray(what.T, dtype=np.int32), bit.astype(np.int32)

    def shape_of(lo: int, hi: int) -> Shape:
        part = slice(int(ptr[lo]), int(ptr[hi]))
        forked = any(several[lo:hi])  # then the ways depend on the classes and their parents
        nodes = at[part] if forked else at[:0]
        return (
            what[lo:hi].tobytes(), short[part].tobytes(),
            links.node[nodes].tobytes(), links.step[nodes].tobytes(),
        )  # fmt: skip

    return ways_of, shape_of, lca_bit.tolist()


def _ways_of(
    parents: Callable[[int], list[int]],
    nodes: Sequence[int],
    steps: Sequence[int],
    bits: Sequence[int],
) -> tuple[int, ...] | None:
    """Return the different masks of the ways of one link, or None if there are too many."""
    by_step: list[dict[int, int]] = [{} for _ in range(steps[-1] + 1)]
    for c, s, b in zip(nodes, steps, bits, strict=True):
        by_step[s][c] = b
    reached = {c: {1 << b} for c, b in by_step[0].items()}
    for here in by_step[1:]:
        above: dict[int, set[int]] = {}
        for c, masks in reached.items():
            for p in parents(c):
                if p in here:
                    above.setdefault(p, set()).update(m | 1 << here[p] for m in masks)
        if any(len(masks) > MOST_WAYS for masks in above.values()):
            return None
        reached = above
    return tuple(sorted(reached[nodes[-1]]))
