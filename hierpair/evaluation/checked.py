"""Checks of what scoring is asked for: measures with their conventions, weights, policies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.labels.naming import check_order
from hierpair.measures import Measure, measure

__all__ = ["check_policy", "check_weight", "chosen_measures"]


def chosen_measures(
    measures: Iterable[str | Measure] | str | Measure, conventions: Mapping[str, Any]
) -> tuple[Measure, ...]:
    """Return measures with the conventions that each of them has.

    Raises
    ------
    BadInput
        For no measure, a convention that none of them has, or two that share a signature.
    """
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    check_order(measures, "measures")
    chosen = tuple(dict.fromkeys(measure(m, **conventions) for m in measures))
    signatures = [m.signature for m in chosen]
    double = next((s for s in signatures if signatures.count(s) > 1), None)
    if double is not None:
        raise BadInput(
            f"two different measures would both be called {double}; give their costs "
            "names of their own (a function's name is used)"
        )
    if not chosen:
        raise BadInput("no measure is given")
    for option, value in conventions.items():
        having = [m for m in chosen if option in m.options]
        if not having:
            raise BadInput(f"none of the measures has an option {option!r}")
        if option == "average" and all(m.options[option] != value for m in having):
            raise BadInput(f"none of the measures can be averaged as {value!r}")
    return chosen


def check_policy(on_infeasible: Any) -> None:
    """Refuse a word for instances without a pairing that means nothing."""
    if on_infeasible not in ("raise", "nan"):
        raise BadInput(f"on_infeasible must be 'raise' or 'nan', got {shown(on_infeasible)}")


def check_weight(sample_weight: Any, n: int) -> NDArray[np.float64] | None:
    """Return weights as numbers of our own, one per instance; None: all count the same."""
    if sample_weight is None:
        return None
    try:
        weight = np.array(sample_weight, dtype=np.float64)  # of our own: the scores keep it
    except (TypeError, ValueError):
        raise BadInput("sample_weight must hold one number per instance") from None
    if weight.shape != (n,):
        raise BadInput(f"sample_weight must have shape ({n},), got {weight.shape}")
    bad = np.flatnonzero(~((weight >= 0) & (weight < 1e100)))
    if len(bad):
        raise BadInput(
            f"sample_weight of instance {bad[0]} is {weight[bad[0]]}; weights must be finite "
            "and not negative"
        )
    weight.setflags(write=False)
    return weight
