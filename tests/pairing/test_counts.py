"""Costs of how many: tables, soft bounds, groups on either side; all against enumeration."""

import math

import numpy as np
import pytest

from hierpair import (
    BadInput,
    CountCost,
    Degree,
    Groups,
    Hops,
    LabelSets,
    Rule,
)
from hierpair.pairing import Pairs, formulate, solve_pairing
from tests.pairing.random_rules import FLAT, pairs_of

# ------------------------------------------------------------------------------ random problems


def test_an_instance_without_a_pairing_leaves_the_others_alone():
    """A table that allows none of the numbers that there can be, in one of three instances."""
    one = [["c0", "c1"], ["c0"], ["c1", "c2"]]
    pairs = Pairs.between(FLAT, *(LabelSets.from_labels(one, FLAT) for _ in range(2)))
    rule = Rule(
        lambda p: 1.0 * (p.true != p.predicted), (CountCost("instance", (None, None, 2, 2)),)
    )
    found = solve_pairing(formulate(rule, pairs), on_infeasible="nan")
    assert found.cost.tolist()[::2] == [2, 2]
    assert np.isnan(found.cost[1])
    assert found.infeasible.tolist() == [1]


# ------------------------------------------------------------------------------ what is refused


PAIRS = pairs_of(3, 3)
REFUSED = [
    (lambda: CountCost("true", (0, 5, 6)),
     "CountCost('true', costs=(0, 5, 6)), the true class 'c0': partner 2 costs 1 and partner 1 " "costs 5; a flow needs costs per partner that do not fall"),
    (lambda: CountCost("true", (0, None, 1)), "a flow cannot leave out a number between two others"),
    (lambda: CountCost("true", (0, None, None, 1)), "a flow cannot leave out a number between two others"),
    (lambda: CountCost("true", (0, "x")), "holds numbers and None, got 'x'"),
    (lambda: CountCost("true", (0, float("nan"))), "holds numbers and None, got nan"),
    (lambda: CountCost("true", 3), "is a sequence of numbers for 0, 1, 2"),
    (lambda: CountCost("both", (0, 1)), "of must be one of 'predicted', 'true', 'instance', got 'both'"),
    (lambda: CountCost("instance", (0, 1), where=("c1",)), "costs are of instances, of groups, or of labels"),
    (lambda: CountCost("true", (0, -1)), "has a negative cost"),
    (lambda: CountCost("true", lambda labels, n: np.zeros(7)), "must give one number per label (3,), got"),
    (lambda: CountCost("true", lambda labels, n: n * labels.classes * np.nan), "is nan; it must be a number"),
    (lambda: CountCost("true", lambda labels, n: np.full(len(labels), math.inf if n == 1 else 0.0)),
     "the true class 'c0' may have numbers of units with others between"),
    (lambda: CountCost("true", ((0, 0), (1, 0))), "has 2 costs and the cost of pairs 1"),
    (lambda: Degree("true", 1, 2, under=-1), "the cost 'under' must be a number ≥ 0, got -1"),
    (lambda: Degree("true", 1, 2, over={"c1": "x"}), "the cost 'over' must be a number ≥ 0"),
    (lambda: Degree("true", 2, 1, under=1), "at least 2 and at most 1"),
    (lambda: Groups("true", lambda x: x.classes, 1, of="pairs"), "of must be one of 'labels', 'partners', got"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_what_is_no_cost_of_a_count_is_refused_by_name(make, message):
    with pytest.raises(BadInput) as caught:
        solve_pairing(formulate(Rule(lambda p: 0.0 * p.true_at, (make(),)), PAIRS))
    assert message in str(caught.value)


def test_tables_that_another_constraint_makes_convex_are_accepted():
    dip = CountCost("true", (0, 4, 5))
    bend = CountCost("true", (0, 0, 3))
    rule = Rule(lambda pairs: 0.0 * pairs.true_at, (dip, bend, Degree("true", 1)))
    assert solve_pairing(formulate(rule, PAIRS)).cost[0] == 12
    only = Rule(lambda pairs: 0.0 * pairs.true_at, (dip, Degree("true", 0, 1)))
    assert solve_pairing(formulate(only, PAIRS)).cost[0] == 0


def test_groups_that_cross_are_named():
    def pairs_of_two(first):
        return lambda labels: np.where(np.isin(labels.classes, (first, first + 1)), 0, -1)

    rule = Rule(Hops(), (Groups("true", pairs_of_two(0), 1), Groups("true", pairs_of_two(1), 1)))
    with pytest.raises(BadInput) as caught:
        solve_pairing(formulate(rule, PAIRS))
    assert str(caught.value) == (
        "instance 0: the true group c0, c1 and the true group c1, c2 overlap, and neither contains "
        "the other; a flow can nest groups of a side, not cross them"
    )
