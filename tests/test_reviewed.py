"""The reviewed families against published vectors, slow references and laws."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hierpair import (
    AncestorDifference,
    BadInput,
    CosineDistance,
    DecayedEdges,
    Hierarchy,
    Infeasible,
    LabelSets,
    Lin,
    Pairs,
    PriceMatrix,
    Resnik,
    WuPalmer,
    contributions_by_class,
    explain,
    measure,
    score,
)
from hierpair.evaluate import default_measures
from hierpair.hierarchy import DEPTHS, depth_weights
from hierpair.measures import REGISTRY, Batch, SetRecipe
from hierpair.pairing import worst_prices

from . import reference
from . import reference_reviewed as slow
from .strategies import dags, problems

DATA = Path(__file__).parent / "data" / "probabilistic"
CON = ("con_precision", "con_recall", "con_f", "con_accuracy", "con_error")
OF = {
    "con_precision": slow.precision,
    "con_recall": slow.recall,
    "con_f": slow.f,
    "con_accuracy": slow.accuracy,
    "con_error": slow.error,
}


def vectors(name):
    data = json.loads((DATA / f"{name}.json").read_text())
    if "parents" not in data:
        return data, None, None
    names = data["names"]
    edges = [(names[p], names[c]) for c, p in enumerate(data["parents"]) if p is not None]
    return data, names, Hierarchy.from_edges(edges)


def values(name, hierarchy, y_true, y_pred, **options):
    """Per-instance values of one measure."""
    chosen = measure(name).with_options(**options)
    return score(hierarchy, y_true, {"s": y_pred}, [chosen]).per_instance["s"][:, 0].tolist()


def pooled(name, hierarchy, y_true, y_pred, **options):
    chosen = measure(name).with_options(**options)
    weight = options.pop("sample_weight", None)
    return score(hierarchy, y_true, {"s": y_pred}, [chosen], sample_weight=weight).values[0, 0]


def all_pairs_of(hierarchy, names):
    """Pairs of every true class with every predicted one, and a matrix of a price's values."""
    rows = [[u] for u in names for _ in names], [[v] for _ in names for v in names]
    sides = [LabelSets.from_labels(side, hierarchy) for side in rows]
    pairs = Pairs.between(hierarchy, sides[0], sides[1])
    return lambda price: dict(
        zip(itertools.product(names, names), np.asarray(price(pairs)).tolist(), strict=True)
    )


# ------------------------------------------------------------------------------ Sun & Lim

SUNLIM, SUNLIM_NAMES, SUNLIM_TREE = vectors("sunlim")
KEYS = {"P": "con_precision", "R": "con_recall", "Acc": "con_accuracy", "Err": "con_error"}


@pytest.mark.parametrize("case", SUNLIM["cases"], ids=[c["name"][:30] for c in SUNLIM["cases"]])
def test_sun_and_lim_vectors(case):
    """Per class, micro and macro, as exact fractions rounded once (macro: a mean of floats)."""
    y_true, y_pred = (
        [[SUNLIM_NAMES[i] for i in row] for row in case[side]] for side in ("true", "pred")
    )
    theta = case.get("Dis_theta", 2)
    for key, name in KEYS.items():
        options = {"theta": theta, "classes": "all"}
        got = pooled(name, SUNLIM_TREE, y_true, y_pred, average="micro", **options)
        assert got == float(Fraction(case["micro"][key]["frac"]))
        macro = pooled(name, SUNLIM_TREE, y_true, y_pred, average="macro", **options)
        assert macro == pytest.approx(float(Fraction(case["macro"][key]["frac"])), abs=1e-15)
    table = contributions_by_class(y_true, y_pred, SUNLIM_TREE, theta=theta, classes="all")
    assert {SUNLIM_NAMES[i] for i in case["classes"]} == set(table)
    for number, want in case["per_class"].items():
        row = table[SUNLIM_NAMES[int(number)]]
        assert (row.tp, row.fp, row.fn, row.tn) == tuple(want[k] for k in ("TP", "FP", "FN", "TN"))
        found = (row.fp_con, row.fn_con, row.precision, row.recall, row.accuracy, row.error)
        keys = ("FpCon", "FnCon", "P", "R", "Acc", "Err")
        assert found == pytest.approx([float(Fraction(want[k]["frac"])) for k in keys], abs=1e-15)


def test_hand_check_of_eight_documents():
    """theta=2: class 1 gets 1/2 and 1/3, class 1.1 nothing; micro 1/4, 3/5 and 8/11."""
    true = ["1.1", "1.1", "1.2", "2.1", "2.1", "2.2", "2", "1"]
    pred = ["1.1", "1.2", "1", "2.2", "1.1", "2.2", "2.1", "2"]
    table = contributions_by_class(true, pred, SUNLIM_TREE, theta=2)
    assert (table["1"].precision, table["1"].recall) == (1 / 2, 1 / 3)
    assert (table["1.1"].fp_con, table["1.1"].precision, table["1.1"].recall) == (-1, 0, 0)
    for theta, want in ((2, 1 / 4), (3, 3 / 5), (4, 8 / 11)):
        for name in ("con_precision", "con_recall"):
            assert pooled(name, SUNLIM_TREE, true, pred, theta=theta) == want


