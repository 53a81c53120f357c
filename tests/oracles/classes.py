"""A hierarchy in dicts and sets, by definition and slowly; nothing here imports what it checks."""

import math
from collections import Counter
from fractions import Fraction
from functools import cache, cached_property

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
        found, front = {c: 0}, [c]
        while front:
            front = [(p, found[v] + 1) for v in front for p in self.parents[v]]
            front = [p for p, d in front if d < found.get(p, d + 1) and not found.update({p: d})]
        if threshold is None:
            return found
        most = threshold // 2 - 1
        kept = {a: d for a, d in found.items() if d <= most}
        top = [d + 1 for a, d in kept.items() if d == most or a in self.roots]
        return {**kept, STAR: min(top)}

    def weighted_ups(self, c):
        """{ancestor: least sum of edge weights}."""
        found = {c: Fraction(0)}
        for p in self.parents[c]:
            for a, d in self.weighted_ups(p).items():
                found[a] = min(found.get(a, math.inf), d + self.weight[p, c])
        return found

    def common(self, u, v):
        return self.above(u) & self.above(v)

    def hops(self, u, v, threshold=None):
        """Fewest edges over a common ancestor."""
        up, other = self.ups(u, threshold), self.ups(v, threshold)
        return min((up[a] + other[a] for a in up.keys() & other.keys()), default=math.inf)

    # ------------------------------------------------------------------- sets of classes

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
            above = {c: set(true) & (self.above(c) - {c}) for c in said}
            said = {x for c in said for x in (above[c] or {c})}
        out = self.left_out(root)
        t, p = (self.grown(labels, augment, threshold) for labels in (true, said))
        if augment == "pruned":
            t, p = (
                {c for c in own if c in other or not self.parents[c] or {*self.parents[c]} & (other | out)}
                for own, other in ((t, p), (p, t))
            )  # fmt: skip
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
        if word == "ia":
            above = {c: [s for s in sets if set(self.parents[c]) <= s] for c in self.names}
            odds = {
                c: (sum(c in s for s in above[c]) + smooth, len(above[c]) + smooth) for c in above
            }
        else:
            odds = {c: (sum(c in s for s in sets) + smooth, len(sets) + smooth) for c in self.names}
        return {c: math.inf if not n else -math.log2(n / of) for c, (n, of) in odds.items()}

    def depth_weights(self, w0, depth):
        """w0 to the depth of a class: by the recursion over parents, or by ways up."""
        w0 = Fraction(w0)
        if depth in ("min", "max"):
            return {c: w0 ** {"min": min, "max": max}[depth](self.ways(c)) for c in self.names}

        def weight(c):
            above = [weight(p) for p in self.parents[c]]
            return (
                w0 * (sum(above) / (len(above) if depth == "mean" else 1)) if above else Fraction(1)
            )

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
        """How many labels, or what share of them, is at or below each class; or whether any is."""
        found = Counter()
        for label in set(labels):
            for c in self.above(label):
                found[c] += Fraction(1, len(set(labels))) if how == "shares" else 1
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
        labels = [c for c in sorted(set(labels))
                  if not any(c in self.of.above(x) for x in set(labels) - {c})]  # fmt: skip
        if not labels:
            return 0.0
        c, rest = labels[0], labels[1:]
        if not rest:
            return self.of_class(c)
        shared = {max(self.of.common(c, r), key=self.of.level, default=None) for r in rest} - {None}
        return self.of_class(c) + self.of_set(rest) - self.of_set(shared)

    def icm(self, true, said):
        return 2 * self.of_set(said) + 2 * self.of_set(true) - 3 * self.of_set([*true, *said])
