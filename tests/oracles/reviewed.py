"""Similarities of pairs of classes by sets and loops.

Nothing here imports the code that it checks. Edges are (parent, child).
"""

import math
from fractions import Fraction

from tests.oracles.pairs_and_sets import up_distances

INF = math.inf


def parents_of(edges, names):
    found = {name: [] for name in names}
    for parent, child, *_ in edges:
        found[child].append(parent)
    return found


def ancestors(edges, names, c):
    return set(up_distances(edges, c))


def descendants(edges, names, c):
    return {x for x in names if c in up_distances(edges, x)}


def wu_palmer(edges, names, u, v, deepest):
    """The largest 2 D / (up + up + 2 D) over common ancestors; D classes from a up to a root."""
    parents = parents_of(edges, names)

    def ways(c):
        return [1 + w for p in parents[c] for w in ways(p)] or [1]

    up_u, up_v = up_distances(edges, u), up_distances(edges, v)
    best = 0.0
    for a in up_u.keys() & up_v.keys():
        d = (max if deepest else min)(ways(a))
        best = max(best, 2 * d / (up_u[a] + up_v[a] + 2 * d))
    return best


def content(edges, names, counts):
    """{class: -log of the share of all counts at it and below it}."""
    total = sum(counts.values())
    shares = {c: sum(counts[x] for x in descendants(edges, names, c)) / total for c in names}
    return {c: -math.log(s) if s > 0 else INF for c, s in shares.items()}


def best_shared(edges, names, ic, u, v):
    common = ancestors(edges, names, u) & ancestors(edges, names, v)
    return max((ic[a] for a in common), default=None)


def f(tp, fp, fn, tn, fp_con, fn_con):
    """F1 of precision and recall with contributions (Sun & Lim 2001)."""
    earned = max(Fraction(0), tp + fp_con + fn_con)
    below = tp + fp + fn_con, tp + fn + fp_con
    p, r = (earned / b if b > 0 else Fraction(0) for b in below)
    return 2 * p * r / (p + r) if p + r else Fraction(0)
