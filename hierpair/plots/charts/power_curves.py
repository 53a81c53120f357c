"""How well measures tell systems apart: p-values of all pairs, and power by number of instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hierpair.comparison import Discrimination
from hierpair.plots.charts.axes import Chart, widest
from hierpair.plots.charts.panels import legend_beside, panels, series_look
from hierpair.plots.style import GREY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PowerDisplay"]

WIDTH, HEIGHT = 300.0, 190.0
"""Points of a panel."""

NEAR = 1.5
"""A size is not written where the next one is less than so many times as large."""


@dataclass(frozen=True, eq=False)
class PowerDisplay:
    """ASL curves of measures, and their power and swap rate by number of instances.

    Attributes
    ----------
    discrimination
        What is shown.
    ax_
        The axes, of several panels the upper ones.
    """

    discrimination: Discrimination
    ax_: Axes

    @property
    def signatures(self) -> list[str]:
        """How it was computed, and the conventions of the measures."""
        return self.discrimination.signatures

    @classmethod
    def from_discrimination(
        cls,
        discrimination: Discrimination,
        *,
        show: Literal["asl", "power", "swap"] | None = None,
        ax: Axes | None = None,
        title: str | None = None,
    ) -> PowerDisplay:
        """Draw a line per measure.

        Parameters
        ----------
        discrimination
            What :func:`hierpair.comparison.discrimination` returned.
        show
            ``"asl"``: the p-values of all pairs of systems, the largest first (Sakai 2006);
            ``"power"``: share of pairs with p ≤ α by number of instances; ``"swap"``: share of
            the pairs that two samples order differently. By default the first two, in panels; on
            axes that are given, the first one.
        ax, title
            Axes to draw on, by default a new figure; above the picture.
        """
        wanted = [show] if show is not None else ["asl", "power"]
        wanted = [kind for kind in wanted if kind == "asl" or discrimination.sizes] or ["asl"]
        if ax is not None:
            wanted = wanted[:1]
        names = [m.name for m in discrimination.measures]
        size = (WIDTH + widest(names) + 40, HEIGHT * len(wanted) + 20)
        charts, short = panels(ax, size, names, title, len(wanted))
        for chart, kind in zip(charts, wanted, strict=True):
            if kind == "asl":
                _asl(chart, discrimination, short)
            else:
                _by_size(chart, discrimination, short, swap=kind == "swap")
            chart.plain("left", "bottom")
        legend_beside(charts[0], len(short))
        return cls(discrimination, charts[0].axes)


def _asl(chart: Chart, found: Discrimination, names: list[str]) -> None:
    """Draw the p-values of all pairs, sorted, and the level of significance."""
    at = np.arange(1, len(found.pairs) + 1)
    for k, name in enumerate(names):
        chart.axes.plot(at, np.sort(found.p[k])[::-1], label=name, **series_look(k))
    alpha = found.plan["alpha"]
    chart.axes.axhline(alpha, color=GREY, linewidth=0.7, linestyle=(0, (3, 2)))
    chart.write(
        1.0, alpha, f"α = {alpha:g} ", ha="right", va="bottom", color=INK,
        transform=chart.axes.get_yaxis_transform(),
    )  # fmt: skip
    chart.axes.set_ylim(bottom=0)
    chart.axes.locator_params(axis="x", integer=True)
    chart.label("x", "pairs of systems, by falling p")
    chart.label("y", "p, not adjusted")


def _by_size(chart: Chart, found: Discrimination, names: list[str], *, swap: bool) -> None:
    """Draw power or swap rate by number of instances, on a logarithmic scale."""
    values = found.swap_rate if swap else found.power_by_n
    for k, name in enumerate(names):
        chart.axes.plot(found.sizes, values[k], label=name, **series_look(k))
    chart.axes.set_xscale("log")
    chart.axes.minorticks_off()
    told = [n for n, larger in zip(found.sizes, found.sizes[1:], strict=False) if larger > NEAR * n]
    chart.ticks("x", [*told, found.sizes[-1]], [f"{n:,}" for n in [*told, found.sizes[-1]]])
    chart.axes.set_ylim(0, None if swap else 1.02)
    if swap:
        chart.axes.axhline(found.plan["swap"], color=GREY, linewidth=0.7, linestyle=(0, (3, 2)))
    chart.label("x", "instances")
    chart.label("y", "pairs ordered differently" if swap else "pairs with p ≤ α")
