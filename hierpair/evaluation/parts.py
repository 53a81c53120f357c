"""One part of a data set to a partial: a function that any process can do, in bounded memory."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair._version import __version__
from hierpair.errors import BadInput, Infeasible, SolverLimit, listed
from hierpair.evaluation.batches import Task
from hierpair.evaluation.partial import Partial, merge, summed
from hierpair.evaluation.processes import packed, take_along
from hierpair.evaluation.sums import Kept
from hierpair.evaluation.systems import How, System
from hierpair.hierarchy import Hierarchy
from hierpair.io.datasets import DataPart, PartRows, label_sets
from hierpair.io.datasets.tables import weights_of
from hierpair.io.files import replacing
from hierpair.io.labels.binary import with_pyarrow
from hierpair.labels import Columns, LabelSets, Unknown
from hierpair.labels.columns import LABEL_NAMES
from hierpair.measures import Measure
from hierpair.measures.recipes.solved import named_pairs_of

OnRows = Callable[[int], None]
"""Called with the number of rows that were read, batch by batch."""

NumberedPart = tuple[int, DataPart]
"""A part of a data set and its place among the parts, which names the file of its values."""

_one_at_a_time = Lock()
"""A process may have several threads; a hierarchy keeps what it makes for one of them."""


@dataclass(frozen=True)
class PartJob:
    """What is to be done with every part of a data set: small, and the same in every process.

    Attributes
    ----------
    hierarchy, measures
        The classes, and the measures.
    reader
        Reads a part (:attr:`hierpair.io.datasets.DataSet.reader`).
    truth, systems, sample_weight
        The columns of the true labels, by name of a system of its labels, and of weights.
    unknown, on_infeasible
        As for :func:`hierpair.score`.
    values
        The folder into which values of instances are written, if they are.
    kept
        What the partials keep of instances.
    hints
        By system, words to add to an error about its labels.
    """

    hierarchy: Hierarchy
    reader: Any
    measures: tuple[Measure, ...]
    truth: str | Columns
    systems: Mapping[str, str | Columns]
    sample_weight: str | None = None
    unknown: Unknown = "error"
    on_infeasible: Literal["raise", "nan"] = "raise"
    values: str | None = None
    kept: Kept = field(default_factory=Kept)
    hints: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The columns that are read, beside those of the ids."""
        found = [] if self.sample_weight is None else [self.sample_weight]
        for side in (self.truth, *self.systems.values()):
            given = Columns(labels=(side,)) if isinstance(side, str) else side
            found += [*(given.labels or LABEL_NAMES), *([given.score] if given.score else [])]
        return list(dict.fromkeys(found))

    def __call__(self, part: NumberedPart, on_rows: OnRows = lambda _: None) -> bytes:
        """Return what the instances of a part leave behind; see :func:`partial_of_part`."""
        with _one_at_a_time:
            return partial_of_part(self, part, on_rows)

    @cached_property
    def content(self) -> bytes:
        """What is to be done as bytes, which :func:`job_of` reads once per process."""
        take_along(self.measures)
        signatures = [m.signature for m in self.measures]
        inner = {one.name: getattr(self, one.name) for one in fields(self)}
        return packed((__version__, signatures, packed(inner)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as bytes: of equal jobs a process has one, with what the hierarchy has made."""
        return job_of, (self.content,)


@lru_cache(maxsize=4)
def job_of(content: bytes) -> PartJob:
    """Return what is to be done, once per process.

    Raises
    ------
    BadInput
        If this process lacks what is needed: the version, a module, or a measure.
    """
    version, signatures, inner = pickle.loads(content)
    if version != __version__:
        raise BadInput(
            f"there is hierpair {__version__}, and hierpair {version} is needed; install the same "
            f"version everywhere: pip install 'hierpair[distributed]=={version}'"
        )
    try:
        job = PartJob(**pickle.loads(inner))
        found = [m.signature for m in job.measures if m.recipe is not None]
    except Exception as error:  # modules of a user's own may raise anything
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise BadInput(
            f"this process cannot do what is asked ({reason}); the plugins and modules of "
            "your own are needed here, too"
        ) from None
    if found != signatures:
        strange = sorted(set(signatures) - set(found))[0]
        raise BadInput(f"the measure {strange} is another one here; use the same plugin")
    return job


def partial_of_part(job: PartJob, part: NumberedPart, on_rows: OnRows = lambda _: None) -> bytes:
    """Return what the instances of a part leave behind, as the bytes of a :class:`Partial`.

    A function of what it is given alone: done twice, or in another process, it gives the same
    bytes, and the partial knows which part it is of.

    Raises
    ------
    BadInput
        Names part, row, instance and label: what cannot be read, is unknown, or has bad weights.
    Infeasible
        If a pairing rule cannot be met for some instance, unless ``on_infeasible="nan"``.
    """
    number, rows_of = part
    none = LabelSets.from_arrays(np.zeros(1, np.int64), np.zeros(0, np.int32), len(job.hierarchy))
    nothing = None if job.sample_weight is None else np.zeros(0)
    total, _ = _summed(job, none, dict.fromkeys(job.systems, none), nothing)
    file = nullcontext() if job.values is None else _file_of_values(job.values, number, job)
    with file as write:
        for rows in job.reader.read(rows_of, job.names):
            total = merge(total, _partial_of_rows(job, rows, write))
            on_rows(rows.n_rows)
    return total.as_part(rows_of.id).to_bytes()


Write = Callable[[Any, System], None]
"""Takes what the instances are called, and a system with their values."""


def _partial_of_rows(job: PartJob, rows: PartRows, write: Write | None) -> Partial:
    """Return what some rows of a part leave behind."""
    found = label_sets(
        rows, job.hierarchy, truth=job.truth, systems=dict(job.systems), unknown=job.unknown,
        keep_ids=bool(named_pairs_of(job.measures)), hints=dict(job.hints),
    )  # fmt: skip
    if found.truth is None:
        raise AssertionError
    ids, n = found.ids, len(found.truth)
    job.kept.check(has_ids=ids is not None)
    weight = None if job.sample_weight is None else weights_of(rows, job.sample_weight)
    texts = ids.to_pylist() if ids is not None and (job.kept.keep_worst or job.kept.blocks) else ()
    try:
        one, systems = _summed(job, found.truth, found.systems, weight, texts)
    except (BadInput, Infeasible, SolverLimit) as error:  # is told with its file and row
        at, kind = error.instance, type(error)
        if not isinstance(at, int):
            raise kind(f"{rows.part.path}: {error}") from error
        name = None if ids is None else ids[at].as_py()
        raise kind(f"{rows.place(at)}: {kind(error.reason, name)}") from error
    if write is not None:
        names = [rows.place(i) for i in range(n)] if ids is None else ids
        for system in systems:
            write(names, system)
    if ids is None or not n:
        return one
    import pyarrow.compute as pc

    return replace(one, ids={"": tuple(pc.min_max(ids).as_py().values())})


def _summed(
    job: PartJob,
    truth: LabelSets,
    systems: Mapping[str, LabelSets],
    weight: NDArray[np.float64] | None,
    ids: Sequence[str] = (),
) -> tuple[Partial, list[System]]:
    """Return what some instances leave behind, together and by system."""
    task = Task(
        job.hierarchy, job.measures, truth, weight, job.on_infeasible, kept=job.kept, ids=ids
    )
    return summed(task, systems, How(job.unknown))


# --------------------------------------------------------------------------- values of instances


def folder_of_values(given: str | os.PathLike[str], sources: Sequence[str]) -> str:
    """Return the folder of values, made if it is not there; its parts are files of Parquet.

    They are called ``part-00000.parquet`` and so on, one for each part of a data set, with the
    columns of :meth:`Scores.to_csv` with ``per_instance``: ``system``, ``instance``, and one per
    measure, headed by its signature.

    Raises
    ------
    BadInput
        If it cannot be made, is in a folder that is read, or holds anything: parts of another run
        would be taken for this run's.
    """
    folder = Path(given)
    for source in sources:
        if os.path.isdir(source) and folder.resolve().is_relative_to(Path(source).resolve()):  # noqa: PTH112
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
    with_pyarrow()
    return str(folder)


@contextmanager
def _file_of_values(folder: str, number: int, job: PartJob) -> Iterator[Write]:
    """Give a function that writes values of instances into a part, which is then complete."""
    pa, pq = with_pyarrow()
    places = {m.of_instance: k for k, m in enumerate(job.measures)}
    texts = [("system", pa.string()), ("instance", pa.large_string())]
    schema = pa.schema([*texts, *((head, pa.float64()) for head in places)])
    with (
        _writing(folder),
        replacing(Path(folder) / f"part-{number:05}.parquet") as file,
        pq.ParquetWriter(file, schema, use_dictionary=["system"]) as writer,
    ):

        def write(names: Any, system: System) -> None:
            values = system.found.values
            ids = pa.array(names, pa.large_string()) if isinstance(names, list) else names
            columns = [pa.array(values[:, k]) for k in places.values()]
            arrays = [pa.repeat(system.name, len(values)), ids.cast(pa.large_string()), *columns]
            writer.write_table(pa.table(arrays, schema=schema))

        yield write


@contextmanager
def _writing(folder: str | Path) -> Iterator[None]:
    """Say what cannot be written, and why."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or " ".join(str(error).split())[:160]
        raise BadInput(f"{folder}: the values of instances cannot be written ({reason})") from None
