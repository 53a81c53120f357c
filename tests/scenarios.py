"""Random hierarchies with laws, scores and labels, as classes and as plain dicts."""

import json
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from hierpair import Hierarchy, LabelDistribution, LabelSets, NodeScores, score
from hierpair.errors import HierpairError
from hierpair.measures import REGISTRY
from tests.oracles.classes import Classes
from tests.paths import SHARED


def hierarchy_of(parents, weights=None):
    extra = {v: () if weights is None else (weights[v],) for v in parents}
    edges = [(p, v, *extra[v]) for v, ps in parents.items() for p in ps]
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
    above = {p for ps in parents.values() for p in ps}
    pool = [v for v in parents if inner or v not in above]
    if not several:
        return [(p, [v]) for p, v in zip(random_masses(rng, len(pool)), pool, strict=True) if p]
    merged = {}
    for p in filter(None, random_masses(rng, scenarios)):
        few = int(rng.integers(0, min(3, len(parents)) + 1))
        labels = tuple(sorted(map(int, rng.choice(list(parents), few, replace=False))))
        merged[labels] = merged.get(labels, Fraction(0)) + p
    return [(p, list(labels)) for labels, p in merged.items()]


def distribution_of(scenarios, hierarchy):
    """LabelDistribution of instances given as lists of (fraction, labels)."""
    rows = [[(float(p), labels) for p, labels in row] for row in scenarios]
    return LabelDistribution.from_scenarios(rows, hierarchy)


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
    sets = LabelSets.from_labels(truth, hierarchy)
    return sets, NodeScores.from_array(table, hierarchy, with_root=False)


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
        h = Classes(self.edges, self.names)
        return h.leaves if REGISTRY[name].scored_classes == "leaves" else h.besides(h.single)

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
    """With two leaves at least."""
    parents = random_parents(rng, int(rng.integers(5, 11)), dag=dag)
    edges = [(f"c{p}", f"c{v}") for v, above in parents.items() for p in above]
    h = Classes(edges, [f"c{v}" for v in parents])
    return h if len(h.leaves) > 1 else tree_of(rng, dag=dag)


def tidy(rng, *, dag=False):
    """Every instance has one leaf, and a law over the leaves: an inner class has those below."""
    h = tree_of(rng, dag=dag)
    laws = rng.dirichlet(np.full(len(h.leaves), 0.7), int(rng.integers(4, 12)))
    drawn = (rng.choice(h.leaves, p=law if rng.random() < 0.6 else None) for law in laws)
    below = np.array([[name in h.above(leaf) for name in h.names] for leaf in h.leaves])
    return Problem([*h.weight], h.names, [[str(leaf)] for leaf in drawn], (laws @ below).clip(0, 1))


def rough(rng):
    """Any label sets, and any scores: with ties, zeros and children above their parents."""
    h, n = tree_of(rng, dag=bool(rng.random() < 0.5)), int(rng.integers(1, 7))
    truth = [rng.choice(h.names, rng.integers(0, 4), replace=False).tolist() for _ in range(n)]
    p = rng.choice([0, 0, 0.25, 0.5, 0.75, 1], (n, len(h.names)))
    return Problem([*h.weight], h.names, truth, p)


def perfect(problem):
    """Scores of 1 for every true class and all that is above it, and 0 for all others."""
    h = Classes(problem.edges, problem.names)
    p = np.array([[float(c in h.grown(labels)) for c in h.names] for labels in problem.truth])
    return Problem(problem.edges, problem.names, problem.truth, p)
