"""Random witnesses of what small hierarchies are gone through for: some of all that there are."""

import numpy as np
import pytest

from hierpair.verification.properties import DRAWN, EVERY, Witnesses, World
from hierpair.verification.properties.drawn_parts import one_of_all
from hierpair.verification.properties.small_posets import small_worlds
from hierpair.verification.properties.small_world import Part
from hierpair.verification.properties.statement import Draw
from tests.effort import cases

NAMES = list(EVERY)


def rows(found):
    """Return witnesses as a set of their cells."""
    return {(*t, *p) for t, p in zip(found.truth.tolist(), found.predicted.tolist(), strict=True)}


@pytest.mark.parametrize("name", NAMES)
def test_a_part_that_is_the_whole_gives_all(name):
    """In the same order."""
    for world in small_worlds(4):
        whole, part = EVERY[name](world), EVERY[name](Part.of(world, world.classes, world.sets))
        assert np.array_equal(whole.truth, part.truth)
        assert np.array_equal(whole.predicted, part.predicted)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_drawn_is_among_all_and_told_to_be_so(name):
    """Others, with another truth, are told apart as well."""
    rng = np.random.default_rng(0)
    worlds = small_worlds(4)
    for k in range(cases(60) // 3):
        world = worlds[int(rng.integers(len(worlds)))]
        found = DRAWN[name](Draw(world, bool(k % 2), rng, 3))
        every = rows(EVERY[name](world))
        assert found.worlds == (world,) * found.truth.shape[1]
        assert rows(found) <= every
        for i in range(len(found)):
            one = Witnesses(found.truth[i : i + 1], found.predicted[i : i + 1], found.worlds)
            assert one_of_all(name, one)
            other = rng.integers(1, 1 << (world.n - 1), one.truth.shape) << 1
            another = Witnesses(other, one.predicted, one.worlds)
            assert one_of_all(name, another) == (rows(another) <= every)


def test_larger_hierarchies_give_some_too():
    """Of all there would be too many to go through: 2^30 pairs of sets."""
    world = World(((), *((c // 2,) for c in range(15))))
    some = DRAWN["add_right"](Draw(world, True, np.random.default_rng(1), 12))
    assert len(some) == 12
