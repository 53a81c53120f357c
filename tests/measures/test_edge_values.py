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
    compare,
    explain,
    measure,
    pair_measure,
    score,
)
from hierpair.hierarchy.building import refuse_fault
from hierpair.hierarchy.edge_list import EdgeList, cycles_broken
from hierpair.io.class_tables import CostTable
from hierpair.labels.columns import labels_in
from hierpair.measures import REGISTRY
from hierpair.measures.evidence import ARTIFICIAL
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


def test_the_class_above_all_others_comes_first_in_an_explanation():
    forest = Hierarchy.from_edges([("r1", "a"), ("r2", "b"), ("r3", "c")])
    for true, predicted in (("a", "b"), ("a", "c"), ("c", "b")):
        shown = explain(forest, [[true]], [[predicted]], "lca_f(threshold=4)")[0].neighbourhood
        assert [n.name for n in shown.nodes].index(ARTIFICIAL) == 0
        assert [n.level for n in shown.nodes] == sorted(n.level for n in shown.nodes)


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


def test_a_repeated_column_of_scores_is_named():
    with pytest.raises(BadInput, match="two columns of the matrix are called 'b'"):
        NodeScores.from_array([[0.1, 0.2, 0.3, 0.4]], TREE, classes=["a", "b", "c", "b"])


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, [0, 0, 0, 0, -1]])
def test_costs_of_classes_are_finite_and_not_negative(bad):
    scores = NodeScores.from_array(np.full((1, len(TREE)), 0.5), TREE)
    with pytest.raises(BadInput, match="weights must be finite and not negative"):
        decode_hamming(scores, weights=bad)
    with pytest.raises(BadInput, match="costs must be finite and not negative"):
        decode_h_loss(scores, costs=bad)


def test_sets_are_read_in_the_order_of_their_text():
    """Not in that of their hashes, which differ from run to run for texts."""
    for cell in ({9, 10}, {1, 20, 3, 100}, frozenset({9, 10})):
        assert [*labels_in([cell], None, str, False)[0]] == [sorted(cell, key=repr)]


def test_edges_left_out_are_noted_in_the_order_of_the_file():
    edges = ["ra", "ar", "rb", "rc", "rd", "re", "rf", "ag", "ga"]
    assert list({1, 8}) != [1, 8]  # the order of a set would be another one
    notes = []
    trouble = cycles_broken("depth-first", notes.append, refuse_fault)
    EdgeList(list(map(tuple, edges)), "line {}".format).build("any", trouble=trouble)
    assert [note.split(":")[0] for note in notes] == ["line 1", "line 8"]


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


def test_p_values_stand_in_every_cell_but_those_of_a_system_with_itself():
    pytest.importorskip("matplotlib")
    from hierpair.plots import SignificanceDisplay

    axes = SignificanceDisplay.from_comparison(compared(), "hf").ax_
    cells = {text.get_position() for text in axes.texts if text.get_text()[:1] in [*"1.<"]}
    assert cells == {(0, 1), (1, 0)}


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
