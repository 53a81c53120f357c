"""Weighted sets, ICM and information accretion, as their definitions read: slow and obvious."""

import math


def augmented(parents, labels):
    """A set of classes with all their ancestors; ``parents`` is {class: list of parents}."""
    found, waiting = set(), list(labels)
    while waiting:
        c = waiting.pop()
        if c not in found:
            found.add(c)
            waiting += parents[c]
    return found


def tp_fp_fn(weight, true, pred):
    """Weights of what two augmented sets share, and of what each has alone."""
    return [math.fsum(weight[c] for c in s) for s in (true & pred, pred - true, true - pred)]


def accretion(parents, truth, smooth):
    """Information accretion of every class that has one."""
    sets = [augmented(parents, labels) for labels in truth]
    sets = [s for s in sets if s]
    found = {}
    for c, above in parents.items():
        joint = sum(1 for s in sets if c in s and set(above) <= s) + smooth
        alone = sum(1 for s in sets if set(above) <= s) + smooth
        found[c] = math.inf if not joint else -math.log2(joint / alone)
    return found


def content(parents, truth, smooth):
    """Information content of every class."""
    sets = [s for s in (augmented(parents, labels) for labels in truth) if s]
    n = len(sets) + smooth
    counts = {c: sum(c in s for s in sets) + smooth for c in parents}
    return {c: math.inf if not k else -math.log2(k / n) for c, k in counts.items()}


class ContrastModel:
    """ICM by the recursion of its authors, on a forest."""

    def __init__(self, parents, truth):
        self.parents, self.n = parents, len(truth)
        self.sets = [augmented(parents, labels) for labels in truth]

    def of_class(self, c):
        """−log2 of how often a class is true; of one that never is, as if once."""
        return -math.log2(max(1, sum(c in s for s in self.sets)) / self.n)

    def path(self, c):
        return [*self.path(self.parents[c][0]), c] if self.parents[c] else [c]

    def common(self, a, b):
        """The deepest common ancestor, or None."""
        shared = [x for x, y in zip(self.path(a), self.path(b), strict=False) if x == y]
        return shared[-1] if shared else None

    def deepest(self, labels):
        """The labels that are no ancestors of others."""
        above = {a for c in labels for a in self.path(c)[:-1]}
        return [c for c in labels if c not in above]

    def of_set(self, labels):
        """IC({c, …}) = IC(c) + IC(rest) − IC(the deepest common ancestors of c with the rest)."""
        labels = self.deepest(sorted(set(labels)))
        if not labels:
            return 0.0
        c, rest = labels[0], labels[1:]
        if not rest:
            return self.of_class(c)
        common = {self.common(c, r) for r in rest} - {None}
        return self.of_class(c) + self.of_set(rest) - self.of_set(common)

    def icm(self, true, pred, alpha1=2, alpha2=2, beta=3):
        return (alpha1 * self.of_set(pred) + alpha2 * self.of_set(true)
                - beta * self.of_set([*true, *pred]))  # fmt: skip
