"""The hierarchy: edges and their faults, closures and distances against slow references, fingerprints."""

import math
from collections import UserList
from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import Hierarchy, SolverLimit, score
from hierpair.evaluation import batches
from hierpair.hierarchy import ancestor_closure, arrays, building, descendant_closure
from hierpair.hierarchy import closure as closures
from tests import effort
from tests.oracles import pairs_and_sets as reference
from tests.reading import error_of
from tests.strategies import dags, problems


def same(one, other):
    assert (one.names, one.fingerprint) == (other.names, other.fingerprint)
    for field in ("parent_ptr", "parents", "child_ptr", "children", "levels"):
        assert getattr(one, field).tolist() == getattr(other, field).tolist(), field


def test_edges_of_any_sequence_give_the_same():
    edges = [("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")]
    plain, mixed = Hierarchy.from_edges(edges), [UserList(e) if e[1] == "b" else e for e in edges]
    for others in (map(UserList, edges), map(list, edges), iter(edges), mixed):
        same(Hierarchy.from_edges(others), plain)
    weighted = [(*edge, k / 2) for k, edge in enumerate(edges)]
    for some in (edges, weighted):
        turned = [[e[1], e[0], *e[2:]] for e in some]
        wanted = Hierarchy.from_edges(some)
        for others in (turned, map(tuple, turned), map(UserList, turned)):
            same(Hierarchy.from_edges(others, direction="child-to-parent"), wanted)


@given(st.lists(st.text(max_size=2)))
def test_texts_are_numbered_as_they_come_also_where_two_have_one_hash(texts):
    wanted = {text: k for k, text in enumerate(dict.fromkeys(texts))}
    for found in (hash, len):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arrays, "hash", found, raising=False)
            codes, names = arrays.texts_as_they_come(texts)
        assert names == list(wanted)
        assert codes.tolist() == [wanted[text] for text in texts]


def test_equal_names_of_different_types_are_one_class():
    edges = [(np.str_("r"), 1), ("r", 2.0), (1.0, True + 2), (np.int64(2), "x")]
    assert Hierarchy.from_edges(edges).names == ("r", 1, 2.0, 3, "x")
    plain, same, other = (Hierarchy.from_edges([(r, "a"), (r, one)]).fingerprint
                          for r, one in (("r", 1), (np.str_("r"), 1.0), ("r", "1")))  # fmt: skip
    assert plain == same != other
    names = 1, "1", (1,), math.inf, -math.inf
    assert len({Hierarchy.from_edges([("r", name)]).fingerprint for name in names}) == len(names)


FAULTY = [
    ("edge", "ab", "expected (parent, child[, weight]), got 'ab'"),
    ("blank name", ("b", ""), "a class name is missing (got '')"),
    ("blank name", (None, "c"), "a class name is missing (got None)"),
    ("self-loop", ("b", "b"), "class 'b' is its own parent; remove that edge"),
    ("duplicate edge", ("r", "a"), "the edge 'r' → 'a' already occurs at line 0; remove one of them"),
    ("cycle", ("c", "r"), "a cycle: 'r' → 'a' → 'c' → 'r'; remove one of its edges, such as 'c' → 'r'"),
]  # fmt: skip


@pytest.mark.parametrize("faulty", [*([one] for one in FAULTY), FAULTY])
def test_every_fault_is_told_and_the_rest_is_numbered(faulty):
    """One kind after the other, and all at once; the classes of a faulty edge stay."""
    good = [("r", "a"), ("r", "b"), ("a", "c")]
    told, edges = [], [*good, *(edge for _, edge, _ in faulty)]
    numbered = building.numbered_edges(edges, ["lone"], "line {}".format, told.append)
    same(Hierarchy(**numbered), Hierarchy.from_edges(good, classes=["lone"]))
    for i, (f, (rule, _, said)) in enumerate(zip(told, faulty, strict=True), len(good)):
        assert (f.rule, f.place, f.message[-len(said) :]) == (rule, f"line {i}", said)
    said = error_of(building.numbered_edges, edges, ["lone"], "line {}".format)
    assert said == f"{told[0].place}: {told[0].message}"


def test_bad_weights_and_bad_classes_are_told():
    told = []
    edges = [("r", "a", 1.0), ("r", "b", -1), ("a", "c", "1_0"), ("r", "a", 5), ("a", "b", 3.0)]
    numbered = building.numbered_edges(edges, ["", "z", []], str, told.append)
    wanted = [*["blank name: classes"] * 2, "edge weight: 1", "edge weight: 2", "duplicate edge: 3"]
    assert [f"{f.rule}: {f.place}" for f in told] == wanted
    assert numbered["names"] == ("z", "r", "c", "a", "b")
    assert numbered["weights"].tolist() == [1.0, 3.0]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14, unique=True))
