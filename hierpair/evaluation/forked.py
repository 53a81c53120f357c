"""Processes that share the memory of this one: nothing is sent to them, loaded or computed anew.

A forked process has all that its parent has, modules, hierarchy and closure among it, in the same
memory until one of them writes there. What others do at the same time may be cut off in the middle,
though, so this is for a process that does one thing only, on Linux.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

__all__ = ["can_fork", "in_forks"]

OPEN_MP = ("libgomp", "libiomp", "libomp")
"""Runtimes whose threads do not live on in a forked process, which then waits for them forever."""

MAPS = Path("/proc/self/maps")
"""Which libraries are loaded."""


def can_fork() -> bool:
    """Whether processes can be forked safely: on Linux, without other threads that Python knows."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return False
    if multiprocessing.current_process().daemon:  # it may have no children
        return False
    if not MAPS.exists():
        return False
    loaded = MAPS.read_text()
    return not any(name in loaded for name in OPEN_MP)


def in_forks(
    task: Callable[[Any], Any], parts: Sequence[Any], n_jobs: int
) -> Generator[Any, None, None]:
    """Yield ``task(part)`` for all parts in their order, computed in so many forked processes.

    Raises
    ------
    BrokenPipeError
        If a process dies.

    Examples
    --------
    >>> list(in_forks(len, ["a", "bc", ""], 2)) if can_fork() else [1, 2, 0]
    [1, 2, 0]
    """
    context = multiprocessing.get_context("fork")
    n = min(n_jobs, len(parts))
    processes, ends = [], []
    try:
        for k in range(n):
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(task, parts[k::n], there), daemon=True)
            with warnings.catch_warnings():  # of threads of libraries, which survive it
                warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
                process.start()
            there.close()  # so that the end of the process is the end of what comes from it
            processes.append(process)
            ends.append(here)
        for at in range(len(parts)):
            try:
                done, result = ends[at % n].recv()
            except EOFError:
                raise BrokenPipeError("a process died") from None
            if not done:
                raise result
            yield result
    finally:
        for process in processes:
            process.terminate()
        for process, here in zip(processes, ends, strict=True):
            process.join()
            here.close()


def _work(task: Callable[[Any], Any], parts: Sequence[Any], there: Connection) -> None:
    """Send what is found of every part, or the error that ended it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told, and ends this one
    try:
        for part in parts:
            there.send((True, task(part)))
    except BrokenPipeError:  # the parent is gone
        return
    except BaseException as error:
        there.send((False, error))
