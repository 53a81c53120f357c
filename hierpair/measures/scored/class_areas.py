"""Areas under precision-recall and ROC curves of all classes at once, and their averages."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hierpair.errors import BadInput, check_choice, counted
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import Closing, NodeScores
from hierpair.measures.scored.curves import INTERPOLATIONS, Curves, GroupedScores, Interpolation
from hierpair.measures.scored.number_tables import NumberTable
from hierpair.measures.scored.pairs import counted_classes
from hierpair.tables.records import Records

__all__ = ["ClassAreas", "class_areas"]

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

    def __len__(self) -> int:
        return len(self.classes)

    def __repr__(self) -> str:
        n = counted(self.n_instances, "instance")
        return f"<ClassAreas: {counted(len(self), 'class')}, {n}>"

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
        taken = np.where(np.isnan(areas), zero_division, areas)[chosen]
        taken = taken[~np.isnan(taken)]
        return float(taken.mean()) if len(taken) else math.nan

    @property
    def records(self) -> Records:
        """One record per class: its true instances, their share, and both areas."""
        names = self.hierarchy.names
        rows = zip(
            [names[c] for c in self.classes.tolist()], self.positives.tolist(),
            (self.positives / self.n_instances).tolist(), self.auprc.tolist(),
            self.auroc.tolist(), strict=True,
        )  # fmt: skip
        header = ["class", "true instances", "prevalence", "auprc", "auroc"]
        return Records(header, [list(row) for row in rows])

    @property
    def notes(self) -> list[str]:
        """What the numbers are."""
        return [
            f"{counted(self.n_instances, 'instance')}; area under precision and recall "
            f"{JOINED[self.interpolation]}; its baseline is the prevalence",
            "nan: no instance has the class, or (auroc) every one",
        ]


def class_areas(
    truth: LabelSets,
    scores: NodeScores,
    *,
    interpolation: Interpolation = "step",
    closure: Closing = None,
    root: Any = "exclude",
) -> ClassAreas:
    """Return the areas under precision-recall and ROC curves of every class.

    All classes are ranked by one sort of the pairs that have a score or are true; the other pairs
    share the score 0 and come last, as one tie.

    Parameters
    ----------
    truth, scores
        Of the same instances in the same order; the truth is augmented by ancestors.
    interpolation
        ``"step"``: average precision, as scikit-learn has it; ``"clus"``: trapezoids between
        single hits (Davis & Goadrich 2006), as Clus has it; ``"trapezoid"``: straight lines
        between thresholds, as ``auc`` of scikit-learn's curve has it, which is optimistic.
    closure
        ``"max"`` gives a class the highest score below it first; None takes scores as given.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.

    Raises
    ------
    BadInput
        Where no instance has a class that counts, or the numbers of instances differ.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    >>> truth = LabelSets.from_labels([["c"], ["b"], ["a"]], tree)
    >>> table = [[0.9, 0.1, 0.5], [0.3, 0.8, 0.6], [0.2, 0.4, 0.0]]
    >>> areas = class_areas(truth, NodeScores.from_array(table, tree, classes=["a", "b", "c"]))
    >>> print(areas.to_text(3))
    class  true instances  prevalence  auprc  auroc
    a                   2       0.667  0.833  0.500
    b                   1       0.333  1.000  1.000
    c                   1       0.333  0.500  0.500
    <BLANKLINE>
    3 instances; area under precision and recall by steps (average precision); its baseline is the prevalence
    nan: no instance has the class, or (auroc) every one
    >>> round(areas.macro_auprc(), 4), round(areas.micro_auprc(), 4)
    (0.7778, 0.8304)
    """  # noqa: E501
    check_choice("interpolation", interpolation, INTERPOLATIONS)
    hierarchy = scores.hierarchy
    counts = counted_classes(hierarchy, root)
    curves = GroupedScores.of(truth, scores.closed(closure), counts, by_class=True).curves(
        corners=True
    )
    if not curves.n_true.any():
        raise BadInput(
            "no instance has a true class that counts, and areas need one"
            + (f" ({root!r} does not count)" if root not in ("exclude", "include") else "")
        )
    return ClassAreas(hierarchy, np.flatnonzero(counts), curves, len(truth), interpolation)
