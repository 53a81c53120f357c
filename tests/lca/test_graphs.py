"""LCA graphs: minimal, full and greedy ones against slow searches, the papers' graphs, and vectors."""

import json
import re
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, floor
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import Hierarchy, explain, score
from hierpair.lca import BOUND, SOLVED_BY, SOLVER, extended_graphs, search
from hierpair.lca.encoding import TooMany, encoded
from hierpair.lca.graphs import ARRAYS, SEARCH, greedy_cover
from hierpair.lca.search import Problem, smallest_graphs
from hierpair.measures.evidence import ARTIFICIAL
from hierpair.solvers import cover, solve_cover
from hierpair.solvers.cover import CoverSearch, whole_bound
from tests import effort
from tests.everything import random_problem
from tests.extensions import graphs, labels, linked, values, whole, written
from tests.oracles.lca import (
    extension_problem,
    full_sides,
    greedy_graphs,
    lca_full,
    lca_minimal,
    minimal_sides,
    ranks_of,
    ratios,
)
from tests.paths import BUNDLED
from tests.strategies import problems

SIZES = "n_true", "n_predicted", "n_both"
LIMITS = ("search.MOST_WORK", "search.MOST_STATES", "encoding.MOST_PATHS")


def sizes(found, i=0):
    return tuple(int(getattr(found, name)[i]) for name in SIZES)


@settings(max_examples=effort.cases(600), deadline=None)
@given(
    problems(max_classes=12, max_labels=5, instances=3),
    st.sampled_from([None, None, 2, 4, 6]),
    st.sampled_from([None, *LIMITS]),
    st.sampled_from([0, 1]),
)
def test_against_exhaustive_search(problem, threshold, limit, most):
    """By enumeration, and by the solver where it gives up; what is drawn is one of the best graphs."""
    hierarchy, edges, *rows = problem
    with pytest.MonkeyPatch.context() as patch:
        if limit:
            patch.setattr(f"hierpair.lca.{limit}", most)
        exact = graphs(hierarchy, *rows, threshold=threshold, draw=True)
    full = graphs(hierarchy, *rows, extension="full", threshold=threshold)
    names = [*hierarchy.names, "*"]
    for i, (true, predicted) in enumerate(zip(*rows, strict=True)):
        assert values(full, i) == lca_full(edges, true, predicted, threshold)
        _, best = minimal_sides(extension_problem(edges, true, predicted, threshold))
        assert {values(exact, i)} == {ratios(t, p) for _, t, p in best}
        lcas, nodes, _ = exact.drawn(hierarchy, i)
        drawn = [frozenset(names[c] for c in some) for some in (lcas, *nodes)]
        assert drawn in [[frozenset(lcas), t, p] for lcas, t, p in best]
        assert sizes(exact, i) == (len(drawn[1]), len(drawn[2]), len(drawn[1] & drawn[2]))
    by = {SEARCH, SOLVER} if limit else {SEARCH}
    if (limit, most) == ("search.MOST_WORK", 0):
        by = {SOLVER}
    assert set(exact.solved_by.tolist()) <= by | {ARRAYS}


# ----------------------------------------------------------------------------- greedy graphs


def check_greedy(hierarchy, truth, prediction, threshold=None):
    """A batch has the graphs of Algorithm 1, step after step, path by path."""
    batch = extended_graphs(hierarchy, truth, prediction, "greedy", threshold)
    rank, links = ranks_of(hierarchy), batch.links
    for i in range(len(truth)):
        lcas, nodes, edges = batch.drawn(hierarchy, i)
        ends, paths = greedy_graphs(written(hierarchy, links, links.rows(i)), rank)
        assert lcas == {path[-1] for side in paths for path in side} == set(ends)
        for s in (0, 1):
            alone = ~links.linked & (links.members.instance == i) & (links.members.side == s)
            found = {c for path in paths[s] for c in path}
            assert nodes[s] == found | {*links.members.classes[alone].tolist()}
            assert edges[s] == {edge for path in paths[s] for edge in pairwise(path)}
        assert sizes(batch, i) == (*map(len, nodes), len(nodes[0] & nodes[1]))
    return batch


