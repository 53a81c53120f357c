"""What is predicted and what is hit at every threshold, of many groups of pairs at once.

A group is an instance, a class, or all pairs together. Its scores are sorted once, and one running
sum counts the true ones.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, cast, get_args

import numpy as np

from hierpair.errors import BadInput, check_choice, counted, shown
from hierpair.hierarchy import Hierarchy, counted_classes
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Ints,
    by_row,
    ends_of_ties,
    falling_by_row,
    offsets,
    places_in_rows,
    ragged_ranges,
    ratio,
    row_numbers,
    row_sums,
    running_max,
)
from hierpair.labels import LabelSets, Unknown
from hierpair.labels.node_scores import Closing, NodeScores
from hierpair.measures.scored.system import Scored, listed_pairs
from hierpair.tables.result import NumberTable

Area = Literal["trapezoid", "step", "envelope"]
AREAS = get_args(Area)

Interpolation = Literal["step", "clus", "trapezoid"]
INTERPOLATIONS = get_args(Interpolation)


def known_mean(values: Floats) -> float:
    """Return the mean of the values that are known; NaN if none is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


@dataclass(frozen=True, eq=False)
class GroupedScores:
    """The scores above 0 of groups of pairs, falling, and which are true; and of how many pairs."""

    indptr: Ints
    values: Floats
    true: Bools
    n_pairs: Ints
    n_true: Ints

    @classmethod
    def of(
        cls, truth: LabelSets, scores: NodeScores, counts: Bools, *, by_class: bool = False
    ) -> GroupedScores:
        """Take the classes that count, instance by instance or class by class.

        The truth is augmented.
        """
        pairs = listed_pairs(truth, scores, counts)
        ignored = truth.ignored or truth.take(np.full(len(truth), -1))
        n, size, group, gone = len(scores), int(counts.sum()), pairs.row, cast(Any, ignored.row)
        if by_class:
            n, size, group, gone = len(counts), n, pairs.column, ignored.indices
        n_pairs = size - np.bincount(gone[counts[ignored.indices]], minlength=n)
        n_true, scored = np.bincount(group[pairs.true], minlength=n), pairs.value > 0
        group, values, true = group[scored], pairs.value[scored], pairs.true[scored]
        lengths, order = np.bincount(group, minlength=n), falling_by_row(group, values, n)
        some = counts if by_class else slice(None)
        sizes = offsets(lengths[some]), n_pairs[some], n_true[some]
        return cls(sizes[0], values[order], true[order], *sizes[1:])

    def pooled(self, chosen: Bools) -> GroupedScores:
        """Return all pairs of the chosen groups as one group."""
        kept = np.repeat(chosen, np.diff(self.indptr))
        values, true = self.values[kept], self.true[kept]
        order, ends = np.argsort(-values), np.array([0, len(values)])
        n = (of[chosen].sum(keepdims=True) for of in (self.n_pairs, self.n_true))
        return GroupedScores(ends, values[order], true[order], *n)

    def curves(self, *, corners: bool = False, ids: tuple[Hashable, ...] | None = None) -> Curves:
        """Return the curve of every group: nothing, the ends of ties, and all pairs.

        With ``corners`` only the points where recall changes, those right before them, and both
        ends: areas need no more.
        """
        owner = row_numbers(self.indptr)
        end = ends_of_ties(owner, self.values) + 1
        rest = np.diff(self.indptr) < self.n_pairs
        distinct = np.bincount(owner[end - 1], minlength=len(rest))
        indptr = offsets(1 + distinct + rest)
        at, final = ragged_ranges(indptr[:-1] + 1, distinct), indptr[1:][rest] - 1
        points = []
        for running, whole in (
            (np.arange(len(owner) + 1), self.n_pairs),
            (np.append(0, np.cumsum(self.true)), self.n_true),
        ):
            count = np.zeros(indptr[-1], dtype=np.int64)
            count[at] = running[end] - running[self.indptr[:-1]].repeat(distinct)
            count[final] = whole[rest]
            points.append(count)
        n_pred, n_hit = points
        if corners:
            kept, changes = np.zeros(len(n_hit), dtype=bool), n_hit[1:] != n_hit[:-1]
            kept[1:] = changes
            kept[:-1] |= changes
            kept[indptr[:-1]] = kept[indptr[1:] - 1] = True
            n_pred, n_hit, indptr = n_pred[kept], n_hit[kept], offsets(row_sums(kept, indptr))
        return Curves(indptr, n_pred, n_hit, self.n_true, self, ids)


