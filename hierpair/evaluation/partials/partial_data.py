"""What a partial holds: exact sums for every system, and what they are the sums of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hierpair.evaluation.partials.exact_sums import ClassSums
from hierpair.evaluation.partials.totals import Plan, Totals
from hierpair.evaluation.partials.worst_kept import Worst, worst_together
from hierpair.measures import Measure

__all__ = ["PartialData", "SystemSums"]


@dataclass(frozen=True, eq=False)
class SystemSums:
    """What the instances of a partial leave behind of one system.

    Attributes
    ----------
    totals
        Sums by measure and by recipe.
    n_labels
        Exact sum of the weighted numbers of its labels, in the units of ``exact_sum``.
    n_unknown
        Labels that were dropped or replaced.
    n_missing
        Instances without prediction that were counted as empty.
    unused_scores
        Whether its labels came with scores that none of them was chosen by.
    worst
        By measure, the values and ids of the worst instances; of equal values, by id.
    blocks
        Exact sums by block of instances (:func:`block_columns` names them); None without blocks.
    """

    totals: Totals
    n_labels: int
    n_unknown: int = 0
    n_missing: int = 0
    unused_scores: bool = False
    worst: tuple[Worst, ...] = ()
    blocks: ClassSums | None = None

    def plus(self, other: SystemSums, measures: Sequence[Measure], keep_worst: int) -> SystemSums:
        """Return the sums of both."""
        blocks = None
        if self.blocks is not None and other.blocks is not None:
            blocks = self.blocks.plus(other.blocks)
        worst: tuple[Worst, ...] = ()
        if keep_worst:
            worst = worst_together(measures, self.worst, other.worst, keep_worst)
        return SystemSums(
            self.totals.plus(other.totals),
            self.n_labels + other.n_labels,
            self.n_unknown + other.n_unknown,
            self.n_missing + other.n_missing,
            self.unused_scores or other.unused_scores,
            worst,
            blocks,
        )


@dataclass(frozen=True, eq=False)
class PartialData:
    """The fields of :class:`hierpair.Partial`; its bytes hold them all."""

    fingerprint: str
    hierarchy: str
    numbering: str
    measures: tuple[Measure, ...]
    systems: tuple[str, ...]
    sums: tuple[SystemSums, ...]
    n_instances: int
    weight: int
    n_labels: int
    n_unknown: int = 0
    parts: frozenset[str] = frozenset()
    ids: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    uneven: tuple[int, ...] = ()
    doubts: tuple[str, ...] = ()
    in_order: frozenset[int] = frozenset()
    turned: Mapping[int, str] = field(default_factory=dict)
    keep_worst: int = 0
    n_blocks: int = 0
    block_seed: int = 0
    files: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def plan(self) -> Plan:
        """What is added up."""
        return Plan(self.measures)

    @property
    def signatures(self) -> tuple[str, ...]:
        """One line per measure that pins all its conventions and the version."""
        return tuple(m.signature for m in self.measures)
