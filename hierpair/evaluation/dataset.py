"""A data set of any size: its parts, each a function to a partial that any process can do.

Parts are read batch by batch in bounded memory, and their sums are added up exactly.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from hierpair._version import __version__
from hierpair.errors import BadInput, Infeasible, SolverLimit, listed, one_line, shown
from hierpair.evaluation.batches import System, Task
from hierpair.evaluation.checked import (
    asked_to_count,
    check_names,
    chosen_measures,
    refuse_counting,
)
from hierpair.evaluation.partial import Partial, merge, merge_named, summed, to_merge
from hierpair.evaluation.processes import check_jobs, in_processes, packed, take_along
from hierpair.evaluation.progress import OnProgress, Progress, shown_progress
from hierpair.evaluation.scores import Scores
from hierpair.evaluation.sums import Keeping, Sums
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.io.datasets import (
    DataPart,
    DataSet,
    PartRows,
    check_ids,
    joined,
    label_sets,
    open_dataset,
)
from hierpair.io.datasets.tables import weights_of
from hierpair.io.files import replacing
from hierpair.io.labels.binary import with_pyarrow
from hierpair.labels import Columns, LabelSets, Unknown
from hierpair.labels.columns import LABEL_NAMES, column_named, no_row
from hierpair.labels.naming import Missing
from hierpair.measures import Measure

NumberedPart = tuple[int, DataPart]
"""A part of a data set and its place among the parts, which names the file of its values."""

Engine = Callable[[Callable[[NumberedPart], bytes], Sequence[NumberedPart]], Iterable[bytes]]
"""Takes a function and parts, as ``map`` does, and returns what the function gives for every part,
one by one or added up, in any order; each part once."""

Write = Callable[[Any, System], None]
"""Takes what the instances are called, and a system with their values."""

_one_at_a_time = Lock()
"""A process may have several threads; a hierarchy keeps what it makes for one of them."""


# --------------------------------------------------------------------------------- the scores


@takes_hierarchy
def score_dataset(
    hierarchy: Hierarchy,
    data: DataSet | str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    truth: str | Columns = "truth",
    systems: Sequence[str] | Mapping[str, str | Columns] | None = None,
    measures: Sequence[str | Measure] | str | None = None,
    sample_weight: str | None = None,
    unknown: Unknown = "error",
    ignore: Any = None,
    ignore_ancestors: bool = True,
    classes: Any = None,
    on_infeasible: Literal["raise", "nan"] = "raise",
    n_jobs: int = 1,
    engine: Any = None,
    n_workers: int | None = None,
    values: str | os.PathLike[str] | None = None,
    keep_worst: int = 0,
    blocks: int = 0,
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
        Measures or their names; by default the common ones of label sets.
    sample_weight
        A column of weights ≥ 0.
    unknown, ignore, ignore_ancestors, classes, on_infeasible, conventions
        As for :func:`hierpair.score`; ``ignore`` needs ids.
    n_jobs
        Processes, each with a part at a time.
    engine
        A cluster of Dask (needs the extra ``distributed``), with a task per part: a client that is
        connected to one, the address of its scheduler, or ``"dask"`` for workers that are started
        on this machine and stopped afterwards. Or a function that does the parts elsewhere: it
        takes what is to be done with a part, and the parts, as ``map`` does, and returns the
        results in any order.
    n_workers
        How many workers are started by ``"dask"``; by default one per core.
    values
        A folder, empty or not there yet, into which the values of instances are written as they
        come: ``part-00000.parquet`` and so on, each complete or not there.
    keep_worst, blocks
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
    elsewhere = _engine(engine, n_jobs, n_workers)
    for what, column in (("truth", truth), ("sample_weight", sample_weight or "")):
        if not isinstance(column, (str, Columns)):
            raise BadInput(f"{what} is the name of a column of the data set, got {shown(column)}")
    if not isinstance(data, DataSet):
        data = open_dataset(data)
    counting, conventions = asked_to_count(ignore, ignore_ancestors, classes, conventions)
    chosen = chosen_measures(measures, conventions)
    refuse_counting(chosen)
    true, pairs = sides_in(data, truth, systems, sample_weight)
    kept = Keeping(keep_worst, blocks)
    kept.check(has_ids=data.columns.ids is not None)
    folder = None if values is None else folder_of_values(values, [data.source])
    parts = list(data.parts)
    if engine is not None:  # processes may stand in other folders
        parts = [part.anywhere() for part in parts]
        folder = folder and os.path.abspath(folder)  # noqa: PTH100 - any text
    hierarchy = counting.of_classes(hierarchy)
    counting = replace(counting.read(hierarchy, unknown), of_whole=False)
    if counting.ignore is not None and None in (counting.ignore.ids, data.columns.ids):
        raise BadInput("ignore is matched with a data set by ids, and both need them")
    none = LabelSets.from_labels([], hierarchy)
    task = Task(hierarchy, chosen, none, None, on_infeasible, "nothing", kept,
                unknown=unknown, counting=counting, of_whole=False,
                systems=dict.fromkeys(pairs, none))  # fmt: skip
    job = PartJob(task, data.reader, true, pairs, sample_weight, folder, hints or {})
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
        asked, where = data.columns, data.source
        raise BadInput(no_row(asked, where) if asked.where else f"{where}: there are no instances")
    if not total.sums[0]["weight"]:
        raise BadInput(f"{data.source}: all sample weights are 0")
    return total.scores()


def _partials(
    data: DataSet, job: PartJob, parts: Sequence[DataPart], engine: Engine | None, tell: Progress
) -> Generator[tuple[str, Partial]]:  # fmt: skip
    """Yield the sums of the parts of a data set, telling how many rows are read."""
    n_read = 0

    def read(n_rows: int) -> None:
        nonlocal n_read
        n_read += n_rows
        tell(data.source, n_read, data.n_rows or 0)

    read(0)
    here = (job(part, read) for part in enumerate(parts))
    for content in here if engine is None else engine(job, [*enumerate(parts)]):
        one = Partial.from_bytes(content, job.task.measures)
        yield "", one
        if engine is not None:
            read(one.n_instances)


def _engine(engine: Any, n_jobs: int, n_workers: int | None) -> Engine | None:
    """Return what does the parts in other processes or elsewhere; None: this process does."""
    check_jobs(n_jobs)
    if n_workers is not None:
        check_jobs(n_workers, "n_workers")
        if engine != "dask":
            raise BadInput("n_workers is for engine='dask'")
    if engine is None:
        return None if n_jobs == 1 else partial(in_processes, n_jobs=n_jobs)
    if n_jobs != 1:
        raise BadInput("n_jobs is for this machine without an engine; leave one of them out")
    if callable(engine):
        found: Engine = engine
        return found
    if isinstance(engine, str) and engine != "dask" and ":" not in engine:
        raise BadInput(f"there is no engine {engine!r}; there are dask, addresses, and functions")
    from hierpair.evaluation.cluster import on_dask

    return partial(on_dask, cluster=engine, n_workers=n_workers)


def score_sides(
    hierarchy: Any, truth: DataSet, systems: Mapping[str, DataSet], *,
    missing: Missing = "error", sample_weight: str | None = None,
    values: str | os.PathLike[str] | None = None, **how: Any,
) -> Scores:  # fmt: skip
    """Score systems whose labels are in other data sets than the truth: they are joined first.

    ``columns`` of a data set say which column holds its labels.
    """
    if values is not None:  # refused before a long join
        folder_of_values(values, [side.source for side in (truth, *systems.values())])
    with joined(truth, systems, missing=missing, sample_weight=sample_weight) as table:
        total: Any = score_dataset(
            hierarchy, table.data, truth=table.truth, systems=table.systems, values=values,
            sample_weight=table.sample_weight, **how,
        ).partial  # fmt: skip
    more = (
        Sums({"missing": table.n_missing[name]}, {"unused_scores": name in table.unused_scores})
        for name in total.systems
    )
    sums = tuple(map(Sums.plus, total.sums, more))
    found: Scores = replace(total, sums=sums).scores()
    return found


def sides_in(
    data: DataSet, truth: str | Columns,
    systems: Sequence[str] | Mapping[str, str | Columns] | None, sample_weight: str | None = None,
) -> tuple[Columns, dict[str, Columns]]:  # fmt: skip
    """Return where the truth is, and by name the systems; refuse columns that are not there."""

    def side(column: str | Columns) -> Columns:
        return replace(data.columns, labels=(column,)) if isinstance(column, str) else column

    true = side(truth)
    if systems is None:
        apart = {*true.labels, sample_weight, data.columns.ids, *dict(data.columns.where)}
        systems = [name for name in data.names if name not in apart]
    elif isinstance(systems, str):
        systems = [systems]
    named = systems if isinstance(systems, Mapping) else {name: name for name in systems}
    check_names(named, f"; the columns are {listed(data.names)}")
    sides = {name: side(column) for name, column in named.items()}
    for one in (true, *sides.values()):
        for name in one.labels:
            column_named(data.names, name, (), "label", data.source)
    if sample_weight:
        column_named(data.names, sample_weight, (), "weight", data.source)
    return true, sides


# -------------------------------------------------------------------------------- one part


@dataclass(frozen=True)
class PartJob:
    """What is to be done with every part of a data set: small, and the same in every process.

    It is a function of a part alone: done twice, or in another process, it gives the same bytes of
    a :class:`Partial`, which knows of which part it is. ``values`` is a folder into which values of
    instances are written, ``hints`` are by system words to add to an error about its labels.
    """

    task: Task
    reader: Any
    truth: Columns
    systems: Mapping[str, Columns]
    sample_weight: str | None = None
    values: str | None = None
    hints: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, part: NumberedPart, on_rows: Callable[[int], Any] = int) -> bytes:
        """Return the sums over the instances of a part; ``on_rows`` is told rows that are read.

        An error names file, row and label.
        """
        number, rows_of = part
        sides = (self.truth, *self.systems.values())
        names = dict.fromkeys(chain.from_iterable(side.labels or LABEL_NAMES for side in sides))
        file = nullcontext() if self.values is None else _file_of_values(self, number)
        with _one_at_a_time, file as write:
            total, _ = summed(self.task)
            for rows in self.reader.read(rows_of, [*names, *filter(None, [self.sample_weight])]):
                total = merge(total, self._of_rows(rows, write))
                on_rows(rows.n_rows)
        return to_merge(total, self.task.hierarchy).as_part(rows_of.id).to_bytes()

    def _of_rows(self, rows: PartRows, write: Write | None) -> Partial:
        """Return the sums over some rows of a part."""
        task, weighted = self.task, self.sample_weight
        sets = partial(label_sets, rows, task.hierarchy, unknown=task.unknown)
        truth, ids = sets(self.truth), rows.ids
        predicted = {x: sets(of, hint=self.hints.get(x, "")) for x, of in self.systems.items()}
        weight = None if weighted is None else weights_of(rows, weighted)
        texts = ids.to_pylist() if task.kept.keep_worst or task.kept.blocks else ()
        if task.counting.ignore is not None:
            named = replace(truth, ids=tuple(ids.to_pylist()))
            truth = replace(task.counting.of_truth(named, task.hierarchy), ids=truth.ids)
        try:
            own = replace(task, truth=truth, weight=weight, ids=texts, systems=predicted)
            one, systems = summed(own)
        except (BadInput, Infeasible, SolverLimit) as error:  # is told with its file and row
            at, kind = error.instance, type(error)
            if not isinstance(at, int):
                raise kind(f"{rows.part.path}: {error}") from error
            name = None if ids is None else ids[at].as_py()
            raise kind(f"{rows.place(at)}: {kind(error.reason, name)}") from error
        if write is not None:
            names = [rows.place(i) for i in range(len(truth))] if ids is None else ids
            for system in systems:
                write(names, system)
        return one

    @cached_property
    def content(self) -> bytes:
        """What is to be done as bytes, which :func:`job_of` reads once per process."""
        take_along(self.task.measures)
        return packed((__version__, packed(vars(self))))

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as bytes: of equal jobs a process has one, with what the hierarchy has made."""
        return job_of, (self.content,)