def test_other_denominators_exceed_1():
    """TP = 1, FN = 1 with FnCon = 1/2: printed P is 1; without FnCon below it would be 3/2."""
    true, pred = [["2.1"], ["2.1"]], [["2.1"], ["2"]]
    row = contributions_by_class(true, pred, SUNLIM_TREE, theta=2)["2.1"]
    assert (row.tp, row.fp, row.fn, row.fp_con, row.fn_con) == (1, 0, 1, 0, 0.5)
    assert row.precision == 1
    for alpha, beta in ((0, 0), (1, 0)):
        assert share_of(row, alpha, beta) == 1.5


def share_of(row, alpha, beta):
    """What was earned, divided by TP + FP + alpha FpCon + beta FnCon."""
    below = row.tp + row.fp + alpha * row.fp_con + beta * row.fn_con
    return max(0, row.tp + row.fp_con + row.fn_con) / below if below > 0 else 0


@given(st.floats(-2, 3), st.floats(-3, 4).filter(lambda b: abs(b - 1) > 1e-3))
@settings(max_examples=500, deadline=None)
def test_without_all_of_fn_con_below_precision_exceeds_1(alpha, beta):
    """Whatever FpCon is multiplied by: near misses exceed 1 if beta < 1, far ones if beta > 1."""
    right = [["2.1"]] * (2 + math.ceil(abs(beta)))
    near = [["2.1"], *right], [["2"], *right]
    far = [["2.1"], *right], [["1.1"], *right]
    for rows, exceeds in ((near, beta < 1), (far, beta > 1)):
        row = contributions_by_class(*rows, SUNLIM_TREE, theta=2)["2.1"]
        assert row.precision == share_of(row, 0, 1) <= 1
        assert (share_of(row, alpha, beta) > 1) == exceeds


@given(problems(instances=4), st.floats(0.5, 8))
@settings(max_examples=200, deadline=None)
def test_precision_of_every_class_is_within_1(problem, theta):
    """The printed denominator is larger than what was earned, since FpCon is at most FP."""
    hierarchy, _, y_true, y_pred = problem
    for row in contributions_by_class(y_true, y_pred, hierarchy, theta=theta).values():
        assert abs(row.fp_con) <= row.fp + 1e-12
        assert abs(row.fn_con) <= row.fn + 1e-12
        assert row.tp + row.fp_con + row.fn_con <= row.tp + row.fp + row.fn_con + 1e-12
        assert 0 <= row.precision <= 1
        assert 0 <= row.recall <= 1
        assert -1 <= row.accuracy <= 1


@given(
    problems(instances=4), st.sampled_from([1, 2, 3, 2.5]), st.sampled_from(["exclude", "include"])
)
@settings(max_examples=700, deadline=None)
def test_contributions_against_loops(problem, theta, root):
    hierarchy, edges, y_true, y_pred = problem
    roots = reference.roots_of(edges, hierarchy.names)
    left_out = roots if root == "exclude" and len(roots) == 1 else set()
    classes = [c for c in hierarchy.names if c not in left_out]
    rows = list(zip(y_true, y_pred, strict=True))

    def price(u, v):
        return slow.hops(edges, u, v)

    table = slow.contributions(rows, classes, price, theta)
    options = {"theta": theta, "root": root}
    every = list(table.values())
    seen = [row for row in every if any(row[:3])]
    for name, formula in OF.items():
        wanted = [
            float(formula(*slow.summed(slow.contributions([row], classes, price, theta))))
            if classes else float(formula(0, 0, 0, 0, 0, 0))
            for row in rows
        ]  # fmt: skip
        assert values(name, hierarchy, y_true, y_pred, **options) == pytest.approx(
            wanted, abs=1e-12
        )
        if not classes:
            continue
        got = pooled(name, hierarchy, y_true, y_pred, average="micro", **options)
        assert got == pytest.approx(float(formula(*slow.summed(table))), abs=1e-12)
        for which, rows_ in (("all", every), ("seen", seen)):
            if rows_:
                got = pooled(
                    name, hierarchy, y_true, y_pred, average="macro", classes=which, **options
                )
                mean = sum(formula(*row) for row in rows_) / len(rows_)
                assert got == pytest.approx(float(mean), abs=1e-12)


@given(problems(instances=4), st.floats(0.1, 8), st.randoms(use_true_random=False))
@settings(max_examples=400, deadline=None)
def test_contributions_stay_in_their_bounds(problem, theta, random):
    """P, R and F never leave [0, 1], whatever the prices; Acc is in [-1, 1], Err in [0, 2]."""
    hierarchy, _, y_true, y_pred = problem
    n = len(hierarchy)
    prices = np.array([[random.random() * 5 * (i != j) for j in range(n)] for i in range(n)])
    for name in CON:
        low, high = {"con_accuracy": (-1, 1), "con_error": (0, 2)}.get(name, (0, 1))
        for average in ("micro", "macro", "weighted", "samples"):
            options = {"theta": theta, "price": PriceMatrix(prices), "average": average}
            chosen = measure(name).with_options(**options)
            scores = score(hierarchy, y_true, {"s": y_pred}, [chosen])
            found = [*scores.values.ravel(), *scores.per_instance["s"].ravel()]
            assert all(low - 1e-12 <= x <= high + 1e-12 for x in found)
            if low == 0 and high == 1:
                assert all(0 <= x <= 1 for x in found)


