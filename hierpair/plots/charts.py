"""Charts of results: functions that draw a result on axes and keep with them what pins it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hierpair.comparison import Discrimination, Response
from hierpair.errors import BadInput, check_choice, shown
from hierpair.measures import Measure
from hierpair.measures.scored.calibration import Reliability
from hierpair.plots.letters import fonts_of_figures, shortened
from hierpair.plots.saving import new_figure
from hierpair.plots.style import (
    AS_IT_IS,
    CURVES,
    CYCLE,
    FAINT,
    GREY,
    HEAD,
    INK,
    MARGIN,
    NAME,
    SERIES,
    SMALL,
    Keywords,
)
from hierpair.probabilistic.curves import AREAS, Area, Curves, PooledCurve
from hierpair.probabilistic.selective import SelectiveCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DASHES = (0, (3, 2))

CAPTION = 220.0
"""Points that a line below a chart may have, however small the chart is."""

COLUMN = 20
"""Names in a column of a legend."""


class Chart:
    """Axes to draw a chart on; ``names`` are cut to a readable length, with a box for what no font
    has. Without axes they are on a new figure, of this width and height in points without what
    stands around them, which grows in the end to what is drawn.
    """

    def __init__(
        self, axes: Axes | None, size: tuple[float, float], names: Sequence[str], title: str | None
    ) -> None:
        self.fonts, self.width, self.is_new = fonts_of_figures(), size[0], axes is None
        self.names = [self.fonts.legible(name) for name in shortened(names)]
        if axes is None:  # on a figure of one inch, outside of which is room
            wide, high = (points / 72 for points in size)
            axes = new_figure(72, 72).add_axes((0.0, -high, wide, high))
        self.axes = axes
        axes.tick_params(width=0.7, color=GREY, labelsize=SMALL, labelcolor=INK)
        if title:
            axes.set_title(self.fonts.legible(" ".join(title.split())), **self.looks(HEAD))

    def looks(self, size: float = NAME) -> Keywords:
        """Return how a text looks: its letters are written as they are, whatever they are."""
        return {"fontproperties": self.fonts.font(size), "color": INK, **AS_IT_IS}

    def write(self, x: float, y: float, text: str, *, size: float = NAME, **how: Any) -> None:
        """Write a text."""
        self.axes.text(x, y, text, **self.looks(size) | how)

    def lines(self, x: Any, values: Any, looks: Mapping[str, Any] = CYCLE, **how: Any) -> None:
        """Draw a line for every name: by a row of values for each, at places of all or of each."""
        self.axes.set_prop_cycle(**looks)
        places = x if np.ndim(x[0]) else repeat(x)
        for name, at, y in zip(self.names, places, values, strict=False):
            # matplotlib leaves out of its legends what begins with a line
            self.axes.plot(at, y, label=" " * name.startswith("_") + name, **how)

    def ticks(self, which: str, at: Sequence[float], names: Sequence[str], **how: Any) -> None:
        """Put names at the ticks of the x or y axis."""
        axis = getattr(self.axes, f"{which}axis")
        axis.set_ticks(list(at), labels=list(names))
        for label in axis.get_ticklabels():
            label.set(**self.looks() | how)

    def rows(self, names: Sequence[str]) -> None:
        """Put names beside rows, the first on top."""
        self.axes.set_ylim(len(names) - 0.5, -0.5)
        self.ticks("y", range(len(names)), names)
        self.axes.tick_params(axis="y", length=0)

    def legend(self, size: float = NAME, **how: Any) -> None:
        """Put a legend right of the axes."""
        font, columns = self.fonts.font(size), 1 + (len(self.names) - 1) // COLUMN
        beside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "ncols": columns}
        how = {"frameon": False, "prop": font, "title_fontproperties": font, **beside, **how}
        for text in self.axes.legend(**how).get_texts():
            text.set(**AS_IT_IS)

    def level(self, y: float) -> None:
        """Draw a dashed line across, to compare with."""
        self.axes.axhline(y, color=GREY, linewidth=0.7, linestyle=DASHES)

    def done(
        self,
        pinned: Sequence[str],
        x: str,
        y: str = "",
        kept: Sequence[str] = ("left", "bottom"),
        grid: Literal["both", "x", "y"] | None = None,
    ) -> Axes:
        """Say what the axes show and keep what pins their numbers (conventions, test and seed) as
        their label; leave out the frame but for what is ``kept``; and fit a new figure.
        """
        axes = self.axes
        axes.set_label("\n".join(pinned))
        for axis, text in ((axes.xaxis, x), (axes.yaxis, y)):
            lines = self.fonts.wrapped(text, NAME, max(self.width, CAPTION))
            axis.set_label_text("\n".join(lines), **self.looks())
        for side, spine in axes.spines.items():
            spine.set(visible=side in kept, color=GREY, linewidth=0.7)
        if grid:
            axes.grid(axis=grid, color=FAINT, linewidth=0.4)
            axes.set_axisbelow(True)
        if self.is_new:
            self._fit()
        return axes

    def _fit(self) -> None:
        from matplotlib.transforms import Bbox

        axes, figure = self.axes, self.axes.figure.figure
        tight = figure.get_tightbbox()  # lays everything out
        # matplotlib leaves out how wide the labels of the axes are
        boxes = [label.get_window_extent() for label in (axes.xaxis.label, axes.yaxis.label)]
        inches = [Bbox(box.get_points() / figure.dpi) for box in boxes if box.width > 1]
        box = Bbox.union([tight, *inches]).padded(MARGIN / 72)
        corners = np.array(axes.get_position(original=True).bounds) * np.tile(
            figure.get_size_inches(), 2
        )
        corners[:2] -= box.min
        figure.set_size_inches(*box.size)
        axes.set_position(tuple(corners / np.tile(box.size, 2)))


def arrowed(m: Measure) -> str:
    """Return the name of a measure with the direction in which it is better."""
    return f"{m.name} {'↑' if m.higher_is_better else '↓'}"


# --- curves and probabilities --------------------------------------------------------------------

AREA_NAMES: dict[Area, str] = {
    "trapezoid": "AUPRC by trapezoid",
    "step": "AUPRC by steps (average precision)",
    "envelope": "AUPRC of interpolated precision",
}
"""What the legend calls the kinds of area."""

TOLD = "Curves or PooledCurve, or a dict of one of them by system"


def plot_curves(
    curves: Mapping[str, Curves | PooledCurve] | Curves | PooledCurve,
    *,
    area: Area = "trapezoid",
    beta: float = 1,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw hierarchical precision against recall.

    The pooled curve of a data set (:func:`pooled_curve`) is drawn point by point, with a dot at
    the best F (Fmax), whose value and threshold stand in the legend. Of the curves of instances
    every system has one line, the mean over instances of the interpolated precision (the best
    at this recall or a higher one); in the legend stands the mean area under the curves. The title
    of the legend says which area it is.

    Parameters
    ----------
    curves
        One set of curves, or several by the name of their system; all pooled, or none.
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
    check_choice("the area", area, AREAS)
    named, lines = curves_by_name(curves), list[Line]()
    grid, what, place = np.linspace(0, 1, 101), f"mean {AREA_NAMES[area]}", "lower left"
    for each in named.values():
        if isinstance(each, Curves):
            found = f"{each.mean_area(area):.3f}"
            lines.append((grid, each.mean_precision(grid), found, None))
        else:
            k = each.best(beta)
            found = f"{each.fmax(beta):.3f} ({each.threshold[k]:.3g})"
            lines.append((each.recall, each.precision, found, k))
            what, place = f"F{'' if beta == 1 else f'{beta:g}'}max (threshold)", "best"
    chart = _curves(named, lines, what, place, ax, title)
    chart.axes.set(xlim=(0, 1), ylim=(0, 1))
    return chart.done([], "hierarchical recall", "hierarchical precision")


Line = tuple[Any, Any, str, int | None]
"""Places, values, what the legend says, and at which point there is a dot."""


def curves_by_name(
    curves: Any, kinds: Sequence[type] = (Curves, PooledCurve), told: str = TOLD
) -> dict[str, Any]:
    """Return curves by name: all of one of these kinds, and no more than there are colours."""
    named = curves if isinstance(curves, Mapping) else {"": curves}
    if {type(each) for each in named.values()} not in [{kind} for kind in kinds]:
        raise BadInput(
            f"curves must be {told}, got {shown(curves)}; hierpair.probabilistic makes them"
        )
    if len(named) > len(SERIES):
        raise BadInput(f"there are colours for at most {len(SERIES)} curves, got {len(named)}")
    return dict(named)


def _curves(
    named: Mapping[str, Any], lines: list[Line], what: str, place: str, ax: Axes | None,
    title: str | None,
) -> Chart:  # fmt: skip
    """Draw a line of every curve; the legend, which says what its numbers are, has a place."""
    x, y, values, dots = zip(*lines, strict=True)
    chart = Chart(ax, (200.0, 165.0), list(named), title)
    pairs = zip(chart.names, values, strict=True)
    chart.names = [value if list(named) == [""] else f"{name}  {value}" for name, value in pairs]
    chart.lines(x, y, CURVES, linewidth=1.2, clip_on=False)
    for at, found, k, colour in zip(x, y, dots, SERIES, strict=False):
        if k is not None:
            chart.axes.plot(at[k], found[k], "o", color=colour, markersize=4, clip_on=False)
    inside: Keywords = {"loc": place, "bbox_to_anchor": None, "handlelength": 3}
    chart.legend(size=7.0, title=what, alignment="left", **inside)
    return chart


def plot_risk(
    curves: Mapping[str, SelectiveCurve] | SelectiveCurve,
    *,
    risk: float | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the risk of answers over coverage: how often they are wrong, how specific they are.

    Parameters
    ----------
    curves
        One curve of :func:`hierpair.probabilistic.selective_curve`, or several by name, such as of
        rules or systems. The legend has the area under each (hAURC).
    risk
        With a dot where coverage is largest at this risk at most.
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
    named = curves_by_name(curves, (SelectiveCurve,), "SelectiveCurve, or a dict of them by name")
    lines: list[Line] = [
        (
            each.coverage,
            each.risk,
            f"{each.area():.3f}",
            None if risk is None else each.at_risk(risk),
        )
        for each in named.values()
    ]
    chart = _curves(named, lines, "hAURC", "best", ax, title)
    chart.axes.set(xlim=(0, 1))
    chart.axes.set_ylim(bottom=0)
    return chart.done([], "coverage", "risk")


def plot_reliability(
    reliability: Reliability, *, ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Draw the share that came true against the mean probability, bin by bin, a line per level.

    On the diagonal probabilities mean what they say; below it they are too high. The bars at the
    bottom are the shares of the level's probabilities that each bin has, on the same axis: where
    there are few, the line says little. The legend has the calibration error of every level, the
    ECE.

    Parameters
    ----------
    reliability
        What :func:`hierpair.metrics.reliability` returned.
    ax
        Axes to draw on; by default a new figure.
    title
        Above the picture.

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing.
    """
    found = reliability
    each = zip(found.level.tolist(), found.error().tolist(), found.n.sum(axis=1), strict=True)
    told = [f"level {level}: error {error:.3f}, n = {n}" for level, error, n in each]
    chart = Chart(ax, (190.0, 190.0), told, title)
    axes = chart.axes
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=DASHES, zorder=1)
    width = 0.9 / found.bins / len(told)
    left = (np.arange(found.bins) + 0.05) / found.bins
    filled = found.n > 0
    confidence, accuracy = (
        [*map(np.compress, filled, values)] for values in (found.confidence, found.accuracy)
    )
    chart.lines(confidence, accuracy, zorder=3, clip_on=False)
    for k, n in enumerate(found.n):
        axes.bar(left + k * width, n / n.sum(), width, align="edge", alpha=0.25, zorder=1)
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    chart.legend()
    x, y = "mean largest probability of the level in the bin", "share of right top classes"
    return chart.done([found.signature], x, y, grid="both")


