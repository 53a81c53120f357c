"""Instances in chunks: how many fit in memory at a time, and what they leave behind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, HierpairError, Infeasible, SolverLimit
from hierpair.evaluation.checked import counting_truth
from hierpair.evaluation.processes import in_processes, take_along
from hierpair.evaluation.sums import WAYS, Kept, Plan, Sums, holder
from hierpair.hierarchy import Hierarchy, mean_ancestors
from hierpair.labels import LabelSets
from hierpair.labels.annotation_counts import AnnotationCounts
from hierpair.measures import Batch, Columns, Entries, LcaRecipe, Measure, counts_classes
from hierpair.measures.class_weights import counts_of_truth

CHUNK = 20_000
"""Instances evaluated at a time,"""

CHUNK_PAIRS = 3_000_000
"""with at most about so many pairs of a predicted and a true label,"""

CHUNK_ANCESTORS = 20_000_000
"""and so many ancestors of all labels, where the closure is built chunk by chunk,"""

CHUNK_LEVELS = 5_000_000
"""and so many instances times levels of the hierarchy."""

FIRST_HERE = 200
"""Instances that are evaluated before processes share what these needed, such as the closure."""

Evidence = dict[int, Columns | Entries]
"""By number of the measure: the columns of every instance, or what it adds to classes."""


@dataclass(frozen=True, eq=False)
class Task:
    """A truth, and how systems are scored against it.

    ``evidence`` says what is found of every instance beside its values, ``kept`` what the sums
    keep of single instances.
    """

    hierarchy: Hierarchy
    measures: tuple[Measure, ...]
    truth: LabelSets
    weight: NDArray[np.float64] | None = None
    on_infeasible: Literal["raise", "nan"] = "raise"
    evidence: Literal["nothing", "columns", "classes"] = "nothing"
    kept: Kept = field(default_factory=Kept)
    ids: Sequence[str] = ()

    @cached_property
    def plan(self) -> Plan:
        """What is added up."""
        return Plan(self.measures)

    @cached_property
    def counts(self) -> AnnotationCounts | None:
        """How often classes are annotated in the truth, where a measure weighs by that."""
        if not counting_truth(self.measures):
            return None
        return counts_of_truth(self.hierarchy, self.truth)


class Found(NamedTuple):
    """Sums and values of instances, by measure those without a pairing, and their evidence."""

    sums: Sums
    values: NDArray[np.float64]
    infeasible: dict[int, NDArray[np.int64]]
    evidence: Evidence

    @classmethod
    def joined(cls, parts: Sequence[Found], task: Task) -> Found:
        """Return what was found of consecutive instances as one."""
        if not parts:
            return cls(Sums(), np.empty((0, len(task.measures))), {}, {})
        numbers = sorted({k for part in parts for k in part.infeasible})
        return cls(
            reduce(partial(Sums.plus, most=task.kept.keep_worst), (part.sums for part in parts)),
            np.concatenate([part.values for part in parts]),
            {
                k: np.concatenate([p.infeasible[k] for p in parts if k in p.infeasible])
                for k in numbers
            },
            {k: _joined([part.evidence[k] for part in parts]) for k in parts[0].evidence},
        )


def found_of(
    task: Task, prediction: LabelSets, chunk: int | None = None, n_jobs: int = 1
) -> Iterator[Found]:
    """Yield what chunks of instances leave behind, in their order, computed in so many processes.

    Raises
    ------
    HierpairError
        That of the first instance that has one.
    """
    ranges = ranges_of(task.hierarchy, task.truth, prediction, chunk, n_jobs)
    do = partial(_found, task, prediction)
    if n_jobs == 1 or not ranges:
        yield from map(do, ranges)
        return
    take_along(task.measures)
    _ = task.counts, task.plan  # made once
    if len(ranges) > n_jobs:
        (lo, hi), *others = ranges
        cut = min(lo + FIRST_HERE, hi)
        yield do((lo, cut))
        ranges = [(cut, hi)] * (cut < hi) + others
    yield from in_processes(do, ranges, n_jobs)


def _found(task: Task, prediction: LabelSets, range_: tuple[int, int]) -> Found:
    """Return what the instances of one range leave behind."""
    lo, hi = range_
    values = np.empty((hi - lo, len(task.measures)))
    infeasible = {}
    batch = Batch(
        task.hierarchy,
        task.truth.part(lo, hi),
        prediction.part(lo, hi),
        first=lo,
        n_all=len(task.truth),
        on_infeasible=task.on_infeasible,
        counts=task.counts,
    )
    for k, m in enumerate(task.measures):
        try:
            values[:, k] = _values(batch, m)
        except (BadInput, Infeasible, SolverLimit) as found:
            error = _first_error(batch, m, found)
            if not isinstance(error.instance, int):
                raise type(error)(f"measure {m.name}: {error.reason}") from error
            at = lo + error.instance
            name = task.truth.ids[at] if task.truth.ids else at
            raise type(error)(f"{error.reason} (measure {m.name})", name) from error
        none = batch.columns(m.recipe).get("infeasible")
        if none is not None:
            infeasible[k] = np.flatnonzero(none) + lo
    weight = None if task.weight is None else task.weight[lo:hi]
    sums = Sums.of_batch(task.plan, batch, values, weight, kept=task.kept, ids=task.ids[lo:hi])
    return Found(sums, values, infeasible, _evidence(batch, task))


def _values(batch: Batch, m: Measure) -> NDArray[np.float64]:
    """Return the values of a batch; what pooling needs beside them is then in its cache."""
    values = m.values(batch.columns(m.recipe))
    if WAYS.get(m.average) == "classes" and counts_classes(m.recipe):
        batch.entries(m.recipe)
    return values


def _first_error(batch: Batch, m: Measure, error: HierpairError) -> HierpairError:
    """Return the error of the first instance that has one, however the instances are cut.

    A batch is checked for one kind of fault after the other, so an earlier instance may have
    another one. Minimal LCA graphs are found instance by instance, and not once more.
    """
    if isinstance(m.recipe, LcaRecipe):
        return error
    while isinstance(error.instance, int) and error.instance > 0:
        before = error.instance
        truth, prediction = batch.y_true.part(0, before), batch.y_pred.part(0, before)
        try:
            _values(replace(batch, y_true=truth, y_pred=prediction, cache={}), m)
        except (BadInput, Infeasible, SolverLimit) as earlier:
            error = earlier
        else:
            break
    return error


def _evidence(batch: Batch, task: Task) -> Evidence:
    """Return what is kept of a batch whose measures have been computed.

    With ``"columns"`` only columns are kept, with ``"classes"`` what every instance adds to every
    class as well, which averages over classes need. Measures with the same recipe that are pooled
    in the same manner share it.
    """
    found: Evidence = {}
    for k, m in enumerate(task.measures if task.evidence != "nothing" else ()):
        at = holder(task.measures, k)
        if WAYS.get(m.average) == "columns" and at is not None:
            every = batch.columns(m.recipe)
            known: Any = found.get(at, {})
            found[at] = {**known, **{c: every[c] for c in m.definition.columns}}
        elif at == k and task.evidence == "classes" and counts_classes(m.recipe):
            found[k] = batch.entries(m.recipe)
    return found


def _joined(parts: Sequence[Any]) -> Columns | Entries:
    if isinstance(parts[0], Entries):
        return Entries.joined(parts)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def values_of(
    hierarchy: Hierarchy, truth: LabelSets, prediction: LabelSets, m: Measure
) -> NDArray[np.float64]:
    """Return the value of every instance under one measure."""
    task = Task(hierarchy, (m,), truth)
    return Found.joined([*found_of(task, prediction)], task).values[:, 0]


def ranges_of(
    hierarchy: Hierarchy,
    truth: LabelSets,
    prediction: LabelSets,
    chunk: int | None,
    n_jobs: int = 1,
) -> list[tuple[int, int]]:
    """Cut the instances so that what a chunk needs fits in memory, and all processes have some."""
    if chunk is not None and (not isinstance(chunk, int) or chunk < 1):
        raise BadInput(f"chunk must be a whole number of at least 1, got {chunk!r}")
    n = len(truth)
    if n == 0:
        return []
    n_levels = int(hierarchy.levels[-1]) + 1
    most = min(chunk or CHUNK, max(1, CHUNK_LEVELS // n_levels), -(-n // n_jobs))
    block = [np.arange(n) // most]
    block.append(np.cumsum(truth.lengths * prediction.lengths) // CHUNK_PAIRS)
    if mean := mean_ancestors(hierarchy):
        entries = np.cumsum((truth.lengths + prediction.lengths) * mean)
        block.append((entries // CHUNK_ANCESTORS).astype(np.int64))
    cut = np.flatnonzero(np.any([np.diff(b) > 0 for b in block], axis=0)) + 1
    return list(pairwise([0, *cut.tolist(), n]))