@given(problems(instances=3), st.sampled_from(CON), st.floats(0.2, 6), st.floats(0, 3))
@settings(max_examples=400, deadline=None)
def test_contributions_are_monotone_in_distance(problem, name, theta, more):
    """A larger acceptable distance, which is all distances nearer, never makes a value worse."""
    hierarchy, _, y_true, y_pred = problem
    sign = 1 if REGISTRY[name].direction == "higher" else -1
    near = values(name, hierarchy, y_true, y_pred, theta=theta + more)
    far = values(name, hierarchy, y_true, y_pred, theta=theta)
    assert all(sign * (a - b) >= -1e-12 for a, b in zip(near, far, strict=True))


@given(problems(instances=3), st.sampled_from(CON), st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_contributions_are_monotone_in_a_single_price(problem, name, random):
    hierarchy, _, y_true, y_pred = problem
    n = len(hierarchy)
    assume(n > 1)
    prices = np.array([[random.random() * 4 * (i != j) for j in range(n)] for i in range(n)])
    u, v = random.sample(range(n), 2)
    dearer = prices.copy()
    dearer[u, v] += random.random() * 3
    sign = 1 if REGISTRY[name].direction == "higher" else -1
    a, b = (values(name, hierarchy, y_true, y_pred, price=PriceMatrix(p)) for p in (prices, dearer))
    assert all(sign * (x - y) >= -1e-12 for x, y in zip(a, b, strict=True))


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=12),
       st.sampled_from([1, 2, 3, 4]))  # fmt: skip
def test_single_label_micro_precision_is_recall(rows, theta):
    """Both are max(0, T + 2C) / (T + E + C): right, wrong and credited answers."""
    true, pred = ([SUNLIM_NAMES[k] for k in side] for side in zip(*rows, strict=True))
    p, r = (pooled(m, SUNLIM_TREE, true, pred, theta=theta) for m in CON[:2])
    right = sum(t == q for t, q in zip(true, pred, strict=True))
    credit = sum(
        max(-1, 1 - Fraction(int(SUNLIM_TREE.distance(t, q)), theta))
        for t, q in zip(true, pred, strict=True) if t != q
    )  # fmt: skip
    below = len(rows) + credit
    assert p == r == (float(max(Fraction(0), right + 2 * credit) / below) if below > 0 else 0)


