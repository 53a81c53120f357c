"""Measures that are sums over classes are decoded class by class: all closed sets are tried."""

import numpy as np
import pytest

from hierpair import BadInput, LabelDistribution, NodeScores
from hierpair.hierarchy import Hierarchy
from hierpair.measures.class_weights import class_weights
from hierpair.probabilistic import DECODERS, decode, decoder
from tests import effort
from tests.oracles.distributions import closed, closed_sets
from tests.oracles.weighted_sets import tp_fp_fn
from tests.scenarios import distribution_of, hierarchy_of, names, random_parents, random_scenarios

RANDOM = effort.cases(60)
FORMULAS = {
    "icm": lambda tp, fp, fn: tp - fp - fn,
    "sdl": lambda tp, fp, fn: fp + fn,
    "ru": lambda tp, fp, fn: fn,
    "mi": lambda tp, fp, fn: fp,
}


def cases(seed, **options):
    for k in range(RANDOM):
        rng = np.random.default_rng([seed, k])
        parents = random_parents(rng, int(rng.integers(2, 7)), dag=k % 3 == 0, forest=k % 3 == 1)
        scenarios = random_scenarios(rng, parents, several=bool(k % 2), **options)
        yield rng, parents, hierarchy_of(parents), scenarios


@pytest.mark.random_cases
@pytest.mark.parametrize("name", FORMULAS)
def test_the_best_set_is_found_class_by_class(name):
    sign = 1 if name == "icm" else -1
    for rng, parents, hierarchy, scenarios in cases(3):
        distribution = distribution_of([scenarios], hierarchy)
        reference = [[int(v)] for v in rng.choice(list(parents), 6)]
        weights = {v: float(rng.choice([0.0, 0.3, 1.0, 2.5])) for v in parents}
        how = {"reference": reference} if name == "icm" else {"weights": weights, "root": "include"}
        if name == "icm":
            array = class_weights(hierarchy, "icm", reference=reference).tolist()
            weights = dict(zip(hierarchy.names, array, strict=True))
        found = decode(distribution, name, **how)
        full = [(float(p), closed(parents, labels)) for p, labels in scenarios]

        def value(s, full=full, weights=weights):
            return sum(p * FORMULAS[name](*tp_fp_fn(weights, y, s)) for p, y in full)

        best = max(sign * value(s) for s in closed_sets(parents))
        got = closed(parents, names(found.sets, hierarchy))
        assert got == names(found.sets, hierarchy)  # it is closed
        assert sign * value(got) == pytest.approx(best, abs=1e-9)
        assert found.value[0] == pytest.approx(sign * best, abs=1e-9)
        assert found.is_exact
        assert found.certificate.method == "class by class"


def test_classes_with_more_than_a_third_are_best_for_icm():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("r", "c"), ("a", "d")])
    marginals = dict(zip("rabcd", [1, 0.5, 0.33, 0.1, 0.34], strict=True))
    scores = NodeScores.from_array([[marginals[c] for c in tree.names]], tree)
    best = decode(scores, "icm", reference=[["d"], ["b"], ["c"], ["a"]])
    assert best.sets.names_of(0, tree) == ["r", "a", "d"]


def test_weights_make_other_decoders_inexact():
    """Decoders that count classes are not asked where these weigh."""
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    distribution = LabelDistribution.from_leaves([[0.3, 0.4, 0.3]], tree)
    weights = {"r": 0, "a": 1, "b": 5, "c": 2, "d": 3}
    found = decode(distribution, "semantic_distance(average=samples)", weights=weights)
    assert not found.is_exact
    before = len(DECODERS)
    try:
        decoder(lambda task: task.formula == "simgic")(lambda task: pytest.fail("was asked"))
        decode(distribution, "simgic", weights=weights)
    finally:
        del DECODERS[before:]


@pytest.mark.random_cases
def test_simgic_is_exact_where_all_weigh_one_and_else_the_best_candidate():
    for k, (rng, parents, hierarchy, scenarios) in enumerate(cases(11)):
        distribution = distribution_of([scenarios], hierarchy)
        given = {v: float(rng.choice([0.3, 1.0, 2.5])) for v in parents}
        weights = given if k % 2 else dict.fromkeys(parents, 1.0)
        full = [(p, closed(parents, labels)) for p, labels in scenarios]

        def value(s, full=full, weights=weights):
            parts = [(p, tp_fp_fn(weights, y, s)) for p, y in full]
            return sum(float(p) * (x[0] / sum(x) if sum(x) else 1) for p, x in parts)

        how = {"weights": weights} if k % 2 else {}
        found = decode(distribution, "simgic", root="include", **how)
        best = max(map(value, closed_sets(parents)))
        got = closed(parents, names(found.sets, hierarchy))
        assert found.value[0] == pytest.approx(value(got), abs=1e-9)
        assert found.value[0] <= best + 1e-9
        assert found.is_exact == (k % 2 == 0 or found.value[0] > 1 - 1e-12)
        if k % 2 == 0:
            assert found.value[0] == pytest.approx(best, abs=1e-9)


def test_what_is_counted_from_the_truth_needs_a_reference():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    distribution = LabelDistribution.from_leaves([[0.3, 0.7]], tree)
    with pytest.raises(BadInput, match="reference='FILE'"):
        decode(distribution, "icm")
    for name in ("ru", "hf"):
        with pytest.raises(BadInput, match="instance 0: class 'b' has no finite weight"):
            decode(distribution, f"{name}(weights=ia, smooth=0)", reference=[["a"]])
