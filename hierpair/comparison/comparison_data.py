"""The numbers of a comparison: how they are looked up, and what has to be known beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import ClassVar

import numpy as np

from hierpair._version import __version__
from hierpair.comparison.shared_instances import common_notes, n_compared
from hierpair.comparison.statistics.ranks import cliques
from hierpair.comparison.statistics.resampling import is_exact
from hierpair.comparison.statistics.tests_by_name import TESTS, Plan
from hierpair.evaluation.scores import ByName, Scores
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.measures import Measure

__all__ = ["MARK", "ComparisonData"]


MARK = "†"
"""Stands at a system that is significantly worse than the best."""

RANKS_IN_BRACKETS = (
    f"in brackets ranks, equal where no significant difference is found; {MARK} "
    "significantly worse than the best"
)
"""A note that explains the signs of tables as text."""


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonData(ByName):
    """The fields of :class:`Comparison`, and how its numbers are looked up."""

    scores: Scores
    plan: Plan
    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    low: Floats
    high: Floats
    ranks: Ints
    p: Floats
    p_adjusted: Floats
    difference: Floats
    difference_low: Floats
    difference_high: Floats
    effect: Floats | None
    wins: Ints | None
    runs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    run_values: Floats | None = None
    n_blocks: int = 0
    left_out: tuple[str, ...] = ()

    done: ClassVar[str] = "compared"

    @property
    def significant(self) -> Bools:
        """Whether two systems differ significantly after the correction."""
        found: Bools = self.p_adjusted <= self.plan.alpha
        return found

    @property
    def upwards(self) -> Floats:
        """Scores with the sign of errors turned, so that higher is better."""
        signs = np.array([1 if m.higher_is_better else -1 for m in self.measures])
        turned: Floats = self.values * signs
        return turned

    def groups(self, name: str | Measure | None = None) -> list[list[str]]:
        """Return the longest runs of neighbouring systems none of which differ significantly."""
        k = self.measure_number(name)
        found = cliques(self.upwards[:, k], self.significant[k])
        return [[self.systems[i] for i in run] for run in found]

    @property
    def signature(self) -> str:
        """One line that pins how the systems were compared, with the seed."""
        o = self.plan
        drawn = f",permutations={o.n_permutations}" if o.test == "permutation" else ""
        one = self.scores.partial
        effect = "" if self.n_blocks else f"effect={o.effect},"
        blocks = f"blocks={self.n_blocks}," if self.n_blocks else ""
        if one is not None and one.n_blocks:
            blocks = f"blocks={one.n_blocks},block_seed={one.kept.block_seed},"
        return (
            f"compare(test={o.test}{drawn},correction={o.correction},family={o.family},"
            f"alpha={o.alpha:g},level={o.level:g},interval={'t' if self.runs else o.interval},"
            f"bootstrap={o.n_bootstrap},{effect}{blocks}seed={o.seed})|hierpair {__version__}"
        )

    @property
    def signatures(self) -> list[str]:
        """How it was compared, and the conventions of every measure."""
        return [self.signature, *self.scores.signatures]

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the numbers."""
        o = self.plan
        n = self.n_blocks or max(n_compared(self.scores, m) for m in self.measures)
        exact = o.test == "permutation" and is_exact(n, o.n_permutations or 0)
        notes = [
            *self.scores.notes,
            *common_notes(self.scores),
            *self.left_out,
            RANKS_IN_BRACKETS,
            f"{TESTS[o.test]}{f', all {2**n} exchanges' if exact else ''}; correction: "
            f"{o.correction} over the pairs of "
            f"{'each measure' if o.family == 'measure' else 'all measures'}, alpha = {o.alpha:g}",
        ]
        rounds = {"permutation": o.n_permutations, "bootstrap": o.n_bootstrap}.get(o.test)
        factor = o.smallest_factor(len(self.systems), len(self.measures))
        if rounds is not None and not exact and factor / (rounds + 1) > o.alpha:
            notes.append(
                f"{rounds:,} rounds are too few for {factor:,} comparisons: no adjusted p-value "
                f"can be below {factor / (rounds + 1):.2g}"
            )
        if self.n_blocks:
            notes.append(
                f"resampled and exchanged are {self.n_blocks:,} blocks of instances, not "
                "instances: standard errors are known to about "
                f"{100 / sqrt(2 * (self.n_blocks - 1)):.2g} %; "
                "wins and effect sizes need values of instances and are left out"
            )
        if self.runs:
            runs = len(next(iter(self.runs.values())))
            notes.append(f"scores are means over {runs} runs with {100 * o.level:g} % t intervals")
        elif (pooled := self._pooled_otherwise) and o.test in ("sign", "wilcoxon", "t"):
            notes.append(
                f"the test compares values of instances, and {', '.join(pooled)} are pooled "
                "otherwise: permutation and bootstrap test the pooled scores"
            )
        return notes

    @property
    def _pooled_otherwise(self) -> list[str]:
        return [m.name for m in self.measures if m.options.get("average") not in (None, "samples")]

    def mean_labels(self, system: str) -> float:
        """Return the mean number of labels of an instance, over the runs."""
        runs = self.runs.get(system, (system,))
        return float(np.mean([self.scores.mean_labels.get(run, np.nan) for run in runs]))
