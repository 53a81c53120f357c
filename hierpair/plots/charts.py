"""Charts of results: each is a function of a result that draws on axes, and says what pins it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from hierpair.comparison import Discrimination, Response
from hierpair.errors import BadInput, check_choice
from hierpair.measures import Measure
from hierpair.measures.scored.calibration import Reliability
from hierpair.plots.letters import Letters, fonts_of_figures, shortened
from hierpair.plots.saving import new_figure
from hierpair.plots.style import (
    AS_IT_IS,
    FAINT,
    GREY,
    HEAD,
    INK,
    MARGIN,
    MARKERS,
    NAME,
    SERIES,
    SMALL,
)
from hierpair.probabilistic.curves import AREAS, Area, Curves, PooledCurve
from hierpair.probabilistic.selective import SelectiveCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DASHES = (0, (3, 2))

CAPTION = 220.0
"""Points that a line below a chart may have, however small the chart is."""


@dataclass(frozen=True, eq=False)
class Display:
    """A chart that was drawn.

    Attributes
    ----------
    shown
        The result that it shows.
    signatures
        What pins its numbers: conventions, test and seed.
    ax_
        The axes; :func:`hierpair.plots.save_picture` writes their figure.
    """

    shown: Any
    signatures: list[str]
    ax_: Axes


D = TypeVar("D", bound=Display)


@dataclass(frozen=True, eq=False)
class Chart:
    """Axes to draw a chart on, their width in points, the fonts, the names as they are written,
    and whether the figure is new.
    """

    axes: Axes
    width: float
    fonts: Letters
    names: list[str]
    is_new: bool

    def done(
        self,
        cls: type[D],
        shown: Any,
        signatures: list[str],
        x: str,
        y: str = "",
        kept: Sequence[str] = ("left", "bottom"),
        grid: Literal["both", "x", "y"] | None = None,
    ) -> D:
        """Say what the axes show, leave out the frame but for what is ``kept``, and return the
        chart; a new figure grows or shrinks to what is drawn on it.
        """
        axes = self.axes
        for axis, text in ((axes.xaxis, x), (axes.yaxis, y)):
            lines = "\n".join(self.fonts.wrapped(text, NAME, max(self.width, CAPTION)))
            axis.set_label_text(lines, fontproperties=self.fonts.font(NAME), color=INK, **AS_IT_IS)
        for side, spine in axes.spines.items():
            spine.set_visible(side in kept)
            spine.set(color=GREY, linewidth=0.7)
        if grid:
            axes.grid(axis=grid, color=FAINT, linewidth=0.4)
            axes.set_axisbelow(True)
        if self.is_new:
            from matplotlib.transforms import Bbox

            figure: Any = axes.figure
            figure.draw_without_rendering()
            # matplotlib leaves out how wide the labels of the axes are
            boxes = [label.get_window_extent() for label in (axes.xaxis.label, axes.yaxis.label)]
            inches = [Bbox(box.get_points() / figure.dpi) for box in boxes if box.width > 1]
            box = Bbox.union([figure.get_tightbbox(), *inches]).padded(MARGIN / 72)
            old, new = figure.get_size_inches(), box.size
            figure.set_size_inches(*new)
            x0, y0, wide, high = axes.get_position(original=True).bounds * np.tile(old, 2)
            corners = np.array([x0 - box.x0, y0 - box.y0, wide, high])
            axes.set_position(tuple(corners / np.tile(new, 2)))
        return cls(shown, signatures, axes)

    def lines(self, x: Any, values: Any) -> None:
        """Draw a line for every name, by a row of values for each."""
        for k, (name, y) in enumerate(zip(self.names, values, strict=True)):
            self.axes.plot(x, y, label=name, **series(k))

    def write(self, x: float, y: float, text: str, *, size: float = NAME, **how: Any) -> None:
        """Write a text."""
        how = {"color": INK, **AS_IT_IS, **how}
        self.axes.text(x, y, text, fontproperties=self.fonts.font(size), **how)

    def ticks(self, which: str, at: Sequence[float], names: Sequence[str], **how: Any) -> None:
        """Put names at the ticks of the x or y axis."""
        axis = getattr(self.axes, f"{which}axis")
        axis.set_ticks(list(at), labels=list(names))
        for label in axis.get_ticklabels():
            label.set(fontproperties=self.fonts.font(NAME), **AS_IT_IS, **how)

    def legend(self, size: float = NAME, **how: Any) -> None:
        """Put a legend right of the axes."""
        columns = 1 + (len(self.names) - 1) // 20
        beside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "ncols": columns}
        how = {"frameon": False, "title_fontproperties": self.fonts.font(size), **beside, **how}
        for text in self.axes.legend(prop=self.fonts.font(size), **how).get_texts():
            text.set(**AS_IT_IS)

    def level(self, y: float) -> None:
        """Draw a dashed line across, to compare with."""
        self.axes.axhline(y, color=GREY, linewidth=0.7, linestyle=DASHES)


def open_chart(
    axes: Axes | None, width: float, height: float, names: Sequence[str], title: str | None
) -> Chart:
    """Return a chart; names are cut to a readable length, with a box for what no font has.

    Without axes it is on a new figure, of this size in points without what stands around it.
    """
    fonts = fonts_of_figures()
    legible, is_new = [fonts.legible(name) for name in shortened(names)], axes is None
    if axes is None:  # on a figure of one inch, outside of which is room
        axes = new_figure(72, 72).add_axes((0.0, -height / 72, width / 72, height / 72))
    axes.tick_params(width=0.7, color=GREY, labelsize=SMALL, labelcolor=INK)
    if title:
        how = {"fontproperties": fonts.font(HEAD), "color": INK, **AS_IT_IS}
        axes.set_title(fonts.legible(" ".join(title.split())), **how)
    return Chart(axes, width, fonts, legible, is_new)


def arrowed(m: Measure) -> str:
    """Return the name of a measure with the direction in which it is better."""
    return f"{m.name} {'↑' if m.higher_is_better else '↓'}"


def series(k: int) -> dict[str, Any]:
    """Return how the line of series number k looks; forty are told apart."""
    return {
        "color": SERIES[k % len(SERIES)],
        "marker": MARKERS[k % len(MARKERS)],
        "markersize": 4,
        "linewidth": 1.1,
        "linestyle": "-" if k < len(SERIES) else (0, (4, 1.5)),
    }


# --- curves and probabilities --------------------------------------------------------------------

CURVE_DASHES = "-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 1)), DASHES, "-"
"""Curves differ without colour too."""

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
    if len(named) > len(SERIES):
        raise BadInput(f"at most {len(SERIES)} systems can be told apart, got {len(named)}")
    if pooled and instance is not None:
        raise BadInput("a pooled curve is of all instances; leave instance out")
    check_choice("the area", area, AREAS)
    chart = open_chart(ax, 200.0, 165.0, list(named), title)
    lone = list(named) == [""]
    for k, (name, each) in enumerate(zip(chart.names, named.values(), strict=True)):
        colour = SERIES[k]
        if pooled:
            x, y, best = each.recall, each.precision, each.best(beta)
            value = f"{each.fmax(beta):.3f} ({each.threshold[best]:.3g})"
            chart.axes.plot(x[best], y[best], "o", color=colour, markersize=4, clip_on=False)
        else:
            x, y, value = _curve(each, instance, area)
        # matplotlib leaves out of its legends what begins with a line
        label = value if lone else f"{' ' * name.startswith('_')}{name}  {value}"
        chart.axes.plot(
            x, y, marker=None if instance is None else "o", markersize=3, linewidth=1.2,
            label=label, color=colour, linestyle=CURVE_DASHES[k], clip_on=False,
        )  # fmt: skip
    chart.axes.set(xlim=(0, 1), ylim=(0, 1))
    f = "Fmax" if beta == 1 else f"F{beta:g}max"
    told = f"{f} (threshold)" if pooled else "mean " * (instance is None) + AREA_NAMES[area]
    inside: dict[str, Any] = {
        "loc": "best" if pooled else "lower left",
        "bbox_to_anchor": (0, 0, 1, 1),
        "handlelength": 3,
    }
    chart.legend(size=7.0, title=told, alignment="left", **inside)
    return chart.done(Display, curves, [], "hierarchical recall", "hierarchical precision").ax_


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
    named = {"": curves} if isinstance(curves, SelectiveCurve) else dict(curves)
    if not named or not all(isinstance(c, SelectiveCurve) for c in named.values()):
        raise BadInput("curves must be SelectiveCurve, or a dict of them by name")
    if len(named) > len(SERIES):
        raise BadInput(f"at most {len(SERIES)} curves can be told apart, got {len(named)}")
    chart = open_chart(ax, 200.0, 165.0, list(named), title)
    for k, (name, each) in enumerate(zip(chart.names, named.values(), strict=True)):
        value = f"{each.area():.3f}"
        label = f"{' ' * name.startswith('_')}{name}  {value}" if name else value
        chart.axes.plot(
            each.coverage, each.risk, linewidth=1.2, label=label, color=SERIES[k],
            linestyle=CURVE_DASHES[k], clip_on=False,
        )  # fmt: skip
        if risk is not None:
            at = each.at_risk(risk)
            chart.axes.plot(each.coverage[at], each.risk[at], "o", color=SERIES[k], markersize=4,
                            clip_on=False)  # fmt: skip
    chart.axes.set(xlim=(0, 1))
    chart.axes.set_ylim(bottom=0)
    chart.legend(size=7.0, title="hAURC", alignment="left", loc="best", handlelength=3)
    return chart.done(Display, curves, [], "coverage", "risk").ax_


def _curve(each: Curves, instance: int | None, area: Area) -> tuple[Any, Any, str]:
    """Return recall, precision, and the area in words."""
    if instance is None:
        grid = np.linspace(0, 1, 101)
        return grid, each.mean_precision(grid), f"{each.mean_area(area):.3f}"
    if not 0 <= instance < len(each):
        raise BadInput(f"there is no instance {instance}; there are {len(each)}")
    points = slice(int(each.indptr[instance]), int(each.indptr[instance + 1]))
    return each.recall[points], each.precision[points], f"{float(each.areas(area)[instance]):.3f}"


class ReliabilityDisplay(Display):
    """Share that came true against mean probability, bin by bin, a line per level.

    On the diagonal probabilities mean what they say; below it they are too high.
    """

    @classmethod
    def from_reliability(
        cls, reliability: Reliability, *, ax: Axes | None = None, title: str | None = None
    ) -> ReliabilityDisplay:
        """Draw one line per level.

        The bars at the bottom are the shares of the level's probabilities that each bin has, on
        the same axis: where there are few, the line says little. The legend has the calibration
        error of every level, the ECE.

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
        each = zip(found.level.tolist(), found.error().tolist(), found.n.sum(axis=1), strict=True)
        told = [f"level {level}: error {error:.3f}, n = {n}" for level, error, n in each]
        chart = open_chart(ax, 190.0, 190.0, told, title)
        axes, names = chart.axes, chart.names
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=DASHES, zorder=1)
        width = 0.9 / found.bins / len(names)
        left = np.linspace(0, 1, found.bins + 1)[:-1] + 0.05 / found.bins
        for k, name in enumerate(names):
            filled = found.n[k] > 0
            axes.bar(
                left + k * width, found.n[k] / found.n[k].sum(), width, color=series(k)["color"],
                align="edge", alpha=0.25, linewidth=0, zorder=1,
            )  # fmt: skip
            at = found.confidence[k][filled], found.accuracy[k][filled]
            axes.plot(*at, zorder=3, clip_on=False, label=name, **series(k))
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        chart.legend()
        return chart.done(
            cls, found, [found.signature], "mean largest probability of the level in the bin",
            "share of right top classes", grid="both",
        )  # fmt: skip


