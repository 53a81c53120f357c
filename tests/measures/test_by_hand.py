"""Values, remarks and evidence of measures that are worked out by hand, and files of costs."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hierpair import (
    BadInput,
    Hierarchy,
    LabelSets,
    explain,
    pair_measure,
    score,
)
from hierpair.cli import main
from hierpair.io.class_tables import CostTable
from hierpair.metrics import level_f1_score
from hierpair.pairing import (
    CosineDistance,
    Degree,
    Hops,
    MaxDistance,
    Rule,
    Unmatched,
)
from tests import effort
from tests.everything import random_problem
from tests.measures.test_published import COSTS, cost_case
from tests.scoring import pooled, values
from tests.strategies import problems

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("c", "e")])


@pytest.mark.parametrize(("text", "true", "said", "value"), [
    ("weighted_unifrac(at_level=1)", ["c", "d", "a"], ["a"], 0),  # thirds add up to 1 to the bit
    ("mistake_severity", ["c"], ["c"], math.nan), ("mistake_severity(zero_division=0)", ["c"], ["c"], 0),
    ("mistake_severity", ["e"], ["b"], 3), ("lca_depth_share", ["e", "b"], ["d"], 1 / 3),
    ("specificity", ["d"], ["d", "e"], 0.75), ("gie(max_distance=0)", ["a", "c"], ["a", "d"], 10),
    ("constrained_f", ["c"], ["c"], 0), ("constrained_f", ["a", "c"], ["a", "c"], 1),
    ("best_match_average(cost=hops,default=5)", ["c", "d"], ["e"], (0.8 + (0.8 + 0.4) / 2) / 2),
    ("contribution_precision(zero_division=1)", [], [], 1), ("shortest_path", ["c"], [], 2),
])  # fmt: skip
def test_values_by_hand(text, true, said, value):
    [got] = score(TREE, [true], {"s": [said]}, text).per_instance["s"][:, 0]
    assert got == pytest.approx(value, abs=1e-15, nan_ok=True)


def test_what_an_explanation_shows():
    (why,) = explain(TREE, [["c", "b"]], [["d"]], "best_match_average(cost=hops,default=5)")
    assert why.value == pytest.approx((0.6 + (0.6 + 0.4) / 2) / 2)
    fields = [(f.name, f.classes, f.numbers, f.predicted, f.true) for f in why.evidence.fields]
    assert fields[3:6] == [
        ("common ancestor", ("a",), (), ("d",), ("c",)),
        ("cost for the prediction", ("d",), (2.0,), ("d",), ("c",)),
        ("cost for the truth", ("c",), (2.0,), ("d",), ("c",)),
    ]
    assert dict(why.evidence.counts) == {"cost_pred": 2.0, "cost_true": 5.0}
    why = explain(TREE, ["e"], ["b"], "mistake_severity")[0]
    assert (why.value, why.evidence.cost, why.evidence.optimal) == (3, 3, True)
    why = explain(TREE, [["e", "b"]], [["d"]], "lca_depth_share")[0]
    shared, true = why.evidence.fields[-2:]
    assert dict(why.evidence.counts) == {"shared_depth": shared.total, "true_depth": true.total}
    assert "a (1)" in why.to_text()


def test_a_truth_without_ancestors_is_told():
    for name, value in (("constrained_f", 1 / 2), ("scaled_path_f", 0)):
        scores = score(TREE, [["e"], ["a"]], {"s": [["e"], ["a"]]}, [name])
        assert f"s, {name}: the true set lacks ancestors of its labels" in str(scores)
        assert "(1 instance)" in str(scores)
        assert scores["s", name] == value
    assert "lacks" not in str(score(TREE, [["a", "c"]], {"s": [["c"]]}, ["constrained_f"]))


def test_classes_of_a_level_that_are_never_seen():
    for truth, guess, classes, value in (
        ([["a", "c"], ["b"]], [["a", "d"], ["b"]], "seen", 0), ([["c"]], [["c"]], "seen", 1),
        ([["c"]], [["c"]], "all", 1 / 2),
    ):  # fmt: skip
        options = {"at_level": 2, "average": "macro", "classes": classes}
        assert level_f1_score(truth, guess, TREE, **options) == value
    each = level_f1_score([["c"]], [["c"]], TREE, at_level=1, average=None, augment="ancestors")
    assert {n for n, x in zip(TREE.names, each, strict=True) if x == 1} == {"a"}


@pytest.mark.parametrize("ancestors", [True, False])
def test_what_does_not_count_is_cut_as_from_sets(ancestors):
    """Of single labels on a tree counts are sets, and shares are counts, whatever is left out."""
    tree, *_ = random_problem("tree", 1).fresh()
    rng = np.random.default_rng(1)
    names = list(tree.names)
    truth, said = ([[x] for x in rng.choice(names[1:], 40)] for _ in range(2))
    known = [rng.choice(names, rng.integers(0, 3), replace=False).tolist() for _ in truth]
    for how in ({"ignore": known, "ignore_ancestors": ancestors}, {"classes": names[2:15]}):
        found = score(tree, truth, {"s": said}, ["hf", "count_f", "normalised_unifrac"], **how)
        sets, counts, shares = found.per_instance["s"].T
        assert counts == pytest.approx(sets, nan_ok=True)
        assert 1 - shares == pytest.approx(sets, nan_ok=True)


@pytest.mark.parametrize("form", [list, np.array])
def test_levels_of_independent_heads_become_label_sets(form):
    """A column per level; predictions need not be paths, and a blank is no class."""
    tree = Hierarchy.from_edges(
        [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("c", "f"), ("d", "g")]
    )
    truth = LabelSets.from_levels(form([["a", "c", "f"], ["b", "e", ""]]), tree, each=True)
    guess = LabelSets.from_levels(form([["b", "c", "f"], ["", "e", "g"]]), tree, each=True)
    assert values("point_overlap", tree, truth, guess) == [2 / 3, 1 / 2]
    assert values("full_path_accuracy", tree, truth, truth) == [1, 1]
    assert values("tree_inconsistency", tree, truth, guess) == [1, 1]
    frame = pytest.importorskip("pandas").DataFrame([["a", "d", None]], columns=[1, 2, 3])
    assert LabelSets.from_levels(frame, tree, each=True).names_of(0, tree) == ["a", "d"]
    with pytest.raises(BadInput, match="instance 1: class 'x' is not"):
        LabelSets.from_levels([["a"], ["x"]], tree, each=True)


def test_a_largest_distance_of_zero_pairs_equal_classes_only():
    @pair_measure()
    def equal_only(default: float = 5) -> Rule:
        "Only equal classes are partners."
        return Rule(Hops(), (
            Degree("predicted", 1, 1), Unmatched("predicted", default),
            Degree("true", 1, 1), Unmatched("true", default), MaxDistance(0),
        ))  # fmt: skip

    found = score(TREE, [["a", "c"]], {"s": [["a", "d"]]}, ["equal_only", "gie(max_distance=0)"])
    assert found.values.tolist() == [[10.0, 10.0]]


# ----------------------------------------------------------------------------- costs of pairs


@given(problems(instances=4, single_root=True), st.randoms(use_true_random=False))
@settings(max_examples=effort.cases(100), deadline=None)
def test_category_similarity_is_eq_17(problem, random):
    """Con = (CS - ACS) / (1 - ACS), ACS over all pairs of classes; a zero vector is like nothing."""
    hierarchy, _, y_true, y_pred = problem
    names = [c for c in hierarchy.names if c not in hierarchy.roots]
    assume(len(names) > 1)
    rows = {c: [random.choice([0, 0, 1, 2, 3]) for _ in range(3)] for c in hierarchy.names}

    def cs(a, b):
        lengths = [math.sqrt(sum(x * x for x in rows[c])) for c in (a, b)]
        if not all(lengths):
            return 0.0
        return sum(x * y for x, y in zip(rows[a], rows[b], strict=True)) / math.prod(lengths)

    pairs = list(itertools.combinations(names, 2))
    acs = sum(cs(a, b) for a, b in pairs) / len(pairs)
    cost = CosineDistance(np.array([rows[c] for c in hierarchy.names], dtype=float))
    if acs > 1 - 1e-9:
        with pytest.raises(BadInput, match="all classes are alike"):
            values("contribution_f", hierarchy, y_true, y_pred, cost=cost, theta="mean")
        return
    tp = fp = fn = con = 0
    for t, p in zip(map(set, y_true), map(set, y_pred), strict=True):
        t, p = t & set(names), p & set(names)  # noqa: PLW2901
        worth = {c: sum((cs(c, x) - acs) / (1 - acs) for x in (t if c in p else p)) for c in t ^ p}
        tp, fp, fn = tp + len(t & p), fp + len(p - t), fn + len(t - p)
        con += sum(max(-1, min(1, x)) for x in worth.values())
    n = len(names) * len(y_true)
    got = pooled("contribution_error", hierarchy, y_true, y_pred, cost=cost, theta="mean")
    assert got == pytest.approx((fp + fn - con) / n, abs=1e-9)


@pytest.mark.parametrize("form", ["square", "csv", "long"])
def test_costs_from_a_file(form, tmp_path):
    """The same numbers from a table and from a list, on the command line too."""
    tree, names, _, true, pred = cost_case()
    rows = COSTS["cost[true][pred]"]
    mark = "," if form == "csv" else "\t"
    if form == "long":
        lines = ["true\tpredicted\tcost"] + [
            f"{t}\t{p}\t{rows[i][j]}"
            for i, t in enumerate(names) for j, p in enumerate(names) if i != j
        ]  # fmt: skip
    else:
        lines = [mark.join(["", *names])]
        lines += [mark.join([t, *row]) for t, row in zip(names, rows, strict=True)]
    path = tmp_path / ("costs.csv" if form == "csv" else "costs.tsv")
    path.write_text("\n".join(lines))
    text = f"matrix({str(path)!r})"
    for name, key in (("total_cost", "total"), ("mean_cost", "mean"),
                      ("normalised_cost", "normalised_by_worst_case")):  # fmt: skip
        assert pooled(name, tree, true, pred, cost=text) == float(Fraction(COSTS[key]))
    (tmp_path / "tree.tsv").write_text("".join(f"root\t{name}\n" for name in names))
    for side, labels in (("true", true), ("pred", pred)):
        (tmp_path / f"{side}.tsv").write_text(
            "".join(f"{i}\t{label}\n" for i, label in enumerate(labels))
        )
    files = [str(tmp_path / f"{name}.tsv") for name in ("tree", "true", "pred")]
    out = tmp_path / "out.csv"
    code = main(["score", *files, "-m", "total_cost", "-m", "normalised_cost", "--set", f"cost={text}",
                 "--format", "csv", "-o", str(out), "-q"])  # fmt: skip
    assert code == 0
    found = out.read_text()
    assert ",12.0" in found
    assert f",{2 / 7}" in found


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


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_mean_distance_of_vectors_is_that_of_all_pairs(n):
    vectors = np.random.default_rng(n).random((len(TREE), 3))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    some = np.arange(n)
    wanted = np.mean([1 - unit[i] @ unit[j] for i in some for j in some if i != j])
    assert CosineDistance(vectors).mean_between(TREE, some) == pytest.approx(wanted)
