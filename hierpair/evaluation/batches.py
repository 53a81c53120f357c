"""Instances in chunks: how many fit in memory at a time, one after the other or in processes."""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, replace
from functools import reduce
from importlib.util import find_spec
from itertools import chain, pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, HierpairError, Infeasible, SolverLimit
from hierpair.evaluation.evidence_kept import WAYS, Keep, Kept, joined, kept_of
from hierpair.evaluation.forked import can_fork, in_forks
from hierpair.evaluation.partials.totals import Plan, Totals
from hierpair.hierarchy import Hierarchy, mean_ancestors
from hierpair.hierarchy.arrays import row_sums
from hierpair.labels import LabelSets
from hierpair.labels.annotation_counts import AnnotationCounts
from hierpair.measures import Batch, LcaRecipe, Measure, counts_classes

__all__ = [
    "CHUNK", "CHUNK_ANCESTORS", "CHUNK_LEVELS", "CHUNK_PAIRS", "Found", "Job", "check_jobs",
    "in_processes", "ranges_of", "run", "take_along", "values_of", "work",
]  # fmt: skip

CHUNK = 20_000
"""Instances evaluated at a time,"""

CHUNK_PAIRS = 3_000_000
"""with at most about so many pairs of a predicted and a true label,"""

CHUNK_ANCESTORS = 20_000_000
"""and so many ancestors of all labels, where the closure is built chunk by chunk,"""

CHUNK_LEVELS = 5_000_000
"""and so many instances times levels of the hierarchy."""

FIRST_HERE = 200
"""Instances that are evaluated before processes share what these needed."""

DIED = (
    "a process died: it was killed, perhaps since the memory was full, or a measure of "
    "your own ended it; fewer processes need less memory (n_jobs, --jobs)"
)


@dataclass(frozen=True, eq=False)
class Job:
    """Instances of one system, cut into ranges; ``first`` is the number of the first one.

    ``keep`` says what is kept of every instance beside its values, ``n_all`` how many instances
    are evaluated together (None: these), ``on_infeasible`` what one without a pairing is, and
    ``counts`` how often classes are annotated in the truth of all, where a measure has to know.
    """

    hierarchy: Hierarchy
    measures: tuple[Measure, ...]
    truth: LabelSets
    prediction: LabelSets
    weight: NDArray[np.float64] | None
    ranges: list[tuple[int, int]]
    first: int = 0
    keep: Keep = "nothing"
    n_all: int | None = None
    on_infeasible: Literal["raise", "nan"] = "raise"
    counts: AnnotationCounts | None = None

    def part(self, ranges: list[tuple[int, int]]) -> Job:
        """Return a job of its own for some consecutive ranges."""
        lo, hi = ranges[0][0], ranges[-1][1]
        truth = self.truth.part(lo, hi)
        if self.truth.ids:
            truth = replace(truth, ids=self.truth.ids[lo:hi])
        return Job(
            self.hierarchy,
            self.measures,
            truth,
            self.prediction.part(lo, hi),
            None if self.weight is None else self.weight[lo:hi],
            [(a - lo, b - lo) for a, b in ranges],
            self.first + lo,
            self.keep,
            len(self.truth) if self.n_all is None else self.n_all,
            self.on_infeasible,
            self.counts,
        )


class Found(NamedTuple):
    """Totals and values of all instances, by measure those without a pairing, and what is kept."""

    totals: Totals
    values: NDArray[np.float64]
    infeasible: dict[int, NDArray[np.int64]]
    kept: Kept

    @classmethod
    def joined(cls, parts: Sequence[Found]) -> Found:
        """Return what was found of consecutive instances as one."""
        numbers = sorted({k for part in parts for k in part.infeasible})
        return cls(
            reduce(Totals.plus, (part.totals for part in parts)),
            np.concatenate([part.values for part in parts]),
            {
                k: np.concatenate([p.infeasible[k] for p in parts if k in p.infeasible])
                for k in numbers
            },
            joined([part.kept for part in parts]),
        )


def work(job: Job) -> Found:
    """Return what the instances of a job leave behind, and their values."""
    plan = Plan(job.measures)
    if not job.ranges:
        return Found(Totals.nothing(plan), np.empty((0, len(job.measures))), {}, {})
    return Found.joined([_found(job, plan, lo, hi) for lo, hi in job.ranges])


