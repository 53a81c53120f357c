"""The best set where classes weigh: hF, hP, hR and simGIC, by a branch and bound over chords.

A prediction S of the weight k = W(S) is worth Σ p_j f(k, W(Y_j), s_j), s_j = W(S ∩ Y_j). In s the
four are linear or convex, so between the least and the largest s_j that are still possible a chord
is above them, and what is left is a sum over the classes of S. That S weighs k is the only bond
between classes; with a price μ for a unit of weight it goes:

    value(S) ≤ φ(k) = μ k + base(k) + Σ_v max(0, gain_v(k) − μ w_v).

φ is convex in k, so over all k of an interval it is largest at an end of it, whatever μ is: a good
μ makes both ends nearly alike. The gap to the best set shrinks with the square of the interval, so
few intervals are cut before single classes decide. What is said of k holds for every real weight.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import ancestors_of, counted_classes
from hierpair.hierarchy.arrays import Bools, Floats, Ints, marked, places_in, ratio
from hierpair.labels import LabelSets
from hierpair.measures.class_weights import NOT_FINITE
from hierpair.probabilistic.decoding import (
    Decoded,
    DecodingTask,
    decoded,
    decoder,
    one_by_one,
)
from hierpair.probabilistic.decoding.by_size import SLACK, closed_members
from hierpair.solvers import Chosen

DENSE = 10_000
"""Cells of a matrix that is held whole: small ones are faster so."""

FEW = 4
"""Open classes that are tried one by one, however far apart the weights are."""

MOST_PARTS = 5_000
"""Parts that are looked at where no limit is given: where hundreds of sets tie, none is proved."""

PRICES = 16
"""Prices of a unit of weight that are tried for a bound."""

Value = Callable[[Any, Floats, Floats], Floats]
"""f(k, W(Y), s) for k > 0 and W(Y) > 0."""


def _value_of(task: DecodingTask) -> tuple[Value, float, float, bool]:
    """Return f of ``hf``, ``hp``, ``hr`` or ``simgic``, and what else the measure says.

    What an empty prediction is worth where something is true, and the other way round; and whether
    one class with what comes with it, or all of them, or none, is best: hP and hR.
    """
    aside = float(task.options.get("zero_division", 0))
    if task.formula == "simgic":
        return lambda k, whole, s: s / (k + whole - s), 0.0, 0.0, False
    if task.formula == "hr":
        return lambda k, whole, s: s / whole, 0.0, aside, True
    square = float(task.options.get("beta", 0)) ** 2
    share: Value = lambda k, whole, s: s * (1 + square) / (k + square * whole)  # noqa: E731
    return share, 0.0 if square else aside, 0.0, not square


class _Part(NamedTuple):
    """A part of all predictions: with some classes, without others, between two weights."""

    inside: Bools
    outside: Bools
    least: float
    most: float


@dataclass(frozen=True, eq=False)
class _Instance:
    """Scenarios of an instance, over the classes that weigh and may be true.

    ``p`` and ``member`` are of the scenarios in which something weighs, a row each, and ``whole``
    is what they weigh; ``above`` has by row the classes that come with a class, itself too.
    ``empty`` is what no prediction is worth, ``aside`` what any other is where nothing weighs.
    """

    value: Value
    p: Floats
    member: Any
    whole: Floats
    weight: Floats
    above: Any
    empty: float
    aside: float

    def worth(self, chosen: Bools) -> float:
        """Return the expected value of a prediction."""
        k = float(self.weight[chosen].sum())
        shared = self.member @ np.where(chosen, self.weight, 0.0)
        return self.aside + float(self.p @ self.value(k, self.whole, shared)) if k else self.empty

    def closed(self, chosen: Bools) -> Bools:
        """Return classes with all that come with them."""
        found: Bools = (chosen @ self.above) > 0
        return found

    def best(self, limit: float | None, plain: bool) -> Chosen:
        """Search, the part with the largest bound first.

        The most probable class makes the best precision, since none above it is less probable, and
        all classes the best recall.
        """
        n = len(self.weight)
        best = np.zeros(n, dtype=bool)
        first = np.argmax(np.append(self.p @ self.member, 0.0))
        value = self.worth(best)
        tried = [self.closed(np.arange(n) == first), ~best]
        everything = _Part(best, best, float(self.weight.min(initial=np.inf)), np.inf)
        waiting = [] if plain or not n else [(-np.inf, -1, everything)]
        stop = None if limit is None else time.monotonic() + limit
        number = 0
        while True:
            for chosen in tried:
                worth = self.worth(chosen)
                if worth > value + SLACK:
                    best, value = chosen, worth
            if not waiting or -waiting[0][0] <= value + SLACK:
                return Chosen(np.flatnonzero(best), value, value, True)
            if time.monotonic() > stop if stop else number >= MOST_PARTS:
                return Chosen(np.flatnonzero(best), value, -waiting[0][0], False)
            bound, tried, parts = self._parts(heapq.heappop(waiting)[2], value)
            for i, left in enumerate(parts):
                heapq.heappush(waiting, (-bound, 2 * number + i, left))
            number += 1

    def _parts(self, part: _Part, known: float) -> tuple[float, list[Bools], list[_Part]]:
        """Return a bound of a part, sets to try, and what is left of it, in two.

        A class whose being out (or in) takes the bound below what is known is in (or out). What is
        left is cut by weight, or by a class where the weights are close to each other.
        """
        inside, outside, weight = part.inside, part.outside, self.weight
        free, held = ~(inside | outside), float(weight[inside].sum())
        least = max(part.least, held)
        most = max(least, min(part.most, float(weight[~outside].sum())))
        if not free.any():
            return -np.inf, [inside], []
        k = np.array([least, (least + most) / 2, most])
        base, gain = self._chords(part, k)
        worth = gain[:, free] / weight[free]  # at no other price is any class just worth its weight
        price = np.linspace(worth.min(), worth.max(), PRICES)[:, None]
        over = gain - price[..., None] * weight
        phi = base + price * (k - held) + np.maximum(over[..., free], 0).sum(axis=2)
        best = phi.max(axis=1).argmin()
        over, phi = over[best], phi[best]
        bound, ends = float(phi[::2].max()), phi[::2, None]
        tried = [self.closed(inside | (free & (over[1] > 0)))]
        if bound <= known + SLACK:
            return bound, tried, []
        must = free & ((ends - np.maximum(over[::2], 0)).max(axis=0) <= known + SLACK)
        cannot = free & ((ends + np.minimum(over[::2], 0)).max(axis=0) <= known + SLACK)
        left = _Part(inside | self.closed(must), outside | (self.above @ cannot > 0), least, most)
        if free.sum() > FEW and bound - phi[1] > (bound - known) / 2:
            return bound, tried, [left._replace(most=k[1]), left._replace(least=k[1])]
        far = np.where(free, np.abs(over[1]) / weight, np.inf)
        nearest = marked(far.argmin(), len(free))
        with_it, without = inside | self.closed(nearest), outside | (self.above @ nearest > 0)
        return bound, tried, [left._replace(inside=with_it), left._replace(outside=without)]

    def _chords(self, part: _Part, weights: Floats) -> tuple[Floats, Floats]:
        """Return base and gains of φ where a prediction of this part has one of these weights."""
        lo = self.member @ np.where(part.inside, self.weight, 0.0)
        hi = np.minimum(self.member @ np.where(part.outside, 0.0, self.weight), weights[-1])
        lo = np.minimum(lo, hi)
        low, high = (self.value(weights[:, None], self.whole, x) for x in (lo, hi))
        slope = self.p * ratio(high - low, hi - lo, 0.0)
        return low @ self.p + self.aside, self.weight * (slope @ self.member)


@decoder(
    lambda task: (
        task.formula in ("hf", "hp", "hr", "simgic")
        and task.weights is not None
        and task.is_distribution
        and task.average == "samples"
        and task.is_plain
        and not np.isnan(task.options.get("zero_division", 0))
    ),
    weights=True,
)
def _by_search(task: DecodingTask) -> Decoded:
    """Weights of classes leave neither whole sizes nor closed sets by themselves: search."""
    weights, h, closing = task.weights, task.hierarchy, task.augment != "none"
    counted = counted_classes(h, task.root)
    value, nothing_predicted, nothing_true, plain = _value_of(task)

    def grown(node: Ints) -> tuple[Ints, Ints]:
        """Return what comes with every class, itself too."""
        if not closing:
            return np.arange(len(node)), node
        owner, above = ancestors_of(h, node)
        keep = counted[above]
        return owner[keep], above[keep].astype(np.int64)

    def best(p: Floats, sets: LabelSets) -> Chosen:
        there = np.unique(sets.indices)
        for odd in there[~np.isfinite(weights[there])][:1]:
            raise BadInput(NOT_FINITE.format(shown(h.names[odd])))
        node = there[weights[there] > 0]
        member = _incidence(sets.row, sets.indices, node, len(sets))
        whole = member @ weights[node]
        some = np.flatnonzero(whole)
        nothing, above = float(p[whole == 0].sum()), _incidence(*grown(node), node, len(node))
        empty = nothing + nothing_predicted * float(p[some].sum())
        found = _Instance(
            value,
            p[some],
            member[some],
            whole[some],
            weights[node],
            above,
            empty,
            nothing_true * nothing,
        ).best(task.limit, plain)
        return found._replace(nodes=np.unique(grown(node[found.nodes])[1]))

    parts = one_by_one(task.full, closed_members(task.full, task.root, closed=closing), best)
    return decoded(task.full, parts, "higher", "branch and bound over weights and classes")


def _incidence(row: Ints, classes: Any, node: Ints, n: int) -> Any:
    """Return a matrix with a one for every class of a row that is among the nodes."""
    at = places_in(node, classes)
    row, at = row[at >= 0], at[at >= 0]
    found = scipy.sparse.csr_array((np.ones(len(row)), (row, at)), shape=(n, len(node)))
    return found.toarray() if n * len(node) <= DENSE else found