@settings(max_examples=effort.cases(400), deadline=None)
@given(problems(max_classes=20, max_labels=8, instances=4), st.sampled_from([None, None, 2, 4, 6]))
def test_greedy_graphs_are_those_of_single_steps(problem, threshold):
    hierarchy, _, *rows = problem
    check_greedy(hierarchy, *(labels(hierarchy, side) for side in rows), threshold)


@pytest.mark.random_cases
def test_greedy_graphs_of_classes_with_many_parents():
    """Drawn evenly, labels have more lowest common ancestors than the simplest cases."""
    for seed in range(effort.cases(40)):
        drawn = random_problem("", seed, 14, 20, parents=3, most=5)
        hierarchy = Hierarchy.from_edges(drawn.edges)
        check_greedy(hierarchy, *(labels(hierarchy, side) for side in (drawn.y_true, drawn.y_pred)))


@pytest.mark.parametrize(
    ("edges", "true", "predicted", "lcas", "n"),
    [
        # numbers are ordered as texts: 10 comes before 9
        ([(0, 9), (0, 10), (9, 1), (10, 1), (9, 2), (10, 2), (10, 3), (9, 3)], [1, 3], [2], {10}, (3, 2, 1)),
        # a and b both join t with b, and one of them is enough
        (["ra", "ab", "bc", "ct", "at", "au"], ["t", "u"], ["b", "u"], {"b", "u"}, (4, 2, 2)),
        (["ra", "sb"], [], [], set(), (0, 0, 0)),
        (["ra", "sb"], ["a"], ["b"], set(), (1, 1, 0)),
        ([(i, i + 1) for i in range(3_000)], [3_000], [2_000], {2_000}, (1_001, 1, 1)),
    ],
)  # fmt: skip
def test_greedy_graphs_by_hand(edges, true, predicted, lcas, n):
    hierarchy = Hierarchy.from_edges(map(tuple, edges))
    sides = labels(hierarchy, [true]), labels(hierarchy, [predicted])
    few = len(edges) < 100
    batch = check_greedy(hierarchy, *sides) if few else extended_graphs(hierarchy, *sides, "greedy")
    assert {hierarchy.names[c] for c in batch.drawn(hierarchy, 0)[0]} == lcas
    assert sizes(batch) == n


# ----------------------------------------------------------------------------- many equal ways


def ladder(rungs, wide=2):
    """So many classes per step, each below all of the step above: wide ** rungs shortest ways."""
    edges = [("top", f"0.{j}") for j in range(wide)]
    steps = product(range(rungs), range(wide), range(wide))
    edges += [(f"{i}.{j}", f"{i + 1}.{k}") for i, j, k in steps]
    edges += [(f"{rungs}.{j}", leaf) for j in range(wide) for leaf in ("y1", "y2", "y3", "p1")]
    return Hierarchy.from_edges([*edges, ("top", "t2"), ("t2", "t3"), ("t2", "t4")])


@pytest.mark.parametrize(("rungs", "wide"), [(4, 2), (40, 2), (20, 3)])
def test_a_ladder_with_many_equal_ways_is_solved(rungs, wide):
    """Labels share one class of every rung."""
    true = [["y1", "t3"], ["y1"], ["y1", "y2", "y3"]]
    found = graphs(ladder(rungs, wide), true, [["t2", f"{rungs}.0"], ["t3"], ["t3", "t4"]])
    assert [values(found, i) for i in (0, 1)] == [
        (Fraction(1), Fraction(1, 2), Fraction(2, 3)), (Fraction(1, 3), Fraction(1, rungs + 3), Fraction(2, rungs + 6)),
    ]  # fmt: skip
    assert sizes(found, 2) == (rungs + 5, 4, 1)
    assert found.solved_by[2] == (SEARCH if rungs == 4 else SOLVER)