@dataclass(frozen=True, eq=False, repr=False)
class Curves:
    """Precision-recall curves of many instances, or other groups of pairs.

    Attributes
    ----------
    indptr
        Instance ``i`` has the points ``indptr[i] … indptr[i + 1] - 1``, by falling threshold; the
        first one is the empty prediction.
    n_pred, n_hit, n_true
        Classes and true classes predicted at every point; true classes of every instance.
    scores
        What they were found in.
    ids
        Instance ids, or None.
    """

    indptr: Ints
    n_pred: Ints
    n_hit: Ints
    n_true: Ints
    scores: GroupedScores
    ids: tuple[Hashable, ...] | None = None

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __repr__(self) -> str:
        n, points = counted(len(self), "instance"), counted(len(self.n_pred), "point")
        return f"<Curves: {n}, {points}, mean area {self.mean_area():.4f}>"

    @cached_property
    def threshold(self) -> Floats:
        """Of every point: the classes with at least this score are predicted; inf for none."""
        owner, start = row_numbers(self.indptr), self.scores.indptr
        n_listed = np.diff(start)[owner]
        last = start[owner] + np.minimum(self.n_pred, n_listed) - 1
        found = np.where(self.n_pred > n_listed, 0.0, np.append(self.scores.values, 0.0)[last])
        found[self.n_pred == 0] = np.inf
        return found

    @cached_property
    def recall(self) -> Floats:
        """Of every point; NaN where an instance has no true class."""
        return ratio(self.n_hit, np.repeat(self.n_true, np.diff(self.indptr)))

    @cached_property
    def precision(self) -> Floats:
        """Of every point; 1 where nothing is predicted."""
        return ratio(self.n_hit, self.n_pred, 1)

    def areas(self, how: Area = "trapezoid") -> Floats:
        """Return the area under every curve, shape ``(n_instances,)``; NaN without true classes.

        ``"trapezoid"`` joins the points by straight lines, as the published values do and
        ``sklearn.metrics.auc`` does; ``"step"`` gives each gain of recall the precision of the
        point that reaches it (average precision); ``"envelope"`` gives it the best precision of
        that point and all later ones (interpolated precision). Straight lines between points of
        a precision-recall curve are optimistic: no prediction lies on them.
        """
        check_choice("the area", how, AREAS)
        end, part = self._pieces(how)
        owner = np.searchsorted(self.indptr, end, side="right") - 1
        return ratio(np.bincount(owner, part, minlength=len(self)), self.n_true)

    def average_precision(self, interpolation: Interpolation = "step") -> Floats:
        """Return the same for groups of many pairs, such as classes; NaN without a true pair.

        The gains of recall are not added one after the other, but by halves. ``"clus"`` joins
        precision by trapezoids at every single hit, between which false ones come evenly (Davis
        & Goadrich 2006); up to the first point it is level.
        """
        check_choice("interpolation", interpolation, INTERPOLATIONS)
        end, part = self._pieces(interpolation)
        return ratio(self._halved_sums(end, part), self.n_true)

    def _pieces(self, how: Area | Interpolation) -> tuple[Ints, Floats]:
        """Return the areas that gains of recall add, in hits, and the points that they end at."""
        gained = np.diff(self.n_hit, prepend=0)  # below 0 where the next curve begins
        end = np.flatnonzero(gained > 0)
        hit, predicted, gained = self.n_hit[end], self.n_pred[end], gained[end]
        if how == "clus":
            before, before_all = np.repeat(self.n_hit[end - 1], gained), self.n_pred[end - 1]
            slope = np.repeat((predicted - before_all - gained) / gained, gained)
            false = np.repeat(before_all, gained) - before
            step = places_in_rows(offsets(gained))
            hits = before + step
            high = (hits + 1) / (hits + 1 + false + slope * (step + 1))
            low = ratio(hits, hits + false + slope * step)
            low = np.where(np.isnan(low), high, low)  # nothing is predicted yet
            return np.repeat(end, gained), (low + high) / 2
        height = self.envelope()[end] if how == "envelope" else hit / predicted
        if how == "trapezoid":
            height = (height + ratio(self.n_hit[end - 1], self.n_pred[end - 1], 1)) / 2
        return end, gained * height

    def roc_areas(self) -> Floats:
        """Return the area under every ROC curve; NaN without a true or without a false pair.

        It is the probability that a true pair has a higher score than a false one, ties count
        one half.
        """
        gained, predicted = (
            np.maximum(np.diff(each, prepend=0), 0) for each in (self.n_hit, self.n_pred)
        )
        part = (predicted - gained).astype(np.float64) * (2 * self.n_hit - gained)
        below = 2 * self.n_true.astype(np.float64) * (self.scores.n_pairs - self.n_true)
        return ratio(self._halved_sums(np.arange(len(part)), part), below)

    def _halved_sums(self, point: Ints, part: Floats) -> Floats:
        """Return the sums of parts by curve; parts stand in the order of their points."""
        return by_row(np.add, part, np.searchsorted(point, self.indptr), 0)

    def mean_area(self, how: Area = "trapezoid") -> float:
        """Return the mean area of the instances that have true classes; NaN if none has."""
        return known_mean(self.areas(how))

    def envelope(self) -> Floats:
        """Return the best precision of each point and all later ones of its curve."""
        last_row_first = len(self) - 1 - row_numbers(self.indptr)[::-1]
        return running_max(last_row_first, self.precision[::-1])[::-1]

    def mean_precision(self, recall: Floats) -> Floats:
        """Return the mean over instances of the interpolated precision at these recalls.

        Interpolated precision is the best one at this recall or a higher one. Instances without
        true classes are left out.
        """
        known = np.flatnonzero(self.n_true > 0)
        if not len(known):
            return np.full(len(recall), np.nan)
        n_true, best = self.n_true[known], self.envelope()
        width = int(n_true.max()) + 1
        keys = row_numbers(self.indptr) * width + self.n_hit
        wanted = (np.ceil(r * n_true - 1e-9).astype(np.int64) for r in recall)
        return np.array(
            [best[np.searchsorted(keys, known * width + hits)].mean() for hits in wanted]
        )


