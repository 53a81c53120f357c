"""The least counterexamples, each of which can be checked by hand."""

import pytest

from hierpair import examine, score
from hierpair.verification.properties import World

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
    smaller = examine(name, properties=stated, scope=max(1, world.n - 2), samples=0)
    if world.n > 2:
        assert smaller[name, stated].n_violated == 0
    if stated != "constant_optimum":  # there the two cells are alike
        assert case.values == pytest.approx((one, other))


def test_what_is_near_by_way_of_the_root_shares_nothing():
    """The least one in a tree, and arguably right: hf has none of the other branch's classes."""
    world = hierarchy("0-1 1-2 2-3 3-4 0-5")
    assert world.distance[1, 4:].tolist() == [3, 2]
    scores = score(world.hierarchy, [[1], [1]], {"s": [[5], [4]]}, "hf")
    assert scores.per_instance["s"].tolist() == [[0], [0.4]]
    trees = examine("hf", properties="distance_order", samples=0)["hf", "distance_order"].by_domain
    assert trees["tree, one label"].n_violated == 2
    few = examine("hf", properties="distance_order", scope=4, samples=0)["hf", "distance_order"]
    assert few.by_domain["tree, one label"].n_violated == 0


def test_a_distance_that_is_no_metric_on_a_dag():
    """From 2 to 3 it is further than by way of 4, which is below both."""
    case = examine("gie", properties="triangle", samples=0)["gie", "triangle"].counterexample
    assert parts(case) == parts(hierarchy("0-1 1-2 0-3 2-4 3-4"))
    assert case.sentence.endswith("is 3 > 2")