def test_both_sides_can_share_two_of_three_equal_classes(monkeypatch):
    """Two labels of both sides, far below three equal classes, meet nearer partners above."""
    edges = [("a", c) for c in ("c1", "c2", "c3", "w", "q")]
    sides = ["y1", "y2", "w"], ["p1", "p2", "q"]
    for x in ("y1", "y2", "p1", "p2"):
        edges += [(f"c{k}", x + "'") for k in (1, 2, 3)]
        edges += [(x + "'", x + "''"), (x + "''", x)]
    hierarchy = Hierarchy.from_edges(edges)
    for most in (200_000, 0):
        monkeypatch.setattr(search, "MOST_WORK", most)
        found = graphs(hierarchy, [sides[0]], [sides[1]])
        assert values(found) == (Fraction(3, 10),) * 3  # with one class in the middle: 2/9


def test_counts_do_not_depend_on_order_where_two_graphs_are_as_good():
    """Two optima with the same P, R, F and balance: (10, 10, 2) and (15, 15, 3) classes."""
    edges = [("a", "y'"), ("a", "q"), ("a", "x"), ("r", "b")]
    for s in "yp":
        edges += [("a", s + "m1"), *((f"{s}m{i}", f"{s}m{i + 1}") for i in (1, 2, 3))]
        for j in ("m5", "v"):
            edges += [(s + "m4", s + j), (s + j, s + "1")]
        edges += [(s + "v", s + "2"), ("x", s + "w2")]
        edges += [(f"{s}w{i}", f"{s}w{i + 1}") for i in (2, 3, 4)] + [(s + "w5", s + "2")]
    seen = set()
    for k in range(12):
        turned = [edges[i] for i in np.random.default_rng(k).permutation(len(edges))]
        tree = Hierarchy.from_edges(turned, roots="any")
        seen.add(sizes(graphs(tree, [["y'", "y1", "y2", "b"]], [["q", "p1", "p2", "b"]])))
    assert len(seen) == 1


# ----------------------------------------------------------------------------- as a measure

FOREST = Hierarchy.from_edges([("a", "b"), ("c", "d")])
CHAIN = Hierarchy.from_edges(
    [("r", "a"), ("a", "b"), ("b", "c"), ("r", "d"), ("d", "e"), ("e", "f")]
)
FORK = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c")])
BY_HAND = [
    (FOREST, "b", "d", (0, 0, 0)),
    (FOREST, "", "", (1, 1, 1)),
    (FOREST, "b", "", (0, 0, 0)),
    (FOREST, "", "d", (0, 0, 0)),
    (FOREST, "b d", "b", (1, 0.5, 2 / 3)),
    (FORK, "b", "c", (0.5, 0.5, 0.5)),
    (FORK, "r a b", "a c", (0.5, 0.5, 0.5)),  # ancestors in a set are taken out
]


@pytest.mark.parametrize(("hierarchy", "true", "predicted", "found"), BY_HAND)
def test_values_by_hand(hierarchy, true, predicted, found):
    rows = [[true.split()], {"s": [predicted.split()]}]
    scores = score(hierarchy, *rows, ["lca_precision", "lca_recall", "lca_f"])
    assert tuple(scores.values[0].tolist()) == found
    if true and not predicted:
        assert np.isnan(score(hierarchy, *rows, "lca_precision(zero_division=nan)").values).all()


def test_distances_of_another_threshold_are_not_taken():
    alone = score(CHAIN, ["c"], {"s": ["f"]}, ["lca_f(threshold=2)"]).values[0, 0]
    beside = score(CHAIN, ["c"], {"s": ["f"]}, ["mgia", "lca_f(threshold=2)"]).values[0, 1]
    assert alone == beside == 0.5


