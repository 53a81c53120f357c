"""Pairings and transports of small problems, by trying all of them."""

import itertools
import math
from fractions import Fraction


class AllPairings:
    """Every choice of units of the pairs that have a ``price``, with its cost; inf: not allowed.

    ``said`` are (members, cost): a set of pairs, and a function that gives every number of units
    that they have together a cost, inf for not allowed. ``most`` are units by pair, by default 1.
    """

    def __init__(self, price, said, most=None):
        self.pairs, self.said = sorted(price), [*said]
        most = most or dict.fromkeys(price, 1)
        self.units = [*itertools.product(*(range(most[p] + 1) for p in self.pairs))]
        each = [({p}, lambda n, p=p: n * Fraction(price[p])) for p in self.pairs]
        self.paid = [self.of(*one) for one in (*self.said, *each)] or [[0] * len(self.units)]
        self.cost = dict(zip(self.units, map(sum, zip(*self.paid, strict=True)), strict=True))

    def of(self, members, cost):
        """What every choice pays if this is said of those pairs that are among members."""
        at = [k for k, pair in enumerate(self.pairs) if pair in members]
        numbers = [sum(units[k] for k in at) for units in self.units]
        table = {n: cost(n) for n in {*numbers}}
        return [table[n] for n in numbers]

    def best_with(self, j, cost):
        """The least cost if statement j said this."""
        paid = [*self.paid[:j], self.of(self.said[j][0], cost), *self.paid[j + 1 :]]
        return min(map(sum, zip(*paid, strict=True)))

    def costs(self):
        """Sorted costs of all that are allowed."""
        return sorted(cost for cost in self.cost.values() if cost < math.inf)

    def ranges(self, best):
        """By pair: how far its cost may fall and rise before ``best`` costs more than another."""
        found = {pair: [math.inf, math.inf] for pair in self.pairs}
        for units, cost in self.cost.items():
            for pair, n, mine in zip(self.pairs, units, best, strict=True):
                if n != mine:
                    room = (cost - self.cost[best]) / abs(n - mine)
                    found[pair][n < mine] = min(found[pair][n < mine], room)
        return found


def relaxed(costs, most, up):
    """What a statement says with one unit more (less): its cheapest run is one longer."""
    least = min(costs(n) for n in range(most + 1))
    run = [n for n in range(most + 1) if costs(n) == least]
    if up:
        return lambda n: costs(n if n <= run[-1] else n - 1)
    return lambda n: costs(n if n >= run[0] else n + 1)
