"""Pictures into files: whole or not at all, the same bytes every time, without any window."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hierpair.errors import BadInput, shown
from hierpair.io.files import replace_file
from hierpair.plots.text_metrics import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["check_ending", "save_picture"]

METADATA: dict[str, dict[str, str | None]] = {
    "pdf": {"CreationDate": None},
    "png": {},
    "svg": {"Date": None},
}
"""The endings, and what would make two files of one picture differ."""

SAYS = {"pdf": "Subject", "png": "Description", "svg": "Description"}
"""Where a file says what a chart shows."""


class Display(Protocol):
    """A chart that knows its axes and what pins its numbers."""

    @property
    def ax_(self) -> Axes:
        """The axes."""
        ...

    @property
    def signatures(self) -> list[str]:
        """Conventions, test and seed."""
        ...


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
    target = Path(path)
    form = check_ending(path)
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
    try:
        replace_file(Path(os.path.realpath(target)), data.getvalue())
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror})") from None
