"""Lexicographic costs: the first decides, a later one among equals only; against enumeration."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import (
    BadInput,
    Degree,
    Hierarchy,
    Hops,
    LabelSets,
    Lexicographic,
    Rule,
    SolverLimit,
    Unmatched,
    explain,
    pair_measure,
    score,
)
from hierpair.pairing import Pairs, build, formulate, solve_pairing
from hierpair.solvers import check, solve
from tests import effort

FLAT = Hierarchy.from_parents({f"c{i}": None for i in range(8)}, roots="any")


def pairs_of(sizes):
    """Pairs of instances with so many predicted and true labels."""

    def sets(counts):
        ptr = np.concatenate([[0], np.cumsum(counts)])
        flat = np.concatenate([np.arange(k) for k in counts] or [np.empty(0)]).astype(int)
        return LabelSets.from_arrays(ptr, flat, 8)

    return Pairs.between(FLAT, sets([n for _, n in sizes]), sets([m for m, _ in sizes]))


def best(m, n, cost, upper, default):
    """The least tuple of totals over all choices of pairs; every label needs one partner."""
    cells = list(itertools.product(range(m), range(n)))
    found = []
    for size in range(len(cells) + 1):
        for chosen in itertools.combinations(cells, size):
            used = [[i for i, _ in chosen].count(k) for k in range(m)]
            met = [[j for _, j in chosen].count(k) for k in range(n)]
            if max([*used, *met], default=0) > upper:
                continue
            total = np.sum([cost[i][j] for i, j in chosen], axis=0) if chosen else 0
            alone = np.array([default[0]] * used.count(0) + [default[1]] * met.count(0))
            found.append(tuple((total + (alone.sum(axis=0) if len(alone) else 0)).tolist()
                               if m + n else [0] * len(default[0])))  # fmt: skip
    return min(found)


@settings(max_examples=effort.cases(250), deadline=None)
@given(st.data())
def test_against_enumeration(data):
    n_costs = data.draw(st.integers(2, 4))
    low = data.draw(st.sampled_from([0, -2]))
    number = st.integers(low, 3)
    sizes = data.draw(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4)
    )
    upper = data.draw(st.sampled_from([1, 3]))
    vector = st.lists(number, min_size=n_costs, max_size=n_costs)
    cost = [[[data.draw(vector) for _ in range(n)] for _ in range(m)] for m, n in sizes]
    default = [
        data.draw(st.lists(st.integers(0, 3), min_size=n_costs, max_size=n_costs)) for _ in "pt"
    ]
    flat = [x for rows in cost for row in rows for x in row]
    columns = np.array(flat, dtype=int).reshape(-1, n_costs).T
    rule = Rule(
        Lexicographic(tuple((lambda pairs, c=c: c) for c in columns)),
        (
            Degree("predicted", 1, upper), Unmatched("predicted", tuple(default[0])),
            Degree("true", 1, upper), Unmatched("true", tuple(default[1])),
        ),
        signed=low < 0,
    )  # fmt: skip
    pairs = pairs_of(sizes)
    problem = formulate(rule, pairs)
    network, _ = build(problem)
    assert check(network, solve(network)).optimal
    for reduce in (True, False):
        pairing = solve_pairing(problem, reduce=reduce)
        assert (pairing.gap == 0).all()
        for i, (m, n) in enumerate(sizes):
            wanted = best(m, n, cost[i], upper, default)
            chosen = pairing.chosen[pairs.ptr[i] : pairs.ptr[i + 1]]
            total = columns[:, pairs.ptr[i] : pairs.ptr[i + 1]][:, chosen].sum(axis=1)
            for k, side in enumerate(("predicted", "true")):
                ptr = problem.labels(side).ptr
                n_alone = pairing.missing[side][ptr[i] : ptr[i + 1]].sum()
                total = total + n_alone * np.array(default[k])
            assert tuple(total.tolist()) == wanted
            assert pairing.cost[i] == wanted[0]


def test_a_later_cost_decides_among_equals_only():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("a", "y")])

    @pair_measure()
    def nearest_then_deepest(default: float = 4) -> Rule:
        """Of equally near pairings the one whose true classes are deepest."""
        return Rule(
            Lexicographic((Hops(), lambda pairs: 9 - pairs.hierarchy.depths[pairs.true])),
            (
                Degree("predicted", 1, 1), Unmatched("predicted", default),
                Degree("true", 0, 1),
            ),
        )  # fmt: skip

    scores = score(tree, [["r", "x"]], {"s": [["a"]]}, ["nearest_then_deepest"])
    assert scores.values.tolist() == [[1.0]]
    names = tree.names
    y = [LabelSets.from_labels(rows, tree) for rows in ([["r", "x"]], [["a"]])]
    pairs = Pairs.between(tree, *y)
    chosen = solve_pairing(formulate(nearest_then_deepest(), pairs)).chosen
    assert [names[c] for c in pairs.true[chosen]] == ["x"]

    # What is explained is what was scored: costs and defaults of the first one make the cost.
    for rows in ([["r", "x"]], [["a"]]), ([["x"]], [["a", "y"]]), ([[]], [["a", "b"]]):
        [why] = explain(tree, *rows, "nearest_then_deepest")
        shown = why.evidence
        cost = sum(p.cost for p in shown.pairs if p.units)
        cost += sum(r.missing * r.cost for r in shown.counted if r.missing)
        assert cost == shown.cost == why.value
        assert shown.optimal
        assert shown.lexicographic[0] == shown.bound == cost
        assert f"the lexicographic costs are {cost:g}, then" in why.to_text()


def test_fractions_and_halves_are_exact():
    pairs = pairs_of([(1, 2)])
    costs = (
        lambda pairs: np.array([Fraction(1, 3), Fraction(1, 3)], dtype=object),
        lambda pairs: np.array([0.5, 0.25]),
    )
    constraints = (Degree("predicted", 1, 1), Degree("true", 0, 1))
    pairing = solve_pairing(formulate(Rule(Lexicographic(costs), constraints), pairs))
    assert pairing.chosen.tolist() == [False, True]
    assert pairing.cost.tolist() == [1 / 3]


def test_what_cannot_be_told_apart_is_refused():
    pairs = pairs_of([(1, 1)])
    constraints = (Degree("predicted", 1, 1), Degree("true", 1, 1))
    with pytest.raises(BadInput, match="lexicographic costs are a tuple of callables, got 'hops'"):
        Lexicographic("hops")
    with pytest.raises(
        BadInput, match="cost 2 of a Lexicographic must be whole numbers, Fractions, or floats"
    ):
        formulate(Rule(Lexicographic((Hops(), lambda p: np.array([0.1]))), constraints), linked())
    with pytest.raises(BadInput, match=r"a default has 3 costs and the cost of pairs 1"):
        formulate(Rule(Hops(), (*constraints, Unmatched("true", (1, 2, 3)))), pairs)
    huge = Lexicographic(tuple((lambda p, k=k: np.array([2**20 + k])) for k in range(4)))
    assert solve_pairing(formulate(Rule(huge, constraints), pairs)).cost == 2**20  # turn by turn
    with pytest.raises(SolverLimit, match="more than the solver can carry exactly"):
        formulate(Rule(Lexicographic((Hops(), lambda p: np.array([2**49]))), constraints), linked())


def linked():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    y = [LabelSets.from_labels(rows, tree) for rows in (["a"], ["b"])]
    return Pairs.between(tree, *y)
