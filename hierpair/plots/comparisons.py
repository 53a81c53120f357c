"""Charts of comparisons: rankings, intervals, matrices, clusters of measures, scores by depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.comparison import Agreement, Clusters, Comparison, DepthScores, cliques
from hierpair.measures import Measure
from hierpair.plots.charts import Chart, arrowed
from hierpair.plots.style import ACCENT, FAINT, GREY, INK, PAPER, SMALL, Keywords
from hierpair.tables.text import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 14.0
"""Points from one line of names to the next."""

DARK = 0.46
"""Mean of red, green and blue below which numbers on a cell are white."""

MOST_NUMBERS = 16
"""Rows of a matrix whose cells have room for numbers."""

CELL, TREE = 30.0, 180.0
"""Points of a cell of a matrix, and that a dendrogram is wide."""

BUTT: Keywords = {"solid_capstyle": "butt", "clip_on": False}
TURNED: Keywords = {"rotation": 40, "ha": "left", "rotation_mode": "anchor"}

BETTER, WORSE, NEITHER = "#9ecae1", "#fdbe85", "#f5f5f5"
KEY = {
    "row significantly better": 1,
    "row significantly worse": -1,
    "no significant difference": 0,
}


def _ranked(comparison: Comparison, measure: str | Measure | None) -> tuple[Any, ...]:
    """Return a measure and its number, scores for which higher is better, the systems with the best
    first, the test in words, and what pins the numbers.
    """
    k, plan = comparison.measure_number(measure), comparison.plan
    m, up = comparison.measures[k], comparison.upwards[:, k]
    test = f"({plan.test} test, {plan.correction}, α = {plan.alpha:g})"
    order = np.argsort(-up, kind="stable").tolist()
    return m, k, up, order, test, [comparison.signature, m.signature]


def plot_ranks(
    comparison: Comparison,
    measure: str | Measure | None = None,
    *,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw systems on a scale, the best right; a bar joins those that do not differ significantly.

    It is a picture in the manner of critical-difference diagrams (Demšar 2006).

    Parameters
    ----------
    comparison
        What :func:`hierpair.compare` returned.
    measure
        One of its measures, the first by default.
    ax
        Axes to draw on; by default a new figure.
    title
        Above the picture.

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing, or for a measure that was not compared.
    """
    m, k, up, order, test, pinned = _ranked(comparison, measure)
    bars, n = cliques(up, comparison.significant[k]), len(order)
    half, depth = (n + 1) // 2, 0.9 + 0.45 * len(bars)
    told = arrowed(m)
    if bars:
        told += f"; bars join systems without significant difference {test}"
    chart = Chart(ax, (230.0, ROW * (depth + half)), comparison.systems, title)
    axes = chart.axes
    low, high = up.min(), up.max()
    room = (high - low) or abs(high) or 1.0
    left, right = low - 0.06 * room, high + 0.06 * room
    for position, i in enumerate(order):
        best = position < half
        y = depth + (position if best else n - 1 - position)
        end = right if best else left
        axes.plot([up[i], up[i], end], [0, y, y], color=GREY, linewidth=0.7, clip_on=False)
        axes.plot(up[i], 0, "o", color=INK, markersize=3, clip_on=False, zorder=3)
        score = number(comparison.values[i, k], 4)
        line = f" {chart.names[i]}  {score}" if best else f"{score}  {chart.names[i]} "
        chart.write(end, y, line, ha="left" if best else "right", va="center")
    for at, bar in enumerate(bars):
        ends = up[bar].min() - 0.008 * room, up[bar].max() + 0.008 * room
        axes.plot(ends, [0.55 + 0.45 * at] * 2, color=ACCENT, linewidth=2.6, zorder=4, **BUTT)
    axes.set(xlim=(left, right), ylim=(depth + half - 0.5, 0))
    axes.xaxis.set_ticks_position("top")
    axes.xaxis.set_label_position("top")
    axes.yaxis.set_visible(False)
    if not m.higher_is_better:  # the scale is of scores with their sign turned
        axes.xaxis.set_major_formatter(lambda x, _: f"{-x + 0.0:g}")
    return chart.done(pinned, told, kept=("top",))


