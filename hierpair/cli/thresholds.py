"""Scores that a run must reach: for continuous integration."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hierpair.cli.parser import say
from hierpair.errors import BadInput, did_you_mean, listed, unknown

if TYPE_CHECKING:
    from hierpair.evaluation.scores import Scores
    from hierpair.measures import Measure

__all__ = ["MISSED", "THRESHOLDS", "Threshold", "missed", "thresholds_of"]

MISSED = 1
"""Exit code when a score misses a threshold."""


@dataclass(frozen=True)
class Threshold:
    """A score that a system (or every system, None) must reach."""

    system: str | None
    measure: int
    bound: float
    text: str


THRESHOLDS = """
# thresholds: exit code 1 if a system misses one
--fail-under MEASURE=X*  a score under X fails, where higher is better; NAME:MEASURE=X for one
                         system (may be repeated)
--fail-over MEASURE=X*   a score over X fails, where lower is better
"""


def thresholds_of(
    options: argparse.Namespace, measures: Sequence[Measure], systems: Sequence[str]
) -> list[Threshold]:
    """Return the thresholds, or refuse those that cannot be meant.

    Raises
    ------
    BadInput
        For a measure that is not scored, an unknown system, a bound that is no number, or one on
        the wrong side.
    """
    found = []
    for option, upwards in (("fail_under", True), ("fail_over", False)):
        word = f"--{option.replace('_', '-')}"
        for text in getattr(options, option):
            name, equals, value = text.rpartition("=")
            if not equals or not name:
                raise BadInput(f"cannot read {word} {text!r}; write MEASURE=X")
            before, colon, after = name.partition(":")
            system = before if colon and before in systems else None
            k = _number(after if system is not None else name, measures, systems, word)
            m = measures[k]
            if m.higher_is_better != upwards:
                other = "--fail-over" if upwards else "--fail-under"
                better = "lower" if upwards else "higher"
                raise BadInput(f"{word} {text}: of {m.name} {better} values are better; write "
                               f"{other} {text}")  # fmt: skip
            found.append(Threshold(system, k, _bound(value, word, text), value))
    return found


def missed(scores: Scores, thresholds: Sequence[Threshold], options: argparse.Namespace) -> bool:
    """Say which scores miss a threshold, and return whether one does; undefined ones do."""
    faults = []
    for t in thresholds:
        m = scores.measures[t.measure]
        for i, system in enumerate(scores.systems):
            value = float(scores.values[i, t.measure])
            good = value >= t.bound if m.higher_is_better else value <= t.bound
            if t.system in (None, system) and not good:
                side = "under" if m.higher_is_better else "over"
                how = "is undefined, not" if math.isnan(value) else f"is {side}"
                reach = " at most" if math.isnan(value) and side == "over" else ""
                reach = " at least" if math.isnan(value) and side == "under" else reach
                faults.append(f"{system}: {m.name} = {value:.6g} {how}{reach} {t.text}")
    for fault in faults:
        say(options, fault)
    return bool(faults)


def _bound(value: str, word: str, text: str) -> float:
    try:
        bound = float(value)
    except ValueError:
        bound = math.nan
    if not math.isfinite(bound):
        raise BadInput(f"{word} {text}: the threshold must be a number, got {value!r}")
    return bound


def _number(name: str, measures: Sequence[Measure], systems: Sequence[str], word: str) -> int:
    """Return the number of the measure that is meant."""
    from hierpair.evaluation.looks import measure_called

    names = [m.name for m in measures]
    meant = name if name in names else measure_called(name, measures)
    exact = [k for k, text in enumerate(names) if text == meant]
    alike = exact or [k for k, m in enumerate(measures) if m.definition.name == name]
    if len(alike) == 1:
        return alike[0]
    if alike:
        raise BadInput(f"{word}: which {name} is meant? There are "
                       f"{listed(names[k] for k in alike)}")  # fmt: skip
    system, colon, _ = name.partition(":")
    if colon:
        raise unknown("system", system, systems, word)
    raise BadInput(f"{word}: {name!r} is not scored{did_you_mean(name, names)}; there are "
                   f"{listed(names)} (add it with -m)")  # fmt: skip
