"""The flow network of one instance: labels and groups as nested boxes, arcs with their bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hierpair.pairing import PairingProblem, network_graph
from hierpair.plots.canvas import open_canvas
from hierpair.plots.diagrams.network_layout import BOUNDS, planned_network
from hierpair.plots.style import ACCENT, DEFAULTS, GREY, INK, LIGHT, NOTE, SMALL
from hierpair.plots.text_metrics import metrics_of, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_network"]


def plot_network(
    problem: PairingProblem,
    instance: int = 0,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    digits: int = 4,
) -> Axes:
    """Draw the flow network that a rule makes of one instance, with an optimal flow.

    Predicted labels are on the left, true labels on the right, each in the box of the group that
    it is in. Grey arcs have bounds on the units that pass, ``[least, most]``; those beside them
    a cost for each unit and how many there may be: of missing partners and of fewer units they go
    back (below), of further units forward (above). Thick arcs are used: blue ones are the chosen
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
    nodes = list(graph)
    short = shortened([graph.nodes[k]["name"] for k in nodes])
    metrics = metrics_of([*short, title or ""])
    names = {k: metrics.legible(name) for k, name in zip(nodes, short, strict=True)}
    plan = planned_network(graph, metrics, digits, names)
    left, bottom, right, top = plan.corners
    note = [] if graph.graph["feasible"] else ["no pairing is possible"]
    if "hub" in (graph.nodes[k]["kind"] for k in nodes):
        note.append("hub: source and sink in one")
    canvas = open_canvas(ax, (left, bottom - 1.5 * NOTE * len(note), right, top), title, metrics)
    for line in plan.lines:
        used, link = line.flow > 0, line.kind in BOUNDS
        colour = (ACCENT if line.kind == "pair" else DEFAULTS) if used else LIGHT
        colour = GREY if link else colour
        canvas.stroke(
            line.points, colour=colour, width=(1.2 if link else 1.8) if used else 0.5,
            dashes=() if link or line.kind == "pair" else (4.0, 1.6), head=4.0 if used else 3.0,
            order=2 if used else 1,
        )  # fmt: skip
        if line.at is not None:
            ink = colour if used and not link else GREY
            bold = used and not link
            canvas.write(*line.at, line.text, size=SMALL, colour=ink, bold=bold, backed=True)
    sink = max(k for k in nodes if graph.nodes[k]["side"] is None)  # the hub, if it is one
    for key, corners in plan.boxes.items():
        node = sink if key == -1 else key
        end = graph.nodes[node]["side"] is None
        canvas.box(corners, edge=GREY if end else INK, dashes=(2.4, 1.6) if end else ())
        middle = (corners[0] + corners[2]) / 2, (corners[1] + corners[3]) / 2
        canvas.write(*middle, names[node], italic=end, colour=GREY if end else INK)
    for k, text in enumerate(note):
        y = bottom - 1.5 * NOTE * (k + 0.5)
        canvas.write((left + right) / 2, y, text, size=NOTE, colour=GREY)
    return canvas.axes
