"""Values at the very edge of a condition: where a fault of one would go unnoticed elsewhere."""

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Degree,
    Hierarchy,
    Hops,
    LabelDistribution,
    MaxDistance,
    NodeScores,
    Rule,
    Unmatched,
    explain,
    measure,
    pair_measure,
    score,
)
from hierpair.io.class_tables import CostTable
from hierpair.measures import REGISTRY
from hierpair.metrics import score_like
from hierpair.pairing import CosineDistance
from hierpair.probabilistic import expected
from hierpair.probabilistic.decoding.by_class import decode_h_loss, decode_hamming

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
    cost, listed = table.look_up(np.arange(n), np.full(n, row)) if len(keys) else (0, np.zeros(n))
    costs = [
        float(cost[c]) if len(keys) and listed[c] else 0.0 if c == row else float(other or 0)
        for c in range(n)
    ]
    assert table.max_cost(np.array([row]), other).tolist() == [max(costs)]


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
            Degree("predicted", 1, 1), Unmatched("predicted", default),
            Degree("true", 1, 1), Unmatched("true", default), MaxDistance(0),
        ))  # fmt: skip

    try:
        found = score(
            TREE, [["a", "c"]], {"s": [["a", "d"]]}, ["equal_only", "gie(max_distance=0)"]
        )
    finally:
        del REGISTRY["equal_only"]
    assert found.values.tolist() == [[10.0, 10.0]]


def test_scores_of_nothing_but_zeros():
    """In a forest, where no root is certain, nothing at all is left of them."""
    forest = Hierarchy.from_edges([("r1", "a"), ("r2", "b")])
    scores = NodeScores.from_array(np.zeros((2, len(forest))), forest)
    assert not len(scores.values)
    assert scores.at(np.array([0, 1]), np.array([1, 2])).tolist() == [0.0, 0.0]


def test_what_is_undefined_is_left_out_of_samples():
    """A truth without a leaf has no accuracy at the leaves; the others are all right."""
    distribution = LabelDistribution.from_scenarios({"x": [(0.5, ["c"]), (0.5, ["a"])]}, TREE)
    found = expected(distribution, {"x": ["c"]}, "leaf_accuracy", samples=50, seed=1)
    assert found.value == 1.0
    assert found.errors.tolist() == [0.0]


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, [0, 0, 0, 0, -1]])
def test_costs_of_classes_are_finite_and_not_negative(bad):
    scores = NodeScores.from_array(np.full((1, len(TREE)), 0.5), TREE)
    with pytest.raises(BadInput, match="weights must be finite and not negative"):
        decode_hamming(scores, weights=bad)
    with pytest.raises(BadInput, match="costs must be finite and not negative"):
        decode_h_loss(scores, costs=bad)


def test_arcs_that_are_used_are_needed_and_others_are_not():
    pytest.importorskip("matplotlib")
    from hierpair.plots import plot_pairing

    found = explain(TREE, [["c", "b"]], [["c"]], "gie")[0].evidence
    axes = plot_pairing(found)
    written = {
        t.get_gid().removeprefix("cost-") for t in axes.texts if "cost-" in (t.get_gid() or "")
    }
    lines = {p.get_gid(): p.get_linewidth() for p in axes.patches if "arc-" in (p.get_gid() or "")}
    thick = {name for name, width in lines.items() if width > 1}
    assert thick <= written
    assert any("default" in name for name in thick)
    assert any("default" in name for name in lines.keys() - thick)


def test_of_equally_good_thresholds_a_tool_takes_the_lowest():
    """Precision 1 and recall 1/2 at one threshold, 1/2 and 1 at a lower one: the same F."""
    flat = Hierarchy.from_edges([("r", x) for x in "abcdefg"])
    said = {"p": {"a": 0.9, **dict.fromkeys("bcdefg", 0.4)}}
    found = score_like("cafaeval", flat, {"p": ["a", "b", "c"]}, {"s": said})
    assert [found["s", column] for column in ("pr", "rc")] == [0.5, 1.0]
    assert found.thresholds["s"] == pytest.approx(0.01)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_mean_distance_of_vectors_is_that_of_all_pairs(n):
    vectors = np.random.default_rng(n).random((len(TREE), 3))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    some = np.arange(n)
    wanted = np.mean([1 - unit[i] @ unit[j] for i in some for j in some if i != j])
    assert CosineDistance(vectors).mean_between(TREE, some) == pytest.approx(wanted)
