"""How far long work is: told to a function, or shown to people in one line on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Literal

from hierpair.errors import visible_lines

Progress = Callable[[str, int, int], None]
"""Called with what is done (such as the name of a system), how much of it, and how much it is."""

OnProgress = Progress | Literal[False] | None
"""A function; None: a line on stderr in an interactive session of IPython; False: nothing."""


def unseen(what: str, done: int, whole: int) -> None:
    """Tell nobody how far work is."""


QUIET_SECONDS, PAUSE_SECONDS = 2.0, 0.2
"""Work that takes less shows nothing, and the line is not written more often than this."""


class Meter:
    """One line on stderr that says how far work is, if somebody looks at it (``on``)."""

    def __init__(self, on: bool) -> None:
        self.on = on
        self.last = time.monotonic() + QUIET_SECONDS - PAUSE_SECONDS

    def write(self, text: str) -> None:
        """Write a line over the one that is there."""
        if self.on:
            sys.stderr.write(f"\r\x1b[K{visible_lines(text)}")
            sys.stderr.flush()

    def show(self, name: str, done: int, whole: int, unit: str = "instances") -> None:
        """Say how far a thing has come; nobody knows how far it is where ``whole`` is 0."""
        now = time.monotonic()
        if now >= self.last + PAUSE_SECONDS:
            of = f" of {whole:,}" if whole else ""
            self.write(f"{name}: {done:,}{of} {unit}")
            self.last = now


@contextmanager
def shown_progress(on_progress: OnProgress, unit: str) -> Iterator[Progress]:
    """Give what is to be told how far work is, in units such as ``"instance"``."""
    if callable(on_progress):
        yield on_progress
        return
    session = getattr(sys.modules.get("IPython"), "get_ipython", bool)()  # as in a notebook
    meter = Meter(on_progress is not False and session)
    try:
        yield partial(meter.show, unit=f"{unit}s") if meter.on else unseen
    finally:
        meter.write("")
