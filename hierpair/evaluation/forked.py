"""Processes that share the memory of this one: nothing is sent to them, loaded or computed anew.

A forked process has all that its parent has, modules, hierarchy and closure among it, in the same
memory until one of them writes there. What others do at the same time may be cut off in the middle,
though, so this is for a process that does one thing only, on Linux.
"""

from __future__ import annotations

import mmap
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Sequence
from itertools import accumulate
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from pathlib import Path
from typing import Any

__all__ = ["can_fork", "in_forks"]

OPEN_MP = ("libgomp", "libiomp", "libomp")
"""Runtimes whose threads do not live on in a forked process, which then waits for them forever."""

MAPS = Path("/proc/self/maps")
"""Which libraries are loaded."""

ALIGNED = 64
"""Arrays begin at multiples of so many bytes, as those that NumPy makes itself."""


def can_fork() -> bool:
    """Whether processes can be forked safely: on Linux, without other threads that Python knows."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return False
    if multiprocessing.current_process().daemon:  # it may have no children
        return False
    if not MAPS.exists() or not hasattr(os, "memfd_create"):
        return False
    loaded = MAPS.read_text()
    return not any(name in loaded for name in OPEN_MP)


def in_forks(
    task: Callable[[Any], Any], parts: Sequence[Any], n_jobs: int
) -> Generator[Any, None, None]:
    """Yield ``task(part)`` for all parts in their order, computed in so many forked processes.

    This one only waits: if another is killed, for its memory say, it can tell.

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
            here, there = context.Pipe()
            process = context.Process(target=_work, args=(task, parts[k::n], there), daemon=True)
            with warnings.catch_warnings():  # of threads of libraries, which survive it
                warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
                process.start()
            there.close()  # so that the end of the process is the end of what comes from it
            processes.append(process)
            ends.append(here)
        for at in range(len(parts)):
            try:
                done, result = _received(ends[at % n])
            except (EOFError, ConnectionError):
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
            _send(there, (True, task(part)))
    except BrokenPipeError:  # the parent is gone
        return
    except BaseException as error:
        _send(there, (False, error))


def _send(there: Connection, result: Any) -> None:
    """Send a result: its arrays by a file in memory, which the other process then has as well.

    Through a pipe they would be copied four times, while the other process can only wait.
    """
    buffers: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(result, protocol=5, buffer_callback=buffers.append)
    arrays = [buffer.raw() for buffer in buffers]
    sizes = [array.nbytes for array in arrays]
    if not any(sizes):
        there.send((rest, sizes))
        return
    file = os.memfd_create("found")
    try:
        for array, begin in zip(arrays, _begins(sizes), strict=True):
            written = 0
            while written < array.nbytes:
                written += os.pwrite(file, array[written:], begin + written)
        there.send((rest, sizes))
        send_handle(there, file, os.getppid())
    finally:
        os.close(file)


def _received(here: Connection) -> Any:
    """Return what :func:`_send` sent; arrays stay where they are."""
    rest, sizes = here.recv()
    if not any(sizes):
        return pickle.loads(rest, buffers=[bytearray()] * len(sizes))
    file = recv_handle(here)
    try:
        memory = memoryview(mmap.mmap(file, 0, access=mmap.ACCESS_COPY))
    finally:
        os.close(file)
    places = zip(_begins(sizes), sizes, strict=True)
    return pickle.loads(rest, buffers=[memory[begin : begin + n] for begin, n in places])


def _begins(sizes: Sequence[int]) -> list[int]:
    """Return where arrays of so many bytes begin, one after the other."""
    return list(accumulate((-(-n // ALIGNED) * ALIGNED for n in sizes[:-1]), initial=0))
