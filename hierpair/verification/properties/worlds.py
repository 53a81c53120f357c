"""Small hierarchies whose label sets are bit masks: all of few classes, and random ones."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import combinations
from operator import or_

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets

__all__ = [
    "MOST_CLASSES",
    "Growing",
    "World",
    "check_parts",
    "check_scope",
    "mask_of",
    "members",
    "part_of",
    "random_world",
    "small_worlds",
    "with_rare_shapes",
]

Masks = NDArray[np.int64]
Parents = tuple[tuple[int, ...], ...]

MOST_CLASSES = 62
"""Classes of a world: a set of them is a whole number of 64 bits with a sign."""

LARGEST_SCOPE = 6
"""Classes below the root of the largest hierarchies that are gone through: 318 have six."""

FEWEST, MOST = 3, 15
"""Classes of a random hierarchy below its root, also of a part of a user's own."""

CHAIN = 0.35
"""How often the next class hangs below the last one: hierarchies are deep, not only wide."""

ANOTHER_PARENT = 0.35
"""How often a class of a DAG gets a second parent, and again a third, and so on."""

ARMS = (8, 10)
"""Lengths of two arms: their ends are further apart than measures look."""

MOST_EDGES = 40
"""Edges of a part: where all of them are split there is a class for each."""

NEARBY = 0.6
"""How often the next class of a part is a child of one that is there: parts have siblings."""

TRIES = 60
"""How often a class of a part is tried."""

ROOT = "(root)"
"""What stands above the roots of a hierarchy that has several."""


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
    def line(self) -> NDArray[np.bool_]:
        """Whether one of two classes is above the other."""
        return self.above | self.above.T

    @cached_property
    def leaf(self) -> NDArray[np.bool_]:
        """Whether a class has no children."""
        return np.asarray(~self.parent.any(axis=1))

    @cached_property
    def one_way(self) -> NDArray[np.bool_]:
        """Whether a class has one way up to the root."""
        return np.asarray(np.bitwise_count(self.closed) == self.depth)

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

    def without(self, c: int) -> World:
        """Return the hierarchy without a class; what was below it hangs below its parents.

        >>> World(((), (0,), (1,), (1,))).without(1)
        World(parents=((), (0,), (0,)), names=())
        """
        lifted = list[tuple[int, ...]]()
        for mine in self.parents:
            passed = {p for up in mine for p in (self.parents[c] if up == c else (up,))}
            direct = (p for p in passed if not any(self.above[p, q] for q in passed))
            lifted.append(tuple(sorted(p - (p > c) for p in direct)))
        del lifted[c]
        return World(tuple(lifted), self.names and self.names[:c] + self.names[c + 1 :])


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


