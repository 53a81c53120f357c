"""Measures by depth, descendants and costs against vectors, references and laws."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hierpair import (
    AncestorDifference,
    BadInput,
    CostMatrix,
    DecayedEdges,
    Hierarchy,
    Infeasible,
    measure,
)
from hierpair.hierarchy import DEPTHS
from hierpair.pairing import max_costs
from tests import effort
from tests.oracles import pairs_and_sets as reference
from tests.oracles import reviewed as slow
from tests.scoring import all_pairs_of, pooled, values, vectors
from tests.strategies import dags, problems

# ---------------------------------------------------------------------------------- depth

DEPTH, DEPTH_NAMES, DEPTH_TREE = vectors("depth_weights")


@pytest.mark.parametrize("scheme", [s for s in DEPTH["schemes"] if "w0" in s], ids=str)
def test_depth_weight_vectors(scheme):
    """Weighted paths, weighted symmetric differences and Euclidean distances, both forms of w."""
    w0 = Fraction(scheme["w0"])
    scale = 1 if scheme["form"].endswith("depth(child)") else w0
    cost = all_pairs_of(DEPTH_TREE, DEPTH_NAMES)(DecayedEdges(float(w0)))
    for i, u in enumerate(DEPTH_NAMES):
        for j, v in enumerate(DEPTH_NAMES):
            want = float(Fraction(scheme["distance_matrix"][i][j]) * scale)
            assert cost[u, v] == want
            assert values("depth_loss", DEPTH_TREE, [u], [v], w0=float(w0)) == [want]
    euclidean = values("depth_euclidean", DEPTH_TREE, ["1.1"], ["2.1"], w0=float(w0))
    assert euclidean[0] == pytest.approx(
        scheme["weighted_euclidean(3,5)"] * math.sqrt(scale), abs=1e-15
    )


@pytest.mark.parametrize("scheme", [s for s in DEPTH["schemes"] if "level_weights" in s], ids=str)
def test_normalised_level_weights(scheme):
    """A chain of each depth beside another: the loss of a class against the root is its weights."""
    want = [Fraction(w) for w in scheme["level_weights"]]
    chains = [(f"{a}{i}" if i else "r", f"{a}{i + 1}") for a in "ab" for i in range(len(want))]
    tree = Hierarchy.from_edges(chains)
    for level in range(1, len(want) + 1):
        got = values("depth_loss", tree, ["r"], [f"a{level}"], w0=0.5, normalise="max-path")
        assert got == [pytest.approx(float(sum(want[:level])), abs=1e-15)]
    deep = f"a{len(want)}", f"b{len(want)}"
    assert values("depth_accuracy", tree, [deep[0]], [deep[1]], w0=0.5) == [0]
    cost = DecayedEdges(0.5, normalise="max-path")
    assert all_pairs_of(tree, deep)(cost)[deep] == 1


@given(problems(), st.sampled_from(DEPTHS), st.sampled_from([0.5, 0.75, 1]),
       st.sampled_from(["none", "max-path", "path"]), st.sampled_from(["exclude", "include"]))  # fmt: skip
@settings(max_examples=effort.cases(250), deadline=None)
def test_depth_measures_against_python_sets(problem, depth, w0, normalise, root):
    hierarchy, edges, y_true, y_pred = problem
    names = list(hierarchy.names)
    weight = slow.depth_weight(edges, names, Fraction(w0), depth)
    roots = reference.roots_of(edges, names)
    left_out = roots if root == "exclude" and len(roots) == 1 else set()
    heaviest = max(
        sum(weight[a] for a in slow.ancestors(edges, names, c) - left_out) for c in names
    )
    options = {"depth": depth, "w0": w0, "root": root}
    loss = values("depth_loss", hierarchy, y_true, y_pred, normalise=normalise, **options)
    accuracy = values("depth_accuracy", hierarchy, y_true, y_pred, normalise=normalise, **options)
    euclidean = values("depth_euclidean", hierarchy, y_true, y_pred, **options)
    for i, (true, pred) in enumerate(zip(y_true, y_pred, strict=True)):
        t, p = (reference.ancestor_sets(edges, side) - left_out for side in (true, pred))
        differ, both = (sum(weight[c] for c in s) for s in (t ^ p, t & p))
        worst = {"none": 1, "max-path": 2 * heaviest, "path": differ + 2 * both}[normalise]
        want = float(differ / worst) if worst else 0
        assert loss[i] == pytest.approx(want, abs=1e-12)
        assert accuracy[i] == 1 - loss[i]
        assert euclidean[i] == pytest.approx(math.sqrt(differ), abs=1e-12)
        if normalise == "path":
            assert 0 <= loss[i] <= 1 + 1e-12


@given(dags(), st.sampled_from(["none", "max-path", "path"]), st.sampled_from(DEPTHS),
       st.sampled_from([0.5, 1]))  # fmt: skip
@settings(max_examples=effort.cases(100), deadline=None)
def test_in_dags_the_loss_of_single_classes_is_the_cost_by_ancestors(dag, normalise, depth, w0):
    edges, names = dag
    hierarchy = Hierarchy.from_edges(edges, classes=names, roots="any")
    cost = all_pairs_of(hierarchy, names)(AncestorDifference(w0, depth, normalise))
    true, pred = ([[side] for side in column] for column in zip(*cost, strict=True))
    options = {"w0": w0, "depth": depth, "normalise": normalise}
    got = values("depth_loss", hierarchy, true, pred, **options)
    assert got == pytest.approx(list(cost.values()), abs=1e-12)
    assert all(cost[c, c] == 0 for c in names)
    assert all(cost[u, v] == cost[v, u] for u, v in cost)
    if normalise == "none":
        for u, v, w in itertools.product(names[:4], repeat=3):
            assert cost[u, w] <= cost[u, v] + cost[v, w] + 1e-12


@given(problems(), st.sampled_from(["ones", "sibling", "subtree"]),
       st.sampled_from(["exclude", "include"]))  # fmt: skip
@settings(max_examples=effort.cases(250), deadline=None)
def test_h_loss_against_python_sets(problem, costs, root):
    hierarchy, edges, y_true, y_pred = problem
    names = list(hierarchy.names)
    roots = reference.roots_of(edges, names)
    left_out = roots if root == "exclude" and len(roots) == 1 else set()
    cost = {
        "ones": dict.fromkeys(names, 1),
        "sibling": slow.sibling_cost(edges, names),
        "subtree": {c: Fraction(len(slow.descendants(edges, names, c)), len(names)) for c in names},
    }[costs]
    got = values("h_loss", hierarchy, y_true, y_pred, costs=costs, root=root)
    want = [
        slow.h_loss(edges, names, t, p, cost, left_out) for t, p in zip(y_true, y_pred, strict=True)
    ]
    assert got == pytest.approx([float(x) for x in want], abs=1e-12)
    if costs == "sibling":
        assert all(0 <= x <= 1 for x in got)
    if costs == "ones" and hierarchy.shape != "DAG":
        options = {"augment": "pruned", "root": root}
        assert got == values("symmetric_difference", hierarchy, y_true, y_pred, **options)


# ----------------------------------------------------------------------------- descendants


@given(problems(), st.sampled_from(["exclude", "include"]))
@settings(max_examples=effort.cases(150), deadline=None)
def test_descendant_measures_are_hp_hr_and_hf_below(problem, root):
    hierarchy, _, y_true, y_pred = problem
    pairs = (("descendant_precision", "hp"), ("descendant_recall", "hr"), ("descendant_f", "hf"))
    for name, plain in pairs:
        got = values(name, hierarchy, y_true, y_pred, root=root)
        assert got == values(plain, hierarchy, y_true, y_pred, root=root, augment="descendants")


# ---------------------------------------------------------------------------------- costs

COSTS, *_ = vectors("cost_matrix")


def cost_case():
    names = [f"c{i}" for i in COSTS["classes"]]
    tree = Hierarchy.from_edges([("root", name) for name in names])
    costs = np.zeros((len(tree), len(tree)))
    order = tree.index(names)
    costs[np.ix_(order, order)] = [[float(x) for x in row] for row in COSTS["cost[true][pred]"]]
    true, pred = ([f"c{i}" for i in COSTS[side]] for side in ("true", "pred"))
    return tree, names, costs, true, pred


def test_cost_matrix_vectors():
    tree, _, costs, true, pred = cost_case()
    cost = CostMatrix(costs.T)  # the vectors are by true and predicted class
    assert pooled("total_cost", tree, true, pred, cost=cost) == float(COSTS["total"])
    assert pooled("mean_cost", tree, true, pred, cost=cost) == float(Fraction(COSTS["mean"]))
    want = float(Fraction(COSTS["normalised_by_worst_case"]))
    assert pooled("normalised_cost", tree, true, pred, cost=cost) == want

    def cost_of(pairs):
        return costs[pairs.true, pairs.predicted]

    assert pooled("normalised_cost", tree, true, pred, cost=cost_of) == want


@pytest.mark.parametrize("form", ["square", "csv", "long"])
def test_costs_from_a_file(form, tmp_path):
    """The same numbers from a table and from a list, on the command line too."""
    from hierpair.cli import main

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


@given(problems(instances=3, single_root=True), st.randoms(use_true_random=False))
@settings(max_examples=effort.cases(75), deadline=None)
def test_normalised_cost_against_rows(problem, random):
    hierarchy, _, y_true, y_pred = problem
    n = len(hierarchy)
    assume(n > 1)
    costs = np.array([[random.randint(0, 9) * (i != j) for j in range(n)] for i in range(n)])
    singles = [(t[0], p[0]) for t, p in zip(y_true, y_pred, strict=True) if t and p]
    assume(singles)
    true, pred = map(list, zip(*singles, strict=True))
    place = hierarchy.position
    total = sum(int(costs[place[t], place[p]]) for t, p in singles)
    worst = sum(int(costs[place[t]].max()) for t in true)
    for cost in (CostMatrix(costs.T), lambda pairs: costs[pairs.true, pairs.predicted]):
        got = pooled("normalised_cost", hierarchy, true, pred, cost=cost)
        assert got == (total / worst if worst else 0)


def test_being_right_must_be_free():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    with pytest.raises(BadInput, match="the cost of predicting 'a' where it is true is 1"):
        values("mean_cost", tree, ["b", "a"], ["b", "a"], cost=CostMatrix(np.diag([0, 1, 0])))
    with pytest.raises(Infeasible):
        values("mean_cost", tree, [["a", "b"]], [["a"]])
    for odd in (-2.0, math.nan):
        costs = np.zeros((3, 3))
        costs[tree.index(["b"]), tree.index(["a"])] = odd
        with pytest.raises(BadInput, match=rf"the cost {odd} from CostMatrix; a cost must be"):
            values("mean_cost", tree, ["a"], ["b"], cost=CostMatrix(costs))


def test_largest_costs_are_looked_for_within_reason(monkeypatch):
    tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("r", "c")])
    found = max_costs(measure("gie").recipe.rule.cost, tree, tree.index(["b", "c", "b"]))
    assert found.tolist() == [3, 3, 3]
    monkeypatch.setattr("hierpair.pairing.costs.MOST_PAIRS", 3)
    with pytest.raises(BadInput, match="give the costs as a matrix"):
        pooled("normalised_cost", tree, ["b"], ["c"])
