"""Flows as networks: pairings, what rules make of an instance, and networks that rules wrote.

Each says its nodes and arcs, and what stands below them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from hierpair.errors import BadInput, counted
from hierpair.measures.evidence import FlowEvidence, FlowRow, cost_text
from hierpair.pairing import PairingProblem, mass_text, network_graph
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


# --- pairings ------------------------------------------------------------------------------------


def plot_pairing(
    evidence: FlowEvidence,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    digits: int = 4,
    duals: bool = True,
) -> Axes:
    """Draw a pairing as a flow network.

    Thick arcs are chosen pairs and partners bought from a default class (dashed); thin ones
    are what else was possible. Beside a label stand the bounds on its partners, unless it
    needs exactly one, and its dual price π: in an optimal pairing no pair left out costs less
    than the π of its two labels together.

    Parameters
    ----------
    evidence
        The pairing, such as ``explain(…)[0].evidence`` of a pair-based measure.
    ax
        Axes to draw on; by default a new figure of fitting size. On small axes everything
        shrinks.
    title
        Above the picture.
    digits
        Decimals of costs, at most.
    duals
        Whether dual prices are written.

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing, or this is no pairing.
    """
    if not isinstance(evidence, FlowEvidence) or evidence.written:
        raise BadInput(
            f"a pairing is drawn here, not a {type(evidence).__name__} of another kind; "
            "plot_own_network draws a network that a rule wrote itself, and plot_neighbourhood "
            "the hierarchy of any measure"
        )
    return draw(pairing_scene(evidence, fonts_of_figures(), digits, duals=duals), ax, title)


def pairing_scene(
    evidence: FlowEvidence, letters: Letters, digits: int = 4, *, duals: bool = True
) -> Scene:
    """Place a pairing with its costs, bounds and prices, and below it what proves it."""
    duals = duals and not evidence.blocking
    names = [
        letters.legible(t)
        for t in shortened([row.of[0] for row in (*evidence.predicted, *evidence.true)])
    ]
    n, nodes, at = len(evidence.predicted), list[Node](), dict[tuple[int, int], int]()
    for side, (rows, others) in enumerate(
        ((evidence.predicted, evidence.true), (evidence.true, evidence.predicted))
    ):
        which = ("predicted", "true")[side]
        for i, row in enumerate(rows):
            at[side, i] = len(nodes)
            beside = tuple(_beside(evidence, row, digits, duals))
            nodes.append(Node(names[side * n + i], side, f"{which}-{i}", beside=beside))
        if not rows:
            nodes.append(Node("(none)", side, look=""))
        # The other side buys missing partners from the default class of this one.
        if costs := {row.cost for row in others if isfinite(row.cost)}:
            at[side, -1] = len(nodes)
            each = tuple(f"{cost_text(cost, digits)} each" for cost in costs if len(costs) == 1)
            nodes.append(Node("default", side, f"{which}-default", "end", each, aside=True))
    arcs = _pairing_arcs(evidence, at, digits)
    scene = graph_scene(nodes, arcs, letters, heads=("predicted", "true"))
    texts = [shape for shape in scene.shapes if isinstance(shape, Text)]
    n_pairs = sum("default" not in arc.name for arc in arcs)
    written = sum(t.name.startswith("cost-") and "default" not in t.name for t in texts)
    bounded = any(t.text.startswith("[") and not t.name for t in texts)
    return noted(scene, _notes(evidence, digits, duals, bounded, n_pairs - written))


def _beside(evidence: FlowEvidence, row: FlowRow, digits: int, duals: bool) -> Iterator[str]:
    """Yield what stands beside a label: bounds other than [1, 1], and the dual price."""
    one = evidence.whole or 1
    lower, upper = (evidence.mass_text(x, digits) for x in (row.lower, row.upper))
    if evidence.whole is not None and row.lower == row.upper:
        yield lower
    elif not row.lower == row.upper == one:
        yield f"[{lower}, {upper}]" if row.upper <= UNLIMITED * one else f"[{lower}, ∞)"
    if duals:  # adding zero turns a negative zero into a plain one
        yield f"π {cost_text(row.price + 0.0, digits).replace('-', '−')}"


def _pairing_arcs(evidence: FlowEvidence, at: dict[tuple[int, int], int], digits: int) -> list[Arc]:
    """Return the pairs that may be chosen, and an arc to a default class for every label.

    Of many pairs only the chosen ones get their costs; what an unused default class would cost is
    written at the class, if it is one cost.
    """
    one, first = evidence.whole or 1, len(evidence.predicted)
    pairs = [p for p in evidence.pairs if p.upper > 0 or p.units]
    few = len(pairs) <= FEW

    def arc(i: int, j: int, row: FlowRow, units: int, least: float, worth: bool) -> Arc:
        text = cost_text(row.cost, digits) + " required" * (least > 0)
        text += f" ×{evidence.mass_text(units, digits)}" if units not in (0, one) else ""
        ends = "-".join("default" if k < 0 else str(k) for k in (i, j))
        look = "idle_" * (not units) + ("bought" if min(i, j) < 0 else "chosen")
        said = units > 0 or least > 0
        text = text if said or worth else ""
        return Arc(at[0, i], at[1, j], text, look, f"arc-{ends}", needed=said, loose=not units)

    found = [arc(p.tail, p.head - first, p, p.units, p.lower, few) for p in pairs]
    for side, of in ((0, evidence.predicted), (1, evidence.true)):
        differ = few and len({row.cost for row in of if isfinite(row.cost)}) > 1
        for i, row in enumerate(of):
            if isfinite(row.cost):
                found.append(arc(*((-1, i) if side else (i, -1)), row, row.missing, 0, differ))
    return found


def _notes(
    evidence: FlowEvidence, digits: int, duals: bool, bounded: bool, unwritten: int
) -> list[str]:
    """Return what stands below: cost and proof, bounds, and what is not drawn."""
    lines = evidence.proof_text(digits).splitlines()[: 1 if evidence.blocking else 2]
    if duals:
        lines.append("π: dual price")
    if bounded:
        what = "partners" if evidence.whole is None else "mass"
        lines.append(f"[a, b]: least and most {what}")
    rows = [row for row in evidence.counted if row.says or row.paid]
    said = [*(evidence.said(row, digits) for row in rows), *evidence.remarks]
    barred = sum(p.upper == 0 and not p.units for p in evidence.pairs)
    counts = [
        (len(said) - MOST_BOUNDS, "more bounds"),
        (unwritten, "costs not written"),
        (barred, "pairs not allowed"),
    ]
    rest = ", ".join(f"{n} {what}" for n, what in counts if n > 0)
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
        lower, most, flow = (mass_text(e[x], whole, digits) for x in ("lower", "capacity", "flow"))
        cost, idle = "; ".join(cost_text(x, digits) for x in e["costs"]), "idle_" * (not e["flow"])
        if e["kind"] == "pair":
            look, text = "chosen", cost + " required" * (e["lower"] > 0)
            text += f" ×{flow}" * (e["flow"] not in (0, whole or 1))
        elif e["kind"] in BOUNDS:
            look, text = "bound", f"[{lower}, {most}]"
        else:
            look, text = "paid", f"≤{most} at {cost}"
        if e["of"] == "instance":
            of_all.append((not idle, text + f" {e['kind']}" * (e["kind"] != "instance")))
            continue
        end = int(is_true[place[a if a in place else b]])  # both ends may be one hub
        tail, head = place.get(a, end), place.get(b, end)
        if look == "bound":
            around |= {tail: head} if end else {head: tail}
        loose = look == "chosen" and bool(idle)
        arcs.append(Arc(tail, head, text, idle + look, needed=not idle, loose=loose))
    deep = [0] * len(is_true)
    for innermost in around:
        i, k = innermost, 0
        while i in around:
            i, k = around[i], k + 1
            deep[i] = max(deep[i], k)
    column = [deep[0] + (1 + d if true else -d) for true, d in zip(is_true, deep, strict=True)]
    if of_all:
        look = "bound" if of_all[0][0] else "idle_bound"
        arcs.append(Arc(1, 0, ", ".join(text for _, text in of_all), look, needed=True))
    ends = (
        ["hub", "hub"] if "hub" in dict(graph.nodes.data("name")).values() else ["source", "sink"]
    )
    names = [*ends, *shortened([graph.nodes[k]["name"] for k in sides])]
    nodes = [
        Node(letters.legible(name), at, str(i), "label" if i > 1 else "end")
        for i, (name, at) in enumerate(zip(names, column, strict=True))
    ]
    return nodes, arcs


def plot_own_network(
    evidence: FlowEvidence,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    digits: int = 4,
) -> Axes:
    """Draw a flow network that a rule wrote itself, with its flow.

    Arcs run from left to right where they can, others below. On an arc stand the cost of a unit
    and, where more than one may pass, how many do; thick arcs carry something. Below are what the
    families of arcs say, with what they carry and cost.

    Parameters
    ----------
    evidence
        The network, such as ``explain(…)[0].evidence`` of a measure that is a ``NetworkRule``.
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
        If matplotlib is missing, or this is no network of one's own.
    """
    if not isinstance(evidence, FlowEvidence) or not evidence.written:
        raise BadInput(
            f"a network of one's own is drawn here, not a {type(evidence).__name__}; plot_pairing "
            "draws the pairing of other rules"
        )
    notes = [f"cost {cost_text(evidence.cost, digits)}", *_families(evidence, digits)]
    fonts, names = fonts_of_figures(), shortened([node.says for node in evidence.counted])
    nodes, arcs = _own_network(evidence, [fonts.legible(name) for name in names], digits)
    return draw(noted(graph_scene(nodes, arcs, fonts), notes), ax, title)


def _own_network(
    evidence: FlowEvidence, names: Sequence[str], digits: int
) -> tuple[list[Node], list[Arc]]:
    """Return nodes and arcs; the first node, if units return to it, stands at both ends."""
    import networkx as nx

    n, names = len(names), list(names)
    if any(arc.head == 0 for arc in evidence.arcs):
        names.append(names[0])
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(names)))
    arcs = []
    for arc in evidence.arcs:
        head = n if arc.head == 0 else arc.head
        if arc.tail != head and not nx.has_path(graph, head, arc.tail):  # otherwise it goes back
            graph.add_edge(arc.tail, head)
        text = [cost_text(arc.cost, digits)] if arc.cost else []
        if (arc.lower, arc.upper) != (0, 1):
            text.append(f"{arc.units} of [{arc.lower}, {arc.upper}]")
        used = arc.units > 0
        arcs.append(
            Arc(arc.tail, head, ", ".join(text), "flow" if used else "idle_flow", needed=used)
        )
    column = {
        node: depth
        for depth, among in enumerate(nx.topological_generations(graph))
        for node in among
    }
    return [Node(name, column[i], str(i)) for i, name in enumerate(names)], arcs


def _families(evidence: FlowEvidence, digits: int) -> Iterator[str]:
    """Yield what the families say, with what they carry and cost."""
    found: dict[str, list[FlowRow]] = defaultdict(list)
    for arc in evidence.arcs:
        found[arc.source].append(arc)
    for says, arcs in found.items():
        carried = counted(sum(arc.units for arc in arcs), "unit")
        cost = cost_text(sum(arc.units * arc.cost for arc in arcs), digits)
        yield f"{says.replace('{}', '…')}: {carried}, cost {cost}"
