"""All pairings of a small problem with their costs, and what they tell of the best one."""

import itertools
import math
from fractions import Fraction

import numpy as np

UNIT = 12
"""Costs are multiples of 1 / 12."""

NEVER = 10**9


class AllPairings:
    """Every set of the pairs that have a ``price``.

    ``said`` are (members, cost): a set of pairs, and a function that gives every number of chosen
    pairs among them a cost, inf for not allowed.
    """

    def __init__(self, price, said):
        self.pairs = sorted(price)
        self.said = [(frozenset(members), cost) for members, cost in said]
        sets = itertools.product((0, 1), repeat=len(self.pairs))
        self.chosen = np.array(list(sets), dtype=np.int64)
        each = [whole(price[p]) for p in self.pairs]
        self.paid = [self.chosen @ np.array(each, dtype=np.int64)]
        self.counts = [
            self.chosen @ np.array([p in members for p in self.pairs], dtype=np.int64)
            for members, _ in self.said
        ]
        self.paid += [self.of(j, cost) for j, (_, cost) in enumerate(self.said)]
        total = np.sum(self.paid, axis=0)
        self.cost = np.where(total > NEVER // 2, NEVER, total)

    def of(self, j, cost):
        """What a statement costs every set if it said this."""
        table = [whole(cost(n)) for n in range(len(self.pairs) + 1)]
        return np.array(table, dtype=np.int64)[self.counts[j]]

    def best_with(self, j, cost):
        """The least cost if statement j said this."""
        return Fraction(int((self.cost_but(j) + self.of(j, cost)).min()), UNIT)

    def cost_but(self, j):
        return np.sum([x for i, x in enumerate(self.paid) if i != j + 1], axis=0)

    def costs(self):
        """Sorted costs of all that are allowed."""
        return [Fraction(x, UNIT) for x in sorted(self.cost[self.cost < NEVER].tolist())]

    def cost_of(self, picked):
        """The cost of one set of pairs."""
        row = np.array([p in picked for p in self.pairs], dtype=np.int64)
        (at,) = np.flatnonzero((self.chosen == row).all(axis=1))
        return Fraction(int(self.cost[at]), UNIT)

    def ranges(self, best):
        """By pair: how far its cost may fall and rise before ``best`` costs more than another."""
        least, found = self.cost.min(), {}
        for k, p in enumerate(self.pairs):
            side = self.cost[self.chosen[:, k] == (p not in best)].min(initial=NEVER)
            room = math.inf if side >= NEVER else float(Fraction(int(side - least), UNIT))
            found[p] = (math.inf, room) if p in best else (room, math.inf)
        return found


def whole(cost):
    """A cost as a whole number of twelfths."""
    if cost == math.inf:
        return NEVER
    number = Fraction(cost) * UNIT
    assert number.denominator == 1
    return int(number)


def relaxed(costs, most, up):
    """What a statement says with one unit more (less): its cheapest run is one longer."""
    least = min(costs(n) for n in range(most + 1))
    run = [n for n in range(most + 1) if costs(n) == least]
    if up:
        return lambda n: costs(n if n <= run[-1] else n - 1)
    return lambda n: costs(n if n >= run[0] else n + 1)
