"""The plan of a flow network: where its boxes, arcs and texts go, in points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

from hierpair.measures.evidence import CountRow, FlowEvidence, cost_text
from hierpair.plots.diagrams.cost_texts import Arc, place_texts
from hierpair.plots.style import NAME, NOTE, PAD, SMALL, WIDEST
from hierpair.plots.text_metrics import TextMetrics, metrics_of, shortened

__all__ = ["Edge", "Plan", "planned"]

SIDES = ("predicted", "true")

LINE = 1.1 * SMALL
MOST_BOUNDS = 6
UNLIMITED = 9999

FEW, MANY = 20, 150
"""So many pairs all get their cost; of more, the chosen ones and the cheapest alternatives;
with more arcs in use than ``MANY``, as many of the dearest as there is room for."""


@dataclass(frozen=True)
class Edge:
    """An arc between two labels by position (−1 is the default class), used ``flow`` times."""

    left: int
    right: int
    flow: int
    cost: float
    text: str
    needed: bool

    @property
    def to_default(self) -> bool:
        """Whether one end is a default class."""
        return self.left < 0 or self.right < 0

    @property
    def name(self) -> str:
        """What the arc is called in SVG."""
        ends = ("default" if i < 0 else str(i) for i in (self.left, self.right))
        return "arc-" + "-".join(ends)


@dataclass(frozen=True)
class Box:
    """A class: its corners, its name, whether it is a default, and what it is called in SVG."""

    corners: tuple[float, float, float, float]
    text: str
    default: bool
    name: str


@dataclass(frozen=True)
class Words:
    """A small text: where its middle line is, and the side on which it is aligned."""

    x: float
    y: float
    text: str
    size: float
    align: str = "center"


@dataclass(frozen=True)
class Plan:
    """Everything that is drawn; arcs run between both ends of ``room``, texts are at ``places``."""

    metrics: TextMetrics
    corners: tuple[float, float, float, float]
    room: tuple[float, float]
    edges: Sequence[Edge]
    arcs: Sequence[Arc]
    places: Sequence[float | None]
    boxes: Sequence[Box]
    words: Sequence[Words]


def planned(evidence: FlowEvidence, title: str, digits: int, duals: bool) -> Plan:
    """Place everything; columns move apart until all costs that must be shown have room."""
    duals = duals and not evidence.blocking
    short = shortened([row.of[0] for row in (*evidence.predicted, *evidence.true)])
    metrics = metrics_of([*short, *_said(evidence, digits), title])
    short = [metrics.legible(name) for name in short]
    n = len(evidence.predicted)
    sides = (
        (evidence.predicted, evidence.true, short[:n], list(range(n))),
        (evidence.true, evidence.predicted, short[n:], _order_of_true(evidence)),
    )
    columns = []
    for rows, others, names, order in sides:
        # The other side buys missing partners from the default class of this one.
        costs = sorted({row.cost for row in others if isfinite(row.cost)})
        each = [f"{cost_text(p, digits)} each" for p in costs] if len(costs) == 1 else []
        beside = [_beside(evidence, row, digits, duals) for row in rows]
        columns.append(_Column(names, order, beside, each if costs else None))
    edges = _edges_of(evidence, digits)
    wanted, needed = _written(edges)
    stretch = 1.0
    while True:
        grid = _Grid.of(columns, metrics, stretch)
        heights = [grid.heights(column) for column in columns]
        arcs = []
        for k, w in enumerate(edges):
            width = metrics.width(w.text, SMALL, bold=w.flow > 0) + 1.6 if k in wanted else 0.0
            size = width, metrics.height(w.text, SMALL) + 1.6
            ends = heights[0][w.left], heights[1][w.right]
            arcs.append(Arc(*ends, *size, 40.0 if w.flow else 1.0, k in needed))
        places = place_texts(arcs, grid.room)
        if stretch > 2 or all(places[k] is not None for k in needed):
            break
        stretch *= 1.15
    drawn = [_drawn(*parts, grid) for parts in zip(SIDES, columns, heights, strict=True)]
    boxes, words = [b for found, _ in drawn for b in found], [w for _, ws in drawn for w in ws]
    plan = Plan(metrics, grid.corners, grid.room, edges, arcs, places, boxes, words)
    return _with_notes(plan, _notes(evidence, plan, digits, duals))


@dataclass(frozen=True)
class _Column:
    """One side: its names from top to bottom, and what stands beside them and the default class."""

    names: list[str]
    order: list[int]
    beside: list[list[str]]
    default: list[str] | None

    def size(self, metrics: TextMetrics) -> tuple[float, float, float]:
        """Return width and height of a box, and the room beside it."""
        none = "default" if self.default is not None else "", "" if self.names else "(none)"
        small = [text for lines in (*self.beside, self.default or []) for text in lines]
        return (
            max(metrics.width(text, NAME) for text in (*self.names, *none)) + 2 * PAD,
            max(metrics.height(text, NAME) for text in (*self.names, *none)) + 5,
            max((metrics.width(text, SMALL) + 5 for text in small), default=0.0),
        )


@dataclass(frozen=True)
class _Grid:
    """Distance of rows, height of boxes, rows of the longer column; heights of the first row and
    the default classes; both borders of both columns; corners with what stands beside.
    """

    pitch: float
    tall: float
    most: int
    top: float
    default: float
    borders: tuple[tuple[float, float], tuple[float, float]]
    corners: tuple[float, float, float, float]

    @classmethod
    def of(cls, columns: Sequence[_Column], metrics: TextMetrics, stretch: float) -> _Grid:
        (left, right), talls, margins = zip(*(c.size(metrics) for c in columns), strict=True)
        tall, margin = max(talls), max(margins)
        most = max(1, *(len(c.names) for c in columns))
        lines = max((len(lines) for c in columns for lines in c.beside), default=0)
        pitch = max(tall + max(5.0, 12.0 - most / 2), (lines + 0.5) * LINE) * stretch
        # Wide names leave less room on a page.
        spare = WIDEST - 2 * margin - left - right
        gap = max(110.0, min(230.0, 120.0 + 9 * most, spare)) * stretch
        start = left + gap
        below = any(column.default is not None for column in columns)
        default = -1.3 * pitch if below else 0.0
        top = pitch * (most - 1)
        return cls(
            *(pitch, tall, most, top, default),
            borders=((0.0, left), (start, start + right)),
            corners=(-margin, default - tall / 2, start + right + margin, top + tall / 2 + 14),
        )

    @property
    def room(self) -> tuple[float, float]:
        return self.borders[0][1], self.borders[1][0]

    def heights(self, column: _Column) -> list[float]:
        """Return the height of every label of a column, and last of its default class."""
        n = len(column.names)
        height = [self.default] * (n + 1)
        for place, i in enumerate(column.order):
            height[i] = self.top - (place + (self.most - n) / 2) * self.pitch
        return height


def _beside(evidence: FlowEvidence, row: CountRow, digits: int, duals: bool) -> list[str]:
    """Return what stands beside a label: bounds other than [1, 1], and the dual price."""
    one = evidence.whole or 1
    lower, upper = (evidence.mass_text(x, digits) for x in (row.lower, row.upper))
    most = f"{upper}]" if row.upper <= UNLIMITED * one else "∞)"
    bounds = [] if row.lower == row.upper == one else [f"[{lower}, {most}"]
    if evidence.whole is not None and row.lower == row.upper:
        bounds = [lower]
    # Adding zero turns a negative zero into a plain one.
    return bounds + [f"π {cost_text(row.price + 0.0, digits).replace('-', '−')}"] * duals


def _drawn(
    side: str, column: _Column, height: Sequence[float], grid: _Grid
) -> tuple[list[Box], list[Words]]:
    """Return the boxes of a column and the words beside and above them."""
    left, right = grid.borders[SIDES.index(side)]
    x, align = (left - 4, "right") if side == "predicted" else (right + 4, "left")

    def box(y: float, text: str, name: str, *, default: bool = False) -> Box:
        corners = left, y - grid.tall / 2, right, y + grid.tall / 2
        return Box(corners, text, default, f"{side}-{name}")

    def stack(y: float, lines: Sequence[str]) -> list[Words]:
        first = y + (len(lines) - 1) / 2 * LINE
        return [Words(x, first - k * LINE, line, SMALL, align) for k, line in enumerate(lines)]

    boxes = [box(height[i], name, str(i)) for i, name in enumerate(column.names)]
    words = [w for i, lines in enumerate(column.beside) for w in stack(height[i], lines)]
    middle = (left + right) / 2
    words.append(Words(middle, grid.top + grid.tall / 2 + 9, side, NOTE))
    if not column.names:
        words.append(Words(middle, grid.top - (grid.most - 1) / 2 * grid.pitch, "(none)", NAME))
    if column.default is not None:
        boxes.append(box(grid.default, "default", "default", default=True))
        words += stack(grid.default, column.default)
    return boxes, words


def _notes(evidence: FlowEvidence, plan: Plan, digits: int, duals: bool) -> list[str]:
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
    if any(word.text.startswith("[") for word in plan.words):
        what = "partners" if evidence.whole is None else "mass"
        lines.append(f"[a, b]: least and most {what}")
    further = _said(evidence, digits)
    lines += further[:MOST_BOUNDS]
    unwritten = sum(
        place is None and not w.to_default for w, place in zip(plan.edges, plan.places, strict=True)
    )
    barred = sum(p.upper == 0 and not p.units for p in evidence.pairs)
    counts = [
        (len(further) - MOST_BOUNDS, "more bounds"),
        (unwritten, "costs not written"),
        (barred, "pairs not allowed"),
    ]
    rest = ", ".join(f"{n} {what}" for n, what in counts if n > 0)
    return [*lines, rest] if rest else lines


def _said(evidence: FlowEvidence, digits: int) -> list[str]:
    """Return what is said of other sets than labels, and remarks."""
    rows = [row for row in evidence.counted if row.says or row.paid]
    return [*(evidence.said(row, digits) for row in rows), *evidence.remarks]


def _with_notes(plan: Plan, notes: Sequence[str]) -> Plan:
    left, bottom, right, top = plan.corners
    middle = sum(plan.room) / 2
    room = max(2 * min(middle - left, right - middle), 200.0)
    metrics = plan.metrics
    words = list(plan.words)
    y = bottom - 6
    for note in notes:
        for line in metrics.wrapped(metrics.legible(note), NOTE, room):
            y -= 1.3 * NOTE
            words.append(Words(middle, y + 0.65 * NOTE, line, NOTE))
            half = metrics.width(line, NOTE) / 2
            left, right = min(left, middle - half), max(right, middle + half)
    return replace(plan, corners=(left, y, right, top), words=words)


def _edges_of(evidence: FlowEvidence, digits: int) -> list[Edge]:
    """Return the pairs that may be chosen, and an arc to a default class for every label."""
    edges, first = [], len(evidence.predicted)
    for p in evidence.pairs:
        if p.upper > 0 or p.units:
            text = cost_text(p.cost, digits) + (" required" if p.lower else "")
            if p.units not in (0, evidence.whole or 1):
                text += f" ×{evidence.mass_text(p.units, digits)}"
            needed = p.units > 0 or p.lower > 0
            edges.append(Edge(p.tail, p.head - first, p.units, p.cost, text, needed))
    for rows, from_left in ((evidence.predicted, True), (evidence.true, False)):
        for i, row in enumerate(rows):
            if isfinite(row.cost):
                ends = (i, -1) if from_left else (-1, i)
                many = row.missing not in (0, evidence.whole or 1)
                times = f" ×{evidence.mass_text(row.missing, digits)}" if many else ""
                text = cost_text(row.cost, digits) + times
                edges.append(Edge(*ends, row.missing, row.cost, text, row.missing > 0))
    return edges


def _written(edges: Sequence[Edge]) -> tuple[set[int], set[int]]:
    """Return which arcs get their cost, and which of them must get it.

    What an unused default class would cost is written at the class, if it is one cost.
    """
    needed = {k for k, w in enumerate(edges) if w.needed}
    if len(needed) > MANY:
        return set(sorted(needed, key=lambda k: -edges[k].cost)[:MANY]), set()
    pairs = [k for k, w in enumerate(edges) if not w.to_default]
    if len(pairs) <= FEW:
        wanted = needed | set(pairs)
        for left in (True, False):
            ends = [k for k, w in enumerate(edges) if (w.right if left else w.left) < 0]
            if len({edges[k].cost for k in ends}) > 1:
                wanted.update(ends)
        return wanted, needed
    cheapest: dict[tuple[bool, int], int] = {}
    for k in sorted(pairs, key=lambda k: edges[k].cost):
        if not edges[k].flow:
            cheapest.setdefault((True, edges[k].left), k)
            cheapest.setdefault((False, edges[k].right), k)
    return needed | set(cheapest.values()), needed


def _order_of_true(evidence: FlowEvidence) -> list[int]:
    """Return the true labels in the order of their partners, so that few chosen arcs cross."""
    first = len(evidence.predicted)
    partners: dict[int, list[int]] = {}
    for p in evidence.pairs:
        if p.units:
            partners.setdefault(p.head - first, []).append(p.tail)
    mean = {j: sum(ends) / len(ends) for j, ends in partners.items()}
    return sorted(range(len(evidence.true)), key=lambda j: (mean.get(j, float("inf")), j))
