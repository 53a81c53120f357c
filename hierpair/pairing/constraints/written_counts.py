"""From what constraints say about numbers of pairs to tables of what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, SolverLimit
from hierpair.pairing.constraints.bounds import Source
from hierpair.pairing.constraints.budget_sets import BudgetSets
from hierpair.pairing.constraints.count_costs import CountCosts, Evaluate, tabled
from hierpair.pairing.constraints.grouping import Grouping
from hierpair.pairing.constraints.moved import Moved
from hierpair.pairing.constraints.partner_groups import PartnerGroups
from hierpair.pairing.constraints.values import Things
from hierpair.pairing.pairs import Pairs, SetsOf, Side

__all__ = ["Written", "check_signs", "counts_of"]


MOST_NUMBERS = 100_000
"""Numbers of units of one label, group or instance that a table of costs may have."""


class Written(NamedTuple):
    """What a constraint says of numbers of pairs.

    It is of a side, of groups by place, of instances, or of budgets by place.
    """

    of: Side | Literal["instance"] | int | tuple[Literal["budget"], int]
    evaluate: Evaluate
    chosen: NDArray[np.bool_] | None
    source: Source


def counts_of(
    written: Iterable[Written],
    pairs: Pairs,
    groupings: Sequence[Grouping | PartnerGroups],
    candidate: NDArray[np.bool_],
    moved: Moved | None = None,
    upper: Mapping[Side, NDArray[np.int64]] | None = None,
    budgets: Sequence[BudgetSets] = (),
) -> dict[tuple[str, Any], CountCosts]:
    """Return what as many units cost as can be chosen, by what is counted.

    Where pairs carry masses these are their units, and ``upper`` bounds those of labels by side.
    """
    found: dict[tuple[str, Any], CountCosts] = {}
    for of, evaluate, chosen, source in written:
        things: Things
        key: tuple[str, Any]
        if of == "instance":
            key, things, owner = ("instance", None), pairs.instances, pairs.instance
        elif isinstance(of, tuple):
            budget = budgets[of[1]]
            key, things, owner = of, budget.sets, budget.of_pair
        elif isinstance(of, int):
            group = groupings[of]
            key, things, owner = ("group", of), group.things(pairs), group.of_pairs(pairs)
        else:
            key, things, owner = ("label", of), pairs.labels(of), pairs.at(of)
        inside = candidate & (owner >= 0)
        if moved is None:
            most = np.bincount(owner[inside], minlength=len(things))
        else:
            most = np.zeros(len(things), dtype=np.int64)
            np.add.at(most, owner[inside], moved.capacity[inside])
            if upper is not None and isinstance(of, str) and of != "instance":
                most = np.minimum(most, upper[of])
        if moved is not None or isinstance(of, tuple):
            _check_size(most, things, source)
        new = tabled(source, evaluate, things, chosen, most)
        known = found.get(key)
        if known is not None:
            both = known.parts + new.parts, known.beyond + new.beyond
            new = replace(known, parts=both[0], beyond=both[1])
        found[key] = new
    return found


def _check_size(most: NDArray[np.int64], things: Things, source: Source) -> None:
    """Refuse tables of costs that would be too long."""
    if most.max(initial=0) < MOST_NUMBERS:
        return
    whose, instance = things.place(int(most.argmax()))
    if isinstance(things, SetsOf):
        raise SolverLimit(
            f"{source}: {whose} can have {most.max()} pairs, and costs of numbers are written for "
            f"each, up to {MOST_NUMBERS}; use hard bounds (lower, upper without under and over)"
        )
    raise SolverLimit(
        f"{source}: {whose} can have {most.max()} units of mass, and costs of numbers are written "
        f"for each, up to {MOST_NUMBERS}; use coarser masses, or Unmatched",
        instance,
    )


def check_signs(counts: dict[tuple[str, Any], CountCosts]) -> None:
    """Refuse negative costs of numbers of pairs, which a rule has to announce."""
    for costs in counts.values():
        for source, by_cost in costs.parts:
            if any((part < 0).any() for part in by_cost):
                raise BadInput(
                    f"{source}, has a negative cost; a rule whose costs may be negative is "
                    "Rule(…, signed=True)"
                )
