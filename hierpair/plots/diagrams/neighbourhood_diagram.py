"""The hierarchy around the labels of an instance, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from hierpair.errors import check_choice
from hierpair.measures.evidence import ClassNode, Neighbourhood
from hierpair.plots.canvas import Canvas, open_canvas
from hierpair.plots.diagrams.neighbourhood_layout import FRAME, Layout, downwards, rightwards
from hierpair.plots.style import (
    FIELD_STATES,
    GREY,
    HIGHEST,
    INK,
    NOTE,
    PAIRED,
    SMALL,
    STATES,
    WIDEST,
)
from hierpair.plots.text_metrics import TextMetrics, metrics_of, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Direction", "plot_neighbourhood"]

Direction = Literal["auto", "down", "right"]

PAIR: dict[str, Any] = {"colour": PAIRED, "width": 1.1, "dashes": (3.0, 1.8), "head": 5.0}

GROWN = {
    "true_both": "true, in both graphs",
    "predicted_both": "predicted, in both graphs",
    "shared": "in both graphs",
    "above_true": "in the true graph",
    "above_predicted": "in the predicted graph",
}
"""What the states mean when the classes are two grown graphs."""

SWATCH = 17.0, 8.0
"""Width and height of a box in the legend."""


def plot_neighbourhood(
    neighbourhood: Neighbourhood,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    direction: Direction = "auto",
) -> Axes:
    """Draw the hierarchy around the labels of an instance.

    Fill, border and legend tell true, predicted and correct labels and their ancestors apart,
    also without colour; a second border marks labels that paid the default cost, and dashed
    arrows lead from predicted labels to the true ones that they are paired with.

    Parameters
    ----------
    neighbourhood
        The classes, such as ``explain(…)[0].neighbourhood``.
    ax
        Axes to draw on; by default a new figure of fitting size. On small axes everything
        shrinks.
    title
        Above the picture.
    direction
        ``"down"``: in layers, roots on top. ``"right"``: as an outline, roots left, one row for
        every class, for long names. ``"auto"``: down where a page is wide enough for it.

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing, for another direction, or if the classes do not stand parents
        before children.
    """
    check_choice("direction", direction, get_args(Direction))
    names = shortened([node.name for node in neighbourhood.nodes])
    for i, fields in enumerate(neighbourhood.fields or ()):
        if len(fields) > 1:
            names[i] += f" ({', '.join(fields)})"
    metrics = metrics_of([*names, title or ""])
    names = [metrics.legible(name) for name in names]
    ways = {"down": [downwards], "right": [rightwards]}.get(direction, [downwards, rightwards])
    layout = max((way(neighbourhood, names, metrics) for way in ways), key=_fit)
    left, bottom, right, top = layout.corners
    key = _legend(neighbourhood, bool(layout.pairs), metrics, max(right - left, 220.0))
    notes = _notes(neighbourhood)
    wide = [x + width for *_, x, _, width in key] + [metrics.width(t, NOTE) for t in notes]
    start = min(left, (left + right - max(wide, default=0.0)) / 2)
    low = bottom - 12 + min((y for *_, y, _ in key), default=0.0)
    under = low - (SWATCH[1] if key else 0) - len(notes) * (1.3 * NOTE + 3)
    corners = start, under, max(right, start + max(wide, default=0.0)), top
    canvas = open_canvas(ax, corners, title, metrics)
    _draw(canvas, neighbourhood, names, layout)
    for item in key:
        _draw_key(canvas, item, start, bottom - 12)
    for k, note in enumerate(notes):
        y = under + (len(notes) - k - 0.5) * 1.3 * NOTE
        canvas.write(start, y, note, size=NOTE, colour=GREY, align="left")
    return canvas.axes


def _fit(layout: Layout) -> float:
    """Return how much of its size a picture keeps on a page."""
    left, bottom, right, top = layout.corners
    return min(1.0, WIDEST / max(right - left, 1.0), HIGHEST / max(top - bottom, 1.0))


def _looks(part: Neighbourhood) -> list[str]:
    """Return the state of every class."""
    if part.fields is None:
        return [_state(node) for node in part.nodes]
    return [["root", *fields[:1], "several"][min(len(fields), 2)] for fields in part.fields]


def _state(node: ClassNode) -> str:
    above_both = node.above_true and node.above_predicted
    if node.true and node.predicted:
        return "both"
    if node.true or node.predicted:
        return ("true" if node.true else "predicted") + "_both" * above_both
    if above_both:
        return "shared"
    if node.above_true or node.above_predicted:
        return "above_true" if node.above_true else "above_predicted"
    return "other"


def _draw(canvas: Canvas, part: Neighbourhood, names: Sequence[str], layout: Layout) -> None:
    for line in layout.edges:
        name = f"edge-{line.ends[0]}-{line.ends[1]}"
        canvas.stroke(line.points, line.codes, colour=GREY, head=4.0 * line.head, name=name)
    for line in layout.pairs:
        name = f"pair-{line.ends[0]}-{line.ends[1]}"
        canvas.stroke(line.points, line.codes, **PAIR, order=2, name=name)
    looks = _looks(part)
    states = STATES if part.fields is None else FIELD_STATES
    for i, (node, name, place) in enumerate(zip(part.nodes, names, layout.places, strict=True)):
        look = states[looks[i]]
        if part.framed[i]:
            canvas.box(place.outer, edge=look.edge, width=0.7, name=f"alone-{i}")
        canvas.box(place.inner, **look.box, name=f"class-{i}")
        canvas.write(*place.middle, name, colour=look.ink, name=f"name-class-{i}")
        if node.n_hidden:
            at, text = (place.beside, place.middle[1]), f"+{node.n_hidden}"
            canvas.write(*at, text, size=SMALL, colour=GREY, align="left", name=f"hidden-{i}")


Key = tuple[str, str, float, float, float]
"""An entry of the legend: kind, words, place from the legend's upper left corner, and width."""


