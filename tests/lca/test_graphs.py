"""LCA measures: exhaustive search, invariance, the solver as second opinion, limits."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, score
from hierpair.lca import BOUND, SOLVER
from hierpair.lca.encoding import encoded, without_twins
from hierpair.lca.graphs import ARRAYS, SEARCH, greedy_cover
from hierpair.solvers import solve_cover
from tests import effort
from tests.extensions import graphs, linked, searched, solved, values, whole
from tests.oracles.lca import (
    extension_problem,
    full_sides,
    lca_full,
    lca_minimal,
    minimal_sides,
    rank,
)
from tests.strategies import problems


@settings(max_examples=effort.cases(600), deadline=None)
@given(problems(max_classes=12, max_labels=5, instances=3), st.sampled_from([None, None, 2, 4, 6]))
def test_against_exhaustive_search(problem, threshold):
    hierarchy, edges, y_true, y_pred = problem
    exact = graphs(hierarchy, y_true, y_pred, threshold=threshold)
    full = graphs(hierarchy, y_true, y_pred, extension="full", threshold=threshold)
    for i, (true, predicted) in enumerate(zip(y_true, y_pred, strict=True)):
        assert values(exact, i) == lca_minimal(edges, true, predicted, threshold)
        assert values(full, i) == lca_full(edges, true, predicted, threshold)
    assert set(exact.solved_by.tolist()) <= {ARRAYS, SEARCH}


@settings(max_examples=effort.cases(150), deadline=None)
@given(problems(max_classes=12, max_labels=5, instances=1), st.sampled_from([None, None, 4]))
def test_the_solver_agrees_and_its_graphs_are_those_of_the_search(problem, threshold):
    hierarchy, edges, [true], [predicted] = problem
    given_problem = extension_problem(edges, true, predicted, threshold)
    best, found = minimal_sides(given_problem)
    links = linked(hierarchy, true, predicted, threshold)
    members, code = links.members, encoded(links)
    names = [*hierarchy.names, "*"]
    lone = [
        {names[c] for c in members.classes[~links.linked & (members.side == s)]} for s in (0, 1)
    ]

    def named(mask):
        return frozenset(names[c] for k, c in enumerate(code.node.tolist()) if mask >> k & 1)

    def sides_of(cover):
        return [named(side) | lone[s] for s, side in enumerate(cover.nodes)]

    cover = solved(hierarchy, links, (len(lone[0]), len(lone[1])))
    ends = tuple(sorted(named(cover.ends)))
    assert (ends, *sides_of(cover)) in {(tuple(sorted(c)), t, p) for c, t, p in found}
    # What is drawn is one of the best, too.
    both = graphs(hierarchy, [true], [predicted], threshold=threshold, draw=True)
    lcas, nodes, _ = both.drawn(hierarchy, 0)
    ends, *sides = (frozenset(names[c] for c in some) for some in (lcas, *nodes))
    assert (tuple(sorted(ends)), *sides) in {(tuple(sorted(c)), t, p) for c, t, p in found}
    # Greedy graphs are feasible and never better in the order of the aims.
    greedy = greedy_cover(hierarchy, links, code, 0)
    every = {a for requirement in given_problem[1].values() for a in requirement}
    v_t, v_p = sides_of(greedy)
    full = full_sides(given_problem)
    assert v_t <= full[0]
    assert v_p <= full[1]
    chosen = named(greedy.ends)
    assert all(d & chosen for d in given_problem[1].values() if d)
    assert chosen <= v_t & v_p
    assert rank(len(chosen), every, v_t, v_p) >= best


@settings(max_examples=effort.cases(150), deadline=None)
@given(problems(max_classes=10, max_labels=4, instances=4), st.randoms(use_true_random=False))
def test_numbering_and_orders_change_nothing(problem, random):
    hierarchy, edges, y_true, y_pred = problem
    renamed = list(hierarchy.names)
    random.shuffle(renamed)
    new = dict(zip(hierarchy.names, renamed, strict=True))
    turned = [(new[u], new[v]) for u, v, *_ in edges]
    random.shuffle(turned)
    classes = list(renamed)
    random.shuffle(classes)
    other = Hierarchy.from_edges(turned, classes=classes, roots="any")
    before = graphs(hierarchy, y_true, y_pred)
    after = graphs(other, *([[new[x] for x in row] for row in rows] for rows in (y_true, y_pred)))
    for name in ("n_true", "n_predicted", "n_both"):
        assert getattr(before, name).tolist() == getattr(after, name).tolist()
    back = graphs(hierarchy, y_true[::-1], y_pred[::-1])
    assert back.n_both.tolist() == before.n_both.tolist()[::-1]


@settings(max_examples=effort.cases(150), deadline=None)
@given(problems(max_classes=10, max_labels=4, instances=1))
def test_changing_sides_swaps_precision_and_recall(problem):
    hierarchy, _, y_true, y_pred = problem
    p, r, f = values(graphs(hierarchy, y_true, y_pred))
    p2, r2, f2 = values(graphs(hierarchy, y_pred, y_true))
    assert f == f2
    if (p, r) != (r2, p2):
        assert (p, r) == (p2, r2)  # only the last rule, larger precision, can prevent the swap
        assert p >= r


def ladder(rungs):
    """Two classes per step, each below both of the step above: 2 ** rungs shortest ways."""
    edges = [("top", "0a"), ("top", "0b")]
    for i in range(rungs):
        edges += [(f"{i}{x}", f"{i + 1}{y}") for x in "ab" for y in "ab"]
    edges += [(f"{rungs}{x}", leaf) for x in "ab" for leaf in ("y1", "y2", "p1")]
    return Hierarchy.from_edges([*edges, ("top", "t2"), ("t2", "t3")])


@pytest.mark.parametrize("rungs", [4, 12, 40])
def test_a_ladder_with_many_equal_ways_is_no_harder(rungs):
    hierarchy = ladder(rungs)
    found = graphs(hierarchy, [["y1", "t3"], ["y1"]], [["t2", f"{rungs}a"], ["t3"]])
    exact = [values(found, i) for i in (0, 1)]
    assert exact[0] == (Fraction(1), Fraction(1, 2), Fraction(2, 3))
    assert exact[1] == (Fraction(1, 3), Fraction(1, rungs + 3), Fraction(2, rungs + 6))


@pytest.mark.parametrize("limit", ["search.MOST_WORK", "search.MOST_STATES", "encoding.MOST_PATHS"])
@settings(max_examples=effort.cases(60), deadline=None)
@given(problems(max_classes=10, max_labels=4, instances=2), st.sampled_from([0, 1]))
def test_where_enumeration_gives_up_the_solver_takes_over(limit, problem, most):
    hierarchy, _, y_true, y_pred = problem
    searched = graphs(hierarchy, y_true, y_pred)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"hierpair.lca.{limit}", most)
        solved = graphs(hierarchy, y_true, y_pred)
    for name in ("n_true", "n_predicted", "n_both"):
        assert getattr(searched, name).tolist() == getattr(solved, name).tolist()
    if limit == "search.MOST_WORK" and not most:
        assert (solved.solved_by == SOLVER).tolist() == (searched.solved_by == SEARCH).tolist()


def test_a_time_limit_is_said(monkeypatch):
    """No time at all: the graphs of the start come back, and are said to be a bound."""
    calls = []

    def hurried(these, unlinked, start, limit):
        calls.append(limit)
        return solve_cover(these, unlinked, start, 1e-9)

    hierarchy = Hierarchy.from_edges(
        [("r", "a"), ("r", "b"), ("a", "y"), ("b", "y"), ("a", "p"), ("b", "p")]
    )
    monkeypatch.setattr("hierpair.lca.search.MOST_WORK", 0)
    monkeypatch.setattr("hierpair.lca.graphs.solve_cover", hurried)
    found = graphs(hierarchy, [["y"]], [["p"]], limit=2.0)
    assert calls == [2.0]
    assert found.solved_by.tolist() == [BOUND]
    assert values(found) == (Fraction(1, 2), Fraction(1, 2), Fraction(1, 2))


@st.composite
def blown_up(draw):
    """A small problem whose classes are replaced by one to three that are connected alike."""
    _, edges, [true], [predicted] = draw(problems(max_classes=6, max_labels=3, instances=1))
    copies = {c: draw(st.integers(1, 3)) for c in sorted({x for e in edges for x in e[:2]})}
    named = {c: [f"{c}.{k}" for k in range(n)] for c, n in copies.items()}
    every = [(u, v) for parent, c, *_ in edges for u in named[parent] for v in named[c]]
    sides = []
    for side in (true, predicted):
        pool = sorted(x for c in side for x in named.get(c, ()))
        sides.append(sorted(draw(st.sets(st.sampled_from(pool), max_size=4))) if pool else [])
    return every, *sides


@settings(max_examples=effort.cases(150), deadline=None)
@given(blown_up(), st.sampled_from([None, None, 4]))
def test_without_twins_the_graphs_are_as_small(problem, threshold):
    edges, true, predicted = problem
    if not edges:
        return
    hierarchy = Hierarchy.from_edges(edges, roots="any")
    links = linked(hierarchy, true, predicted, threshold)
    every = whole(hierarchy, links)
    if not every:
        return
    part, _, fewer = without_twins(hierarchy, links, 0)
    found = []
    for some, these in ((links, every), (part, fewer)):
        cover, marked = solved(hierarchy, some), sum({1 << x.end for x in these})
        assert is_cover(these, cover)
        t, p = cover.nodes
        found.append([m.bit_count() for m in (cover.ends, marked & (t | p), t, p, t & p)])
    assert found[0] == found[1]
    t, p = searched(hierarchy, part).nodes
    assert [m.bit_count() for m in (t, p, t & p)] == found[0][2:]


def is_cover(links, cover):
    """Whether every label reaches a chosen end of its own, inside the graph of its side."""
    met = set()
    for x in links:
        inside = [bool(node & cover.nodes[x.side]) for node in x.nodes]
        reached = {0} if inside[0] else set()
        for lower, upper in zip(x.lower, x.upper, strict=True):
            if lower in reached and inside[upper]:
                reached.add(upper)
        if x.own and cover.ends >> x.end & 1 and len(x.nodes) - 1 in reached:
            met.add(x.label)
    every = {x.label for x in links if x.own}
    return met == every and all(not cover.ends & ~side for side in cover.nodes)


@pytest.mark.parametrize(("rungs", "wide", "pairs"), [(30, 10, 3), (20, 5, 20), (12, 2, 2)])
def test_labels_that_share_the_foot_of_a_ladder(rungs, wide, pairs):
    """Twins on every rung: two labels of both sides share one class of a rung, or two."""
    edges = [("top", f"0.{j}") for j in range(wide)]
    edges += [
        (f"{i}.{j}", f"{i + 1}.{k}") for i in range(rungs) for j in range(wide) for k in range(wide)
    ]
    sides = [[f"{s}{k}" for k in range(pairs)] for s in "yp"]
    edges += [(f"{rungs}.{j}", x) for j in range(wide) for x in sides[0]]
    edges += [("top", "q")] + [("q", x) for x in sides[1]]
    hierarchy = Hierarchy.from_edges(edges)
    found = graphs(hierarchy, [sides[0], sides[0]], [[sides[1][0]], sides[1]])
    n_true = pairs + rungs + 2  # the labels, one class of every rung, the top
    assert found.n_true.tolist() == [n_true, n_true]
    assert found.n_predicted.tolist() == [3, pairs + 2]
    assert found.n_both.tolist() == [1, 1]
    assert set(found.solved_by.tolist()) == {SEARCH}


def test_two_twins_are_kept_where_both_sides_can_share_two():
    """Two labels of both sides, far below three equal classes, meet nearer partners above."""
    edges = [("a", c) for c in ("c1", "c2", "c3", "w", "q")]
    sides = ["y1", "y2", "w"], ["p1", "p2", "q"]
    for x in ("y1", "y2", "p1", "p2"):
        edges += [(f"c{k}", x + "'") for k in (1, 2, 3)]
        edges += [(x + "'", x + "''"), (x + "''", x)]
    hierarchy = Hierarchy.from_edges(edges)
    links = linked(hierarchy, *sides)
    part = without_twins(hierarchy, links, 0)[0]
    assert len({*links.node.tolist()} - {*part.node.tolist()}) == 1
    found = graphs(hierarchy, [sides[0]], [sides[1]])
    assert values(found) == (Fraction(3, 10),) * 3  # with one class in the middle: 2/9
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hierpair.lca.search.MOST_WORK", 0)
        assert values(graphs(hierarchy, [sides[0]], [sides[1]])) == (Fraction(3, 10),) * 3


def test_a_class_is_on_a_link_once():
    """Two ways that meet in a class which is the only parent of both classes below it."""
    links = linked(ladder(3), ["y1"], ["t3"])
    for lo, hi in zip(links.node_ptr, links.node_ptr[1:], strict=False):
        nodes = links.node[lo:hi].tolist()
        assert len(set(nodes)) == len(nodes)


def test_a_greedy_graph_has_no_lca_that_is_not_needed():
    """a and b both join t with b, and one of them is enough."""
    dag = Hierarchy.from_edges(
        [("r", "a"), ("a", "b"), ("b", "c"), ("c", "t"), ("a", "t"), ("a", "u")]
    )
    found = graphs(dag, [["t", "u"]], [["b", "u"]], extension="greedy")
    sizes = found.n_true, found.n_predicted, found.n_both
    assert [int(size[0]) for size in sizes] == [4, 2, 2]


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
        rng = np.random.default_rng(k)
        turned = [edges[i] for i in rng.permutation(len(edges))]
        found = graphs(
            Hierarchy.from_edges(turned, roots="any"),
            [["y'", "y1", "y2", "b"]],
            [["q", "p1", "p2", "b"]],
        )
        seen.add((int(found.n_true[0]), int(found.n_predicted[0]), int(found.n_both[0])))
    assert len(seen) == 1


def test_distances_of_another_threshold_are_not_taken():
    chain = [("r", "a"), ("a", "b"), ("b", "c"), ("r", "d"), ("d", "e"), ("e", "f")]
    tree = Hierarchy.from_edges(chain)
    alone = score(tree, ["c"], {"s": ["f"]}, ["lca_f(threshold=2)"]).values[0, 0]
    beside = score(tree, ["c"], {"s": ["f"]}, ["mgia", "lca_f(threshold=2)"]).values[0, 1]
    assert alone == beside == 0.5


def test_forests_and_empty_sets():
    forest = Hierarchy.from_edges([("a", "b"), ("c", "d")])
    rows = ([["b"], [], ["b"], [], ["b", "d"]], [["d"], [], [], ["d"], ["b"]])
    scores = score(forest, rows[0], {"s": rows[1]}, ["lca_f", "lca_precision", "lca_recall"])
    assert scores.per_instance["s"].tolist() == [
        [0, 0, 0], [1, 1, 1], [0, 0, 0], [0, 0, 0], [2 / 3, 1, 0.5],
    ]  # fmt: skip
    nan = score(forest, [["b"]], {"s": [[]]}, ["lca_precision(zero_division=nan)"])
    assert np.isnan(nan.values).all()


def test_ancestors_in_a_set_are_taken_out():
    chain = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c")])
    with_above = graphs(chain, [["r", "a", "b"]], [["a", "c"]])
    without = graphs(chain, [["b"]], [["c"]])
    assert values(with_above) == values(without)


def test_options_are_checked():
    tree = Hierarchy.from_edges([("r", "a")])
    for name, message in [
        ("lca_f(extension=best)", "extension must be one of 'exact', 'greedy', 'full', got 'best'"),
        ("lca_f(limit=0)", "limit must be a number of seconds > 0 or None, got 0"),
        ("lca_f(threshold=3)", "threshold must be an even whole number"),
        ("lca_f(average=macro)", "average must be one of 'samples', 'micro'"),
    ]:
        with pytest.raises(BadInput) as caught:
            score(tree, [["a"]], {"s": [["a"]]}, [name])
        assert message in str(caught.value)


def test_no_way_to_the_artificial_class_ends_before_it(monkeypatch):
    """A class that leads nowhere within the threshold is on no way, by either solver."""
    above = {1: "0", 2: "0 1", 3: "1", 4: "3", 5: "1 2 3", 6: "2 5", 7: "3", 8: "7", 9: "8",
             10: "6 7 8", 11: "7 9", 12: "8 11"}  # fmt: skip
    dag = Hierarchy.from_edges([(p, f"{c}") for c, up in above.items() for p in up.split()])
    for states in (5_000, 0):
        monkeypatch.setattr("hierpair.lca.search.MOST_STATES", states)
        found = score(dag, [["7", "5", "11"]], {"s": [["12"]]}, ["lca_f(threshold=6)"])
        assert found.values[0, 0] == pytest.approx(4 / 9)
