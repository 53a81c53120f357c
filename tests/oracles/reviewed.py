"""Slow, obvious versions of the reviewed measures: sets, loops and exact fractions.

Nothing here imports the code that it checks. Edges are (parent, child).
"""

import math
from fractions import Fraction

from tests.oracles.pairs_and_sets import distance, up_distances

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


def hops(edges, u, v):
    return distance(up_distances(edges, u), up_distances(edges, v))


# ------------------------------------------------------------------------ Sun & Lim


def contributions(rows, classes, cost, theta):
    """{class: (TP, FP, FN, TN, FpCon, FnCon)} over (true, predicted) rows, as eqs 7-10 say."""
    table = {}
    for i in classes:
        tp = fp = fn = tn = 0
        fp_con = fn_con = Fraction(0)
        for row in rows:
            true, predicted = (set(side) & set(classes) for side in row)
            if i in true and i in predicted:
                tp += 1
            elif i in predicted:
                fp += 1
                fp_con += refined(sum(1 - share(cost(i, t), theta) for t in true))
            elif i in true:
                fn += 1
                fn_con += refined(sum(1 - share(cost(p, i), theta) for p in predicted))
            else:
                tn += 1
        table[i] = (tp, fp, fn, tn, fp_con, fn_con)
    return table


def share(cost, theta):
    return INF if cost == INF else Fraction(cost) / Fraction(theta)


def refined(con):
    return min(Fraction(1), max(Fraction(-1), con)) if con != -INF else Fraction(-1)


def precision(tp, fp, fn, tn, fp_con, fn_con):
    below = tp + fp + fn_con
    return max(Fraction(0), tp + fp_con + fn_con) / below if below > 0 else Fraction(0)


def recall(tp, fp, fn, tn, fp_con, fn_con):
    below = tp + fn + fp_con
    return max(Fraction(0), tp + fp_con + fn_con) / below if below > 0 else Fraction(0)


def accuracy(tp, fp, fn, tn, fp_con, fn_con):
    n = tp + fp + fn + tn
    return (tp + tn + fp_con + fn_con) / Fraction(n) if n else Fraction(1)


def error(tp, fp, fn, tn, fp_con, fn_con):
    n = tp + fp + fn + tn
    return (fp + fn - fp_con - fn_con) / Fraction(n) if n else Fraction(0)


def f(tp, fp, fn, tn, fp_con, fn_con):
    cells = (tp, fp, fn, tn, fp_con, fn_con)
    p, r = precision(*cells), recall(*cells)
    return 2 * p * r / (p + r) if p + r else Fraction(0)


def summed(table):
    return tuple(map(sum, zip(*table.values(), strict=True)))


# ------------------------------------------------------------------------------ depth


def depth_weight(edges, names, w0, depth):
    """{class: weight} by the recursion over parents, or over all ways up."""
    parents = parents_of(edges, names)

    def ways(c):
        return [1 + w for p in parents[c] for w in ways(p)] or [0]

    def weight(c):
        above = [weight(p) for p in parents[c]]
        if not above:
            return Fraction(1)
        total = sum(above)
        return w0 * (total if depth == "sum" else total / len(above))

    if depth in ("min", "max"):
        pick = min if depth == "min" else max
        return {c: w0 ** pick(ways(c)) for c in names}
    return {c: weight(c) for c in names}


def h_loss(edges, names, true, predicted, cost, excluded_classes):
    """Costs of wrong classes, none of whose ancestors is wrong."""
    grown = [
        set().union(*(ancestors(edges, names, c) for c in side)) - excluded_classes
        for side in (true, predicted)
    ]
    wrong = grown[0] ^ grown[1]
    return sum(cost[c] for c in wrong if not (ancestors(edges, names, c) - {c}) & wrong)


def sibling_cost(edges, names):
    parents = parents_of(edges, names)
    n_children = {c: sum(c in parents[x] for x in names) for c in names}
    n_roots = sum(not p for p in parents.values())

    def cost(c):
        if not parents[c]:
            return Fraction(1, n_roots)
        return sum(cost(p) / n_children[p] for p in parents[c])

    return {c: cost(c) for c in names}


# ------------------------------------------------------------------------- similarity


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
