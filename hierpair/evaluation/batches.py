"""Instances in chunks: how many fit in memory at a time, and what they leave behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, HierpairError, Infeasible, SolverLimit
from hierpair.evaluation.evidence_kept import WAYS, Keep, Kept, joined, kept_of
from hierpair.evaluation.partials.totals import Plan, Totals
from hierpair.hierarchy import Hierarchy, mean_ancestors
from hierpair.hierarchy.arrays import row_sums
from hierpair.labels import LabelSets
from hierpair.labels.annotation_counts import AnnotationCounts
from hierpair.measures import Batch, LcaRecipe, Measure, counts_classes

__all__ = [
    "CHUNK", "CHUNK_ANCESTORS", "CHUNK_LEVELS", "CHUNK_PAIRS", "Found", "Job", "ranges_of",
    "values_of", "work",
]  # fmt: skip

CHUNK = 20_000
"""Instances evaluated at a time,"""

CHUNK_PAIRS = 3_000_000
"""with at most about so many pairs of a predicted and a true label,"""

CHUNK_ANCESTORS = 20_000_000
"""and so many ancestors of all labels, where the closure is built chunk by chunk,"""

CHUNK_LEVELS = 5_000_000
"""and so many instances times levels of the hierarchy."""


@dataclass(frozen=True, eq=False)
class Job:
    """Instances of one system, cut into ranges; ``first`` is the number of the first one.

    ``keep`` says what is kept of every instance beside its values, ``n_all`` how many instances
    are evaluated together (None: these), ``on_infeasible`` what one without a pairing is, and
    ``counts`` how often classes are annotated in the truth of all, where a measure has to know.
    """

    hierarchy: Hierarchy
    measures: tuple[Measure, ...]
    truth: LabelSets
    prediction: LabelSets
    weight: NDArray[np.float64] | None
    ranges: list[tuple[int, int]]
    first: int = 0
    keep: Keep = "nothing"
    n_all: int | None = None
    on_infeasible: Literal["raise", "nan"] = "raise"
    counts: AnnotationCounts | None = None

    def part(self, ranges: list[tuple[int, int]]) -> Job:
        """Return a job of its own for some consecutive ranges."""
        lo, hi = ranges[0][0], ranges[-1][1]
        truth = self.truth.part(lo, hi)
        if self.truth.ids:
            truth = replace(truth, ids=self.truth.ids[lo:hi])
        return Job(
            self.hierarchy,
            self.measures,
            truth,
            self.prediction.part(lo, hi),
            None if self.weight is None else self.weight[lo:hi],
            [(a - lo, b - lo) for a, b in ranges],
            self.first + lo,
            self.keep,
            len(self.truth) if self.n_all is None else self.n_all,
            self.on_infeasible,
            self.counts,
        )


class Found(NamedTuple):
    """Totals and values of all instances, by measure those without a pairing, and what is kept."""

    totals: Totals
    values: NDArray[np.float64]
    infeasible: dict[int, NDArray[np.int64]]
    kept: Kept

    @classmethod
    def joined(cls, parts: Sequence[Found]) -> Found:
        """Return what was found of consecutive instances as one."""
        numbers = sorted({k for part in parts for k in part.infeasible})
        return cls(
            reduce(Totals.plus, (part.totals for part in parts)),
            np.concatenate([part.values for part in parts]),
            {
                k: np.concatenate([p.infeasible[k] for p in parts if k in p.infeasible])
                for k in numbers
            },
            joined([part.kept for part in parts]),
        )


def work(job: Job) -> Found:
    """Return what the instances of a job leave behind, and their values."""
    plan = Plan(job.measures)
    if not job.ranges:
        return Found(Totals.nothing(plan), np.empty((0, len(job.measures))), {}, {})
    return Found.joined([_found(job, plan, lo, hi) for lo, hi in job.ranges])


def _found(job: Job, plan: Plan, lo: int, hi: int) -> Found:
    """Return what the instances of one range leave behind."""
    values = np.empty((hi - lo, len(job.measures)))
    infeasible = {}
    weight = None if job.weight is None else job.weight[lo:hi]
    batch = Batch(
        job.hierarchy,
        job.truth.part(lo, hi),
        job.prediction.part(lo, hi),
        first=job.first + lo,
        n_all=len(job.truth) if job.n_all is None else job.n_all,
        on_infeasible=job.on_infeasible,
        counts=job.counts,
    )
    for k, m in enumerate(job.measures):
        try:
            values[:, k] = _values(batch, m)
        except (BadInput, Infeasible, SolverLimit) as found:
            error = _first_error(batch, m, found)
            if not isinstance(error.instance, int):
                raise type(error)(f"measure {m.name}: {error.reason}") from error
            at = lo + error.instance
            name = job.truth.ids[at] if job.truth.ids else job.first + at
            raise type(error)(f"{error.reason} (measure {m.name})", name) from error
        none = batch.columns(m.recipe).get("infeasible")
        if none is not None:
            infeasible[k] = np.flatnonzero(none) + job.first + lo
    totals = Totals.of_batch(plan, batch, values, weight)
    return Found(totals, values, infeasible, kept_of(batch, job.measures, job.keep))


def values_of(
    hierarchy: Hierarchy, truth: LabelSets, prediction: LabelSets, m: Measure
) -> NDArray[np.float64]:
    """Return the value of every instance under one measure."""
    ranges = ranges_of(hierarchy, truth, prediction, None)
    return work(Job(hierarchy, (m,), truth, prediction, None, ranges)).values[:, 0]


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


def _ancestors(hierarchy: Hierarchy, sets: LabelSets) -> NDArray[np.float64]:
    """Return how many ancestors the labels of each instance have: exactly in a forest."""
    if int(np.diff(hierarchy.parent_ptr).max(initial=0)) <= 1:
        return row_sums(hierarchy.levels[sets.indices] + 1, sets.indptr).astype(np.float64)
    mean = float(mean_ancestors(hierarchy) or 0)
    return (sets.lengths * mean).astype(np.float64)


def ranges_of(
    hierarchy: Hierarchy, truth: LabelSets, prediction: LabelSets, chunk: int | None
) -> list[tuple[int, int]]:
    """Cut the instances so that what a chunk needs fits in memory."""
    if chunk is not None and (not isinstance(chunk, int) or chunk < 1):
        raise BadInput(f"chunk must be a whole number of at least 1, got {chunk!r}")
    n = len(truth)
    if n == 0:
        return []
    n_levels = int(hierarchy.levels[-1]) + 1
    most = min(chunk or CHUNK, max(1, CHUNK_LEVELS // n_levels))
    block = [np.arange(n) // most]
    block.append(np.cumsum(truth.lengths * prediction.lengths) // CHUNK_PAIRS)
    if mean_ancestors(hierarchy) is not None:
        entries = sum(_ancestors(hierarchy, sets) for sets in (truth, prediction))
        block.append((np.cumsum(entries) // CHUNK_ANCESTORS).astype(np.int64))
    cut = np.flatnonzero(np.any([np.diff(b) > 0 for b in block], axis=0)) + 1
    return list(pairwise([0, *cut.tolist(), n]))
