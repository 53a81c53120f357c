"""Values, remarks and evidence by hand; amounts that labels come with; costs of vectors and files."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, LabelSets, explain, score
from hierpair.io import read_labels
from hierpair.io.class_tables import CostTable
from hierpair.labels import Columns
from hierpair.measures import measure
from hierpair.pairing import CosineDistance
from tests import effort
from tests.everything import random_problem
from tests.measures.test_definitions import Data
from tests.measures.test_published import COSTS, cost_case
from tests.oracles.classes import Classes
from tests.oracles.measures import values as by_definition
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
        told = f"s, {name}: the true set lacks ancestors of its labels"
        assert told in str(scores)
        assert "(1 instance)" in str(scores)
        assert scores["s", name] == value
    assert "lacks" not in str(score(TREE, [["a", "c"]], {"s": [["c"]]}, ["constrained_f"]))


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


# -------------------------------------------------------------- amounts that labels come with

SHAPES = {
    "tree": {}, "forest": {"roots": 3}, "DAG": {"parents": 3},
    "edge lengths": {"weights": (0.5, 1.0, 2.25)},
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_amounts_that_labels_come_with(shape, tmp_path):
    """In every form, against shares of their sum; unweighted UniFrac and hF see only which."""
    problem, rng = random_problem(shape, 5, **SHAPES[shape]), np.random.default_rng(5)
    tree, h = problem.fresh()[0], Classes(problem.edges, problem.classes)
    sides = [
        {f"i{k}": {c: float(rng.integers(1, 9)) for c in labels} for k, labels in enumerate(side)}
        for side in (problem.y_true, problem.y_pred)
    ]
    truth, said = (LabelSets.from_amounts(side, tree) for side in sides)
    options = "lengths=weights" if shape == "edge lengths" else "lengths=depth"
    names = [f"{x}_unifrac({options})" for x in ("weighted", "normalised", "unweighted")]
    names += ["bray_curtis(at_level=1)", "abundance_l1(at_level=2)", "count_f", "hf"]
    found = score(tree, truth, {"s": said}, names).per_instance["s"]
    rows = list(zip(*(side.values() for side in sides), strict=True))
    for name, got in zip(names, found.T, strict=True):
        m = measure(name)
        wanted, _ = by_definition(m.definition.name, h, rows, m.options, Data(h, problem.y_true))
        assert got == pytest.approx([float(x) for x in wanted], abs=1e-9), name
    cells = [(i, c, v) for i, of in sides[1].items() for c, v in of.items()]
    cells = [cells[k] for k in rng.permutation(len(cells))]
    cells += [(i, "", "") for i, of in sides[1].items() if not of]
    path = tmp_path / "said.csv"
    path.write_text("".join(f"{i},{c},{v}\n" for i, c, v in [("id", "label", "share"), *cells]))
    read = read_labels(path, tree, columns=Columns(long=True, score="share", amounts=True))
    assert score(tree, truth, {"s": read}, names).per_instance["s"].tolist() == found.tolist()


def test_amounts_are_checked():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    for bad in (-1, float("nan"), float("inf"), "much", None, True):
        with pytest.raises(BadInput, match="instance 'x', class 'a': an amount must be a number"):
            LabelSets.from_amounts({"x": {"b": 1, "a": bad}}, tree)
    sets = LabelSets.from_amounts([{"a": 0, "b": 2}], tree)
    assert (sets.names_of(0, tree), sets.amounts.tolist()) == (["b"], [2.0])
    with pytest.raises(BadInput, match="here they have even shares; weighted_unifrac takes"):
        score(tree, sets, {"s": ["a"]}, "tree_wasserstein")


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
    """The same numbers from a table and from a list."""
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
