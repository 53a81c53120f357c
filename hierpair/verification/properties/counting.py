"""Counting: witnesses of small and of random hierarchies, their values, how many are violated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from hierpair.errors import HierpairError, Infeasible
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

SETS, CLASSES = 5, 12
"""How many label sets and classes of it they are sought among."""

SHARED = 2
"""Witnesses in hierarchies of their own, which are changed or have something built in, share one:
as many times more of them in as many times fewer hierarchies."""

TOGETHER = 8
"""Hierarchies that one process gets at a time."""

OF_WORLDS, OF_WITNESSES, OF_SHAPES, OF_SETS = 0, 1, 2, 3
"""First numbers of the random streams."""

PROBES = 4
"""Cells of one truth, or of one prediction, by which a whole side is judged: where none of the
smallest of them has a value, none is sought for the others."""

Verdict = Literal[
    "holds", "violated", "violated in all drawn", "always violated", "undefined", "vacuous"
]

VERDICTS = {
    "holds": "no witness violates it",
    "violated": "some witnesses violate it",
    "violated in all drawn": "every random witness violates it, and small hierarchies have none",
    "always violated": "every witness violates it, also all in small hierarchies",
    "undefined": "no witness has values",
    "vacuous": "it holds, as the measure does not see the difference: it never prefers a near "
    "miss to a far one",
}
"""What a verdict says."""

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

    @classmethod
    def of(cls, counts: Masks) -> Count:
        """Return the sum of counts, a row each."""
        return cls(*counts.reshape(-1, len(cls._fields)).sum(axis=0).tolist())

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
    """A violation.

    Attributes
    ----------
    rank
        What it is compared by: the least one is shown. Whether it was drawn, classes, labels.
    witness
        The one witness.
    values
        The values of its cells.
    """

    rank: tuple[int, ...]
    witness: Witnesses
    values: tuple[float, ...]


def _nothing() -> Masks:
    return np.zeros((2, len(DOMAINS), len(Count._fields)), dtype=np.int64)


@dataclass
class Tally:
    """What is known of one measure and one property so far.

    Attributes
    ----------
    counts
        What a :class:`Count` has, of witnesses in small hierarchies and of random ones, by domain.
    clusters
        Of every hierarchy with witnesses that have values: whether it is random, how many, and
        how many violations.
    least
        The least violation.
    reason
        Why the first witness without a value has none.
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


Tallies = dict[tuple[int, str], Tally]
"""By the number of the measure and the name of the property."""


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

    def tallies(self, n_jobs: int = 1, tell: Progress | None = None) -> Tallies:
        """Return what was counted, the same for any number of processes."""
        places = self.places
        jobs = [(self, places[k : k + TOGETHER]) for k in range(0, len(places), TOGETHER)]
        if n_jobs > 1:
            take_along(self.measures)
            travels(stated.own for stated in self.properties if stated.own is not None)
        whole = self.nothing()
        parts = map(_counted, jobs) if n_jobs == 1 else in_processes(_counted, jobs, n_jobs)
        for done, part in enumerate(parts, 1):
            for key, tally in part.items():
                whole[key].merge(tally)
            if tell is not None:
                tell("properties", done, len(jobs))
        return whole

    def nothing(self) -> Tallies:
        """Return a tally for each measure and property, before anything was counted."""
        return {(k, p.name): Tally() for k in range(len(self.measures)) for p in self.properties}


def _counted(job: tuple[Plan, Sequence[Place]]) -> Tallies:
    """Count what is violated at some places."""
    plan, places = job
    whole = plan.nothing()
    for place in places:
        found = [(stated, one) for stated, one in plan.witnesses(place) if len(one)]
        values, reasons = measured([one for _, one in found], plan.measures)
        for (stated, one), of_all in zip(found, values, strict=True):
            for k, (m, of_one) in enumerate(zip(plan.measures, of_all, strict=True)):
                tally = count(stated, one, of_one, m, reasons[k], random=place[0] == "drawn")
                whole[k, stated.name].merge(tally)
    return whole


