"""Random hierarchies with random properties, as classes and as plain dicts, for tests of decoders."""

import json
from fractions import Fraction

import numpy as np

from hierpair import Hierarchy, LabelDistribution
from tests.paths import BUNDLED

DATA = BUNDLED / "probabilistic"


def vectors(name):
    return json.loads((DATA / f"{name}.json").read_text())


def parents_of(given):
    """{class: its parents} of a list of parents (None for the root)."""
    return {v: [] if p is None else [p] for v, p in enumerate(given)}


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
