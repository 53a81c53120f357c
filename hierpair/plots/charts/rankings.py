"""Rankings of systems as pictures: who does not differ from whom, and how sure scores are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.comparison import Comparison, cliques
from hierpair.measures import Measure
from hierpair.plots.charts.axes import ComparisonDisplay, arrowed, lines_of, open_chart, widest
from hierpair.plots.style import ACCENT, FAINT, GREY, INK, PAPER, SMALL
from hierpair.tables.text import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["IntervalDisplay", "RankDisplay"]

ROW = 14.0
"""Points from one line of names to the next."""

BAR: dict[str, Any] = {"color": ACCENT, "linewidth": 2.6, "solid_capstyle": "butt"}
DOT: dict[str, Any] = {"markersize": 5, "markeredgecolor": ACCENT}


class RankDisplay(ComparisonDisplay):
    """Systems on a scale, the best right; a bar joins those that do not differ significantly.

    Attributes
    ----------
    comparison, measure
        What is shown.
    ax_
        The axes; :func:`hierpair.plots.save_picture` writes their figure.
    """

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        measure: str | Measure | None = None,
        *,
        ax: Axes | None = None,
        title: str | None = None,
        digits: int = 4,
    ) -> RankDisplay:
        """Draw the ranking under one measure, the first by default, as a picture in the manner of
        critical-difference diagrams (Demšar 2006).

        Parameters
        ----------
        comparison
            What :func:`hierpair.compare` returned.
        measure
            One of its measures.
        ax
            Axes to draw on; by default a new figure.
        title, digits
            Above the picture; decimals of the scores.
        """
        k = comparison.measure_number(measure)
        m = comparison.measures[k]
        up = comparison.upwards[:, k]
        order = np.argsort(-up, kind="stable").tolist()
        bars = cliques(up, comparison.significant[k])
        half = (len(order) + 1) // 2
        depth = 0.9 + 0.45 * len(bars)
        beside = widest(comparison.systems) + widest([f"00.{'0' * digits}"]) + 20
        whole = 230.0 + 2 * beside
        told, wide = arrowed(m.name, m.higher_is_better), whole - 20
        if bars:
            told += f"; bars join systems without significant difference ({_test(comparison)})"
        _, higher = lines_of(told, wide)
        above = 30 + higher + (14 if title else 0)
        height = 10 + above + ROW * (depth + half)
        top = 1 - above / height
        place = beside / whole, 0.03, 1 - 2 * beside / whole, top - 0.03
        chart, names = open_chart(ax, (whole, height), comparison.systems, title, place=place)
        axes = chart.axes
        low, high = float(up.min()), float(up.max())
        room = (high - low) or abs(high) or 1.0
        left, right = low - 0.06 * room, high + 0.06 * room
        for position, i in enumerate(order):
            best = position < half
            row = position if best else len(order) - 1 - position
            y, end = depth + row, right if best else left
            axes.plot([up[i], up[i], end], [0, y, y], color=GREY, linewidth=0.7, clip_on=False)
            axes.plot(up[i], 0, "o", color=INK, markersize=3, clip_on=False, zorder=3)
            score = number(float(comparison.values[i, k]), digits)
            line = f" {names[i]}  {score}" if best else f"{score}  {names[i]} "
            chart.write(end, y, line, ha="left" if best else "right", va="center")
        for at, bar in enumerate(bars):
            ends = up[bar].min() - 0.008 * room, up[bar].max() + 0.008 * room
            axes.plot(ends, [0.55 + 0.45 * at] * 2, **BAR, zorder=4, clip_on=False)
        axes.set_xlim(left, right)
        axes.set_ylim(depth + half - 0.5, 0)
        axes.xaxis.set_ticks_position("top")
        axes.xaxis.set_label_position("top")
        axes.yaxis.set_visible(False)
        chart.plain("top")
        if not m.higher_is_better:  # the scale is of scores with their sign turned
            axes.xaxis.set_major_formatter(lambda x, _: f"{-x + 0.0:g}")
        chart.label("x", told, wide)
        return cls(comparison, m, axes)


class IntervalDisplay(ComparisonDisplay):
    """Scores of systems with their confidence intervals.

    Attributes
    ----------
    comparison, measure
        What is shown.
    ax_
        The axes.
    """

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        measure: str | Measure | None = None,
        *,
        ax: Axes | None = None,
        title: str | None = None,
    ) -> IntervalDisplay:
        """Draw scores and intervals under one measure; parameters as for :class:`RankDisplay`.

        The best system is on top; systems that are significantly worse are hollow.
        """
        k = comparison.measure_number(measure)
        m = comparison.measures[k]
        order = np.argsort(-comparison.upwards[:, k], kind="stable")
        worse = comparison.significant[k, order[0]]
        level = f"{100 * comparison.plan.level:g} % intervals"
        told, room = f"{arrowed(m.name, m.higher_is_better)}, {level}", 220.0
        if worse.any():
            told += f"; hollow: significantly worse than the best ({_test(comparison)})"
        _, higher = lines_of(told, room)
        height = 50 + ROW * len(order) + higher + (14 if title else 0)
        chart, names = open_chart(
            ax, (250.0 + widest(comparison.systems), height), comparison.systems, title
        )
        axes = chart.axes
        for y, i in enumerate(order.tolist()):
            ends = comparison.low[i, k], comparison.high[i, k]
            axes.plot(ends, [y, y], color=ACCENT, linewidth=1.4, solid_capstyle="butt")
            fill = PAPER if worse[i] else ACCENT
            axes.plot(comparison.values[i, k], y, "o", color=fill, zorder=3, **DOT)
        axes.set_ylim(len(order) - 0.5, -0.5)
        axes.grid(axis="x", color=FAINT, linewidth=0.4)
        axes.set_axisbelow(True)
        chart.plain("bottom")
        chart.ticks("y", range(len(order)), [names[i] for i in order.tolist()])
        axes.tick_params(axis="y", length=0)
        axes.tick_params(axis="x", labelsize=SMALL)
        chart.label("x", told, room)
        return cls(comparison, m, axes)


def _test(comparison: Comparison) -> str:
    """Return which test, correction and level say what is significant."""
    plan = comparison.plan
    return f"{plan.test} test, {plan.correction}, α = {plan.alpha:g}"
