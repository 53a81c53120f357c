"""All witnesses in a small hierarchy, of properties of whole label sets."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from hierpair.verification.properties.small_world import World
from hierpair.verification.properties.statement import Witnesses, every

__all__: list[str] = []

Masks = NDArray[np.int64]


def _pairs(world: World, *, empty: bool = False) -> tuple[Masks, Masks]:
    """Return every truth with every prediction; ``empty``: also with none."""
    sets = world.sets
    predicted = np.concatenate(([0], sets)) if empty else sets
    return np.repeat(sets, len(predicted)), np.tile(predicted, len(sets))


def _cells(world: World, *cells: tuple[Masks, Masks]) -> Witnesses:
    """Return witnesses whose first cells, second cells, … are these."""
    truth, predicted = (np.stack(side, axis=1) for side in zip(*cells, strict=True))
    return Witnesses(truth, predicted, (world,) * len(cells))


def _with_class(
    world: World, truth: Masks, predicted: Masks
) -> tuple[Masks, Masks, NDArray[np.int64]]:
    """Return every pair of sets with every class below the root."""
    classes = np.arange(1, world.n)
    sides = (np.repeat(side, len(classes)) for side in (truth, predicted))
    return (*sides, np.tile(classes, len(truth)))  # type: ignore[return-value]


@every("identity")
def _identity(world: World) -> Witnesses:
    truth, predicted = _pairs(world, empty=True)
    return _cells(world, (truth, truth), (truth, predicted))


@every("strictness")
def _strictness(world: World) -> Witnesses:
    truth, predicted = _pairs(world)
    other = truth != predicted
    return _cells(world, (truth[other], truth[other]), (truth[other], predicted[other]))


@every("strict_closed")
def _strict_closed(world: World) -> Witnesses:
    truth, predicted = _pairs(world)
    other = world.closure(truth) != world.closure(predicted)
    return _cells(world, (truth[other], truth[other]), (truth[other], predicted[other]))


@every("symmetric")
def _symmetric(world: World) -> Witnesses:
    truth, predicted = _pairs(world)
    other = truth != predicted
    one, another = truth[other], predicted[other]
    return _cells(world, (one, another), (another, one))


@every("bounded")
def _bounded(world: World) -> Witnesses:
    return _cells(world, _pairs(world, empty=True))


@every("constant_optimum")
def _constant_optimum(world: World) -> Witnesses:
    truth, predicted = _pairs(world)
    other = truth != predicted
    one, another = truth[other], predicted[other]
    return _cells(world, (one, one), (another, another))


@every("ancestor_redundancy")
def _ancestor_redundancy(world: World) -> Witnesses:
    truth, predicted, a = _with_class(world, *_pairs(world))
    added = (world.closure(predicted) & ~predicted) >> a & 1 == 1
    truth, predicted, a = truth[added], predicted[added], a[added]
    return _cells(world, (truth, predicted | 1 << a), (truth, predicted))


@every("triangle")
def _triangle(world: World) -> Witnesses:
    truth, predicted = _pairs(world)
    sets = world.sets
    truth, predicted = np.repeat(truth, len(sets)), np.repeat(predicted, len(sets))
    between = np.tile(sets, len(sets) ** 2)
    return _cells(
        world,
        (truth, truth),
        (truth, predicted),
        (truth, between),
        (between, between),
        (between, predicted),
    )


def _right_added(world: World, *, strict: bool) -> Witnesses:
    truth, predicted, t = _with_class(world, *_pairs(world, empty=True))
    there = world.closure(predicted) if strict else predicted
    added = (truth & ~there) >> t & 1 == 1
    truth, predicted, t = truth[added], predicted[added], t[added]
    return _cells(world, (truth, predicted | 1 << t), (truth, predicted))


every("add_right")(partial(_right_added, strict=False))
every("add_right_strict")(partial(_right_added, strict=True))


def _wrong_added(world: World, *, strict: bool) -> Witnesses:
    truth, predicted, x = _with_class(world, *_pairs(world))
    there = world.closure(predicted) if strict else predicted
    added = (there >> x & 1 == 0) & (world.closed[x] & world.closure(truth) == 0)
    truth, predicted, x = truth[added], predicted[added], x[added]
    return _cells(world, (truth, predicted), (truth, predicted | 1 << x))


every("add_wrong")(partial(_wrong_added, strict=False))
every("add_wrong_strict")(partial(_wrong_added, strict=True))


@every("swap_right")
def _swap_right(world: World) -> Witnesses:
    truth, predicted, t = _with_class(world, *_pairs(world))
    missed = (truth & ~predicted) >> t & 1 == 1
    right = 1 << t[missed]
    truth, predicted, x = _with_class(world, truth[missed], predicted[missed])
    right = np.repeat(right, world.n - 1)
    wrong = (predicted & ~world.closure(truth)) >> x & 1 == 1
    truth, predicted, x, right = truth[wrong], predicted[wrong], x[wrong], right[wrong]
    return _cells(world, (truth, predicted & ~(1 << x) | right), (truth, predicted))


@every("silence")
def _silence(world: World) -> Witnesses:
    sets = world.sets
    truth, none, x = _with_class(world, sets, np.zeros_like(sets))
    apart = world.closed[x] & world.closure(truth) == 0
    truth, none, x = truth[apart], none[apart], x[apart]
    return _cells(world, (truth, none), (truth, 1 << x))


@every("nothing_true")
def _nothing_true(world: World) -> Witnesses:
    none = np.zeros_like(world.sets)
    return _cells(world, (none, none), (none, world.sets))
