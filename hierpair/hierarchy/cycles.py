"""Edges that close cycles."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["cycle_below", "depth_first_back_edges", "find_cycle"]


def cycle_below(
    levels: NDArray[np.int64], tails: NDArray[np.int64], heads: NDArray[np.int64]
) -> list[int]:
    """Return one cycle as class positions, the first one repeated at the end."""
    stuck = (levels[tails] < 0) & (levels[heads] < 0)
    some_parent = dict(zip(heads[stuck].tolist(), tails[stuck].tolist(), strict=True))
    node = next(iter(some_parent))
    seen: dict[int, int] = {}
    while node not in seen:
        seen[node] = len(seen)
        node = some_parent[node]
    walk = list(seen)[seen[node] :]
    return [node, *reversed(walk)]


def depth_first_back_edges(edges: Sequence[tuple[Hashable, Hashable]]) -> set[int]:
    """Return the numbers of the edges that lead back to a class above on the way down.

    The way down starts at the parentless classes, then at any other class, and follows
    children, all in the order in which the edges name them. Without the returned edges there is
    no cycle; an edge that is in no cycle is never returned.

    >>> depth_first_back_edges([("r", "a"), ("a", "b"), ("b", "a"), ("b", "c")])
    {2}
    """
    children: dict[Hashable, list[tuple[int, Hashable]]] = {}
    below = set()
    for i, (parent, child) in enumerate(edges):
        children.setdefault(parent, []).append((i, child))
        children.setdefault(child, [])
        if parent != child:
            below.add(child)
    starts = [c for c in children if c not in below] + [c for c in children if c in below]
    back: set[int] = set()
    done: set[Hashable] = set()
    for start in starts:
        if start in done:
            continue
        above = {start}
        way = [(start, iter(children[start]))]
        while way:
            name, rest = way[-1]
            for i, child in rest:
                if child in above:
                    back.add(i)
                elif child not in done:
                    above.add(child)
                    way.append((child, iter(children[child])))
                    break
            else:
                way.pop()
                above.discard(name)
                done.add(name)
    return back


def find_cycle(edges: Sequence[tuple[Hashable, Hashable]]) -> list[Hashable]:
    """Return the classes of one cycle, the first one again at the end; empty without a cycle.

    >>> find_cycle([("r", "a"), ("a", "b"), ("b", "a")])
    ['a', 'b', 'a']
    """
    back = depth_first_back_edges(edges)
    if not back:
        return []
    last, first = edges[min(back)]
    parents: dict[Hashable, list[Hashable]] = {}
    for i, (parent, child) in enumerate(edges):
        if i not in back:
            parents.setdefault(child, []).append(parent)
    came_from = {last: last}  # walk up from the end of the edge to the class that it leads to
    front = [last]
    while first not in came_from:
        front = [p for c in front for p in parents.get(c, ()) if came_from.setdefault(p, c) == c]
    way = [first]
    while way[-1] != last:
        way.append(came_from[way[-1]])
    return [*way, first]
