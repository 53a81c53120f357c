"""Scores of a data set of any size, read part by part in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from hierpair.errors import BadInput, listed, shown
from hierpair.evaluation.checked import (
    check_names,
    check_policy,
    chosen_measures,
    default_measures,
    refuse_counting,
)
from hierpair.evaluation.partial import Partial, merge_named
from hierpair.evaluation.parts import NumberedPart, PartJob, folder_of_values
from hierpair.evaluation.processes import check_jobs, in_processes
from hierpair.evaluation.progress import OnProgress, Progress, shown_progress
from hierpair.evaluation.scores import Scores
from hierpair.evaluation.sums import Kept, Sums
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.io.datasets import DataPart, DataSet, check_ids, joined, open_dataset
from hierpair.labels import Columns, Unknown
from hierpair.labels.columns import column_named, no_row
from hierpair.measures import Measure

Engine = Callable[[Callable[[NumberedPart], bytes], Sequence[NumberedPart]], Iterable[bytes]]
"""Takes a function and parts, as ``map`` does, and returns what the function gives for every part,
one by one or added up, in any order; each part once."""


@takes_hierarchy
def score_dataset(
    hierarchy: Hierarchy,
    data: DataSet | str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    truth: str | Columns = "truth",
    systems: Sequence[str] | Mapping[str, str | Columns] | None = None,
    measures: Sequence[str | Measure] | str | None = None,
    ids: str | None = None,
    sample_weight: str | None = None,
    unknown: Unknown = "error",
    on_infeasible: Literal["raise", "nan"] = "raise",
    n_jobs: int = 1,
    engine: Engine | Literal["dask"] | None = None,
    scheduler: str | None = None,
    client: Any = None,
    n_workers: int | None = None,
    values: str | PathLike[str] | None = None,
    keep_worst: int = 0,
    blocks: int = 0,
    block_seed: int = 0,
    hints: Mapping[str, str] | None = None,
    on_progress: OnProgress = None,
    **conventions: Any,
) -> Scores:
    """Score truth and systems that are columns of a data set of any size.

    The data set is read part by part; what a part leaves behind is added up exactly. So the scores
    are those of :func:`hierpair.score` on all of its rows, to the last bit, whatever the parts,
    batches and processes are.

    Parameters
    ----------
    hierarchy
        The classes, or a file of them.
    data
        What ``hierpair.io.datasets.open_dataset`` returned, or takes: a file, a folder, a
        pattern such as ``day-*/part-*.parquet``, or a list of these.
    truth
        The column of the true labels; :class:`hierpair.labels.Columns` where it is written in
        another way than the others.
    systems
        The columns of the systems, or by the name of a system its column; by default all but the
        truth, the ids, the weights, and those of conditions on rows.
    measures
        Measures or their names; by default all that are defined for any label sets.
    ids
        The column of instance ids, where ``data`` is not opened yet and it has no usual name.
    sample_weight
        A column of weights ≥ 0.
    unknown, on_infeasible, conventions
        As for :func:`hierpair.score`.
    n_jobs
        Processes, each with a part at a time.
    engine
        ``"dask"`` for a cluster (needs the extra ``distributed``), with a task per part; or a
        function that does the parts elsewhere: it takes what is to be done with a part, and the
        parts, as ``map`` does, and returns the results in any order.
    scheduler, client, n_workers
        The address of a cluster of Dask, a client that is connected to one, or how many workers
        are started on this machine and stopped afterwards; by default one per core.
    values
        A folder, empty or not there yet, into which the values of instances are written as they
        come: ``part-00000.parquet`` and so on, each complete or not there.
    keep_worst, blocks, block_seed
        As for :func:`hierpair.evaluation.partial`.
    hints
        By system, words to add to an error about its labels.
    on_progress
        Called with what is read, rows done, and all rows, which for text are an estimate; None
        and False as for :func:`hierpair.score`.

    Returns
    -------
    Scores
        Pooled scores, without values of instances; ``scores.partial`` adds up with others.

    Raises
    ------
    BadInput
        Names part, row, instance and label: a part that is missing, damaged or of other columns,
        an unknown label, a weight that is none.
    Infeasible
        If a pairing rule cannot be met for some instance, unless ``on_infeasible="nan"``.

    Examples
    --------
    >>> import tempfile, pathlib, pyarrow, pyarrow.parquet
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for k, guess in enumerate((["b", "b"], ["c"])):
    ...         table = {"id": [f"{k}.{i}" for i in range(len(guess))],
    ...                  "truth": ["b", "c"][: len(guess)], "mine": guess}
    ...         path = pathlib.Path(folder) / f"{k}.parquet"
    ...         pyarrow.parquet.write_table(pyarrow.table(table), path)
    ...     scores = score_dataset(tree, folder, measures=["hf", "gie"])
    >>> scores["mine", "gie"], scores.n_instances
    (1.3333333333333333, 3)
    """
    check_policy(on_infeasible)
    elsewhere = _engine(engine, n_jobs, scheduler=scheduler, client=client, n_workers=n_workers)
    for what, column in (("truth", truth), ("sample_weight", sample_weight)):
        if not isinstance(column, (str, Columns, type(None))) or (what == "truth" and not column):
            raise BadInput(f"{what} is the name of a column of the data set, got {shown(column)}")
    if not isinstance(data, DataSet):
        data = open_dataset(data, columns=Columns(ids=ids))
    elif ids not in (None, data.columns.ids):
        raise BadInput(
            f"the data set has its ids in {shown(data.columns.ids)}; name another column of ids "
            "where it is opened: open_dataset(…, columns=Columns(ids=…))"
        )
    chosen = chosen_measures(default_measures() if measures is None else measures, conventions)
    refuse_counting(chosen)
    true, pairs = sides_in(data, truth, systems, sample_weight)
    if data.columns.long:
        said = data.columns
        apart = (
            replace(data, columns=replace(one, ids=said.ids, long=True, where=said.where))
            for one in (true, *pairs.values())
        )
        return score_sides(
            hierarchy, next(apart), dict(zip(pairs, apart, strict=True)), measures=chosen,
            sample_weight=sample_weight, unknown=unknown, on_infeasible=on_infeasible,
            engine=elsewhere, values=values, keep_worst=keep_worst, blocks=blocks,
            block_seed=block_seed, hints=hints, on_progress=on_progress,
        )  # fmt: skip
    kept = Kept(keep_worst, blocks, block_seed)
    kept.check(has_ids=data.columns.ids is not None)
    folder = None if values is None else folder_of_values(values, [data.source])
    parts = list(data.parts)
    if engine is not None:  # processes may stand in other folders
        parts = [part.anywhere() for part in parts]
        folder = folder and os.path.abspath(folder)  # noqa: PTH100 - any text
    job = PartJob(
        hierarchy, data.reader, chosen, true, pairs, sample_weight, unknown, on_infeasible,
        folder, kept, hints or {},
    )  # fmt: skip
    check_ids(data)
    try:
        with (
            shown_progress(on_progress, "row") as tell,
            closing(_partials(data, job, parts, elsewhere, tell)) as several,
        ):
            total = merge_named(several)
    finally:
        for halfway in Path(folder).glob(".part-*") if folder else ():
            halfway.unlink(missing_ok=True)  # of processes that ended
    if absent := [part.id for part in parts if part.id not in total.parts]:
        raise BadInput(f"{data.source}: there is nothing of the parts {listed(absent)}")
    if not total.n_instances:
        none = no_row(data.columns, data.source) if data.columns.where else ""
        raise BadInput(none or f"{data.source}: there are no instances")
    if not total.truth["weight"]:
        raise BadInput(f"{data.source}: all sample weights are 0")
    return total.scores()


def _partials(
    data: DataSet,
    job: PartJob,
    parts: Sequence[DataPart],
    engine: Engine | None,
    tell: Progress | None,
) -> Generator[tuple[str, Partial]]:
    """Yield what the parts of a data set leave behind, telling how many rows are read."""
    n_read = 0

    def read(n_rows: int) -> None:
        nonlocal n_read
        n_read += n_rows
        if tell is not None:
            tell(data.source, n_read, data.n_rows or 0)

    read(0)
    here = (job(part, read) for part in enumerate(parts))
    for content in here if engine is None else engine(job, [*enumerate(parts)]):
        one = Partial.from_bytes(content, job.measures)
        yield "", one
        if engine is not None:
            read(one.n_instances)


def _engine(engine: Engine | Literal["dask"] | None, n_jobs: int, **cluster: Any) -> Engine | None:
    """Return what does the parts in other processes or elsewhere; None: this process does."""
    check_jobs(n_jobs)
    named = [name for name, value in cluster.items() if value is not None]
    if engine != "dask" and named:
        raise BadInput(f"{named[0]} is for engine='dask'")
    if engine is None:
        return None if n_jobs == 1 else partial(in_processes, n_jobs=n_jobs)
    if n_jobs != 1:
        raise BadInput("n_jobs is for this machine without an engine; leave one of them out")
    if engine == "dask":
        from hierpair.evaluation.cluster import check_cluster, on_dask

        check_cluster(**cluster)
        return partial(on_dask, **cluster)
    if not callable(engine):
        raise BadInput(f"there is no engine {shown(engine)}; there are dask, and functions")
    return engine


def score_sides(
    hierarchy: Any,
    truth: DataSet,
    systems: Mapping[str, DataSet],
    *,
    missing: Literal["error", "empty"] = "error",
    sample_weight: str | None = None,
    values: str | PathLike[str] | None = None,
    **how: Any,
) -> Scores:
    """Score systems whose labels are in other data sets than the truth: they are joined first.

    What :func:`hierpair.io.datasets.joined` takes is said there, all else is as for
    :func:`score_dataset`. ``columns`` of a data set say which column holds its labels.
    """
    if values is not None:  # refused before a long join
        folder_of_values(values, [side.source for side in (truth, *systems.values())])
    with joined(truth, systems, missing=missing, sample_weight=sample_weight) as table:
        total: Any = score_dataset(
            hierarchy, table.data, truth=table.truth, systems=table.systems, values=values,
            sample_weight=table.sample_weight, **how,
        ).partial  # fmt: skip
    more = (
        Sums({"missing": table.n_missing[name]}, {}, {"unused_scores": name in table.unused_scores})
        for name in total.systems
    )
    pairs = zip(total.sums, more, strict=True)
    sums = tuple(one.plus(joining, total.kept.keep_worst) for one, joining in pairs)
    found: Scores = replace(total, sums=sums).scores()
    return found


def sides_in(
    data: DataSet,
    truth: str | Columns,
    systems: Sequence[str] | Mapping[str, str | Columns] | None,
    sample_weight: str | None = None,
) -> tuple[Columns, dict[str, Columns]]:
    """Return where the truth is, and by name the systems; refuse columns that are not there."""

    def side(column: str | Columns) -> Columns:
        return replace(data.columns, labels=(column,)) if isinstance(column, str) else column

    true = side(truth)
    apart = {*true.labels, sample_weight, data.columns.ids, *(n for n, _ in data.columns.where)}
    if systems is None:
        systems = [name for name in data.names if name not in apart]
    elif isinstance(systems, str):
        systems = [systems]
    named = systems if isinstance(systems, Mapping) else dict(zip(systems, systems, strict=True))
    check_names(named, f"; the columns are {listed(data.names)}")
    sides = {name: side(column) for name, column in named.items()}
    asked = {"truth": true.labels, "weight": (sample_weight,) if sample_weight else ()}
    asked |= {f"system {name}": one.labels for name, one in sides.items()}
    for what, names in asked.items():
        for name in names:
            column_named(dict.fromkeys(data.names), name, (), what, data.source, needed=True)
    return true, sides
