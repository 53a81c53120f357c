"""Precision-recall curves of systems: pooled, means over instances, and single instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.errors import BadInput, check_choice
from hierpair.plots.letters import fonts_of as metrics_of
from hierpair.plots.letters import need_matplotlib, shortened
from hierpair.plots.saving import new_figure
from hierpair.plots.style import ACCENT, DEFAULTS, GREY, HEAD, INK, LIGHT, NAME, NOTE, PAIRED
from hierpair.probabilistic.curves import AREAS, Area, Curves, PooledCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_curves"]

DASHES = "-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), "-"
LOOKS = tuple(zip((ACCENT, DEFAULTS, PAIRED, INK, "#17493f", LIGHT), DASHES, strict=True))
"""Colour and dashes: curves differ without colour too."""

AREA_NAMES: dict[Area, str] = {
    "trapezoid": "AUPRC by trapezoid",
    "step": "AUPRC by steps (average precision)",
    "envelope": "AUPRC of interpolated precision",
}
"""What the legend calls the kinds of area."""


def plot_curves(
    curves: Mapping[str, Curves | PooledCurve] | Curves | PooledCurve,
    *,
    instance: int | None = None,
    area: Area = "trapezoid",
    beta: float = 1,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw hierarchical precision against recall.

    The pooled curve of a data set (:func:`pooled_curve`) is drawn point by point, with a dot at
    the best F (Fmax), whose value and threshold stand in the legend. Of the curves of instances
    every system has one line, the mean over instances of the interpolated precision (the best
    at this recall or a higher one); in the legend stands the mean area under the curves. With
    ``instance`` its own points are drawn, joined as the trapezoid joins them. The title of the
    legend says which area it is.

    Parameters
    ----------
    curves
        One set of curves, or several by the name of their system; all pooled, or none.
    instance
        Position of an instance, or None.
    area
        ``"trapezoid"``, ``"step"`` or ``"envelope"``; see :meth:`Curves.areas`.
    beta
        Weight of recall in the F of pooled curves.
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
    named: dict[str, Any] = (
        {"": curves} if isinstance(curves, (Curves, PooledCurve)) else dict(curves)
    )
    pooled = all(isinstance(c, PooledCurve) for c in named.values())
    if not named or not (pooled or all(isinstance(c, Curves) for c in named.values())):
        raise BadInput("curves must be Curves or PooledCurve, or a dict of one of them by system")
    if len(named) > len(LOOKS):
        raise BadInput(f"at most {len(LOOKS)} systems can be told apart, got {len(named)}")
    if pooled and instance is not None:
        raise BadInput("a pooled curve is of all instances; leave instance out")
    check_choice("the area", area, AREAS)
    need_matplotlib()
    if ax is None:
        ax = new_figure(252.0, 216.0, "constrained").add_subplot()
    mean = "" if instance is not None else "mean "
    f = "Fmax" if beta == 1 else f"F{beta:g}max"
    legend = f"{f} (threshold)" if pooled else mean + AREA_NAMES[area]
    names = shortened(list(named)) if list(named) != [""] else [""]
    metrics = metrics_of(names)
    names = [f" {n}" if n.startswith("_") else n for n in map(metrics.legible, names)]
    for name, each, (colour, dashes) in zip(names, named.values(), LOOKS, strict=False):
        if pooled:
            x, y, value = _pooled_line(ax, each, beta, colour)
        else:
            x, y, value = _line(each, instance, area)
        label, marker = f"{name}  {value}" if name else value, None if instance is None else "o"
        look: Any = {"color": colour, "linestyle": dashes, "linewidth": 1.2, "clip_on": False}
        ax.plot(x, y, marker=marker, markersize=3, label=label, **look)
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
        ax.set_title(metrics.legible(" ".join(title.split())), fontsize=HEAD, parse_math=False)
    how: dict[str, Any] = {"loc": "best" if pooled else "lower left", "handlelength": 3}
    how |= {"fontsize": NOTE, "title_fontsize": NOTE, "frameon": False, "alignment": "left"}
    key = ax.legend(title=legend, **how)
    for text in key.get_texts():  # a name with dollars is no formula
        text.set_parse_math(False)
        text.set_fontfamily(list(metrics.families))
    return ax


def _line(each: Curves, instance: int | None, area: Area) -> tuple[Any, Any, str]:
    """Return recall, precision, and the area in words."""
    if instance is None:
        grid = np.linspace(0, 1, 101)
        return grid, each.mean_precision(grid), f"{each.mean_area(area):.3f}"
    if not 0 <= instance < len(each):
        raise BadInput(f"there is no instance {instance}; there are {len(each)}")
    points = slice(int(each.indptr[instance]), int(each.indptr[instance + 1]))
    return each.recall[points], each.precision[points], f"{float(each.areas(area)[instance]):.3f}"


def _pooled_line(ax: Axes, each: PooledCurve, beta: float, colour: str) -> tuple[Any, Any, str]:
    """Return recall, precision, and the best F in words; put a dot there."""
    k = each.best(beta)
    ax.plot(each.recall[k], each.precision[k], "o", color=colour, markersize=4, clip_on=False)
    value = f"{each.fmax(beta):.3f} ({each.threshold[k]:.3g})"
    return each.recall, each.precision, value
