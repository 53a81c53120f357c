"""Where two classes meet, by definition: sets of ancestors, longest ways, all pairs."""

from functools import cache


class Meetings:
    """Heights, depths and common ancestors of a hierarchy given as edges and classes."""

    def __init__(self, edges, classes):
        self.classes = list(classes)
        self.parents = {c: [p for p, x, *_ in edges if x == c] for c in classes}
        self.children = {c: [x for p, x, *_ in edges if p == c] for c in classes}
        self.leaves = [c for c in classes if not self.children[c]]
        self.ancestors = cache(self.ancestors)
        self.height = cache(self.height)

    def ancestors(self, c):
        return frozenset({c}).union(*(self.ancestors(p) for p in self.parents[c]))

    def height(self, c):
        return max((1 + self.height(x) for x in self.children[c]), default=0)

    def depth(self, c):
        return max((1 + self.depth(p) for p in self.parents[c]), default=0)

    def common(self, u, v):
        return self.ancestors(u) & self.ancestors(v)

    def d(self, t, p):
        """Least height of a common ancestor; None without one, 0 for the class itself."""
        return 0 if t == p else min(map(self.height, self.common(t, p)), default=None)
