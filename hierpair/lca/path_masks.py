"""The shortest paths of a link as bit masks of their classes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy
from hierpair.lca.link_edges import edges_of_links
from hierpair.lca.links import Links

__all__ = ["Chain", "Forks", "masks_along", "path_masks"]

MOST_PATHS = 4_000
"""Different masks of the paths of one link; with more, enumeration is not tried."""

BLOCK_CLASSES = 500_000
"""Classes of links whose edges are looked up together."""

Chain = tuple[int, Any]
"""The classes of a path, the last one first: (class, (class, … None))."""


class Forks:
    """The edges of links with several paths, which are looked up for many links at a time.

    Parameters
    ----------
    hierarchy, links
        The classes, and all links of a batch.
    rows
        Numbers of the links wanted, in the order in which they are asked for.
    """

    def __init__(self, hierarchy: Hierarchy, links: Links, rows: NDArray[np.int64]) -> None:
        self.hierarchy, self.links, self.rows = hierarchy, links, rows
        block = (np.cumsum(np.diff(links.node_ptr)[rows]) - 1) // BLOCK_CLASSES
        self.starts = [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(rows)]
        self.block = -1
        self.ptr: list[int] = []
        self.lower, self.upper = rows[:0], rows[:0]

    def edges(self, k: int) -> Iterator[tuple[int, int]]:
        """Return the edges of the k-th link as places among its classes, by the lower end."""
        block = bisect_right(self.starts, k) - 1
        lo, hi = self.starts[block : block + 2]
        if block != self.block:
            of = edges_of_links(self.hierarchy, self.links, self.rows[lo:hi])
            row = of.row[of.lower]
            self.ptr = np.searchsorted(row, np.arange(hi - lo + 1)).tolist()
            self.lower, self.upper = of.lower - of.ptr[row], of.upper - of.ptr[row]
            self.block = block
        part = slice(self.ptr[k - lo], self.ptr[k - lo + 1])
        return zip(self.lower[part].tolist(), self.upper[part].tolist(), strict=True)


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