# --- measures: power, and responses to errors ----------------------------------------------------

NEAR = 1.5
"""A size is not written where the next one is less than so many times as large."""

MOST_BESIDE = 6
"""With more bars of a group names of steps are turned."""


class PowerDisplay(Display):
    """ASL curves of measures, and their power and swap rate by number of instances."""

    @classmethod
    def from_discrimination(
        cls,
        discrimination: Discrimination,
        *,
        show: Literal["asl", "power", "swap"] = "asl",
        ax: Axes | None = None,
        title: str | None = None,
    ) -> PowerDisplay:
        """Draw a line per measure.

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
        """
        found, sizes, plan = discrimination, discrimination.sizes, discrimination.plan
        show = show if sizes else "asl"
        chart = open_chart(ax, 270.0, 150.0, [m.name for m in found.measures], title)
        if show == "asl":
            chart.lines(np.arange(1, len(found.pairs) + 1), np.sort(found.p)[:, ::-1])
            chart.level(alpha := plan["alpha"])
            across: dict[str, Any] = {"transform": chart.axes.get_yaxis_transform()}
            chart.write(1.0, alpha, f"α = {alpha:g} ", ha="right", va="bottom", **across)
            chart.axes.locator_params(axis="x", integer=True)
        else:
            chart.lines(sizes, found.swap_rate if show == "swap" else found.power_by_n)
            chart.axes.set_xscale("log")
            chart.axes.minorticks_off()
            told = [*(n for n, larger in pairwise(sizes) if larger > NEAR * n), sizes[-1]]
            chart.ticks("x", told, [f"{n:,}" for n in told])
        if show == "swap":
            chart.level(plan["swap"])
        chart.axes.set_ylim(0, 1.02 if show == "power" else None)
        chart.legend()
        x = "pairs of systems, by falling p" if show == "asl" else "instances"
        says = {"asl": "p, not adjusted", "power": "pairs with p ≤ α"}
        y = says.get(show, "pairs ordered differently")
        return chart.done(cls, found, found.signatures, x, y, grid="y")


