"""Several pictures on one figure, one below the other, each as large as it would be alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hierpair.errors import BadInput
from hierpair.plots.style import PAPER
from hierpair.plots.text_metrics import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MOST", "Stack", "stacked"]

MOST = 24
"""Pictures on one figure."""

GAP = 14.0
"""Points between two pictures."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Pictures on one figure: what each draws, and where.

    Attributes
    ----------
    parts
        What the functions returned that drew them.
    ax_
        The axes of the first one; :func:`hierpair.plots.save_picture` writes their figure.
    """

    parts: tuple[Any, ...]
    ax_: Axes

    @property
    def signatures(self) -> list[str]:
        """What pins the numbers of all pictures, each line once."""
        return list(
            dict.fromkeys(s for part in self.parts for s in getattr(part, "signatures", ()))
        )


def stacked(draw: Sequence[Callable[[Axes | None], Any]]) -> Any:
    """Return pictures one below the other; a single one as it is.

    Parameters
    ----------
    draw
        Functions that draw on the axes they are given, or on a new figure (None), and return
        the axes or a display that has them (``ax_``).

    Raises
    ------
    BadInput
        If there are too many, or matplotlib is missing.
    """
    if len(draw) > MOST:
        raise BadInput(
            f"a picture has room for {MOST} parts, and these would be {len(draw)}; name fewer "
            "measures or instances"
        )
    need_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    alone = [one(None) for one in draw]
    if len(alone) == 1:
        return alone[0]
    places = []
    for part in alone:
        axes = getattr(part, "ax_", part)
        axes.figure.draw_without_rendering()  # lays the figure out
        width, height = 72 * axes.figure.get_size_inches()
        box = axes.get_position()
        places.append((width, height, box.x0 * width, box.y0 * height, box.width * width,
                       box.height * height))  # fmt: skip
    wide = max(place[0] for place in places)
    high = sum(place[1] for place in places) + GAP * (len(places) - 1)
    figure = Figure(figsize=(wide / 72, high / 72), facecolor=PAPER)
    FigureCanvasAgg(figure)
    parts, top = [], high
    for one, (_, height, x, y, width, tall) in zip(draw, places, strict=True):
        low = top - height + y
        axes = figure.add_axes((x / wide, low / high, width / wide, tall / high))
        parts.append(one(axes))
        top -= height + GAP
    return Stack(tuple(parts), getattr(parts[0], "ax_", parts[0]))
