"""Axes whose units are points, and the few strokes that all pictures are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hierpair.plots.style import HEAD, INK, MARGIN, NAME, PAPER
from hierpair.plots.text_metrics import TextMetrics

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Canvas", "Point", "open_canvas", "rounded"]

Point = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Canvas:
    """Axes to draw on.

    Attributes
    ----------
    axes
        Their units are points of the picture in its own size.
    scale
        Below 1 where the axes given are too small for it: then everything shrinks alike.
    letters
        The fonts.
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
        written = self.axes.text(
            x, y - 0.35 * size, text, color=colour, ha=align, va="baseline",
            fontproperties=self.metrics.font(real, bold=bold, italic=italic),
            parse_math=False, usetex=False, zorder=5, clip_on=False,
            bbox=back if backed else None,
        )  # fmt: skip
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
        patch = FancyBboxPatch(
            (left, bottom), right - left, top - bottom,
            boxstyle="round,pad=0,rounding_size=1.6", facecolor=fill, edgecolor=edge,
            linewidth=width * self.scale, linestyle=self._dashes(width, dashes), zorder=4,
            clip_on=False,
        )  # fmt: skip
        patch.set_gid(name or None)
        self.axes.add_patch(patch)

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
        patch = PathPatch(
            path, facecolor="none", edgecolor=colour, linewidth=width * self.scale,
            linestyle=self._dashes(width, dashes), zorder=order, clip_on=False,
            joinstyle="round",
        )  # fmt: skip
        patch.set_gid(name or None)
        self.axes.add_patch(patch)
        if head:
            tip = np.asarray(points[-1])
            back = next(np.asarray(p) for p in reversed(points) if tuple(p) != tuple(points[-1]))
            along = (tip - back) / np.hypot(*(tip - back)) * head
            across = np.array([-along[1], along[0]]) * 0.38
            corners = [tip, tip - along + across, tip - along - across]
            self.axes.add_patch(
                Polygon(corners, facecolor=colour, edgecolor="none", zorder=order, clip_on=False)
            )

    def _dashes(self, width: float, dashes: Sequence[float]) -> str | tuple[float, list[float]]:
        """Return a dash pattern given in points in the units that matplotlib wants."""
        import matplotlib as mpl

        if not dashes:
            return "solid"
        unit = width * self.scale if mpl.rcParams["lines.scale_dashes"] else 1.0
        return 0.0, [d * self.scale / unit for d in dashes]


def open_canvas(
    axes: Axes | None,
    corners: tuple[float, float, float, float],
    title: str | None,
    metrics: TextMetrics,
) -> Canvas:
    """Return axes for a picture with these corners (left, bottom, right, top).

    Without axes a figure of that size is made that no window and no global state knows of.
    """
    left, bottom = corners[0] - MARGIN, corners[1] - MARGIN
    width, height = corners[2] + MARGIN - left, corners[3] + MARGIN - bottom
    plain = metrics.legible(" ".join(title.split())) if title else ""
    size = HEAD
    if axes is None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        lines = metrics.wrapped(plain, size, width - 2 * MARGIN)
        if lines:
            width = max(width, *(metrics.width(line, size) + 2 * MARGIN for line in lines))
        whole = height + len(lines) * 1.25 * size + (MARGIN if lines else 0)
        figure = Figure(figsize=(width / 72, whole / 72), facecolor=PAPER)
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0.0, 0.0, 1.0, height / whole))
        room_x, room_y = width, height
    else:
        box = axes.get_window_extent()
        points = 72 / axes.figure.dpi
        room_x, room_y = box.width * points, box.height * points
        lines = metrics.wrapped(plain, size, room_x)
    scale = min(1.0, room_x / width, room_y / height)
    spare_x, spare_y = room_x / scale - width, room_y / scale - height
    axes.set_axis_off()
    axes.set_xlim(left - spare_x / 2, left + width + spare_x / 2)
    axes.set_ylim(bottom - spare_y / 2, bottom + height + spare_y / 2)
    if lines:
        axes.set_title(
            "\n".join(lines), fontproperties=metrics.font(size), color=INK, pad=MARGIN / 3,
            parse_math=False, usetex=False,
        )  # fmt: skip
    return Canvas(axes, scale, metrics)


def rounded(points: Sequence[Point], radius: float) -> tuple[list[Point], list[int]]:
    """Return vertices and codes of a line with rounded bends."""
    corners = np.asarray(points, dtype=float)
    bent: list[Point] = [(float(corners[0][0]), float(corners[0][1]))]
    codes = [1]
    for a, b, c in zip(corners[:-2], corners[1:-1], corners[2:], strict=True):
        into, out = a - b, c - b
        long = np.hypot(*into), np.hypot(*out)
        r = min(radius, long[0] / 2, long[1] / 2)
        if r <= 0:
            continue
        first, last = b + into / long[0] * r, b + out / long[1] * r
        bent += [(float(p[0]), float(p[1])) for p in (first, b, last)]
        codes += [2, 3, 3]
    bent.append((float(corners[-1][0]), float(corners[-1][1])))
    codes.append(2)
    return bent, codes
