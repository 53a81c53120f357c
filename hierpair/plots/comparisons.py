"""Charts of comparisons: rankings, intervals, matrices, clusters of measures, scores by depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.comparison import Agreement, Clusters, Comparison, DepthScores, cliques
from hierpair.measures import Measure
from hierpair.plots.charts import Chart, Display, arrowed, open_chart
from hierpair.plots.style import ACCENT, FAINT, GREY, INK, PAPER, SMALL
from hierpair.tables.text import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 14.0
"""Points from one line of names to the next."""

MOST_NUMBERS = 16
"""Rows of a matrix whose cells have room for numbers."""

CELL, TREE = 30.0, 180.0
"""Points of a cell of a matrix, and that a dendrogram is wide."""

BAR: dict[str, Any] = {"color": ACCENT, "linewidth": 2.6, "solid_capstyle": "butt"}
TURNED: dict[str, Any] = {"rotation": 40, "ha": "left", "rotation_mode": "anchor"}
CORRELATION: dict[str, Any] = {"cmap": "PuOr", "vmin": -1.15, "vmax": 1.15}

BETTER, WORSE, NEITHER = "#9ecae1", "#fdbe85", "#f5f5f5"
KEY = {
    "row significantly better": 1,
    "row significantly worse": -1,
    "no significant difference": 0,
}


def _ordered(
    comparison: Comparison, measure: str | Measure | None
) -> tuple[int, Measure, list[int], str]:
    """Return a measure, the systems with the best first, and what says what is significant."""
    k, plan = comparison.measure_number(measure), comparison.plan
    order = np.argsort(-comparison.upwards[:, k], kind="stable").tolist()
    test = f"{plan.test} test, {plan.correction}, α = {plan.alpha:g}"
    return k, comparison.measures[k], order, test


class RankDisplay(Display):
    """Systems on a scale, the best right; a bar joins those that do not differ significantly."""

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        measure: str | Measure | None = None,
        *,
        ax: Axes | None = None,
        title: str | None = None,
        digits: int = 4,
    ) -> RankDisplay:
        """Draw the ranking under one measure, the first by default, as a picture in the manner of
        critical-difference diagrams (Demšar 2006).

        Parameters
        ----------
        comparison
            What :func:`hierpair.compare` returned.
        measure
            One of its measures.
        ax
            Axes to draw on; by default a new figure.
        title, digits
            Above the picture; decimals of the scores.
        """
        k, m, order, test = _ordered(comparison, measure)
        up = comparison.upwards[:, k]
        bars = cliques(up, comparison.significant[k])
        half = (len(order) + 1) // 2
        depth = 0.9 + 0.45 * len(bars)
        told = arrowed(m)
        if bars:
            told += f"; bars join systems without significant difference ({test})"
        chart = open_chart(ax, 230.0, ROW * (depth + half), comparison.systems, title)
        axes, names = chart.axes, chart.names
        thin: dict[str, Any] = {"color": GREY, "linewidth": 0.7, "clip_on": False}
        low, high = float(up.min()), float(up.max())
        room = (high - low) or abs(high) or 1.0
        left, right = low - 0.06 * room, high + 0.06 * room
        for position, i in enumerate(order):
            best = position < half
            y = depth + (position if best else len(order) - 1 - position)
            end = right if best else left
            axes.plot([up[i], up[i], end], [0, y, y], **thin)
            axes.plot(up[i], 0, "o", color=INK, markersize=3, clip_on=False, zorder=3)
            score = number(float(comparison.values[i, k]), digits)
            line = f" {names[i]}  {score}" if best else f"{score}  {names[i]} "
            chart.write(end, y, line, ha="left" if best else "right", va="center")
        for at, bar in enumerate(bars):
            ends = up[bar].min() - 0.008 * room, up[bar].max() + 0.008 * room
            axes.plot(ends, [0.55 + 0.45 * at] * 2, **BAR, zorder=4, clip_on=False)
        axes.set(xlim=(left, right), ylim=(depth + half - 0.5, 0))
        axes.xaxis.set_ticks_position("top")
        axes.xaxis.set_label_position("top")
        axes.yaxis.set_visible(False)
        if not m.higher_is_better:  # the scale is of scores with their sign turned
            axes.xaxis.set_major_formatter(lambda x, _: f"{-x + 0.0:g}")
        signatures = [comparison.signature, m.signature]
        return chart.done(cls, comparison, signatures, told, kept=("top",))


class IntervalDisplay(Display):
    """Scores of systems with their confidence intervals."""

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        measure: str | Measure | None = None,
        *,
        ax: Axes | None = None,
        title: str | None = None,
    ) -> IntervalDisplay:
        """Draw scores and intervals under one measure; parameters as for :class:`RankDisplay`.

        The best system is on top; systems that are significantly worse are hollow.
        """
        k, m, order, test = _ordered(comparison, measure)
        worse = comparison.significant[k, order[0]]
        told = f"{arrowed(m)}, {100 * comparison.plan.level:g} % intervals"
        if worse.any():
            told += f"; hollow: significantly worse than the best ({test})"
        chart = open_chart(ax, 220.0, ROW * len(order), comparison.systems, title)
        axes = chart.axes
        for y, i in enumerate(order):
            ends = comparison.low[i, k], comparison.high[i, k]
            axes.plot(ends, [y, y], color=ACCENT, linewidth=1.4, solid_capstyle="butt")
            dot: dict[str, Any] = {
                "color": PAPER if worse[i] else ACCENT,
                "markeredgecolor": ACCENT,
            }
            axes.plot(comparison.values[i, k], y, "o", markersize=5, zorder=3, **dot)
        axes.set_ylim(len(order) - 0.5, -0.5)
        chart.ticks("y", range(len(order)), [chart.names[i] for i in order])
        axes.tick_params(axis="y", length=0)
        signatures = [comparison.signature, m.signature]
        return chart.done(cls, comparison, signatures, told, kept=("bottom",), grid="x")


# --- matrices ------------------------------------------------------------------------------------


def _matrix(
    ax: Axes | None,
    title: str | None,
    names: Sequence[str],
    values: Any,
    texts: Sequence[Sequence[str]],
    look: Mapping[str, Any],
    key: Mapping[str, float],
) -> Chart:
    """Return a square matrix with names left and, turned, on top, and a key right."""
    from matplotlib.patches import Patch

    n = len(names)
    chart = open_chart(ax, CELL * n, CELL * n, names, title)
    axes = chart.axes
    axes.set_facecolor(PAPER)
    image: Any = axes.imshow(values, **look)
    for i, row in enumerate(texts if n <= MOST_NUMBERS else []):
        for j, text in enumerate(row):
            dark = look["cmap"] == CORRELATION["cmap"] and abs(values[i, j]) > 0.75
            ink = PAPER if dark else INK
            chart.write(j, i, text, size=SMALL, ha="center", va="center", color=ink)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(np.arange(n + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=PAPER, linewidth=1.2)
    axes.xaxis.set_ticks_position("top")
    chart.ticks("x", range(n), chart.names, **TURNED)
    chart.ticks("y", range(n), chart.names)
    axes.tick_params(which="both", length=0)
    axes.set_anchor("W")  # what room is left is for the caption and the key
    axes.xaxis.set_label_position("bottom")
    axes.xaxis.label.set(x=0.0, ha="left")
    edge: dict[str, Any] = {"edgecolor": FAINT, "linewidth": 0.5}
    patches = [
        Patch(facecolor=image.cmap(image.norm(x)), label=words, **edge) for words, x in key.items()
    ]
    chart.legend(size=SMALL, handles=patches, handlelength=1.0, handleheight=1.0)
    return chart


class AgreementDisplay(Display):
    """A heat map of rank correlations between measures."""

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
        key = {f"{x:g}".replace("-", "−"): x for x in (1, 0.5, 0, -0.5, -1)}
        values, told = agreement.values, agreement.title
        texts = [["–" if np.isnan(x) else f"{x:.2f}" for x in row] for row in values.tolist()]
        chart = _matrix(ax, title, agreement.measures, values, texts, CORRELATION, key)
        return chart.done(cls, agreement, [told, *agreement.signatures], told, kept=())


class SignificanceDisplay(Display):
    """A matrix of adjusted p-values: which system is significantly better than which."""

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

        k, m, order, _ = _ordered(comparison, measure)
        p, up = comparison.p_adjusted[k][np.ix_(order, order)], comparison.upwards[order, k]
        found = np.sign(up[:, None] - up) * (p <= comparison.plan.alpha)
        texts = [
            [
                "" if i == j else "<.001" if x < 0.001 else f"{x:.3f}".lstrip("0")
                for j, x in enumerate(row)
            ]
            for i, row in enumerate(p.tolist())
        ]
        look = {"cmap": ListedColormap([WORSE, NEITHER, BETTER]), "vmin": -1, "vmax": 1}
        told = f"{arrowed(m)}: p adjusted ({comparison.plan.correction})"
        names = [comparison.systems[i] for i in order]
        chart = _matrix(ax, title, names, found, texts, look, KEY)
        return chart.done(cls, comparison, [comparison.signature, m.signature], told, kept=())


class DendrogramDisplay(Display):
    """Measures joined by average linkage."""

    @classmethod
    def from_clusters(
        cls, clusters: Clusters, *, ax: Axes | None = None, title: str | None = None
    ) -> DendrogramDisplay:
        """Draw the dendrogram; :class:`AgreementDisplay` has the correlations.

        Parameters
        ----------
        clusters
            What :meth:`Agreement.clusters` or :meth:`InstanceAgreement.clusters` returned.
        ax, title
            Axes to draw on, by default a new figure; above the picture.
        """
        n, order = len(clusters.measures), list(clusters.order)
        ordered = [clusters.measures[k] for k in order]
        chart = open_chart(ax, TREE, ROW * n, ordered, title)
        axes = chart.axes
        thin: dict[str, Any] = {"color": INK, "solid_capstyle": "butt", "clip_on": False}
        ends = [(float(order.index(k)), 0.0) for k in range(n)]  # distance 0 is beside the names
        for one, other, distance, _ in clusters.linkage.tolist():
            (y, x), (v, u) = ends[int(one)], ends[int(other)]
            axes.plot([x, distance, distance, u], [y, y, v, v], linewidth=1.0, **thin)
            ends.append(((y + v) / 2, distance))
        axes.set(xlim=(0.0, 1.04 * (max(x for _, x in ends) or 1.0)), ylim=(n - 0.5, -0.5))
        told = f"1 − {clusters.about}; cophenetic correlation {clusters.cophenetic:.2f}"
        axes.xaxis.label.set(x=0.0, ha="left")
        axes.tick_params(axis="y", length=0)
        chart.ticks("y", range(n), chart.names)
        signatures = [*clusters.notes, *clusters.signatures]
        return chart.done(cls, clusters, signatures, told, kept=("bottom",))


class DepthDisplay(Display):
    """Mean scores of systems by the depth of the deepest true label."""

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
        chart = open_chart(ax, 230.0, 190.0, depths.systems, title)
        at = np.arange(len(depths.depths))
        chart.lines(at, depths.values.T)
        chart.axes.set_xlim(-0.3, len(at) - 0.7)
        counted = zip(depths.depths.tolist(), depths.sizes, strict=True)
        chart.ticks("x", at.tolist(), [f"{d if d >= 0 else 'none'}\nn = {n}" for d, n in counted])
        chart.legend()
        x, y = "depth of the deepest true label", arrowed(depths.measure)
        return chart.done(cls, depths, [depths.measure.of_instance], x, y, grid="y")
