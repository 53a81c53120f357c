"""The hierarchical confusion matrix by enumeration: every root path, every pairing.

Nothing here imports the code that it checks.
"""

import itertools


def parents_of(edges, c):
    return {u for u, v in edges if v == c}


def children_of(edges, c):
    return {v for u, v in edges if u == c}


def root_paths(edges, root, c):
    """All paths from the root to a class, as tuples."""
    if c == root:
        return [(root,)]
    return [(*path, c) for p in parents_of(edges, c) for path in root_paths(edges, root, p)]


def level(edges, root, c):
    return max(map(len, root_paths(edges, root, c))) - 1


def siblings_of(edges, c):
    return {x for p in parents_of(edges, c) for x in children_of(edges, p)} - {c}


def common(path, other):
    """Length of the common prefix below the root."""
    return max(k for k in range(len(path)) if [*path[: k + 1]] == [*other[: k + 1]])


def true_path(edges, root, path, c):
    """The true path that shares most, of these a shortest, of these the first from below."""

    rest = lambda w: [(level(edges, root, x), x) for x in reversed(w)]  # noqa: E731
    return min(root_paths(edges, root, c), key=lambda w: (-common(path, w), len(w), rest(w)))


def sets_of(edges, root, path, c):
    """TP, FP, FN as sets and TN as a list (a class can be TN in two ways)."""
    w = true_path(edges, root, path, c)
    i = common(path, w)
    beside = set().union(*(siblings_of(edges, v) for v in path[: i + 1])) - set(w)
    below = children_of(edges, path[i]) - set(w) - set(path)
    found = {"TP": path[1 : i + 1], "FP": path[i + 1 :], "FN": w[i + 1 :], "TN": [*beside, *below]}
    return {field: sorted(some) for field, some in found.items()}


def total(edges, root, paths, classes, pairs):
    """TP, FP, FN, TN of an instance for pairs of positions."""
    counts = dict.fromkeys(("TP", "FP", "FN", "TN"), 0)
    for i, j in pairs:
        for field, found in sets_of(edges, root, paths[i], classes[j]).items():
            counts[field] += len(found)
    for i in set(range(len(paths))) - {i for i, _ in pairs}:
        counts["FP"] += len(paths[i]) - 1
    for j in set(range(len(classes))) - {j for _, j in pairs}:
        counts["FN"] += min(map(len, root_paths(edges, root, classes[j]))) - 1
    return counts


def exact(edges, root, paths, classes):
    """The best counts of all pairings with as many pairs as possible."""
    m, n = len(paths), len(classes)
    ways = {frozenset((i, j) for i, j in enumerate(way) if i < m and j < n)
            for way in itertools.permutations(range(max(m, n)))}  # fmt: skip
    every = [total(edges, root, paths, classes, pairs) for pairs in ways]
    return min(every, key=lambda c: (-c["TP"], c["FN"], -c["TN"]))


def published(edges, root, paths, classes):
    """The static greedy, step by step."""

    def overlap(path, c):
        return common(path, true_path(edges, root, path, c))

    most = {p: max((overlap(p, c) for c in classes), default=-1) for p in paths}
    left, pairs = list(range(len(classes))), []
    for p in sorted(paths, key=lambda p: (most[p], p), reverse=True):
        if left:
            j = max(left, key=lambda j: (overlap(p, classes[j]), -j))
            left.remove(j)
            pairs.append((paths.index(p), j))
    return total(edges, root, paths, classes, pairs)


def closed_form(edges, root, paths, classes):
    """Counts on a tree without any pairing (most TN where optimal pairings differ)."""
    true_paths = [root_paths(edges, root, c)[0] for c in classes]
    if not paths:
        return {"TP": 0, "FP": 0, "FN": sum(len(w) - 1 for w in true_paths), "TN": 0}
    nodes = {root, *(v for e in edges for v in e)}
    t = {v: sum(v in w for w in true_paths) for v in nodes}
    p = {v: sum(v in w for w in paths) for v in nodes}
    n = {v: min(t[v], p[v]) for v in nodes}
    tp = sum(n[v] for v in nodes if v != root)
    z = {v: n[v] - sum(n[c] for c in children_of(edges, v)) for v in nodes}
    tn = 0
    for v in nodes:
        below = children_of(edges, v)
        tn += n[v] * len(siblings_of(edges, v)) + z[v] * len(below)
        for through in (t, p):  # of the pairs that end at v, those whose path must go on
            tn -= max(0, z[v] - (through[v] - sum(through[c] for c in below)))
    fp, fn = (sum(len(w) - 1 for w in some) - tp for some in (paths, true_paths))
    return {"TP": tp, "FP": fp, "FN": fn, "TN": tn}
