"""All numbers of ranked predictions in one table, with the number of mistakes beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hierpair._version import __version__
from hierpair.errors import BadInput, called, counted, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, row_numbers
from hierpair.labels import LabelRows, LabelSets, NodeScores, match_instances
from hierpair.labels.naming import refuse, resolve_rows
from hierpair.labels.node_scores import has_scores, scores_of_labels
from hierpair.measures.named import measure
from hierpair.measures.scored.number_tables import NumberTable
from hierpair.measures.scored.rankings import Ranked, ranked_classes
from hierpair.measures.scored.system import Scored
from hierpair.pairing import Cost, cost_text
from hierpair.tables.text import number

MEASURES = {
    "accuracy": "top_accuracy",
    "ahd": "ahd",
    "ahd_mistakes": "ahd_mistakes",
    "best_of": "best_of",
    "similarity_precision": "similarity_precision",
    "hprecision": "hprecision",
}
"""The measure of every column."""


@dataclass(frozen=True, eq=False, repr=False)
class RankedScores(NumberTable):
    """The numbers of ranked predictions.

    Attributes
    ----------
    n_instances, n_mistakes
        How many there are, and of how many the first class is wrong.
    severity
        Mean distance of these; nan without a mistake. It says nothing without their number.
    k
        How many of the first classes count, for each row.
    accuracy
        Share of instances whose true class is among the first k.
    ahd, ahd_mistakes
        Mean distance of the first k, over all instances and over those with a wrong first class.
    best_of
        Mean distance of the nearest of the first k.
    similarity_precision
        Sum of similarities 1 − d/D as a share of the largest sum.
    hprecision
        Mean share of the first k that are among the k nearest classes.
    cost, ties, candidates
        What was chosen.
    """

    n_instances: int
    n_mistakes: int
    severity: float
    k: tuple[int, ...]
    accuracy: Floats
    ahd: Floats
    ahd_mistakes: Floats
    best_of: Floats
    similarity_precision: Floats
    hprecision: Floats
    cost: str
    ties: str = "error"
    candidates: str = "leaves"

    columns: ClassVar = {
        name: name
        for name in ("k", *MEASURES, "n_instances", "n_mistakes", "severity", "signature")
    }

    @property
    def error_rate(self) -> float:
        """The share of instances whose first class is wrong."""
        return self.n_mistakes / self.n_instances if self.n_instances else math.nan

    @property
    def signature(self) -> str:  # type: ignore[override] # as it follows from what was chosen
        """What was computed, in one line."""
        chosen = f"cost={self.cost},ties={self.ties},candidates={self.candidates}"
        return f"ranked_scores({chosen})|hierpair {__version__}"

    @property
    def notes(self) -> list[str]:  # type: ignore[override] # the numbers that they are over
        """What has to be known beside the numbers."""
        severity = number(self.severity, 4) if self.n_mistakes else "not defined"
        return [
            f"{counted(self.n_instances, 'instance')}, {counted(self.n_mistakes, 'mistake')} "
            f"(error rate {number(self.error_rate, 4)}); severity of mistakes {severity}",
            "the severity is over mistakes alone: times the error rate it is ahd at k = 1",
        ]

    def shown(self) -> tuple[list[str], Sequence[Sequence[Any]]]:
        """Return a row per k."""
        heads = (f"{c} {'↑' if measure(m).higher_is_better else '↓'}" for c, m in MEASURES.items())
        return ["k", *heads], [row[: 1 + len(MEASURES)] for row in self.records.rows]


def ranked_scores(
    y_true: Any,
    predictions: Any,
    hierarchy: Hierarchy,
    *,
    k: int | Sequence[int] = (1, 5, 20),
    cost: str | Cost = "height",
    ties: str = "error",
    candidates: str = "leaves",
    largest: float | None = None,
) -> RankedScores:
    """Return how good ranked predictions are, mistakes and better ones apart.

    Parameters
    ----------
    y_true
        One true class per instance, as :func:`hierpair.score` takes labels.
    predictions
        Scores: :class:`NodeScores` or ``{id: {label: score}}``; or rankings: lists of classes, best
        first, one per instance or ``{id: [class, …]}``.
    hierarchy
        The classes.
    k
        How many of the first classes count: a number or several.
    cost
        The distance of a class from the true one: by default the height of their lowest common
        ancestor, 0 for the class itself; any cost of pairs, such as ``"hops"`` or
        ``"matrix('distances.tsv')"``.
    ties
        Where equal scores leave open which classes are among the first k: an ``"error"``, or
        classes by ``"name"``.
    candidates
        Which classes are ranked: ``"leaves"``, or ``"all"`` but a single root.
    largest
        The distance D of similarities 1 − d/D; by default the largest between two candidates.

    Raises
    ------
    BadInput
        For several true classes of an instance, ties, a k beyond the ranking, and classes that
        are unknown, named twice or no candidates.
    Infeasible
        For classes without a common ancestor.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges(
    ...     [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")])
    >>> rankings = [["c", "d", "e", "f"], ["c", "e", "f", "d"]]
    >>> found = ranked_scores(["c", "d"], rankings, tree, k=(1, 2))
    >>> found
    <RankedScores: 2 rows>
    >>> found.severity, found.ahd.tolist(), found.hprecision.tolist()
    (1.0, [0.5, 1.0], [0.5, 0.75])
    """
    ks = tuple(k) if isinstance(k, Sequence) else (k,)
    truth = LabelSets.from_labels(y_true, hierarchy, source="y_true")
    scores = (
        scores_of_labels(predictions, hierarchy)
        if has_scores(predictions)
        else _listed(predictions, hierarchy, candidates)
    )
    if len(scores) != len(truth) and truth.ids is None:
        raise BadInput(
            f"y_true has {counted(len(truth), 'instance')} and there are {len(scores)} rankings"
        )
    scored = Scored(hierarchy, truth, match_instances(truth, scores, system="scores"))

    def value(name: str, k: int) -> float:
        m, given = measure(name), {**how, "k": k, "largest": largest}
        return m.with_options(**{o: x for o, x in given.items() if o in m.options}).value_of(scored)

    how = {"cost": cost, "ties": ties, "candidates": candidates}
    found: dict[str, Any] = {
        c: np.array([value(m, one) for one in ks]) for c, m in MEASURES.items()
    }
    wrong = int(Ranked(scored, ties=ties, candidates=candidates).wrong().sum())
    text = cost_text(cost)
    found |= {**how, "cost": text if isinstance(text, str) else called(text)}
    return RankedScores(len(truth), wrong, value("ahd_mistakes", 1), ks, **found)


def _listed(given: Any, hierarchy: Hierarchy, candidates: str) -> NodeScores:
    """Return lists of classes, best first, as scores that fall."""
    ids, rows = (tuple(given), given.values()) if isinstance(given, Mapping) else (None, given)
    for i, row in enumerate(rows):
        if isinstance(row, (str, bytes, Mapping)) or not isinstance(row, (Sequence, np.ndarray)):
            who = i if ids is None else ids[i]
            raise BadInput(f"a ranking is a list of classes, best first, got {shown(row)}", who)
    listed = LabelRows.in_memory([list(row) for row in rows], ids)
    found, _ = resolve_rows(listed, hierarchy)
    classes, row, length = found.classes, row_numbers(found.ptr), np.diff(found.ptr)
    place = np.arange(len(classes)) - found.ptr[row]
    values = (length[row] - place) / length[row]
    scores = NodeScores.of_cells(hierarchy, len(length), row, classes, values, ids)

    def named(k: int) -> str:
        return f"{listed.place(k)}: the ranking names class {shown(listed.label(k))}"

    refuse(scores.at(row, classes) > values, lambda k: f"{named(k)} twice")
    refuse(
        ~np.isin(classes, ranked_classes(hierarchy, candidates)),
        lambda k: f"{named(k)}, which has classes below it; candidates='all' ranks such ones too",
    )
    return replace(scores, holds="ranks")
