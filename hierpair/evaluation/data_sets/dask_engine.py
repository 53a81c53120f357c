"""Parts of a data set as tasks of Dask: a task per part, and a tree of sums."""

from __future__ import annotations

from asyncio import CancelledError as TaskCancelled
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import replace
from hashlib import blake2b
from threading import Lock
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

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
from hierpair.evaluation.data_sets.hierarchy_once import HierarchyBytes, HierarchyFile
from hierpair.evaluation.data_sets.part_scoring import PartJob, partial_of_part
from hierpair.evaluation.partials.merging import merge
from hierpair.evaluation.partials.partial import Partial
from hierpair.hierarchy import Hierarchy
from hierpair.io.datasets import DataPart
from hierpair.io.datasets.parts import absolute

__all__ = ["on_dask"]

FAN_IN = 8
"""Partials that one task adds up."""

PAUSE_SECONDS = 0.05
"""How often is looked for results,"""

LOOK_SECONDS = 5.0
"""and whether there are workers, which may all have died."""

_one_at_a_time = Lock()
"""A worker may have several threads; a hierarchy keeps what it makes for one of them."""


def on_dask(
    cluster: Cluster, job: PartJob, parts: Sequence[DataPart], on_done: OnDone
) -> list[bytes]:
    """Return what all parts leave behind together; an engine (:mod:`.engines`).

    A task is a function of what is in the graph alone: the job, the hierarchy or its path, and a
    part. So one that is done twice gives the same bytes, and whatever a dead worker held is made
    again; nothing is scattered, of which the scheduler would have no recipe.

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
        return [_Run(client, job, content, parts).total(on_done)]


def _anywhere(job: PartJob) -> PartJob:
    """Return the same job with paths that do not depend on a folder."""
    source, values = job.hierarchy, job.values
    if isinstance(source, HierarchyFile):
        source = replace(source, path=absolute(source.path))
    if values is not None:
        values = replace(values, folder=absolute(values.folder))
    return replace(job, hierarchy=source, values=values)


class _Run:
    """The tasks of one run, which ends with all of them forgotten."""

    def __init__(
        self, client: Any, job: PartJob, content: bytes, parts: Sequence[DataPart]
    ) -> None:
        self.client, self.parts, self.n_sums = client, parts, 0
        # another run may find other files under the same names, so that its keys are its own
        self.digest = blake2b(content + uuid4().bytes, digest_size=16)
        dask, _ = with_dask()
        # a hierarchy without a path is large, and is sent once
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            self.shared = [
                client.submit(_itself, thing, key=self.key(kind), pure=False)
                for kind, thing in (("job", content), ("hierarchy", _Held(job.hierarchy)))
            ]
        n = len(parts)
        called = [self.key("part", part.id) for part in parts]
        made = client.map(
            _part, *([shared] * n for shared in self.shared), list(parts), list(range(n)),
            key=called,
        )  # fmt: skip
        self.left = dict(enumerate(made))
        self.numbers = {key: number for number, key in reversed([*enumerate(called)])}
        self.sum = self.summed(made)

    def key(self, kind: str, name: str = "") -> str:
        """Return the key of a task: the same for the same part of the same job."""
        digest = self.digest.copy()
        digest.update(f"{kind} {name}".encode("utf-8", "surrogatepass"))
        return f"hierpair-{kind}-{digest.hexdigest()}"

    def summed(self, futures: list[Any], level: int = 1) -> Any:
        """Add up partials, some at a time; what can be added up comes before further parts."""
        sums = []
        for start in range(0, len(futures), FAN_IN):
            self.n_sums += 1
            some = futures[start : start + FAN_IN]
            name = self.key("sum", str(self.n_sums))
            how = {"key": name, "priority": level, "pure": False}
            sums.append(self.client.submit(_sum, self.shared[0], some, **how))
        return sums[0] if len(sums) == 1 else self.summed(sums, level + 1)

    def total(self, on_done: OnDone) -> bytes:
        """Return the sum of all parts when they are done."""
        try:
            self.wait(on_done)
            ((done, _),) = self.arriving([self.sum])
            return bytes(self.result(done, None))
        finally:
            # not cancelled, which goes by way of sums that nobody holds and breaks the scheduler
            for future in (self.sum, *self.left.values(), *self.shared):
                future.release()

    def wait(self, on_done: OnDone) -> None:
        """Wait for all parts; raise the error of the first part that has one."""
        fault: int | None = None
        for future, status in self.arriving([*self.left.values()]):
            number = self.numbers[future.key]
            if number not in self.left or (fault is not None and number > fault):
                continue
            if status == "finished":
                on_done(self.parts[number])
                self.left.pop(number).release()  # its sum still holds it
                continue
            fault = number
            for later in (self.sum, *(self.left[n] for n in self.left if n > number)):
                later.release()
        if fault is not None:
            self.result(self.left[fault], self.parts[fault])

    def arriving(self, futures: list[Any]) -> Iterator[tuple[Any, str]]:
        """Yield futures as they are done, and how; without any worker they would never be.

        One that is lost before it is looked at, since its worker died, is made again: it has no
        fault, and is waited for once more.
        """
        _, distributed = with_dask()
        done = distributed.as_completed(futures, loop=self.client.loop)
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
                some_worker(self.client)
                looked = monotonic()

    def result(self, future: Any, part: DataPart | None) -> Any:
        """Return what a task gave, or raise in our words why it gave nothing."""
        _, distributed = with_dask()
        what = "adding up the parts" if part is None else f"{part.path} (part {part.id})"
        try:
            return future.result()
        except HierpairError as error:
            raise error.with_traceback(None) from None
        except distributed.scheduler.KilledWorker as error:
            raise HierpairError(
                f"{what}: the workers that did this died, {error.allowed_failures + 1} of them, "
                f"the last one {error.last_worker.address}; they were killed, perhaps since the "
                "memory was full (give them more, or open the data with fewer rows_per_part), or a "
                "measure of your own ended them"
            ) from None
        except (CancelledError, TaskCancelled, distributed.comm.CommClosedError) as error:
            reason = " ".join(str(error).split())
            raise HierpairError(
                f"{what}: the cluster is lost ({reason}); nothing was added up"
            ) from None


class _Held:
    """A hierarchy's path or bytes, which Dask does not look into."""

    def __init__(self, source: Any) -> None:
        if not isinstance(source, (HierarchyFile, HierarchyBytes)):
            raise AssertionError
        self.source = source

    def load(self) -> Hierarchy:
        return self.source.load()


def _itself(thing: Any) -> Any:
    return thing


def _part(content: bytes, held: _Held, part: DataPart, number: int) -> bytes:
    """Do one part; what this worker lacks is named with its address."""
    with _one_at_a_time:
        try:
            job = replace(job_of(content), hierarchy=held.load())
        except BadInput as error:
            _, distributed = with_dask()
            raise BadInput(f"worker {distributed.get_worker().address}: {error}") from None
        return partial_of_part(job, part, number)


def _sum(content: bytes, partials: list[bytes]) -> bytes:
    """Add up; none of the partials is changed."""
    measures = job_of(content).measures
    return merge(*(Partial.from_bytes(one, measures) for one in partials)).to_bytes()
