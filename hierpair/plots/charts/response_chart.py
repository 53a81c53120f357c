"""What controlled errors cost under measures: lines over replacements, bars for all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hierpair.comparison import Response
from hierpair.plots.charts.axes import SERIES, Chart, widest
from hierpair.plots.charts.panels import legend_beside, panels, series_look
from hierpair.plots.style import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ResponseDisplay"]

WIDTH, HIGHER, LOWER = 330.0, 210.0, 170.0
"""Points of a panel: its width, the height of lines, and of bars."""

MOST_BESIDE = 6
"""With more bars of a group names of steps are turned."""


@dataclass(frozen=True, eq=False)
class ResponseDisplay:
    """Costs of controlled errors: a line per measure over replacements, bars for other errors.

    Attributes
    ----------
    response
        What is shown.
    ax_
        The axes, of two panels the upper ones.
    """

    response: Response
    ax_: Axes

    @property
    def signatures(self) -> list[str]:
        """How the costs were computed, and the conventions of the measures."""
        return self.response.signatures

    @classmethod
    def from_response(
        cls,
        response: Response,
        *,
        show: Literal["replaced", "others"] | None = None,
        ax: Axes | None = None,
        title: str | None = None,
    ) -> ResponseDisplay:
        """Draw costs in units of the unrelated replacement, or raw where that was no step.

        Parameters
        ----------
        response
            What :func:`hierpair.respond` returned.
        show
            ``"replaced"``: a line per measure over the classes that come in place of a label;
            ``"others"``: bars for labels that are added or left out, and noise. By default both,
            in two panels; on axes that are given, the first of these that there is.
        ax, title
            Axes to draw on, by default a new figure; above the picture.
        """
        replaced = [s for s, step in enumerate(response.steps) if step.kind == "replace"]
        others = [s for s, step in enumerate(response.steps) if step.kind != "replace"]
        kinds = [("replaced", replaced), ("others", others)]
        wanted = [(kind, of) for kind, of in kinds if of and show in (None, kind)] or kinds[:1]
        if ax is not None:
            wanted = wanted[:1]
        names = [m.name for m in response.measures]
        heights = [HIGHER if kind == "replaced" else LOWER for kind, _ in wanted]
        size = (WIDTH + widest(names) + 40, sum(heights) + 20)
        charts, short = panels(ax, size, names, title, len(wanted), heights)
        for chart, (kind, of) in zip(charts, wanted, strict=True):
            draw = _lines if kind == "replaced" else _bars
            draw(chart, response, of, short)
            unit = "cost, unrelated class = 1" if response.in_units else "cost"
            chart.label("y", unit)
            chart.plain("left", "bottom")
        legend_beside(charts[0], len(short))
        return cls(response, charts[0].axes)


def _numbers(response: Response) -> tuple[Any, Any, Any]:
    if response.in_units:
        return response.units, response.low, response.high
    return response.raw, response.raw_low, response.raw_high


def _lines(chart: Chart, response: Response, of: list[int], names: list[str]) -> None:
    """Draw a line per measure, from no error at all over the replacements as they were named."""
    values, low, high = _numbers(response)
    at = np.arange(1, len(of) + 1)
    for k, name in enumerate(names):
        look = series_look(k)
        chart.axes.plot([0, *at], [0.0, *values[k, of]], label=name, **look)
        chart.axes.vlines(at, low[k, of], high[k, of], color=look["color"], linewidth=0.8)
    if response.in_units:
        chart.axes.axhline(1.0, color=GREY, linewidth=0.7, linestyle=(0, (3, 2)))
    chart.ticks("x", [0, *at.tolist()], ["right", *(response.steps[s].words for s in of)])


def _bars(chart: Chart, response: Response, of: list[int], names: list[str]) -> None:
    """Draw a group of bars per step, a bar per measure."""
    values, low, high = _numbers(response)
    wide = 0.84 / len(names)
    at = np.arange(len(of))
    for k, name in enumerate(names):
        x = at + wide * (k - (len(names) - 1) / 2)
        colour = SERIES[k % len(SERIES)]
        hatch = "" if k < len(SERIES) else "////"
        chart.axes.bar(
            x, np.nan_to_num(values[k, of]), wide, color=colour, label=name, hatch=hatch,
            edgecolor="#ffffff", linewidth=0.3,
        )  # fmt: skip
        chart.axes.vlines(x, low[k, of], high[k, of], color="#1a1a1a", linewidth=0.6)
        for place in x[np.isnan(values[k, of])]:
            chart.write(place, 0.0, "–", ha="center", va="bottom", color=colour)
    turned: dict[str, Any] = {}
    if len(of) > MOST_BESIDE:
        turned = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
    chart.ticks("x", at.tolist(), [response.steps[s].words for s in of], **turned)
    chart.axes.tick_params(axis="x", length=0)
