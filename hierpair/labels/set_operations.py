"""Label sets beside each other, and the most specific labels of each."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, check_choice, counted, instances_have, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure, takes_hierarchy
from hierpair.hierarchy.arrays import Bools, Ints, row_numbers, sorted_unique
from hierpair.labels.coded import places_in
from hierpair.labels.node_scores import NodeScores
from hierpair.labels.sets import LabelSets

__all__ = [
    "are_lowest",
    "lowest_labels",
    "match_instances",
    "none_in_truth",
    "without_prediction",
    "without_truth",
]


Instances = TypeVar("Instances", LabelSets, NodeScores)


def match_instances(
    y_true: LabelSets,
    y_pred: Instances,
    *,
    missing: Literal["error", "empty"] = "error",
    surplus: Literal["error", "drop"] = "error",
    system: str = "y_pred",
) -> Instances:
    """Return the predictions in the order of the truth, matched by id where both have ids.

    Raises
    ------
    BadInput
        For different numbers of instances, or instances that only one side has. With
        ``missing="empty"`` an instance without a prediction gets an empty set; a prediction
        without a truth stays an error, but with ``surplus="drop"`` is left out.
    """
    check_choice("missing", missing, ("error", "empty"))
    if y_true.ids is None or y_pred.ids is None:
        if len(y_true) != len(y_pred):
            raise BadInput(
                f"y_true has {counted(len(y_true), 'instance')} and {system} has {len(y_pred)}; "
                "give both the same instances, or ids on both sides to match them by"
            )
        return y_pred
    if y_true.ids == y_pred.ids:
        return y_pred
    row_of, known = {name: i for i, name in enumerate(y_pred.ids)}, set(y_true.ids)
    extra = [name for name in y_pred.ids if name not in known and surplus == "error"]
    if extra and len(extra) == len(y_pred):
        raise none_in_truth(system, len(extra), extra[0], next(iter(y_true.ids), None))
    if extra:
        raise without_truth(system, len(extra), extra[0])
    order = np.array([row_of.get(name, -1) for name in y_true.ids], dtype=np.int64)
    absent = np.flatnonzero(order < 0)
    if len(absent) and missing == "error":
        raise without_prediction(system, len(absent), y_true.ids[absent[0]])
    return replace(y_pred.take(order), ids=y_true.ids)


def none_in_truth(system: str, n: int, such: object, true: object) -> BadInput:
    """Return the error for predictions of other instances altogether."""
    return BadInput(
        f"{system}: none of its {n} instances is in the truth: it has ids such as "
        f"{shown(such)}, and the truth such as {shown(true)}; give both the same ids"
    )


def without_truth(system: str, n: int, such: object) -> BadInput:
    """Return the error for predictions of some instances that the truth does not have."""
    return BadInput(
        f"{system}: {instances_have(n)} no truth, such as {shown(such)}; "
        "remove them or add their truth"
    )


def without_prediction(system: str, n: int, such: object) -> BadInput:
    """Return the error for instances that a system does not have."""
    return BadInput(
        f"{system}: {instances_have(n)} no prediction, such as {shown(such)}; "
        "add them, or count them as empty (missing='empty')"
    )


@takes_hierarchy
def lowest_labels(hierarchy: Hierarchy, sets: LabelSets) -> tuple[Ints, NDArray[np.int32]]:
    """Return instance and class of every label that has no descendant in its own set."""
    lowest = are_lowest(hierarchy, sets)
    return row_numbers(sets.indptr)[lowest], sets.indices[lowest]


@takes_hierarchy
def are_lowest(hierarchy: Hierarchy, sets: LabelSets) -> Bools:
    """Return whether each label has no descendant in its own set."""
    row, label, n = row_numbers(sets.indptr), sets.indices, len(hierarchy)
    keep = np.ones(len(label), dtype=bool)
    several = np.flatnonzero((sets.lengths > 1)[row])
    inner = np.diff(hierarchy.child_ptr)[label[several]] > 0
    suspect = several[inner]  # a leaf is above nothing
    if len(suspect):
        lower = several[np.isin(row[several], row[suspect])]
        owner, above = ancestor_closure(hierarchy, label[lower]).expanded(label[lower])
        cell = row[lower][owner] * n + above
        covered = sorted_unique(cell[above != label[lower][owner]])
        keep[suspect] = places_in(covered, row[suspect] * n + label[suspect]) < 0
    return keep
