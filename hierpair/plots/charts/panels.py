"""Several axes in one new figure, and series that are told apart by colour and marker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hierpair.plots.charts.axes import MARKERS, SERIES, Chart, open_chart
from hierpair.plots.saving import new_figure
from hierpair.plots.style import FAINT, NAME

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["legend_beside", "panels", "series_look"]


def panels(
    axes: Axes | None,
    size: tuple[float, float],
    names: Sequence[str],
    title: str | None,
    n: int,
    ratios: Sequence[float] | None = None,
) -> tuple[list[Chart], list[str]]:
    """Return n charts one below the other in a new figure, or one on the axes given; and names.

    The first one has the title.
    """
    if axes is not None:
        chart, short = open_chart(axes, size, names, title)
        return [chart], short
    figure = new_figure(*size, "constrained")
    grid = figure.subplots(n, 1, squeeze=False, height_ratios=ratios)[:, 0]
    found = [open_chart(one, size, names, title if k == 0 else None) for k, one in enumerate(grid)]
    for chart, _ in found:
        chart.axes.grid(axis="y", color=FAINT, linewidth=0.4)
        chart.axes.set_axisbelow(True)
    return [chart for chart, _ in found], found[0][1]


def series_look(k: int) -> dict[str, Any]:
    """Return how the line of series number k looks; forty are told apart."""
    return {
        "color": SERIES[k % len(SERIES)],
        "marker": MARKERS[k % len(MARKERS)],
        "markersize": 4,
        "linewidth": 1.1,
        "linestyle": "-" if k < len(SERIES) else (0, (4, 1.5)),
    }


def legend_beside(chart: Chart, n: int) -> None:
    """Put the legend of n series right of a chart."""
    chart.legend(NAME, {}, ncols=1 + (n - 1) // 20)
