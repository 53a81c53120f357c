"""Pictures one below the other, and into files: the same bytes every time, without any window."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hierpair.errors import BadInput, shown
from hierpair.io.files import replace_file
from hierpair.plots.canvas import new_figure
from hierpair.plots.text_metrics import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["MOST", "Stack", "check_ending", "save_picture", "stacked", "svg_text"]

METADATA: dict[str, dict[str, str | None]] = {
    "pdf": {"CreationDate": None},
    "png": {},
    "svg": {"Date": None},
}
"""The endings, and what would make two files of one picture differ."""

SAYS = {"pdf": "Subject", "png": "Description", "svg": "Description"}
"""Where a file says what a chart shows."""


class Display(Protocol):
    """A chart that knows its axes and what pins its numbers: conventions, test and seed."""

    @property
    def ax_(self) -> Axes: ...

    @property
    def signatures(self) -> list[str]: ...


def check_ending(path: str | os.PathLike[str]) -> str:
    """Return the form that the name of a picture ends in, or refuse the name."""
    form = Path(path).suffix.lower().removeprefix(".")
    if form not in METADATA:
        raise BadInput(
            f"{shown(str(path))}: a picture must end in {', '.join(f'.{f}' for f in METADATA)}"
        )
    return form


def save_picture(
    picture: Axes | Figure | Display, path: str | os.PathLike[str], *, dpi: float = 300
) -> None:
    """Write a picture as its file name ends: ``.pdf``, ``.png`` or ``.svg``.

    The file is written whole or not at all; equal pictures give equal bytes. Letters are
    embedded as TrueType in PDF, where they can be searched and edited, and as outlines in SVG,
    where they would otherwise no longer fit their boxes on a computer with other fonts.

    Parameters
    ----------
    picture
        A display, axes that a function of this package returned, or their figure. The file of a
        display carries its signatures.
    path
        The file; one that exists is replaced.
    dpi
        Pixels per inch of a PNG.

    Raises
    ------
    BadInput
        For another ending, or if the file cannot be written.
    """
    data = _picture_bytes(picture, check_ending(path), dpi)
    try:
        replace_file(Path(os.path.realpath(path)), data)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror})") from None


def svg_text(picture: Axes | Figure | Display) -> str:
    """Return a picture as the text of an SVG, the one that :func:`save_picture` writes.

    Raises
    ------
    BadInput
        If matplotlib is missing.
    """
    return _picture_bytes(picture, "svg", 300).decode("utf-8")


def _picture_bytes(picture: Axes | Figure | Display, form: str, dpi: float) -> bytes:
    need_matplotlib()
    import matplotlib as mpl
    from matplotlib.figure import FigureBase

    metadata = dict(METADATA[form])
    shown: Any = getattr(picture, "ax_", picture)
    signatures = getattr(picture, "signatures", None)
    if signatures is not None:
        metadata[SAYS[form]] = "; ".join(signatures)
    # The root figure, also of axes on a part of a figure.
    figure: Any = (shown if isinstance(shown, FigureBase) else shown.figure).figure
    data = io.BytesIO()
    fixed: Any = {"svg.hashsalt": "hierpair", "svg.fonttype": "path", "pdf.fonttype": 42}
    with mpl.rc_context(fixed):
        figure.savefig(data, format=form, dpi=dpi, metadata=metadata)
    return data.getvalue()


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
        every = (s for part in self.parts for s in getattr(part, "signatures", ()))
        return list(dict.fromkeys(every))


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
    alone = [one(None) for one in draw]
    if len(alone) == 1:
        return alone[0]
    places = []
    for part in alone:
        axes = getattr(part, "ax_", part)
        axes.figure.draw_without_rendering()  # lays the figure out
        width, height = 72 * axes.figure.get_size_inches()
        box = axes.get_position()
        across, up = (box.x0 * width, box.width * width), (box.y0 * height, box.height * height)
        places.append((width, height, across, up))
    wide = max(place[0] for place in places)
    high = sum(place[1] for place in places) + GAP * (len(places) - 1)
    figure = new_figure(wide, high)
    parts, top = [], high
    for one, (_, height, (x, width), (y, tall)) in zip(draw, places, strict=True):
        low = top - height + y
        axes = figure.add_axes((x / wide, low / high, width / wide, tall / high))
        parts.append(one(axes))
        top -= height + GAP
    return Stack(tuple(parts), getattr(parts[0], "ax_", parts[0]))
