"""A hierarchy in dicts and sets, by definition and slowly; nothing here imports what it checks."""

import math
from collections import Counter
from fractions import Fraction
from functools import cache, cached_property

from tests.oracles import pairs_and_sets as sets_of

STAR = "*"
"""The artificial class above a cut."""


class Classes:
    """Classes with what is above and below them, from edges (parent, child, weight or none)."""

    def __init__(self, edges, names):
        self.names = list(names)
        self.parents = {c: [e[0] for e in edges if e[1] == c] for c in names}
        self.children = {c: [e[1] for e in edges if e[0] == c] for c in names}
        self.weight = {e[:2]: Fraction(e[2]) if len(e) > 2 else Fraction(1) for e in edges}
        self.roots = [c for c in names if not self.parents[c]]
        self.leaves = [c for c in names if not self.children[c]]
        self.single = set(self.roots) if len(self.roots) == 1 else set()
        for name in ("above", "below", "level", "height", "ups", "weighted_ups", "leaves_below"):
            setattr(self, name, cache(getattr(self, name)))

    def above(self, c):
        """The class with all its ancestors."""
        return frozenset({c}).union(*map(self.above, self.parents[c]))

    def below(self, c):
        """The class with all its descendants."""
        return frozenset({c}).union(*map(self.below, self.children[c]))

    def leaves_below(self, c):
        return self.below(c) & set(self.leaves)

    def level(self, c):
        """The longest way from a root."""
        return max((1 + self.level(p) for p in self.parents[c]), default=0)

    def height(self, c):
        """The longest way down."""
        return max((1 + self.height(x) for x in self.children[c]), default=0)

    def ways(self, c):
        """The lengths of all ways up to a root."""
        return [1 + w for p in self.parents[c] for w in self.ways(p)] or [0]

    def ups(self, c, threshold=None):
        """{ancestor: fewest edges}; a threshold cuts what is above, and puts one class there."""
        found = sets_of.up_distances(self.weight, c)
        return found if threshold is None else sets_of.cut(found, threshold // 2 - 1, self.roots)

    def weighted_ups(self, c):
        """{ancestor: least sum of edge weights}."""
        return sets_of.weighted_up_distances([(*edge, w) for edge, w in self.weight.items()], c)

    def common(self, u, v):
        return self.above(u) & self.above(v)

    def hops(self, u, v, threshold=None):
        """Fewest edges over a common ancestor."""
        return sets_of.distance(self.ups(u, threshold), self.ups(v, threshold))

    # ------------------------------------------------------------------- sets of classes

    def besides(self, some):
        return [c for c in self.names if c not in some]

    def left_out(self, root):
        """The classes that do not count: a single root, or the one that is named."""
        named = {root} & set(self.names)
        return {"exclude": self.single | {STAR}, "include": set()}.get(root, named | {STAR})

    def grown(self, labels, augment="ancestors", threshold=None):
        """Labels with what is above or below them."""
        if threshold is not None:
            return {a for c in labels for a in self.ups(c, threshold)}
        way = {"none": lambda c: {c}, "descendants": self.below}.get(augment, self.above)
        return set().union(*map(way, labels))

    def sides(self, true, said, *, augment="ancestors", root="exclude", threshold=None,
              deeper="wrong"):  # fmt: skip
        """Both augmented sets, without what does not count."""
        if deeper == "right":
            over = {c: set(true) & self.above(c) for c in said}
            lowest = lambda of: {t for t in of if not of & (self.below(t) - {t})}  # noqa: E731
            said = {x for c in said for x in (lowest(over[c]) or {c})}
        out = self.left_out(root)
        t, p = (self.grown(labels, augment, threshold) for labels in (true, said))
        if augment == "pruned":
            t, p = (sets_of.pruned(self.weight, *own, out) for own in ((t, p), (p, t)))
        return t - out, p - out

    # ------------------------------------------------------------------ weights of classes

    def weights(self, word, truth=(), smooth=1):
        """Weights of classes by a word, counted from the truth where it says so."""
        sets = [s for s in map(self.grown, truth) if s]
        if word == "ones":
            return dict.fromkeys(self.names, 1)
        if word == "leaves":
            bits = {c: -math.log2(len(self.leaves_below(c)) / len(self.leaves)) for c in self.names}
            return {c: bits[c] - max((bits[p] for p in self.parents[c]), default=0) for c in bits}
        asked = {c: set(self.parents[c]) if word == "ia" else set() for c in self.names}
        of = {c: [s for s in sets if above <= s] for c, above in asked.items()}
        odds = {c: (sum(c in s for s in of[c]) + smooth, len(of[c]) + smooth) for c in of}
        return {c: math.inf if not n else -math.log2(n / among) for c, (n, among) in odds.items()}

    def depth_weights(self, w0, depth):
        """w0 to the depth of a class: by the recursion over parents, or by ways up."""
        w0 = Fraction(w0)
        if depth in ("min", "max"):
            return {c: w0 ** {"min": min, "max": max}[depth](self.ways(c)) for c in self.names}

        def weight(c):
            above = [w0 * weight(p) for p in self.parents[c]]
            return sum(above) / (len(above) if depth == "mean" else 1) if above else Fraction(1)

        return {c: weight(c) for c in self.names}

    @cached_property
    def sibling_costs(self):
        def cost(c):
            if not self.parents[c]:
                return Fraction(1, len(self.roots))
            return sum(cost(p) / len(self.children[p]) for p in self.parents[c])

        return {c: cost(c) for c in self.names}

    # ----------------------------------------------------------- whole paths, and amounts

    def rooted(self, held, given, parents="all"):
        """The members of a set with all, or any, of their ways up in it; ``given`` may lack."""

        @cache
        def fine(c):
            each = [p in given or (p in held and fine(p)) for p in self.parents[c]]
            return not each or (all if parents == "all" else any)(each)

        return {c for c in held if fine(c)}

    def amounts(self, labels, how):
        """How many labels (or how much), or what share, is at or below each class; or whether any."""
        given = labels if isinstance(labels, dict) else dict.fromkeys(labels, 1)
        found, total = Counter(), Fraction(sum(given.values()))
        for label, amount in given.items():
            for c in self.above(label):
                found[c] += amount / total if how == "shares" else amount
        return Counter(dict.fromkeys(found, 1)) if how == "presence" else found


class ContrastModel:
    """ICM by the recursion of its authors, on a forest."""

    def __init__(self, classes, truth):
        self.of, self.n = classes, len(truth)
        self.sets = [classes.grown(labels) for labels in truth]

    def of_class(self, c):
        """−log2 of how often a class is true; of one that never is, as if once."""
        return -math.log2(max(1, sum(c in s for s in self.sets)) / self.n)

    def of_set(self, labels):
        """IC({c, …}) = IC(c) + IC(rest) − IC(the deepest common ancestors of c with the rest)."""
        some = set(labels)
        lowest = sorted(c for c in some if not any(c in self.of.above(x) for x in some - {c}))
        if len(lowest) < 2:
            return sum(map(self.of_class, lowest))
        c, *rest = lowest
        shared = {max(self.of.common(c, r), key=self.of.level, default=None) for r in rest} - {None}
        return self.of_class(c) + self.of_set(rest) - self.of_set(shared)

    def icm(self, true, said):
        return 2 * self.of_set(said) + 2 * self.of_set(true) - 3 * self.of_set([*true, *said])
