"""Flows as networks: pairings, what rules make of an instance, and networks that rules wrote.

Each says its nodes and arcs, and what stands below them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from hierpair.errors import BadInput, counted
from hierpair.measures.evidence import FlowEvidence, FlowRow, cost_text
from hierpair.pairing import SIDES, PairingProblem, mass_text, network_graph
from hierpair.plots.graphs import Arc, Node, graph_scene
from hierpair.plots.letters import Letters, fonts_of_figures, shortened
from hierpair.plots.saving import draw
from hierpair.plots.scene import Scene, Text, noted

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
        If matplotlib is missing, or this is no flow.
    """
    if not isinstance(evidence, FlowEvidence):
        raise BadInput(
            f"a flow is drawn here, not a {type(evidence).__name__}; plot_neighbourhood draws the "
            "hierarchy of any measure"
        )
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
    sides = {side: evidence.side(side) for side in SIDES}
    names = iter(shortened([row.of[0] for rows in sides.values() for row in rows]))
    nodes, at, bounded = list[Node](), dict[tuple[str, int], int](), False
    pairs = [p for p in evidence.pairs if p.upper > 0 or p.units]
    few, n = len(pairs) <= FEW, len(sides["predicted"])
    flows = [(p.tail, p.head - n, p, few) for p in pairs]
    for column, (side, rows) in enumerate(sides.items()):
        for i, row in enumerate(rows):
            at[side, i] = len(nodes)
            beside = tuple(_beside(evidence, row, digits))
            bounded |= any(text.startswith("[") for text in beside)
            nodes.append(Node(letters.legible(next(names)), column, f"{side}-{i}", beside=beside))
        if not rows:
            nodes.append(Node("(none)", column, look=""))
        # The other side buys missing partners from the default class of this one.
        others = sides["true" if side == "predicted" else "predicted"]
        if costs := {row.cost for row in others if isfinite(row.cost)}:
            at[side, -1] = len(nodes)
            each = tuple(f"{cost_text(cost, digits)} each" for cost in costs if len(costs) == 1)
            nodes.append(Node("default", column, f"{side}-default", "end", each, aside=True))
        buying = [(i, row) for i, row in enumerate(rows) if isfinite(row.cost)]
        differ = few and len({row.cost for _, row in buying}) > 1
        for i, row in buying:
            bought = replace(row, units=row.missing, lower=0)
            flows.append((-1, i, bought, differ) if column else (i, -1, bought, differ))
    arcs = list[Arc]()
    for i, j, row, worth in flows:
        cost, ends = cost_text(row.cost, digits), (at["predicted", i], at["true", j])
        text = _pair_text(cost, row.lower, row.units, evidence.whole, digits)
        said, name = row.units > 0 or row.lower > 0, f"arc-{i}-{j}".replace("--1", "-default")
        look = "bought" if min(i, j) < 0 else "chosen"
        text = text if said or worth else ""
        arcs.append(_arc(*ends, look, text, row.units > 0, name=name, forced=said))
    scene = graph_scene(nodes, arcs, letters, heads=("predicted", "true"))
    texts = [shape.name for shape in scene.shapes if isinstance(shape, Text)]
    written = sum(name.startswith("cost-") and "default" not in name for name in texts)
    return noted(scene, _notes(evidence, digits, bounded, len(pairs) - written))


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


def _notes(evidence: FlowEvidence, digits: int, bounded: bool, unwritten: int) -> list[str]:
    """Return what stands below: cost and proof, bounds, and what is not drawn."""
    proof = evidence.proof_text(digits).splitlines()
    lines = proof[:1] if evidence.blocking else [*proof[:2], "π: dual price"]
    if bounded:
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
    nodes, arcs = _rule_network(graph, fonts, digits)
    notes = [] if graph.graph["feasible"] else ["no pairing is possible"]
    if nodes[0].text == "hub":
        notes.append("hub: source and sink in one")
    return draw(noted(graph_scene(nodes, arcs, fonts), notes), ax, title)


