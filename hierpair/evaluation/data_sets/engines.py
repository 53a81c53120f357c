"""Where the parts of a data set are done: on this machine or elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Literal

from hierpair.errors import BadInput, shown
from hierpair.evaluation.data_sets.part_scoring import PartJob
from hierpair.io.datasets import DataPart

__all__ = ["Engine", "OnDone", "engine_for"]

OnDone = Callable[[DataPart], None]
"""Called with every part that is done, in any order."""

Engine = Callable[[PartJob, Sequence[DataPart], OnDone], Iterable[bytes]]
"""Takes a job and parts, and returns what
:func:`~hierpair.evaluation.data_sets.part_scoring.partial_of_part` gives for every part and its
number, one by one or added up, in any order; each part once."""


def engine_for(
    engine: Engine | Literal["dask"] | None,
    *,
    scheduler: str | None = None,
    client: Any = None,
    n_workers: int | None = None,
    n_jobs: int = 1,
) -> Engine | None:
    """Return the engine of that name.

    Raises
    ------
    BadInput
        For other names, a cluster without an engine that has one, or processes beside an engine.
    """
    given = {"scheduler": scheduler, "client": client, "n_workers": n_workers}
    named = [name for name, value in given.items() if value is not None]
    if engine != "dask" and named:
        raise BadInput(f"{named[0]} is for engine='dask'")
    if engine is None:
        return None
    if n_jobs != 1:
        raise BadInput("n_jobs is for this machine without an engine; leave one of them out")
    if engine == "dask":
        from hierpair.evaluation.data_sets.dask_cluster import Cluster
        from hierpair.evaluation.data_sets.dask_engine import on_dask

        cluster = Cluster(scheduler, client, n_workers)
        cluster.check()
        return partial(on_dask, cluster)
    if not callable(engine):
        raise BadInput(f"there is no engine {shown(engine)}; there are dask, and functions")
    return engine