def test_no_way_to_the_artificial_class_ends_before_it(monkeypatch):
    """A class that leads nowhere within the threshold is on no way, by either solver."""
    above = {1: "0", 2: "0 1", 3: "1", 4: "3", 5: "1 2 3", 6: "2 5", 7: "3", 8: "7", 9: "8",
             10: "6 7 8", 11: "7 9", 12: "8 11"}  # fmt: skip
    dag = Hierarchy.from_edges([(p, f"{c}") for c, up in above.items() for p in up.split()])
    for states in (5_000, 0):
        monkeypatch.setattr("hierpair.lca.search.MOST_STATES", states)
        found = score(dag, [["7", "5", "11"]], {"s": [["12"]]}, ["lca_f(threshold=6)"])
        assert found.values[0, 0] == pytest.approx(4 / 9)


# ----------------------------------------------------------------------------- what is published

CASES = {c["id"]: c for c in json.loads((BUNDLED / "kosmopoulos2014.json").read_text("utf-8"))}


@pytest.mark.parametrize("case", list(CASES.values()), ids=lambda c: c["id"])
def test_published_values_demands_and_graphs(case):
    """Where several graphs are equally good, the data name one of them, and we find one."""
    cut = case["params"].get("path_threshold") if case["id"] == "x9" else None
    rows = Hierarchy.from_edges(case["edges"]), [case["true"]], [case["pred"]]
    shown = {}
    for extension, suffix in (("exact", ""), ("full", "_ex")):
        found = graphs(*rows, extension=extension, threshold=cut)
        assert list(values(found)) == [Fraction(case["computed"][f"{k}LCA{suffix}"]) for k in "PRF"]
        measure = f"lca_f(extension={extension}" + (f",threshold={cut})" if cut else ")")
        shown[extension] = evidence = explain(*rows, measure)[0].evidence
        sides = [  # the artificial class is written as in the data
            frozenset("*" if c == ARTIFICIAL else c for c in evidence.of("in both", only))
            for only in ("only true", "only predicted")
        ]
        if extension == "exact":
            exact = sides
    if "Gex_t" in case:
        assert sides == [set(case["Gex_t"]), set(case["Gex_p"])]
    evidence = shown["exact"]
    if case["id"] != "x9":  # the data state constraints on uncut hierarchies only
        assert case["lca"] == {
            f"{'t' if f.true else 'p'}:{(f.true or f.predicted)[0]}": sorted(f.classes)
            for f in evidence.fields if f.name == "LCAs" and f.classes
        }  # fmt: skip
    assert evidence.remarks[0].startswith("proof:")
    problem = extension_problem(case["edges"], case["true"], case["pred"], cut)
    best = {(frozenset(lcas), v_t, v_p) for lcas, v_t, v_p in minimal_sides(problem)[1]}
    lcas = frozenset("*" if a == ARTIFICIAL else a for a in evidence.of("chosen LCAs"))
    assert (lcas, *exact) in best
    assert tuple(frozenset(case[name]) for name in ("selected_LCAs", "Gt", "Gp")) in best
    assert all(mine <= every for mine, every in zip(exact, full_sides(problem), strict=True))


@pytest.mark.parametrize("shape", ["tree", "dag"])
def test_vectors(shape):
    data = json.loads((BUNDLED / "lca_vectors" / f"{shape}.json").read_text("utf-8"))
    n = 0
    for given_hierarchy in data["hierarchies"]:
        hierarchy = Hierarchy.from_edges(map(tuple, given_hierarchy["edges"]))
        rows = given_hierarchy["instances"]
        y = [labels(hierarchy, [row[k] for row in rows]) for k in ("true", "pred")]
        for extension, key in (("exact", "lca_minimal"), ("full", "lca_full")):
            found = extended_graphs(hierarchy, *y, extension)
            for i, row in enumerate(rows):
                assert list(values(found, i)) == list(map(Fraction, row[key]))
                n += 1
    assert n == 2 * np.sum([len(h["instances"]) for h in data["hierarchies"]])


# ----------------------------------------------------------------------------- the search

CLASSES, LCAS = 7, 3
WIDTH = 2 * CLASSES


