"""Pictures of flow networks: boxes apart, every arc drawn and named, what is used stands out."""

from itertools import combinations

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Cardinality,
    CountCost,
    Degree,
    Groups,
    NetworkRule,
    Rule,
    Unmatched,
    explain,
)
from hierpair.cli import main
from hierpair.measures import REGISTRY
from hierpair.measures.evidence.flows import network_evidence
from hierpair.pairing import by_level, formulate, network_graph, solve_network, written_network
from hierpair.plots import plot_network, plot_own_network, save_picture
from hierpair.plots.graphs import graph_scene
from hierpair.plots.letters import Letters
from hierpair.plots.networks import _own_network, _rule_network
from hierpair.plots.scene import Box, Line
from tests import effort
from tests.pairing.rules import pairs_of, random_rule

matplotlib = pytest.importorskip("matplotlib")

RULE = Rule(
    lambda pairs: 1.0 + pairs.true_at,
    (
        Degree("true", 1), Unmatched("true", 5), CountCost("predicted", (1, 0, 2)),
        Groups("true", by_level, 2), Groups("predicted", by_level, 1, of="partners"),
        Cardinality(0, 2, over=3),
    ),
)  # fmt: skip


def drawn(nodes, arcs):
    """Boxes of the nodes and lines of the arcs: apart, and on the page; each line ends at boxes."""
    scene = graph_scene(nodes, arcs, Letters())
    boxes, lines = (
        [shape for shape in scene.shapes if isinstance(shape, kind)] for kind in (Box, Line)
    )
    boxes = [box.corners for box in boxes]
    for one, other in combinations(boxes, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart
    assert len(boxes) == len(nodes)
    assert len(lines) == len(arcs)
    low, high = np.reshape(scene.corners, (2, 2))
    for line in lines:
        points = np.array(line.points)
        assert (low <= points).all()
        assert (points <= high).all()
        for x, _ in (points[0], points[-1]):
            assert any(box[0] <= x <= box[2] + 3 for box in boxes)
    return boxes, lines


def evidence_of(write, n=1):
    own = written_network(NetworkRule(write), pairs_of(n, n))
    return network_evidence(own, solve_network(own))


@pytest.mark.random_cases
def test_networks_of_rules_are_drawn():
    for k in range(effort.cases(60)):
        rng = np.random.default_rng([31, k])
        m, n = (int(x) for x in rng.integers(1, 5, 2))
        rule = Rule(lambda p: 1.0 * p.true_at, random_rule(rng, m, n)[0])
        try:
            graph = network_graph(formulate(rule, pairs_of(m, n)), 0)
        except BadInput:  # constraints that contradict each other
            continue
        _, lines = drawn(*_rule_network(graph, Letters(), 4))
        links = [e for _, _, e in graph.edges(data=True) if e["of"] != "instance"]
        assert len(lines) == len(links) + (graph.number_of_edges() > len(links))


@pytest.mark.exhaustive
@pytest.mark.random_cases
def test_any_network_of_ones_own_is_drawn():
    """Arcs both ways, parallel ones and loops."""
    for k in range(effort.cases(75)):
        rng = np.random.default_rng([37, k])
        n, m = int(rng.integers(1, 9)), int(rng.integers(1, 20))
        (tail, head), upper, cost = (rng.integers(0, n, (2, m)), *rng.integers(0, 9, (2, m)))

        def write(pairs, net, n=n, tail=tail, head=head, upper=upper, cost=cost):
            at = net.nodes(np.zeros(n, dtype=int), "node")
            net.arcs(at[tail], at[head], 0, upper % 4, cost - 3, says="way")

        evidence = evidence_of(write)
        drawn(*_own_network(evidence, [node.says for node in evidence.counted], 4))
        plot_own_network(evidence)


def test_links_go_both_ways_beside_each_other():
    nodes, arcs = _rule_network(network_graph(formulate(RULE, pairs_of(2, 2)), 0), Letters(), 4)
    boxes, lines = drawn(nodes, arcs)
    sides = {side for box in boxes for side in (box[0], box[2])}
    level = [line for line in lines if abs(line.points[0][1] - line.points[1][1]) < 1e-9]
    assert all({line.points[0][0], line.points[-1][0]} <= sides for line in level)
    ways = {(line.look.removeprefix("idle_"), line.points[0][0] < line.points[-1][0])
            for line in lines if len(line.points) == 2}  # fmt: skip
    assert ways == {("chosen", True), ("bound", True), ("paid", True), ("paid", False)}


def says(axes, tmp_path, *texts):
    save_picture(axes, tmp_path / "n.svg")
    said = (tmp_path / "n.svg").read_text("utf-8")
    for text in texts:
        assert f"<!-- {text} -->" in said, text
    return said


def test_pictures_name_everything(tmp_path):
    axes = plot_network(formulate(RULE, pairs_of(2, 2)), title="A rule")
    says(axes, tmp_path, "source", "sink", "{c0, c1}", "[0, 2], ≤2 at 3 more", "≤1 at 5", "A rule")
    none = Rule(lambda p: 1.0 * p.true_at, (Degree("true", 3, 3),))
    said = says(plot_network(formulate(none, pairs_of(2, 2))), tmp_path)
    assert "no pairing is possible" in said
    assert "hub: source and sink in one" in said

    def write(pairs, net):
        labels = pairs.labels("true")
        start = net.nodes(1, "start")
        own = net.nodes(labels.instance, "{} true", of=labels)
        net.arcs(start[labels.instance], own, 1, says="{} is there", of=labels)
        net.arcs(own, start[labels.instance], 0, 5, 2, says="back")

    evidence = evidence_of(write, 2)
    assert [node.says for node in evidence.counted] == ["start", "c0 true", "c1 true"]
    texts = "A network", "c0 true", "2, 1 of [0, 5]", "… is there: 2 units, cost 0"
    said = says(
        plot_own_network(evidence, title=texts[0]), tmp_path, *texts, "back: 2 units, cost 4"
    )
    assert said.count("<!-- start -->") == 2  # where all begins and where it ends


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(BadInput, match="no instance number 3"):
        plot_network(formulate(RULE, pairs_of(1, 1)), 3)
    with pytest.raises(BadInput, match=r"the 1 nodes .* are of 2 things"):
        evidence_of(lambda pairs, net: net.nodes([0], "{}", of=["a", "b"]))
    [why] = explain(pairs_of(1, 1).hierarchy, [["c0"]], [["c0"]], "hf")
    with pytest.raises(BadInput, match="not a "):
        plot_own_network(why.evidence)


PLUGIN = """
from hierpair import NetworkRule, pair_measure

@pair_measure()
def drawn_network() -> NetworkRule:
    "Every predicted class costs 2."
    def write(pairs, net):
        labels = pairs.labels("predicted")
        hub = net.nodes(len(pairs.ptr) - 1, "hub")
        own = net.nodes(labels.instance, "{}", of=labels)
        net.arcs(hub[labels.instance], own, 1, cost=2, says="{} is predicted", of=labels)
        net.arcs(own, hub[labels.instance], says="and back")
    return NetworkRule(write)
"""


def test_the_command_line_draws_it(tmp_path, capsys, monkeypatch):
    before = dict(REGISTRY)
    monkeypatch.chdir(tmp_path)
    texts = {
        "mine.py": PLUGIN,
        "tree.tsv": "r\ta\nr\tb\n",
        "truth.tsv": "1\ta\n",
        "guess.tsv": "1\ta|b\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    asked = "explain tree.tsv truth.tsv guess.tsv -m drawn_network --instance 1 --plugin mine.py"
    try:
        assert main([*asked.split(), "--picture", "n.svg"]) == 0
        capsys.readouterr()
        assert main([*asked.split(), "--format", "json"]) == 0
    finally:
        REGISTRY.clear()
        REGISTRY.update(before)
    assert "<!-- … is predicted: 2 units, cost 4 -->" in (tmp_path / "n.svg").read_text("utf-8")
    assert "is predicted" in capsys.readouterr().out