@given(problems(instances=4, single_root=True), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
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
    price = CosineDistance(np.array([rows[c] for c in hierarchy.names], dtype=float))
    if acs > 1 - 1e-9:
        with pytest.raises(BadInput, match="all classes are alike"):
            values("con_f", hierarchy, y_true, y_pred, price=price, theta="mean")
        return
    rows_ = list(zip(y_true, y_pred, strict=True))
    table = slow.contributions(rows_, names, lambda a, b: 1 - cs(a, b), 1 - acs)
    for name, formula in OF.items():
        got = pooled(name, hierarchy, y_true, y_pred, price=price, theta="mean")
        if abs(slow_below(table)) > 1e-9:
            assert got == pytest.approx(float(formula(*slow.summed(table))), abs=1e-9)


def slow_below(table):
    tp, fp, fn, _, fp_con, fn_con = slow.summed(table)
    return min(abs(tp + fp + fn_con), abs(tp + fn + fp_con), key=abs)


def test_sample_weights_are_repeated_instances():
    true, pred = [["1.1"], ["2.1", "1"]], [["1.2", "2"], ["2.1"]]
    twice = [true[0], true[1], true[1]], [pred[0], pred[1], pred[1]]
    for name in CON:
        for average in ("micro", "macro", "weighted", "samples"):
            m = [measure(name, average=average, theta=3)]
            a = score(SUNLIM_TREE, true, {"s": pred}, m, sample_weight=[1, 2]).values
            b = score(SUNLIM_TREE, twice[0], {"s": twice[1]}, m).values
            assert a == pytest.approx(b, abs=1e-15)


def test_undefined_precision_is_what_zero_division_says():
    nothing = {"y_true": [["1.1"], ["1.1"]], "y_pred": [["1.1"], ["2.1"]]}
    wrong = [["1.1"]], [["2.1"]]  # nothing right, denominator 0 at theta=2
    for z, want in ((0, 0), (1, 0), (math.nan, math.nan)):
        got = values("con_precision", SUNLIM_TREE, *wrong, zero_division=z)[0]
        assert got == want or (math.isnan(got) and math.isnan(want))
    empty = [[]], [[]]
    for z in (0, 1, math.nan):
        got = values("con_precision", SUNLIM_TREE, *empty, zero_division=z)[0]
        assert got == z or (math.isnan(got) and math.isnan(z))
    assert pooled("con_precision", SUNLIM_TREE, **nothing) == 0


# ---------------------------------------------------------------------------------- depth

DEPTH, DEPTH_NAMES, DEPTH_TREE = vectors("depth_weights")


@pytest.mark.parametrize("scheme", [s for s in DEPTH["schemes"] if "w0" in s], ids=str)
def test_depth_weight_vectors(scheme):
    """Weighted paths, weighted symmetric differences and Euclidean distances, both forms of w."""
    w0 = Fraction(scheme["w0"])
    scale = 1 if scheme["form"].endswith("depth(child)") else w0
    price = all_pairs_of(DEPTH_TREE, DEPTH_NAMES)(DecayedEdges(float(w0)))
    for i, u in enumerate(DEPTH_NAMES):
        for j, v in enumerate(DEPTH_NAMES):
            want = float(Fraction(scheme["distance_matrix"][i][j]) * scale)
            assert price[u, v] == want
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
    price = DecayedEdges(0.5, normalise="max-path")
    assert all_pairs_of(tree, deep)(price)[deep] == 1


def test_depth_of_a_dag():
    data = DEPTH["dag"]
    names = [f"c{i}" for i in range(len(data["parents"]))]
    edges = [(f"c{p}", f"c{c}") for c, above in enumerate(data["parents"]) for p in above]
    dag = Hierarchy.from_edges(edges)
    order = dag.index(names)
    assert dag.depths[order].tolist() == data["depth_min"]
    assert dag.levels[order].tolist() == data["depth_max"]
    for depth, want in data["weights w0=0.75 (top level 0.75)"].items():
        same = {"minw": "max", "maxw": "min"}.get(depth, depth)
        assert depth_weights(dag, 0.75, same)[order].tolist() == [1, *want]


@given(problems(), st.sampled_from(DEPTHS), st.sampled_from([0.5, 0.75, 1]),
       st.sampled_from(["none", "max-path", "path"]), st.sampled_from(["exclude", "include"]))  # fmt: skip
@settings(max_examples=500, deadline=None)
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


def test_per_path_normalisation_ignores_unequal_depth():
    """Two leaves of different branches are wholly wrong, at whatever depth they lie."""
    tree = Hierarchy.from_edges(
        [("r", "a"), ("r", "b"), ("r", "c"), ("c", "d"), ("d", "e"), ("r", "f"), ("f", "g")]
    )
    shallow, deep = ("a", "b"), ("e", "g")
    for name, best in (("depth_loss", 1), ("depth_accuracy", 0)):
        for true, pred in (shallow, deep):
            assert values(name, tree, [true], [pred], normalise="path") == [best]
    plain = [values("depth_loss", tree, [t], [p])[0] for t, p in (shallow, deep)]
    assert plain[0] < plain[1]
    price = all_pairs_of(tree, list(tree.names))(DecayedEdges(normalise="path"))
    assert price["a", "b"] == price["e", "g"] == 1
    assert price["r", "r"] == 0
    assert max(price.values()) == 1


@given(dags(tree=True, single_root=True), st.sampled_from(["none", "max-path", "path"]))
@settings(max_examples=200, deadline=None)
def test_in_trees_the_loss_of_single_classes_is_the_price(dag, normalise):
    edges, names = dag
    tree = Hierarchy.from_edges(edges, classes=names)
    price = all_pairs_of(tree, names)(DecayedEdges(0.5, normalise=normalise))
    for (u, v), want in price.items():
        got = values("depth_loss", tree, [u], [v], w0=0.5, normalise=normalise)
        assert got == [pytest.approx(want, abs=1e-15)]


@given(dags(), st.sampled_from(["none", "max-path", "path"]), st.sampled_from(DEPTHS),
       st.sampled_from([0.5, 1]))  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_in_dags_the_loss_of_single_classes_is_the_price_by_ancestors(dag, normalise, depth, w0):
    edges, names = dag
    hierarchy = Hierarchy.from_edges(edges, classes=names)
    price = all_pairs_of(hierarchy, names)(AncestorDifference(w0, depth, normalise))
    true, pred = ([[side] for side in column] for column in zip(*price, strict=True))
    options = {"w0": w0, "depth": depth, "normalise": normalise}
    got = values("depth_loss", hierarchy, true, pred, **options)
    assert got == pytest.approx(list(price.values()), abs=1e-12)
    assert all(price[c, c] == 0 for c in names)
    assert all(price[u, v] == price[v, u] for u, v in price)
    if normalise == "none":
        for u, v, w in itertools.product(names[:4], repeat=3):
            assert price[u, w] <= price[u, v] + price[v, w] + 1e-12


@given(problems(), st.sampled_from(["ones", "sibling", "subtree"]),
       st.sampled_from(["exclude", "include"]))  # fmt: skip
@settings(max_examples=500, deadline=None)
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
        assert got == values("sdl", hierarchy, y_true, y_pred, **options)


def test_h_loss_worked_by_hand():
    """Only the first mistake of a way down counts: 1/2 for 2, none for 2.1; 1/4 for 1.1."""
    got = values("h_loss", SUNLIM_TREE, [["1.1"], ["1.1"], ["1"]], [["2.1"], ["1.2"], ["1.1"]])
    assert got == [1 / 2 + 1 / 2, 1 / 4 + 1 / 4, 1 / 4]


# ----------------------------------------------------------------------------- descendants


@given(problems(), st.sampled_from(["exclude", "include"]))
@settings(max_examples=300, deadline=None)
def test_descendant_measures_are_hp_hr_and_hf_below(problem, root):
    hierarchy, _, y_true, y_pred = problem
    pairs = (("descendant_precision", "hp"), ("descendant_recall", "hr"), ("descendant_f", "hf"))
    for name, plain in pairs:
        got = values(name, hierarchy, y_true, y_pred, root=root)
        assert got == values(plain, hierarchy, y_true, y_pred, root=root, augment="descendants")


@given(problems(), st.sampled_from(["ancestors", "descendants", "pruned", "none"]),
       st.sampled_from(["exclude", "include"]))  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_sets_of_many_classes_are_marked_to_the_same_counts(problem, augment, root):
    """Instances with very many descendants are counted by marks; here all of them are."""
    hierarchy, _, y_true, y_pred = problem
    sides = [LabelSets.from_labels(side, hierarchy) for side in (y_true, y_pred)]
    weight = np.arange(1.0, len(y_true) + 1)
    recipe = SetRecipe(augment, root, by_class=True)

    def counted():
        batch = Batch(hierarchy, *sides, weight)
        return [vars(batch.counts(r)) for r in (recipe, SetRecipe(augment, root))]

    def no_sorting(*_):
        raise AssertionError("sorted")

    usual = counted()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hierpair.measures.evidence.MANY_ENTRIES", -1)
        patch.setattr("hierpair.measures.evidence.CLASSES_PER_ENTRY", -1)
        patch.setattr("hierpair.measures.evidence._augmented", no_sorting)
        marked = counted()
    for a, b in zip(usual, marked, strict=True):
        for key, column in a.items():
            assert np.array_equal(column, b[key])


def test_ipeirotis_vectors():
    path = DATA.parent / "ipeirotis_kiritchenko.json"
    data = json.loads(path.read_text())
    names = data["names"]
    edges = [(names[p], names[c]) for c, p in enumerate(data["parents"]) if p is not None]
    tree = Hierarchy.from_edges(edges)
    true, pred = ([[names[i] for i in pair[s]] for pair in data["pairs"]] for s in ("true", "pred"))
    for family, columns in (
        ("ipeirotis", ("descendant_precision", "descendant_recall")),
        ("kiritchenko", ("hp", "hr")),
    ):
        for name, key in zip(columns, ("hP", "hR"), strict=True):
            got = values(name, tree, true, pred, zero_division=math.nan)
            for pair, value in zip(data["pairs"], got, strict=True):
                want = pair[family][key]
                assert math.isnan(value) if want is None else value == float(Fraction(want))
            micro = pooled(name, tree, true, pred, average="micro")
            assert micro == float(Fraction(data["micro_over_all_pairs"][family][key[1]]))


# ---------------------------------------------------------------------------------- costs

COSTS, *_ = vectors("cost_matrix")


def cost_case():
    names = [f"c{i}" for i in COSTS["classes"]]
    tree = Hierarchy.from_edges([("root", name) for name in names])
    prices = np.zeros((len(tree), len(tree)))
    order = tree.index(names)
    prices[np.ix_(order, order)] = [[float(x) for x in row] for row in COSTS["cost[true][pred]"]]
    true, pred = ([f"c{i}" for i in COSTS[side]] for side in ("true", "pred"))
    return tree, names, prices, true, pred


def test_cost_matrix_vectors():
    tree, _, prices, true, pred = cost_case()
    price = PriceMatrix(prices)
    assert pooled("total_cost", tree, true, pred, price=price) == float(COSTS["total"])
    assert pooled("mean_cost", tree, true, pred, price=price) == float(Fraction(COSTS["mean"]))
    want = float(Fraction(COSTS["normalised_by_worst_case"]))
    assert pooled("normalised_cost", tree, true, pred, price=price) == want

    def price_of(pairs):
        return prices[pairs.true, pairs.predicted]

    assert pooled("normalised_cost", tree, true, pred, price=price_of) == want


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
        assert pooled(name, tree, true, pred, price=text) == float(Fraction(COSTS[key]))
    (tmp_path / "tree.tsv").write_text("".join(f"root\t{name}\n" for name in names))
    for side, labels in (("true", true), ("pred", pred)):
        (tmp_path / f"{side}.tsv").write_text(
            "".join(f"{i}\t{label}\n" for i, label in enumerate(labels))
        )
    files = [str(tmp_path / f"{name}.tsv") for name in ("tree", "true", "pred")]
    out = tmp_path / "out.csv"
    code = main(["score", *files, "-m", "total_cost", "-m", "normalised_cost", "--price", text,
                 "--format", "csv", "-o", str(out), "-q"])  # fmt: skip
    assert code == 0
    found = out.read_text()
    assert ",12.0" in found
    assert f",{2 / 7}" in found


def test_a_changed_file_is_read_again(tmp_path):
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    path = tmp_path / "costs.tsv"
    for cost in (3, 14):
        path.write_text(f"true\tpredicted\tcost\na\tb\t{cost}\n")
        assert values("mean_cost", tree, ["a"], ["b"], price=f"matrix({str(path)!r})") == [cost]


@given(problems(instances=3, single_root=True), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_normalised_cost_against_rows(problem, random):
    hierarchy, _, y_true, y_pred = problem
    n = len(hierarchy)
    assume(n > 1)
    prices = np.array([[random.randint(0, 9) * (i != j) for j in range(n)] for i in range(n)])
    singles = [(t[0], p[0]) for t, p in zip(y_true, y_pred, strict=True) if t and p]
    assume(singles)
    true, pred = map(list, zip(*singles, strict=True))
    place = hierarchy.position
    cost = sum(int(prices[place[t], place[p]]) for t, p in singles)
    worst = sum(int(prices[place[t]].max()) for t in true)
    for price in (PriceMatrix(prices), lambda pairs: prices[pairs.true, pairs.predicted]):
        got = pooled("normalised_cost", hierarchy, true, pred, price=price)
        assert got == (cost / worst if worst else 0)


def test_being_right_must_be_free():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    with pytest.raises(BadInput, match="the price of predicting 'a' where it is true is 1"):
        values("mean_cost", tree, ["b", "a"], ["b", "a"], price=PriceMatrix(np.diag([0, 1, 0])))
    with pytest.raises(Infeasible):
        values("mean_cost", tree, [["a", "b"]], [["a"]])


def test_largest_prices_are_looked_for_within_reason(monkeypatch):
    tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("r", "c")])
    found = worst_prices(measure("gie").recipe.rule.price, tree, tree.index(["b", "c", "b"]))
    assert found.tolist() == [3, 3, 3]
    monkeypatch.setattr("hierpair.pairing.worst.MOST_PAIRS", 3)
    with pytest.raises(BadInput, match="give the prices as a matrix"):
        pooled("normalised_cost", tree, ["b"], ["c"])


