"""A small hierarchy whose label sets are bit masks: what witnesses of properties are made of."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets

__all__ = ["MOST_CLASSES", "Part", "World", "mask_of", "members", "sizes"]

Masks = NDArray[np.int64]

MOST_CLASSES = 62
"""Classes of a world: a set of them is a whole number of 64 bits with a sign."""


def mask_of(classes: Iterable[int]) -> int:
    """Return a set of class numbers as bits.

    >>> mask_of([1, 3])
    10
    """
    return sum(1 << int(c) for c in set(classes))


def members(mask: int) -> tuple[int, ...]:
    """Return the class numbers of a set, ascending.

    >>> members(10)
    (1, 3)
    """
    return tuple(c for c in range(int(mask).bit_length()) if int(mask) >> c & 1)


def sizes(masks: Masks) -> NDArray[np.int64]:
    """Return the number of classes of every set."""
    return np.bitwise_count(masks).astype(np.int64)


@dataclass(frozen=True)
class World:
    """A hierarchy below one root, class 0; every class has a larger number than its parents.

    A set of classes is a bit mask: class ``c`` is the bit ``1 << c``.

    Attributes
    ----------
    parents
        The parents of every class, ``()`` for the root.
    names
        What the classes are called, by default their numbers. Edges are given to the hierarchy in
        the order of the names, so that other names are another numbering of it.

    Examples
    --------
    >>> world = World(((), (0,), (1,), (0,)))
    >>> world.depth.tolist(), world.distance[2, 3], world.unrelated[2, 3], world.is_tree
    ([0, 1, 2, 1], np.int64(3), np.True_, True)
    """

    parents: tuple[tuple[int, ...], ...]
    names: tuple[Hashable, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.parents)
        if not 1 <= n <= MOST_CLASSES:
            raise BadInput(f"a world has 1 to {MOST_CLASSES} classes, got {n}")
        for c, above in enumerate(self.parents):
            if bool(above) != bool(c) or not all(0 <= p < c for p in above):
                raise BadInput(
                    f"class {c} of a world: its parents must have smaller numbers, and only class "
                    f"0 has none; got {above!r}"
                )
        if self.names and len(set(self.names)) != n:
            raise BadInput(f"a world of {n} classes needs as many different names")

    @property
    def n(self) -> int:
        """Number of classes, with the root."""
        return len(self.parents)

    @property
    def classes(self) -> Sequence[int]:
        """The classes that witnesses are sought among, without the root."""
        return range(1, self.n)

    @cached_property
    def sets(self) -> Masks:
        """The label sets that witnesses are sought among: all but the empty one."""
        return np.arange(1, 1 << (self.n - 1), dtype=np.int64) << 1

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Parent and child, child by child."""
        return [(p, c) for c, above in enumerate(self.parents) for p in above]

    @cached_property
    def is_tree(self) -> bool:
        """Whether no class has several parents."""
        return all(len(above) <= 1 for above in self.parents)

    @cached_property
    def closed(self) -> Masks:
        """Every class with its ancestors, the root left out, shape ``(n,)``."""
        found = [0]
        for c, above in enumerate(self.parents[1:], 1):
            found.append(1 << c)
            for p in above:
                found[c] |= found[p]
        return np.array(found, dtype=np.int64)

    @cached_property
    def above(self) -> NDArray[np.bool_]:
        """Whether ``above[a, c]``: a is a proper ancestor of c; the root is one of all others."""
        found = (self.closed[None, :] >> np.arange(self.n)[:, None] & 1).astype(bool)
        found[0] = True
        np.fill_diagonal(found, False)
        return found

    @cached_property
    def parent(self) -> NDArray[np.bool_]:
        """Whether ``parent[p, c]``: p is a parent of c."""
        found = np.zeros((self.n, self.n), dtype=bool)
        for p, c in self.edges:
            found[p, c] = True
        return found

    @cached_property
    def siblings(self) -> NDArray[np.bool_]:
        """Whether two classes have a common parent and are not the same."""
        shared: NDArray[np.bool_] = self.parent.T.astype(np.int64) @ self.parent > 0
        np.fill_diagonal(shared, False)
        return shared

    @cached_property
    def unrelated(self) -> NDArray[np.bool_]:
        """Whether only the root is above both, shape ``(n, n)``; the root is related to all."""
        found: NDArray[np.bool_] = (self.closed[:, None] & self.closed[None, :]) == 0
        found[0], found[:, 0] = False, False
        return found

    @cached_property
    def ways_up(self) -> NDArray[np.int64]:
        """Fewest edges from ``[c]`` up to ``[a]``; large where a is not above c."""
        found = np.full((self.n, self.n), 10**6, dtype=np.int64)
        for c, above in enumerate(self.parents):
            for p in above:
                found[c] = np.minimum(found[c], found[p] + 1)
            found[c, c] = 0
        return found

    @property
    def depth(self) -> NDArray[np.int64]:
        """Fewest edges from the root, shape ``(n,)``."""
        return self.ways_up[:, 0]

    @cached_property
    def distance(self) -> NDArray[np.int64]:
        """Edges of the shortest way through a common ancestor, shape ``(n, n)``."""
        ways: NDArray[np.int64] = (self.ways_up[:, None] + self.ways_up[None]).min(axis=-1)
        return ways

    def closure(self, masks: Masks) -> Masks:
        """Return sets with all ancestors, the root left out."""
        found = np.asarray(masks, dtype=np.int64) & ~1
        for c in range(1, self.n):
            found = np.where(found >> c & 1, found | self.closed[c], found)
        return found

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The world as measures see it."""
        names = self.names or tuple(range(self.n))
        listed = sorted(range(self.n), key=lambda c: (type(names[c]).__name__, names[c]))
        rank = {c: k for k, c in enumerate(listed)}
        edges = sorted(self.edges, key=lambda edge: (rank[edge[1]], rank[edge[0]]))
        return Hierarchy.from_edges(
            [(names[p], names[c]) for p, c in edges],
            classes=[names[c] for c in listed],
            roots="any",
        )

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The number that every class has in the hierarchy."""
        names = self.names or tuple(range(self.n))
        return np.array([self.hierarchy.position[name] for name in names], dtype=np.int64)

    def label_sets(self, masks: Masks) -> LabelSets:
        """Return sets as the labels of one instance each."""
        inside = (np.asarray(masks)[:, None] >> np.argsort(self.numbers)[None, :] & 1) > 0
        indptr = np.concatenate(([0], np.cumsum(inside.sum(axis=1))))
        return LabelSets.from_arrays(indptr, np.nonzero(inside)[1], self.n)

    def labels(self, mask: int) -> list[Hashable]:
        """Return the names of the classes of a set."""
        return [self.names[c] if self.names else c for c in members(mask)]


@dataclass(frozen=True)
class Part(World):
    """A hierarchy in which witnesses are sought among some classes and some label sets alone.

    Attributes
    ----------
    some_classes, some_sets
        Which.
    """

    some_classes: tuple[int, ...] = ()
    some_sets: tuple[int, ...] = ()

    @classmethod
    def of(cls, world: World, classes: Iterable[int], sets: Masks) -> Part:
        """Return a part of a hierarchy, whose classes are related as they are there."""
        part = cls(world.parents, world.names, tuple(classes), tuple(sets.tolist()))
        for fact in ("closed", "above", "parent", "siblings", "unrelated", "distance"):
            vars(part)[fact] = getattr(world, fact)  # where a cached property keeps it
        return part

    @property
    def classes(self) -> Sequence[int]:
        """The classes that witnesses are sought among."""
        return self.some_classes

    @cached_property
    def sets(self) -> Masks:
        """The label sets that witnesses are sought among."""
        return np.array(self.some_sets, dtype=np.int64)
