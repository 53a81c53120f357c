"""Counting: witnesses of small and of random hierarchies, their values, how many are violated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from hierpair.errors import HierpairError
from hierpair.evaluation.processes import in_processes, take_along, travels
from hierpair.evaluation.progress import Progress
from hierpair.hierarchy import Hierarchy
from hierpair.measures import Batch, Measure
from hierpair.verification.properties.statement import DOMAINS, Property, Values, Witnesses
from hierpair.verification.properties.worlds import (
    Masks,
    World,
    label_sets,
    members,
    part_of,
    random_world,
    small_worlds,
    with_rare_shapes,
)

Place = tuple[str, int, int]
"""A hierarchy: ``"small"``, classes and number; or ``"drawn"``, which of ``DOMAINS``, number."""

PER_WORLD = 12
"""Witnesses of a property that are drawn from one random hierarchy."""

SETS = 5
"""How many label sets of it they are sought among."""

SHARED = 2
"""Witnesses in hierarchies of their own, which are changed or have something built in, share one:
as many times more of them in as many times fewer hierarchies."""

OF_WORLDS, OF_WITNESSES, OF_SHAPES, OF_SETS = 0, 1, 2, 3
"""First numbers of the random streams."""

Verdict = Literal[
    "holds", "violated", "violated in all drawn", "always violated", "undefined", "vacuous"
]

NORMAL_95 = 1.959963984540054
"""The quantile of the normal distribution for an interval at 95 %."""


class Count(NamedTuple):
    """How many witnesses obey a property.

    Attributes
    ----------
    n, n_violated, n_undefined
        Witnesses that have values, those among them that violate it, and those without values.
    n_drawn
        How many of the ``n`` were drawn: that all of these violate it proves nothing.
    """

    n: int = 0
    n_violated: int = 0
    n_undefined: int = 0
    n_drawn: int = 0

    @property
    def verdict(self) -> Verdict:
        """What they say together."""
        if not self.n:
            return "undefined"
        if not self.n_violated:
            return "holds"
        if self.n_violated < self.n:
            return "violated"
        return "always violated" if self.n_drawn < self.n else "violated in all drawn"

    @property
    def share(self) -> float:
        """Violations among the witnesses that have values; nan without any."""
        return self.n_violated / self.n if self.n else np.nan


class Found(NamedTuple):
    """A violation: its rank, of which the least is shown, the one witness, its values.

    The rank is whether it was drawn, the number of classes, and that of labels.
    """

    rank: tuple[int, ...]
    witness: Witnesses
    values: tuple[float, ...]


def _nothing() -> Masks:
    return np.zeros((2, len(DOMAINS), len(Count._fields)), dtype=np.int64)


@dataclass
class Tally:
    """What is known of one measure and one property so far.

    ``counts`` are those of a :class:`Count`, of witnesses in small hierarchies and of random ones,
    by domain; ``clusters`` has of every hierarchy with values whether it is random, its witnesses
    and violations; ``reason`` is why the first witness without a value has none.
    """

    counts: Masks = field(default_factory=_nothing)
    clusters: list[tuple[bool, int, int]] = field(default_factory=list)
    least: Found | None = None
    reason: str = ""

    def merge(self, other: Tally) -> None:
        """Add what was found in the hierarchies after these."""
        self.counts += other.counts
        self.clusters += other.clusters
        self.reason = self.reason or other.reason
        if other.least and (self.least is None or other.least.rank < self.least.rank):
            self.least = other.least


Tallies = defaultdict[tuple[int, str], Tally]
"""By the number of the measure and the name of the property."""


@dataclass(frozen=True)
class Plan:
    """What is gone through and drawn, for which measures and properties.

    It has the arguments of :func:`hierpair.examine`.
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
            kinds = kinds[2:] if self.hierarchy.shape == "DAG" else kinds[:2]
        n = -(-self.samples // (PER_WORLD * len(kinds)))
        return through + [("drawn", kind, k) for k in range(n) for kind in kinds]

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

        def stream(of: int, *more: int) -> np.random.Generator:
            key = (of, first, number, *more)
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
                found = stated.some(within, sets, rng, PER_WORLD * shared)
                if found is not None:
                    yield stated, found

    def tallies(self, n_jobs: int = 1, tell: Progress | None = None) -> Tallies:
        """Return what was counted, the same for any number of processes."""
        jobs = [(self, place) for place in self.places]
        if n_jobs > 1:
            take_along(self.measures)
            travels(stated.own for stated in self.properties if stated.own is not None)
        whole: Tallies = defaultdict(Tally)
        parts = map(_counted, jobs) if n_jobs == 1 else in_processes(_counted, jobs, n_jobs)
        for done, part in enumerate(parts, 1):
            for key, tally in part.items():
                whole[key].merge(tally)
            if tell is not None:
                tell("properties", done, len(jobs))
        return whole


def _counted(job: tuple[Plan, Place]) -> Tallies:
    """Count what is violated at one place."""
    plan, place = job
    whole: Tallies = defaultdict(Tally)
    found = [(stated, one) for stated, one in plan.witnesses(place) if len(one)]
    values, reasons = measured([one for _, one in found], plan.measures)
    for (stated, one), of_all in zip(found, values, strict=True):
        for k, m in enumerate(plan.measures):
            tally = count(stated, one, of_all[k], m, reasons[k], random=place[0] == "drawn")
            whole[k, stated.name].merge(tally)
    return whole


def count(
    stated: Property, found: Witnesses, values: Values, m: Measure, reason: str, *, random: bool
) -> Tally:
    """Count the witnesses of one hierarchy, and find the least violation there.

    ``values`` are those of the cells under the measure, shape ``(n, arity)``, and ``reason`` is why
    the first cell without one has none.
    """
    if stated.lower_only and (m.higher_is_better or "bounded" in m.definition.traits):
        share = "it is about losses that add up, and this one is a share"
        higher = "it is about losses, and higher values of this measure are better"
        reason, values = higher if m.higher_is_better else share, np.full_like(values, np.nan)
    defined = np.asarray(np.isfinite(values).all(axis=1))
    turned = np.where(defined[:, None], stated.turned(values, m), 0.0)
    bad = defined & ~stated.rule.holds(turned)
    told = np.stack([defined, bad, ~defined, defined & random], axis=1).astype(np.int64)
    tally = Tally()
    tally.counts[int(random)] = (found.domains == np.arange(len(DOMAINS))[:, None]) @ told
    n, n_bad, n_undefined, _ = told.sum(axis=0).tolist()
    if n:
        tally.clusters.append((random, n, n_bad))
    if n_undefined:
        tally.reason = reason
    if n_bad:  # the least: of few classes, then of few labels; then the first
        labels = np.bitwise_count([found.truth, found.predicted]).sum(axis=(0, 2), dtype=np.int64)
        k = int(np.argmin(np.where(bad, labels, np.iinfo(np.int64).max)))
        rank = int(random), max(world.n for world in found.worlds), int(labels[k])
        tally.least = Found(rank, found.take([k]), tuple(values[k].tolist()))
    return tally


def measured(
    found: Sequence[Witnesses], measures: Sequence[Measure]
) -> tuple[list[Values], list[str]]:
    """Return the values of witnesses, and by measure why the first without one has none.

    Values have the shape ``(n_measures, n, arity)``; nan where there is none. All different cells
    of one hierarchy are one batch, so equal recipes are computed once.
    """
    places: dict[World, list[tuple[int, int]]] = {}
    for i, one in enumerate(found):
        for k, world in enumerate(one.worlds):
            places.setdefault(world, []).append((i, k))
    whole = [np.empty((len(measures), *one.truth.shape)) for one in found]
    reasons = [""] * len(measures)
    for world, mine in places.items():
        sides = [(found[i].truth[:, k], found[i].predicted[:, k]) for i, k in mine]
        (true, t), (said, p) = (
            np.unique(side, return_inverse=True) for side in np.concatenate(sides, axis=1)
        )
        keys, which = np.unique(t * len(said) + p, return_inverse=True)
        values, why = _values(world, true[keys // len(said)], said[keys % len(said)], measures)
        reasons = [known or new for known, new in zip(reasons, why, strict=True)]
        end = 0
        for i, k in mine:
            start, end = end, end + len(found[i])
            whole[i][:, :, k] = values[:, which[start:end]]
    return whole, reasons


def _values(
    world: World, truth: Masks, predicted: Masks, measures: Sequence[Measure]
) -> tuple[Values, list[str]]:
    """Return the values of cells, a row per measure, and why the first without one has none."""
    sides = world.label_sets(truth), world.label_sets(predicted)
    batch = Batch(world.hierarchy, *sides, on_infeasible="nan")
    found, reasons = np.full((len(measures), len(truth)), np.nan), [""] * len(measures)
    for j, m in enumerate(measures):
        with suppress(HierpairError):  # about the hierarchy, or its formula fails
            found[j] = m.values(batch.defined(m.recipe))
        found[j, [*batch.reasons(m.recipe)]] = np.nan
        k = int(np.argmax(np.isnan(found[j])))
        if np.isnan(found[j, k]):
            reasons[j] = _obstacle(world, truth[k : k + 1], predicted[k : k + 1], m)
    return found, reasons


def _obstacle(world: World, truth: Masks, predicted: Masks, m: Measure) -> str:
    """Return why a cell has no value."""
    try:
        batch = Batch(world.hierarchy, world.label_sets(truth), world.label_sets(predicted))
        m.values(batch.columns(m.recipe))
    except HierpairError as error:
        return error.reason.split("\n")[0]
    sets = ("{" + ", ".join(map(str, members(side[0]))) + "}" for side in (truth, predicted))
    return "its formula gives nan for truth {} and prediction {}".format(*sets)


def clustered_wilson(clusters: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Return a Wilson interval at 95 % of a share whose witnesses come in hierarchies.

    Of each its witnesses and violations are given. The number of witnesses is divided by the design
    effect: how much more the share varies between hierarchies than if all were drawn alone.
    Where none or all are violated nothing varies, and the hierarchies are counted instead.

    >>> print(*(round(x, 3) for x in clustered_wilson([(1, 0)] * 100)))
    0.0 0.037
    """
    if not clusters:
        return 0.0, 1.0
    n, x = np.array(clusters, dtype=np.float64).T
    share, whole, m = x.sum() / n.sum(), n.sum(), len(n)
    varies = share * (1 - share)
    if not varies or m < 2:
        whole = m
    else:
        spread = m / (m - 1) * ((x - share * n) ** 2).sum() / whole**2
        whole /= max(1.0, spread * whole / varies)
    z2 = NORMAL_95**2
    middle, below = share + z2 / (2 * whole), 1 + z2 / whole
    half = np.sqrt(z2 * (varies / whole + z2 / (4 * whole**2)))
    low, high = max(0.0, middle / below - half / below), min(1.0, middle / below + half / below)
    return (low if share > 0 else 0.0), (high if share < 1 else 1.0)
