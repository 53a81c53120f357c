"""Explaining instances: the evidence of the recipe that scored them, checked against the score."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, Infeasible, SolverLimit, shown
from hierpair.errors import unknown as unknown_name
from hierpair.evaluation.checked import chosen_measures, counting_truth
from hierpair.evaluation.progress import OnProgress
from hierpair.evaluation.scores import lowest_places
from hierpair.evaluation.scoring import score
from hierpair.explanation.explained import Explanation
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.labels import LabelSets, Unknown, match_instances
from hierpair.labels.naming import check_order
from hierpair.measures import (
    Batch,
    Explains,
    Measure,
    PairRecipe,
    SetRecipe,
)
from hierpair.measures.class_weights import counts_of_truth
from hierpair.measures.recipes.pairings import named_pairs_of
from hierpair.pairing import NamedPairs, OrderOfPairs


@takes_hierarchy
def explain(
    hierarchy: Hierarchy,
    y_true: Any,
    y_pred: Any,
    measures: Sequence[str | Measure] | str | Measure = ("gie", "hf"),
    *,
    instances: Iterable[Hashable] = (0,),
    system: str = "system",
    unknown: Unknown = "error",
    missing: Literal["error", "empty"] = "error",
    most: int = 60,
    **conventions: Any,
) -> list[Explanation]:
    """Explain instances under measures.

    Parameters
    ----------
    hierarchy, y_true, y_pred
        The classes and the labels, as :func:`hierpair.score` takes them (one system).
    measures
        Measures or their names.
    instances
        Ids of instances or, where there are none, positions from 0.
    system
        What the system is called.
    unknown, missing
        See :meth:`LabelSets.from_labels` and :func:`hierpair.labels.match_instances`.
    most
        Classes in the neighbourhood, at most.
    conventions
        Options for all measures that have them.

    Returns
    -------
    list of Explanation
        Instance by instance, measure by measure.

    Raises
    ------
    BadInput
        For an unknown instance, or labels that do not fit.
    Infeasible
        If an instance has no value for a reason other than its pairing. An instance without a
        possible pairing is explained: its value is nan, and ``evidence.blocking`` holds the bounds
        that cannot hold together.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
    >>> why = explain(tree, [["b", "d"]], [["c"]], "gie")[0]
    >>> why.value, [(p.cost, p.units) for p in why.evidence.pairs]
    (7.0, [(3.0, 0), (2.0, 1)])
    >>> why.evidence.optimal, why.evidence.bound
    (True, 7.0)
    """
    check_order(instances, "instances")
    chosen = chosen_measures(measures, conventions)
    truth, prediction = matched_sides(
        hierarchy, y_true, y_pred, named_pairs_of(chosen), unknown, missing, system
    )
    names = range(len(truth)) if truth.ids is None else truth.ids
    known = {str(name): i for i, name in enumerate(names)}
    found = []
    for wanted, m in product(instances, chosen):
        if str(wanted) not in known:
            raise unknown_name("instance", wanted, names)
        at = known[str(wanted)]
        try:
            found.append(explained_at(hierarchy, truth, prediction, m, at, system, most))
        except (BadInput, Infeasible, SolverLimit) as error:
            said = f"{error.reason} (measure {m.name}) (system {system})"
            raise type(error)(said, names[at]) from error
    return found


@takes_hierarchy
def explain_worst(
    hierarchy: Hierarchy,
    y_true: Any,
    y_pred: Any,
    measures: Sequence[str | Measure] | str | Measure = ("gie", "hf"),
    *,
    k: int = 3,
    system: str = "system",
    on_progress: OnProgress = None,
    unknown: Unknown = "error",
    missing: Literal["error", "empty"] = "error",
    most: int = 60,
    **conventions: Any,
) -> list[Explanation]:
    """Explain the ``k`` instances with the worst values of the first measure.

    Of equal values the first instances are taken; an instance without a possible pairing is worse
    than any other. ``on_progress`` is that of
    :func:`hierpair.score`, the other parameters are those of :func:`explain`.
    """
    if not isinstance(k, int) or k < 1:
        raise BadInput(f"the number of instances must be at least 1, got {shown(k)}")
    chosen = chosen_measures(measures, conventions)
    truth, prediction = matched_sides(
        hierarchy, y_true, y_pred, named_pairs_of(chosen), unknown, missing, system
    )
    scores = score(
        hierarchy, truth, {system: prediction}, chosen[:1],
        on_infeasible="nan", on_progress=on_progress,
    )  # fmt: skip
    values = scores.per_instance[system][:, 0]
    upwards = values if chosen[0].higher_is_better else -values
    if scores.n_infeasible:
        upwards = np.where(np.isnan(values), -np.inf, upwards)
    worst = lowest_places(upwards, k).tolist()
    ids = worst if truth.ids is None else [truth.ids[i] for i in worst]
    found = explain(hierarchy, truth, prediction, chosen, instances=ids, system=system, most=most)
    for why, i in zip(found[:: len(chosen)], worst, strict=True):
        if why.evidence.repeatable:
            check_value(why, float(values[i]), "score() gives")
    return found


def matched_sides(
    hierarchy: Hierarchy,
    y_true: Any,
    y_pred: Any,
    named_pairs: Sequence[NamedPairs],
    unknown: Unknown,
    missing: Literal["error", "empty"],
    system: str,
) -> tuple[LabelSets, LabelSets]:
    """Return truth and prediction in one order.

    Pairs that costs name have to be (predicted, true): whether they are is seen over all instances.
    """
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    prediction = LabelSets.from_labels(y_pred, hierarchy, unknown=unknown, source=system)
    prediction = match_instances(truth, prediction, missing=missing, system=system)
    order = OrderOfPairs()
    order.look(named_pairs, truth, prediction, hierarchy)
    order.check()
    return truth, prediction


def explained_at(
    hierarchy: Hierarchy,
    truth: LabelSets,
    prediction: LabelSets,
    measure: Measure,
    at: int,
    system: str,
    most: int = 60,
) -> Explanation:
    """Explain the instance at a position; truth and prediction are matched already.

    An instance without a pairing is explained, too.
    """
    recipe = measure.recipe
    batch = Batch(
        hierarchy, truth.part(at, at + 1), prediction.part(at, at + 1), first=at, n_all=len(truth),
        on_infeasible="nan" if isinstance(recipe, PairRecipe) else "raise", traces={},
        counts=counts_of_truth(hierarchy, truth) if counting_truth([measure]) else None,
    )  # fmt: skip
    columns = batch.columns(recipe)
    value = float(measure.values(columns)[0])
    shows = recipe if isinstance(recipe, Explains) else SetRecipe()
    evidence = shows.evidence(batch)
    around = evidence.around(hierarchy, batch.y_true.indices, batch.y_pred.indices, most)
    true, pred = (tuple(side.names_of(0, hierarchy)) for side in (batch.y_true, batch.y_pred))
    instance = at if truth.ids is None else truth.ids[at]
    why = Explanation(system, instance, measure, value, true, pred, evidence, around)
    if titles := hierarchy.titles:
        why = replace(why, titles={c: titles[c] for c in why.classes() if c in titles})
    if shows is recipe:
        again = {name: np.array([x]) for name, x in evidence.columns.items()}
        check_value(why, float(measure.values({**columns, **again})[0]), "its evidence gives")
    return why


def check_value(why: Explanation, value: float, whose: str) -> None:
    """Refuse to explain a value that is not the one that was scored."""
    both_nan = math.isnan(why.value) and math.isnan(value)
    if not (both_nan or math.isclose(why.value, value, rel_tol=1e-12, abs_tol=1e-12)):
        raise AssertionError(
            f"{why.title}: the score is {why.value!r}, and {whose} {value!r}; please report this"
        )
