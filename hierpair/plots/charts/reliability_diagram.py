"""Reliability diagrams: what probabilities came to, a line per level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.measures.scored.level_tables import Reliability
from hierpair.plots.charts.axes import MARKERS, SERIES, open_chart, widest
from hierpair.plots.style import FAINT, GREY, NAME

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ReliabilityDisplay"]


@dataclass(frozen=True, eq=False)
class ReliabilityDisplay:
    """Share that came true against mean probability, bin by bin, a line per level.

    On the diagonal probabilities mean what they say; below it they are too high.

    Attributes
    ----------
    reliability
        What is shown.
    ax_
        The axes; :func:`hierpair.plots.save_picture` writes their figure.
    """

    reliability: Reliability
    ax_: Axes

    @property
    def signatures(self) -> list[str]:
        """How it was computed."""
        return [self.reliability.signature]

    @classmethod
    def from_reliability(
        cls, reliability: Reliability, *, ax: Axes | None = None, title: str | None = None
    ) -> ReliabilityDisplay:
        """Draw one line per level.

        The bars at the bottom are the shares of the level's probabilities that each bin has, on
        the same axis: where there are few, the line says little. The legend has the calibration
        error of every level, which is the ECE where top classes are judged.

        Parameters
        ----------
        reliability
            What :func:`hierpair.metrics.reliability` returned.
        ax
            Axes to draw on; by default a new figure.
        title
            Above the picture.
        """
        found = reliability
        told = [
            f"level {level}: error {error:.3f}, n = {n}"
            for level, error, n in zip(
                found.level.tolist(), found.error().tolist(), found.n.sum(axis=1), strict=True
            )
        ]
        chart, names = open_chart(ax, (285.0 + widest(told), 230.0), told, title)
        axes = chart.axes
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
        width = 0.9 / found.bins / len(names)
        left = np.linspace(0, 1, found.bins + 1)[:-1] + 0.05 / found.bins
        for k, name in enumerate(names):
            filled = found.n[k] > 0
            look: Any = {"color": SERIES[k % len(SERIES)]}
            axes.bar(
                left + k * width, found.n[k] / found.n[k].sum(), width,
                align="edge", alpha=0.25, linewidth=0, zorder=1, **look,
            )  # fmt: skip
            look |= {"marker": MARKERS[k % len(MARKERS)], "markersize": 3.5, "label": name}
            x, y = found.confidence[k][filled], found.accuracy[k][filled]
            axes.plot(x, y, linewidth=1.1, zorder=3, clip_on=False, **look)
        axes.set(xlim=(0, 1), ylim=(0, 1))
        axes.set_aspect("equal")
        axes.grid(color=FAINT, linewidth=0.4)
        axes.set_axisbelow(True)
        chart.plain("left", "bottom")
        of = {"top": "largest probability of the level", "classes": "probability of a class"}
        right = {"top": "share of right top classes", "classes": "share that came true"}
        chart.label("x", f"mean {of[found.judged]} in the bin", 190.0)
        chart.label("y", right[found.judged], 190.0)
        chart.legend(NAME, {}, ncols=1 + (len(names) - 1) // 14)
        return cls(found, axes)
