"""The picture and the graph of a network that a rule wrote itself."""

from itertools import combinations

import numpy as np
import pytest

from hierpair import BadInput, NetworkRule, explain
from hierpair.cli import main
from hierpair.measures import REGISTRY
from hierpair.measures.evidence.flows import network_evidence
from hierpair.pairing import solve_network, written_network
from hierpair.plots import plot_own_network, save_picture
from hierpair.plots.graphs import _Plan
from hierpair.plots.letters import Letters
from hierpair.plots.networks import _own_network
from tests import effort
from tests.pairing.random_rules import pairs_of

matplotlib = pytest.importorskip("matplotlib")


def evidence_of(write, n=1):
    own = written_network(NetworkRule(write), pairs_of(n, n))
    return network_evidence(own, solve_network(own))


def random_network(rng):
    """Any graph: arcs both ways, parallel ones and loops; with what it takes to have a flow."""
    n, m = int(rng.integers(1, 9)), int(rng.integers(1, 20))
    tail, head = rng.integers(0, n, (2, m))

    def write(pairs, net):
        at = net.nodes(np.zeros(n, dtype=int), "node")
        upper, cost = rng.integers(0, 4, m), rng.integers(-3, 9, m)
        net.arcs(at[tail], at[head], 0, upper, cost, says="way")

    return write


@pytest.mark.exhaustive
@pytest.mark.random_cases
def test_any_network_can_be_drawn():
    for k in range(effort.cases(75)):
        evidence = evidence_of(random_network(np.random.default_rng([37, k])))
        nodes, arcs = _own_network(evidence, [node.says for node in evidence.counted], 4)
        plan = _Plan(nodes, arcs, Letters(), "across", 1.0)
        for one, other in combinations(plan.boxes, 2):
            apart = (
                one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            )
            assert apart, k
        assert len(plan.lines) == len(evidence.arcs)
        for arc, points in zip(arcs, (line.points for line in plan.lines), strict=True):
            for place, (x, _) in ((arc.tail, points[0]), (arc.head, points[-1])):
                assert plan.boxes[place][0] <= x <= plan.boxes[place][2] + 3, k
        plot_own_network(evidence)


def test_nodes_are_called_by_what_they_are_of(tmp_path):
    def write(pairs, net):
        labels = pairs.labels("true")
        start = net.nodes(1, "start")
        own = net.nodes(labels.instance, "{} true", of=labels)
        net.arcs(start[labels.instance], own, 1, says="{} is there", of=labels)
        net.arcs(own, start[labels.instance], 0, 5, 2, says="back")

    evidence = evidence_of(write, 2)
    assert [node.says for node in evidence.counted] == ["start", "c0 true", "c1 true"]
    save_picture(plot_own_network(evidence, title="A network"), tmp_path / "n.svg")
    said = (tmp_path / "n.svg").read_text("utf-8")
    for text in ("A network", "c0 true", "2, 1 of [0, 5]", "… is there: 2 units, cost 0",
                 "back: 2 units, cost 4"):  # fmt: skip
        assert f"<!-- {text} -->" in said, text
    assert said.count("<!-- start -->") == 2  # where all begins and where it ends


def test_names_of_nodes_have_to_fit():
    with pytest.raises(BadInput, match=r"the 1 nodes .* are of 2 things"):
        evidence_of(lambda pairs, net: net.nodes([0], "{}", of=["a", "b"]))


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


@pytest.fixture
def _same_registry():
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


@pytest.mark.usefixtures("_same_registry")
def test_the_command_line_draws_it(tmp_path, capsys):
    (tmp_path / "mine.py").write_text(PLUGIN, "utf-8")
    (tmp_path / "tree.tsv").write_text("r\ta\nr\tb\n", "utf-8")
    (tmp_path / "truth.tsv").write_text("1\ta\n", "utf-8")
    (tmp_path / "guess.tsv").write_text("1\ta b\n", "utf-8")
    files = [str(tmp_path / f"{name}.tsv") for name in ("tree", "truth", "guess")]
    plugin = ["--plugin", str(tmp_path / "mine.py")]
    picture = tmp_path / "n.svg"
    asked = [
        "explain",
        *files,
        "-m",
        "drawn_network",
        "--instance",
        "1",
        *plugin,
        "--separator",
        " ",
    ]
    assert main([*asked, "--picture", str(picture)]) == 0
    assert "<!-- … is predicted: 2 units, cost 4 -->" in picture.read_text("utf-8")
    capsys.readouterr()
    assert main([*asked, "--format", "json"]) == 0
    assert "is predicted" in capsys.readouterr().out


def test_what_is_no_network_of_its_own_is_refused():
    [why] = explain(pairs_of(1, 1).hierarchy, [["c0"]], [["c0"]], "hf")
    with pytest.raises(BadInput, match="not a "):
        plot_own_network(why.evidence)
