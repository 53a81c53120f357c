"""Flows as networks: pairings, what rules make of an instance, and networks that rules wrote.

Each says its nodes and arcs, and what stands below them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.errors import BadInput, counted
from hierpair.measures.evidence import FlowEvidence, FlowRow, cost_text
from hierpair.pairing import SIDES, PairingProblem, mass_text, network_graph
from hierpair.plots.graphs import Arc, Node, graph_scene
from hierpair.plots.letters import Letters, fonts_of_figures, shortened
from hierpair.plots.saving import draw
from hierpair.plots.scene import Scene, noted

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

MOST_BOUNDS = 6
UNLIMITED = 9999

FEW = 20
"""So many pairs all get their cost; of more, the chosen ones."""


def plot_pairing(
    evidence: FlowEvidence,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    digits: int = 4,
) -> Axes:
    """Draw a pairing, or a network that a rule wrote itself, as a flow network.

    Of a pairing thick arcs are chosen pairs and partners bought from a default class (dashed);
    thin ones are what else was possible. Beside a label stand the bounds on its partners, unless
    it needs exactly one, and its dual price π: in an optimal pairing no pair left out costs less
    than the π of its two labels together.

    Arcs of a network of one's own run from left to right where they can, others below. On an arc
    stand the cost of a unit and, where more than one may pass, how many do; thick arcs carry
    something. Below are what the families of arcs say, with what they carry and cost.

    Parameters
    ----------
    evidence
        The pairing or network, such as ``explain(…)[0].evidence`` of a pair-based measure or of one
        that is a ``NetworkRule``.
    ax
        Axes to draw on; by default a new figure of fitting size. On small axes everything
        shrinks.
    title
        Above the picture.
    digits
        Decimals of costs, at most.

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing, or this is no flow, or that of a whole data set.
    """
    if not isinstance(evidence, FlowEvidence):
        raise BadInput(
            f"a flow is drawn here, not a {type(evidence).__name__}; plot_neighbourhood draws the "
            "hierarchy of any measure"
        )
    if any(row.tail < 0 for row in evidence.arcs):
        raise BadInput("one instance is drawn, as explain(…) tells it, not a whole data set")
    scene = own_scene if evidence.written else pairing_scene
    return draw(scene(evidence, fonts_of_figures(), digits), ax, title)


def _arc(
    tail: int, head: int, look: str, text: str, used: bool, *, name: str = "", forced: bool = False
) -> Arc:
    """Return an arc, idle if it carries nothing."""
    look = look if used else f"idle_{look}"
    return Arc(tail, head, text, look, name, needed=used or forced)


def _pair_text(cost: str, lower: float, units: int, whole: int | None, digits: int) -> str:
    """Return what stands on a pair: its cost, whether it has to be chosen, and its mass."""
    carried = f" ×{mass_text(units, whole, digits)}" if units not in (0, whole or 1) else ""
    return cost + " required" * (lower > 0) + carried


# --- pairings ------------------------------------------------------------------------------------


def pairing_scene(evidence: FlowEvidence, letters: Letters, digits: int = 4) -> Scene:
    """Place a pairing with its costs, bounds and prices, and below it what proves it.

    Of many pairs only the chosen ones get their costs; what an unused default class would cost is
    written at the class, if it is one cost.
    """
    labels = [row for row in evidence.counted if row.kind in SIDES]
    column, nodes = [SIDES.index(row.kind) for row in labels], list[Node]()
    for i, name in enumerate(shortened([row.of[0] for row in labels])):
        beside = tuple(_beside(evidence, labels[i], digits))
        nodes.append(Node(name, column[i], f"label-{i}", beside=beside))
    pairs = [row for row in evidence.pairs if row.upper > 0 or row.units]
    few = len(pairs) <= FEW
    flows = [("chosen", row, few) for row in pairs]
    for side in (0, 1):
        if side not in column:
            nodes.append(Node("(none)", side, look=""))
        # The other side buys missing partners from the default class of this one.
        buying = [i for i, row in enumerate(labels) if column[i] != side and isfinite(row.cost)]
        costs, default = {labels[i].cost for i in buying}, len(nodes)
        for i in buying:
            tail, head = (i, default) if side else (default, i)
            row = replace(labels[i], units=labels[i].missing, lower=0, tail=tail, head=head)
            flows.append(("bought", row, few and len(costs) > 1))
        each = tuple(f"{cost_text(cost, digits)} each" for cost in costs if len(costs) == 1)
        nodes += [Node("default", side, f"default-{side}", "end", each)] * bool(buying)
    arcs = list[Arc]()
    for look, row, worth in flows:
        said, name = row.units > 0 or row.lower > 0, f"arc-{row.tail}-{row.head}"
        text = _pair_text(cost_text(row.cost, digits), row.lower, row.units, evidence.whole, digits)
        text = text if said or worth else ""
        arcs.append(_arc(row.tail, row.head, look, text, row.units > 0, name=name, forced=said))
    scene = graph_scene(nodes, arcs, letters, heads=("predicted", "true"))
    written = {shape.name for shape in scene.shapes}
    unwritten = sum(f"cost-arc-{row.tail}-{row.head}" not in written for row in pairs)
    return noted(scene, _notes(evidence, digits, nodes, unwritten))


def _beside(evidence: FlowEvidence, row: FlowRow, digits: int) -> Iterator[str]:
    """Yield what stands beside a label: bounds other than [1, 1], and the dual price."""
    one = evidence.whole or 1
    lower, upper = (evidence.mass_text(x, digits) for x in (row.lower, row.upper))
    if evidence.whole is not None and row.lower == row.upper:
        yield lower
    elif not row.lower == row.upper == one:
        yield f"[{lower}, {upper}]" if row.upper <= UNLIMITED * one else f"[{lower}, ∞)"
    if not evidence.blocking:  # adding zero turns a negative zero into a plain one
        yield f"π {cost_text(row.price + 0.0, digits).replace('-', '−')}"


def _notes(evidence: FlowEvidence, digits: int, nodes: Sequence[Node], unwritten: int) -> list[str]:
    """Return what stands below: cost and proof, bounds, and what is not drawn."""
    proof = evidence.proof_text(digits).splitlines()
    lines = proof[:1] if evidence.blocking else [*proof[:2], "π: dual price"]
    if any(text.startswith("[") for node in nodes for text in node.beside):
        lines.append(f"[a, b]: least and most {'partners' if evidence.whole is None else 'mass'}")
    rows = [row for row in evidence.counted if row.says or row.paid]
    said = [*(evidence.said(row, digits) for row in rows), *evidence.remarks]
    counts = {
        "more bounds": len(said) - MOST_BOUNDS,
        "costs not written": unwritten,
        "pairs not allowed": sum(p.upper == 0 and not p.units for p in evidence.pairs),
    }
    rest = ", ".join(f"{n} {what}" for what, n in counts.items() if n > 0)
    return [*lines, *said[:MOST_BOUNDS], *[rest] * bool(rest)]


# --- networks of rules ---------------------------------------------------------------------------

BOUNDS = ("label", "group", "instance")
"""Arcs with bounds on the units that pass; all others have a cost."""


def plot_network(
    problem: PairingProblem,
    instance: int = 0,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    digits: int = 4,
) -> Axes:
    """Draw the flow network that a rule makes of one instance, with an optimal flow.

    Predicted labels are on the left, true labels on the right, each beside the box of the group
    that it is in. Grey arcs have bounds on the units that pass, ``[least, most]``; those beside
    them a cost for each unit and how many there may be: of missing partners and of fewer units they
    go back (below), of further units forward (above). Thick arcs are used: blue ones are the chosen
    pairs with their costs, orange ones what else is paid.

    Parameters
    ----------
    problem
        What :func:`~hierpair.pairing.formulate` makes of a rule and pairs.
    instance
        Which instance, by position.
    ax
        Axes to draw on; by default a new figure of fitting size. On small axes everything
        shrinks.
    title
        Above the picture.
    digits
        Decimals of costs, at most.

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing, there is no such instance, or the constraints are no flow.
    """
    graph = network_graph(problem, instance)
    fonts = fonts_of_figures()
    nodes, arcs = _rule_network(graph, digits)
    notes = [] if graph.graph["feasible"] else ["no pairing is possible"]
    if nodes[0].text == "hub":
        notes.append("hub: source and sink in one")
    return draw(noted(graph_scene(nodes, arcs, fonts), notes), ax, title)


def _in_columns(names: Sequence[str], arcs: Sequence[Arc], closed: bool) -> list[Node]:
    """Return nodes in columns for which arcs are short; what would close a cycle leads back.

    The first and the last node of what is ``closed`` are where all begins and where it ends.
    """
    import networkx as nx
    from scipy.optimize import linprog

    n = len(names)
    forward = nx.empty_graph(n, nx.DiGraph)
    forward.add_edges_from([(0, n - 1)] * closed)
    for arc in arcs:
        if not nx.has_path(forward, arc.head, arc.tail):
            forward.add_edge(arc.tail, arc.head)
    links = nx.incidence_matrix(forward, oriented=True).T
    column = linprog(links.sum(axis=0), -links, -np.ones(links.shape[0])).x.round().astype(int)
    is_end = {0, n - 1} if closed else set()
    return [
        Node(name, k, str(i), "end" if i in is_end else "label")
        for i, (name, k) in enumerate(zip(names, column.tolist(), strict=True))
    ]


def _rule_network(graph: nx.MultiDiGraph[Any], digits: int) -> tuple[list[Node], list[Arc]]:
    """Return nodes and arcs of the network of a rule; a hub stands at both ends."""
    whole, arcs = graph.graph.get("whole"), list[Arc]()
    sides = {k: side for k, side in graph.nodes.data("side") if side is not None}
    place = {k: i for i, k in enumerate(sides, 1)}
    ends = {"predicted": 0, "true": len(sides) + 1}

    def order(edge: Any) -> Any:
        return edge[2]["of"] == "instance", edge[2]["kind"] not in BOUNDS, edge[2]["kind"]

    for a, b, e in sorted(graph.edges(data=True), key=order):
        kind, look = e["kind"], "paid"
        lower, most = (mass_text(e[x], whole, digits) for x in ("lower", "capacity"))
        cost = "; ".join(cost_text(x, digits) for x in e["costs"])
        text = f"≤{most} at {cost}" + f" {kind}" * (e["of"] == "instance")
        if kind == "pair":
            look, text = "chosen", _pair_text(cost, e["lower"], e["flow"], whole, digits)
        elif kind in BOUNDS:
            look, text = "bound", f"[{lower}, {most}]"
        # what counts all pairs leads from the end to the beginning
        tail, head = (ends[sides.get(a, sides.get(b, side))] for side in ("true", "predicted"))
        arcs.append(_arc(place.get(a, tail), place.get(b, head), look, text, e["flow"] > 0))
    is_hub = "hub" in dict(graph.nodes.data("name")).values()
    names = shortened([graph.nodes[k]["name"] for k in sides])
    first, last = ("hub", "hub") if is_hub else ("source", "sink")
    return _in_columns([first, *names, last], arcs, True), arcs


def own_scene(evidence: FlowEvidence, letters: Letters, digits: int = 4) -> Scene:
    """Place a network that a rule wrote itself, and below it what its families of arcs say."""
    names = shortened([node.says for node in evidence.counted])
    found = defaultdict[str, list[FlowRow]](list)
    for arc in evidence.arcs:
        found[arc.source].append(arc)
    notes = [f"cost {cost_text(evidence.cost, digits)}"]
    for says, arcs in found.items():
        carried = counted(sum(arc.units for arc in arcs), "unit")
        cost = cost_text(sum(arc.units * arc.cost for arc in arcs), digits)
        notes.append(f"{says.replace('{}', '…')}: {carried}, cost {cost}")
    return noted(graph_scene(*_own_network(evidence, names, digits), letters), notes)


def _own_network(
    evidence: FlowEvidence, names: Sequence[str], digits: int
) -> tuple[list[Node], list[Arc]]:
    """Return nodes and arcs; the first node, if units return to it, stands at both ends."""
    arcs, closed = list[Arc](), any(arc.head == 0 for arc in evidence.arcs)
    for arc in evidence.arcs:
        text = [cost_text(arc.cost, digits)] if arc.cost else []
        if (arc.lower, arc.upper) != (0, 1):
            text.append(f"{arc.units} of [{arc.lower}, {arc.upper}]")
        head = arc.head or len(names)
        arcs.append(_arc(arc.tail, head, "flow", ", ".join(text), arc.units > 0))
    return _in_columns([*names, *names[:closed]], arcs, closed), arcs
