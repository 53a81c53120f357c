"""The hierarchy: building and refusing, closure and distances against slow references."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def test_the_size_of_a_closure_is_estimated_quickly():
    chain = Hierarchy.from_edges([(i, i + 1) for i in range(12_000)])
    assert closure_module._estimate(chain) == pytest.approx(12_001 * 6_001, rel=0.01)
    ladder = [(f"{i}{a}", f"{i + 1}{b}") for i in range(40) for a in "xy" for b in "xy"]
    assert mean_ancestors(Hierarchy.from_edges(ladder)) is None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(closure_module, "WHOLE_LIMIT", 3000)
        assert 39 < mean_ancestors(Hierarchy.from_edges(ladder)) < 42


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
        (lambda: Hierarchy.from_edges([None]), "expected (parent, child[, weight]), got None"),
        (lambda: Hierarchy.from_edges([("a", ["b"])]), "must be one value, got ['b']"),
        (lambda: Hierarchy.from_edges([("a", "b")]).index([["a"]]), "class ['a'] is not in"),
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
    with pytest.raises(BadInput, match="…; the rule"):
        Hierarchy.from_edges(edges)