class ResponseDisplay(Display):
    """Costs of controlled errors: a line per measure over replacements, bars for other errors."""

    @classmethod
    def from_response(
        cls,
        response: Response,
        *,
        show: Literal["replaced", "others"] | None = None,
        ax: Axes | None = None,
        title: str | None = None,
    ) -> ResponseDisplay:
        """Draw costs in units of the unrelated replacement, or raw where that was no step.

        Parameters
        ----------
        response
            What :func:`hierpair.respond` returned.
        show
            ``"replaced"``: a line per measure over the classes that come in place of a label;
            ``"others"``: bars for labels that are added or left out, and noise. By default the
            first of these that there is.
        ax, title
            Axes to draw on, by default a new figure; above the picture.
        """
        is_replaced = show != "others" and any(step.kind == "replace" for step in response.steps)
        of = [s for s, step in enumerate(response.steps) if (step.kind == "replace") == is_replaced]
        names = [m.name for m in response.measures]
        chart = open_chart(ax, 300.0, 190.0 if is_replaced else 150.0, names, title)
        draw = _lines if is_replaced else _bars
        draw(chart, response, of)
        chart.legend()
        y = "cost, unrelated class = 1" if response.in_units else "cost"
        return chart.done(cls, response, response.signatures, "", y, grid="y")


