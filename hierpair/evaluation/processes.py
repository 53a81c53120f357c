"""Work in several processes: forked where that is safe, otherwise from a server or started anew.

A server of forks is a process of its own without threads, which has imported hierpair already.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, HierpairError, one_line
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
    """Yield ``task(part)`` for all parts in their order, or raise the error of the first.

    One part, or one process, is done here. Of several each has a pipe of its own: nothing is shared
    that a process which dies could hold, so they can be ended whenever nobody waits for them any
    longer.

    >>> list(in_processes(len, ["a", "bc", ""], 2))
    [1, 2, 0]
    """
    parts = list(parts)
    if min(n_jobs, len(parts)) < 2:
        yield from map(task, parts)
        return
    forks = can_fork()
    start = "fork" if forks else "forkserver" if sys.platform == "linux" else "spawn"
    context: Any = multiprocessing.get_context(start)
    context.set_forkserver_preload([__name__])
    work = (task, parts) if forks else packed((task, parts))
    ahead, found = iter(range(len(parts))), dict[int, Any]()
    processes = {}
    try:
        for _ in range(min(n_jobs, len(parts))):
            here, there = context.Pipe()
            process = context.Process(target=_work, args=(there, work), daemon=True)
            with warnings.catch_warnings():  # of threads of libraries, which survive it
                warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
                process.start()
            there.close()
            processes[here] = process
        for k in range(len(parts)):
            while k not in found:
                ready: Any = wait(processes)
                for pipe in ready:
                    try:
                        number, found[number] = pipe.recv()
                        if (following := next(ahead, None)) is not None:
                            pipe.send(following)
                    except (EOFError, ConnectionError):
                        raise HierpairError(DIED if forks else DIED + GUARD) from None
            result = found.pop(k)
            if isinstance(result, Exception):
                raise result
            yield result
    finally:
        for pipe, process in processes.items():
            process.kill()
            process.join()
            pipe.close()


def _work(pipe: Any, work: Any) -> None:
    """Do in a process the parts whose numbers come, and send what each gives, or its error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told of Ctrl-C, and ends this
    task, parts = pickle.loads(work) if isinstance(work, bytes) else work
    answer: tuple[int, Any] = -1, None
    while True:
        try:
            pipe.send(answer)
        except Exception as error:  # what does not travel
            pipe.send((answer[0], error))
        k = pipe.recv()
        try:
            answer = k, task(parts[k])
        except Exception as error:
            answer = k, error


def packed(thing: Any) -> bytes:
    """Return a thing as bytes for other processes, functions with their code if possible."""
    pickler: Any = import_module("cloudpickle") if find_spec("cloudpickle") else pickle
    try:
        return bytes(pickler.dumps(thing))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise BadInput(
            f"what is to be computed cannot be sent to other processes "
            f"({one_line(error)}); pip install 'hierpair[parallel]' if it is not "
            "there, or use one process (n_jobs=1, --jobs 1)"
        ) from None


def check_jobs(n_jobs: int, name: str = "n_jobs") -> None:
    """Refuse a number of processes that cannot be started."""
    if not isinstance(n_jobs, int) or n_jobs < 1:
        raise BadInput(f"{name} must be at least 1, got {n_jobs!r}")


def take_along(measures: Sequence[Measure]) -> None:
    """Let measures from a user's own file travel to other processes with their code."""
    for m in measures:
        made = getattr(m.definition.recipe, "function", None)
        travels(filter(None, (m.definition.rule, m.definition.value, made)))


def travels(functions: Iterable[Callable[..., Any]]) -> None:
    """Let functions from a user's own file travel to other processes with their code."""
    for function in functions if find_spec("cloudpickle") is not None else ():
        module = sys.modules.get(function.__module__)
        if module is not None and not module.__name__.startswith(("hierpair.", "__main__")):
            import_module("cloudpickle").register_pickle_by_value(module)