@settings(max_examples=effort.cases(200), deadline=None)
def test_the_edges_left_out_of_cycles_are_those_of_the_rule(edges):
    edges = [edge for edge in edges if edge[0] != edge[1]]
    told, back = [], back_edges_by_hand(edges)
    numbered = building.numbered_edges(edges, [9], str, told.append)
    wanted = [("cycle", str(i), edges[i]) for i in sorted(back)]
    assert [(f.rule, f.place, f.edge) for f in told] == wanted
    names = [9, *dict.fromkeys(name for edge in edges for name in edge)]
    rest = [edge for i, edge in enumerate(edges) if i not in back]
    same(Hierarchy(**numbered), Hierarchy.from_edges(rest, classes=names, roots="any"))


def back_edges_by_hand(edges):
    """The rule, recursively."""
    names = dict.fromkeys(name for edge in edges for name in edge)
    below = {child for _, child in edges}
    back, done = set(), set()

    def down(name, above):
        done.add(name)
        for i, (parent, child) in enumerate(edges):
            if parent == name and child in above:
                back.add(i)
            elif parent == name and child not in done:
                down(child, {*above, child})

    for name in sorted(names, key=below.__contains__):
        if name not in done:
            down(name, {name})
    return back


def test_many_cycles_take_no_quadratic_time():
    edges = [(i, i + 1) for i in range(3000)] + [(i + 1, i) for i in range(3000)]
    assert set(building.closing_edges(edges, range(3001))) == {*edges[3000:]}


ONE = Hierarchy.from_edges([("a", "cat")])


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Hierarchy.from_edges([]), "the hierarchy is empty"),
    (lambda: Hierarchy.from_edges([None]), "expected (parent, child[, weight]), got None"),
    (lambda: Hierarchy.from_edges([("a", ["b"])]), "must be one value, got ['b']"),
    (lambda: Hierarchy.from_edges([("a", "b", 1), ("a", "c")]), "some do not"),
    (lambda: Hierarchy.from_edges([(i, (i + 1) % 40) for i in range(40)]), "…; remove"),
    (lambda: Hierarchy.from_networkx(nx.Graph([("a", "b")])), "undirected"),
    (lambda: Hierarchy.from_networkx(nx.DiGraph([("a", "b")]), weight="w"),
     "edge 1: the edge weight must be a number, got None"),
    (lambda: ONE.index([["a"]]), "class ['a'] is not in"),
    (lambda: ONE.index(["a", "cta"]), "class 'cta' is not in the hierarchy; did you mean 'cat'?"),
    (lambda: ONE.with_weights(np.array([1.0, 2.0])), "expected 1 weights"),
    (lambda: ONE.with_weights(np.array([np.nan])), "finite and not negative"),
    (lambda: ancestor_closure(ONE, threshold=3), "an even whole number ≥ 2, got 3"),
    (lambda: ancestor_closure(ONE, threshold=4, weighted=True), "cannot be used with edge weights"),
])  # fmt: skip
def test_what_is_wrong_is_refused_by_name(make, message):
    assert message in error_of(make)


def ups(hierarchy, closure, name):
    row = hierarchy.position[name]
    part = slice(closure.indptr[row], closure.indptr[row + 1])
    names = [[*hierarchy.names, "*"][c] for c in closure.indices[part]]
    return dict(zip(names, closure.up[part].tolist(), strict=True))


@given(dags())
@settings(max_examples=effort.cases(200), deadline=None)
def test_closure_lists_every_ancestor_with_its_least_distance(dag):
    """Cut at a threshold, it bounds all distances."""
    edges, names = dag
    hierarchy = Hierarchy.from_edges(edges, classes=names, roots="any")
    closure, roots = ancestor_closure(hierarchy), reference.roots_of(edges, names)
    cut = {n: ancestor_closure(hierarchy, threshold=n) for n in (2, 4, 6)}
    for name in names:
        up = reference.up_distances(edges, name)
        assert ups(hierarchy, closure, name) == up
        assert set(hierarchy.ancestors(name)) == up.keys() - {name}
        for n, some in cut.items():
            assert ups(hierarchy, some, name) == reference.cut(up, n // 2 - 1, roots)
        at = hierarchy.position[name]
        assert (np.diff(closure.indices[slice(*closure.indptr[at : at + 2])]) > 0).all()
        assert hierarchy.depths[at] == min(d for a, d in up.items() if a in roots)
        below = reference.descendant_sets(edges, [name])
        assert set(hierarchy.descendants(name)) == below - {name}
        assert set(ups(hierarchy, descendant_closure(hierarchy), name)) == below


@pytest.mark.parametrize("weighted", [False, True])
@given(data=st.data())
@settings(max_examples=effort.cases(150), deadline=None)
def test_distances_go_the_cheapest_way_through_common_ancestors(weighted, data):
    edges, names = data.draw(dags(weighted=weighted))
    hierarchy = Hierarchy.from_edges(edges, classes=names, roots="any")
    ways = reference.weighted_up_distances if weighted else reference.up_distances
    up = {name: ways(edges, name) for name in names}
    for u, v in product(names, repeat=2):
        assert hierarchy.distance(u, v) == reference.distance(up[u], up[v])


def test_the_size_of_a_closure_is_estimated_from_a_sample(monkeypatch):
    ladder = [(f"{i}{a}", f"{i + 1}{b}") for i in range(40) for a in "xy" for b in "xy"]
    assert closures.mean_ancestors(Hierarchy.from_edges(ladder)) is None
    monkeypatch.setattr(closures, "WHOLE_LIMIT", 3000)
    assert 39 < closures.mean_ancestors(Hierarchy.from_edges(ladder)) < 42
    chain = Hierarchy.from_edges([(i, i + 1) for i in range(2_000)])
    assert closures._estimate(chain) == pytest.approx(2_001 * 1_001, rel=0.01)


def test_networkx_goes_in_and_comes_out():
    edges = [("b", "x", 3.0), ("r", "a", 1.5), ("r", "b", 2.5), ("a", "x", 0.5)]
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(edges, weight="length")
    back = Hierarchy.from_networkx(graph, weight="length").to_networkx()
    assert sorted(back.edges(data="weight")) == sorted(edges)
    assert Hierarchy.from_networkx(back).roots == ["r"]


@pytest.fixture
def partly(monkeypatch):
    """No closure is held as a whole."""
    monkeypatch.setattr(closures, "WHOLE_LIMIT", 0)


def test_a_partial_closure_is_built_once_and_refuses_what_it_does_not_hold(partly):
    tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("r", "c"), ("b", "d"), ("c", "e")])
    held, other, both = (tree.index(list(names)) for names in ("d", "e", "db"))
    closure = ancestor_closure(tree, both)
    assert ancestor_closure(tree, held) is closure
    for ask in (closure.need, closure.lengths, lambda c: closure.find(c, c)):
        with pytest.raises(LookupError, match="built without some of these"):
            ask(other)


