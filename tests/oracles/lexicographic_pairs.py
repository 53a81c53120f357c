"""Pairings with several costs, minimised one after the other, by trying all sets of pairs and comparing tuples."""

import itertools
from fractions import Fraction


def best_lexicographic(n_costs, price, said):
    """The least tuple of totals of all sets of pairs; None if none is allowed.

    ``price`` has the costs of each allowed pair, one tuple each; ``said`` are (members, costs): a set
    of pairs, and a function from a number of chosen pairs among them to a tuple, None if that many
    are not allowed.
    """
    best = None
    for chosen in itertools.product((False, True), repeat=len(price)):
        picked = [pair for pair, yes in zip(sorted(price), chosen, strict=True) if yes]
        total = [Fraction(0)] * n_costs
        for members, costs in said:
            paid = costs(sum(pair in members for pair in picked))
            if paid is None:
                break
            total = [a + b for a, b in zip(total, paid, strict=True)]
        else:
            for pair in picked:
                total = [a + b for a, b in zip(total, price[pair], strict=True)]
            best = tuple(total) if best is None else min(best, tuple(total))
    return best
