"""Axes whose units are points, and the few strokes that all pictures are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.plots.style import AS_IT_IS, HEAD, INK, MARGIN, NAME, PAPER
from hierpair.plots.text_metrics import TextMetrics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

__all__ = ["Canvas", "Point", "new_figure", "open_canvas", "rounded"]

Point = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Canvas:
    """Axes whose units are points of the picture in its own size, and the fonts.

    The scale is below 1 where the axes given are too small: then everything shrinks alike.
    """

    axes: Axes
    scale: float
    metrics: TextMetrics

    def write(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = NAME,
        colour: str = INK,
        align: str = "center",
        bold: bool = False,
        italic: bool = False,
        backed: bool = False,
        name: str = "",
    ) -> None:
        """Write one line with its middle at the height ``y``."""
        real = size * self.scale
        if self.scale < 1 and name.startswith("name-"):
            # Small letters fitted to pixels would grow beyond their boxes.
            room = self.metrics.width(text, size, bold=bold) * self.scale
            real = self.metrics.fitting(text, real, self.axes.figure.dpi, room, bold=bold)
        back = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.6 * self.scale}
        font = self.metrics.font(real, bold=bold, italic=italic)
        how = {"color": colour, "ha": align, "fontproperties": font, "zorder": 5, **AS_IT_IS}
        box = back if backed else None
        written = self.axes.text(x, y - 0.35 * size, text, bbox=box, clip_on=False, **how)
        written.set_gid(name or None)

    def box(
        self,
        corners: tuple[float, float, float, float],
        *,
        fill: str = PAPER,
        edge: str = INK,
        width: float = 0.7,
        dashes: Sequence[float] = (),
        name: str = "",
    ) -> None:
        """Draw a box with slightly rounded corners: left, bottom, right, top."""
        from matplotlib.patches import FancyBboxPatch

        left, bottom, right, top = corners
        style = "round,pad=0,rounding_size=1.6"
        patch = FancyBboxPatch((left, bottom), right - left, top - bottom, boxstyle=style, zorder=4)
        self._add(patch, fill, edge, width, dashes, name)

    def stroke(
        self,
        points: Sequence[Point],
        codes: Sequence[int] | None = None,
        *,
        colour: str = INK,
        width: float = 0.7,
        dashes: Sequence[float] = (),
        head: float = 0.0,
        order: float = 1.0,
        name: str = "",
    ) -> None:
        """Draw a line (``codes`` as in matplotlib's Path), with an arrow head of this length."""
        from matplotlib.patches import PathPatch, Polygon
        from matplotlib.path import Path

        path = Path(np.asarray(points, dtype=float), codes)
        patch = PathPatch(path, zorder=order, joinstyle="round")
        self._add(patch, "none", colour, width, dashes, name)
        if head:
            tip = np.asarray(points[-1])
            back = next(np.asarray(p) for p in reversed(points) if tuple(p) != tuple(points[-1]))
            along = (tip - back) / np.hypot(*(tip - back)) * head
            across = np.array([-along[1], along[0]]) * 0.38
            corners = [tip, tip - along + across, tip - along - across]
            arrow = Polygon(corners, facecolor=colour, edgecolor="none", zorder=order)
            arrow.set_clip_on(False)
            self.axes.add_patch(arrow)

    def _add(
        self, patch: Patch, fill: str, edge: str, width: float, dashes: Sequence[float], name: str
    ) -> None:
        patch.set(facecolor=fill, edgecolor=edge, linewidth=width * self.scale)
        patch.set(linestyle=self._dashes(width, dashes), clip_on=False, gid=name or None)
        self.axes.add_patch(patch)

    def _dashes(self, width: float, dashes: Sequence[float]) -> str | tuple[float, list[float]]:
        """Return a dash pattern given in points in the units that matplotlib wants."""
        import matplotlib as mpl

        if not dashes:
            return "solid"
        unit = width * self.scale if mpl.rcParams["lines.scale_dashes"] else 1.0
        return 0.0, [d * self.scale / unit for d in dashes]


def new_figure(width: float, height: float, layout: Any = None) -> Figure:
    """Return a figure of this size in points that no window and no global state knows of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / 72, height / 72), facecolor=PAPER, layout=layout)
    FigureCanvasAgg(figure)
    return figure


def open_canvas(
    axes: Axes | None,
    corners: tuple[float, float, float, float],
    title: str | None,
    metrics: TextMetrics,
) -> Canvas:
    """Return axes for a picture with these corners (left, bottom, right, top)."""
    left, bottom = corners[0] - MARGIN, corners[1] - MARGIN
    width, height = corners[2] + MARGIN - left, corners[3] + MARGIN - bottom
    plain = metrics.legible(" ".join(title.split())) if title else ""
    if axes is None:
        lines = metrics.wrapped(plain, HEAD, width - 2 * MARGIN)
        if lines:
            width = max(width, *(metrics.width(line, HEAD) + 2 * MARGIN for line in lines))
        whole = height + len(lines) * 1.25 * HEAD + (MARGIN if lines else 0)
        axes = new_figure(width, whole).add_axes((0.0, 0.0, 1.0, height / whole))
        room_x, room_y = width, height
    else:
        box = axes.get_window_extent()
        points = 72 / axes.figure.dpi
        room_x, room_y = box.width * points, box.height * points
        lines = metrics.wrapped(plain, HEAD, room_x)
    scale = min(1.0, room_x / width, room_y / height)
    spare_x, spare_y = room_x / scale - width, room_y / scale - height
    axes.set_axis_off()
    axes.set_xlim(left - spare_x / 2, left + width + spare_x / 2)
    axes.set_ylim(bottom - spare_y / 2, bottom + height + spare_y / 2)
    if lines:
        font = metrics.font(HEAD)
        axes.set_title("\n".join(lines), fontproperties=font, color=INK, pad=MARGIN / 3, **AS_IT_IS)
    return Canvas(axes, scale, metrics)


def rounded(points: Sequence[Point], radius: float) -> tuple[list[Point], list[int]]:
    """Return vertices and codes of a line with rounded bends."""
    corners = np.asarray(points, dtype=float)
    bent = [corners[0]]
    codes = [1]
    for a, b, c in zip(corners[:-2], corners[1:-1], corners[2:], strict=True):
        into, out = a - b, c - b
        long = np.hypot(*into), np.hypot(*out)
        r = min(radius, long[0] / 2, long[1] / 2)
        if r <= 0:
            continue
        first, last = b + into / long[0] * r, b + out / long[1] * r
        bent += [first, b, last]
        codes += [2, 3, 3]
    return [(float(x), float(y)) for x, y in (*bent, corners[-1])], [*codes, 2]
