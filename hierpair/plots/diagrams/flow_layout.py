"""The plan of a flow network: where its boxes, arcs and texts go, in points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hierpair.measures.evidence import LabelRow, PairEvidence, cost_text
from hierpair.plots.diagrams.cost_texts import Arc, place_texts
from hierpair.plots.diagrams.edges import Edge, edges_of, order_of_true, written
from hierpair.plots.style import NAME, NOTE, PAD, SMALL, WIDEST
from hierpair.plots.text_metrics import TextMetrics, metrics_of, shortened

__all__ = ["Box", "Plan", "Words", "planned"]

SIDES = ("predicted", "true")

LINE = 1.1 * SMALL
MOST_BOUNDS = 6
UNLIMITED = 9999


@dataclass(frozen=True)
class Box:
    """A class: its corners (left, bottom, right, top), its name, and whether it is a default."""

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
    """Everything that is drawn, with its place.

    Attributes
    ----------
    letters
        The fonts.
    corners
        Of the picture.
    room
        Where arcs start and end.
    edges, arcs, places
        The arcs, their geometry, and where along them their cost is written, if it is.
    boxes, words
        The classes and the small texts.
    """

    metrics: TextMetrics
    corners: tuple[float, float, float, float]
    room: tuple[float, float]
    edges: Sequence[Edge]
    arcs: Sequence[Arc]
    places: Sequence[float | None]
    boxes: Sequence[Box]
    words: Sequence[Words]


def planned(evidence: PairEvidence, title: str, digits: int, duals: bool) -> Plan:
    """Place everything; columns move apart until all costs that must be shown have room."""
    duals = duals and not evidence.blocking
    short = shortened([row.name for row in (*evidence.predicted, *evidence.true)])
    metrics = metrics_of([*short, *evidence.bounds, title])
    short = [metrics.legible(name) for name in short]
    n = len(evidence.predicted)
    order = list(range(n)), order_of_true(evidence)
    columns = (
        _Column.of(evidence.predicted, evidence.true, short[:n], order[0], metrics, digits, duals),
        _Column.of(evidence.true, evidence.predicted, short[n:], order[1], metrics, digits, duals),
    )
    edges = edges_of(evidence, digits)
    wanted, needed = written(edges)
    stretch = 1.0
    while True:
        grid = _Grid.of(columns, stretch)
        heights = [grid.heights(column) for column in columns]
        arcs = [
            Arc(
                heights[0][w.left], heights[1][w.right],
                metrics.width(w.text, SMALL, bold=w.flow > 0) + 1.6 if k in wanted else 0.0,
                metrics.height(w.text, SMALL) + 1.6, 40.0 if w.flow else 1.0, k in needed,
            )
            for k, w in enumerate(edges)
        ]  # fmt: skip
        places = place_texts(arcs, grid.room)
        if stretch > 2 or all(places[k] is not None for k in needed):
            break
        stretch *= 1.15
    boxes, words = [], []
    for side, column, height in zip(SIDES, columns, heights, strict=True):
        found = _drawn(side, column, height, grid)
        boxes += found[0]
        words += found[1]
    plan = Plan(metrics, grid.corners, grid.room, edges, arcs, places, boxes, words)
    return _with_notes(plan, _notes(evidence, plan, digits, duals))


@dataclass(frozen=True)
class _Column:
    """One side: its names from top to bottom, what stands beside them, and its sizes."""

    names: list[str]
    order: list[int]
    beside: list[list[str]]
    default: list[str] | None
    wide: float
    tall: float
    margin: float

    @classmethod
    def of(
        cls,
        rows: Sequence[LabelRow],
        others: Sequence[LabelRow],
        names: list[str],
        order: list[int],
        metrics: TextMetrics,
        digits: int,
        duals: bool,
    ) -> _Column:
        beside = [_beside(row, digits, duals) for row in rows]
        # The other side buys missing partners from the default class of this one.
        costs = sorted({row.default for row in others if row.default is not None})
        default = [f"{cost_text(p, digits)} each" for p in costs] if len(costs) == 1 else []
        texts = [*names, "default" if costs else "", "" if names else "(none)"]
        small = [text for lines in (*beside, default) for text in lines]
        return cls(
            names, order, beside, default if costs else None,
            max(metrics.width(text, NAME) for text in texts) + 2 * PAD,
            max(metrics.height(text, NAME) for text in texts) + 5,
            max((metrics.width(text, SMALL) + 5 for text in small), default=0.0),
        )  # fmt: skip


@dataclass(frozen=True)
class _Grid:
    """Where the columns and rows of a network are.

    Attributes
    ----------
    pitch, tall
        Distance of two rows, height of a box.
    most
        Rows of the longer column.
    top, default
        Height of the first row and of the default classes.
    borders
        Both borders of both columns.
    corners
        Of it all, with what stands beside.
    """

    pitch: float
    tall: float
    most: int
    top: float
    default: float
    borders: tuple[tuple[float, float], tuple[float, float]]
    corners: tuple[float, float, float, float]

    @classmethod
    def of(cls, columns: tuple[_Column, _Column], stretch: float) -> _Grid:
        left, right = columns
        tall = max(left.tall, right.tall)
        most = max(1, len(left.names), len(right.names))
        lines = max((len(lines) for c in columns for lines in c.beside), default=0)
        pitch = max(tall + max(5.0, 12.0 - most / 2), (lines + 0.5) * LINE) * stretch
        margin = max(left.margin, right.margin)
        # Wide names leave less room on a page.
        spare = WIDEST - 2 * margin - left.wide - right.wide
        gap = max(110.0, min(230.0, 120.0 + 9 * most, spare)) * stretch
        start = left.wide + gap
        below = any(column.default is not None for column in columns)
        default = -1.3 * pitch if below else 0.0
        top = pitch * (most - 1)
        return cls(
            pitch, tall, most, top, default, ((0.0, left.wide), (start, start + right.wide)),
            (-margin, default - tall / 2, start + right.wide + margin, top + tall / 2 + 14),
        )  # fmt: skip

    @property
    def room(self) -> tuple[float, float]:
        """Where arcs start and end."""
        return self.borders[0][1], self.borders[1][0]

    def heights(self, column: _Column) -> list[float]:
        """Return the height of every label of a column, and last of its default class."""
        n = len(column.names)
        height = [self.default] * (n + 1)
        for place, i in enumerate(column.order):
            height[i] = self.top - (place + (self.most - n) / 2) * self.pitch
        return height


def _beside(row: LabelRow, digits: int, duals: bool) -> list[str]:
    """Return what stands beside a label: bounds other than [1, 1], and the dual price."""
    lines = []
    if not row.lower == row.upper == 1:
        most = f"{row.upper}]" if row.upper <= UNLIMITED else "∞)"
        lines.append(f"[{row.lower}, {most}")
    if duals:
        # Adding zero turns a negative zero into a plain one.
        lines.append(f"π {cost_text(row.dual + 0.0, digits).replace('-', '−')}")
    return lines


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


def _notes(evidence: PairEvidence, plan: Plan, digits: int, duals: bool) -> list[str]:
    """Return what stands below: cost and proof, bounds, and what is not drawn."""
    cost, bound = cost_text(evidence.cost, digits), cost_text(evidence.bound, digits)
    proof = "not proved optimal"
    if evidence.optimal:
        near = f"within {evidence.gap:.1e} of the optimum" if evidence.gap else "optimal"
        proof = f"{near} (proved by dual prices{' π' * duals})"
    if evidence.lexicographic is not None:
        cost += (
            f" in the first turn; {cost_text(evidence.lexicographic, digits)} with all turns in one"
        )
    lines = [f"cost {cost}, lower bound {bound}: {proof}"]
    if evidence.blocking:
        lines = [f"no pairing: {evidence.why}"]
    if any(word.text.startswith("[") for word in plan.words):
        lines.append("[a, b]: least and most partners")
    lines += evidence.bounds[:MOST_BOUNDS]
    unwritten = sum(
        place is None and not w.to_default for w, place in zip(plan.edges, plan.places, strict=True)
    )
    barred = sum(not (p.allowed or p.chosen) for p in evidence.pairs)
    counts = [
        (len(evidence.bounds) - MOST_BOUNDS, "more bounds"),
        (unwritten, "costs not written"),
        (barred, "pairs not allowed"),
    ]
    rest = ", ".join(f"{n} {what}" for n, what in counts if n > 0)
    return [*lines, rest] if rest else lines


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
