"""One part of a data set to a partial: what a task of any engine does, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, Infeasible, SolverLimit
from hierpair.evaluation.data_sets.hierarchy_once import HierarchySource
from hierpair.evaluation.data_sets.value_parts import ValueParts, Write
from hierpair.evaluation.partials.merging import merge
from hierpair.evaluation.partials.partial import Partial
from hierpair.evaluation.partials.summing import Kept, summed
from hierpair.evaluation.systems import Task
from hierpair.hierarchy import Hierarchy
from hierpair.io.datasets import DataPart, PartRows, label_sets
from hierpair.io.datasets.cells import weights_of
from hierpair.labels import Columns, LabelSets, Unknown
from hierpair.labels.columns import LABEL_NAMES
from hierpair.measures import Measure
from hierpair.measures.recipes.pairings import named_pairs_of

__all__ = ["PartJob", "partial_of_part"]

OnRows = Callable[[int], None]
"""Called with the number of rows that were read, batch by batch."""


@dataclass(frozen=True)
class PartJob:
    """What is to be done with every part of a data set: small, and the same in every process.

    Attributes
    ----------
    hierarchy
        The classes, or where they are loaded from once per process.
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

    hierarchy: HierarchySource
    reader: Any
    measures: tuple[Measure, ...]
    truth: str | Columns
    systems: tuple[tuple[str, str | Columns], ...]
    sample_weight: str | None = None
    unknown: Unknown = "error"
    on_infeasible: Literal["raise", "nan"] = "raise"
    values: ValueParts | None = None
    keep: Kept = field(default_factory=Kept)
    hints: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The columns that are read, beside those of the ids."""
        found = [] if self.sample_weight is None else [self.sample_weight]
        for side in (self.truth, *dict(self.systems).values()):
            given = Columns(labels=(side,)) if isinstance(side, str) else side
            found += [*(given.labels or LABEL_NAMES), *([given.score] if given.score else [])]
        return list(dict.fromkeys(found))


def partial_of_part(
    job: PartJob, part: DataPart, number: int = 0, on_rows: OnRows | None = None
) -> bytes:
    """Return what the instances of a part leave behind, as the bytes of a :class:`Partial`.

    A function of what it is given alone: done twice, or in another process, it gives the same
    bytes, and the partial knows which part it is of.

    Parameters
    ----------
    job
        What is to be done.
    part
        A part of the data set.
    number
        Its place among the parts, which names the file of the values of its instances.
    on_rows
        Called with the number of rows that were read, batch by batch.

    Raises
    ------
    BadInput
        Names part, row, instance and label: what cannot be read, is unknown, or has bad weights.
    Infeasible
        If a pairing rule cannot be met for some instance, unless ``on_infeasible="nan"``.
    """
    hierarchy = job.hierarchy if isinstance(job.hierarchy, Hierarchy) else job.hierarchy.load()
    with ExitStack() as stack:
        write = None
        if job.values is not None:
            write = stack.enter_context(job.values.part(number, job.measures))
        total, ends = _nothing(job, hierarchy), list[str]()
        for rows in job.reader.read(part, job.names):
            one, ids = _partial_of_rows(job, hierarchy, rows, write)
            total = merge(total, one)
            if ids is not None and len(ids):
                import pyarrow.compute as pc

                ends += pc.min_max(ids).as_py().values()
            if on_rows is not None:
                on_rows(rows.n_rows)
        between = {"": (min(ends), max(ends))} if ends else {}
        return replace(total, ids=between).as_part(part.id).to_bytes()


def _partial_of_rows(
    job: PartJob, hierarchy: Hierarchy, rows: PartRows, write: Write | None
) -> tuple[Partial, Any]:
    """Return what some rows of a part leave behind, and their ids."""
    named = named_pairs_of(job.measures)  # an error about their order names an instance
    found = label_sets(
        rows, hierarchy, truth=job.truth, systems=dict(job.systems), unknown=job.unknown,
        keep_ids=bool(named), hints=dict(zip(dict(job.systems), job.hints, strict=False)),
    )  # fmt: skip
    if found.truth is None:
        raise AssertionError
    job.keep.check(has_ids=found.ids is not None)
    weight = None if job.sample_weight is None else weights_of(rows, job.sample_weight)
    some_kept = job.keep.worst or job.keep.blocks
    texts = found.ids.to_pylist() if some_kept and found.ids is not None else ()
    values: list[tuple[str, NDArray[np.float64]]] = []
    with _placed(rows, found.ids):
        one = summed(
            _task(job, hierarchy, found.truth, weight), found.systems, texts, job.keep,
            lambda *of_system: values.append(of_system),
        )  # fmt: skip
    if write is not None:
        names = found.ids
        if names is None:
            names = [rows.place(i) for i in range(len(found.truth))]
        for of_system in values:
            write(names, *of_system)
    return replace(one, ids={}), found.ids  # those of a partial are told of the whole part


def _nothing(job: PartJob, hierarchy: Hierarchy) -> Partial:
    """Return what no instance leaves behind."""
    none = LabelSets.from_arrays(np.zeros(1, np.int64), np.zeros(0, np.int32), len(hierarchy))
    weight = None if job.sample_weight is None else np.zeros(0)
    task = _task(job, hierarchy, none, weight)
    return summed(task, {name: none for name, _ in job.systems}, (), job.keep)


def _task(
    job: PartJob, hierarchy: Hierarchy, truth: LabelSets, weight: NDArray[np.float64] | None
) -> Task:
    return Task(
        hierarchy, job.measures, truth, weight, job.unknown, "error", job.on_infeasible, None,
        keep="columns" if job.keep.blocks else "nothing",
    )  # fmt: skip


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