def _legend(part: Neighbourhood, paired: bool, metrics: TextMetrics, room: float) -> list[Key]:
    """Return entries for what occurs, in lines no wider than ``room``."""
    found = set(_looks(part))
    words = {} if part.lcas is None else GROWN
    states = STATES if part.fields is None else FIELD_STATES
    entries = [
        *((kind in found, kind, words.get(kind, look.legend)) for kind, look in states.items()),
        (part.lcas, "alone", "chosen lowest common ancestor"),
        (any(node.alone for node in part.nodes), "alone", "default cost paid"),
        (paired, "paired", "paired"),
        (any(node.n_hidden for node in part.nodes), "hidden", "children not shown"),
    ]
    keys: list[Key] = []
    x = y = 0.0
    for kind, text in (entry for occurs, *entry in entries if occurs):
        width = SWATCH[0] + 4 + metrics.width(text, NOTE)
        if x > 0 and x + width > room:
            x, y = 0.0, y - 1.9 * NOTE
        keys.append((kind, text, x, y, width))
        x += width + 12
    return keys


def _draw_key(canvas: Canvas, item: Key, left: float, top: float) -> None:
    kind, text, right, down, _ = item
    x, y = left + right, top + down - SWATCH[1] / 2
    corners = x, y - SWATCH[1] / 2, x + SWATCH[0], y + SWATCH[1] / 2
    if kind == "paired":
        canvas.stroke([(x, y), (x + SWATCH[0], y)], **PAIR)
    elif kind == "hidden":
        canvas.write(x + SWATCH[0] / 2, y, "+n", size=SMALL, colour=GREY)
    elif kind == "alone":
        canvas.box(corners, edge=GREY, width=0.7)
        inner = corners[0] + FRAME, corners[1] + FRAME, corners[2] - FRAME, corners[3] - FRAME
        canvas.box(inner, edge=GREY, width=0.7)
    else:
        canvas.box(corners, **{**STATES, **FIELD_STATES}[kind].box)
    canvas.write(x + SWATCH[0] + 4, y, text, size=NOTE, colour=INK, align="left")


def _notes(part: Neighbourhood) -> list[str]:
    if not part.nodes:
        return ["no classes"]
    n = part.n_left_out
    return [f"{n} more ancestor{'s are' if n > 1 else ' is'} not shown"] * bool(n)
