"""A data set as a whole: what its constraints cost, and pairing all instances at once."""

import json
import math

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Hierarchy,
    LabelDistribution,
    explain,
    measure,
    pair_data_set,
    pair_measure,
    score,
)
from hierpair.evaluation import partial
from hierpair.explanation import constraint_costs
from hierpair.measures import PairRecipe
from hierpair.pairing import (
    Bottleneck,
    Cardinality,
    CountCost,
    Degree,
    Forbid,
    Hops,
    Quota,
    Rule,
    Unmatched,
)
from hierpair.probabilistic.decoding.pairings import decode_pairing

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("a", "y"), ("b", "z")])
SIDES = tuple(c for s in ("predicted", "true") for c in (Degree(s, 1, 1), Unmatched(s, 3)))
TRUTH = [["x", "y"], ["b"], ["x"], ["z", "y"]]
SAID = [["a"], ["b", "x"], ["z"], ["z", "x", "b"]]


def declared(name, rule, **about):
    """A measure of pairs by its rule, which may have an option."""
    rule.__name__, rule.__doc__ = name, "Mine."
    pair_measure(**about)(rule)


def test_costs_are_what_is_left_when_a_constraint_goes():
    def bounded(most: int = 1):
        sides = [c for s in ("predicted", "true") for c in (Degree(s, 1, 2), Unmatched(s, 4))]
        return Rule(Hops(), (*sides, Cardinality(0, most), Forbid(lambda p: p.distance == 0)))

    declared("bounded", bounded)
    found = constraint_costs(TREE, TRUTH, SAID, ["bounded", "tree_induced_error"], system="mine")
    scores, more = (
        score(TREE, TRUTH, {"mine": SAID}, name).per_instance["mine"][:, 0]
        for name in ("bounded", "bounded(most=9)")
    )
    assert found.totals["bounded"] == scores.sum()
    assert found.n_infeasible == {"bounded": 0, "tree_induced_error": 3}
    by = {(row.measure, row.number): row for row in found.rows}
    assert len(by) == 6 + 2
    total = by["bounded", 5]
    assert total.cost == (scores - more).sum() > 0
    assert total.largest == (scores - more).max()
    assert total.n_binding == (scores > more).sum()
    assert by["bounded", 6].cost > 0
    assert by["bounded", 2].n_needed > 0  # Unmatched is a permission
    assert by["tree_induced_error", 1].n_blocked == 3
    assert json.loads(found.to_json())[0]["measure"] == "bounded"
    assert "mine" in found.to_csv()
    assert "only with" in found.to_text()


def test_rules_that_do_not_stand_without_a_constraint_or_have_none():
    declared(
        "dented", lambda: Rule(Hops(), (CountCost("true", (0, 4, 5)), CountCost("true", (0, 0, 3))))
    )
    declared(
        "fair", lambda: Rule(Bottleneck(Hops()), [Degree(s, 1, 1) for s in ("predicted", "true")])
    )
    found = constraint_costs(TREE, [["x"]], [["x", "y"]], "dented")
    assert math.isnan(found.rows[1].cost)
    assert "its rule does not stand without constraint 2: " in found.to_text()
    for name, message in (("fair", "fair minimises its largest cost first"),
                          ("hf", "hf has no rule of pairs")):  # fmt: skip
        with pytest.raises(BadInput, match=message):
            constraint_costs(TREE, [["x"]], [["y"]], name)


# ------------------------------------------------------------------------------- quotas


def sets(rng, n):
    names = np.array(["a", "b", "x", "y", "z"])
    return [names[rng.random(5) < 0.4].tolist() for _ in range(n)]


def paired(truth, prediction, *quotas, cost=Hops()):  # noqa: B008
    return pair_data_set(Rule(cost, (*SIDES, *quotas)), TREE, truth, prediction)




@pytest.mark.parametrize("seed", range(2))
def test_the_price_of_a_quota_bounds_what_a_pair_more_or_less_is_worth(seed):
    rng = np.random.default_rng(seed)
    truth, prediction = sets(rng, 12), sets(rng, 12)
    totals = [paired(truth, prediction, Quota(upper=k)) for k in range(0, 25)]
    costs = [x.cost for x in totals]
    for k in range(1, 24):
        [row] = totals[k].quotas
        assert costs[k] - costs[k + 1] <= row.price <= costs[k - 1] - costs[k]
        assert row.units <= k
    most = totals[24].quotas[0].units  # as many as are worth their cost; more are asked for
    dear = lambda pairs: pairs.distance + 9  # noqa: E731
    [row] = paired(truth, prediction, Quota(lower=most - 1), cost=dear).quotas
    assert row.units == most - 1
    assert row.price < 0
    every = paired(truth, prediction, Quota("predicted", upper=2)).quotas
    classes = {c for row in prediction for c in row}
    assert {row.says for row in every} == {
        f"the predicted class {c!r} in all instances" for c in classes
    }
    assert all(row.units <= 2 and row.price >= 0 for row in every)


def test_what_is_of_single_instances_refuses_such_rules():
    def hidden(quota: bool = False) -> Rule:
        """It only shows its quota when it runs."""
        shared = lambda b: b.count(b.across(None, np.zeros(2, int)), 0, 1)  # noqa: E731
        return Rule(Hops(), (*SIDES, *[shared] * quota))

    declared("hidden", hidden)
    declared("few_in_all", lambda: Rule(Hops(), (*SIDES, Quota(upper=10))))
    rule = Rule(Hops(), (*SIDES, Quota(upper=1)))
    assert rule.spans == "data set"
    several = LabelDistribution.from_scenarios([[(0.5, ["a"]), (0.5, ["b"])]], TREE)
    sides = TREE, [["a"], ["b"]], [["a"], ["b"]]
    one = "only the total is determined and no instance has"
    for call, message in (
        (lambda: measure("few_in_all").recipe, one), (lambda: score(*sides, ["few_in_all"]), one),
        (lambda: explain(*sides, "few_in_all"), one), (lambda: partial(*sides, ["few_in_all"]), one),
        (lambda: score(*sides, ["hidden(quota=True)"]), "solve and explain the whole data set with pair_data"),
        (lambda: PairRecipe(rule), "quotas over the data set"),
        (lambda: decode_pairing(several, rule), r"cannot be decoded exactly.*quotas"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=message):
            call()


