"""Scores of classes in, scores of systems out: measures that see all instances at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, HierpairError
from hierpair.evaluation.progress import Progress
from hierpair.evaluation.results.score_data import NotKept
from hierpair.evaluation.results.scores import Scores
from hierpair.evaluation.systems import sides_of
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets, NodeScores, Unknown
from hierpair.labels.scores_of_labels import (
    has_scores,
    match_scores,
    scores_of_labels,
    scores_of_rankings,
    scores_of_sets,
    unmatched,
)
from hierpair.measures import Measure, Scored

__all__ = ["score_of_scores"]

NO_INSTANCES = (
    "there are no values of instances of {}: a measure of scores sees all instances at once"
)


def score_of_scores(
    hierarchy: Hierarchy,
    y_true: Any,
    systems: Any,
    measures: Sequence[Measure],
    *,
    sample_weight: Any = None,
    unknown: Unknown = "error",
    missing: Literal["error", "empty"] = "error",
    on_progress: Progress | None = None,
) -> Scores:
    """Return systems under measures of scores, without values of instances.

    The parameters are those of :func:`hierpair.score`; the predictions of a system are what
    :func:`hierpair.labels.scores_of_labels.scores_of_labels` takes; for measures of rankings also
    a matrix of classes, best first; or label sets, whose labels have the score 1. With
    ``unknown="drop"`` scores of instances without a truth are left out, too.

    Raises
    ------
    BadInput
        For input that cannot be used as it is, or that a measure refuses; names the system.
    """
    truth, named, weight = sides_of(hierarchy, y_true, systems, sample_weight, unknown)
    tell = on_progress or (lambda *_: None)
    values = np.empty((len(named), len(measures)))
    remarks: dict[tuple[str, str], dict[str, int]] = {}
    n_missing = {}
    for i, (system, given) in enumerate(named.items()):
        tell(system, 0, len(truth))
        scores = _scores_of(given, hierarchy, unknown, system, truth.ids)
        surplus: Literal["error", "drop"] = "drop" if unknown == "drop" else "error"
        matched = match_scores(truth, scores, missing=missing, surplus=surplus, system=system)
        n_missing[system], _ = unmatched(truth, scores)
        whole = Scored(hierarchy, truth, matched, weight)
        for k, m in enumerate(measures):
            _check(matched, m, system)
            scored = whole.for_measure()
            try:
                values[i, k] = m.value_of(scored)
            except HierpairError as error:
                told = f"{m.name}: {error.reason} (system {system})"
                raise type(error)(told, error.instance) from error
            if scored.remarks:
                remarks[system, m.name] = scored.remarks
        tell(system, len(truth), len(truth))
    return Scores(
        systems=tuple(named),
        measures=tuple(measures),
        values=values,
        per_instance=NotKept(NO_INSTANCES),
        ids=truth.ids,
        n_instances=len(truth),
        n_unknown={"y_true": truth.n_unknown},
        n_missing=n_missing,
        remarks=remarks,
        weight=weight,
        doubts=tuple(hierarchy.doubts),
    )


def _scores_of(
    given: Any,
    hierarchy: Hierarchy,
    unknown: Unknown,
    system: str,
    ids: Sequence[Any] | None,
) -> NodeScores:
    """Return what a system predicts as scores of the classes of this hierarchy."""
    if has_scores(given):
        return scores_of_labels(given, hierarchy, unknown=unknown, source=system, ids=ids)
    ranked = scores_of_rankings(given, hierarchy)
    if ranked is not None:
        return ranked
    sets = LabelSets.from_labels(given, hierarchy, unknown=unknown, source=system)
    return scores_of_sets(sets, hierarchy)


NEEDED = {
    "leaves": "these are scores of leaves that do not add up to 1, and the measure reads inner "
    "classes too: give a column per class, as by NodeScores.from_array",
    "ranks": "these are classes, best first, which have no scores",
}


def _check(scores: NodeScores, measure: Measure, system: str) -> None:
    """Refuse a measure of what scores do not say."""
    enough = measure.definition.family == "ranking" or (
        scores.holds == "leaves" and measure.definition.scored_classes == "leaves"
    )
    if scores.holds != "classes" and not enough:
        raise BadInput(f"{measure.name}: {NEEDED[scores.holds]} (system {system})")
