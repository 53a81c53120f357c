"""Slow, obvious versions of what the library computes: sets, enumeration, breadth-first walks.

Nothing here imports the code that it checks.
"""

import itertools
import math
from fractions import Fraction

INF = math.inf


def up_distances(edges, node):
    """{ancestor: fewest upward edges}, the node itself included."""
    parents = {}
    for edge in edges:
        parents.setdefault(edge[1], []).append(edge[0])
    found, front, step = {node: 0}, [node], 0
    while front:
        step += 1
        front = [p for v in front for p in parents.get(v, [])]
        front = [p for p in dict.fromkeys(front) if p not in found]
        found.update(dict.fromkeys(front, step))
    return found


def weighted_up_distances(edges, node):
    """{ancestor: least sum of weights}, by trying edges until nothing improves."""
    found = {node: 0.0}
    changed = True
    while changed:
        changed = False
        for parent, child, weight in edges:
            if child in found and found[child] + weight < found.get(parent, INF):
                found[parent] = found[child] + weight
                changed = True
    return found


def cut(up, hops, roots):
    """Ancestors at most ``hops`` up, and one artificial node '*' above them."""
    kept = {a: d for a, d in up.items() if d <= hops}
    return {**kept, "*": min(d + 1 for a, d in kept.items() if d == hops or a in roots)}


def distance(up_u, up_v):
    return min((up_u[a] + up_v[a] for a in up_u.keys() & up_v.keys()), default=INF)


def roots_of(edges, nodes=()):
    children = {e[1] for e in edges}
    return {v for e in edges for v in e[:2] if v not in children} | (set(nodes) - children)


def ancestor_sets(edges, labels, threshold=None):
    """Union of reflexive ancestor sets."""
    out = set()
    for label in labels:
        up = up_distances(edges, label)
        out |= set(cut(up, threshold // 2 - 1, roots_of(edges, [label])) if threshold else up)
    return out


def descendant_sets(edges, labels):
    nodes = {v for e in edges for v in e[:2]} | set(labels)
    return {v for v in nodes if set(labels) & up_distances(edges, v).keys()}


def pruned(edges, own, other, everywhere=frozenset()):
    """Drop x if x and all its parents are outside the other set; roots stay.

    ``everywhere`` holds the classes that every set has, said or not.
    """
    parents = {}
    for edge in edges:
        parents.setdefault(edge[1], set()).add(edge[0])
    return {x for x in own if x in other or not parents.get(x) or parents[x] & (other | everywhere)}


def best_pairing(problem):
    """Least cost over all subsets of candidate pairs; INF if there is no feasible one.

    ``problem`` is a dict: n_pred, n_true, cost {(i, j): x}, bounds {("p"|"t", i): (lo, hi)},
    default {("p"|"t", i): x or INF}, required set, total (lo, hi) or None,
    groups [(side, set of positions, lo, hi)].
    """
    pairs = sorted(problem["cost"])
    best = INF
    for chosen in itertools.chain.from_iterable(
        itertools.combinations(pairs, k) for k in range(len(pairs) + 1)
    ):
        best = min(best, pairing_cost(problem, chosen))
    return best


def pairing_cost(problem, chosen):
    if not problem["required"] <= set(chosen):
        return INF
    if problem["total"] and not problem["total"][0] <= len(chosen) <= problem["total"][1]:
        return INF
    cost = sum((problem["cost"][pair] for pair in chosen), Fraction(0))
    count = dict.fromkeys(problem["bounds"], 0)
    for i, j in chosen:
        count["p", i] += 1
        count["t", j] += 1
    for key, (low, high) in problem["bounds"].items():
        lacking = max(0, low - count[key])
        if count[key] > high or (lacking and problem["default"][key] == INF):
            return INF
        cost += lacking * problem["default"][key] if lacking else 0
    for side, members, low, high in problem["groups"]:
        if not low <= sum(count[side, i] for i in members) <= high:
            return INF
    return cost


def gie_closed(distances, n_pred, n_true, dmax):
    """Dmax (M + N) less the best matching of max(0, 2 Dmax - d), by trying all matchings."""
    gains = {k: 2 * dmax - d for k, d in distances.items() if d < 2 * dmax}
    return dmax * (n_pred + n_true) - best_matching(gains)


def fnerror_closed(distances, n_pred, n_true, dmax):
    """Sum of m(v) less the best matching of max(0, m(p) + m(y) - d); m(v) = min(Dmax, nearest)."""
    m = {("p", i): dmax for i in range(n_pred)} | {("t", j): dmax for j in range(n_true)}
    for (i, j), d in distances.items():
        m["p", i], m["t", j] = min(m["p", i], d), min(m["t", j], d)
    gains = {(i, j): m["p", i] + m["t", j] - d for (i, j), d in distances.items()}
    return sum(m.values()) - best_matching({k: g for k, g in gains.items() if g > 0})


def best_matching(gains):
    if not gains:
        return 0
    (i, j), gain = next(iter(gains.items()))
    rest = {k: g for k, g in gains.items() if k != (i, j)}
    free = {k: g for k, g in rest.items() if k[0] != i and k[1] != j}
    return max(best_matching(rest), gain + best_matching(free))


# ------------------------------------------------------------ similarities of classes


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
