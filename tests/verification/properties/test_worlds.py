"""Random hierarchies and witnesses depend on seed, property, kind and number, and on nothing else."""

import numpy as np
import pytest

from hierpair.verification.properties import DRAWN, PROPERTIES
from hierpair.verification.properties.still_witness import OF_DRAWN
from hierpair.verification.properties.worlds import PER_WORLD, draws, n_worlds, random_world
from tests.effort import cases

NAMES = [name for name in PROPERTIES if name in DRAWN]


@pytest.mark.parametrize("dag", [False, True])
def test_random_hierarchies_say_nothing_twice_and_have_three_to_fifteen_classes(dag):
    """Every parent of a class is above it by this edge alone."""
    rng = np.random.default_rng(0)
    worlds = [random_world(rng, dag=dag) for _ in range(100)]
    assert {world.n for world in worlds} == set(range(4, 17))
    assert any(not world.is_tree for world in worlds) == dag
    for world in worlds:
        for above in world.parents:
            assert not any(world.above[p, q] for p in above for q in above)


def same(one, other):
    """Whether two results of drawing are the same witnesses."""
    if one is None or other is None:
        return one is other
    return one.worlds == other.worlds and all(
        np.array_equal(getattr(one, side), getattr(other, side)) for side in ("truth", "predicted")
    )


def test_witnesses_do_not_depend_on_what_else_is_drawn():
    """Each property alone, in reverse order, and all together, over all kinds of worlds."""
    for kind in range(4):
        for number in range(cases(20) // 15):
            whole = {name: DRAWN[name](d) for name, d in draws(5, NAMES, kind, number).items()}
            for name in reversed(NAMES):
                alone = draws(5, [name], kind, number)[name]
                assert same(whole[name], DRAWN[name](alone)), name


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_hierarchy_gives_witnesses_and_never_too_many(name):
    """Each seed gives others, each of them once."""
    found = [
        [DRAWN[name](draws(seed, [name], kind, k)[name]) for kind in range(4) for k in range(3)]
        for seed in (0, 1)
    ]
    assert not all(map(same, *found))
    assert sum(len(one) for one in found[0] if one is not None) >= PER_WORLD
    for kind in range(4):
        some = [one for one in found[0][3 * kind : 3 * kind + 3] if one is not None]
        assert sum(map(len, some)) >= (PER_WORLD if name in OF_DRAWN else 0)
        for one in some:
            assert len(one) <= PER_WORLD
            assert len(np.unique(np.hstack([one.truth, one.predicted]), axis=0)) == len(one)


def test_as_many_hierarchies_as_the_witnesses_need():
    """12 witnesses in each, in four kinds of worlds."""
    assert [n_worlds(n) for n in (0, 1, 48, 49, 2400)] == [0, 1, 1, 2, 50]
