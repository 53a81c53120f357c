"""Closures that are too large to be built whole: rows of the classes in use give the same."""

from itertools import pairwise

import numpy as np
import pytest

from hierpair import Hierarchy, SolverLimit, score
from hierpair.evaluation import batches as chunks
from hierpair.hierarchy import ancestor_closure
from hierpair.hierarchy import closure as closure_module
from tests import effort


def random_edges(rng, n, most_parents):
    """Edges of a random tree (one parent) or DAG; some classes have no parent."""
    return [
        (p, c)
        for c in range(1, n)
        for p in rng.choice(c, min(c, int(rng.integers(1, most_parents + 1))), False).tolist()
        if rng.random() < 0.95
    ]


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


def test_chunks_go_by_the_ancestors_of_the_labels(monkeypatch):
    monkeypatch.setattr(closure_module, "WHOLE_LIMIT", 0)
    monkeypatch.setattr(chunks, "CHUNK_ANCESTORS", 102)
    tree = Hierarchy.from_edges([*pairwise(range(50))])
    steps = []
    labels = [[49]] * 4
    score(tree, labels, {"s": labels}, "hf", on_progress=lambda *at: steps.append(at[1]))
    assert steps == [0, 1, 3, 4]  # two times 25.5 of each, on average
