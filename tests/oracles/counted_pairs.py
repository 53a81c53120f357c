"""Pairings with costs of how many, by trying all of them."""

import itertools
import math
from fractions import Fraction


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
