"""Small hierarchies whose label sets are bit masks: all of few classes, and random ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, permutations

import numpy as np

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Ints, offsets
from hierpair.labels import LabelSets

Masks = Ints
Relations = Bools
Parents = tuple[tuple[int, ...], ...]
Growing = list[list[int]]
"""The parents of every class of a hierarchy in the making; new classes may be put anywhere."""

FEWEST, MOST = 3, 15
"""Classes of a random hierarchy below its root."""

CHAIN = 0.35
"""How often the next class hangs below the last one: hierarchies are deep, not only wide."""

ANOTHER_PARENT = 0.35
"""How often a class of a DAG gets a second parent, and again a third, and so on."""

ARMS = (8, 10)
"""Lengths of two arms: their ends are further apart than measures look."""

MOST_LABELS = 3
"""How many labels a random set has."""

BITS = np.int64(1) << np.arange(63)
"""The set of each class alone."""


def mask_of(classes: Iterable[int]) -> int:
    """Return a set of class numbers as bits."""
    return sum(1 << int(c) for c in set(classes))


def members(mask: int) -> tuple[int, ...]:
    """Return the class numbers of a set, ascending."""
    return tuple(c for c in range(int(mask).bit_length()) if int(mask) >> c & 1)


@dataclass(frozen=True)
class World:
    """A hierarchy below one root, class 0.

    A set of classes is a bit mask of 64 bits: class ``c`` is the bit ``1 << c``.

    Attributes
    ----------
    parents
        The parents of every class, ``()`` for the root.
    first
        The class that is called 0; the next ones are called 1, 2, …. Edges are given to the
        hierarchy in the order of the names, so that other names are another numbering of it.

    Examples
    --------
    >>> world = World(((), (0,), (1,), (0,)))
    >>> world.depth.tolist(), world.distance[2, 3], world.unrelated[2, 3], world.is_tree
    ([0, 1, 2, 1], np.int64(3), np.True_, True)
    """

    parents: Parents
    first: int = 0

    @property
    def n(self) -> int:
        """Number of classes, with the root."""
        return len(self.parents)

    @property
    def called(self) -> list[int]:
        """The name of every class."""
        return [(c - self.first) % self.n for c in range(self.n)]

    @property
    def classes(self) -> Masks:
        """The classes below the root."""
        return np.arange(1, self.n)

    @property
    def sets(self) -> Masks:
        """All label sets but the empty one."""
        return np.arange(1, 1 << (self.n - 1), dtype=np.int64) << 1

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Parent and child, child by child."""
        return [(p, c) for c, above in enumerate(self.parents) for p in above]

    @property
    def tree(self) -> Growing:
        """The parents of every class, to be changed."""
        return [[*above] for above in self.parents]

    @classmethod
    def grown(cls, tree: Growing, first: int = 0) -> World:
        """Return the hierarchy that was made."""
        return cls(tuple(map(tuple, tree)), first)

    @cached_property
    def is_tree(self) -> bool:
        """Whether no class has several parents."""
        return all(len(above) <= 1 for above in self.parents)

    @cached_property
    def closed(self) -> Masks:
        """Every class with its ancestors, the root left out, shape ``(n,)``."""
        return np.asarray((self.ways_up < self.n) @ BITS[: self.n] & ~1)

    @cached_property
    def ways_up(self) -> Masks:
        """Fewest edges from ``[c]`` up to ``[a]``; large where a is not above c."""
        found = np.full((self.n, self.n), 10**6, dtype=np.int64)
        np.fill_diagonal(found, 0)
        for p, c in self.edges:
            found[c, p] = 1
        for k in range(self.n):  # ways by class k
            found = np.minimum(found, found[:, k, None] + found[k])
        return found

    @property
    def depth(self) -> Masks:
        """Fewest edges from the root, shape ``(n,)``."""
        return self.ways_up[:, 0]

    @cached_property
    def distance(self) -> Masks:
        """Edges of the shortest way through a common ancestor, shape ``(n, n)``."""
        ways: Masks = (self.ways_up[:, None] + self.ways_up[None]).min(axis=-1)
        return ways

    @cached_property
    def above(self) -> Relations:
        """Whether ``above[a, c]``: a is a proper ancestor of c; the root is one of all others."""
        return (self.n > self.ways_up.T) & (self.ways_up.T > 0)

    @cached_property
    def parent(self) -> Relations:
        """Whether ``parent[p, c]``: p is a parent of c."""
        return np.asarray(self.ways_up.T == 1)

    @cached_property
    def apart(self) -> Relations:
        """Whether two classes are not the same and neither is above the other."""
        return np.minimum(self.ways_up, self.ways_up.T) >= self.n

    @cached_property
    def siblings(self) -> Relations:
        """Whether two classes have a common parent and are not the same."""
        shared: Relations = self.parent.T.astype(np.int64) @ self.parent > 0
        return shared & (self.ways_up > 0)

    @cached_property
    def leaf(self) -> Relations:
        """Whether a class has no children."""
        return np.asarray(~self.parent.any(axis=1))

    @cached_property
    def unrelated(self) -> Relations:
        """Whether only the root is above both, shape ``(n, n)``; the root is related to all."""
        found: Relations = (self.closed[:, None] & self.closed) == 0
        found[0], found[:, 0] = False, False
        return found

    @property
    def single(self) -> Relations:
        """Whether a class is a leaf with one parent."""
        return np.asarray(self.leaf & (self.parent.sum(axis=0) == 1))

    @cached_property
    def own(self) -> Masks:
        """How many of ``[c]`` and the classes above it are not those of ``[x]``."""
        return np.array(np.bitwise_count(self.closed[:, None] & ~self.closed), dtype=np.int64)

    @staticmethod
    def has(sets: Masks, c: Masks) -> Relations:
        """Whether a class is in a set."""
        return np.asarray(sets >> c & 1 == 1)

    def closure(self, masks: Masks) -> Masks:
        """Return sets with all ancestors, the root left out."""
        found = np.asarray(masks, dtype=np.int64) & ~1
        for c in range(1, self.n):
            found = np.where(found >> c & 1, found | self.closed[c], found)
        return found

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The world as measures see it."""
        listed = [(self.first + k) % self.n for k in range(self.n)]
        edges = [(p, c) for c in listed for p in listed if p in self.parents[c]]
        named = [(self.called[p], self.called[c]) for p, c in edges]
        return Hierarchy.from_edges(named, classes=[*range(self.n)], roots="any")

    @cached_property
    def order(self) -> Masks:
        """The classes in the order of their numbers in the hierarchy."""
        return np.argsort([self.hierarchy.position[name] for name in self.called])

    def label_sets(self, masks: Masks) -> LabelSets:
        """Return sets as the labels of one instance each."""
        inside = (masks[:, None] >> self.order & 1) > 0
        return LabelSets.from_arrays(offsets(inside.sum(axis=1)), np.nonzero(inside)[1], self.n)

    def labels(self, mask: int) -> list[int]:
        """Return the names of the classes of a set."""
        return [self.called[c] for c in members(mask)]

    def without(self, c: int) -> World:
        """Return the hierarchy without a class; what was below it hangs below its parents."""
        lifted = [
            [q - (q > c) for p in up for q in (self.parents[c] if p == c else (p,))]
            for k, up in enumerate(self.parents)
            if k != c
        ]
        return reduced(lifted)


def reduced(parents: Growing) -> World:
    """Return a hierarchy without the edges that follow from others."""
    world = World.grown([sorted({*up}) for up in parents])
    return World.grown([[p for p in up if not world.above[p, up].any()] for up in world.tree])


@cache
def small_worlds(n: int) -> tuple[World, ...]:
    """Return all hierarchies of a root and ``n`` further classes, no two isomorphic, trees first.

    Edges that follow from others are left out: each is a partially ordered set with a root on top.

    >>> [len(small_worlds(n)) for n in range(1, 6)]
    [1, 2, 5, 16, 63]
    """
    found: set[Parents] = {((),)}
    for _ in range(n):
        found = {_first_labelling((*grown, above)) for grown in found for above in _tops(grown)}
    return tuple(sorted(map(World, found), key=lambda world: (not world.is_tree, world.parents)))


def _tops(parents: Parents) -> Iterator[tuple[int, ...]]:
    """Yield what the parents of a further class can be: the root, or classes none above another."""
    world = World(parents)
    yield (0,)
    for size in range(1, len(parents)):
        for chosen in combinations(range(1, len(parents)), size):
            if all(world.apart[a, b] for a, b in combinations(chosen, 2)):
                yield chosen


def _first_labelling(parents: Parents) -> Parents:
    """Return the same hierarchy with its classes in the one order that all isomorphic ones get.

    Of all orders with parents before children it takes the one whose list of parents is the
    largest: what is below the class before comes next, so chains are numbered along.
    """

    def ordered(order: tuple[int, ...]) -> Parents:
        told = tuple(tuple(sorted(map((0, *order).index, parents[c]))) for c in order)
        return ((), *told) if all(max(up) <= c for c, up in enumerate(told)) else ()

    return max(map(ordered, permutations(range(1, len(parents)))))


def below(tree: Growing, parent: int, steps: int = 1) -> int:
    """Add a chain below a class and return its last class."""
    for _ in range(steps):
        tree.append([parent])
        parent = len(tree) - 1
    return parent


def random_world(rng: np.random.Generator, *, dag: bool) -> World:
    """Return a random tree, or a random DAG without edges that say nothing new."""
    parents: list[list[int]] = [[]]
    for c in range(1, int(rng.integers(FEWEST, MOST + 1)) + 1):
        parents.append([c - 1 if rng.random() < CHAIN else int(rng.integers(c))])
        while dag and rng.random() < ANOTHER_PARENT:
            parents[c].append(int(rng.integers(c)))
    return reduced(parents)


def with_rare_shapes(rng: np.random.Generator, world: World) -> World:
    """Return a hierarchy with shapes built in that chance has too rarely.

    These are four leaves of one class, another class as deep as they are and one at any depth, both
    alone in their branches, leaves below some classes, and two arms of 8 and 10 classes below one.
    """
    tree = world.tree
    c, lone = int(rng.integers(1, world.n)), int(rng.integers(1, 4))
    fork, *places = rng.integers(world.n, size=4).tolist()
    chains = [(c, 1)] * 4 + [(0, int(world.depth[c]) + 1), (0, lone)]
    for parent, steps in [*chains, *((p, 1) for p in places), *((fork, arm) for arm in ARMS)]:
        below(tree, parent, steps)
    return World.grown(tree)


def label_sets(rng: np.random.Generator, world: World, n: int, *, several: bool) -> Masks:
    """Return random sets of one label, or of up to three and others with one more or less."""
    sizes = rng.integers(1, MOST_LABELS + 1 if several else 2, (n, 1))
    drawn = BITS[rng.integers(1, world.n, (n, MOST_LABELS))]
    sets = np.bitwise_or.reduce(np.where(np.arange(MOST_LABELS) < sizes, drawn, 0), axis=1)
    if several:
        sets = np.append(sets, sets ^ BITS[rng.integers(1, world.n, n)])
    return np.unique(sets[sets > 0])


# ------------------------------------------------- changes of a hierarchy, as rows.toml names them


def second_way(world: World, tree: Growing, f_: int, p: int) -> None:
    """Let another chain as long lead from f to p; f may be the root."""
    tree[p].append(below(tree, f_, int(world.ways_up[p, f_]) - 1))


def stem(world: World, tree: Growing) -> None:
    """Put a class between the root and all others."""
    end = below(tree, 0)
    for above in tree[1 : world.n]:
        above[:] = [p or end for p in above]


def new_leaf(world: World, tree: Growing, c: int) -> None:
    """Add a leaf below a class."""
    below(tree, c)


def new_sibling(world: World, tree: Growing, c: int) -> None:
    """Add a leaf beside a class."""
    below(tree, tree[c][0])


def split_edges(world: World, tree: Growing) -> None:
    """Put a class in the middle of every edge."""
    for above in tree[1 : world.n]:
        above[:] = [below(tree, p) for p in above]


def longer(world: World, tree: Growing, u: int) -> None:
    """Put a class above u."""
    tree.append(tree[u])
    tree[u] = [world.n]


def other_names(world: World, tree: Growing, c: int) -> int:
    """Give other names, by which classes and edges are put in order: they begin with c."""
    return c
