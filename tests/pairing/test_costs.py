"""Costs of pairs: similarities, vectors, decayed edges, matrices, and files of costs."""

import itertools
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
    Hops,
    Lin,
    Pairs,
    Resnik,
    WuPalmer,
    max_costs,
)
from hierpair.pairing.pairings import paid
from tests import effort
from tests.oracles import pairs_and_sets as slow
from tests.scoring import SUNLIM_TREE, all_pairs_of, values
from tests.strategies import dags

LETTERS = Hierarchy.from_edges([("r", x) for x in "abc"])


@given(
    dags(max_classes=9),
    st.sampled_from(["min", "max"]),
    st.sampled_from([0.5, 0.75]),
    st.one_of(st.none(), st.randoms(use_true_random=False)),
)
@settings(max_examples=effort.cases(500), deadline=None)
def test_costs_against_all_common_ancestors(dag, depth, w0, random):
    edges, names = dag
    hierarchy = Hierarchy.from_edges(edges, classes=names, roots="any")
    table = all_pairs_of(hierarchy, names)
    level = hierarchy.depths if depth == "min" else hierarchy.levels
    weighted = [(p, c, w0 ** float(level[hierarchy.position[c]])) for p, c in edges]
    ways = {n: slow.weighted_up_distances(weighted, n) for n in names}
    inner = {p for p, _ in edges}
    counts = {c: random.randint(1, 9) if random else int(c not in inner) for c in names}
    ic = slow.content(edges, names, counts)
    largest = max(ic.values())
    decayed, deep = table(DecayedEdges(w0, depth)), table(WuPalmer(depth))
    lin = table(Lin(counts if random else None))
    resnik = Resnik(counts if random else None)
    if largest == 0:
        with pytest.raises(BadInput, match="all information contents are 0"):
            table(resnik)
    alike = table(resnik) if largest else {}
    for u, v in lin:
        assert decayed[u, v] == pytest.approx(slow.distance(ways[u], ways[v]), abs=1e-12)
        like = slow.wu_palmer(edges, names, u, v, depth == "max")
        assert deep[u, v] == pytest.approx(1 - like, abs=1e-12)
        shared = slow.best_shared(edges, names, ic, u, v)
        like = 0.0 if shared is None else 1.0
        if shared is not None and u != v and ic[u] + ic[v] > 0:
            like = 2 * shared / (ic[u] + ic[v])
        assert lin[u, v] == pytest.approx(1 - like, abs=1e-9)
        if largest:
            assert alike[u, v] == pytest.approx(1 - (shared or 0) / largest, abs=1e-9)
    assert all(lin[c, c] == deep[c, c] == 0 for c in names)


def test_weights_of_edges_are_not_their_number():
    weighted = SUNLIM_TREE.with_weights(np.arange(len(SUNLIM_TREE.parents)) + 1.0)
    at = weighted.index(["1.1", "1.2", "2.1"])
    pairs = Pairs.of_classes(weighted, at[:2], at[1:])
    found = EdgeWeights()(pairs).tolist()
    assert found == pairs.weighted_distance.tolist() != pairs.distance.tolist()


def test_counts_and_vectors_as_arrays_and_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    counts = {"1.1": 6, "1.2": 2, "2.1": 1, "2.2": 3}
    (tmp_path / "counts.tsv").write_text("".join(f"{c}\t{n}\n" for c, n in counts.items()))
    (tmp_path / "dense.tsv").write_text("1.1\t1\t0\n1.2\t1\t1\n2.1\t0\t2\n2.2\t-3\t0\n")
    table = all_pairs_of(SUNLIM_TREE, [*counts, "2"])
    for kind in (Lin, Resnik):
        assert table(kind("counts.tsv")) == table(kind(counts))
    rows = np.zeros((len(SUNLIM_TREE), 2))
    rows[SUNLIM_TREE.index([*counts])] = [[1, 0], [1, 1], [0, 2], [-3, 0]]
    want = table(CosineDistance(rows))
    found = [want["1.1", c] for c in (*counts, "2")]  # the last one is like nothing
    assert [*found, want["2", "2"]] == pytest.approx([0, 1 - 0.5**0.5, 1, 2, 1, 1])
    for same in ("dense.tsv", sp.csr_array(rows)):
        assert table(CosineDistance(same)) == want


def test_matrices_may_be_asymmetric_exact_sparse_and_by_names():
    a, b = LETTERS.index("ab")
    pairs = Pairs.of_classes(LETTERS, LETTERS.index("ab"), LETTERS.index("ba"))
    exact = np.full((4, 4), Fraction(1, 3), dtype=object)
    exact[b, a] = Fraction(1, 7)
    assert CostMatrix(exact)(pairs).tolist() == [Fraction(1, 3), Fraction(1, 7)]
    assert CostMatrix(sp.csr_array(([2.5], ([b], [a])), shape=(4, 4)))(pairs).tolist() == [0, 2.5]
    costs = {("a", "b"): 3, ("c", "a"): 2}
    matrix = CostMatrix(costs, other=7)
    costs["b", "a"] = 1  # what was given is copied
    pairs = Pairs.of_classes(LETTERS, LETTERS.index("abca"), LETTERS.index("baab"))
    assert matrix(pairs).tolist() == [3, 7, 2, 3]
    assert values("mean_cost", LETTERS, ["a"], ["c"], cost=matrix) == [2]


def test_what_is_owed_is_added_up_as_whole_numbers_whatever_its_sign():
    """Each product, and the sum of the first two in floats, would be rounded."""
    for sign in (1, -1):
        costs = sign * np.array([2**40 + 1, 1])
        owed = [(np.array([0, 0]), np.array([2**13 + 1, 1]), costs)]
        exact = sign * float(2**53 + 2**40 + 2**13 + 2)
        assert paid(owed, np.ones(1, dtype=np.int64)).tolist() == [exact]