JOINED = {
    "step": "by steps (average precision)",
    "clus": "as Clus joins points",
    "trapezoid": "by straight lines, which are optimistic",
}


@dataclass(frozen=True, eq=False, repr=False)
class ClassAreas(NumberTable):
    """Areas under the curves of every class, and what they are on average.

    Attributes
    ----------
    hierarchy
        The classes.
    classes
        Numbers of those that count.
    curves
        What every threshold predicts and hits, by class, in the order of ``classes``.
    n_instances
        How many there are.
    interpolation
        How points of precision-recall curves are joined.
    """

    hierarchy: Hierarchy
    classes: Ints
    curves: Curves
    n_instances: int
    interpolation: Interpolation = "step"
    _pooled: dict[int, Curves] = field(default_factory=dict)

    columns: ClassVar = {
        "class": "names",
        "true instances": "positives",
        "prevalence": "prevalence",
        "auprc": "auprc",
        "auroc": "auroc",
    }

    @property
    def names(self) -> list[Hashable]:
        """The names of the classes."""
        return [self.hierarchy.names[c] for c in self.classes.tolist()]

    @property
    def prevalence(self) -> Floats:
        """Of what share of the instances each class is true."""
        return self.positives / self.n_instances

    @property
    def positives(self) -> Ints:
        """How many instances have each class, shape ``(n_counted_classes,)``."""
        return self.curves.n_true

    @cached_property
    def auprc(self) -> Floats:
        """Area under the precision-recall curve of every class; NaN where no instance has it."""
        return self.curves.average_precision(self.interpolation)

    @cached_property
    def auroc(self) -> Floats:
        """Area under the ROC curve of every class; NaN where no or every instance has it."""
        return self.curves.roc_areas()

    def macro_auprc(self, *, least: int = 1, zero_division: float = math.nan) -> float:
        """Return the mean of :attr:`auprc` over classes that so many instances have.

        ``zero_division`` is the area of a class that no instance has (with ``least=0``); NaN
        leaves it out.
        """
        return self._mean(self.auprc, self._chosen(least), zero_division)

    def macro_auroc(self, *, least: int = 1, zero_division: float = math.nan) -> float:
        """Return the mean of :attr:`auroc` over classes that so many instances have.

        ``zero_division`` is the area of a class that every or no instance has; NaN leaves it out.
        """
        return self._mean(self.auroc, self._chosen(least), zero_division)

    def weighted_auprc(self) -> float:
        """Return the mean of :attr:`auprc`, weighted by how many instances have the class."""
        has = self._chosen(1)
        return float(self.auprc[has] @ self.positives[has] / self.positives[has].sum())

    def micro_auprc(self, *, least: int = 0) -> float:
        """Return the area under one precision-recall curve of all pairs of instance and class.

        Of the classes that at least so many instances have; all that count by default.
        """
        return float(self.pooled(least).average_precision(self.interpolation)[0])

    def micro_auroc(self, *, least: int = 0) -> float:
        """Return the area under one ROC curve of all pairs; NaN where all are true."""
        return float(self.pooled(least).roc_areas()[0])

    def pooled(self, least: int = 0) -> Curves:
        """Return the curve of all pairs together, of the classes that so many instances have."""
        if least not in self._pooled:
            pooled = self.curves.scores.pooled(self._chosen(least))
            self._pooled[least] = pooled.curves(corners=True)
        return self._pooled[least]

    def _chosen(self, least: int) -> Bools:
        chosen = self.positives >= least
        if not chosen.any():
            raise BadInput(
                f"no class that counts has {counted(least, 'true instance')} or more (the most "
                f"frequent has {int(self.positives.max(initial=0))}); lower least"
            )
        return chosen

    @staticmethod
    def _mean(areas: Floats, chosen: Bools, zero_division: float) -> float:
        return known_mean(np.where(np.isnan(areas), zero_division, areas)[chosen])

    @property
    def notes(self) -> list[str]:  # type: ignore[override] # as it follows from what was chosen
        """What the numbers are."""
        return [
            f"{counted(self.n_instances, 'instance')}; area under precision and recall "
            f"{JOINED[self.interpolation]}; its baseline is the prevalence",
            "–: no instance has the class, or (auroc) every one",
        ]


