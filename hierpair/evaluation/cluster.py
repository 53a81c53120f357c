"""The parts of a data set on a cluster of Dask: one that exists, or one for a while."""

from __future__ import annotations

import logging
from asyncio import CancelledError as TaskCancelled
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from hierpair._version import __version__
from hierpair.errors import BadInput, HierpairError, counted, one_line
from hierpair.evaluation.dataset import NumberedPart, PartJob, job_of

try:
    import dask
    import distributed
except ModuleNotFoundError:
    raise BadInput("engine dask needs dask: pip install 'hierpair[distributed]'") from None

ENVIRONMENT = {
    "MALLOC_TRIM_THRESHOLD_": 67_108_864,
    "MALLOC_MMAP_THRESHOLD_": 33_554_432,
    "OMP_NUM_THREADS": 1,
    "OPENBLAS_NUM_THREADS": 1,
    "MKL_NUM_THREADS": 1,
}
"""Of workers that are started here. Dask would have them give memory back at once, for which arrays
of every batch are paid with page faults; and libraries would start threads of their own."""

NO_SIGINT = """import signal, threading
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.SIG_IGN)"""
"""Ctrl-C reaches all processes of a terminal; workers are stopped by the one that started them."""

CONNECT_SECONDS, WORKER_SECONDS = 10, 60
"""How long a scheduler may take to answer, and a cluster without workers to have one."""


@contextmanager
def connected(n_tasks: int, cluster: Any, n_workers: int | None = None) -> Iterator[Any]:
    """Give a client for so many tasks: as :func:`hierpair.evaluation.score_dataset` is asked."""
    if not isinstance(cluster, str):
        yield cluster
    elif cluster != "dask":
        try:
            found = distributed.Client(cluster, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:  # TimeoutError is an OSError
            reason = one_line(error)[:200]
            raise BadInput(
                f"{cluster}: no scheduler of Dask answers here ({reason}); start one by "
                "dask scheduler, or leave the address out for workers on this machine"
            ) from None
        with found:
            yield found
    else:
        settings = {
            "distributed.nanny.pre-spawn-environ": dict(ENVIRONMENT),
            "distributed.deploy.lost-worker-timeout": "1 day",  # a busy machine may need long
            "distributed.worker.preload": [NO_SIGINT],
        }
        most = max(1, min(n_workers or dask.system.CPU_COUNT, n_tasks))
        with dask.config.set(settings):
            own = distributed.LocalCluster(
                n_workers=most, threads_per_worker=1, host="127.0.0.1",
                dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL + 1,
            )  # fmt: skip
            with own, distributed.Client(own, set_as_default=False) as found:
                yield found


def on_dask(
    job: PartJob, parts: Sequence[NumberedPart], cluster: Any, n_workers: int | None = None
) -> Iterator[bytes]:
    """Yield the sums of the parts, in their order, or raise the error of the first.

    A task is a function of what is in the graph alone: the job and a part. So one that is done
    twice gives the same bytes, and whatever a dead worker held is made again; nothing is
    scattered, of which the scheduler would have no recipe.
    """
    with connected(len(parts), cluster, n_workers) as client:
        _wait_for_a_worker(client)
        workers = client.run(_part, job.content, on_error="return")
        for address, fault in workers.items():
            if isinstance(fault, BadInput):
                raise BadInput(f"worker {address}: {fault}")
        # another run may find other files under the same names, so that its keys are its own
        run = f"hierpair-{uuid4().hex}"
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            content = client.submit(bytes, job.content, key=f"{run}-job", pure=False)
        # a task goes where what it needs is: so that is beside every worker that there is now
        beside = [
            client.submit(bytes, content, key=f"{run}-at-{k}", workers=[at],
                          allow_other_workers=True)
            for k, at in enumerate(workers)
        ]  # fmt: skip
        keys = [f"{run}-{number}" for number in range(len(parts))]
        nearest = [beside[k % len(beside)] for k in range(len(parts))]
        made = client.map(_part, nearest, list(parts), key=keys)
        try:
            for future, (_, part) in zip(made, parts, strict=True):
                yield _result(future, f"{part.path} (part {part.id})")
                future.release()
        finally:
            for task in (*made, *beside, content):
                task.release()


def _part(content: bytes, part: NumberedPart | None = None) -> bytes:
    """Do one part, or none, which tells what a worker lacks."""
    job = job_of(content)
    return b"" if part is None else job(part)


def _wait_for_a_worker(client: Any) -> None:
    """Return when there is one, or refuse a cluster that has none for long."""
    try:
        client.wait_for_workers(1, timeout=WORKER_SECONDS)
    except TimeoutError:
        raise HierpairError(
            f"{client.scheduler.address}: this cluster has no worker, and none came within "
            f"{counted(WORKER_SECONDS, 'second')}; start some by dask worker"
        ) from None


def _result(future: Any, part: str) -> bytes:
    """Return what a task gave, or raise in our words why it gave nothing."""
    try:
        while True:
            try:
                return bytes(future.result(timeout=WORKER_SECONDS))
            except TimeoutError:
                if future.status == "error":  # raised by the task
                    raise
                _wait_for_a_worker(future.client)  # Dask itself would wait for ever
    except HierpairError as error:
        raise error.with_traceback(None) from None
    except distributed.scheduler.KilledWorker:
        told = (
            "the workers that did this died, perhaps since the memory was full (take fewer "
            "rows_per_part), or a measure of your own ended them"
        )
    except ImportError as error:
        told = f"a worker lacks a package ({error}); install hierpair {__version__} everywhere"
    except (CancelledError, TaskCancelled, distributed.comm.CommClosedError) as error:
        told = f"the cluster is lost ({one_line(error)[:200]}); nothing was added up"
    raise HierpairError(f"{part}: {told}")
