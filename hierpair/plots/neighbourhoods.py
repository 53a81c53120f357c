"""The hierarchy around the labels of an instance: in layers, or as an outline for long names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hierpair.measures.evidence import Neighbourhood
from hierpair.plots.graphs import Arc, Node, framed, graph_scene
from hierpair.plots.letters import Letters, fonts_of_figures, shortened
from hierpair.plots.saving import draw
from hierpair.plots.scene import Box, Line, Scene, Shape, Text, noted
from hierpair.plots.style import HIGHEST, NOTE, SMALL, WIDEST

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELS = {
    "both": "true and predicted",
    "true": "true",
    "predicted": "predicted",
    "true_both": "true, above predicted",
    "predicted_both": "predicted, above true",
    "shared": "above both",
    "above_true": "above true",
    "above_predicted": "above predicted",
    "other": "other",
}
"""What looks mean, of labels and their ancestors,"""

GRAPHS = LABELS | {
    "true_both": "true, in both graphs",
    "predicted_both": "predicted, in both graphs",
    "shared": "in both graphs",
    "above_true": "in the true graph",
    "above_predicted": "in the predicted graph",
}
"""of two graphs,"""

FIELDS = {"both": "TP", "true": "FN", "predicted": "FP", "plain": "TN",
          "shared": "in several fields", "other": "root"}  # fmt: skip
"""and of a confusion matrix."""


def plot_neighbourhood(
    neighbourhood: Neighbourhood, *, ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Draw the hierarchy around the labels of an instance, in layers, roots on top.

    Where a page is too narrow for that, as for long names, it is an outline: a row for every class.

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

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing, or if the classes do not stand parents before children.
    """
    return draw(neighbourhood_scene(neighbourhood, fonts_of_figures()), ax, title)


def neighbourhood_scene(shown: Neighbourhood, letters: Letters) -> Scene:
    """Place classes, edges and pairs, and the legend and notes below them."""
    names = shortened([node.name for node in shown.nodes])
    for i, fields in enumerate(shown.fields or ()):
        names[i] += f" ({', '.join(fields)})" * (len(fields) > 1)
    levels = sorted({node.level for node in shown.nodes})
    nodes = []
    for i, (node, name) in enumerate(zip(shown.nodes, names, strict=True)):
        beside = (f"+{node.n_hidden}",) if node.n_hidden else ()
        look, layer = _look(shown, i), levels.index(node.level)
        nodes.append(Node(name, layer, f"class-{i}", look, beside, shown.framed[i]))
    arcs = [Arc(p, c, name=f"edge-{p}-{c}") for p, c in shown.edges]
    for a, b in dict.fromkeys(shown.pairs):
        if a != b:  # a class that is paired with itself needs no line
            arcs.append(Arc(a, b, look="pair", name=f"pair-{a}-{b}"))
    scene = graph_scene(nodes, arcs, letters, "down")
    if _fit(scene) < 1:
        scene = max(scene, graph_scene(nodes, arcs, letters, "right"), key=_fit)
    notes = ["no classes"] * (not nodes)
    if n := shown.n_left_out:
        notes.append(f"{n} more ancestor{'s are' if n > 1 else ' is'} not shown")
    return noted(_with_legend(scene, shown, {node.look for node in nodes}), notes)


def _fit(scene: Scene) -> float:
    """Return how much of its size a picture keeps on a page."""
    left, bottom, right, top = scene.corners
    return min(1.0, WIDEST / max(right - left, 1.0), HIGHEST / max(top - bottom, 1.0))


def _look(shown: Neighbourhood, i: int) -> str:
    """Return how a class looks."""
    if shown.fields is not None:
        whole = {"TP": "both", "FN": "true", "FP": "predicted", "TN": "plain"}
        fields = shown.fields[i]
        return "shared" if len(fields) > 1 else whole[fields[0]] if fields else "other"
    node = shown.nodes[i]
    own = "true" * node.true + "predicted" * node.predicted
    above = "above_true" * node.above_true + "above_predicted" * node.above_predicted
    above_both = node.above_true and node.above_predicted
    if own:
        return "both" if node.true and node.predicted else own + "_both" * above_both
    return "shared" if above_both else above or "other"


SWATCH = 17.0, 8.0
"""Width and height of a box in the legend."""


def _with_legend(scene: Scene, shown: Neighbourhood, looks: set[str]) -> Scene:
    """Return a scene with what its looks mean below it, as far as they occur."""
    letters, shapes = scene.letters, list(scene.shapes)
    words = FIELDS if shown.fields is not None else LABELS if shown.lcas is None else GRAPHS
    entries = [(look, text) for look, text in words.items() if look in looks]
    further = [
        (shown.lcas, "frame", "chosen lowest common ancestor"),
        (any(node.alone for node in shown.nodes), "frame", "default cost paid"),
        (any(a != b for a, b in shown.pairs), "pair", "paired"),
        (any(node.n_hidden for node in shown.nodes), "hidden", "children not shown"),
    ]
    entries += [(kind, text) for occurs, kind, text in further if occurs]
    left, bottom, right, _ = scene.corners
    x, y, room = left, bottom - 12 - SWATCH[1] / 2, max(right - left, 220.0)
    wide, high = SWATCH
    for kind, text in entries:
        width = wide + 6 + letters.width(text, NOTE)
        if x > left and x + width > left + room:
            x, y = left, y - 1.9 * NOTE
        box = x, y - high / 2, x + wide, y + high / 2
        marks: dict[str, list[Shape]] = {
            "hidden": [Text(x + wide / 2, y, "+n", "note", SMALL)],
            "pair": [Line([(x, y), (x + wide, y)], "pair")],
            "frame": framed(box, "plain"),
        }
        shapes += marks.get(kind, [Box(box, kind)])
        shapes.append(Text(x + wide + 6, y, text, "words", NOTE, "left"))
        x += width + 12
    return Scene(shapes, letters)
