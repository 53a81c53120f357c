"""Instances in chunks: how many fit in memory at a time, and their sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from typing import Any, Literal, NamedTuple

import numpy as np

from hierpair.errors import (
    BadInput,
    Infeasible,
    SolverLimit,
    check_choice,
    check_unique,
    listed,
    shown,
)
from hierpair.evaluation.checked import (
    Counting,
    check_names,
    check_weight,
    counting_truth,
    truth_of,
)
from hierpair.evaluation.processes import check_jobs, in_processes, take_along
from hierpair.evaluation.progress import Progress, unseen
from hierpair.evaluation.sums import WAYS, Keeping, SumPlan, Sums, entries_of
from hierpair.hierarchy import Hierarchy, mean_ancestors
from hierpair.hierarchy.arrays import Floats, Ints, blocks, frame_columns
from hierpair.labels import LabelSets, Unknown, match_instances
from hierpair.labels.annotation_counts import AnnotationCounts
from hierpair.labels.naming import Missing, check_position, order_of_index
from hierpair.measures import Batch, Columns, Entries, Measure
from hierpair.measures.class_weights import counts_of_truth
from hierpair.measures.scored.system import first_leaves, predicted_scores

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

LEAVE_OUT = " (to score the others: on_infeasible='nan')"
"""Stands after what is wrong with an instance that has no pairing."""


@dataclass(frozen=True, eq=False)
class Task:
    """A truth, and how systems are scored against it; see :func:`hierpair.score`.

    ``evidence`` says what is found of every instance beside its values, ``kept`` what the sums
    keep of single instances, by their ``ids``. ``counting`` is for a truth that is yet to be read.
    Without ``of_whole`` the truth is a part of one, and the places of its instances are unknown.
    ``systems`` are the predictions by name, as they were given.
    """

    hierarchy: Hierarchy
    measures: tuple[Measure, ...]
    truth: LabelSets
    weight: Floats | None = None
    on_infeasible: Literal["raise", "nan"] = "raise"
    evidence: Literal["nothing", "columns", "classes"] = "nothing"
    kept: Keeping = field(default_factory=Keeping)
    ids: Sequence[str] = ()
    unknown: Unknown = "error"
    counting: Counting = field(default_factory=Counting)
    of_whole: bool = True
    missing: Missing = "error"
    chunk: int | None = None
    n_jobs: int = 1
    on_progress: Progress = unseen
    systems: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_choice("on_infeasible", self.on_infeasible, ("raise", "nan"))
        check_jobs(self.n_jobs)

    @cached_property
    def adding(self) -> tuple[Measure, ...]:
        """The measures that sums over instances give, whatever the others see."""
        return tuple(m for m in self.measures if m.adds_up)

    @cached_property
    def plan(self) -> SumPlan:
        """What is added up."""
        return SumPlan(self.adding)

    @cached_property
    def counts(self) -> AnnotationCounts | None:
        """How often classes are annotated in the truth, where a measure weighs by that."""
        counting = counting_truth(self.adding)
        return counts_of_truth(self.hierarchy, self.truth) if counting else None

    def check_some(self) -> None:
        """Refuse instances that have no mean: none, or none that counts."""
        if not len(self.truth):
            raise BadInput("y_true has no instances")
        if self.weight is not None and not self.weight.any():
            raise BadInput("all sample weights are 0")

    def tell(self, system: str, done: int) -> None:
        """Tell how many instances of a system are done."""
        self.on_progress(system, done, len(self.truth))


def task_of(
    hierarchy: Hierarchy, measures: Sequence[Measure], y_true: Any, systems: Any,
    sample_weight: Any, unknown: Unknown, counting: Counting, **how: Any,
) -> Task:  # fmt: skip
    """Return a checked truth with weights, and the systems; both know what does not count."""
    hierarchy = counting.of_classes(hierarchy)
    if hasattr(systems, "columns"):
        sets: dict[str, LabelSets] = {}
        if isinstance(y_true, str):
            sets = LabelSets.from_columns(systems, Hierarchy.of(hierarchy), unknown=unknown)
        if y_true not in [*sets]:
            raise BadInput(
                "where systems are the columns of a data frame, y_true is the name of one of "
                f"them, got {shown(y_true, 40)}; there are {listed(frame_columns(systems))}; "
                "the labels of a single system are given as {'name': frame}"
            )
        y_true, systems = sets.pop(y_true), sets
    truth = truth_of(y_true, hierarchy, unknown)
    given = systems if isinstance(systems, Mapping) else {"system": systems}
    check_unique(map(str, given), lambda name: f"two systems are called {name!r}")
    named = {str(name): labels for name, labels in given.items()}
    check_names(named)
    plain = not any(isinstance(labels, LabelSets) for labels in named.values())
    if plain and truth.ids and named.keys() == set(map(str, truth.ids)):
        raise BadInput(
            "the keys of systems are instance ids; wrap one system's labels: {'name': y_pred}"
        )
    weight = check_weight(sample_weight, truth)
    truth = counting.of_truth(truth, hierarchy, unknown)
    how |= {"unknown": unknown, "of_whole": counting.of_whole, "systems": named}
    return Task(hierarchy, tuple(measures), truth, weight, **how)


class System(NamedTuple):
    """What was found of instances of one system, which has a name and its labels as the truth has.

    These are sums and values, by number of the measure those without a pairing, and evidence: of
    every instance columns, or what it adds to classes.
    """

    sums: Sums
    values: Floats
    infeasible: dict[int, Ints]
    evidence: dict[int, Columns | Entries]
    name: str = ""
    prediction: Any = None


def found_of(task: Task, prediction: LabelSets, system: str = "") -> System:
    """Return what a system leaves behind, computed chunk by chunk in so many processes."""
    ranges = ranges_of(task.hierarchy, task.truth, prediction, task.chunk, task.n_jobs)
    do = partial(_found, task, prediction, system)
    task.tell(system, 0)
    if ranges and task.n_jobs > 1:
        take_along(task.adding)
        do((0, min(FIRST_HERE, ranges[0][1])))
    parts, done = list[System](), 0
    for part in in_processes(do, ranges, task.n_jobs):
        parts.append(part)
        done += len(part.values)
        task.tell(system, done)
    if not parts:
        return System(Sums(), np.empty((0, len(task.adding))), {}, {}, system, prediction)
    left_out = dict.fromkeys(k for part in parts for k in part.infeasible)
    once, none = dict[int, Any](), np.zeros(0, dtype=np.int64)
    return System(
        reduce(Sums.plus, (part.sums for part in parts)),
        np.concatenate([part.values for part in parts]),
        {k: np.concatenate([part.infeasible.get(k, none) for part in parts]) for k in left_out},
        {k: _joined([part.evidence[k] for part in parts], once) for k in parts[0].evidence},
        system, prediction,
    )  # fmt: skip


def _joined(parts: Sequence[Any], once: dict[int, Any]) -> Any:
    """Return columns or entries of consecutive instances; what measures share is joined once."""
    first = parts[0]
    if isinstance(first, dict):
        return {x: _joined([part[x] for part in parts], once) for x in first}
    if id(first) not in once:
        join: Any = Entries.joined if isinstance(first, Entries) else np.concatenate
        once[id(first)] = join(parts)
    return once[id(first)]


def _found(task: Task, prediction: LabelSets, system: str, range_: tuple[int, int]) -> System:
    """Return the sums over the instances of one range."""
    lo, hi = range_
    values, infeasible = np.empty((hi - lo, len(task.adding))), {}
    batch = Batch(
        task.hierarchy, task.truth.part(lo, hi), prediction.part(lo, hi),
        first=lo if task.of_whole else None, n_all=len(task.truth),
        on_infeasible=task.on_infeasible, counts=task.counts,
    )  # fmt: skip
    for k, m in enumerate(task.adding):
        try:
            values[:, k] = _values(batch, m)
        except (BadInput, Infeasible, SolverLimit) as error:
            told, name = f"measure {m.name}: {error.reason}", error.instance
            if isinstance(name, int):
                told = f"{error.reason} (measure {m.name})"
                name = task.truth.ids[lo + name] if task.truth.ids else lo + name
            if system:
                told += f" (system {system}){LEAVE_OUT if isinstance(error, Infeasible) else ''}"
            raise type(error)(told, name) from error
        none = batch.columns(m.recipe).get("infeasible")
        if none is not None:
            infeasible[k] = np.flatnonzero(none) + lo
    weight = None if task.weight is None else task.weight[lo:hi]
    sums = Sums.of_batch(task.plan, batch, values, weight, task.kept, task.ids[lo:hi])
    return System(sums, values, infeasible, _evidence(batch, task))


def _values(batch: Batch, m: Measure) -> Floats:
    """Return the values of a batch; what pooling needs beside them is then in its cache."""
    values = m.values(batch.columns(m.recipe))
    if WAYS.get(m.average) == "classes":
        entries_of(batch, m)
    return values


def _evidence(batch: Batch, task: Task) -> dict[int, Columns | Entries]:
    """Return what is kept of a batch whose measures have been computed.

    With ``"columns"`` only columns are kept and values by true class, with ``"classes"`` what every
    instance adds to every class as well, which averages over classes need.
    """
    found: dict[int, Any] = {}
    for k, m in enumerate(task.adding if task.evidence != "nothing" else ()):
        if m.average == "micro":
            every = batch.columns(m.recipe)
            found[k] = {c: every[c] for c in m.definition.columns}
        elif m.average in WAYS and (task.evidence == "classes" or m.by_true_class):
            found[k] = entries_of(batch, m)
    return found


def ranges_of(
    hierarchy: Hierarchy, truth: LabelSets, prediction: LabelSets, chunk: int | None,
    n_jobs: int = 1,
) -> list[tuple[int, int]]:  # fmt: skip
    """Cut the instances so that what a chunk needs fits in memory, and all processes have some."""
    if chunk is not None:
        check_jobs(chunk, "chunk")
    n = len(truth)
    most = max(1, min(chunk or CHUNK, CHUNK_LEVELS // hierarchy.n_levels, -(-n // n_jobs)))
    pairs = np.cumsum(truth.lengths * prediction.lengths)
    ancestors = (truth.indptr[1:] + prediction.indptr[1:]) * (mean_ancestors(hierarchy) or 0)
    return blocks((np.arange(n), most), (pairs, CHUNK_PAIRS), (ancestors, CHUNK_ANCESTORS))


def matched(task: Task, name: str, given: Any) -> tuple[Any, Any]:
    """Return what a system predicts, as it was given and instance by instance as the truth is.

    Of measures of scores these are what :func:`hierpair.labels.node_scores.scores_of_labels` takes,
    or for rankings also a matrix of classes, best first; label sets have the score 1. With
    ``unknown="drop"`` scores of instances without a truth are left out, too.
    """
    hierarchy, truth, unknown = task.hierarchy, task.truth, task.unknown
    surplus: Literal["error", "drop"] = "error"
    found: Any
    if task.measures[0].of_scores:
        check_position(truth, None, order_of_index(given), name)
        all_count = truth.ignored is None and hierarchy.of_interest is None
        found = predicted_scores(
            given, hierarchy, task.measures, unknown=unknown, system=name, ids=truth.ids,
            k=first_leaves(task.measures) if all_count else 0,
        )  # fmt: skip
        surplus = "drop" if unknown == "drop" else "error"
    else:
        found = LabelSets.from_labels(given, hierarchy, unknown=unknown, source=name)
    return found, match_instances(truth, found, missing=task.missing, surplus=surplus, system=name)
