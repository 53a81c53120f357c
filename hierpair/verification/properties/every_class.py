"""All witnesses in a small hierarchy, of properties of single labels and how they are related."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations, product

import numpy as np

from hierpair.verification.properties.small_world import World
from hierpair.verification.properties.statement import Witnesses, every, witnesses

__all__: list[str] = []

Cell = tuple[tuple[int, ...], tuple[int, ...]]


def _found(world: World, cells: Iterable[tuple[Cell, ...]], arity: int = 2) -> Witnesses:
    masks = (
        [(sum(1 << c for c in true), sum(1 << c for c in said)) for true, said in row]
        for row in cells
    )
    return witnesses(world, masks, arity)


@every("partial_credit")
def _partial_credit(world: World) -> Witnesses:
    return _found(world, ((((t,), (p,)), ((t,), ())) for p, t in world.edges if p))


@every("near_beats_far")
def _near_beats_far(world: World) -> Witnesses:
    depth, apart = world.depth, world.unrelated
    return _found(
        world,
        (
            (((t,), (s,)), ((t,), (x,)))
            for t, s, x in permutations(world.classes, 3)
            if world.siblings[t, s] and not apart[t, s] and apart[t, x] and depth[s] == depth[x]
        ),
    )


@every("distance_order")
def _distance_order(world: World) -> Witnesses:
    classes = np.array(world.classes, dtype=np.int64)
    d = world.distance[np.ix_(classes, classes)]
    t, x, y = np.nonzero(d[:, :, None] < d[:, None, :])  # x may be t itself
    label = np.int64(1) << classes
    truth, predicted = np.stack([label[t]] * 2, axis=1), np.stack([label[x], label[y]], axis=1)
    return Witnesses(truth, predicted, (world, world))


def _chains(world: World) -> list[tuple[int, int, int]]:
    """Return classes, children of them and children of those that are not nearer by another way."""
    parent = world.parent
    return [
        (a, b, c)
        for a, b, c in permutations(world.classes, 3)
        if parent[a, b] and parent[b, c] and world.distance[a, c] == 2
    ]


@every("over_graded")
def _over_graded(world: World) -> Witnesses:
    rows = ((((t,), (t,)), ((t,), (c,)), ((t,), (g,))) for t, c, g in _chains(world))
    return _found(world, rows, 3)


@every("under_graded")
def _under_graded(world: World) -> Witnesses:
    rows = ((((t,), (t,)), ((t,), (p,)), ((t,), (g,))) for g, p, t in _chains(world))
    return _found(world, rows, 3)


@every("over_beats_unrelated")
def _over_beats_unrelated(world: World) -> Witnesses:
    depth, apart = world.depth, world.unrelated
    return _found(
        world,
        (
            (((t,), (c,)), ((t,), (x,)))
            for t, c, x in permutations(world.classes, 3)
            if world.parent[t, c] and apart[x, t] and apart[x, c] and depth[x] == depth[c]
        ),
    )


@every("under_beats_unrelated")
def _under_beats_unrelated(world: World) -> Witnesses:
    depth, apart = world.depth, world.unrelated
    return _found(
        world,
        (
            (((t,), (p,)), ((t,), (x,)))
            for t, p, x in permutations(world.classes, 3)
            if world.parent[p, t] and apart[x, t] and depth[x] == depth[p]
        ),
    )


@every("deeper_error_milder")
def _deeper_error_milder(world: World) -> Witnesses:
    depth = world.depth
    mistaken = [
        (t, s)
        for t, s in permutations(world.classes, 2)
        if world.siblings[t, s] and depth[t] == depth[s]
    ]
    return _found(
        world,
        (
            (((t,), (s,)), ((u,), (r,)))
            for (t, s), (u, r) in product(mistaken, repeat=2)
            if depth[t] > depth[u]
        ),
    )


@every("unrelated_constant")
def _unrelated_constant(world: World) -> Witnesses:
    apart = [(t, x) for t, x in permutations(world.classes, 2) if world.unrelated[t, x]]
    label = np.int64(1) << np.array(apart, dtype=np.int64).reshape(-1, 2)
    one, other = np.repeat(label, len(label), axis=0), np.tile(label, (len(label), 1))
    truth, predicted = (np.stack([one[:, k], other[:, k]], axis=1) for k in range(2))
    return Witnesses(truth, predicted, (world, world))


@every("specific_hit")
def _specific_hit(world: World) -> Witnesses:
    depth = world.depth
    return _found(
        world,
        (
            (((a, b), (a,)), ((a, b), (b,)))
            for a, b in permutations(world.classes, 2)
            if world.unrelated[a, b] and depth[a] > depth[b]
        ),
    )


@every("pairing_extra")
def _pairing_extra(world: World) -> Witnesses:
    depth, d = world.depth, world.distance
    on_line = world.above | world.above.T
    return _found(
        world,
        (
            (((t,), (t, s)), ((t,), (t, x)))
            for t, s, x in permutations(world.classes, 3)
            if not on_line[t, s] and not on_line[t, x]
            if depth[s] == depth[x] and d[t, s] < d[t, x]
        ),
    )
