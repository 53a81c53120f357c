"""How far long work is: told to a function, or shown as a bar to people at a notebook."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Literal

from hierpair.errors import BadInput, shortened, shown, visible

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
    """Give what is to be told how far work is, in units such as ``"instance"``, or None."""
    if callable(on_progress):
        yield on_progress
        return
    if on_progress is not None and on_progress is not False:
        raise BadInput(
            "on_progress is a function of three arguments, None (a bar in notebooks) or False "
            f"(nothing), got {shown(on_progress)}"
        )
    session = getattr(sys.modules.get("IPython"), "get_ipython", None)  # as in a notebook
    interactive = session is not None and session() is not None
    if on_progress is False or not interactive or find_spec("tqdm") is None:
        yield None
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of widgets that are not installed: it is text then
        from tqdm.auto import tqdm
    bars: dict[str, Any] = {}

    def tell(name: str, done: int, whole: int) -> None:
        """Move the bar of a thing; ``whole`` is 0 as long as nobody knows."""
        if name not in bars:
            close()
            bars[name] = bar = tqdm(
                unit=f" {unit}s", unit_scale=True, leave=False, delay=QUIET_SECONDS
            )
            title = visible(shortened(str(name), LONGEST_NAME))
            bar.set_description_str(title, refresh=False)  # at once a widget takes it for HTML
        bars[name].total = whole or None
        bars[name].update(done - bars[name].n)

    def close() -> None:
        while bars:
            bars.popitem()[1].close()

    try:
        yield tell
    finally:
        close()
