"""The parts of a data set on a cluster of Dask: one that exists, or one for a while."""

from __future__ import annotations

import logging
import os
from asyncio import CancelledError as TaskCancelled
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

from hierpair._version import __version__
from hierpair.errors import BadInput, HierpairError, counted, shown
from hierpair.evaluation.parts import NumberedPart, PartJob, job_of

__all__ = ["ENVIRONMENT", "Cluster", "on_dask"]

ENVIRONMENT = {
    "MALLOC_TRIM_THRESHOLD_": 2**26,
    "MALLOC_MMAP_THRESHOLD_": 2**25,
    "OMP_NUM_THREADS": 1,
    "OPENBLAS_NUM_THREADS": 1,
    "MKL_NUM_THREADS": 1,
}
"""Of workers that are started here, from their first moment. Dask would have them give memory back
at once, for which arrays of every batch are paid with page faults; and libraries would start
threads beside those of the other workers."""

NO_SIGINT = """
import signal, threading
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
"""
"""Ctrl-C reaches all processes of a terminal; workers are stopped by the one that started them."""

CONNECT_SECONDS, WORKER_SECONDS = 10, 60
"""How long a scheduler may take to answer, and a cluster without workers to have one."""

PAUSE_SECONDS, LOOK_SECONDS = 0.05, 5.0
"""How often is looked for results, and whether there are workers, which may all have died."""


def _with_dask() -> tuple[Any, Any]:
    try:
        import dask
        import distributed
    except ModuleNotFoundError:
        raise BadInput(
            "engine dask needs dask and distributed: pip install 'hierpair[distributed]'"
        ) from None
    return dask, distributed


@dataclass(frozen=True)
class Cluster:
    """Where tasks are done: one of these is given, or none for workers on this machine.

    Attributes
    ----------
    scheduler
        The address of a cluster, such as ``tcp://host:8786``, or a file that tells it.
    client
        A client that is connected; it stays open.
    n_workers
        How many processes are started on this machine, and stopped afterwards.
    """

    scheduler: str | None = None
    client: Any = None
    n_workers: int | None = None

    def check(self) -> None:
        """Refuse several clusters, a client that is none, or a number of workers that is none."""
        several = [name for name, value in vars(self).items() if value is not None]
        if len(several) > 1:
            raise BadInput(f"{several[0]} and {several[1]}: name one cluster")
        n = self.n_workers
        if n is not None and (not isinstance(n, int) or isinstance(n, bool) or n < 1):
            raise BadInput(f"n_workers must be a whole number from 1, got {shown(n)}")
        _, distributed = _with_dask()
        if self.client is not None and not isinstance(self.client, distributed.Client):
            raise BadInput(f"client is a distributed.Client, got {shown(self.client)}")
        if self.scheduler is not None and not isinstance(self.scheduler, str):
            raise BadInput(f"scheduler is an address, got {shown(self.scheduler)}")

    @contextmanager
    def connected(self, n_tasks: int) -> Iterator[Any]:
        """Give a client for so many tasks; workers that are started here end with it."""
        dask, distributed = _with_dask()
        if self.client is not None:
            yield self.client
        elif self.scheduler is not None:
            with _reached(self.scheduler) as client:
                yield client
        else:
            most = self.n_workers or dask.system.CPU_COUNT
            # what a nanny sets for its workers, it sets for this process, too
            before = dict(os.environ)
            try:
                with dask.config.set(_settings()):
                    cluster = _started(max(1, min(most, n_tasks)))
                    with cluster, distributed.Client(cluster, set_as_default=False) as client:
                        yield client
            finally:
                for name in os.environ.keys() - before.keys():
                    del os.environ[name]
                os.environ.update(before)


