"""Every measure of label sets, with every option and average, is what its definition says."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import Hierarchy, measure, score
from hierpair.errors import HierpairError
from hierpair.measures import REGISTRY, measures_of
from hierpair.pairing import Climb, cost_named
from tests import effort
from tests.everything import LEVELS, OF_LEVELS, outcome, random_problem, variants
from tests.oracles.classes import Classes, ContrastModel
from tests.oracles.measures import DEFINED, average, values
from tests.scoring import all_pairs_of
from tests.strategies import dags, problems

SEPARATE = {"lca": "tests/lca", "confusion": "tests/confusion"}
"""Families with oracles and tests of their own."""

MORE = [measure(text) for text in (
    "hf(weights=leaves)", "hf(weights=leaves,root=include)", "symmetric_difference(weights=leaves)",
    "simgic(weights=leaves,average=micro)", "hf(augment=pruned,root=include)", "f(beta=2)",
    "gie(max_distance=0)", "gie(default=2.5,max_distance=1)", "fnerror(threshold=2,default=1)",
    "constrained_f(inconsistent=drop,parents=any)", "weighted_unifrac(lengths=depth,at_level=1)",
    "tree_wasserstein(default=3)", "contribution_f(theta=2.5)", "level_f(augment=ancestors,at_level=1)",
    "depth_loss(w0=0.5,depth=sum,normalise=path)", "level_accuracy(augment=none,absent_level='none-class')",
)]  # fmt: skip
"""Options that no turn of single ones brings together."""


def known_cost(m):
    """Whether definitions have it; tests/pairing/test_costs.py holds the others."""
    cost = str(m.options.get("cost"))
    return (
        not cost.startswith(("decayed", "wu_palmer", "lin", "resnik")) and "information" not in cost
    )


class Data:
    """What is counted from the truth of a problem."""

    def __init__(self, h, truth):
        self.h, self.truth, self.known = h, truth, {}

    def weights(self, word):
        if word not in self.known:
            self.known[word] = self.h.weights(word, self.truth)
        return self.known[word]


def grown(problem):
    """Closed true sets, some without the root, and predictions that lack a class here and there."""
    h, rng = Classes(problem.edges, problem.classes), np.random.default_rng(1)
    rows = [(h.grown(t) - (h.single if i % 3 == 0 else set()), h.grown([*p, *t[:1]]))
            for i, (t, p) in enumerate(zip(problem.y_true, problem.y_pred, strict=True))]  # fmt: skip
    y_pred = [sorted(c for c in p if rng.random() < 0.85) for _, p in rows]
    return replace(problem, y_true=[sorted(t) for t, _ in rows], y_pred=y_pred)


def layered(rng):
    """Whole paths of a DAG whose parents are one level up, and a class of every level."""
    layers = [[f"c{k}.{i}" for i in range(k + 2)] for k in range(4)]
    edges = [(str(p), c) for up, low in pairwise(layers) for c in low
             for p in rng.choice(up, int(rng.integers(1, 3)), replace=False)]  # fmt: skip
    h = Classes(edges, [c for layer in layers for c in layer])

    def path(c):
        return [*(path(str(rng.choice(h.parents[c]))) if h.parents[c] else []), c]

    truth = [path(str(rng.choice(layers[i % 4]))) for i in range(15)]
    said = [
        [t if rng.random() < 0.6 else str(rng.choice(layer)) for t, layer in zip(true, layers, strict=False)]
        + ([str(rng.choice(layers[-1]))] if len(true) == 3 else [])
        for true in truth
    ]  # fmt: skip
    return replace(LEVELS, name="layers", edges=edges, classes=h.names, y_true=truth, y_pred=said,
                   weight=rng.random(15))  # fmt: skip


SINGLE = ("mean_cost", "total_cost", "normalised_cost", "mistake_severity")


def drawn(name):
    """Small problems of every shape; single labels, and paths, where a measure wants them."""
    rng = np.random.default_rng(2)
    for seed in range(6 if effort.exhaustive else 1):
        if name in OF_LEVELS:
            n = len(LEVELS.y_true)
            yield replace(LEVELS, weight=rng.random(n))
            yield layered(rng)
            continue
        plain = REGISTRY[name].family in ("amount", "transport")
        lengths = {"weights": (0.5, 1.0, 2.25)}
        shapes = {
            "tree": {},
            "forest": {"roots": 3},
            "lengths": lengths if plain else {"parents": 3, **lengths},
        }
        most = {"most": 1, "empty": False} if name in SINGLE else {"most": 3}
        for shape, how in shapes.items():
            p = random_problem(
                shape, 40 + seed, n=9, instances=9, sample_weights=True, **most, **how
            )
            yield grown(p) if REGISTRY[name].family == "path" else p


def test_every_measure_has_a_definition():
    """ICM has that of its authors, below."""
    wanted = {n for n, d in measures_of("labels").items() if d.family not in SEPARATE}
    assert wanted - {"icm", "icm_norm"} == set(DEFINED)


@pytest.mark.random_cases
@pytest.mark.parametrize("name", DEFINED)
def test_values_and_averages_are_those_of_the_definition(name):
    """In the quick run each variant has one of the shapes."""
    compared, chosen = 0, set()
    known = [m for m in (*variants((name,)), *MORE) if m.definition.name == name and known_cost(m)]
    for turn, problem in enumerate(drawn(name)):
        h = Classes(problem.edges, problem.classes)
        rows = list(zip(problem.y_true, problem.y_pred, strict=True))
        data, weight = Data(h, problem.y_true), problem.weight.tolist()
        for k, m in enumerate(known):
            if k and (k + turn) % 3 and not effort.exhaustive and name not in OF_LEVELS:
                continue
            try:
                found, *each = outcome(problem, [m], on_infeasible="nan")[m]
            except HierpairError:  # options that do not go together, or not with this hierarchy
                continue
            wanted, _ = values(name, h, rows, m.options, data)
            told = f"{m} of {problem.name}"
            assert each == pytest.approx([float(x) for x in wanted], abs=1e-9, nan_ok=True), told
            pooled = average(name, h, rows, m.options, data, weight)
            assert found == pytest.approx(float(pooled), abs=1e-9, nan_ok=True), told
            compared += not math.isnan(found)
            chosen |= {o for o, _ in m.chosen}
    assert compared
    assert {o for m in known for o, _ in m.chosen} <= chosen


# -------------------------------------------------------------------- information of classes


@given(problems(max_classes=9, max_labels=4, instances=5))
@settings(max_examples=effort.cases(75), deadline=None)
def test_information_contrast(problem):
    """The recursion of its authors on forests; 2 W(P) + 2 W(T) − 3 W(P ∪ T) is the same there."""
    hierarchy, edges, truth, predicted = problem
    h, n = Classes(edges, hierarchy.names), len(truth)
    found = score(hierarchy, truth, {"s": predicted}, ["icm", "icm_norm"])
    model = ContrastModel(h, truth)
    if hierarchy.shape == "DAG":  # by weights log2(p(parents) / p(c))
        bits = {c: -model.of_class(c) for c in h.names}
        inside = {c: sum(set(h.parents[c]) <= s for s in model.sets) for c in h.names}
        weight = {c: math.log2(max(1, inside[c]) / n) - bits[c] for c in h.names}
        if any(len(h.parents[c]) > 1 and inside[c] < 2 for c in h.names):
            return
        of = lambda labels: sum(weight[c] for c in h.grown(labels))  # noqa: E731
        icm = [
            2 * of(p) + 2 * of(t) - 3 * of([*p, *t]) for t, p in zip(truth, predicted, strict=True)
        ]
        assert found.per_instance["s"][:, 0] == pytest.approx(icm, abs=1e-9)
        return
    icm = [model.icm(t, p) for t, p in zip(truth, predicted, strict=True)]
    assert found.per_instance["s"][:, 0] == pytest.approx(icm, abs=1e-9)
    own = np.mean([model.icm(t, t) for t in truth])
    if own > 1e-9:
        norm = max(0, (np.mean(icm) + own) / (2 * own))
        assert found["s", "icm_norm"] == pytest.approx(norm, abs=1e-9)


@given(dags(10), st.sampled_from(["seco", "sanchez"]))
@settings(max_examples=effort.cases(100), deadline=None)
def test_costs_by_the_information_of_the_hierarchy_alone(drawn, how):
    edges, names = drawn
    h = Classes(edges, names)
    n, n_leaves = len(names), len(h.leaves)
    content = {
        c: math.log(n / len(h.below(c))) if how == "seco" else
        -math.log((len(h.leaves_below(c)) / len(h.above(c)) + 1) / (n_leaves + 1))
        for c in names
    }  # fmt: skip
    table = all_pairs_of(Hierarchy.from_edges(edges, classes=names, roots="any"), names)
    largest = max(content.values())
    lin = table(cost_named(f"lin(intrinsic={how})"))
    resnik = table(cost_named(f"resnik(intrinsic={how})")) if largest > 1e-12 else {}
    for (one, other), cost in lin.items():
        best = max((content[c] for c in h.common(one, other)), default=0)
        both = content[one] + content[other]
        like = 2 * best / both if both > 1e-12 else float(bool(h.common(one, other)))
        assert 1 - cost == pytest.approx(1 if one == other else min(1, like), abs=1e-9)
        assert 1 - resnik.get((one, other), 1 - best) == pytest.approx(
            best / largest if resnik else best, abs=1e-9
        )


@given(dags(max_classes=9))
@settings(max_examples=effort.cases(50), deadline=None)
def test_climbs_by_information(dag):
    edges, names = dag
    h, counts = Classes(edges, names), {c: i + 1 for i, c in enumerate(names)}
    total = sum(counts.values())
    ic = {c: -math.log(sum(counts[x] for x in h.below(c)) / total) for c in names}
    table = all_pairs_of(Hierarchy.from_edges(edges, classes=names, roots="any"), names)
    for (t, p), got in table(Climb(counts, by="information")).items():
        shared = max((ic[a] for a in h.common(p, t)), default=-math.inf)
        assert got == pytest.approx(ic[t] - shared, abs=1e-9)
