"""Systems on the same instances: those that have a pairing under all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hierpair.errors import BadInput
from hierpair.evaluation.notes import uneven_measures
from hierpair.evaluation.scores import NotKept, Scores
from hierpair.evaluation.sums import holder, pooled_columns, pooled_values
from hierpair.hierarchy.arrays import Ints
from hierpair.measures import Entries, Measure
from hierpair.measures.columns import without

__all__ = ["common_notes", "n_compared", "on_common", "with_pairing"]


def on_common(scores: Scores) -> Scores:
    """Return scores in which every system leaves out the same instances under a measure.

    An instance without a pairing under one system is left out for all of them, and their pooled
    scores are of the others. ``n_infeasible`` and ``no_pairing_at`` still are of each system.
    """
    uneven = uneven_measures(scores)
    if not uneven:
        return scores
    values = scores.values.copy()
    per_instance = {name: of.copy() for name, of in scores.per_instance.items()}
    evidence, places = dict(scores.evidence), dict(scores.infeasible_at)
    for k, m in enumerate(scores.measures):
        if m not in uneven:
            continue
        left_out = _left_out(scores, m)
        kept_at = holder(scores.measures, k)
        for i, system in enumerate(scores.systems):
            per_instance[system][left_out, k] = np.nan
            places[system, m.name] = left_out
            if kept_at is None:
                values[i, k] = pooled_values(per_instance[system][:, k], scores.weight)
                continue
            columns = scores.evidence.get((system, kept_at))
            if columns is None or isinstance(columns, Entries):
                raise BadInput(
                    f"the systems leave out different instances under {m.name}, which is no "
                    "mean over instances and no micro average; leave the measure out"
                )
            kept = without(columns, left_out)
            del kept["infeasible"]
            evidence[system, kept_at] = kept
            values[i, k] = pooled_columns(m, kept, scores.weight)
            if len(left_out) == scores.n_instances:
                values[i, k] = np.nan
    return replace(
        scores, values=values, per_instance=per_instance, evidence=evidence, infeasible_at=places,
        no_pairing_at={**scores.infeasible_at, **scores.no_pairing_at},
    )  # fmt: skip


def n_compared(scores: Scores, m: Measure) -> int:
    """Return how many instances have a pairing under all systems."""
    return scores.n_instances - _n_left_out(scores, m)


def with_pairing(scores: Scores, m: Measure) -> Ints | None:
    """Return the instances that have a pairing under all systems; None: all of them."""
    left_out = _left_out(scores, m)
    return np.delete(np.arange(scores.n_instances), left_out) if len(left_out) else None


def common_notes(scores: Scores, heading: Callable[[Measure], str] = lambda m: m.name) -> list[str]:
    """Return, of scores from :func:`on_common`, a line for every measure that it cut."""
    return [
        f"{heading(m)}: all systems on the {n_compared(scores, m):,} of {scores.n_instances:,} "
        "instances that have a pairing under every one of them"
        for m in scores.measures
        if any(
            scores.n_infeasible.get((system, m.name), 0) != _n_left_out(scores, m)
            for system in scores.systems
        )
    ]


def _n_left_out(scores: Scores, m: Measure) -> int:
    """Return how many instances are left out: of a partial, the same ones for all systems."""
    if isinstance(scores.per_instance, NotKept):
        return max(scores.n_infeasible.get((system, m.name), 0) for system in scores.systems)
    return len(_left_out(scores, m))


def _left_out(scores: Scores, m: Measure) -> Ints:
    """Return the instances that have no pairing under one system or more."""
    keys = [(system, m.name) for system in scores.systems]
    known = [scores.infeasible_at[key] for key in keys if key in scores.infeasible_at]
    return np.unique(np.concatenate(known)) if known else np.zeros(0, dtype=np.int64)