def _reached(address: str) -> Any:
    """Return a client of a cluster that exists."""
    _, distributed = _with_dask()
    file = "://" not in address and os.path.isfile(address)  # noqa: PTH113 - any text
    where = {"scheduler_file" if file else "address": address}
    try:
        return distributed.Client(**where, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:  # TimeoutError is an OSError
        raise BadInput(
            f"{address}: no scheduler of Dask answers here ({_reason(error)}); start one by "
            "dask scheduler, or leave the address out for workers on this machine"
        ) from None


def _settings() -> dict[str, Any]:
    dask, _ = _with_dask()
    return {
        "distributed.nanny.pre-spawn-environ": dict(ENVIRONMENT),
        # a dead worker may need long to come back on a busy machine, and is else given up for good
        "distributed.deploy.lost-worker-timeout": "1 day",
        "distributed.worker.profile.enabled": False,  # nobody looks at it
        "distributed.worker.memory.monitor-interval": "1s",
        "distributed.admin.system-monitor.interval": "5s",
        "distributed.worker.preload": [*dask.config.get("distributed.worker.preload"), NO_SIGINT],
    }


def _started(n_workers: int) -> Any:
    """Return worker processes on this machine."""
    _, distributed = _with_dask()
    try:
        return distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, host="127.0.0.1",
            dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL + 1,
        )  # fmt: skip
    except (OSError, RuntimeError) as error:
        raise HierpairError(
            f"the workers could not be started ({_reason(error)}); a script that starts "
            "processes does so below if __name__ == '__main__'"
        ) from None


def on_dask(cluster: Cluster, job: PartJob, parts: Sequence[NumberedPart]) -> Iterator[bytes]:
    """Yield what the parts leave behind as they are done.

    A task is a function of what is in the graph alone: the job and a part. So one that is done
    twice gives the same bytes, and whatever a dead worker held is made again; nothing is
    scattered, of which the scheduler would have no recipe.

    Raises
    ------
    HierpairError
        What a part raised, the first in their order; a cluster that cannot do the tasks, or is
        lost; a part whose workers die again and again.
    """
    dask, _ = _with_dask()
    with cluster.connected(len(parts)) as client:
        for address, fault in sorted(client.run(_fault, job.content, on_error="return").items()):
            if isinstance(fault, str):
                raise BadInput(f"worker {address}: {fault}")
        # another run may find other files under the same names, so that its keys are its own
        run = f"hierpair-{uuid4().hex}"
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            content = client.submit(bytes, job.content, key=f"{run}-job", pure=False)
        keys = [f"{run}-{number}" for number in range(len(parts))]
        made = client.map(_part, [content] * len(parts), list(parts), key=keys)
        fault = len(parts)  # the first part that has one
        try:
            for future, status in _arriving(client, made):
                number = keys.index(future.key)
                if number < fault and status == "finished":
                    yield _result(future, parts[number])
                    future.release()
                elif number < fault:
                    fault = number
                    for later in made[fault + 1 :]:
                        later.release()
            if fault < len(parts):
                _result(made[fault], parts[fault])
        finally:
            for task in (*made, content):
                task.release()


def _arriving(client: Any, futures: list[Any]) -> Iterator[tuple[Any, str]]:
    """Yield futures as they are done, and how; without any worker they would never be.

    One that is lost before it is looked at, since its worker died, is made again: it has no
    fault, and is waited for once more.
    """
    _, distributed = _with_dask()
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
            try:
                client.wait_for_workers(1, timeout=WORKER_SECONDS)
            except (TimeoutError, distributed.TimeoutError):
                raise HierpairError(
                    f"{client.scheduler.address}: this cluster has no worker, and none came within "
                    f"{counted(WORKER_SECONDS, 'second')}; start some by dask worker"
                ) from None
            looked = monotonic()


def _result(future: Any, part: NumberedPart) -> bytes:
    """Return what a task gave, or raise in our words why it gave nothing."""
    _, distributed = _with_dask()
    what = f"{part[1].path} (part {part[1].id})"
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
        raise HierpairError(
            f"{what}: the cluster is lost ({' '.join(str(error).split())}); nothing was added up"
        ) from None


def _fault(content: bytes) -> str | None:
    """Return what this process lacks, if it does."""
    try:
        job_of(content)
    except BadInput as error:
        return str(error)
    return None


def _part(content: bytes, part: NumberedPart) -> bytes:
    """Do one part; what this worker lacks is named with its address."""
    if fault := _fault(content):
        _, distributed = _with_dask()
        raise BadInput(f"worker {distributed.get_worker().address}: {fault}")
    return job_of(content)(part)


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}".removesuffix(": ")
