"""Labels in, scores out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, Infeasible, SolverLimit, did_you_mean, listed, shown
from hierpair.evaluation.batches import Found, Job, check_jobs, ranges_of, run
from hierpair.evaluation.checked import check_policy, check_weight, chosen_measures
from hierpair.evaluation.scores import Scores
from hierpair.evaluation.totals import REMARKS, Plan
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets, Unknown, match_instances
from hierpair.labels.naming import check_order
from hierpair.measures import REGISTRY, Columns, Entries, Measure
from hierpair.measures.recipes.pairings import named_pairs_of
from hierpair.pairing import OrderOfPairs

__all__ = ["default_measures", "score"]


def default_measures() -> list[str]:
    """Return the measures that are defined for any label sets, in the order of the registry.

    Measures that ask for a choice first, such as a distance that is acceptable, are left out.
    """
    return [name for name, d in REGISTRY.items() if "total" in d.traits and d.by_default]


LEAVE_OUT = " (to score the others: on_infeasible='nan')"
"""Stands after what is wrong with an instance that has no pairing."""


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
    on_progress: Callable[[str, int, int], None] | None = None,
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
        but the ids and the truth is a system (:meth:`LabelSets.from_columns`).
    measures
        Measures or their names; by default all that are defined for any label sets.
    sample_weight
        One weight ≥ 0 per instance.
    unknown, missing
        See :meth:`LabelSets.from_labels` and :func:`hierpair.labels.match_instances`.
    on_infeasible
        What is done with an instance that has no pairing under a rule: ``"raise"`` an error that
        says why, or ``"nan"`` for its value. Pooled scores then leave it out, and
        :attr:`Scores.n_infeasible` and the notes say of how many instances.
    chunk
        Instances evaluated at a time, at most; chosen to fit in memory by default. The scores
        do not depend on it.
    n_jobs
        Processes (needs the extra ``parallel``); the scores do not depend on it.
    keep_classes
        Keep what every instance adds to every class, about eleven bytes each, where a measure is
        averaged over classes: :func:`hierpair.compare` needs it for such measures.
    on_progress
        Called with system, instances done, and all instances: first with 0, then chunk by chunk.
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
    if hasattr(systems, "columns"):
        y_true, systems = _of_frame(hierarchy, y_true, systems, unknown)
    named = _named_systems(systems)
    check_jobs(n_jobs)
    check_order(measures, "measures")
    check_policy(on_infeasible)
    measures = default_measures() if measures is None else measures
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    if not len(truth):
        raise BadInput("y_true has no instances")
    plain = not any(isinstance(labels, LabelSets) for labels in named.values())
    if plain and truth.ids and set(named) == set(map(str, truth.ids)):
        raise BadInput(
            "the keys of systems are instance ids; wrap one system's labels: {'name': y_pred}"
        )
    weight = check_weight(sample_weight, len(truth))
    if weight is not None and not weight.any():
        raise BadInput("all sample weights are 0")
    n_unknown, n_missing, unused_scores = {"y_true": truth.n_unknown}, {}, list[str]()
    values, per_instance = [], {}
    evidence: dict[tuple[str, int], Columns | Entries] = {}
    mean_labels = {"y_true": _mean(truth.lengths, weight)}
    counted: dict[str, dict[tuple[str, str], dict[str, int]]] = {
        "infeasible": {},
        "solved_by": {},
        REMARKS: {},
    }
    infeasible_at: dict[tuple[str, str], NDArray[np.int64]] = {}
    order = OrderOfPairs()
    chosen = chosen_measures(measures, conventions)
    plan = Plan(chosen)
    for name, labels in named.items():
        prediction = LabelSets.from_labels(labels, hierarchy, unknown=unknown, source=name)
        unused_scores += [name] * prediction.unused_scores
        n_missing[name] = 0 if prediction.ids is None else len(truth) - len(prediction)
        prediction = match_instances(truth, prediction, missing=missing, system=name)
        n_unknown[name] = prediction.n_unknown
        whole = Job(
            hierarchy,
            chosen,
            truth,
            prediction,
            weight,
            ranges_of(hierarchy, truth, prediction, chunk),
            keep="classes" if keep_classes else "columns",
            on_infeasible=on_infeasible,
        )
        mean_labels[name] = _mean(prediction.lengths, weight)
        found = _evaluated(whole, name, n_jobs, on_progress)
        per_instance[name] = found.values
        evidence |= {(name, k): whole_of for k, whole_of in found.kept.items()}
        infeasible_at |= {(name, chosen[k].name): at for k, at in found.infeasible.items()}
        for column, known in counted.items():
            words = found.totals.counted(plan, column)
            known |= {(name, of): times for of, times in words.items()}
        order.look(named_pairs_of(chosen), truth, prediction, hierarchy)
        values.append(found.totals.pooled(plan))
    order.check()
    return Scores(
        systems=tuple(named),
        measures=chosen,
        values=np.array(values),
        per_instance=per_instance,
        ids=truth.ids,
        n_instances=len(truth),
        n_unknown=n_unknown,
        n_missing=n_missing,
        solved_by=counted["solved_by"],
        n_infeasible={at: sum(words.values()) for at, words in counted["infeasible"].items()},
        infeasible_at=infeasible_at,
        remarks=counted[REMARKS],
        weight=weight,
        mean_labels=mean_labels,
        evidence=evidence,
        doubts=tuple(hierarchy.doubts),
        unused_scores=tuple(unused_scores),
    )


def _evaluated(
    whole: Job, name: str, n_jobs: int, on_progress: Callable[[str, int, int], None] | None
) -> Found:
    """Do the job of one system, telling how far it is."""
    parts = []
    if on_progress is not None:
        on_progress(name, 0, len(whole.truth))
    try:
        for part in run(whole, n_jobs):
            parts.append(part)
            if on_progress is not None:
                on_progress(name, sum(len(x.values) for x in parts), len(whole.truth))
    except (BadInput, Infeasible, SolverLimit) as error:
        where = f" (system {name}){LEAVE_OUT if isinstance(error, Infeasible) else ''}"
        raise type(error)(f"{error.reason}{where}", error.instance) from error
    return Found.joined(parts)


def _mean(numbers: NDArray[Any], weight: NDArray[np.float64] | None) -> float:
    """Return the (weighted) mean number of labels."""
    return float(np.average(numbers, weights=weight))


def _of_frame(
    hierarchy: Hierarchy, y_true: Any, frame: Any, unknown: Unknown
) -> tuple[Any, dict[str, LabelSets]]:
    """Return truth and systems that are columns of one data frame."""
    if not isinstance(y_true, str):
        raise BadInput(
            "where systems are the columns of a data frame, y_true is the name of one of them, "
            f"got {shown(y_true, 40)}"
        )
    if y_true not in frame.columns:
        raise BadInput(
            f"the frame: there is no column {y_true!r}{did_you_mean(y_true, frame.columns)}; "
            f"there are {listed(frame.columns)}"
        )
    sets = LabelSets.from_columns(frame, Hierarchy.expected(hierarchy), unknown=unknown)
    truth = sets.pop(y_true, None)
    if truth is None:
        raise BadInput(f"the column {y_true!r} holds the instance ids, not labels")
    return truth, sets


def _named_systems(systems: Any) -> dict[str, Any]:
    named = dict(systems) if isinstance(systems, Mapping) else {"system": systems}
    if not named:
        raise BadInput("no system is given")
    texts = {str(name): labels for name, labels in named.items()}
    if len(texts) < len(named):
        raise BadInput(f"two systems have the same name: {', '.join(map(str, named))}")
    if "y_true" in texts:
        raise BadInput("a system cannot be called y_true; choose another name")
    return texts
