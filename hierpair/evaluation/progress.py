"""How far long work is: told to a function, or shown as a bar to people at a notebook."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Literal

from hierpair.errors import BadInput, shortened, shown, visible

__all__ = ["OnProgress", "Progress", "shown_progress"]

Progress = Callable[[str, int, int], None]
"""Called with what is done (such as the name of a system), how much of it, and how much it is."""

OnProgress = Progress | Literal[False] | None
"""A function; None: a bar, in an interactive session of IPython that has tqdm; False: nothing."""

QUIET_SECONDS = 2.0
"""Work that takes less has no bar."""

LONGEST_NAME = 40
"""Letters of a name before a bar."""


@contextmanager
def shown_progress(on_progress: OnProgress, unit: str) -> Iterator[Progress | None]:
    """Give what is to be told how far work is; a bar is gone afterwards, whatever happens.

    Parameters
    ----------
    on_progress
        As the parameter of that name of :func:`hierpair.score`.
    unit
        What is counted, such as ``"instance"``.

    Raises
    ------
    BadInput
        For anything else.

    Examples
    --------
    >>> with shown_progress(print, "instance") as tell:
    ...     tell("mine", 0, 10)
    mine 0 10
    >>> with shown_progress(False, "instance") as tell:
    ...     tell is None
    True
    """
    if callable(on_progress):
        yield on_progress
        return
    if on_progress is not None and on_progress is not False:
        raise BadInput(
            "on_progress is a function of three arguments, None (a bar in notebooks) or False "
            f"(nothing), got {shown(on_progress)}"
        )
    if on_progress is False or not _is_interactive() or find_spec("tqdm") is None:
        yield None
        return
    bar = _Bar(unit)
    try:
        yield bar.tell
    finally:
        bar.close()


def _is_interactive() -> bool:
    """Whether this runs in a session of IPython, such as the kernel of a notebook."""
    session = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return session is not None and session() is not None


def _bars() -> Any:
    """Return tqdm's class of bars for this session: a widget, or text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of widgets that are not installed: it is text then
        from tqdm.auto import tqdm
    return tqdm


class _Bar:
    """A bar per thing that is done, from the moment when all work together takes long."""

    def __init__(self, unit: str) -> None:
        self.unit, self.started = unit, time.monotonic()
        self.name = ""
        self.bar: Any = None

    def tell(self, name: str, done: int, whole: int) -> None:
        """Move the bar; ``whole`` is 0 as long as nobody knows, and may be an estimate."""
        if name != self.name:
            self.close()
            self.name = name
        if self.bar is None:
            finished = 0 < whole <= done
            if finished or time.monotonic() - self.started < QUIET_SECONDS:
                return
            self.bar = self._made(whole)
        elif whole != (self.bar.total or 0):
            start = self.bar.start_t
            self.bar.reset(whole)
            self.bar.start_t = start
        self.bar.update(done - self.bar.n)

    def _made(self, whole: int) -> Any:
        bar = _bars()(total=whole or None, unit=f" {self.unit}s", unit_scale=True, leave=False)
        short = visible(shortened(str(self.name), LONGEST_NAME))
        bar.set_description_str(short, refresh=False)  # given at once, a widget takes it for HTML
        return bar

    def close(self) -> None:
        """Wipe the bar."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
