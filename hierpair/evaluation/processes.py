"""A job in one process or several: forked where that is safe, otherwise started anew."""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from importlib.util import find_spec
from itertools import chain, pairwise
from typing import Any

import numpy as np

from hierpair.errors import BadInput, HierpairError, Infeasible, SolverLimit
from hierpair.evaluation.batches import Found, Job, work
from hierpair.evaluation.forked import can_fork, in_forks
from hierpair.measures import Measure

__all__ = ["check_jobs", "in_processes", "run", "take_along", "travels"]

FIRST_HERE = 200
"""Instances that are evaluated before processes share what these needed."""

DIED = (
    "a process died: it was killed, perhaps since the memory was full, or a measure of "
    "your own ended it; fewer processes need less memory (n_jobs, --jobs)"
)


def run(whole: Job, n_jobs: int) -> Iterable[Found]:
    """Do a job range by range, or in as many processes."""
    if n_jobs == 1:
        return (work(whole.part([r])) for r in whole.ranges)
    forked = can_fork()
    if forked and len(whole.ranges) >= n_jobs:
        return chain.from_iterable(_first_here(whole, n_jobs))
    return _shared_out(whole, n_jobs, forked=forked)


def _first_here(whole: Job, n_jobs: int) -> Iterator[Iterable[Found]]:
    """Yield what is found of the first instances, then that of the others.

    What all instances need, such as the closure, is then there before it is shared.
    """
    (lo, hi), *others = whole.ranges
    cut = min(lo + FIRST_HERE, hi)
    yield [work(whole.part([(lo, cut)]))]
    rest = [(cut, hi)] * (cut < hi) + others
    if rest:
        after = whole.part(rest)
        yield _shared_out(after, n_jobs, forked=True)


def _shared_out(whole: Job, n_jobs: int, *, forked: bool) -> Iterable[Found]:
    """Do a job in so many processes."""
    jobs = [whole.part(part) for part in _cut_evenly(whole.ranges, n_jobs)]
    if forked:
        return _until_first_error(_from_forks(jobs, n_jobs))
    _ask_for_joblib()  # what was safe when the work began may not be any more
    take_along(whole.measures)
    return _until_first_error(in_processes(_tried, jobs, n_jobs))


def _cut_evenly(ranges: Sequence[tuple[int, int]], n: int) -> list[list[tuple[int, int]]]:
    """Cut consecutive ranges into ``n`` parts of about equal work, or as many as have instances.

    All ranges are as much work, but for the last one, which is what was left over.

    >>> _cut_evenly([(0, 10), (10, 20), (20, 24)], 2)
    [[(0, 10), (10, 12)], [(12, 20), (20, 24)]]
    """
    sizes = np.array([hi - lo for lo, hi in ranges])
    work = np.ones(len(ranges))
    work[-1] = sizes[-1] / sizes.max()
    done, place = np.append(0, work.cumsum()), [ranges[0][0], *(hi for _, hi in ranges)]
    edges = np.unique(np.interp(np.linspace(0, done[-1], n + 1), done, place).astype(int)).tolist()
    return [
        [(max(a, lo), min(b, hi)) for a, b in ranges if a < hi and b > lo]
        for lo, hi in pairwise(edges)
    ]


def _from_forks(jobs: Sequence[Job], n_jobs: int) -> Generator[Any]:
    """Yield what is found of jobs in processes that share the memory of this one."""
    try:
        yield from in_forks(_tried, jobs, n_jobs)
    except BrokenPipeError:
        raise HierpairError(DIED) from None


def in_processes(task: Callable[[Any], Any], parts: Iterable[Any], n_jobs: int) -> Generator[Any]:
    """Yield ``task(part)`` for all parts in their order, computed in so many processes.

    Raises
    ------
    HierpairError
        If a process dies, or a measure of the user's own cannot be sent to one.
    """
    import joblib

    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator")
    found = parallel(joblib.delayed(task)(part) for part in parts)
    try:
        for result in found:  # noqa: UP028 - yield from closes what is found before the filter
            yield result
    except BrokenExecutor:
        raise HierpairError(DIED) from None
    except pickle.PicklingError as error:
        reason = " ".join(str(error).split())
        raise BadInput(
            f"what is to be computed cannot be sent to other processes ({reason}); use one "
            "process (n_jobs=1, --jobs 1)"
        ) from None
    finally:
        with warnings.catch_warnings():  # that tasks are cancelled after an error is what is wanted
            warnings.filterwarnings("ignore", ".* tasks which were still being processed")
            found.close()


def check_jobs(n_jobs: int, *, forks: bool = False) -> None:
    """Refuse a number of processes that cannot be started.

    With ``forks`` they are forked where that is safe, which needs no other package.
    """
    if not isinstance(n_jobs, int) or n_jobs < 1:
        raise BadInput(f"n_jobs must be at least 1, got {n_jobs!r}")
    if n_jobs > 1 and not (forks and can_fork()):
        _ask_for_joblib()


def _ask_for_joblib() -> None:
    """Refuse to start processes anew without what starts them."""
    if not all(map(find_spec, ("joblib", "cloudpickle"))):
        raise BadInput("n_jobs > 1 needs joblib: pip install 'hierpair[parallel]'")


def take_along(measures: Iterable[Measure]) -> None:
    """Let measures from a user's own file travel to other processes with their code."""
    for m in measures:
        made = getattr(m.definition.recipe, "function", None)
        travels(filter(None, (m.definition.rule, m.definition.value, made)))


def travels(functions: Iterable[Callable[..., Any]]) -> None:
    """Let functions from a user's own file travel to other processes with their code."""
    import cloudpickle

    for function in functions:
        module = sys.modules.get(function.__module__)
        if module is not None and not module.__name__.startswith(("hierpair.", "__main__")):
            cloudpickle.register_pickle_by_value(module)


def _tried(job: Job) -> Any:
    """Return the work or its error, so that the first error in order is the one raised."""
    try:
        return work(job)
    except (BadInput, Infeasible, SolverLimit) as error:
        return error
    except BaseException as error:
        if isinstance(error, Exception) or type(error) is KeyboardInterrupt:
            raise
        # A rule of a user's own ends the process, which the others would wait for.
        return BadInput(f"a measure of your own ended its process ({type(error).__name__})")


def _until_first_error(found: Iterable[Any]) -> Iterator[Any]:
    """Yield results as they come; raise the first error when all processes are done."""
    error: Exception | None = None
    for result in found:
        if error is None and isinstance(result, Exception):
            error = result
        elif error is None:
            yield result
    if error is not None:
        raise error
