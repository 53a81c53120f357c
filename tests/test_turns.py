"""Prices in turn: the first decides, a later one among equals only; against enumeration."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import (
    BadInput,
    Default,
    Hierarchy,
    Hops,
    InTurn,
    LabelSets,
    Pairs,
    Partners,
    Rule,
    SolverLimit,
    build,
    check,
    explain,
    formulate,
    pair_measure,
    score,
    solve,
    solve_pairing,
)

FLAT = Hierarchy.from_parents({f"c{i}": None for i in range(8)})


def pairs_of(sizes):
    """Pairs of instances with so many predicted and true labels."""

    def sets(counts):
        ptr = np.concatenate([[0], np.cumsum(counts)])
        flat = np.concatenate([np.arange(k) for k in counts] or [np.empty(0)]).astype(int)
        return LabelSets.from_arrays(ptr, flat, 8)

    return Pairs.between(FLAT, sets([n for _, n in sizes]), sets([m for m, _ in sizes]))


def best(m, n, price, at_most, default):
    """The least tuple of totals over all choices of pairs; every label needs one partner."""
    cells = list(itertools.product(range(m), range(n)))
    found = []
    for size in range(len(cells) + 1):
        for chosen in itertools.combinations(cells, size):
            used = [[i for i, _ in chosen].count(k) for k in range(m)]
            met = [[j for _, j in chosen].count(k) for k in range(n)]
            if max([*used, *met], default=0) > at_most:
                continue
            total = np.sum([price[i][j] for i, j in chosen], axis=0) if chosen else 0
            alone = np.array([default[0]] * used.count(0) + [default[1]] * met.count(0))
            found.append(tuple((total + (alone.sum(axis=0) if len(alone) else 0)).tolist()
                               if m + n else [0] * len(default[0])))  # fmt: skip
    return min(found)


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_against_enumeration(data):
    turns = data.draw(st.integers(2, 4))
    low = data.draw(st.sampled_from([0, -2]))
    number = st.integers(low, 3)
    sizes = data.draw(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4)
    )
    at_most = data.draw(st.sampled_from([1, 3]))
    vector = st.lists(number, min_size=turns, max_size=turns)
    price = [[[data.draw(vector) for _ in range(n)] for _ in range(m)] for m, n in sizes]
    default = [data.draw(st.lists(st.integers(0, 3), min_size=turns, max_size=turns)) for _ in "pt"]
    flat = [x for rows in price for row in rows for x in row]
    columns = np.array(flat, dtype=int).reshape(-1, turns).T
    rule = Rule(
        InTurn(tuple((lambda pairs, c=c: c) for c in columns)),
        (
            Partners("predicted", 1, at_most), Default("predicted", tuple(default[0])),
            Partners("true", 1, at_most), Default("true", tuple(default[1])),
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
            wanted = best(m, n, price[i], at_most, default)
            chosen = pairing.chosen[pairs.ptr[i] : pairs.ptr[i + 1]]
            total = columns[:, pairs.ptr[i] : pairs.ptr[i + 1]][:, chosen].sum(axis=1)
            for k, side in enumerate(("predicted", "true")):
                ptr = problem.labels(side).ptr
                n_alone = pairing.missing[side][ptr[i] : ptr[i + 1]].sum()
                total = total + n_alone * np.array(default[k])
            assert tuple(total.tolist()) == wanted
            assert pairing.cost[i] == wanted[0]


def test_a_later_price_decides_among_equals_only():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("a", "y")])

    @pair_measure()
    def nearest_then_deepest(default: float = 4) -> Rule:
        """Of equally near pairings the one whose true classes are deepest."""
        return Rule(
            InTurn((Hops(), lambda pairs: 9 - pairs.hierarchy.depths[pairs.true])),
            (
                Partners("predicted", 1, 1), Default("predicted", default),
                Partners("true", 0, 1),
            ),
        )  # fmt: skip

    scores = score(tree, [["r", "x"]], {"s": [["a"]]}, ["nearest_then_deepest"])
    assert scores.values.tolist() == [[1.0]]
    names = tree.names
    y = [LabelSets.from_labels(rows, tree) for rows in ([["r", "x"]], [["a"]])]
    pairs = Pairs.between(tree, *y)
    chosen = solve_pairing(formulate(nearest_then_deepest(), pairs)).chosen
    assert [names[c] for c in pairs.true[chosen]] == ["x"]

    # What is explained is what was scored: prices and defaults of the first turn make the cost.
    for rows in ([["r", "x"]], [["a"]]), ([["x"]], [["a", "y"]]), ([[]], [["a", "b"]]):
        [why] = explain(tree, *rows, "nearest_then_deepest")
        shown = why.evidence
        cost = sum(p.price for p in shown.pairs if p.chosen)
        cost += sum(r.n_missing * r.default for r in (*shown.predicted, *shown.true) if r.n_missing)
        assert cost == shown.cost == why.value
        assert shown.optimal
        assert shown.in_turn == shown.bound >= cost
        assert "with all costs in turn as one number" in why.to_text()


def test_fractions_and_halves_are_exact():
    pairs = pairs_of([(1, 2)])
    prices = (
        lambda pairs: np.array([Fraction(1, 3), Fraction(1, 3)], dtype=object),
        lambda pairs: np.array([0.5, 0.25]),
    )
    demands = (Partners("predicted", 1, 1), Partners("true", 0, 1))
    pairing = solve_pairing(formulate(Rule(InTurn(prices), demands), pairs))
    assert pairing.chosen.tolist() == [False, True]
    assert pairing.cost.tolist() == [1 / 3]


def test_what_cannot_be_told_apart_is_refused():
    pairs = pairs_of([(1, 1)])
    demands = (Partners("predicted", 1, 1), Partners("true", 1, 1))
    with pytest.raises(BadInput, match="prices in turn are a tuple of callables, got 'hops'"):
        InTurn("hops")
    with pytest.raises(BadInput, match="turn 2 must be whole numbers, Fractions, or floats"):
        formulate(Rule(InTurn((Hops(), lambda p: np.array([0.1]))), demands), linked())
    with pytest.raises(BadInput, match=r"a default has 3 prices and the price of pairs 1"):
        formulate(Rule(Hops(), (*demands, Default("true", (1, 2, 3)))), pairs)
    huge = InTurn(tuple((lambda p, k=k: np.array([2**20 + k])) for k in range(4)))
    with pytest.raises(SolverLimit, match="more than the solver can carry exactly"):
        formulate(Rule(huge, demands), pairs)


def linked():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    y = [LabelSets.from_labels(rows, tree) for rows in (["a"], ["b"])]
    return Pairs.between(tree, *y)
