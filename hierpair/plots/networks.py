"""Flows as networks: pairings, what rules make of an instance, and networks that rules wrote.

Each says its nodes and arcs. One layout puts them in columns, from where units come from to where
they go, with what goes back beside what goes forward between the same nodes, or below everything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

from hierpair.errors import BadInput
from hierpair.measures.evidence import FlowEvidence, FlowRow, cost_text
from hierpair.pairing import PairingProblem, mass_text, network_graph
from hierpair.plots.layout import layered
from hierpair.plots.letters import Letters, fonts_of, shortened
from hierpair.plots.routes import Span, place_texts
from hierpair.plots.saving import draw
from hierpair.plots.scene import Box, Corners, Line, Point, Scene, Shape, Text, noted
from hierpair.plots.style import NAME, NOTE, PAD, SMALL, WIDEST

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

LINE = 1.1 * SMALL
BESIDE = 1.7 * SMALL
"""Distance of arcs that run beside each other, or back below everything."""
LEAST_GAP = 92.0
"""Between two columns."""

MOST_BOUNDS = 6
UNLIMITED = 9999

FEW = 20
"""So many pairs all get their cost; of more, the chosen ones."""


@dataclass(frozen=True)
class Node:
    """A node in a column: lines ``beside`` are on the outer side of its box (no look: there is
    none); what is ``aside`` stands below all others.
    """

    text: str
    column: int
    name: str = ""
    look: str = "label"
    beside: tuple[str, ...] = ()
    aside: bool = False


@dataclass(frozen=True)
class Arc:
    """An arc between two nodes, by position.

    Attributes
    ----------
    needed
        Whether its text has to be there, or only where there is room.
    loose
        Whether the layout may leave it out.
    """

    tail: int
    head: int
    text: str
    look: str
    name: str = ""
    needed: bool = False
    loose: bool = False

    @property
    def used(self) -> bool:
        """Whether something flows there."""
        return not self.look.startswith("idle")


# --- one layout of all ---------------------------------------------------------------------------


def network_scene(
    nodes: Sequence[Node], arcs: Sequence[Arc], letters: Letters, heads: Sequence[str] = ()
) -> Scene:
    """Place nodes, arcs and texts; columns move apart until all texts that are needed have room.

    ``heads`` stand above the columns.
    """
    stretch = 1.0
    while True:
        plan = _Plan(nodes, arcs, letters, stretch)
        places = plan.texts()
        if stretch > 2 or all(places[k] for k, arc in enumerate(arcs) if arc.needed and arc.text):
            break
        stretch *= 1.15
    # Lines are thinner where there are many.
    many = {True: sum(arc.used for arc in arcs) > 24, False: len(arcs) > 60}
    shapes: list[Shape] = [
        Line(points, arc.look, arc.name, thin=0.5 if many[arc.used] else 1.0)
        for arc, points in sorted(zip(arcs, plan.lines, strict=True), key=lambda x: x[0].used)
    ]
    for arc, at in zip(arcs, places, strict=True):
        if at is not None:
            name = f"cost-{arc.name}"
            shapes.append(Text(*at, arc.text, arc.look, SMALL, name=name, backed=True))
    for node, box in zip(nodes, plan.boxes, strict=True):
        left, bottom, right, top = box
        middle = (bottom + top) / 2
        if node.look:
            shapes.append(Box(box, node.look, node.name))
        name = f"name-{node.name}" if node.look else ""
        shapes.append(Text((left + right) / 2, middle, node.text, node.look or "note", name=name))
        x, align = (left - 4, "right") if node.column == 0 else (right + 4, "left")
        for k, text in enumerate(node.beside):
            y = middle + ((len(node.beside) - 1) / 2 - k) * LINE
            shapes.append(Text(x, y, text, "note", SMALL, align))
    ends = [y for points in plan.lines for _, y in points]
    low = min([*(box[1] for box in plan.boxes), *(y - 4 for y in ends)], default=0.0)
    high = max([*(box[3] for box in plan.boxes), *(y + 4 for y in ends)], default=0.0)
    for (left, right), head in zip(plan.borders, heads, strict=False):
        shapes.append(Text((left + right) / 2, high + 9, head, "note", NOTE))
    side = max((letters.width(t, SMALL) + 5 for node in nodes for t in node.beside), default=0.0)
    right = plan.borders[-1][1] + side
    return Scene((-side, low, right, high + 14 * bool(heads)), shapes, letters)


class _Plan:
    """Borders of the columns, boxes of the nodes, and points of the arcs."""

    def __init__(
        self, nodes: Sequence[Node], arcs: Sequence[Arc], letters: Letters, stretch: float
    ) -> None:
        self.nodes, self.arcs, self.letters, self.stretch = nodes, arcs, letters, stretch
        self.column = [node.column for node in nodes]
        self.between: dict[tuple[int, int], list[int]] = defaultdict(list)
        for k, arc in enumerate(arcs):
            self.between[min(arc.tail, arc.head), max(arc.tail, arc.head)].append(k)
        tall = max((letters.height(node.text, NAME) for node in nodes), default=0.0) + 5
        self.half = [tall / 2] * len(nodes)
        for ends, among in self.between.items():
            for i in ends:
                self.half[i] = max(self.half[i], len(among) // 2 * BESIDE + 3)
        self.borders = self._borders()
        self.y, self.routes = self._rows()
        lowest = min((y - self.half[i] for i, y in self.y.items()), default=0.0)
        self.y |= {i: lowest - 2 * self.half[i] for i, node in enumerate(nodes) if node.aside}
        self.boxes: list[Corners] = []
        for i, at in enumerate(self.column):
            (left, right), y, half = self.borders[at], self.y[i], self.half[i]
            reach = [y - half, y + half]
            if self._is_end(i):  # as high as all that it leads to, so that arcs run level
                near = [j for ends in self.between if i in ends for j in ends if j != i]
                reach += [self.y[j] + d for j in near for d in (-self.half[j], self.half[j])
                          if not self._is_end(j)]  # fmt: skip
            self.boxes.append((left, min(reach), right, max(reach)))
        self.lowest = min((box[1] for box in self.boxes), default=0.0)
        self.lines = [self._line(k) for k in range(len(arcs))]

    def _is_end(self, i: int) -> bool:
        """Whether a node is a source or sink, which is alone in its column."""
        return self.nodes[i].look == "end" and not self.nodes[i].aside

    def _borders(self) -> list[tuple[float, float]]:
        """Return left and right border of every column."""
        letters, column, n = self.letters, self.column, max(self.column, default=0) + 1
        wide, texts, apart = [0.0] * n, [0.0] * n, [0] * n
        for node in self.nodes:
            wide[node.column] = max(wide[node.column], letters.width(node.text, NAME) + 2 * PAD)
        for arc in self.arcs:
            k, after = sorted((column[arc.tail], column[arc.head]))
            if after == k + 1:
                texts[k] = max(texts[k], letters.width(arc.text, SMALL) + 26)
                apart[k] += arc.look.endswith(("chosen", "bought", "flow"))
        most = max(110.0, (WIDEST - sum(wide)) / max(1, n - 1))
        found, left = [], 0.0
        for width, text, crossing in zip(wide, texts, apart, strict=True):
            found.append((left, left + width))
            free = min(LEAST_GAP + 6 * min(crossing, 20), most) if crossing else 0.0
            left += width + max(text, free) * self.stretch
        return found

    def _rows(self) -> tuple[dict[int, float], dict[tuple[int, int], list[float]]]:
        """Return the height of every node that is not aside, and heights along the arcs."""
        order = [i for i, node in enumerate(self.nodes) if not node.aside]
        order.sort(key=self.column.__getitem__)
        place = {i: k for k, i in enumerate(order)}
        links = dict[tuple[int, int], None]()
        for arc in self.arcs:
            over = self.column[arc.head] - self.column[arc.tail]
            if {arc.tail, arc.head} <= place.keys() and over > arc.loose:
                links[place[arc.tail], place[arc.head]] = None
        beside = [(len(self.nodes[i].beside) + 0.5) * LINE / 2 for i in order]
        room = [self.stretch * max(self.half[i], x) for i, x in zip(order, beside, strict=True)]
        most = max(map(self.column.count, self.column), default=0)
        gap = self.stretch * max(5.0, 12.0 - most / 2)
        found = layered([self.column[i] for i in order], list(links), room, room, gap=gap)
        routes = {
            (order[a], order[b]): [-y for _, y in route]
            for (a, b), route in zip(links, found.routes, strict=True)
        }
        return {i: -found.position[k] for i, k in place.items()}, routes

    def _line(self, k: int) -> list[Point]:
        arc = self.arcs[k]
        a, b = sorted((arc.tail, arc.head), key=self.column.__getitem__)
        among = self.between[min(a, b), max(a, b)]
        forward = [self.column[self.arcs[j].tail] < self.column[self.arcs[j].head] for j in among]
        at = among.index(k)
        if not any(forward):  # it goes back below everything
            self.lowest -= BESIDE
            (left, low, right, _), (start, bottom, end, _) = (
                self.boxes[i] for i in (arc.tail, arc.head)
            )
            x, u = (left + right) / 2, (start + end) / 2 + 3
            return [(x, low), (x, self.lowest), (u, self.lowest), (u, bottom)]
        y = [self.y[a], *self.routes.get((a, b), [])[1:-1], self.y[b]]
        for i, outer, inner in ((a, 0, 1), (b, -1, -2)):
            if self._is_end(i):
                _, low, _, high = self.boxes[i]
                y[outer] = min(max(y[inner], low), high)
        off = (at + 1) // 2 * BESIDE * (-1 if at % 2 else 1)
        points = [
            (x, height + off)
            for height, both in zip(y, self.borders[self.column[a] :], strict=False)
            for x in both
        ][1:-1]
        return points if forward[at] else points[::-1]

    def texts(self) -> list[Point | None]:
        """Return where the texts go: on the longest stretch of every arc, where they have room."""
        tall = self.letters.height("0", SMALL) + 1.6
        stretches: dict[tuple[float, float], list[tuple[int, Span]]] = defaultdict(list)
        for k, (arc, points) in enumerate(zip(self.arcs, self.lines, strict=True)):
            ends = max(pairwise(points), key=lambda ends: abs(ends[1][0] - ends[0][0]))
            (x, y), (u, v) = sorted(ends)
            width = self.letters.width(arc.text, SMALL, bold=arc.used) + 1.6 if arc.text else 0.0
            if u > x:
                stretches[x, u].append((k, Span(y, v, width, arc.used, arc.needed)))
        found: list[Point | None] = [None] * len(self.arcs)
        for room, inside in stretches.items():
            places = place_texts([span for _, span in inside], room, tall)
            for (k, span), along in zip(inside, places, strict=True):
                if along is not None:
                    x = room[0] + along * (room[1] - room[0])
                    found[k] = x, span.left + along * (span.right - span.left)
        return found


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
    fonts = fonts_of(
        [*(str(row.of[0]) for row in _labels(evidence)), *_said(evidence, digits), title or ""]
    )
    return draw(pairing_scene(evidence, fonts, digits, duals=duals), ax, title)


def pairing_scene(
    evidence: FlowEvidence, letters: Letters, digits: int = 4, *, duals: bool = True
) -> Scene:
    """Place a pairing with its costs, bounds and prices, and below it what proves it."""
    duals = duals and not evidence.blocking
    names = [letters.legible(t) for t in shortened([row.of[0] for row in _labels(evidence)])]
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
    scene = network_scene(nodes, arcs, letters, ("predicted", "true"))
    texts = [shape for shape in scene.shapes if isinstance(shape, Text)]
    n_pairs = sum("default" not in arc.name for arc in arcs)
    written = sum(t.name.startswith("cost-") and "default" not in t.name for t in texts)
    bounded = any(t.text.startswith("[") and not t.name for t in texts)
    return noted(scene, _notes(evidence, digits, duals, bounded, n_pairs - written))


def _labels(evidence: FlowEvidence) -> tuple[FlowRow, ...]:
    return (*evidence.predicted, *evidence.true)


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
    cost, bound = cost_text(evidence.cost, digits), cost_text(evidence.bound, digits)
    proof = "not proved optimal"
    if evidence.optimal:
        near = f"within {evidence.gap:.1e} of the optimum" if evidence.gap else "optimal"
        proof = f"{near} (proved by dual prices{' π' * duals})"
    if evidence.lexicographic:
        each = ", then ".join(cost_text(x, digits) for x in evidence.lexicographic)
        cost += f" in the first of the lexicographic costs {each}"
    lines = [f"cost {cost}, lower bound {bound}: {proof}"]
    if evidence.blocking:
        lines = [f"no pairing: {evidence.why}"]
    if bounded:
        what = "partners" if evidence.whole is None else "mass"
        lines.append(f"[a, b]: least and most {what}")
    said = _said(evidence, digits)
    barred = sum(p.upper == 0 and not p.units for p in evidence.pairs)
    counts = [
        (len(said) - MOST_BOUNDS, "more bounds"),
        (unwritten, "costs not written"),
        (barred, "pairs not allowed"),
    ]
    rest = ", ".join(f"{n} {what}" for n, what in counts if n > 0)
    return [*lines, *said[:MOST_BOUNDS], *[rest] * bool(rest)]


def _said(evidence: FlowEvidence, digits: int) -> list[str]:
    """Return what is said of other sets than labels, and remarks."""
    rows = [row for row in evidence.counted if row.says or row.paid]
    return [*(evidence.said(row, digits) for row in rows), *evidence.remarks]


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
    names = [node["name"] for _, node in graph.nodes(data=True)]
    fonts = fonts_of([*shortened(names), title or ""])
    nodes, arcs = _rule_network(graph, fonts, digits)
    notes = [] if graph.graph["feasible"] else ["no pairing is possible"]
    if "hub" in names[:1]:
        notes.append("hub: source and sink in one")
    return draw(noted(network_scene(nodes, arcs, fonts), notes), ax, title)


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
    arcs, counted, around = list[Arc](), list[tuple[bool, str]](), dict[int, int]()
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
            counted.append((not idle, text + f" {e['kind']}" * (e["kind"] != "instance")))
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
    if counted:
        look = "bound" if counted[0][0] else "idle_bound"
        arcs.append(Arc(1, 0, ", ".join(text for _, text in counted), look, needed=True))
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
    names = shortened([node.says for node in evidence.counted])
    fonts = fonts_of([*names, *notes, title or ""])
    nodes, arcs = _own_network(evidence, [fonts.legible(name) for name in names], digits)
    return draw(noted(network_scene(nodes, arcs, fonts), notes), ax, title)


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
        carried = sum(arc.units for arc in arcs)
        cost = cost_text(sum(arc.units * arc.cost for arc in arcs), digits)
        yield f"{says.replace('{}', '…')}: {carried} unit{'s' * (carried != 1)}, cost {cost}"
