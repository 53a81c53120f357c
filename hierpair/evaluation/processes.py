"""Work in several processes: forked where that is safe, otherwise from a server or started anew.

A server of forks is a process of its own without threads, which has imported hierpair already.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, HierpairError
from hierpair.measures import Measure

DIED = (
    "a process died: it was killed, perhaps since the memory was full, or a measure of "
    "your own ended it; fewer processes need less memory (n_jobs, --jobs)"
)
GUARD = "; a script that starts processes does so below if __name__ == '__main__'"

OPEN_MP = ("libgomp", "libiomp", "libomp")
"""Runtimes whose threads do not live on in a forked process, which then waits for them forever."""

MAPS = Path("/proc/self/maps")
"""Which libraries are loaded."""


def can_fork() -> bool:
    """Whether processes can be forked safely: on Linux, without other threads that Python knows.

    A forked process has all that its parent has, modules, hierarchy and closure among it. What
    other threads do at the same time may be cut off in the middle, though.
    """
    if sys.platform != "linux" or threading.active_count() > 1 or not MAPS.exists():
        return False
    return not any(name in MAPS.read_text() for name in OPEN_MP)


def in_processes(
    task: Callable[[Any], Any], parts: Iterable[Any], n_jobs: int
) -> Generator[Any, None, None]:
    """Yield ``task(part)`` for all parts in their order, computed in so many processes.

    Raises
    ------
    HierpairError
        If a process dies, or a measure of the user's own cannot be sent to one.

    Examples
    --------
    >>> list(in_processes(len, ["a", "bc", ""], 2))
    [1, 2, 0]
    """
    parts, forks = list(parts), can_fork()
    start = "fork" if forks else "forkserver" if sys.platform == "linux" else "spawn"
    context: Any = multiprocessing.get_context(start)
    context.set_forkserver_preload([__name__])
    if not parts:
        return
    before = set(multiprocessing.active_children())
    pool = concurrent.futures.ProcessPoolExecutor(
        min(n_jobs, len(parts)),
        context,
        _Worker.begin,
        (task, parts) if forks else (packed((task, parts)),),
    )
    try:
        with warnings.catch_warnings():  # of threads of libraries, which survive it
            warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
            found = deque(pool.submit(_done, k) for k in range(len(parts)))
        while found:
            yield found.popleft().result()
    except concurrent.futures.BrokenExecutor:
        raise HierpairError(DIED if forks else DIED + GUARD) from None
    finally:
        for process in set(multiprocessing.active_children()) - before:
            _stop(process.pid)
        pool.shutdown(cancel_futures=True)


def _stop(pid: int | None) -> None:
    """Ask a process of a pool to stop, where there is a signal that nobody else sends.

    Nobody waits for half of a result, then, or sends one that nobody reads. Without such a signal
    the processes finish the parts that they have.
    """
    if pid is not None and hasattr(signal, "SIGUSR1"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGUSR1)


class _Stopped(BaseException):
    """Nobody waits for the result of a task any longer."""


class _Worker:
    """In a process of a pool: the task, its parts, whether it is busy, and asked to stop."""

    work: tuple[Callable[[Any], Any], Sequence[Any]]
    busy = asked = False

    @classmethod
    def begin(cls, *work: Any) -> None:
        """Take the work of a pool along; its parent is told of Ctrl-C, and stops this process."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if hasattr(signal, "SIGUSR1"):
            signal.signal(signal.SIGUSR1, cls.stop)
        cls.work = pickle.loads(work[0]) if len(work) == 1 else work

    @classmethod
    def stop(cls, *_: Any) -> None:
        """Leave the task; a result that is being sent is sent to its end."""
        cls.asked = True
        if cls.busy:
            raise _Stopped


def _done(k: int) -> Any:
    """Do the task with one part."""
    task, parts = _Worker.work
    if _Worker.asked:
        return None
    _Worker.busy = True
    try:
        return task(parts[k])
    except Exception:
        raise
    except BaseException as error:  # the end of the process, for which the others would wait
        raise BadInput(
            f"a measure of your own ended its process ({type(error).__name__})"
        ) from None
    finally:
        _Worker.busy = False


def packed(thing: Any) -> bytes:
    """Return a thing as bytes for other processes, functions with their code if that is possible.

    Raises
    ------
    BadInput
        If something of a user's own cannot travel.
    """
    by_value = find_spec("cloudpickle") is not None
    try:
        if by_value:
            import cloudpickle

            content: bytes = cloudpickle.dumps(thing)
            return content
        return pickle.dumps(thing)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        mend = "" if by_value else ", or pip install 'hierpair[parallel]'"
        raise BadInput(
            f"what is to be computed cannot be sent to other processes "
            f"({' '.join(str(error).split())}); use one process (n_jobs=1, --jobs 1){mend}"
        ) from None


def check_jobs(n_jobs: int) -> None:
    """Refuse a number of processes that cannot be started."""
    if not isinstance(n_jobs, int) or n_jobs < 1:
        raise BadInput(f"n_jobs must be at least 1, got {n_jobs!r}")


def take_along(measures: Sequence[Measure]) -> None:
    """Let measures from a user's own file travel to other processes with their code."""
    for m in measures:
        made = getattr(m.definition.recipe, "function", None)
        travels(filter(None, (m.definition.rule, m.definition.value, made)))


def travels(functions: Iterable[Callable[..., Any]]) -> None:
    """Let functions from a user's own file travel to other processes with their code."""
    if find_spec("cloudpickle") is None:
        return
    import cloudpickle

    for function in functions:
        module = sys.modules.get(function.__module__)
        if module is not None and not module.__name__.startswith(("hierpair.", "__main__")):
            cloudpickle.register_pickle_by_value(module)
