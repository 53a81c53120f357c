"""Pairings, transports and flows of small problems, by trying all of them."""

import itertools
import math
from fractions import Fraction

import numpy as np


def best_pairing(n_predicted, n_true, price, said):
    """The least cost of all sets of pairs, and how many have it; None if none is allowed.

    ``price`` has the cost of each allowed pair; ``said`` are (members, cost): a set of pairs, and
    a function that gives every number of chosen pairs among them a cost, inf for not allowed.
    """
    pairs = sorted(price)
    best, many = math.inf, 0
    for chosen in itertools.product((False, True), repeat=len(pairs)):
        picked = [pair for pair, yes in zip(pairs, chosen, strict=True) if yes]
        cost = Fraction(0)
        for members, costs in said:
            paid = costs(sum(pair in members for pair in picked))
            if paid == math.inf:
                break
            cost += paid
        else:
            cost += sum((Fraction(price[pair]) for pair in picked), Fraction(0))
            if cost < best:
                best, many = cost, 0
            many += cost == best
    return None if best == math.inf else (best, many)


def best_transport(price, capacity, least, said, unit):
    """The least cost of all transports, or None if none is allowed.

    ``price`` is for the mass 1 of each allowed pair, ``capacity`` and ``least`` are units of it;
    ``said`` are (members, cost): a set of pairs, and a function that gives every mass that they
    carry together a cost, inf for not allowed. ``unit`` is the mass of a unit.
    """
    pairs = sorted(price)
    best = math.inf
    # a set is complete when its last pair is decided
    last = [[] for _ in pairs]
    cost = Fraction(0)
    for members, costs in said:
        inside = [k for k, pair in enumerate(pairs) if pair in members]
        if inside:
            last[inside[-1]].append((inside, costs))
        elif (paid := costs(Fraction(0))) == math.inf:
            return None
        else:
            cost += paid
    units = [0] * len(pairs)

    def decide(k, cost):
        nonlocal best
        if k == len(pairs):
            best = min(best, cost)
            return
        for n in range(least.get(pairs[k], 0), capacity[pairs[k]] + 1):
            units[k] = n
            sums = [costs(sum(units[i] for i in inside) * unit) for inside, costs in last[k]]
            if math.inf not in sums:
                decide(k + 1, cost + n * unit * price[pairs[k]] + sum(sums))
        units[k] = 0

    decide(0, cost)
    return None if best == math.inf else best


def cheapest_flow(n_nodes, arcs, supply):
    """The least cost of all flows, and how many have it; None if there is none.

    ``arcs`` are (tail, head, lower, upper, cost); ``supply`` is what each node sends.
    """
    best, many = None, 0
    for flow in itertools.product(*(range(low, high + 1) for _, _, low, high, _ in arcs)):
        sent = [0] * n_nodes
        for (tail, head, *_), units in zip(arcs, flow, strict=True):
            sent[tail] += units
            sent[head] -= units
        if sent != list(supply):
            continue
        cost = sum(units * arc[4] for arc, units in zip(arcs, flow, strict=True))
        if best is None or cost < best:
            best, many = cost, 0
        many += cost == best
    return None if best is None else (best, many)


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
