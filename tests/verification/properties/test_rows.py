"""What a row says: all its witnesses in small hierarchies, some in random ones, what is changed."""

import numpy as np
import pytest

from hierpair import measure
from hierpair.measures import Batch
from hierpair.verification.properties import DOMAINS, PROPERTIES, World
from hierpair.verification.properties.counterexample import _deletions, _without, made_small
from hierpair.verification.properties.counting import PER_WORLD, SHARED, Found, Plan
from hierpair.verification.properties.statement import Draw
from hierpair.verification.properties.worlds import label_sets, random_world, small_worlds
from tests.effort import cases

NAMES = list(PROPERTIES)
CHANGED = [name for name in NAMES if PROPERTIES[name].change is not None]


def drawn(name, n, seed=0):
    """Return what is drawn of a property from so many hierarchies of every kind."""
    plan = Plan((), (PROPERTIES[name],), 0, n * PER_WORLD * len(DOMAINS), seed)
    return [found for place in plan.places for _, found in plan.witnesses(place)]


def rows(found):
    """Return witnesses as a set of their cells."""
    cells = zip(found.truth.tolist(), found.predicted.tolist(), strict=True)
    return {(found.worlds, *t, *p) for t, p in cells}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_drawn_is_among_all(name):
    """In hierarchies that are small enough to go through all."""
    rng, stated = np.random.default_rng(0), PROPERTIES[name]
    for world in [random_world(rng, dag=bool(k % 2)) for k in range(cases(30) // 5)]:
        if world.n > 6:
            continue
        sets = label_sets(rng, world, 5, several=True)
        for some in stated.witnesses(world, Draw(sets, rng, 10)):
            assert rows(some) <= set().union(*map(rows, stated.witnesses(world)))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_drawn_is_a_witness_and_others_are_not(name):
    """Told from the row alone; each witness once, and never too many."""
    n = n_other = 0
    rng = np.random.default_rng(0)
    for found in drawn(name, cases(20) // 5):
        assert len(found) == len(rows(found)) <= PER_WORLD * SHARED
        world = found.worlds[0]
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


def same(one, other):
    """Whether two results of drawing are the same witnesses."""
    return one.worlds == other.worlds and np.array_equal(one.predicted, other.predicted)


@pytest.mark.exhaustive
def test_witnesses_do_not_depend_on_what_else_is_drawn():
    """Each property alone, and all together; another seed gives others."""
    plan = Plan((), tuple(PROPERTIES.values()), 0, 96, 5)
    whole = {}
    for place in plan.places:
        for stated, found in plan.witnesses(place):
            whole.setdefault(stated.name, []).append(found)
    for name in NAMES:
        alone = drawn(name, 2, seed=5)
        assert all(map(same, alone, whole.get(name, [])))
        assert len(alone) == len(whole.get(name, []))
    assert not all(map(same, whole["add_right"], drawn("add_right", 2, seed=6)))


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
            old = found.worlds[of]
            for row in range(len(found)):
                labels = world.labels(int(found.truth[row, k]))
                if name == "renaming":
                    assert len(labels) == len(old.labels(int(found.truth[row, of])))
                elif name != "path_count" or k < 2:
                    assert {*labels} == {*old.labels(int(found.truth[row, of]))}


SMALL = (
    ("flood", "hf"),
    ("pairing_fig12", "hf"),
    ("pairing_shared", "mgia"),
    ("long_distance", "symmetric_difference"),
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


def violated(name, m, world, one):
    """Return the values of a witness if it violates the property, else None."""
    stated = PROPERTIES[name]
    if not stated.is_witness(world, one):
        return None
    w = stated.one(world, one)
    values = tuple(
        float(m.values(Batch(x.hierarchy, x.label_sets(t), x.label_sets(p)).columns(m.recipe))[0])
        for x, t, p in zip(w.worlds, w.truth.T, w.predicted.T, strict=True)
    )
    return None if stated.holds(np.array([values]), [m])[0] else values


def first_violation(name, m):
    """Return the first random violation."""
    for found in drawn(name, 50):
        for k in range(len(found)):
            one = found.take([k])
            values = violated(name, m, one.worlds[0], one.assigned)
            if values is not None:
                return Found((1, 0, 0), one, values)
    raise AssertionError(f"no violation of {name} by {m}")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "text"), SMALL)
def test_what_is_made_small_still_violates_and_nothing_more_can_be_deleted(name, text):
    """Every single deletion makes it another thing or lets the property hold."""
    m = measure(text)
    found = first_violation(name, m)
    least = made_small(PROPERTIES[name], m, found)
    world, one = least.witness.worlds[0], least.witness.assigned
    assert violated(name, m, world, one) == pytest.approx(least.values)
    for deletion in _deletions(world, one):
        assert violated(name, m, *_without(world, one, *deletion)) is None
    assert world.n <= found.witness.worlds[0].n


@pytest.mark.exhaustive
def test_the_least_case_of_two_near_misses_that_lose_to_nonsense():
    """The case of the literature comes out: 0→1→2,3,4 and 0→5→6, whatever it was drawn from."""
    m = measure("lca_f")
    least = made_small(PROPERTIES["pairing_crowd"], m, first_violation("pairing_crowd", m))
    (world,) = set(least.witness.worlds)
    assert sorted(world.depth.tolist()) == [0, 1, 1, 2, 2, 2, 2]


def test_a_class_is_deleted_without_a_change_of_what_is_above_the_others():
    """Nor does an edge remain that says nothing new."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        world = random_world(rng, dag=True)
        c = int(rng.integers(1, world.n))
        less = world.without(c)
        kept = np.delete(np.arange(world.n), c)
        assert np.array_equal(less.above, world.above[np.ix_(kept, kept)])
        for above in less.parents:
            assert not any(less.above[p, q] for p in above for q in above)


@pytest.mark.parametrize("name", ["near_beats_far", "deeper_error_milder"])
def test_rows_join_condition_by_condition(name):
    """The same as all values at once, by brute force."""
    stated = PROPERTIES[name]
    for world in small_worlds(5)[::9]:
        grid = np.meshgrid(*[world.classes] * len(stated.variables), indexing="ij")
        values = {v: x.ravel() for v, x in zip(stated.variables, grid, strict=True)}
        kept = [
            stated.is_witness(world, {v: x[[k]] for v, x in values.items()})
            for k in range(grid[0].size)
        ]
        found = stated.assigned(world, dict.fromkeys(stated.variables, world.classes))
        for v in stated.variables:
            assert np.array_equal(found[v], values[v][kept])
