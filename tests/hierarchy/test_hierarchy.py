"""The hierarchy: edges and their faults, closures and distances against slow references, fingerprints."""

import os
import subprocess
import sys
from collections import UserList
from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, SolverLimit, score
from hierpair.evaluation import batches
from hierpair.hierarchy import (
    ancestor_closure,
    arrays,
    building,
    descendant_closure,
    mean_ancestors,
)
from hierpair.hierarchy import closure as closures
from tests import effort
from tests.oracles import pairs_and_sets as reference
from tests.strategies import dags, problems

# ------------------------------------------------------------------------------ edges


FIELDS = ("names", "parent_ptr", "parents", "child_ptr", "children", "levels")


def same(one, other):
    assert one.names == other.names
    for field in FIELDS[1:]:
        assert getattr(one, field).tolist() == getattr(other, field).tolist(), field
    assert one.fingerprint == other.fingerprint


@given(dags())
@settings(max_examples=effort.cases(100), deadline=None)
def test_edges_of_any_kind_give_the_same(dag):
    edges, names = dag
    plain = Hierarchy.from_edges(edges, classes=names, roots="any")
    mixed = [UserList(edge) if i % 2 else edge for i, edge in enumerate(edges)]
    for others in (map(UserList, edges), map(list, edges), iter(edges), mixed):
        same(Hierarchy.from_edges(others, classes=names, roots="any"), plain)


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
    tree = Hierarchy.from_edges(
        [(np.str_("r"), 1), ("r", 2.0), (1.0, True + 2), (np.int64(2), "x")]
    )
    assert tree.names == ("r", 1, 2.0, 3, "x")


FAULTY = (
    ("edge", "ab", "expected (parent, child[, weight]), got 'ab'"),
    ("blank name", ("b", ""), "a class name is missing (got '')"),
    ("blank name", (None, "c"), "a class name is missing (got None)"),
    ("self-loop", ("b", "b"), "class 'b' is its own parent; remove that edge"),
    ("duplicate edge", ("r", "a"), "the edge 'r' → 'a' already occurs at line 0; remove one of them"),
    ("cycle", ("c", "r"), "a cycle: 'r' → 'a' → 'c' → 'r'; the rule depth-first would leave out 'c' → 'r'"),
)  # fmt: skip


@pytest.mark.parametrize("chosen", [*range(len(FAULTY)), None])
def test_every_fault_is_told_and_the_rest_is_numbered(chosen):
    """One kind after the other, and all at once; the classes of a faulty edge stay."""
    faulty = FAULTY if chosen is None else FAULTY[chosen : chosen + 1]
    good = [("r", "a"), ("r", "b"), ("a", "c")]
    told = []
    edges = [*good, *(edge for _, edge, _ in faulty)]
    numbered = building.numbered_edges(edges, ["lone"], "line {}".format, told.append)
    same(Hierarchy(**numbered), Hierarchy.from_edges(good, classes=["lone"]))
    assert [(f.rule, f.place) for f in told] == [
        (rule, f"line {i}") for i, (rule, _, _) in enumerate(faulty, len(good))
    ]
    assert all(f.message.endswith(m) for f, (_, _, m) in zip(told, faulty, strict=True))
    with pytest.raises(BadInput) as caught:
        building.numbered_edges(edges, ["lone"], "line {}".format)
    assert str(caught.value) == f"{told[0].place}: {told[0].message}"


def test_bad_weights_and_bad_classes_are_told():
    told = []
    edges = [("r", "a", 1.0), ("r", "b", -1), ("a", "c", "x"), ("r", "a", 5), ("a", "b", 3.0)]
    numbered = building.numbered_edges(edges, ["", "z", []], "line {}".format, told.append)
    assert [(f.rule, f.place) for f in told] == [
        ("blank name", "classes"),
        ("blank name", "classes"),
        ("edge weight", "line 1"),
        ("edge weight", "line 2"),
        ("duplicate edge", "line 3"),
    ]
    assert numbered["names"] == ("z", "r", "c", "a", "b")
    assert numbered["weights"].tolist() == [1.0, 3.0]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14, unique=True))
