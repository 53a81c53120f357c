"""Which constraint of a rule it is that a bound comes from, where several may have given it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hierpair.pairing.constraints.builder import Builder
from hierpair.pairing.constraints.source import Source, constraint_text
from hierpair.pairing.optimum.savings import Saving
from hierpair.pairing.problem import PairingProblem
from hierpair.pairing.rule import Rule

__all__ = ["saved_by"]

Floats = NDArray[np.float64]


def saved_by(rule: Rule, problem: PairingProblem, rows: list[Saving]) -> Floats:
    """Return what the best single unit of every constraint's bounds saves in every instance.

    A bound on labels or instances that two constraints give alike is neither's: to raise one of
    them alone changes nothing. Shape ``(n_constraints, n_instances)``, nan where a constraint
    gives no bounds and no costs of numbers of pairs.
    """
    builders = _each_alone(rule, problem)
    alone = [one.problem(np.zeros(len(problem.cost))) for one in builders]
    found = np.full((len(alone), problem.n_instances), np.nan)
    for row in rows:
        for number, where in _givers(row, problem, alone):
            owner, saved = row.counter.instance[where], row.saved[where]
            best = np.full(problem.n_instances, -np.inf)
            known = ~np.isnan(saved)
            np.maximum.at(best, owner[known], saved[known])
            found[number] = np.fmax(found[number], np.where(np.isinf(best), np.nan, best))
    for number, one in enumerate(builders):
        if one.says_numbers:
            found[number] = np.fmax(found[number], 0.0)
    return found


def _each_alone(rule: Rule, problem: PairingProblem) -> list[Builder]:
    """Return what each constraint writes by itself."""
    found = []
    for number, constraint in enumerate(rule.constraints, start=1):
        builder = Builder(problem.pairs)
        builder.source = Source(number, constraint_text(constraint))
        constraint(builder)
        found.append(builder)
    return found


def _givers(
    row: Saving, problem: PairingProblem, alone: list[PairingProblem]
) -> list[tuple[int, NDArray[np.int64]]]:
    """Return constraints by number from 0, and for which sets they alone give a bound."""
    what, which = row.counter.key
    every = np.arange(len(row.counter))
    if row.source is not None:
        return [(row.source.number - 1, every)]
    if what in ("group", "partners"):
        return [(row.counter.source.number - 1, every)]
    upper = row.bound == "at most"
    given = []
    for one in alone:
        if what == "label":
            bounds = (one.upper if upper else one.lower)[which]
        elif one.total is not None:
            bounds = one.total[upper]
        else:
            bounds = np.full(len(every), -1)
        given.append(bounds == row.value)
    by_one = np.sum(given, axis=0) == 1
    return [(i, np.flatnonzero(mine & by_one)) for i, mine in enumerate(given)]
