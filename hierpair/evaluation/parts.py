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

from hierpair._version import __version__
from hierpair.errors import BadInput, Infeasible, SolverLimit, listed
from hierpair.evaluation.batches import System, Task
from hierpair.evaluation.partial import Partial, merge, summed
from hierpair.evaluation.processes import packed, take_along
from hierpair.evaluation.sums import Kept
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats
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

    It is a function of a part alone: done twice, or in another process, it gives the same bytes of
    a :class:`Partial`, which knows of which part it is. ``values`` is a folder into which values of
    instances are written, ``hints`` are by system words to add to an error about its labels.
    """

    hierarchy: Hierarchy
    reader: Any
    measures: tuple[Measure, ...]
    truth: Columns
    systems: Mapping[str, Columns]
    sample_weight: str | None = None
    unknown: Unknown = "error"
    on_infeasible: Literal["raise", "nan"] = "raise"
    values: str | None = None
    kept: Kept = field(default_factory=Kept)
    hints: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, part: NumberedPart, on_rows: OnRows = lambda _: None) -> bytes:
        """Return what the instances of a part leave behind; an error names file, row and label."""
        number, rows_of = part
        none = LabelSets.from_arrays(
            np.zeros(1, np.int64), np.zeros(0, np.int32), len(self.hierarchy)
        )
        names: list[str | None] = [self.sample_weight]
        for side in (self.truth, *self.systems.values()):
            names += [*(side.labels or LABEL_NAMES), side.score]
        nothing = None if self.sample_weight is None else np.zeros(0)
        file = nullcontext() if self.values is None else _file_of_values(self, number)
        with _one_at_a_time, file as write:
            total, _ = self._summed(none, dict.fromkeys(self.systems, none), nothing)
            for rows in self.reader.read(rows_of, list(dict.fromkeys(filter(None, names)))):
                total = merge(total, self._of_rows(rows, write))
                on_rows(rows.n_rows)
        return total.as_part(rows_of.id).to_bytes()

    def _of_rows(self, rows: PartRows, write: Write | None) -> Partial:
        """Return what some rows of a part leave behind."""
        found = label_sets(
            rows, self.hierarchy, truth=self.truth, systems=self.systems, unknown=self.unknown,
            keep_ids=bool(named_pairs_of(self.measures)), hints=self.hints,
        )  # fmt: skip
        truth: Any = found.truth
        ids = found.ids
        self.kept.check(has_ids=ids is not None)
        weight = None if self.sample_weight is None else weights_of(rows, self.sample_weight)
        texts = ids.to_pylist() if self.kept.keep_worst or self.kept.blocks else ()
        try:
            one, systems = self._summed(truth, found.systems, weight, texts)
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
        if ids is None or not len(truth):
            return one
        import pyarrow.compute as pc

        return replace(one, ids={"": tuple(pc.min_max(ids).as_py().values())})

    def _summed(
        self,
        truth: LabelSets,
        systems: Mapping[str, LabelSets],
        weight: Floats | None,
        ids: Sequence[str] = (),
    ) -> tuple[Partial, list[System]]:
        task = Task(
            self.hierarchy, self.measures, truth, weight, self.on_infeasible, "nothing", self.kept,
            ids, self.unknown,
        )  # fmt: skip
        return summed(task, systems)

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
    """Return what is to be done, once per process; refuse to where something else would be done."""
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
    if strange := sorted(set(signatures) - set(found)):
        raise BadInput(f"the measure {strange[0]} is another one here; use the same plugin")
    return job


# --------------------------------------------------------------------------- values of instances

Write = Callable[[Any, System], None]
"""Takes what the instances are called, and a system with their values."""


def folder_of_values(given: str | os.PathLike[str], sources: Sequence[str]) -> str:
    """Return the folder of values, made if it is not there.

    Refused is one that is in a folder that is read, and one that holds anything: parts of another
    run would be taken for this run's.
    """
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
    with_pyarrow()
    return str(folder)


@contextmanager
def _file_of_values(job: PartJob, number: int) -> Iterator[Write]:
    """Give a function that writes values of instances into a part, which is then complete.

    Its columns are those of :meth:`Scores.to_csv` with ``per_instance``: ``system``, ``instance``,
    and one per measure, headed by its signature.
    """
    pa, pq = with_pyarrow()
    folder, places = Path(str(job.values)), {m.of_instance: k for k, m in enumerate(job.measures)}
    texts = [("system", pa.string()), ("instance", pa.large_string())]
    schema = pa.schema([*texts, *((head, pa.float64()) for head in places)])
    with (
        _writing(folder),
        replacing(folder / f"part-{number:05}.parquet") as file,
        pq.ParquetWriter(file, schema, use_dictionary=["system"]) as writer,
    ):

        def write(names: Any, system: System) -> None:
            values = system.found.values
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
        reason = error.strerror or " ".join(str(error).split())[:160]
        raise BadInput(f"{folder}: the values of instances cannot be written ({reason})") from None
