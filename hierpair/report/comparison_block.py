"""The comparison of a page: intervals, ranks, marks and matrices of pairs; notes and warnings."""

from __future__ import annotations

from typing import Any

import numpy as np

from hierpair.comparison import Comparison
from hierpair.comparison.common_scores import common_notes
from hierpair.comparison.systems import RANKS_IN_BRACKETS
from hierpair.report.subject import Subject

__all__ = ["MOST_CELLS", "comparison_block", "warnings_and_notes"]

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
    others = [*scores.hard_solver_notes]
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
