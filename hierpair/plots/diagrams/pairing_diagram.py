"""A pairing as a flow network: predicted labels left, true labels right, arcs with costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hierpair.errors import BadInput
from hierpair.measures.evidence import FlowEvidence
from hierpair.plots.canvas import Canvas, Point, open_canvas
from hierpair.plots.diagrams.flow_layout import Edge, planned
from hierpair.plots.style import ACCENT, DEFAULTS, FAINT, GREY, INK, LIGHT, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_pairing"]


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
    plan = planned(evidence, title or "", digits, duals)
    canvas = open_canvas(ax, plan.corners, title, plan.metrics)
    start, end = plan.room
    used = sum(edge.flow > 0 for edge in plan.edges)
    # Lines are thinner where there are many.
    thick, thin = 1.8 if used <= 24 else 0.9, 0.5 if len(plan.edges) <= 60 else 0.3
    for edge, arc, place in zip(plan.edges, plan.arcs, plan.places, strict=True):
        _draw_edge(canvas, edge, [(start, arc.left), (end, arc.right)], place, thick, thin)
    for box in plan.boxes:
        colour = GREY if box.default else INK
        dashes = (2.4, 1.6) if box.default else ()
        left, bottom, right, top = box.corners
        canvas.box(box.corners, edge=colour, dashes=dashes, name=box.name)
        canvas.write(
            (left + right) / 2,
            (bottom + top) / 2,
            box.text,
            italic=box.default,
            colour=colour,
            name=f"name-{box.name}",
        )
    for word in plan.words:
        canvas.write(word.x, word.y, word.text, size=word.size, colour=GREY, align=word.align)
    return canvas.axes


def _draw_edge(
    canvas: Canvas,
    edge: Edge,
    ends: Sequence[Point],
    place: float | None,
    thick: float,
    thin: float,
) -> None:
    colour = DEFAULTS if edge.to_default else ACCENT
    used = edge.flow > 0
    idle, width = (FAINT, thin) if place is None else (LIGHT, max(thin, 0.5))
    dashes = (4.0, 1.6) if edge.to_default else ()
    look, width = (colour, thick) if used else (idle, width)
    order = 2 if used else 1
    canvas.stroke(ends, colour=look, width=width, dashes=dashes, order=order, name=edge.name)
    if place is not None:
        x, y = (a + place * (b - a) for a, b in zip(*ends, strict=True))
        ink, name = colour if used else GREY, f"cost-{edge.name}"
        canvas.write(x, y, edge.text, size=SMALL, colour=ink, bold=used, backed=True, name=name)
