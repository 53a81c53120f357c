"""What is drawn of an explanation, as networkx graphs."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from hierpair.measures.evidence.flows import ArcRow, FlowEvidence, FlowRow
from hierpair.measures.evidence.neighbourhoods import Neighbourhood

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["hierarchy_digraph", "network_digraph", "own_network_digraph"]


def network_digraph(evidence: FlowEvidence) -> nx.DiGraph[Any]:
    """Return the flow network of a pairing (Kosmopoulos et al. 2014, Figure 3) with its flow.

    Nodes are ``"source"``, ``"sink"``, ``("predicted", i)`` and ``("true", j)`` by position among
    the rows, and ``("default", side)`` where a default class of that side has a flow; a label's
    node has its ``name`` and ``dual`` price. Edges have ``lower``, ``capacity``, ``flow`` and, for
    pairs and defaults, ``cost``; pairs that are not allowed have none. What has no bound has no
    ``capacity``. With masses these are units, of which the graph's attribute ``whole`` make the
    mass 1.
    """
    import networkx as nx

    graph = nx.DiGraph(rankdir="LR")
    if evidence.whole is not None:
        graph.graph["whole"] = evidence.whole
    graph.add_node("source", label="source")
    sides = (("predicted", evidence.predicted), ("true", evidence.true))
    for side, rows in sides:
        for i, row in enumerate(rows):
            name = row.of[0]
            graph.add_node((side, i), label=str(name), name=name, side=side, dual=row.price)
    graph.add_node("sink", label="sink")
    ends: tuple[Any, Any]
    for side, rows in sides:
        # a missing partner of a label is bought from the default class of the other side
        other = "true" if side == "predicted" else "predicted"
        default = ("default", other)
        missing = sum(row.missing for row in rows)
        for i, row in enumerate(rows):
            used = row.units + row.missing
            amounts = [evidence.mass_text(x) for x in (used, row.lower, row.upper)]
            label = f"{amounts[0]} of {amounts[1]}…{amounts[2]}"
            ends = ("source", (side, i)) if side == "predicted" else ((side, i), "sink")
            graph.add_edge(*ends, **_bounds(row, used), label=label)
            if isfinite(row.cost):
                graph.add_node(default, label=f"default ({other})", side=other)
                ends = ((side, i), default) if side == "predicted" else (default, (side, i))
                bought = ArcRow("pair", upper=row.lower, units=row.missing, cost=row.cost)
                graph.add_edge(*ends, **_priced(bought))
        if default in graph:
            ends = (default, "sink") if side == "predicted" else ("source", default)
            graph.add_edge(*ends, lower=0, flow=missing, label=evidence.mass_text(missing))
    first = len(evidence.predicted)
    for pair in evidence.pairs:
        if pair.upper > 0:
            graph.add_edge(("predicted", pair.tail), ("true", pair.head - first), **_priced(pair))
    return graph


def _bounds(row: FlowRow, flow: int) -> dict[str, Any]:
    """Return bounds and flow of an edge."""
    numbers = {"lower": row.lower, "capacity": row.upper, "flow": flow}
    return {name: x for name, x in numbers.items() if isfinite(x)}


def _priced(row: ArcRow) -> dict[str, Any]:
    """Return the attributes of an edge that costs something."""
    shown = {"label": f"{row.cost:.4g}", "style": "bold" if row.units else "dashed"}
    return {**_bounds(row, row.units), "cost": row.cost, **shown}


def own_network_digraph(evidence: FlowEvidence) -> nx.MultiDiGraph[Any]:
    """Return the network that a rule wrote itself, with its flow.

    Nodes are numbered and have ``name`` and ``supply``; edges have ``family``, ``says``, ``lower``,
    ``capacity``, ``cost`` and ``flow``.
    """
    import networkx as nx

    graph = nx.MultiDiGraph(rankdir="LR")
    for i, node in enumerate(evidence.counted):
        graph.add_node(i, label=node.says, name=node.says, supply=node.units)
    for arc in evidence.arcs:
        graph.add_edge(arc.tail, arc.head, family=arc.source, says=arc.says, **_priced(arc))
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
