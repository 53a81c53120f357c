"""A pairing as a flow network: predicted labels left, true labels right, arcs with costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hierpair.errors import BadInput
from hierpair.measures.evidence import PairEvidence
from hierpair.plots.canvas import Canvas, open_canvas
from hierpair.plots.diagrams.edges import Edge
from hierpair.plots.diagrams.flow_layout import planned
from hierpair.plots.style import ACCENT, DEFAULTS, FAINT, GREY, INK, LIGHT, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_pairing"]


def plot_pairing(
    evidence: PairEvidence,
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
    if not isinstance(evidence, PairEvidence):
        raise BadInput(
            f"only a pairing can be drawn as a network, not a {type(evidence).__name__}; "
            "plot_neighbourhood draws the hierarchy of any measure"
        )
    plan = planned(evidence, title or "", digits, duals)
    canvas = open_canvas(ax, plan.corners, title, plan.metrics)
    start, end = plan.room
    used = sum(edge.flow > 0 for edge in plan.edges)
    looks = _Looks(thick=1.8 if used <= 24 else 0.9, thin=0.5 if len(plan.edges) <= 60 else 0.3)
    for edge, arc, place in zip(plan.edges, plan.arcs, plan.places, strict=True):
        _draw_edge(canvas, edge, looks, (start, arc.left), (end, arc.right), place)
    for box in plan.boxes:
        colour = GREY if box.default else INK
        dashes = (2.4, 1.6) if box.default else ()
        left, bottom, right, top = box.corners
        canvas.box(box.corners, edge=colour, dashes=dashes, name=box.name)
        canvas.write(
            (left + right) / 2, (bottom + top) / 2, box.text, italic=box.default,
            colour=colour, name=f"name-{box.name}",
        )  # fmt: skip
    for word in plan.words:
        canvas.write(word.x, word.y, word.text, size=word.size, colour=GREY, align=word.align)
    return canvas.axes


@dataclass(frozen=True)
class _Looks:
    """Line widths of used and other arcs: thinner where there are many."""

    thick: float
    thin: float


def _draw_edge(
    canvas: Canvas,
    edge: Edge,
    looks: _Looks,
    start: tuple[float, float],
    end: tuple[float, float],
    place: float | None,
) -> None:
    colour = DEFAULTS if edge.to_default else ACCENT
    idle, width = (FAINT, looks.thin) if place is None else (LIGHT, max(looks.thin, 0.5))
    canvas.stroke(
        [start, end], colour=colour if edge.flow else idle,
        width=looks.thick if edge.flow else width,
        dashes=(4.0, 1.6) if edge.to_default else (), order=2 if edge.flow else 1,
        name=edge.name,
    )  # fmt: skip
    if place is not None:
        x, y = (a + place * (b - a) for a, b in zip(start, end, strict=True))
        canvas.write(
            x, y, edge.text, size=SMALL, colour=colour if edge.flow else GREY,
            bold=edge.flow > 0, backed=True, name=f"cost-{edge.name}",
        )  # fmt: skip
