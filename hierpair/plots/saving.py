"""Figures and files: the pen that draws scenes with matplotlib, without windows or global state."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.io.files import replace_file
from hierpair.plots.letters import Letters, need_matplotlib
from hierpair.plots.scene import Box, Scene, Shape, Text, arrow_head
from hierpair.plots.style import AS_IT_IS, HEAD, INK, LOOKS, MARGIN, PAPER

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMS: dict[str, tuple[dict[str, str | None], str]] = {
    "pdf": ({"CreationDate": None}, "Subject"),
    "png": ({}, "Description"),
    "svg": ({"Date": None}, "Description"),
}
"""Endings: what would make two files of a picture differ, and where a file says what it shows."""


SMALLER = 0.85
"""Of the size that letters have by the scale where all shrinks."""


def new_figure(width: float, height: float) -> Figure:
    """Return a figure of this size in points that no window and no global state knows of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / 72, height / 72), facecolor=PAPER)
    FigureCanvasAgg(figure)
    return figure


def draw(scene: Scene, ax: Axes | None, title: str | None) -> Axes:
    """Draw a scene on axes whose units become points, or on a new figure of its size.

    Where the axes are too small everything shrinks alike.
    """
    fonts = scene.letters
    low, high = np.reshape(scene.corners, (2, 2)) + np.array([[-MARGIN], [MARGIN]])
    plain = fonts.legible(" ".join(title.split())) if title else ""
    room = high - low if ax is None else 72 / ax.figure.dpi * np.array(ax.get_window_extent().size)
    lines = fonts.wrapped(plain, HEAD, room[0] - 2 * MARGIN)
    if ax is None:
        room[0] = max([room[0], *(fonts.width(line, HEAD) + 2 * MARGIN for line in lines)])
        whole = room[1] + len(lines) * 1.25 * HEAD + (MARGIN if lines else 0)
        ax = new_figure(room[0], whole).add_axes((0.0, 0.0, 1.0, room[1] / whole))
    scale = min(1.0, *(room / (high - low)))
    spare = (room / scale - (high - low)) / 2
    ax.set_axis_off()
    xlim, ylim = np.stack([low - spare, high + spare], axis=1).tolist()
    ax.set(xlim=xlim, ylim=ylim)
    if lines:
        font = fonts.font(HEAD)
        ax.set_title("\n".join(lines), fontproperties=font, color=INK, pad=MARGIN / 3, **AS_IT_IS)
    for order, shape in enumerate(scene.shapes, 2):
        for artist in _artists(shape, fonts, scale):
            ax.add_artist(artist).set(clip_on=False, zorder=order)
    return ax


def _artists(shape: Shape, fonts: Letters, scale: float) -> Iterator[Artist]:
    """Yield what draws a shape in the units of a scene, at this scale."""
    import matplotlib as mpl
    from matplotlib.patches import FancyBboxPatch, Patch, PathPatch, Polygon
    from matplotlib.path import Path as Outline
    from matplotlib.text import Text as Written

    look, gid = LOOKS[shape.look], shape.name or None
    if isinstance(shape, Text):
        # Small letters fitted to pixels would grow beyond their boxes.
        font = fonts.font(shape.size * (scale if scale == 1 else SMALLER * scale), look.font)
        how: Any = AS_IT_IS | {"ha": shape.align, "color": look.ink, "fontproperties": font}
        written = Written(
            shape.x, shape.y - 0.35 * shape.size, fonts.legible(shape.text), gid=gid, **how
        )
        if shape.backed:
            written.set_bbox({"facecolor": PAPER, "edgecolor": "none", "pad": 0.6 * scale})
        yield written
        return
    fill = look.fill
    if isinstance(shape, Box):
        left, bottom, right, top = shape.corners
        style = "round,pad=0,rounding_size=1.6"
        patch: Patch = FancyBboxPatch((left, bottom), right - left, top - bottom, boxstyle=style)
    else:
        fill = "none"
        if look.head:
            head = arrow_head(shape.points, look.head)
            yield Polygon(head, facecolor=look.edge, edgecolor="none")
        outline = Outline(np.asarray(shape.points), [1, 4, 4, 4] if shape.curved else None)
        patch = PathPatch(outline, joinstyle="round")
    unit = look.width * scale if mpl.rcParams["lines.scale_dashes"] else 1.0
    dashes = (0.0, [d * scale / unit for d in look.dashes]) if look.dashes else "solid"
    patch.set(facecolor=fill, edgecolor=look.edge, linewidth=look.width * scale, linestyle=dashes,
              gid=gid)  # fmt: skip
    yield patch


