"""Transports in whole units, by trying all of them."""

import math
from fractions import Fraction


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