def _numbers(response: Response, of: list[int]) -> Any:
    """Return values, and the ends of their intervals, shape (3, n_measures, n_steps)."""
    raw = response.raw, response.raw_low, response.raw_high
    units = response.units, response.low, response.high
    return np.stack(units if response.in_units else raw)[:, :, of]


def _lines(chart: Chart, response: Response, of: list[int]) -> None:
    """Draw a line per measure, from no error at all over the replacements as they were named."""
    at = np.arange(1, len(of) + 1)
    values, lows, highs = _numbers(response, of)
    chart.lines([0, *at], [[0.0, *value] for value in values])
    for k, (low, high) in enumerate(zip(lows, highs, strict=True)):
        chart.axes.vlines(at, low, high, color=series(k)["color"], linewidth=0.8)
    if response.in_units:
        chart.level(1.0)
    chart.ticks("x", [0, *at.tolist()], ["right", *(response.steps[s].words for s in of)])


def _bars(chart: Chart, response: Response, of: list[int]) -> None:
    """Draw a group of bars per step, a bar per measure."""
    names = chart.names
    wide, at = 0.84 / len(names), np.arange(len(of))
    for k, (name, value, low, high) in enumerate(zip(names, *_numbers(response, of), strict=True)):
        x, colour = at + wide * (k - (len(names) - 1) / 2), series(k)["color"]
        chart.axes.bar(
            x, np.nan_to_num(value), wide, color=colour, label=name, edgecolor="#ffffff",
            hatch="" if k < len(SERIES) else "////", linewidth=0.3,
        )  # fmt: skip
        chart.axes.vlines(x, low, high, color=INK, linewidth=0.6)
        for place in x[np.isnan(value)]:
            chart.write(place, 0.0, "–", ha="center", va="bottom", color=colour)
    turned = (
        {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if len(of) > MOST_BESIDE else {}
    )
    chart.ticks("x", at.tolist(), [response.steps[s].words for s in of], **turned)
    chart.axes.tick_params(axis="x", length=0)
