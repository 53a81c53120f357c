"""What is drawn as a networkx graph and as DOT: the flow is one, and texts cannot break out."""

import math
import re

import networkx as nx
import pytest

from hierpair import BadInput, Hierarchy, explain

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1")])
CASES = [([["a1"]], [["a2"]]), ([["a1", "b1"]], [["a2"]]), ([["a"]], [["a2", "b1", "a1"]]),
         ([[]], [["a"]]), ([["a1"]], [["a1"]])]  # fmt: skip


@pytest.mark.parametrize("measure", ["gie(default=3)", "mgia", "tree_induced_error", "all_pairs"])
@pytest.mark.parametrize(("true", "predicted"), CASES)
def test_the_graph_of_a_pairing_has_its_flow_and_costs_the_cost(true, predicted, measure):
    (why,) = explain(TREE, true, predicted, measure)
    graph = why.to_networkx()
    assert set(graph) == {
        *(("predicted", i) for i, _ in enumerate(predicted[0])),
        *(("true", i) for i, _ in enumerate(true[0])),
    }
    if why.no_pairing:
        return
    for node, d in graph.nodes(data=True):
        assert d["flow"] == graph.degree(node, weight="flow")
        assert d["lower"] <= d["flow"] + d["missing"] <= d.get("capacity", math.inf)
    paid = sum(d["flow"] * d["cost"] for *_, d in graph.edges(data=True))
    paid += sum(d["missing"] * d["cost"] for _, d in graph.nodes(data=True) if d["missing"])
    assert paid == why.evidence.cost


@pytest.mark.parametrize("measure", ["hf", "hcm_f", "gie"])
def test_the_part_of_the_hierarchy(measure):
    (why,) = explain(TREE, [["a1"]], [["a2"]], measure)
    graph = why.to_networkx("hierarchy")
    name = nx.get_node_attributes(graph, "name")
    edges = {(name[a], name[b]) for a, b, d in graph.edges(data=True) if d.get("hierarchy")}
    assert edges <= set(TREE.to_networkx().edges)
    assert ("a", "a1") in edges
    assert {name[i] for i, d in graph.nodes(data=True) if d["true"]} == {"a1"}
    if measure == "hf":
        with pytest.raises(BadInput, match="hf has no pairing to draw"):
            why.to_networkx("network")
    with pytest.raises(BadInput, match="view must be"):
        why.to_networkx("tree")


ODD = 'say "hi"\\ -> n9; <b>&amp; \x1b[31m {x}\u2028 | \\N'


def test_no_text_breaks_out_of_its_quotes():
    """A name is one quoted text, whatever is in it, and reads back as it is shown."""
    tree = Hierarchy.from_edges([("r", ODD), ("r", "two\nlines")])
    for view in ("network", "hierarchy"):
        text = explain(tree, [[ODD]], [["two\nlines"]], "gie")[0].to_dot(view)
        quoted = re.compile(r'"(?:[^"\\\n]|\\.)*"')
        rest = quoted.sub("T", text)
        assert not re.search(r'["<>&{\\\x1b]|say', rest.replace("->", "").replace("T {", ""))
        assert rest.count("\n") + 1 == len(text.splitlines())
        assert all(re.fullmatch(r"digraph T \{|\}|  n\d+( -> n\d+)?( \[.*\])?;|  \w+=T;", line)
                   for line in rest.splitlines())  # fmt: skip