def search_problem(labels, ends, marked):
    """Labels as side and paths by LCA; ``ends`` has further paths by side and LCA."""

    def written(side, a, masks):
        return [(mask | 1 << CLASSES + a) << WIDTH * side for mask in sorted({*masks})]

    every = {end: {*ends.get(end, ())} for end in product((0, 1), range(LCAS))}
    for side, choices in labels:
        for a, some in choices.items():
            every[side, a].update(some)
    return Problem(
        [{a: written(s, a, some) for a, some in choices.items()} for s, choices in labels],
        {(s, a): written(s, a, some) for (s, a), some in every.items()},
        marked,
        WIDTH,
    )


@pytest.mark.parametrize("side", [0, 1])
def test_classes_that_the_other_side_has_anyway_are_only_counted(monkeypatch, side):
    """Six labels, each with a class that the other side has or another such class."""
    mine, yours, end = 24 * side, 24 * (1 - side), 1 << 12
    choices = [{0: [(1 << 2 * i | end) << mine, (2 << 2 * i | end) << mine]} for i in range(6)]
    fixed = {0: [((1 << 12) - 1 | end) << yours]}
    ends = {(side, 0): [end << mine], (1 - side, 0): fixed[0]}
    monkeypatch.setattr(search, "MOST_STATES", 1)
    [found] = smallest_graphs(Problem([*choices, fixed], ends, 0, 24))
    assert found == (sum(1 << 2 * i for i in range(6)) | end) << mine | fixed[0][0]


@pytest.mark.parametrize("side", [0, 1])
def test_fewer_lcas_come_before_fewer_classes(side):
    """A label that passes an LCA, or two other classes."""
    labels = [(side, {0: [0b001, 0b110]})]
    [found] = smallest_graphs(search_problem(labels, {(1 - side, 0): [0]}, 0b001))
    assert found >> WIDTH * side & (1 << CLASSES) - 1 == 0b110


def test_a_larger_graph_with_more_in_common_can_have_the_smaller_f():
    """Two more shared classes among five more in all: from F = 1 to F = 8/9."""
    near, far, wide = 0b101, 0b111010, 0b1111010  # bits 0 and 1 are the LCAs
    problem = search_problem([(0, {0: [near], 1: [far]})], {(1, 0): [near], (1, 1): [wide]}, 0b11)
    nodes = [tuple(side & 0b1111111 for side in problem.sides(g)) for g in smallest_graphs(problem)]
    assert min(nodes, key=lambda some: search.rank(some, (0, 0))) == (near, near)


@pytest.mark.parametrize(("limit", "most"), [("MOST_STATES", 1), ("MOST_WORK", 7)])
def test_more_than_the_limits_is_too_many(monkeypatch, limit, most):
    """Two labels on each side, whose classes are open to the other: two graphs at a time."""
    labels = [(side, {0: some}) for side in (0, 1) for some in ([1, 2], [4, 8])]
    problem = search_problem(labels, {}, 0)
    smallest_graphs(problem)
    monkeypatch.setattr(search, limit, most)
    with pytest.raises(TooMany):
        smallest_graphs(problem)


# ----------------------------------------------------------------------------- equal sizes

GADGET = [("a", "x"), ("c", "y"), ("b", "x"), ("z", "b"), ("e", "a"), ("e", "y"), ("b", "c")]
"""The smallest case known in which graphs of equal sizes are larger than others with the same F."""


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
    true = sorted({"x", "y", str(rng.choice([*order, *"yyyyyyy"]))})
    predicted = sorted({"x", str(rng.choice([*order, *"xxxxxxx"]))})
    return edges, *((true, predicted) if rng.random() < 0.5 else (predicted, true))


