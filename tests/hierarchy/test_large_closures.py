"""Closures that are too large to be built whole: rows of the classes in use give the same."""

import re
from itertools import pairwise

import numpy as np
import pytest

from hierpair import Hierarchy, SolverLimit, explain, score
from hierpair.evaluation import batches as chunks
from hierpair.hierarchy import ancestor_closure
from hierpair.hierarchy import closure as closure_module
from tests import effort

LCA_MEASURES = [
    "lca_f", "lca_f(extension=greedy)", "lca_f(extension=full)", "lca_f(threshold=2)",
    "lca_f(threshold=6)", "lca_f(extension=full,threshold=4)", "lca_f(extension=greedy,threshold=4)",
    "hcm_tn", "hcm_f",
]  # fmt: skip


def random_edges(rng, n, most_parents):
    """Edges of a random tree (one parent) or DAG; some classes have no parent."""
    return [
        (p, c)
        for c in range(1, n)
        for p in rng.choice(c, min(c, int(rng.integers(1, most_parents + 1))), False).tolist()
        if rng.random() < 0.95
    ]


def random_case(seed, instances=6):
    """Edges of a random tree or DAG, and true and predicted labels."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    edges = random_edges(rng, n, 1 if seed % 4 == 0 else 3)
    sides = [
        [rng.choice(n, int(rng.integers(1, 5)), False).tolist() for _ in range(instances)]
        for _ in "tp"
    ]
    return n, edges, sides


@pytest.mark.exhaustive
@pytest.mark.random_cases
def test_lca_measures_without_the_whole_closure(monkeypatch):
    for seed in range(40 if effort.exhaustive else 8):
        n, edges, (y_true, y_pred) = random_case(seed)
        values, drawn = [], []
        for limit in (10**9, 0):
            monkeypatch.setattr(closure_module, "WHOLE_LIMIT", limit)
            tree = Hierarchy.from_edges(edges, classes=range(n), roots="any")
            values.append(score(tree, y_true, {"s": y_pred}, LCA_MEASURES).per_instance["s"])
            shown = (
                explain(tree, y_true, y_pred, LCA_MEASURES[:4])
                if seed < (10 if effort.exhaustive else 3)
                else []
            )
            drawn.append([(e.value, e.to_json()) for e in shown])
            assert (ancestor_closure(tree, np.arange(2)).row_of is None) == (limit > 0)
        assert values[0].tolist() == values[1].tolist()
        assert drawn[0] == drawn[1]


def below_a_chain(length):
    """Four classes, one with two parents, below a chain."""
    chain = [*pairwise(range(length)), (length - 1, "n0")] if length else []
    return Hierarchy.from_edges([*chain, *pairwise(["n0", "n1", "n2", "n3"]), ("n0", "n3")])


def test_a_partial_closure_refuses_what_it_does_not_hold(monkeypatch):
    monkeypatch.setattr(closure_module, "WHOLE_LIMIT", 0)
    tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("r", "c"), ("b", "d"), ("c", "d")])
    held, other = tree.index(["d"]), tree.index(["b"])
    closure = ancestor_closure(tree, held)
    assert closure.find(held, held).tolist() == [len(closure.indices) - 1]
    for ask in (closure.rows, closure.lengths, lambda c: closure.find(c, c)):
        with pytest.raises(LookupError, match="built without some of these"):
            ask(other)


def test_rows_that_are_held_are_not_built_again(monkeypatch):
    monkeypatch.setattr(closure_module, "WHOLE_LIMIT", 0)
    tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("r", "c")])
    both = ancestor_closure(tree, tree.index(["b", "c"]))
    assert ancestor_closure(tree, tree.index(["c"])) is both
    assert ancestor_closure(tree, tree.index(["a", "c"])) is not both


def test_too_many_ancestors_are_refused(monkeypatch):
    """Before memory is exhausted, and naming what would do."""
    monkeypatch.setattr(closure_module, "WHOLE_LIMIT", 0)
    monkeypatch.setattr(closure_module, "MOST_HELD", 300)
    tree = Hierarchy.from_edges(
        [*((i, i + 1, 1.0) for i in range(400)), (0, 401, 1.0), (399, 401, 1.0)]
    )
    for measure in ("hf", "gie(cost=weights)", "hf(augment=descendants)"):
        labels = [[0]] if "desc" in measure else [[401]]
        with pytest.raises(
            SolverLimit, match=r"40[12] classes.* too many to be held \(300\); score"
        ):
            score(tree, labels, {"s": [[400]]}, measure)
    monkeypatch.setattr(closure_module, "MOST_HELD", 300_000)
    score(tree, [[401]], {"s": [[400]]}, "hf")


@pytest.mark.exhaustive
@pytest.mark.random_cases
@pytest.mark.parametrize("part", ["ancestors", "weights", "threshold"])
def test_rows_of_classes_in_use_are_those_of_the_whole(part, monkeypatch):
    """In trees and DAGs of any depth, to the bit, and however often rows are forgotten."""
    for seed in range(300 if effort.exhaustive else 40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 120))
        deep = [(i, i + 1) for i in range(n - 1)] if seed % 3 == 0 else []
        edges = list(dict.fromkeys([*deep, *random_edges(rng, n, 1 if seed % 4 == 0 else 4)]))
        if seed % 4 == 0 and deep:
            edges = deep
        weights = rng.random(len(edges)).tolist()
        edges = [(*edge, w) for edge, w in zip(edges, weights, strict=True)]
        used = rng.choice(n, int(rng.integers(0, min(n, 12) + 1)), replace=False)
        found = []
        for limit in (10**9, 0):
            monkeypatch.setattr(closure_module, "WHOLE_LIMIT", limit)
            graph = Hierarchy.from_edges(edges, classes=range(n), roots="any")
            how = {"weights": {"weighted": True}, "threshold": {"threshold": 6}}.get(part, {})
            closure = ancestor_closure(graph, used, **how)
            assert (closure.row_of is None) == (limit > 0)
            bounds = closure.indptr[closure.rows(used)], closure.indptr[closure.rows(used) + 1]
            rows = [slice(a, b) for a, b in zip(*bounds, strict=True)]
            found.append([(closure.indices[r].tolist(), closure.up[r].tolist()) for r in rows])
        assert found[0] == found[1]


def test_a_picture_of_large_graphs_is_cut():
    tree = below_a_chain(300)
    why = explain(tree, [["n3"]], [[100]], "lca_f")[0]
    assert len(why.evidence.of("only true")) == 201
    around = why.neighbourhood
    assert 50 < len(around.nodes) <= 60
    assert len(around.nodes) + around.n_left_out == 202
    assert {"n3", 100} <= {node.name for node in around.nodes}
    assert [around.nodes[i].name for i in around.lcas] == [100]
    everything = explain(tree, [["n3"]], [[100]], "lca_f", most=500)[0].neighbourhood
    assert (len(everything.nodes), everything.n_left_out) == (202, 0)


def test_the_text_of_large_graphs_is_cut_and_says_so():
    tree = below_a_chain(300)
    lca, hcm = explain(tree, [["n3"]], [[100]], ["lca_f", "hcm_f"])
    assert lca.to_text().count("and 141 more (JSON has all)") == 2  # of 201 classes and edges
    assert max(map(len, lca.to_text().splitlines())) < 1000
    assert set(map(str, range(101, 300))) <= set(re.findall(r"\b\d+\b", lca.to_json()))
    assert "0 → 1 → " in hcm.to_text()
    assert "→ and 41 more (JSON has all)" in hcm.to_text()  # 101 classes, of which 60 are shown


def test_instances_times_levels_are_bounded(monkeypatch):
    """Every chunk has few enough, and the values are the same."""
    tree = below_a_chain(50)
    rng = np.random.default_rng(0)
    y_true, y_pred = ([[int(c)] for c in rng.integers(0, 50, 30)] for _ in "tp")
    names = ["level_accuracy", "level_hamming"]
    whole = score(tree, y_true, {"s": y_pred}, names)
    monkeypatch.setattr(chunks, "CHUNK_LEVELS", 54 * 7)
    steps = []
    cut = score(tree, y_true, {"s": y_pred}, names, on_progress=lambda *at: steps.append(at[1]))
    assert steps == [0, 7, 14, 21, 28, 30]
    assert cut.per_instance["s"].tolist() == whole.per_instance["s"].tolist()
    assert np.allclose(cut.values, whole.values, rtol=1e-14)


def test_chunks_go_by_the_ancestors_of_the_labels(monkeypatch):
    monkeypatch.setattr(closure_module, "WHOLE_LIMIT", 0)
    monkeypatch.setattr(chunks, "CHUNK_ANCESTORS", 102)
    tree = Hierarchy.from_edges([*pairwise(range(50))])
    steps = []
    labels = [[49]] * 4
    score(tree, labels, {"s": labels}, "hf", on_progress=lambda *at: steps.append(at[1]))
    assert steps == [0, 1, 3, 4]  # two times 25.5 of each, on average