def class_areas(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    interpolation: Interpolation = "step",
    closure: Closing = None,
    root: Any = "exclude",
    unknown: Unknown = "error",
) -> ClassAreas:
    """Return the areas under precision-recall and ROC curves of every class.

    The measures ``micro_auprc``, ``macro_auprc``, ``weighted_auprc``, ``macro_auroc`` and
    ``micro_auroc`` are methods of what is returned. All classes are ranked by one sort of the pairs
    that have a score or are true; the other pairs share the score 0 and come last, as one tie.

    Parameters
    ----------
    y_true
        Labels of every instance: one label or a collection of them, or ``{id: labels}``.
    y_score
        Scores of the classes: NodeScores, a LabelDistribution, ``{id: {label: score}}``, a
        matrix with a column per class or leaf, the pair ``(matrix, classes)``, or a list with a
        matrix per level (:meth:`NodeScores.from_levels`).
    hierarchy
        The classes.
    interpolation
        ``"step"``: average precision; ``"clus"``: trapezoids between single hits, as Clus has it;
        ``"trapezoid"``: straight lines between thresholds, which are optimistic.
    closure
        ``"max"`` gives a class the highest score below it first; None takes scores as given.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.
    unknown
        Labels outside the hierarchy: an error, left out, or replaced by the root.

    Raises
    ------
    BadInput
        Where no instance has a class that counts, and for input that does not fit.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    >>> found = class_areas({"x": "c", "y": "b"}, {"x": {"a": 0.9}, "y": {"a": 0.4}}, tree)
    >>> found.auprc.tolist(), found.auroc.tolist()
    ([1.0, 0.5, 0.5], [1.0, 0.5, 0.5])
    """
    check_choice("interpolation", interpolation, INTERPOLATIONS)
    scored = Scored.of_labels(y_true, y_score, hierarchy, unknown)
    h, n, scores = scored.hierarchy, len(scored), scored.scores.closed(closure)
    counts = counted_classes(h, root)
    curves = GroupedScores.of(scored.truth, scores, counts, by_class=True).curves(corners=True)
    if not curves.n_true.any():
        raise BadInput(
            f"no instance has a true class that counts, and areas need one (root={shown(root)})"
        )
    return ClassAreas(h, np.flatnonzero(counts), curves, n, interpolation)
