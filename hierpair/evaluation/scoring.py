"""Labels in, scores out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.evaluation.checked import chosen_measures, default_measures
from hierpair.evaluation.partials.summing import partial_of
from hierpair.evaluation.progress import OnProgress, shown_progress
from hierpair.evaluation.results.scored_labels import ScoredLabels
from hierpair.evaluation.results.scores import Scores
from hierpair.evaluation.scored_systems import score_of_scores
from hierpair.evaluation.systems import task_of
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.labels import Unknown
from hierpair.measures import Measure
from hierpair.pairing import OrderOfPairs

__all__ = ["score"]


@takes_hierarchy
def score(
    hierarchy: Hierarchy,
    y_true: Any,
    systems: Any,
    measures: Sequence[str | Measure] | str | None = None,
    *,
    sample_weight: Any = None,
    unknown: Unknown = "error",
    missing: Literal["error", "empty"] = "error",
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
        are scores of 1.
    measures
        Measures or their names; by default all that are defined for any label sets. Measures of
        scores have no values of instances, and stand by themselves.
    sample_weight
        One weight ≥ 0 per instance.
    unknown, missing
        See :meth:`LabelSets.from_labels` and :func:`hierpair.labels.match_instances`. The truth
        and the systems of a data set share their rows, so that there none is missing. For
        measures of scores ``unknown="drop"`` leaves out scores of instances without a truth, too.
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
        None: a bar where this runs in IPython or Jupyter for more than two seconds and tqdm is
        installed; False: never a bar.
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
        from hierpair.evaluation.data_sets.dataset_scoring import score_dataset

        if chunk is not None or keep_classes:
            raise BadInput(
                "a data set is read part by part, and nothing is kept of instances: leave chunk "
                "and keep_classes out"
            )
        return score_dataset(
            hierarchy, systems, truth=y_true, measures=measures, sample_weight=sample_weight,
            unknown=unknown, on_infeasible=on_infeasible, n_jobs=n_jobs, on_progress=on_progress,
            **conventions,
        )  # fmt: skip
    asked = default_measures() if measures is None else measures
    chosen = chosen_measures(asked, conventions, of_scores=True)
    if not all(m.adds_up for m in chosen):
        with shown_progress(on_progress, "instance") as tell:
            return score_of_scores(
                hierarchy, y_true, systems, chosen, sample_weight=sample_weight, unknown=unknown,
                missing=missing, on_progress=tell,
            )  # fmt: skip
    with shown_progress(on_progress, "instance") as tell:
        task, named = task_of(
            hierarchy, y_true, systems, chosen, sample_weight=sample_weight, unknown=unknown,
            missing=missing, on_infeasible=on_infeasible, chunk=chunk,
            keep="classes" if keep_classes else "columns", n_jobs=n_jobs, on_progress=tell,
        )  # fmt: skip
        order = OrderOfPairs()
        found = list(task.systems(named, order))
    order.check()
    sums = {one.name: one.sums for one in found}
    left_out = [one.found.infeasible for one in found]
    whole = partial_of(task, sums, left_out, order, to_merge=False)
    truth, weight = task.truth, task.weight
    sides = {"y_true": truth, **{one.name: one.prediction for one in found}}
    return replace(
        whole.scores(),
        per_instance={one.name: one.found.values for one in found},
        ids=truth.ids,
        infeasible_at={
            (one.name, chosen[k].name): at
            for one in found
            for k, at in one.found.infeasible.items()
        },
        weight=weight,
        mean_labels={side: _mean(sets.lengths, weight) for side, sets in sides.items()},
        evidence={(one.name, k): kept for one in found for k, kept in one.found.kept.items()},
        partial=None,
        scored=None
        if chosen[0].of_scores
        else ScoredLabels(hierarchy, truth, {one.name: one.prediction for one in found}),
    )


def _mean(numbers: NDArray[Any], weight: NDArray[np.float64] | None) -> float:
    """Return the (weighted) mean number of labels."""
    return float(np.average(numbers, weights=weight))


def _is_dataset(thing: Any) -> bool:
    """Whether a thing is a data set, or says where one is."""
    if isinstance(thing, Mapping):
        return False  # labels in memory need not load what reads data sets
    from hierpair.io.datasets import DataSet

    return isinstance(thing, (str, PathLike, DataSet))
