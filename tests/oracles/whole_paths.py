"""Slow references of path measures and constrained F: sets, dicts and fractions, one at a time."""

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise


class Classes:
    """A hierarchy as plain dicts."""

    def __init__(self, edges, names):
        self.names = list(names)
        self.parents = {c: {p for p, child in edges if child == c} for c in names}
        inner = {p for p, _ in edges}
        self.leaves = [c for c in names if c not in inner]
        self.roots = {c for c in names if not self.parents[c]}
        self.level = cache(self._level)
        self.above = cache(self._above)

    def _level(self, c):
        return max((self.level(p) + 1 for p in self.parents[c]), default=0)

    def _above(self, c):
        return frozenset().union(*({p} | self.above(p) for p in self.parents[c]))

    def reached(self, c, held):
        """Whether some way from a root to the class stays inside a set."""
        return c in held and (
            not self.parents[c] or any(self.reached(p, held) for p in self.parents[c])
        )


def by_level(classes, labels):
    found = {classes.level(c): c for c in labels}
    assert len(found) == len(labels)
    return found


def path_values(classes, true, predicted):
    """Every path measure of one instance; None for 0/0."""
    t, p = by_level(classes, true), by_level(classes, predicted)
    levels = sorted(t)
    n = {k: sum(classes.level(c) == k for c in classes.names) for k in levels}
    hit = [t[k] == p.get(k) for k in levels]
    links = list(pairwise(levels))
    bad = [a not in p or b not in p or p[a] not in classes.parents[p[b]] for a, b in links]
    prefix = 0
    while prefix < len(hit) and hit[prefix]:
        prefix += 1

    def share(x, of):
        return Fraction(x, of) if of else None

    return {
        "full_path_accuracy": Fraction(set(true) == set(predicted)),
        "tree_inconsistency": Fraction(any(bad)),
        "weighted_average_precision": share(
            sum(n[k] for k, h in zip(levels, hit, strict=True) if h), sum(n.values())
        ),
        "point_overlap": share(sum(hit), len(hit)),
        "tree_overlap": share(sum(a and b for a, b in pairwise(hit)), len(links)),
        "path_prefix": share(prefix, len(hit)),
        "edge_inconsistency": share(sum(bad), len(links)),
    }


def level_accuracies(classes, y_true, y_pred, weight):
    """By level: the accuracy where the truth has the level, and its number of classes."""
    found = {}
    for k in {classes.level(c) for c in classes.names}:
        right = total = 0
        for t, p, w in zip(y_true, y_pred, weight, strict=True):
            if k in (truth := by_level(classes, t)):
                total += Fraction(w)
                right += Fraction(w) * (truth[k] == by_level(classes, p).get(k))
        if total:
            found[k] = right / total, sum(classes.level(c) == k for c in classes.names)
    return found


def needed(classes, label, true):
    """The proper ancestors that have to be there: a single root need not, if it is not true."""
    absent = classes.roots - set(true) if len(classes.roots) == 1 else set()
    return classes.above(label) - absent


def kept(classes, held, true, parents):
    """The labels of a set with all that is above them, or with one way from a root."""
    if parents == "all":
        return {c for c in held if needed(classes, c, true) <= held}
    absent = classes.roots - set(true) if len(classes.roots) == 1 else set()
    return {c for c in held if classes.reached(c, held | absent)}


def hits(classes, true, predicted, inconsistent="wrong", parents="all"):
    """True labels, predicted labels that count, and hits."""
    t, p = set(true), set(predicted)
    if inconsistent == "drop":
        p = kept(classes, p, true, parents)
        return t, p, t & p
    return t, p, kept(classes, t & p, true, parents)


def f1(n_true, n_pred, n_both):
    return Fraction(2 * n_both, n_true + n_pred) if n_true + n_pred else Fraction(0)


def pooled(triples, classes):
    """Micro F1, and macro F1 over all of these classes."""
    micro = f1(*(sum(len(x[k]) for x in triples) for k in range(3)))
    each = [f1(*(sum(c in x[k] for x in triples) for k in range(3))) for c in classes]
    return micro, sum(each) / len(each)


def whole_paths(classes, y_true, y_pred):
    """The paths of either side by their leaves; and x, of which the factor is made."""
    triples, beside, labels = [], 0, 0
    for t, p in zip(map(set, y_true), map(set, y_pred), strict=True):
        paths = {c: (classes.above(c) | {c}) for c in classes.leaves}
        sides = [
            {c for c in paths if c in held and needed(classes, c, t) <= held} for held in (t, p)
        ]
        triples.append((*sides, sides[0] & sides[1]))
        beside += len(p) - sum(len(paths[c] & p) for c in sides[1])
        labels += len(t)
    return triples, Fraction(beside, labels) if labels else None


def factor(x):
    return 2 / (1 + math.exp(x))