def test_too_many_ancestors_are_refused(partly, monkeypatch):
    """Before memory is exhausted, and naming what would do."""
    monkeypatch.setattr(closures, "MOST_HELD", 300)
    edges = [*((i, i + 1, 1.0) for i in range(400)), (0, 401, 1.0), (399, 401, 1.0)]
    tree, said = Hierarchy.from_edges(edges), r"40[12] classes.* too many to be held \(300\); score"
    for measure in ("hf", "gie(cost=weights)", "hf(augment=descendants)"):
        labels = [[0]] if "desc" in measure else [[401]]
        with pytest.raises(SolverLimit, match=said):
            score(tree, labels, {"s": [[400]]}, measure)
    monkeypatch.setattr(closures, "MOST_HELD", 300_000)
    score(tree, [[401]], {"s": [[400]]}, "hf")


@pytest.mark.parametrize("how", [{}, {"weighted": True}, {"threshold": 6}], ids=str)
@given(data=st.data())
@settings(max_examples=effort.cases(300), deadline=None)
def test_rows_of_classes_in_use_are_those_of_the_whole(how, data):
    """To the bit, and however often rows are forgotten; a chain makes it as deep as can be."""
    edges, names = data.draw(dags(weighted=True))
    if data.draw(st.booleans()):
        edges = [(*edge, 1.5) for edge in pairwise(names)] or edges
    used = data.draw(st.lists(st.sampled_from(names), unique=True))
    found = []
    for limit in (10**9, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(closures, "WHOLE_LIMIT", limit)
            graph = Hierarchy.from_edges(edges, classes=names, roots="any")
            closure = ancestor_closure(graph, graph.index(used).astype(int), **how)
            found.append([[*ups(graph, closure, name).items()] for name in used])
    assert found[0] == found[1]


def test_chunks_go_by_the_ancestors_of_the_labels(partly, monkeypatch):
    monkeypatch.setattr(batches, "CHUNK_ANCESTORS", 102)
    tree, labels, steps = Hierarchy.from_edges([*pairwise(range(50))]), [[49]] * 4, []
    score(tree, labels, {"s": labels}, "hf", on_progress=lambda *at: steps.append(at[1]))
    assert steps == [0, 1, 3, 4]  # two times 25.5 of each, on average


@settings(max_examples=effort.cases(100), deadline=None)
@given(problems(9), st.randoms())
def test_fingerprints_know_names_edges_and_weights_but_no_order(problem, random):
    def of(edges, classes, **more):
        return Hierarchy.from_edges(edges, classes=classes, roots="any", **more).fingerprint

    hierarchy, edges, _, _ = problem
    names = list(hierarchy.names)
    mixed = [random.sample(x, len(x)) for x in (edges, names)]
    assert of(*mixed, aliases={"alias": names[0]}) == hierarchy.fingerprint
    others = [of(edges, [*names, "x"])]
    if edges:
        weights = [float(random.randint(0, 2)) for _ in edges]
        weighted = [(*e, w) for e, w in zip(edges, weights, strict=True)]
        changed = [*weighted[:-1], (*edges[-1], weights[-1] + 0.5)]
        others += [of(e, names) for e in (weighted, changed, edges[1:])]
    assert len({hierarchy.fingerprint, *others}) == 1 + len(others)
