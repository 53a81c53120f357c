"""Random witnesses, in larger hierarchies, of what small hierarchies are gone through for."""

from __future__ import annotations

from functools import partial

import numpy as np

from hierpair.verification.properties import every_class, every_set  # noqa: F401 - fill EVERY
from hierpair.verification.properties.small_world import Part
from hierpair.verification.properties.statement import DRAWN, EVERY, Draw, Witnesses
from hierpair.verification.properties.worlds import label_sets

__all__ = ["OF_PARTS", "among", "one_of_all"]

SETS, CLASSES = 5, 12
"""How many label sets and classes of a large hierarchy witnesses are sought among."""


def among(name: str, draw: Draw) -> Witnesses:
    """Return some of the witnesses of a property that have few classes and sets in common.

    Half of the sets are others with one label more or less, so that sets have labels in common.

    Parameters
    ----------
    name
        A property for which small hierarchies are gone through.
    draw
        A random hierarchy.
    """
    world, rng = draw.world, draw.rng
    sets = label_sets(draw, SETS)
    if draw.several:
        sets = np.append(sets, sets ^ np.int64(1) << rng.integers(1, world.n, size=SETS))
    sets = np.unique(sets[sets > 0])
    classes = rng.permutation(np.arange(1, world.n))[:CLASSES].tolist()
    found = EVERY[name](Part.of(world, classes, sets))
    rows = rng.permutation(len(found))[: draw.n]
    return Witnesses(found.truth[rows], found.predicted[rows], (world,) * len(found.worlds))


def one_of_all(name: str, one: Witnesses) -> bool:
    """Whether the first of these witnesses is one that going through its hierarchy would find.

    >>> from hierpair.verification.properties import World, statement
    >>> star = World(((), (0,), (0,)))
    >>> one, other = (
    ...     statement.witnesses(star, [[(0b010, p), (0b010, 0)]], 2) for p in (0b010, 0b100)
    ... )
    >>> one_of_all("add_right", one), one_of_all("add_right", other)
    (True, False)
    """
    world = one.worlds[0]
    truth, predicted = one.truth[:1], one.predicted[:1]
    sets = np.unique(np.append(truth, predicted))
    labels = [c for c in range(1, world.n) if (sets >> c & 1).any()]
    found = EVERY[name](Part.of(world, labels, sets[sets > 0]))
    same = (found.truth == truth) & (found.predicted == predicted)
    return bool(same.all(axis=1).any())


OF_PARTS = tuple(EVERY)
"""The properties of the table that small hierarchies are gone through for."""

DRAWN.update({name: partial(among, name) for name in OF_PARTS})