def count(
    stated: Property, found: Witnesses, values: Values, m: Measure, reason: str, *, random: bool
) -> Tally:
    """Count the witnesses of one hierarchy, and find the least violation there.

    Parameters
    ----------
    stated, found
        The property and its witnesses.
    values
        Of their cells under the measure, shape ``(n, arity)``.
    m, reason
        The measure, and why the first cell without a value has none.
    random
        Whether they were drawn.
    """
    other = _why_not_about(stated, m)
    defined = np.asarray(np.isfinite(values).all(axis=1) & (not other))
    turned = np.where(defined[:, None], stated.turned(values, m), 0.0)
    bad = defined & ~stated.rule.holds(turned)
    told = np.stack([defined, bad, ~defined, defined & random], axis=1).astype(np.int64)
    tally = Tally()
    tally.counts[int(random)] = (found.domains == np.arange(len(DOMAINS))[:, None]) @ told
    n, n_bad, n_undefined, _ = told.sum(axis=0).tolist()
    if n:
        tally.clusters.append((random, n, n_bad))
    if n_undefined:
        tally.reason = other or reason
    if n_bad:  # the least: of few classes, then of few labels; then the first
        labels = np.where(bad, found.n_labels, np.iinfo(np.int64).max)
        k = int(np.argmin(labels))
        rank = int(random), max(world.n for world in found.worlds), int(labels[k])
        tally.least = Found(rank, found.take([k]), tuple(values[k].tolist()))
    return tally


def _why_not_about(stated: Property, m: Measure) -> str:
    """Return why a property says nothing about a measure, "" if it does."""
    if stated.lower_only and m.higher_is_better:
        return "it is about losses, and higher values of this measure are better"
    if stated.lower_only and "bounded" in m.definition.traits:
        return "it is about losses that add up, and this one is a share"
    return ""


