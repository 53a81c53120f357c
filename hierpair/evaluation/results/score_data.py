"""The numbers of systems under measures, and how they are looked up."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, did_you_mean, unknown
from hierpair.evaluation.results.scored_labels import ScoredLabels
from hierpair.measures import Columns, Entries, Measure, measure

if TYPE_CHECKING:
    from hierpair.evaluation.partials.partial_data import PartialData

__all__ = ["ByName", "NotKept", "ScoreData", "lowest_places", "number_of"]


class NotKept(dict[str, NDArray[np.float64]]):
    """The values of instances of scores that have none; ``reason`` says why, ``{}`` of whom."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason

    def __missing__(self, system: str) -> NDArray[np.float64]:
        raise BadInput(self.reason.format(system))

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel with the reason."""
        return NotKept, (self.reason,)


class ByName:
    """Systems and measures that are found by name; ``done`` is what was done with them."""

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    done: ClassVar[str] = "scored"

    def measure_number(self, name: str | Measure | None = None) -> int:
        """Return the number of a measure; the first by default.

        Raises
        ------
        BadInput
            If it was not scored, or not compared.
        """
        return 0 if name is None else number_of(name, self.measures, self.done)

    def system_number(self, name: str) -> int:
        """Return the number of a system.

        Raises
        ------
        BadInput
            If there is no such system.
        """
        if name not in self.systems:
            raise unknown("system", name, self.systems)
        return self.systems.index(name)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreData(ByName):
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
    partial: PartialData | None = None
    scored: ScoredLabels | None = None
    no_pairing_at: dict[tuple[str, str], NDArray[np.int64]] = field(default_factory=dict)

    def __getitem__(self, key: tuple[str, str]) -> float:
        """Return ``scores[system, measure]``."""
        if not (isinstance(key, tuple) and len(key) == 2):
            raise BadInput("look a score up by system and measure: scores['system', 'hf']")
        system, name = key
        return float(self.values[self.system_number(system), self.measure_number(name)])

    def worst(self, system: str, name: str, k: int) -> list[Hashable]:
        """Return the ids (or positions) of the ``k`` instances with the worst values.

        Of equal values the first come first; undefined values are left out. Of the scores of a
        partial they are the ids that it keeps (``keep_worst``), as texts, and of equal values
        those that come first as texts.
        """
        place = self.system_number(system)
        column = number_of(name, self.measures, f"scored for {system!r}")
        if self.partial is not None and self.partial.keep_worst:
            of_measure = self.partial.measures.index(self.measures[column])
            kept = self.partial.sums[place].worst[of_measure]
            if k > len(kept) and len(kept) == self.partial.keep_worst:
                raise BadInput(
                    f"only the {len(kept)} worst instances were kept, and {k} are asked for; make "
                    f"the partials with keep_worst={k}"
                )
            return [name for _, name in kept[:k]]
        names, values = self.ids or range(self.n_instances), self.per_instance[system][:, column]
        upwards = values if self.measures[column].higher_is_better else -values
        return [names[i] for i in lowest_places(upwards, k).tolist()]


def lowest_places(values: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return where the ``k`` lowest values are, the lowest first; of equal ones the first.

    Undefined values are left out.

    >>> lowest_places(np.array([2.0, 1.0, np.nan, 1.0, 0.0]), 2).tolist()
    [4, 1]
    """
    n_known = len(values) - int(np.isnan(values).sum())  # nan is sorted to the end
    k = max(0, min(k, n_known))
    if k == 0:
        return np.zeros(0, dtype=np.int64)
    last = np.partition(values, k - 1)[k - 1]
    below, equal = np.flatnonzero(values < last), np.flatnonzero(values == last)
    below = below[np.argsort(values[below], kind="stable")]
    return np.concatenate([below, equal[: k - len(below)]])


def number_of(wanted: str | Measure, measures: Sequence[Measure], done: str) -> int:
    """Return which of these measures is meant: the same one, or the only one of its name.

    Raises
    ------
    BadInput
        If it is none of those for which that was ``done``.
    """
    names = [known.name for known in measures]
    if names.count(str(wanted)) == 1:  # one that holds weights in memory does not parse back
        return names.index(str(wanted))
    m = measure(wanted)
    if m in measures:
        return measures.index(m)
    alike = [k for k, known in enumerate(measures) if known.definition.name == str(wanted)]
    if len(alike) == 1:
        return alike[0]
    near = did_you_mean(m.name, names)
    raise BadInput(f"{m.name!r} was not {done}{near}; there are {', '.join(names)}")
