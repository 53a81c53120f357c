"""Parts of a data set as tasks of Dask: a task per part."""

from __future__ import annotations

from asyncio import CancelledError as TaskCancelled
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import replace
from threading import Lock
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

from hierpair._version import __version__
from hierpair.errors import BadInput, HierpairError
from hierpair.evaluation.data_sets.dask_cluster import (
    Cluster,
    check_workers,
    job_of,
    packed_job,
    some_worker,
    with_dask,
)
from hierpair.evaluation.data_sets.engines import OnDone
from hierpair.evaluation.data_sets.hierarchy_once import HierarchyFile
from hierpair.evaluation.data_sets.part_scoring import PartJob, partial_of_part
from hierpair.hierarchy import Hierarchy
from hierpair.io.datasets import DataPart
from hierpair.io.datasets.parts import absolute

__all__ = ["on_dask"]

PAUSE_SECONDS = 0.05
"""How often is looked for results,"""

LOOK_SECONDS = 5.0
"""and whether there are workers, which may all have died."""

_one_at_a_time = Lock()
"""A worker may have several threads; a hierarchy keeps what it makes for one of them."""


def on_dask(
    cluster: Cluster, job: PartJob, parts: Sequence[DataPart], on_done: OnDone
) -> Iterator[bytes]:
    """Yield what the parts leave behind as they are done; an engine (:mod:`.engines`).

    A task is a function of what is in the graph alone: the job and a part. So one that is done
    twice gives the same bytes, and whatever a dead worker held is made again; nothing is
    scattered, of which the scheduler would have no recipe.

    Parameters
    ----------
    cluster
        Where the tasks are done.
    job, parts
        What is to be done with which parts.
    on_done
        Called with every part that is done.

    Raises
    ------
    HierpairError
        What a part raised, the first in their order; a cluster that cannot do the tasks, or is
        lost; a part whose workers die again and again.
    """
    if not cluster.is_own:  # its workers may stand in other folders
        job, parts = _anywhere(job), [part.anywhere() for part in parts]
    content = packed_job(job)
    with cluster.connected(len(parts)) as client:
        check_workers(client, content)
        yield from _results(client, content, parts, on_done)


def _anywhere(job: PartJob) -> PartJob:
    """Return the same job with paths that do not depend on a folder."""
    source, values = job.hierarchy, job.values
    if isinstance(source, HierarchyFile):
        source = replace(source, path=absolute(source.path))
    if values is not None:
        values = replace(values, folder=absolute(values.folder))
    return replace(job, hierarchy=source, values=values)


def _results(
    client: Any, content: bytes, parts: Sequence[DataPart], on_done: OnDone
) -> Iterator[bytes]:
    """Yield the results of all parts; raise the error of the first part that has one."""
    dask, _ = with_dask()
    # another run may find other files under the same names, so that its keys are its own
    run = f"hierpair-{uuid4().hex}"
    # a hierarchy without a path is large, and is sent once
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        job = client.submit(bytes, content, key=f"{run}-job", pure=False)
    keys = [f"{run}-{number}" for number in range(len(parts))]
    made = client.map(_part, [job] * len(parts), list(parts), range(len(parts)), key=keys)
    left, fault = dict(zip(keys, enumerate(made), strict=True)), len(parts)
    try:
        for future, status in _arriving(client, made):
            number, _ = left[future.key]
            if number > fault:
                continue
            if status == "finished":
                yield _result(future, parts[number])
                on_done(parts[number])
                left.pop(future.key)[1].release()
            else:
                fault = number
                for later, task in left.values():
                    if later > fault:
                        task.release()
        if fault < len(parts):
            _result(made[fault], parts[fault])
    finally:
        for _, task in left.values():
            task.release()
        job.release()


def _arriving(client: Any, futures: list[Any]) -> Iterator[tuple[Any, str]]:
    """Yield futures as they are done, and how; without any worker they would never be.

    One that is lost before it is looked at, since its worker died, is made again: it has no
    fault, and is waited for once more.
    """
    _, distributed = with_dask()
    done = distributed.as_completed(futures, loop=client.loop)
    looked = 0.0
    while not done.is_empty():
        if done.has_ready():
            future = next(done)
            if (status := future.status) in ("lost", "pending"):
                done.add(future)
            else:
                yield future, status
        elif monotonic() - looked < LOOK_SECONDS:
            sleep(PAUSE_SECONDS)
        else:
            some_worker(client)
            looked = monotonic()


def _result(future: Any, part: DataPart) -> bytes:
    """Return what a task gave, or raise in our words why it gave nothing."""
    _, distributed = with_dask()
    what = f"{part.path} (part {part.id})"
    try:
        return bytes(future.result())
    except HierpairError as error:
        raise error.with_traceback(None) from None
    except distributed.scheduler.KilledWorker as error:
        raise HierpairError(
            f"{what}: the workers that did this died, {error.allowed_failures + 1} of them, "
            f"the last one {error.last_worker.address}; they were killed, perhaps since the "
            "memory was full (give them more, or open the data with fewer rows_per_part), or a "
            "measure of your own ended them"
        ) from None
    except ImportError as error:
        raise BadInput(
            f"{what}: a worker lacks a package ({error}); install hierpair {__version__} and its "
            f"extra everywhere: pip install 'hierpair[distributed]=={__version__}'"
        ) from None
    except (CancelledError, TaskCancelled, distributed.comm.CommClosedError) as error:
        reason = " ".join(str(error).split())
        raise HierpairError(
            f"{what}: the cluster is lost ({reason}); nothing was added up"
        ) from None


def _part(content: bytes, part: DataPart, number: int) -> bytes:
    """Do one part; what this worker lacks is named with its address."""
    with _one_at_a_time:
        try:
            job = job_of(content)
            if not isinstance(job.hierarchy, Hierarchy):
                job = replace(job, hierarchy=job.hierarchy.load())
        except BadInput as error:
            _, distributed = with_dask()
            raise BadInput(f"worker {distributed.get_worker().address}: {error}") from None
        return partial_of_part(job, part, number)
