"""The option ``--picture``: what can be refused before any work is done."""

from __future__ import annotations

import argparse

from hierpair.cli.output import check_target
from hierpair.cli.reading import inputs_of
from hierpair.errors import BadInput
from hierpair.io.files import same_file

__all__ = ["check_picture"]


def check_picture(options: argparse.Namespace, *, default_view: str | None = None) -> None:
    """Refuse a picture that cannot be written, and a view of no picture.

    Raises
    ------
    BadInput
        For another ending, a file that is read or written already, or ``--view`` without
        ``--picture``.
    """
    if options.picture is None:
        if default_view is not None and options.view != default_view:
            raise BadInput("--view says what the picture shows; name its file with --picture")
        return
    from hierpair.plots.saving import check_ending

    check_ending(options.picture)
    check_target(options.picture, inputs_of(options))
    if options.output and same_file(options.picture, options.output):
        raise BadInput("the picture and the output are the same file")
