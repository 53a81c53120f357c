"""Which constraint costs how much, over all instances of a data set."""

import itertools
import json
import math

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Cardinality,
    CountCost,
    Degree,
    Forbid,
    Groups,
    Hierarchy,
    Hops,
    Rule,
    Unmatched,
    pair_measure,
    score,
)
from hierpair.explanation import constraint_costs
from hierpair.measures import REGISTRY
from hierpair.pairing import WhatIf, formulate, solve_pairing
from hierpair.pairing.what_if import saved_by
from tests import effort
from tests.oracles.all_pairings import AllPairings, relaxed
from tests.pairing.test_counts import hard, pairs_of, soft

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
TRUTH = [["c", "d"], ["b"], ["c"], ["e", "d"]]
SAID = [["a"], ["b", "c"], ["e"], ["e", "c", "b"]]


@pytest.fixture
def bounded():
    @pair_measure(formula="", source="", direction="lower", range="[0, inf)")
    def bounded(most: int = 1):
        """Mine."""
        sides = [c for s in ("predicted", "true") for c in (Degree(s, 1, 2), Unmatched(s, 4))]
        return Rule(Hops(), (*sides, Cardinality(0, most), Forbid(lambda p: p.distance == 0)))

    yield "bounded"
    del REGISTRY["bounded"]


def test_sums_over_instances_and_what_is_left_when_a_constraint_goes(bounded):
    found = constraint_costs(TREE, TRUTH, SAID, [bounded, "tree_induced_error"], system="mine")
    scores = score(TREE, TRUTH, {"mine": SAID}, [bounded]).per_instance["mine"][:, 0]
    assert found.totals["bounded"] == scores.sum()
    assert found.n_infeasible == {"bounded": 0, "tree_induced_error": 3}
    by = {(row.measure, row.number): row for row in found.rows}
    assert len(by) == 6 + 2
    more = score(TREE, TRUTH, {"mine": SAID}, "bounded(most=9)").per_instance["mine"][:, 0]
    total = by["bounded", 5]
    assert total.cost == (scores - more).sum() > 0
    assert total.largest == (scores - more).max()
    assert total.n_binding == (scores > more).sum()
    one = score(TREE, TRUTH, {"mine": SAID}, "bounded(most=2)").per_instance["mine"][:, 0]
    assert total.one_unit == (scores - one).sum() > 0
    assert total.largest_unit == (scores - one).max()
    assert by["bounded", 6].cost > 0
    assert math.isnan(by["bounded", 6].one_unit)
    assert by["bounded", 2].n_needed > 0  # Unmatched is a permission
    assert by["tree_induced_error", 1].n_blocked == 3
    assert json.loads(found.to_json())[0]["measure"] == "bounded"
    assert "mine" in found.to_csv()
    assert "paired only with it" in found.to_text()


def test_a_rule_that_does_not_stand_without_a_constraint_says_so():
    @pair_measure(formula="", source="", direction="lower", range="[0, inf)")
    def dented():
        """Mine."""
        return Rule(Hops(), (CountCost("true", (0, 4, 5)), CountCost("true", (0, 0, 3))))

    try:
        found = constraint_costs(TREE, [["c"]], [["c", "d"]], "dented")
    finally:
        del REGISTRY["dented"]
    assert math.isnan(found.rows[1].cost)
    assert "its rule does not stand without constraint 2: instance" in found.to_text() or (
        "its rule does not stand without constraint 2: constraint 1" in found.to_text()
    )


def test_measures_without_a_rule_are_refused():
    with pytest.raises(BadInput, match="hf has no rule of pairs"):
        constraint_costs(TREE, TRUTH, SAID, "hf")


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(2))
def test_a_unit_is_that_of_the_constraint_which_alone_gives_the_bound(seed):
    saved_something = 0
    for k in range(effort.cases(100)):
        rng = np.random.default_rng([22, seed, k])
        n = {"predicted": int(rng.integers(1, 4)), "true": int(rng.integers(1, 4))}
        every = list(itertools.product(range(n["predicted"]), range(n["true"])))
        price = {p: int(rng.integers(-6, 5)) for p in every}
        constraints, said, of = [], [], []

        def add(constraint, *statements, constraints=constraints, said=said, of=of):
            constraints.append(constraint)
            said += statements
            of.extend([len(constraints) - 1] * len(statements))

        def sets(side, n=n, every=every):
            at = int(side == "true")
            return [{p for p in every if p[at] == i} for i in range(n[side])]

        for side, n_labels in n.items():
            low, more = (int(x) for x in rng.integers(0, 3, 2))
            if rng.random() < 0.5:
                miss = int(rng.integers(0, 6))
                law = soft(low, math.inf, miss, 0)
                add(Degree(side, low), *((s, law) for s in sets(side)))
                add(Unmatched(side, miss))
            else:
                add(
                    Degree(side, low, low + more), *((s, hard(low, low + more)) for s in sets(side))
                )
            most = int(rng.integers(0, 3))
            if rng.random() < 0.5 and most >= low:
                add(Degree(side, 0, most), *((s, hard(0, most)) for s in sets(side)))
            if rng.random() < 0.4:
                most = int(rng.integers(0, 4))
                add(
                    Groups(side, lambda labels: labels.classes // 2, most),
                    *(
                        (set().union(*sets(side)[i : i + 2]), hard(0, most))
                        for i in range(0, n_labels, 2)
                    ),
                )
        most = int(rng.integers(0, 6))
        add(Cardinality(0, most), (set(every), hard(0, most)))
        enumerated = AllPairings(price, said)
        rule = Rule(
            lambda pairs, price=price: np.array(
                [
                    price[p]
                    for p in zip(pairs.predicted_at.tolist(), pairs.true_at.tolist(), strict=True)
                ]
            ),
            tuple(constraints),
            signed=True,
        )
        if not enumerated.costs():
            continue
        problem = formulate(rule, pairs_of(n["predicted"], n["true"]))
        pairing = solve_pairing(problem)
        got = saved_by(rule, problem, WhatIf(problem, pairing).savings)[:, 0]
        want = np.array([math.nan if isinstance(c, Unmatched) else 0.0 for c in constraints])
        for j, (members, says) in enumerate(enumerated.said):
            for up in (True, False):
                less = enumerated.best_with(j, relaxed(says, len(members) + 3, up))
                want[of[j]] = max(want[of[j]], float(enumerated.costs()[0] - less))
        assert np.array_equal(got, want, equal_nan=True), (seed, k, constraints)
        saved_something += np.nansum(want) > 0
    assert saved_something > 0.1 * effort.cases(100)
