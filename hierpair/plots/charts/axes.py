"""Axes for charts: the same letters and lines in all of them, no windows, no global state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hierpair.comparison import Comparison
from hierpair.measures import Measure
from hierpair.plots.letters import Fonts as TextMetrics
from hierpair.plots.letters import fonts_of as metrics_of
from hierpair.plots.letters import shortened
from hierpair.plots.saving import new_figure
from hierpair.plots.style import AS_IT_IS, FAINT, GREY, HEAD, INK, NAME, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "MARKERS",
    "SERIES",
    "Chart",
    "ComparisonDisplay",
    "arrowed",
    "lines_of",
    "open_chart",
    "widest",
]

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#1a1a1a", "#8f8f8f")
"""Colours of series that colour-blind people tell apart (Okabe and Ito),"""

MARKERS = "osD^vPX*<>"
"""and markers, so that print without colour does, too."""


@dataclass(frozen=True, eq=False)
class Chart:
    """Axes to draw a chart on, and the fonts."""

    axes: Axes
    metrics: TextMetrics

    def write(self, x: float, y: float, text: str, *, size: float = NAME, **how: Any) -> None:
        """Write a text."""
        how = {"color": INK, **AS_IT_IS, **how}
        self.axes.text(x, y, text, fontproperties=self.metrics.font(size), **how)

    def ticks(self, which: str, at: Sequence[float], names: Sequence[str], **how: Any) -> None:
        """Put names at the ticks of the x or y axis."""
        axis = getattr(self.axes, f"{which}axis")
        axis.set_ticks(list(at), labels=list(names))
        for label in axis.get_ticklabels():
            label.set(fontproperties=self.metrics.font(NAME), **AS_IT_IS, **how)

    def label(self, which: str, text: str, room: float | None = None) -> None:
        """Say what the x or y axis shows, in lines no wider than ``room`` points."""
        axis = getattr(self.axes, f"{which}axis")
        lines = [text] if room is None else self.metrics.wrapped(text, NAME, room)
        font = self.metrics.font(NAME)
        axis.set_label_text("\n".join(lines), fontproperties=font, color=INK, **AS_IT_IS)

    def key(self, colours: Mapping[str, str]) -> None:
        """Say right of the axes what colours stand for, from the words to the colour."""
        from matplotlib.patches import Patch

        patches = [
            Patch(facecolor=colour, edgecolor=FAINT, linewidth=0.5, label=words)
            for words, colour in colours.items()
        ]
        square = {"handlelength": 1.0, "handleheight": 1.0}
        self.legend(SMALL, {"color": INK}, handles=patches, **square)

    def legend(self, size: float, look: Mapping[str, Any], **how: Any) -> None:
        """Put a legend right of the axes."""
        how = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "frameon": False, **how}
        legend = self.axes.legend(prop=self.metrics.font(size), **how)
        for text in legend.get_texts():
            text.set(**AS_IT_IS, **look)

    def plain(self, *kept: str) -> None:
        """Leave out the frame but for these sides, and draw what stays thin and grey."""
        for side, spine in self.axes.spines.items():
            spine.set_visible(side in kept)
            spine.set(color=GREY, linewidth=0.7)
        self.axes.tick_params(width=0.7, color=GREY, labelsize=SMALL, labelcolor=INK)


@dataclass(frozen=True, eq=False)
class ComparisonDisplay:
    """What charts of a comparison have in common.

    Attributes
    ----------
    comparison, measure
        What is shown.
    ax_
        The axes; :func:`hierpair.plots.save_picture` writes their figure.
    """

    comparison: Comparison
    measure: Measure
    ax_: Axes

    @property
    def signatures(self) -> list[str]:
        """How it was compared, and the conventions of the measure."""
        return [self.comparison.signature, self.measure.signature]


def open_chart(
    axes: Axes | None,
    size: tuple[float, float],
    names: Sequence[str],
    title: str | None,
    *,
    place: tuple[float, float, float, float] | None = None,
) -> tuple[Chart, list[str]]:
    """Return a chart, on a new figure of this size in points if there are no axes, and the names.

    Names come back cut to a readable length, with a box for what no font has. ``place`` is where
    the axes of a new figure stand, where matplotlib should not find that out by itself.
    """
    short = shortened(names)
    metrics = metrics_of([*short, title or ""])
    if axes is None:
        figure = new_figure(*size, "constrained" if place is None else None)
        axes = figure.add_subplot() if place is None else figure.add_axes(place)
    if title:
        font = metrics.font(HEAD)
        axes.set_title(metrics.legible(title), fontproperties=font, color=INK, **AS_IT_IS)
    return Chart(axes, metrics), [metrics.legible(name) for name in short]


def widest(names: Sequence[str]) -> float:
    """Return the width of the longest name as it is written, in points."""
    short = shortened(names)
    metrics = metrics_of(short)
    return max(metrics.width(metrics.legible(name), NAME) for name in short)


def lines_of(text: str, room: float) -> tuple[float, float]:
    """Return how wide the lines of a caption are, and how much higher they are than one line."""
    metrics = metrics_of([text])
    lines = metrics.wrapped(text, NAME, room)
    higher = 1.2 * metrics.height(text, NAME) * (len(lines) - 1)
    return max(metrics.width(line, NAME) for line in lines), higher


def arrowed(name: str, higher_is_better: bool) -> str:
    """Return the name of a measure with the direction in which it is better."""
    return f"{name} {'↑' if higher_is_better else '↓'}"
