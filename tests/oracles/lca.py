"""The LCA measures by exhaustive search: every set of LCAs, every choice of every shortest path.

Nothing here imports the code that it checks.
"""

import itertools
import math
from collections import Counter
from fractions import Fraction

from tests.oracles.pairs_and_sets import cut, distance, roots_of, up_distances

STAR = "*"


def without_ancestors(edges, labels):
    """Drop labels that have a descendant in the same set."""
    ups = {v: up_distances(edges, v) for v in labels}
    return [v for v in labels if not any(v in ups[w] for w in ups if w != v)]


def shortest_paths(edges, v, a, up_v, hops=None, roots=()):
    """All shortest upward paths from v to a, as sets of nodes."""
    if a == STAR:
        last = [x for x, d in up_v.items() if x != STAR and (d == hops or x in roots)]
        nearest = min(up_v[x] for x in last)
        ends = [x for x in last if up_v[x] == nearest]
        return [p | {STAR} for x in ends for p in shortest_paths(edges, v, x, up_v)]
    if v == a:
        return [frozenset([v])]
    found = []
    for parent in {e[0] for e in edges if e[1] == v}:
        up = up_distances(edges, parent)
        if up.get(a, -1) == up_v[a] - 1:
            found += [p | {v} for p in shortest_paths(edges, parent, a, up)]
    return found


def extension_problem(edges, true, predicted, threshold=None):
    """Labels by side, the requirement of each, and all shortest paths of the extended graphs."""
    sides = {"t": without_ancestors(edges, true), "p": without_ancestors(edges, predicted)}
    nodes = {x for e in edges for x in e[:2]} | set(true) | set(predicted)
    roots = roots_of(edges, nodes)
    hops = None if threshold is None else threshold // 2 - 1
    up = {v: up_distances(edges, v) for v in {*sides["t"], *sides["p"]}}
    if hops is not None:
        up = {v: cut(found, hops, roots) for v, found in up.items()}
    requirement, paths = {}, {"t": {}, "p": {}}
    for mine, other in (("t", "p"), ("p", "t")):
        for u in sides[mine]:
            far = {v: distance(up[u], up[v]) for v in sides[other]}
            requirement[mine, u] = set()
            for v in [v for v in far if far[v] == min(far.values()) < math.inf]:
                for a in up[u].keys() & up[v].keys():
                    if up[u][a] + up[v][a] == far[v]:
                        requirement[mine, u].add(a)
                        for side, w in ((mine, u), (other, v)):
                            paths[side][w, a] = shortest_paths(edges, w, a, up[w], hops, roots)
    return sides, requirement, paths


def full_sides(problem):
    """The node sets of the unreduced extended graphs."""
    sides, _, paths = problem
    return tuple(set(sides[s]).union(*itertools.chain(*paths[s].values())) for s in "tp")


def minimal_sides(problem):
    """The best key of the specification, and all (LCAs, true nodes, predicted nodes) with it."""
    sides, requirement, paths = problem
    wanted = {label: d for label, d in requirement.items() if d}
    every = sorted(set().union(*wanted.values())) if wanted else []

    def of_size(size):
        ways = (set(chosen) for chosen in itertools.combinations(every, size))
        return [(rank(size, every, *both), chosen, *both)
                for chosen in ways if all(d & chosen for d in wanted.values())
                for both in grown(sides, wanted, paths, chosen)]  # fmt: skip

    found = next(filter(None, map(of_size, range(len(every) + 1))))
    best = min(key for key, *_ in found)
    return best, [(chosen, v_t, v_p) for key, chosen, v_t, v_p in found if key == best]


