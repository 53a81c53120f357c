"""What a page is about: scores, their comparison, the labels behind them, and what is absent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from hierpair.comparison import Comparison, compare
from hierpair.errors import BadInput, listed
from hierpair.evaluation import Scores
from hierpair.evaluation.checked import refuse_of_scores
from hierpair.evaluation.scores import NotKept, ScoredLabels
from hierpair.hierarchy.arrays import Floats
from hierpair.measures import Measure

__all__ = ["Subject", "subject_of"]


LARGE_HIERARCHY, MANY_INSTANCES = 50_000, 200_000
"""Classes, or instances, beyond which a page says less of some measures and instances."""

BLOCKS = 1_000
"""Random groups that are compared instead of so many instances: standard errors to 2 %."""


@dataclass(frozen=True, eq=False)
class Subject:
    """What a page is about.

    Attributes
    ----------
    scores
        What was scored; of a comparison its own, in which all systems leave out the same.
    comparison
        How the systems were compared, or None.
    paired
        Whether an instance is the same object for all systems.
    absent
        Sentences: what the page lacks and why. The parts of a page add theirs.
    """

    scores: Scores
    comparison: Comparison | None
    paired: bool = True
    absent: list[str] = field(default_factory=list)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems; of several runs a system is one."""
        return self.scores.systems if self.comparison is None else self.comparison.systems

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures."""
        return self.scores.measures

    @property
    def values(self) -> Floats:
        """The scores of the systems, shape ``(n_systems, n_measures)``."""
        return self.scores.values if self.comparison is None else self.comparison.values

    @cached_property
    def shown_runs(self) -> dict[str, str]:
        """The name by which the labels and instances of every system are known.

        A system of several runs shows those of the first one.
        """
        runs = {} if self.comparison is None else self.comparison.runs
        return {system: runs.get(system, (system,))[0] for system in self.systems}

    @property
    def first_runs(self) -> str:
        """What has to be said beside anything that is of the first runs; nothing without runs."""
        if all(run == system for system, run in self.shown_runs.items()):
            return ""
        shown: Sequence[str] = list(self.shown_runs.values())
        return f"These are of the first run of every system: {listed(shown)}."

    @cached_property
    def alone(self) -> Scores:
        """The scores with systems instead of their runs, for what takes scores by system."""
        if self.systems == self.scores.systems:
            return self.scores
        each = {s: self.scores.per_instance[run] for s, run in self.shown_runs.items()}
        return replace(
            self.scores, systems=self.systems, values=self.values, per_instance=each,
            infeasible_at={}, n_infeasible={},
        )  # fmt: skip

    @property
    def has_instances(self) -> bool:
        """Whether values of instances are kept."""
        return not isinstance(self.scores.per_instance, NotKept)

    @cached_property
    def labels(self) -> ScoredLabels | None:
        """The labels of the systems that are shown, or None."""
        scored = self.scores.scored
        if scored is None or not all(run in scored.systems for run in self.shown_runs.values()):
            return None
        shown = {system: scored.systems[run] for system, run in self.shown_runs.items()}
        return replace(scored, systems=shown)

    @property
    def is_large(self) -> bool:
        """Whether a page does less of what takes time for every class or every instance."""
        n_classes = len(self.labels.hierarchy) if self.labels is not None else 0
        return n_classes > LARGE_HIERARCHY or self.scores.n_instances > MANY_INSTANCES

    @property
    def best(self) -> int:
        """The number of the system that is best by the first measure."""
        sign = 1 if self.measures[0].higher_is_better else -1
        upwards = np.nan_to_num(sign * self.values[:, 0], nan=-np.inf)
        return int(upwards.argmax())


def subject_of(found: Scores | Comparison, *, paired: bool = True) -> Subject:
    """Return what a page of scores or of a comparison is about.

    Scores of several systems are compared, with the defaults of :func:`hierpair.compare`, of very
    many instances by blocks; where that cannot be, the page says why.

    Raises
    ------
    BadInput
        For anything else, and for a comparison of what is not ``paired``.
    """
    if isinstance(found, Comparison):
        if not paired:
            raise BadInput("systems that were compared are paired; leave paired=False out")
        subject = Subject(found.scores, found)
    elif isinstance(found, Scores):
        refuse_of_scores(found.measures)
        subject = _compared(found, paired=paired)
    else:
        raise BadInput(
            f"a report is written of Scores or of a Comparison, got {type(found).__name__}"
        )
    _tell_absent(subject)
    return subject


def _compared(scores: Scores, *, paired: bool) -> Subject:
    if len(scores.systems) < 2:
        return Subject(scores, None, paired, ["There is one system, so nothing is compared."])
    if not paired:
        reason = "their instances are not the same objects"
        return Subject(scores, None, paired, [f"The systems are not compared: {reason}."])
    try:
        whole = not isinstance(scores.per_instance, NotKept)
        many = whole and scores.n_instances > MANY_INSTANCES
        compared = compare(scores, blocks=BLOCKS if many else None)
    except BadInput as error:
        return Subject(scores, None, paired, [f"The systems are not compared: {error.reason}."])
    return Subject(compared.scores, compared)


def _tell_absent(subject: Subject) -> None:
    told = subject.absent
    if subject.labels is None:
        told.append(
            "There is no class tree: these scores were added up from parts or come without "
            "labels, and classes are counted from labels."
        )
    if not subject.has_instances:
        told.append(
            "There are no instances: these scores were added up from parts, which keep sums alone."
        )
    elif subject.labels is None:
        told.append("There are no instances: these scores come without labels.")
    if subject.first_runs:
        told.append(
            "Scores are means over runs; of single runs are classes, instances and tables and "
            f"charts by depth. {subject.first_runs}"
        )
