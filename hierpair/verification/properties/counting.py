"""Counting: witnesses of small and of random hierarchies, their values, how many are violated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from hierpair.errors import HierpairError
from hierpair.evaluation.processes import in_processes, take_along, travels
from hierpair.evaluation.progress import Progress, unseen
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools
from hierpair.measures import Batch, Measure
from hierpair.verification.properties.statement import (
    DOMAINS,
    Property,
    Sampling,
    Values,
    Witnesses,
)
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

Verdict = Literal[
    "holds", "violated", "violated in all drawn", "always violated", "undefined", "vacuous"
]

NORMAL_95 = 1.959963984540054
"""The quantile of the normal distribution for an interval at 95 %."""


class WitnessCount(NamedTuple):
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


class WitnessFound(NamedTuple):
    """One witness: its rank, of which the least is shown, the witness, its values.

    The rank is whether it was drawn, the number of classes, and that of labels.
    """

    rank: tuple[int, ...]
    witness: Witnesses
    values: tuple[float, ...]


COUNTED = 2, len(DOMAINS), len(WitnessCount._fields)
"""Shape of what is counted in a hierarchy: whether it is random, by domain, the counts."""


@dataclass
class Tally:
    """What is known of one property and some measures so far.

    ``told`` are the numbers of a :class:`WitnessCount` in every hierarchy, by measure, whether it
    is random, and domain; ``least`` are the least violation of every measure and the least witness
    without a value.
    """

    told: list[Masks]
    least: tuple[list[WitnessFound | None], list[WitnessFound | None]]

    def merge(self, other: Tally) -> None:
        """Add what was found in the hierarchies after these."""
        self.told += other.told
        for mine, new in zip(self.least, other.least, strict=True):
            for k, found in enumerate(new):
                known = mine[k]
                if found and (known is None or found.rank < known.rank):
                    mine[k] = found


@dataclass(frozen=True)
class WitnessPlan:
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
        key = (self.seed, first, number)
        rng = np.random.default_rng(key)
        if self.hierarchy is not None:
            world = part_of(self.hierarchy, rng)
        else:
            world = random_world(rng, dag=DOMAINS[first].startswith("DAG"))
        rare = with_rare_shapes(rng, world)
        sets = label_sets(rng, world, SETS, several=not DOMAINS[first].endswith("one label"))
        for stated in self.properties:
            shared = SHARED if stated.rare or stated.change is not None else 1
            if number % shared == 0:
                own = np.random.default_rng((*key, *stated.name.encode()))
                draw = Sampling(sets, own, PER_WORLD * shared)
                found = stated.witnesses(rare if stated.rare else world, draw)
                yield from ((stated, one) for one in found)

    def tallies(self, n_jobs: int = 1, tell: Progress = unseen) -> dict[str, Tally]:
        """Return what was counted of every property, the same for any number of processes."""
        jobs = [(self, place) for place in self.places]
        if n_jobs > 1:
            take_along(self.measures)
            travels(stated.own for stated in self.properties if stated.own is not None)
        nothing = [None] * len(self.measures)
        whole = {stated.name: Tally([], ([*nothing], [*nothing])) for stated in self.properties}
        parts = map(_counted, jobs) if n_jobs == 1 else in_processes(_counted, jobs, n_jobs)
        for done, part in enumerate(parts, 1):
            for name, tally in part:
                whole[name].merge(tally)
            tell("properties", done, len(jobs))
        return whole


def _counted(job: tuple[WitnessPlan, Place]) -> list[tuple[str, Tally]]:
    """Count what is violated at one place."""
    plan, place = job
    found = [(stated, one) for stated, one in plan.witnesses(place) if len(one)]
    values = measured([one for _, one in found], plan.measures)
    return [
        (stated.name, count(stated, one, of_all, plan.measures, drawn=place[0] == "drawn"))
        for (stated, one), of_all in zip(found, values, strict=True)
    ]


def count(
    stated: Property, found: Witnesses, values: Values, measures: Sequence[Measure], *, drawn: bool
) -> Tally:
    """Count the witnesses of one hierarchy, and find the least ones.

    ``values`` are those of the cells, shape ``(n_measures, n, arity)``.
    """
    values = values.copy()
    values[[k for k, m in enumerate(measures) if stated.excuse(m)]] = np.nan
    defined = np.asarray(np.isfinite(values).all(axis=2))
    violated = defined & ~stated.holds(np.where(defined[..., None], values, 0.0), measures)
    states = np.stack([defined, violated, ~defined, defined & drawn], axis=2).astype(np.int64)
    told = np.zeros((len(measures), *COUNTED), dtype=np.int64)
    told[:, int(drawn)] = (found.domains == np.arange(len(DOMAINS))[:, None]) @ states
    labels = np.bitwise_count([found.truth, found.predicted]).sum(axis=(0, 2), dtype=np.int64)
    size = max(world.n for world in found.worlds)

    def least(such: Bools) -> list[WitnessFound | None]:
        # of few classes, then of few labels; then the first
        at = np.where(such, labels, labels.max() + 1).argmin(axis=1).tolist()
        return [
            WitnessFound(
                (drawn, size, int(labels[i])), found.take([i]), tuple(values[k, i].tolist())
            )
            if such[k, i] else None
            for k, i in enumerate(at)
        ]  # fmt: skip

    return Tally([told], (least(violated), least(~defined)))


def measured(found: Sequence[Witnesses], measures: Sequence[Measure]) -> list[Values]:
    """Return the values of witnesses, shape ``(n_measures, n, arity)``; nan where there is none.

    All different cells of one hierarchy are one batch, so equal recipes are computed once.
    """
    places = defaultdict[World, list[tuple[Masks, Masks, Values]]](list)
    whole = [np.empty((len(measures), *one.truth.shape)) for one in found]
    for one, values in zip(found, whole, strict=True):
        for k, world in enumerate(one.worlds):
            places[world].append((one.truth[:, k], one.predicted[:, k], values[:, :, k]))
    for world, mine in places.items():
        truth, predicted, into = zip(*mine, strict=True)
        values = _values(world, np.concatenate(truth), np.concatenate(predicted), measures)
        ends = np.cumsum([*map(len, truth)])
        for part, end in zip(into, ends.tolist(), strict=True):
            part[:] = values[:, end - part.shape[1] : end]
    return whole


def _values(world: World, truth: Masks, predicted: Masks, measures: Sequence[Measure]) -> Values:
    """Return the values of cells, a row per measure."""
    (true, t), (said, p) = (np.unique(side, return_inverse=True) for side in (truth, predicted))
    keys, which = np.unique(t * len(said) + p, return_inverse=True)
    sides = world.label_sets(true[keys // len(said)]), world.label_sets(said[keys % len(said)])
    batch = Batch(world.hierarchy, *sides, on_infeasible="nan")
    found = np.full((len(measures), len(keys)), np.nan)
    for row, m in zip(found, measures, strict=True):
        with suppress(HierpairError):  # about the hierarchy, or its formula fails
            row[:] = m.values(batch.defined(m.recipe))
        row[[*batch.reasons(m.recipe)]] = np.nan
    return found[:, which]


def obstacle(found: WitnessFound, m: Measure) -> str:
    """Return why a witness has no value: what is wrong with the first cell without one."""
    k = int(np.argmin(np.isfinite(found.values)))
    one, world = found.witness, found.witness.worlds[k]
    masks = one.truth[:, k], one.predicted[:, k]
    true, said = map(world.label_sets, masks)
    try:
        m.values(Batch(world.hierarchy, true, said).columns(m.recipe))
    except HierpairError as error:
        return error.reason.split("\n")[0]
    sets = ("{" + ", ".join(map(str, members(side[0]))) + "}" for side in masks)
    return "its formula gives nan for truth {} and prediction {}".format(*sets)


def clustered_wilson(clusters: Any) -> tuple[float, float]:
    """Return a Wilson interval at 95 % of a share whose witnesses come in hierarchies.

    Of each its witnesses and violations are given. The number of witnesses is divided by the design
    effect: how much more the share varies between hierarchies than if all were drawn alone.
    Where it does not vary, as where none or all are violated, the hierarchies are counted instead.

    >>> print(*(round(x, 3) for x in clustered_wilson([(1, 0)] * 100)))
    0.0 0.037
    """
    n, x = np.array([each for each in clusters if each[0]], dtype=np.float64).reshape(-1, 2).T
    if not len(n):
        return 0.0, 1.0
    share = x.sum() / n.sum()
    varies = share * (1 - share)
    between = ((x - share * n) ** 2).sum() / n.sum() ** 2 * len(n) / max(len(n) - 1, 1)
    whole = min(n.sum(), varies / between) if between else len(n)
    z2 = NORMAL_95**2
    half = np.sqrt(z2 * (varies / whole + z2 / (4 * whole**2)))
    low, high = (share + z2 / (2 * whole) + np.array([-half, half])) / (1 + z2 / whole)
    return (float(low) if share > 0 else 0.0), (float(high) if share < 1 else 1.0)