def plot_intervals(
    comparison: Comparison,
    measure: str | Measure | None = None,
    *,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw scores of systems with their confidence intervals; parameters as for :func:`plot_ranks`.

    The best system is on top; systems that are significantly worse are hollow.
    """
    m, k, _, order, test, pinned = _ranked(comparison, measure)
    worse = comparison.significant[k, order[0]]
    told = f"{arrowed(m)}, {100 * comparison.plan.level:g} % intervals"
    if worse.any():
        told += f"; hollow: significantly worse than the best {test}"
    chart = Chart(ax, (220.0, ROW * len(order)), comparison.systems, title)
    for y, i in enumerate(order):
        ends = comparison.low[i, k], comparison.high[i, k]
        chart.axes.plot(ends, [y, y], color=ACCENT, linewidth=1.4, solid_capstyle="butt")
        dot: Keywords = {"color": PAPER if worse[i] else ACCENT, "markeredgecolor": ACCENT}
        chart.axes.plot(comparison.values[i, k], y, "o", markersize=5, zorder=3, **dot)
    chart.rows([chart.names[i] for i in order])
    return chart.done(pinned, told, kept=("bottom",), grid="x")


# --- matrices ------------------------------------------------------------------------------------


def _matrix(
    chart: Chart, values: Any, texts: Sequence[Sequence[str]], key: Mapping[str, float], **look: Any
) -> None:
    """Draw a square matrix with names left and, turned, on top, and a key right."""
    from matplotlib.patches import Patch

    n, axes = len(values), chart.axes
    axes.set_facecolor(PAPER)
    image: Any = axes.imshow(values, **look)
    colours = image.cmap(image.norm(values))
    for i, row in enumerate(texts if n <= MOST_NUMBERS else []):
        for j, text in enumerate(row):
            ink = PAPER if colours[i, j, :3].mean() < DARK else INK
            chart.write(j, i, text, size=SMALL, ha="center", va="center", color=ink)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(np.arange(n + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=PAPER, linewidth=1.2)
    axes.xaxis.set_ticks_position("top")
    chart.ticks("x", range(n), chart.names, **TURNED)
    chart.rows(chart.names)
    axes.tick_params(which="both", length=0)
    axes.set_anchor("W")  # what room is left is for the caption and the key
    axes.xaxis.set_label_position("bottom")
    axes.xaxis.label.set(x=0.0, ha="left")
    edge: Keywords = {"edgecolor": FAINT, "linewidth": 0.5}
    patches = [
        Patch(facecolor=image.cmap(image.norm(x)), label=words, **edge) for words, x in key.items()
    ]
    chart.legend(size=SMALL, handles=patches, handlelength=1.0, handleheight=1.0)


def plot_agreement(
    agreement: Agreement, *, ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Draw a heat map of rank correlations between measures.

    −1 is orange, 1 is purple, as the key says; undefined cells stay white.

    Parameters
    ----------
    agreement
        What :func:`hierpair.comparison.agreement` returned.
    ax, title
        Axes to draw on, by default a new figure; above the picture.

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing.
    """
    key = {f"{x:g}".replace("-", "−"): x for x in (1, 0.5, 0, -0.5, -1)}
    values, told = agreement.values, agreement.title
    texts = [["–" if np.isnan(x) else f"{x:.2f}" for x in row] for row in values.tolist()]
    chart = Chart(ax, (CELL * len(values),) * 2, agreement.measures, title)
    _matrix(chart, values, texts, key, cmap="PuOr", vmin=-1.15, vmax=1.15)
    return chart.done([told, *agreement.signatures], told, kept=())


def plot_significance(
    comparison: Comparison,
    measure: str | Measure | None = None,
    *,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a matrix of adjusted p-values: which system is significantly better than which.

    Blue: the row is significantly better than the column; orange: worse. Parameters as for
    :func:`plot_ranks`.
    """
    from matplotlib.colors import ListedColormap

    m, k, up, order, _, pinned = _ranked(comparison, measure)
    p, up = comparison.p_adjusted[k][np.ix_(order, order)], up[order]
    found = np.sign(up[:, None] - up) * (p <= comparison.plan.alpha)
    texts = [["<.001" if x < 0.001 else f"{x:.3f}".lstrip("0") for x in row] for row in p.tolist()]
    for i, row in enumerate(texts):
        row[i] = ""
    names = [comparison.systems[i] for i in order]
    chart = Chart(ax, (CELL * len(p),) * 2, names, title)
    colours = ListedColormap([WORSE, NEITHER, BETTER])
    _matrix(chart, found, texts, KEY, cmap=colours, vmin=-1, vmax=1)
    told = f"{arrowed(m)}: p adjusted ({comparison.plan.correction})"
    return chart.done(pinned, told, kept=())


def plot_clusters(clusters: Clusters, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw a dendrogram of measures joined by average linkage.

    :func:`plot_agreement` has the correlations.

    Parameters
    ----------
    clusters
        What :meth:`Agreement.clusters` returned.
    ax, title
        Axes to draw on, by default a new figure; above the picture.

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing.
    """
    n, order = len(clusters.measures), list(clusters.order)
    chart = Chart(ax, (TREE, ROW * n), [clusters.measures[k] for k in order], title)
    axes, furthest = chart.axes, clusters.linkage[:, 2].max(initial=0.0)
    ends = [(float(order.index(k)), 0.0) for k in range(n)]  # distance 0 is beside the names
    for one, other, distance, _ in clusters.linkage.tolist():
        (y, x), (v, u) = ends[int(one)], ends[int(other)]
        axes.plot([x, distance, distance, u], [y, y, v, v], color=INK, linewidth=1.0, **BUTT)
        ends.append(((y + v) / 2, distance))
    axes.set_xlim(0.0, 1.04 * (furthest or 1.0))
    axes.xaxis.label.set(x=0.0, ha="left")
    chart.rows(chart.names)
    told = f"average linkage on {clusters.distances(3)}: where a cut is made is a choice"
    return chart.done([told, *clusters.signatures], clusters.distances(2), kept=("bottom",))


def plot_depths(depths: DepthScores, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw mean scores by the depth of the deepest true label, a line per system.

    Parameters
    ----------
    depths
        What :func:`hierpair.comparison.by_depth` returned.
    ax, title
        As for :func:`plot_agreement`.

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing.
    """
    chart = Chart(ax, (230.0, 190.0), depths.systems, title)
    at = np.arange(len(depths.depths))
    chart.lines(at, depths.values.T)
    chart.axes.set_xlim(-0.3, len(at) - 0.7)
    counted = zip(depths.depths.tolist(), depths.sizes, strict=True)
    chart.ticks("x", at.tolist(), [f"{d if d >= 0 else 'none'}\nn = {n}" for d, n in counted])
    chart.legend()
    x, y = "depth of the deepest true label", arrowed(depths.measure)
    return chart.done([depths.measure.of_instance], x, y, grid="y")
