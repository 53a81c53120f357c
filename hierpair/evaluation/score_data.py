"""The numbers of systems under measures, and how they are looked up."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.measures import Columns, Entries, Measure, measure

__all__ = ["ScoreData"]


@dataclass(frozen=True, eq=False, repr=False)
class ScoreData:
    """The fields of :class:`hierpair.Scores`, and how a score is looked up."""

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: NDArray[np.float64]
    per_instance: dict[str, NDArray[np.float64]]
    ids: tuple[Hashable, ...] | None
    n_instances: int
    n_unknown: dict[str, int] = field(default_factory=dict)
    n_missing: dict[str, int] = field(default_factory=dict)
    solved_by: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    n_infeasible: dict[tuple[str, str], int] = field(default_factory=dict)
    infeasible_at: dict[tuple[str, str], NDArray[np.int64]] = field(default_factory=dict)
    remarks: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    weight: NDArray[np.float64] | None = None
    mean_labels: dict[str, float] = field(default_factory=dict)
    evidence: dict[tuple[str, int], Columns | Entries] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    unused_scores: tuple[str, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> float:
        """Return ``scores[system, measure]``."""
        if not (isinstance(key, tuple) and len(key) == 2):
            raise BadInput("look a score up by system and measure: scores['system', 'hf']")
        system, name = key
        wanted = measure(name)
        if system not in self.systems:
            raise BadInput(f"there is no system {system!r}; there are {', '.join(self.systems)}")
        for k, m in enumerate(self.measures):
            if m == wanted or m.name == name:
                return float(self.values[self.systems.index(system), k])
        alike = [k for k, m in enumerate(self.measures) if m.definition.name == name]
        if len(alike) == 1:
            return float(self.values[self.systems.index(system), alike[0]])
        raise BadInput(
            f"{name!r} was not scored; there are {', '.join(m.name for m in self.measures)}"
        )

    def worst(self, system: str, name: str, k: int) -> list[Hashable]:
        """Return the ids (or positions) of the ``k`` instances with the worst values.

        Of equal values the first come first; undefined values are left out.
        """
        wanted = measure(name)
        if system not in self.systems or wanted not in self.measures:
            raise BadInput(f"{name!r} was not scored for {system!r}")
        column = self.measures.index(wanted)
        values = self.per_instance[system][:, column]
        order = np.argsort(values if wanted.higher_is_better else -values, kind="stable")
        names = self.ids or range(self.n_instances)
        return [names[i] for i in order[~np.isnan(values[order])][:k].tolist()]