@lru_cache(maxsize=4)
def job_of(content: bytes) -> PartJob:
    """Return what is to be done, once per process; refuse to where something else would be done."""
    version, inner = pickle.loads(content)
    if version != __version__:
        raise BadInput(
            f"there is hierpair {__version__}, and hierpair {version} is needed; install the same "
            f"version everywhere: pip install 'hierpair[distributed]=={version}'"
        )
    try:
        return PartJob(**pickle.loads(inner))
    except Exception as error:  # modules of a user's own may raise anything
        reason = f"{type(error).__name__}: {one_line(error)[:200]}"
        raise BadInput(
            f"this process cannot do what is asked ({reason}); the plugins and modules of "
            "your own are needed here, too"
        ) from None


# --------------------------------------------------------------------------- values of instances


def folder_of_values(given: str | os.PathLike[str], sources: Sequence[str]) -> str:
    """Return the folder of values, made if it is not there; nobody else's may be in it."""
    folder = Path(given)
    for source in map(Path, sources):
        if source.is_dir() and folder.resolve().is_relative_to(source.resolve()):
            raise BadInput(
                f"{given}: this folder is in {source}, which is read; values of instances go "
                "elsewhere"
            )
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        inside = sorted(path.name for path in folder.iterdir())
    if inside:
        raise BadInput(
            f"{given}: this folder holds {listed(inside, 3)}; values of instances go into a folder "
            "of their own, which is empty or not there yet"
        )
    return str(folder)


