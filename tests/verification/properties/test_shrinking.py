"""Counterexamples are made as small as they can be, and stay counterexamples."""

import numpy as np
import pytest

from hierpair.measures import Batch, measure
from hierpair.verification.properties import DRAWN, PROPERTIES, Witnesses, World
from hierpair.verification.properties.shrinking import deletions, shrunk, without_class
from hierpair.verification.properties.still_witness import still
from hierpair.verification.properties.worlds import draws, random_world

CASES = (
    ("flood", "hf"),
    ("pairing_fig12", "hf"),
    ("pairing_shared", "mgia"),
    ("long_distance", "sdl"),
    ("alternative_path", "hf"),
    ("path_count", "gie"),
    ("stem_invariance", "hf"),
    ("refinement_below", "h_loss"),
    *(
        pytest.param(*case, marks=pytest.mark.exhaustive)
        for case in (
            ("flood", "recall"),
            ("pairing_crowd", "lca_f"),
            ("two_near_beat_one_far", "all_pairs"),
            ("long_distance_4", "gie"),
            ("sibling_count", "descendant_f"),
            ("refinement_order", "gie"),
        )
    ),
)


def fails(name, m, one):
    """Whether this is a witness that violates the property."""
    if not still(name, one):
        return False
    sides = zip(one.worlds, one.truth.T, one.predicted.T, strict=True)
    values = [
        float(m.values(Batch(w.hierarchy, w.label_sets(t), w.label_sets(p)).columns(m.recipe))[0])
        for w, t, p in sides
    ]
    turned = np.array([values]) * (1 if m.higher_is_better else -1)
    return not PROPERTIES[name].rule.holds(turned)[0]


def violation(name, m):
    """Return the first random violation."""
    for k in range(200):
        one = DRAWN[name](draws(0, [name], k % 4, k // 4)[name])
        for i in range(0 if one is None else len(one)):
            row = Witnesses(one.truth[i : i + 1], one.predicted[i : i + 1], one.worlds)
            if fails(name, m, row):
                return row
    raise AssertionError(f"no violation of {name} by {m}")


@pytest.mark.parametrize(("name", "measured"), CASES)
def test_what_is_made_small_still_violates_and_nothing_more_can_be_deleted(name, measured):
    """Every single deletion makes it another thing or lets the property hold."""
    m = measure(measured)
    found = violation(name, m)
    least = shrunk(found, lambda one: fails(name, m, one))
    assert fails(name, m, least)
    assert not any(fails(name, m, less()) for less in deletions(least))
    assert max(w.n for w in least.worlds) <= max(w.n for w in found.worlds)


def test_the_least_case_of_two_near_misses_that_lose_to_nonsense():
    """The case of the literature comes out: 0→1→2,3,4 and 0→5→6, whatever it was drawn from."""
    m = measure("lca_f")
    least = shrunk(violation("pairing_crowd", m), lambda one: fails("pairing_crowd", m, one))
    (world,) = set(least.worlds)
    assert sorted(world.depth.tolist()) == [0, 1, 1, 2, 2, 2, 2]
    assert world.n == 7


def test_a_class_is_deleted_without_a_change_of_what_is_above_the_others():
    """Nor does an edge remain that says nothing new."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        world = random_world(rng, dag=True)
        c = int(rng.integers(1, world.n))
        less = without_class(world, c)
        assert less.names == tuple(k for k in range(world.n) if k != c)
        kept = np.array(less.names)
        assert np.array_equal(less.above, world.above[np.ix_(kept, kept)])
        for above in less.parents:
            assert not any(less.above[p, q] for p in above for q in above)


def test_classes_before_and_after_a_change_keep_their_names():
    """The new way of length two is 0, 3, 2 where the old one is 0, 1, 2."""
    before, after = World(((), (0,), (1,))), World(((), (0,), (0,), (1, 2)), (0, 1, 7, 2))
    one = Witnesses(np.array([[2, 2]]), np.array([[4, 8]]), (before, after))
    assert still("alternative_path", one)
    least = shrunk(one, lambda w: still("alternative_path", w))
    assert [w.names for w in least.worlds] == [(), (0, 1, 3, 2)]
