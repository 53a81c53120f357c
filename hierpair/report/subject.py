"""What a page is about: scores, their comparison, measures in words, and what is absent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from hierpair.comparison import Comparison, compare
from hierpair.comparison.common_scores import common_notes
from hierpair.comparison.systems import RANKS_IN_BRACKETS
from hierpair.errors import BadInput, HierpairError, listed
from hierpair.evaluation import Scores
from hierpair.evaluation.checked import refuse_of_scores
from hierpair.evaluation.scores import NotKept, ScoredLabels
from hierpair.hierarchy.arrays import Floats
from hierpair.measures import Measure, empty_is_perfect

LARGE_HIERARCHY, MANY_INSTANCES = 50_000, 200_000
"""Classes, or instances, beyond which a page says less of some measures and instances."""

BLOCKS = 1_000
"""Random groups that are compared instead of so many instances: standard errors to 2 %."""


@dataclass(frozen=True, eq=False)
class Subject:
    """What a page is about: scores (of a comparison its own, in which all systems leave out the
    same), their comparison or None, whether an instance is the same object for all systems, and
    sentences on what the page lacks and why, to which its parts add theirs.
    """

    scores: Scores
    comparison: Comparison | None
    paired: bool = True
    absent: list[str] = field(default_factory=list)

    @contextmanager
    def left_out(self, what: str) -> Iterator[None]:
        """Say of what cannot be made that the page lacks it, and why."""
        try:
            yield
        except HierpairError as error:
            self.absent.append(f"{what}: {error.reason}.")

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems; of several runs a system is one."""
        return (self.comparison or self.scores).systems

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures."""
        return self.scores.measures

    @property
    def values(self) -> Floats:
        """The scores of the systems, shape ``(n_systems, n_measures)``."""
        return (self.comparison or self.scores).values

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
        upwards = self.measures[0].sign * self.values[:, 0]
        return int(np.nan_to_num(upwards, nan=-np.inf).argmax())


def subject_of(found: Scores | Comparison, *, paired: bool) -> Subject:
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
    return subject


def _compared(scores: Scores, *, paired: bool) -> Subject:
    subject = Subject(scores, None, paired)
    if len(scores.systems) < 2:
        subject.absent.append("There is one system, so nothing is compared.")
        return subject
    compared = None
    with subject.left_out("The systems are not compared"):
        if not paired:
            raise BadInput("their instances are not the same objects")
        many = subject.has_instances and scores.n_instances > MANY_INSTANCES
        compared = compare(scores, blocks=BLOCKS if many else None)
    return subject if compared is None else Subject(compared.scores, compared)


LAST = ("zero_division", "average")
"""Options that are told at the end: what happens to 0/0, and how values become one score."""


def measure_record(m: Measure) -> dict[str, Any]:
    """Return what a page says of a measure."""
    return {
        "name": m.name,
        "label": m.label,
        "higher": m.higher_is_better,
        "range": m.definition.range,
        "meaning": m.definition.summary,
        "conventions": conventions_in_words(m),
        "signature": m.signature,
    }


def conventions_in_words(m: Measure) -> str:
    """Return the conventions of a measure as one sentence, by the records of its options.

    >>> from hierpair import measure
    >>> conventions_in_words(measure("subset_accuracy"))
    'The score is the mean over instances.'
    >>> conventions_in_words(measure("gie(default=4)"))  # doctest: +ELLIPSIS
    'A class without a partner costs 4; a pair costs the edges between its classes; ...'
    >>> conventions_in_words(measure("hf")).split("; ")[3]
    'an instance without classes on both sides is perfect'
    """
    names = [name for name in m.options if name not in LAST]
    names += [name for name in LAST if name in m.options]
    parts = [_option_in_words(m, name) for name in names]
    if "average" not in m.options:
        parts.append("the score is the mean over instances")
    told = "; ".join(part for part in parts if part)
    return f"{told[:1].upper()}{told[1:]}." if told else ""


def _option_in_words(m: Measure, name: str) -> str:
    """Return an option in words, with what its own words leave open for this measure."""
    told = m.definition.option(name).in_words(m.options[name])
    if name == "zero_division" and empty_is_perfect(m):
        return f"an instance without classes on both sides is perfect; any other {told}"
    if name == "average" and m.definition.averaged_over == "level":
        return told.replace("classes", "levels")
    return told


MOST_CELLS = 20_000
"""Cells of a matrix of pairs over all measures that a page holds."""

MATRICES = ("p", "p_adjusted", "difference", "difference_low", "difference_high", "effect")


def comparison_block(subject: Subject) -> dict[str, Any] | None:
    """Return what a page shows of a comparison; None where there is none."""
    found = subject.comparison
    if found is None:
        return None
    best = found.upwards.argmax(axis=0)
    worse = np.stack([found.significant[k, i] for k, i in enumerate(best.tolist())], axis=1)
    told = {
        "low": found.low,
        "high": found.high,
        "ranks": found.ranks,
        "worse": worse,
        "signature": found.signature,
        "alpha": found.plan.alpha,
        "level": found.plan.level,
        "notes": warnings_and_notes(subject)[1],
    }
    n = len(found.systems)
    too_many = len(found.measures) * n * n > MOST_CELLS
    if too_many:
        subject.absent.append(
            f"The {n * (n - 1) // 2:,} pairs of {n} systems under {len(found.measures)} measures "
            "are too many for a page: differences and p-values of pairs are left out "
            "(hierpair compare --pairs has them all)."
        )
    return told | {name: None if too_many else getattr(found, name) for name in MATRICES}


def warnings_and_notes(subject: Subject) -> tuple[list[str], list[str]]:
    """Return warnings (what was left out, is doubtful or not minimal), and other notes."""
    scores, found = subject.scores, subject.comparison
    size, *warnings = scores.notes
    others = [*scores.solver_notes]
    if scores.weight is not None:
        others.append(
            "scores and the number of true labels per instance are weighted; counts of classes and "
            "means by depth are not"
        )
    if isinstance(found, Comparison):
        apart = {size, *warnings, *common_notes(scores), *found.left_out, RANKS_IN_BRACKETS}
        warnings += [*common_notes(scores), *found.left_out]
        others += [note for note in found.notes if note not in apart]
    return warnings, others
