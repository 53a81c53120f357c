"""LCA graphs: minimal, full and greedy ones against slow searches, the papers' graphs, and vectors."""

import json
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, explain, score
from hierpair.lca import SOLVER, extended_graphs
from hierpair.lca.encoding import without_twins
from hierpair.lca.graphs import ARRAYS, SEARCH
from hierpair.measures.evidence import ARTIFICIAL
from tests import effort
from tests.extensions import graphs, labels, linked, searched, solved, values, whole, written
from tests.oracles.greedy_graphs import greedy_graphs, ranks_of
from tests.oracles.lca import (
    extension_problem,
    full_sides,
    lca_full,
    lca_minimal,
    minimal_sides,
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
    """By enumeration, and by the solver where enumeration gives up."""
    hierarchy, edges, y_true, y_pred = problem
    with pytest.MonkeyPatch.context() as patch:
        if limit:
            patch.setattr(f"hierpair.lca.{limit}", most)
        exact = graphs(hierarchy, y_true, y_pred, threshold=threshold)
    full = graphs(hierarchy, y_true, y_pred, extension="full", threshold=threshold)
    for i, (true, predicted) in enumerate(zip(y_true, y_pred, strict=True)):
        assert values(exact, i) == lca_minimal(edges, true, predicted, threshold)
        assert values(full, i) == lca_full(edges, true, predicted, threshold)
    by = (
        {SOLVER}
        if (limit, most) == ("search.MOST_WORK", 0)
        else {SEARCH, SOLVER}
        if limit
        else {SEARCH}
    )
    assert set(exact.solved_by.tolist()) <= by | {ARRAYS}


@settings(max_examples=effort.cases(200), deadline=None)
@given(problems(max_classes=12, max_labels=5, instances=1), st.sampled_from([None, None, 4]))
def test_what_is_drawn_is_one_of_the_best_graphs(problem, threshold):
    hierarchy, edges, *rows = problem
    _, best = minimal_sides(extension_problem(edges, rows[0][0], rows[1][0], threshold))
    names = [*hierarchy.names, "*"]
    for most in (200_000, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("hierpair.lca.search.MOST_WORK", most)
            found = graphs(hierarchy, *rows, threshold=threshold, draw=True)
        lcas, nodes, _ = found.drawn(hierarchy, 0)
        drawn = [frozenset(names[c] for c in some) for some in (lcas, *nodes)]
        assert drawn in [[frozenset(lcas), t, p] for lcas, t, p in best]
        assert sizes(found) == (len(drawn[1]), len(drawn[2]), len(drawn[1] & drawn[2]))


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


@settings(max_examples=effort.cases(300), deadline=None)
@given(problems(max_classes=14, max_labels=6, instances=4), st.sampled_from([None, None, 2, 4, 6]))
def test_greedy_graphs_are_those_of_single_steps(problem, threshold):
    hierarchy, _, *rows = problem
    check_greedy(hierarchy, *(labels(hierarchy, side) for side in rows), threshold)


def dense(n_classes, n_labels, instances, seed):
    """Layers with many parents: several LCAs and paths everywhere, and LCAs that become spare."""
    rng = np.random.default_rng(seed)
    level = np.sort(rng.integers(0, 5, n_classes))
    edges = [
        (int(p), c)
        for c in range(n_classes)
        if (above := np.flatnonzero(level == level[c] - 1)).size
        for p in rng.choice(above, min(len(above), int(rng.integers(1, 5))), False)
    ]
    hierarchy = Hierarchy.from_edges(edges, classes=range(n_classes))
    rows = [
        [
            rng.choice(n_classes, int(rng.integers(0, n_labels)), False).tolist()
            for _ in range(instances)
        ]
        for _ in "tp"
    ]
    return hierarchy, *(labels(hierarchy, side) for side in rows)


@pytest.mark.random_cases
def test_greedy_graphs_of_many_paths_and_many_lcas():
    n_loose = 0
    for seed in range(effort.cases(60)):
        hierarchy, *sides = dense(40, 9, 30, seed)
        batch = check_greedy(hierarchy, *sides, (None, None, 4)[seed % 3])
        n_loose += int((~batch.links.own).sum())
    assert n_loose > 100


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
    batch = (
        check_greedy(hierarchy, *sides)
        if len(edges) < 100
        else extended_graphs(hierarchy, *sides, "greedy")
    )
    assert {hierarchy.names[c] for c in batch.drawn(hierarchy, 0)[0]} == lcas
    assert sizes(batch) == n


# ----------------------------------------------------------------------------- many equal ways


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
    edges, *sides = problem
    if not edges:
        return
    hierarchy = Hierarchy.from_edges(edges, roots="any")
    links = linked(hierarchy, *sides, threshold)
    if not (every := whole(hierarchy, links)):
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


# ----------------------------------------------------------------------------- what is published

CASES = {c["id"]: c for c in json.loads((BUNDLED / "kosmopoulos2014.json").read_text("utf-8"))}


def threshold_of(case):
    return case["params"].get("path_threshold") if case["id"] == "x9" else None


def shown(case, extension):
    """What is shown of the graphs of a case."""
    hierarchy = Hierarchy.from_edges(case["edges"])
    threshold = threshold_of(case)
    measure = f"lca_f(extension={extension}" + (f",threshold={threshold})" if threshold else ")")
    found = explain(hierarchy, [case["true"]], [case["pred"]], measure)
    return found[0].evidence


def sides(evidence):
    """The classes of both graphs; the artificial class is written as in the data."""
    return [
        {"*" if c == ARTIFICIAL else c for c in evidence.of("in both", only)}
        for only in ("only true", "only predicted")
    ]


@pytest.mark.parametrize("case", list(CASES.values()), ids=lambda c: c["id"])
def test_published_values_demands_and_graphs(case):
    """Where several graphs are equally good, the data name one of them, and we find one."""
    rows = Hierarchy.from_edges(case["edges"]), [case["true"]], [case["pred"]]
    for extension, suffix in (("exact", ""), ("full", "_ex")):
        found = graphs(*rows, extension=extension, threshold=threshold_of(case))
        assert list(values(found)) == [Fraction(case["computed"][f"{k}LCA{suffix}"]) for k in "PRF"]
    if "Gex_t" in case:
        assert sides(shown(case, "full")) == [set(case["Gex_t"]), set(case["Gex_p"])]
    evidence = shown(case, "exact")
    if case["id"] != "x9":  # the data state constraints on uncut hierarchies only
        assert case["lca"] == {
            f"{'t' if field.true else 'p'}:{(field.true or field.predicted)[0]}": sorted(
                field.classes
            )
            for field in evidence.fields
            if field.name == "LCAs" and field.classes
        }
    assert evidence.remarks[0].startswith("proof:")
    problem = extension_problem(case["edges"], case["true"], case["pred"], threshold_of(case))
    best = {(frozenset(lcas), v_t, v_p) for lcas, v_t, v_p in minimal_sides(problem)[1]}
    lcas = frozenset("*" if a == ARTIFICIAL else a for a in evidence.of("chosen LCAs"))
    assert (lcas, *map(frozenset, sides(evidence))) in best
    assert tuple(frozenset(case[name]) for name in ("selected_LCAs", "Gt", "Gp")) in best
    assert all(
        mine <= all_of for mine, all_of in zip(sides(evidence), full_sides(problem), strict=True)
    )


def test_the_worked_example_of_the_paper():
    case = CASES["fig8b"]
    y = ([case["true"]], {"s": [case["pred"]]})
    scores = score(
        Hierarchy.from_edges(case["edges"]), *y,
        ["lca_f", "lca_f(extension=full)", "lca_precision", "lca_recall"],
    )  # fmt: skip
    assert scores.values.tolist() == [[0.5, 0.6, 0.5, 0.5]]


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
