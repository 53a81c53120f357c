"""What a row says: random witnesses, what is changed, and what a case is made small to."""

import numpy as np
import pytest

from hierpair import examine, measure
from hierpair.measures import Batch
from hierpair.verification.properties import DOMAINS, PROPERTIES, World
from hierpair.verification.properties.counterexample import _deletions, _without, made_small
from hierpair.verification.properties.counting import PER_WORLD, SHARED, Plan
from hierpair.verification.properties.worlds import random_world

NAMES = list(PROPERTIES)
CHANGED = [name for name in NAMES if PROPERTIES[name].change is not None]


def drawn(name, n, seed=0):
    """Return what is drawn of a property from so many hierarchies of every kind."""
    plan = Plan((), (PROPERTIES[name],), 0, n * PER_WORLD * len(DOMAINS), seed)
    return [found for place in plan.places for _, found in plan.witnesses(place)]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_drawn_is_a_witness_and_others_are_not(name):
    """Told from the row alone; each witness once, and never too many."""
    n = n_other = 0
    rng = np.random.default_rng(0)
    for found in drawn(name, 12):
        world = found.worlds[0]
        cells = {
            (*t, *p) for t, p in zip(found.truth.tolist(), found.predicted.tolist(), strict=True)
        }
        assert len(found) == len(cells) <= PER_WORLD * SHARED
        for k in range(min(len(found), 4)):
            one = found.take([k]).assigned
            assert PROPERTIES[name].is_witness(world, one)
            other = {
                v: rng.integers(1, world.n, 1) if v.islower() else rng.integers(2, 1 << world.n, 1)
                for v in one
            }
            n, n_other = n + 1, n_other + PROPERTIES[name].is_witness(world, other)
    assert n > 0
    if any(v.islower() for v in PROPERTIES[name].variables) and name != "renaming":
        assert n_other < n


@pytest.mark.parametrize("dag", [False, True])
def test_random_hierarchies_say_nothing_twice_also_without_a_class(dag):
    """Every parent of a class is above it by this edge alone, and what is above does not change."""
    rng = np.random.default_rng(0)
    worlds = [random_world(rng, dag=dag) for _ in range(100)]
    assert {world.n for world in worlds} == set(range(4, 17))
    assert any(not world.is_tree for world in worlds) == dag
    for world in worlds:
        c = int(rng.integers(1, world.n))
        less, kept = world.without(c), np.delete(np.arange(world.n), c)
        assert np.array_equal(less.above, world.above[np.ix_(kept, kept)])
        for one in (world, less):
            for above in one.parents:
                assert not any(one.above[p, q] for p in above for q in above)


def test_as_many_hierarchies_as_the_witnesses_need():
    """12 witnesses in each, in four kinds of them."""
    for n, wanted in ((0, 0), (1, 4), (48, 4), (49, 8), (2400, 200)):
        assert len(Plan((), (), 0, n, 0).places) == wanted


def after(name, world, **assigned):
    """Return the hierarchy after the change of a property, as edges of names."""
    one = {v: np.array([assigned.get(v, 2)]) for v in PROPERTIES[name].variables}
    (new,) = {w for w in PROPERTIES[name].one(world, one).worlds if w != world}
    names = new.names or range(new.n)
    return {(names[p], names[c]) for p, c in new.edges}


def test_what_changes_a_hierarchy():
    """By hand, on a path of three classes with a leaf beside the second."""
    world = World(((), (0,), (1,), (2,), (1,)))
    old = {(0, 1), (1, 2), (2, 3), (1, 4)}
    assert after("alternative_path", world, f_=0, p=2) == old | {(0, 5), (5, 2)}
    assert after("alternative_path", world, f_=0, p=3) == old | {(0, 5), (5, 6), (6, 3)}
    assert after("stem_invariance", world) == old - {(0, 1)} | {(0, 5), (5, 1)}
    assert after("unused_subtree", world, c=4) == old | {(4, 5)}
    assert after("sibling_count", world, c=2) == old | {(1, 5)}
    assert after("refinement_below", world, c=3) == old | {(3, 5)}
    assert after("path_count", world, u=2) == old - {(1, 2)} | {(1, 5), (5, 2)}
    split = after("refinement_order", world)
    assert len(split) == 8
    assert {(a, d) for a, b in split for c, d in split if b == c > 4} == old
    assert len(after("renaming", world, c=1)) == 4


@pytest.mark.parametrize("name", CHANGED)
def test_the_same_labels_before_and_after(name):
    """By their names, but where it is the names that are changed."""
    for found in drawn(name, 2):
        for k, world in enumerate(found.worlds):
            of = 0 if found.worlds[0] != found.worlds[1] else k % 2
            for row in range(len(found)):
                labels = {*world.labels(int(found.truth[row, k]))}
                old = {*found.worlds[of].labels(int(found.truth[row, of]))}
                if name == "renaming":
                    assert len(labels) == len(old)
                elif name != "path_count" or k < 2:
                    assert labels == old


SMALL = {
    "flood": "hf", "pairing_fig12": "hf", "pairing_shared": "mgia", "pairing_crowd": "lca_f",
    "long_distance": "symmetric_difference", "alternative_path": "hf", "path_count": "gie",
    "two_near_beat_one_far": "all_pairs", "long_distance_4": "gie", "stem_invariance": "hf",
    "sibling_count": "descendant_f", "refinement_below": "h_loss", "refinement_order": "gie",
}  # fmt: skip


def violated(name, m, world, one):
    """Return the values of a witness, cell by cell, if it violates the property, else None."""
    stated = PROPERTIES[name]
    if not stated.is_witness(world, one):
        return None
    w = stated.one(world, one)
    values = tuple(
        float(m.values(Batch(x.hierarchy, x.label_sets(t), x.label_sets(p)).columns(m.recipe))[0])
        for x, t, p in zip(w.worlds, w.truth.T, w.predicted.T, strict=True)
    )
    return None if stated.holds(np.array([values]), [m])[0] else values


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SMALL)
def test_what_is_made_small_still_violates_and_nothing_more_can_be_deleted(name):
    """Every single deletion makes it another thing or lets the property hold."""
    m = measure(SMALL[name])
    found = examine(m, properties=name, scope=0, samples=1200)[m, name].least
    least = made_small(PROPERTIES[name], m, found)
    world, one = least.witness.worlds[0], least.witness.assigned
    assert violated(name, m, world, one) == pytest.approx(least.values)
    for deletion in _deletions(world, one):
        assert violated(name, m, *_without(world, one, *deletion)) is None
    assert world.n <= found.witness.worlds[0].n
    if name == "pairing_crowd":  # the case of the literature: 0→1→2,3,4 and 0→5→6
        assert sorted(world.depth.tolist()) == [0, 1, 1, 2, 2, 2, 2]
