"""Slow, obvious versions of what is computed from distributions: sets, fractions, enumeration.

Nothing here imports the code that it checks.
"""

import functools
import itertools
from fractions import Fraction


def ancestors(parents, node):
    """A class with everything above it; ``parents`` maps each class to its parents."""
    return {node}.union(*(ancestors(parents, p) for p in parents[node]))


def closed(parents, labels, out=frozenset()):
    """A label set with all ancestors, less the classes that do not count."""
    return frozenset().union(*(ancestors(parents, v) for v in labels)) - out


def closed_sets(parents, out=frozenset()):
    """Every ancestor-closed set over the classes that count."""
    nodes = [v for v in parents if v not in out]
    for k in range(len(nodes) + 1):
        for chosen in itertools.combinations(nodes, k):
            s = frozenset(chosen)
            if all(p in s or p in out for v in s for p in parents[v]):
                yield s


def expected(scenarios, value):
    """Sum of p times value(Y)."""
    return sum((p * value(y) for p, y in scenarios), Fraction(0))


def hf(s, y, beta=1, empty=1):
    """F-beta of two closed sets."""
    if not s and not y:
        return Fraction(empty)
    return f_beta(len(s), len(y), len(s & y), beta)


@functools.cache
def f_beta(n_pred, n_true, n_both, beta):
    b2 = Fraction(beta) ** 2
    below = n_pred + b2 * n_true
    return (1 + b2) * n_both / below if below else Fraction(0)


def tree_distance(parents, u, v, weight=None):
    """Edges (or weights of the edges into the classes) on the path between two classes."""
    away = ancestors(parents, u) ^ ancestors(parents, v)
    return sum((weight[x] if weight else 1) for x in away)


def h_loss(parents, s, y, cost, out=frozenset()):
    """A wrong class costs only where all its proper ancestors are right."""
    wrong = s ^ y
    return sum(cost[v] for v in wrong if not ((ancestors(parents, v) - {v} - out) & wrong))


def gie(distance, s, y, dmax):
    """GIE by trying all ways to pair: each class once, or alone for dmax."""
    s, y = list(s), list(y)
    if not s:
        return dmax * len(y)
    rest = gie(distance, s[1:], y, dmax)
    best = dmax + rest
    for i, v in enumerate(y):
        best = min(best, distance(s[0], v) + gie(distance, s[1:], y[:i] + y[i + 1 :], dmax))
    return best


def curve(scores, truth):
    """Points (recall, precision) of the empty set and of {score >= t} for every distinct t."""
    points = [(Fraction(0), Fraction(1))]
    for t in sorted(set(scores.values()), reverse=True):
        chosen = {v for v, x in scores.items() if x >= t}
        hit = len(chosen & truth)
        points.append((Fraction(hit, len(truth)), Fraction(hit, len(chosen))))
    return points


def areas(points):
    """Trapezoid, step (average precision) and envelope."""
    found = Fraction(0), Fraction(0), Fraction(0)
    for k, ((before, q), (recall, p)) in enumerate(itertools.pairwise(points), 1):
        heights = (p + q) / 2, p, max(p for _, p in points[k:])
        found = [area + (recall - before) * x for area, x in zip(found, heights, strict=True)]
    return found
