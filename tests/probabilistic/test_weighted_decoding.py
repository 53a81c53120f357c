"""Measures that are sums over classes are decoded class by class: all closed sets are tried."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hierpair import BadInput, LabelDistribution
from hierpair.hierarchy import Hierarchy
from hierpair.measures.class_weights import class_weights
from hierpair.probabilistic import DECODERS, decode, decoder, expected
from hierpair.probabilistic.decoding import weighted_sets
from tests import effort
from tests.oracles.distributions import closed, closed_sets
from tests.oracles.weighted_sets import tp_fp_fn
from tests.scenarios import distribution_of, hierarchy_of, names, random_parents, random_scenarios

RANDOM = effort.cases(60)
FORMULAS = {
    "icm": lambda tp, fp, fn: tp - fp - fn,
    "symmetric_difference": lambda tp, fp, fn: fp + fn,
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


# ------------------------------------------------------------------------------- search

SEARCHED = {
    "hf": lambda tp, fp, fn, aside: 2 * tp / (2 * tp + fp + fn),
    "hf(beta=2)": lambda tp, fp, fn, aside: 5 * tp / (5 * tp + 4 * fn + fp),
    "hf(beta=0)": lambda tp, fp, fn, aside: tp / (tp + fp) if tp + fp else aside,
    "hp": lambda tp, fp, fn, aside: tp / (tp + fp) if tp + fp else aside,
    "hr": lambda tp, fp, fn, aside: tp / (tp + fn) if tp + fn else aside,
    "simgic": lambda tp, fp, fn, aside: tp / (tp + fp + fn),
}


@pytest.mark.random_cases
@pytest.mark.parametrize("name", SEARCHED)
def test_the_best_weighted_set_is_searched_for(name):
    """Against all closed sets, on trees, forests and DAGs; the certificate is the value."""
    for k, (rng, parents, hierarchy, known) in enumerate(cases(11)):
        share = Fraction(k % 4 == 0, 5)  # nothing may be true
        scenarios = [(p * (1 - share), labels) for p, labels in known] + [(share, [])]
        distribution = distribution_of([scenarios], hierarchy)
        weights = {v: float(rng.choice([0.0, 0.3, 1.0, 2.5, rng.random()])) for v in parents}
        aside = k % 2
        how = {} if name == "simgic" else {"zero_division": aside}
        found = decode(distribution, name, weights=weights, root="include", **how)
        full = [(float(p), closed(parents, labels)) for p, labels in scenarios]

        def value(s, full=full, weights=weights, aside=aside):
            parts = [(p, tp_fp_fn(weights, y, s)) for p, y in full]
            return sum(p * (SEARCHED[name](*x, aside) if sum(x) else 1) for p, x in parts)

        got = names(found.sets, hierarchy)
        assert closed(parents, got) == got
        assert value(got) == pytest.approx(max(map(value, closed_sets(parents))), abs=1e-9)
        assert found.value[0] == pytest.approx(value(got), abs=1e-9)
        assert found.is_exact
        assert found.certificate.bound.tolist() == found.value.tolist()


@pytest.mark.random_cases
def test_where_all_weigh_the_same_the_search_finds_what_counting_finds():
    for rng, _, hierarchy, scenarios in cases(12):
        distribution = distribution_of([scenarios], hierarchy)
        scale = float(rng.choice([0.3, 1.0, 7.0]))
        for augment in ("ancestors", "none"):
            for root in ("include", "exclude"):
                how = {"augment": augment, "root": root}
                plain = decode(distribution, "hf", **how)
                weighed = decode(
                    distribution, "hf", weights=dict.fromkeys(hierarchy.names, scale), **how
                )
                assert weighed.is_exact
                assert weighed.value[0] == pytest.approx(plain.value[0], abs=1e-9)


def test_the_search_decides_large_hierarchies():
    """A hundred classes with weights that no grid holds; the bound is the value."""
    rng = np.random.default_rng(5)
    edges = [(max(0, (i - 1) // 3), i) for i in range(1, 100)]
    tree = Hierarchy.from_edges(edges)
    weights = dict(zip(tree.names, rng.gamma(1, 1, 100), strict=True))
    scenarios = [
        (p, [int(c)]) for p, c in zip(rng.dirichlet([1] * 30), range(70, 100), strict=True)
    ]
    distribution = LabelDistribution.from_scenarios([scenarios], tree)
    for name in ("hf", "simgic"):
        found = decode(distribution, name, weights=weights)
        assert found.is_exact
        assert found.certificate.method == "branch and bound over weights and classes"
        sets = replace(found.sets, ids=distribution.ids)
        mean = expected(distribution, sets, name, weights=weights).values[0]
        assert found.value[0] == pytest.approx(mean, abs=1e-12)


def test_a_search_that_is_stopped_says_how_much_better_another_set_could_be(monkeypatch):
    star = Hierarchy.from_edges([("r", c) for c in "abcdefghijkl"])
    distribution = LabelDistribution.from_leaves([np.full(12, 1 / 12)], star)
    monkeypatch.setattr(weighted_sets, "MOST_PARTS", 20)
    found = decode(distribution, "simgic", weights=dict.fromkeys("rabcdefghijkl", 2.0))  # all tie
    assert not found.is_exact
    assert found.value[0] == pytest.approx(1 / 12)
    assert 1 / 12 < found.certificate.bound[0] < 0.12
    assert found.certificate.method.endswith("stopped before the end")


def test_what_is_counted_from_the_truth_needs_a_reference():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    distribution = LabelDistribution.from_leaves([[0.3, 0.7]], tree)
    with pytest.raises(BadInput, match="reference='FILE'"):
        decode(distribution, "icm")
    for name in ("ru", "hf"):
        with pytest.raises(BadInput, match="instance 0: class 'b' has no finite weight"):
            decode(distribution, f"{name}(weights=ia, smooth=0)", reference=[["a"]])
