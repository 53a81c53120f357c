"""Slow, obvious versions of what the library computes: sets, enumeration, breadth-first walks.

Nothing here imports the code that it checks.
"""

import math

INF = math.inf


def up_distances(edges, node):
    """{ancestor: fewest upward edges}, the node itself included."""
    found, front, step = {}, {node}, 0
    while front:
        found |= dict.fromkeys(front, step)
        front, step = {e[0] for e in edges if e[1] in front} - found.keys(), step + 1
    return found


def weighted_up_distances(edges, node):
    """{ancestor: least sum of weights}, by trying edges until nothing improves."""
    found, changed = {node: 0}, True
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


def descendant_sets(edges, labels):
    nodes = {v for e in edges for v in e[:2]}.union(labels)
    return {v for v in nodes if set(labels) & up_distances(edges, v).keys()}


def pruned(edges, own, other, everywhere=frozenset()):
    """Drop x if x and all its parents are outside the other set; roots stay.

    ``everywhere`` holds the classes that every set has, said or not.
    """
    parents = {x: {e[0] for e in edges if e[1] == x} for x in own}
    return {x for x in own if x in other or not parents[x] or parents[x] & (other | everywhere)}


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
    ((i, j), gain), *rest = gains.items()
    free = {k: g for k, g in rest if k[0] != i and k[1] != j}
    return max(best_matching(dict(rest)), gain + best_matching(free))


# ------------------------------------------------------------ similarities of classes


def wu_palmer(edges, names, u, v, deepest):
    """The largest 2 D / (up + up + 2 D) over common ancestors; D classes from a up to a root."""

    def ways(c):
        return [1 + w for e in edges if e[1] == c for w in ways(e[0])] or [1]

    up_u, up_v = up_distances(edges, u), up_distances(edges, v)
    twice = {a: 2 * (max if deepest else min)(ways(a)) for a in up_u.keys() & up_v.keys()}
    return max((d / (up_u[a] + up_v[a] + d) for a, d in twice.items()), default=0)


def content(edges, names, counts):
    """{class: -log of the share of all counts at it and below it}."""
    up, total = {x: up_distances(edges, x) for x in names}, sum(counts.values())
    shares = {c: sum(counts[x] for x in names if c in up[x]) / total for c in names}
    return {c: -math.log(s) if s > 0 else INF for c, s in shares.items()}


def best_shared(edges, names, ic, u, v):
    common = up_distances(edges, u).keys() & up_distances(edges, v).keys()
    return max((ic[a] for a in common), default=None)
