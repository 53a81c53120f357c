"""The hierarchy: building and refusing, closure and distances against slow references."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from hierpair import BadInput, Hierarchy
from hierpair.hierarchy import ancestor_closure, descendant_closure, mean_ancestors
from hierpair.hierarchy import closure as closure_module
from tests import effort
from tests.oracles import pairs_and_sets as reference
from tests.strategies import dags


def ups(hierarchy, closure, name):
    row = closure.rows(hierarchy.index([name]).astype(int))[0]
    part = slice(closure.indptr[row], closure.indptr[row + 1])
    names = [*hierarchy.names, "*"]
    return {
        names[c]: d for c, d in zip(closure.indices[part], closure.up[part].tolist(), strict=True)
    }


@given(dags())
@settings(max_examples=effort.cases(200), deadline=None)
def test_closure_lists_every_ancestor_with_its_least_distance(dag):
    edges, names = dag
    hierarchy = Hierarchy.from_edges(edges, classes=names, roots="any")
    closure = ancestor_closure(hierarchy)
    for name in names:
        expected = reference.up_distances(edges, name)
        assert ups(hierarchy, closure, name) == expected
        assert set(hierarchy.ancestors(name)) == expected.keys() - {name}
        row = slice(*closure.indptr[hierarchy.position[name] :][:2])
        assert (np.diff(closure.indices[row]) > 0).all()
        below = reference.descendant_sets(edges, [name])
        assert set(hierarchy.descendants(name)) == below - {name}
        assert set(ups(hierarchy, descendant_closure(hierarchy), name)) == below
        assert hierarchy.depths[hierarchy.position[name]] == min(
            d for a, d in expected.items() if a in reference.roots_of(edges, names)
        )


@given(dags(weighted=True))
@settings(max_examples=effort.cases(150), deadline=None)
def test_rows_in_use_equal_rows_of_the_whole(dag):
    """What is built lazily for large hierarchies is what is built whole for small ones."""
    edges, names = dag
    used = names[::2]
    for weighted, threshold in ((False, None), (True, None), (False, 2), (False, 4)):
        eager, lazy = (Hierarchy.from_edges(edges, classes=names, roots="any") for _ in range(2))
        whole = ancestor_closure(eager, weighted=weighted, threshold=threshold)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(closure_module, "WHOLE_LIMIT", 0)
            part = ancestor_closure(lazy, lazy.index(used), weighted=weighted, threshold=threshold)
            again = ancestor_closure(
                lazy, lazy.index(used[::-1]), weighted=weighted, threshold=threshold
            )
            fresh = Hierarchy.from_edges(edges, classes=names, roots="any")
            none = ancestor_closure(fresh, fresh.index([]), weighted=weighted, threshold=threshold)
        assert part.row_of is not None
        assert again is part
        assert len(none.indices) == 0
        for name in used:
            assert ups(lazy, part, name) == ups(eager, whole, name)


@given(dags())
@settings(max_examples=effort.cases(150), deadline=None)
def test_distances_go_through_common_ancestors(dag):
    edges, names = dag
    hierarchy = Hierarchy.from_edges(edges, classes=names, roots="any")
    up = {name: reference.up_distances(edges, name) for name in names}
    for u in names:
        for v in names:
            assert hierarchy.distance(u, v) == reference.distance(up[u], up[v])


@given(dags(weighted=True))
@settings(max_examples=effort.cases(150), deadline=None)
def test_weighted_distances_take_the_cheapest_way(dag):
    edges, names = dag
    hierarchy = Hierarchy.from_edges(edges, classes=names, roots="any")
    up = {name: reference.weighted_up_distances(edges, name) for name in names}
    for u in names:
        for v in names:
            assert hierarchy.distance(u, v) == reference.distance(up[u], up[v])


@given(dags())
@settings(max_examples=effort.cases(100), deadline=None)
def test_cut_closure_bounds_all_distances(dag):
    edges, names = dag
    hierarchy = Hierarchy.from_edges(edges, classes=names, roots="any")
    roots = reference.roots_of(edges, names)
    for threshold in (2, 4, 6):
        closure = ancestor_closure(hierarchy, threshold=threshold)
        for name in names:
            up = reference.up_distances(edges, name)
            assert ups(hierarchy, closure, name) == reference.cut(up, threshold // 2 - 1, roots)


def test_distance_may_not_turn_at_a_common_descendant():
    """Spec 6.2: R>A, R>M>B, A>X, B>X: 3 through R, although 2 through X; two roots: inf."""
    one_root = Hierarchy.from_edges([("R", "A"), ("R", "M"), ("M", "B"), ("A", "X"), ("B", "X")])
    assert one_root.distance("A", "B") == 3
    two_roots = Hierarchy.from_edges([("A", "X"), ("B", "X")], roots="any")
    assert two_roots.distance("A", "B") == np.inf


def test_deep_hierarchies_stay_exact():
    """A chain of 700 levels is beyond the exponent of a float; 300 levels beyond a byte."""
    for depth in (60, 150, 300, 700):
        chain = [(i, i + 1) for i in range(depth)]
        hierarchy = Hierarchy.from_edges(
            [*chain, (depth // 2, "side"), *zip("abc", "bcd", strict=True)]
        )
        assert hierarchy.distance(depth, "side") == depth - depth // 2 + 1
        assert hierarchy.distance(0, depth) == depth
        assert hierarchy.distance("a", depth) == np.inf


def test_lazy_rows_of_deep_hierarchies(monkeypatch):
    monkeypatch.setattr(closure_module, "WHOLE_LIMIT", 0)
    chain = Hierarchy.from_edges([*((i, i + 1) for i in range(400)), (200, "side")])
    assert chain.distance(400, "side") == 201
    assert chain.distance(0, 400) == 400


def test_the_size_of_a_closure_is_estimated_quickly():
    chain = Hierarchy.from_edges([(i, i + 1) for i in range(12_000)])
    assert closure_module._estimate(chain) == 12_001 * 12_002 / 2
    ladder = [(f"{i}{a}", f"{i + 1}{b}") for i in range(40) for a in "xy" for b in "xy"]
    assert mean_ancestors(Hierarchy.from_edges(ladder)) is None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(closure_module, "WHOLE_LIMIT", 3000)
        assert 39 < mean_ancestors(Hierarchy.from_edges(ladder)) < 42


def test_wide_multiple_inheritance_in_a_deep_level():
    """Many parents and many levels at once still pack into the sort keys."""
    layers = [[f"{k}.{i}" for i in range(12)] for k in range(30)]
    edges = [(p, c) for a, b in zip(layers[:-1], layers[1:], strict=True) for p in a for c in b]
    hierarchy = Hierarchy.from_edges(edges)
    assert ups(hierarchy, ancestor_closure(hierarchy), "29.0") == reference.up_distances(
        edges, "29.0"
    )


def test_networkx_goes_in_and_comes_out():
    graph = nx.DiGraph([("r", "a"), ("r", "b"), ("a", "x"), ("b", "x")])
    nx.set_edge_attributes(graph, 2.5, "length")
    hierarchy = Hierarchy.from_networkx(graph, weight="length")
    assert hierarchy.distance("a", "b") == 5.0
    back = hierarchy.to_networkx()
    assert set(back.edges) == set(graph.edges)
    assert {w for *_, w in back.edges(data="weight")} == {2.5}
    assert Hierarchy.from_networkx(back).roots == ["r"]


def test_parents_table():
    hierarchy = Hierarchy.from_parents(
        {"r": None, "a": "r", "b": ["r", "a"], "lone": []}, roots="any"
    )
    assert hierarchy.roots == ["r", "lone"]
    assert hierarchy.ancestors("b") == ["r", "a"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hierarchy.from_edges([]), "the hierarchy is empty"),
        (lambda: Hierarchy.from_edges([("a", "a")]), "edge 1: class 'a' is its own parent"),
        (
            lambda: Hierarchy.from_edges([("a", "b"), ("a", "b")]),
            "edge 2: the edge 'a' → 'b' already occurs at edge 1",
        ),
        (
            lambda: Hierarchy.from_edges([("r", "a"), ("a", "b"), ("b", "c"), ("c", "a")]),
            "has a cycle: 'a' → 'b' → 'c' → 'a'",
        ),
        (lambda: Hierarchy.from_edges([("a", None)]), "a class name is missing"),
        (lambda: Hierarchy.from_edges([("a", float("nan"))]), "a class name is missing"),
        (lambda: Hierarchy.from_edges(["ab"]), "expected (parent, child[, weight]), got 'ab'"),
        (lambda: Hierarchy.from_edges([None]), "expected (parent, child[, weight]), got None"),
        (lambda: Hierarchy.from_edges([("a", ["b"])]), "must be one value, got ['b']"),
        (lambda: Hierarchy.from_edges([("a", "b")]).index([["a"]]), "must be one value, got ['a']"),
        (lambda: Hierarchy.from_edges([("a",)]), "expected (parent, child[, weight])"),
        (lambda: Hierarchy.from_edges([("a", "b", -1)]), "finite and not negative, got -1"),
        (
            lambda: Hierarchy.from_edges([("a", "b", "x")]),
            "must be a number, got 'x'",
        ),
        (lambda: Hierarchy.from_edges([("a", "b", 1), ("a", "c")]), "some do not"),
        (lambda: Hierarchy.from_networkx(nx.Graph([("a", "b")])), "undirected"),
        (
            lambda: Hierarchy.from_networkx(nx.DiGraph([("a", "b")]), weight="w"),
            "edge 1: the edge weight must be a number, got None",
        ),
        (
            lambda: Hierarchy.from_edges([("a", "cat")]).index(["cta"]),
            "class 'cta' is not in the hierarchy; did you mean 'cat'?",
        ),
        (
            lambda: Hierarchy.from_edges([("a", "b")]).with_weights(np.array([1.0, 2.0])),
            "expected 1 weights",
        ),
        (
            lambda: Hierarchy.from_edges([("a", "b")]).with_weights(np.array([np.nan])),
            "finite and not negative",
        ),
        (
            lambda: ancestor_closure(Hierarchy.from_edges([("a", "b")]), threshold=3),
            "an even whole number ≥ 2, got 3",
        ),
        (
            lambda: ancestor_closure(
                Hierarchy.from_edges([("a", "b")]), threshold=4, weighted=True
            ),
            "cannot be used with edge weights",
        ),
    ],
)
def test_bad_hierarchies_are_refused_by_name(make, message):
    with pytest.raises(BadInput) as caught:
        make()
    assert message in str(caught.value)


def test_a_long_cycle_is_shortened():
    edges = [(i, (i + 1) % 40) for i in range(40)]
    with pytest.raises(BadInput, match="more …"):
        Hierarchy.from_edges(edges)


@pytest.mark.exhaustive
def test_deep_ladders_have_a_finite_size():
    """The ways up double at every level; they are not counted beyond the classes there are."""
    ladder = [(f"{i}{a}", f"{i + 1}{b}") for i in range(1200) for a in "xy" for b in "xy"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(closure_module, "WHOLE_LIMIT", 10_000)
        assert 1000 < mean_ancestors(Hierarchy.from_edges(ladder)) < 1400