# --- measures: power, and responses to errors ----------------------------------------------------

NEAR = 1.5
"""A size is not written where the next one is less than so many times as large."""

MOST_BESIDE, BESIDE = 6, 0.6
"""With more steps their names are turned; the points of one step are so far apart in all."""


def plot_power(
    discrimination: Discrimination,
    *,
    show: Literal["asl", "power", "swap"] = "asl",
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw ASL curves of measures, or their power or swap rate by number of instances.

    Parameters
    ----------
    discrimination
        What :func:`hierpair.comparison.discrimination` returned.
    show
        ``"asl"``: the p-values of all pairs of systems, the largest first (Sakai 2006);
        ``"power"``: share of pairs with p ≤ α by number of instances; ``"swap"``: share of
        the pairs that two samples order differently. Without sizes there are p-values alone.
    ax, title
        Axes to draw on, by default a new figure; above the picture.

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing.
    """
    says = {"asl": "p, not adjusted", "power": "pairs with p ≤ α",
            "swap": "pairs ordered differently"}  # fmt: skip
    check_choice("show", show, says)
    found, sizes, plan = discrimination, discrimination.sizes, discrimination.plan
    show = show if sizes else "asl"
    chart = Chart(ax, (270.0, 150.0), [m.name for m in found.measures], title)
    axes, x = chart.axes, "instances"
    if show == "asl":
        x = "pairs of systems, by falling p"
        chart.lines(np.arange(1, len(found.pairs) + 1), np.sort(found.p)[:, ::-1])
        chart.level(alpha := plan["alpha"])
        at: Keywords = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "bottom"}
        chart.write(1.0, alpha, f"α = {alpha:g} ", **at)
        axes.locator_params(axis="x", integer=True)
    else:
        chart.lines(sizes, found.swap_rate if show == "swap" else found.power_by_n)
        axes.set_xscale("log")
        axes.minorticks_off()
        told = [*(n for n, larger in pairwise(sizes) if larger > NEAR * n), sizes[-1]]
        chart.ticks("x", told, [f"{n:,}" for n in told])
    if show == "swap":
        chart.level(plan["swap"])
    axes.set_ylim(0, 1.02 if show == "power" else None)
    chart.legend()
    return chart.done(found.signatures, x, says[show], grid="y")


def plot_responses(
    response: Response,
    *,
    show: Literal["replaced", "others"] | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw costs of controlled errors in units of the unrelated replacement, or raw where that was
    no step.

    Parameters
    ----------
    response
        What :func:`hierpair.respond` returned.
    show
        ``"replaced"``: a line per measure over the classes that come in place of a label;
        ``"others"``: points for labels that are added or left out, and noise. By default the
        first of these that there is.
    ax, title
        Axes to draw on, by default a new figure; above the picture.

    Returns
    -------
    Axes
        Its figure is ``axes.figure``; :func:`save_picture` writes it.

    Raises
    ------
    BadInput
        If matplotlib is missing.
    """
    check_choice("show", show or "replaced", ("replaced", "others"))
    is_replaced = show != "others" and any(step.kind == "replace" for step in response.steps)
    of = [s for s, step in enumerate(response.steps) if (step.kind == "replace") == is_replaced]
    names = [m.name for m in response.measures]
    chart = Chart(ax, (300.0, 190.0 if is_replaced else 150.0), names, title)
    kinds = "in_units units_low units_high" if response.in_units else "cost low high"
    numbers = np.stack([response.numbers[kind] for kind in kinds.split()])[:, :, of]
    words, looks = [response.steps[s].words for s in of], Keywords()
    beside = (np.arange(len(names)) - (len(names) - 1) / 2) * BESIDE / len(names)
    if is_replaced:  # lines begin with no error at all
        numbers, words = np.pad(numbers, [(0, 0), (0, 0), (1, 0)]), ["right", *words]
        beside *= 0
    else:
        looks["linestyle"] = "none"
    values, lows, highs = numbers
    chart.lines(np.arange(len(words)) + beside[:, None], values, **looks)
    for low, high, line in zip(lows, highs, chart.axes.get_lines(), strict=True):
        colour: Any = line.get_color()
        chart.axes.vlines(line.get_xdata(), low, high, color=colour, linewidth=0.8)
    turned: Keywords = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
    chart.ticks("x", range(len(words)), words, **turned if len(words) > MOST_BESIDE else {})
    if is_replaced and response.in_units:
        chart.level(1.0)
    chart.legend()
    y = "cost, unrelated class = 1" if response.in_units else "cost"
    return chart.done(response.signatures, "", y, grid="y")