# ----------------------------------------------------------------------------- similarities


@given(dags(max_classes=9), st.booleans())
@settings(max_examples=250, deadline=None)
def test_wu_palmer_against_all_common_ancestors(dag, deepest):
    edges, names = dag
    hierarchy = Hierarchy.from_edges(edges, classes=names)
    price = all_pairs_of(hierarchy, names)(WuPalmer("max" if deepest else "min"))
    for (u, v), got in price.items():
        assert got == pytest.approx(1 - slow.wu_palmer(edges, names, u, v, deepest), abs=1e-12)
    assert all(price[c, c] == 0 for c in names)


@given(dags(max_classes=9), st.one_of(st.none(), st.randoms(use_true_random=False)))
@settings(max_examples=250, deadline=None)
def test_lin_and_resnik_against_all_common_ancestors(dag, random):
    edges, names = dag
    hierarchy = Hierarchy.from_edges(edges, classes=names)
    parents = {p for p, _ in edges}
    if random is None:
        given_counts, counts = None, {c: int(c not in parents) for c in names}
    else:
        given_counts = counts = {c: random.randint(1, 9) for c in names}
    ic = slow.content(edges, names, counts)
    largest = max(ic.values())
    table = all_pairs_of(hierarchy, names)
    lin = table(Lin(given_counts))
    for (u, v), got in lin.items():
        shared = slow.best_shared(edges, names, ic, u, v)
        want = 0.0 if shared is None else 1.0
        if shared is not None and u != v and ic[u] + ic[v] > 0:
            want = 2 * shared / (ic[u] + ic[v])
        assert got == pytest.approx(1 - want, abs=1e-9)
    assert all(lin[c, c] == 0 for c in names)
    if largest == 0:
        with pytest.raises(BadInput, match="all information contents are 0"):
            table(Resnik(given_counts))
        return
    for (u, v), got in table(Resnik(given_counts)).items():
        shared = slow.best_shared(edges, names, ic, u, v) or 0
        assert got == pytest.approx(1 - shared / largest, abs=1e-9)


