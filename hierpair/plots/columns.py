"""The plan of a flow network: where its boxes, arcs and texts go, in points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hierpair.explanation.evidence import LabelRow, PairEvidence
from hierpair.explanation.text import price_text
from hierpair.plots.lettering import Lettering, lettering, shortened
from hierpair.plots.placing import Arc, place_texts
from hierpair.plots.style import NAME, NOTE, PAD, SMALL, WIDEST

__all__ = ["Box", "Plan", "Wire", "Words", "planned"]

FEW = 20
"""So many pairs all get their price; of more, the chosen ones and the cheapest alternatives."""

SIDES = ("predicted", "true")


@dataclass(frozen=True)
class Wire:
    """An arc of the network.

    Attributes
    ----------
    left, right
        Its ends as positions among the labels; −1 is the default class.
    flow
        How often it is used.
    price
        What one use costs.
    text
        The price in words.
    needed
        Whether the price must be written.
    """

    left: int
    right: int
    flow: int
    price: float
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
    align: str


@dataclass(frozen=True)
class Plan:
    """Everything that is drawn, with its place.

    Attributes
    ----------
    corners
        Of the picture.
    room
        Where arcs start and end.
    wires, arcs, places
        The arcs, their geometry, and where along them their price is written, if it is.
    boxes, words
        The classes and the small texts.
    """

    letters: Lettering
    corners: tuple[float, float, float, float]
    room: tuple[float, float]
    wires: Sequence[Wire]
    arcs: Sequence[Arc]
    places: Sequence[float | None]
    boxes: Sequence[Box]
    words: Sequence[Words]


def planned(evidence: PairEvidence, title: str, digits: int, duals: bool) -> Plan:
    """Place everything; columns move apart until all prices that must be shown have room."""
    rows = {"predicted": evidence.predicted, "true": evidence.true}
    short = shortened([row.name for side in SIDES for row in rows[side]])
    letters = lettering([*short, *evidence.bounds, title])
    short = [letters.legible(name) for name in short]
    n = len(evidence.predicted)
    names = {"predicted": short[:n], "true": short[n:]}
    wires = _wires(evidence, digits)
    written = _written(wires)
    order = {"predicted": list(range(len(evidence.predicted))), "true": _true_order(evidence)}
    stretch = 1.0
    while True:
        columns = _columns(rows, names, order, letters, digits, duals, stretch)
        arcs = [
            Arc(
                columns.height["predicted"][w.left], columns.height["true"][w.right],
                letters.width(w.text, SMALL, bold=w.flow > 0) + 1.6 if k in written else 0.0,
                letters.height(w.text, SMALL) + 1.6, 40.0 if w.flow else 1.0, w.needed,
            )
            for k, w in enumerate(wires)
        ]  # fmt: skip
        places = place_texts(arcs, columns.room)
        lost = sum(places[k] is None for k in written if wires[k].needed)
        if not lost or stretch > 2:
            break
        stretch *= 1.15
    unwritten = sum(
        place is None and not w.to_default for place, w in zip(places, wires, strict=True)
    )
    lines = _notes(evidence, digits, duals, columns.bounded, unwritten)
    return _with_notes(columns, letters, wires, arcs, places, lines)


def _wires(evidence: PairEvidence, digits: int) -> list[Wire]:
    wires = [
        Wire(
            p.predicted, p.true, int(p.chosen), p.price,
            price_text(p.price, digits) + (" required" if p.required else ""),
            p.chosen or p.required,
        )
        for p in evidence.pairs
        if p.allowed or p.chosen
    ]  # fmt: skip
    for rows, from_left in ((evidence.predicted, True), (evidence.true, False)):
        for i, row in enumerate(rows):
            if row.default is not None:
                ends = (i, -1) if from_left else (-1, i)
                times = f" ×{row.n_missing}" if row.n_missing > 1 else ""
                text = price_text(row.default, digits) + times
                wires.append(Wire(*ends, row.n_missing, row.default, text, row.n_missing > 0))
    return wires


def _written(wires: Sequence[Wire]) -> set[int]:
    """Return the arcs that get their price: all of few; else the used and the cheapest ones.

    What an unused default class would cost is written at the class, if it is one price.
    """
    written = {k for k, w in enumerate(wires) if w.needed}
    pairs = [k for k, w in enumerate(wires) if not w.to_default]
    if len(pairs) <= FEW:
        for left in (True, False):
            ends = [k for k, w in enumerate(wires) if (w.right if left else w.left) < 0]
            if len({wires[k].price for k in ends}) > 1:
                written.update(ends)
        return written | set(pairs)
    cheapest: dict[tuple[bool, int], int] = {}
    for k in sorted(pairs, key=lambda k: wires[k].price):
        if not wires[k].flow:
            cheapest.setdefault((True, wires[k].left), k)
            cheapest.setdefault((False, wires[k].right), k)
    return written | set(cheapest.values())


def _true_order(evidence: PairEvidence) -> list[int]:
    """Return the true labels in the order of their partners, so that few chosen arcs cross."""
    partners: dict[int, list[int]] = {}
    for p in evidence.pairs:
        if p.chosen:
            partners.setdefault(p.true, []).append(p.predicted)
    mean = {j: sum(ends) / len(ends) for j, ends in partners.items()}
    return sorted(range(len(evidence.true)), key=lambda j: (mean.get(j, float("inf")), j))


@dataclass(frozen=True)
class _Columns:
    """Both columns: heights of the labels (the last is the default class), boxes and words."""

    height: dict[str, list[float]]
    room: tuple[float, float]
    corners: tuple[float, float, float, float]
    boxes: list[Box]
    words: list[Words]
    bounded: bool


def _columns(
    rows: dict[str, tuple[LabelRow, ...]],
    names: dict[str, list[str]],
    order: dict[str, list[int]],
    letters: Lettering,
    digits: int,
    duals: bool,
    stretch: float,
) -> _Columns:
    texts = [*names["predicted"], *names["true"]]
    tall = max(letters.height(text, NAME) for text in [*texts, "default"]) + 5
    most = max(1, len(rows["predicted"]), len(rows["true"]))
    pitch = (tall + max(5.0, 12.0 - most / 2)) * stretch
    beside = {side: _beside(rows, side, digits, duals) for side in SIDES}
    # Missing partners of the true side are bought from the default class of the predicted side.
    default = {
        side: sorted({row.default for row in rows[other] if row.default is not None})
        for side, other in (SIDES, SIDES[::-1])
    }
    wide = {
        side: max(letters.width(t, NAME) for t in [*names[side], "default", "(none)"]) + 2 * PAD
        for side in SIDES
    }
    width = [letters.width(t, SMALL) + 5 for side in SIDES for pair in beside[side] for t in pair]
    margin = max([0.0, *width])
    # Wide names leave less room on a page.
    spare = WIDEST - 2 * margin - sum(wide.values())
    gap = max(110.0, min(230.0, 120.0 + 9 * most, spare)) * stretch
    left_end, right_start = wide["predicted"], wide["predicted"] + gap
    height, boxes, words = {}, [], []
    top = pitch * most if any(default.values()) else pitch * (most - 1)
    for side in SIDES:
        n = len(rows[side])
        x = (0.0, left_end) if side == "predicted" else (right_start, right_start + wide["true"])
        middle = (x[0] + x[1]) / 2
        first = top - pitch * (most - max(n, 1)) / 2
        height[side] = [0.0] * (n + 1)
        outer = x[0] - 4 if side == "predicted" else x[1] + 4
        align = "right" if side == "predicted" else "left"
        for place, i in enumerate(order[side]):
            y = height[side][i] = first - place * pitch
            boxes.append(_box(x, y, tall, names[side][i], False, f"{side}-{i}"))
            lines = [t for t in beside[side][i] if t]
            step = (len(lines) - 1) / 2 * SMALL * 1.1
            words += [
                Words(outer, y + step - k * SMALL * 1.1, t, SMALL, align)
                for k, t in enumerate(lines)
            ]
        if not n:
            words.append(Words(middle, first, "(none)", NAME, "center"))
        if default[side]:
            height[side][-1] = -pitch * 0.3
            boxes.append(_box(x, -pitch * 0.3, tall, "default", True, f"{side}-default"))
            if len(default[side]) == 1:
                price = price_text(default[side][0], digits)
                words.append(Words(outer, -pitch * 0.3, f"{price} each", SMALL, align))
                margin = max(margin, letters.width(f"{price} each", SMALL) + 5)
        words.append(Words(middle, top + tall / 2 + 9, side, NOTE, "center"))
    bottom = (-pitch * 0.3 if any(default.values()) else 0.0) - tall / 2
    return _Columns(
        height, (left_end, right_start),
        (-margin, bottom, right_start + wide["true"] + margin, top + tall / 2 + 14),
        boxes, words, any(bounds for side in SIDES for bounds, _ in beside[side]),
    )  # fmt: skip


def _box(x: tuple[float, float], y: float, tall: float, text: str, default: bool, name: str) -> Box:
    return Box((x[0], y - tall / 2, x[1], y + tall / 2), text, default, name)


def _beside(
    rows: dict[str, tuple[LabelRow, ...]], side: str, digits: int, duals: bool
) -> list[tuple[str, str]]:
    """Return what stands beside each label: bounds other than [1, 1], and the dual price."""
    others = len(rows["true" if side == "predicted" else "predicted"])
    texts = []
    for row in rows[side]:
        usual = row.at_least == row.at_most == 1
        open_ = row.at_most > max(others, row.at_least)
        bounds = f"[{row.at_least}, {'∞)' if open_ else f'{row.at_most}]'}"
        texts.append(
            ("" if usual else bounds, f"π {price_text(row.dual, digits).replace('-', '−')}" * duals)
        )
    return texts


def _notes(
    evidence: PairEvidence, digits: int, duals: bool, bounded: bool, unwritten: int
) -> list[str]:
    cost, bound = price_text(evidence.cost, digits), price_text(evidence.bound, digits)
    if evidence.optimal and evidence.gap:
        proof = f"within {evidence.gap:.1e} of the optimum"
    else:
        proof = "optimal" if evidence.optimal else "not proved optimal"
    if evidence.optimal:
        proof += f" (proved by dual prices{' π' * duals})"
    lines = [f"cost {cost}, lower bound {bound}: {proof}"]
    lines += ["[a, b]: least and most partners"] * bounded
    lines += evidence.bounds
    barred = sum(not (p.allowed or p.chosen) for p in evidence.pairs)
    counts = [(unwritten, "dearer pairs without their price"), (barred, "pairs not allowed")]
    lines += [", ".join(f"{n} {what}" for n, what in counts if n)]
    return [line for line in lines if line]


def _with_notes(
    columns: _Columns,
    letters: Lettering,
    wires: Sequence[Wire],
    arcs: Sequence[Arc],
    places: Sequence[float | None],
    lines: Sequence[str],
) -> Plan:
    left, bottom, right, top = columns.corners
    middle = sum(columns.room) / 2
    room = 2 * min(middle - left, right - middle)
    wrapped = [
        w for line in lines for w in letters.wrapped(letters.legible(line), NOTE, max(room, 200))
    ]
    words = list(columns.words)
    y = bottom - 6
    for line in wrapped:
        y -= 1.3 * NOTE
        words.append(Words(middle, y + 0.65 * NOTE, line, NOTE, "center"))
        half = letters.width(line, NOTE) / 2
        left, right = min(left, middle - half), max(right, middle + half)
    return Plan(
        letters, (left, y, right, top), columns.room, wires, arcs, places, columns.boxes, words
    )
