"""Random small hierarchies and label sets, the same for every property, measure and process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from hierpair.verification.properties.small_world import World
from hierpair.verification.properties.statement import DOMAINS, Draw

__all__ = [
    "MOST_LABELS",
    "PER_WORLD",
    "Growing",
    "draws",
    "label_sets",
    "moved",
    "n_worlds",
    "random_world",
]

Masks = NDArray[np.int64]

PER_WORLD = 12
"""Witnesses of a property that are drawn from one random hierarchy."""

FEWEST, MOST = 3, 15
"""Classes of a random hierarchy below its root."""

MOST_LABELS = 3
"""Labels of a random set."""

CHAIN = 0.35
"""How often the next class hangs below the last one: hierarchies are deep, not only wide."""

ANOTHER_PARENT = 0.35
"""How often a class of a DAG gets a second parent, and again a third, and so on."""

OF_WORLDS, OF_WITNESSES = 0, 1
"""First numbers of the random streams."""


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


def random_world(rng: np.random.Generator, *, dag: bool, fewest: int = FEWEST) -> World:
    """Return a random tree, or a random DAG without edges that say nothing new.

    Examples
    --------
    >>> random_world(np.random.default_rng(0), dag=False).is_tree
    True
    """
    parents: list[tuple[int, ...]] = [()]
    above = [0]  # sets of proper ancestors, with the root
    for c in range(1, int(rng.integers(fewest, MOST + 1)) + 1):
        mine = {c - 1 if rng.random() < CHAIN else int(rng.integers(c))}
        while dag and rng.random() < ANOTHER_PARENT:
            mine.add(int(rng.integers(c)))
        mine = {p for p in mine if not any(above[q] >> p & 1 for q in mine)}
        parents.append(tuple(sorted(mine)))
        above.append(reduce(or_, (above[p] | 1 << p for p in mine)))
    return World(tuple(parents))


def n_worlds(samples: int, n_kinds: int = len(DOMAINS)) -> int:
    """Return how many hierarchies of each domain are drawn for so many witnesses of a property."""
    return -(-samples // (PER_WORLD * n_kinds))


def draws(
    seed: int,
    names: Sequence[str],
    world: int,
    number: int,
    *,
    of: Callable[[np.random.Generator], World] | None = None,
) -> dict[str, Draw]:
    """Return what the witnesses of properties are drawn from.

    The hierarchy depends on the seed, the kind of world and the number; witnesses on the name of
    the property besides, and on nothing else.

    Parameters
    ----------
    seed
        The seed.
    names
        Properties.
    world
        Which of ``DOMAINS``.
    number
        Which hierarchy of this kind.
    of
        Draws the hierarchy; by default it is any of this kind.

    Examples
    --------
    >>> few, more = draws(0, ["flood"], 3, 1), draws(0, ["renaming", "flood"], 3, 1)
    >>> few["flood"].world == more["renaming"].world
    True
    >>> few["flood"].rng.integers(10**6) == more["flood"].rng.integers(10**6)
    np.True_
    """

    def stream(*key: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(entropy=seed, spawn_key=key))

    rng = stream(OF_WORLDS, world, number)
    drawn = of(rng) if of else random_world(rng, dag=DOMAINS[world].startswith("DAG"))
    several = not DOMAINS[world].endswith("one label")
    return {
        name: Draw(drawn, several, stream(OF_WITNESSES, world, number, *name.encode()), PER_WORLD)
        for name in names
    }


def label_sets(draw: Draw, n: int, among: NDArray[np.integer] | None = None) -> Masks:
    """Return random sets of labels, as many as the draw says a set may have.

    Parameters
    ----------
    draw
        The hierarchy, the random generator and how many labels there are.
    n
        How many sets.
    among
        The classes to choose from, by default all below the root; not none.
    """
    classes = np.arange(1, draw.world.n) if among is None else among
    order = draw.rng.random((n, len(classes))).argsort(axis=1)
    most = min(MOST_LABELS, len(classes)) if draw.several else 1
    length = draw.rng.integers(1, most + 1, size=n)
    chosen = np.arange(len(classes)) < length[:, None]
    sets: Masks = np.where(chosen, np.int64(1) << classes[order], 0).sum(axis=1)
    return sets