def test_similarities_worked_by_hand():
    """Leaf counts in the tree of the figure: IC(1) = log 2, IC of a leaf log 4."""
    table = all_pairs_of(SUNLIM_TREE, SUNLIM_NAMES)
    wu, lin, resnik = table(WuPalmer()), table(Lin()), table(Resnik())
    assert wu["1.1", "1.2"] == pytest.approx(1 - 4 / 6)
    assert wu["1.1", "2.1"] == pytest.approx(1 - 2 / 6)
    assert wu["1.1", "1"] == pytest.approx(1 - 4 / 5)
    assert lin["1.1", "1.2"] == pytest.approx(1 - 1 / 2)
    assert lin["1.1", "1"] == pytest.approx(1 - 2 / 3)
    assert lin["1.1", "2.1"] == 1
    assert resnik["1.1", "1.2"] == pytest.approx(1 / 2)
    assert (resnik["1.1", "1.1"], resnik["1", "1"]) == (0, pytest.approx(1 / 2))


def test_counts_and_vectors_from_files(tmp_path):
    counts = {"1.1": 6, "1.2": 2, "2.1": 1, "2.2": 3}
    (tmp_path / "counts.tsv").write_text("".join(f"{c}\t{n}\n" for c, n in counts.items()))
    (tmp_path / "dense.tsv").write_text("1.1\t1\t0\n1.2\t1\t1\n2.1\t0\t2\n")
    (tmp_path / "named.tsv").write_text("1.1\tx:1\n1.2\tx:1\ty:1\n2.1\ty:2\n")
    table = all_pairs_of(SUNLIM_TREE, ["1.1", "1.2", "2.1", "2.2"])
    for kind in (Lin, Resnik):
        assert table(kind(str(tmp_path / "counts.tsv"))) == table(kind(counts))
    rows = np.zeros((len(SUNLIM_TREE), 2))
    rows[SUNLIM_TREE.index(["1.1", "1.2", "2.1"])] = [[1, 0], [1, 1], [0, 2]]
    want = table(CosineDistance(rows))
    assert want["1.1", "2.1"] == want["1.1", "2.2"] == want["2.2", "2.2"] == 1
    assert want["1.1", "1.2"] == pytest.approx(1 - math.sqrt(0.5))
    for name in ("dense", "named"):
        path = str(tmp_path / f"{name}.tsv")
        assert table(CosineDistance(path)) == want
        text = f"cosine({path!r})"
        a = pooled("con_f", SUNLIM_TREE, ["1.1"], ["1.2"], price=text, theta="mean")
        b = pooled("con_f", SUNLIM_TREE, ["1.1"], ["1.2"], price=CosineDistance(rows), theta="mean")
        assert a == b


