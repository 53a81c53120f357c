"""Scores of a data set of any size, read part by part in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from hierpair.errors import BadInput, first_repeated, listed, shown
from hierpair.evaluation.checked import (
    check_policy,
    chosen_measures,
    default_measures,
    refuse_counting,
)
from hierpair.evaluation.partial import Partial, merge_named
from hierpair.evaluation.parts import NumberedPart, PartJob, ValueParts
from hierpair.evaluation.processes import check_jobs, in_processes
from hierpair.evaluation.progress import OnProgress, Progress, shown_progress
from hierpair.evaluation.scores import Scores
from hierpair.evaluation.sums import Kept, Sums
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.io.datasets import DataPart, DataSet, check_ids, joined, open_dataset
from hierpair.labels import Columns, Unknown
from hierpair.labels.columns import column_named, no_row
from hierpair.measures import Measure

__all__ = ["Engine", "score_dataset", "score_sides", "systems_in"]

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
    check_jobs(n_jobs)
    check_policy(on_infeasible)
    elsewhere = _engine(engine, n_jobs, scheduler=scheduler, client=client, n_workers=n_workers)
    for what, column in (("truth", truth), ("sample_weight", sample_weight)):
        if not isinstance(column, (str, Columns, type(None))) or (what == "truth" and not column):
            raise BadInput(f"{what} is the name of a column of the data set, got {shown(column)}")
    if not isinstance(data, DataSet):
        data = open_dataset(data, columns=Columns(ids=ids))
    elif ids is not None and ids != data.columns.ids:
        raise BadInput(
            f"the data set has its ids in {shown(data.columns.ids)}; name another column of ids "
            "where it is opened: open_dataset(…, columns=Columns(ids=…))"
        )
    chosen = chosen_measures(default_measures() if measures is None else measures, conventions)
    refuse_counting(chosen)
    pairs = systems_in(data, truth, systems, sample_weight)
    if data.columns.long:
        apart = (_one_column(data, column) for column in (truth, *(c for _, c in pairs)))
        return score_sides(
            hierarchy, next(apart), dict(zip(dict(pairs), apart, strict=True)), measures=chosen,
            sample_weight=sample_weight, unknown=unknown, on_infeasible=on_infeasible,
            engine=elsewhere, values=values, keep_worst=keep_worst, blocks=blocks,
            block_seed=block_seed, hints=hints, on_progress=on_progress,
        )  # fmt: skip
    job = PartJob(
        hierarchy=hierarchy,
        reader=data.reader,
        measures=chosen,
        truth=truth,
        systems=dict(pairs),
        sample_weight=sample_weight,
        unknown=unknown,
        on_infeasible=on_infeasible,
        values=None if values is None else ValueParts(str(values)),
        kept=Kept(keep_worst, blocks, block_seed),
        hints=hints or {},
    )
    job.kept.check(has_ids=data.columns.ids is not None)
    if job.values is not None:
        job.values.check_apart(data.source)
        job.values.prepare()
    check_ids(data)
    parts = [*enumerate(data.parts)]
    try:
        with shown_progress(on_progress, "row") as told:
            tell = _Teller(data, told)
            if elsewhere is None:
                found: Iterable[bytes] = (job(part, tell.read) for part in parts)
            elif engine is None:
                found = elsewhere(job, parts)
            else:
                away = job.values and job.values.anywhere()
                moved = [(number, part.anywhere()) for number, part in parts]
                found = elsewhere(replace(job, values=away), moved)
            total = _added_up(data, found, chosen, tell)
    finally:
        if job.values is not None:
            job.values.clear()
    return total.scores()


def _engine(engine: Engine | Literal["dask"] | None, n_jobs: int, **cluster: Any) -> Engine | None:
    """Return what does the parts in other processes or elsewhere; None: this process does.

    Raises
    ------
    BadInput
        For other names, a cluster without an engine that has one, or processes beside an engine.
    """
    named = [name for name, value in cluster.items() if value is not None]
    if engine != "dask" and named:
        raise BadInput(f"{named[0]} is for engine='dask'")
    if engine is None:
        return None if n_jobs == 1 else partial(in_processes, n_jobs=n_jobs)
    if n_jobs != 1:
        raise BadInput("n_jobs is for this machine without an engine; leave one of them out")
    if engine == "dask":
        from hierpair.evaluation.cluster import Cluster, on_dask

        known = Cluster(**cluster)
        known.check()
        return partial(on_dask, known)
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
    folder: str | Path | None = None,
    **how: Any,
) -> Scores:
    """Score systems whose labels are in other data sets than the truth.

    They are joined first, by id (:func:`hierpair.io.datasets.joined`).

    Parameters
    ----------
    hierarchy
        As for :func:`score_dataset`.
    truth, systems
        Data sets whose ``columns`` say which column holds the labels.
    missing
        What an instance without prediction is: an error, or an empty set.
    sample_weight
        A column of the truth.
    values
        As for :func:`score_dataset`.
    folder
        Where the joined table is put.
    how
        All else as for :func:`score_dataset`.

    Raises
    ------
    BadInput
        As :func:`score_dataset` and :func:`hierpair.io.datasets.joined`: instances that only one
        side has, ids that come twice.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from hierpair import Hierarchy
    >>> from hierpair.io.datasets import open_dataset
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, labels in (("truth", "bc"), ("mine", "bb")):
    ...         rows = [f"{i},{label}" for i, label in enumerate(labels)]
    ...         path = pathlib.Path(folder) / f"{name}.csv"
    ...         _ = path.write_text(chr(10).join(["id,label", *rows, ""]))
    ...     truth, mine = (open_dataset(f"{folder}/{name}.csv") for name in ("truth", "mine"))
    ...     score_sides(tree, truth, {"mine": mine}, measures="gie")["mine", "gie"]
    1.0
    """
    if values is not None:
        for side in (truth, *systems.values()):
            ValueParts(str(values)).check_apart(side.source)
        ValueParts(str(values)).prepare()  # not only after a long join
    with joined(
        truth, systems, missing=missing, sample_weight=sample_weight, folder=folder
    ) as table:
        total = score_dataset(
            hierarchy, table.data, truth=table.truth, systems=table.systems, values=values,
            sample_weight=table.sample_weight, **how,
        ).partial  # fmt: skip
    if not isinstance(total, Partial):
        raise AssertionError
    sums = []
    for name, one in zip(total.systems, total.sums, strict=True):
        joining = Sums({"missing": table.n_missing[name]})
        unused = Sums(most={"unused_scores": name in table.unused_scores})
        sums.append(one.plus(joining, total.kept.keep_worst).plus(unused, total.kept.keep_worst))
    return replace(total, sums=tuple(sums)).scores()


def _added_up(
    data: DataSet, found: Iterable[bytes], measures: Sequence[Measure], tell: _Teller
) -> Partial:
    """Return what the parts of a data set leave behind together, telling which are done."""
    parts = {part.id: part for part in data.parts}

    def partials() -> Generator[tuple[str, Partial]]:
        for content in found:
            one = Partial.from_bytes(content, measures)
            yield "", one
            for part in one.parts:
                tell.done(parts[part])

    with closing(partials()) as several:
        first = next(several, None)
        total = None if first is None else merge_named(chain([first], several))
    absent = [part.id for part in data.parts if total is None or part.id not in total.parts]
    if absent or total is None:
        raise BadInput(f"{data.source}: there is nothing of the parts {listed(absent)}")
    if not total.n_instances:
        none = no_row(data.columns, data.source) if data.columns.where else ""
        raise BadInput(none or f"{data.source}: there are no instances")
    if not total.truth["weight"]:
        raise BadInput(f"{data.source}: all sample weights are 0")
    return total


def systems_in(
    data: DataSet,
    truth: str | Columns,
    systems: Sequence[str] | Mapping[str, str | Columns] | None,
    sample_weight: str | None = None,
) -> tuple[tuple[str, str | Columns], ...]:
    """Return names of systems and their columns; refuse columns that are not there.

    Raises
    ------
    BadInput
        For a column that is not there, none at all, or two systems of one name.
    """
    true = (truth,) if isinstance(truth, str) else truth.labels
    apart = {*true, sample_weight, data.columns.ids, *(n for n, _ in data.columns.where)}
    if systems is None:
        systems = [name for name in data.names if name not in apart]
        if not systems:
            raise BadInput(
                f"{data.source}: beside {listed(sorted(map(str, apart - {None})))} no column is a "
                f"system; there are {listed(data.names)}"
            )
    if isinstance(systems, str):
        systems = [systems]
    named = systems if isinstance(systems, Mapping) else None
    pairs = tuple((name, name) for name in systems) if named is None else tuple(named.items())
    if not pairs:
        raise BadInput("no system is given")
    twice = first_repeated(name for name, _ in pairs)
    if twice is not None:
        raise BadInput(f"two systems have the same name: {twice}")
    if "y_true" in dict(pairs):
        raise BadInput("a system cannot be called y_true; choose another name")
    columns = dict.fromkeys(data.names)
    asked = {"truth": true, "weight": [sample_weight] if sample_weight is not None else []}
    for name, column in pairs:
        asked[f"system {name}"] = (column,) if isinstance(column, str) else column.labels
    for what, names in asked.items():
        for name in names:
            column_named(columns, name, (), what, data.source, needed=True)
    return pairs


def _one_column(data: DataSet, column: str | Columns) -> DataSet:
    """Return a data set with one label per row, of which one column holds the labels."""
    own = Columns(labels=(column,)) if isinstance(column, str) else column
    said = data.columns
    return replace(data, columns=replace(own, ids=said.ids, long=True, where=said.where))


class _Teller:
    """Tells how far a run is; where nobody knows the number of rows, it is estimated by bytes."""

    def __init__(self, data: DataSet, tell: Progress | None) -> None:
        self.data, self.tell = data, tell or (lambda *_: None)
        self.rows = self.inside = self.n_bytes = 0
        self.read(0)

    def read(self, n_rows: int) -> None:
        """Tell of some rows of the part that is being read."""
        self.inside += n_rows
        rows, share = self.rows + self.inside, self.n_bytes / max(1, self.data.n_bytes)
        about = max(rows, round(self.rows / share)) if share else 0
        self.tell(self.data.source, rows, about if self.data.n_rows is None else self.data.n_rows)

    def done(self, part: DataPart) -> None:
        """Tell that a part is done."""
        self.rows += self.inside if part.n_rows is None else part.n_rows
        self.n_bytes += part.n_bytes
        self.inside = 0
        self.read(0)