def measured(
    found: Sequence[Witnesses], measures: Sequence[Measure]
) -> tuple[list[Values], list[str]]:
    """Return the values of witnesses, and by measure why the first without one has none.

    Values have the shape ``(n_measures, n, arity)``; nan where there is none. All cells of one
    hierarchy are one batch, so equal recipes are computed once.
    """
    columns: dict[World, list[tuple[int, int]]] = {}
    for i, one in enumerate(found):
        for k, world in enumerate(one.worlds):
            columns.setdefault(world, []).append((i, k))
    whole = [np.empty((len(measures), *one.truth.shape)) for one in found]
    reasons = [""] * len(measures)
    for world, places in columns.items():
        sides = [(found[i].truth[:, k], found[i].predicted[:, k]) for i, k in places]
        (true, t), (said, p) = (
            np.unique(np.concatenate(side), return_inverse=True)
            for side in zip(*sides, strict=True)
        )
        keys, which = np.unique(t * len(said) + p, return_inverse=True)
        cells = _Cells(world, true[keys // len(said)], said[keys % len(said)])
        values, why = cells.values(measures)
        reasons = [known or new for known, new in zip(reasons, why, strict=True)]
        end = 0
        for i, k in places:
            start, end = end, end + len(found[i])
            whole[i][:, :, k] = values[:, which[start:end]]
    return whole, reasons


@dataclass(frozen=True, eq=False)
class _Cells:
    """The different cells of one hierarchy: label sets as bit masks, shape ``(n_cells,)``."""

    world: World
    truth: Masks
    predicted: Masks

    def values(self, measures: Sequence[Measure]) -> tuple[Values, list[str]]:
        """Return the values, a row per measure, and why the first without one has none."""
        every = np.arange(len(self.truth))
        batch = self.batch(every)
        known: dict[object, tuple[Masks, Batch, str]] = {}
        found, reasons = np.full((len(measures), len(every)), np.nan), []
        for m, values in zip(measures, found, strict=True):
            if m.recipe not in known:
                error = _refusal(batch, m)
                known[m.recipe] = every, batch, ""
                if error is not None:
                    rows = self.usable(m)
                    known[m.recipe] = rows, self.batch(rows), error.reason
            rows, part, why = known[m.recipe]
            try:
                values[rows] = m.values(part.columns(m.recipe))
            except HierpairError as error:  # its formula fails, not the recipe
                why = error.reason
            if not why and np.isnan(values).any():
                why = self.obstacle(int(np.flatnonzero(np.isnan(values))[0]), m)
            reasons.append(why.split("\n")[0])
        return found, reasons

    def batch(self, rows: Masks, on_infeasible: Literal["raise", "nan"] = "nan") -> Batch:
        """Return some of the cells as instances."""
        true, said = (self.world.label_sets(side[rows]) for side in (self.truth, self.predicted))
        return Batch(self.world.hierarchy, true, said, on_infeasible=on_infeasible)

    def usable(self, m: Measure) -> Masks:
        """Return the cells that a recipe can compute, which refuses all for one that it cannot.

        It does so since a set is nothing for it as a truth or as a prediction, mostly, and then
        every larger set is nothing either. So each cell that is refused is left out with all
        whose set on one side contains its own, where some of these are refused alone; otherwise
        it goes by itself.
        """

        def refused(rows: Masks) -> HierpairError | None:
            return _refusal(self.batch(rows), m)

        n_labels = np.bitwise_count(self.truth) + np.bitwise_count(self.predicted)
        rows = np.argsort(n_labels, kind="stable")
        while len(rows) and (error := refused(rows)):
            at = error.instance
            if not isinstance(at, int):  # it is about the hierarchy
                at = next(k for k in range(len(rows)) if refused(rows[k : k + 1]))
            gone = np.arange(len(rows)) == at
            for side in (self.truth, self.predicted):
                of_rows, one = side[rows], side[rows[at]]
                more = of_rows & one == one
                probes = (*rows[of_rows == one][:PROBES], *rows[more][-1:])
                if one and all(refused(np.array([probe])) for probe in probes):
                    gone = more
                    break
            rows = rows[~gone]
        return np.sort(rows)

    def obstacle(self, row: int, m: Measure) -> str:
        """Return why a cell has no value."""
        error = _refusal(self.batch(np.array([row]), "raise"), m)
        if isinstance(error, Infeasible):
            return error.reason
        true, said = (
            "{" + ", ".join(map(str, members(side[row]))) + "}"
            for side in (self.truth, self.predicted)
        )
        return f"its formula gives nan for truth {true} and prediction {said}"


def _refusal(batch: Batch, m: Measure) -> HierpairError | None:
    """Return why a recipe has no columns of a batch, None if it has."""
    try:
        batch.columns(m.recipe)
    except HierpairError as error:
        return error
    return None


def clustered_wilson(clusters: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Return a Wilson interval at 95 % of a share whose witnesses come in hierarchies.

    The number of witnesses is divided by the design effect: how much more the share varies
    between hierarchies than it would if all witnesses were drawn for themselves. Where no witness
    or every one is violated nothing varies, and the hierarchies are counted instead.

    Parameters
    ----------
    clusters
        Witnesses and violations of every hierarchy.

    Examples
    --------
    >>> print(*(round(x, 3) for x in clustered_wilson([(1, 0)] * 100)))
    0.0 0.037
    >>> alike = clustered_wilson([(10, 5)] * 20)
    >>> apart = clustered_wilson([(10, 10), (10, 0)] * 10)
    >>> print(alike[1] - alike[0] < apart[1] - apart[0])
    True
    """
    if not clusters:
        return 0.0, 1.0
    n, x = np.array(clusters, dtype=np.float64).T
    share, m, whole = x.sum() / n.sum(), len(n), n.sum()
    if share in (0.0, 1.0) or m < 2:
        whole = m
    else:
        spread = m / (m - 1) * ((x - share * n) ** 2).sum() / whole**2
        whole /= max(1.0, spread * whole / (share * (1 - share)))
    z2 = NORMAL_95**2
    middle = (share + z2 / (2 * whole)) / (1 + z2 / whole)
    half = np.sqrt(z2 * (share * (1 - share) / whole + z2 / (4 * whole**2))) / (1 + z2 / whole)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return (low if share > 0 else 0.0), (high if share < 1 else 1.0)
