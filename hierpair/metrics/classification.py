"""scikit-learn's classification report, with levels, and with labels that bring their ancestors."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.evaluation.progress import OnProgress
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.labels import Unknown
from hierpair.metrics.class_report import ClassificationReport
from hierpair.metrics.figures_by_class import figures_by_class
from hierpair.metrics.functions import chosen_classes

__all__ = ["classification_report"]


@takes_hierarchy
def classification_report(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    labels: Iterable[Hashable] | None = None,
    digits: int = 2,
    root: Any = "exclude",
    sample_weight: Any = None,
    zero_division: float = 0,
    unknown: Unknown = "error",
    on_progress: OnProgress = None,
) -> ClassificationReport:
    """Return precision, recall, F1 and support by class, by level and in averages.

    Every figure is there twice: of labels as they are (``precision``, ``recall``, ``f1-score``,
    ``support``, the numbers of ``sklearn.metrics.classification_report``), and of labels with all
    their ancestors (``hp``, ``hr``, ``hf``, ``h-support``). With n_true, n_pred and n_both the
    numbers of instances that have a class in truth, prediction and both,

        precision = n_both / n_pred,  recall = n_both / n_true,  F1 = 2 n_both / (n_true + n_pred).

    A level has the sums of the three over its classes, so its figures are the micro average of
    the level. The averages are those of :func:`hierpair.score` for ``precision``, ``recall``,
    ``f``, ``hp``, ``hr`` and ``hf``.

    Parameters
    ----------
    y_true, y_pred
        Labels of every instance: one label or a collection of them, or ``{id: labels}``.
    hierarchy
        The classes. The level of a class is the longest way from a root, 0 for a root.
    labels
        The classes that tables show, in this order; by default those with most labels. Levels and
        averages are over all classes whatever is shown, unlike scikit-learn's.
    digits
        Decimals that tables show.
    root
        ``"exclude"``: a single root does not count among the ancestors; ``"include"``; or the name
        of the class that does not count.
    sample_weight
        One weight ≥ 0 per instance.
    zero_division
        Value of 0/0: 0, 1, or nan, which is excluded from means.
    unknown
        Labels outside the hierarchy: ``"error"``, ``"drop"`` or ``"root"``.
    on_progress
        As for :func:`hierpair.score`.

    Returns
    -------
    ClassificationReport
        It prints as text, shows itself in notebooks, and has ``to_dataframe``, ``to_markdown``,
        ``to_latex``, ``to_csv``, ``to_json`` and ``to_table("html")``.

    Raises
    ------
    BadInput
        For labels, options or weights that do not fit.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "pet"), ("r", "oak"), ("pet", "cat"), ("pet", "dog")])
    >>> report = classification_report(["cat", "dog", "oak"], ["cat", "cat", "oak"], tree)
    >>> print(report.to_text().split("Levels")[0].rstrip())
    Classes
    <BLANKLINE>
    class  level  precision  recall  f1-score  support    hp    hr    hf  h-support
    oak        1       1.00    1.00      1.00        1  1.00  1.00  1.00          1
    cat        2       0.50    1.00      0.67        1  0.50  1.00  0.67          1
    dog        2       0.00    0.00      0.00        1  0.00  0.00  0.00          1
    pet        1                                     0  1.00  1.00  1.00          2
    >>> report.to_dataframe(by="level")["hf"].round(3).to_dict()
    {1: 1.0, 2: 0.5}
    """
    if not isinstance(digits, int) or isinstance(digits, bool) or digits < 0:
        raise BadInput(f"digits must be a whole number from 0, got {shown(digits)}")
    chosen = chosen_classes(labels, hierarchy)
    found = figures_by_class(
        y_true, y_pred, hierarchy, {"root": root, "zero_division": zero_division},
        sample_weight=sample_weight, unknown=unknown, on_progress=on_progress,
    )  # fmt: skip
    sides = {"y_true": found.summed.task.truth, "y_pred": found.summed.prediction}
    dropped = [
        f"{side}: labels outside the hierarchy, dropped or replaced on request: {sets.n_unknown}"
        for side, sets in sides.items()
        if sets.n_unknown
    ]
    names = hierarchy.names
    return ClassificationReport(
        classes=tuple(names[c] for c in found.classes.tolist()),
        class_levels=hierarchy.levels[found.classes].astype(np.int64),
        levels=found.levels,
        by_class=found.by_class,
        by_level=found.by_level,
        averages=found.averages,
        n_instances=len(sides["y_true"]),
        labels=None if chosen is None else tuple(names[c] for c in chosen.tolist()),
        digits=digits,
        signatures=tuple(m.of_instance for m in found.measures),
        remarks=(*dropped, *(f"the hierarchy has {doubt}" for doubt in hierarchy.doubts)),
        titles=hierarchy.titles,
    )
