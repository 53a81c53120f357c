"""Every hierarchy with one root and a few classes, up to isomorphism: posets below a root."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from hierpair.errors import BadInput, shown
from hierpair.verification.properties.small_world import World

__all__ = ["LARGEST_SCOPE", "check_scope", "small_worlds"]

Parents = tuple[tuple[int, ...], ...]

LARGEST_SCOPE = 6
"""Classes below the root of the largest hierarchies that are gone through: 318 have six."""


def check_scope(scope: int) -> int:
    """Return a number of classes, or refuse it."""
    if isinstance(scope, bool) or not isinstance(scope, int) or not 0 <= scope <= LARGEST_SCOPE:
        raise BadInput(
            f"scope is the number of classes below the root of the largest hierarchies that are "
            f"gone through, 0 to {LARGEST_SCOPE}, got {shown(scope)}"
        )
    return scope


@cache
def small_worlds(n: int) -> tuple[World, ...]:
    """Return all hierarchies of a root and ``n`` further classes, no two of them isomorphic.

    Trees come first. Edges that follow from others are left out, so each is a partially ordered
    set with the root added on top.

    Examples
    --------
    >>> [len(small_worlds(n)) for n in range(1, 6)]
    [1, 2, 5, 16, 63]
    >>> sum(world.is_tree for n in range(1, 6) for world in small_worlds(n))
    36
    """
    found: set[Parents] = {((),)}
    for _ in range(n):
        found = {_first_labelling((*grown, above)) for grown in found for above in _tops(grown)}
    worlds = [World(parents) for parents in found]
    return tuple(sorted(worlds, key=lambda world: (not world.is_tree, world.parents)))


def _tops(parents: Parents) -> Iterator[tuple[int, ...]]:
    """Yield what the parents of a further class can be: the root, or classes none above another."""
    world = World(parents)
    yield (0,)
    for size in range(1, len(parents)):
        for chosen in combinations(range(1, len(parents)), size):
            if not any(world.above[a, b] or world.above[b, a] for a, b in combinations(chosen, 2)):
                yield chosen


def _first_labelling(parents: Parents) -> Parents:
    """Return the same hierarchy with its classes in the one order that all isomorphic ones get.

    Of all orders with parents before children it takes the one whose list of parents is the
    largest: what is below the class before comes next, so chains are numbered along.
    """
    orders: list[tuple[Parents, dict[int, int]]] = [(((),), {0: 0})]
    for place in range(1, len(parents)):
        longer = [
            ((*known, tuple(sorted(number[p] for p in parents[c]))), {**number, c: place})
            for known, number in orders
            for c in range(1, len(parents))
            if c not in number and all(p in number for p in parents[c])
        ]
        most = max(known for known, _ in longer)
        orders = [(known, number) for known, number in longer if known == most]
    return orders[0][0]
