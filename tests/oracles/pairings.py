"""Pairings, transports and flows of small problems, by trying all of them."""

import itertools
import math
from fractions import Fraction


def best_transport(price, capacity, said, unit):
    """The least cost of all transports, or None if none is allowed.

    ``price`` is for the mass 1 of each allowed pair, ``capacity`` is units of it;
    ``said`` are (members, cost): a set of pairs, and a function that gives every mass that they
    carry together a cost, inf for not allowed. ``unit`` is the mass of a unit.
    """
    pairs, units = sorted(price), {}
    last = [[] for _ in (None, *pairs)]  # a set is complete when its last pair is decided
    for members, costs in said:
        inside = [pair for pair in pairs if pair in members]
        last[pairs.index(inside[-1]) + 1 if inside else 0].append((inside, costs))

    def best(k):
        """The least cost of what is complete at pair k or later."""
        paid = sum(costs(sum(map(units.get, inside)) * unit) for inside, costs in last[k])
        if k == len(pairs) or paid == math.inf:
            return paid
        found, pair = [], pairs[k]
        for n in range(capacity[pair] + 1):
            units[pair] = n
            found.append(n * unit * price[pair] + best(k + 1))
        return paid + min(found)

    least = best(0)
    return None if least == math.inf else least


class AllPairings:
    """Every set of the pairs that have a ``price``, each with its cost; inf where it is not allowed.

    ``said`` are (members, cost): a set of pairs, and a function that gives every number of chosen
    pairs among them a cost, inf for not allowed.
    """

    def __init__(self, price, said):
        self.pairs = sorted(price)
        self.said = [(frozenset(members), cost) for members, cost in said]
        self.sets = [frozenset(itertools.compress(self.pairs, yes))
                     for yes in itertools.product((0, 1), repeat=len(self.pairs))]  # fmt: skip
        prices = [sum((Fraction(price[p]) for p in chosen), Fraction(0)) for chosen in self.sets]
        self.paid = [*(self.of(members, cost) for members, cost in self.said), prices]
        self.cost = dict(zip(self.sets, map(sum, zip(*self.paid, strict=True)), strict=True))

    def of(self, members, cost):
        """What every set pays if this is said of the pairs of it that are among members."""
        table = [cost(n) for n in range(len(self.pairs) + 1)]
        return [table[len(chosen & members)] for chosen in self.sets]

    def best_with(self, j, cost):
        """The least cost if statement j said this."""
        paid = [*self.paid[:j], self.of(self.said[j][0], cost), *self.paid[j + 1 :]]
        return min(map(sum, zip(*paid, strict=True)))

    def costs(self):
        """Sorted costs of all that are allowed."""
        return sorted(cost for cost in self.cost.values() if cost < math.inf)

    def ranges(self, best):
        """By pair: how far its cost may fall and rise before ``best`` costs more than another."""
        found = {}
        for p in self.pairs:
            others = [cost for chosen, cost in self.cost.items() if (p in chosen) != (p in best)]
            room = min(others, default=math.inf) - self.cost[best]
            found[p] = (math.inf, room) if p in best else (room, math.inf)
        return found


def relaxed(costs, most, up):
    """What a statement says with one unit more (less): its cheapest run is one longer."""
    least = min(costs(n) for n in range(most + 1))
    run = [n for n in range(most + 1) if costs(n) == least]
    if up:
        return lambda n: costs(n if n <= run[-1] else n - 1)
    return lambda n: costs(n if n >= run[0] else n + 1)
