"""The two solvers of minimal LCA graphs against each other, and explanations against scores."""

import itertools

import numpy as np
import pytest

from hierpair import Hierarchy, explain, score
from hierpair.lca import SOLVER
from hierpair.lca.encoding import without_twins
from tests.extensions import graphs, linked, solved, values
from tests.oracles.lca import extension_problem, grown, lca_minimal, rank

# The smallest case known in which graphs of equal sizes are larger than others with the same F.
GADGET = [("a", "x"), ("c", "y"), ("b", "x"), ("z", "b"), ("e", "a"), ("e", "y"), ("b", "c")]
LCA_MEASURES = ["lca_precision", "lca_recall", "lca_f"]


def leans(edges, true, predicted):
    """Differences of size of all graphs that are best but for the equality of their sizes."""
    problem = extension_problem(edges, true, predicted)
    _, requirement, paths = problem
    wanted = {label: d for label, d in requirement.items() if d}
    every = sorted(set().union(*wanted.values())) if wanted else []
    best, found = None, set()
    for size in range(len(every) + 1):
        for chosen in itertools.combinations(every, size):
            if any(not d & set(chosen) for d in wanted.values()):
                continue
            for v_t, v_p in grown(problem[0], wanted, paths, chosen):
                key = rank(size, every, v_t, v_p)[:3]
                if best is None or key < best:
                    best, found = key, set()
                if key == best:
                    found.add(len(v_t) - len(v_p))
        if found:
            return found
    return found


def varied_gadget(rng):
    """The gadget with edges added and subdivided, and labels exchanged or added."""
    order, edges = ["z", "b", "c", "e", "a", "x", "y"], list(GADGET)
    for k in range(int(rng.integers(0, 5))):
        if rng.random() < 0.5:
            i, j = sorted(rng.choice(len(order), 2, False).tolist())
            if (order[i], order[j]) not in edges:
                edges.append((order[i], order[j]))
        else:
            parent, child = edges.pop(int(rng.integers(len(edges))))
            order.insert(order.index(child), f"w{k}")
            edges += [(parent, f"w{k}"), (f"w{k}", child)]
    true = {"x", "y", str(rng.choice(order)) if rng.random() < 0.4 else "y"}
    predicted = {"x", str(rng.choice(order)) if rng.random() < 0.5 else "x"}
    sides = [sorted(true), sorted(predicted)]
    return edges, *(sides if rng.random() < 0.5 else sides[::-1])


def balanced_cases(seeds):
    """Cases where some of several graphs with the best F are of equal sizes, and others not."""
    seen = set()
    for seed in seeds:
        edges, true, predicted = varied_gadget(np.random.default_rng(seed))
        key = frozenset(edges), *map(tuple, (true, predicted))
        if key not in seen and {0} < leans(edges, true, predicted):
            seen.add(key)
            yield edges, true, predicted


def check_balanced(seeds, monkeypatch):
    cases = list(balanced_cases(seeds))
    for edges, true, predicted in cases:
        expected = lca_minimal(edges, true, predicted)
        tree = Hierarchy.from_edges(edges)
        assert values(graphs(tree, [true], [predicted])) == expected
        with monkeypatch.context() as patch:
            patch.setattr("hierpair.lca.search.MOST_WORK", 0)
            found = graphs(tree, [true], [predicted])
            assert found.solved_by.tolist() == [SOLVER]
            assert values(found) == expected
        links = linked(tree, true, predicted)
        for some in (links, without_twins(tree, links, 0)[0]):
            t, p = solved(tree, some).nodes
            assert t.bit_count() == p.bit_count()
            assert 2 * (t & p).bit_count() == expected[2] * (t.bit_count() + p.bit_count())
        for why, scored in zip(explain(tree, [true], [predicted], LCA_MEASURES), expected,
                               strict=True):  # fmt: skip
            assert why.value == drawn(why)[LCA_MEASURES.index(why.measure.name)] == float(scored)
    return len(cases)


def drawn(why):
    """Precision, recall and F of what an explanation draws."""
    e = why.evidence
    both, t, p = (len(e.of(name)) for name in ("in both", "only true", "only predicted"))
    return both / (both + p), both / (both + t), 2 * both / (2 * both + t + p)


@pytest.mark.exhaustive
def test_the_most_equal_sizes_where_the_difference_is_0(monkeypatch):
    assert check_balanced(range(400), monkeypatch) >= 60


