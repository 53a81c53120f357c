"""Clusters of measures as a dendrogram, and their correlations as a heat map in its order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.comparison import Clusters
from hierpair.plots.charts.axes import Chart, lines_of, open_chart, widest
from hierpair.plots.charts.heatmaps import CORRELATION, MOST_NUMBERS
from hierpair.plots.saving import new_figure
from hierpair.plots.style import INK, PAPER, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DendrogramDisplay"]

ROW = 22.0
"""Points from one measure to the next."""

TREE = 120.0
"""Points that a dendrogram is wide."""


@dataclass(frozen=True, eq=False)
class DendrogramDisplay:
    """Measures joined by average linkage, beside their correlations.

    Attributes
    ----------
    clusters
        What is shown.
    ax_
        The axes of the dendrogram.
    """

    clusters: Clusters
    ax_: Axes

    @property
    def signatures(self) -> list[str]:
        """What the distances are, and the conventions of the measures."""
        return [*self.clusters.notes, *self.clusters.signatures]

    @classmethod
    def from_clusters(
        cls, clusters: Clusters, *, ax: Axes | None = None, title: str | None = None
    ) -> DendrogramDisplay:
        """Draw the dendrogram and, in a new figure, the heat map in its order.

        Parameters
        ----------
        clusters
            What :meth:`Agreement.clusters` or :meth:`InstanceAgreement.clusters` returned.
        ax, title
            Axes to draw the dendrogram on, by default a new figure; above the picture.
        """
        n, names = len(clusters.measures), clusters.measures
        beside, told = widest(names), f"1 − {clusters.about}"
        fit = f"cophenetic correlation {clusters.cophenetic:.2f}"
        whole = TREE + ROW * n * 1.25 + 1.9 * beside
        room = whole - 20 if ax is None else TREE + beside
        _, below = lines_of(told, room)
        height = ROW * n + 0.75 * beside + 46 + below + (14 if title else 0)
        axes, heat = ax, None
        if ax is None:
            figure = new_figure(whole, height, "constrained")
            axes, heat = figure.subplots(1, 2, width_ratios=[TREE, ROW * n * 1.25], sharey=True)
        chart, short = open_chart(axes, (whole, height), names, title)
        ordered = [short[k] for k in clusters.order]
        _tree(chart, clusters)
        chart.plain("bottom")
        chart.label("x", f"{told}; {fit}", room)
        chart.axes.xaxis.label.set(x=0.0, ha="left")
        if heat is not None:  # the names are between the two
            chart.axes.invert_xaxis()
            chart.axes.yaxis.set_ticks_position("right")
        chart.ticks("y", range(n), ordered)
        chart.axes.tick_params(axis="y", length=0)
        chart.axes.set_ylim(n - 0.5, -0.5)
        if heat is not None:
            _heat(Chart(heat, chart.metrics), clusters, ordered)
        return cls(clusters, chart.axes)


def _tree(chart: Chart, clusters: Clusters) -> None:
    """Draw the lines of the dendrogram; distance 0 is beside the names."""
    place = dict(zip(clusters.order, range(len(clusters.order)), strict=True))
    ends = [(float(place[k]), 0.0) for k in range(len(clusters.order))]
    for one, other, distance, _ in clusters.linkage.tolist():
        (y, x), (v, u) = ends[int(one)], ends[int(other)]
        line: dict[str, Any] = {
            "color": INK,
            "linewidth": 1.0,
            "solid_capstyle": "butt",
            "clip_on": False,
        }
        chart.axes.plot([x, distance, distance, u], [y, y, v, v], **line)
        ends.append(((y + v) / 2, distance))
    most = max((d for _, _, d, _ in clusters.linkage.tolist()), default=1.0) or 1.0
    chart.axes.set_xlim(0.0, 1.04 * most)


def _heat(chart: Chart, clusters: Clusters, names: list[str]) -> None:
    """Draw the correlations in the order of the dendrogram."""
    order = list(clusters.order)
    values = clusters.values[np.ix_(order, order)]
    chart.axes.imshow(values, aspect="auto", **CORRELATION)
    chart.axes.set_facecolor(PAPER)
    if len(names) <= MOST_NUMBERS:
        for (i, k), value in np.ndenumerate(values):
            ink = PAPER if abs(value) > 0.75 else INK
            text = f"{value:.2f}"
            chart.write(k, i, text, size=SMALL, ha="center", va="center", color=ink)
    chart.plain()
    chart.axes.xaxis.set_ticks_position("top")
    chart.ticks("x", range(len(names)), names, rotation=40, ha="left", rotation_mode="anchor")
    chart.axes.tick_params(length=0, labelleft=False)
