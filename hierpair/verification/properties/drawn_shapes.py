"""Random witnesses of rare shapes: they are built into a random hierarchy, not waited for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from hierpair.verification.properties.small_world import World
from hierpair.verification.properties.statement import Draw, Witnesses, drawn, witnesses
from hierpair.verification.properties.worlds import Growing, random_world

__all__: list[str] = []

Ints = NDArray[np.int64]

LEAST_FLOOD = 8
"""Classes below the root from which on naming all of them is called a flood."""

FAR, FAR_4 = 12, 6
"""Edges from which on further away should not matter: more than Dmax 5, more than threshold 4."""

TWICE_DMAX = 10
"""Up to here measures with Dmax 5 still react, and a threshold of 4 should make no difference."""


@drawn("flood")
def flood(draw: Draw) -> Witnesses | None:
    """A sibling against all classes, in at least eight of them."""
    world = draw.world
    if world.n <= LEAST_FLOOD:
        world = random_world(draw.rng, dag=not world.is_tree, fewest=LEAST_FLOOD)
    if not _near(world).any():
        tree = Growing(world)
        _with_children(tree, int(draw.rng.integers(1, world.n)), 2)
        world, _ = tree.finished()
    every_class = (1 << world.n) - 2
    rows = _some(draw, np.argwhere(_near(world)))
    return _against(world, (([t], [s], every_class) for t, s in rows))


@drawn("pairing_fig12")
def fig12(draw: Draw) -> Witnesses | None:
    """A sibling too many against a child of a higher ancestor too many."""
    tree = Growing(draw.world)
    for c in range(draw.world.n):
        for _ in range(int(draw.rng.integers(3))):
            tree.below(c)
    world, _ = tree.finished()
    new = world.closed & ~world.closed[:, None]  # [t, x]: what x adds to the path of t
    leaf = _leaves(world)
    beside = (new == np.int64(1) << np.arange(world.n)) & leaf & leaf[:, None]
    one_way = np.bitwise_count(new.T) == world.distance - 1  # from t up to the parent of x
    near, far = beside & (world.distance == 2), beside & (world.distance > 2) & one_way
    rows = _some(draw, np.argwhere(near[:, :, None] & far[:, None, :]))
    return _against(world, (([t], [t, s], [t, x]) for t, s, x in rows))


@drawn("pairing_shared")
def shared(draw: Draw) -> Witnesses | None:
    """Two predictions near one of two true classes, against one near and one far."""
    tree, rng = Growing(draw.world), draw.rng
    deep = int(rng.integers(1, 4))
    _with_children(tree, tree.below(0, deep), 3)
    tree.below(0, int(rng.integers(2, 8)))
    tree.below(0, deep + 1)
    world, _ = tree.finished()
    rows = list[tuple[list[int], list[int], list[int]]]()
    for a, b, c in _some(draw, _triples(world)):
        apart = world.unrelated[a] & world.unrelated[b] & world.unrelated[c]
        pairs = apart[:, None] & apart & world.unrelated & _single_way(world, int(world.depth[c]))
        for d, x in _some(draw, np.argwhere(pairs), 2):
            rows.append(([a, d], [b, c], [b, x]))
    return _against(world, rows[: draw.n])


@drawn("pairing_crowd")
def crowd(draw: Draw) -> Witnesses | None:
    """Two siblings against a sibling and an unrelated class of their depth."""
    world, rows = _crowded(draw)
    return _against(world, (([t], [a, b], [a, x]) for t, a, b, x in rows))


@drawn("two_near_beat_one_far")
def two_near(draw: Draw) -> Witnesses | None:
    """Two siblings against an unrelated class of their depth."""
    world, rows = _crowded(draw)
    return _against(world, (([t], [a, b], [x]) for t, a, b, x in rows))


@drawn("long_distance")
def long_distance(draw: Draw) -> Witnesses | None:
    """A class far away against one further down its branch, more than twice Dmax away."""
    return _apart(draw, FAR, None, (8, 10))


@drawn("long_distance_4")
def long_distance_4(draw: Draw) -> Witnesses | None:
    """The same, further away than a threshold of 4 but not than twice Dmax."""
    return _apart(draw, FAR_4, TWICE_DMAX, (6, 8))


def _apart(draw: Draw, least: int, most: int | None, steps: tuple[int, int]) -> Witnesses | None:
    """Return classes of two chains below one class that are so far apart."""
    fork = int(draw.rng.integers(draw.world.n))
    tree = Growing(draw.world)
    ends = [tree.below(fork, n) for n in steps]
    world, number = tree.finished()
    one, other = (number[end - n + 1 : end + 1] for end, n in zip(ends, steps, strict=True))
    p, further = np.meshgrid(other, other, indexing="ij")
    far = world.distance[one][:, p], world.distance[one][:, further]
    fits = (far[0] >= least) & (far[1] > far[0]) & world.above[p, further]
    if most is not None:
        fits &= far[1] <= most
    rows = _some(draw, np.argwhere(fits))
    return _against(world, (([one[i]], [other[j]], [other[k]]) for i, j, k in rows))


def _crowded(draw: Draw) -> tuple[World, list[tuple[int, ...]]]:
    """Return two siblings of a class, and a class of their depth that is unrelated to all."""
    tree = Growing(draw.world)
    for c in draw.rng.integers(1, draw.world.n, size=2).tolist():
        _with_children(tree, c, 4)
    tree.below(0, int(draw.world.depth.max()) + 1)
    world, _ = tree.finished()
    rows = list[tuple[int, ...]]()
    for t, a, b in _some(draw, _triples(world)):
        apart = world.unrelated[t] & world.unrelated[a] & world.unrelated[b]
        apart &= _single_way(world, int(world.depth[b]))
        for (x,) in _some(draw, np.argwhere(apart), 1):
            rows.append((t, a, b, x))
    return world, rows


def _with_children(tree: Growing, c: int, n: int) -> None:
    """Add leaves below a class until it has so many children."""
    for _ in range(n - sum(above == [c] for above in tree.parents)):
        tree.below(c)


def _near(world: World) -> NDArray[np.bool_]:
    """Whether two classes are siblings below another class than the root alone."""
    near: NDArray[np.bool_] = world.siblings & ~world.unrelated
    return near


def _leaves(world: World) -> NDArray[np.bool_]:
    """Whether a class has no children."""
    none: NDArray[np.bool_] = world.parent.sum(axis=1) == 0
    return none


def _single_way(world: World, depth: int) -> NDArray[np.bool_]:
    """Whether a class has this depth and one way up to the root."""
    alike: NDArray[np.bool_] = (world.depth == depth) & (np.bitwise_count(world.closed) == depth)
    return alike


def _triples(world: World) -> Ints:
    """Return three leaves below one class, their only parent, in every order."""
    only = np.array([above[0] if len(above) == 1 else 0 for above in world.parents])
    leaf = _leaves(world) & (only > 0)
    same = (only[:, None] == only) & leaf & leaf[:, None] & ~np.eye(world.n, dtype=bool)
    return np.argwhere(same[:, :, None] & same[:, None, :] & same[None])


def _some(draw: Draw, rows: Ints, n: int | None = None) -> list[list[int]]:
    """Return some of these rows."""
    chosen = draw.rng.permutation(len(rows))[: draw.n if n is None else n]
    some: list[list[int]] = rows[chosen].tolist()
    return some


def _against(
    world: World, rows: Iterable[tuple[Sequence[int], Sequence[int], Sequence[int] | int]]
) -> Witnesses | None:
    """Return witnesses of two predictions of one truth; a set may come as bits."""

    def mask(classes: Sequence[int] | int) -> int:
        return classes if isinstance(classes, int) else sum(1 << int(c) for c in classes)

    sets = dict.fromkeys((mask(true), mask(p), mask(q)) for true, p, q in rows)  # each once
    cells = [[(true, p), (true, q)] for true, p, q in sets]
    return witnesses(world, cells, 2) if cells else None
