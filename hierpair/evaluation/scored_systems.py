"""Scores of classes in, scores of systems out: measures that see all instances at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from hierpair.errors import HierpairError
from hierpair.evaluation.progress import Progress
from hierpair.evaluation.results.score_data import NotKept
from hierpair.evaluation.results.scores import Scores
from hierpair.evaluation.systems import sides_of
from hierpair.hierarchy import Hierarchy
from hierpair.labels import Unknown
from hierpair.labels.scores_of_labels import match_scores, unmatched
from hierpair.measures import Measure, Scored
from hierpair.measures.scored.predictions import predicted_scores

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
        scores = predicted_scores(
            given, hierarchy, measures, unknown=unknown, system=system, ids=truth.ids
        )
        surplus: Literal["error", "drop"] = "drop" if unknown == "drop" else "error"
        matched = match_scores(truth, scores, missing=missing, surplus=surplus, system=system)
        n_missing[system], _ = unmatched(truth, scores)
        whole = Scored(hierarchy, truth, matched, weight)
        for k, m in enumerate(measures):
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
