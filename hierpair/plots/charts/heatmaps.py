"""Matrices as pictures: agreement of measures, significance of pairs; and scores by depth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.comparison import Agreement, Comparison, DepthScores
from hierpair.measures import Measure
from hierpair.plots.charts.axes import (
    MARKERS,
    SERIES,
    Chart,
    ComparisonDisplay,
    arrowed,
    lines_of,
    open_chart,
    widest,
)
from hierpair.plots.style import FAINT, INK, NAME, PAPER, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AgreementDisplay", "DepthDisplay", "SignificanceDisplay"]

MOST_NUMBERS = 16
"""Rows of a matrix whose cells have room for numbers."""

CAPTION = 220.0
"""Points that a line below a matrix may be wide, however small the matrix is,"""

MARGIN = 24.0
"""and what is left free at its ends."""

BETTER, WORSE, NEITHER = "#9ecae1", "#fdbe85", "#f5f5f5"
KEY = {
    "row significantly better": BETTER,
    "row significantly worse": WORSE,
    "no significant difference": NEITHER,
}

CORRELATION: dict[str, Any] = {"cmap": "PuOr", "vmin": -1.15, "vmax": 1.15}


@dataclass(frozen=True, eq=False)
class AgreementDisplay:
    """A heat map of rank correlations between measures.

    Attributes
    ----------
    agreement
        What is shown.
    ax_
        The axes.
    """

    agreement: Agreement
    ax_: Axes

    @property
    def signatures(self) -> list[str]:
        """The coefficient, and the conventions of the measures."""
        return [self.agreement.title, *self.agreement.signatures]

    @classmethod
    def from_agreement(
        cls, agreement: Agreement, *, ax: Axes | None = None, title: str | None = None
    ) -> AgreementDisplay:
        """Draw the matrix; −1 is orange, 1 is purple, as the key says; undefined cells stay white.

        Parameters
        ----------
        agreement
            What :func:`hierpair.comparison.agreement` returned.
        ax, title
            Axes to draw on, by default a new figure; above the picture.
        """
        n = len(agreement.measures)
        scale = {f"{x:g}".replace("-", "−"): _correlation(x) for x in (1, 0.5, 0, -0.5, -1)}
        size, room = _size(agreement.measures, agreement.title, scale)
        chart, names = open_chart(ax, size, agreement.measures, title)
        axes = chart.axes
        axes.set_facecolor(PAPER)
        axes.imshow(agreement.values, **CORRELATION)
        for (i, j), value in np.ndenumerate(agreement.values):
            if n <= MOST_NUMBERS:
                text = "–" if np.isnan(value) else f"{value:.2f}"
                ink = PAPER if abs(value) > 0.75 else INK
                chart.write(j, i, text, size=SMALL, ha="center", va="center", color=ink)
        _framed(chart, names, names)
        chart.label("x", agreement.title, room)
        chart.key(scale)
        return cls(agreement, axes)


class SignificanceDisplay(ComparisonDisplay):
    """A matrix of adjusted p-values: which system is significantly better than which.

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
    ) -> SignificanceDisplay:
        """Draw adjusted p-values of all pairs under one measure, the first by default.

        Blue: the row is significantly better than the column; orange: worse. Parameters as for
        :class:`RankDisplay`.
        """
        from matplotlib.colors import ListedColormap

        k = comparison.measure_number(measure)
        m = comparison.measures[k]
        order = np.argsort(-comparison.upwards[:, k], kind="stable")
        p = comparison.p_adjusted[k][np.ix_(order, order)]
        up = comparison.upwards[order, k]
        found = np.sign(up[:, None] - up) * (p <= comparison.plan.alpha)
        n = len(order)
        told = f"{arrowed(m.name, m.higher_is_better)}: p adjusted ({comparison.plan.correction})"
        size, room = _size(comparison.systems, told, KEY)
        chart, names = open_chart(ax, size, comparison.systems, title)
        chart.axes.imshow(found, cmap=ListedColormap([WORSE, NEITHER, BETTER]), vmin=-1, vmax=1)
        for (i, j), value in np.ndenumerate(p):
            if i != j and n <= MOST_NUMBERS:
                text = "<.001" if value < 0.001 else f"{value:.3f}".lstrip("0")
                chart.write(j, i, text, size=SMALL, ha="center", va="center")
        ordered = [names[i] for i in order.tolist()]
        _framed(chart, ordered, ordered)
        chart.label("x", told, room)
        chart.key(KEY)
        return cls(comparison, m, chart.axes)


