"""The Wasserstein distance of label sets and of laws: identities, empty sets, forests, evidence."""

import numpy as np
import pytest
from hypothesis import given, settings

from hierpair import BadInput, Hierarchy, Infeasible, LabelDistribution, explain, measure, score
from hierpair.probabilistic import expected, wasserstein_distances
from tests import effort
from tests.scenarios import hierarchy_of, random_parents
from tests.scoring import pooled, values
from tests.strategies import problems

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
DAG = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("a", "d"), ("b", "e")])
FOREST = Hierarchy.from_edges([("r", "a"), ("s", "b")])


@pytest.mark.parametrize("dag", [False, True])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_of_equal_sizes_it_is_the_best_pairing_over_their_size(dag, k):
    rng = np.random.default_rng(k)
    hierarchy = hierarchy_of(random_parents(rng, 25, dag=dag))
    sides = [[rng.choice(25, k, replace=False).tolist() for _ in range(40)] for _ in range(2)]
    found = values("tree_wasserstein", hierarchy, *sides)
    pairing = values("tree_induced_error", hierarchy, *sides)
    assert found == pytest.approx(np.array(pairing) / k, abs=1e-12)


@given(problems(max_classes=8, max_labels=3, instances=6, tree=True, single_root=True))
@settings(max_examples=effort.cases(75), deadline=None)
def test_it_is_a_metric_on_trees(problem):
    hierarchy, _, a, b = problem
    c = [*b[1:], b[0]]

    def w(x, y):
        return np.array(values("tree_wasserstein(default=100)", hierarchy, x, y))

    assert np.array_equal(w(a, b), w(b, a))
    assert (w(a, c) <= w(a, b) + w(b, c) + 1e-12).all()
    for i, zero in enumerate(w(a, b) == 0):
        assert zero == (set(a[i]) == set(b[i]))


def test_empty_sets_have_no_value_or_a_price():
    true, predicted = [[], ["c"], [], ["c"]], [[], [], ["c"], ["d"]]
    found = values("tree_wasserstein", TREE, true, predicted)
    assert found[::3] == [0, 2]
    assert np.isnan(found[1:3]).all()
    assert pooled("tree_wasserstein", TREE, true, predicted) == 1
    assert values("tree_wasserstein", TREE, true, predicted, default=7) == [0, 7, 7, 2]
    assert measure("tree_wasserstein(default=None)") == measure("tree_wasserstein")
    with pytest.raises(BadInput, match="gie: default must be a finite number > 0, got None"):
        measure("gie(default=None)")


def test_masses_of_two_trees_need_a_way():
    with pytest.raises(Infeasible, match="instance 1: some of the mass has no way"):
        values("tree_wasserstein", FOREST, [["a"], ["a", "b"]], [["r"], ["r"]])
    found = score(
        FOREST, [["a"], ["a", "b"]], {"s": [["r"], ["r"]]}, "tree_wasserstein", on_infeasible="nan"
    )
    assert found.values[0, 0] == 1
    # half of the mass goes from r to a, half over both roots and the class above them to b
    assert values("tree_wasserstein", FOREST, [["a", "b"]], [["r"]], default=3) == [0.5 + 0.5 * 7]


@pytest.mark.parametrize("hierarchy", [TREE, DAG])
@pytest.mark.parametrize("cost", ["hops", "wu_palmer"])
def test_what_is_explained_is_what_was_scored(hierarchy, cost):
    rng = np.random.default_rng(4)
    names = list(hierarchy.names)
    sides = [
        [rng.choice(names, int(rng.integers(1, 4)), replace=False).tolist() for _ in range(8)]
        for _ in range(2)
    ]
    scored = values("tree_wasserstein", hierarchy, *sides, cost=cost)
    name = f"tree_wasserstein(cost={cost})"
    for why in explain(hierarchy, *sides, name, instances=range(8)):
        e = why.evidence
        assert why.value == scored[why.instance]
        assert e.optimal
        assert e.bound == pytest.approx(why.value, abs=1e-12)
        for rows in (e.predicted, e.true):
            assert sum(row.units for row in rows) == e.whole
        for i, row in enumerate(e.counted):
            assert sum(m.units for m in e.pairs if i in (m.tail, m.head)) == row.units
        for m in e.pairs:  # what is moved costs what the prices of both classes add up to
            prices = e.counted[m.tail].price + e.counted[m.head].price
            assert m.cost == pytest.approx(prices, abs=1e-9) if m.units else m.cost >= prices - 1e-9


# ------------------------------------------------------------------------------------ laws


def test_a_law_against_a_label_is_the_expected_distance():
    rng = np.random.default_rng(5)
    for dag in (False, True):
        hierarchy = hierarchy_of(random_parents(rng, 15, dag=dag))
        p = rng.dirichlet(np.ones(15), 8)
        law = LabelDistribution.from_leaves(p, hierarchy, classes=list(range(15)))
        labels = [[int(v)] for v in rng.integers(0, 15, 8)]
        found = wasserstein_distances(law, labels)
        want = expected(law, labels, "shortest_path").values
        assert found == pytest.approx(want, abs=1e-12)
        sets = [rng.choice(15, 3, replace=False).tolist() for _ in range(8)]
        even = LabelDistribution.from_scenarios(
            [[(1 / 3, [v]) for v in s] for s in sets], hierarchy
        )
        assert wasserstein_distances(even, sets) == pytest.approx(np.zeros(8), abs=1e-12)
        assert wasserstein_distances(law, even) == pytest.approx(
            wasserstein_distances(law, sets), abs=1e-12
        )
        assert wasserstein_distances(law, even) == pytest.approx(
            wasserstein_distances(even, law), abs=1e-12
        )


def test_laws_that_do_not_fit_are_refused():
    law = LabelDistribution.from_leaves([[1, 0, 0]], TREE)
    other = LabelDistribution.from_leaves([[1.0, 0]], FOREST)
    several = LabelDistribution.from_scenarios([[(1, ["c", "d"])]], TREE)
    nothing = LabelDistribution.from_scenarios({"x": [(0.5, ["c"]), (0.5, [])]}, TREE)
    for wrong, message in (
        (other, "the same hierarchy"),
        (several, "a law is a LabelDistribution over single labels"),
        (nothing, "instance 'x': no label has the probability 0.5"),
        ([["c"], ["d"]], "both sides must have the same instances"),
    ):
        with pytest.raises(BadInput, match=message):
            wasserstein_distances(law, wrong)
    with pytest.raises(BadInput, match="a law is a LabelDistribution"):
        wasserstein_distances([["c"]], law)
    with pytest.raises(BadInput, match="default must be a finite number > 0"):
        wasserstein_distances(law, law, default=-1)
    with pytest.raises(Infeasible, match="instance 0: some of the mass has no way"):
        wasserstein_distances(other, [["b"]])
    assert wasserstein_distances(other, [["b"]], default=2).tolist() == [6]
    assert np.isnan(wasserstein_distances(law, [[]])).all()
    assert wasserstein_distances(law, [[]], default=2).tolist() == [2]