@pytest.mark.parametrize(
    "price", ["ancestors", "wu_palmer", "lin", "resnik", "decayed(normalise='path')"]
)
@pytest.mark.parametrize("name", ["gie", "mgia", "fnerror", "all_pairs", "con_f", "mean_cost"])
def test_every_price_works_in_every_measure_of_pairs(price, name):
    if (price, name) == ("resnik", "mean_cost"):
        with pytest.raises(BadInput, match="it must be 0"):
            values(name, SUNLIM_TREE, ["1"], ["1"], price=price)
        return
    got = values(name, SUNLIM_TREE, ["1.1", "2"], ["1.1", "2.1"], price=price)
    assert all(map(math.isfinite, got))


# ------------------------------------------------------------------------------- interfaces


def test_reviewed_measures_have_to_be_asked_for():
    families = {"contribution", "depth"}
    asked = {n for n, d in REGISTRY.items() if not d.by_default}
    assert {n for n, d in REGISTRY.items() if d.family in families} <= asked
    assert not asked & set(default_measures())
    assert {"gie", "hf"} <= set(default_measures())


@pytest.mark.parametrize("name", [n for n, d in REGISTRY.items() if not d.by_default])
def test_chunks_and_processes_give_the_same_bits(name):
    rng = np.random.default_rng(1)
    names = SUNLIM_NAMES[1:]
    true, pred = ([str(x) for x in rng.choice(names, 50)] for _ in range(2))
    m = measure(name)
    chosen = [m, *(m.with_options(average=a) for a in m.definition.averages)]
    chosen = list(dict.fromkeys(chosen))
    whole = score(SUNLIM_TREE, true, {"s": pred}, chosen)
    for other in ({"chunk": 7}, {"n_jobs": 2, "chunk": 20}):
        parts = score(SUNLIM_TREE, true, {"s": pred}, chosen, **other)
        assert (parts.values == whole.values).all()
        assert (parts.per_instance["s"] == whole.per_instance["s"]).all()


@pytest.mark.parametrize("name", [n for n, d in REGISTRY.items() if not d.by_default])
def test_reviewed_measures_are_explained(name):
    why = explain(SUNLIM_TREE, [["1.1"]], [["1.2"]], name)[0]
    assert str(why)
    assert why.to_json()
    assert why.value == values(name, SUNLIM_TREE, [["1.1"]], [["1.2"]])[0]


def test_explanations_say_what_every_class_adds():
    """With theta = 3 a sibling contributes 1 - 2/3; weights 1/4 at depth 2; a cost of 1/4 each."""
    for text, word, wanted in (
        ("con_f(theta=3)", "contribution", {"1.1": 1 / 3, "1.2": 1 / 3}),
        ("depth_loss(w0=0.5)", "weight", {"1": 1 / 2, "1.1": 1 / 4, "1.2": 1 / 4}),
        ("h_loss", "cost", {"1.1": 1 / 4, "1.2": 1 / 4}),
    ):
        why = explain(SUNLIM_TREE, [["1.1"]], [["1.2"]], text)[0]
        assert why.evidence.amount == word
        assert dict(why.evidence.amounts) == pytest.approx(wanted)
        assert f"1.2 ({wanted['1.2']:.4f})" in str(why)
        assert json.loads(why.to_json())["sets"]["amount"] == word