# --- files ---------------------------------------------------------------------------------------


def check_ending(path: str | os.PathLike[str]) -> str:
    """Return the form that the name of a picture ends in, or refuse the name."""
    form = Path(path).suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise BadInput(
            f"{shown(str(path))}: a picture must end in {', '.join(f'.{f}' for f in FORMS)}"
        )
    return form


def save_picture(picture: Any, path: str | os.PathLike[str], *, dpi: float = 300) -> None:
    """Write a picture as its file name ends: ``.pdf``, ``.png`` or ``.svg``.

    The file is written whole or not at all; equal pictures give equal bytes. Letters are
    embedded as TrueType in PDF, where they can be searched and edited, and as outlines in SVG,
    where they would otherwise no longer fit their boxes on a computer with other fonts. The file
    of a chart carries what pins its numbers, which stands in the label of its axes.

    Parameters
    ----------
    picture
        Axes that a function of this package returned, or their figure.
    path
        The file; one that exists is replaced.
    dpi
        Pixels per inch of a PNG.

    Raises
    ------
    BadInput
        For another ending, or if the file cannot be written.
    """
    replace_file(path, picture_bytes(picture, check_ending(path), dpi))


def picture_bytes(picture: Any, form: str, dpi: float = 300) -> bytes:
    """Return what :func:`save_picture` writes."""
    need_matplotlib()
    import matplotlib as mpl

    figure = picture.figure.figure  # the root figure, also of axes on a part of a figure
    metadata, says = FORMS[form]
    pinned = [line for axes in figure.axes for line in axes.get_label().splitlines()]
    if pinned:
        metadata = {**metadata, says: "; ".join(dict.fromkeys(pinned))}
    data = io.BytesIO()
    fixed: Any = {"svg.hashsalt": "hierpair", "svg.fonttype": "path", "pdf.fonttype": 42}
    with mpl.rc_context(fixed):
        figure.savefig(data, format=form, dpi=dpi, metadata=metadata)
    return data.getvalue()


# --- several pictures ----------------------------------------------------------------------------

MOST = 24
"""Pictures on one figure."""

GAP = 14.0
"""Points between two pictures."""


def stacked(parts: Sequence[Callable[..., Axes]]) -> Axes:
    """Return pictures one below the other, on one figure, by the axes of the first.

    ``parts`` draw on the axes ``ax`` that they are given, or on a new figure, and return the axes.
    """
    if len(parts) > MOST:
        raise BadInput(
            f"a picture has room for {MOST} parts, and these would be {len(parts)}; name fewer "
            "measures or instances"
        )
    need_matplotlib()
    alone = [one() for one in parts]
    if len(alone) == 1:
        return alone[0]
    figures: list[Any] = [axes.figure for axes in alone]
    for figure in figures:
        figure.draw_without_rendering()  # lays it out
    sizes = np.array([72 * figure.get_size_inches() for figure in figures])
    boxes = np.array([axes.get_position().bounds for axes in alone]) * np.tile(sizes, 2)
    wide, high = sizes[:, 0].max(), sizes[:, 1].sum() + GAP * (len(sizes) - 1)
    boxes[:, 1] += high - np.cumsum(sizes[:, 1] + GAP) + GAP  # from the top down
    whole = new_figure(wide, high)
    drawn = [
        one(ax=whole.add_axes(box))
        for one, box in zip(parts, (boxes / [wide, high, wide, high]).tolist(), strict=True)
    ]
    return drawn[0]
