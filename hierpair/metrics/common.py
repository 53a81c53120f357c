"""What all functions share."""

from __future__ import annotations

from typing import Any

from hierpair.evaluation.scoring import score
from hierpair.hierarchy import Hierarchy
from hierpair.labels import Unknown
from hierpair.measures import measure

__all__ = ["one_score"]


def one_score(
    name: str,
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    sample_weight: Any,
    unknown: Unknown,
    **options: Any,
) -> float:
    """Return the pooled score of one system under one measure."""
    chosen = measure(name).with_options(**options)
    scores = score(
        hierarchy, y_true, {"y_pred": y_pred}, [chosen], sample_weight=sample_weight,
        unknown=unknown,
    )  # fmt: skip
    return float(scores.values[0, 0])
