"""Two sides of one system, read and matched, for what looks at a whole data set at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets, Unknown, match_instances
from hierpair.pairing.pair_order import NamedPairs, OrderOfPairs

__all__ = ["matched_sides"]


def matched_sides(
    hierarchy: Hierarchy,
    y_true: Any,
    y_pred: Any,
    named_pairs: Sequence[NamedPairs],
    *,
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
