"""Pairing a data set at once: its total, pairs, quotas, and what refuses such rules."""

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Degree,
    Hierarchy,
    Hops,
    LabelDistribution,
    Quota,
    Rule,
    Unmatched,
    explain,
    measure,
    pair_data_set,
    pair_measure,
    score,
)
from hierpair.evaluation import partial
from hierpair.measures import REGISTRY, PairRecipe
from hierpair.probabilistic.decoding.pairings import decode_pairing

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("a", "y"), ("b", "z")])
SIDES = tuple(c for s in ("predicted", "true") for c in (Degree(s, 1, 1), Unmatched(s, 3)))


def sets(rng, n):
    names = np.array(["a", "b", "x", "y", "z"])
    return [names[rng.random(5) < 0.4].tolist() for _ in range(n)]


def test_without_quotas_it_is_the_sum_over_the_instances():
    rng = np.random.default_rng(1)
    truth, prediction = sets(rng, 30), sets(rng, 30)
    found = pair_data_set(Rule(Hops(), SIDES), TREE, truth, prediction)
    alone = [
        pair_data_set(Rule(Hops(), SIDES), TREE, [t], [p])
        for t, p in zip(truth, prediction, strict=True)
    ]
    assert found.cost == found.bound == sum(one.cost for one in alone)
    assert found.optimal
    assert found.quotas == ()


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(5))
def test_the_price_of_a_quota_bounds_what_a_pair_more_or_less_is_worth(seed):
    rng = np.random.default_rng(seed)
    truth, prediction = sets(rng, 12), sets(rng, 12)

    def solved(quota):
        return pair_data_set(Rule(Hops(), (*SIDES, quota)), TREE, truth, prediction)

    totals = [solved(Quota(upper=k)) for k in range(0, 25)]
    costs = [x.cost for x in totals]
    for k in range(1, 24):
        [row] = totals[k].quotas
        assert costs[k] - costs[k + 1] <= row.price <= costs[k - 1] - costs[k]
        assert row.units <= k
    most = totals[24].quotas[0].units  # as many as are worth their cost; more are asked for
    priced = Rule(lambda pairs: pairs.distance + 9, (*SIDES, Quota(lower=most - 1)))
    least = pair_data_set(priced, TREE, truth, prediction)
    assert least.quotas[0].units == most - 1
    assert least.quotas[0].price < 0
    every = solved(Quota("predicted", upper=2))
    assert {row.says for row in every.quotas} == {
        f"the predicted class {c!r} in all instances" for row in prediction for c in row
    }
    assert all(row.units <= 2 and row.price >= 0 for row in every.quotas)


def test_what_is_of_single_instances_refuses_such_rules():
    @pair_measure()
    def few_in_all() -> Rule:
        """A rule over the data set."""
        return Rule(Hops(), (*SIDES, Quota(upper=10)))

    try:
        for use in (lambda m: measure(m).recipe, lambda m: score(TREE, [["a"]], [["a"]], [m]),
                    lambda m: explain(TREE, [["a"]], [["a"]], m),
                    lambda m: partial(TREE, [["a"]], [["a"]], [m])):  # fmt: skip
            with pytest.raises(BadInput, match="only the total is determined and no instance has"):
                use("few_in_all")
    finally:
        REGISTRY.pop("few_in_all")

    @pair_measure()
    def hidden(quota: bool = False) -> Rule:
        """A rule that only shows its quota when it runs."""
        return Rule(
            Hops(), (*SIDES, *([lambda b: b.count(b.across(None, np.zeros(2, int)), 0, 1)] * quota))
        )

    try:
        with pytest.raises(BadInput, match="solve and explain the whole data set with pair_data"):
            score(TREE, [["a"], ["b"]], [["a"], ["b"]], ["hidden(quota=True)"])
    finally:
        REGISTRY.pop("hidden")
    rule = Rule(Hops(), (*SIDES, Quota(upper=1)))
    assert rule.spans == "data set"
    with pytest.raises(BadInput, match="quotas over the data set"):
        PairRecipe(rule)
    several = LabelDistribution.from_scenarios([[(0.5, ["a"]), (0.5, ["b"])]], TREE)
    with pytest.raises(BadInput, match=r"cannot be decoded exactly.*quotas"):
        decode_pairing(several, rule)


def test_levels_of_instances_share_a_quota_by_group():
    truth = [["x"], ["y"], ["x"], ["z"]]
    half = Quota(None, lambda instances: instances.position % 2, upper=1)
    found = pair_data_set(Rule(Hops(), (*SIDES, half)), TREE, truth, truth)
    assert found.cost == 12
    assert {row.says for row in found.quotas} == {
        "all pairs of the instances of group 0",
        "all pairs of the instances of group 1",
    }
    assert [row.units for row in found.quotas] == [1, 1]
    picked = {row.of[0] % 2 for row in found.pairs}
    assert picked == {0, 1}