def random_case(rng):
    """A random DAG, and labels of some instances."""
    n = int(rng.integers(5, 16))
    most = int(rng.integers(2, 5))
    edges = [
        (p, c)
        for c in range(1, n)
        for p in rng.choice(c, min(c, int(rng.integers(1, most))), False).tolist()
    ]
    sides = [
        [rng.choice(n, min(n, int(rng.integers(1, 5))), False).tolist() for _ in range(4)]
        for _ in "tp"
    ]
    return Hierarchy.from_edges(edges, classes=range(n)), *sides


@pytest.mark.exhaustive
def test_the_gadget_beside_a_part_that_is_too_large_to_enumerate():
    """Fourteen labels a side, each below four of forty-six classes: 9 LCAs are the fewest."""
    rng = np.random.default_rng(0)
    below = [(side, i) for side in "tp" for i in range(14)]
    edges = [(f"m{k}", f"{s}{i}") for s, i in below for k in rng.choice(46, 4, False).tolist()]
    tree = Hierarchy.from_edges([*GADGET, *edges])
    true, predicted = [[f"{side}{i}" for i in range(14)] for side in "tp"]
    beside = graphs(tree, [true], [predicted])
    n, n_both = int(beside.n_true[0]), int(beside.n_both[0])
    assert n == beside.n_predicted[0]
    found = graphs(tree, [[*true, "x", "y"]], [[*predicted, "x"]])
    assert found.solved_by.tolist() == [SOLVER]
    # The gadget alone has 3 classes on both sides, 2 of them shared, and no class with the rest.
    sizes = found.n_true[0], found.n_predicted[0], found.n_both[0]
    assert sizes == (n + 3, n + 3, n_both + 2)
    why = explain(tree, [[*true, "x", "y"]], [[*predicted, "x"]], "lca_f")[0]
    assert drawn(why) == (why.value,) * 3 == ((n_both + 2) / (n + 3),) * 3


@pytest.mark.exhaustive
@pytest.mark.parametrize("extension", ["exact", "greedy", "full"])
def test_explanations_draw_what_was_scored(extension):
    """The same sizes and, for minimal graphs, every label joined to a chosen LCA of its own."""
    for seed in range(24):
        tree, true, predicted = random_case(np.random.default_rng(seed))
        threshold = (None, None, 4)[seed % 3]
        measures = [f"{name}(extension={extension})" for name in LCA_MEASURES]
        options = {"threshold": threshold}
        found = score(tree, true, {"s": predicted}, measures, **options).per_instance["s"]
        shown = explain(tree, true, predicted, measures, instances=range(4), **options)
        for why, value in zip(shown, found.ravel().tolist(), strict=True):
            assert why.value == value
            e = why.evidence
            if e.of("in both"):
                assert drawn(why)[LCA_MEASURES.index(why.measure.name.partition("(")[0])] == value
            chosen = set(e.of("chosen LCAs"))
            for side, edges in e.edges:
                above = {}
                for parent, child in edges:
                    above.setdefault(child, set()).add(parent)
                    assert parent == "(any class)" or parent in tree.ancestors(child)
                for field in (f for f in e.fields if f.name == "LCAs"):
                    label = getattr(field, side.split()[0])
                    if label and field.classes:
                        assert chosen & set(field.classes) & reached(above, label[0])


def reached(above, name):
    front, seen = [name], {name}
    while front:
        front = [p for c in front for p in above.get(c, ()) if p not in seen]
        seen.update(front)
    return seen


def test_graphs_are_drawn_whichever_way_they_are_found(monkeypatch):
    tree = Hierarchy.from_edges(GADGET)
    for limit in (200_000, 0):
        monkeypatch.setattr("hierpair.lca.search.MOST_WORK", limit)
        found = graphs(tree, [["x", "y"]], [["x"]], draw=True)
        t, p = found.drawn(tree, 0)[1]
        assert (len(t), len(p), len(t & p)) == (3, 3, 2)
        assert values(found) == values(graphs(tree, [["x", "y"]], [["x"]]))


@pytest.mark.exhaustive
def test_greedy_ways_of_many_steps():
    chain = [(i, i + 1) for i in range(6_000)]
    tree = Hierarchy.from_edges(chain)
    found = score(tree, [[6_000]], {"s": [[2_000]]}, ["lca_precision", "lca_recall"],
                  extension="greedy")  # fmt: skip
    assert found.values.tolist() == [[1, 1 / 4_001]]
