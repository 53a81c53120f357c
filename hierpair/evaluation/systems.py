"""Systems one after the other: matched with the truth, and what each leaves behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, Infeasible, SolverLimit, listed, shown
from hierpair.evaluation.batches import Found, Task, found_of
from hierpair.evaluation.checked import check_weight
from hierpair.evaluation.progress import Progress
from hierpair.evaluation.sums import Sums, exact_sum, in_units
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets, Unknown, match_instances
from hierpair.measures import Measure
from hierpair.measures.recipes.solved import named_pairs_of
from hierpair.measures.scored.system import predicted_scores
from hierpair.pairing import OrderOfPairs

LEAVE_OUT = " (to score the others: on_infeasible='nan')"
"""Stands after what is wrong with an instance that has no pairing."""


class System(NamedTuple):
    """One system: its name and labels, what they leave behind, and what was found of instances."""

    name: str
    prediction: LabelSets
    sums: Sums
    found: Found


@dataclass(frozen=True)
class How:
    """How labels of systems are read and evaluated; see :func:`hierpair.score`."""

    unknown: Unknown = "error"
    missing: Literal["error", "empty"] = "error"
    chunk: int | None = None
    n_jobs: int = 1
    on_progress: Progress | None = None


def found_systems(
    task: Task, named: Mapping[str, Any], order: OrderOfPairs, how: How
) -> Iterator[System]:
    """Yield what is found of every system; the order of pairs that rules name is noted."""
    pairs = named_pairs_of(task.measures)
    for name, labels in named.items():
        given, prediction = matched(task.hierarchy, task.truth, task.measures, name, labels, how)
        n_missing = 0 if given.ids is None else len(task.truth) - len(given)
        found = _evaluated(task, name, prediction, how)
        order.look(pairs, task.truth, prediction, task.hierarchy)
        n_labels = weighted_labels(prediction, task.weight)
        counts = {"labels": n_labels, "unknown": prediction.n_unknown, "missing": n_missing}
        sums = found.sums.plus(Sums(counts, {}, {"unused_scores": given.unused_scores}))
        yield System(name, prediction, sums, found)


def matched(
    hierarchy: Hierarchy,
    truth: LabelSets,
    measures: Sequence[Measure],
    name: str,
    given: Any,
    how: How,
) -> tuple[Any, Any]:
    """Return what a system predicts, as it was given and instance by instance as the truth is.

    Of measures of scores these are what :func:`hierpair.labels.node_scores.scores_of_labels` takes,
    or for rankings also a matrix of classes, best first; label sets have the score 1. With
    ``unknown="drop"`` scores of instances without a truth are left out, too.
    """
    unknown = how.unknown
    found: Any
    surplus: Literal["error", "drop"] = "error"
    if not measures[0].of_scores:
        found = LabelSets.from_labels(given, hierarchy, unknown=unknown, source=name)
    else:
        found = predicted_scores(
            given, hierarchy, measures, unknown=unknown, system=name, ids=truth.ids
        )
        surplus = "drop" if unknown == "drop" else "error"
    return found, match_instances(truth, found, missing=how.missing, surplus=surplus, system=name)


def _evaluated(task: Task, name: str, prediction: LabelSets, how: How) -> Found:
    """Return what the instances of one system leave behind, telling how far it is."""
    parts, n, done = [], len(task.truth), 0
    tell = how.on_progress if how.on_progress is not None and n else lambda *_: None
    tell(name, 0, n)
    try:
        for part in found_of(task, prediction, how.chunk, how.n_jobs):
            parts.append(part)
            done += len(part.values)
            tell(name, done, n)
    except (BadInput, Infeasible, SolverLimit) as error:
        where = f" (system {name}){LEAVE_OUT if isinstance(error, Infeasible) else ''}"
        raise type(error)(f"{error.reason}{where}", error.instance) from error
    return Found.joined(parts, task)


def sides_of(
    hierarchy: Hierarchy, y_true: Any, systems: Any, sample_weight: Any, unknown: Unknown
) -> tuple[LabelSets, dict[str, Any], NDArray[np.float64] | None]:
    """Return the truth, the predictions of the systems as they were given, and checked weights.

    Raises
    ------
    BadInput
        For a truth or weights that do not fit, and for no system.
    """
    if hasattr(systems, "columns"):
        y_true, systems = labels_of_frame(hierarchy, y_true, systems, unknown)
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    return truth, named_systems(systems, truth), check_weight(sample_weight, len(truth))


def check_some(truth: LabelSets, weight: NDArray[np.float64] | None) -> None:
    """Refuse instances that have no mean: none, or none that counts."""
    if not len(truth):
        raise BadInput("y_true has no instances")
    if weight is not None and not weight.any():
        raise BadInput("all sample weights are 0")


def weighted_labels(sets: LabelSets, weight: NDArray[np.float64] | None) -> int:
    """Return the exact sum of the weighted numbers of labels."""
    if weight is None:
        return in_units(len(sets.indices))
    return exact_sum(sets.lengths.astype(np.float64) * weight)


def labels_of_frame(
    hierarchy: Hierarchy, y_true: Any, frame: Any, unknown: Unknown
) -> tuple[Any, dict[str, LabelSets]]:
    """Return truth and systems that are columns of one data frame."""
    sets = LabelSets.from_columns(frame, Hierarchy.of(hierarchy), unknown=unknown)
    if not isinstance(y_true, str) or y_true not in sets:
        raise BadInput(
            "where systems are the columns of a data frame, y_true is the name of one of them, "
            f"got {shown(y_true, 40)}; there are {listed(sets)}"
        )
    return sets.pop(y_true), sets


def check_names(systems: Mapping[str, Any], mend: str = "") -> None:
    """Refuse no system, and one that is called as the truth; ``mend`` says what there is."""
    if not systems:
        raise BadInput(f"no system is given{mend}")
    if "y_true" in systems:
        raise BadInput("a system cannot be called y_true; choose another name")


def named_systems(systems: Any, truth: LabelSets) -> dict[str, Any]:
    """Return systems by name; what is no dict is one system.

    Raises
    ------
    BadInput
        For none, two of the same name, or the labels of one system by id.
    """
    named = dict(systems) if isinstance(systems, Mapping) else {"system": systems}
    texts = {str(name): labels for name, labels in named.items()}
    if len(texts) < len(named):
        raise BadInput(f"two systems have the same name: {', '.join(map(str, named))}")
    check_names(texts)
    plain = not any(isinstance(labels, LabelSets) for labels in texts.values())
    if plain and truth.ids and set(texts) == set(map(str, truth.ids)):
        raise BadInput(
            "the keys of systems are instance ids; wrap one system's labels: {'name': y_pred}"
        )
    return texts