@pytest.mark.random_cases
def test_the_most_equal_sizes_of_graphs_with_the_best_f(monkeypatch):
    """By the search, by the solver, and as explained."""
    names = ["lca_precision", "lca_recall", "lca_f"]
    for k in range(effort.cases(300)):
        first = GADGET, ["x", "y"], ["x"]
        edges, *sides = varied_gadget(np.random.default_rng(k)) if k else first
        dag, expected = Hierarchy.from_edges(edges, roots="any"), lca_minimal(edges, *sides)
        rows = [[side] for side in sides]
        for most in (200_000, 0):
            monkeypatch.setattr(search, "MOST_WORK", most)
            found = graphs(dag, *rows, draw=True)
            assert most or SEARCH not in found.solved_by
            assert ratios(*found.drawn(dag, 0)[1]) == values(found) == expected, k
            assert [why.value for why in explain(dag, *rows, names)] == [*map(float, expected)]


# ----------------------------------------------------------------------------- what is not proved

SMALL = "F of the minimal graphs is from"


def hard(n, n_lcas, n_parents, seed=0, more=0):
    """Labels with several equally near common ancestors each, among so many, and some deeper."""
    rng = np.random.default_rng(seed)
    sides = [[f"{side}{i}" for i in range(n)] for side in "tp"]
    above = ((c, rng.choice(n_lcas, n_parents, False).tolist()) for c in sides[0] + sides[1])
    edges = [(f"m{k}", label) for label, some in above for k in some]
    edges += [(f"r{k % 3}", f"m{k}") for k in range(more)]
    lower = [f"{label}'" for label in sides[0][: more // 2]]
    edges += [*((label[:-1], label) for label in lower), ("alone", "t-alone")]
    true = [*lower, *sides[0][more // 2 :], "t-alone"]
    return Hierarchy.from_edges(edges, roots="any"), true, sides[1]


def links_of(hierarchy, true, predicted):
    """The links of an instance, and its greedy graphs."""
    links = linked(hierarchy, true, predicted)
    return whole(hierarchy, links), greedy_cover(hierarchy, links, encoded(links), 0)


def f_of(cover, unlinked):
    t, p = cover.nodes
    return Fraction(2 * (t & p).bit_count(), t.bit_count() + p.bit_count() + sum(unlinked))


@pytest.mark.random_cases
def test_the_exact_f_is_within_the_range(monkeypatch):
    """Whatever the solver may spend, and whichever aim it fails at; LCAs never become more."""
    rng, failed = np.random.default_rng(0), set()
    for seed in range(effort.cases(150)):
        n, n_lcas = int(rng.integers(4, 11)), int(rng.integers(8, 26))
        of, efforts = (n, n_lcas, 3, seed, int(rng.integers(0, 8))), (1e-4, 1e-3, 3e-3, 6e-3)
        if seed < 10 * effort.exhaustive:  # such that the fewest LCAs are not proved
            of, efforts = (20, 40, 5, seed), (0.1, 0.3)
        these, start = links_of(*hard(*of))
        exact = solve_cover(these, (1, 0), start)
        assert (exact.optimal, exact.f_range) == (True, None)
        for most in efforts:
            monkeypatch.setattr(cover, "MOST_EFFORT", most)
            found = solve_cover(these, (1, 0), start)
            monkeypatch.undo()
            n_ends = [x.ends.bit_count() for x in (exact, found, start)]
            assert n_ends == sorted(n_ends)
            low, high = found.f_range or [f_of(exact, (1, 0))] * 2
            assert 0 <= low <= f_of(exact, (1, 0)) <= high <= 1
            assert low <= f_of(found, (1, 0)) <= high
            failed.add((found.optimal, low == high, found.nodes == start.nodes))
    assert len(failed) > 4


@pytest.mark.parametrize(
    ("found", "bound", "whole"),
    [(10, 7.2, 8), (10, 8.0000001, 8), (10, 12.9, 12), (10, 12.9999999, 13), (10, 10, 10)],
)
def test_a_bound_is_rounded_to_the_safe_side(found, bound, whole):
    """Smaller than what was found where that is minimised, larger where it is maximised."""
    solver = SimpleNamespace(objective_value=found, best_objective_bound=bound)
    assert whole_bound(solver) == whole


@pytest.mark.parametrize("unlinked", [(0, 0), (2, 5)])
@pytest.mark.parametrize("effort_left", [0.0, 20.0])
@pytest.mark.parametrize(
    "aims", [[], [(1, 1)], [(1, 1), (1, 1)], [(1, 1), (1, 1), (2, 0)], [(1, 1), (1, 1), (0, 0)]]
)
def test_labels_without_a_link_are_in_both_bounds(monkeypatch, unlinked, effort_left, aims):
    tree = Hierarchy.from_edges([("r", "t"), ("r", "p")])
    these, start = links_of(tree, ["t"], ["p"])
    monkeypatch.setattr(cover, "MOST_EFFORT", effort_left)
    f = f_of(start, unlinked)
    assert f == Fraction(2, 4 + sum(unlinked))
    run = CoverSearch(these, unlinked, start)
    run.aims = aims
    assert run.f_range() == (f, f)
    assert run.proved_before_f == (len(aims) > 1)


def test_what_the_solver_finds_is_not_worse_than_what_it_started_from(monkeypatch):
    """Where a smaller F than that of graphs found before comes out, these count."""
    these, start = links_of(*hard(6, 12, 3))
    run = CoverSearch(these, (1, 0), start)
    reached, worse, seen = run.reached, run.best._replace(ends=0), []

    def slower(aim, *, largest=False):
        if not largest:
            return reached(aim)
        seen.append(run.best)
        run.best = worse
        return 5, -1

    monkeypatch.setattr(run, "reached", slower)
    with pytest.raises(cover._OutOfReach):
        run.all_aims()
    assert [run.best] == seen


def test_a_hard_instance_is_bounded_and_said(monkeypatch):
    """The budget is the solver's own, so that it ends at the same point on every machine."""
    tree, true, predicted = hard(6, 12, 3)
    sides = [["t0"], true, ["t1"]], {"s": [["t0"], predicted, ["t1"]]}
    exact = score(tree, *sides, "lca_f").per_instance["s"][1, 0]
    monkeypatch.setattr(search, "MOST_WORK", 0)
    monkeypatch.setattr(cover, "MOST_EFFORT", 7e-4)
    found = score(tree, *sides, "lca_f")
    assert found.solved_by["s", "lca_f"][SOLVED_BY[BOUND]] == 1
    [said] = found.remarks["s", "lca_f"]
    assert any(said in note for note in found.notes)
    assert any("the limit of the solver was reached for 1 instance" in note for note in found.notes)
    monkeypatch.setattr("hierpair.evaluation.batches.CHUNK", 1)
    apart = score(tree, *sides, "lca_f")
    assert (apart.remarks, apart.notes) == (found.remarks, found.notes)
    assert (apart.per_instance["s"] == found.per_instance["s"]).all()
    # what is explained is what was scored, and two decimals hold no less
    [why] = explain(tree, [true], [predicted], ["lca_f"])
    assert why.value == found.per_instance["s"][1, 0]
    [remark] = [text for text in why.evidence.remarks if "F of the minimal graphs is from" in text]
    low, high = map(Fraction, re.findall(r"from (\S+) to (\S+)", remark)[0])
    assert float(low) <= exact <= float(high)
    assert low < high
    assert remark in str(why)
    assert said == f"{SMALL} {floor(100 * low) / 100:.2f} to {ceil(100 * high) / 100:.2f}"


def test_a_limit_in_seconds_is_handed_on_and_has_a_range():
    tree, true, predicted = hard(14, 46, 4)
    exact = graphs(tree, [true], [predicted])
    f = Fraction(2 * int(exact.n_both[0]), int(exact.n_true[0] + exact.n_predicted[0]))
    found = graphs(tree, [true, ["t1"], true], [predicted, ["t1"], predicted], limit=1e-9)
    assert sorted(found.f_ranges) == [0, 2]
    assert all(low <= f <= high for low, high in found.f_ranges.values())
