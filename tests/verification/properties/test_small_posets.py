"""All hierarchies of a few classes: as many as there are posets, each once, however it is numbered."""

import networkx as nx
import numpy as np
import pytest

from hierpair import BadInput, examine
from hierpair.verification.properties import World
from hierpair.verification.properties.worlds import _first_labelling, small_worlds


def graph(world):
    """Return a hierarchy as a graph."""
    return nx.DiGraph(world.edges) if world.edges else nx.empty_graph(1, nx.DiGraph)


def test_there_are_as_many_as_posets_and_trees():
    """Sequences A000112 and A000081 (rooted trees) of the OEIS."""
    worlds = [small_worlds(n) for n in range(6)]
    assert [len(found) for found in worlds] == [1, 1, 2, 5, 16, 63]
    trees = [sum(world.is_tree for world in found) for found in worlds]
    assert trees == [1, 1, 2, 4, 9, 20]
    for found in worlds[:5]:
        for k, world in enumerate(found):
            assert not any(nx.is_isomorphic(graph(world), graph(w)) for w in found[:k])


@pytest.mark.exhaustive
def test_there_are_318_of_six():
    """No edge follows from others."""
    found = small_worlds(6)
    assert len(found) == 318
    for world in found:
        assert nx.transitive_reduction(graph(world)).edges == graph(world).edges


def test_the_numbering_of_a_hierarchy_does_not_matter():
    """Of all numberings with parents before children one is taken, whichever is given."""
    rng = np.random.default_rng(0)
    for world in small_worlds(5):
        order = list(nx.topological_sort(graph(world)))
        while True:
            order = rng.permutation(world.n).tolist()
            place = {c: k for k, c in enumerate(order)}
            if all(place[p] < place[c] for p, c in world.edges):
                break
        other = tuple(tuple(sorted(place[p] for p in world.parents[c])) for c in order)
        assert _first_labelling(other) == world.parents


def test_ways_and_relations_of_a_small_dag():
    """Class 4 is below 2 and 3, class 5 below 1 alone; by hand."""
    world = World(((), (0,), (1,), (0,), (2, 3), (1,)))
    assert world.depth.tolist() == [0, 1, 2, 1, 2, 2]
    assert world.distance[4, 5] == 3  # by 2 and 1; by the root it would be 4
    assert world.unrelated[1, 3]
    assert not world.unrelated[3, 4]
    assert world.distance[2, 5] == 2


def test_a_scope_that_is_too_large_is_refused():
    """Of seven classes there are 2,045."""
    for scope in (7, -1, 2.0, True):
        with pytest.raises(BadInput, match="classes below the root"):
            examine("hf", scope=scope)
