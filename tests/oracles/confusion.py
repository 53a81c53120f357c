"""The hierarchical confusion matrix by enumeration: every root path, every pairing.

The hierarchy is one of ``oracles.classes``; nothing here imports the code that it checks.
"""

import itertools


def root_paths(h, c):
    """All paths from the root to a class, as tuples."""
    return [(*path, c) for p in h.parents[c] for path in root_paths(h, p)] or [(c,)]


def siblings_of(h, c):
    return {x for p in h.parents[c] for x in h.children[p]} - {c}


def common(path, other):
    """Length of the common prefix below the root."""
    return max(k for k in range(len(path)) if [*path[: k + 1]] == [*other[: k + 1]])


def true_path(h, path, c):
    """The true path that shares most, of these a shortest, of these the first from below."""
    rest = lambda w: [(h.level(x), x) for x in reversed(w)]  # noqa: E731
    return min(root_paths(h, c), key=lambda w: (-common(path, w), len(w), rest(w)))


def sets_of(h, path, c):
    """TP, FP, FN as sets and TN as a list (a class can be TN in two ways)."""
    w = true_path(h, path, c)
    i = common(path, w)
    beside = {x for v in path[: i + 1] for x in siblings_of(h, v)} - set(w)
    below = {*h.children[path[i]]} - set(w) - set(path)
    found = {"TP": path[1 : i + 1], "FP": path[i + 1 :], "FN": w[i + 1 :], "TN": [*beside, *below]}
    return {field: sorted(some) for field, some in found.items()}


def total(h, paths, classes, pairs):
    """TP, FP, FN, TN of an instance for pairs of positions."""
    counts = dict.fromkeys(("TP", "FP", "FN", "TN"), 0)
    for i, j in pairs:
        for field, found in sets_of(h, paths[i], classes[j]).items():
            counts[field] += len(found)
    for i in set(range(len(paths))) - {i for i, _ in pairs}:
        counts["FP"] += len(paths[i]) - 1
    for j in set(range(len(classes))) - {j for _, j in pairs}:
        counts["FN"] += min(map(len, root_paths(h, classes[j]))) - 1
    return counts


def exact(h, paths, classes):
    """The best counts of all pairings with as many pairs as possible."""
    m, n = len(paths), len(classes)
    ways = {frozenset((i, j) for i, j in enumerate(way) if i < m and j < n)
            for way in itertools.permutations(range(max(m, n)))}  # fmt: skip
    every = [total(h, paths, classes, pairs) for pairs in ways]
    return min(every, key=lambda c: (-c["TP"], c["FN"], -c["TN"]))


def published(h, paths, classes):
    """The static greedy, step by step."""

    def overlap(path, c):
        return common(path, true_path(h, path, c))

    most = {p: max((overlap(p, c) for c in classes), default=-1) for p in paths}
    left, pairs = list(range(len(classes))), []
    for p in sorted(paths, key=lambda p: (most[p], p), reverse=True):
        if left:
            j = max(left, key=lambda j: (overlap(p, classes[j]), -j))
            left.remove(j)
            pairs.append((paths.index(p), j))
    return total(h, paths, classes, pairs)
