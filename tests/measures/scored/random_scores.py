"""Random truths and scores, as measures of scores take them: tidy ones, and rough ones."""

from dataclasses import dataclass

import numpy as np

from hierpair import Hierarchy, NodeScores, score
from hierpair.errors import HierpairError
from hierpair.measures import REGISTRY


@dataclass(frozen=True, eq=False)
class Problem:
    """Edges, true classes and a score of every class, by names."""

    edges: list
    names: list
    truth: list
    p: np.ndarray

    @property
    def leaves(self):
        inner = {parent for parent, _ in self.edges}
        return [name for name in self.names if name not in inner]

    def hierarchy(self):
        return Hierarchy.from_edges(self.edges, classes=self.names)

    def take(self, rows):
        return Problem(self.edges, self.names, [self.truth[i] for i in rows], self.p[rows])

    def columns(self, name):
        """The classes that have scores: leaves, or all but a single root."""
        if REGISTRY[name].scored_classes == "leaves":
            return self.leaves
        below = {child for _, child in self.edges}
        roots = [n for n in self.names if n not in below]
        return [n for n in self.names if len(roots) > 1 or n not in roots]

    def scores(self, name, hierarchy):
        columns = self.columns(name)
        at = [self.names.index(n) for n in columns]
        return NodeScores.from_array(
            self.p[:, at], hierarchy, classes=columns, with_root=False
        )  # fmt: skip

    def value(self, name, measure=None, **how):
        """The value of a measure, or None where it refuses these scores."""
        tree = self.hierarchy()
        try:
            found = score(tree, self.truth, {"s": self.scores(name, tree)}, measure or name, **how)
        except HierpairError:
            return None
        return float(found.values[0, 0])


def tree_of(rng, *, dag=False):
    n = int(rng.integers(5, 11))
    edges = []
    for i in range(1, n):
        above = rng.choice(i, min(i, int(rng.integers(1, 3)) if dag else 1), replace=False)
        edges += [(f"c{p}", f"c{i}") for p in sorted(above.tolist())]
    return edges, [f"c{i}" for i in range(n)]


def tidy(rng, *, dag=False):
    """Every instance has one leaf, and a law over the leaves: an inner class has those below."""
    edges, names = tree_of(rng, dag=dag)
    inner = {parent for parent, _ in edges}
    leaves = [name for name in names if name not in inner]
    n = int(rng.integers(4, 12))
    laws = rng.dirichlet(np.full(len(leaves), 0.7), n)
    truth = [
        [
            leaves[
                rng.choice(len(leaves), p=law) if rng.random() < 0.6 else rng.integers(len(leaves))
            ]
        ]
        for law in laws
    ]
    above = above_of(edges, leaves)
    p = np.array([[sum(law[k] for k, up in enumerate(above) if name in up) for name in names]
                  for law in laws])  # fmt: skip
    return Problem(edges, names, truth, p.clip(0, 1))


def above_of(edges, names):
    """Of every class the names of it and of its ancestors."""

    def up(name):
        return {name}.union(*(up(parent) for parent, child in edges if child == name))

    return [up(name) for name in names]


def rough(rng):
    """Any label sets, and any scores: with ties, zeros and children above their parents."""
    edges, names = tree_of(rng, dag=bool(rng.random() < 0.5))
    n = int(rng.integers(1, 7))
    truth = [rng.choice(names, rng.integers(0, 4), replace=False).tolist() for _ in range(n)]
    p = rng.choice([0, 0, 0.25, 0.5, 0.75, 1], (n, len(names)))
    return Problem(edges, names, truth, p)


def perfect(problem):
    """Scores of 1 for every true class and all that is above it, and 0 for all others."""
    p = np.zeros((len(problem.truth), len(problem.names)))
    for row, labels in zip(p, problem.truth, strict=True):
        for up in above_of(problem.edges, labels):
            row[[problem.names.index(name) for name in up]] = 1
    return Problem(problem.edges, problem.names, problem.truth, p)