@dataclass(frozen=True, eq=False)
class DepthDisplay:
    """Mean scores of systems by the depth of the deepest true label.

    Attributes
    ----------
    depths
        What is shown.
    ax_
        The axes.
    """

    depths: DepthScores
    ax_: Axes

    @property
    def signatures(self) -> list[str]:
        """The conventions of the measure."""
        return [self.depths.measure.of_instance]

    @classmethod
    def from_depths(
        cls, depths: DepthScores, *, ax: Axes | None = None, title: str | None = None
    ) -> DepthDisplay:
        """Draw one line per system.

        Parameters
        ----------
        depths
            What :func:`hierpair.comparison.by_depth` returned.
        ax, title
            As for :class:`AgreementDisplay`.
        """
        m = depths.measure
        chart, names = open_chart(
            ax, (300.0 + widest(depths.systems), 240.0), depths.systems, title
        )
        axes = chart.axes
        at = np.arange(len(depths.depths))
        for k, (name, values) in enumerate(zip(names, depths.values.T, strict=True)):
            look: Any = {"color": SERIES[k % len(SERIES)], "marker": MARKERS[k % len(MARKERS)]}
            axes.plot(at, values, markersize=4, linewidth=1.1, label=name, **look)
        axes.grid(axis="y", color=FAINT, linewidth=0.4)
        chart.plain("left", "bottom")
        axes.set_xlim(-0.3, len(at) - 0.7)
        counted = zip(depths.depths.tolist(), depths.sizes, strict=True)
        chart.ticks("x", at.tolist(), [f"{d if d >= 0 else 'none'}\nn = {n}" for d, n in counted])
        chart.label("x", "depth of the deepest true label")
        chart.label("y", arrowed(m.name, m.higher_is_better), 190.0)
        chart.legend(NAME, {}, ncols=1 + (len(names) - 1) // 14)
        return cls(depths, axes)


def _correlation(value: float) -> str:
    """Return the colour of a rank correlation."""
    from matplotlib import colormaps
    from matplotlib.colors import Normalize, to_hex

    place = Normalize(CORRELATION["vmin"], CORRELATION["vmax"])
    return str(to_hex(colormaps[CORRELATION["cmap"]](place(value))))


def _size(
    names: Sequence[str], caption: str, key: Iterable[str]
) -> tuple[tuple[float, float], float]:
    """Return the size of a square matrix with names left and, turned, on top; and the room of a
    line of the caption.

    The caption begins below the left end of the matrix, which the names push to the right; the key
    stands right of the matrix, below the turned names.
    """
    beside = widest(names)
    width = 30.0 * len(names) + beside + max(0.8 * beside, widest([*key]) + 20) + 30
    room = max(width - beside - MARGIN, CAPTION)
    longest, below = lines_of(caption, room)
    height = 30.0 * len(names) + 0.8 * beside + 50 + below
    return (max(width, longest + beside + MARGIN), height), room


def _framed(chart: Chart, rows: list[str], columns: list[str]) -> None:
    """Put names on a matrix, columns on top and turned."""
    axes = chart.axes
    chart.plain()
    axes.xaxis.set_ticks_position("top")
    axes.xaxis.set_label_position("bottom")
    axes.xaxis.label.set(x=0.0, ha="left")
    axes.set_anchor("W")  # what room is left is for the caption and the key
    chart.ticks("x", range(len(columns)), columns, rotation=40, ha="left", rotation_mode="anchor")
    chart.ticks("y", range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=PAPER, linewidth=1.2)
    axes.tick_params(which="minor", length=0, top=False, bottom=False, left=False)
