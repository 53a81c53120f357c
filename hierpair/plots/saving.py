"""Pictures into files: whole or not at all, the same bytes every time, without any window."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierpair.errors import BadInput, shown
from hierpair.files import replace_file
from hierpair.plots.lettering import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["check_ending", "save_picture"]

METADATA: dict[str, dict[str, None]] = {
    "pdf": {"CreationDate": None},
    "png": {},
    "svg": {"Date": None},
}
"""The endings, and what would make two files of one picture differ."""


def check_ending(path: str | os.PathLike[str]) -> str:
    """Return the form that the name of a picture ends in, or refuse the name."""
    form = Path(path).suffix.lower().removeprefix(".")
    if form not in METADATA:
        raise BadInput(
            f"{shown(str(path))}: a picture must end in {', '.join(f'.{f}' for f in METADATA)}"
        )
    return form


def save_picture(picture: Axes | Figure, path: str | os.PathLike[str], *, dpi: float = 300) -> None:
    """Write a picture as its file name ends: ``.pdf``, ``.png`` or ``.svg``.

    The file is written whole or not at all; equal pictures give equal bytes. Letters are
    embedded as TrueType in PDF, where they can be searched and edited, and as outlines in SVG,
    where they would otherwise no longer fit their boxes on a computer with other fonts.

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
    target = Path(path)
    form = check_ending(path)
    need_matplotlib()
    import matplotlib as mpl
    from matplotlib.figure import FigureBase

    # The root figure, also of axes on a part of a figure.
    figure = (picture if isinstance(picture, FigureBase) else picture.figure).figure
    data = io.BytesIO()
    fixed: Any = {"svg.hashsalt": "hierpair", "svg.fonttype": "path", "pdf.fonttype": 42}
    with mpl.rc_context(fixed):
        figure.savefig(data, format=form, dpi=dpi, metadata=METADATA[form])
    try:
        replace_file(Path(os.path.realpath(target)), data.getvalue())
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror})") from None