@settings(max_examples=effort.cases(200), deadline=None)
def test_the_edges_left_out_of_cycles_are_those_of_the_rule(edges):
    edges = [edge for edge in edges if edge[0] != edge[1]]
    told = []
    numbered = building.numbered_edges(edges, [9], str, told.append)
    back = back_edges_by_hand(edges)
    assert [(f.rule, f.place, f.edge) for f in told] == [
        ("cycle", str(i), edges[i]) for i in sorted(back)
    ]
    names = [9, *dict.fromkeys(name for edge in edges for name in edge)]
    rest = [edge for i, edge in enumerate(edges) if i not in back]
    same(Hierarchy(**numbered), Hierarchy.from_edges(rest, classes=names, roots="any"))


def back_edges_by_hand(edges):
    """The rule, recursively."""
    names = list(dict.fromkeys(name for edge in edges for name in edge))
    below = {child for parent, child in edges if parent != child}
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
    (lambda: Hierarchy.from_edges([(i, (i + 1) % 40) for i in range(40)]), "…; the rule"),
    (lambda: Hierarchy.from_networkx(nx.Graph([("a", "b")])), "undirected"),
    (lambda: Hierarchy.from_networkx(nx.DiGraph([("a", "b")]), weight="w"),
     "edge 1: the edge weight must be a number, got None"),
    (lambda: ONE.index([["a"]]), "class ['a'] is not in"),
    (lambda: ONE.index(["cta"]), "class 'cta' is not in the hierarchy; did you mean 'cat'?"),
    (lambda: ONE.with_weights(np.array([1.0, 2.0])), "expected 1 weights"),
    (lambda: ONE.with_weights(np.array([np.nan])), "finite and not negative"),
    (lambda: ancestor_closure(ONE, threshold=3), "an even whole number ≥ 2, got 3"),
    (lambda: ancestor_closure(ONE, threshold=4, weighted=True), "cannot be used with edge weights"),
])  # fmt: skip
def test_what_is_wrong_is_refused_by_name(make, message):
    with pytest.raises(BadInput) as caught:
        make()
    assert message in str(caught.value)


# ------------------------------------------------------------------------------ distances


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


def test_the_size_of_a_closure_is_estimated_from_a_sample(monkeypatch):
    ladder = [(f"{i}{a}", f"{i + 1}{b}") for i in range(40) for a in "xy" for b in "xy"]
    assert mean_ancestors(Hierarchy.from_edges(ladder)) is None
    monkeypatch.setattr(closures, "WHOLE_LIMIT", 3000)
    assert 39 < mean_ancestors(Hierarchy.from_edges(ladder)) < 42
    chain = Hierarchy.from_edges([(i, i + 1) for i in range(2_000)])
    assert closures._estimate(chain) == pytest.approx(2_001 * 1_001, rel=0.01)


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


# ------------------------------------------------------------------------------ too large to be whole


def random_edges(rng, n, most_parents):
    """Edges of a random tree (one parent) or DAG; some classes have no parent."""
    return [
        (p, c)
        for c in range(1, n)
        for p in rng.choice(c, min(c, int(rng.integers(1, most_parents + 1))), False).tolist()
        if rng.random() < 0.95
    ]


def test_a_partial_closure_refuses_what_it_does_not_hold(monkeypatch):
    monkeypatch.setattr(closures, "WHOLE_LIMIT", 0)
    tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("r", "c"), ("b", "d"), ("c", "d")])
    held, other = tree.index(["d"]), tree.index(["b"])
    closure = ancestor_closure(tree, held)
    assert closure.find(held, held).tolist() == [len(closure.indices) - 1]
    for ask in (closure.rows, closure.lengths, lambda c: closure.find(c, c)):
        with pytest.raises(LookupError, match="built without some of these"):
            ask(other)


def test_rows_that_are_held_are_not_built_again(monkeypatch):
    monkeypatch.setattr(closures, "WHOLE_LIMIT", 0)
    tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("r", "c")])
    both = ancestor_closure(tree, tree.index(["b", "c"]))
    assert ancestor_closure(tree, tree.index(["c"])) is both
    assert ancestor_closure(tree, tree.index(["a", "c"])) is not both