def grown(sides, wanted, paths, chosen):
    """All pairs of node sets that the specification admits for a set of LCAs."""
    lone = {s: {v for v in sides[s] if (s, v) not in wanted} for s in "tp"}
    own = [
        [(label, a, p) for a in d & chosen for p in paths[label[0]][label[1], a]]
        for label, d in wanted.items()
    ]
    found = set()
    for links in itertools.product(*own):
        ended = {(s, a) for (s, _), a, _ in links}
        open_ends = [
            [((s, None), a, p) for (_, b), some in paths[s].items() if b == a for p in some]
            for s in "tp" for a in chosen if (s, a) not in ended
        ]  # fmt: skip
        for extra in itertools.product(*open_ends):
            every = [(s, p) for (s, _), _, p in (*links, *extra)]
            of = {s: [p for x, p in every if x == s] for s in "tp"}
            found.add(tuple(frozenset(lone[s]).union(*of[s]) for s in "tp"))
    return found


def rank(size, every, v_t, v_p):
    """Smaller is better: LCAs, their number in the graphs, F, balance, precision, size."""
    p, _, f = ratios(v_t, v_p)
    balance, classes = abs(len(v_t) - len(v_p)), len(v_t) + len(v_p)
    return size, len((v_t | v_p) & set(every)), -f, balance, -p, classes


def ratios(v_t, v_p):
    """Precision, recall and F of two node sets."""
    return of_sizes(len(v_t), len(v_p), len(v_t & v_p))


def of_sizes(t, p, both):
    """The same of their sizes; a missing denominator gives 0, and empty sets agree."""
    ratio = lambda above, below: Fraction(above, below) if below else Fraction(not t and not p)  # noqa: E731
    return ratio(both, p), ratio(both, t), ratio(2 * both, t + p)


def lca_minimal(edges, true, predicted, threshold=None):
    """Precision, recall and F of the minimal graphs."""
    problem = extension_problem(edges, true, predicted, threshold)
    (value,) = {ratios(v_t, v_p) for _, v_t, v_p in minimal_sides(problem)[1]}
    return value


def lca_full(edges, true, predicted, threshold=None):
    """Precision, recall and F of the extended graphs."""
    return ratios(*full_sides(extension_problem(edges, true, predicted, threshold)))


# ------------------------ Algorithm 1 of Kosmopoulos et al. (2014), corrected, step by step


def ranks_of(hierarchy):
    """The rank of every class by level, then name; the artificial class comes last."""
    n = len(hierarchy)
    order = sorted(range(n), key=lambda c: (hierarchy.levels[c], str(hierarchy.names[c])))
    return {c: k for k, c in enumerate([*order, n])}


def every_path(link):
    """All paths of a link that is written out, from the label to the LCA."""
    paths = [(link.steps[0][0],)]
    for _ in link.steps[1:]:
        paths = [(*path, p) for path in paths for c, p in link.edges if c == path[-1]]
    return paths


def greedy_graphs(links, rank):
    """The chosen LCAs, and by side the paths."""
    owners = dict.fromkeys(link.owner for link in links if link.own)
    chosen = chosen_ends([{x.end for x in links if x.own and x.owner == o} for o in owners], rank)
    nodes, paths = (set(), set()), ([], [])

    def best(link):
        there = nodes[link.side]
        key = {p: (-len(there & set(p)), [rank[c] for c in p]) for p in every_path(link)}
        return min(key, key=key.get)

    def add(side, path):
        nodes[side].update(path)
        paths[side].append(path)

    for a in chosen:
        for link in links:
            if link.own and link.end == a:
                add(link.side, best(link))
    for a in chosen:
        for side in (0, 1):
            if a not in nodes[side]:
                found = [best(x) for x in links if x.side == side and x.end == a]
                add(side, min(found, key=lambda path: (
                    len(set(path) - nodes[side]), [rank[c] for c in path]
                )))  # fmt: skip
    return chosen, paths


def chosen_ends(requirements, rank):
    """Ends that meet every requirement, the most required first, without those not needed."""
    count, chosen = Counter(a for requirement in requirements for a in requirement), []
    for a in sorted(count, key=lambda a: (-count[a], rank[a])):
        if all(requirement & set(chosen) for requirement in requirements):
            break
        chosen.append(a)
    for step in (1, -1):
        for a in chosen[::step]:
            if all(requirement & (set(chosen) - {a}) for requirement in requirements):
                chosen.remove(a)
    return chosen
