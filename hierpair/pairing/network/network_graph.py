"""The flow network of one instance as a graph with names, to look at or to hand to other tools."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.pairing.constraints.units import mass_text
from hierpair.pairing.network.compiled import PAIR, InverseData, build
from hierpair.pairing.network.pairings import without_pairing
from hierpair.pairing.pairs import SIDES
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import FlowNetwork, solve

if TYPE_CHECKING:
    import networkx as nx
from hierpair.hierarchy.arrays import Floats, Ints

__all__ = ["network_graph"]

OF = {"label": "label", "group": "group", "partners": "group", "instance": "instance"}
"""What counts an arc, whether groups are of labels or of partners."""


def network_graph(problem: PairingProblem, instance: int = 0) -> nx.MultiDiGraph[Any]:
    """Return the full flow network of one instance, with an optimal flow where there is one.

    Nodes are numbered; each has a ``name`` (a label, or the members of a group), its ``side``
    (``"predicted"``, ``"true"``, or None for source, sink and hub) and its ``kind``:
    ``"source"`` and ``"sink"``, which are one ``"hub"`` unless all pairs are counted together,
    ``"label"``, ``"group"`` or ``"partners"``, a group of a label's partners. Edges have their
    ``kind`` (``"pair"``; ``"label"``, ``"group"`` and ``"instance"`` for bounds of what is
    counted there; ``"default"`` for missing partners, which go back; ``"more"`` and ``"less"`` for
    the steps of a table of costs), ``of`` what counts them (``"label"``, ``"group"``,
    ``"instance"``, None for pairs), ``lower``, ``capacity``, ``costs`` of a unit (one, or those
    of a ``Lexicographic`` in their order), of which ``cost`` is the first, and ``flow``.
    ``graph["feasible"]`` says whether there is a pairing; otherwise all flows are 0.
    Where labels have masses, ``graph["whole"]`` units make the mass 1, which costs are of.

    Raises
    ------
    BadInput
        If there is no such instance, or for constraints that no flow can carry.
    SolverLimit
        If the costs are too large for the solver.

    Examples
    --------
    >>> from hierpair import Degree, Hierarchy, Hops, LabelSets, Rule, Unmatched
    >>> from hierpair.pairing import Pairs, formulate
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> sets = (LabelSets.from_labels([labels], tree) for labels in (["a"], ["a", "b"]))
    >>> rule = Rule(Hops(), (Degree("predicted", 1, 1), Unmatched("predicted", 3)))
    >>> graph = network_graph(formulate(rule, Pairs.between(tree, *sets)))
    >>> [graph.nodes[node]["name"] for node in graph]
    ['hub', 'a', 'b', 'a']
    >>> sorted((a, b, e["kind"], e["cost"], e["flow"]) for a, b, e in graph.edges(data=True))[:3]
    [(0, 1, 'label', 0.0, 1), (0, 2, 'label', 0.0, 1), (1, 0, 'default', 3.0, 0)]
    """
    import networkx as nx

    if not 0 <= instance < problem.n_instances:
        raise BadInput(f"there are {problem.n_instances} instances, and none is number {instance}")
    part = problem.part(instance)
    network, inverse = build(part, reduce=False)
    flow = solve(network)
    feasible = not len(without_pairing(flow, inverse, part))
    between = sum(count.side is None for count in inverse.counts)
    graph = nx.MultiDiGraph(feasible=feasible, rankdir="LR")
    if part.moved is not None:
        graph.graph["whole"] = int(part.moved.whole[0])
    hubs = ("source", *["between"] * (between - 1), "sink") if between else ("hub",)
    for node, name in enumerate(hubs):
        graph.add_node(node, name=name, side=None, kind=name)
    for node, attributes in sorted(_sets(part, network, inverse).items()):
        graph.add_node(node, **attributes)
    prices = [
        c / scaled.scale
        for c, scaled in zip((network.cost, *network.later), inverse.costs, strict=True)
    ]
    _add_arcs(graph, network, inverse, flow.flow if feasible else 0 * flow.flow, prices)
    for _, node in graph.nodes(data=True):
        node["label"] = node["name"]
    return graph


def _sets(
    part: PairingProblem, network: FlowNetwork, inverse: InverseData
) -> dict[int, dict[str, Any]]:
    """Return what the node of every set is called, by node."""
    found = {}
    for arc in np.flatnonzero((inverse.count != PAIR) & (inverse.sign == 0)).tolist():
        count, at = inverse.counts[inverse.count[arc]], int(inverse.subject[arc])
        if count.side is None:
            continue
        node = (network.head if count.side == "predicted" else network.tail)[arc]
        names = part.labels(count.of_labels).names
        inside = [str(names[i]) for i in count.members(at).tolist()]
        name = inside[0] if count.kind == "label" else "{" + ", ".join(inside) + "}"
        found[int(node)] = {"name": name, "side": count.side, "kind": count.kind}
    return found


def _add_arcs(
    graph: nx.MultiDiGraph[Any],
    network: FlowNetwork,
    inverse: InverseData,
    flow: Ints,
    prices: Sequence[Floats],
) -> None:
    amount = partial(mass_text, whole=graph.graph.get("whole"))
    base = (inverse.count != PAIR) & (inverse.sign == 0)
    for arc in np.flatnonzero(base | (network.upper > 0)).tolist():
        costs = tuple(float(price[arc]) for price in prices)
        lower, upper = int(network.lower[arc]), int(network.upper[arc])
        units, k, sign = int(flow[arc]), int(inverse.count[arc]), int(inverse.sign[arc])
        of = None if k == PAIR else OF[inverse.counts[k].kind]
        is_bound = of is not None and sign == 0
        fewer = "default" if k < len(SIDES) else "less"
        graph.add_edge(
            int(network.tail[arc]), int(network.head[arc]),
            kind=(of if is_bound else "more" if sign > 0 else fewer) if of else "pair", of=of,
            lower=lower, capacity=upper, cost=costs[0], costs=costs, flow=units,
            label=f"[{amount(lower)}, {amount(upper)}]" if is_bound
            else "; ".join(f"{cost:.4g}" for cost in costs),
            style="bold" if units else "solid" if is_bound else "dashed",
        )  # fmt: skip
