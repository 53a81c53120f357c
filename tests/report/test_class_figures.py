"""Counts of classes are those of sets of names, one instance after the other."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from hierpair.hierarchy import Hierarchy, closure
from hierpair.labels import LabelSets
from hierpair.measures import measure
from hierpair.report import counts as module
from hierpair.report.counts import class_counts, class_sections
from hierpair.report.drawn_tree import drawn_tree
from hierpair.report.packing import packed_text
from tests.strategies import problems

from .reading import read_container


def grown(hierarchy, names):
    return {a for name in names for a in (name, *hierarchy.ancestors(name))}


def counted(hierarchy, sets):
    count = Counter(name for names in sets for name in names)
    return [count[name] for name in hierarchy.names]


def slowly(hierarchy, true, pred):
    """Flat and augmented counts of truth, prediction and both."""
    sides = [[set(names) for names in true], [set(names) for names in pred]]
    sides.append([t & p for t, p in zip(*sides, strict=True)])
    above = [[grown(hierarchy, names) for names in side] for side in sides[:2]]
    above.append([t & p for t, p in zip(*above, strict=True)])
    return [
        (counted(hierarchy, flat), counted(hierarchy, augmented))
        for flat, augmented in zip(sides, above, strict=True)
    ]


def fast(hierarchy, true, pred):
    sides = [LabelSets.from_labels(side, hierarchy) for side in (true, pred)]
    tree = drawn_tree(hierarchy)
    each, both = class_counts(hierarchy, sides[0], sides, tree)
    assert (each[0] == each[1]).all()
    assert (each[0] == both[0]).all()
    found = np.stack([each[0], each[2], both[1]])[:, :, tree.place]
    return [tuple(counts) for counts in found.tolist()]


@pytest.mark.exhaustive
@given(problems(12, max_labels=6, instances=8))
def test_counts_are_those_of_sets(problem):
    hierarchy, _, true, pred = problem
    assert fast(hierarchy, true, pred) == slowly(hierarchy, true, pred)


def random_problem(rng, n, n_parents, n_roots, n_instances, most):
    edges = [
        (int(p), c)
        for c in range(n_roots, n)
        for p in rng.choice(c, min(c, int(rng.integers(1, n_parents + 1))), replace=False)
    ]
    sides = [
        [
            rng.choice(n, int(rng.integers(0, most + 1)), replace=False).tolist()
            for _ in range(n_instances)
        ]
        for _ in range(2)
    ]
    return Hierarchy.from_edges(edges, classes=range(n)), *sides


@pytest.mark.parametrize("n_parents", [1, 3])
@pytest.mark.parametrize("n_roots", [1, 4])
@pytest.mark.parametrize("most", [1, 2, 12])
def test_larger_hierarchies_in_small_blocks(n_parents, n_roots, most, monkeypatch):
    problem = random_problem(np.random.default_rng(most), 150, n_parents, n_roots, 90, most)
    whole = fast(*problem)
    assert whole == slowly(*problem)
    monkeypatch.setattr(module, "BLOCK", 20)
    assert fast(*problem) == whole
    monkeypatch.setattr(closure, "WHOLE_LIMIT", 100)  # of the classes in use only
    assert fast(*problem) == whole


def test_no_labels_no_instances_and_one_class():
    hierarchy = Hierarchy.from_edges([], classes=["only"])
    assert fast(hierarchy, [[], ["only"], ["only"]], [["only"], [], ["only"]]) == [
        ([2], [2]),
        ([2], [2]),
        ([1], [1]),
    ]
    assert fast(hierarchy, [], []) == [([0], [0])] * 3
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    assert fast(dag, [[], []], [[], ["c"]])[1] == ([0, 0, 0, 1], [1, 1, 1, 1])


@pytest.mark.parametrize("n_parents", [1, 2])
def test_the_pooled_hf_follows_from_the_counts(n_parents):
    """Each class adds n_true + n_pred - 2 n_both to what is wrong, as the page says."""
    from hierpair.evaluation import score

    hierarchy, true, pred = random_problem(np.random.default_rng(5), 80, n_parents, 1, 70, 4)
    sides = [LabelSets.from_labels(side, hierarchy) for side in (true, pred)]
    each, both = class_counts(hierarchy, *sides[:1], sides[1:], drawn_tree(hierarchy))
    n_true, n_pred, n_both = (int(c[1, 1:].sum()) for c in (*each, *both))  # without the root
    scores = score(hierarchy, sides[0], {"s": sides[1]}, [measure("hf", average="micro")])
    assert scores.values[0][0] == pytest.approx(2 * n_both / (n_true + n_pred), rel=1e-15)


@pytest.mark.parametrize("n_parents", [1, 3])
def test_sections_of_the_page(n_parents):
    hierarchy, true, pred = random_problem(np.random.default_rng(2), 40, n_parents, 2, 30, 3)
    sides = [LabelSets.from_labels(side, hierarchy) for side in (true, pred)]
    tree = drawn_tree(hierarchy)
    counts = class_counts(hierarchy, sides[0], sides, tree)
    found = read_container(packed_text(class_sections(*counts, tree)))
    (true, true_a), (pred, pred_a), (both, both_a) = slowly(hierarchy, true, pred)
    places = range(len(tree))
    assert found["true"] == [true[c] for c in tree.order]
    assert found["wrong:1"] == [pred[c] - both[c] for c in tree.order]
    assert found["missed:1"] == [true[c] - both[c] for c in tree.order]
    for name, flat, augmented in (
        ("true_o", true, true_a),
        ("pred_o:1", pred, pred_a),
        ("both_o:1", both, both_a),
    ):
        overlap = found[name]
        for i, c in enumerate(tree.order):
            below = [tree.order[k] for k in places if tree.above[k] == i]
            below += [tree.order[k] for k, above in tree.more.tolist() if above == i]
            assert augmented[c] == flat[c] - overlap[i] + sum(augmented[b] for b in below)
    assert list(found) == [
        "true", "true_o", "missed:0", "wrong:0", "pred_o:0", "both_o:0",
        "missed:1", "wrong:1", "pred_o:1", "both_o:1",
    ]  # fmt: skip