@given(problems(instances=1), st.sampled_from(["con_f", "depth_loss", "h_loss"]))
@settings(max_examples=150, deadline=None)
def test_what_classes_add_gives_the_value(problem, name):
    hierarchy, _, y_true, y_pred = problem
    why = explain(hierarchy, y_true, y_pred, name)[0]
    e, amount = why.evidence, dict(why.evidence.amounts)
    wrong = [sum(amount.get(c, 0) for c in side) for side in (e.only_true, e.only_predicted)]
    if name == "con_f":
        tp, fn, fp = map(len, (e.shared, e.only_true, e.only_predicted))
        want = slow.f(tp, fp, fn, 0, Fraction(wrong[1]), Fraction(wrong[0]))
    else:
        want = sum(wrong)
    assert why.value == pytest.approx(float(want), abs=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("con_f(theta=0)", "theta must be a finite number > 0 or 'mean', got 0"),
        ("con_f(theta='most')", "theta must be a finite number > 0 or 'mean'"),
        ("con_f(theta=nan)", "theta must be a finite number > 0 or 'mean'"),
        ("con_f(classes=some)", "classes must be one of 'seen', 'all'"),
        ("depth_loss(w0=0)", "w0 must be a number > 0 and ≤ 1"),
        ("depth_loss(w0=1.5)", "w0 must be a number > 0 and ≤ 1"),
        ("depth_loss(depth=median)", "depth must be one of 'min', 'max', 'mean', 'sum'"),
        ("depth_loss(normalise=yes)", "normalise must be one of 'none', 'max-path', 'path'"),
        ("h_loss(costs=free)", "costs must be one of 'sibling', 'ones', 'subtree'"),
        ("gie(price=cosine)", "the price cosine needs a file; write it like cosine('FILE')"),
        ("gie(price=matrix)", "the price matrix needs a file"),
        ("gie(price=\"matrix('no-such-file')\")", "no-such-file: there is no such file"),
        ("gie(price=\"lin('no-such-file')\")", "no-such-file: there is no such file"),
        ("gie(price=\"cosine('/')\")", "/: this is a folder"),
        ("gie(price='lin(smooth=-1)')", "smooth must be a finite number ≥ 0"),
        ("gie(price='wu_palmer(depth=1)')", "depth must be 'min' or 'max', got 1"),
        ("gie(price='decayed(normalise=1)')", "normalise must be one of"),
        ("gie(price='matrix(1,')", "cannot read the price"),
    ],
)
def test_bad_options_are_refused_by_name(text, message):
    with pytest.raises(BadInput) as caught:
        measure(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("lin", "1.1\t2\n1.1\t3\n", ":2: class '1.1' again; it is in line 1"),
        ("lin", "1.1\t2\n1.7\t3\n", ":2: class '1.7' is not in the hierarchy; did you mean"),
        ("lin", "1.1\n", ":1: expected class TAB count, got 1 fields"),
        ("lin", "1.1\tmany\n", ":1: 'many' is not a finite number"),
        ("lin", "1.1\t-1\n", ":1: the count -1 is negative"),
        ("lin", "1.1\t0\n", "all counts are 0"),
        ("lin", "1.2\t1\n", "class '1.1' and all below it have the count 0"),
        ("cosine", "1.1\t1\t2\n1.2\t1\n", ":2: 1 numbers, but 2 in lines before"),
        ("cosine", "1.1\tx:1\t2\n", ":1: expected feature:number, got '2'"),
        ("cosine", "1.1\tnan\n", ":1: 'nan' is not a finite number"),
        ("matrix", "true\tpredicted\tcost\n1.1\t1.2\n", ":2: expected true TAB predicted TAB cost"),
        ("matrix", "true\tpredicted\tcost\n1.1\t1.2\t-1\n", ":2: the price -1 is negative"),
        ("matrix", "true\tpredicted\tcost\n1.1\t1.2\t1\n1.1\t1.2\t1\n", ":3: a second price for"),
        ("matrix", "true\tpredicted\tcost\n", "there is no price in it"),
        ("matrix", "true\tpredicted\tcost\n1.2\t1.1\t1\n", "has no price for true '1.1' and"),
        ("matrix", "\t1.1\t1.1\n", ":1: the first line must name each predicted class once"),
        ("matrix", "\t1.1\t1.2\n1.1\t0\n", ":2: 1 prices for 2 predicted classes"),
        ("matrix", "\n\n", "the file holds no line"),
    ],
)
def test_broken_files_are_refused_by_line(kind, text, message, tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text(text)
    with pytest.raises(BadInput) as caught:
        values("gie", SUNLIM_TREE, ["1.1"], ["1.2"], price=f"{kind}({str(path)!r})")
    assert message in str(caught.value)


def test_prices_refuse_what_they_cannot_use():
    for make, message in (
        (lambda: Lin([1, 2]), "counts are {class: count}, the name of a file, or None"),
        (lambda: Lin({"1": -1}), "the count of class '1' must be a finite number ≥ 0"),
        (lambda: PriceMatrix(np.eye(2), other=1), "other is for prices from a file"),
    ):
        with pytest.raises(BadInput) as caught:
            make()
        assert message in str(caught.value)
    with pytest.raises(BadInput, match="theta='mean' needs a price that knows its mean"):
        values("con_f", SUNLIM_TREE, ["1"], ["2"], theta="mean")
    matrix = PriceMatrix(np.full((7, 7), 2.0) - 2 * np.eye(7))
    assert values("con_f", SUNLIM_TREE, ["1"], ["2"], theta="mean", price=matrix) == [0]
