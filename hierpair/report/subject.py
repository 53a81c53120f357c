"""What a page is about: scores, their comparison, measures in words, and what is absent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierpair.comparison import Comparison, compare
from hierpair.comparison.common_scores import common_notes
from hierpair.comparison.systems import RANKS_IN_BRACKETS
from hierpair.errors import BadInput, HierpairError
from hierpair.evaluation import Scores, score
from hierpair.evaluation.checked import refuse_of_scores
from hierpair.evaluation.sums import WAYS
from hierpair.hierarchy.arrays import Floats
from hierpair.measures import Measure, empty_is_perfect

LARGE_HIERARCHY, MANY_INSTANCES = 50_000, 200_000
"""Classes, or instances, beyond which a page says less of some measures and instances."""

BLOCKS = 1_000
"""Random groups that are compared instead of so many instances: standard errors to 2 %."""


@contextmanager
def left_out(what: str, absent: list[str]) -> Iterator[None]:
    """Say of what cannot be made that the page lacks it, and why."""
    try:
        yield
    except HierpairError as error:
        absent.append(f"{what}: {error.reason}.")


@dataclass(frozen=True, eq=False)
class Subject:
    """What a page is about: scores (of a comparison its own, in which all systems leave out the
    same), their comparison or None, the ``systems`` and their ``values``, whether an instance is
    the same object for all of them, and sentences on what the page lacks and why, to which its
    parts add theirs.

    Of sums of parts there are no ``labels`` and no values of instances; of systems of several runs
    they are not shown. Of ``large`` data a page does less of what takes time for every class or
    every instance.
    """

    scores: Scores
    comparison: Comparison | None
    paired: bool
    absent: list[str]
    systems: tuple[str, ...]
    values: Floats
    labels: Any
    large: bool


def subject_of(found: Scores | Comparison, *, paired: bool) -> Subject:
    """Return what a page of scores or of a comparison is about.

    Scores of several systems are compared, with the defaults of :func:`hierpair.compare`, of very
    many instances by blocks; where that cannot be, the page says why.

    Raises
    ------
    BadInput
        For anything else, and for a comparison of what is not ``paired``.
    """
    absent = list[str]()
    shown = _shown(found, paired, absent)
    compared = shown if isinstance(shown, Comparison) else None
    scores: Any = compared.scores if compared else found
    labels = scores.scored
    if labels is None:
        absent.append(
            "There is no class tree, and there are no instances: these scores were added up from "
            "parts, which keep sums alone."
        )
    elif compared and compared.runs:
        labels = None
        absent.append(
            "Scores are means over runs; classes, instances, levels, depths, conventions and the "
            "agreement of the measures are of single runs: write a report of one run of every "
            "system for these."
        )
    elif not paired:
        absent.append("There are no instances: they are other objects for every system.")
    n_classes = 0 if labels is None else len(labels.hierarchy)
    large = n_classes > LARGE_HIERARCHY or scores.n_instances > MANY_INSTANCES
    return Subject(
        scores, compared, paired, absent, shown.systems, shown.values, labels, large,
    )  # fmt: skip


def _shown(found: Scores | Comparison, paired: bool, absent: list[str]) -> Scores | Comparison:
    """Return a comparison where there can be one; else scores."""
    shown = found
    if isinstance(found, Comparison):
        if not paired:
            raise BadInput("systems that were compared are paired; leave paired=False out")
    elif not isinstance(found, Scores):
        raise BadInput(
            f"a report is written of Scores or of a Comparison, got {type(found).__name__}"
        )
    else:
        refuse_of_scores(found.measures)
        if len(found.systems) < 2:
            absent.append("There is one system, so nothing is compared.")
        else:
            with left_out("The systems are not compared", absent):
                if not paired:
                    raise BadInput("their instances are not the same objects")
                many = found.n_instances > MANY_INSTANCES and found.partial is None
                shown = compare(_with_classes(found), blocks=BLOCKS if many else None)
    return shown


def _with_classes(scores: Scores) -> Scores:
    """Return scores with what every instance adds to every class, where comparing needs that.

    It is counted from the labels once more if it was not kept (``keep_classes``).
    """
    labels, first, measures = scores.scored, scores.systems[0], scores.measures
    lacking = [
        k for k, m in enumerate(measures)
        if WAYS.get(m.average) == "classes" and (first, k) not in scores.evidence
    ]  # fmt: skip
    if labels is None or not lacking:
        return scores
    again = score(
        labels.hierarchy, labels.truth, labels.systems, [measures[k] for k in lacking],
        sample_weight=scores.weight, on_infeasible="nan", keep_classes=True,
    )  # fmt: skip
    more = {(system, lacking[k]): kept for (system, k), kept in again.evidence.items()}
    return replace(scores, evidence={**scores.evidence, **more})


LAST = {"zero_division": 1, "average": 2}
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
    parts = list[str]()
    for name in sorted(m.options, key=lambda name: LAST.get(name, 0)):
        told = m.definition.option(name).in_words(m.options[name])
        if name == "zero_division" and empty_is_perfect(m):
            told = f"an instance without classes on both sides is perfect; any other {told}"
        if name == "average" and m.definition.averaged_over == "level":
            told = told.replace("classes", "levels")
        parts += [told] * bool(told)
    if "average" not in m.options:
        parts.append("the score is the mean over instances")
    told = "; ".join(parts)
    return f"{told[:1].upper()}{told[1:]}." if told else ""


MOST_CELLS = 20_000
"""Cells of a matrix of pairs over all measures that a page holds."""

MATRICES = ("p", "p_adjusted", "difference", "difference_low", "difference_high", "effect")


def comparison_block(subject: Subject, notes: list[str]) -> dict[str, Any] | None:
    """Return what a page shows of a comparison; None where there is none."""
    found = subject.comparison
    if found is None:
        return None
    best, (k, i) = found.upwards.argmax(axis=0), np.indices(found.values.T.shape)
    told = {
        "low": found.low,
        "high": found.high,
        "ranks": found.ranks,
        "worse": found.significant[k, best[:, None], i].T,
        "signature": found.signature,
        "alpha": found.plan.alpha,
        "level": found.plan.level,
        "notes": notes,
    }
    n, m = found.values.shape
    too_many = m * n * n > MOST_CELLS
    if too_many:
        subject.absent.append(
            f"The {n * (n - 1) // 2:,} pairs of {n} systems under {m} measures are too many for a "
            "page: differences and p-values of pairs are left out (hierpair compare --pairs has "
            "them all)."
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
    if found is not None:
        common = [*common_notes(scores), *found.left_out]
        apart = {size, *warnings, *common, RANKS_IN_BRACKETS}
        warnings += common
        others += [note for note in found.notes if note not in apart]
    return warnings, others
