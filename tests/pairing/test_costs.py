"""Costs of pairs: similarities, vectors, decayed edges, and files of costs."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, measure
from hierpair.pairing import (
    CosineDistance,
    CostMatrix,
    DecayedEdges,
    EdgeWeights,
    Lin,
    Pairs,
    Resnik,
    WuPalmer,
)
from tests import effort
from tests.oracles import pairs_and_sets as slow
from tests.scoring import SUNLIM_NAMES, SUNLIM_TREE, all_pairs_of, pooled, values
from tests.strategies import dags


@given(dags(max_classes=9), st.booleans())
@settings(max_examples=effort.cases(250), deadline=None)
def test_wu_palmer_against_all_common_ancestors(dag, deepest):
    edges, names = dag
    hierarchy = Hierarchy.from_edges(edges, classes=names, roots="any")
    cost = all_pairs_of(hierarchy, names)(WuPalmer("max" if deepest else "min"))
    for (u, v), got in cost.items():
        assert got == pytest.approx(1 - slow.wu_palmer(edges, names, u, v, deepest), abs=1e-12)
    assert all(cost[c, c] == 0 for c in names)


@given(dags(max_classes=9), st.one_of(st.none(), st.randoms(use_true_random=False)))
@settings(max_examples=effort.cases(250), deadline=None)
def test_lin_and_resnik_against_all_common_ancestors(dag, random):
    edges, names = dag
    hierarchy = Hierarchy.from_edges(edges, classes=names, roots="any")
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


@given(dags(max_classes=8), st.sampled_from([0.5, 0.75]), st.sampled_from(["min", "max"]))
@settings(max_examples=effort.cases(200), deadline=None)
def test_decayed_edges_against_weighted_walks(dag, w0, depth):
    edges, names = dag
    hierarchy = Hierarchy.from_edges(edges, classes=names, roots="any")
    level = hierarchy.depths if depth == "min" else hierarchy.levels
    weighted = [(p, c, w0 ** float(level[hierarchy.position[c]])) for p, c in edges]
    up = {n: slow.weighted_up_distances(weighted, n) for n in names}
    got = all_pairs_of(hierarchy, names)(DecayedEdges(w0, depth))
    want = {(u, v): slow.distance(up[u], up[v]) for u in names for v in names}
    assert got == pytest.approx(want, abs=1e-12)


def test_weights_of_edges_are_not_their_number():
    weighted = SUNLIM_TREE.with_weights(np.arange(len(SUNLIM_TREE.parents)) + 1.0)
    pairs = Pairs.of_classes(
        weighted, weighted.index(["1.1", "1.2"]), weighted.index(["1.2", "2.1"])
    )
    assert (
        EdgeWeights()(pairs).tolist() == pairs.weighted_distance.tolist() != pairs.distance.tolist()
    )
    with pytest.raises(BadInput, match="needs a hierarchy with edge weights"):
        all_pairs_of(SUNLIM_TREE, SUNLIM_NAMES)(EdgeWeights())


def test_cosine_distance():
    vectors = np.zeros((len(SUNLIM_TREE), 2))
    for name, vector in {"1.1": (1, 0), "1.2": (1, 1), "2.1": (0, 2), "2.2": (-3, 0)}.items():
        vectors[SUNLIM_TREE.position[name]] = vector
    table = all_pairs_of(SUNLIM_TREE, SUNLIM_NAMES)
    for given_vectors in (vectors, sp.csr_array(vectors)):
        got = {
            v: cost for (u, v), cost in table(CosineDistance(given_vectors)).items() if u == "1.1"
        }
        assert got == pytest.approx(
            {"1.1": 0, "1.2": 1 - math.sqrt(0.5), "2.1": 1, "2.2": 2}
            | dict.fromkeys(got.keys() - {"1.1", "1.2", "2.1", "2.2"}, 1)
        )
    for wrong, message in (
        (vectors[1:], "expected one vector per class"),
        (vectors + np.nan, "must be finite"),
    ):
        with pytest.raises(BadInput, match=message):
            table(CosineDistance(wrong))


def test_counts_and_vectors_from_files(tmp_path):
    counts = {"1.1": 6, "1.2": 2, "2.1": 1, "2.2": 3}
    (tmp_path / "counts.tsv").write_text("".join(f"{c}\t{n}\n" for c, n in counts.items()))
    (tmp_path / "dense.tsv").write_text("1.1\t1\t0\n1.2\t1\t1\n2.1\t0\t2\n")
    table = all_pairs_of(SUNLIM_TREE, ["1.1", "1.2", "2.1", "2.2"])
    for kind in (Lin, Resnik):
        assert table(kind(str(tmp_path / "counts.tsv"))) == table(kind(counts))
    rows = np.zeros((len(SUNLIM_TREE), 2))
    rows[SUNLIM_TREE.index(["1.1", "1.2", "2.1"])] = [[1, 0], [1, 1], [0, 2]]
    want = table(CosineDistance(rows))
    assert want["1.1", "2.1"] == want["1.1", "2.2"] == want["2.2", "2.2"] == 1
    assert want["1.1", "1.2"] == pytest.approx(1 - math.sqrt(0.5))
    path = str(tmp_path / "dense.tsv")
    assert table(CosineDistance(path)) == want
    text = f"cosine({path!r})"
    a = pooled("contribution_f", SUNLIM_TREE, ["1.1"], ["1.2"], cost=text, theta="mean")
    b = pooled(
        "contribution_f", SUNLIM_TREE, ["1.1"], ["1.2"], cost=CosineDistance(rows), theta="mean"
    )
    assert a == b


def test_a_users_matrix_may_be_asymmetric_exact_and_sparse():
    tree = Hierarchy.from_edges([("r", x) for x in "abc"])
    a, b = tree.index("ab")
    pairs = Pairs.of_classes(tree, tree.index("ab"), tree.index("ba"))
    exact = np.full((4, 4), Fraction(1, 3), dtype=object)
    exact[b, a] = Fraction(1, 7)
    assert CostMatrix(exact)(pairs).tolist() == [Fraction(1, 3), Fraction(1, 7)]
    sparse = sp.csr_array(([2.5], ([b], [a])), shape=(4, 4))
    assert CostMatrix(sparse)(pairs).tolist() == [0, 2.5]


def test_a_matrix_by_names():
    tree = Hierarchy.from_edges([("r", x) for x in "abc"])
    costs = {("a", "b"): 3, ("c", "a"): 2}
    matrix = CostMatrix(costs, other=7)
    costs["b", "a"] = 1  # what was given is copied
    pairs = Pairs.of_classes(tree, tree.index("abca"), tree.index("baab"))
    assert matrix(pairs).tolist() == [3, 7, 2, 3]
    assert matrix.max_cost(tree, tree.index("abc")).tolist() == [7, 7, 7]
    assert values("mean_cost", tree, ["a"], ["c"], cost=matrix)[0] == 2
    with pytest.raises(BadInput, match="no cost for true 'c' and predicted 'a'; list it, or give"):
        values("gie", tree, ["c"], ["a"], cost=CostMatrix({("a", "b"): 3}))
    for wrong, message in (
        ({("a", "x"): 1}, "'x'"),
        ({"ab": 1}, "costs by names are {(predicted, true): cost}"),
        ({("a", "b"): -1}, "a cost must be a number ≥ 0"),
    ):
        with pytest.raises(BadInput, match=re.escape(message)):
            values("gie", tree, ["b"], ["a"], cost=CostMatrix(wrong))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("contribution_f(theta=0)", "theta must be a finite number > 0 or 'mean', got 0"),
        ("depth_loss(w0=0)", "w0 must be a number > 0 and ≤ 1"),
        ("gie(cost=cosine)", "cannot read the cost 'cosine'; write it like"),
        ("gie(cost=matrix)", "cannot read the cost 'matrix'"),
        ("gie(cost=\"matrix('no-such-file')\")", "no-such-file: there is no such file"),
        ("gie(cost=\"cosine('/')\")", "/: this is a folder"),
        ("gie(cost='lin(smooth=-1)')", "smooth must be a finite number ≥ 0"),
        ("gie(cost='wu_palmer(depth=1)')", "depth must be one of 'min', 'max', got 1"),
        ("gie(cost='matrix(1,')", "cannot read the cost"),
    ],
)  # fmt: skip
def test_bad_options_are_refused_by_name(text, message):
    with pytest.raises(BadInput) as caught:
        measure(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("lin", "1.1\t2\n1.1\t3\n", ":2: class '1.1' again; it is in line 1"),
        ("lin", "1.1\t2\n1.7\t3\n", ":2: class '1.7' is not in the hierarchy"),
        ("lin", "1.1\n", ":1: expected class TAB count, got 1 field"),
        ("lin", "1.1\tmany\n", ":1: 'many' is not a finite number"),
        ("lin", "1.1\t0\n", "all counts are 0"),
        ("lin", "1.2\t1\n", "class '1.1' and all below it have the count 0"),
        ("cosine", "1.1\t1\t2\n1.2\t1\n", ":2: expected 2 numbers as in lines before, got 1 field"),
        ("cosine", "1.1\tx:1\n", ":1: 'x:1' is not a finite number"),
        ("cosine", "1.1\tnan\n", ":1: 'nan' is not a finite number"),
        ("matrix", "1.1\t1.2\t7\n1.2\t1.1\t7\n", ":1: class '7' is not in the hierarchy"),
        ("matrix", "true\tpredicted\tcost\n1.1\t1.2\n", ":2: expected true TAB predicted TAB cost, got 2 fields"),
        ("matrix", "true\tpredicted\tcost\n1.1\t1.2\t-1\n", ":2: the cost -1 is negative"),
        ("matrix", "true\tpredicted\tcost\n1.1\t1.2\t1\n1.1\t1.2\t1\n", ":3: a second cost for"),
        ("matrix", "true\tpredicted\tcost\n1.2\t1.1\t1\n", "has no cost for true '1.1' and"),
        ("matrix", "\t1.1\t1.1\n", "there is no cost in it"),
        ("matrix", "\t1.1\t1.2\n1.1\t0\n", ":2: expected a class and 2 costs, got 2 fields"),
        ("matrix", "\n\n", "the file holds no line"),
    ],
)  # fmt: skip
def test_broken_files_are_refused_by_line(kind, text, message, tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text(text)
    with pytest.raises(BadInput) as caught:
        values("gie", SUNLIM_TREE, ["1.1"], ["1.2"], cost=f"{kind}({str(path)!r})")
    assert message in str(caught.value)


def test_costs_refuse_what_they_cannot_use():
    for make, message in (
        (lambda: Lin([1, 2]), "counts are {class: count}, the name of a file, or None"),
        (lambda: Lin({"1": -1}), "the count of class '1' must be a finite number ≥ 0"),
        (lambda: CostMatrix(np.eye(2), other=1), "other is for costs from a file or by names"),
    ):
        with pytest.raises(BadInput) as caught:
            make()
        assert message in str(caught.value)
    with pytest.raises(BadInput, match="theta='mean' needs a cost that knows its mean"):
        values("contribution_f", SUNLIM_TREE, ["1"], ["2"], theta="mean")
    matrix = CostMatrix(np.full((7, 7), 2.0) - 2 * np.eye(7))
    assert values("contribution_f", SUNLIM_TREE, ["1"], ["2"], theta="mean", cost=matrix) == [0]
