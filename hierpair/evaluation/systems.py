"""Systems one after the other: matched with the truth, and what each leaves behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, Infeasible, SolverLimit, shown
from hierpair.errors import unknown as unknown_name
from hierpair.evaluation.batches import Found, Job, ranges_of, work
from hierpair.evaluation.checked import (
    check_policy,
    check_weight,
    chosen_measures,
    counting_truth,
)
from hierpair.evaluation.evidence_kept import Keep
from hierpair.evaluation.partials.exact_sums import exact_sum, in_units
from hierpair.evaluation.partials.partial_data import SystemSums
from hierpair.evaluation.processes import check_jobs, run
from hierpair.evaluation.progress import Progress
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets, Unknown, match_instances
from hierpair.labels.annotation_counts import AnnotationCounts
from hierpair.measures import Measure
from hierpair.measures.class_weights import counts_of_truth
from hierpair.measures.recipes.pairings import named_pairs_of
from hierpair.measures.scored.predictions import predicted_scores
from hierpair.pairing import OrderOfPairs

__all__ = [
    "System",
    "Task",
    "labels_of_frame",
    "named_systems",
    "sides_of",
    "task_of",
    "weighted_labels",
]

LEAVE_OUT = " (to score the others: on_infeasible='nan')"
"""Stands after what is wrong with an instance that has no pairing."""


class System(NamedTuple):
    """One system: its name and labels, what they leave behind, and what was found of instances."""

    name: str
    prediction: LabelSets
    sums: SystemSums
    found: Found


@dataclass(frozen=True, eq=False)
class Task:
    """A truth, and how systems are scored against it."""

    hierarchy: Hierarchy
    measures: tuple[Measure, ...]
    truth: LabelSets
    weight: NDArray[np.float64] | None
    unknown: Unknown
    missing: Literal["error", "empty"]
    on_infeasible: Literal["raise", "nan"]
    chunk: int | None
    keep: Keep = "nothing"
    n_jobs: int = 1
    on_progress: Progress | None = None

    @cached_property
    def counts(self) -> AnnotationCounts | None:
        """How often classes are annotated in the truth, where a measure weighs by that."""
        if not counting_truth(self.measures):
            return None
        return counts_of_truth(self.hierarchy, self.truth)

    def systems(self, named: Mapping[str, Any], order: OrderOfPairs) -> Iterator[System]:
        """Yield what is found of every system; the order of pairs that rules name is noted."""
        pairs = named_pairs_of(self.measures)
        for name, labels in named.items():
            prediction, surplus = self._prediction(name, labels)
            n_missing = 0 if prediction.ids is None else len(self.truth) - len(prediction)
            unused = prediction.unused_scores
            prediction = match_instances(
                self.truth, prediction, missing=self.missing, surplus=surplus, system=name
            )
            found = self._evaluated(name, prediction)
            order.look(pairs, self.truth, prediction, self.hierarchy)
            n_labels = weighted_labels(prediction, self.weight)
            sums = SystemSums(found.totals, n_labels, prediction.n_unknown, n_missing, unused)
            yield System(name, prediction, sums, found)

    def _prediction(self, name: str, given: Any) -> tuple[Any, Literal["error", "drop"]]:
        """Return label sets, or scores for measures of these; and what is done with a surplus."""
        if not self.measures[0].of_scores:
            made = LabelSets.from_labels(given, self.hierarchy, unknown=self.unknown, source=name)
            return made, "error"
        scores = predicted_scores(
            given, self.hierarchy, self.measures, unknown=self.unknown, system=name,
            ids=self.truth.ids,
        )  # fmt: skip
        return scores, "drop" if self.unknown == "drop" else "error"

    def _evaluated(self, name: str, prediction: LabelSets) -> Found:
        """Do the job of one system, telling how far it is."""
        ranges = ranges_of(self.hierarchy, self.truth, prediction, self.chunk)
        job = Job(
            self.hierarchy, self.measures, self.truth, prediction, self.weight, ranges,
            keep=self.keep, on_infeasible=self.on_infeasible, counts=self.counts,
        )  # fmt: skip
        if not ranges:
            return work(job)
        parts, tell = [], self.on_progress or (lambda *_: None)
        tell(name, 0, len(self.truth))
        try:
            for part in run(job, self.n_jobs):
                parts.append(part)
                tell(name, sum(len(x.values) for x in parts), len(self.truth))
        except (BadInput, Infeasible, SolverLimit) as error:
            where = f" (system {name}){LEAVE_OUT if isinstance(error, Infeasible) else ''}"
            raise type(error)(f"{error.reason}{where}", error.instance) from error
        return Found.joined(parts)


def task_of(
    hierarchy: Hierarchy,
    y_true: Any,
    systems: Any,
    measures: Sequence[str | Measure] | str | Measure,
    *,
    sample_weight: Any = None,
    unknown: Unknown = "error",
    missing: Literal["error", "empty"] = "error",
    on_infeasible: Literal["raise", "nan"] = "raise",
    chunk: int | None = None,
    keep: Keep = "nothing",
    n_jobs: int = 1,
    on_progress: Progress | None = None,
) -> tuple[Task, dict[str, Any]]:
    """Return what is to be done and the labels of the systems by name; as :func:`score` takes it.

    Raises
    ------
    BadInput
        For any input that cannot be used as it is, but labels of systems, which are read later.
    """
    check_jobs(n_jobs, forks=True)
    check_policy(on_infeasible)
    truth, named, weight = sides_of(hierarchy, y_true, systems, sample_weight, unknown)
    chosen = chosen_measures(measures, {}, of_scores="sums")
    task = Task(
        hierarchy, chosen, truth, weight, unknown, missing, on_infeasible, chunk,
        keep=keep, n_jobs=n_jobs, on_progress=on_progress,
    )  # fmt: skip
    return task, named


def sides_of(
    hierarchy: Hierarchy, y_true: Any, systems: Any, sample_weight: Any, unknown: Unknown
) -> tuple[LabelSets, dict[str, Any], NDArray[np.float64] | None]:
    """Return the truth, the predictions of the systems as they were given, and checked weights.

    Raises
    ------
    BadInput
        For a truth or weights that cannot be used, and for no system.
    """
    if hasattr(systems, "columns"):
        y_true, systems = labels_of_frame(hierarchy, y_true, systems, unknown)
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    if not len(truth):
        raise BadInput("y_true has no instances")
    named = named_systems(systems, truth)
    weight = check_weight(sample_weight, len(truth))
    if weight is not None and not weight.any():
        raise BadInput("all sample weights are 0")
    return truth, named, weight


def weighted_labels(sets: LabelSets, weight: NDArray[np.float64] | None) -> int:
    """Return the exact sum of the weighted numbers of labels."""
    if weight is None:
        return in_units(len(sets.indices))
    return exact_sum(sets.lengths.astype(np.float64) * weight)


def labels_of_frame(
    hierarchy: Hierarchy, y_true: Any, frame: Any, unknown: Unknown
) -> tuple[Any, dict[str, LabelSets]]:
    """Return truth and systems that are columns of one data frame."""
    if not isinstance(y_true, str):
        raise BadInput(
            "where systems are the columns of a data frame, y_true is the name of one of them, "
            f"got {shown(y_true, 40)}"
        )
    if y_true not in frame.columns:
        raise unknown_name("column", y_true, frame.columns, "the frame")
    sets = LabelSets.from_columns(frame, Hierarchy.of(hierarchy), unknown=unknown)
    truth = sets.pop(y_true, None)
    if truth is None:
        raise BadInput(f"the column {y_true!r} holds the instance ids, not labels")
    return truth, sets


def named_systems(systems: Any, truth: LabelSets) -> dict[str, Any]:
    """Return systems by name; what is no dict is one system.

    Raises
    ------
    BadInput
        For none, two of the same name, or the labels of one system by id.
    """
    named = dict(systems) if isinstance(systems, Mapping) else {"system": systems}
    if not named:
        raise BadInput("no system is given")
    texts = {str(name): labels for name, labels in named.items()}
    if len(texts) < len(named):
        raise BadInput(f"two systems have the same name: {', '.join(map(str, named))}")
    if "y_true" in texts:
        raise BadInput("a system cannot be called y_true; choose another name")
    plain = not any(isinstance(labels, LabelSets) for labels in texts.values())
    if plain and truth.ids and set(texts) == set(map(str, truth.ids)):
        raise BadInput(
            "the keys of systems are instance ids; wrap one system's labels: {'name': y_pred}"
        )
    return texts