def _found(job: Job, plan: Plan, lo: int, hi: int) -> Found:
    """Return what the instances of one range leave behind."""
    values = np.empty((hi - lo, len(job.measures)))
    infeasible = {}
    weight = None if job.weight is None else job.weight[lo:hi]
    batch = Batch(
        job.hierarchy,
        job.truth.part(lo, hi),
        job.prediction.part(lo, hi),
        first=job.first + lo,
        n_all=len(job.truth) if job.n_all is None else job.n_all,
        on_infeasible=job.on_infeasible,
        counts=job.counts,
    )
    for k, m in enumerate(job.measures):
        try:
            values[:, k] = _values(batch, m)
        except (BadInput, Infeasible, SolverLimit) as found:
            error = _first_error(batch, m, found)
            if not isinstance(error.instance, int):
                raise type(error)(f"measure {m.name}: {error.reason}") from error
            at = lo + error.instance
            name = job.truth.ids[at] if job.truth.ids else job.first + at
            raise type(error)(f"{error.reason} (measure {m.name})", name) from error
        none = batch.columns(m.recipe).get("infeasible")
        if none is not None:
            infeasible[k] = np.flatnonzero(none) + job.first + lo
    totals = Totals.of_batch(plan, batch, values, weight)
    return Found(totals, values, infeasible, kept_of(batch, job.measures, job.keep))


def values_of(
    hierarchy: Hierarchy, truth: LabelSets, prediction: LabelSets, m: Measure
) -> NDArray[np.float64]:
    """Return the value of every instance under one measure."""
    ranges = ranges_of(hierarchy, truth, prediction, None)
    return work(Job(hierarchy, (m,), truth, prediction, None, ranges)).values[:, 0]


def _values(batch: Batch, m: Measure) -> NDArray[np.float64]:
    """Return the values of a batch; what pooling needs beside them is then in its cache."""
    values = m.values(batch.columns(m.recipe))
    if WAYS.get(m.average) == "classes" and counts_classes(m.recipe):
        batch.entries(m.recipe)
    return values


def _first_error(batch: Batch, m: Measure, error: HierpairError) -> HierpairError:
    """Return the error of the first instance that has one, however the instances are cut.

    A batch is checked for one kind of fault after the other, so an earlier instance may have
    another one. Minimal LCA graphs are found instance by instance, and not once more.
    """
    if isinstance(m.recipe, LcaRecipe):
        return error
    while isinstance(error.instance, int) and error.instance > 0:
        before = error.instance
        truth, prediction = batch.y_true.part(0, before), batch.y_pred.part(0, before)
        try:
            _values(replace(batch, y_true=truth, y_pred=prediction, cache={}), m)
        except (BadInput, Infeasible, SolverLimit) as earlier:
            error = earlier
        else:
            break
    return error


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
    cuts = np.array_split(np.arange(len(whole.ranges)), min(n_jobs, len(whole.ranges)))
    if len(whole.ranges) < n_jobs:  # few instances: cut them evenly all the same
        n = len(whole.truth)
        edges = np.linspace(0, n, min(n_jobs, n) + 1).astype(int).tolist()
        whole = replace(whole, ranges=list(pairwise(edges)))
        cuts = np.array_split(np.arange(len(whole.ranges)), len(whole.ranges))
    jobs = [whole.part([whole.ranges[i] for i in cut]) for cut in cuts]
    if forked:
        return _until_first_error(_from_forks(jobs, n_jobs))
    _ask_for_joblib()  # what was safe when the work began may not be any more
    take_along(whole.measures)
    return _until_first_error(in_processes(_tried, jobs, n_jobs))


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


def _ancestors(hierarchy: Hierarchy, sets: LabelSets) -> NDArray[np.float64]:
    """Return how many ancestors the labels of each instance have: exactly in a forest."""
    if int(np.diff(hierarchy.parent_ptr).max(initial=0)) <= 1:
        return row_sums(hierarchy.levels[sets.indices] + 1, sets.indptr).astype(np.float64)
    mean = float(mean_ancestors(hierarchy) or 0)
    return (sets.lengths * mean).astype(np.float64)


def ranges_of(
    hierarchy: Hierarchy, truth: LabelSets, prediction: LabelSets, chunk: int | None
) -> list[tuple[int, int]]:
    """Cut the instances so that what a chunk needs fits in memory."""
    if chunk is not None and (not isinstance(chunk, int) or chunk < 1):
        raise BadInput(f"chunk must be a whole number of at least 1, got {chunk!r}")
    n = len(truth)
    if n == 0:
        return []
    n_levels = int(hierarchy.levels[-1]) + 1
    most = min(chunk or CHUNK, max(1, CHUNK_LEVELS // n_levels))
    block = [np.arange(n) // most]
    block.append(np.cumsum(truth.lengths * prediction.lengths) // CHUNK_PAIRS)
    if mean_ancestors(hierarchy) is not None:
        entries = sum(_ancestors(hierarchy, sets) for sets in (truth, prediction))
        block.append((np.cumsum(entries) // CHUNK_ANCESTORS).astype(np.int64))
    cut = np.flatnonzero(np.any([np.diff(b) > 0 for b in block], axis=0)) + 1
    return list(pairwise([0, *cut.tolist(), n]))