@contextmanager
def _file_of_values(job: PartJob, number: int) -> Iterator[Write]:
    """Give a function that writes values of instances into a part, which is then complete.

    Its columns are those of :meth:`Scores.to_csv` with ``per_instance``: ``system``, ``instance``,
    and one per measure, headed by its signature.
    """
    pa, pq = with_pyarrow()
    folder = Path(str(job.values))
    places = {m.of_instance: k for k, m in enumerate(job.task.measures)}
    texts = [("system", pa.string()), ("instance", pa.large_string())]
    schema = pa.schema([*texts, *((head, pa.float64()) for head in places)])
    with (
        _writing(folder),
        replacing(folder / f"part-{number:05}.parquet") as file,
        pq.ParquetWriter(file, schema, use_dictionary=["system"]) as writer,
    ):

        def write(names: Any, system: System) -> None:
            values = system.values
            ids = pa.array(names) if isinstance(names, list) else names
            columns = [pa.array(values[:, k]) for k in places.values()]
            arrays = [pa.repeat(system.name, len(values)), ids.cast(pa.large_string()), *columns]
            writer.write_table(pa.table(arrays, schema=schema))

        yield write


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Say what cannot be written, and why."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or one_line(error)[:160]
        raise BadInput(f"{folder}: the values of instances cannot be written ({reason})") from None
