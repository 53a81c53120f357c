"""Other pairings: is there another as good, what the next best costs, when the best one changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.pairing.network.inverse_data import Pairing
from hierpair.pairing.optimum.links import Links, in_costs, links_of
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import NO_ROOM, Distances, cheapest_way, distances, is_only

__all__ = ["Alternatives", "alternatives", "alternatives_in", "is_unique"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


NO_CHANGE = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Alternatives:
    """What would have to change for another pairing to be the best one.

    Attributes
    ----------
    unique
        Of every instance, whether its pairing is the only best one; False where it has none. Where
        costs were rounded, another as good up to the rounding counts.
    further
        How much more the second best pairing costs (0 where there are several best ones), inf
        where there is no other, nan where there is none at all; shape ``(n_instances,)``. Of
        lexicographic costs, as the next two, it is the first one's. Nan where labels have masses or
        pairs capacities: between two transports there are all their mixtures.
    may_fall, may_rise
        By how much the cost of each pair may fall or rise before another pairing is better, all
        other costs as they are; inf: by any amount. A pair that is not chosen may rise by any
        amount, a chosen one fall. Nan for a pair that may not be chosen, and with a
        ``Bottleneck``, whose other pairings are those of the same largest cost.
    changes
        Of every instance, the pairs that differ in a second best pairing, and by how many units;
        none where ``further`` is not known.
    """

    unique: NDArray[np.bool_]
    further: Floats
    may_fall: Floats
    may_rise: Floats
    changes: list[tuple[Ints, Ints]]


def is_unique(problem: PairingProblem, pairing: Pairing) -> NDArray[np.bool_]:
    """Return of every instance whether its optimal pairing is the only one, at one stroke.

    Where costs had to be rounded for the solver, a pairing that costs more by no more than this
    counts as another one.
    """
    links = links_of(problem, pairing)
    return _unique(problem, pairing, links)


def alternatives(problem: PairingProblem, pairing: Pairing) -> Alternatives:
    """Return second best pairings and the ranges of the costs of all pairs.

    Raises
    ------
    SolverLimit
        For an instance with more than some thousand labels, or lexicographic costs that are too
        large for one number.
    """
    links = links_of(problem, pairing)
    return alternatives_in(problem, pairing, links, distances(links.residual))


def alternatives_in(
    problem: PairingProblem, pairing: Pairing, links: Links, ways: Distances
) -> Alternatives:
    """Return :func:`alternatives` where links and their distances are known."""
    r, own = links.residual, links.of_pair
    tail, head, owner = r.tail[own], r.head[own], r.owner[own]
    up = _cycle(r.more[own], ways.between(head, tail, owner))
    down = _cycle(r.less[own], ways.between(tail, head, owner))
    # a pair with room both ways must not be taken forth and back
    for i in np.flatnonzero((r.more[own] < NO_ROOM) & (r.less[own] < NO_ROOM)).tolist():
        link = int(own[i])
        for cycle, cost, back in ((up, r.more, False), (down, r.less, True)):
            way = cheapest_way(r, link, back=back)[0]
            cycle[i] = NO_ROOM if way >= NO_ROOM else cost[link] + way
    further = np.full(problem.n_instances, NO_ROOM)
    np.minimum.at(further, owner, np.minimum(up, down))
    moved = problem.moved is not None
    may_fall, may_rise = (np.full(len(problem.cost), np.nan) for _ in range(2))
    may_fall[links.pair] = in_costs(links, up, owner)
    may_rise[links.pair] = in_costs(links, down, owner)
    none = links.without
    if problem.limit is not None:  # a cost that changes moves the limit, too
        may_fall[:] = may_rise[:] = np.nan
    may_fall[none[problem.pairs.instance]] = may_rise[none[problem.pairs.instance]] = np.nan
    return Alternatives(
        _unique(problem, pairing, links),
        np.where(none | moved, np.nan, in_costs(links, further, np.arange(len(further)))),
        may_fall,
        may_rise,
        [
            NO_CHANGE if moved else _change(links, owner, np.stack([up, down]), i)
            for i in range(problem.n_instances)
        ],
    )


def _unique(problem: PairingProblem, pairing: Pairing, links: Links) -> NDArray[np.bool_]:
    gap = np.zeros(problem.n_instances) if links.exact else 2 * pairing.gap
    within = np.ceil(gap * links.scale).astype(np.int64)
    return is_only(links.residual, within) & ~links.without


def _cycle(cost: Ints, way: Ints) -> Ints:
    """Return what a unit and the way back cost together."""
    closed: Ints = np.where((cost >= NO_ROOM) | (way >= NO_ROOM), NO_ROOM, cost + way)
    return closed


def _change(links: Links, owner: Ints, cycles: Ints, instance: int) -> tuple[Ints, Ints]:
    """Return the pairs, and by how many units, in which a second best pairing differs."""
    own = np.arange(*np.searchsorted(owner, [instance, instance + 1]))
    here = cycles[:, own]
    if not here.size or here.min() >= NO_ROOM:
        return NO_CHANGE
    back, at = np.unravel_index(int(here.argmin()), here.shape)
    link = links.of_pair[own[at]]
    _, used, sign = cheapest_way(links.residual, int(link), back=bool(back))
    used, sign = np.append(used, link), np.append(sign, -1 if back else 1)
    of_pairs = used >= links.first[-1]
    return links.pair[used[of_pairs] - links.first[-1]], sign[of_pairs]
