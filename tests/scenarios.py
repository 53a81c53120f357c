"""Random hierarchies with laws, scores and labels, as classes and as plain dicts."""

import json
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from hierpair import Hierarchy, LabelDistribution, LabelSets, NodeScores, score
from hierpair.errors import HierpairError
from hierpair.measures import REGISTRY
from tests.paths import SHARED


def hierarchy_of(parents, weights=None):
    edges = [
        (p, v, *(() if weights is None else (weights[v],))) for v, ps in parents.items() for p in ps
    ]
    return Hierarchy.from_edges(edges, classes=parents, roots="any")


def random_parents(rng, n, *, dag=False, forest=False):
    parents = {0: []}
    for v in range(1, n):
        few = int(rng.integers(1, min(3, v) + 1)) if dag else 1
        lone = forest and rng.random() < 0.2
        parents[v] = [] if lone else sorted(map(int, rng.choice(v, few, replace=False)))
    return parents


def random_masses(rng, n, denominator=40):
    """n fractions that add up to 1; some are 0."""
    cuts = np.sort(rng.integers(0, denominator + 1, n - 1))
    parts = np.diff(np.concatenate([[0], cuts, [denominator]]))
    return [Fraction(int(x), denominator) for x in rng.permutation(parts)]


def random_scenarios(rng, parents, *, inner=True, several=False, scenarios=4):
    """[(p, labels)] of one instance."""
    nodes = list(parents)
    leaves = [v for v in nodes if not any(v in ps for ps in parents.values())]
    pool = nodes if inner else leaves
    if not several:
        return [(p, [v]) for p, v in zip(random_masses(rng, len(pool)), pool, strict=True) if p]
    masses = random_masses(rng, scenarios)
    drawn = [
        (p, sorted(map(int, rng.choice(nodes, int(rng.integers(0, min(3, len(nodes)) + 1)), replace=False))))
        for p in masses
        if p
    ]  # fmt: skip
    merged = {}
    for p, labels in drawn:
        merged[tuple(labels)] = merged.get(tuple(labels), Fraction(0)) + p
    return [(p, list(labels)) for labels, p in merged.items()]


def distribution_of(scenarios, hierarchy):
    """LabelDistribution of instances given as lists of (fraction, labels)."""
    return LabelDistribution.from_scenarios(
        [[(float(p), labels) for p, labels in row] for row in scenarios], hierarchy
    )


def names(sets, hierarchy, i=0):
    return frozenset(sets.names_of(i, hierarchy))


# --------------------------------------------------- truths and scores, for measures of scores

MODERN = SHARED / "modern"


def modern(name):
    """The cases of a family, each a parameter; one that is skipped where the files are absent."""
    path = MODERN / f"{name}.json"
    if not path.is_file():
        why = f"no modern/{name}.json in {SHARED}; set HIERPAIR_DATA"
        return [pytest.param(None, marks=pytest.mark.skip(reason=why))]
    return [pytest.param(case, id=case["name"]) for case in json.loads(path.read_text())["cases"]]


def hierarchy_of_case(case):
    return Hierarchy.from_edges(case["edges"], classes=case.get("classes", ()), roots="any")


def random_case(rng, *, dag=False, forest=False, n_rows=6, most_labels=3, grid=10, single=False):
    """Parents, and truth and scores ({class: Fraction}) of some instances; many scores are tied."""
    parents = random_parents(rng, int(rng.integers(2, 10)), dag=dag, forest=forest)
    truth, scores = [], []
    for _ in range(n_rows):
        few = 1 if single else int(rng.integers(0, min(most_labels, len(parents)) + 1))
        truth.append(sorted(map(int, rng.choice(len(parents), few, replace=False))))
        given = [v for v in parents if rng.random() < 0.7]
        scores.append({v: Fraction(int(rng.integers(0, grid + 1)), grid) for v in given})
    return parents, truth, scores


def as_arrays(parents, truth, scores):
    """The same as a hierarchy, label sets and node scores."""
    hierarchy = hierarchy_of(parents)
    table = np.array([[float(row.get(v, 0)) for v in hierarchy.names] for row in scores])
    return (
        LabelSets.from_labels(truth, hierarchy),
        NodeScores.from_array(table, hierarchy, with_root=False),
    )


@dataclass(frozen=True, eq=False)
class Problem:
    """Edges, true classes and a score of every class, by names."""

    edges: list
    names: list
    truth: list
    p: np.ndarray

    def hierarchy(self):
        return Hierarchy.from_edges(self.edges, classes=self.names)

    def take(self, rows):
        return Problem(self.edges, self.names, [self.truth[i] for i in rows], self.p[rows])

    def columns(self, name):
        """The classes that have scores: leaves, or all but a single root."""
        parents, children = ({edge[side] for edge in self.edges} for side in (0, 1))
        if REGISTRY[name].scored_classes == "leaves":
            return [n for n in self.names if n not in parents]
        roots = [n for n in self.names if n not in children]
        return [n for n in self.names if len(roots) > 1 or n not in roots]

    def scores(self, name, hierarchy):
        columns = self.columns(name)
        at = [self.names.index(n) for n in columns]
        return NodeScores.from_array(self.p[:, at], hierarchy, classes=columns, with_root=False)

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
    leaves = [name for name in names if all(name != parent for parent, _ in edges)]
    laws = rng.dirichlet(np.full(len(leaves), 0.7), int(rng.integers(4, 12)))
    drawn = [rng.choice(len(leaves), p=law) if rng.random() < 0.6 else rng.integers(len(leaves))
             for law in laws]  # fmt: skip
    below = np.array([[name in up for name in names] for up in above_of(edges, leaves)])
    return Problem(edges, names, [[leaves[k]] for k in drawn], (laws @ below).clip(0, 1))


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
