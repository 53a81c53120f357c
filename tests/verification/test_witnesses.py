"""Witnesses of properties: small hierarchies, what is drawn and changed, printed counts, least cases."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from hierpair import examine, measure, pair_measure
from hierpair.measures import Batch
from hierpair.pairing import Degree, Hops, Rule, Unmatched
from hierpair.verification.properties import DOMAINS, PROPERTIES, World, counting
from hierpair.verification.properties.counterexample import _deletions, _without, made_small
from hierpair.verification.properties.counting import PER_WORLD, SHARED
from hierpair.verification.properties.worlds import _first_labelling, random_world, small_worlds

# ----------------------------------------------------------------------------- hierarchies


def graph(world):
    return nx.DiGraph(world.edges) if world.edges else nx.empty_graph(1, nx.DiGraph)


def test_there_are_as_many_small_hierarchies_as_posets_and_trees():
    """Sequences A000112 and A000081 (rooted trees) of the OEIS; no edge follows from others."""
    worlds = [small_worlds(n) for n in range(6)]
    assert [len(found) for found in worlds] == [1, 1, 2, 5, 16, 63]
    assert [sum(world.is_tree for world in found) for found in worlds] == [1, 1, 2, 4, 9, 20]
    for found in worlds[:5]:
        for k, world in enumerate(found):
            assert nx.transitive_reduction(graph(world)).edges == graph(world).edges
            assert not any(nx.is_isomorphic(graph(world), graph(w)) for w in found[:k])


def test_the_numbering_of_a_hierarchy_does_not_matter():
    """Of all numberings with parents before children one is taken, whichever is given."""
    rng = np.random.default_rng(0)
    for world in small_worlds(5):
        orders = [*nx.all_topological_sorts(graph(world))]
        order = orders[rng.integers(len(orders))]
        other = [sorted(order.index(p) for p in world.parents[c]) for c in order]
        assert _first_labelling(tuple(map(tuple, other))) == world.parents


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
            assert not any(one.above[p, q] for above in one.parents for p in above for q in above)


# ----------------------------------------------------------------------------- drawn and changed


@pytest.mark.parametrize("name", PROPERTIES)
def test_what_is_drawn_is_a_witness_and_others_are_not(name):
    """Told from the row alone; each once, never too many, and the same labels before and after."""
    stated = PROPERTIES[name]
    n = n_other = 0
    rng = np.random.default_rng(0)
    plan = counting.WitnessPlan((), (stated,), 0, 6 * PER_WORLD * len(DOMAINS), 0)
    for found in (found for place in plan.places for _, found in plan.witnesses(place)):
        world = found.worlds[0]
        rows = zip(found.truth.tolist(), found.predicted.tolist(), strict=True)
        assert len(found) == len({(*t, *p) for t, p in rows}) <= PER_WORLD * SHARED
        for k in range(min(len(found), 4)):
            one = found.take([k]).assigned
            assert stated.is_witness(world, one)
            ends = {v: (1, world.n) if v.islower() else (2, 1 << world.n) for v in one}
            other = {v: rng.integers(*of, 1) for v, of in ends.items()}
            n, n_other = n + 1, n_other + stated.is_witness(world, other)
            if stated.change is not None:
                check_labels(name, found, k)
    assert n > 0
    if any(v.islower() for v in stated.variables) and name != "renaming":
        assert n_other < n


def check_labels(name, found, row):
    """By their names, but where it is the names that are changed."""
    for k, world in enumerate(found.worlds):
        of = 0 if found.worlds[0] != found.worlds[1] else k % 2
        labels = {*world.labels(int(found.truth[row, k]))}
        old = {*found.worlds[of].labels(int(found.truth[row, of]))}
        if name == "renaming":
            assert len(labels) == len(old)
        elif name != "path_count" or k < 2:
            assert labels == old


def after(name, **assigned):
    """Return the hierarchy after the change of a property, as edges of names."""
    world = World(((), (0,), (1,), (2,), (1,)))
    one = {v: np.array([assigned.get(v, 2)]) for v in PROPERTIES[name].variables}
    (new,) = {w for w in PROPERTIES[name].one(world, one).worlds if w != world}
    names = new.names or range(new.n)
    return {(names[p], names[c]) for p, c in new.edges}


def test_what_changes_a_hierarchy():
    """By hand, on a path of three classes with a leaf beside the second."""
    old = {(0, 1), (1, 2), (2, 3), (1, 4)}
    assert after("alternative_path", f_=0, p=2) == old | {(0, 5), (5, 2)}
    assert after("alternative_path", f_=0, p=3) == old | {(0, 5), (5, 6), (6, 3)}
    assert after("stem_invariance") == old - {(0, 1)} | {(0, 5), (5, 1)}
    assert after("unused_subtree", c=4) == old | {(4, 5)}
    assert after("sibling_count", c=2) == old | {(1, 5)}
    assert after("refinement_below", c=3) == old | {(3, 5)}
    assert after("path_count", u=2) == old - {(1, 2)} | {(1, 5), (5, 2)}
    split = after("refinement_order")
    assert len(split) == 8
    assert {(a, d) for a, b in split for c, d in split if b == c > 4} == old
    assert len(after("renaming", c=1)) == 4


# ----------------------------------------------------------------------------- printed by another program

WITNESSES = {
    "identity": 66_642, "strictness": 62_172, "strict_closed": 52_456, "symmetric": 62_172,
    "bounded": 66_642, "constant_optimum": 62_172, "ancestor_redundancy": 62_934,
    "triangle": 55_770, "add_right": 84_993, "add_right_strict": 52_463, "add_wrong": 14_129,
    "add_wrong_strict": 10_117, "swap_right": 46_187, "silence": 1_019, "nothing_true": 2_235, "partial_credit": 297,
    "near_beats_far": 5, "distance_order": 2_933, "over_graded": 107, "under_graded": 107,
    "over_beats_unrelated": 19, "under_beats_unrelated": 97, "deeper_error_milder": 228,
    "unrelated_constant": 4_864, "specific_hit": 97, "pairing_extra": 6,
}  # fmt: skip
"""How many witnesses all hierarchies with up to five classes have; of the triangle up to four."""


def worlds_of(stated):
    return [world for k in range(1, min(5, stated.scope) + 1) for world in small_worlds(k)]


def test_small_hierarchies_have_as_many_witnesses_as_printed():
    """Counts do not depend on a random generator, so any two programs must agree on them."""
    for name, n in WITNESSES.items():
        stated = PROPERTIES[name]
        found = [one for world in worlds_of(stated) for one in stated.witnesses(world)]
        assert sum(map(len, found)) == n


def as_printed(count):
    """Return a share as the table has it."""
    if not count.n_violated:
        return "0" if count.n else "–"
    share = 100 * count.share
    return "<.1" if share < 0.05 else f"{share:.1f}" if share < 9.95 else f"{share:.0f}"


@pytest.mark.release
@pytest.mark.exhaustive
def test_every_printed_share_of_small_hierarchies_comes_out():
    """To the last printed digit, for 38 measures; one is the rule of the README."""

    @pair_measure()
    def generous(default: float = 4) -> Rule:
        "Every true class may explain two predicted ones."
        sides = Degree("predicted", 1, 1), Degree("true", 1, 2)
        return Rule(Hops(), (*sides, *(Unmatched(s, default) for s in ("predicted", "true"))))

    text = Path(__file__).with_name("printed_shares.tsv").read_text("utf-8")
    (_, *names), *rows = (line.split("\t") for line in text.splitlines()[1:])
    measures = [measure(name) for name in names]
    assert len(measures) == 38
    wrong, n_checked = [], 0
    for name, *shares in (row for row in rows if row[0] in WITNESSES):
        stated, counts = PROPERTIES[name], 0
        for world in worlds_of(stated):
            found = [*stated.witnesses(world)]
            for one, values in zip(found, counting.measured(found, measures), strict=True):
                told = counting.count(stated, one, np.array(values), measures, drawn=False).told
                counts += told[0]
        for m, of_m, share in zip(names, counts.sum(axis=(1, 2)).tolist(), shares, strict=True):
            n_checked += bool(share)
            got = as_printed(counting.WitnessCount(*of_m))
            if share and got.removesuffix(".0") != share.removesuffix(".0"):
                wrong.append((name, m, share, got))
    assert n_checked == 526
    assert not wrong


# ----------------------------------------------------------------------------- least cases

V, STAR3 = "0-1 0-2", "0-1 0-2 0-3"
CASES = [
    # naming the right class costs more than omitting it
    ("gie", "add_right", V, ("1", "12"), ("1", "2"), 5, 2),
    ("mgia", "add_wrong", STAR3, ("12", "1"), ("12", "13"), 0.8, 13 / 15),
    ("gie", "add_wrong", STAR3, ("12", "1"), ("12", "13"), 5, 2),
    ("fnerror", "add_wrong", "0-1 1-2 0-3 0-4", ("13", "2"), ("13", "24"), 4, 3),
    ("lca_f", "add_wrong", "0-1 1-2 1-3 0-4", ("2", "3"), ("2", "34"), 0.5, 4 / 7),
    ("mgia", "silence", V, ("1", ""), ("1", "2"), 0, 0.8),
    ("lca_f", "silence", V, ("1", ""), ("1", "2"), 0, 0.5),
    ("lca_f", "add_right", "0-1 0-2 1-3 2-3 0-4", ("3", "1234"), ("3", "124"), 2 / 3, 0.75),
    # a path without partner counts its shared part as a mistake again
    ("hcm_f", "add_right", "0-1 0-2 1-3 2-3", ("13", "12"), ("13", "2"), 0.5, 2 / 3),
    # both classes above are shared, though the way there and back is longer than that to one
    ("hf", "distance_order", "0-1 0-2 1-3 2-3 1-4 2-4", ("3", "1"), ("3", "4"), 0.5, 2 / 3),
    ("symmetric_difference", "near_beats_far", "0-1 0-2 2-3 1-4 3-4 1-5", ("5", "4"), ("5", "3"), 4, 4),
    # no true negatives: 0/0
    ("hcm_mcc", "constant_optimum", "0-1 1-2", ("1", "1"), ("2", "2"), 1, 0),
]  # fmt: skip


def hierarchy(text):
    """Return the world of a text such as ``"0-1 1-2"``."""
    edges = [tuple(map(int, edge.split("-"))) for edge in text.split()]
    n = max(c for _, c in edges) + 1
    return World(tuple(tuple(p for p, c in edges if c == k) for k in range(n)))


def parts(case):
    """Return the hierarchy of a case without its numbering: how many are above and below each."""
    above = case.above if isinstance(case, World) else case.cells[0].world.above
    return sorted(zip(above.sum(axis=0).tolist(), above.sum(axis=1).tolist(), strict=True))


@pytest.mark.parametrize(("name", "stated", "edges", "first", "second", "one", "other"), CASES)
def test_the_least_counterexample_is_found(name, stated, edges, first, second, one, other):
    """As many classes and labels as the one that was found by hand, and the same values."""
    world = hierarchy(edges)
    outcome = examine(name, properties=stated, scope=world.n - 1, samples=0)[name, stated]
    case = outcome.counterexample
    assert parts(case) == parts(world)
    sides = [(len(cell.truth), len(cell.predicted)) for cell in case.cells]
    assert sides == [tuple(map(len, cell)) for cell in (first, second)]
    assert sorted(case.values) == pytest.approx(sorted((one, other)))
    smaller = examine(name, properties=stated, scope=world.n - 2, samples=0)
    assert smaller[name, stated].n_violated == 0
    if stated != "constant_optimum":  # there the two cells are alike
        assert case.values == pytest.approx((one, other))


SMALL = {"flood": "hf", "pairing_crowd": "lca_f", "path_count": "gie", "stem_invariance": "hf"}


def violated(name, m, world, one):
    """Return the values of a witness, cell by cell, if it violates the property, else None."""
    stated = PROPERTIES[name]
    if not stated.is_witness(world, one):
        return None
    w, values = stated.one(world, one), []
    for x, t, p in zip(w.worlds, w.truth.T, w.predicted.T, strict=True):
        columns = Batch(x.hierarchy, x.label_sets(t), x.label_sets(p)).columns(m.recipe)
        values.append(float(m.values(columns)[0]))
    return None if stated.holds(np.array([values]), [m])[0] else values


@pytest.mark.parametrize("name", SMALL)
def test_what_is_made_small_still_violates_and_nothing_more_can_be_deleted(name):
    """Every single deletion makes it another thing or lets the property hold."""
    m = measure(SMALL[name])
    found = examine(m, properties=name, scope=0, samples=96)[m, name]
    least = made_small(PROPERTIES[name], m, found.least)
    world, one = least.witness.worlds[0], least.witness.assigned
    assert found.counterexample.values == pytest.approx(least.values)
    assert violated(name, m, world, one) == pytest.approx(least.values)
    for deletion in _deletions(world, one):
        assert violated(name, m, *_without(world, one, *deletion)) is None
    assert world.n <= found.least.witness.worlds[0].n
    if name == "pairing_crowd":  # the case of the literature: 0→1→2,3,4 and 0→5→6
        assert sorted(world.depth.tolist()) == [0, 1, 1, 2, 2, 2, 2]