def _depths(links: Iterable[tuple[int, int]], n: int) -> list[int]:
    """Return the most links of which a way to each node has."""
    import networkx as nx

    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(links)
    among = enumerate(nx.topological_generations(graph))
    depth = {node: depth for depth, nodes in among for node in nodes}
    return [depth[node] for node in range(n)]


def _rule_network(
    graph: nx.MultiDiGraph[Any], letters: Letters, digits: int
) -> tuple[list[Node], list[Arc]]:
    """Return nodes and arcs of a network; what counts all pairs is one arc back, below the others.

    Columns are those of the sets inside each other, from the middle to the outside.
    """
    whole = graph.graph.get("whole")
    sides = {k: side for k, side in graph.nodes.data("side") if side is not None}
    place = {k: i for i, k in enumerate(sides, 2)}
    is_true = [False, True, *(side == "true" for side in sides.values())]
    arcs, of_all, around = list[Arc](), list[tuple[bool, str]](), dict[int, int]()
    flows = sorted(
        graph.edges(data=True), key=lambda edge: (edge[2]["kind"] not in BOUNDS, edge[2]["kind"])
    )
    for a, b, e in flows:
        kind, look, used = e["kind"], "paid", e["flow"] > 0
        lower, most = (mass_text(e[x], whole, digits) for x in ("lower", "capacity"))
        cost = "; ".join(cost_text(x, digits) for x in e["costs"])
        text = f"≤{most} at {cost}"
        if kind == "pair":
            look, text = "chosen", _pair_text(cost, e["lower"], e["flow"], whole, digits)
        elif kind in BOUNDS:
            look, text = "bound", f"[{lower}, {most}]"
        if e["of"] == "instance":
            of_all.append((used, text + f" {kind}" * (kind != "instance")))
            continue
        end = int(is_true[place[a if a in place else b]])  # both ends may be one hub
        tail, head = place.get(a, end), place.get(b, end)
        if look == "bound":
            around |= {tail: head} if end else {head: tail}
        arcs.append(_arc(tail, head, look, text, used))
    deep = _depths(around.items(), len(is_true))
    column = [deep[0] + (1 + d if true else -d) for true, d in zip(is_true, deep, strict=True)]
    if of_all:
        text = ", ".join(text for _, text in of_all)
        arcs.append(_arc(1, 0, "bound", text, of_all[0][0], forced=True))
    has_hub = "hub" in dict(graph.nodes.data("name")).values()
    names = ["hub"] * 2 if has_hub else ["source", "sink"]
    names += shortened([graph.nodes[k]["name"] for k in sides])
    nodes = [
        Node(letters.legible(name), at, str(i), "label" if i > 1 else "end")
        for i, (name, at) in enumerate(zip(names, column, strict=True))
    ]
    return nodes, arcs


def own_scene(evidence: FlowEvidence, letters: Letters, digits: int = 4) -> Scene:
    """Place a network that a rule wrote itself, and below it what its families of arcs say."""
    names = [letters.legible(name) for name in shortened([n.says for n in evidence.counted])]
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
    import networkx as nx

    n, arcs = len(names), list[Arc]()
    names = [*names, *names[: any(arc.head == 0 for arc in evidence.arcs)]]
    forward: nx.DiGraph[int] = nx.empty_graph(len(names), nx.DiGraph)
    for arc in evidence.arcs:
        head = arc.head or n
        if arc.tail != head and not nx.has_path(forward, head, arc.tail):  # otherwise it goes back
            forward.add_edge(arc.tail, head)
        text = [cost_text(arc.cost, digits)] if arc.cost else []
        if (arc.lower, arc.upper) != (0, 1):
            text.append(f"{arc.units} of [{arc.lower}, {arc.upper}]")
        arcs.append(_arc(arc.tail, head, "flow", ", ".join(text), arc.units > 0))
    columns = _depths(forward.edges, len(names))
    return [Node(name, columns[i], str(i)) for i, name in enumerate(names)], arcs