class Growing:
    """A hierarchy in the making, from a finished one; new classes may be put anywhere.

    Examples
    --------
    >>> tree = Growing(World(((), (0,))))
    >>> tree.parents[1] = [tree.below(0)]  # a class between the root and class 1
    >>> after, number = tree.finished()
    >>> after.parents, after.names, number.tolist()
    (((), (0,), (1,)), (0, 2, 1), [0, 2, 1])
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.parents = [list(above) for above in world.parents]
        self.names = list(world.names or range(world.n))

    def below(self, parent: int, steps: int = 1) -> int:
        """Add a chain below a class and return its last class."""
        for _ in range(steps):
            self.parents.append([parent])
            self.names.append(len(self.names))
            parent = len(self.parents) - 1
        return parent

    def finished(self) -> tuple[World, NDArray[np.int64]]:
        """Return the hierarchy, and the number in it of every class by its number here."""
        order = list[int]()
        number = np.full(len(self.parents), -1, dtype=np.int64)
        while len(order) < len(self.parents):  # the first classes whose parents have numbers
            ready = (
                c
                for c, above in enumerate(self.parents)
                if number[c] < 0 and all(number[p] >= 0 for p in above)
            )
            number[c := next(ready)] = len(order)
            order.append(c)
        parents = tuple(tuple(sorted(int(number[p]) for p in self.parents[c])) for c in order)
        return World(parents, tuple(self.names[c] for c in order)), number


def moved(masks: Masks, number: NDArray[np.int64]) -> Masks:
    """Return sets of classes as sets of the numbers that the classes have elsewhere.

    >>> moved(np.array([0b011]), np.array([2, 0, 1])).tolist()
    [5]
    """
    inside = np.asarray(masks)[..., None] >> np.arange(len(number)) & 1
    found: Masks = (inside << number).sum(axis=-1)
    return found


def random_world(rng: np.random.Generator, *, dag: bool) -> World:
    """Return a random tree, or a random DAG without edges that say nothing new.

    Examples
    --------
    >>> random_world(np.random.default_rng(0), dag=False).is_tree
    True
    """
    parents: list[tuple[int, ...]] = [()]
    above = [0]  # sets of proper ancestors, with the root
    for c in range(1, int(rng.integers(FEWEST, MOST + 1)) + 1):
        mine = {c - 1 if rng.random() < CHAIN else int(rng.integers(c))}
        while dag and rng.random() < ANOTHER_PARENT:
            mine.add(int(rng.integers(c)))
        mine = {p for p in mine if not any(above[q] >> p & 1 for q in mine)}
        parents.append(tuple(sorted(mine)))
        above.append(reduce(or_, (above[p] | 1 << p for p in mine)))
    return World(tuple(parents))


def with_rare_shapes(rng: np.random.Generator, world: World) -> World:
    """Return a hierarchy with shapes built in that chance has too rarely.

    These are four leaves of one class, another class as deep as they are and one at any depth, both
    alone in their branches, leaves below some classes, and two arms of 8 and 10 classes below one.

    >>> with_rare_shapes(np.random.default_rng(0), World(((), (0,)))).leaf.sum()
    np.int64(11)
    """
    tree = Growing(world)
    c = int(rng.integers(1, world.n))
    for _ in range(4):
        tree.below(c)
    tree.below(0, int(world.depth[c]) + 1)
    tree.below(0, int(rng.integers(1, 4)))
    for place in rng.integers(world.n, size=3).tolist():
        tree.below(place)
    fork = int(rng.integers(world.n))
    for steps in ARMS:
        tree.below(fork, steps)
    rare, _ = tree.finished()
    return World(rare.parents, rare.names if world.names else ())


def check_parts(hierarchy: Hierarchy) -> Hierarchy:
    """Return a hierarchy of which parts can be drawn, or refuse it."""
    Hierarchy.of(hierarchy)
    n_below = len(hierarchy) - (len(hierarchy.root_indices) == 1)
    if n_below < FEWEST:
        raise BadInput(
            f"a hierarchy to draw from needs at least {FEWEST} classes below the root, this one "
            f"has {n_below}; leave it out to draw any hierarchies"
        )
    return hierarchy


def part_of(hierarchy: Hierarchy, rng: np.random.Generator) -> World:
    """Return some classes of a hierarchy with all classes above them and the edges between.

    Classes that are more than 15 with all above them are never in it.

    Parameters
    ----------
    hierarchy
        A large one, of any shape; several roots get one above.
    rng
        What chooses the classes.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("food", "bread"), ("food", "cheese"), ("cheese", "brie")])
    >>> part_of(tree, np.random.default_rng(0))
    World(parents=((), (0,), (0,), (2,)), names=('food', 'bread', 'cheese', 'brie'))
    """
    roots = set(hierarchy.root_indices.tolist())
    wanted = int(rng.integers(FEWEST, MOST + 1))
    chosen = set[int]()
    for _ in range(TRIES):
        if len(chosen - roots) >= wanted:
            break
        near = sorted(chosen) if chosen and rng.random() < NEARBY else []
        at = near[int(rng.integers(len(near)))] if near else int(rng.integers(len(hierarchy)))
        below = hierarchy.children[hierarchy.child_ptr[at] : hierarchy.child_ptr[at + 1]]
        c = int(rng.choice(below)) if near and len(below) else at
        more = chosen | {c, *hierarchy.ancestor_numbers(c).tolist()}
        if len(more) <= MOST + 1 and sum(len(_above(hierarchy, x)) for x in more) <= MOST_EDGES:
            chosen = more
    order = sorted(chosen)  # parents have smaller numbers
    single = len(roots) == 1
    place = {c: k + (not single) for k, c in enumerate(order)}
    parents = [tuple(sorted(place[p] for p in _above(hierarchy, c))) or (0,) for c in order]
    names = [str(hierarchy.names[c]) for c in order]
    if single:
        return World(((), *parents[1:]), tuple(names))
    return World(((), *parents), (ROOT, *names))


def _above(hierarchy: Hierarchy, c: int) -> list[int]:
    """Return the parents of a class."""
    found: list[int] = hierarchy.parents[
        hierarchy.parent_ptr[c] : hierarchy.parent_ptr[c + 1]
    ].tolist()
    return found
