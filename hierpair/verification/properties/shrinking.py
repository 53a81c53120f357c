"""Counterexamples made small: classes and labels are deleted while they stay counterexamples."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from itertools import chain, combinations, product

import numpy as np
from numpy.typing import NDArray

from hierpair.verification.properties.small_world import World
from hierpair.verification.properties.statement import Witnesses

__all__ = ["deletions", "shrunk", "without_class"]

Deletion = Callable[[], Witnesses]


def shrunk(one: Witnesses, fails: Callable[[Witnesses], bool]) -> Witnesses:
    """Return a witness from which nothing more can be deleted.

    Parameters
    ----------
    one
        A single witness.
    fails
        Whether something is a witness of the same property that is violated; ``one`` is.

    Examples
    --------
    >>> from hierpair.verification.properties.statement import witnesses
    >>> path = World(((), (0,), (1,), (2,)))
    >>> least = shrunk(witnesses(path, [[(0b1010, 0b1000)]], 1), lambda w: w.worlds[0].n > 2)
    >>> least.worlds[0].parents, least.truth.tolist()
    (((), (0,), (1,)), [[0]])
    """
    possible, at, in_vain = deletions(one), 0, 0
    while in_vain < len(possible):
        less = possible[at % len(possible)]()
        if fails(less):  # what comes next is tried next: most of what failed before fails again
            one, possible, in_vain = less, deletions(less), 0
        else:
            at, in_vain = at + 1, in_vain + 1
    return _renumbered(one)


def deletions(one: Witnesses) -> list[Deletion]:
    """Return what gives a witness without a class or without a label.

    What is below a deleted class hangs below its parents. Two classes that have children go
    together, too. Where a hierarchy is changed, a class goes from it before and after, and one that
    was added goes alone or with another class.
    """
    names = [_names(world) for world in one.worlds]
    found = list[Deletion]()
    if len({world.parents for world in one.worlds}) == 1:  # at most the names are changed
        each = [tuple(dict.fromkeys(same)) for same in zip(*names, strict=True)]
        found += [partial(_without, one, gone) for gone in each[1:]]
        inner = sorted({p for p, _ in one.worlds[0].edges} - {0})
        for c, other in combinations(inner, 2):  # where two ways must stay equally long
            found.append(partial(_without, one, each[c] + each[other]))
    else:
        old = names[0][1:]
        added = [name for name in dict.fromkeys(chain(*names)) if name not in names[0]]
        found += [partial(_without, one, (name,)) for name in (*old, *added)]
        found += [partial(_without, one, gone) for gone in product(old, added)]
    true, predicted = _used(one, one.truth), _used(one, one.predicted)
    both = [name for name in true if name in predicted]
    for sides, labels in (
        (("truth", "predicted"), both),
        (("truth",), true),
        (("predicted",), predicted),
    ):
        found += [partial(_without_label, one, name, sides) for name in labels]
    return found


def without_class(world: World, c: int) -> World:
    """Return a hierarchy without a class; what was below it hangs below its parents.

    >>> without_class(World(((), (0,), (1,), (1,))), 1)
    World(parents=((), (0,), (0,)), names=(0, 2, 3))
    """
    parents = list[tuple[int, ...]]()
    above = list[int]()  # sets of the classes above each
    for mine in world.parents:
        passed = {p for up in mine for p in (world.parents[c] if up == c else (up,))}
        direct = {p for p in passed if not any(above[q] >> p & 1 for q in passed)}
        parents.append(tuple(sorted(direct)))
        over = 0
        for p in direct:
            over |= above[p] | 1 << p
        above.append(over)
    kept = [k for k in range(world.n) if k != c]
    number = {k: i for i, k in enumerate(kept)}
    names = _names(world)
    return World(
        tuple(tuple(number[p] for p in parents[k]) for k in kept), tuple(names[k] for k in kept)
    )


def _without(one: Witnesses, gone: tuple[Hashable, ...]) -> Witnesses:
    """Return a witness without the classes of these names, wherever they are."""
    for name in gone:
        truth, predicted = one.truth.copy(), one.predicted.copy()
        less = {w: w for w in one.worlds}
        for world in less:
            if name not in _names(world):
                continue
            c = _names(world).index(name)
            less[world] = without_class(world, c)
            mine = [k for k, w in enumerate(one.worlds) if w == world]
            for side in (truth, predicted):  # the bits above the class move down
                bits = side[:, mine]
                side[:, mine] = bits & ((1 << c) - 1) | bits >> (c + 1) << c
        one = Witnesses(truth, predicted, tuple(less[world] for world in one.worlds))
    return one


def _without_label(one: Witnesses, name: Hashable, sides: tuple[str, ...]) -> Witnesses:
    """Return a witness without one label, in its truths, its predictions or both."""
    at = [_names(w).index(name) if name in _names(w) else None for w in one.worlds]
    kept = ~np.array([0 if c is None else 1 << c for c in at], dtype=np.int64)
    return Witnesses(
        one.truth & kept if "truth" in sides else one.truth,
        one.predicted & kept if "predicted" in sides else one.predicted,
        one.worlds,
    )


def _used(one: Witnesses, side: NDArray[np.int64]) -> list[Hashable]:
    """Return the names of the labels on one side."""
    cells = zip(one.worlds, side[0].tolist(), strict=True)
    return list(dict.fromkeys(name for world, mask in cells for name in world.labels(mask)))


def _names(world: World) -> list[Hashable]:
    return list(world.names or range(world.n))


def _renumbered(one: Witnesses) -> Witnesses:
    """Return a witness whose classes are called 0, 1, …, in the order that they had."""
    numbers = {x for w in one.worlds for x in _names(w) if isinstance(x, int)}
    new = {name: k for k, name in enumerate(sorted(numbers))}
    worlds = list[World]()
    for world in one.worlds:
        names = tuple(new[x] if isinstance(x, int) else x for x in _names(world))
        worlds.append(World(world.parents, () if names == tuple(range(world.n)) else names))
    return Witnesses(one.truth, one.predicted, tuple(worlds))
