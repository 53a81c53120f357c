"""Published vectors of measures of scores, and random truths with scores."""

import json
from fractions import Fraction

import numpy as np
import pytest

from hierpair import Hierarchy, LabelSets, NodeScores
from tests.paths import SHARED
from tests.scenarios import hierarchy_of, random_parents

MODERN = SHARED / "modern"


def vectors(name):
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
