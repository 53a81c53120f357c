"""Precision-recall curves of systems: means over instances, and single instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from hierpair.curves import Curves
from hierpair.errors import BadInput
from hierpair.plots.lettering import need_matplotlib
from hierpair.plots.style import ACCENT, DEFAULTS, GREY, HEAD, INK, LIGHT, NAME, NOTE, PAIRED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_curves"]

LOOKS = (
    (ACCENT, "-"), (DEFAULTS, "--"), (PAIRED, "-."), (INK, ":"),
    ("#17493f", (0, (6, 1, 1, 1, 1, 1))), (LIGHT, "-"),
)  # fmt: skip
"""Colour and dashes: curves differ without colour too."""


def plot_curves(
    curves: Mapping[str, Curves] | Curves,
    *,
    instance: int | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw hierarchical precision against recall.

    Without ``instance`` every system has one line, the mean over instances of the interpolated
    precision (the best at this recall or a higher one); in the legend stands the mean area under
    the curves by trapezoid. With ``instance`` its own points are drawn, joined as the trapezoid
    joins them.

    Parameters
    ----------
    curves
        One set of curves, or several by the name of their system.
    instance
        Position of an instance, or None.
    ax
        Axes to draw on; by default a new figure, one column wide.
    title
        Above the picture.

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing, or there is nothing to draw.
    """
    named = {"": curves} if isinstance(curves, Curves) else dict(curves)
    if not named or not all(isinstance(c, Curves) for c in named.values()):
        raise BadInput("curves must be Curves, or a dict of them by system")
    if len(named) > len(LOOKS):
        raise BadInput(f"at most {len(LOOKS)} systems can be told apart, got {len(named)}")
    need_matplotlib()
    if ax is None:
        from matplotlib.figure import Figure

        ax = Figure(figsize=(3.5, 3.0), layout="constrained").add_subplot()
    grid = np.linspace(0, 1, 101)
    for (name, each), (colour, dashes) in zip(named.items(), LOOKS, strict=False):
        if instance is None:
            x, y, area = grid, each.mean_precision(grid), each.mean_area()
        else:
            if not 0 <= instance < len(each):
                raise BadInput(f"there is no instance {instance}; there are {len(each)}")
            points = slice(int(each.indptr[instance]), int(each.indptr[instance + 1]))
            x, y = each.recall[points], each.precision[points]
            area = float(each.areas()[instance])
        label = f"{name} ({area:.3f})" if name else f"area {area:.3f}"
        mark = "o" if instance is not None else None
        ax.plot(
            x, y, color=colour, linestyle=dashes, linewidth=1.2, marker=mark, markersize=3,
            label=label, clip_on=False,
        )  # fmt: skip
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.set_xlabel("hierarchical recall", fontsize=NAME)
    ax.set_ylabel("hierarchical precision", fontsize=NAME)
    ax.tick_params(labelsize=NOTE, color=GREY, width=0.6)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(GREY)
        spine.set_linewidth(0.6)
    if title is not None:
        ax.set_title(title, fontsize=HEAD)
    ax.legend(fontsize=NOTE, frameon=False, loc="lower left", handlelength=3)
    return ax
