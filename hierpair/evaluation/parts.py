"""One part of a data set to a partial: a function that any process can do, in bounded memory."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
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
from hierpair.evaluation.partial import Partial, merge, partial_of
from hierpair.evaluation.processes import packed, take_along
from hierpair.evaluation.sums import Kept
from hierpair.evaluation.systems import How, System, found_systems
from hierpair.hierarchy import Hierarchy
from hierpair.io import LABEL_FORMATS
from hierpair.io.datasets import DataPart, PartRows, label_sets
from hierpair.io.datasets.tables import weights_of
from hierpair.io.files import replacing
from hierpair.io.labels.binary import with_pyarrow
from hierpair.labels import Columns, LabelSets, Unknown
from hierpair.labels.columns import LABEL_NAMES
from hierpair.measures import Measure
from hierpair.measures.recipes.pairings import named_pairs_of
from hierpair.pairing import OrderOfPairs

__all__ = ["NumberedPart", "PartJob", "ValueParts", "Write", "job_of", "partial_of_part"]

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
    hierarchy
        The classes.
    reader
        Reads a part (:attr:`hierpair.io.datasets.DataSet.reader`).
    measures
        The measures.
    truth
        The column of the true labels.
    systems
        Names of the systems, and their columns.
    sample_weight
        The column of weights, or None.
    unknown, on_infeasible
        As for :func:`hierpair.score`.
    values
        Where the values of instances are written, if they are.
    keep
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
    values: ValueParts | None = None
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

    def __call__(self, part: NumberedPart, on_rows: OnRows | None = None) -> bytes:
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
        If this process lacks what is needed: the version, a module, a measure or a format.
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
        form = getattr(job.reader, "form", None)
        if form is not None:
            LABEL_FORMATS.check(form)
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


def partial_of_part(job: PartJob, part: NumberedPart, on_rows: OnRows | None = None) -> bytes:
    """Return what the instances of a part leave behind, as the bytes of a :class:`Partial`.

    A function of what it is given alone: done twice, or in another process, it gives the same
    bytes, and the partial knows which part it is of.

    Parameters
    ----------
    job
        What is to be done.
    part
        A part of the data set, and its number.
    on_rows
        Called with the number of rows that were read, batch by batch.

    Raises
    ------
    BadInput
        Names part, row, instance and label: what cannot be read, is unknown, or has bad weights.
    Infeasible
        If a pairing rule cannot be met for some instance, unless ``on_infeasible="nan"``.
    """
    number, rows_of = part
    with ExitStack() as stack:
        write = None
        if job.values is not None:
            write = stack.enter_context(job.values.part(number, job.measures))
        none = LabelSets.from_arrays(
            np.zeros(1, np.int64), np.zeros(0, np.int32), len(job.hierarchy)
        )
        nothing = None if job.sample_weight is None else np.zeros(0)
        total, _ = _summed(job, none, dict.fromkeys(job.systems, none), nothing)
        ends: list[str] = []
        for rows in job.reader.read(rows_of, job.names):
            one, ids = _partial_of_rows(job, rows, write)
            total = merge(total, one)
            if ids is not None and len(ids):
                import pyarrow.compute as pc

                ends += pc.min_max(ids).as_py().values()
            if on_rows is not None:
                on_rows(rows.n_rows)
        between = {"": (min(ends), max(ends))} if ends else {}
        return replace(total, ids=between).as_part(rows_of.id).to_bytes()


def _partial_of_rows(job: PartJob, rows: PartRows, write: Write | None) -> tuple[Partial, Any]:
    """Return what some rows of a part leave behind, and their ids."""
    named = named_pairs_of(job.measures)  # an error about their order names an instance
    found = label_sets(
        rows, job.hierarchy, truth=job.truth, systems=dict(job.systems), unknown=job.unknown,
        keep_ids=bool(named), hints=dict(job.hints),
    )  # fmt: skip
    if found.truth is None:
        raise AssertionError
    job.kept.check(has_ids=found.ids is not None)
    weight = None if job.sample_weight is None else weights_of(rows, job.sample_weight)
    some_kept = job.kept.keep_worst or job.kept.blocks
    texts = found.ids.to_pylist() if some_kept and found.ids is not None else ()
    names = found.ids
    if names is None and write is not None:
        names = [rows.place(i) for i in range(len(found.truth))]
    with _placed(rows, found.ids):
        one, systems = _summed(job, found.truth, found.systems, weight, texts)
    if write is not None:
        for system in systems:
            write(names, system.name, system.found.values)
    return replace(one, ids={}), found.ids  # those of a partial are told of the whole part


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
    order = OrderOfPairs()
    found = [*found_systems(task, systems, order, How(job.unknown))]
    return partial_of(task, found, order), found


@contextmanager
def _placed(rows: PartRows, ids: Any) -> Iterator[None]:
    """Say of an error about an instance in which file and row it stands, and its id."""
    try:
        yield
    except (BadInput, Infeasible, SolverLimit) as error:
        at, kind = error.instance, type(error)
        if not isinstance(at, int):
            raise kind(f"{rows.part.path}: {error}") from error
        name = None if ids is None else ids[at].as_py()
        raise kind(f"{rows.place(at)}: {kind(error.reason, name)}") from error


Write = Callable[[Any, str, NDArray[np.float64]], None]
"""Takes what the instances are called, the system, and their values, a column per measure."""


@dataclass(frozen=True)
class ValueParts:
    """A folder of files ``part-00000.parquet`` and so on, one for each part of a data set.

    Their columns are those of :meth:`Scores.to_csv` with ``per_instance``: ``system``,
    ``instance``, and one per measure, headed by its signature.
    """

    folder: str

    def check_apart(self, source: str) -> None:
        """Refuse a folder in one of labels that is read: it would be part of the data next time."""
        folder, read = (Path(os.path.realpath(path)) for path in (self.folder, source))
        if read.is_dir() and folder.is_relative_to(read):
            raise BadInput(
                f"{self.folder}: this folder is in {source}, which is read; values of instances go "
                "elsewhere"
            )

    def prepare(self) -> None:
        """Make the folder.

        Raises
        ------
        BadInput
            If it cannot be made or holds anything: parts of another run would be taken for this
            run's.
        """
        folder = Path(self.folder)
        with self._writing():
            folder.mkdir(parents=True, exist_ok=True)
            inside = sorted(path.name for path in folder.iterdir())
        if inside:
            raise BadInput(
                f"{self.folder}: this folder holds {listed(inside, 3)}; values of instances go "
                "into a folder of their own, which is empty or not there yet"
            )
        with_pyarrow()

    def anywhere(self) -> ValueParts:
        """Return the same folder for processes that stand in other folders."""
        return ValueParts(os.path.abspath(self.folder))  # noqa: PTH100 - any text

    def clear(self) -> None:
        """Remove what processes that ended halfway have left."""
        for path in Path(self.folder).glob(".part-*"):
            path.unlink(missing_ok=True)

    @contextmanager
    def part(self, number: int, measures: Sequence[Measure]) -> Iterator[Write]:
        """Give a function that writes values of instances into a part, which is then complete."""
        pa, pq = with_pyarrow()
        places = {m.of_instance: k for k, m in enumerate(measures)}
        coded = pa.dictionary(pa.int32(), pa.string())
        schema = pa.schema(
            [("system", coded), ("instance", pa.large_string())]
            + [(head, pa.float64()) for head in places]
        )
        with (
            self._writing(),
            replacing(Path(self.folder) / f"part-{number:05}.parquet") as file,
            pq.ParquetWriter(file, schema, use_dictionary=["system"]) as writer,
        ):

            def write(names: Any, system: str, values: NDArray[np.float64]) -> None:
                ids = pa.array(names) if isinstance(names, list) else names
                called = pa.DictionaryArray.from_arrays(
                    pa.array(np.zeros(len(values), np.int32)), pa.array([system])
                )
                columns = [pa.array(values[:, k]) for k in places.values()]
                arrays = [called, ids.cast(pa.large_string()), *columns]
                with self._writing():
                    writer.write_table(pa.table(arrays, schema=schema))

            yield write

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Say what cannot be written, and why."""
        try:
            yield
        except BadInput:
            raise
        except OSError as error:
            reason = error.strerror or " ".join(str(error).split())[:160]
            raise BadInput(
                f"{self.folder}: the values of instances cannot be written ({reason})"
            ) from None
