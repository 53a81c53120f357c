"""Charts of a page: what :mod:`hierpair.plots` draws, as SVG with a text of what it shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from typing import Any

from hierpair.errors import BadInput, shown
from hierpair.probabilistic.curves import Curves, PooledCurve
from hierpair.report.packing import Section, section
from hierpair.report.side_tables import Sides, about_depths, n_own
from hierpair.report.subject import Subject

__all__ = ["charts", "checked_curves"]

MOST_SYSTEMS = 30
"""Systems that a chart has room for,"""

MOST_COMPARED_SYSTEMS = 12
"""and a matrix of them,"""

MOST_DEPTHS = 40
"""and depths."""


def checked_curves(curves: Any) -> dict[str, Curves | PooledCurve]:
    """Return the curves by system, refusing what could not be drawn beside each other."""
    named = dict(curves or {}) if curves is None or isinstance(curves, Mapping) else None
    kinds = set() if named is None else {type(curve) for curve in named.values()}
    if named is None or kinds not in (set(), {Curves}, {PooledCurve}):
        raise BadInput(
            f"curves must be a dict of curves of one kind by system, got {shown(curves)}; "
            "hierpair.probabilistic.pooled_curve makes one of the scores of a system"
        )
    return named


def charts(
    subject: Subject, sides: Sides, curves: Mapping[str, Curves | PooledCurve]
) -> list[Section]:
    """Return the charts, and the letters in them; what cannot be drawn is told to the subject."""
    drawn = [
        *_of_comparison(subject),
        *_of_sides(sides, " ".join(about_depths(subject))),
        *_of_curves(curves),
    ]
    if not drawn:
        return []
    if find_spec("matplotlib") is None:
        subject.absent.append(
            "There are no charts: they are drawn by matplotlib, which is not installed (pip "
            "install 'hierpair[plot]')."
        )
        return []
    from hierpair.plots.saving import svg_text

    glyphs: dict[str, str] = {}
    found = []
    for chart, make in drawn:
        try:
            found.append({**chart, "svg": _without_glyphs(svg_text(make()), glyphs)})
        except BadInput as error:
            subject.absent.append(f"The chart “{chart['title']}” is left out: {error.reason}.")
    return [section("charts", "json", found), section("glyphs", "json", glyphs)] if found else []


GLYPH = re.compile(r'<path id="([\w.-]+)" d="([^"]*)" transform="scale\(0\.015625\)"/>')
"""The outline of a letter in an SVG of matplotlib; its id is that of the letter of a font."""


def _without_glyphs(svg: str, glyphs: dict[str, str]) -> str:
    """Take the outlines of letters out of a chart, since they are most of it and all have them.

    A letter is left as ``<!--glyph:ID-->``; matplotlib's own comments begin with a blank.
    """

    def taken(found: re.Match[str]) -> str:
        known = glyphs.setdefault(found[1], found[0])
        return f"<!--glyph:{found[1]}-->" if known == found[0] else found[0]

    return GLYPH.sub(taken, svg)


Drawn = tuple[dict[str, str], Callable[[], Any]]


def _chart(name: str, title: str, alt: str, note: str = "") -> dict[str, str]:
    return {"id": name, "title": title, "alt": alt, "note": note}


def _of_comparison(subject: Subject) -> Iterator[Drawn]:
    """Yield ranks and intervals of the first measures, and the significance of pairs."""
    found, n = subject.comparison, len(subject.systems)
    if found is None:
        return
    if n > MOST_SYSTEMS:
        subject.absent.append(
            f"Ranks and intervals of {n} systems are not drawn: a chart has room for "
            f"{MOST_SYSTEMS}; the table of scores has them."
        )
        return
    signature = found.signature

    def display(kind: str, name: str) -> Callable[[], Any]:
        from hierpair import plots

        return lambda: getattr(plots, kind).from_comparison(found, name)

    for m in found.measures[: n_own(subject)]:
        title = f"Ranks by {m.label}"
        alt = f"Systems on a scale of {m.label}; bars join those without significant difference."
        yield _chart("ranks", title, alt, signature), display("RankDisplay", m.name)
        title = f"{100 * found.plan.level:g} % intervals of {m.label}"
        alt = f"Scores of the systems by {m.label} with their confidence intervals."
        yield _chart("intervals", title, alt, signature), display("IntervalDisplay", m.name)
    if 2 < n <= MOST_COMPARED_SYSTEMS:
        m = found.measures[0]
        title = f"Significance of differences by {m.label}"
        alt = f"A matrix of adjusted p-values of all pairs of systems by {m.label}."
        yield _chart("significance", title, alt, signature), display("SignificanceDisplay", m.name)


def _of_sides(sides: Sides, of: str) -> Iterator[Drawn]:
    """Yield scores by depth; the page draws the agreement of measures from its table."""
    for depths in sides.depths:
        if len(depths.systems) <= MOST_SYSTEMS and 1 < len(depths.depths) <= MOST_DEPTHS:

            def lines(depths: Any = depths) -> Any:
                from hierpair import plots

                return plots.DepthDisplay.from_depths(depths)

            label = depths.measure.label
            alt = f"Mean {label} of the systems by depth; the table has its numbers."
            yield _chart("depth", f"{label} by depth of the truth", alt, of), lines


def _of_curves(curves: Mapping[str, Curves | PooledCurve]) -> Iterator[Drawn]:
    """Yield precision against recall."""
    if not curves:
        return

    def lines() -> Any:
        from hierpair import plots

        return plots.plot_curves(curves)

    alt = "Hierarchical precision against recall at every threshold of the scores."
    yield _chart("curve", "Precision and recall at every threshold", alt), lines
