"""One system by class: the exact sums that averages over classes are made of, and their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.evaluation.batches import Task
from hierpair.evaluation.progress import OnProgress, shown_progress
from hierpair.evaluation.sums import ClassSums, Sums, Tally, as_fraction
from hierpair.evaluation.systems import How, found_systems, sides_of
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import Floats
from hierpair.labels import LabelSets, Unknown
from hierpair.measures import Measure
from hierpair.measures.pooling import class_values, of_unseen
from hierpair.pairing import OrderOfPairs

__all__ = ["SummedByClass", "sums_by_class"]


@dataclass(frozen=True, eq=False)
class SummedByClass:
    """What the instances of one system add up to, over all of them and by class.

    Attributes
    ----------
    task
        Hierarchy, measures, truth and weights.
    prediction
        The labels of the system.
    summed
        Exact sums.
    """

    task: Task
    prediction: LabelSets
    summed: Sums

    @cached_property
    def pooled(self) -> dict[Measure, float]:
        """The pooled score of every measure, as :func:`hierpair.score` has it."""
        values = self.summed.pooled(self.task.plan)
        return dict(zip(self.task.measures, values, strict=True))

    def sums(self, m: Measure) -> ClassSums:
        """Return the sums by class of a measure that is averaged over classes."""
        by_class = self._tally(m).by_class
        if by_class is None:
            raise AssertionError(f"no sums by class were asked for of {m.name}")
        return by_class

    def total(self, m: Measure, column: str) -> float:
        """Return the sum of a column over all instances, for a measure that is a micro average."""
        return float(as_fraction(self._tally(m).sums[column]))

    def values(self, m: Measure) -> Floats:
        """Return the value of every class, shape ``(n_classes,)``, in the order of their numbers.

        What an average leaves out is nan: classes that no instance has, unless they count too
        (``classes="all"``), and those that do not count. Entries of a recipe that are of levels
        give the values of the levels.
        """
        hierarchy, tally = self.task.hierarchy, self._tally(m)
        by_level = getattr(m.recipe, "by", "class") == "level"
        n = int(hierarchy.levels[-1]) + 1 if by_level else len(hierarchy)
        found = np.full(n, np.nan)
        totals = tally.class_totals()
        if totals.has_all(m):
            if counted := getattr(m.recipe, "counted", None):
                counts = counted(hierarchy)
            else:
                counts = np.ones(n, dtype=bool)
                counts[excluded_classes(hierarchy, m.options.get("root", "include"))] = False
            if counts.sum() != totals.n_classes:
                raise BadInput(
                    f"{m.name}: its recipe does not say which classes count; choose classes='seen'"
                )
            found[counts] = of_unseen(m, totals)[0]
        values, occurs = class_values(m, totals)
        numbers = self.sums(m).classes
        real = occurs[0] & (numbers < n)  # a path threshold has an artificial class
        found[numbers[real]] = values[0][real]
        return found

    def _tally(self, m: Measure) -> Tally:
        return self.summed.tally(self.task.plan, self.task.measures.index(m))


def sums_by_class(
    hierarchy: Hierarchy,
    y_true: Any,
    y_pred: Any,
    measures: Sequence[Measure],
    *,
    sample_weight: Any = None,
    unknown: Unknown = "error",
    on_progress: OnProgress = None,
) -> SummedByClass:
    """Add up what the instances of one system leave behind; parameters are those of :func:`score`.

    Examples
    --------
    >>> from hierpair import measure
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("b", "c")])
    >>> recall = measure("recall(average=macro)")
    >>> found = sums_by_class(tree, ["a", "c", "c"], ["a", "b", "c"], [recall])
    >>> dict(zip(tree.names, found.values(recall).tolist()))
    {'r': nan, 'a': 1.0, 'b': 0.0, 'c': 0.5}
    >>> found.pooled[recall]
    0.5
    """
    with shown_progress(on_progress, "instance") as tell:
        truth, named, weight = sides_of(
            hierarchy, y_true, {"y_pred": y_pred}, sample_weight, unknown
        )
        task = Task(hierarchy, tuple(measures), truth, weight)
        how = How(unknown=unknown, on_progress=tell)
        (found,) = found_systems(task, named, OrderOfPairs(), how)  # no rule of pairs is by class
    return SummedByClass(task, found.prediction, found.sums)
