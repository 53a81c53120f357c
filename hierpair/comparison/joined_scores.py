"""What is compared: several scores as one, and the runs of every system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hierpair.errors import BadInput, first_repeated, unknown
from hierpair.evaluation.partial import Partial, beside
from hierpair.evaluation.scores import NotKept, Scores, beside_each_other
from hierpair.hierarchy.arrays import Floats
from hierpair.labels.naming import check_order

__all__ = ["groups_of", "joined_scores"]

JOINED = (
    *("per_instance", "n_unknown", "n_missing", "solved_by", "n_infeasible", "infeasible_at"),
    *("remarks", "mean_labels", "evidence", "no_pairing_at"),
)
"""What scores hold by system."""


def joined_scores(scores: Scores | Partial | Sequence[Scores | Partial]) -> Scores:
    """Return several scores of the same instances under the same measures as one.

    Those of partials are put :func:`beside` each other.

    Raises
    ------
    BadInput
        For other instances, other measures, or a name that comes twice.
    """
    given = [scores] if isinstance(scores, (Scores, Partial)) else list(scores)
    if not given or not all(isinstance(one, (Scores, Partial)) for one in given):
        raise BadInput("compare what score() returned, or partials, or a list of these")
    parts = [one.scores() if isinstance(one, Partial) else one for one in given]
    first = parts[0]
    if all(isinstance(part.per_instance, NotKept) for part in parts):
        sums = [part.partial for part in parts if isinstance(part.partial, Partial)]
        return first if len(parts) == 1 else beside(*sums).scores()
    for part in parts:
        _ = [part.per_instance[system] for system in part.systems]  # refused where none are kept
    for part in parts[1:]:
        if part.signatures != first.signatures:
            raise BadInput("these scores have different measures: score all systems with the same")
        if part.n_instances != first.n_instances or part.ids != first.ids:
            raise BadInput(
                f"{', '.join(part.systems)} and {', '.join(first.systems)} have different "
                f"instances ({part.n_instances} and {first.n_instances}); score them on the same"
            )
        if not _same_weights(part.weight, first.weight):
            raise BadInput("these scores have different sample weights")
    systems = [s for part in parts for s in part.systems]
    double = first_repeated(systems)
    if double is not None:
        raise BadInput(f"two systems are called {double!r}; score one of them under another name")
    if len(parts) == 1:
        return first
    merged: dict[str, Any] = {}
    for name in JOINED:
        merged[name] = {key: x for part in parts for key, x in getattr(part, name).items()}
    values = np.concatenate([part.values for part in parts])
    merged["unused_scores"] = tuple(s for part in parts for s in part.unused_scores)
    merged["scored"] = beside_each_other([part.scored for part in parts])
    return replace(first, systems=tuple(systems), values=values, **merged)


def _same_weights(one: Floats | None, other: Floats | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def groups_of(scores: Scores, runs: Mapping[str, Sequence[str]] | None) -> dict[str, list[str]]:
    """Return the runs of every system; without ``runs`` every system is its own."""
    if runs is None:
        return {name: [name] for name in scores.systems}
    for name, given in runs.items():
        check_order(given, f"the runs of {name}")
    groups = {str(name): [str(run) for run in given] for name, given in runs.items()}
    named = [run for given in groups.values() for run in given]
    for run in named:
        if run not in scores.systems:
            raise unknown("run", run, scores.systems)
        if named.count(run) > 1:
            raise BadInput(f"the run {run!r} is named twice")
    left = [s for s in scores.systems if s not in named]
    if left:
        raise BadInput(f"{left[0]!r} is not among the runs of any system")
    sizes = {name: len(given) for name, given in groups.items()}
    if len(set(sizes.values())) > 1 or min(sizes.values(), default=0) < 2:
        told = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise BadInput(f"every system needs the same number of runs, at least two; {told}")
    return groups
