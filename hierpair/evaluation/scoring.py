"""Labels in, scores out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, HierpairError
from hierpair.evaluation.batches import System, Task, task_of
from hierpair.evaluation.checked import Counting, asked_to_count, chosen_measures
from hierpair.evaluation.partial import Partial, summed
from hierpair.evaluation.progress import OnProgress, shown_progress
from hierpair.evaluation.scores import NotKept, ScoredLabels, Scores
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import Floats
from hierpair.labels import Unknown
from hierpair.labels.naming import Missing
from hierpair.measures import Batch, Measure, Scored
from hierpair.measures.class_weights import counts_of_truth
from hierpair.measures.pooling import class_values, of_unseen
from hierpair.measures.recipes.batch import NOTHING_LEFT
from hierpair.measures.scored.system import ScoredRecipe


@takes_hierarchy
def score(
    hierarchy: Hierarchy,
    y_true: Any,
    systems: Any,
    measures: Sequence[str | Measure] | str | None = None,
    *,
    sample_weight: Any = None,
    unknown: Unknown = "error",
    missing: Missing = "error",
    ignore: Any = None,
    ignore_ancestors: bool = True,
    classes: Any = None,
    on_infeasible: Literal["raise", "nan"] = "raise",
    chunk: int | None = None,
    n_jobs: int = 1,
    keep_classes: bool = False,
    on_progress: OnProgress = None,
    **conventions: Any,
) -> Scores:
    """Score systems under measures.

    Parameters
    ----------
    hierarchy
        The classes.
    y_true
        True labels: :class:`LabelSets`, a list with one label or collection per instance, or
        ``{id: labels}``; or the name of a column, where systems are a data frame.
    systems
        ``{name: y_pred}``, or one ``y_pred`` (not a dict); or a data frame in which every column
        but the ids and the truth is a system (:meth:`LabelSets.from_columns`); or a data set, or
        the path of one, of which ``y_true`` and ``sample_weight`` name columns:
        :func:`hierpair.evaluation.score_dataset` reads it part by part.
        Under measures of scores a system gives the scores of classes:
        :class:`NodeScores`, a :class:`LabelDistribution`, or ``{id: {label: score}}``; label sets
        are scores of 1, of their ancestors, too.
    measures
        Measures or their names; by default the common ones of label sets. Measures of
        scores have no values of instances, and stand by themselves.
    sample_weight
        One weight ≥ 0 per instance.
    unknown, missing
        See :meth:`LabelSets.from_labels` and :func:`hierpair.labels.match_instances`. The truth
        and the systems of a data set share their rows, so that there none is missing. For
        measures of scores ``unknown="drop"`` leaves out scores of instances without a truth, too.
    ignore, ignore_ancestors, classes
        What does not count. ``ignore``: labels of every instance, such as those that were known of
        it before, as for ``y_true`` (by id, those of some instances will do); of completed label
        sets they are left out with their ancestors, or with ``ignore_ancestors=False`` alone.
        ``classes``: the only classes that count. Sets are cut after they are completed; in pairs,
        graphs and rankings labels that do not count take no part. An instance that had true classes
        of which none is left has no value, and the notes say how many there are.
    on_infeasible
        What is done with an instance that has no pairing under a rule: ``"raise"`` an error that
        says why, or ``"nan"`` for its value. Pooled scores then leave it out, and
        :attr:`Scores.n_infeasible` and the notes say of how many instances.
    chunk
        Instances evaluated at a time, at most; chosen to fit in memory by default. The scores
        do not depend on it.
    n_jobs
        Processes; the scores do not depend on it. Where they cannot be forked, the extra
        ``parallel`` is needed.
    keep_classes
        Keep what every instance adds to every class, about eleven bytes each, where a measure is
        averaged over classes: :func:`hierpair.compare` needs it for such measures.
    on_progress
        Called with system, instances done, and all instances: first with 0, then chunk by chunk.
        None: a line of progress where this runs in IPython or Jupyter for more than two seconds;
        False: nothing.
    conventions
        Options for all measures that have them, such as ``root="include"``.

    Returns
    -------
    Scores
        Pooled and per-instance values.

    Raises
    ------
    BadInput
        For any input that cannot be used as it is.
    Infeasible
        If a pairing rule cannot be met for some instance, unless ``on_infeasible="nan"``; names
        constraints that cannot hold together there.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> scores = score(tree, [["b"], ["c"]], {"mine": [["b"], ["b"]]}, ["hf", "gie"])
    >>> scores["mine", "hf"], scores["mine", "gie"]
    (0.75, 1.0)
    """
    if _is_dataset(systems):
        from hierpair.evaluation.dataset import score_dataset

        if keep_classes:
            raise BadInput("nothing is kept of the instances of a data set: leave keep_classes out")
        return score_dataset(
            hierarchy, systems, truth=y_true, measures=measures, sample_weight=sample_weight,
            unknown=unknown, ignore=ignore, ignore_ancestors=ignore_ancestors, classes=classes,
            on_infeasible=on_infeasible, n_jobs=n_jobs, on_progress=on_progress, **conventions,
        )  # fmt: skip
    counting, conventions = asked_to_count(ignore, ignore_ancestors, classes, conventions)
    chosen = chosen_measures(measures, conventions, of_scores=True)
    with shown_progress(on_progress, "instance") as tell:
        task = task_of(
            hierarchy, chosen, y_true, systems, sample_weight, unknown, counting, missing=missing,
            on_infeasible=on_infeasible, evidence="classes" if keep_classes else "columns",
            chunk=chunk, n_jobs=n_jobs, on_progress=tell,
        )  # fmt: skip
        task.check_some()
        total, found = summed(task)
    labels = {one.name: one.prediction for one in found}
    scores = replace(
        total.scores(),
        per_instance={one.name: one.values for one in found},
        ids=task.truth.ids,
        infeasible_at={
            (one.name, task.adding[k].name): at for one in found for k, at in one.infeasible.items()
        },
        weight=task.weight,
        evidence={(one.name, k): kept for one in found for k, kept in one.evidence.items()},
        partial=None,
        scored=None if chosen[0].of_scores else ScoredLabels(task.hierarchy, task.truth, labels),
    )
    return scores if len(task.adding) == len(chosen) else _with_whole_values(scores, task, found)


def _is_dataset(thing: Any) -> bool:
    """Whether a thing is a data set, or says where one is."""
    if isinstance(thing, Mapping):
        return False  # labels in memory need not load what reads data sets
    from hierpair.io.datasets import DataSet

    return isinstance(thing, (str, PathLike, DataSet))


NO_INSTANCES = (
    "there are no values of instances of {}: a measure of scores sees all instances at once"
)


def judged(whole: Scored, m: Measure) -> Scored:
    """Return a system on the instances that have a true class that counts."""
    truth, h = whole.truth, whole.hierarchy
    if truth.ignored is None and h.of_interest is None:
        return whole

    def some() -> Scored:
        recipe = ScoredRecipe(dict, (), of_labels=m.definition.scored_classes == "leaves")
        rows = np.flatnonzero(~Batch(h, truth, truth).left_out(recipe))
        if not len(rows):
            raise BadInput("no instance has a true class that counts")
        return whole.only(rows, counts_of_truth(h, truth))

    found = whole.shared(("judged", m.definition.scored_classes), some).for_measure()
    if n := len(truth) - len(found):
        found.remark(NOTHING_LEFT, n)
    return found


def _with_whole_values(scores: Scores, task: Task, found: Sequence[System]) -> Scores:
    """Return scores with the values of the measures that see all instances at once."""
    remarks = dict(scores.remarks)
    values = np.empty((len(found), len(task.measures)))
    for system, one in enumerate(found):
        whole = Scored(task.hierarchy, task.truth, one.prediction, task.weight)
        for k, m in enumerate(task.measures):
            if m.adds_up:
                values[system, k] = scores[one.name, m.name]
                continue
            scored = judged(whole.for_measure(), m)
            try:
                values[system, k] = m.value_of(scored)
            except HierpairError as error:
                told = f"{m.name}: {error.reason} (system {one.name})"
                raise type(error)(told, error.instance) from error
            if scored.remarks:
                remarks[one.name, m.name] = scored.remarks
    return replace(
        scores, measures=task.measures, values=values, per_instance=NotKept(NO_INSTANCES),
        remarks=remarks, evidence={}, infeasible_at={},
    )  # fmt: skip


# ------------------------------------------------------------------------------ class by class


def sums_by_class(
    hierarchy: Hierarchy, y_true: Any, y_pred: Any, measures: Sequence[Measure], *,
    sample_weight: Any = None, unknown: Unknown = "error", ignore: Any = None,
    ignore_ancestors: bool = True, classes: Any = None, on_progress: OnProgress = None,
) -> tuple[Hierarchy, Partial]:  # fmt: skip
    """Return the classes, of which some may count alone, and the sums of one system by class.

    Weights may be counted from the whole truth.
    """
    counting = Counting(ignore, ignore_ancestors, classes)
    with shown_progress(on_progress, "instance") as tell:
        task = task_of(
            hierarchy, measures, y_true, {"y_pred": y_pred}, sample_weight, unknown, counting,
            on_progress=tell,
        )  # fmt: skip
        task.check_some()
        return task.hierarchy, summed(task)[0]


def values_by_class(hierarchy: Hierarchy, total: Partial, m: Measure) -> Floats:
    """Return the value of every class, or of every level where a recipe is of levels.

    What an average leaves out is nan: classes that no instance has, unless they count too
    (``classes="all"``), and those that do not count.
    """
    k = total.measures.index(m)
    totals = total.sums[0].class_totals(total.plan, k)
    by_level = m.definition.averaged_over == "level"
    n = hierarchy.n_levels if by_level else len(hierarchy)
    found = np.full(n, np.nan)
    if totals.has_all(m):
        recipe: Any = m.recipe
        if not hasattr(recipe, "counted"):
            raise BadInput(
                f"{m.name}: its recipe does not say which classes count (a method counted); "
                "choose classes='seen'"
            )
        found[recipe.counted(hierarchy)] = of_unseen(m, totals)[0]
    values, occurs = class_values(m, totals)
    numbers = total.sums[0].by_class(total.plan, k).classes
    real = occurs[0] & (numbers < n)  # a path threshold has an artificial class
    found[numbers[real]] = values[0][real]
    return found
