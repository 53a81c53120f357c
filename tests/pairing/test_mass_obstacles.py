"""Why masses cannot be moved: sets of bounds that contradict each other, and none too many."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from hierpair import Capacity, Cardinality, Degree, Rule
from hierpair.errors import Infeasible
from hierpair.pairing import formulate, solve_pairing, why_infeasible
from tests import effort
from tests.pairing.random_rules import by_pair, pairs_of, priced


def can_hold(statements, pairs):
    """Whether pairs can carry masses that all of these statements allow, by a linear program."""
    rows, bounds = [], []
    for said in statements:
        inside = {
            "total": lambda p: True,
            "pair": lambda p, said=said: tuple(f"c{i}" for i in p) == said.of,
            "label": lambda p, said=said: f"c{p[said.side == 'true']}" == said.of[0],
        }[said.kind]
        sign = 1 if said.bound == "at most" else -1
        rows.append([sign * float(inside(p)) for p in pairs])
        bounds.append(sign * float(said.value))
    if not pairs:
        return all(bound >= 0 for bound in bounds)
    if not rows:
        return True
    return linprog(np.zeros(len(pairs)), A_ub=np.array(rows), b_ub=bounds).status == 0


@pytest.mark.random_cases
def test_blocking_sets_of_masses_against_a_linear_program():
    cases, blocked = effort.cases(500), 0
    for k in range(cases):
        rng = np.random.default_rng([5, k])
        m, n = (int(x) for x in rng.integers(1, 4, 2))
        unit = Fraction(1, int(rng.choice([1, 2, 3])))
        every = list(itertools.product(range(m), range(n)))
        price = {p: 1 for p in every if rng.random() < 0.7}
        said = []
        for side, count in (("predicted", m), ("true", n)):
            for i in range(count):
                low, more = (int(x) * unit for x in rng.integers(0, (4, 3)))
                said.append(Degree(side, low, low + more, where=(f"c{i}",)))
        if rng.random() < 0.6:
            said.append(by_pair({p: int(rng.integers(0, 4)) * unit for p in every}))
        else:
            said.append(Capacity(None))
        if rng.random() < 0.3:
            said.append(Cardinality(int(rng.integers(0, 3)) * unit, 3 * unit))
        problem = formulate(Rule(priced(price), tuple(said)), pairs_of(m, n))
        if not len(solve_pairing(problem, on_infeasible="nan").infeasible):
            continue
        blocked += 1
        found = why_infeasible(problem, 0).statements
        assert not can_hold(found, sorted(price)), k
        for i in range(len(found)):
            assert can_hold(found[:i] + found[i + 1 :], sorted(price)), k
    assert blocked > cases / 2


def test_what_limits_a_label_is_named_and_not_what_follows_from_it():
    said = (Degree("true", 2, where=("c0",)), Degree("predicted", 0, 1, where=("c0",)), Capacity(5))
    rule = Rule(priced({(0, 0): 1, (0, 1): 1}), said)
    with pytest.raises(Infeasible) as caught:
        solve_pairing(formulate(rule, pairs_of(2, 2)))
    assert (
        "the true class 'c0' must have at least 2 partners and can get only 1: it may be paired "
        "with 'c0' only, and the predicted class 'c0' may have at most 1 partner"
    ) in str(caught.value)