def test_the_largest_and_the_mean_cost_are_those_of_all_pairs():
    rng, names = np.random.default_rng(4), SUNLIM_TREE.names
    table, vectors = rng.integers(0, 9, (7, 7)), rng.random((7, 2)) - 0.5
    by_name = {(names[p], names[t]): x for (p, t), x in np.ndenumerate(table) if p > 1}
    classes = [names[i] for i in (5, 2, 4)]
    at = SUNLIM_TREE.index(classes)
    for cost in (
        CostMatrix(table), CostMatrix(sp.csr_array(table)), CostMatrix(by_name, other=6), Hops(),
        CosineDistance(vectors), CosineDistance(sp.csr_array(vectors)),
    ):  # fmt: skip
        found = all_pairs_of(SUNLIM_TREE, names)(cost)
        largest = [max(found[t, p] for p in names) for t in classes]
        assert max_costs(cost, SUNLIM_TREE, at) == pytest.approx(largest)
        if hasattr(cost, "mean_between"):
            apart = [found[pair] for pair in itertools.permutations(classes, 2)]
            assert cost.mean_between(SUNLIM_TREE, at) == pytest.approx(np.mean(apart))


def of_letters(**options):
    return values("gie", LETTERS, ["c"], ["a"], **options)


REFUSED = [
    (lambda: of_letters(cost=CostMatrix({("a", "b"): 3})), "no cost for true 'c' and predicted 'a'; list it, or give"),
    (lambda: of_letters(cost=CostMatrix({("a", "x"): 1})), "'x'"),
    (lambda: of_letters(cost=CostMatrix({"ab": 1})), "costs by names are {(predicted, true): cost}"),
    (lambda: of_letters(cost=CostMatrix({("a", "c"): -1})), "a cost must be a number ≥ 0"),
    (lambda: of_letters(cost=Lin({"a": 1})), "class 'c' and all below it have the count 0, so its information"),
    (lambda: CosineDistance(np.eye(4)).mean_between(LETTERS, [1]), "needs at least two of them"),
    (lambda: CostMatrix({("a", "b"): 3}, other=-1), "other must be a number ≥ 0 or None, got -1"),
    (lambda: of_letters(cost=EdgeWeights()), "needs a hierarchy with edge weights"),
    (lambda: of_letters(cost=CosineDistance(np.ones((3, 2)))), "expected one vector per class"),
    (lambda: of_letters(cost=CosineDistance(np.full((4, 2), np.nan))), "must be finite"),
    (lambda: values("contribution_f", LETTERS, ["a"], ["b"], theta="mean"), "theta='mean' needs a cost that knows its mean"),
    (lambda: Lin([1, 2]), "counts are {class: count}, the name of a file, or None"),
    (lambda: Lin({"1": -1}), "the count of class '1' must be a finite number ≥ 0"),
    (lambda: CostMatrix(np.eye(2), other=1), "other is for costs from a file or by names"),
    (lambda: measure("contribution_f(theta=0)"), "theta must be a finite number > 0 or 'mean', got 0"),
    (lambda: measure("depth_loss(w0=0)"), "w0 must be a number > 0 and ≤ 1"),
    (lambda: measure("gie(cost=cosine)"), "cannot read the cost 'cosine'; write it like"),
    (lambda: measure("gie(cost=\"matrix('no-such-file')\")"), "no-such-file: there is no such file"),
    (lambda: measure("gie(cost=\"cosine('/')\")"), "/: this is a folder"),
    (lambda: measure("gie(cost='lin(smooth=-1)')"), "smooth must be a finite number ≥ 0"),
    (lambda: measure("gie(cost='wu_palmer(depth=1)')"), "depth must be one of min, max, got 1"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_what_cannot_be_used_is_refused(make, message):
    with pytest.raises(BadInput) as caught:
        make()
    assert message in str(caught.value)


BROKEN = [
    ("lin", "1.1\t2\n1.1\t3\n", ":2: class '1.1' again; it is in line 1"),
    ("lin", "1.1\t2\n1.7\t3\n", ":2: class '1.7' is not in the hierarchy"),
    ("lin", "1.1\n", ":1: expected class TAB count, got 1 field"),
    ("lin", "1.1\tmany\n", ":1: 'many' is not a finite number"),
    ("lin", "1.1\t0\n", "all counts are 0"),
    ("cosine", "1.1\t1\t2\n1.2\t1\n", ":2: expected 2 numbers as in lines before, got 1 field"),
    ("cosine", "1.1\tx:1\n", ":1: 'x:1' is not a finite number"),
    ("matrix", "1.1\t1.2\t7\n1.2\t1.1\t7\n", ":1: class '7' is not in the hierarchy"),
    ("matrix", "true\tpredicted\tcost\n1.1\t1.2\n", ":2: expected true TAB predicted TAB cost, got 2 fields"),
    ("matrix", "true\tpredicted\tcost\n1.1\t1.2\t-1\n", ":2: the cost -1 is negative"),
    ("matrix", "true\tpredicted\tcost\n1.1\t1.2\t1\n1.1\t1.2\t1\n", ":3: a second cost for"),
    ("matrix", "\t1.1\t1.1\n", "there is no cost in it"),
    ("matrix", "\n\n", "the file holds no line"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "message"), BROKEN)
def test_broken_files_are_refused_by_line(kind, text, message, tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text(text)
    with pytest.raises(BadInput) as caught:
        values("gie", SUNLIM_TREE, ["1.1"], ["1.2"], cost=f"{kind}({str(path)!r})")
    assert message in str(caught.value)
