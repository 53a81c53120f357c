"""Values at the very edge of a condition: where a fault of one would go unnoticed elsewhere."""

import numpy as np
import pytest

from hierpair import (
    Default,
    Hierarchy,
    Hops,
    MaxDistance,
    Partners,
    Rule,
    compare,
    measure,
    pair_measure,
    score,
)
from hierpair.measures import REGISTRY
from hierpair.readers.classtables import CostTable

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])


@pytest.mark.parametrize("missing", [0, 1, 2, 3])
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("other", [None, 0.5, 9.0])
def test_the_worst_cost_counts_what_a_table_does_not_list(missing, own, other):
    """A row lacks a pair, and so may cost ``other``, if a class other than its own is unlisted."""
    n, row = 4, 1
    columns = [c for c in range(n) if c != row][: n - 1 - missing] + [row] * own
    keys = np.sort(np.array([row * n + c for c in columns], dtype=np.int64))
    table = CostTable(keys, np.arange(len(keys)) / 10.0 + 1, n)
    price, listed = table.look_up(np.full(n, row), np.arange(n)) if len(keys) else (0, np.zeros(n))
    costs = [
        float(price[c]) if len(keys) and listed[c] else 0.0 if c == row else float(other or 0)
        for c in range(n)
    ]
    assert table.worst(np.array([row]), other).tolist() == [max(costs)]


def test_options_in_any_order_are_the_same_measure():
    one, other = measure("hf(root='include', beta=2)"), measure("hf(beta=2, root='include')")
    assert one == other
    assert hash(one) == hash(other)
    assert one.name == other.name == "hf(beta=2, root='include')"
    assert measure("hf(beta=2)").with_options(augment="none", root="include").name == (
        "hf(augment='none', beta=2, root='include')"
    )


def test_a_largest_distance_of_zero_pairs_equal_classes_only():
    @pair_measure()
    def equal_only(default: float = 5) -> Rule:
        "Only equal classes are partners."
        return Rule(Hops(), (
            Partners("predicted", 1, 1), Default("predicted", default),
            Partners("true", 1, 1), Default("true", default), MaxDistance(0),
        ))  # fmt: skip

    try:
        found = score(
            TREE, [["a", "c"]], {"s": [["a", "d"]]}, ["equal_only", "gie(max_distance=0)"]
        )
    finally:
        del REGISTRY["equal_only"]
    assert found.values.tolist() == [[10.0, 10.0]]


def compared(n_runs=0):
    truth = [["c"], ["d"], ["b"]]
    systems = {"right": truth, "wrong": [["d"], ["b"], ["b"]]}
    runs = {s: [f"{s}-{k}" for k in range(n_runs)] for s in systems} if n_runs else None
    if runs:
        worse = [["d"], ["d"], ["b"]]
        systems = {r: worse if r.endswith("0") else systems[s] for s in runs for r in runs[s]}
    scores = score(TREE, truth, systems, ["hf"])
    return compare(scores, n_permutations=50, n_bootstrap=50, runs=runs)


def test_tables_have_four_digits_unless_asked_otherwise():
    found = compared()
    for text in (found.to_text(), found.to_markdown(), found.to_latex(), found.to_table("text")):
        assert "0.5000" in text
        assert "0.50000" not in text
    for text in (
        found.to_text(5),
        found.to_markdown(5),
        found.to_latex(5),
        found.to_table("text", 5),
    ):
        assert "0.50000" in text


@pytest.mark.parametrize("n", [2, 3])
def test_records_say_how_many_runs_a_system_has(n):
    assert [r["n_runs"] for r in compared().records().to_dicts()] == [1, 1]
    assert [r["n_runs"] for r in compared(n).records().to_dicts()] == [n, n]
