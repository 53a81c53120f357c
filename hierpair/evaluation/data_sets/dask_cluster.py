"""Clusters of Dask: one that exists, or one for a while; and what its workers lack."""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hierpair._version import __version__
from hierpair.errors import BadInput, HierpairError, counted, shown
from hierpair.evaluation.data_sets.part_scoring import PartJob
from hierpair.evaluation.processes import take_along
from hierpair.io import LABEL_FORMATS

__all__ = ["ENVIRONMENT", "Cluster", "check_workers", "job_of", "packed_job", "some_worker",
           "with_dask"]  # fmt: skip

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

CONNECT_SECONDS = 10
"""How long a scheduler may take to answer,"""

WORKER_SECONDS = 60
"""and a cluster without workers to have one."""


def with_dask() -> tuple[Any, Any]:
    """Return the packages ``dask`` and ``distributed``.

    Raises
    ------
    BadInput
        If they are not installed.
    """
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

    @property
    def is_own(self) -> bool:
        """Whether the workers are started here."""
        return self.client is None and self.scheduler is None

    def check(self) -> None:
        """Refuse what does not go together.

        Raises
        ------
        BadInput
            For several clusters, a client that is none, or a number of workers that is none.
        """
        given = {"scheduler": self.scheduler, "client": self.client, "n_workers": self.n_workers}
        several = [name for name, value in given.items() if value is not None]
        if len(several) > 1:
            raise BadInput(f"{several[0]} and {several[1]}: name one cluster")
        n = self.n_workers
        if n is not None and (not isinstance(n, int) or isinstance(n, bool) or n < 1):
            raise BadInput(f"n_workers must be a whole number from 1, got {shown(n)}")
        _, distributed = with_dask()
        if self.client is not None and not isinstance(self.client, distributed.Client):
            raise BadInput(f"client is a distributed.Client, got {shown(self.client)}")
        if self.scheduler is not None and not isinstance(self.scheduler, str):
            raise BadInput(f"scheduler is an address, got {shown(self.scheduler)}")

    @contextmanager
    def connected(self, n_tasks: int) -> Iterator[Any]:
        """Give a client for so many tasks.

        Raises
        ------
        HierpairError
            If no scheduler answers, or processes cannot be started.
        """
        if self.client is not None:
            yield self.client
        elif self.scheduler is not None:
            with _reached(self.scheduler) as client:
                yield client
        else:
            dask, _ = with_dask()
            most = dask.system.CPU_COUNT if self.n_workers is None else self.n_workers
            with _started(max(1, min(most, n_tasks))) as client:
                yield client


def _reached(address: str) -> Any:
    """Return a client of a cluster that exists."""
    _, distributed = with_dask()
    how = {"timeout": CONNECT_SECONDS, "set_as_default": False}
    try:
        if "://" not in address and os.path.isfile(address):  # noqa: PTH113 - any text
            return distributed.Client(scheduler_file=address, **how)
        return distributed.Client(address, **how)
    except (OSError, ValueError, TypeError) as error:  # TimeoutError is an OSError
        raise BadInput(
            f"{address}: no scheduler of Dask answers here ({_reason(error)}); start one by "
            "dask scheduler, or leave the address out for workers on this machine"
        ) from None


@contextmanager
def _started(n_workers: int) -> Iterator[Any]:
    """Start worker processes on this machine; at the end nothing of them is left."""
    dask, distributed = with_dask()
    settings = {
        "distributed.nanny.pre-spawn-environ": dict(ENVIRONMENT),
        # a dead worker may need long to come back on a busy machine, and is else given up for good
        "distributed.deploy.lost-worker-timeout": "1 day",
        "distributed.worker.profile.enabled": False,  # nobody looks at it
        "distributed.worker.memory.monitor-interval": "1s",
        "distributed.admin.system-monitor.interval": "5s",
        "distributed.worker.preload": [*dask.config.get("distributed.worker.preload"), NO_SIGINT],
    }
    # what a nanny sets for its workers, it sets for this process, too
    kept = (*ENVIRONMENT, "PYTHONHASHSEED", "__DASK_PARENT_PID")
    before = {name: os.environ.get(name) for name in kept}
    try:
        with dask.config.set(settings):
            try:
                cluster = distributed.LocalCluster(
                    n_workers=n_workers, threads_per_worker=1, processes=True, host="127.0.0.1",
                    dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL + 1,
                )  # fmt: skip
            except (OSError, RuntimeError) as error:
                raise HierpairError(
                    f"the workers could not be started ({_reason(error)}); a script that starts "
                    "processes does so below if __name__ == '__main__'"
                ) from None
            with cluster, distributed.Client(cluster, set_as_default=False) as client:
                yield client
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def packed_job(job: PartJob) -> bytes:
    """Return what is to be done as bytes.

    Raises
    ------
    BadInput
        If something of a user's own cannot travel.
    """
    import cloudpickle

    take_along(job.measures)
    signatures = [m.signature for m in job.measures]
    try:
        content: bytes = cloudpickle.dumps((__version__, signatures, cloudpickle.dumps(job)))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise BadInput(
            f"what is to be computed cannot be sent to other processes ({_reason(error)}); use one "
            "process, without an engine"
        ) from None
    return content


@lru_cache(maxsize=4)
def job_of(content: bytes) -> PartJob:
    """Return what is to be done, once per process.

    Raises
    ------
    BadInput
        If this process lacks what is needed: the version, a module, a measure or a format.
    """
    version, signatures, inner = pickle.loads(content)
    if version != __version__:
        raise BadInput(
            f"there is hierpair {__version__}, and hierpair {version} is needed; install the same "
            f"version everywhere: pip install 'hierpair[distributed]=={version}'"
        )
    try:
        job: PartJob = pickle.loads(inner)
        found = [m.signature for m in job.measures if m.recipe is not None]
        form = getattr(job.reader, "form", None)
        if form is not None:
            LABEL_FORMATS.check(form)
    except Exception as error:  # modules of a user's own may raise anything
        raise BadInput(
            f"this process cannot do what is asked ({_reason(error)}); the plugins and modules of "
            "your own are needed here, too"
        ) from None
    if found != signatures:
        strange = sorted(set(signatures) - set(found))[0]
        raise BadInput(f"the measure {strange} is another one here; use the same plugin")
    return job


def check_workers(client: Any, content: bytes) -> None:
    """Refuse a cluster with a worker that lacks what is needed; later ones say so themselves.

    Raises
    ------
    BadInput
        Names the first such worker, and what is missing.
    """
    for address, fault in sorted(client.run(_fault, content, on_error="return").items()):
        if isinstance(fault, str):
            raise BadInput(f"worker {address}: {fault}")


def _fault(content: bytes) -> str | None:
    """Return what this process lacks, if it does."""
    try:
        job_of(content)
    except BadInput as error:
        return str(error)
    return None


def some_worker(client: Any) -> None:
    """Wait until a cluster has a worker; one that grows with its tasks has none at first.

    Raises
    ------
    HierpairError
        If there is none after a while.
    """
    _, distributed = with_dask()
    try:
        client.wait_for_workers(1, timeout=WORKER_SECONDS)
    except (TimeoutError, distributed.TimeoutError):
        raise HierpairError(
            f"{client.scheduler.address}: this cluster has no worker, and none came within "
            f"{counted(WORKER_SECONDS, 'second')}; start some by dask worker"
        ) from None


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}".removesuffix(": ")
