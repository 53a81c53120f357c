"""Open instances as bit masks: classes become bits, ways become masks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from hierpair.extension.links import Links
from hierpair.extension.problem import parents_of
from hierpair.extension.search import Choice
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, sorted_unique

__all__ = ["search_problems"]

MOST_WAYS = 4_000
"""Different ways of one link; with more, enumeration is not tried."""

Problem = tuple[list[Choice], dict[tuple[int, int], tuple[int, ...]], int]


def search_problems(
    hierarchy: Hierarchy,
    links: Links,
    stand_in: NDArray[np.int64],
    rows: NDArray[np.int64],
    instances: NDArray[np.int64],
) -> Iterator[tuple[int, Problem | None]]:
    """Yield choices, ends and marked classes of each instance, or None where there are too many.

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
    ways_of, lca_bit = _masks(hierarchy, links, stand_in, rows)
    instance = members.instance[links.label[rows]]
    ptr = offsets(np.bincount(instance, minlength=members.n_instances)).tolist()
    side = members.side[links.label[rows]].tolist()
    label, own = links.label[rows].tolist(), links.own[rows].tolist()
    for i in instances.tolist():
        choices: dict[int, Choice] = {}
        ends: dict[tuple[int, int], tuple[int, ...]] = {}
        marked = 0
        too_many = False
        for k in range(ptr[i], ptr[i + 1]):
            a, s, masks = lca_bit[k], side[k], ways_of(k)  # one instance at a time in memory
            if masks is None:
                too_many = True
                break
            ends[s, a] = ends[s, a] + masks if (s, a) in ends else masks
            if own[k]:
                marked |= 1 << a
                if label[k] in choices:
                    choices[label[k]].ways[a] = masks
                else:
                    choices[label[k]] = Choice(s, {a: masks})
        yield i, None if too_many else (list(choices.values()), ends, marked)


def _masks(
    hierarchy: Hierarchy, links: Links, stand_in: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[Callable[[int], tuple[int, ...] | None], list[int]]:
    """Number the classes of every instance from 0; return what tells a link's ways, and its LCA."""
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
    several = (large | (count != links.length[rows] + 1)).tolist()
    only = whole.tolist()

    def ways_of(k: int) -> tuple[int, ...] | None:
        if not several[k]:
            return (only[k],)
        part = slice(int(ptr[k]), int(ptr[k + 1]))
        return _ways_of(
            hierarchy, links.node[at[part]].tolist(), links.step[at[part]].tolist(),
            bit[part].tolist(),
        )  # fmt: skip

    return ways_of, lca_bit.tolist()


def _ways_of(
    hierarchy: Hierarchy, nodes: list[int], steps: list[int], bits: list[int]
) -> tuple[int, ...] | None:
    """Return the different masks of the ways of one link, or None if there are too many."""
    by_step: list[dict[int, int]] = [{} for _ in range(steps[-1] + 1)]
    for c, s, b in zip(nodes, steps, bits, strict=True):
        by_step[s][c] = b
    reached = {c: {1 << b} for c, b in by_step[0].items()}
    for here in by_step[1:]:
        above: dict[int, set[int]] = {}
        for c, masks in reached.items():
            for p in parents_of(hierarchy, c):
                if p in here:
                    above.setdefault(p, set()).update(m | 1 << here[p] for m in masks)
        if any(len(masks) > MOST_WAYS for masks in above.values()):
            return None
        reached = above
    return tuple(sorted(reached[nodes[-1]]))
