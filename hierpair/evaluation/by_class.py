"""One system by class: the exact sums that averages over classes are made of, and their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.evaluation.batches import Task
from hierpair.evaluation.partial import Partial, summed
from hierpair.evaluation.progress import OnProgress, shown_progress
from hierpair.evaluation.systems import How, check_some, sides_of
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import Floats
from hierpair.labels import Unknown
from hierpair.measures import Measure
from hierpair.measures.pooling import class_values, of_unseen


def sums_by_class(
    hierarchy: Hierarchy,
    y_true: Any,
    y_pred: Any,
    measures: Sequence[Measure],
    *,
    sample_weight: Any = None,
    unknown: Unknown = "error",
    on_progress: OnProgress = None,
) -> Partial:
    """Add up what the instances of one system leave behind; parameters are those of :func:`score`.

    Unlike :func:`hierpair.evaluation.partial` it sees the whole truth, so that weights may be
    counted from it.
    """
    with shown_progress(on_progress, "instance") as tell:
        truth, named, weight = sides_of(
            hierarchy, y_true, {"y_pred": y_pred}, sample_weight, unknown
        )
        check_some(truth, weight)
        task = Task(hierarchy, tuple(measures), truth, weight)
        return summed(task, named, How(unknown, on_progress=tell), to_merge=False)[0]


def values_by_class(hierarchy: Hierarchy, total: Partial, m: Measure) -> Floats:
    """Return the value of every class, shape ``(n_classes,)``, in the order of their numbers.

    What an average leaves out is nan: classes that no instance has, unless they count too
    (``classes="all"``), and those that do not count. Entries of a recipe that are of levels give
    the values of the levels.

    Examples
    --------
    >>> from hierpair import measure
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("b", "c")])
    >>> recall = measure("recall(average=macro)")
    >>> total = sums_by_class(tree, ["a", "c", "c"], ["a", "b", "c"], [recall])
    >>> dict(zip(tree.names, values_by_class(tree, total, recall).tolist()))
    {'r': nan, 'a': 1.0, 'b': 0.0, 'c': 0.5}
    """
    k = total.measures.index(m)
    totals = total.sums[0].class_totals(total.plan, k)
    by_level = getattr(m.recipe, "by", "class") == "level"
    n = int(hierarchy.levels[-1]) + 1 if by_level else len(hierarchy)
    found = np.full(n, np.nan)
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
    numbers = total.sums[0].by_class(total.plan, k).classes
    real = occurs[0] & (numbers < n)  # a path threshold has an artificial class
    found[numbers[real]] = values[0][real]
    return found
