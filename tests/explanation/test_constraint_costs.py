"""Which constraint costs how much, over all instances of a data set."""

import json
import math

import pytest

from hierpair import (
    BadInput,
    Bottleneck,
    Cardinality,
    CountCost,
    Degree,
    Forbid,
    Hierarchy,
    Hops,
    Rule,
    Unmatched,
    pair_measure,
    score,
)
from hierpair.explanation import constraint_costs
from hierpair.measures import REGISTRY

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
    assert by["bounded", 6].cost > 0
    assert by["bounded", 2].n_needed > 0  # Unmatched is a permission
    assert by["tree_induced_error", 1].n_blocked == 3
    assert json.loads(found.to_json())[0]["measure"] == "bounded"
    assert "mine" in found.to_csv()
    assert "only with" in found.to_text()


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


def test_the_largest_cost_first_says_nothing_of_a_constraint():
    @pair_measure(formula="", source="", direction="lower", range="[0, inf)")
    def fair():
        """Mine."""
        return Rule(Bottleneck(Hops()), [Degree(s, 1, 1) for s in ("predicted", "true")])

    try:
        with pytest.raises(BadInput, match="fair minimises its largest cost first"):
            constraint_costs(TREE, [["c"]], [["d"]], "fair")
    finally:
        del REGISTRY["fair"]
