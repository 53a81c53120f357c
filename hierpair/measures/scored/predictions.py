"""Predictions of a system for measures of scores: what was given, as scores of classes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets, NodeScores, Unknown
from hierpair.labels.node_scores import (
    has_scores,
    scores_of_labels,
    scores_of_rankings,
    scores_of_sets,
)
from hierpair.measures.named import Measure

NEEDED = {
    "leaves": "these are scores of leaves that do not add up to 1, and the measure reads inner "
    "classes too: give a column per class, as by NodeScores.from_array",
    "ranks": "these are classes, best first, which have no scores",
}


def predicted_scores(
    given: Any,
    hierarchy: Hierarchy,
    measures: Iterable[Measure],
    *,
    unknown: Unknown,
    system: str,
    ids: Sequence[Hashable] | None,
) -> NodeScores:
    """Return what a system predicts as scores of the classes of this hierarchy.

    They are what :func:`hierpair.labels.node_scores.scores_of_labels` takes; for measures
    of rankings also a matrix of classes, best first; or label sets, whose labels have the score 1.

    Raises
    ------
    BadInput
        For what is none of these, and for a measure of what the scores do not say.
    """
    if has_scores(given):
        scores = scores_of_labels(given, hierarchy, unknown=unknown, source=system, ids=ids)
    else:
        ranked = scores_of_rankings(given, hierarchy)
        if ranked is None:
            sets = LabelSets.from_labels(given, hierarchy, unknown=unknown, source=system)
            ranked = scores_of_sets(sets, hierarchy)
        scores = ranked
    for m in measures:
        enough = m.definition.family == "ranking" or (
            scores.holds == "leaves" and m.definition.scored_classes == "leaves"
        )
        if scores.holds != "classes" and not enough:
            raise BadInput(f"{m.name}: {NEEDED[scores.holds]} (system {system})")
    return scores
