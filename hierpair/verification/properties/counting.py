"""What is tried: witnesses in small and random hierarchies, and what they say of measures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from hierpair.errors import HierpairError
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
    random_world,
    small_worlds,
    with_rare_shapes,
)

Place = World | tuple[int, int]
"""A small hierarchy; or which of ``DOMAINS`` a random one is of, and its number."""

PER_WORLD = 12
"""Witnesses of a property that are drawn from one random hierarchy."""

SETS = 5
"""How many label sets of it they are sought among."""

SHARED = 2
"""Witnesses in hierarchies of their own, which are changed or have something built in, share one:
as many times more of them in as many times fewer hierarchies."""

OBEYED, VIOLATED, UNDEFINED = range(3)
"""What a witness says of a measure."""

COUNTED = 2, len(DOMAINS), 3
"""Shape of what is counted in a hierarchy: whether it is random, domain, what witnesses say."""


def most_drawn(samples: int) -> int:
    """Return how many random witnesses a property has at most, if so many are wished for."""
    block = SHARED * PER_WORLD * len(DOMAINS)
    return -(-samples // block) * block


def places(scope: int, samples: int) -> list[Place]:
    """Return every hierarchy that is gone through or drawn."""
    small = (world for n in range(1, scope + 1) for world in small_worlds(n))
    n_drawn = -(-samples // (PER_WORLD * len(DOMAINS)))
    return [*small, *((kind, k) for k in range(n_drawn) for kind in range(len(DOMAINS)))]


def witnesses_at(
    place: Place, properties: Sequence[Property], seed: int
) -> Iterator[tuple[Property, Witnesses]]:
    """Yield what there is of every property at one place.

    A random hierarchy depends on the seed, the kind and the number; the witnesses in it on the name
    of the property besides, and on nothing else.
    """
    if isinstance(place, World):
        for stated in properties:
            if place.n <= stated.scope + 1:
                yield from ((stated, one) for one in stated.witnesses(place))
        return
    kind, number = place
    rng = np.random.default_rng((seed, *place))
    world = random_world(rng, dag=DOMAINS[kind].startswith("DAG"))
    rare = with_rare_shapes(rng, world)
    sets = label_sets(rng, world, SETS, several=not DOMAINS[kind].endswith("one label"))
    for stated in properties:
        shared = SHARED if stated.rare or stated.change is not None else 1
        if number % shared == 0:
            own = np.random.default_rng((seed, *place, *stated.name.encode()))
            draw = Sampling(sets, own, PER_WORLD * shared)
            found = stated.witnesses(rare if stated.rare else world, draw)
            yield from ((stated, one) for one in found)


Told = tuple[Masks, dict[tuple[int, int], Witnesses]]
"""How many witnesses obey a property, violate it and have no values, by measure, whether they are
random, and domain; and the least witness by the number of the measure and what it says."""


def told_at(
    measures: Sequence[Measure], properties: Sequence[Property], seed: int, place: Place
) -> list[tuple[str, Told]]:
    """Return what the witnesses of every property, by name, at one place say of measures."""
    found = [(p, one) for p, one in witnesses_at(place, properties, seed) if len(one)]
    values = measured([one for _, one in found], measures)
    each = zip(found, values, strict=True)
    return [(p.name, counted_in(one, states(p, of_all, measures))) for (p, one), of_all in each]


def counted_in(one: Witnesses, state: Masks) -> Told:
    """Return what witnesses say of measures, by the ``state`` of each, ``(n_measures, n)``."""
    counts, least = np.zeros((len(state), *COUNTED), dtype=np.int64), dict[Any, Witnesses]()
    domains = np.eye(len(DOMAINS), dtype=np.int64)[one.domains]
    for such in range(3):  # what a witness can say
        said = state == such
        counts[:, int(one.drawn), :, such] = said @ domains
        first = np.where(said, one.ranks, one.ranks.max() + 1).argmin(axis=1)
        for k in np.flatnonzero(said.any(axis=1) & (such != OBEYED)).tolist():
            least[k, such] = one.take([first[k]])
    return counts, least


def states(stated: Property, values: Values, measures: Sequence[Measure]) -> Masks:
    """Return what witnesses say by the values of their cells, ``(n_measures, n, arity)``."""
    excused = np.array([bool(stated.excuse(m)) for m in measures])[:, None]
    undefined = excused | ~np.isfinite(values).all(axis=2)
    obeyed = stated.holds(np.where(undefined[..., None], 0.0, values), measures)
    return np.where(undefined, UNDEFINED, np.where(obeyed, OBEYED, VIOLATED)).astype(np.int8)


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


def obstacle(one: Witnesses, m: Measure) -> str:
    """Return why a witness has no value: what is wrong with the first cell without one."""
    [values] = measured([one], [m])
    k = int(np.argmin(np.isfinite(values[0, 0])))
    world, masks = one.worlds[k], (one.truth[:, k], one.predicted[:, k])
    true, said = map(world.label_sets, masks)
    try:
        m.values(Batch(world.hierarchy, true, said).columns(m.recipe))
    except HierpairError as error:
        return error.reason.split("\n")[0]
    sets = ("{" + ", ".join(map(str, members(side[0]))) + "}" for side in masks)
    return "its formula gives nan for truth {} and prediction {}".format(*sets)
