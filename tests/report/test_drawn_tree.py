"""Every class is drawn once, below one of its nearest parents, each branch together."""

import networkx as nx
import pytest
from hypothesis import given

from hierpair.hierarchy import Hierarchy
from hierpair.report.drawn_tree import drawn_tree
from hierpair.report.packing import packed_text
from tests.strategies import dags

from .reading import read_container


def walked(hierarchy, parent):
    """Places, by a walk from the top, one class after the other."""
    below = {c: [] for c in range(-1, len(hierarchy))}
    for c in range(len(hierarchy)):
        below[parent[c]].append(c)
    order, depth, todo = [], [], [(c, 0) for c in reversed(below[-1])]
    while todo:
        c, d = todo.pop()
        order.append(c)
        depth.append(d)
        todo += [(child, d + 1) for child in reversed(below[c])]
    return order, depth


def nearest_parent(hierarchy, depth, c):
    parents = hierarchy.parents[hierarchy.parent_ptr[c] : hierarchy.parent_ptr[c + 1]].tolist()
    return min(parents, key=lambda p: depth[p], default=-1), parents


def check(hierarchy):
    graph = hierarchy.to_networkx()
    depth = dict.fromkeys(range(len(hierarchy)), len(hierarchy))
    for root in hierarchy.roots:
        for name, d in nx.single_source_shortest_path_length(graph, root).items():
            c = hierarchy.position[name]
            depth[c] = min(depth[c], d)
    chosen = [nearest_parent(hierarchy, depth, c) for c in range(len(hierarchy))]
    parent = [p for p, _ in chosen]
    tree = drawn_tree(hierarchy)
    order, depths = walked(hierarchy, parent)
    assert tree.order.tolist() == order
    assert tree.depth.tolist() == depths == [depth[c] for c in order]
    place = {c: i for i, c in enumerate(order)} | {-1: -1}
    assert tree.place.tolist() == [place[c] for c in range(len(order))]
    assert tree.above.tolist() == [place[parent[c]] for c in order]
    for i, d in enumerate(depths):
        after = next((j for j in range(i + 1, len(order)) if depths[j] <= d), len(order))
        assert tree.end[i] == after
    more = [
        [place[c], place[p]]
        for c, (first, parents) in enumerate(chosen)
        for p in parents
        if p != first
    ]
    assert tree.more.tolist() == sorted(more)
    return tree


@pytest.mark.exhaustive
@given(dags(12))
def test_places_are_those_of_a_walk_from_the_top(drawn):
    edges, names = drawn
    check(Hierarchy.from_edges(edges, classes=names, roots="any"))


def test_one_class():
    tree = check(Hierarchy.from_edges([], classes=["only"]))
    assert (len(tree), tree.end.tolist(), tree.sentence) == (1, [1], None)


def test_a_long_chain_and_a_wide_star():
    check(Hierarchy.from_edges([(i, i + 1) for i in range(300)]))
    check(Hierarchy.from_edges([(0, i) for i in range(1, 300)]))


def test_a_class_with_several_parents_is_drawn_below_the_nearest_to_the_top():
    edges = [("r", "a"), ("a", "b"), ("b", "x"), ("r", "x"), ("b", "y"), ("a", "z"), ("r2", "z")]
    hierarchy = Hierarchy.from_edges(edges)
    tree = check(hierarchy)
    names = [hierarchy.names[c] for c in tree.order]
    parents = {names[i]: names[p] for i, p in enumerate(tree.above.tolist()) if p >= 0}
    assert (parents["x"], parents["z"]) == ("r", "r2")
    assert {(names[c], names[p]) for c, p in tree.more.tolist()} == {("x", "b"), ("z", "a")}
    assert tree.sentence.startswith("2 classes have several parents; ")


def test_sections_of_the_page():
    hierarchy = Hierarchy.from_edges(
        [("top", 3), ("top", ("a", 1)), (3, "x\0"), (("a", 1), "x\0")], titles={3: "three"}
    )
    tree = drawn_tree(hierarchy)
    found = read_container(packed_text(tree.sections(hierarchy)))
    assert found["names"] == [str(hierarchy.names[c]) for c in tree.order]
    assert found["titles"] == ["three" if n == "3" else "" for n in found["names"]]
    assert found["up"] == [0, 0, 0, 2]
    assert tree.depth.tolist() == [0, 1, 2, 1]
    assert tree.more.tolist() == [[2, 3]]
    assert (found["more"], found["more_up"]) == ([2], [-1])
