"""The flow network of one instance as a graph with names, to look at or to hand to other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.pairing.counts import Count
from hierpair.pairing.network import PAIR, build
from hierpair.pairing.pairs import SIDES
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import solve

if TYPE_CHECKING:
    import networkx as nx

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
        raise BadInput(
            f"there is no instance number {instance}; they run from 0 to {problem.n_instances - 1}"
        )
    if problem.joined:
        raise BadInput(f"{problem.quotas[0].source}, joins all instances, and one is drawn")
    every, inverse = build(problem, reduce=False)
    network, arcs = every.copies(np.array([instance]))
    flow = solve(network)
    feasible = not (len(flow.infeasible) or problem.hopeless[instance])
    between = sum(count.side is None for count in inverse.counts)
    graph = nx.MultiDiGraph(feasible=feasible, rankdir="LR")
    if problem.moved is not None:
        graph.graph["whole"] = int(problem.moved.whole[instance])
    hubs = ("source", *["between"] * (between - 1), "sink") if between else ("hub",)
    for node, name in enumerate(hubs):
        graph.add_node(node, name=name, side=None, kind=name)
    named, edges = {}, []
    prices = [
        (of / scaled.scale).tolist()
        for of, scaled in zip((network.cost, *network.later), inverse.costs, strict=True)
    ]
    ends = network.tail, network.head, network.lower, network.upper, flow.flow * feasible
    says = inverse.count[arcs], inverse.subject[arcs], inverse.sign[arcs]
    rows = zip(*(x.tolist() for x in (*ends, *says)), zip(*prices, strict=True), strict=True)
    for tail, head, lower, upper, units, k, at, sign, costs in rows:
        count = None if k == PAIR else inverse.counts[k]
        is_bound = count is not None and sign == 0
        if is_bound and count is not None and count.side is not None:
            named[head if count.side == "predicted" else tail] = _set(problem, count, at)
        if not is_bound and not upper:
            continue
        of = None if count is None else OF[count.kind]
        step = "more" if sign > 0 else "default" if k < len(SIDES) else "less"
        edges.append((tail, head, {
            "kind": "pair" if of is None else of if is_bound else step,
            "of": of, "lower": lower, "capacity": upper, "cost": costs[0], "costs": costs,
            "flow": units,
        }))  # fmt: skip
    graph.add_nodes_from(sorted(named.items()))
    graph.add_edges_from(edges)
    return graph


def _set(problem: PairingProblem, count: Count, at: int) -> dict[str, Any]:
    """Return what the node of a set is called."""
    names = problem.pairs.labels(count.of_labels).names
    inside = [str(names[i]) for i in count.members(at).tolist()]
    name = inside[0] if count.kind == "label" else "{" + ", ".join(inside) + "}"
    return {"name": name, "side": count.side, "kind": count.kind}
