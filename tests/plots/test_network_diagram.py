"""The picture of a flow network: boxes apart, everything named, what is used stands out."""

from itertools import combinations

import numpy as np
import pytest

from hierpair import BadInput, Cardinality, CountCost, Degree, Groups, Rule, Unmatched
from hierpair.pairing import by_level, formulate, network_graph
from hierpair.plots import plot_network, save_picture
from hierpair.plots.graphs import graph_scene
from hierpair.plots.letters import Letters
from hierpair.plots.networks import _rule_network
from hierpair.plots.scene import Box, Line
from tests import effort
from tests.pairing.random_rules import pairs_of, random_rule

matplotlib = pytest.importorskip("matplotlib")

RULE = Rule(
    lambda pairs: 1.0 + pairs.true_at,
    (
        Degree("true", 1), Unmatched("true", 5), CountCost("predicted", (1, 0, 2)),
        Groups("true", by_level, 2), Groups("predicted", by_level, 1, of="partners"),
        Cardinality(0, 2, over=3),
    ),
)  # fmt: skip


def planned(problem, instance=0):
    """The graph, its arcs, and what is drawn: boxes of the nodes, lines of the arcs."""
    graph = network_graph(problem, instance)
    nodes, arcs = _rule_network(graph, Letters(), 4)
    scene = graph_scene(nodes, arcs, Letters())
    boxes, lines = (
        [shape for shape in scene.shapes if isinstance(shape, kind)] for kind in (Box, Line)
    )
    return graph, arcs, scene, [box.corners for box in boxes], lines


@pytest.mark.random_cases
def test_boxes_are_apart_and_every_arc_is_drawn():
    for k in range(effort.cases(60)):
        rng = np.random.default_rng([31, k])
        m, n = (int(x) for x in rng.integers(1, 5, 2))
        try:
            problem = formulate(
                Rule(lambda p: 1.0 * p.true_at, random_rule(rng, m, n)[0]), pairs_of(m, n)
            )
            graph, arcs, scene, boxes, lines = planned(problem)
        except BadInput:  # constraints that contradict each other
            continue
        for one, other in combinations(boxes, 2):
            apart = (
                one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            )
            assert apart, k
        links = [e for _, _, e in graph.edges(data=True) if e["of"] != "instance"]
        whole = graph.number_of_edges() - len(links)
        assert len(lines) == len(arcs) == len(links) + bool(whole)
        low, high = (np.array(scene.corners)[[i, i + 2]] for i in (0, 1))
        for line in lines:
            x, y = np.array(line.points).T
            assert low[0] <= x.min() <= x.max() <= low[1]
            assert high[0] <= y.min() <= y.max() <= high[1]


def test_links_end_at_the_boxes_of_their_sets():
    _, _, _, boxes, lines = planned(formulate(RULE, pairs_of(2, 2)))
    sides = np.array([[box[0], box[2]] for box in boxes]).ravel()
    for line in lines:
        if abs(line.points[0][1] - line.points[1][1]) < 1e-9:  # not the one of the instance
            assert {line.points[0][0], line.points[-1][0]} <= set(sides)
    ways = {(line.look.removeprefix("idle_"), line.points[0][0] < line.points[-1][0])
            for line in lines if len(line.points) == 2}  # fmt: skip
    assert ways == {("chosen", True), ("bound", True), ("paid", True), ("paid", False)}


def test_the_picture_names_everything(tmp_path):
    save_picture(plot_network(formulate(RULE, pairs_of(2, 2)), title="A rule"), tmp_path / "n.svg")
    said = (tmp_path / "n.svg").read_text("utf-8")
    for text in ("source", "sink", "{c0, c1}", "[0, 2], ≤2 at 3 more", "≤1 at 5", "A rule"):
        assert f"<!-- {text} -->" in said, text
    one = formulate(Rule(lambda p: 1.0 * p.true_at, (Degree("true", 3, 3),)), pairs_of(2, 2))
    save_picture(plot_network(one), tmp_path / "none.svg")
    text = (tmp_path / "none.svg").read_text("utf-8")
    assert "no pairing is possible" in text
    assert "hub: source and sink in one" in text


def test_an_instance_that_there_is_not_is_refused():
    with pytest.raises(BadInput, match="no instance number 3"):
        plot_network(formulate(RULE, pairs_of(1, 1)), 3)
