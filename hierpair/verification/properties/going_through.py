"""Counting what measures violate: small hierarchies one by one, then random ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from hierpair.evaluation.processes import in_processes, take_along, travels
from hierpair.evaluation.progress import Progress
from hierpair.hierarchy import Hierarchy
from hierpair.measures import Measure
from hierpair.verification.properties.hierarchy_parts import part_of
from hierpair.verification.properties.measuring import measured
from hierpair.verification.properties.small_posets import small_worlds
from hierpair.verification.properties.statement import (
    DOMAINS,
    Drawn,
    Every,
    Property,
    Witnesses,
)
from hierpair.verification.properties.tallies import Tally
from hierpair.verification.properties.worlds import draws, n_worlds

__all__ = ["Plan", "Tallies", "tallies_of"]

Tallies = dict[tuple[int, str], Tally]
"""By the number of the measure and the name of the property."""

SHARED = 2
"""Witnesses of properties that are drawn alone, mostly each in a hierarchy of its own, share that
one: as many times more of them in as many times fewer hierarchies."""

TOGETHER = 8
"""Hierarchies that one process gets at a time."""


@dataclass(frozen=True)
class Plan:
    """What is gone through and drawn, for which measures and properties.

    Attributes
    ----------
    measures, properties
        Whose verdicts are wanted.
    scope
        Most classes below the root of the hierarchies that are gone through.
    samples
        Random witnesses of every property, over all kinds of hierarchies.
    seed
        Of what is random.
    every, drawn
        Where the witnesses of each property come from, by its name: other processes do not know
        properties of a user's own.
    hierarchy
        Of which random parts are drawn; None: any hierarchies.
    """

    measures: tuple[Measure, ...]
    properties: tuple[Property, ...]
    scope: int
    samples: int
    seed: int
    every: Mapping[str, Every]
    drawn: Mapping[str, Drawn]
    hierarchy: Hierarchy | None = None

    @property
    def places(self) -> list[tuple[str, int, int]]:
        """Every hierarchy: gone through (classes, number) or drawn (kind, number)."""
        through = [
            ("small", n, k) for n in range(1, self.scope + 1) for k in range(len(small_worlds(n)))
        ]
        kinds = [*range(len(DOMAINS))]
        if self.hierarchy is not None:
            shape = "DAG" if self.hierarchy.shape == "DAG" else "tree"
            kinds = [k for k in kinds if DOMAINS[k].startswith(shape)]
        n = n_worlds(self.samples, len(kinds))
        drawn = [("drawn", kind, k) for k in range(n) for kind in kinds]
        return through + drawn

    def witnesses(self, place: tuple[str, int, int]) -> Iterator[tuple[Property, Witnesses]]:
        """Yield what there is of every property at one place."""
        how, first, number = place
        if how == "small":
            world = small_worlds(first)[number]
            for stated in self.properties:
                if stated.name in self.every and first <= stated.scope:
                    yield stated, self.every[stated.name](world)
            return
        of_name = {stated.name: stated for stated in self.properties if stated.name in self.drawn}
        built = {name for name in of_name if name not in self.every}
        of = None if self.hierarchy is None else partial(part_of, self.hierarchy)
        names = [name for name in of_name if name not in built or number % SHARED == 0]
        for name, draw in draws(self.seed, names, first, number, of=of).items():
            found = self.drawn[name](replace(draw, n=draw.n * SHARED if name in built else draw.n))
            if found is not None:
                yield of_name[name], found


def tallies_of(plan: Plan, n_jobs: int = 1, tell: Progress | None = None) -> Tallies:
    """Return what was counted, the same for any number of processes."""
    places = plan.places
    jobs = [(plan, places[k : k + TOGETHER]) for k in range(0, len(places), TOGETHER)]
    if n_jobs > 1:
        take_along(plan.measures)
        own = (*plan.every.values(), *plan.drawn.values())
        travels(function.__wrapped__ for function in own if hasattr(function, "__wrapped__"))
    parts = map(_counted, jobs) if n_jobs == 1 else in_processes(_counted, jobs, n_jobs)
    whole: Tallies = {}
    for done, part in enumerate(parts, 1):
        for key, tally in part.items():
            if key in whole:
                whole[key].merge(tally)
            else:
                whole[key] = tally
        if tell is not None:
            tell("properties", done, len(jobs))
    return whole


def _counted(job: tuple[Plan, Sequence[tuple[str, int, int]]]) -> Tallies:
    """Count what is violated at some places."""
    plan, places = job
    found: Tallies = {
        (k, p.name): Tally() for k in range(len(plan.measures)) for p in plan.properties
    }
    for place in places:
        some = [(stated, one) for stated, one in plan.witnesses(place) if len(one)]
        if not some:
            continue
        results = measured([one for _, one in some], plan.measures)
        for k, (m, values) in enumerate(zip(plan.measures, results, strict=True)):
            for (stated, one), v in zip(some, values.values, strict=True):
                other = _why_not_about(stated, m)
                found[k, stated.name].add(
                    stated,
                    one,
                    np.full_like(v, np.nan) if other else v,
                    higher=m.higher_is_better,
                    random=place[0] == "drawn",
                    reason=other or values.reason,
                )
    return found


def _why_not_about(stated: Property, m: Measure) -> str:
    """Return why a property says nothing about a measure, "" if it does."""
    if stated.lower_only and m.higher_is_better:
        return "it is about losses, and higher values of this measure are better"
    if stated.lower_only and "bounded" in m.definition.traits:
        return "it is about losses that add up, and this one is a share"
    return ""
