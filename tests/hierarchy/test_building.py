"""Edges in blocks: all kinds of edges, in blocks of any size, give the same hierarchy and messages."""

from collections import UserList

import numpy as np
import pytest
from hypothesis import given, settings

from hierpair import BadInput, Hierarchy
from hierpair.hierarchy import building, hashed_names
from tests import effort
from tests.strategies import dags

FIELDS = ("names", "parent_ptr", "parents", "child_ptr", "children", "levels")


def same(one, other):
    assert one.names == other.names
    for field in FIELDS[1:]:
        assert getattr(one, field).tolist() == getattr(other, field).tolist(), field
    assert one.fingerprint == other.fingerprint


@given(dags())
@settings(max_examples=effort.cases(200), deadline=None)
def test_edges_of_any_kind_in_blocks_of_any_size_give_the_same(dag):
    edges, names = dag
    plain = Hierarchy.from_edges(edges, classes=names, roots="any")
    same(
        Hierarchy.from_edges([UserList(edge) for edge in edges], classes=names, roots="any"), plain
    )
    same(Hierarchy.from_edges((list(edge) for edge in edges), classes=names, roots="any"), plain)
    mixed = [UserList(edge) if i % 2 else edge for i, edge in enumerate(edges)]
    for size in (1, 2, 3):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(building, "BLOCK", size)
            same(Hierarchy.from_edges(iter(edges), classes=names, roots="any"), plain)
            same(Hierarchy.from_edges(mixed, classes=names, roots="any"), plain)


@given(dags())
@settings(max_examples=effort.cases(200), deadline=None)
def test_names_that_are_numbered_by_hash_give_the_same(dag):
    """Also where different names share a hash, and where a name is no text."""
    edges = [(f"c{p}", f"c{c}") for p, c in dag[0]]
    names = [f"c{name}" for name in dag[1]]
    odd = [*edges, ("c0", 7)]
    plain, other = (Hierarchy.from_edges(e, classes=names, roots="any") for e in (edges, odd))
    for size in (1, 2, 100):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(hashed_names, "LEAST_EDGES", 0)
            patch.setattr(hashed_names, "BLOCK", size)
            found = hashed_names.numbered_by_hash(edges, names)
            assert found is not None
            assert hashed_names.numbered_by_hash(odd, names) is None
            same(Hierarchy.from_edges(edges, classes=names, roots="any"), plain)
            same(Hierarchy.from_edges(odd, classes=names, roots="any"), other)
            same(Hierarchy.from_edges(edges, classes=[*names, 5], roots="any"),
                 Hierarchy.from_edges(iter(edges), classes=[*names, 5], roots="any"))  # fmt: skip
            patch.setattr(hashed_names, "hash", len, raising=False)
            same(Hierarchy.from_edges(edges, classes=names, roots="any"), plain)


def test_names_of_one_hash_are_told_apart(monkeypatch):
    edges = [("r", "a"), ("r", "b")]
    assert hashed_names.numbered_by_hash(edges, []) is not None
    monkeypatch.setattr(hashed_names, "hash", lambda name: 1, raising=False)
    assert hashed_names.numbered_by_hash(edges, []) is None


def test_many_edges_are_numbered_by_hash(monkeypatch):
    """Texts in a list; what comes one by one is looked up, so that no more is kept of it."""
    asked = []
    real = hashed_names.numbered_by_hash
    monkeypatch.setattr(
        hashed_names, "numbered_by_hash", lambda *given: asked.append(1) or real(*given)
    )
    n = hashed_names.LEAST_EDGES
    edges = [(f"c{i // 3}", f"c{i + 1}") for i in range(n)]
    by_hash = Hierarchy.from_edges(edges)
    assert asked == [1]
    same(by_hash, Hierarchy.from_edges(iter(edges)))
    Hierarchy.from_edges(edges[1:])
    assert asked == [1]


def test_more_edges_than_a_block_are_numbered_in_order():
    n = 2 * building.BLOCK + 5
    parents = (np.arange(n) / 3).astype(int).tolist()
    edges = [(f"c{p}", f"c{i}") for i, p in enumerate(parents) if i]
    tree = Hierarchy.from_edges(edges)
    assert len(tree.names) == n
    for i in (1, 7, n - 1):
        at = tree.position[f"c{i}"]
        above = tree.parents[tree.parent_ptr[at] : tree.parent_ptr[at + 1]]
        assert [tree.names[p] for p in above] == [f"c{parents[i]}"]


@pytest.mark.parametrize("least", [0, 10**12])
@pytest.mark.parametrize("size", [1, 2, 4, 100])
@pytest.mark.parametrize("kind", [tuple, UserList])
def test_the_first_bad_edge_is_named_whatever_the_blocks(monkeypatch, size, kind, least):
    monkeypatch.setattr(building, "BLOCK", size)
    monkeypatch.setattr(hashed_names, "BLOCK", size)
    monkeypatch.setattr(hashed_names, "LEAST_EDGES", least)
    good = [kind(pair) for pair in (("r", "a"), ("r", "b"), ("a", "c"))]
    for bad, message in (
        (kind(("c", "c")), "edge 4: class 'c' is its own parent"),
        (kind(("c", "")), "edge 4: a class name is missing"),
        (kind(("c", "d", "e", "f")), "edge 4: expected (parent, child"),
        (kind(("r", "b")), "edge 4: the edge 'r' → 'b' already occurs at edge 2"),
    ):
        with pytest.raises(BadInput) as caught:
            Hierarchy.from_edges([*good, bad, kind(("c", "e"))])
        assert message in str(caught.value)

    def failing():
        yield kind(("r", "a"))
        yield kind(("b", "b"))
        raise BadInput("line 3 cannot be read")

    with pytest.raises(BadInput, match="edge 2: class 'b' is its own parent"):
        Hierarchy.from_edges(failing())

    def failing_after_good_edges():
        yield from good
        raise BadInput("line 4 cannot be read")

    with pytest.raises(BadInput, match="line 4 cannot be read"):
        Hierarchy.from_edges(failing_after_good_edges())


def test_edges_with_weights_and_without_do_not_mix():
    with pytest.raises(BadInput, match="some edges carry a weight"):
        Hierarchy.from_edges([("r", "a", 2.0), ("r", "b")])
    weighted = Hierarchy.from_edges([("r", "b", 2.0), ("r", "a", 3.0), ("a", "c", 4.0)])
    assert dict(zip(weighted.names, [0, *weighted.weights.tolist()], strict=True)) == {
        "r": 0, "b": 2.0, "a": 3.0, "c": 4.0,
    }  # fmt: skip
