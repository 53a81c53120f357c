"""Where witnesses are sought: small hierarchies one by one, then random ones; and counting them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.evaluation.processes import in_processes, take_along, travels
from hierpair.evaluation.progress import Progress
from hierpair.hierarchy import Hierarchy
from hierpair.measures import Measure
from hierpair.verification.properties.measuring import measured
from hierpair.verification.properties.statement import DOMAINS, Property, Witnesses
from hierpair.verification.properties.tallies import Tally
from hierpair.verification.properties.worlds import (
    World,
    part_of,
    random_world,
    small_worlds,
    with_rare_shapes,
)

__all__ = ["Place", "Plan", "Tallies", "label_sets", "tallies_of"]

Tallies = dict[tuple[int, str], Tally]
"""By the number of the measure and the name of the property."""

Place = tuple[str, int, int]
"""A hierarchy: ``"small"``, classes and number; or ``"drawn"``, which of ``DOMAINS``, number."""

PER_WORLD = 12
"""Witnesses of a property that are drawn from one random hierarchy."""

SETS, CLASSES, MOST_LABELS = 5, 12, 3
"""How many label sets and classes of it they are sought among, and how many labels a set has."""

SHARED = 2
"""Witnesses in hierarchies of their own, which are changed or have something built in, share one:
as many times more of them in as many times fewer hierarchies."""

TOGETHER = 8
"""Hierarchies that one process gets at a time."""

OF_WORLDS, OF_WITNESSES, OF_SHAPES, OF_SETS = 0, 1, 2, 3
"""First numbers of the random streams."""


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
    hierarchy
        Of which random parts are drawn; None: any hierarchies.
    """

    measures: tuple[Measure, ...]
    properties: tuple[Property, ...]
    scope: int
    samples: int
    seed: int
    hierarchy: Hierarchy | None = None

    @property
    def places(self) -> list[Place]:
        """Every hierarchy that is gone through or drawn."""
        through = [
            ("small", n, k) for n in range(1, self.scope + 1) for k in range(len(small_worlds(n)))
        ]
        kinds = [*range(len(DOMAINS))]
        if self.hierarchy is not None:
            shape = "DAG" if self.hierarchy.shape == "DAG" else "tree"
            kinds = [k for k in kinds if DOMAINS[k].startswith(shape)]
        n = -(-self.samples // (PER_WORLD * len(kinds)))
        drawn = [("drawn", kind, k) for k in range(n) for kind in kinds]
        return through + drawn

    def witnesses(self, place: Place) -> Iterator[tuple[Property, Witnesses]]:
        """Yield what there is of every property at one place.

        A random hierarchy depends on the seed, the kind and the number; the witnesses in it on
        the name of the property besides, and on nothing else.
        """
        how, first, number = place
        if how == "small":
            world = small_worlds(first)[number]
            for stated in self.properties:
                if first <= stated.scope:
                    yield from ((stated, one) for one in stated.witnesses(world))
            return

        def stream(*key: int) -> np.random.Generator:
            key = (key[0], first, number, *key[1:])
            return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

        if self.hierarchy is not None:
            world = part_of(self.hierarchy, stream(OF_WORLDS))
        else:
            world = random_world(stream(OF_WORLDS), dag=DOMAINS[first].startswith("DAG"))
        rare = with_rare_shapes(stream(OF_SHAPES), world)
        several = not DOMAINS[first].endswith("one label")
        sets = label_sets(stream(OF_SETS), world, SETS, several=several)
        for stated in self.properties:
            shared = SHARED if stated.rare or stated.change is not None else 1
            if number % shared == 0:
                rng = stream(OF_WITNESSES, *stated.name.encode())
                within = rare if stated.rare else world
                found = stated.some(within, sets, rng, CLASSES, PER_WORLD * shared)
                if found is not None:
                    yield stated, found


def label_sets(
    rng: np.random.Generator, world: World, n: int, *, several: bool
) -> NDArray[np.int64]:
    """Return random sets of one label, or of up to three and others with one more or less."""
    order = rng.permuted(np.tile(world.classes, (n, 1)), axis=1)
    length = rng.integers(1, (min(MOST_LABELS, world.n - 1) if several else 1) + 1, size=n)
    chosen = np.arange(world.n - 1) < length[:, None]
    sets = np.where(chosen, np.int64(1) << order, 0).sum(axis=1)
    if several:
        sets = np.append(sets, sets ^ np.int64(1) << rng.integers(1, world.n, size=n))
    return np.unique(sets[sets > 0])


def tallies_of(plan: Plan, n_jobs: int = 1, tell: Progress | None = None) -> Tallies:
    """Return what was counted, the same for any number of processes."""
    places = plan.places
    jobs = [(plan, places[k : k + TOGETHER]) for k in range(0, len(places), TOGETHER)]
    if n_jobs > 1:
        take_along(plan.measures)
        travels(stated.own for stated in plan.properties if stated.own is not None)
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


def _counted(job: tuple[Plan, Sequence[Place]]) -> Tallies:
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
