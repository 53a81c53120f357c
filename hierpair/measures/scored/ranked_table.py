"""All numbers of ranked predictions in one table, with the number of mistakes beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair._version import __version__
from hierpair.errors import BadInput, counted, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats
from hierpair.hierarchy.building import LARGEST_NUMBER
from hierpair.labels import LabelSets
from hierpair.labels.scores_of_labels import has_scores, match_scores, scores_of_labels
from hierpair.labels.set_operations import match_instances
from hierpair.measures.scored.ranked import Ranked
from hierpair.measures.scored.rankings import Rankings
from hierpair.pairing import Cost, cost_named, cost_text
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Page, Records
from hierpair.tables.text import number

__all__ = ["RankedScores", "ranked_scores"]


@dataclass(frozen=True, eq=False, repr=False)
class RankedScores(Tabular):
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

    @property
    def error_rate(self) -> float:
        """The share of instances whose first class is wrong."""
        return self.n_mistakes / self.n_instances if self.n_instances else math.nan

    def __repr__(self) -> str:
        wrong = counted(self.n_mistakes, "mistake")
        return f"<RankedScores: {counted(self.n_instances, 'instance')}, {wrong}>"

    @property
    def signature(self) -> str:
        """What was computed, in one line."""
        chosen = f"cost={self.cost},ties={self.ties},candidates={self.candidates}"
        return f"ranked_scores({chosen})|hierpair {__version__}"

    @property
    def records(self) -> Records:
        """One record per k; what does not depend on it stands in each."""
        rows = [
            [k, *map(float, of_k), self.n_instances, self.n_mistakes, self.severity, self.signature]
            for k, *of_k in zip(self.k, *(getattr(self, c) for c in COLUMNS), strict=True)
        ]
        more = ["n_instances", "n_mistakes", "severity", "signature"]
        return Records(["k", *COLUMNS, *more], rows)

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the numbers."""
        severity = number(self.severity, 4) if self.n_mistakes else "not defined"
        return [
            f"{counted(self.n_instances, 'instance')}, {counted(self.n_mistakes, 'mistake')} "
            f"(error rate {number(self.error_rate, 4)}); severity of mistakes {severity}",
            "the severity is over mistakes alone: times the error rate it is ahd at k = 1",
        ]

    def content(self, digits: int | None = None) -> Content:
        """Return a row per k, with 4 decimals by default."""
        decimals = 4 if digits is None else digits
        rows = [
            [str(k), *(number(float(x), decimals) for x in of_k)]
            for k, *of_k in zip(self.k, *(getattr(self, c) for c in COLUMNS), strict=True)
        ]
        header = ["k", *(f"{c} {'↑' if c in RISING else '↓'}" for c in COLUMNS)]
        page = Page([Block(header, rows)], self.notes, [self.signature])
        return Content(lambda: self.records, lambda _: page)


COLUMNS = ("accuracy", "ahd", "ahd_mistakes", "best_of", "similarity_precision", "hprecision")
RISING = ("accuracy", "similarity_precision", "hprecision")


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
    <RankedScores: 2 instances, 1 mistake>
    >>> found.severity, found.ahd.tolist(), found.hprecision.tolist()
    (1.0, [0.5, 1.0], [0.5, 0.75])
    """
    ks = tuple(k) if isinstance(k, Sequence) else (k,)
    for one in ks:
        if isinstance(one, bool) or not isinstance(one, (int, np.integer)) or one < 1:
            raise BadInput(f"k must be a whole number ≥ 1, got {shown(one)}")
    if largest is not None and not 0 < largest < LARGEST_NUMBER:
        raise BadInput(f"largest must be a finite number > 0 or None, got {largest!r}")
    truth = LabelSets.from_labels(y_true, hierarchy, source="y_true")
    rankings = _rankings(truth, predictions, hierarchy, candidates, ties)
    ranked = Ranked(truth, rankings)
    price = cost_named(cost)
    wrong = int(ranked.top_is_wrong().sum())
    numbers = [
        [
            ranked.accuracy(one),
            ranked.mean_distance(one, price),
            ranked.mean_distance_of_mistakes(one, price),
            ranked.mean_of_nearest(one, price),
            ranked.similarity_share(one, price, largest),
            ranked.share_of_ball(one, price),
        ]
        for one in ks
    ]
    columns = np.array(numbers, dtype=np.float64).reshape(-1, len(COLUMNS)).T
    severity = ranked.mean_distance_of_mistakes(1, price)
    text = cost_text(cost)
    said = text if isinstance(text, str) else getattr(text, "__name__", type(text).__name__)
    by_name: dict[str, Any] = dict(zip(COLUMNS, columns, strict=True))
    return RankedScores(
        len(truth), wrong, severity, ks, **by_name, cost=said, ties=ties, candidates=candidates
    )


def _rankings(
    truth: LabelSets, predictions: Any, hierarchy: Hierarchy, candidates: str, ties: str
) -> Rankings:
    """Return rankings in the order of the truth."""
    if has_scores(predictions):
        scores = match_scores(truth, scores_of_labels(predictions, hierarchy))
        return Rankings.of_scores(scores, candidates=candidates, ties=ties)
    given = predictions
    if isinstance(given, Mapping) and truth.ids is not None:
        ids = LabelSets.from_arrays(
            np.zeros(len(given) + 1, dtype=np.int64), np.empty(0, np.int32), 1, tuple(given)
        )
        match_instances(truth, ids, system="rankings")  # refuses what only one side has
        given = {name: predictions[name] for name in truth.ids}
    found = Rankings.of_lists(given, hierarchy, candidates=candidates)
    if len(found) != len(truth):
        raise BadInput(
            f"y_true has {counted(len(truth), 'instance')} and there are {len(found)} rankings"
        )
    return found