def test_too_many_ancestors_are_refused(monkeypatch):
    """Before memory is exhausted, and naming what would do."""
    monkeypatch.setattr(closures, "WHOLE_LIMIT", 0)
    monkeypatch.setattr(closures, "MOST_HELD", 300)
    tree = Hierarchy.from_edges(
        [*((i, i + 1, 1.0) for i in range(400)), (0, 401, 1.0), (399, 401, 1.0)]
    )
    for measure in ("hf", "gie(cost=weights)", "hf(augment=descendants)"):
        labels = [[0]] if "desc" in measure else [[401]]
        with pytest.raises(
            SolverLimit, match=r"40[12] classes.* too many to be held \(300\); score"
        ):
            score(tree, labels, {"s": [[400]]}, measure)
    monkeypatch.setattr(closures, "MOST_HELD", 300_000)
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
            monkeypatch.setattr(closures, "WHOLE_LIMIT", limit)
            graph = Hierarchy.from_edges(edges, classes=range(n), roots="any")
            how = {"weights": {"weighted": True}, "threshold": {"threshold": 6}}.get(part, {})
            closure = ancestor_closure(graph, used, **how)
            assert (closure.row_of is None) == (limit > 0)
            bounds = closure.indptr[closure.rows(used)], closure.indptr[closure.rows(used) + 1]
            rows = [slice(a, b) for a, b in zip(*bounds, strict=True)]
            found.append([(closure.indices[r].tolist(), closure.up[r].tolist()) for r in rows])
        assert found[0] == found[1]


def test_chunks_go_by_the_ancestors_of_the_labels(monkeypatch):
    monkeypatch.setattr(closures, "WHOLE_LIMIT", 0)
    monkeypatch.setattr(batches, "CHUNK_ANCESTORS", 102)
    tree = Hierarchy.from_edges([*pairwise(range(50))])
    steps = []
    labels = [[49]] * 4
    score(tree, labels, {"s": labels}, "hf", on_progress=lambda *at: steps.append(at[1]))
    assert steps == [0, 1, 3, 4]  # two times 25.5 of each, on average


# ------------------------------------------------------------------------------ fingerprints


@settings(max_examples=effort.cases(100), deadline=None)
@given(problems(9), st.randoms())
def test_fingerprints_know_names_edges_and_weights_but_no_order(problem, random):
    hierarchy, edges, _, _ = problem
    names = list(hierarchy.names)
    mixed = [random.sample(x, len(x)) for x in (edges, names)]
    again = Hierarchy.from_edges(
        mixed[0], classes=mixed[1], aliases={"alias": names[0]}, roots="any"
    )
    assert again.fingerprint == hierarchy.fingerprint
    known = {
        hierarchy.fingerprint,
        Hierarchy.from_edges(edges, classes=[*names, "x"], roots="any").fingerprint,
    }
    assert len(known) == 2
    if edges:
        weights = [float(random.randint(0, 2)) for _ in edges]
        weighted = [(*e, w) for e, w in zip(edges, weights, strict=True)]
        changed = [*weighted[:-1], (*edges[-1], weights[-1] + 0.5)]
        known |= {
            Hierarchy.from_edges(e, classes=names, roots="any").fingerprint
            for e in (weighted, changed)
        }
        known.add(Hierarchy.from_edges(edges[1:], classes=names, roots="any").fingerprint)
        assert len(known) == 5


@pytest.mark.random_cases
def test_fingerprints_are_the_same_in_every_process():
    names = ["a", 1, 2.5, ("x", 3), "\ud800", "ä\0"]
    code = (
        "from hierpair import Hierarchy\n"
        f"h = Hierarchy.from_edges([('r', n) for n in {names!r}])\n"
        "print(h.fingerprint)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("012" if effort.exhaustive else "1")
    }  # fmt: skip
    assert found == {Hierarchy.from_edges([("r", n) for n in names]).fingerprint + "\n"}
    plain = Hierarchy.from_edges([("r", "a"), ("r", 1)])
    same = Hierarchy.from_edges([(np.str_("r"), np.str_("a")), ("r", 1.0)])
    assert plain.fingerprint == same.fingerprint
    assert plain.fingerprint != Hierarchy.from_edges([("r", "a"), ("r", "1")]).fingerprint
