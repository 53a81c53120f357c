"""What is drawn of an explanation, as networkx graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hierpair.measures.evidence.neighbourhoods import Neighbourhood
from hierpair.measures.evidence.own_network import NetworkEvidence
from hierpair.measures.evidence.paired_labels import LabelRow, PairEvidence

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["hierarchy_digraph", "network_digraph", "own_network_digraph"]


def network_digraph(evidence: PairEvidence) -> nx.DiGraph[Any]:
    """Return the flow network of a pairing (Kosmopoulos et al. 2014, Figure 3) with its flow.

    Nodes are ``"source"``, ``"sink"``, ``("predicted", i)`` and ``("true", j)`` by position among
    the rows, and ``("default", side)`` where a default class of that side has a flow; a label's
    node has its ``name`` and ``dual`` price. Edges have ``lower``, ``capacity`` (left out where it
    is open), ``flow`` and, for pairs and defaults, ``cost``; pairs that are not allowed have none.
    With masses these are units, of which the graph's attribute ``whole`` make the mass 1.
    """
    import networkx as nx

    graph = nx.DiGraph(rankdir="LR")
    if evidence.whole is not None:
        graph.graph["whole"] = evidence.whole
    graph.add_node("source", label="source")
    sides: tuple[tuple[str, Sequence[LabelRow]], ...]
    sides = (("predicted", evidence.predicted), ("true", evidence.true))
    for side, rows in sides:
        for i, row in enumerate(rows):
            graph.add_node((side, i), label=str(row.name), name=row.name, side=side, dual=row.dual)
    graph.add_node("sink", label="sink")
    ends: tuple[Any, Any]
    for side, rows in sides:
        # a missing partner of a label is bought from the default class of the other side
        other = "true" if side == "predicted" else "predicted"
        default = ("default", other)
        missing = sum(row.n_missing for row in rows)
        for i, row in enumerate(rows):
            used = row.n_partners + row.n_missing
            amounts = [evidence.mass_text(x) for x in (used, row.lower, row.upper)]
            label = f"{amounts[0]} of {amounts[1]}…{amounts[2]}"
            numbers = {"lower": row.lower, "capacity": row.upper, "flow": used, "label": label}
            ends = ("source", (side, i)) if side == "predicted" else ((side, i), "sink")
            graph.add_edge(*ends, **numbers)
            if row.default is not None:
                graph.add_node(default, label=f"default ({other})", side=other)
                ends = ((side, i), default) if side == "predicted" else (default, (side, i))
                graph.add_edge(*ends, **_with_cost(row.default, row.lower, row.n_missing))
        if default in graph:
            ends = (default, "sink") if side == "predicted" else ("source", default)
            graph.add_edge(*ends, lower=0, flow=missing, label=evidence.mass_text(missing))
    for pair in evidence.pairs:
        if pair.allowed:
            most = 1 if pair.capacity is None else pair.capacity
            least = min(int(pair.required) * (evidence.whole or 1), most)
            numbers = _with_cost(pair.cost, most, pair.used, lower=least)
            graph.add_edge(("predicted", pair.predicted), ("true", pair.true), **numbers)
    return graph


def _with_cost(cost: float, capacity: int, flow: int, lower: int = 0) -> dict[str, Any]:
    """Return the attributes of an edge that costs something."""
    shown = {"label": f"{cost:.4g}", "style": "bold" if flow else "dashed"}
    return {"lower": lower, "capacity": capacity, "flow": flow, "cost": cost, **shown}


def own_network_digraph(evidence: NetworkEvidence) -> nx.MultiDiGraph[Any]:
    """Return the network that a rule wrote itself, with its flow.

    Nodes are numbered and have ``name`` and ``supply``; edges have ``family``, ``says``, ``lower``,
    ``capacity``, ``cost`` and ``flow``.
    """
    import networkx as nx

    graph = nx.MultiDiGraph(rankdir="LR")
    for i, node in enumerate(evidence.nodes):
        graph.add_node(i, label=node.name, name=node.name, supply=node.supply)
    for arc in evidence.arcs:
        numbers = _with_cost(arc.cost, arc.upper, arc.flow, arc.lower)
        graph.add_edge(arc.tail, arc.head, family=arc.family, says=arc.says, **numbers)
    return graph


def hierarchy_digraph(part: Neighbourhood) -> nx.DiGraph[Any]:
    """Return the drawn part of a hierarchy, parents to children, with the chosen pairs.

    Nodes are positions in ``part.nodes`` and have ``name``, ``level``, ``true``, ``predicted``
    and, in a confusion matrix, ``fields``. Edges of the hierarchy have ``hierarchy=True``,
    chosen pairs, from predicted to true, ``pair=True``; one edge can be both.
    """
    import networkx as nx

    graph = nx.DiGraph()
    for i, (node, framed) in enumerate(zip(part.nodes, part.framed, strict=True)):
        which = [side for side in ("true", "predicted") if getattr(node, side)]
        fields = None if part.fields is None else " ".join(part.fields[i])
        label = "\n".join([str(node.name), *filter(None, [", ".join(which), fields])])
        sides = {"true": node.true, "predicted": node.predicted}
        shown = {"label": label, "peripheries": 1 + framed}
        graph.add_node(i, name=node.name, level=node.level, **sides, fields=fields, **shown)
    graph.add_edges_from(part.edges, hierarchy=True)
    for predicted, true in part.pairs:
        if predicted != true:
            graph.add_edge(predicted, true, pair=True, style="dashed", constraint=False)
    return graph
