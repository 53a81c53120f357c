"""Pairing problem → flow network: one writing, with reductions that can be switched off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Bools, Ints
from hierpair.pairing.constraints.counts import Count, at_least
from hierpair.pairing.network.nodes import on_sides, placed
from hierpair.pairing.pairs import SIDES, Array
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import Arcs, FlowNetwork, Layout, NetworkBuilder, Scaled, to_integers

__all__ = ["PAIR", "InverseData", "build", "check_exact"]


PAIR = -1
"""What arcs of single pairs have as their count."""

NONE: Ints = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Written(Arcs):
    """Arcs of one kind.

    Attributes
    ----------
    subject
        The sets of a count, or the pairs, that they are of.
    count
        Which of the counts, or :data:`PAIR`.
    sign
        0 for the numbers that cost nothing, 1 for more, -1 for fewer.
    start
        Of those for more and fewer: from how many units they are counted.
    """

    subject: Ints = field(default_factory=lambda: NONE)
    count: int = PAIR
    sign: int = 0
    start: Ints | int = 0


@dataclass(frozen=True, eq=False)
class InverseData:
    """What the arcs of a network say, and how to read costs back.

    Attributes
    ----------
    layout
        Where in the network the arcs are that were written: of counts, and in the end of pairs. Of
        every cost it has the scale, and whether none was rounded.
    families
        The arcs as they were written.
    counts
        What is counted, as it was written.
    constant
        What the cheapest numbers of tables cost every component, a row for each cost, as integers.
    instead
        By side: the pair that a label takes where it would lack a partner, -1 for none; None
        where no label takes one.
    decided
        Pairs that are chosen and have no arcs.
    hopeless
        Instances that were seen to have no pairing when the network was written.
    """

    layout: Layout
    families: tuple[Written, ...]
    counts: tuple[Count, ...]
    constant: Ints
    instead: tuple[Ints, ...] | None
    decided: Ints
    hopeless: Ints

    @property
    def costs(self) -> tuple[Scaled, ...]:
        """Each cost as integers: their scale, and whether none was rounded."""
        return self.layout.costs

    @cached_property
    def count(self) -> Array:
        """Of every arc: which of ``counts`` it is of, or :data:`PAIR`."""
        return self.layout.column((f.count for f in self.families), np.int16)

    @cached_property
    def subject(self) -> Array:
        """Of every arc: its set, or its pair."""
        return self.layout.column(f.subject for f in self.families)

    @cached_property
    def sign(self) -> Array:
        """Of every arc of a count: 0 for what costs nothing, 1 for more, -1 for fewer."""
        return self.layout.column((f.sign for f in self.families), np.int16)

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """The arcs of pairs, and the pairs that they are."""
        return self.layout.arcs(len(self.families) - 1), self.families[-1].subject


def build(problem: PairingProblem, *, reduce: bool = True) -> tuple[FlowNetwork, InverseData]:
    """Write one block-diagonal network, a component per instance; see the package for its shape.

    ``reduce=False`` writes everything that is counted, for certificates and what is told of them.

    Raises
    ------
    BadInput
        For sets that cross, which is no flow.
    SolverLimit
        If the costs are too large for the solver.
    """
    left = _without_free(_Left.of(problem, _counts(problem)))
    if reduce:
        left = _without_pairs(_with_cheapest(left))
    network, kept = NetworkBuilder(), left.kept
    ends, innermost = placed(network, problem, left.counts, left.there, kept)
    families: list[Written] = []
    for k, (count, there, (tail, head)) in enumerate(
        zip(left.counts, left.there, ends, strict=True)
    ):
        fixed = there & (count.lower == count.upper) & reduce
        network.supply(tail[fixed], -count.lower[fixed])
        network.supply(head[fixed], count.lower[fixed])
        at = np.flatnonzero(there & ~fixed)
        families.append(Written(tail[at], head[at], count.lower[at], count.upper[at], (), at, k))
        for run in count.runs:
            own = run if there.all() else run.some(there[run.sets])
            at = own.sets
            way = (tail[at], head[at])[:: own.sign]
            families.append(
                Written(way[0], way[1], 0, own.length, own.costs, at, k, own.sign, own.start)
            )
    most, least = _carried(problem, kept)
    if reduce:
        least = np.where(_needed(left, most), most, least)
    costs = tuple(c[kept] for c in problem.costs)
    families.append(Written(innermost[0], innermost[1], least, most, costs, kept))
    tables = [
        [(c.instance, c.constants()[k]) for c in left.counts if k < len(c.table)]
        for k in range(len(costs))
    ]
    found = network.laid_out(problem.n_components, families, [[x for _, x in t] for t in tables])
    constant = np.zeros((len(costs), problem.n_components), dtype=np.int64)
    for total, scaled, of_cost in zip(constant, found.costs, tables, strict=True):
        for (instance, _), x in zip(of_cost, scaled.values, strict=True):
            np.add.at(total, instance, x)
    return found.network, InverseData(
        found, tuple(families), left.counts, constant, left.instead, left.decided, left.hopeless
    )


def _counts(problem: PairingProblem) -> list[Count]:
    """Return all that is counted, without numbers that there cannot be."""
    labels = len(SIDES)
    each = None if problem.moved is None else problem.moved.capacity
    pairs = np.arange(len(problem.cost))
    counts = [
        *problem.counts[:labels],
        *(c.capped(c.units(pairs, each)) for c in problem.counts[labels:]),
    ]
    return on_sides(problem, counts) if problem.joined else counts


def _carried(problem: PairingProblem, kept: Ints) -> tuple[Ints | int, Ints]:
    """Return how many units pairs carry at most and at least."""
    forced = problem.required[kept].astype(np.int64)
    if problem.moved is None:
        return 1, forced
    most = problem.moved.capacity[kept]
    return most, np.minimum(forced * problem.moved.whole[problem.pairs.instance[kept]], most)


# ---------------------------------------------------------------- exact reductions


@dataclass(frozen=True, eq=False)
class _Left:
    """What is left to be written: sets that have a node, pairs that have an arc."""

    problem: PairingProblem
    counts: tuple[Count, ...]
    there: tuple[Bools, ...]
    kept: Ints
    instead: tuple[Ints, ...] | None = None
    decided: Ints = field(default_factory=lambda: NONE)
    hopeless: Ints = field(default_factory=lambda: NONE)

    @classmethod
    def of(cls, problem: PairingProblem, counts: Sequence[Count]) -> _Left:
        """Return all of a problem."""
        there = tuple(np.ones(len(c), dtype=bool) for c in counts)
        return cls(problem, tuple(counts), there, np.flatnonzero(problem.candidate))

    @property
    def only_labels(self) -> bool:
        """Whether nothing but the partners of labels is counted, and no pair is required."""
        p = self.problem
        return len(self.counts) == len(SIDES) and p.moved is None and not p.required.any()


def _without_free(left: _Left) -> _Left:
    """Leave out what bounds nothing, where another count of the labels has the node."""
    there, moved = list(left.there), left.problem.moved
    sides = {c.side for c in left.counts[len(SIDES) :] if c.kind == "label"}
    for k, count in enumerate(left.counts[: len(SIDES)]):
        if count.side in sides and not count.lower.any():
            most = count.units(left.kept, None if moved is None else moved.capacity[left.kept])
            there[k] = np.full(len(count), bool((count.upper < most).any()))
    return replace(left, there=tuple(there))


def _with_cheapest(left: _Left) -> _Left:
    """Let labels that need one partner, and may have any number, have one at most.

    One that stays alone takes its cheapest pair, or its default if that costs less; so a least
    edge cover is a best matching.
    """
    pairs, kept = left.problem.pairs, left.kept
    costs = tuple(
        c[kept] if c.dtype == object else c[kept].astype(np.float64) for c in left.problem.costs
    )
    if not left.only_labels or not at_least(costs, [np.zeros(1)] * len(costs)).all():
        return left
    for s, count in zip(SIDES, left.counts, strict=True):
        others = np.diff(pairs.labels(SIDES[1 - SIDES.index(s)]).ptr)[count.instance]
        if (count.lower != 1).any() or (count.upper < others).any():
            return left
    if all((count.upper == 1).all() for count in left.counts):
        return left
    counts, instead = [], []
    for s, count in zip(SIDES, left.counts, strict=True):
        at = pairs.at(s)[kept]
        near = tuple(np.full(len(count), np.inf, dtype=c.dtype) for c in costs)
        hit: Bools | None = None
        for least, cost in zip(near, costs, strict=True):
            np.minimum.at(least, at, cost if hit is None else np.where(hit, cost, np.inf))
            same = cost == least[at]
            hit = same if hit is None else same & hit
        assert hit is not None  # there is a cost
        found = np.flatnonzero(hit)
        pair = np.full(len(count), -1, dtype=np.int64)
        pair[at[found]] = kept[found]
        default = count.under(len(costs))
        nearer = ~at_least(near, default)
        pair[~at_least(default, near)] = -1
        cheapest = [np.where(nearer, a, b) for a, b in zip(near, default, strict=True)]
        counts.append(replace(count, upper=np.ones(len(count), np.int64)).lacking(cheapest))
        instead.append(pair)
    return replace(left, counts=tuple(counts), instead=tuple(instead))


def _without_pairs(left: _Left) -> _Left:
    """Leave out pairs that no optimum needs, decide the isolated ones, drop empty sets.

    A pair as dear as all that its labels would pay at most without it is in no better pairing; one
    whose labels have no other is in a best one.
    """
    if not left.only_labels:
        return left
    problem, kept = left.problem, left.kept
    alone = []
    for count in left.counts:
        paid = count.under(len(problem.costs))
        alone.append(tuple(np.where(count.lower > 0, c, 0) for c in paid))
    at = [problem.pairs.at(s)[kept] for s in SIDES]
    both = [p[at[0]] + t[at[1]] for p, t in zip(*alone, strict=True)]
    cheap = ~at_least(tuple(c[kept] for c in problem.costs), both)
    kept, at = kept[cheap], [a[cheap] for a in at]
    degree = [np.bincount(a, minlength=len(c)) for a, c in zip(at, left.counts, strict=True)]
    lone = (degree[0][at[0]] == 1) & (degree[1][at[1]] == 1)
    for a, count in zip(at, left.counts, strict=True):
        lone &= count.upper[a] > 0
    there = [d > 0 for d in degree]
    hopeless = []
    for k, (count, paid) in enumerate(zip(left.counts, alone, strict=True)):
        short = (degree[k] < count.lower) & (paid[0] == np.inf)
        hopeless.append(count.instance[short])
        there[k][at[k][lone]] = False
    return replace(left, kept=kept[~lone], there=tuple(there), decided=kept[lone],
                   hopeless=np.concatenate(hopeless))  # fmt: skip


def _needed(left: _Left, most: Ints | int) -> Bools:
    """Whether a pair belongs to a label without default that needs all of its pairs."""
    needed = np.zeros(len(left.kept), dtype=bool)
    each = np.broadcast_to(most, left.kept.shape)
    for count in left.counts[: len(SIDES)]:
        hard = np.ones(len(count), dtype=bool)
        for run in count.runs:
            hard[run.sets] = False
        if hard.any():
            every = (count.lower == count.units(left.kept, each)) & hard
            needed |= every[count.of_pair[left.kept]]
    return needed


def check_exact(problem: PairingProblem) -> None:
    """Refuse lexicographic costs of which equal ones are not known to be equal.

    Raises
    ------
    BadInput
        For a cost that is no multiple of 2**-20.
    SolverLimit
        If a cost alone would be too large for the solver.
    """
    for k, cost in enumerate(problem.costs):
        runs = [r.costs[k] for c in problem.counts for r in c.runs if k < len(r.costs)]
        if not to_integers([cost[problem.candidate], *runs]).exact:
            raise BadInput(
                f"cost {k + 1} of a Lexicographic must be whole numbers, Fractions, or floats that "
                "are multiples of 2**-20, so that equal ones are known to be equal"
            )
