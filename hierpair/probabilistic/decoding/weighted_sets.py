"""The best set where classes weigh: hF, hP, hR and simGIC, by a branch and bound over chords.

A prediction S of the weight k = W(S) is worth Σ p_j f(k, W(Y_j), s_j), s_j = W(S ∩ Y_j). In s the
four are linear or convex, so between the least and the largest s_j that are still possible a chord
is above them, and what is left is a sum over the classes of S. That S weighs k is the only bond
between classes; with a price μ for a unit of weight it goes:

    value(S) ≤ φ(k) = μ k + base(k) + Σ_v max(0, w_v (gain_v(k) − μ)).

φ is convex in k, so over all k of an interval it is largest at an end of it, whatever μ is: the
best μ makes both ends alike. The gap to the best set shrinks with the square of the interval, so
few intervals are cut before single classes decide. What is said of k holds for every real weight.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import count
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.arrays import Bools, Floats, offsets
from hierpair.measures.class_weights import NOT_FINITE
from hierpair.probabilistic.decoding import (
    Decoded,
    Scenarios,
    Task,
    decoded,
    decoder,
    one_by_one,
)
from hierpair.probabilistic.decoding.by_size import SLACK, closed_members
from hierpair.solvers import Chosen

Matrix: TypeAlias = scipy.sparse.csr_array | NDArray[Any]
"""Sparse, or dense where it is small."""

DENSE = 1_000_000
"""Cells of a matrix that is held whole."""

PRICES = 50
"""Prices that are tried for a part: any is right, better ones prune more."""

FINE = 1e-14
"""A price that could lower a bound by so little is as good as the best one."""

FEW = 4
"""Open classes that are tried one by one, however far apart the weights are."""

MOST_PARTS = 5_000
"""Parts that are looked at where no limit is given: where hundreds of sets tie, none is proved."""

SIZES = 64
"""Sets of most probable classes that are tried first, at most."""


@dataclass(frozen=True)
class ChordForm:
    """How a measure depends on the weight that both sets share.

    Attributes
    ----------
    value
        f(k, W(Y), s) for k > 0 and W(Y) > 0.
    slope
        From k, W(Y), and the least and the largest s to the slope of the chord between them.
    nothing_predicted, nothing_true
        What an empty prediction is worth where something is true, and the other way round.
    plain
        Whether one class with what comes with it, or all of them, or none, is best: hP and hR.
    """

    value: Callable[[float, Floats, Floats], Floats]
    slope: Callable[[float, Floats, Floats, Floats], Floats]
    nothing_predicted: float = 0.0
    nothing_true: float = 0.0
    plain: bool = False


def _chord_form(task: Task) -> ChordForm:
    """Return the form of ``hf``, ``hp``, ``hr`` or ``simgic`` with their options."""
    if task.formula == "simgic":
        return ChordForm(
            lambda k, whole, s: s / (k + whole - s),
            lambda k, whole, lo, hi: (k + whole) / ((k + whole - hi) * (k + whole - lo)),
        )
    aside = float(task.options["zero_division"])
    if task.formula == "hr":
        return ChordForm(
            lambda k, whole, s: s / whole, lambda k, whole, lo, hi: 1 / whole,
            nothing_true=aside, plain=True,
        )  # fmt: skip
    square = 0.0 if task.formula == "hp" else float(task.options["beta"]) ** 2

    def each(k: float, whole: Floats) -> Floats:
        share: Floats = (1 + square) / (k + square * whole)
        return share

    return ChordForm(
        lambda k, whole, s: s * each(k, whole),
        lambda k, whole, lo, hi: each(k, whole),
        nothing_predicted=0.0 if square else aside,
        plain=not square,
    )


class Open(NamedTuple):
    """A part of all predictions: between two weights, with some classes and without others."""

    inside: Bools
    outside: Bools
    least: float
    most: float


@dataclass(frozen=True, eq=False)
class Instance:
    """Scenarios of an instance, over the classes that weigh and may be true.

    Attributes
    ----------
    form
        Of the measure.
    p, member
        The probability of every scenario in which something weighs, and its classes, shape
        ``(n_scenarios, n_classes)``.
    weight
        Of every class.
    above
        By row, the classes that come with a class, itself too.
    nothing
        Probability that nothing that weighs is true.
    """

    form: ChordForm
    p: Floats
    member: Matrix
    weight: Floats
    above: Matrix
    nothing: float

    @cached_property
    def whole(self) -> Floats:
        """The weight of what is true, by scenario."""
        found: Floats = self.member @ self.weight
        return found

    def worth(self, chosen: Bools) -> float:
        """Return the expected value of a prediction."""
        k = float(self.weight[chosen].sum())
        if not k:
            return self.nothing + self.form.nothing_predicted * float(self.p.sum())
        shared = self.member @ np.where(chosen, self.weight, 0.0)
        value = float(self.p @ self.form.value(k, self.whole, shared))
        return value + self.form.nothing_true * self.nothing

    def closed(self, chosen: Bools) -> Bools:
        """Return classes with all that come with them."""
        found: Bools = (chosen @ self.above) > 0
        return found

    def without(self, chosen: Bools) -> Bools:
        """Return classes with all that come only with them."""
        found: Bools = (self.above @ chosen) > 0
        return found

    def best(self, limit: float | None) -> Chosen:
        """Search, the part with the largest bound first.

        The most probable class makes the best precision, since none above it is less probable, and
        all classes the best recall.
        """
        n = len(self.weight)
        none = np.zeros(n, dtype=bool)
        best, value = none, self.worth(none)
        order = np.argsort(-(self.p @ self.member), kind="stable")
        sizes = 2 if self.form.plain else SIZES
        for size in np.unique(np.linspace(min(1, n), n, min(n, sizes)).astype(int)).tolist():
            chosen = none.copy()
            chosen[order[:size]] = True
            chosen = self.closed(chosen)
            if (worth := self.worth(chosen)) > value + SLACK:
                best, value = chosen, worth
        if self.form.plain:
            return Chosen(np.flatnonzero(best), value, value, True)
        place, waiting, looked_at = count(), list[tuple[float, int, Open]](), 0
        stop = None if limit is None else time.monotonic() + limit
        fresh = [Open(none, none, float(self.weight.min(initial=np.inf)), float(self.weight.sum()))]
        while True:
            for part in fresh if n else []:
                bound, narrowed, tried = self._examined(part, value)
                for chosen in tried:
                    worth = self.worth(chosen)
                    if worth > value + SLACK:
                        best, value = chosen, worth
                if narrowed is not None and bound > value + SLACK:
                    heapq.heappush(waiting, (-bound, next(place), narrowed))
            while waiting and -waiting[0][0] <= value + SLACK:
                heapq.heappop(waiting)
            looked_at += len(fresh)
            late = time.monotonic() > stop if stop else looked_at > MOST_PARTS
            if not waiting or late:
                bound = max(value, -waiting[0][0]) if waiting else value
                return Chosen(np.flatnonzero(best), value, bound, not waiting)
            fresh = self._parts(heapq.heappop(waiting)[2], value)

    def _ends(self, part: Open, weights: tuple[float, ...]) -> list[tuple[float, Floats]]:
        """Return base and gains of φ where a prediction of this part has one of these weights."""
        lo = self.member @ np.where(part.inside, self.weight, 0.0)
        hi = np.minimum(self.member @ np.where(part.outside, 0.0, self.weight), part.most)
        found = []
        for k in weights:
            slope = self.p * self.form.slope(k, self.whole, np.minimum(lo, hi), hi)
            base = float(self.p @ self.form.value(k, self.whole, np.minimum(lo, hi)))
            base += self.form.nothing_true * self.nothing
            found.append((base, self.weight * (slope @ self.member)))
        return found

    def _priced(
        self, part: Open, ends: list[tuple[float, Floats]], weights: tuple[float, ...], low: float
    ) -> tuple[float, Floats]:
        """Return the price that makes the larger end of φ least, or ``low``; and φ at both ends.

        In the price φ is made of straight pieces, and convex: where the lines of two prices meet is
        the next one.
        """
        free = ~(part.inside | part.outside)
        held, weight = float(self.weight[part.inside].sum()), self.weight[free]
        gains = [gain[free] for _, gain in ends]

        def at(price: float) -> tuple[float, Floats, float]:
            """Return φ at both ends, the larger one, and how that changes with the price."""
            over = [gain - price * weight for gain in gains]
            phi = np.array([
                base + price * (k - held) + np.maximum(some, 0).sum()
                for (base, _), some, k in zip(ends, over, weights, strict=True)
            ])  # fmt: skip
            top = int(phi.argmax())
            rise = weights[top] - held - weight[over[top] > 0].sum()
            return float(phi[top]), phi, float(rise)

        density = np.concatenate([gain / weight for gain in gains])
        lo, hi = min(0.0, float(density.min())), float(density.max())
        (under, phi_lo, falls), (above, phi_hi, rises) = at(lo), at(hi)
        price, least, both = (lo, under, phi_lo) if under < above else (hi, above, phi_hi)
        for _ in range(PRICES):
            if least <= low or falls >= 0 or rises <= 0:
                break
            meet = (above - under + falls * lo - rises * hi) / (falls - rises)
            mid = meet if lo < meet < hi else (lo + hi) / 2
            value, phi, rise = at(mid)
            if value < least:
                price, least, both = mid, value, phi
            if value - (under + falls * (mid - lo)) <= FINE:
                break
            if rise < 0:
                lo, under, falls = mid, value, rise
            else:
                hi, above, rises = mid, value, rise
        return price, both

    def _examined(self, part: Open, known: float) -> tuple[float, Open | None, list[Bools]]:
        """Return a bound of a part, the part without what cannot be, and sets to try.

        A class whose being out (or in) takes the bound below what is known is in (or out).
        """
        tried: list[Bools] = []
        while True:
            inside, outside = part.inside, part.outside
            held, there = (float(self.weight[some].sum()) for some in (inside, ~outside))
            rounding = 1e-9 * float(self.weight.sum())
            if held > part.most + rounding or there < part.least - rounding:
                return -np.inf, None, tried
            part = part._replace(least=max(part.least, held), most=min(part.most, there))
            free = ~(inside | outside)
            if not free.any():
                return -np.inf, None, [*tried, inside]
            weights = (part.least, max(part.least, part.most))
            ends = self._ends(part, weights)
            price, both = self._priced(part, ends, weights, known + SLACK)
            bound = float(both.max())
            over = np.stack([gain - price * self.weight for _, gain in ends])
            tried.append(self.closed(inside | (free & (over.mean(axis=0) > 0))))
            if bound <= known + SLACK:
                return bound, None, tried
            without = (both[:, None] - np.maximum(over, 0)).max(axis=0) <= known + SLACK
            within = (both[:, None] + np.minimum(over, 0)).max(axis=0) <= known + SLACK
            must, cannot = free & without, free & within
            if not (must.any() or cannot.any()):
                return bound, part, tried
            inside = inside | self.closed(must)
            outside = outside | self.without(cannot)
            if (inside & outside).any():
                return -np.inf, None, tried
            part = part._replace(inside=inside, outside=outside)

    def _parts(self, part: Open, known: float) -> list[Open]:
        """Cut a part in two: the weights, or by a class where these are close to each other."""
        mid = (part.least + part.most) / 2
        weights = (part.least, mid, part.most)
        ends = self._ends(part, weights)
        price, both = self._priced(part, [ends[0], ends[2]], (part.least, part.most), known)
        free = ~(part.inside | part.outside)
        over = ends[1][1] - price * self.weight
        held = float(self.weight[part.inside].sum())
        at_mid = ends[1][0] + price * (mid - held) + float(np.maximum(over[free], 0).sum())
        bound = float(both.max())
        if free.sum() > FEW and bound - at_mid > (bound - known) / 2:
            return [part._replace(most=mid), part._replace(least=mid)]
        nearest = np.zeros(len(free), dtype=bool)
        nearest[np.argmin(np.where(free, np.abs(over) / self.weight, np.inf))] = True
        return [
            part._replace(inside=part.inside | self.closed(nearest)),
            part._replace(outside=part.outside | self.without(nearest)),
        ]


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
def _by_search(task: Task) -> Decoded:
    """Weights of classes leave neither whole sizes nor closed sets by themselves: search."""
    weights, sets, form = task.weights, task.sets, _chord_form(task)
    assert sets is not None
    assert weights is not None
    pointer, members = closed_members(task.full, sets.root, closed=task.augment == "ancestors")
    counted = np.zeros(len(task.hierarchy), dtype=bool)
    counted[members] = True

    @cache
    def ancestors(v: int) -> list[int]:
        """Return what comes with a class, itself too."""
        above = task.hierarchy.ancestor_numbers(v).tolist() if task.augment == "ancestors" else []
        return [v, *(u for u in above if counted[u])]

    def best(scenarios: Scenarios) -> Chosen:
        there = np.array(sorted({v for key in scenarios for v in key}), dtype=np.int64)
        for odd in there[~np.isfinite(weights[there])][:1]:
            raise BadInput(NOT_FINITE.format(shown(task.hierarchy.names[odd])))
        node = there[weights[there] > 0]
        place = {int(v): i for i, v in enumerate(node)}
        rows = [[place[v] for v in key if v in place] for key in scenarios]
        something = np.array([bool(row) for row in rows], dtype=bool)
        p = np.array(list(scenarios.values()))
        member = _rows_of([row for row in rows if row], len(node)).astype(np.float64)
        above = _rows_of([[place[u] for u in ancestors(v) if u in place] for v in place], len(node))
        nothing = float(p[~something].sum())
        found = Instance(form, p[something], member, weights[node], above, nothing).best(task.limit)
        full = {u for v in node[found.nodes].tolist() for u in ancestors(v)}
        return found._replace(nodes=np.array(sorted(full), dtype=np.int64))

    parts = one_by_one(task.full, pointer, members, best)
    return decoded(task.full, parts, "higher", "branch and bound over weights and classes")


def _rows_of(rows: list[list[int]], width: int) -> Matrix:
    pointer = offsets(np.array([len(row) for row in rows], dtype=np.int64))
    columns = np.array([c for row in rows for c in row], dtype=np.int64)
    cells = np.ones(len(columns), dtype=bool)
    found = scipy.sparse.csr_array((cells, columns, pointer), shape=(len(rows), width))
    return found.toarray() if len(rows) * width <= DENSE else found
